/* hedge through hr_fit: its list of releases is what the theorem (docs/explanation/hedge.md) adds up, trees
 * come from public coins, odd tables do no harm, and it learns. What hangs on noise is from fixed seeds: one
 * and the same run each time. */
#include "support/tables.h"

/* ---- Tables ---- */

/* Numbers, an integer of few values, a category; some missing. Classes: 0 for regression. */
static table mixed_table(size_t rows, size_t classes) {
    table t = table_open(rows, 4);
    uint64_t random = 31;
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = next_random(&random) % 10 ? 4 * next_unit(&random) - 2 : (double)NAN;
        t.columns[1][i] = next_unit(&random);
        t.columns[2][i] = (double)(next_random(&random) % 5);
        t.columns[3][i] = (double)(next_random(&random) % 6); /* 0: missing */
        double z = (t.columns[1][i] + t.columns[2][i] / 5 + (t.columns[3][i] > 2)) / 3;
        t.labels[i] = classes ? fmin(floor(z * (double)classes), (double)classes - 1) : 10 + 20 * z;
    }
    hr_column features[4] = {number_column("a", -2, 2), number_column("b", 0, 1), number_column("c", 0, 4),
                             category_column("d", 5)};
    features[2].integer = true;
    table_make(&t, classes ? category_column("y", classes) : number_column("y", 10, 30), features);
    return t;
}

static table categories_table(size_t rows, size_t classes, size_t features, uint64_t seed) {
    static const char *const names[TABLE_FEATURES] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    table t = table_open(rows, features);
    hr_column columns[TABLE_FEATURES];
    for (size_t f = 0; f < features; f++) {
        columns[f] = category_column(names[f], 8);
        for (size_t i = 0; i < rows; i++) t.columns[f][i] = (double)(next_random(&seed) % 9);
    }
    for (size_t i = 0; i < rows; i++) t.labels[i] = (double)(next_random(&seed) % classes);
    table_make(&t, category_column("y", classes), columns);
    return t;
}

static table missing_table(size_t rows) {
    table t = table_open(rows, 2);
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = t.columns[1][i] = (double)NAN;
        t.labels[i] = (double)(i % 2);
    }
    table_make_plain(&t, 2);
    return t;
}

static table constant_table(size_t rows, size_t classes) {
    table t = table_open(rows, 2);
    uint64_t random = 5;
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = next_unit(&random);
        t.labels[i] = classes ? 1 : .5;
    }
    table_make_plain(&t, classes);
    return t;
}

/* ---- The list of releases ---- */

/* What was seen of one round. */
typedef struct round_lines {
    const hr_release *choice, *sums, *counts, *clip;
} round_lines;

enum { ROUNDS_MAX = 300 };

static size_t leaves_of(const hr_tree *tree) {
    size_t leaves = 0;
    for (size_t n = 0; n < tree->node_count; n++) leaves += tree->nodes[n].left == 0;
    return leaves;
}

static void keep_line(const hr_release **place, const hr_release *line) {
    assert_null(*place); /* one of each a round */
    *place = line;
}

static void sort_line(const hr_release *line, round_lines *rounds) {
    if (line->tree < 0) return;
    assert_true(line->tree < ROUNDS_MAX);
    round_lines *r = &rounds[line->tree];
    if (!strcmp(line->what, "choice of tree"))
        keep_line(&r->choice, line);
    else if (!strcmp(line->what, "leaf sum"))
        keep_line(&r->sums, line);
    else if (!strcmp(line->what, "leaf count"))
        keep_line(&r->counts, line);
    else if (!strcmp(line->what, "clip count"))
        keep_line(&r->clip, line);
    else
        fail_msg("what is a %s?", line->what);
}

