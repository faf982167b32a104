/* Whole trainings on tiny neighbouring data sets, thousands of times: the flaws of the published methods are
 * caught, and the sound ones stay within what they claim.
 *
 * Seeds are fixed, so every game ends the same way each time. The bounds hold with a false-alarm rate of 1e-6
 * a game (audit.h): a sound method that is as private as it claims would be accused once in a million choices
 * of seeds, and a published one that is caught is caught with that confidence. Each quiet game was seen to
 * accuse a method that was broken on purpose. */
#include "support/audit_games.h"

/* One tree of one split on all records, at epsilon 2; nothing but splits and leaves is paid for. */
static hr_fit_options one_split(hr_mode mode) {
    hr_fit_options options = options_of("dpboost", mode);
    options.epsilon = 2;
    options.trees = options.depth = 1;
    options.by_name[HR_OPTION_ENSEMBLE] = 1;
    options.bins = 2;
    if (mode == HR_MODE_SOUND) options.edges = HR_EDGES_PUBLIC;
    return options;
}

/* ---- The bounds themselves ---- */

/* Values of Clopper and Pearson's interval from its definition: the tail of the binomial at the bound is
 * alpha. */
static double binomial_at_most(int k, int n, double p) {
    double sum = 0;
    for (int i = 0; i <= k; i++)
        sum += exp(lgamma(n + 1.) - lgamma(i + 1.) - lgamma(n - i + 1.) + i * log(p) + (n - i) * log1p(-p));
    return sum;
}

static void test_audit__bounds_are_clopper_and_pearsons(void **state) {
    (void)state;
    static const int cases[][2] = {{0, 10},    {1, 10},      {9, 10},     {5, 40},
                                   {37, 2000}, {1999, 2000}, {3500, 6000}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        int k = cases[i][0], n = cases[i][1];
        double high = max_probability(k, n, 1e-4), low = min_probability(k, n, 1e-4);
        assert_true(low < (k + .5) / n && high > k / (double)n);
        assert_true(fabs(binomial_at_most(k, n, high) / 1e-4 - 1) < 1e-6);
        if (k) assert_true(fabs((1 - binomial_at_most(k - 1, n, low)) / 1e-4 - 1) < 1e-6);
    }
    assert_true(min_probability(0, 10, 1e-4) == 0 && max_probability(10, 10, 1e-4) == 1);
    assert_true(epsilon_of_event(0, 0, 100) == 0 && epsilon_of_event(50, 50, 100) == 0);
    assert_true(epsilon_of_event(500, 10, 1000) > 2 && epsilon_of_event(500, 10, 1000) < log(50));
}

/* ---- W1: which feature the root splits (lemma 1) ---- */

static double root_is_feature_0(const hr_model *model) {
    return model->forest.trees[0].nodes[0].feature == 0;
}

/* Eleven features tell 100 records of label -1 (all 0) from 100 of label +1 (all 1). The canary, of label +1,
 * is on the side of +1 by ten features and on the side of -1 by the first: its gain falls by almost 3 g*^2,
 * those of the others rise by g*^2. */
static game w1(hr_mode mode) {
    enum { HALF = 100, FEATURES = 11 };
    game g = {.name = "W1 root feature", .options = one_split(mode), .claimed = 2, .look = root_is_feature_0};
    g.runs = mode == HR_MODE_PAPER ? 3000 : RUNS_MAX;
    table t = table_open(2 * HALF + 1, FEATURES);
    hr_column features[FEATURES];
    for (size_t f = 0; f < FEATURES; f++) {
        static const char *const names[FEATURES] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
        features[f] = number_column(names[f], 0, 1);
        for (size_t i = HALF; i < 2 * HALF; i++) t.columns[f][i] = 1;
        t.columns[f][2 * HALF] = f > 0;
    }
    for (size_t i = HALF; i < t.rows; i++) t.labels[i] = 1;
    game_make(&g, &t, category_column("y", 2), features);
    g.options.lambda = 10;
    g.options.leaf_share = .01; /* nearly all is spent on the split that the game looks at */
    return g;
}

