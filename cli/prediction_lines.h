/* Lines of predictions: what they hold, how they are written as CSV and as JSON, and files that hold them. */
#ifndef HEDGEROW_CLI_PREDICTION_LINES_H
#define HEDGEROW_CLI_PREDICTION_LINES_H

#include "args.h"

#include <hedgerow/hedgerow.h>
#include <stdbool.h>
#include <stdio.h>

/* What a line of the output consists of. */
typedef struct prediction_layout {
    const hr_column *label;
    const arg_list *keep;
    const hr_data *data;
    const hr_decision_rule *rule;
    size_t count;   /* numbers per record */
    size_t ends[2]; /* of quantiles: the two that are written; else ends[1] is 0 */
    bool with_class, with_numbers;
} prediction_layout;

void write_prediction_header(FILE *out, const prediction_layout *lines);
/* The record in that row of lines->data; numbers: what was predicted of it. */
void write_record(FILE *out, const prediction_layout *lines, size_t row, const double *numbers);
void write_record_json(FILE *out, const prediction_layout *lines, size_t row, const double *numbers);

/* Whether predictions of times have a number of that name. */
bool is_name_of_time(const hr_column *label, const char *name);

/* Whether a file begins as write_prediction_header or write_record_json begins one, with these columns kept.
 */
bool holds_predictions(const char *path, const arg_list *kept);

#endif