/* Draws and sensitivities of a round; bound: G. */
static void check_round(const hr_model *model, const round_lines *r, size_t round, bool clips) {
    size_t outputs = model->forest.output_count, leaves = leaves_of(&model->forest.trees[round * outputs]);
    bool pure = model->privacy_measure == HR_PRIVACY_PURE;
    assert_true(r->choice && r->sums && r->counts && !!r->clip == clips);
    assert_true(r->choice->mechanism == (pure ? HR_MECHANISM_PERMUTE_AND_FLIP : HR_MECHANISM_EXPONENTIAL) &&
                r->choice->draws == 1);
    assert_int_equal(r->sums->draws, leaves * outputs);
    assert_int_equal(r->counts->draws, leaves);
    assert_int_equal(r->counts->sensitivity, 64);
    if (clips) assert_true(r->clip->draws == 1 && r->clip->sensitivity == 64);
    uint64_t bound = outputs > 1 ? 4096 : r->sums->sensitivity;
    if (outputs > 1)
        assert_int_equal(r->sums->sensitivity,
                         pure ? (uint64_t)ceil(sqrt((double)outputs) * 4096) : 4096); /* in L1, L2 */
    assert_int_equal(r->choice->sensitivity, 2 * bound);
    bool regression = model->forest.link == HR_LINK_NUMBER;
    assert_true(regression ? bound >= 81 && bound <= 4096
                           : bound == (outputs > 1 ? 4096 : 4915)); /* 1.2 for two classes */
    if (regression && (pure || round == 0)) assert_int_equal(bound, pure ? 2048 : 1228); /* .5, .3 */
    hr_mechanism noise = pure ? HR_MECHANISM_DISCRETE_LAPLACE : HR_MECHANISM_DISCRETE_GAUSSIAN;
    assert_true(r->sums->mechanism == noise && r->counts->mechanism == noise);
}

/* What is released once. */
static void check_once(const hr_model *model, hr_units budget) {
    size_t counts = 0, bases = 0, classes = 0, calibrations = 0;
    for (size_t i = 0; i < model->release_count; i++) {
        const hr_release *line = &model->releases[i];
        if (line->tree >= 0) continue;
        if (!strcmp(line->what, "record count")) counts += line->draws == 1 && line->sensitivity == 64;
        if (!strcmp(line->what, "base score")) bases += line->draws == 1 && line->sensitivity == 4096;
        if (!strcmp(line->what, "class counts"))
            classes += line->draws == model->forest.output_count && line->sensitivity == 64;
        if (strcmp(line->what, "calibration count") != 0) continue;
        assert_true(line->draws == 40 && line->sensitivity == 64 &&
                    line->cost == hr_units_share(budget, .02));
        /* Of the finished forest; what is left of a GDP budget comes last. */
        assert_true(i + 1 == model->release_count ||
                    !strcmp(model->releases[i + 1].what, "rest of the budget"));
        calibrations++;
    }
    bool one = model->forest.output_count == 1;
    assert_true(counts == one && bases == one && classes == !one);
    bool regression = model->forest.link == HR_LINK_NUMBER;
    assert_true(calibrations == !regression && model->forest.calibration.made == !regression);
}

/* Groups add up, and so do the lines of one part of a group (the levels of a feature's medians): no two lines
 * share the records. The sum is the budget; of pure epsilon it may be a thousandth less. */
static void check_sum(const hr_model *model, hr_units budget) {
    hr_units sum = 0;
    for (size_t i = 0; i < model->release_count; i++) {
        assert_int_equal(model->releases[i].part, 0);
        assert_true(model->releases[i].mechanism != HR_MECHANISM_IDENTITY);
        assert_true(
            model->releases[i].draws > 0 ||
            !strcmp(model->releases[i].what, "bin edges") || /* levels without a median are paid for */
            (!strcmp(model->releases[i].what, "rest of the budget") && i + 1 == model->release_count));
        sum += model->releases[i].cost;
        if (!strcmp(model->releases[i].what, "bin edges")) continue;
        for (size_t k = 0; k < model->release_count; k++)
            assert_true(i == k || model->releases[i].group != model->releases[k].group);
    }
    assert_true(sum <= budget && (double)sum > .999 * (double)budget);
    const hr_guarantee *g = hr_model_guarantee(model);
    assert_true(model->privacy_measure == HR_PRIVACY_PURE || sum == hr_gdp_budget(g->epsilon, g->delta));
}

