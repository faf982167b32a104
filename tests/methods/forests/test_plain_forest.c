/* Forests without privacy (rf, ert, median): they learn what can be learned, their leaves are exact, their
 * models do not depend on the number of threads and say that they are not private, and they survive tables
 * that are hardly tables. */
#include "support/tables.h"

#include <pthread.h>

static const char *const methods[] = {"rf", "ert", "median"};

/* ---- What they learn ---- */

static double fresh_error(const hr_model *model, const table *fresh) {
    hr_data *test = NULL;
    assert_int_equal(hr_data_from_arrays(hr_model_schema(model), fresh->rows,
                                         (const double *const *)fresh->columns, fresh->labels, &test, NULL),
                     HR_OK);
    hr_metrics m = metrics_of(model, test);
    hr_data_free(test);
    return hr_model_output_count(model) > 1 ? m.error : m.rmse;
}

/* Where labels jump, trees that look at one feature in two at every node are off by a few records' distance.
 */
static void check_steps(size_t classes, double bound) {
    table t = table_of_steps(4000, 2, classes, 1), fresh = table_of_steps(4000, 2, classes, 2);
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 3);
        hr_model *model = fit(t.data, &options);
        assert_true(fresh_error(model, &fresh) < bound);
        hr_model_free(model);
    }
    table_close(&t);
    table_close(&fresh);
}

static void test_forests__learn_steps(void **state) {
    (void)state;
    check_steps(2, .02);
    check_steps(3, .03);
    check_steps(0, .15); /* of a standard deviation of .58; the labels fall from 1 to -1 in one step */
}

static void test_forests__fit_exclusive_or(void **state) {
    (void)state;
    table t = table_open(2000, 2);
    uint64_t random = 2;
    for (size_t i = 0; i < t.rows; i++) {
        for (size_t f = 0; f < 2; f++) t.columns[f][i] = (double)(next_random(&random) % 64) / 63;
        t.labels[i] = (t.columns[0][i] > .5) != (t.columns[1][i] > .5);
    }
    table_make_plain(&t, 2);
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 4);
        options.depth = 16;
        assert_true(fit_metrics(t.data, &options).error < .005);
    }
    table_close(&t);
}

/* One split by a set tells the wards apart; missing is a value like the others. */
static void test_rf__splits_by_a_subset_of_categories(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2) {
        table t = table_open(400, 1);
        hr_column feature = category_column("ward", 8);
        for (size_t i = 0; i < t.rows; i++) {
            size_t code = i % 9; /* 0: missing */
            t.columns[0][i] = (double)code;
            t.labels[i] = code == 0 || code == 2 || code == 3 || code == 7;
        }
        table_make(&t, classes ? category_column("y", 2) : number_column("y", 0, 1), &feature);
        hr_fit_options options = seeded_options_of("rf", HR_MODE_SOUND, 5);
        options.depth = 1;
        hr_metrics seen = fit_metrics(t.data, &options);
        assert_true(classes ? seen.error == 0 : seen.rmse < 1e-9);
        table_close(&t);
    }
}

static void test_rf__learns_from_missing_values(void **state) {
    (void)state;
    for (int missing_is = 0; missing_is < 2; missing_is++) {
        table t = table_open(500, 1);
        uint64_t random = 3;
        for (size_t i = 0; i < t.rows; i++) {
            bool missing = next_unit(&random) < .4;
            t.columns[0][i] = missing ? (double)NAN : next_unit(&random);
            t.labels[i] = missing ? missing_is : !missing_is;
        }
        table_make_plain(&t, 2);
        hr_fit_options options = seeded_options_of("rf", HR_MODE_SOUND, 6);
        options.depth = 1;
        assert_true(fit_metrics(t.data, &options).error == 0);
        table_close(&t);
    }
}

/* ---- Leaves ---- */

/* All leaves are sure. */
static void check_pure(const hr_forest *forest) {
    double trees = (double)(forest->tree_count / forest->output_count);
    for (size_t k = 0; k < forest->tree_count; k++)
        for (size_t n = 0; n < forest->trees[k].node_count; n++)
            if (!forest->trees[k].nodes[n].left)
                assert_true(fabs(fabs(forest->trees[k].nodes[n].value * trees) - 1) < 1e-12);
}

/* Trees on all records, so deep that leaves are pure, say the labels: a number to 2^-30 of half its range; of
 * a class the scores 1 and -1 (of which the link makes probabilities that are a little less sure). */
