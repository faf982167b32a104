/* Training without privacy: it fits what can be fitted, gives the same bytes for any order of records and
 * number of threads, and survives tables that are hardly tables. */
#include "support/tables.h"

static double training_error(table *t, int64_t trees, int64_t depth) {
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.trees = trees;
    options.depth = depth;
    options.learning_rate = trees == 1 ? 1 : .1;
    double error = fit_metrics(t->data, &options).error;
    table_close(t);
    return error;
}

static void test_gbdt__fits_a_step(void **state) {
    (void)state;
    table t = table_open(1000, 1);
    uint64_t random = 1;
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = next_unit(&random);
        t.labels[i] = t.columns[0][i] > .37;
    }
    table_make_plain(&t, 2);
    /* 255 quantiles of 1000 records: at most four records share the bin of the step. */
    assert_true(training_error(&t, 1, 1) <= .004);
}

static void test_gbdt__fits_exclusive_or(void **state) {
    (void)state;
    table t = table_open(2000, 2);
    uint64_t random = 2;
    for (size_t i = 0; i < t.rows; i++) {
        for (size_t f = 0; f < 2; f++) t.columns[f][i] = (double)(next_random(&random) % 64) / 63;
        t.labels[i] = (t.columns[0][i] > .5) != (t.columns[1][i] > .5);
    }
    table_make_plain(&t, 2);
    assert_true(training_error(&t, 50, 3) == 0);
}

static void test_gbdt__fits_a_subset_of_categories(void **state) {
    (void)state;
    table t = table_open(400, 1);
    hr_column feature = category_column("ward", 8);
    for (size_t i = 0; i < t.rows; i++) {
        size_t code = i % 9; /* 0: missing */
        t.columns[0][i] = (double)code;
        t.labels[i] = code == 0 || code == 2 || code == 3 || code == 7;
    }
    table_make(&t, category_column("y", 2), &feature);
    assert_true(training_error(&t, 1, 1) == 0); /* one split by a set finds it */
}

static void test_gbdt__learns_from_missing_values(void **state) {
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
        assert_true(training_error(&t, 1, 1) == 0);
    }
}

/* A leaf moves by eta times the mean residual of its records, shrunk by lambda: so every tree lowers the sum
 * of squares, as long as residuals are not 0. Gradients are rounded to integers; hence the one part in 10^9.
 */
static void test_gbdt__lowers_the_loss_with_every_tree(void **state) {
    (void)state;
    table t = table_of_steps(700, 3, 0, 4);
    double last = INFINITY;
    for (int64_t trees = 1; trees <= 64; trees += 1 + trees / 8) {
        hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
        options.trees = trees;
        options.depth = 2;
        options.learning_rate = .05;
        double rmse = fit_metrics(t.data, &options).rmse;
        assert_true(rmse < last * (1 + 1e-9));
        last = rmse;
    }
    assert_true(last < .4); /* the labels' standard deviation is .58 */
    table_close(&t);
}

/* Four groups with known probabilities: many trees converge to the frequencies of the groups (lambda and
 * steps leave less than .005), which are the truth within 5.2 standard deviations (false-alarm rate 4 *
 * 2e-7). */
static void test_gbdt__has_calibrated_probabilities(void **state) {
    (void)state;
    enum { ROWS = 20000, GROUPS = 4 };
    static const double truth[GROUPS] = {.1, .35, .6, .9};
    table t = table_open(ROWS, 1);
    hr_column feature = category_column("group", GROUPS);
    double ones[GROUPS] = {0};
    uint64_t random = 5;
    for (size_t i = 0; i < ROWS; i++) {
        t.columns[0][i] = (double)(i % GROUPS + 1);
        t.labels[i] = next_unit(&random) < truth[i % GROUPS];
        ones[i % GROUPS] += t.labels[i];
    }
    table_make(&t, category_column("y", 2), &feature);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    hr_model *model = fit(t.data, &options);
    double *p = predictions_of(model, t.data);
    for (size_t g = 0; g < GROUPS; g++) {
        double seen = ones[g] / (ROWS / GROUPS), sigma = sqrt(truth[g] * (1 - truth[g]) / (ROWS / GROUPS));
        assert_true(fabs(p[2 * g + 1] - seen) < .005);
        assert_true(fabs(p[2 * g + 1] - truth[g]) < 5.2 * sigma + .005);
        assert_true(fabs(p[2 * g] + p[2 * g + 1] - 1) < 1e-12);
    }
    free(p);
    hr_model_free(model);
    table_close(&t);
}

