/* What the tests of table readers share. */
#ifndef HR_TESTS_SUPPORT_READER_CHECKS_H
#define HR_TESTS_SUPPORT_READER_CHECKS_H

#include "support/check.h"

#include <hedgerow/data.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

char *must_alloc(size_t size);
hr_schema *must_schema(const char *text);
hr_data *must_parse(const hr_schema *schema, const char *text, size_t size, hr_format format);

typedef struct bad_table {
    const char *text;
    int status;
    uint64_t line, column;
    const char *field, *message; /* message: a part of the message or the remedy */
} bad_table;

/* Every case must fail as it says, with and without an error to fill in, and leave the output alone. */
void check_bad_tables(const hr_schema *schema, hr_format format, const bad_table *cases, size_t count);

/* The same double, NaN equal to NaN. */
bool is_same_double(double a, double b);

/* A path for one table, in a folder of its own, and the schema that it is read by. */
typedef struct table_file {
    void *dir;
    hr_schema *schema;
    char path[512];
} table_file;

/* For set-up and tear-down of cmocka, *state being the table_file: 0, or what they return on failure. */
int table_file_open(void **state, const char *schema);
int table_file_close(void **state);

#endif
