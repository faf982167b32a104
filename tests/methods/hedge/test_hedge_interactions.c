/* Interactions of hedge: every candidate of every round obeys them, new or varied, and all that they allow is
 * drawn. The machine runs alone, on scripts of released values. */
#include "methods/hedge/hedge_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FEATURES = 8, LAST = 7, SETS = 1 << FEATURES, SEEDS = 12 };
enum { VALUES_MAX = HR_CANDIDATE_SCAN_NODES_MAX * 5 + 64 };

static double edges[] = {.1, .2, .3, .4, .5, .6};
static uint32_t of_two[] = {0, 3}, of_three[] = {1, 2, 4}, of_both[] = {2, 5}, of_one[] = {6, LAST};
static hr_feature_group groups[] = {{of_two, 2}, {of_three, 3}, {of_both, 2}, {of_one, 2}};

/* What the last feature has cannot be split: a group of it and another one is no group. */
static const hr_feature_bins features[FEATURES] = {{HR_KIND_NUMBER, 8, edges}, {HR_KIND_CATEGORY, 6, NULL},
                                                   {HR_KIND_NUMBER, 5, edges}, {HR_KIND_NUMBER, 8, edges},
                                                   {HR_KIND_NUMBER, 7, edges}, {HR_KIND_CATEGORY, 4, NULL},
                                                   {HR_KIND_NUMBER, 8, edges}, {HR_KIND_NUMBER, 2, edges}};

typedef struct fit_case {
    hr_interactions interactions;
    hr_privacy_measure privacy_measure;
    hr_task task;
    size_t outputs;
} fit_case;

/* seen[s]: how many candidates split by just the features of the set s. */
typedef struct candidates_seen {
    uint64_t seen[SETS];
} candidates_seen;

static unsigned set_of(const hr_tree *tree) {
    unsigned set = 0;
    for (size_t n = 0; n < tree->node_count; n++)
        if (tree->nodes[n].left) set |= 1u << tree->nodes[n].feature;
    return set;
}

static void answer(hr_hedge *h, const hr_hedge_question *question, hr_csprng *dice) {
    static hr_noisy values[VALUES_MAX];
    static const hr_binning binning = {FEATURES, (hr_feature_bins *)features, NULL};
    assert_true(hr_hedge_question_values(question) <= VALUES_MAX);
    for (size_t i = 0; i < hr_hedge_question_values(question); i++)
        values[i].paid =
            question->kind == HR_HEDGE_TOTALS ? 6000 * 64 : 20000 + (int64_t)hr_uniform(dice, 400000);
    if (question->kind == HR_HEDGE_BINS)
        assert_int_equal(hr_hedge_bins(h, &binning, NULL), HR_OK);
    else if (question->kind == HR_HEDGE_CHOICE)
        hr_hedge_choice(h, (size_t)hr_uniform(dice, question->tree_count));
    else
        assert_int_equal(hr_hedge_sums(h, values, 1, NULL), HR_OK);
}

static void run_fit(const fit_case *c, uint64_t seed, candidates_seen *out) {
    hr_csprng *coins, *dice;
    hr_hedge *h;
    hr_arena *arena = hr_arena_new();
    const hr_hedge_terms terms = {.setting = {.privacy_measure = c->privacy_measure,
                                              .budget = HR_UNIT,
                                              .task = c->task,
                                              .has_private_edges = true},
                                  .outputs = c->outputs,
                                  .interactions = c->interactions};
    assert_non_null(arena);
    assert_int_equal(hr_csprng_open_seeded(seed, &coins, NULL), HR_OK);
    assert_int_equal(hr_csprng_open_seeded(seed + 1000, &dice, NULL), HR_OK);
    assert_int_equal(hr_hedge_new(&terms, coins, arena, &h, NULL), HR_OK);
    hr_hedge_question question;
    while (hr_hedge_next(h, &question)) {
        for (size_t t = 0; question.kind == HR_HEDGE_CHOICE && t < question.tree_count; t++)
            out->seen[set_of(&question.trees[t])]++;
        answer(h, &question, dice);
    }
    assert_true(hr_hedge_forest(h)->tree_count >= 8 * c->outputs);
    assert_int_equal(hr_forest_obeys(hr_hedge_forest(h), &c->interactions), hr_hedge_forest(h)->tree_count);
    hr_hedge_free(h);
    hr_csprng_close(coins);
    hr_csprng_close(dice);
    hr_arena_free(arena);
}