static void test_gbdt__tells_three_classes_apart(void **state) {
    (void)state;
    static const hr_loss losses[] = {HR_LOSS_LOGISTIC, HR_LOSS_SQUARE};
    table t = table_of_steps(3000, 4, 3, 6), fresh = table_of_steps(3000, 4, 3, 7);
    for (size_t i = 0; i < COUNT(losses); i++) {
        hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
        options.loss = losses[i];
        hr_model *model = fit(t.data, &options);
        assert_int_equal(hr_model_output_count(model), 3);
        hr_data *test = NULL;
        assert_int_equal(hr_data_from_arrays(hr_model_schema(model), fresh.rows,
                                             (const double *const *)fresh.columns, fresh.labels, &test, NULL),
                         HR_OK);
        assert_true(metrics_of(model, test).error <
                    .03); /* majority errs on .67; 255 bins blur three steps by about .01 */
        hr_data_free(test);
        hr_model_free(model);
    }
    table_close(&t);
    table_close(&fresh);
}

/* Equations 3 and 4 by hand: 30 records of label -1, 10 of label 1, told apart by x; one split, eta .3,
 * lambda 2. */
static double first_tree(size_t classes, hr_loss loss, double x) {
    table t = table_open(40, 1);
    for (size_t i = 0; i < 10; i++) t.columns[0][i] = t.labels[i] = 1;
    for (size_t i = 10; i < 40; i++) t.labels[i] = classes ? 0 : -1;
    table_make_plain(&t, classes);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.trees = options.depth = 1;
    options.learning_rate = .3;
    options.lambda = 2;
    options.by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 0;
    options.loss = loss;
    hr_model *model = fit(t.data, &options);
    double *p = predictions_of(model, t.data),
           at_x = classes ? p[2 * (x > 0 ? 0 : 39) + 1] : p[x > 0 ? 0 : 39];
    free(p);
    hr_model_free(model);
    table_close(&t);
    return at_x;
}

static void test_gbdt__computes_base_and_leaves_as_published(void **state) {
    (void)state;
    double high = -.5 + .3 * 10 * 1.5 / (10 + 2),
           low = -.5 - .3 * 30 * .5 / (30 + 2); /* the base is the mean, -1/2 */
    assert_true(fabs(first_tree(0, HR_LOSS_SQUARE, 1) - high) < 1e-6 &&
                fabs(first_tree(0, HR_LOSS_SQUARE, 0) - low) < 1e-6);
    assert_true(fabs(first_tree(2, HR_LOSS_SQUARE, 1) - (1 + high) / 2) < 1e-6);
    assert_true(fabs(first_tree(2, HR_LOSS_SQUARE, 0) - (1 + low) / 2) < 1e-6);
    double base = log(11. / 31), p = 11. / 42, weight = p * (1 - p);
    double up = base + .3 * 10 * (1 - p) / (10 * weight + 2), down = base - .3 * 30 * p / (30 * weight + 2);
    /* Weights are whole 1024ths: off by a part in 400 at most, times a leaf of less than .6. */
    assert_true(fabs(first_tree(2, HR_LOSS_LOGISTIC, 1) - 1 / (1 + exp(-up))) < .001);
    assert_true(fabs(first_tree(2, HR_LOSS_LOGISTIC, 0) - 1 / (1 + exp(-down))) < .001);
}

static void test_gbdt__predicts_within_the_label_bounds(void **state) {
    (void)state;
    table t = table_open(300, 1);
    uint64_t random = 8;
    hr_column feature = number_column("x", 0, 1);
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = next_unit(&random);
        t.labels[i] = t.columns[0][i] > .5 ? 1000 : 200; /* the bounds themselves */
    }
    table_make(&t, number_column("y", 200, 1000), &feature);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.learning_rate = 1;
    options.lambda = 0;
    hr_model *model = fit(t.data, &options);
    double *p = predictions_of(model, t.data);
    for (size_t i = 0; i < t.rows; i++)
        assert_true(p[i] >= 200 && p[i] <= 1000 && fabs(p[i] - t.labels[i]) < 4);
    free(p);
    hr_model_free(model);
    table_close(&t);
}

/* ---- The same bytes ---- */

