/* Telling an owner that its table is not of the kind that the schema describes. A misfit is private: it goes
 * to standard error and nowhere else. */
#ifndef CLI_MISFIT_H
#define CLI_MISFIT_H

#include "output.h"

#include <hedgerow/hedgerow.h>

/* The help of --strict. */
#define STRICT_HELP                                                                                          \
    "fail, before anything is done, if the table does not fit the schema, or the schema needs a review"

/* Where a table came from, and what becomes of remarks about it. {command, path, strict} starts. */
typedef struct misfit_rule {
    const char *command, *path; /* NULL: remarks name their table */
    bool strict;                /* the first fault is a failure; else all are warnings */
    bool refused;               /* one of the table was */
    size_t columns;             /* of which most cells do not fit */
} misfit_rule;

/* Prints a remark on standard error, or refuses it. */
bool print_remark(misfit_rule *rule, const hr_remark *remark);

/* After the last remark: how many columns were not printed; names the table in what a refusal failed with. */
void end_remarks(const misfit_rule *rule, hr_error *err);

/* Prints all remarks about a table. */
hr_status print_remarks(misfit_rule *rule, hr_remark_use use, const hr_data *data, hr_error *err);

/* Prints which texts do not fit their columns, the most frequent ones of each column with their numbers of
 * cells, on standard output; nothing if all fit. */
void print_misfit_texts(const hr_data *data, hr_misfits *misfits);

/* The same of one column (index = feature count: the label), as the elements of a JSON object. */
void json_misfit_texts(json_writer *json, hr_misfits *misfits, size_t feature);

/* How many columns have cells that training refuses: texts in numbers and dates that do not fit, or in the
 * label. */
size_t count_refused_columns(const hr_data *data, const hr_misfits *misfits);

#endif
