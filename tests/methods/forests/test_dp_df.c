/* A private decision forest: its trees follow from their own splits, features are chosen by the law that is
 * charged for, leaves have the rest of the budget; and what is claimed holds in games. */
#include "support/chi_square.h"
#include "support/flip_law.h"
#include "support/forest_checks.h"

enum { NODES_MAX = 4096 };

static const forest_setting settings[] = {
    {true, 5, 4, 0, 300, 0, 1, 0},     {true, 5, 4, 0, 300, 2, 1, 1e-6},
    {false, 3, 3, 20, 300, 3, .5, 0},  /* K above the number of features */
    {false, 2, 7, 7, 300, 0, 8, 1e-6}, /* as deep as there are features: no choice at the last level */
    {true, 3, 2, 1, 300, 2, 1, 0},     /* no choice at all */
    {false, 1, 12, 2, 300, 5, 1e4, 0}, {true, 4, 1, 2, 1, 2, 1, 1e-6},
};

/* ---- Trees ---- */

static size_t candidates_of(const forest_setting *s) {
    size_t wanted = s->features ? (size_t)s->features : 3; /* the root of seven */
    return wanted < ODD_FEATURES ? wanted : ODD_FEATURES;
}

/* A tree grown again, node by node. */
typedef struct grown {
    bool asked[NODES_MAX][ODD_FEATURES]; /* above a node */
    int64_t levels[NODES_MAX];
    size_t choices[12]; /* of a level */
} grown;

/* Five even parts, of fewer integers one each; and missing. */
static size_t bins_of(const hr_model *model, size_t f) {
    hr_arena *arena = hr_arena_new();
    hr_binning binning;
    assert_int_equal(hr_edges_public(model->schema, 5, arena, &binning, NULL), HR_OK);
    size_t count = binning.features[f].bin_count;
    hr_arena_free(arena);
    return count;
}

/* Features that may split node n when there are `nodes` nodes. */
static size_t possible_at(const grown *g, const hr_model *model, size_t n, size_t nodes) {
    size_t possible = 0;
    for (size_t f = 0; f < ODD_FEATURES; f++)
        possible += !g->asked[n][f] && nodes + bins_of(model, f) <= NODES_MAX;
    return possible;
}

static void grow_again(const forest_setting *s, const hr_model *model, const hr_tree *tree, grown *g) {
    size_t nodes = 1;
    memset(g, 0, sizeof *g);
    assert_true(tree->node_count <= NODES_MAX);
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        size_t possible = possible_at(g, model, n, nodes);
        assert_true(n < nodes);
        if (g->levels[n] == s->depth || !possible) {
            assert_true(node->left == 0);
            continue;
        }
        g->choices[g->levels[n]] += possible > 1 && candidates_of(s) > 1;
        assert_true(node->left == nodes && !g->asked[n][node->feature]);
        assert_true(node->branches == bins_of(model, node->feature));
        for (size_t b = 0; b < node->branches; b++, nodes++) {
            g->levels[nodes] = g->levels[n] + 1;
            memcpy(g->asked[nodes], g->asked[n], sizeof g->asked[n]);
            g->asked[nodes][node->feature] = true;
        }
    }
    assert_int_equal(nodes, tree->node_count);
}

static void check_trees(const forest_setting *s, const hr_model *model) {
    static grown g;
    check_outputs(s, model);
    for (size_t t = 0; t < model->forest.tree_count; t++) grow_again(s, model, &model->forest.trees[t], &g);
}

static void test_trees__ask_about_a_feature_once_and_keep_to_their_room(void **state) {
    (void)state;
    each_forest("dp-df", settings, COUNT(settings), 0, check_trees);
}

/* Three categories of 256 bins: the root and its first 14 children leave too little room for one more. */
static void test_trees__of_large_categories_are_cut_off_at_a_public_size(void **state) {
    (void)state;
    table t = table_open(20, 3);
    for (size_t i = 0; i < t.rows; i++) t.columns[0][i] = t.columns[1][i] = t.columns[2][i] = (double)i;
    const hr_column columns[] = {odd_category("a", VALUES_MAX), odd_category("b", VALUES_MAX),
                                 odd_category("c", VALUES_MAX)};
    table_make(&t, category_column("y", 2), columns);
    hr_model *model = NULL;
    hr_fit_options options = options_of("dp-df", HR_MODE_SOUND);
    model = fit(t.data, &options);
    for (size_t k = 0; k < model->forest.tree_count; k++) {
        const hr_tree *tree = &model->forest.trees[k];
        assert_int_equal(tree->node_count, 1 + 15 * 256);
        for (size_t n = 0; n < tree->node_count; n++) assert_int_equal(tree->nodes[n].left != 0, n < 15);
    }
    hr_model_free(model);
    table_close(&t);
}

/* ---- Releases ---- */

