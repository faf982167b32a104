#include "support/reader_checks.h"

#include "support/temp_dir.h"

char *must_alloc(size_t size) {
    char *bytes = malloc(size ? size : 1);
    if (!bytes) abort();
    return bytes;
}

hr_schema *must_schema(const char *text) {
    hr_schema *schema = NULL;
    hr_error err = {0};
    if (hr_schema_parse(text, strlen(text), "schema", &schema, &err))
        fail_msg("schema: %s (%d:%d)", err.message, (int)err.line, (int)err.column);
    return schema;
}

hr_data *must_parse(const hr_schema *schema, const char *text, size_t size, hr_format format) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *data = NULL;
    hr_error err = {0};
    options.format = format;
    options.name = "t";
    if (hr_data_parse(schema, text, size, &options, &data, &err)) {
        char message[1300];
        hr_error_format(&err, message, sizeof message);
        fail_msg("%s", message);
    }
    return data;
}

void check_bad_tables(const hr_schema *schema, hr_format format, const bad_table *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const bad_table *c = &cases[i];
        hr_read_options options = HR_READ_OPTIONS_INIT;
        hr_error err = {0};
        hr_data *data = NULL;
        char message[1300];
        options.format = format;
        options.name = "t";
        int status = hr_data_parse(schema, c->text, strlen(c->text), &options, &data, &err);
        hr_error_format(&err, message, sizeof message);
        bool says = strstr(err.message, c->message) || strstr(err.remedy, c->message);
        if (status != c->status || err.line != c->line || err.column != c->column ||
            strcmp(err.field, c->field) != 0 || !says) {
            fail_msg("case %zu '%s': status %d: %s", i, c->text, status, message);
        }
        assert_string_equal(err.file, "t");
        assert_null(data);
        assert_int_equal(hr_data_parse(schema, c->text, strlen(c->text), &options, &data, NULL), c->status);
        assert_null(data);
    }
}

bool is_same_double(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

int table_file_open(void **state, const char *schema) {
    table_file *f = calloc(1, sizeof *f);
    if (!f || temp_dir_open(&f->dir)) return -1;
    f->schema = must_schema(schema);
    snprintf(f->path, sizeof f->path, "%s/table", ((temp_dir *)f->dir)->folder);
    *state = f;
    return 0;
}

int table_file_close(void **state) {
    table_file *f = *state;
    hr_schema_free(f->schema);
    int failed = temp_dir_close(&f->dir);
    free(f);
    return failed;
}