static void check_releases(const hr_data *data, double epsilon, double delta, hr_loss loss) {
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND); /* real noise */
    options.epsilon = epsilon;
    options.delta = delta;
    options.loss = loss;
    hr_model *model = fit(data, &options);
    hr_error err = {0};
    if (hr_model_check(model, &err)) fail_msg("%s: %s", err.field, err.message);
    assert_int_equal(model->privacy_measure, delta > 0 ? HR_PRIVACY_GDP : HR_PRIVACY_PURE);
    hr_units budget = delta > 0 ? hr_gdp_budget(epsilon, delta) : hr_units_down(epsilon);
    check_sum(model, budget);
    check_once(model, budget);
    static round_lines rounds[ROUNDS_MAX];
    memset(rounds, 0, sizeof rounds);
    for (size_t i = 0; i < model->release_count; i++) sort_line(&model->releases[i], rounds);
    size_t count = model->forest.tree_count / model->forest.output_count;
    bool clips = delta > 0 && model->forest.link == HR_LINK_NUMBER;
    for (size_t r = 0; r < ROUNDS_MAX; r++)
        if (r < count)
            check_round(model, &rounds[r], r, clips);
        else
            assert_true(!rounds[r].choice && !rounds[r].sums && !rounds[r].counts && !rounds[r].clip);
    const hr_guarantee *g = hr_model_guarantee(model);
    assert_true(g->is_private && g->epsilon <= epsilon && g->epsilon > .99 * epsilon && g->delta <= delta);
    hr_model_free(model);
}

static void check_table(table t, bool two_classes) {
    static const double deltas[] = {1e-6, 0};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        check_releases(t.data, 1, deltas[d], HR_LOSS_SQUARE);
        if (two_classes) check_releases(t.data, 8, deltas[d], HR_LOSS_LOGISTIC);
    }
    table_close(&t);
}

static void test_hedge__lists_every_draw_and_what_it_cost(void **state) {
    (void)state;
    check_table(mixed_table(300, 0), false);
    check_table(mixed_table(300, 2), true);
    check_table(mixed_table(300, 3), false);
}

static void test_hedge__lists_the_same_on_odd_tables(void **state) {
    (void)state;
    check_table(categories_table(200, 2, 3, 1), true);
    check_table(table_of_steps(100, 1, 2, 2), true);
    check_table(table_of_steps(100, 1, 0, 3), false);
    check_table(missing_table(60), true);
    check_table(constant_table(80, 2), true);
    check_table(constant_table(80, 3), false);
    check_table(constant_table(80, 0), false);
    for (size_t rows = 1; rows <= 3; rows++)
        check_table(table_of_steps(rows, 2, rows == 2 ? 0 : rows + 1, rows), false);
}

static void test_hedge__lists_the_same_at_any_epsilon(void **state) {
    (void)state;
    static const double epsilons[] = {.01, .1, 20, 500};
    table t = mixed_table(400, 0);
    for (size_t i = 0; i < COUNT(epsilons); i++) {
        check_releases(t.data, epsilons[i], 1e-6, HR_LOSS_SQUARE);
        check_releases(t.data, epsilons[i], 0, HR_LOSS_SQUARE);
    }
    table_close(&t);
}

static void test_hedge__has_no_paper_mode(void **state) {
    (void)state;
    hr_fit_options options;
    hr_error err = {0};
    assert_int_equal(hr_fit_options_init(&options, "hedge", HR_MODE_PAPER, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "no paper mode"));
    assert_non_null(strstr(err.remedy, "sound"));
    table t = missing_table(4);
    options = options_of("hedge", HR_MODE_SOUND);
    options.mode = HR_MODE_PAPER;
    hr_model *model = NULL;
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_null(model);
    table_close(&t);
}

