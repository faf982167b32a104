/* The machine of hedge alone, without a record: its questions, its answers to scripts of released values, and
 * lost answers. */
#include "methods/hedge/hedge_machine.h"
#include "privacy/accountant.h"
#include "privacy/gate.h"
#include "trees/candidates/reliability.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FEATURES = 3, VALUES_MAX = HR_CANDIDATE_SCAN_NODES_MAX * 5 + 64 };

typedef struct world {
    hr_csprng *coins;
    hr_arena *arena;
    hr_feature_bins features[FEATURES];
    hr_binning binning;
    hr_hedge_terms terms;
    hr_hedge *hedge;
} world;

static double edges[] = {.1, .2, .3, .4, .5, .6};

static void world_open(world *w, hr_privacy_measure privacy_measure, hr_task task, size_t outputs,
                       uint64_t seed) {
    *w = (world){
        .features = {{HR_KIND_NUMBER, 8, edges}, {HR_KIND_CATEGORY, 6, NULL}, {HR_KIND_NUMBER, 5, edges}},
        .binning = {FEATURES, w->features, NULL}};
    w->terms = (hr_hedge_terms){.setting = {.privacy_measure = privacy_measure,
                                            .budget = HR_UNIT,
                                            .task = task,
                                            .has_private_edges = true},
                                .outputs = outputs,
                                .first_group = 5};
    assert_int_equal(hr_csprng_open_seeded(seed, &w->coins, NULL), HR_OK);
    w->arena = hr_arena_new();
    assert_non_null(w->arena);
    assert_int_equal(hr_hedge_new(&w->terms, w->coins, w->arena, &w->hedge, NULL), HR_OK);
}

static void world_close(world *w) {
    hr_hedge_free(w->hedge);
    hr_arena_free(w->arena);
    hr_csprng_close(w->coins);
}

/* A script of values: a plausible table of about 2,000 records. */
static void script(const hr_hedge_question *question, hr_noisy *values) {
    for (size_t i = 0; i < hr_hedge_question_values(question); i++)
        values[i].paid = 128000 / (question->kind == HR_HEDGE_TOTALS ? 1 : 8) + 1000 * (int64_t)(i % 7);
}

/* Which answers are lost: every `lost`-th round, and the cells if lost_cells. */
typedef struct losses {
    size_t every;
    bool cells;
} losses;

static void must_tell(world *w, const hr_hedge_question *question, const losses *l) {
    static hr_noisy values[VALUES_MAX];
    size_t total, round = hr_hedge_rounds(w->hedge, &total);
    bool lost = question->kind == HR_HEDGE_LEAVES && l->every && round % l->every == 0;
    if (question->kind == HR_HEDGE_RELIABILITY && l->cells) lost = true;
    assert_true(hr_hedge_question_values(question) <= VALUES_MAX);
    script(question, values);
    if (question->kind == HR_HEDGE_BINS)
        assert_int_equal(hr_hedge_bins(w->hedge, &w->binning, NULL), HR_OK);
    else if (question->kind == HR_HEDGE_CHOICE)
        hr_hedge_choice(w->hedge, (round * 7) % question->tree_count);
    else
        assert_int_equal(hr_hedge_sums(w->hedge, lost ? NULL : values, 1, NULL), HR_OK);
}

static void run(world *w, const losses *l) {
    hr_hedge_question question;
    while (hr_hedge_next(w->hedge, &question)) must_tell(w, &question, l);
}

static bool same_forests(const hr_forest *a, const hr_forest *b) {
    bool same = a->tree_count == b->tree_count && a->link == b->link && a->output_count == b->output_count;
    same = same && !memcmp(a->base, b->base, a->output_count * sizeof *a->base);
    same = same && a->calibration.made == b->calibration.made && a->calibration.slope == b->calibration.slope;
    for (size_t t = 0; same && t < a->tree_count; t++) {
        const hr_tree *x = &a->trees[t], *y = &b->trees[t];
        same =
            x->node_count == y->node_count && !memcmp(x->nodes, y->nodes, x->node_count * sizeof *x->nodes);
    }
    return same;
}

/* ---- Questions ---- */

typedef struct expected {
    hr_privacy_measure privacy_measure;
    hr_task task;
    size_t outputs;
} expected;

static const expected cases[] = {
    {HR_PRIVACY_GDP, HR_TASK_BINARY, 1},      {HR_PRIVACY_GDP, HR_TASK_REGRESSION, 1},
    {HR_PRIVACY_GDP, HR_TASK_MULTICLASS, 4},  {HR_PRIVACY_PURE, HR_TASK_BINARY, 1},
    {HR_PRIVACY_PURE, HR_TASK_REGRESSION, 1}, {HR_PRIVACY_PURE, HR_TASK_MULTICLASS, 4}};
