/* Columns that are the label, or that give it with another one: found in the first records of a table. */
#ifndef HR_TABLES_INFER_INFER_LABEL_H
#define HR_TABLES_INFER_INFER_LABEL_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { HR_LABEL_SAMPLE = 500 /* records */, HR_LABEL_COLUMNS = 1024 };

/* Starts from {0}. */
typedef struct hr_label_sample {
    size_t columns, rows; /* columns: 0 if there are more than HR_LABEL_COLUMNS */
    double *values;       /* by column and record; NaN: no number */
    uint64_t *hashes;     /* of the text; 0: empty */
} hr_label_sample;

/* False when memory is short. */
bool hr_label_sample_init(hr_label_sample *sample, hr_arena *arena, size_t columns);

/* Takes the cell of a column in record `row`, counted from 0. */
void hr_label_sample_add(hr_label_sample *sample, size_t column, uint64_t row, const char *cell, size_t size);

/* Whether the column has one value for each value of the label. */
bool hr_label_sample_is_label(const hr_label_sample *sample, size_t column, size_t label);

/* Whether the column and another one, which is returned, add up to the label, or differ by it. SIZE_MAX: no.
 */
size_t hr_label_sample_adds_up(const hr_label_sample *sample, size_t column, size_t label);

#endif
