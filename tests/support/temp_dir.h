/* A temporary folder for a test, and a ledger's file read without the library. */
#ifndef HR_TESTS_SUPPORT_TEMP_DIR_H
#define HR_TESTS_SUPPORT_TEMP_DIR_H

#include "support/check.h"

#include <hedgerow/ledger.h>

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct temp_dir {
    char folder[64], path[96]; /* path: of a ledger in it, which is not there yet */
} temp_dir;

/* Set-up and tear-down of cmocka; *state is the temp_dir. */
int temp_dir_open(void **state);
int temp_dir_close(void **state);

/* In memory where the system can: for tests whose files are synchronised thousands of times. */
int temp_dir_open_in_memory(void **state);

/* Bytes of a file; owner: the caller. */
char *read_file(const char *path, size_t *size);
void write_file(const char *path, const char *bytes, size_t size);

/* Runs SQL on the file as the sqlite3 shell would; the first answer's first column as text ("" without one),
 * or SQLite's complaint. */
const char *query_database(const char *path, const char *sql);

/* An error that helps: the status, words of the message, some remedy, and the file. */
void check_file_error(const hr_error *err, hr_status status, const char *words, const char *file);

#endif