enum { CASES = sizeof cases / sizeof *cases };

/* Each line of the questions has a group of its own, counted from the first, and together they cost the
 * budget or hardly less. */
static void check_lines(const expected *c) {
    world w;
    hr_hedge_question question;
    uint64_t group = 5;
    hr_units sum = 0;
    world_open(&w, c->privacy_measure, c->task, c->outputs, 1);
    while (hr_hedge_next(w.hedge, &question)) {
        for (size_t i = 0; i < question.line_count; i++) {
            assert_true(question.lines[i].group == group++ && question.lines[i].part == 0 &&
                        question.lines[i].level == -1);
            sum += question.lines[i].cost;
        }
        must_tell(&w, &question, &(losses){0});
    }
    assert_true(sum <= HR_UNIT && (double)sum > .999 * (double)HR_UNIT);
    world_close(&w);
}

static void test_machine__charges_each_line_in_a_group_of_its_own(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) check_lines(&cases[i]);
}

/* ---- Blocks ---- */

enum { ROUNDS_MAX = 300 };

static void tell_many_records(world *w, const hr_hedge_question *question, double records) {
    static hr_noisy values[VALUES_MAX];
    for (size_t i = 0; i < hr_hedge_question_values(question); i++)
        values[i].paid = (int64_t)(64 * records / (double)w->terms.outputs);
    assert_int_equal(hr_hedge_sums(w->hedge, values, 1, NULL), HR_OK);
}

/* Many records: round r chooses on block r mod B, in a group that the rounds of a turn share and as a part of
 * its own; no part comes twice in a group. What the accountant counts is the budget or hardly less. */
static void check_blocks(const expected *c) {
    enum { LINES_MAX = 4 * ROUNDS_MAX + 8 };
    static hr_release lines[LINES_MAX];
    world w;
    hr_hedge_question question;
    size_t count = 0, round = 0, blocks = 0;
    uint64_t turn = 0;
    hr_units total = 0;
    world_open(&w, c->privacy_measure, c->task, c->outputs, 1);
    while (hr_hedge_next(w.hedge, &question)) {
        for (size_t i = 0; i < question.line_count; i++)
            lines[count++] = (hr_release){.group = question.lines[i].group,
                                          .part = question.lines[i].part,
                                          .cost = question.lines[i].cost};
        if (question.kind == HR_HEDGE_CHOICE) {
            blocks = question.blocks;
            assert_true(blocks > 1);
            assert_int_equal(question.block, round % blocks);
            assert_int_equal(question.lines[0].part, question.block);
            if (question.block == 0) turn = question.lines[0].group;
            assert_true(question.lines[0].group == turn);
            round++;
        } else {
            for (size_t i = 0; i < question.line_count; i++)
                assert_true(question.lines[i].part == 0 && (!round || question.lines[i].group != turn));
        }
        if (question.kind == HR_HEDGE_TOTALS)
            tell_many_records(&w, &question, 1.5e6);
        else
            must_tell(&w, &question, &(losses){0});
    }
    assert_true(round % blocks != 0); /* the last turn is cut short */
    assert_int_equal(hr_account(lines, count, &total, NULL), HR_OK);
    assert_true(total <= HR_UNIT && (double)total > .999 * (double)HR_UNIT);
    world_close(&w);
}

static void test_machine__chooses_on_blocks_of_many_records(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) check_blocks(&cases[i]);
}

/* ---- Order ---- */