/* ---- Coins ---- */

static void test_hedge__gives_another_model_every_time(void **state) {
    (void)state;
    table t = mixed_table(100, 2);
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    char *one = fit_text(t.data, &options), *two = fit_text(t.data, &options);
    assert_string_not_equal(one, two);
    hr_text_free(one);
    hr_text_free(two);
    table_close(&t);
}

static void test_hedge__repeats_itself_from_a_seed_on_any_threads(void **state) {
    (void)state;
    static const size_t classes[] = {0, 2, 3};
    static const double deltas[] = {1e-6, 0};
    for (size_t c = 0; c < COUNT(classes); c++)
        for (size_t d = 0; d < COUNT(deltas); d++) {
            table t = mixed_table(1500, classes[c]);
            hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 41);
            options.delta = deltas[d];
            char *wanted = fit_text(t.data, &options);
            for (options.threads = 2; options.threads <= 4; options.threads += 2) {
                char *got = fit_text(t.data, &options);
                assert_string_equal(got, wanted);
                hr_text_free(got);
            }
            options.seed++;
            char *other = fit_text(t.data, &options);
            assert_string_not_equal(other, wanted);
            hr_text_free(other);
            hr_text_free(wanted);
            table_close(&t);
        }
}

static bool same_structure(const hr_tree *a, const hr_tree *b) {
    if (a->node_count != b->node_count || a->subset_count != b->subset_count) return false;
    for (size_t n = 0; n < a->node_count; n++) {
        const hr_node *x = &a->nodes[n], *y = &b->nodes[n];
        if (x->left != y->left || x->feature != y->feature || x->cut != y->cut ||
            x->missing_left != y->missing_left)
            return false;
    }
    return a->subset_count == 0 || !memcmp(a->subsets, b->subsets, a->subset_count * sizeof *a->subsets);
}

static size_t same_trees(const hr_model *a, const hr_model *b) {
    size_t same = 0;
    for (size_t t = 0; t < a->forest.tree_count && t < b->forest.tree_count; t++)
        same += same_structure(&a->forest.trees[t], &b->forest.trees[t]);
    return same;
}

/* Records reach a structure by two ways only: which candidate is chosen, and (with delta) the released gains.
 * Pure fits do not learn from gains, and at epsilon 1e-4 the choice is all but uniform: of 100 records u
 * differs by 100 G at most, so that a proposal is accepted on one table and not on the other with probability
 * 100/2 * 3.6e-6. Noise takes as many random bits whatever it is added to. So two tables which have nothing
 * in common but their size get the same trees, with other leaf values: 8 rounds, 40 seeds, 1 tree in 300
 * expected to differ (and those after it). Bin edges would differ, so all features are categories. */
static void test_hedge__draws_structures_from_public_coins(void **state) {
    (void)state;
    size_t same = 0, all = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        table one = categories_table(100, 2, 3, 100 + seed), two = categories_table(100, 2, 3, 200 + seed);
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
        options.epsilon = 1e-4;
        options.delta = 0;
        hr_model *a = fit(one.data, &options), *b = fit(two.data, &options);
        same += same_trees(a, b);
        all += a->forest.tree_count;
        char *text_a = render(a), *text_b = render(b);
        assert_string_not_equal(text_a, text_b);
        hr_text_free(text_a), hr_text_free(text_b);
        hr_model_free(a), hr_model_free(b);
        table_close(&one), table_close(&two);
    }
    assert_true(all == 40 * 8 && same >= all - 8);
}

/* Neighbours from one seed: the candidates of round 0 are the same (n-hat, which sets their depths, differs
 * by 1), the noisy sums behind the choice differ by G: the same tree is chosen but for a few seeds, where
 * independent choices among 32 would agree once in
 * 32. Base scores, leaf values and later rounds differ: all of them follow from released values that differ.
 */
