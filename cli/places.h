/* Where an output would go, and whether that is a file which the command needs. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/* A file as the command line names it. */
typedef struct named_file {
    const char *option; /* such as "--data" */
    const char *path;   /* NULL: not given */
} named_file;

/* "-" or /dev/stdout. */
bool is_standard_output(const char *path);

/* The name at the end of the symbolic links that `path` leads through, whether there is a file of that name
 * or not. Owner: the caller frees it. NULL with errno: out of memory, or the links lead in a circle. */
char *final_place(const char *path);

/* The first file that is there of those in which SQLite would keep the changes of a database at `path`.
 * Owner: the caller frees it. NULL: there is none. */
char *changes_of(const char *path);

/* Whether the output is none of the other files, by any name or link, and no file in which SQLite keeps the
 * changes of a database. Else says so as a usage error of the command. Nothing is read or written. Devices
 * and pipes are no file's place. */
bool output_apart(const char *command, const named_file *output, const named_file *others, size_t count);

#endif
