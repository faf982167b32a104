/* hedgerow schema check: what training would make of a table. */
#include "check.h"
#include "commands.h"
#include "input.h"
#include "misfit.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

typedef struct check_args {
    const char *schema;
    table_args table;
    bool as_json;
} check_args;

static const arg_option check_options[] = {
    {"data", 0, ARG_LIST, true, offsetof(check_args, table.data), "FILE",
     "the table to check; - is standard input; may be repeated"},
    {"schema", 0, ARG_TEXT, true, offsetof(check_args, schema), "FILE", "the schema to check it against"},
    {"json", 0, ARG_FLAG, false, offsetof(check_args, as_json), NULL, "one JSON object"},
    TABLE_OPTIONS(check_args),
    EQUAL_OPTION(check_args),
    SKIP_OPTION(check_args),
};

static const char *kind_text(const hr_column *column) {
    if (column->event != NULL) return "time";
    if (column->boolean) return "boolean";
    if (column->kind == HR_KIND_CATEGORY) return "category";
    return column->count ? "count" : column->integer ? "integer" : "number";
}

/* Rows of text cells, printed as wide as their widest cells. */
enum { CELLS = 8, CELL_SIZE = 128 };
typedef char table_row[CELLS][CELL_SIZE];

static void set_count(char *cell, uint64_t count) {
    snprintf(cell, CELL_SIZE, "%llu", (unsigned long long)count);
}

static void fill_row(table_row row, const hr_column *column, const hr_column_report *report) {
    char low[HR_NUMBER_TEXT], high[HR_NUMBER_TEXT];
    snprintf(row[0], CELL_SIZE, "%s", column->name);
    snprintf(row[1], CELL_SIZE, "%s", kind_text(column));
    if (column->kind == HR_KIND_CATEGORY) {
        snprintf(row[2], CELL_SIZE, "%zu values", column->value_count);
    } else if (column->event != NULL) {
        hr_number_text(column->intervals[column->interval_count - 1], high);
        snprintf(row[2], CELL_SIZE, "%zu %s to %s", column->interval_count,
                 column->quantile_cuts ? "quantiles" : "cuts", high);
    } else {
        hr_number_text(column->low, low);
        hr_number_text(column->high, high);
        snprintf(row[2], CELL_SIZE, "%s..%s", low, high);
    }
    set_count(row[3], report->missing);
    set_count(row[4], report->out_of_range);
    set_count(row[5], report->unknown);
    set_count(row[6], report->not_integer);
    snprintf(row[7], CELL_SIZE, "%s", column->review ? "REVIEW" : "");
}

static void print_table(const table_row *rows, size_t count) {
    int width[CELLS] = {0};
    for (size_t r = 0; r < count; r++) {
        for (size_t c = 0; c < CELLS; c++) {
            const int wide = text_width(rows[r][c]);
            if (wide > width[c]) width[c] = wide;
        }
    }
    for (size_t r = 0; r < count; r++) {
        size_t last = CELLS;
        while (rows[r][last - 1][0] == '\0') last--;
        for (size_t c = 0; c < last; c++) {
            const bool is_count = c >= 3 && c <= 6;
            if (c > 0) fputs("  ", stdout);
            print_padded(stdout, rows[r][c], is_count ? -width[c] : c + 1 < last ? width[c] : 0);
        }
        putchar('\n');
    }
}

hr_status print_check(const hr_data *data, hr_error *err) {
    static const char *const titles[CELLS] = {"column",       "kind",    "bounds",    "missing",
                                              "out of range", "unknown", "not whole", ""};
    const hr_schema *schema = hr_data_schema(data);
    const size_t features = hr_schema_feature_count(schema);
    table_row *rows = calloc(features + 2, sizeof *rows);
    if (rows == NULL) return fail_memory(err);
    for (size_t c = 0; c < CELLS; c++) snprintf(rows[0][c], CELL_SIZE, "%s", titles[c]);
    fill_row(rows[1], hr_schema_label(schema), hr_data_report(data, features));
    for (size_t f = 0; f < features; f++)
        fill_row(rows[f + 2], hr_schema_feature(schema, f), hr_data_report(data, f));
    printf("rows: %zu (" EXACT_ROWS "); features: %zu; other columns, ignored: %zu\n\n", hr_data_rows(data),
           features, hr_data_extra_columns(data));
    print_table((const table_row *)rows, features + 2);
    free(rows);
    return HR_OK;
}