static void check_list(const forest_setting *s, const hr_model *model) {
    static grown g;
    reader r = {.s = s, .model = model};
    size_t levels = candidates_of(s) > 1 ? ODD_FEATURES - 1 : 0;
    if (levels > (size_t)s->depth) levels = (size_t)s->depth;
    for (; r.tree < (size_t)s->trees; r.tree++) {
        hr_units all = budget_of_tree(s), leaves = levels ? hr_units_share(all, .65) : all;
        grow_again(s, model, &model->forest.trees[r.tree * outputs_of_forest(s)], &g);
        for (size_t level = 0; level < levels; level++) {
            uint64_t width = s->classes ? UINT64_C(2) << 20 : UINT64_C(4) << 24;
            assert_true(
                next_line(&r, "choice of feature", (int64_t)level, (all - leaves) / levels, width)->draws ==
                g.choices[level]);
        }
        check_leaf_lines(&r, leaves);
    }
    assert_int_equal(r.at, model->release_count);
}

static void test_releases__are_choices_and_leaves(void **state) {
    (void)state;
    each_forest("dp-df", settings, COUNT(settings), 0, check_list);
}

static void test_releases__cost_what_was_asked_for(void **state) {
    (void)state;
    each_forest("dp-df", settings, COUNT(settings), 0, check_costs);
}

/* ---- The choice of a feature, exactly ---- */

static void exponential_law(const double *scores, size_t count, double scale, double *out) {
    double sum = 0;
    for (size_t c = 0; c < count; c++) sum += out[c] = exp(scale * (scores[c] - scores[0]));
    for (size_t c = 0; c < count; c++) out[c] /= sum;
}

static void law_of(const hr_release *line, const double *scores, size_t count, double *out) {
    double scale = (double)line->scale_num / (double)line->scale_den;
    (line->mechanism == HR_MECHANISM_PERMUTE_AND_FLIP ? flip_law : exponential_law)(scores, count, scale,
                                                                                    out);
}

/* Minus the squared errors around the mean of each of a feature's values 0, 1, 2, in the units of the scores:
 * classes as unit vectors in units of 2^-20, numbers in units of 2^-24. */
static double plain_score(const table *t, size_t feature, size_t classes) {
    double n[3] = {0}, sum[3][3] = {{0}}, errors = 0;
    for (size_t i = 0; i < t->rows; i++) {
        size_t value = (size_t)t->columns[feature][i];
        n[value]++;
        for (size_t k = 0; k < (classes ? classes : 1); k++)
            sum[value][k] += classes ? t->labels[i] == (double)k : t->labels[i];
    }
    for (size_t i = 0; i < t->rows; i++) {
        size_t value = (size_t)t->columns[feature][i];
        for (size_t k = 0; k < (classes ? classes : 1); k++) {
            double y = classes ? t->labels[i] == (double)k : t->labels[i];
            errors += (y - sum[value][k] / n[value]) * (y - sum[value][k] / n[value]);
        }
    }
    return -errors * (classes ? 0x1p20 : 0x1p24);
}

enum { CHOSEN = 4, TREES = 6000 };

/* A label that x0 tells well, x1 less, x2 hardly, x3 not at all; some values are missing. */
static table choice_table(size_t classes) {
    table t = table_open(24, CHOSEN);
    for (size_t i = 0; i < t.rows; i++) {
        double y = (double)(i % 2);
        t.labels[i] = classes ? y : y - .5;
        for (size_t f = 0; f < CHOSEN; f++)
            t.columns[f][i] = i % 12 == 11 ? 0 : i % (7 - 2 * f) == 1 ? 1 + (double)(i / 3 % 2) : 1 + y;
        t.columns[CHOSEN - 1][i] = 1 + (double)(i / 2 % 2);
    }
    const hr_column columns[CHOSEN] = {category_column("a", 2), category_column("b", 2),
                                       category_column("c", 2), category_column("d", 2)};
    table_make(&t, classes ? category_column("y", classes) : number_column("y", -1, 1), columns);
    return t;
}

/* The law of a root that draws `features` candidates: the mean over all draws of the law among those drawn.
 */
static void law_of_root(const hr_release *line, const double *scores, size_t features, double *law) {
    size_t draws = 0;
    for (size_t c = 0; c < CHOSEN; c++) law[c] = 0;
    for (unsigned set = 0; set < 1u << CHOSEN; set++) {
        double drawn[CHOSEN], among[CHOSEN];
        size_t count = 0, next = 0;
        for (size_t c = 0; c < CHOSEN; c++)
            if (set >> c & 1) drawn[count++] = scores[c];
        if (count != features) continue;
        draws++;
        among[0] = 1;
        if (count > 1) law_of(line, drawn, count, among);
        for (size_t c = 0; c < CHOSEN; c++)
            if (set >> c & 1) law[c] += among[next++];
    }
    for (size_t c = 0; c < CHOSEN; c++) law[c] /= (double)draws;
}

