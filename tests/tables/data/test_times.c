/* Times of events in tables: cells, arrays, what is missing, and what is refused. */
#include "support/person_tables.h"
#include "support/reader_checks.h"
#include "tables/data/records.h"

#include <string.h>

static const char schema_text[] =
    "hedgerow-schema: 1\nlabel: {kind: time, time: days, event: died, intervals: [30, 90]}\nfeatures:\n"
    "  - {name: x, kind: number, low: 0, high: 1}\nmissing: [NA]\nunit: record\n";

static void assert_labels(const hr_data *data, const double *labels, size_t rows) {
    assert_int_equal(hr_data_rows(data), rows);
    for (size_t i = 0; i < rows; i++)
        if (memcmp(&hr_data_labels(data)[i], &labels[i], sizeof *labels) != 0)
            fail_msg("row %zu: %g is not %g", i, hr_data_labels(data)[i], labels[i]);
}

/* In any order of the columns, and by several spellings. */
static void test_cells__are_times_with_the_sign_of_their_event(void **state) {
    (void)state;
    static const double labels[] = {10, -20.5, 0, -0., -7, 3};
    hr_schema *schema = schema_of_text(schema_text);
    hr_data *data = data_of_text(
        schema, "days,x,died\n10,0,1\n20.5,0,0\n0,0,true\n 0 ,0,false\n\"7\",0,0.0\n3,0,\"yes\"\n");
    assert_labels(data, labels, 6);
    hr_data_free(data);
    data = data_of_text(schema,
                        "died,other,days,x\n1,z,10,0\n0,z,20.5,0\nT,z,0,0\nF,z,-0,0\nno,z,7,0\n+1,z,3,0\n");
    assert_labels(data, labels, 6);
    assert_int_equal(hr_data_extra_columns(data), 1);
    hr_data *some = hr_data_take(data, (const uint32_t[]){3, 1}, 2);
    assert_labels(some, (const double[]){-0., -20.5}, 2);
    hr_data_free(some);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_cells__that_say_no_time_are_refused(void **state) {
    (void)state;
    static const bad_table cases[] = {
        {"x,days,died\n0,-1,1\n", HR_E_SCHEMA, 2, 3, "days", "'-1' is not a time"},
        {"x,days,died\n0,soon,1\n", HR_E_SCHEMA, 2, 3, "days", "'soon' is not a time"},
        {"x,days,died\n0,inf,1\n", HR_E_SCHEMA, 2, 3, "days", "is not a time"},
        {"x,days,died\n0,1e300,1\n", HR_E_SCHEMA, 2, 3, "days", "is not a time"},
        {"x,days,died\n0,1,2\n", HR_E_SCHEMA, 2, 5, "died", "'2' does not say whether the event came"},
        {"x,days,died\n0,1,dead\n", HR_E_SCHEMA, 2, 5, "died", "write 1 or true"},
        {"x,days,died\n0,NA,1\n", HR_E_SCHEMA, 2, 3, "days", "label is missing"},
        {"x,days,died\n0,1,\n", HR_E_SCHEMA, 2, 5, "died", "label is missing"},
        {"x,days\n0,1\n", HR_E_SCHEMA, 0, 0, "died", "no such column"},
        {"x,died\n0,1\n", HR_E_SCHEMA, 0, 0, "days", "no such column"},
    };
    hr_schema *schema = schema_of_text(schema_text);
    check_bad_tables(schema, HR_FORMAT_CSV, cases, COUNT(cases));
    static const bad_table libsvm[] = {
        {"1 1:0.5\n", HR_E_SCHEMA, 0, 0, "", "LIBSVM table has no column that says"}};
    check_bad_tables(schema, HR_FORMAT_LIBSVM, libsvm, 1);
    hr_schema_free(schema);
}

/* Both columns may be absent, or one; the records then have no labels. */
static void test_predictions__need_neither_column(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool labelled;
    } cases[] = {{"x\n0\n", false},
                 {"x,days\n0,5\n", false},
                 {"died,x\n0,0\n", false},
                 {"died,x,days\n0,0,4\n", true}};
    hr_schema *schema = schema_of_text(schema_text);
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_read_options options = HR_READ_OPTIONS_INIT;
        hr_data *data = NULL;
        options.label_optional = true;
        assert_int_equal(hr_data_parse(schema, cases[i].text, strlen(cases[i].text), &options, &data, NULL),
                         HR_OK);
        assert_int_equal(hr_data_has_labels(data), cases[i].labelled);
        hr_data_free(data);
    }
    hr_schema_free(schema);
}

/* A record without time or event is left out, and its sign does not go to the next one. */
static void test_records__without_time_or_event_are_skipped(void **state) {
    (void)state;
    static const char text[] = "x,died,days\n0,0,5\n0,0,NA\n0,1,6\n0,,7\n0,1,8\n0,0,\n0,1,9\n";
    hr_schema *schema = schema_of_text(schema_text);
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *data = NULL;
    options.skip_unlabelled = true;
    assert_int_equal(hr_data_parse(schema, text, strlen(text), &options, &data, NULL), HR_OK);
    assert_labels(data, (const double[]){-5, 6, 8, 9}, 4);
    assert_int_equal(hr_data_skipped(data), 3);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_arrays__have_signed_times(void **state) {
    (void)state;
    static const double x[] = {0, .5, 1}, bad[] = {(double)INFINITY, (double)NAN, -1e300};
    double labels[] = {5, -0., -7};
    const double *columns[] = {x};
    hr_schema *schema = schema_of_text(schema_text);
    hr_data *data = NULL;
    assert_int_equal(hr_data_from_arrays(schema, 3, columns, labels, &data, NULL), HR_OK);
    assert_labels(data, labels, 3);
    hr_data_free(data);
    for (size_t i = 0; i < 3; i++) {
        hr_error err = {0};
        labels[1] = bad[i];
        assert_int_equal(hr_data_from_arrays(schema, 3, columns, labels, &data, &err), HR_E_SCHEMA);
        assert_non_null(strstr(err.message, "row 2"));
    }
    hr_schema_free(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells__are_times_with_the_sign_of_their_event),
        cmocka_unit_test(test_cells__that_say_no_time_are_refused),
        cmocka_unit_test(test_predictions__need_neither_column),
        cmocka_unit_test(test_records__without_time_or_event_are_skipped),
        cmocka_unit_test(test_arrays__have_signed_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