static candidates_seen candidates_of(hr_interactions interactions) {
    const fit_case cases[] = {{interactions, HR_PRIVACY_GDP, HR_TASK_BINARY, 1},
                              {interactions, HR_PRIVACY_PURE, HR_TASK_REGRESSION, 1},
                              {interactions, HR_PRIVACY_GDP, HR_TASK_MULTICLASS, 3}};
    candidates_seen all = {{0}};
    for (uint64_t seed = 0; seed < SEEDS; seed++) run_fit(&cases[seed % 3], seed, &all);
    return all;
}

static unsigned size_of_set(unsigned set) {
    unsigned size = 0;
    for (; set; set &= set - 1) size++;
    return size;
}

/* wanted: whether a tree may split by just the features of the set. A tree without a split is one about a
 * feature of which nothing was left to split. */
static void check_sets(const candidates_seen *all, bool (*wanted)(unsigned set)) {
    for (unsigned set = 1; set < SETS; set++) {
        if (set >> LAST)
            assert_int_equal(all->seen[set], 0);
        else if (wanted(set) != (all->seen[set] > 0))
            fail_msg("trees by the set %u: %llu", set, (unsigned long long)all->seen[set]);
    }
}

static bool is_single(unsigned set) {
    return size_of_set(set) == 1;
}

static bool is_pair(unsigned set) {
    return size_of_set(set) <= 2;
}

static bool is_in_a_group(unsigned set) {
    static const unsigned masks[] = {1 << 0 | 1 << 3, 1 << 1 | 1 << 2 | 1 << 4, 1 << 2 | 1 << 5};
    for (size_t g = 0; g < 3; g++)
        if (!(set & ~masks[g])) return true;
    return is_single(set);
}

static void test_none__splits_a_tree_by_one_feature_and_each_by_some(void **state) {
    (void)state;
    const candidates_seen all = candidates_of((hr_interactions){.rule = HR_INTERACTIONS_NONE});
    check_sets(&all, is_single);
}

static void test_pairs__splits_a_tree_by_two_features_at_most(void **state) {
    (void)state;
    const candidates_seen all = candidates_of((hr_interactions){.rule = HR_INTERACTIONS_PAIRS});
    check_sets(&all, is_pair);
}

static void test_groups__splits_a_tree_by_features_of_one_of_them(void **state) {
    (void)state;
    const candidates_seen all = candidates_of((hr_interactions){HR_INTERACTIONS_GROUPS, groups, 4});
    check_sets(&all, is_in_a_group);
}

static void test_all__splits_trees_by_any_features(void **state) {
    (void)state;
    const candidates_seen all = candidates_of((hr_interactions){0});
    uint64_t of_many = 0;
    for (unsigned set = 1; set < SETS / 2; set++) {
        if (size_of_set(set) <= 2) assert_true(all.seen[set] > 0);
        if (size_of_set(set) > 4) of_many += all.seen[set];
    }
    assert_true(of_many > 0);
}

static void test_plans__have_depths_of_the_kinds_that_there_are(void **state) {
    (void)state;
    static const hr_interactions rules[] = {
        {.rule = HR_INTERACTIONS_NONE}, {.rule = HR_INTERACTIONS_PAIRS}, {HR_INTERACTIONS_GROUPS, groups, 4}};
    static const int depths[][3] = {{3, 0, 0}, {3, 4, 0}, {3, 4, 4}};
    for (size_t r = 0; r < 3; r++) {
        const hr_hedge_setting setting = {
            .privacy_measure = HR_PRIVACY_GDP, .budget = HR_UNIT, .interactions = rules[r].rule};
        const hr_hedge_plan plan = hr_hedge_plan_of(&setting, 4000);
        assert_int_equal(plan.depth_one, depths[r][0]);
        assert_int_equal(plan.depth_pair, depths[r][1]);
        assert_int_equal(plan.depth_all, depths[r][2]);
        assert_int_equal(hr_hedge_depth(&plan), depths[r][r]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none__splits_a_tree_by_one_feature_and_each_by_some),
        cmocka_unit_test(test_pairs__splits_a_tree_by_two_features_at_most),
        cmocka_unit_test(test_groups__splits_a_tree_by_features_of_one_of_them),
        cmocka_unit_test(test_all__splits_trees_by_any_features),
        cmocka_unit_test(test_plans__have_depths_of_the_kinds_that_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
