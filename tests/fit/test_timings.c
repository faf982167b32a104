/* Timings of a fit, by a clock that goes on by one second with every reading: which phases it had, and that
 * nothing else of it changes. */
#include "support/tables.h"
#include "support/test_clock.h"

enum { ROWS = 400 };

typedef struct fixture {
    table t;
    test_clock clock;
    hr_timings *timings;
} fixture;

static int set_up_timings(void **state) {
    static fixture f;
    f = (fixture){.clock = {.each = {1000000000, 2000000000}}};
    const hr_stopwatch watch = {test_clock_now, &f.clock};
    f.t = table_of_steps(ROWS, 3, 2, 1);
    *state = &f;
    return hr_timings_new_by(&watch, &f.timings, NULL);
}

static int tear_down_timings(void **state) {
    fixture *f = *state;
    hr_timings_free(f->timings);
    table_close(&f->t);
    return 0;
}

static void assert_phases(fixture *f, const char *expected) {
    char found[400] = "";
    hr_timing total, timing;
    double wall = 0, processor = 0;
    hr_timings_total(f->timings, &total);
    for (size_t i = 0; hr_timings_at(f->timings, i, &timing); i++) {
        snprintf(found + strlen(found), sizeof found - strlen(found), i ? " %s" : "%s", timing.name);
        wall += timing.wall;
        processor += timing.processor;
    }
    assert_string_equal(found, expected);
    assert_true(wall == total.wall && processor == total.processor);
    assert_true(total.wall == (double)f->clock.readings - 1 && total.processor == 2 * total.wall);
}

/* The phases of a fit of few trees; its model is the one that a fit without timings makes. */
static void check_phases(fixture *f, hr_fit_options options, const char *expected) {
    char *timed, *untimed = fit_text(f->t.data, &options);
    options.timings = f->timings;
    timed = fit_text(f->t.data, &options);
    assert_string_equal(timed, untimed);
    hr_text_free(timed);
    hr_text_free(untimed);
    assert_phases(f, expected);
}

static hr_fit_options few_trees_of(const char *method, hr_mode mode) {
    hr_fit_options options = seeded_options_of(method, mode, 3);
    options.trees = 3;
    options.depth = 3;
    options.bins = 8;
    return options;
}

static void test_fit__of_gbdt(void **state) {
    check_phases(*state, few_trees_of("gbdt", HR_MODE_SOUND),
                 "bins gradients histograms choose split score model other");
}

static void test_fit__of_dpboost(void **state) {
    check_phases(*state, few_trees_of("dpboost", HR_MODE_SOUND),
                 "bins gradients histograms choose split noise score model other");
}

static void test_fit__of_dpboost_as_published(void **state) {
    check_phases(*state, few_trees_of("dpboost", HR_MODE_PAPER),
                 "bins gradients histograms choose split noise score model other");
}

static void test_fit__of_hedge(void **state) {
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 3);
    check_phases(*state, options,
                 "bins histograms candidates scan choose leaves noise calibration model other");
}

static void test_fit__of_forests(void **state) {
    check_phases(*state, few_trees_of("rf", HR_MODE_SOUND), "bins grow model other");
}

static void test_fit__of_private_forests(void **state) {
    check_phases(*state, few_trees_of("dp-ert", HR_MODE_SOUND),
                 "bins gradients split leaves noise model other");
}

static void test_fit__of_inprivate(void **state) {
    check_phases(*state, few_trees_of("inprivate", HR_MODE_SOUND),
                 "bins gradients histograms choose split leaves noise score model other");
}

/* Whose owners have a source of their own. */
static void test_fit__of_dp_simfl(void **state) {
    check_phases(*state, few_trees_of("dp-simfl", HR_MODE_SOUND),
                 "bins gradients histograms choose split noise score model other");
}

