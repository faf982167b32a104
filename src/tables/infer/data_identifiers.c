#include "tables/infer/data_identifiers.h"

#include "base/fail.h"
#include "tables/data/records.h"
#include "tables/infer/judge_units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 20000,
    CELLS_MAX = 4000000,
    CANDIDATE_CELLS_MAX = 400000, /* that are looked at as texts */
    ROWS_MIN = 1000,
    BLOCK = 1024,   /* records */
    GROUP_MAX = 40, /* records of a value on average: above, the values are no identifiers */
    NUMBER_TEXT = 32
};

/* The first records of a table. */
typedef struct first_records {
    const hr_data *data;
    size_t rows, features;
    hr_arena *arena;
    hr_inference *columns; /* one a feature */
} first_records;

/* A block of numbers; codes become numbers, too. Missing is NaN. */
static const double *block_of(const hr_data *data, size_t f, size_t begin, size_t count, double *buffer) {
    uint16_t codes[BLOCK];
    if (hr_schema_feature(data->schema, f)->kind == HR_KIND_NUMBER)
        return hr_data_number_block(data, f, begin, count, buffer);
    const uint16_t *at = hr_data_code_block(data, f, begin, count, codes);
    for (size_t i = 0; i < count; i++) buffer[i] = at[i] == HR_CODE_MISSING ? (double)NAN : at[i];
    return buffer;
}

static size_t block_size(const first_records *r, size_t begin) {
    return r->rows - begin < BLOCK ? r->rows - begin : BLOCK;
}

/* Whether a feature can be an identifier at all: numbers without fractions or categories, with many values,
 * or with the name of one. Rules out nearly all columns at little cost. */
static bool is_candidate(const first_records *r, size_t f) {
    const hr_name_meaning meaning = r->columns[f].meaning;
    double buffer[BLOCK];
    hr_distinct distinct = {0};
    size_t known = 0;
    if (hr_schema_feature(r->data->schema, f)->date) return false;
    for (size_t begin = 0; begin < r->rows; begin += BLOCK) {
        const size_t count = block_size(r, begin);
        const double *values = block_of(r->data, f, begin, count, buffer);
        for (size_t i = 0; i < count; i++) {
            if (isnan(values[i])) continue;
            if (hr_is_fraction(values[i])) return false;
            hr_distinct_add(&distinct, (const char *)&values[i], sizeof values[i]);
            known++;
        }
    }
    if (meaning != HR_NAME_PLAIN && meaning != HR_NAME_SHARED) return known > 0;
    const double values = hr_distinct_count(&distinct);
    return values > HR_INFERENCE_VALUES && (double)known <= GROUP_MAX * values;
}

/* Gathers the cells of a candidate as a file has them. */
static bool add_cells(const first_records *r, size_t f) {
    const hr_column *column = hr_schema_feature(r->data->schema, f);
    double buffer[BLOCK];
    char number[NUMBER_TEXT];
    bool added = true;
    for (size_t begin = 0; added && begin < r->rows; begin += BLOCK) {
        const size_t count = block_size(r, begin);
        const double *values = block_of(r->data, f, begin, count, buffer);
        for (size_t i = 0; added && i < count; i++) {
            const char *text = number;
            if (isnan(values[i]))
                text = "";
            else if (column->kind == HR_KIND_CATEGORY)
                text = column->values[(size_t)values[i] - 1];
            else
                snprintf(number, sizeof number, fabs(values[i]) < 1e18 ? "%.0f" : "%.17g", values[i]);
            added = hr_inference_add(&r->columns[f], r->arena, text, strlen(text));
        }
    }
    return added;
}

/* Takes all cells of the records into the sample; the label is its last column. */
static bool add_sample(const first_records *r, hr_row_sample *sample) {
    double buffer[BLOCK];
    if (!hr_row_sample_reserve(sample, r->rows)) return false;
    for (size_t begin = 0; begin < sample->rows; begin += BLOCK) {
        const size_t left = sample->rows - begin, count = left < BLOCK ? left : BLOCK;
        for (size_t f = 0; f <= r->features; f++) {
            const double *values = r->data->labels ? r->data->labels + begin : NULL;
            if (f < r->features) values = block_of(r->data, f, begin, count, buffer);
            for (size_t i = 0; values && i < count; i++)
                if (!isnan(values[i]))
                    hr_row_sample_set(sample, begin + i, f,
                                      hr_text_hash((const char *)&values[i], sizeof values[i]));
        }
    }
    return true;
}

/* Finds the features that can be no identifiers, and takes fewer records if the others are many. Returns how
 * many others there are. */
static size_t rule_out(first_records *r, bool *out) {
    size_t left = 0;
    for (size_t f = 0; f < r->features; f++) left += !(out[f] = !is_candidate(r, f));
    const size_t share = left ? CANDIDATE_CELLS_MAX / left : r->rows,
                 most = share > ROWS_MIN ? share : ROWS_MIN;
    if (r->rows > most) r->rows = most;
    return left;
}

static hr_status judge(first_records *r, hr_identifier *out, hr_error *err) {
    bool *dropped = calloc(r->features, sizeof *dropped);
    hr_inferences all = {.dropped = dropped, .count = r->features, .label = r->features};
    hr_status status = HR_OK;
    all.sample.columns = r->features + 1;
    all.columns = malloc(r->features * sizeof *all.columns);
    bool added = dropped && all.columns;
    if (added && rule_out(r, dropped)) {
        all.rows = r->rows;
        const hr_arena_mark mark = hr_arena_get_mark(r->arena);
        for (size_t f = 0; added && f < r->features; f++) {
            all.columns[f] = &r->columns[f];
            added = dropped[f] || add_cells(r, f);
            hr_inference_judge(&r->columns[f], false);
            hr_inference_drop_texts(&r->columns[f]);
            hr_arena_rewind(r->arena, mark);
        }
        added = added && add_sample(r, &all.sample);
        if (added) status = hr_inferences_judge_units(&all, err);
    }
    if (!added) status = hr_fail_memory(err);
    for (size_t f = 0; !status && f < r->features; f++)
        out[f] = (hr_identifier){r->columns[f].identity, r->columns[f].is_unit};
    hr_row_sample_done(&all.sample);
    free(all.columns);
    free(dropped);
    return status;
}

hr_status hr_data_identifiers(const hr_data *data, hr_identifier *out, hr_error *err) {
    first_records r = {.data = data, .rows = data->rows, .features = data->feature_count};
    for (size_t f = 0; f < r.features; f++) out[f] = (hr_identifier){0};
    if (data->cells || !r.features) return HR_OK;
    if (r.rows > ROWS_MAX) r.rows = ROWS_MAX;
    if (r.rows > CELLS_MAX / (r.features + 1)) r.rows = CELLS_MAX / (r.features + 1);
    r.arena = hr_arena_new();
    r.columns = calloc(r.features, sizeof *r.columns);
    const bool ready = r.arena && r.columns;
    for (size_t f = 0; ready && f < r.features; f++)
        hr_inference_init(&r.columns[f], hr_schema_feature(data->schema, f)->name);
    const hr_status status = ready ? judge(&r, out, err) : hr_fail_memory(err);
    for (size_t f = 0; ready && f < r.features; f++) hr_inference_done(&r.columns[f]);
    free(r.columns);
    hr_arena_free(r.arena);
    return status;
}