static void test_hedge__chooses_alike_on_neighbours(void **state) {
    (void)state;
    table t = categories_table(301, 2, 3, 3);
    hr_data *without = NULL;
    assert_int_equal(
        hr_data_from_arrays(t.schema, 300, (const double *const *)t.columns, t.labels, &without, NULL),
        HR_OK);
    size_t same = 0, leaves = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
        options.epsilon = 1;
        hr_model *a = fit(without, &options), *b = fit(t.data, &options);
        assert_true(a->forest.base[0] != b->forest.base[0]);
        const hr_tree *x = &a->forest.trees[0], *y = &b->forest.trees[0];
        bool alike = same_structure(x, y);
        same += alike;
        for (size_t n = 0; alike && n < x->node_count; n++)
            leaves += !x->nodes[n].left && x->nodes[n].value != y->nodes[n].value;
        hr_model_free(a), hr_model_free(b);
    }
    assert_true(same >= 34 && leaves > same);
    hr_data_free(without);
    table_close(&t);
}

/* ---- Use ---- */

typedef struct promise {
    size_t classes;
    double epsilon, delta;
    hr_loss loss;
    double max; /* error, or root mean square error of labels in [-1, 1] */
} promise;

/* 12,000 records, 6 features of which two matter. Majority errs on 1/2 or 2/3; the mean label is off by .577.
 */
static void test_hedge__learns(void **state) {
    (void)state;
    static const promise promises[] = {
        {2, 1, 1e-6, HR_LOSS_SQUARE, .06}, {2, 1, 1e-6, HR_LOSS_LOGISTIC, .06},
        {2, 8, 1e-6, HR_LOSS_SQUARE, .02}, {3, 2, 1e-6, HR_LOSS_SQUARE, .06},
        {0, 1, 1e-6, HR_LOSS_SQUARE, .30}, {2, 2, 0, HR_LOSS_SQUARE, .12},
        {3, 8, 0, HR_LOSS_SQUARE, .12},    {0, 2, 0, HR_LOSS_SQUARE, .36},
    };
    for (size_t i = 0; i < COUNT(promises); i++) {
        const promise *p = &promises[i];
        table t = table_of_steps(12000, 6, p->classes, 51), fresh = table_of_steps(4000, 6, p->classes, 52);
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 9);
        options.epsilon = p->epsilon;
        options.delta = p->delta;
        options.loss = p->loss;
        hr_model *model = fit(t.data, &options);
        hr_data *test = NULL;
        assert_int_equal(hr_data_from_arrays(hr_model_schema(model), fresh.rows,
                                             (const double *const *)fresh.columns, fresh.labels, &test, NULL),
                         HR_OK);
        hr_metrics m = metrics_of(model, test);
        double error = p->classes ? m.error : m.rmse;
        print_message("%zu classes, epsilon %g, delta %g, loss %d: %.4f\n", p->classes, p->epsilon, p->delta,
                      (int)p->loss, error);
        if (!(error <= p->max)) fail_msg("promise %zu: error %g", i, error);
        hr_data_free(test);
        hr_model_free(model);
        table_close(&t);
        table_close(&fresh);
    }
}

static double error_within(double low, double high, double delta, uint64_t seed) {
    table t = table_open(8000, 3);
    uint64_t random = 61;
    for (size_t i = 0; i < t.rows; i++) {
        for (size_t f = 0; f < 3; f++) t.columns[f][i] = next_unit(&random);
        t.labels[i] = t.columns[0][i] + .5 * t.columns[1][i] > .75;
    }
    hr_column features[3] = {number_column("a", low, high), number_column("b", low, high),
                             number_column("c", low, high)};
    table_make(&t, category_column("y", 2), features);
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
    options.epsilon = 2;
    options.delta = delta;
    double error = fit_metrics(t.data, &options).error;
    table_close(&t);
    return error;
}

/* Bounds are guesses: a hundred times too wide they cost little, since edges are quantiles of what is there.
 * Evenly spaced edges would leave one bin. */
