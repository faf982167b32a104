/* Reading what commands are given; "-" is standard input everywhere. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "args.h"
#include "places.h"

#include <hedgerow/hedgerow.h>

/* The words of --format, in the order of hr_format. */
#define FORMAT_WORDS "auto|csv|libsvm"

/* A table as a command is told of it. */
typedef struct table_args {
    arg_list data, drop;
    const char *query;
    size_t format, separator, quote;
    arg_integer skip_lines;
    bool skip_unlabelled, allow_equal;
    hr_timings *timings; /* of the command, which sets it; NULL: none */
    arg_integer threads; /* that read it, and do what the command does */
} table_args;

/* How the cells of a table are written. */
#define CELL_OPTIONS(args)                                                                                   \
    {"separator",                                                                                            \
     0,                                                                                                      \
     ARG_CHOICE,                                                                                             \
     false,                                                                                                  \
     offsetof(args, table.separator),                                                                        \
     "auto|comma|semicolon|tab|pipe",                                                                        \
     "of cells; auto: by the line 'sep=', or the header"},                                                   \
        {"quote",                                                                                            \
         0,                                                                                                  \
         ARG_CHOICE,                                                                                         \
         false,                                                                                              \
         offsetof(args, table.quote),                                                                        \
         "double|none",                                                                                      \
         "none: quotation marks are letters, as in tables that are written without quoting"},                \
        {"skip-lines",                                                                                       \
         0,                                                                                                  \
         ARG_INTEGER,                                                                                        \
         false,                                                                                              \
         offsetof(args, table.skip_lines),                                                                   \
         "N",                                                                                                \
         "lines before the header, which are left out"},                                                     \
    {                                                                                                        \
        "query", 0, ARG_TEXT, false, offsetof(args, table.query), "FILE",                                    \
            "one SQL query: --data is then an SQLite file or postgresql://USER@HOST/DATABASE"                \
    }

/* The options of a table besides --data, for the field `table` of the command's own structure. */
#define TABLE_OPTIONS(args)                                                                                  \
    {"format",                                                                                               \
     0,                                                                                                      \
     ARG_CHOICE,                                                                                             \
     false,                                                                                                  \
     offsetof(args, table.format),                                                                           \
     FORMAT_WORDS,                                                                                           \
     "of the table; auto looks at the content"},                                                             \
        CELL_OPTIONS(args), {                                                                                \
        "drop", 0, ARG_LIST, false, offsetof(args, table.drop), "COLUMN",                                    \
            "leave this column out; may be repeated"                                                         \
    }

/* For commands whose result depends on no number of threads. */
#define THREADS_OPTION(args)                                                                                 \
    {                                                                                                        \
        "threads", 0, ARG_INTEGER, false, offsetof(args, table.threads), "N",                                \
            "0: as many processors as it may use; the result does not depend on it"                          \
    }

/* For commands that need labels. */
#define SKIP_OPTION(args)                                                                                    \
    {                                                                                                        \
        "skip-unlabelled", 0, ARG_FLAG, false, offsetof(args, table.skip_unlabelled), NULL,                  \
            "leave out records whose label is missing, and say how many"                                     \
    }

/* For commands whose result says so, and those that release nothing. */
#define EQUAL_OPTION(args)                                                                                   \
    {                                                                                                        \
        "allow-equal-files", 0, ARG_FLAG, false, offsetof(args, table.allow_equal), NULL,                    \
            "files of equal content hold records of different people: they are no copies"                    \
    }

/* What may come in at most once: the table's files and this one (NULL: none) are not standard input twice;
 * and no address holds a password, which other users of the machine could read. Else says so as a usage
 * error. */
bool input_table_usable(const command *self, const table_args *table, const char *other);

/* Whether the number of threads is one; else says so as a usage error. */
bool input_threads_usable(const command *self, const table_args *table);

/* The files of a table, as places where no output may go. Returns how many. */
enum { TABLE_FILES_MAX = ARG_LIST_MAX + 1 };
size_t input_table_files(const table_args *table, named_file files[TABLE_FILES_MAX]);

hr_status input_table(const hr_schema *schema, const table_args *table, bool label_optional, hr_data **out,
                      hr_error *err);
/* How many threads --threads asks for; 0: what hr_threads finds. */
int input_threads(arg_integer threads);

/* How to read it without labels, with columns whose texts are kept; borrows both. */
hr_read_options input_kept_options(const table_args *table, const arg_list *kept);
hr_read_options input_table_options(const table_args *table);

/* Takes the columns that are dropped out of the schema. */
hr_status input_drop(hr_schema **schema, const table_args *table, hr_error *err);

/* What messages about the whole table call it. */
const char *input_table_name(const table_args *table);

/* Tells the owner how many records were skipped, if any were. */
void input_warn_skipped(const command *self, const hr_data *data);

hr_status input_schema(const char *path, hr_schema **out, hr_error *err);
hr_status input_model(const char *path, hr_model **out, hr_error *err);
/* The same, timed, of a model that is to predict: statistics are refused. `timings` NULL: none. */
hr_status input_predictor(const char *path, hr_timings *timings, hr_model **out, hr_error *err);
hr_status input_data(const hr_schema *schema, const char *path, size_t format, bool label_optional,
                     hr_data **out, hr_error *err);

/* Whether at most one of the paths (NULL: not given) is standard input; else says so as a usage error of the
 * command. */
bool input_only_once(const char *name, const char *first, const char *second);

#endif