/* ---- JSON ---- */

static void print_intervals_json(json_writer *json, const hr_column *label) {
    if (label->quantile_cuts) {
        json_open(json, "intervals", '{');
        json_integer(json, "quantiles", label->interval_count);
        json_number(json, "high", label->intervals[label->interval_count - 1]);
        json_close(json, '}');
        return;
    }
    json_open(json, "intervals", '[');
    for (size_t k = 0; k < label->interval_count; k++) json_number(json, NULL, label->intervals[k]);
    json_close(json, ']');
}

static void json_column(json_writer *json, const char *name, const hr_data *data, size_t feature,
                        hr_misfits *misfits) {
    const hr_schema *schema = hr_data_schema(data);
    const bool is_label = feature == hr_schema_feature_count(schema);
    const hr_column *column = is_label ? hr_schema_label(schema) : hr_schema_feature(schema, feature);
    const hr_column_report *report = hr_data_report(data, feature);
    json_open(json, name, '{');
    json_text(json, "name", column->name);
    json_text(json, "kind", kind_text(column));
    if (column->kind == HR_KIND_CATEGORY) {
        json_integer(json, "values", column->value_count);
    } else if (column->event != NULL) {
        json_text(json, "event", column->event);
        print_intervals_json(json, column);
    } else {
        json_number(json, "low", column->low);
        json_number(json, "high", column->high);
    }
    json_integer(json, "missing", report->missing);
    json_integer(json, "out_of_range", report->out_of_range);
    json_integer(json, "unknown", report->unknown);
    json_integer(json, "not_whole", report->not_integer);
    json_flag(json, "review", column->review);
    json_misfit_texts(json, misfits, feature);
    json_close(json, '}');
}

/* Of the weight or the exposure. behind: how far behind the label its misfits are. */
static void json_part(json_writer *json, const char *name, const hr_data *data, size_t behind,
                      hr_misfits *misfits) {
    const hr_schema *schema = hr_data_schema(data);
    double high;
    const char *column = (behind == 1 ? hr_schema_weight : hr_schema_exposure)(schema, &high);
    if (column == NULL) return;
    json_open(json, name, '{');
    json_text(json, "name", column);
    json_number(json, "high", high);
    json_misfit_texts(json, misfits, hr_schema_feature_count(schema) + behind);
    json_close(json, '}');
}

static void json_event(json_writer *json, const hr_data *data, hr_misfits *misfits) {
    const char *event = hr_schema_label(hr_data_schema(data))->event;
    if (event == NULL) return;
    json_open(json, "event", '{');
    json_text(json, "name", event);
    json_misfit_texts(json, misfits, hr_schema_feature_count(hr_data_schema(data)) + 3);
    json_close(json, '}');
}

static void print_check_json(const hr_data *data, hr_misfits *misfits) {
    const hr_schema *schema = hr_data_schema(data);
    const size_t features = hr_schema_feature_count(schema);
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_exact_rows(&json, "", hr_data_rows(data));
    json_integer(&json, "columns_ignored", hr_data_extra_columns(data));
    json_column(&json, "label", data, features, misfits);
    json_open(&json, "features", '[');
    for (size_t f = 0; f < features; f++) json_column(&json, NULL, data, f, misfits);
    json_close(&json, ']');
    json_part(&json, "weight", data, 1, misfits);
    json_part(&json, "exposure", data, 2, misfits);
    json_event(&json, data, misfits);
    json_close(&json, '}');
    putchar('\n');
}