static void test_forests__have_exact_leaves(void **state) {
    (void)state;
    for (size_t m = 1; m < COUNT(methods); m++)
        for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
            table t = table_of_steps(250, 3, classes, 7);
            hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 7);
            options.depth = 60;
            options.trees = 7;
            hr_model *model = fit(t.data, &options);
            double *p = predictions_of(model, t.data);
            for (size_t i = 0; i < t.rows; i++)
                if (classes)
                    assert_int_equal(hr_predicted_class(p + i * classes, classes), (size_t)t.labels[i]);
                else
                    assert_true(fabs(p[i] - t.labels[i]) < 1e-8);
            if (classes) check_pure(&model->forest);
            free(p);
            hr_model_free(model);
            table_close(&t);
        }
}

/* A tree that may not split says the mean of its records; with a bootstrap that of those that were drawn,
 * whose standard deviation is sqrt(p (1 - p) / n): over all trees within 5 of it (false-alarm rate 6e-7). */
static void test_forests__average_their_records(void **state) {
    (void)state;
    enum { ROWS = 1000, TREES = 400 };
    table t = table_open(ROWS, 1);
    for (size_t i = 0; i < ROWS; i++) t.labels[i] = i % 10 < 3;
    table_make_plain(&t, 2);
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 8);
        options.trees = TREES;
        hr_model *model = fit(t.data, &options);
        double *p = predictions_of(model, t.data), deviation = sqrt(.3 * .7 / ROWS / TREES);
        assert_true(fabs(p[1] - .3) < (m ? 1e-12 : 5 * deviation));
        assert_true(fabs(p[0] + p[1] - 1) < 1e-12);
        double first = model->forest.trees[0].nodes[0].value, second = model->forest.trees[1].nodes[0].value;
        assert_int_equal(first != second, m == 0); /* only a bootstrap makes them differ */
        free(p);
        hr_model_free(model);
    }
    table_close(&t);
}

static size_t depth_below(const hr_tree *tree, size_t n) {
    if (!tree->nodes[n].left) return 0;
    size_t left = depth_below(tree, tree->nodes[n].left), right = depth_below(tree, tree->nodes[n].left + 1);
    return 1 + (left > right ? left : right);
}

static void test_forests__keep_to_depth_and_least_records(void **state) {
    (void)state;
    table t = table_of_steps(600, 4, 0, 9);
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int64_t depth = 1; depth <= 60; depth *= 4) {
            hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 9);
            options.depth = depth;
            options.trees = 3;
            hr_model *model = fit(t.data, &options);
            for (size_t k = 0; k < 3; k++) {
                size_t deepest = depth_below(&model->forest.trees[k], 0);
                assert_true(deepest <= (size_t)depth && (depth > 4 || deepest == (size_t)depth));
            }
            hr_model_free(model);
            options.by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 100;
            model = fit(t.data, &options);
            for (size_t k = 0; k < 3; k++) assert_true(model->forest.trees[k].node_count <= 11);
            hr_model_free(model);
            options.by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 299.5; /* so 300: halves are large enough */
            model = fit(t.data, &options);
            for (size_t k = 0; k < 3 && m == 2; k++) assert_int_equal(model->forest.trees[k].node_count, 3);
            hr_model_free(model);
            options.by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 300.5;
            model = fit(t.data, &options);
            for (size_t k = 0; k < 3; k++) assert_int_equal(model->forest.trees[k].node_count, 1);
            hr_model_free(model);
        }
    table_close(&t);
}

/* K of 0 is the root of the number of features, rounded; a tree of one split shows how many of them compete.
 */
static void test_forests__draw_the_root_of_the_features(void **state) {
    (void)state;
    enum { FEATURES = 6 }; /* root 2.45: 2 candidates */
    table t = table_open(60, FEATURES);
    for (size_t i = 0; i < t.rows; i++) {
        t.labels[i] = (double)(i % 2);
        for (size_t f = 0; f < FEATURES; f++) t.columns[f][i] = (i % 2) != (i < f + 1);
    }
    table_make_plain(&t, 2);
    hr_fit_options options = seeded_options_of("median", HR_MODE_SOUND, 10);
    options.depth = 1;
    options.trees = 2000;
    hr_model *model = fit(t.data, &options);
    size_t best = 0, last = 0;
    for (size_t k = 0; k < 2000; k++) {
        best += model->forest.trees[k].nodes[0].feature == 0;
        last += model->forest.trees[k].nodes[0].feature == FEATURES - 1;
    }
    /* The best of all is drawn with probability 2/6; the worst is never the best of two. */
    assert_true(fabs((double)best - 2000 / 3.) < 5 * sqrt(2000 * 2 / 9.) && last == 0);
    hr_model_free(model);
    table_close(&t);
}

