#include "misfit.h"

#include "places.h"

#include <stdio.h>
#include <string.h>

static const double CLIPPED_TOLD = 1; /* % of the labels */

static const double CELLS_TOLD = 1, CELLS_WARNED = 10; /* % of a column */

enum {
    TOLD_MAX = 20,   /* columns; a table that does not fit at all has thousands */
    TEXTS_SHOWN = 10 /* of a column */
};

static void warn_misfit(const misfit_rule *rule, const hr_error *misfit) {
    char text[1200];
    hr_error_format(misfit, text, sizeof text);
    fprintf(stderr, "hedgerow %s: warning: %s\n", rule->command, text);
}

static const char *table_name(const misfit_rule *rule) {
    return strcmp(rule->path, "-") == 0 ? "standard input" : rule->path;
}

static void name_table(const misfit_rule *rule, hr_error *misfit) {
    snprintf(misfit->file, sizeof misfit->file, "%s", table_name(rule));
}

hr_status warn_misfits(const misfit_rule *rule, const hr_data *data, hr_error *err) {
    const size_t features = hr_schema_feature_count(hr_data_schema(data));
    size_t found = 0;
    for (size_t i = 0; i < features; i++) {
        hr_error misfit = {0};
        if (hr_data_check_column(data, i, &misfit) == HR_OK) continue;
        name_table(rule, &misfit);
        if (rule->strict) {
            *err = misfit;
            return misfit.status;
        }
        if (++found <= TOLD_MAX) warn_misfit(rule, &misfit);
    }
    if (found > TOLD_MAX)
        fprintf(stderr,
                "hedgerow %s: warning: %zu more columns do not fit; 'hedgerow schema check' shows all\n",
                rule->command, found - TOLD_MAX);
    return HR_OK;
}

/* Whether it is worth a line. */
static bool report_cells(const misfit_rule *rule, const char *column, double share, const char *what) {
    if (!(share >= CELLS_TOLD)) return false;
    fprintf(stderr, "hedgerow %s: %s%s: field '%s': %.1f %% of the cells are %s\n", rule->command,
            share >= CELLS_WARNED ? "warning: " : "", table_name(rule), column, share, what);
    return true;
}

void report_misfit_cells(const misfit_rule *rule, const hr_data *data) {
    const hr_schema *schema = hr_data_schema(data);
    const double percent = 100 / (double)hr_data_rows(data);
    size_t told = 0;
    for (size_t i = 0; i < hr_schema_feature_count(schema) && told < TOLD_MAX; i++) {
        const hr_column_report *report = hr_data_report(data, i);
        const char *column = hr_schema_feature(schema, i)->name;
        hr_error misfit = {0};
        if (hr_data_check_column(data, i, &misfit) != HR_OK) continue;
        told += report_cells(rule, column, percent * (double)report->unknown,
                             "unknown to the model, and were read as missing");
        told += report_cells(rule, column, percent * (double)report->out_of_range,
                             "outside the model's bounds, and were clipped to the nearest");
    }
}

static hr_status warn_label(const misfit_rule *rule, hr_status status, hr_error *misfit, hr_error *err) {
    if (status == HR_OK) return HR_OK;
    name_table(rule, misfit);
    if (!rule->strict) {
        warn_misfit(rule, misfit);
        return HR_OK;
    }
    *err = *misfit;
    return status;
}

static hr_status check_label_cells(const hr_data *data, hr_error *misfit) {
    return hr_data_check_column(data, hr_schema_feature_count(hr_data_schema(data)), misfit);
}

hr_status warn_label_cells(const misfit_rule *rule, const hr_data *data, hr_error *err) {
    hr_error misfit = {0};
    return warn_label(rule, check_label_cells(data, &misfit), &misfit, err);
}

hr_status warn_wide_label(const misfit_rule *rule, const hr_data *data, hr_error *err) {
    hr_error misfit = {0};
    hr_status status = check_label_cells(data, &misfit);
    if (status == HR_OK) status = hr_data_check_label(data, &misfit);
    return warn_label(rule, status, &misfit, err);
}

