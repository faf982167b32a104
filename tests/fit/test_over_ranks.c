/* What ranks cannot train together is refused from public facts, by name and with what to do. */
#include "fit/over_ranks.h"
#include "support/tables.h"
#include "trees/cluster/cluster.h"

/* Nobody is asked anything here. */
static hr_cluster ranks;

static table plain;

static hr_fit_options shared_options(const char *method, hr_mode mode) {
    hr_fit_options options = options_of(method, mode);
    options.cluster = &ranks;
    if (options.edges == HR_EDGES_EXACT && mode == HR_MODE_SOUND) options.edges = HR_EDGES_PUBLIC;
    return options;
}

static void assert_refused(const hr_fit_options *options, const char *field) {
    hr_error err = {0};
    assert_int_equal(hr_fit_check_cluster(options, plain.schema, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, field);
    assert_true(err.message[0] && strstr(err.remedy, "in one process"));
}

static void test_ranks__train_methods_that_ask_for_sums(void **state) {
    (void)state;
    static const char *const can[] = {"hedge",   "gbdt",   "dpboost", "seq", "para",
                                      "diprime", "dp-ert", "dp-df",   "id3", "survival-curve"};
    size_t found = 0;
    for (size_t m = 0; m < hr_method_count(); m++) {
        const char *name = hr_method_at(m)->name;
        const hr_fit_options options = shared_options(name, HR_MODE_SOUND);
        bool is_listed = false;
        for (size_t i = 0; i < COUNT(can); i++) is_listed = is_listed || !strcmp(can[i], name);
        found += is_listed;
        if (is_listed)
            assert_int_equal(hr_fit_check_cluster(&options, plain.schema, NULL), HR_OK);
        else
            assert_refused(&options, "method");
    }
    assert_int_equal(found, COUNT(can));
}

static void test_ranks__refuse_what_needs_more_than_sums(void **state) {
    (void)state;
    static const double weights[] = {1, 2};
    hr_fit_options options = shared_options("dpboost", HR_MODE_PAPER);
    assert_refused(&options, "mode");
    options = shared_options("hedge", HR_MODE_SOUND);
    options.record_weights = weights;
    options.record_weight_count = 2;
    assert_refused(&options, "record-weights");
}

static void test_ranks__take_what_each_does_with_its_own_records(void **state) {
    (void)state;
    static const char *column = "x0";
    static const double weights[] = {1, 2};
    hr_fit_options options = shared_options("hedge", HR_MODE_SOUND),
                   alone = options_of("hedge", HR_MODE_SOUND);
    hr_model *start = fit(plain.data, &alone);
    options.start = start;
    assert_int_equal(hr_fit_check_cluster(&options, plain.schema, NULL), HR_OK);
    options.start = NULL;
    options.private_bounds = &column;
    options.private_bounds_count = 1;
    options.class_weights = weights;
    options.class_weight_count = 2;
    assert_int_equal(hr_fit_check_cluster(&options, plain.schema, NULL), HR_OK);
    options = shared_options("hedge", HR_MODE_SOUND);
    options.records_per_person = 3;
    assert_int_equal(hr_fit_check_cluster(&options, plain.schema, NULL), HR_OK);
    hr_model_free(start);
}

static void test_ranks__refuse_exact_edges_with_the_option_that_has_others(void **state) {
    (void)state;
    hr_error err = {0};
    hr_fit_options options = shared_options("gbdt", HR_MODE_SOUND);
    assert_int_equal(hr_fit_check_cluster(&options, plain.schema, NULL), HR_OK);
    options.edges = HR_EDGES_EXACT;
    assert_int_equal(hr_fit_check_cluster(&options, plain.schema, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "edges");
    assert_non_null(strstr(err.remedy, "edges=public"));
}

static void test_ranks__are_no_matter_to_one_process(void **state) {
    (void)state;
    hr_fit_options options = options_of("rf", HR_MODE_SOUND);
    assert_int_equal(hr_fit_check_cluster(&options, plain.schema, NULL), HR_OK);
}

/* hr_fit looks by itself: nothing is spent, and no rank is asked. */
static void test_fit__refuses_before_anything_is_reserved(void **state) {
    (void)state;
    hr_error err = {0};
    hr_model *model = NULL;
    const hr_fit_options options = shared_options("rf", HR_MODE_SOUND);
    assert_int_equal(hr_fit(plain.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_null(model);
    assert_string_equal(err.field, "method");
}

static int open_table(void **state) {
    (void)state;
    plain = table_open(50, 1);
    for (size_t i = 0; i < 50; i++) plain.labels[i] = (double)(i % 2);
    hr_column x = number_column("x0", 0, 1);
    table_make(&plain, category_column("y", 2), &x);
    return 0;
}

static int close_table(void **state) {
    (void)state;
    table_close(&plain);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks__train_methods_that_ask_for_sums),
        cmocka_unit_test(test_ranks__refuse_what_needs_more_than_sums),
        cmocka_unit_test(test_ranks__take_what_each_does_with_its_own_records),
        cmocka_unit_test(test_ranks__refuse_exact_edges_with_the_option_that_has_others),
        cmocka_unit_test(test_ranks__are_no_matter_to_one_process),
        cmocka_unit_test(test_fit__refuses_before_anything_is_reserved),
    };
    return cmocka_run_group_tests(tests, open_table, close_table);
}