/* Records in another order: row i of the copy is row (i * 7919 + 13) mod rows. */
static table permuted(const table *t, size_t classes) {
    table p = table_open(t->rows, t->features);
    for (size_t i = 0; i < t->rows; i++) {
        size_t from = (i * 7919 + 13) % t->rows;
        for (size_t f = 0; f < t->features; f++) p.columns[f][i] = t->columns[f][from];
        p.labels[i] = t->labels[from];
    }
    table_make_plain(&p, classes);
    return p;
}

static void test_gbdt__does_not_depend_on_order_or_threads(void **state) {
    (void)state;
    static const size_t classes[] = {0, 2, 3};
    static const int threads[] = {2, 4};
    for (size_t c = 0; c < COUNT(classes); c++)
        for (int loss = HR_LOSS_SQUARE; loss <= HR_LOSS_LOGISTIC; loss++) {
            table t = table_of_steps(1501, 5, classes[c], 9), p = permuted(&t, classes[c]);
            hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
            options.trees = 6;
            options.loss = (hr_loss)loss;
            options.threads = 1;
            char *wanted = fit_text(t.data, &options), *other = fit_text(p.data, &options);
            assert_string_equal(other, wanted);
            hr_text_free(other);
            for (size_t i = 0; i < COUNT(threads); i++) {
                options.threads = threads[i];
                other = fit_text((i ? p : t).data, &options);
                assert_string_equal(other, wanted);
                hr_text_free(other);
            }
            hr_text_free(wanted);
            table_close(&t);
            table_close(&p);
        }
}

static void test_gbdt__gives_a_twin_feature_no_say(void **state) {
    (void)state;
    table one = table_of_steps(500, 1, 2, 10), twin = table_open(500, 2);
    for (size_t i = 0; i < one.rows; i++) {
        twin.columns[0][i] = twin.columns[1][i] = one.columns[0][i];
        twin.labels[i] = one.labels[i];
    }
    table_make_plain(&twin, 2);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.trees = 10;
    hr_model *a = fit(one.data, &options), *b = fit(twin.data, &options);
    double *p = predictions_of(a, one.data), *q = predictions_of(b, twin.data), importance[2];
    assert_memory_equal(p, q, 2 * one.rows * sizeof *p);
    hr_model_importance(b, importance);
    assert_true(importance[0] > .999 && importance[1] == 0); /* ties go to the first */
    free(p);
    free(q);
    hr_model_free(a);
    hr_model_free(b);
    table_close(&one);
    table_close(&twin);
}

/* ---- Tables that are hardly tables ---- */

/* Predicts a table of `rows` records with one label, and all of them nearly right. */
static void assert_learns_constant(size_t rows, size_t features, size_t classes, double label, int64_t depth,
                                   int64_t bins) {
    table t = table_open(rows, features);
    uint64_t random = 11;
    for (size_t f = 0; f < features; f++)
        for (size_t i = 0; i < rows; i++) t.columns[f][i] = next_unit(&random);
    for (size_t i = 0; i < rows; i++) t.labels[i] = label;
    table_make_plain(&t, classes);
    for (int loss = HR_LOSS_SQUARE; loss <= HR_LOSS_LOGISTIC; loss++) {
        hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
        options.trees = 30;
        options.depth = depth;
        options.bins = bins;
        options.loss = (hr_loss)loss;
        hr_model *model = fit(t.data, &options);
        double *p = predictions_of(model, t.data);
        size_t width = hr_model_output_count(model);
        for (size_t i = 0; i < rows; i++)
            if (classes)
                assert_int_equal(hr_predicted_class(p + i * width, width), (size_t)label);
            else
                assert_true(fabs(p[i] - label) < .01);
        free(p);
        hr_model_free(model);
    }
    table_close(&t);
}

static void test_gbdt__learns_constant_labels(void **state) {
    (void)state;
    assert_learns_constant(100, 2, 2, 0, 6, 255);
    assert_learns_constant(100, 2, 2, 1, 6, 255);
    assert_learns_constant(100, 2, 3, 2, 3, 255);
    assert_learns_constant(100, 2, 0, -1, 3, 2);
    assert_learns_constant(100, 2, 0, .25, 3, 2);
}

static void test_gbdt__learns_from_one_record(void **state) {
    (void)state;
    assert_learns_constant(1, 1, 2, 1, 6, 255);
    assert_learns_constant(1, 1, 2, 0, 1, 2);
    assert_learns_constant(1, 3, 4, 3, 12, 255);
    assert_learns_constant(1, 1, 0, .5, 12, 255);
    assert_learns_constant(2, 1, 0, 1, 12, 3);
}