void warn_clipped_labels(const misfit_rule *rule, const hr_data *data) {
    const hr_schema *schema = hr_data_schema(data);
    const hr_column_report *report = hr_data_report(data, hr_schema_feature_count(schema));
    const double share = 100 * (double)report->out_of_range / (double)hr_data_rows(data);
    if (!(share > CLIPPED_TOLD)) return;
    fprintf(stderr,
            "hedgerow %s: warning: %s: field '%s': %.1f %% of the labels are outside the model's bounds; the "
            "figures compare with the nearest bound\n",
            rule->command, table_name(rule), hr_schema_label(schema)->name, share);
}

/* ---- Texts ---- */

static const hr_column *column_of(const hr_schema *schema, size_t feature) {
    return feature == hr_schema_feature_count(schema) ? hr_schema_label(schema)
                                                      : hr_schema_feature(schema, feature);
}

static const char *column_name(const hr_schema *schema, size_t feature) {
    const hr_column *column = column_of(schema, feature);
    return column->date != NULL ? column->date->name : column->name;
}

size_t count_refused_columns(const hr_data *data, const hr_misfits *misfits) {
    const hr_schema *schema = hr_data_schema(data);
    const size_t label = hr_schema_feature_count(schema);
    size_t count = 0;
    for (size_t i = 0; i <= label; i++) {
        const bool refused = i == label || column_of(schema, i)->kind == HR_KIND_NUMBER;
        count += refused && hr_misfits_count(misfits, i) > 0;
    }
    return count;
}

/* Cells of the texts that are not shown, and how many texts these are at least. */
static uint64_t hidden_cells(hr_misfits *misfits, size_t feature, size_t *texts) {
    uint64_t all = hr_misfits_rest(misfits, feature), cells;
    *texts = all > 0;
    for (size_t i = TEXTS_SHOWN; i < hr_misfits_count(misfits, feature); i++, ++*texts) {
        (void)hr_misfits_text(misfits, feature, i, &cells);
        all += cells;
    }
    return all;
}

static void print_column_texts(const char *name, hr_misfits *misfits, size_t feature, int width) {
    const size_t count = hr_misfits_count(misfits, feature),
                 shown = count < TEXTS_SHOWN ? count : TEXTS_SHOWN;
    size_t more;
    uint64_t cells;
    for (size_t k = 0; k < shown; k++) {
        const char *text = hr_misfits_text(misfits, feature, k, &cells);
        print_padded(stdout, name, width);
        printf("  %10llu  %s\n", (unsigned long long)cells, *text != '\0' ? text : "(empty)");
    }
    const uint64_t hidden = hidden_cells(misfits, feature, &more);
    if (more == 0) return;
    print_padded(stdout, name, width);
    printf("  %10llu  (%s%zu more texts)\n", (unsigned long long)hidden,
           hr_misfits_rest(misfits, feature) > 0 ? "at least " : "", more);
}

void print_misfit_texts(const hr_data *data, hr_misfits *misfits) {
    const hr_schema *schema = hr_data_schema(data);
    const size_t label = hr_schema_feature_count(schema);
    int width = text_width("column");
    bool any = false;
    for (size_t i = 0; i <= label; i++) {
        if (hr_misfits_count(misfits, i) == 0) continue;
        const int wide = text_width(column_name(schema, i));
        width = wide > width ? wide : width;
        any = true;
    }
    if (!any) return;
    printf("\ncells that do not fit (" EXACT_ROWS "):\n\n");
    print_padded(stdout, "column", width);
    printf("  %10s  text\n", "cells");
    print_column_texts(column_name(schema, label), misfits, label, width);
    for (size_t i = 0; i < label; i++) print_column_texts(column_name(schema, i), misfits, i, width);
}

void json_misfit_texts(json_writer *json, hr_misfits *misfits, size_t feature) {
    const size_t count = hr_misfits_count(misfits, feature);
    size_t more;
    uint64_t cells;
    json_open(json, "misfits", '[');
    for (size_t k = 0; k < count && k < TEXTS_SHOWN; k++) {
        const char *text = hr_misfits_text(misfits, feature, k, &cells);
        json_open(json, NULL, '{');
        json_text(json, "text", text);
        json_integer(json, "cells", cells);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_integer(json, "misfits_more", hidden_cells(misfits, feature, &more));
}
