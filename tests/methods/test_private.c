/* The private methods, sound: with noise that hardly matters they learn what gbdt learns; with real noise
 * runs differ, and runs from a seed do not; at epsilon 1 they are of use. */
#include "privacy/crypto/csprng.h"
#include "support/tables.h"

static const char *const methods[] = {"dpboost", "seq", "para"};
enum { METHODS = COUNT(methods) };

/* Two classes by whether x0 is above 1/2, and regression on the same step: public edges (32 bins) have the
 * step among them. */
static table step_table(size_t classes) {
    table t = table_open(4000, 3);
    uint64_t random = 21;
    for (size_t i = 0; i < t.rows; i++) {
        for (size_t f = 0; f < 3; f++) t.columns[f][i] = next_unit(&random);
        t.labels[i] = t.columns[0][i] > .5 ? 1 : classes ? 0 : -1;
    }
    table_make_plain(&t, classes);
    return t;
}

static hr_fit_options loud_options(const char *method, hr_edges edges, double delta) {
    hr_fit_options options = seeded_options_of(method, HR_MODE_SOUND, 3);
    options.epsilon = 1e4;
    options.delta = delta;
    options.edges = edges;
    return options;
}

/* Depth 3 and epsilon 1e4: a level has at least 1e4 * .9 * .7 / 5 / 3 = 400 of epsilon (seq; more for the
 * others), 100 per g*^2 of gain. The step gains at least a tenth of the 40 or more records of a tree over all
 * cuts that are two bins off, so it, or a cut one bin off, is drawn first with all but e^-100. Public edges
 * contain it: no error. Private ones are quantiles of a 32nd part: at most half of that, 1/64, lies between
 * the step and the nearest edge. */
static void test_private__errs_no_more_than_its_bins_at_huge_epsilon(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-6};
    table t = step_table(2);
    for (size_t m = 0; m < METHODS; m++)
        for (size_t d = 0; d < COUNT(deltas); d++) {
            hr_fit_options options = loud_options(methods[m], HR_EDGES_PUBLIC, deltas[d]);
            double error = fit_metrics(t.data, &options).error;
            if (error > .002) fail_msg("%s, public edges, delta %g: error %g", methods[m], deltas[d], error);
            options.edges = HR_EDGES_PRIVATE;
            error = fit_metrics(t.data, &options).error;
            if (error > 1. / 64 + .005)
                fail_msg("%s, private edges, delta %g: error %g", methods[m], deltas[d], error);
        }
    table_close(&t);
}

/* Labels -1 and 1, shrunk leaves: after T trees of rate eta each record is (1 - eta)^T of its label away, but
 * for lambda and the count's noise, a few in a hundred of the smallest part's records. */
static void test_private__regresses_like_gbdt_at_huge_epsilon(void **state) {
    (void)state;
    table t = step_table(0);
    for (size_t m = 0; m < METHODS; m++) {
        hr_fit_options options = loud_options(methods[m], HR_EDGES_PUBLIC, 0);
        double left = pow(1 - options.learning_rate, (double)options.trees),
               rmse = fit_metrics(t.data, &options).rmse;
        if (fabs(rmse - left) > .03)
            fail_msg("%s: root mean square error %g, not %g", methods[m], rmse, left);
    }
    table_close(&t);
}

static void test_private__tells_classes_apart_at_huge_epsilon(void **state) {
    (void)state;
    table t = table_of_steps(6000, 2, 3, 22);
    hr_fit_options plain = options_of("gbdt", HR_MODE_SOUND);
    double best = fit_metrics(t.data, &plain).error;
    for (size_t m = 0; m < METHODS; m++)
        for (int bounding = HR_BOUNDING_CLIP; bounding <= HR_BOUNDING_FILTER; bounding++) {
            hr_fit_options options = loud_options(methods[m], HR_EDGES_PUBLIC, 0);
            options.by_name[HR_OPTION_BOUNDING] = (hr_bounding)bounding;
            options.depth = 4; /* five cells of two features have three classes */
            double error = fit_metrics(t.data, &options).error;
            /* 32 bins put the steps at 1/3 and 2/3 up to 1/96 away from an edge, four times: .04. Splits of
             * one variable at a time are drawn by gain, so trees of four levels may miss a cell; a majority
             * class errs on .67. */
            if (error > best + .04 + .08)
                fail_msg("%s, bounding %d: error %g, gbdt %g", methods[m], bounding, error, best);
        }
    table_close(&t);
}

/* g* = 1/2 is below every first gradient, which is 1: clipping trains on all records, leaving out (and the
 * published filter) on none. */