/* 6000 trees of one split, each with an equal part of the budget: their roots against the law of the first
 * line. Chi-square, false alarm 1e-6. */
static void check_law(size_t classes, size_t features, double delta) {
    const forest_setting s = {false, TREES, 1, (int64_t)features, 0, classes, 1e4, delta};
    table t = choice_table(classes);
    hr_fit_options options = options_of_forest("dp-df", &s);
    options.reproducible_noise = true;
    hr_model *model = fit(t.data, &options);
    double scores[CHOSEN], law[CHOSEN];
    uint64_t seen[CHOSEN] = {0};
    for (size_t f = 0; f < CHOSEN; f++) scores[f] = plain_score(&t, f, classes);
    law_of_root(&model->releases[0], scores, features, law);
    for (size_t k = 0; k < TREES; k++)
        seen[model->forest.trees[k * outputs_of_forest(&s)].nodes[0].feature]++;
    assert_true(features == 1 || law[0] > law[CHOSEN - 1] + .1); /* the law tells them apart */
    assert_true(chi_square_fits(seen, law, CHOSEN, TREES));
    hr_model_free(model);
    table_close(&t);
}

static void test_choice__falls_by_the_law_that_is_charged_for(void **state) {
    (void)state;
    static const size_t classes[] = {0, 2, 3};
    for (size_t c = 0; c < COUNT(classes); c++)
        for (size_t features = 1; features <= CHOSEN; features++) {
            check_law(classes[c], features, 0);
            check_law(classes[c], features, 1e-6);
        }
}

enum { WORST = 32, HALF = 100, ROWS = 2 * HALF + 1 };

/* Candidate c has two values: HALF records of one label have the first, HALF of the other label the second.
 * The canary, of the second label, has the first value of feature 0, where it is far from the mean, and the
 * second value of the others, where it is at it. */
static void score_worst(size_t classes, size_t rows, double *scores) {
    int32_t values[ROWS];
    uint32_t numbers[ROWS];
    uint8_t bins[ROWS];
    hr_exact stats[3 * 3];
    const hr_labels labels = {.values = values, .classes = classes};
    for (size_t i = 0; i < ROWS; i++) {
        numbers[i] = (uint32_t)i;
        values[i] = i < HALF ? (classes ? 0 : -(1 << HR_LABEL_BITS)) : (classes ? 1 : 1 << HR_LABEL_BITS);
        bins[i] = i < HALF ? 1 : 2;
    }
    for (size_t c = 0; c < WORST; c++) {
        bins[ROWS - 1] = c == 0 ? 1 : 2;
        hr_bins_sum(&labels, bins, 3, numbers, rows, stats);
        scores[c] = (double)hr_bins_score(&labels, 3, stats).unpaid;
    }
}

static double loss_of(const hr_release *line, const double *without, const double *with) {
    double p[2][WORST], loss = 0;
    law_of(line, without, WORST, p[0]);
    law_of(line, with, WORST, p[1]);
    for (size_t c = 0; c < WORST; c++) loss = fmax(loss, fabs(log(p[0][c] / p[1][c])));
    return loss;
}

/* What a line's cost claims for its choice: epsilon_0. */
static double claimed_of(const hr_release *line) {
    double cost = hr_units_value(line->cost);
    return line->mechanism == HR_MECHANISM_PERMUTE_AND_FLIP ? cost : sqrt(8 * cost / acos(-1));
}

/* Each line of the choices of a real fit. */
static void check_losses(size_t classes, double epsilon, double delta) {
    const forest_setting s = {true, 3, 3, 3, 100, classes, epsilon, delta};
    double without[WORST], with[WORST];
    score_worst(classes, ROWS - 1, without);
    score_worst(classes, ROWS, with);
    table t = odd_table(s.rows, s.classes);
    hr_fit_options options = options_of_forest("dp-df", &s);
    hr_model *model = fit(t.data, &options);
    size_t choices = 0;
    for (size_t i = 0; i < model->release_count; i++) {
        hr_release line = model->releases[i];
        if (line.level < 0) continue;
        double claimed = claimed_of(&line), loss = loss_of(&line, without, with);
        if (!(loss <= claimed * (1 + 1e-9) && loss > .9 * claimed))
            fail_msg("loses %g, claims %g", loss, claimed);
        line.scale_num *= 2; /* half the width would not do */
        assert_true(loss_of(&line, without, with) > 1.7 * claimed);
        choices++;
    }
    assert_int_equal(choices, 9);
    hr_model_free(model);
    table_close(&t);
}

