/* What hedge makes of the number of records is made of the released one: the number in the model, the base
 * score, the schedule, and the way of the clip. At epsilon .001 the noise in it is ten thousand records and
 * more, so that the exact number would show. Seeds are fixed: one and the same run each time. */
#include "methods/hedge/hedge_plan.h"
#include "support/tables.h"

enum { ROWS = 3, FITS = 200 };
static const double TINY = .001;

static table tiny_table(size_t classes) {
    table t = table_open(ROWS, 1);
    for (size_t i = 0; i < ROWS; i++) {
        t.columns[0][i] = (double)(1 + i % 2);
        t.labels[i] = classes ? (double)(i % classes) : (double)i - 1;
    }
    hr_column feature = category_column("x", 2);
    table_make(&t, classes ? category_column("y", classes) : number_column("y", -1, 1), &feature);
    return t;
}

static hr_model *tiny_fit(const table *t, double delta, uint64_t seed) {
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
    options.epsilon = TINY;
    options.delta = delta;
    return fit(t->data, &options);
}

/* Fits of numbers, whose exact sum is 0: with delta, and pure. */
enum { GAUSSIAN, PURE, KINDS };
static const char *const kind_names[KINDS] = {"delta 1e-6", "pure"};
static const double deltas[KINDS] = {1e-6, 0};
static hr_model *models[KINDS][FITS];

static int fit_models(void **state) {
    (void)state;
    table t = tiny_table(0);
    for (size_t k = 0; k < KINDS; k++)
        for (uint64_t seed = 0; seed < FITS; seed++) models[k][seed] = tiny_fit(&t, deltas[k], seed);
    table_close(&t);
    return 0;
}

static int free_models(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = 0; i < FITS; i++) hr_model_free(models[k][i]);
    return 0;
}

static const hr_release *line_of(const hr_model *model, const char *what, int64_t round) {
    for (size_t i = 0; i < model->release_count; i++)
        if (!strcmp(model->releases[i].what, what) && model->releases[i].tree == round)
            return &model->releases[i];
    fail_msg("no line %s of round %d", what, (int)round);
    return NULL;
}

static double normal_below(double x) {
    return erfc(-x / sqrt(2)) / 2;
}

/* Pr(noise of the line <= x), in whole queries of `unit`. */
static double noise_below(const hr_release *line, double x, double unit) {
    double scale = (double)line->scale_num / (double)line->scale_den;
    if (line->mechanism == HR_MECHANISM_DISCRETE_GAUSSIAN) return normal_below(x * unit / sqrt(scale));
    assert_int_equal(line->mechanism, HR_MECHANISM_DISCRETE_LAPLACE);
    return x < 0 ? exp(x * unit / scale) / 2 : 1 - exp(-x * unit / scale) / 2;
}

/* What was seen and what is expected of events whose chances follow from what was released before each of
 * them. */
typedef struct tally {
    double seen, expected, variance;
} tally;

static void tally_add(tally *t, bool seen, double p) {
    t->seen += seen;
    t->expected += p;
    t->variance += p * (1 - p);
}

/* Two-sided, false-alarm rate below 1e-6: five standard deviations. */
static void assert_tally(const char *name, const char *kind, const tally *t) {
    print_message("%s, %s: %.0f seen, %.1f expected\n", name, kind, t->seen, t->expected);
    assert_true(t->variance > 15);
    if (fabs(t->seen - t->expected) > 5 * sqrt(t->variance)) fail_msg("%s, %s", name, kind);
}

/* ---- The number in the model ---- */

/* It is n + noise, but at least 1. That it is n by chance has probability 1e-6 a fit or less. */
static void test_records__are_the_noisy_count(void **state) {
    (void)state;
    const double spread = 5000;
    for (size_t k = 0; k < KINDS; k++) {
        tally least = {0}, far = {0};
        for (size_t i = 0; i < FITS; i++) {
            const hr_release *line = line_of(models[k][i], "record count", -1);
            double records = hr_model_records(models[k][i]);
            assert_true(records >= 1 && records != ROWS);
            tally_add(&least, records == 1, noise_below(line, 1 - ROWS, 64));
            tally_add(&far, records > spread, 1 - noise_below(line, spread - ROWS, 64));
        }
        assert_tally("one record", kind_names[k], &least);
        assert_tally("more than 5000 records", kind_names[k], &far);
    }
}