static void test_private__bounds_gradients_as_the_option_says(void **state) {
    (void)state;
    table t = step_table(0);
    for (size_t m = 0; m < METHODS; m++)
        for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++)
            for (int bounding = HR_BOUNDING_CLIP; bounding <= HR_BOUNDING_FILTER; bounding++) {
                hr_fit_options options = seeded_options_of(methods[m], (hr_mode)mode, 3);
                options.epsilon = 1e4;
                options.trees = 1;
                options.by_name[HR_OPTION_ENSEMBLE] = 1;
                if (mode == HR_MODE_SOUND) options.edges = HR_EDGES_PUBLIC;
                options.gradient_bound = .5;
                options.by_name[HR_OPTION_BOUNDING] = (hr_bounding)bounding;
                bool trains = mode == HR_MODE_SOUND && bounding == HR_BOUNDING_CLIP;
                double moved =
                    1 - fit_metrics(t.data, &options).rmse; /* from a constant 0, whose error is 1 */
                assert_true(trains ? moved > .1 * options.learning_rate : fabs(moved) < .01);
            }
    table_close(&t);
}

/* ---- Sharing out ---- */

/* How many records trained a tree: all labels are 1, so that a leaf of n records has the value rate n/(n +
 * lambda), if the trees before it have moved no score by much. */
static double records_of_tree(const hr_tree *tree, double rate, double lambda) {
    double records = 0;
    for (size_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].left) records += lambda * tree->nodes[n].value / (rate - tree->nodes[n].value);
    return records;
}

/* Records draw their trees by themselves: how many a tree has is binomial, where fixed sizes would be one and
 * the same number. Mean and variance over the seeds, two-sided, false-alarm rate 1e-6 each: five standard
 * deviations. */
static void test_private__draws_how_many_records_a_tree_has(void **state) {
    (void)state;
    enum { ROWS = 1000, SEEDS = 200 };
    static const struct {
        const char *method;
        double part;
    } cases[] = {{"dpboost", .25}, {"para", .5}};
    table t = table_open(ROWS, 1);
    for (size_t i = 0; i < ROWS; i++) t.columns[0][i] = (double)(1 + i % 2), t.labels[i] = 1;
    hr_column feature = category_column("x", 2);
    table_make(&t, number_column("y", -1, 1), &feature);
    for (size_t c = 0; c < COUNT(cases); c++) {
        double sum = 0, square = 0, mean = ROWS * cases[c].part, variance = mean * (1 - cases[c].part);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            hr_fit_options options = loud_options(cases[c].method, HR_EDGES_PUBLIC, 0);
            options.seed = seed;
            options.trees = 4;
            options.by_name[HR_OPTION_ENSEMBLE] = 4;
            options.depth = 1;
            options.lambda = ROWS;
            options.learning_rate = 1;
            hr_model *model = fit(t.data, &options);
            double off = records_of_tree(&model->forest.trees[0], 1, ROWS) - mean;
            sum += off / SEEDS, square += off * off / SEEDS;
            hr_model_free(model);
        }
        print_message("%s: mean %.2f off, variance %.1f of %.1f\n", cases[c].method, sum, square, variance);
        assert_true(fabs(sum) < 5 * sqrt(variance / SEEDS) &&
                    fabs(square / variance - 1) < 5 * sqrt(2. / SEEDS));
    }
    table_close(&t);
}

/* Every record trains one tree of an ensemble: those of all four are the records of the table. Four times
 * those of one tree would be 55 more or fewer, by standard deviation. */
static void test_dpboost__trains_one_tree_of_an_ensemble_on_each_record(void **state) {
    (void)state;
    enum { ROWS = 1000, SEEDS = 20, TREES = 4 };
    table t = table_open(ROWS, 1);
    for (size_t i = 0; i < ROWS; i++) t.columns[0][i] = (double)(1 + i % 2), t.labels[i] = 1;
    hr_column feature = category_column("x", 2);
    table_make(&t, number_column("y", -1, 1), &feature);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        hr_fit_options options = loud_options("dpboost", HR_EDGES_PUBLIC, 0);
        options.seed = seed;
        options.trees = TREES;
        options.by_name[HR_OPTION_ENSEMBLE] = TREES;
        options.depth = 1;
        options.lambda = ROWS;
        options.learning_rate = .01;
        hr_model *model = fit(t.data, &options);
        double records = 0;
        for (size_t k = 0; k < TREES; k++)
            records += records_of_tree(&model->forest.trees[k], options.learning_rate, ROWS);
        if (!(fabs(records - ROWS) < 8)) fail_msg("seed %d: %.1f records", (int)seed, records);
        hr_model_free(model);
    }
    table_close(&t);
}

/* ---- Noise ---- */