static void test_w1__catches_the_published_sensitivity_of_the_gain(void **state) {
    (void)state;
    game g = w1(HR_MODE_PAPER);
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

static void test_w1__finds_nothing_on_the_sound_split(void **state) {
    (void)state;
    game g = w1(HR_MODE_SOUND);
    assert_quiet(&g, event_bound(&g));
    game_close(&g);
}

/* ---- W2: sizes of subsets (theorem 8) ---- */

enum { SUBSETS = 10 };

/* Log likelihood ratio of the published leaves: Laplace of scale Delta V / (epsilon/2) around 0 or around
 * -1/(1 + lambda). */
static double ratio_of_leaves(const hr_model *model) {
    double sum = 0, shift = 1 / 1.1;
    for (size_t tree = 0; tree < SUBSETS; tree++) {
        double value = leaf_value(model, tree, 0) / .001;
        sum += (fabs(value) - fabs(value + shift)) / shift;
    }
    return -sum;
}

/* The sign of a sound leaf is that of its noisy sum, whatever its noisy count. */
static double trees_above_zero(const hr_model *model) {
    double above = 0;
    for (size_t tree = 0; tree < SUBSETS; tree++) above += leaf_value(model, tree, 0) > 0;
    return above;
}

/* Nine records, or ten, for ten trees: fixed sizes are 0 each, or 1 each. */
static game w2(hr_mode mode) {
    game g = {.name = "W2u sizes of subsets, n = 9 and 10",
              .options = one_split(mode),
              .claimed = 2,
              .runs = 4000,
              .look = mode == HR_MODE_PAPER ? ratio_of_leaves : trees_above_zero};
    table t = table_open(SUBSETS, 1);
    hr_column feature = number_column("x", 0, 1);
    game_make(&g, &t, category_column("y", 2), &feature);
    g.options.trees = SUBSETS;
    g.options.by_name[HR_OPTION_ENSEMBLE] = SUBSETS;
    g.options.by_name[HR_OPTION_SHARES] = HR_SHARES_EQUAL;
    g.options.learning_rate = .001;
    g.options.leaf_share = .99;
    g.options.count_share = .01;
    return g;
}

static void test_w2__catches_subsets_of_fixed_size(void **state) {
    (void)state;
    game g = w2(HR_MODE_PAPER);
    assert_caught(&g, statistic_bound(&g));
    game_close(&g);
}

static void test_w2__finds_nothing_on_drawn_subsets(void **state) {
    (void)state;
    game g = w2(HR_MODE_SOUND);
    assert_quiet(&g, statistic_bound(&g));
    game_close(&g);
}

/* ---- W3: a cut point that exists only if the canary does ---- */

static double only_with_canary;

static bool has_edge(const hr_model *model, double at) {
    const hr_feature_bins *feature = &model->predictor.columns[0].bins;
    for (uint32_t e = 0; e + 2 < feature->bin_count; e++)
        if (fabs(feature->edges[e] - at) < 1e-9) return true;
    return false;
}

static double edge_exists(const hr_model *model) {
    return has_edge(model, only_with_canary);
}

static double largest_edge(const hr_model *model) {
    const hr_feature_bins *feature = &model->predictor.columns[0].bins;
    return feature->bin_count > 2 ? feature->edges[feature->bin_count - 3] : 0;
}

/* A model shows the edges that its splits use: of 7 edges, so many trees use each but once in 10,000 fits. */
enum { W3_TREES = 60 };

static game w3(hr_mode mode) {
    game g = {
        .name = "W3 cut points", .options = one_split(mode), .claimed = 1, .runs = 600, .look = edge_exists};
    table t = table_open(8, 1);
    hr_column feature = number_column("x", 0, 1);
    for (size_t i = 0; i < 7; i++) t.columns[0][i] = (double)i / 10;
    t.columns[0][7] = .7777;
    game_make(&g, &t, category_column("y", 2), &feature);
    g.options.epsilon = 1;
    g.options.bins = 8;
    g.options.trees = W3_TREES;
    if (mode == HR_MODE_SOUND) g.options.edges = HR_EDGES_PRIVATE;
    g.options.bin_share = .9;
    return g;
}

/* The published thresholds are edges of the data: finds the one that the canary makes. */
static void find_edge_of_canary(void) {
    game g = w3(HR_MODE_PAPER);
    hr_model *without = fit(g.without.data, &g.options), *with = fit(g.with.data, &g.options);
    const hr_feature_bins *feature = &with->predictor.columns[0].bins;
    only_with_canary = NAN;
    for (uint32_t e = 0; e + 2 < feature->bin_count; e++)
        if (!has_edge(without, feature->edges[e])) only_with_canary = feature->edges[e];
    assert_true(only_with_canary > 0);
    hr_model_free(without);
    hr_model_free(with);
    game_close(&g);
}

static void test_w3__catches_cut_points_of_the_data(void **state) {
    (void)state;
    find_edge_of_canary();
    game g = w3(HR_MODE_PAPER);
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

static void test_w3__finds_nothing_on_private_cut_points(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-9}; /* so small a delta does not show in thousands of runs */
    find_edge_of_canary();
    for (size_t i = 0; i < COUNT(deltas); i++) {
        game g = w3(HR_MODE_SOUND);
        g.options.delta = deltas[i];
        if (!i) assert_quiet(&g, event_bound(&g));
        g.look = largest_edge;
        assert_quiet(&g, statistic_bound(&g));
        game_close(&g);
    }
}

/* ---- W4: the tail of one leaf ---- */

static double leaf_is_above_zero(const hr_model *model) {
    return leaf_value(model, 0, 0) > 0;
}

/* A leaf of labels -1 and 1, then of -1, 1 and -1: its sum goes from 0 to g*, and the odds of its noisy sign
 * from even to e^-epsilon_sum / 2. Nearly all of epsilon is spent there: the exact loss is 1.96 of 2. */
static game w4(double epsilon) {
    game g = {.name = "W4 tail of a leaf",
              .options = one_split(HR_MODE_SOUND),
              .claimed = 2,
              .runs = 10000,
              .look = leaf_is_above_zero};
    table t = table_open(3, 1);
    hr_column feature = number_column("x", 0, 1);
    t.labels[1] = 1;
    game_make(&g, &t, category_column("y", 2), &feature);
    g.options.epsilon = epsilon;
    g.options.leaf_share = .99;
    g.options.count_share = .01;
    return g;
}

static void test_w4__finds_nothing_in_the_tail_of_a_leaf(void **state) {
    (void)state;
    game g = w4(2);
    double bound = event_bound(&g);
    assert_quiet(&g, bound);
    assert_true(bound > 1.5); /* the game sees most of the loss, so half the noise would show */
    game_close(&g);
}

static void test_w4__catches_a_fit_at_twice_the_epsilon_it_claims(void **state) {
    (void)state;
    game g = w4(4);
    g.name = "W4 trained at 4, labelled 2";
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

/* ---- W5: the same leaf in several trees ---- */

/* Of the first two trees, which are those of the first two classes if there are three. */
static double two_leaves_are_above_zero(const hr_model *model) {
    for (size_t tree = 0; tree < 2; tree++)
        if (!(leaf_value(model, tree, 0) > 0)) return 0;
    return 1;
}

/* W4 with several trees, which see what is left of the budget or of the records. With two trees one after the
 * other, at half of epsilon each, the odds that both are above zero go from 1/4 to (e^-(epsilon_sum / 2) /
 * 2)^2: an exact loss of 1.96 of 2 again. */
static void test_w5__finds_nothing_in_trees_that_share_a_budget(void **state) {
    (void)state;
    static const struct {
        const char *method;
        int64_t trees, ensemble;
        size_t classes;
    } cases[] = {{"seq", 2, 1, 2},     {"para", 2, 1, 2},    {"dpboost", 2, 2, 2},
                 {"dpboost", 2, 1, 2}, {"dpboost", 1, 1, 3}, {"seq", 1, 1, 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        game g = {.name = cases[i].method,
                  .options = one_split(HR_MODE_SOUND),
                  .claimed = 2,
                  .runs = 6000,
                  .look = two_leaves_are_above_zero};
        table t = table_open(3, 1);
        hr_column feature = number_column("x", 0, 1);
        t.labels[1] = 1;
        t.labels[2] = cases[i].classes == 3 ? 2 : 0;
        game_make(&g, &t, category_column("y", cases[i].classes), &feature);
        g.options.method = cases[i].method;
        g.options.trees = cases[i].trees;
        g.options.by_name[HR_OPTION_ENSEMBLE] = (double)cases[i].ensemble;
        g.options.learning_rate = .001; /* so that later trees see the gradients of the first */
        g.options.leaf_share = .99;
        g.options.count_share = .01;
        assert_quiet(&g, event_bound(&g));
        game_close(&g);
    }
}

/* ---- W6: the prediction at a canary that stands alone ---- */

static double score_of_canary(const hr_model *model) {
    double score = 0;
    for (size_t tree = 0; tree < model->forest.tree_count; tree++) score += leaf_value(model, tree, .97);
    return score;
}

static game w6(const char *method, double delta, size_t classes) {
    game g = {.name = method,
              .options = options_of(method, HR_MODE_SOUND),
              .claimed = 2,
              .runs = 1500,
              .look = score_of_canary};
    table t = table_open(21, 2);
    uint64_t random = 1;
    for (size_t i = 0; i < 20; i++)
        for (size_t f = 0; f < 2; f++) t.columns[f][i] = .3 * next_unit(&random);
    t.columns[0][20] = t.columns[1][20] = .97;
    for (size_t i = 0; i < 20; i++) t.labels[i] = classes ? 0 : -1;
    t.labels[20] = 1;
    const hr_column features[2] = {number_column("x", 0, 1), number_column("z", 0, 1)};
    game_make(&g, &t, classes ? category_column("y", classes) : number_column("y", -1, 1), features);
    g.options.epsilon = 2;
    g.options.trees = 4;
    g.options.by_name[HR_OPTION_ENSEMBLE] = 2;
    g.options.depth = 2;
    g.options.bins = 8;
    g.options.edges = HR_EDGES_PUBLIC;
    g.options.delta = delta;
    return g;
}

static const struct {
    const char *method;
    double delta;
    size_t classes;
} w6_cases[] = {{"dpboost", 0, 2}, {"dpboost", 1e-9, 0}, {"seq", 0, 0},
                {"seq", 1e-9, 2},  {"para", 0, 2},       {"para", 1e-9, 0}};

static void test_w6__finds_nothing_on_a_canary_that_stands_alone(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(w6_cases); i++) {
        game g = w6(w6_cases[i].method, w6_cases[i].delta, w6_cases[i].classes);
        assert_quiet(&g, statistic_bound(&g));
        game_close(&g);
    }
}

static void test_w6__catches_fits_at_far_more_than_they_claim(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(w6_cases); i++) {
        game g = w6(w6_cases[i].method, w6_cases[i].delta, w6_cases[i].classes);
        g.options.epsilon = 1000;
        assert_caught(&g, statistic_bound(&g));
        game_close(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_audit__bounds_are_clopper_and_pearsons),
        cmocka_unit_test(test_w1__catches_the_published_sensitivity_of_the_gain),
        cmocka_unit_test(test_w1__finds_nothing_on_the_sound_split),
        cmocka_unit_test(test_w2__catches_subsets_of_fixed_size),
        cmocka_unit_test(test_w2__finds_nothing_on_drawn_subsets),
        cmocka_unit_test(test_w3__catches_cut_points_of_the_data),
        cmocka_unit_test(test_w3__finds_nothing_on_private_cut_points),
        cmocka_unit_test(test_w4__finds_nothing_in_the_tail_of_a_leaf),
        cmocka_unit_test(test_w4__catches_a_fit_at_twice_the_epsilon_it_claims),
        cmocka_unit_test(test_w5__finds_nothing_in_trees_that_share_a_budget),
        cmocka_unit_test(test_w6__finds_nothing_on_a_canary_that_stands_alone),
        cmocka_unit_test(test_w6__catches_fits_at_far_more_than_they_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
