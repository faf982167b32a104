/* dp-simfl against what it claims: whole trainings on tiny neighbouring tables (audit_games.h: seeds are
 * fixed, false-alarm rate 1e-6 a game). */
#include "support/audit_games.h"

/* Trees of one split by one owner; public edges. */
static hr_fit_options of_one_owner(double epsilon) {
    hr_fit_options options = options_of("dp-simfl", HR_MODE_SOUND);
    options.epsilon = epsilon;
    options.edges = HR_EDGES_PUBLIC;
    options.bins = 2;
    options.trees = options.depth = 1;
    options.by_name[HR_OPTION_OWNERS] = 1;
    options.leaf_share = .99;
    options.count_share = .01;
    return options;
}

static double leaf_is_above_zero(const hr_model *model) {
    return leaf_value(model, 0, 0) > 0;
}

/* A leaf of labels -1 and 1, then of -1, 1 and -1. */
static game leaf_of_three(double epsilon) {
    game g = {.name = "dp-simfl: tail of a leaf",
              .options = of_one_owner(epsilon),
              .claimed = 2,
              .runs = RUNS_MAX,
              .look = leaf_is_above_zero};
    table t = table_open(3, 1);
    hr_column feature = number_column("x", 0, 1);
    t.labels[1] = 1;
    game_make(&g, &t, category_column("y", 2), &feature);
    return g;
}

/* One owner: all weights are 1, and the noise is that of w_max = 1. */
static void test_game__finds_most_of_the_claim_without_weights(void **state) {
    (void)state;
    game g = leaf_of_three(2);
    g.options.by_name[HR_OPTION_WEIGHT_MAX] = 1;
    double bound = event_bound(&g);
    assert_quiet(&g, bound);
    assert_true(bound > 1.4); /* half the noise would be caught */
    game_close(&g);
    g = leaf_of_three(4);
    g.options.by_name[HR_OPTION_WEIGHT_MAX] = 1;
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

/* ---- A canary whose weight is the largest ---- */

static double first_leaf_is_above_zero_at_1(const hr_model *model) {
    return leaf_value(model, 0, 1) > 0;
}

/* The first owner has 400 records of the first class at 0, the second owner 20 of the second class at 1. The
 * canary, of the first class, lies at 1: the first owner, who has no record there, weighs it as much as it
 * may, and its leaf at 1 moves by w_max g*. */
static game heavy_canary(double epsilon) {
    enum { AT_0 = 400, AT_1 = 20 };
    game g = {.name = "dp-simfl: a canary of the largest weight",
              .options = of_one_owner(epsilon),
              .claimed = 2,
              .runs = RUNS_MAX,
              .look = first_leaf_is_above_zero_at_1};
    table t = table_open(AT_0 + AT_1 + 1, 1);
    hr_column feature = number_column("x", 0, 1);
    for (size_t i = AT_0; i < t.rows; i++) t.columns[0][i] = t.labels[i] = 1;
    t.labels[t.rows - 1] = 0;
    game_make(&g, &t, category_column("y", 2), &feature);
    g.options.by_name[HR_OPTION_OWNERS] = 2;
    g.options.by_name[HR_OPTION_THETA] = 1;
    g.options.by_name[HR_OPTION_LSH_TABLES] = 1;
    g.options.by_name[HR_OPTION_LSH_WIDTH] = .2;
    g.options.by_name[HR_OPTION_WEIGHT_MAX] = 2;
    g.options.by_name[HR_OPTION_WEIGHT_SHARE] = .2;
    return g;
}

static void test_game__finds_no_more_than_is_claimed_on_a_heavy_canary(void **state) {
    (void)state;
    game g = heavy_canary(2);
    double bound = event_bound(&g);
    assert_quiet(&g, bound);
    assert_true(bound > 1.2); /* at half the noise it would be above the claim */
    game_close(&g);
    g = heavy_canary(5);
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_game__finds_most_of_the_claim_without_weights),
        cmocka_unit_test(test_game__finds_no_more_than_is_claimed_on_a_heavy_canary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
