/* Tables of persons with several records each, and the same with one person more. */
#ifndef HR_TESTS_SUPPORT_PERSON_TABLES_H
#define HR_TESTS_SUPPORT_PERSON_TABLES_H

#include "support/check.h"

#include <hedgerow/hedgerow.h>

typedef struct person_tables {
    hr_schema *schema; /* unit: who; features x, z (0 to 1) and c (3 values); label y */
    hr_data *without, *with;
} person_tables;

/* The canary: all its records alike and at one end of the label, or random as the others'. */
typedef struct person_canary {
    size_t records;
    bool extreme;
} person_canary;

/* 40 persons with 1 to 6 records, and the canary among them. classes: of the label; 0: a number. */
void person_tables_open(person_tables *t, size_t classes, const person_canary *canary, uint64_t seed);
void person_tables_close(person_tables *t);

/* A table of the schema from CSV text. */
hr_data *data_of_text(const hr_schema *schema, const char *text);
hr_schema *schema_of_text(const char *text);

#endif
