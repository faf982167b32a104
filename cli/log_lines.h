/* The log of serve, coordinate and simulate on standard error: lines for people, for the journal of systemd,
 * or one JSON object each. docs/reference/formats.md has the shapes. */
#ifndef CLI_LOG_LINES_H
#define CLI_LOG_LINES_H

#include <hedgerow/federation.h>

enum { LOG_LEVEL_UNSET = HR_LOG_DEBUG + 1 };

typedef enum log_format { LOG_TEXT, LOG_JSON, LOG_BARE /* simulate: nothing but the words */ } log_format;

/* What the command line says of it. Begin with LOG_ARGS_INIT. */
typedef struct log_args {
    size_t format, level; /* log_format, hr_log_level */
    bool quiet;           /* errors only */
} log_args;

#define LOG_ARGS_INIT                                                                                        \
    { LOG_TEXT, LOG_LEVEL_UNSET, false }

/* Rows of a command's table whose structure has its log_args at `log`. */
#define LOG_OPTIONS                                                                                          \
    {"log-format",                                                                                           \
     0,                                                                                                      \
     ARG_CHOICE,                                                                                             \
     false,                                                                                                  \
     AT(log.format),                                                                                         \
     "text|json",                                                                                            \
     "of standard error; text unless given: time, level, member, job; json: one object a line"},             \
    {                                                                                                        \
        "log-level", 0, ARG_CHOICE, false, AT(log.level), "error|warning|info|debug",                        \
            "print lines of this level and graver ones; info unless given"                                   \
    }

/* `name` is the command's. False, after saying why: the options contradict each other. */
bool log_lines_open(const char *name, const log_args *args);

/* A callback of hr_party_settings. */
void log_lines_print(void *user, const hr_log_line *line);

/* Prints the error that ends the command; returns the exit code that its status stands for. */
int log_lines_end(const hr_error *err);

#endif