static void test_hedge__does_not_mind_bounds_that_are_too_wide(void **state) {
    (void)state;
    static const double deltas[] = {1e-6, 0};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        double tight = 0, wide = 0;
        for (uint64_t seed = 0; seed < 3; seed++) {
            tight += error_within(0, 1, deltas[d], seed) / 3;
            wide += error_within(-30, 70, deltas[d], seed) / 3;
        }
        print_message("delta %g: error %.4f within bounds, %.4f within bounds 100 times too wide\n",
                      deltas[d], tight, wide);
        if (!(wide < tight + .02)) fail_msg("error %g within wide bounds, %g within tight ones", wide, tight);
    }
}

/* Two groups, of which one has 9 of 10 labels in the last class and the other 9 of 10 in the first; numbers:
 * means of .8 and -.8. */
static table groups_table(size_t rows, size_t classes) {
    table t = table_open(rows, 1);
    for (size_t i = 0; i < rows; i++) {
        bool rare = i / 2 % 10 == 0;
        t.columns[0][i] = (double)(1 + i % 2);
        t.labels[i] = (i % 2) != rare ? (double)classes - 1 : 0;
        if (!classes)
            t.labels[i] = (i % 2 ? .8 : -.8) +
                          (i / 2 % 2 ? .1 : -.1); /* the clip would pull a mean of skewed labels aside */
    }
    hr_column feature = category_column("x", 2);
    table_make(&t, classes ? category_column("y", classes) : number_column("y", -1, 1), &feature);
    return t;
}

/* What the model says of the first two records: of the last class. */
static void assert_pair(const hr_model *model, const hr_data *data, size_t name, double first, double second,
                        double slack) {
    double *p = predictions_of(model, data);
    size_t count = hr_model_output_count(model), last = count - 1;
    print_message("case %zu: predicts %.4f and %.4f\n", name, p[last], p[count + last]);
    if (!(fabs(p[last] - first) < slack && fabs(p[count + last] - second) < slack))
        fail_msg("case %zu", name);
    free(p);
}

/* With noise that hardly matters scores come to rest where clipped gradients add up to 0. Numbers: the mean.
 * Two classes: 9 parts of 1 - F against one of the clip 1, so F = 8/9, which says .944 (and not .9: the price
 * of a clip below 2); logistic loss: the same of tanh(F). Three classes, (a, 0, 1 - a): 9 parts of a against
 * one of 1/sqrt(2). Calibration finds out, to within half a bin. */
static void test_hedge__comes_to_rest_where_clipped_gradients_do(void **state) {
    (void)state;
    static const struct {
        size_t classes;
        double delta;
        hr_loss loss;
        double low, high;
    } cases[] = {{0, 1e-6, HR_LOSS_SQUARE, -.8, .8},
                 {2, 1e-6, HR_LOSS_SQUARE, 1. / 18, 17. / 18},
                 {2, 1e-6, HR_LOSS_LOGISTIC, 1. / 18, 17. / 18},
                 {3, 1e-6, HR_LOSS_SQUARE, .0786, .9214},
                 {0, 0, HR_LOSS_SQUARE, -.8, .8},
                 {2, 0, HR_LOSS_SQUARE, 1. / 18, 17. / 18},
                 {3, 0, HR_LOSS_SQUARE, .0786, .9214}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        table t = groups_table(4000, cases[i].classes);
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 13);
        options.epsilon = 100;
        options.delta = cases[i].delta;
        options.loss = cases[i].loss;
        hr_model *model = fit(t.data, &options);
        if (cases[i].classes) assert_pair(model, t.data, i, .1, .9, .025);
        model->forest.calibration.made = false;
        assert_pair(model, t.data, i, cases[i].low, cases[i].high, .015);
        hr_model_free(model);
        table_close(&t);
    }
}

/* The model is the mean of the last fifth of the iterates: of 25 rounds, trees 20..24 count 1, .8, .6, .4,
 * .2. All leaves are noise, of one size but for the schedule; the mean magnitude of at least 40 * 5 of them
 * is off by less than 1 part in 4. */
