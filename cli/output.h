/* What the commands say to people and programs: errors, paragraphs, a progress bar, JSON, and files that
 * appear whole. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <hedgerow/status.h>
#include <stdbool.h>
#include <stdio.h>

#if defined(__GNUC__)
#define CLI_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define CLI_PRINTF(a, b)
#endif

typedef enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,   /* the command line is wrong */
    EXIT_REFUSED = 3, /* a policy or a privacy budget forbids it */
    EXIT_ABSENT = 4,  /* this build lacks it */
    EXIT_SUSPECT = 5, /* a model is there, and checks of what owners sent failed */
    EXIT_BUSY = 6,    /* another process does this already */
    EXIT_SIGNAL = 128 /* and the number of the signal that ended it */
} exit_code;

/* Prints "hedgerow COMMAND: what is wrong" and where help is; returns EXIT_USAGE. */
int usage_error(const char *name, const char *format, ...) CLI_PRINTF(2, 3);

/* The exit code that the error's status stands for. */
int error_exit_code(const hr_error *err);

/* Prints the error with its place and remedy; returns the exit code that its status stands for. */
int report_error(const char *name, const hr_error *err);

/* Fills in an error for what the operating system refused (errno). */
hr_status fail_io(hr_error *err, const char *path, const char *what, const char *remedy);

/* Fills in an error of what was given; of memory that is short. */
hr_status fail_argument(hr_error *err, const char *message, const char *remedy);
hr_status fail_memory(hr_error *err);

/* Prints text broken into lines of at most 80 columns, all but the first indented; ends the line. */
void print_wrapped(FILE *out, const char *text, size_t indent);

/* Prints a text padded to a number of columns: on the right if it is positive, on the left if negative. */
void print_padded(FILE *out, const char *text, int width);

/* How many columns a text in UTF-8 takes (characters, not bytes). */
int text_width(const char *text);

/* Prints one field of a CSV line, prefix and text, quoted where it must be. */
void print_csv_field(FILE *out, const char *prefix, const char *text);

/* What a text says of the number of records behind it, as json_exact_rows does in JSON. */
#define EXACT_ROWS "exact: for the owner's eyes"

/* Prints a name of so many columns, and a decimal with 4 significant digits, or "-" for a number that does
 * not exist. */
void print_metric(FILE *out, const char *name, int width, double value);

/* ---- Progress ---- */

/* A bar on a terminal's standard error; silent anywhere else. */
typedef struct progress_bar {
    bool visible;
    int shown; /* the percentage on the screen; -1: nothing yet */
} progress_bar;

void progress_init(progress_bar *bar, bool wanted);
/* A callback of hr_fit_options; `user` is the progress_bar. */
bool progress_step(void *user, size_t done, size_t total);
void progress_clear(progress_bar *bar);

/* ---- JSON ---- */

/* Writes one value after the other; commas come by themselves. A NULL name is an element of an array. Numbers
 * that JSON does not know (infinite, NaN) are null. */
typedef struct json_writer {
    FILE *out;
    bool follows; /* a comma is due */
} json_writer;

void json_open(json_writer *json, const char *name, char bracket);
void json_close(json_writer *json, char bracket);
void json_text(json_writer *json, const char *name, const char *text);
void json_number(json_writer *json, const char *name, double value);
/* A delta as texts have it (<hedgerow/amount.h>): what is spent or guaranteed, rounded up; what may be spent.
 * A ledger counts in units of 2^-62: its doubles are 9.999999999999159e-07 where 1e-06 was asked for. */
void json_delta(json_writer *json, const char *name, double delta);
void json_delta_left(json_writer *json, const char *name, double delta);
void json_integer(json_writer *json, const char *name, uint64_t value);
/* How many records a table has, or those of `whose` ("": the whole table). No release pays for the exact
 * number: nothing else may write it, so that its name, exact_rows, says what it is wherever it stands. */
void json_exact_rows(json_writer *json, const char *whose, uint64_t rows);
void json_flag(json_writer *json, const char *name, bool value);
/* A list of names, given as "north, west". */
void json_names(json_writer *json, const char *name, const char *names);
/* The members of `object`, the text of a JSON object that is not empty. */
void json_members(json_writer *json, const char *object);

/* ---- Files ---- */

/* What becomes of a file that is there already. Devices and pipes are always written to. */
typedef enum output_rule {
    OUTPUT_NEW,      /* it stays, whatever the user says */
    OUTPUT_UNFORCED, /* it stays; the refusal names --force */
    OUTPUT_FORCED    /* it is replaced */
} output_rule;

/* A file that appears under its name when it is complete, or not at all. "-" is standard output. */
typedef struct output_file {
    FILE *stream;
    const char *path;
    output_rule rule;
    char *place; /* where its links lead; NULL: written in place */
    char *part;  /* the name until it is complete; NULL: written in place */
} output_file;

/* For content that tells of records: a new file is readable by its owner alone, whatever the umask. */
hr_status output_open(output_file *file, const char *path, output_rule rule, hr_error *err);
/* For content that may be published: the umask says who may read a new file. */
hr_status output_open_public(output_file *file, const char *path, output_rule rule, hr_error *err);
/* One of the two. */
typedef hr_status output_opener(output_file *file, const char *path, output_rule rule, hr_error *err);
/* Adds bytes. Fails: IO. */
hr_status output_add(output_file *file, const char *bytes, size_t size, hr_error *err);
/* Gives the file its name. Fails: IO, also if a file has come there meanwhile. */
hr_status output_finish(output_file *file, hr_error *err);
/* Removes what was not finished, and frees what the file holds; to be called after output_finish, too. */
void output_abandon(output_file *file);

/* All of these: a file of `size` bytes. Fails: IO. */
hr_status output_write(output_opener *open, const char *path, output_rule rule, const char *bytes,
                       size_t size, hr_error *err);

/* HR_OK if a file could be created at `path`; leaves nothing behind. Fails: IO, also if a file is there,
 * which stays. */
hr_status output_probe(const char *path, output_rule rule, hr_error *err);

#endif