static void test_choice__loses_what_it_claims_on_the_worst_neighbours(void **state) {
    (void)state;
    static const double epsilons[] = {.1, 1, 8}, deltas[] = {0, 1e-6};
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2)
        for (size_t e = 0; e < COUNT(epsilons); e++)
            for (size_t d = 0; d < COUNT(deltas); d++) check_losses(classes, epsilons[e], deltas[d]);
}

/* ---- Leaves and fits ---- */

static void test_leaves__say_the_means_of_their_records_at_huge_epsilon(void **state) {
    (void)state;
    check_leaves_at_huge_epsilon("dp-df", 2);
    check_leaves_at_huge_epsilon("dp-df", 0);
    check_parts_at_huge_epsilon("dp-df");
}

static void test_dp_df__repeats_itself_from_a_seed_for_any_threads(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) check_seeds("dp-df", &settings[i]);
}

static void test_dp_df__trains_on_hardly_any_records(void **state) {
    (void)state;
    check_hardly_any_records("dp-df");
}

/* Labels are -1 or 1 by x0 and x1; 5000 records at epsilon 4, where half of them are wrong by chance. Fifths
 * of x0 put one of ten records on the wrong side of each of two steps. */
static void test_dp_df__is_of_use_at_epsilon_4(void **state) {
    (void)state;
    table t = table_of_steps(5000, 2, 2, 31);
    hr_fit_options options = seeded_options_of("dp-df", HR_MODE_SOUND, 3);
    options.epsilon = 4;
    options.by_name[HR_OPTION_MAX_FEATURES] = 2;
    double error = fit_metrics(t.data, &options).error;
    if (error > .25) fail_msg("error %g", error);
    table_close(&t);
}

/* ---- Games ---- */

static double root_is_feature_0(const hr_model *model) {
    return model->forest.trees[0].nodes[0].feature == 0;
}

/* The worst neighbours of a choice, among eleven features. */
static game chosen(double epsilon, size_t runs) {
    enum { FEATURES = 11 };
    const forest_setting s = {false, 1, 1, FEATURES, 0, 2, epsilon, 0};
    game g = {.name = "root feature",
              .options = options_of_forest("dp-df", &s),
              .claimed = 2,
              .runs = runs,
              .look = root_is_feature_0};
    table t = table_open(ROWS, FEATURES);
    hr_column features[FEATURES];
    for (size_t f = 0; f < FEATURES; f++) {
        static const char *const names[FEATURES] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
        features[f] = category_column(names[f], 2);
        for (size_t i = 0; i < ROWS; i++) t.columns[f][i] = i < HALF || (f == 0 && i == ROWS - 1) ? 1 : 2;
    }
    for (size_t i = 0; i < ROWS; i++) t.labels[i] = i >= HALF;
    game_make(&g, &t, category_column("y", 2), features);
    g.options.leaf_share = .01;
    return g;
}

static void test_game__finds_no_more_than_is_claimed_on_an_isolated_canary(void **state) {
    (void)state;
    for (size_t i = 0; i < ISOLATED; i++) {
        game g = isolated_canary("dp-df", 2, i, RUNS_MAX);
        assert_quiet(&g, statistic_bound(&g));
        game_close(&g);
    }
}

static void test_game__catches_fits_at_ten_times_what_they_claim(void **state) {
    (void)state;
    check_that_excess_is_caught("dp-df", 2);
}

/* Nearly all of epsilon is spent on the root: most of it shows, so that half the width would be caught. */
static void test_game__sees_what_is_claimed_in_the_choice_of_a_feature(void **state) {
    (void)state;
    game g = chosen(2, RUNS_MAX);
    double bound = event_bound(&g);
    assert_quiet(&g, bound);
    assert_true(bound > .6 * g.claimed);
    game_close(&g);
    g = chosen(20, RUNS_MAX);
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees__ask_about_a_feature_once_and_keep_to_their_room),
        cmocka_unit_test(test_trees__of_large_categories_are_cut_off_at_a_public_size),
        cmocka_unit_test(test_releases__are_choices_and_leaves),
        cmocka_unit_test(test_releases__cost_what_was_asked_for),
        cmocka_unit_test(test_choice__falls_by_the_law_that_is_charged_for),
        cmocka_unit_test(test_choice__loses_what_it_claims_on_the_worst_neighbours),
        cmocka_unit_test(test_leaves__say_the_means_of_their_records_at_huge_epsilon),
        cmocka_unit_test(test_dp_df__repeats_itself_from_a_seed_for_any_threads),
        cmocka_unit_test(test_dp_df__trains_on_hardly_any_records),
        cmocka_unit_test(test_dp_df__is_of_use_at_epsilon_4),
        cmocka_unit_test(test_game__finds_no_more_than_is_claimed_on_an_isolated_canary),
        cmocka_unit_test(test_game__catches_fits_at_ten_times_what_they_claim),
        cmocka_unit_test(test_game__sees_what_is_claimed_in_the_choice_of_a_feature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
