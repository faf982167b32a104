/* The library reads data from standard input by itself; schemas and models it takes from memory. */
#include "input.h"

#include "output.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MOST = 256 };

static const char input_name[] = "standard input";

static bool is_standard(const char *path) {
    return path != NULL && strcmp(path, "-") == 0;
}

/* Reads standard input to its end. Owner: the caller frees *bytes. */
static hr_status slurp(char **bytes, size_t *size, hr_error *err) {
    char *text = NULL;
    size_t used = 0, capacity = 0, got;
    do {
        if (capacity - used < 65536) {
            capacity = capacity * 2 + 65536;
            char *larger = realloc(text, capacity);
            if (larger == NULL) {
                free(text);
                return fail_io(err, input_name, "cannot be read",
                               "name a file, or - with a table on standard input");
            }
            text = larger;
        }
        got = fread(text + used, 1, capacity - used, stdin);
        used += got;
    } while (got > 0);
    if (ferror(stdin)) {
        free(text);
        return fail_io(err, input_name, "cannot be read", "name a file, or - with a table on standard input");
    }
    *bytes = text;
    *size = used;
    return HR_OK;
}

hr_status input_schema(const char *path, hr_schema **out, hr_error *err) {
    if (!is_standard(path)) return hr_schema_read(path, out, err);
    char *bytes = NULL;
    size_t size = 0;
    hr_status status = slurp(&bytes, &size, err);
    if (status == HR_OK) status = hr_schema_parse(bytes, size, input_name, out, err);
    free(bytes);
    return status;
}

hr_status input_model(const char *path, hr_model **out, hr_error *err) {
    if (!is_standard(path)) return hr_model_read(path, out, err);
    char *bytes = NULL;
    size_t size = 0;
    hr_status status = slurp(&bytes, &size, err);
    if (status == HR_OK) status = hr_model_parse(bytes, size, input_name, out, err);
    free(bytes);
    return status;
}

hr_status input_predictor(const char *path, hr_timings *timings, hr_model **out, hr_error *err) {
    hr_timings_enter(timings, HR_PHASE_MODEL);
    const hr_status status = input_model(path, out, err);
    hr_timings_leave(timings);
    if (status != HR_OK || hr_model_statistic(*out, 0) == NULL) return status;
    fail_argument(err, "these are statistics of columns, and predict nothing",
                  "see it with 'show', or train a model");
    snprintf(err->file, sizeof err->file, "%s", is_standard(path) ? input_name : path);
    return HR_E_ARGUMENT;
}

hr_status input_data(const hr_schema *schema, const char *path, size_t format, bool label_optional,
                     hr_data **out, hr_error *err) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.format = (hr_format)format;
    options.label_optional = label_optional;
    if (is_standard(path)) options.name = input_name;
    return hr_data_read(schema, path, &options, out, err);
}

hr_read_options input_table_options(const table_args *table) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.format = (hr_format)table->format;
    options.separator = (hr_separator)table->separator;
    options.quote = (hr_quote)table->quote;
    options.skip_lines = (uint32_t)table->skip_lines.value;
    options.skip_unlabelled = table->skip_unlabelled;
    options.allow_equal_files = table->allow_equal;
    options.query = table->query;
    options.threads = (int)table->threads.value;
    options.drop = (const char *const *)table->drop.items;
    options.drop_count = table->drop.count;
    options.timings = table->timings;
    if (table->data.count == 1 && is_standard(table->data.items[0])) options.name = input_name;
    return options;
}

hr_status input_table(const hr_schema *schema, const table_args *table, bool label_optional, hr_data **out,
                      hr_error *err) {
    hr_read_options options = input_table_options(table);
    options.label_optional = label_optional;
    return hr_data_read_all(schema, (const char *const *)table->data.items, table->data.count, &options, out,
                            err);
}

int input_threads(arg_integer threads) {
    int all = threads.value < THREADS_MOST ? (int)threads.value : THREADS_MOST;
    if (all < 1 && hr_threads(&all, NULL) != HR_OK) all = 1; /* main has checked the variable */
    return all;
}

hr_read_options input_kept_options(const table_args *table, const arg_list *kept) {
    hr_read_options options = input_table_options(table);
    options.label_optional = true;
    options.kept = (const char *const *)kept->items;
    options.kept_count = kept->count;
    return options;
}

hr_status input_drop(hr_schema **schema, const table_args *table, hr_error *err) {
    hr_schema *less = NULL;
    if (table->drop.count == 0) return HR_OK;
    const hr_status status =
        hr_schema_without(*schema, (const char *const *)table->drop.items, table->drop.count, &less, err);
    if (status != HR_OK) return status;
    hr_schema_free(*schema);
    *schema = less;
    return HR_OK;
}

const char *input_table_name(const table_args *table) {
    return table->data.count == 1 ? table->data.items[0] : "the files of --data";
}

void input_warn_skipped(const command *self, const hr_data *data) {
    const unsigned long long skipped = hr_data_skipped(data);
    if (skipped > 0)
        fprintf(stderr, "hedgerow %s: records without a label, which were skipped (" EXACT_ROWS "): %llu\n",
                self->name, skipped);
}

size_t input_table_files(const table_args *table, named_file files[TABLE_FILES_MAX]) {
    size_t count = 0;
    for (size_t i = 0; i < table->data.count; i++)
        files[count++] = (named_file){"--data", table->data.items[i]};
    files[count++] = (named_file){"--query", table->query};
    return count;
}

bool input_table_usable(const command *self, const table_args *table, const char *other) {
    size_t standard = is_standard(other) + is_standard(table->query);
    for (size_t i = 0; i < table->data.count; i++) {
        standard += is_standard(table->data.items[i]);
        if (!hr_data_address_has_password(table->data.items[i])) continue;
        usage_error(self->name,
                    "--data: a password on the command line can be read by all users of this machine; "
                    "put it into the file ~/.pgpass or into the variable PGPASSWORD");
        return false;
    }
    if (table->skip_lines.value > UINT32_MAX) {
        usage_error(self->name, "--skip-lines: %llu are too many",
                    (unsigned long long)table->skip_lines.value);
        return false;
    }
    if (standard <= 1) return true;
    usage_error(self->name, "two inputs cannot both be standard input ('-')");
    return false;
}

bool input_threads_usable(const command *self, const table_args *table) {
    if (table->threads.value <= INT_MAX) return true;
    usage_error(self->name, "--threads: %llu is too many", (unsigned long long)table->threads.value);
    return false;
}

bool input_only_once(const char *name, const char *first, const char *second) {
    if (!is_standard(first) || !is_standard(second)) return true;
    usage_error(name, "two inputs cannot both be standard input ('-')");
    return false;
}
