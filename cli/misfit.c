#include "misfit.h"

#include "places.h"

#include <stdio.h>
#include <string.h>

enum {
    COLUMNS_SHOWN = 20, /* a table that does not fit at all has thousands */
    TEXTS_SHOWN = 10    /* of a column */
};

static const char *table_name(const misfit_rule *rule) {
    return strcmp(rule->path, "-") == 0 ? "standard input" : rule->path;
}

bool print_remark(misfit_rule *rule, const hr_remark *remark) {
    const bool of_table = remark->kind != HR_REMARK_MARKS && remark->kind != HR_REMARK_UNIT &&
                          remark->kind != HR_REMARK_INTERVAL,
               is_named = !of_table || rule->path == NULL;
    char text[1200];
    if (rule->strict && remark->level == HR_REMARK_FAULT) {
        rule->refused = !is_named;
        return false;
    }
    if (remark->kind == HR_REMARK_CELLS && ++rule->columns > COLUMNS_SHOWN) return true;
    hr_error_format(&remark->what, text, sizeof text);
    fprintf(stderr, "hedgerow %s: %s%s%s%s\n", rule->command,
            remark->level == HR_REMARK_NOTE ? "" : "warning: ", is_named ? "" : table_name(rule),
            is_named ? "" : ": ", text);
    return true;
}

void end_remarks(const misfit_rule *rule, hr_error *err) {
    if (rule->refused && *err->field != '\0' && *err->file == '\0')
        snprintf(err->file, sizeof err->file, "%s", table_name(rule));
    if (rule->columns > COLUMNS_SHOWN)
        fprintf(stderr,
                "hedgerow %s: warning: %zu more columns do not fit; 'hedgerow schema check' shows all\n",
                rule->command, rule->columns - COLUMNS_SHOWN);
}

static bool print_remark_of(void *rule, const hr_remark *remark) {
    return print_remark(rule, remark);
}

hr_status print_remarks(misfit_rule *rule, hr_remark_use use, const hr_data *data, hr_error *err) {
    hr_remark_options options = HR_REMARK_OPTIONS_INIT;
    options.use = use;
    options.take = print_remark_of;
    options.user = rule;
    const hr_status status = hr_data_remarks(data, &options, err);
    end_remarks(rule, err);
    return status;
}

/* ---- Texts ---- */

static const hr_column *column_of(const hr_schema *schema, size_t feature) {
    return feature == hr_schema_feature_count(schema) ? hr_schema_label(schema)
                                                      : hr_schema_feature(schema, feature);
}

/* Of a feature, the label behind them, and behind it the weight, the exposure and the event. */
enum { BEHIND_LABEL = 3 };
static const char *column_name(const hr_schema *schema, size_t feature) {
    const size_t label = hr_schema_feature_count(schema);
    if (feature == label + 1) return hr_schema_weight(schema, NULL);
    if (feature == label + 2) return hr_schema_exposure(schema, NULL);
    if (feature == label + 3) return hr_schema_label(schema)->event;
    const hr_column *column = column_of(schema, feature);
    return column->date != NULL ? column->date->name : column->name;
}

size_t count_refused_columns(const hr_data *data, const hr_misfits *misfits) {
    const hr_schema *schema = hr_data_schema(data);
    const size_t label = hr_schema_feature_count(schema);
    size_t count = 0;
    for (size_t i = 0; i <= label + BEHIND_LABEL; i++) {
        const bool refused = i >= label || column_of(schema, i)->kind == HR_KIND_NUMBER;
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
    for (size_t i = 0; i <= label + BEHIND_LABEL; i++) {
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
    for (size_t i = 0; i <= label + BEHIND_LABEL; i++)
        if (i != label && hr_misfits_count(misfits, i) > 0)
            print_column_texts(column_name(schema, i), misfits, i, width);
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
