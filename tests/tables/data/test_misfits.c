/* All cells that do not fit a schema, gathered in one reading. */
#include "support/reader_checks.h"

static const char schema_text[] =
    "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [\"0\", \"1\"]}\nfeatures:\n"
    "  - {name: x, kind: number, low: 0, high: 9}\n"
    "  - {name: d, kind: date, from: 2024-01-01, to: 2024-12-31, parts: [weekday, month]}\n"
    "  - {name: c, kind: category, values: [a]}\n";

static hr_data *read_with(hr_misfits *misfits, const hr_schema *schema, const char *table) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_error err = {0};
    hr_data *data = NULL;
    options.misfits = misfits;
    options.threads = 8;
    if (hr_data_parse(schema, table, strlen(table), &options, &data, &err)) fail_msg("%s", err.message);
    return data;
}

static void expect_text(hr_misfits *misfits, size_t feature, size_t i, const char *text, uint64_t cells) {
    uint64_t found;
    assert_string_equal(hr_misfits_text(misfits, feature, i, &found), text);
    assert_int_equal(found, cells);
}

static void test_misfits__are_gathered_by_column(void **state) {
    (void)state;
    hr_misfits *misfits = hr_misfits_new();
    hr_schema *schema = must_schema(schema_text);
    hr_data *data =
        read_with(misfits, schema,
                  "x,d,c,y\n1,2024-01-31,a,0\nN,2024-01-32,b,2\nN,,b,1\nM,2024-01-32,a,\n\x01,x,a,0\n");
    hr_error err = {0};
    assert_int_equal(hr_data_rows(data), 5);
    assert_false(hr_data_has_labels(data)); /* some do not fit: no fit can take them */
    assert_int_equal(hr_misfits_count(misfits, 0), 3);
    expect_text(misfits, 0, 0, "N", 2);
    expect_text(misfits, 0, 1, "?", 1);
    expect_text(misfits, 0, 2, "M", 1);
    expect_text(misfits, 1, 0, "2024-01-32", 2);
    assert_int_equal(hr_misfits_count(misfits, 2), 0); /* another part of the same dates */
    expect_text(misfits, 3, 0, "b", 2);
    expect_text(misfits, 4, 0, "", 1);
    expect_text(misfits, 4, 1, "2", 1);
    assert_int_equal(hr_misfits_count(misfits, 5), 0);
    assert_true(hr_data_report(data, 0)->unknown == 4 && hr_data_report(data, 2)->unknown == 3);
    assert_true(hr_data_report(data, 1)->missing == 1 && hr_data_report(data, 4)->missing == 1);
    assert_int_equal(hr_misfits_first(misfits, &err), HR_E_FORMAT);
    assert_string_equal(err.message, "'N' is not a number");
    assert_true(err.line == 3 && err.column == 1 && strcmp(err.field, "x") == 0);
    hr_data_free(data);
    hr_misfits_free(misfits);
    hr_schema_free(schema);
}

/* Weights stand behind the label. */
static void test_misfits__of_weights_are_all_listed(void **state) {
    (void)state;
    char text[sizeof schema_text + 40];
    hr_misfits *misfits = hr_misfits_new();
    hr_error err = {0};
    snprintf(text, sizeof text, "%sweight: {column: w, high: 2}\n", schema_text);
    hr_schema *schema = must_schema(text);
    hr_data *data = read_with(misfits, schema,
                              "x,w,d,c,y\n1,2,2024-01-31,a,0\n1,3,2024-01-31,a,1\n1,,2024-01-31,a,1\n"
                              "1,3,2024-01-31,a,1\n1,much,2024-01-31,a,1\n");
    assert_int_equal(hr_data_rows(data), 5);
    assert_int_equal(hr_misfits_count(misfits, 4), 0);
    assert_int_equal(hr_misfits_count(misfits, 5), 3);
    expect_text(misfits, 5, 0, "3", 2);
    expect_text(misfits, 5, 1, "", 1);
    expect_text(misfits, 5, 2, "much", 1);
    assert_int_equal(hr_misfits_first(misfits, &err), HR_E_SCHEMA);
    assert_true(err.line == 3 && !strcmp(err.field, "w") &&
                !strcmp(err.message, "'3' is not a weight from 0 to 2"));
    hr_data_free(data);
    hr_misfits_free(misfits);
    hr_schema_free(schema);
}