static void test_hedge__averages_the_last_iterates(void **state) {
    (void)state;
    table t = categories_table(50, 2, 3, 4);
    double magnitude[25] = {0}, middle = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
        options.epsilon = .05;
        hr_model *model = fit(t.data, &options);
        assert_int_equal(model->forest.tree_count, 25);
        for (size_t k = 0; k < 25; k++) {
            const hr_tree *tree = &model->forest.trees[k];
            for (size_t n = 0; n < tree->node_count; n++)
                magnitude[k] += fabs(tree->nodes[n].value) / (double)leaves_of(tree);
        }
        hr_model_free(model);
    }
    for (size_t k = 0; k < 20; k++) middle += magnitude[k] / 20;
    for (size_t k = 20; k < 25; k++) {
        double ratio = magnitude[k] / middle / (.2 * (25 - (double)k));
        if (!(ratio > .75 && ratio < 1.25))
            fail_msg("tree %zu: leaves are %g of what they should be", k, ratio);
    }
    table_close(&t);
}

static void test_hedge__knows_a_constant_label(void **state) {
    (void)state;
    static const size_t classes[] = {2, 3, 0};
    for (size_t c = 0; c < COUNT(classes); c++) {
        table t = constant_table(3000, classes[c]);
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 7);
        options.epsilon = 1;
        hr_metrics m = fit_metrics(t.data, &options);
        assert_true(classes[c] ? m.error == 0 : m.rmse < .05);
        table_close(&t);
    }
}

/* ---- Predictions ---- */

static void check_predictions(const table *t, double epsilon, double delta, double low, double high) {
    for (uint64_t seed = 0; seed < 5; seed++) {
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
        options.epsilon = epsilon;
        options.delta = delta;
        hr_model *model = fit(t->data, &options);
        double *p = predictions_of(model, t->data);
        size_t outputs = hr_model_output_count(model);
        for (size_t i = 0; i < t->rows; i++) {
            double sum = 0;
            for (size_t k = 0; k < outputs; k++) {
                assert_true(p[i * outputs + k] >= low && p[i * outputs + k] <= high);
                sum += p[i * outputs + k];
            }
            if (outputs > 1) assert_true(fabs(sum - 1) < 1e-9);
        }
        free(p);
        hr_model_free(model);
    }
}

static void test_hedge__predicts_within_bounds_whatever_the_noise(void **state) {
    (void)state;
    static const double epsilons[] = {.01, 1, 100}, deltas[] = {1e-6, 0};
    for (size_t classes = 0; classes <= 3; classes++) {
        if (classes == 1) continue;
        table t = mixed_table(120, classes);
        for (size_t e = 0; e < COUNT(epsilons); e++)
            for (size_t d = 0; d < COUNT(deltas); d++)
                check_predictions(&t, epsilons[e], deltas[d], classes ? 0 : 10, classes ? 1 : 30);
        table_close(&t);
    }
}

/* ---- The caller ---- */

static bool stop_at_third(void *user, size_t done, size_t total) {
    size_t *calls = user;
    assert_true(done <= total && total >= 25);
    return ++*calls < 3;
}

static void test_hedge__stops_when_asked_to(void **state) {
    (void)state;
    table t = mixed_table(100, 2);
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    size_t calls = 0;
    options.progress = stop_at_third;
    options.user = &calls;
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_CANCELLED);
    assert_true(calls == 3 && !model);
    table_close(&t);
}

static void test_hedge__refuses_a_budget_that_buys_nothing(void **state) {
    (void)state;
    table t = mixed_table(100, 2);
    static const double deltas[] = {1e-6, 0};
    for (size_t d = 0; d < COUNT(deltas); d++)
        for (double epsilon = 1e-5; epsilon > 1e-13; epsilon /= 10) {
            hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
            options.epsilon = epsilon;
            options.delta = deltas[d];
            hr_model *model = NULL;
            hr_error err = {0};
            hr_status status = hr_fit(t.data, &options, &model, &err);
            assert_int_equal(status == HR_OK, model != NULL);
            if (status)
                assert_true(err.message[0] && err.remedy[0] &&
                            (status == HR_E_BUDGET || status == HR_E_ARGUMENT));
            if (epsilon < 1e-11) assert_true(status != HR_OK);
            hr_model_free(model);
        }
    table_close(&t);
}