/* ---- The same bytes ---- */

static void test_forests__do_not_depend_on_threads(void **state) {
    (void)state;
    static const int threads[] = {2, 3, 7};
    for (size_t m = 0; m < COUNT(methods); m++)
        for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
            table t = table_of_steps(701, 5, classes, 11);
            hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 11);
            options.trees = 5; /* fewer than threads, too */
            char *wanted = fit_text(t.data, &options), *other;
            for (size_t i = 0; i < COUNT(threads); i++) {
                options.threads = threads[i];
                other = fit_text(t.data, &options);
                assert_string_equal(other, wanted);
                hr_text_free(other);
            }
            options.seed++;
            other = fit_text(t.data, &options);
            assert_string_not_equal(other, wanted);
            hr_text_free(other);
            hr_text_free(wanted);
            table_close(&t);
        }
}

/* ---- What their models say ---- */

static void test_forests__say_that_they_are_not_private(void **state) {
    (void)state;
    static const char *const released[] = {"bin edges", "splits", "leaves"};
    table t = table_of_steps(200, 3, 3, 12);
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = options_of(methods[m], HR_MODE_SOUND);
        options.trees = 3;
        hr_model *model = fit(t.data, &options), *read = NULL;
        assert_int_equal(hr_model_check(model, NULL), HR_OK);
        assert_false(model->guarantee.is_private);
        assert_non_null(strstr(model->guarantee.statement, "NOT DIFFERENTIALLY PRIVATE"));
        assert_non_null(strstr(model->guarantee.statement, "splits, leaves and bin edges are exact"));
        assert_int_equal(model->release_count, COUNT(released));
        for (size_t r = 0; r < COUNT(released); r++) {
            assert_string_equal(model->releases[r].what, released[r]);
            assert_int_equal(model->releases[r].mechanism, HR_MECHANISM_IDENTITY);
        }
        char *text = render(model);
        assert_int_equal(hr_model_parse(text, strlen(text), "model", &read, NULL), HR_OK);
        char *again = render(read);
        assert_string_equal(again, text);
        hr_text_free(again);
        hr_text_free(text);
        hr_model_free(read);
        hr_model_free(model);
        assert_int_equal(hr_fit_options_init(&options, methods[m], HR_MODE_PAPER, NULL), HR_E_ARGUMENT);
    }
    table_close(&t);
}

/* Missing values and categories that no record had are predicted, too. */
static void test_forests__predict_what_they_have_not_seen(void **state) {
    (void)state;
    table t = table_open(300, 2), fresh = table_open(2, 2);
    uint64_t random = 13;
    hr_column features[] = {number_column("x", 0, 1), category_column("ward", 8)};
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = next_unit(&random);
        t.columns[1][i] = (double)(1 + next_random(&random) % 4);
        t.labels[i] = t.columns[0][i] > .2; /* four in five */
    }
    fresh.columns[0][0] = (double)NAN;
    fresh.columns[1][0] = 8;
    fresh.columns[0][1] = .9;
    fresh.columns[1][1] = 0;
    table_make(&t, category_column("y", 2), features);
    table_make(&fresh, category_column("y", 2), features);
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 13);
        hr_model *model = fit(t.data, &options);
        double *p = predictions_of(model, fresh.data);
        assert_true(p[1] > .5 && p[3] > .5); /* with the larger sides */
        free(p);
        hr_model_free(model);
    }
    table_close(&t);
    table_close(&fresh);
}

/* ---- Tables that are hardly tables ---- */

static void assert_learns_constant(size_t rows, size_t classes, double label, double x) {
    table t = table_open(rows, 2);
    uint64_t random = 14;
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = x < 0 ? next_unit(&random) : x;
        t.columns[1][i] = x;
        t.labels[i] = label;
    }
    table_make_plain(&t, classes);
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 14);
        options.trees = 4;
        hr_model *model = fit(t.data, &options);
        assert_int_equal(model->forest.trees[0].node_count, 1);
        double *p = predictions_of(model, t.data);
        for (size_t i = 0; i < rows && classes; i++)
            assert_int_equal(hr_predicted_class(p + i * classes, classes), (size_t)label);
        for (size_t i = 0; i < rows && !classes; i++) assert_true(fabs(p[i] - label) < 1e-8);
        if (classes) check_pure(&model->forest);
        free(p);
        hr_model_free(model);
    }
    table_close(&t);
}