static void test_gbdt__learns_every_record_with_deep_trees(void **state) {
    (void)state;
    table t = table_open(100, 1);
    uint64_t random = 12;
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = (double)i / 99;
        t.labels[i] = next_unit(&random) < .5;
    }
    table_make_plain(&t, 2);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.depth = 12;
    options.by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 0;
    options.lambda = 0;
    assert_true(fit_metrics(t.data, &options).error == 0);
    options.loss = HR_LOSS_SQUARE;
    assert_true(fit_metrics(t.data, &options).error == 0);
    table_close(&t);
}

static void test_gbdt__uses_255_bins(void **state) {
    (void)state;
    table t = table_open(255 * 4 + 1, 1); /* not a table that was joined to itself, which is refused */
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = (double)(i % 255) / 254;
        t.labels[i] = i % 255 % 127 == 0; /* the first, the middle and the last value against all others */
    }
    table_make_plain(&t, 2);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 0; /* four rare records of a certain class weigh little */
    hr_model *model = fit(t.data, &options);
    assert_true(metrics_of(model, t.data).error == 0);
    hr_model_free(model);
    table_close(&t);
}

/* No leaf weighs less than it should: with the square loss, a number of records. */
static void test_gbdt__keeps_leaves_heavy_enough(void **state) {
    (void)state;
    table t = table_of_steps(200, 2, 0, 13);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.trees = 1;
    options.by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 101;
    hr_model *model = fit(t.data, &options);
    assert_int_equal(model->forest.trees[0].node_count, 1);
    hr_model_free(model);
    options.by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 100;
    model = fit(t.data, &options);
    assert_true(model->forest.trees[0].node_count <= 3);
    hr_model_free(model);
    table_close(&t);
}

/* So many that packed words would leave gradients less than 12 bits: sums are apart. Two even halves, each of
 * one class: from p = 1/2 a tree of one split moves by eta (n/4) / (n/8 + lambda). */
static void test_gbdt__sums_more_records_than_words_have_room_for(void **state) {
    (void)state;
    enum { RECORDS = 1 << 21 };
    table t = table_open(RECORDS, 1);
    for (size_t i = 0; i < RECORDS; i++) {
        t.columns[0][i] = i % 2 ? .75 : .25;
        t.labels[i] = (double)(i % 2);
    }
    table_make_plain(&t, 2);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.edges = HR_EDGES_PUBLIC;
    options.bins = 2;
    options.depth = 1;
    options.trees = 1;
    options.threads = 2;
    hr_model *model = fit(t.data, &options);
    const hr_tree *tree = &model->forest.trees[0];
    const double step = .1 * (RECORDS / 4.) / (RECORDS / 8. + 1);
    assert_true(model->forest.base[0] == 0);
    assert_int_equal(tree->node_count, 3);
    assert_true(fabs(tree->nodes[1].value + step) < 1e-12 && fabs(tree->nodes[2].value - step) < 1e-12);
    hr_model_free(model);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gbdt__sums_more_records_than_words_have_room_for),
        cmocka_unit_test(test_gbdt__fits_a_step),
        cmocka_unit_test(test_gbdt__fits_exclusive_or),
        cmocka_unit_test(test_gbdt__fits_a_subset_of_categories),
        cmocka_unit_test(test_gbdt__learns_from_missing_values),
        cmocka_unit_test(test_gbdt__lowers_the_loss_with_every_tree),
        cmocka_unit_test(test_gbdt__has_calibrated_probabilities),
        cmocka_unit_test(test_gbdt__tells_three_classes_apart),
        cmocka_unit_test(test_gbdt__computes_base_and_leaves_as_published),
        cmocka_unit_test(test_gbdt__predicts_within_the_label_bounds),
        cmocka_unit_test(test_gbdt__does_not_depend_on_order_or_threads),
        cmocka_unit_test(test_gbdt__gives_a_twin_feature_no_say),
        cmocka_unit_test(test_gbdt__learns_constant_labels),
        cmocka_unit_test(test_gbdt__learns_from_one_record),
        cmocka_unit_test(test_gbdt__learns_every_record_with_deep_trees),
        cmocka_unit_test(test_gbdt__uses_255_bins),
        cmocka_unit_test(test_gbdt__keeps_leaves_heavy_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
