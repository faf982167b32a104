/* What the owner of a table should know before it is used, the same for every caller: one function for
 * each kind of trouble. What is found goes to the caller's function and nowhere else. */
#include "base/fail.h"
#include "tables/data/records.h"
#include "tables/infer/data_identifiers.h"
#include "tables/schema/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PREDICTED_MIN = 10, /* records: shares of fewer mean nothing */
    LISTED_MIN = 20     /* values: shorter lists are seldom names */
};
static const double PART_NOTED = 1, PART_WARNED = 10; /* % of a column */
static const double LABELS_CLIPPED = 1;               /* % */
static const double LIST_USED = .9, LIST_REPEATS = 2; /* values that occur; records of each of these */

typedef struct remark_run {
    const hr_data *data;
    const hr_schema *schema;
    size_t features;
    const hr_remark_options *options;
    hr_error *err;
} remark_run;

/* Hands a remark out. Fails with it if it is refused. */
static hr_status make(const remark_run *r, hr_remark_kind kind, hr_remark_level level, hr_error *what) {
    const bool of_schema = kind == HR_REMARK_MARKS || kind == HR_REMARK_UNIT;
    if (r->options->name && !of_schema) snprintf(what->file, sizeof what->file, "%s", r->options->name);
    const hr_remark remark = {kind, level, *what};
    if (r->options->take(r->options->user, &remark)) return HR_OK;
    if (r->err) *r->err = *what;
    return what->status;
}

static hr_status remark_column(const remark_run *r, size_t column, bool *fits) {
    hr_error what = {0};
    *fits = hr_data_check_column(r->data, column, &what) == HR_OK;
    return *fits ? HR_OK : make(r, HR_REMARK_CELLS, HR_REMARK_FAULT, &what);
}

static hr_status remark_cells(const remark_run *r) {
    hr_status status = HR_OK;
    bool fits;
    for (size_t f = 0; !status && f < r->features; f++) status = remark_column(r, f, &fits);
    return status;
}

static hr_status remark_label(const remark_run *r) {
    const char *name = hr_schema_label(r->schema)->name;
    hr_error what = {0};
    bool fits, wide = false;
    hr_status status = remark_column(r, r->features, &fits);
    for (size_t i = 1; !status && i <= HR_BEHIND_LABEL; i++) {
        bool behind;
        status = remark_column(r, r->features + i, &behind);
    }
    for (size_t i = 0; i < r->options->wide_count; i++) wide |= strcmp(r->options->wide[i], name) == 0;
    if (status || !fits || wide || hr_data_check_label(r->data, &what) == HR_OK) return status;
    return make(r, HR_REMARK_BOUNDS, HR_REMARK_FAULT, &what);
}

static hr_status remark_clipped_labels(const remark_run *r) {
    const uint64_t cells = hr_data_report(r->data, r->features)->out_of_range;
    const double share = 100 * (double)cells / (double)hr_data_all_rows(r->data);
    hr_error what = {0};
    if (!(share > LABELS_CLIPPED)) return HR_OK;
    hr_fail(&what, HR_E_SCHEMA, "the figures compare with the nearest bound",
            "%.1f %% of the labels are outside the model's bounds", share);
    (void)hr_fail_at(&what, HR_E_SCHEMA, NULL, 0, 0, hr_schema_label(r->schema)->name);
    return make(r, HR_REMARK_PART, HR_REMARK_WARNING, &what);
}

static hr_status remark_part(const remark_run *r, size_t f, uint64_t cells, const char *became) {
    const double share = 100 * (double)cells / (double)hr_data_all_rows(r->data);
    hr_error what = {0};
    if (!(share >= PART_NOTED)) return HR_OK;
    hr_fail(&what, HR_E_SCHEMA, "", "%.1f %% of the cells are %s", share, became);
    (void)hr_fail_at(&what, HR_E_SCHEMA, NULL, 0, 0, hr_schema_feature(r->schema, f)->name);
    return make(r, HR_REMARK_PART, share >= PART_WARNED ? HR_REMARK_WARNING : HR_REMARK_NOTE, &what);
}

/* Of columns that fit for the most part. */
static hr_status remark_parts(const remark_run *r) {
    hr_status status = HR_OK;
    hr_error unused;
    for (size_t f = 0; !status && f < r->features; f++) {
        const hr_column_report *report = hr_data_report(r->data, f);
        if (hr_data_check_column(r->data, f, &unused) != HR_OK) continue;
        status = remark_part(r, f, report->unknown, "unknown to the model, and were read as missing");
        if (!status)
            status = remark_part(r, f, report->out_of_range,
                                 "outside the model's bounds, and were clipped to the nearest");
    }
    return status;
}

static hr_status remark_schema(const remark_run *r) {
    hr_error marks = {0}, what = {0};
    if (!r->options->is_private || hr_schema_reviewed(r->schema, NULL) != HR_OK) return HR_OK;
    if (hr_schema_public(r->schema, &marks) != HR_OK) {
        hr_fail(&what, HR_E_POLICY, "", "the model will be NOT PRIVATE: %s", marks.message);
        return make(r, HR_REMARK_MARKS, HR_REMARK_FAULT, &what);
    }
    if (hr_schema_decides_unit(r->schema, &what) == HR_OK) return HR_OK;
    return make(r, HR_REMARK_UNIT, HR_REMARK_FAULT, &what);
}