/* TOTALS, BINS, then CHOICE and LEAVES in turn, then RELIABILITY of classes. */
static void check_order(const expected *c) {
    world w;
    hr_hedge_question question;
    size_t asked = 0, total = 0;
    hr_hedge_question_kind last = HR_HEDGE_TOTALS;
    world_open(&w, c->privacy_measure, c->task, c->outputs, 2);
    for (; hr_hedge_next(w.hedge, &question); asked++, last = question.kind) {
        hr_hedge_question again;
        assert_true(hr_hedge_next(w.hedge, &again) && again.kind == question.kind &&
                    again.lines[0].group == question.lines[0].group);
        if (asked == 0) assert_int_equal(question.kind, HR_HEDGE_TOTALS);
        if (asked == 1) assert_int_equal(question.kind, HR_HEDGE_BINS);
        if (asked >= 2 && question.kind != HR_HEDGE_RELIABILITY)
            assert_int_equal(question.kind, asked % 2 ? HR_HEDGE_LEAVES : HR_HEDGE_CHOICE);
        if (question.kind == HR_HEDGE_LEAVES)
            assert_int_equal(question.line_count,
                             c->task == HR_TASK_REGRESSION && c->privacy_measure == HR_PRIVACY_GDP ? 3 : 2);
        assert_true(question.threshold == 0 ||
                    (question.kind == HR_HEDGE_CHOICE && c->privacy_measure == HR_PRIVACY_PURE));
        must_tell(&w, &question, &(losses){0});
    }
    size_t done = hr_hedge_rounds(w.hedge, &total);
    assert_int_equal(done, total);
    assert_int_equal(last, c->task == HR_TASK_REGRESSION ? HR_HEDGE_LEAVES : HR_HEDGE_RELIABILITY);
    assert_int_equal(asked, 2 + 2 * total + (c->task != HR_TASK_REGRESSION));
    assert_int_equal(hr_hedge_forest(w.hedge)->tree_count, total * c->outputs);
    assert_int_equal(hr_hedge_forest(w.hedge)->calibration.made, c->task != HR_TASK_REGRESSION);
    world_close(&w);
}

static void test_machine__asks_in_a_fixed_order(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) check_order(&cases[i]);
}

/* The values of a line are those of the leaves of the chosen tree; what is asked for next takes the step of
 * that tree. */
static void test_machine__asks_for_the_leaves_of_the_chosen_tree(void **state) {
    (void)state;
    world w;
    hr_hedge_question question;
    world_open(&w, HR_PRIVACY_GDP, HR_TASK_MULTICLASS, 4, 3);
    bool told = false;
    while (hr_hedge_next(w.hedge, &question)) {
        if (question.kind == HR_HEDGE_CHOICE) assert_true(!!question.step == told);
        if (question.kind == HR_HEDGE_LEAVES) {
            size_t leaves = 0;
            for (size_t n = 0; n < question.trees[question.tree].node_count; n++)
                leaves += !question.trees[question.tree].nodes[n].left;
            assert_true(question.counts[0] == 4 * leaves && question.counts[1] == leaves);
            told = true;
        }
        must_tell(&w, &question, &(losses){0});
    }
    world_close(&w);
}

/* ---- Answers ---- */

static void test_machine__follows_from_coins_and_answers(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world one, two, other;
        world_open(&one, cases[i].privacy_measure, cases[i].task, cases[i].outputs, 4);
        world_open(&two, cases[i].privacy_measure, cases[i].task, cases[i].outputs, 4);
        world_open(&other, cases[i].privacy_measure, cases[i].task, cases[i].outputs, 5);
        run(&one, &(losses){0});
        run(&two, &(losses){0});
        run(&other, &(losses){0});
        assert_true(same_forests(hr_hedge_forest(one.hedge), hr_hedge_forest(two.hedge)));
        assert_false(same_forests(hr_hedge_forest(one.hedge), hr_hedge_forest(other.hedge)));
        world_close(&one);
        world_close(&two);
        world_close(&other);
    }
}

/* One output: n-hat is the first value, the base score the second over it. More: the sum of the values, each
 * at least 1. */
static void test_machine__reads_the_number_of_records(void **state) {
    (void)state;
    world w;
    const hr_noisy mean[2] = {{64 * 200}, {-4096 * 50}}, classes[4] = {{64 * 10}, {-99}, {64 * 20}, {64 * 9}};
    world_open(&w, HR_PRIVACY_GDP, HR_TASK_BINARY, 1, 6);
    assert_true(hr_hedge_record_count(w.hedge) == 0);
    assert_int_equal(hr_hedge_sums(w.hedge, mean, 1, NULL), HR_OK);
    assert_int_equal(hr_hedge_bins(w.hedge, &w.binning, NULL), HR_OK);
    assert_true(hr_hedge_record_count(w.hedge) == 200 && hr_hedge_forest(w.hedge)->base[0] == -.25);
    world_close(&w);
    world_open(&w, HR_PRIVACY_GDP, HR_TASK_MULTICLASS, 4, 6);
    assert_int_equal(hr_hedge_sums(w.hedge, classes, 1, NULL), HR_OK);
    assert_int_equal(hr_hedge_bins(w.hedge, &w.binning, NULL), HR_OK);
    assert_true(hr_hedge_record_count(w.hedge) == 40 && hr_hedge_forest(w.hedge)->base[0] == -.5);
    world_close(&w);
}

