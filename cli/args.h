/* What a command accepts, declared once: one table parses the command line and prints the help, so no option
 * is listed twice. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum arg_kind {
    ARG_FLAG,    /* bool */
    ARG_WAIVER,  /* bool; in its presence no option is required, but operands are */
    ARG_TEXT,    /* const char *; not empty */
    ARG_INTEGER, /* arg_integer */
    ARG_REAL,    /* arg_real */
    ARG_CHOICE,  /* size_t: which of the words in `value` */
    ARG_SETTING, /* arg_settings: the option's own name with its value */
    ARG_PAIR,    /* arg_settings: a NAME=VALUE; may be repeated */
    ARG_LIST,    /* arg_list: texts, not empty; may be repeated */
    ARG_MODEL, /* const char *: a model to read; `name` is "model", and a word without an option is it, too */
    ARG_OPERAND /* const char *: a word without an option; `name` stands for it in the help */
} arg_kind;

typedef struct arg_integer {
    uint64_t value;
    bool given;
} arg_integer;

typedef struct arg_real {
    double value;
    bool given;
} arg_real;

enum { ARG_SETTINGS_MAX = 64, ARG_LIST_MAX = 256, ARG_OPTIONS_MAX = 64 };

typedef struct arg_setting {
    const char *name, *value;
} arg_setting;

typedef struct arg_settings {
    arg_setting items[ARG_SETTINGS_MAX];
    size_t count;
} arg_settings;

typedef struct arg_list {
    char *items[ARG_LIST_MAX];
    size_t count;
} arg_list;

typedef struct arg_option {
    const char *name; /* long name without its dashes */
    char letter;      /* short name, or 0 */
    arg_kind kind;
    bool required;
    size_t offset;     /* of the target in the command's own structure */
    const char *value; /* what the help calls the value; ARG_CHOICE: the words, separated by '|' */
    const char *help;
} arg_option;

/* A line of the dispatch table. `name` is one word, or a group and a word: "schema init". */
typedef struct command {
    const char *name;
    const char *summary;
    const char *details; /* a paragraph for the help; may be "" */
    const char *example; /* lines for the help */
    const arg_option *options;
    size_t option_count;
    int (*run)(const struct command *self, int argc, char **argv);
    bool reloads; /* SIGHUP has it read its files anew, and never ends it */
    bool once;    /* several processes of a launcher would each release, or spend, by itself */
    void (*name_methods)(const char *option, char *text, size_t size); /* which methods have an ARG_SETTING */
    void (*print_exits)(void); /* its own exit codes, after the options; NULL: it has those of all commands */
    bool whole; /* it takes no time, and half of its files are of no use: a first signal waits until it is
                   done */
} command;

/* Fills in the structure at `target` from argv[0..argc), which begins after the command's name. NAME=VALUE
 * words are cut in two in place. On failure prints what is wrong and returns false. */
bool args_parse(const command *self, int argc, char **argv, void *target);

/* Whether --help (or -h) is among the words before "--". */
bool args_want_help(int argc, char **argv);

void args_print_help(const command *self);

/* The word of `words` nearest to `word` as a person mistypes, or NULL if none is near. */
const char *args_nearest(const char *word, const char *const *words, size_t count);

#endif