static hr_status remark_identifier(const remark_run *r, size_t f, const hr_identifier *found) {
    const bool unit = found->is_unit && !hr_schema_unit(r->schema);
    hr_error what = {0};
    if (unit)
        hr_fail(
            &what, HR_E_POLICY,
            "if it names the person of each record, make it the unit ('unit: COLUMN' in the schema, unit= in "
            "Python); else leave it out",
            "%s, and the schema has no unit", found->why);
    else
        hr_fail(&what, HR_E_POLICY, "leave the column out: its values are those of single records", "%s",
                found->why);
    (void)hr_fail_at(&what, HR_E_POLICY, NULL, 0, 0, hr_schema_feature(r->schema, f)->name);
    return make(r, HR_REMARK_IDENTIFIER, HR_REMARK_FAULT, &what);
}

static hr_status remark_identifiers(const remark_run *r) {
    hr_identifier *found = malloc((r->features + 1) * sizeof *found);
    hr_status status = found ? hr_data_identifiers(r->data, found, r->err) : hr_fail_memory(r->err);
    for (size_t f = 0; !status && f < r->features; f++)
        if (found[f].why) status = remark_identifier(r, f, &found[f]);
    free(found);
    return status;
}

/* How many values of a category occur, and in how many records. */
static hr_status count_values(const remark_run *r, size_t f, size_t *values, size_t *records) {
    enum { BLOCK = 1024 };
    uint16_t buffer[BLOCK];
    bool *met = calloc(hr_schema_feature(r->schema, f)->value_count + 1, sizeof *met);
    *values = *records = 0;
    if (!met) return hr_fail_memory(r->err);
    for (size_t begin = 0; begin < r->data->rows; begin += BLOCK) {
        const size_t rest = r->data->rows - begin, count = rest < BLOCK ? rest : BLOCK;
        const uint16_t *codes = hr_data_code_block(r->data, f, begin, count, buffer);
        for (size_t i = 0; i < count; i++) {
            if (codes[i] == HR_CODE_MISSING) continue;
            ++*records;
            *values += !met[codes[i]];
            met[codes[i]] = true;
        }
    }
    free(met);
    return HR_OK;
}

/* Nearly all of a long list occurs, and hardly a value twice: so are names of persons, and no code book. Not
 * looked for in lists that a person has vouched for, by their source or for the whole file. */
static hr_status remark_lists(const remark_run *r) {
    const bool vouched_for = r->data->cells || hr_schema_parts_of(r->schema)->reviewed == HR_REVIEW_DONE;
    hr_status status = HR_OK;
    for (size_t f = 0; !status && f < r->features && !vouched_for; f++) {
        const hr_column *column = hr_schema_feature(r->schema, f);
        size_t values, records;
        hr_error what = {0};
        if (column->value_count < LISTED_MIN || column->source) continue;
        status = count_values(r, f, &values, &records);
        if (status || (double)values < LIST_USED * (double)column->value_count ||
            (double)records > LIST_REPEATS * (double)values)
            continue;
        hr_fail(&what, HR_E_POLICY,
                "leave the column out, or merge its values into public ones: the model publishes the list",
                "the list has %zu values for %zu records, and %zu occur: so are names of persons",
                column->value_count, records, values);
        (void)hr_fail_at(&what, HR_E_POLICY, NULL, 0, 0, column->name);
        status = make(r, HR_REMARK_LIST, HR_REMARK_FAULT, &what);
    }
    return status;
}

enum {
    TRAIN = 1 << HR_REMARKS_TRAIN,
    PREDICT = 1 << HR_REMARKS_PREDICT,
    EVALUATE = 1 << HR_REMARKS_EVALUATE
};

static const struct remark_check {
    unsigned uses;
    hr_status (*check)(const remark_run *);
} checks[] = {{TRAIN | PREDICT | EVALUATE, remark_cells},
              {PREDICT, remark_parts},
              {EVALUATE, remark_clipped_labels},
              {TRAIN, remark_label},
              {TRAIN, remark_schema},
              {TRAIN, remark_identifiers},
              {TRAIN, remark_lists}};

hr_status hr_data_remarks(const hr_data *data, const hr_remark_options *options, hr_error *err) {
    static const hr_sized kind = {sizeof(hr_remark_options), sizeof(size_t),
                                  "begin with HR_REMARK_OPTIONS_INIT"};
    hr_remark_options taken = HR_REMARK_OPTIONS_INIT;
    hr_status status = hr_sized_take(&kind, options, &taken, err);
    if (status || !taken.take) return status;
    const remark_run run = {data, hr_data_schema(data), data->feature_count, &taken, err};
    const size_t rows = hr_data_all_rows(data);
    if (!rows || (taken.use == HR_REMARKS_PREDICT && rows < PREDICTED_MIN)) return HR_OK;
    for (size_t i = 0; !status && i < sizeof checks / sizeof *checks; i++)
        if (checks[i].uses & 1u << taken.use) status = checks[i].check(&run);
    return status;
}

hr_status hr_tables_remarks(const hr_data *const *tables, const char *const *names, size_t count,
                            const hr_remark_options *options, hr_error *err) {
    char owner[40];
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < count; i++) {
        hr_remark_options named = *options;
        snprintf(owner, sizeof owner, "owner %zu", i + 1);
        named.name = names ? names[i] : owner;
        named.is_private &= i == 0; /* of the schema, which they share, once */
        status = hr_data_remarks(tables[i], &named, err);
    }
    return status;
}