/* Events stand behind the weight. The record's time is then unknown, too. */
static void test_misfits__of_events_are_all_listed(void **state) {
    (void)state;
    hr_misfits *misfits = hr_misfits_new();
    hr_error err = {0};
    hr_schema *schema =
        must_schema("hedgerow-schema: 1\nfeatures:\n  - {name: x, kind: number, low: 0, high: 9}\n"
                    "label: {kind: time, time: days, event: died, intervals: [3, 5]}\n");
    hr_data *data =
        read_with(misfits, schema,
                  "died,x,days\n1,1,2\nperhaps,1,2\n0,N,4\n,1,2\nperhaps,1,later\nmaybe,1,2\nfalse,1,2\n");
    assert_int_equal(hr_data_rows(data), 7);
    assert_false(hr_data_has_labels(data));
    assert_int_equal(hr_misfits_count(misfits, 0), 1);
    expect_text(misfits, 0, 0, "N", 1);
    assert_int_equal(hr_misfits_count(misfits, 1), 1);
    expect_text(misfits, 1, 0, "later", 1);
    assert_int_equal(hr_misfits_count(misfits, 2), 0); /* the schema has no weight */
    assert_int_equal(hr_misfits_count(misfits, 4), 3);
    expect_text(misfits, 4, 0, "perhaps", 2);
    expect_text(misfits, 4, 1, "", 1);
    expect_text(misfits, 4, 2, "maybe", 1);
    assert_int_equal(hr_misfits_first(misfits, &err), HR_E_SCHEMA);
    assert_true(err.line == 3 && err.column == 1 && strcmp(err.field, "died") == 0);
    hr_data_free(data);
    hr_misfits_free(misfits);
    hr_schema_free(schema);
}

/* Categories that are not listed read as missing in training, too. */
static void test_misfits__of_categories_refuse_nothing(void **state) {
    (void)state;
    hr_misfits *misfits = hr_misfits_new();
    hr_schema *schema = must_schema(schema_text);
    hr_data *data = read_with(misfits, schema, "x,d,c,y\n1,2024-01-31,b,0\n");
    assert_true(hr_data_has_labels(data));
    assert_int_equal(hr_misfits_first(misfits, NULL), HR_OK);
    expect_text(misfits, 3, 0, "b", 1);
    hr_data_free(data);
    hr_misfits_free(misfits);
    hr_schema_free(schema);
}

static void test_misfits__are_bounded(void **state) {
    (void)state;
    hr_misfits *misfits = hr_misfits_new();
    hr_schema *schema = must_schema(schema_text);
    char *table = must_alloc(100000);
    size_t size = (size_t)sprintf(table, "x,d,c,y\n");
    for (int i = 0; i < 1500; i++) size += (size_t)sprintf(table + size, "t%d,2024-01-31,a,0\n", i);
    hr_data *data = read_with(misfits, schema, table);
    assert_int_equal(hr_misfits_count(misfits, 0), 1000);
    assert_int_equal(hr_misfits_rest(misfits, 0), 500);
    assert_int_equal(hr_misfits_rest(misfits, 9), 0);
    hr_data_free(data);
    free(table);
    hr_misfits_free(misfits);
    hr_misfits_free(NULL);
    hr_schema_free(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misfits__are_gathered_by_column),
        cmocka_unit_test(test_misfits__of_weights_are_all_listed),
        cmocka_unit_test(test_misfits__of_events_are_all_listed),
        cmocka_unit_test(test_misfits__of_categories_refuse_nothing),
        cmocka_unit_test(test_misfits__are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