static void test_private__gives_another_model_every_time(void **state) {
    (void)state;
    table t = table_of_steps(200, 2, 2, 23);
    for (size_t m = 0; m < METHODS; m++)
        for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
            hr_fit_options options = options_of(methods[m], (hr_mode)mode);
            char *one = fit_text(t.data, &options), *two = fit_text(t.data, &options);
            assert_string_not_equal(one, two);
            hr_text_free(one);
            hr_text_free(two);
        }
    table_close(&t);
}

static void assert_same_for_threads(const table *t, hr_fit_options options) {
    static const int threads[] = {2, 4};
    options.threads = 1;
    char *wanted = fit_text(t->data, &options);
    for (size_t i = 0; i < COUNT(threads); i++) {
        options.threads = threads[i];
        char *got = fit_text(t->data, &options);
        assert_string_equal(got, wanted);
        hr_text_free(got);
    }
    options.seed++;
    char *other = fit_text(t->data, &options);
    assert_string_not_equal(other, wanted);
    hr_text_free(other);
    hr_text_free(wanted);
}

static void test_private__repeats_itself_from_a_seed(void **state) {
    (void)state;
    static const size_t classes[] = {0, 2, 3};
    for (size_t c = 0; c < COUNT(classes); c++) {
        table t = table_of_steps(1200, 3, classes[c], 24);
        for (size_t m = 0; m < METHODS; m++)
            for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
                hr_fit_options options = seeded_options_of(methods[m], (hr_mode)mode, 77);
                options.trees = 5;
                if (mode == HR_MODE_SOUND && c == 1) options.delta = 1e-6;
                assert_same_for_threads(&t, options);
            }
        table_close(&t);
    }
}

/* ---- Use ---- */

/* At epsilon 1 on 20,000 records of a table that no single cut tells apart. Majority is right on half of
 * them: an error of .25 by chance would be 70 standard deviations (.0035) below. The seed makes it one and
 * the same run. */
static void test_dpboost__is_of_use_at_epsilon_1(void **state) {
    (void)state;
    table t = table_of_steps(20000, 6, 2, 25), fresh = table_of_steps(20000, 6, 2, 26);
    static const double deltas[] = {0, 1e-6};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        hr_fit_options options = seeded_options_of("dpboost", HR_MODE_SOUND, 4);
        options.epsilon = 1;
        options.delta = deltas[d];
        hr_model *model = fit(t.data, &options);
        hr_data *test = NULL;
        assert_int_equal(hr_data_from_arrays(hr_model_schema(model), fresh.rows,
                                             (const double *const *)fresh.columns, fresh.labels, &test, NULL),
                         HR_OK);
        double error = metrics_of(model, test).error;
        if (error > .25) fail_msg("delta %g: error %g", deltas[d], error);
        hr_data_free(test);
        hr_model_free(model);
    }
    table_close(&t);
    table_close(&fresh);
}

/* Two trees an ensemble and three records: one is left over. All have the label 1, so every tree brings every
 * score half of the way there, also after an ensemble that left a record over: to 1 - 1/16 after four trees.
 */
static void test_dpboost__scores_records_that_rounding_leaves_over(void **state) {
    (void)state;
    table t = table_open(3, 1);
    for (size_t i = 0; i < t.rows; i++) t.labels[i] = 1;
    table_make_plain(&t, 0);
    for (uint64_t seed = 0; seed < 20; seed++) {
        hr_fit_options options = seeded_options_of("dpboost", HR_MODE_PAPER, seed);
        options.epsilon = 1e4;
        options.learning_rate = .5;
        options.depth = 1;
        options.by_name[HR_OPTION_ENSEMBLE] = 2;
        options.by_name[HR_OPTION_SHARES] = HR_SHARES_EQUAL;
        options.trees = 4;
        options.lambda = 0;
        hr_model *model = fit(t.data, &options);
        double *p = predictions_of(model, t.data);
        for (size_t i = 0; i < t.rows; i++) assert_true(fabs(p[i] - (1 - 1. / 16)) < .01);
        free(p);
        hr_model_free(model);
    }
    table_close(&t);
}

/* ---- Odd tables ---- */

static void test_private__trains_on_hardly_any_records(void **state) {
    (void)state;
    for (size_t rows = 1; rows <= 3; rows++)
        for (size_t classes = 0; classes <= 4; classes += 2) {
            table t = table_of_steps(rows, 1, classes, rows);
            for (size_t m = 0; m < METHODS; m++)
                for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
                    hr_fit_options options = seeded_options_of(methods[m], (hr_mode)mode, rows);
                    hr_model *model = fit(t.data, &options);
                    double *p = predictions_of(model, t.data);
                    for (size_t i = 0; i < rows * hr_model_output_count(model); i++)
                        assert_true(p[i] >= -1 && p[i] <= 1);
                    free(p);
                    hr_model_free(model);
                }
            table_close(&t);
        }
}

