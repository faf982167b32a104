/* Columns whose texts are kept beside the records: the texts come back, and everything else is as it is
 * without them. */
#include "support/tables.h"

enum { ROWS = 5000, FEATURES = 3 };

static const char *const kept[] = {"id", "x1", "note"};

/* A text with commas, quotation marks and lines, as it is and as it stands in the table. */
static void make_note(size_t row, char text[40], char cell[60]) {
    if (row % 3 == 0) {
        text[0] = cell[0] = '\0';
    } else if (row % 3 == 1) {
        snprintf(text, 40, "a,\"%zu\"\nb", row);
        snprintf(cell, 60, "\"a,\"\"%zu\"\"\nb\"", row);
    } else {
        snprintf(text, 40, "%zu", row);
        snprintf(cell, 60, "  %zu ", row);
    }
}

static char *make_csv(const table *t) {
    char *csv = malloc(ROWS * 160), *at = csv, text[40], cell[60];
    assert_non_null(csv);
    at += sprintf(at, "x0,id,x1,note,x2,y\n");
    for (size_t i = 0; i < ROWS; i++) {
        make_note(i, text, cell);
        at += sprintf(at, "%.6f,P-%zu,%.6f,%s,%.6f,%s\n", t->columns[0][i], i, t->columns[1][i], cell,
                      t->columns[2][i], hr_schema_label(t->schema)->values[(size_t)t->labels[i]]);
    }
    return csv;
}

static hr_data *parse(const table *t, const char *csv, const char *const *names, size_t count,
                      hr_error *err) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *data = NULL;
    options.kept = names;
    options.kept_count = count;
    hr_status status = hr_data_parse(t->schema, csv, strlen(csv), &options, &data, err);
    assert_true((status == HR_OK) == (data != NULL));
    return data;
}

static void test_kept__texts_come_back(void **state) {
    (void)state;
    table t = table_of_steps(ROWS, FEATURES, 2, 1);
    char *csv = make_csv(&t), text[40], cell[60], number[40];
    hr_data *with = parse(&t, csv, kept, COUNT(kept), NULL), *without = parse(&t, csv, NULL, 0, NULL);
    assert_non_null(with);
    assert_non_null(without);
    assert_int_equal(hr_data_rows(with), ROWS);
    assert_int_equal(hr_data_extra_columns(with), hr_data_extra_columns(without));
    for (size_t f = 0; f < FEATURES; f++)
        assert_memory_equal(hr_data_numbers(with, f), hr_data_numbers(without, f), ROWS * sizeof(double));
    assert_memory_equal(hr_data_labels(with), hr_data_labels(without), ROWS * sizeof(double));
    for (size_t i = 0; i < ROWS; i++) {
        make_note(i, text, cell);
        snprintf(number, sizeof number, "P-%zu", i);
        assert_string_equal(hr_data_kept(with, 0, i), number);
        snprintf(number, sizeof number, "%.6f", t.columns[1][i]);
        assert_string_equal(hr_data_kept(with, 1, i), number);
        assert_string_equal(hr_data_kept(with, 2, i), text);
    }
    assert_null(hr_data_kept(with, 3, 0));
    assert_null(hr_data_kept(with, 0, ROWS));
    assert_null(hr_data_kept(without, 0, 0));
    hr_data_free(with);
    hr_data_free(without);
    free(csv);
    table_close(&t);
}

static void test_kept__is_found_once(void **state) {
    (void)state;
    table t = table_of_steps(4, FEATURES, 2, 1);
    static const char csv[] = "x0,x1,x2,y,id,id\n1,1,1,1,a,b\n";
    const char *const absent[] = {"x0", "patient"}, *const twice[] = {"x0", "x0"}, *const two[] = {"id"};
    hr_error err = {0};
    assert_null(parse(&t, csv, absent, 2, &err));
    assert_true(err.status == HR_E_SCHEMA && strcmp(err.field, "patient") == 0 && err.remedy[0]);
    assert_null(parse(&t, csv, twice, 2, &err));
    assert_true(err.status == HR_E_SCHEMA && strstr(err.message, "twice"));
    assert_null(parse(&t, csv, two, 1, &err));
    assert_true(err.status == HR_E_FORMAT && strstr(err.message, "two columns"));
    assert_null(parse(&t, "1 1:0.5\n", two, 1, &err));
    assert_true(err.status == HR_E_SCHEMA && strstr(err.message, "LIBSVM"));
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept__texts_come_back),
        cmocka_unit_test(test_kept__is_found_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