static void test_fit__with_bounds(void **state) {
    static const char *const columns[] = {"x0"};
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 3);
    options.private_bounds = columns;
    options.private_bounds_count = COUNT(columns);
    check_phases(*state, options,
                 "bounds bins histograms candidates scan choose leaves noise calibration model other");
}

static void test_fit__with_a_start(void **state) {
    fixture *f = *state;
    hr_fit_options options = few_trees_of("gbdt", HR_MODE_SOUND);
    hr_model *start = fit(f->t.data, &options);
    options.start = start;
    options.start_is_public = true;
    check_phases(f, options, "bins gradients histograms choose split score model other");
    hr_model_free(start);
}

static bool stop_at_once(void *user, size_t done, size_t total) {
    (void)user;
    (void)done;
    (void)total;
    return false;
}

/* Whatever happened, all phases are left: what comes next is in none. */
static void test_fit__that_fails(void **state) {
    static const char *const methods[] = {"gbdt", "dpboost", "hedge", "rf", "dp-ert", "inprivate"};
    fixture *f = *state;
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = few_trees_of(methods[m], HR_MODE_SOUND);
        hr_model *model = NULL;
        hr_timing before = {0}, after = {0}, total;
        options.timings = f->timings;
        options.progress = stop_at_once;
        assert_int_equal(hr_fit(f->t.data, &options, &model, NULL), HR_E_CANCELLED);
        options.threads = -1;
        assert_int_equal(hr_fit(f->t.data, &options, &model, NULL), HR_E_ARGUMENT);
        hr_timings_total(f->timings, &total);
        for (size_t i = 0; hr_timings_at(f->timings, i, &before);) i++;
        test_clock_pass(&f->clock, 1000, 0);
        hr_timings_total(f->timings, &total);
        for (size_t i = 0; hr_timings_at(f->timings, i, &after);) i++;
        assert_string_equal(after.name, "other");
        assert_true(after.wall == before.wall + 1001);
    }
}

/* A program that was built when the options had no timings. */
static void test_fit__of_an_older_program(void **state) {
    fixture *f = *state;
    hr_fit_options options = few_trees_of("gbdt", HR_MODE_SOUND);
    options.size = offsetof(hr_fit_options, timings);
    options.timings = f->timings;
    hr_model_free(fit(f->t.data, &options));
    assert_int_equal(f->clock.readings, 1);
}

static void test_read__is_a_phase(void **state) {
    static const char text[] = "x0,y\n0.5,1\n", broken[] = "x0,y\n0.5\n";
    fixture *f = *state;
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *data = NULL;
    table t = table_open(1, 1);
    table_make_plain(&t, 0);
    options.timings = f->timings;
    assert_int_equal(hr_data_parse(t.schema, text, strlen(text), &options, &data, NULL), HR_OK);
    assert_int_equal(f->clock.readings, 3);
    hr_data_free(data);
    assert_int_not_equal(hr_data_parse(t.schema, broken, strlen(broken), &options, &data, NULL), HR_OK);
    assert_int_not_equal(hr_data_read(t.schema, "/nowhere/table.csv", &options, &data, NULL), HR_OK);
    assert_int_equal(f->clock.readings, 7);
    assert_phases(f, "read other");
    table_close(&t);
}

#define TIMED(test) cmocka_unit_test_setup_teardown(test, set_up_timings, tear_down_timings)

int main(void) {
    const struct CMUnitTest tests[] = {
        TIMED(test_fit__of_gbdt),      TIMED(test_fit__of_dpboost),  TIMED(test_fit__of_dpboost_as_published),
        TIMED(test_fit__of_hedge),     TIMED(test_fit__of_forests),  TIMED(test_fit__of_private_forests),
        TIMED(test_fit__of_inprivate), TIMED(test_fit__of_dp_simfl), TIMED(test_fit__with_bounds),
        TIMED(test_fit__with_a_start), TIMED(test_fit__that_fails),  TIMED(test_fit__of_an_older_program),
        TIMED(test_read__is_a_phase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
