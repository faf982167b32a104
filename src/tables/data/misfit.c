/* Whether a table is of the kind that its schema describes. A column of which most cells had to be dropped or
 * clipped trains a model all the same, and a poor one: mostly a name, a unit or a spelling is wrong.
 *
 * Half is the limit because below it a column still holds more than it lacks. Cells that are merely missing
 * are another matter: laboratory values and questions for some are empty in most records, and rightly so.
 * They count with the others, but alone only if they are nine tenths: a warning that appears in every run is
 * not read. */
#include "base/fail.h"
#include "tables/data/records.h"

#include <math.h>
#include <stdio.h>

enum { FILL_ROWS = 10 };             /* fewer labels fill little of any bounds */
static const double LABEL_FILL = .2; /* bounds 10 times too wide are always seen */

typedef struct misfit {
    const char *what, *remedy;
    uint64_t cells;
} misfit;

static hr_status check_cells(const hr_data *data, const hr_column *column, const hr_column_report *report,
                             hr_error *err) {
    const bool listed = column->kind == HR_KIND_CATEGORY;
    const misfit misfits[] = {
        {"missing", "correct 'missing' in the schema, or leave the column out if it is as empty everywhere",
         report->missing},
        {listed ? "not among the values of the schema" : "not what the schema describes",
         listed ? "compare their spelling with the column's 'values' in the schema: what is not listed reads "
                  "as missing"
                : "correct them, or what the schema says of the column",
         report->unknown},
        {"outside the bounds of the schema",
         "compare their unit with the column's 'low' and 'high' in the schema: what is outside is clipped",
         report->out_of_range}};
    const uint64_t cells = report->missing + report->unknown + report->out_of_range;
    const uint64_t rows = hr_data_all_rows(data);
    if (2 * cells <= rows || (cells == report->missing && 10 * cells <= 9 * rows)) return HR_OK;
    const misfit *worst = misfits;
    for (size_t i = 1; i < sizeof misfits / sizeof *misfits; i++)
        if (misfits[i].cells > worst->cells) worst = &misfits[i];
    const double share = 100 / (double)rows;
    char rest[64] = "";
    if (worst->cells < cells)
        snprintf(rest, sizeof rest, ", and %.1f %% fit no better", share * (double)(cells - worst->cells));
    hr_fail(err, HR_E_SCHEMA, worst->remedy, "%.1f %% of the cells are %s%s", share * (double)worst->cells,
            worst->what, rest);
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, column->name);
}

hr_status hr_data_check_column(const hr_data *data, size_t feature, hr_error *err) {
    const hr_schema *schema = data->schema;
    const char *behind[] = {hr_schema_weight(schema, NULL), hr_schema_exposure(schema, NULL),
                            hr_schema_label(schema)->event};
    const hr_column_report *report = &data->reports[feature];
    if (feature < data->feature_count)
        return check_cells(data, hr_schema_feature(schema, feature), report, err);
    if (feature == data->feature_count) return check_cells(data, hr_schema_label(schema), report, err);
    const hr_column column = {.name = behind[feature - data->feature_count - 1]};
    return column.name ? check_cells(data, &column, report, err) : HR_OK;
}

void hr_data_label_range(const hr_data *data, double *low, double *high) {
    *low = data->whole.rows ? data->whole.label_low : (double)INFINITY;
    *high = data->whole.rows ? data->whole.label_high : -(double)INFINITY;
    for (size_t i = 0; data->labels && i < data->rows; i++) {
        *low = fmin(*low, data->labels[i]);
        *high = fmax(*high, data->labels[i]);
    }
}

hr_status hr_data_check_label(const hr_data *data, hr_error *err) {
    const hr_column *label = hr_schema_label(data->schema);
    double low, high;
    if (!data->labels || hr_data_all_rows(data) < FILL_ROWS || label->kind != HR_KIND_NUMBER || label->event)
        return HR_OK;
    hr_data_label_range(data, &low, &high);
    const double fill = (high - low) / (label->high - label->low);
    if (fill >= LABEL_FILL) return HR_OK;
    hr_fail(
        err, HR_E_SCHEMA,
        label->count
            ? "the noise of the mean count that trees start from is proportional to high, that of the "
              "trees is not: take a narrower bound if public knowledge gives one"
            : "the noise is proportional to high - low: take narrower bounds if public knowledge gives some "
              "('train --plan' shows the noise in the label's unit)",
        "the labels fill %.2g %% of the bounds of the schema", 100 * fill);
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, label->name);
}