/* Of several classes it is the sum of noisy counts, each at least 1. */
static void test_records__are_the_noisy_class_counts(void **state) {
    (void)state;
    enum { CLASSES = 4 };
    table t = tiny_table(CLASSES);
    for (size_t k = 0; k < KINDS; k++) {
        tally least = {0};
        for (uint64_t seed = 0; seed < 2 * FITS; seed++) {
            hr_model *model = tiny_fit(&t, deltas[k], seed);
            double below = noise_below(line_of(model, "class counts", -1), 0, 64);
            assert_true(hr_model_records(model) >= CLASSES);
            tally_add(&least, hr_model_records(model) == CLASSES, pow(below, CLASSES));
            hr_model_free(model);
        }
        assert_tally("the least number of four classes", kind_names[k], &least);
    }
    table_close(&t);
}

/* ---- The base score ---- */

/* The noisy sum of labels (exact: 0) over the released count, clipped to +-1. Over the exact one it would be
 * +-1 in all fits but one of some thousands. */
static void test_base__is_divided_by_the_released_count(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        tally inside = {0};
        for (size_t i = 0; i < FITS; i++) {
            double records = hr_model_records(models[k][i]), base = models[k][i]->forest.base[0];
            tally_add(&inside, base > -1 && base < 1,
                      2 * noise_below(line_of(models[k][i], "base score", -1), records, 4096) - 1);
        }
        assert_tally("base scores between the ends", kind_names[k], &inside);
    }
}

/* ---- The clip ---- */

static int64_t next_bound(double clip, double part) {
    return (int64_t)(fmin(fmax(clip * exp(-.2 * (part - .95)), .02), 1) * 4096);
}

/* Parts of the records within the clip above this one lead to a bound below `next`. */
static double part_above(double clip, int64_t next) {
    return .95 - log((double)next / 4096 / clip) / .2;
}

/* A round's move of the bound is either that of a part 0 or 1, or of one in between: the noisy count within
 * over the released number of records. The noise is 50,000 records: over the exact number, 3, moves in
 * between would be as good as never. Rounds whose bound could reach its largest value are left out: those
 * hide the part. */
static void tally_moves(const hr_model *model, tally *between) {
    for (size_t r = 0; r + 1 < model->forest.tree_count; r++) {
        double clip = r ? (double)line_of(model, "leaf sum", (int64_t)r)->sensitivity / 4096 : .3;
        int64_t next = (int64_t)line_of(model, "leaf sum", (int64_t)r + 1)->sensitivity;
        int64_t none = next_bound(clip, 0), all = next_bound(clip, 1);
        if (none == 4096) continue;
        assert_true(next >= all && next <= none);
        const hr_release *line = line_of(model, "clip count", (int64_t)r);
        double records = hr_model_records(model), low = part_above(clip, none),
               high = part_above(clip, all + 1);
        double p = noise_below(line, high * records, 64) - noise_below(line, low * records, 64);
        tally_add(between, next > all && next < none, p);
    }
}

static void test_clip__follows_the_released_count(void **state) {
    (void)state;
    tally between = {0};
    for (size_t i = 0; i < FITS; i++) tally_moves(models[GAUSSIAN][i], &between);
    assert_tally("moves of the clip between the ends", kind_names[GAUSSIAN], &between);
}

/* ---- The schedule ---- */

/* The first number of records above `from` that has one round more. */
static size_t next_step(const hr_hedge_setting *setting, size_t from) {
    size_t rounds = hr_hedge_plan_of(setting, (double)from).rounds;
    while (hr_hedge_plan_of(setting, (double)from).rounds == rounds) from++;
    return from;
}

/* Rounds, their costs and depths are those of the model's number. A table just at a step of the schedule has
 * another schedule in about half the fits: that none of 30 has one is an event of probability 1e-9. (At
 * epsilon .001 there are steps only above 500,000 records.) */