/* ---- Memory ---- */

static hr_schema *schema_of_numbers(size_t features) {
    hr_schema_builder *builder = NULL;
    hr_schema *schema = NULL;
    assert_int_equal(hr_schema_builder_new(&builder, NULL), HR_OK);
    assert_int_equal(hr_schema_label_classes(builder, "y", (const char *const[]){"no", "yes"}, 2, NULL),
                     HR_OK);
    for (size_t f = 0; f < features; f++) {
        char name[24];
        snprintf(name, sizeof name, "x%zu", f);
        assert_int_equal(hr_schema_add_number(builder, name, 0, 1, false, NULL), HR_OK);
    }
    assert_int_equal(hr_schema_build(builder, &schema, NULL), HR_OK);
    hr_schema_builder_free(builder);
    return schema;
}

static double memory_of(size_t rows, size_t features) {
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    hr_schema *schema = schema_of_numbers(features);
    const hr_fit_facts facts = {.options = &options,
                                .schema = schema,
                                .rows = rows,
                                .threads = 1,
                                .privacy_measure = HR_PRIVACY_GDP,
                                .budget = hr_units_up(.1)};
    double bytes = hr_method_named("hedge")->memory(&facts);
    hr_schema_free(schema);
    return bytes;
}

/* A byte a record, 31 edges, and the lines of 14 levels, which the gate and the model have; not the square of
 * the features. */
static void test_memory__grows_as_the_features_do(void **state) {
    (void)state;
    const double least = 100 + 31 * sizeof(double) + 2 * 14 * sizeof(hr_release);
    double some = memory_of(100, 100), more = memory_of(100, 1100), most = memory_of(100, 5100);
    assert_true(more - some >= 1000 * least && more - some < 2000 * least);
    assert_true(fabs((most - more) / 4 - (more - some)) < 1);
}

/* The trees of a long run are larger, and more. */
static void test_memory__has_room_for_the_forest(void **state) {
    (void)state;
    double few = memory_of(1000, 10), many = memory_of(1000000, 10);
    double forest = 300. * (2 * 256 - 1) * sizeof(hr_node), records = 999000. * (10 + 8 + 8 + 1);
    assert_true(many - few >= records + forest * .9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__grows_as_the_features_do),
        cmocka_unit_test(test_memory__has_room_for_the_forest),
        cmocka_unit_test(test_hedge__lists_every_draw_and_what_it_cost),
        cmocka_unit_test(test_hedge__lists_the_same_on_odd_tables),
        cmocka_unit_test(test_hedge__lists_the_same_at_any_epsilon),
        cmocka_unit_test(test_hedge__has_no_paper_mode),
        cmocka_unit_test(test_hedge__gives_another_model_every_time),
        cmocka_unit_test(test_hedge__repeats_itself_from_a_seed_on_any_threads),
        cmocka_unit_test(test_hedge__draws_structures_from_public_coins),
        cmocka_unit_test(test_hedge__chooses_alike_on_neighbours),
        cmocka_unit_test(test_hedge__learns),
        cmocka_unit_test(test_hedge__does_not_mind_bounds_that_are_too_wide),
        cmocka_unit_test(test_hedge__comes_to_rest_where_clipped_gradients_do),
        cmocka_unit_test(test_hedge__averages_the_last_iterates),
        cmocka_unit_test(test_hedge__knows_a_constant_label),
        cmocka_unit_test(test_hedge__predicts_within_bounds_whatever_the_noise),
        cmocka_unit_test(test_hedge__stops_when_asked_to),
        cmocka_unit_test(test_hedge__refuses_a_budget_that_buys_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