/* What training will say of the schema. */
static void warn_review(const command *self, const hr_schema *schema) {
    hr_error err = {0};
    char text[1200];
    if (hr_schema_public(schema, &err) == HR_OK) return;
    hr_error_format(&err, text, sizeof text);
    fprintf(stderr, "hedgerow %s: note: %s\n", self->name, text);
}

static int judge_label(const command *self, const hr_data *data) {
    const hr_schema *schema = hr_data_schema(data);
    const hr_column_report *label = hr_data_report(data, hr_schema_feature_count(schema));
    if (label->missing == 0 && label->unknown == 0 && label->out_of_range == 0) return EXIT_DONE;
    fprintf(stderr,
            "hedgerow %s: the label '%s' is missing, unknown or out of range in %llu rows; correct the rows "
            "or the schema\n",
            self->name, hr_schema_label(schema)->name,
            (unsigned long long)(label->missing + label->unknown + label->out_of_range));
    return EXIT_FAILED;
}

/* Says what training would refuse first. */
static int judge_cells(const command *self, const hr_data *data, const hr_misfits *misfits) {
    const size_t count = count_refused_columns(data, misfits);
    hr_error err = {0};
    if (hr_misfits_first(misfits, &err) == HR_OK) return judge_label(self, data);
    const int code = report_error(self->name, &err);
    fprintf(stderr, "hedgerow %s: training refuses cells of %zu column%s; all are listed above\n", self->name,
            count, count == 1 ? "" : "s");
    return code;
}

static hr_status read_checked(const hr_schema *schema, const table_args *table, hr_misfits *misfits,
                              hr_data **out, hr_error *err) {
    hr_read_options options = input_table_options(table);
    if (misfits == NULL) return fail_memory(err);
    options.misfits = misfits;
    return hr_data_read_all(schema, (const char *const *)table->data.items, table->data.count, &options, out,
                            err);
}

static int run_check(const command *self, int argc, char **argv) {
    check_args args = {0};
    if (!args_parse(self, argc, argv, &args) || !input_table_usable(self, &args.table, args.schema))
        return EXIT_USAGE;
    hr_error err = {0};
    hr_schema *schema = NULL;
    hr_data *data = NULL;
    hr_misfits *misfits = hr_misfits_new();
    int code = EXIT_DONE;
    if (input_schema(args.schema, &schema, &err) != HR_OK ||
        input_drop(&schema, &args.table, &err) != HR_OK ||
        read_checked(schema, &args.table, misfits, &data, &err) != HR_OK) {
        code = report_error(self->name, &err);
        goto out;
    }
    input_warn_skipped(self, data);
    if (args.as_json) {
        print_check_json(data, misfits);
        code = judge_cells(self, data, misfits);
    } else {
        if (print_check(data, &err) == HR_OK) {
            print_misfit_texts(data, misfits);
            code = judge_cells(self, data, misfits);
        } else {
            code = report_error(self->name, &err);
        }
    }
    misfit_rule rule = {self->name, input_table_name(&args.table), false, false, 0};
    if (print_remarks(&rule, HR_REMARKS_TRAIN, data, &err) != HR_OK) code = report_error(self->name, &err);
    warn_review(self, schema);
out:
    hr_data_free(data);
    hr_misfits_free(misfits);
    hr_schema_free(schema);
    return code;
}

const command schema_check_command = {
    .name = "schema check",
    .summary = "compare a table with its schema",
    .details = "Prints the label, then the features: what is missing, outside the bounds (it would be "
               "clipped), unknown (read as missing) or not whole; then the texts of all cells that do not "
               "fit, the ten most frequent ones of each column. The counts are private: for the owner "
               "only. Fails if a label is not usable, or a cell is no number or date where one must be.",
    .example = "  hedgerow schema check --data train.csv --schema schema.yaml",
    .options = check_options,
    .option_count = COUNT_OF(check_options),
    .run = run_check,
};
