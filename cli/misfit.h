/* Telling an owner that its table is not of the kind that the schema describes. A misfit is private: it goes
 * to standard error and nowhere else. */
#ifndef CLI_MISFIT_H
#define CLI_MISFIT_H

#include "output.h"

#include <hedgerow/hedgerow.h>

/* The help of --strict. */
#define STRICT_HELP "fail, before anything is done, if most cells of a column do not fit the schema"

/* Where a table came from, and what becomes of a misfit. */
typedef struct misfit_rule {
    const char *command, *path;
    bool strict; /* the first one is a failure; else all are warnings */
} misfit_rule;

/* Columns of which most cells do not fit (hr_data_check_column). */
hr_status warn_misfits(const misfit_rule *rule, const hr_data *data, hr_error *err);

/* Most cells of the label. */
hr_status warn_label_cells(const misfit_rule *rule, const hr_data *data, hr_error *err);

/* The same, and bounds of it that are too wide to train with (hr_data_check_label). */
hr_status warn_wide_label(const misfit_rule *rule, const hr_data *data, hr_error *err);

/* Prints which texts do not fit their columns, the most frequent ones of each column with their numbers of
 * cells, on standard output; nothing if all fit. */
void print_misfit_texts(const hr_data *data, hr_misfits *misfits);

/* The same of one column (index = feature count: the label), as the elements of a JSON object. */
void json_misfit_texts(json_writer *json, hr_misfits *misfits, size_t feature);

/* How many columns have cells that training refuses: texts in numbers and dates that do not fit, or in the
 * label. */
size_t count_refused_columns(const hr_data *data, const hr_misfits *misfits);

/* Tells the owner of each feature of which 1 % or more of the cells are unknown, and were read as missing, or
 * out of the model's bounds, and were clipped; from 10 % on as a warning. After warn_misfits, which has said
 * it of columns that do not fit at all. To standard error alone: it tells of records. */
void report_misfit_cells(const misfit_rule *rule, const hr_data *data);

/* Labels that are compared as clipped to the bounds, if they are more than 1 % of all: a warning. */
void warn_clipped_labels(const misfit_rule *rule, const hr_data *data);

#endif