/* More noise pulls leaves towards 0. */
static void test_machine__shrinks_by_the_noise_it_is_told_of(void **state) {
    (void)state;
    double size[2] = {0};
    for (size_t i = 0; i < 2; i++) {
        world w;
        hr_hedge_question question;
        static hr_noisy values[VALUES_MAX];
        world_open(&w, HR_PRIVACY_GDP, HR_TASK_BINARY, 1, 7);
        for (size_t asked = 0; asked < 3; asked++) {
            assert_true(hr_hedge_next(w.hedge, &question));
            must_tell(&w, &question, &(losses){0});
        }
        assert_true(hr_hedge_next(w.hedge, &question) && question.kind == HR_HEDGE_LEAVES);
        for (size_t v = 0; v < hr_hedge_question_values(&question); v++) values[v].paid = 6400;
        assert_int_equal(hr_hedge_sums(w.hedge, values, i ? 8 : 1, NULL), HR_OK);
        const hr_tree *tree = &hr_hedge_forest(w.hedge)->trees[0];
        for (size_t n = 0; n < tree->node_count; n++) size[i] += fabs(tree->nodes[n].value);
        world_close(&w);
    }
    print_message("leaves of %g and %g in all\n", size[0], size[1]);
    assert_true(size[0] > 1.1 * size[1] && size[1] > 0);
}

/* ---- What trees tell of their noise ---- */

enum { REPEATS = 4000, NODES_MAX = HR_CANDIDATE_SCAN_NODES_MAX };

typedef struct noise_setting {
    hr_privacy_measure privacy_measure;
    hr_task task;
    size_t outputs;
} noise_setting;

/* Welford's mean and squares of the values of a tree's nodes. */
typedef struct scatter {
    double mean[NODES_MAX], squares[NODES_MAX], told[NODES_MAX];
    size_t count, nodes;
} scatter;

static void note_values(scatter *s, const hr_tree *tree, const double *told) {
    s->count++;
    s->nodes = tree->node_count;
    for (size_t n = 0; n < tree->node_count; n++) {
        double off = tree->nodes[n].value - s->mean[n];
        s->mean[n] += off / (double)s->count;
        s->squares[n] += off * (tree->nodes[n].value - s->mean[n]);
        s->told[n] = tree->nodes[n].left ? 0 : told[n];
    }
}

/* The first tree, from the same sums with the noise that a gate draws for the charge, and the same counts. */
static void noise_anew(const noise_setting *setting, hr_csprng *noise, size_t output, scatter *out) {
    world w;
    hr_hedge_question question;
    hr_gate *gate = NULL;
    static hr_noisy values[VALUES_MAX], noisy[VALUES_MAX];
    static hr_exact exact[VALUES_MAX];
    world_open(&w, setting->privacy_measure, setting->task, setting->outputs, 7);
    for (size_t asked = 0; asked < 3; asked++) {
        assert_true(hr_hedge_next(w.hedge, &question));
        must_tell(&w, &question, &(losses){0});
    }
    assert_true(hr_hedge_next(w.hedge, &question) && question.kind == HR_HEDGE_LEAVES);
    script(&question, values);
    for (size_t v = 0; v < question.counts[0]; v++) exact[v].unpaid = 1000 * (int64_t)(v % 7);
    assert_int_equal(hr_gate_new(setting->privacy_measure, HR_UNIT, noise, &gate, NULL), HR_OK);
    assert_int_equal(hr_gate_release_sums(gate, &question.lines[0], exact, question.counts[0], noisy, NULL),
                     HR_OK);
    memcpy(values, noisy, question.counts[0] * sizeof *values);
    assert_int_equal(hr_hedge_sums(w.hedge, values, 1, NULL), HR_OK);
    const hr_tree *trees = hr_hedge_forest(w.hedge)->trees;
    note_values(out, &trees[output], trees[0].noise);
    hr_gate_free(gate);
    world_close(&w);
}

/* Of REPEATS values the variance is off by 1 part in sqrt(REPEATS / 2) = 45 (of the mixture of Laplace
 * variables, whose kurtosis is at most 6, in 28): within a fifth but for one in a million, with room for some
 * 100 leaves. The limit of values would only make it less. */