static void check_schedule(double epsilon, double delta, size_t from) {
    hr_hedge_setting setting = {.privacy_measure = delta > 0 ? HR_PRIVACY_GDP : HR_PRIVACY_PURE,
                                .task = HR_TASK_REGRESSION};
    setting.budget = delta > 0 ? hr_gdp_budget(epsilon, delta) : hr_units_down(epsilon);
    size_t rows = next_step(&setting, from), others = 0,
           exact = hr_hedge_plan_of(&setting, (double)rows).rounds;
    table t = table_open(rows, 1);
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = (double)(1 + i % 2);
        t.labels[i] = (double)(i % 3) - 1;
    }
    hr_column feature = category_column("x", 2);
    table_make(&t, number_column("y", -1, 1), &feature);
    for (uint64_t seed = 0; seed < 30; seed++) {
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
        options.epsilon = epsilon;
        options.delta = delta;
        hr_model *model = fit(t.data, &options);
        hr_hedge_plan plan = hr_hedge_plan_of(&setting, hr_model_records(model));
        assert_int_equal(model->forest.tree_count, plan.rounds);
        for (int64_t r = 0; r < (int64_t)plan.rounds; r++) {
            assert_true(line_of(model, "choice of tree", r)->cost == plan.choice);
            assert_true(line_of(model, "leaf sum", r)->cost == plan.sums &&
                        line_of(model, "leaf count", r)->cost == plan.counts);
        }
        others += plan.rounds != exact;
        hr_model_free(model);
    }
    print_message("epsilon %g, delta %g, %zu records: %zu of 30 fits have other than %zu rounds\n", epsilon,
                  delta, rows, others, exact);
    assert_true(others > 0 && others < 30);
    table_close(&t);
}

static void test_schedule__follows_the_released_count(void **state) {
    (void)state;
    check_schedule(1, 1e-6, 1400);
    check_schedule(8, 0, 900);
}

static int depth_of(const hr_tree *tree, size_t node) {
    uint32_t left = tree->nodes[node].left;
    if (!left) return 0;
    int a = depth_of(tree, left), b = depth_of(tree, left + 1);
    return 1 + (a > b ? a : b);
}

static int deepest_of(const hr_model *model) {
    int deepest = 0;
    for (size_t t = 0; t < model->forest.tree_count; t++) {
        int depth = depth_of(&model->forest.trees[t], 0);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

/* The deepest tree is as deep as the schedule of the model's number has it, or (all trees being over one
 * feature) less. 128 records are at a step of the depth. */
static void test_depth__follows_the_released_count(void **state) {
    (void)state;
    enum { RECORDS = 128, FEATURES = 4, SEEDS = 60 };
    hr_hedge_setting setting = {
        .privacy_measure = HR_PRIVACY_PURE, .budget = hr_units_down(8), .task = HR_TASK_REGRESSION};
    hr_column features[FEATURES] = {category_column("a", 8), category_column("b", 8), category_column("c", 8),
                                    category_column("d", 8)};
    table t = table_open(RECORDS, FEATURES);
    uint64_t random = 3;
    for (size_t i = 0; i < RECORDS; i++) {
        for (size_t f = 0; f < FEATURES; f++) t.columns[f][i] = (double)(1 + next_random(&random) % 8);
        t.labels[i] = (double)(i % 3) - 1;
    }
    table_make(&t, number_column("y", -1, 1), features);
    int exact = hr_hedge_plan_of(&setting, RECORDS).depth_all, others = 0, full = 0;
    assert_true(hr_hedge_plan_of(&setting, RECORDS - 1).depth_all < exact);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
        options.epsilon = 8;
        options.delta = 0;
        hr_model *model = fit(t.data, &options);
        hr_hedge_plan plan = hr_hedge_plan_of(&setting, hr_model_records(model));
        assert_true(deepest_of(model) <= plan.depth_all);
        full += deepest_of(model) == plan.depth_all;
        others += plan.depth_all != exact;
        hr_model_free(model);
    }
    print_message("%d of %d fits have another depth than that of %d records, %d have a tree of it\n", others,
                  SEEDS, RECORDS, full);
    assert_true(others > 10 && others < 50 && full > 54);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records__are_the_noisy_count),
        cmocka_unit_test(test_records__are_the_noisy_class_counts),
        cmocka_unit_test(test_base__is_divided_by_the_released_count),
        cmocka_unit_test(test_clip__follows_the_released_count),
        cmocka_unit_test(test_schedule__follows_the_released_count),
        cmocka_unit_test(test_depth__follows_the_released_count),
    };
    return cmocka_run_group_tests(tests, fit_models, free_models);
}