static void test_forests__learn_constant_labels(void **state) {
    (void)state;
    for (size_t rows = 1; rows <= 100; rows += 33) {
        assert_learns_constant(rows, 2, 0, .5);
        assert_learns_constant(rows, 2, 1, -1);
        assert_learns_constant(rows, 5, 4, -1);
        assert_learns_constant(rows, 0, .3, -1);
        assert_learns_constant(rows, 0, -1, (double)NAN);
    }
}

/* Constant and missing features tell nothing: one leaf with the shares. */
static void test_forests__make_one_leaf_of_constant_features(void **state) {
    (void)state;
    table t = table_open(90, 2);
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = .25;
        t.columns[1][i] = (double)NAN;
        t.labels[i] = (double)(i % 3);
    }
    table_make_plain(&t, 3);
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 15);
        hr_model *model = fit(t.data, &options);
        for (size_t k = 0; k < model->forest.tree_count; k++)
            assert_int_equal(model->forest.trees[k].node_count, 1);
        double *p = predictions_of(model, t.data);
        for (size_t k = 0; k < 3; k++) assert_true(fabs(p[k] - 1 / 3.) < (m ? 1e-12 : .03));
        free(p);
        hr_model_free(model);
    }
    table_close(&t);
}

/* What the progress callback was told. */
typedef struct progress {
    pthread_t caller;
    size_t calls, most, done;
} progress;

/* Ascends, on the thread that called hr_fit; stops the fit in call `most`. */
static bool follow(void *user, size_t done, size_t total) {
    progress *p = user;
    assert_true(pthread_equal(p->caller, pthread_self()));
    assert_true(done > p->done && done <= total && total == 50);
    p->done = done;
    return ++p->calls < p->most;
}

static void test_forests__can_be_stopped(void **state) {
    (void)state;
    table t = table_of_steps(100, 2, 2, 16);
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int threads = 1; threads <= 3; threads++) {
            hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 16);
            hr_model *model = NULL;
            progress p = {.caller = pthread_self(), .most = 3};
            options.trees = 50;
            options.threads = threads;
            options.progress = follow;
            options.user = &p;
            assert_int_equal(hr_fit(t.data, &options, &model, NULL), HR_E_CANCELLED);
            assert_true(!model && p.calls == 3);
            p = (progress){.caller = pthread_self(), .most = SIZE_MAX};
            assert_int_equal(hr_fit(t.data, &options, &model, NULL), HR_OK);
            assert_int_equal(p.done, 50);
            hr_model_free(model);
        }
    table_close(&t);
}

/* Their trees may be deeper than those that are grown level by level, in room for 2^depth nodes. */
static void test_forests__may_be_deeper_than_others(void **state) {
    (void)state;
    table t = table_of_steps(20, 2, 2, 17);
    hr_error err = {0};
    hr_model *model = NULL;
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = options_of(methods[m], HR_MODE_SOUND);
        assert_int_equal(hr_fit_options_set(&options, "depth", "60", NULL), HR_OK);
        options.depth = 61;
        assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
        assert_string_equal(err.field, "depth");
        assert_non_null(strstr(err.remedy, "1..60"));
    }
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    assert_int_equal(hr_fit_options_set(&options, "depth", "13", &err), HR_E_ARGUMENT);
    options.depth = 13;
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.remedy, "1..12"));
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forests__learn_steps),
        cmocka_unit_test(test_forests__fit_exclusive_or),
        cmocka_unit_test(test_rf__splits_by_a_subset_of_categories),
        cmocka_unit_test(test_rf__learns_from_missing_values),
        cmocka_unit_test(test_forests__have_exact_leaves),
        cmocka_unit_test(test_forests__average_their_records),
        cmocka_unit_test(test_forests__keep_to_depth_and_least_records),
        cmocka_unit_test(test_forests__draw_the_root_of_the_features),
        cmocka_unit_test(test_forests__do_not_depend_on_threads),
        cmocka_unit_test(test_forests__say_that_they_are_not_private),
        cmocka_unit_test(test_forests__predict_what_they_have_not_seen),
        cmocka_unit_test(test_forests__learn_constant_labels),
        cmocka_unit_test(test_forests__make_one_leaf_of_constant_features),
        cmocka_unit_test(test_forests__can_be_stopped),
        cmocka_unit_test(test_forests__may_be_deeper_than_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