static void test_private__trains_on_missing_values_alone(void **state) {
    (void)state;
    table t = table_open(50, 2);
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = t.columns[1][i] = (double)NAN;
        t.labels[i] = (double)(i % 2);
    }
    table_make_plain(&t, 2);
    for (size_t m = 0; m < METHODS; m++)
        for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
            hr_fit_options options = seeded_options_of(methods[m], (hr_mode)mode, 6);
            hr_model_free(fit(t.data, &options));
            options.depth = 12;
            options.bins = mode ? 2 : 255;
            options.trees = 2;
            hr_model_free(fit(t.data, &options));
        }
    table_close(&t);
}

/* A draw of the Laplace distribution. */
static double laplace(hr_csprng *csprng, double scale) {
    double u = ((double)(hr_csprng_u64(csprng) >> 11) + .5) * 0x1p-53;
    return u < .5 ? scale * log(2 * u) : -scale * log(2 * (1 - u));
}

/* Without a feature to split by, a tree is one leaf: of 1,000 labels .5 it says S/(N + lambda + noise), where
 * noise is the standard deviation of S, sqrt(2) over what the sum was paid, and both S and N are noisy. Its
 * mean over fits against that of many draws of this law; with the scale of the noise in place of its
 * deviation it would be .012 more. Two-sided, false-alarm rate 1e-6: five standard deviations. */
static void test_private__leaves_weigh_the_deviation_of_their_noise(void **state) {
    (void)state;
    enum { RECORDS = 1000, FITS = 6000, DRAWS = 20 };
    table t = table_open(RECORDS, 1);
    for (size_t i = 0; i < RECORDS; i++) {
        t.columns[0][i] = 1;
        t.labels[i] = .5;
    }
    hr_column feature = number_column("x", 1, 1);
    table_make(&t, number_column("y", -1, 1), &feature);
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(11, &csprng, NULL), HR_OK);
    double mean = 0, wanted = 0, square = 0;
    for (uint64_t seed = 0; seed < FITS; seed++) {
        hr_fit_options options = seeded_options_of("seq", HR_MODE_SOUND, seed);
        options.epsilon = .094;
        options.delta = 0;
        options.trees = 1;
        options.count_share = .5;
        hr_model *model = fit(t.data, &options);
        assert_int_equal(model->forest.trees[0].node_count, 1);
        mean += model->forest.trees[0].nodes[0].value / options.learning_rate / FITS;
        hr_model_free(model);
        double count_cost = options.epsilon * options.leaf_share * options.count_share;
        double sum_cost = options.epsilon * options.leaf_share - count_cost;
        for (int d = 0; d < DRAWS; d++) {
            double sum = .5 * RECORDS + laplace(csprng, 1 / sum_cost),
                   count = fmax(RECORDS + laplace(csprng, 1 / count_cost), 0);
            double value = fmin(fmax(sum / (count + options.lambda + sqrt(2) / sum_cost), -1), 1);
            wanted += value / FITS / DRAWS;
            square += value * value / FITS / DRAWS;
        }
    }
    double deviation = sqrt((1 + 1. / DRAWS) * (square - wanted * wanted) / FITS);
    print_message("leaves say %.4f, expected %.4f, standard deviation %.4f\n", mean, wanted, deviation);
    assert_true(fabs(mean - wanted) < 5 * deviation);
    hr_csprng_close(csprng);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_private__leaves_weigh_the_deviation_of_their_noise),
        cmocka_unit_test(test_private__errs_no_more_than_its_bins_at_huge_epsilon),
        cmocka_unit_test(test_private__regresses_like_gbdt_at_huge_epsilon),
        cmocka_unit_test(test_private__tells_classes_apart_at_huge_epsilon),
        cmocka_unit_test(test_private__bounds_gradients_as_the_option_says),
        cmocka_unit_test(test_private__draws_how_many_records_a_tree_has),
        cmocka_unit_test(test_dpboost__trains_one_tree_of_an_ensemble_on_each_record),
        cmocka_unit_test(test_private__gives_another_model_every_time),
        cmocka_unit_test(test_private__repeats_itself_from_a_seed),
        cmocka_unit_test(test_dpboost__is_of_use_at_epsilon_1),
        cmocka_unit_test(test_dpboost__scores_records_that_rounding_leaves_over),
        cmocka_unit_test(test_private__trains_on_hardly_any_records),
        cmocka_unit_test(test_private__trains_on_missing_values_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