static void check_noise_told(const noise_setting *setting) {
    hr_csprng *noise = NULL;
    assert_int_equal(hr_csprng_open_seeded(11, &noise, NULL), HR_OK);
    scatter s = {0};
    size_t leaves = 0;
    for (size_t i = 0; i < REPEATS; i++) noise_anew(setting, noise, setting->outputs - 1, &s);
    for (size_t n = 0; n < s.nodes; n++) {
        if (s.told[n] == 0) continue;
        double ratio = s.squares[n] / (REPEATS - 1) / (s.told[n] * s.told[n]);
        if (!(ratio > .8 && ratio < 1.2)) fail_msg("leaf %zu: variance %g of what was told", n, ratio);
        leaves++;
    }
    assert_true(leaves > 1);
    hr_csprng_close(noise);
}

static void test_trees__tell_the_noise_of_their_values(void **state) {
    (void)state;
    static const noise_setting all[] = {{HR_PRIVACY_GDP, HR_TASK_BINARY, 1},
                                        {HR_PRIVACY_GDP, HR_TASK_MULTICLASS, 3},
                                        {HR_PRIVACY_PURE, HR_TASK_BINARY, 1},
                                        {HR_PRIVACY_GDP, HR_TASK_REGRESSION, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_noise_told(&all[i]);
}

/* ---- Lost answers ---- */

/* A lost round is paid for and has no tree; its clip stays, and no step is taken. */
static void test_machine__goes_on_without_lost_rounds(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world w;
        hr_hedge_question question;
        const losses third = {3, true};
        size_t rounds, lost = 0;
        bool after_loss = false;
        int64_t bound = 0;
        world_open(&w, cases[i].privacy_measure, cases[i].task, cases[i].outputs, 8);
        while (hr_hedge_next(w.hedge, &question)) {
            if (after_loss && question.kind == HR_HEDGE_CHOICE)
                assert_true(!question.step && question.loss.bound == bound);
            bound = question.loss.bound;
            after_loss = question.kind == HR_HEDGE_LEAVES && hr_hedge_rounds(w.hedge, &rounds) % 3 == 0;
            lost += after_loss;
            must_tell(&w, &question, &third);
        }
        hr_hedge_rounds(w.hedge, &rounds);
        assert_true(lost == (rounds + 2) / 3);
        assert_int_equal(hr_hedge_forest(w.hedge)->tree_count, (rounds - lost) * cases[i].outputs);
        assert_false(hr_hedge_forest(w.hedge)->calibration.made);
        world_close(&w);
    }
}

/* Lost totals are asked for again in new groups, until a quarter of the budget is gone; the rounds have what
 * is left. */
static void test_machine__asks_again_for_lost_totals(void **state) {
    (void)state;
    world w;
    hr_hedge_question question;
    hr_units sum = 0;
    world_open(&w, HR_PRIVACY_GDP, HR_TASK_BINARY, 1, 9);
    for (size_t i = 0; i < 3; i++) {
        assert_true(hr_hedge_next(w.hedge, &question) && question.kind == HR_HEDGE_TOTALS &&
                    question.lines[0].group == 5 + 2 * i);
        for (size_t l = 0; l < 2; l++) sum += question.lines[l].cost;
        assert_int_equal(hr_hedge_sums(w.hedge, NULL, 1, NULL), HR_OK);
    }
    while (hr_hedge_next(w.hedge, &question)) {
        for (size_t l = 0; l < question.line_count; l++) sum += question.lines[l].cost;
        must_tell(&w, &question, &(losses){0});
    }
    assert_true(sum <= HR_UNIT && (double)sum > .999 * (double)HR_UNIT);
    world_close(&w);
    world_open(&w, HR_PRIVACY_GDP, HR_TASK_BINARY, 1, 9);
    hr_status status = HR_OK;
    for (size_t i = 0; i < 50 && !status; i++) status = hr_hedge_sums(w.hedge, NULL, 1, NULL);
    assert_int_equal(status, HR_E_BUDGET);
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine__charges_each_line_in_a_group_of_its_own),
        cmocka_unit_test(test_machine__chooses_on_blocks_of_many_records),
        cmocka_unit_test(test_machine__asks_in_a_fixed_order),
        cmocka_unit_test(test_machine__asks_for_the_leaves_of_the_chosen_tree),
        cmocka_unit_test(test_machine__follows_from_coins_and_answers),
        cmocka_unit_test(test_machine__reads_the_number_of_records),
        cmocka_unit_test(test_machine__shrinks_by_the_noise_it_is_told_of),
        cmocka_unit_test(test_trees__tell_the_noise_of_their_values),
        cmocka_unit_test(test_machine__goes_on_without_lost_rounds),
        cmocka_unit_test(test_machine__asks_again_for_lost_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
