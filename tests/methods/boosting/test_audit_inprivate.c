/* inprivate against what it claims: the exact privacy loss of its splits and leaves on worst-case neighbours,
 * and whole trainings on tiny neighbouring tables (games.h, audit.h: seeds are fixed, false-alarm rate 1e-6 a
 * game; exact tests have none).
 *
 * What was published is caught, what is here keeps within its claim, and quiet games have a twin that trains
 * at more than it is labelled with, which must be caught. */
#include "support/audit_games.h"
#include "support/flip_law.h"
#include "tables/bins/edges.h"
#include "trees/stats/gradient.h"
#include "trees/stats/split_candidates.h"

enum { CANDIDATES = 11 };

/* ---- Lines of real fits ---- */

/* Bins cost nothing, and half of the rest is for splits. */
static hr_fit_options audited(hr_mode mode, double epsilon, double delta) {
    hr_fit_options options = seeded_options_of("inprivate", mode, 1);
    options.epsilon = epsilon;
    options.delta = delta;
    options.leaf_share = options.count_share = .5;
    if (mode == HR_MODE_SOUND) options.edges = HR_EDGES_PUBLIC;
    return options;
}

/* The first line of that name; `what` is static text. */
static hr_release line_in(const hr_model *model, const char *what) {
    for (size_t i = 0; i < model->release_count; i++)
        if (!strcmp(model->releases[i].what, what)) {
            hr_release found = model->releases[i];
            found.what = what;
            return found;
        }
    fail_msg("no line '%s'", what);
    return (hr_release){.what = NULL};
}

static hr_release line_of(hr_fit_options options, size_t classes, const char *what) {
    table t = table_of_steps(60, 2, classes, 3);
    hr_model *model = fit(t.data, &options);
    hr_release found = line_in(model, what);
    hr_model_free(model);
    table_close(&t);
    return found;
}

static double scale_of(const hr_release *line) {
    return (double)line->scale_num / (double)line->scale_den;
}

/* ---- A6b: splits ---- */

/* What one candidate sends left and right, as the cells of a feature of two bins. */
typedef struct node {
    hr_packing packing;
    hr_feature_bins features[CANDIDATES];
    hr_binning binning;
    hr_sum_word cells[4096], total;
} node;

/* n records of residual g and as many of -g, separated by every candidate. The canary, of residual -g, joins
 * the positive side of the first candidate and the negative side of all others. */
static void node_scores(int64_t bound, int64_t g, int64_t n, int64_t canary, double *out) {
    static const double edge[] = {.5};
    static node at;
    hr_exact scores[CANDIDATES];
    at.packing = (hr_packing){.shift = 20, .gradient_bound = bound};
    at.binning = (hr_binning){CANDIDATES, at.features, NULL};
    for (size_t f = 0; f < CANDIDATES; f++) at.features[f] = (hr_feature_bins){HR_KIND_NUMBER, 3, edge};
    assert_true(hr_histogram_at(CANDIDATES) <= COUNT(at.cells));
    assert_int_equal(hr_candidate_count(&at.binning), CANDIDATES);
    memset(at.cells, 0, sizeof at.cells);
    for (size_t f = 0; f < CANDIDATES; f++) {
        hr_sum_word *bins = at.cells + hr_histogram_at(f);
        bins[1] = hr_pack(&at.packing, n * g - (f == 0) * canary * g, n + (f == 0) * canary);
        bins[2] = hr_pack(&at.packing, -n * g - (f > 0) * canary * g, n + (f > 0) * canary);
        at.total = bins[1] + bins[2];
    }
    hr_candidate_scores(&at.binning, &at.packing, 0, at.cells, at.total, scores);
    for (size_t f = 0; f < CANDIDATES; f++) out[f] = (double)scores[f].unpaid;
}

static void exponential_law(const double *scores, size_t count, double c, double *out) {
    double best = scores[0], sum = 0;
    for (size_t r = 1; r < count; r++) best = fmax(best, scores[r]);
    for (size_t r = 0; r < count; r++) sum += out[r] = exp(c * (scores[r] - best));
    for (size_t r = 0; r < count; r++) out[r] /= sum;
}

/* The exact loss of a split that is chosen as the line says, residuals being +-part of what the packing's
 * bound stands for. */
static double split_loss(const hr_release *line, int64_t bound, double part) {
    double without[CANDIDATES], with[CANDIDATES], p[CANDIDATES], q[CANDIDATES], loss = 0;
    int64_t g = (int64_t)((double)bound * part);
    node_scores(bound, g, 5000, 0, without);
    node_scores(bound, g, 5000, 1, with);
    void (*law)(const double *scores, size_t count, double c, double *out) =
        line->mechanism == HR_MECHANISM_PERMUTE_AND_FLIP ? flip_law : exponential_law;
    law(without, CANDIDATES, scale_of(line), p);
    law(with, CANDIDATES, scale_of(line), q);
    for (size_t r = 0; r < CANDIDATES; r++) loss = fmax(loss, fabs(log(p[r] / q[r])));
    return loss;
}

static hr_release split_line(hr_mode mode, int64_t depth, double delta, hr_split_budget budget) {
    hr_fit_options options = audited(mode, 2, delta);
    options.depth = depth;
    options.by_name[HR_OPTION_SPLIT_BUDGET] = budget;
    return line_of(options, 2, "split");
}

/* One level, eps_1 = 1. In the first round residuals are +-1; later they tend to +-2. */
static void test_a6b__published_splits_lose_more_than_they_claim_in_later_rounds(void **state) {
    (void)state;
    hr_release line = split_line(HR_MODE_PAPER, 1, 0, HR_SPLIT_BUDGET_ALGORITHM);
    double first = split_loss(&line, 1 << 16, .5), later = split_loss(&line, 1 << 16, 1);
    print_message("A6b published split: claimed %.3f, loses %.3f in the first round, %.3f later\n",
                  hr_units_value(line.cost), first, later);
    assert_int_equal(line.mechanism, HR_MECHANISM_EXPONENTIAL);
    assert_true(fabs(hr_units_value(line.cost) - 1) < 1e-9);
    assert_true(fabs(first - .463) < 1e-3 && fabs(later - 1.918) < 1e-3);
}

/* Four levels: line 10 of Algorithm 1 spends eps_1 at each, the proof of theorem 7 a fourth of it. */
static void test_i4__the_algorithm_spends_at_every_level_what_it_claims_for_all(void **state) {
    (void)state;
    hr_release algorithm = split_line(HR_MODE_PAPER, 4, 0, HR_SPLIT_BUDGET_ALGORITHM),
               text = split_line(HR_MODE_PAPER, 4, 0, HR_SPLIT_BUDGET_TEXT);
    double claimed = hr_units_value(algorithm.cost),
           losses[] = {split_loss(&algorithm, 1 << 16, 1), split_loss(&text, 1 << 16, 1)};
    print_message("I4 a level of four: claimed %.3f, Algorithm 1 loses %.3f, the text %.3f\n", claimed,
                  losses[0], losses[1]);
    assert_true(fabs(claimed - .25) < 1e-9 && hr_units_value(text.cost) == claimed);
    assert_true(fabs(losses[0] - 1.918) < 1e-3 &&
                fabs(scale_of(&algorithm) - 4 * scale_of(&text)) < 1e-9 * scale_of(&text));
    assert_true(losses[1] > claimed * 1.5);
}

static void test_a6b__sound_splits_lose_what_they_claim(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-6};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        hr_release line = split_line(HR_MODE_SOUND, 1, deltas[d], HR_SPLIT_BUDGET_ALGORITHM), half = line;
        double cost = hr_units_value(line.cost), claimed = d ? sqrt(8 * cost) : cost,
               loss = split_loss(&line, 1 << 12, 1) / claimed;
        half.scale_num *= 2;
        print_message("A6b sound split: of what it claims it loses %.3f; half the width would lose %.3f\n",
                      loss, split_loss(&half, 1 << 12, 1) / claimed);
        assert_int_equal(line.mechanism, d ? HR_MECHANISM_EXPONENTIAL : HR_MECHANISM_PERMUTE_AND_FLIP);
        assert_true(loss <= 1 && loss > .9 && split_loss(&half, 1 << 12, 1) > 1.5 * claimed);
        if (!d) assert_true(fabs(cost - 1) < 1e-9);
        line.mechanism = HR_MECHANISM_EXPONENTIAL;
        if (!d) assert_true(fabs(split_loss(&line, 1 << 12, 1) - .941) < 1e-3);
    }
}

/* ---- A6i: leaves ---- */

/* A record that moves the sum by `sum` and the denominator by `count`, in the lines' own units. */
static double leaf_loss(const hr_release *sums, const hr_release *counts, double sum, double count) {
    return sum / scale_of(sums) + count / scale_of(counts);
}

/* eps_2 = 2. Logarithmic loss, |r| = 1.5: the sum moves by 1.5, the denominator by 0.75. Numbers, |r| = 4: by
 * 4 and 1. */
static void test_a6i__published_leaves_lose_more_than_they_claim(void **state) {
    (void)state;
    hr_fit_options options = audited(HR_MODE_PAPER, 4, 0);
    static const double wanted[] = {5, 2.25};
    for (size_t classes = 0; classes <= 2; classes += 2) {
        hr_release sums = line_of(options, classes, "leaf sum"),
                   counts = line_of(options, classes, "leaf count");
        const hr_packing packing = {.gradient_bound = 1 << 16};
        double one = (double)sums.sensitivity, r = classes ? 1.5 : 4;
        double count = classes ? (double)hr_hessian(&(hr_hessian_rule){&packing, 2, NULL}, 0,
                                                    (int64_t)(1.5 / 2 * (1 << 16)))
                               : 1;
        double loss = leaf_loss(&sums, &counts, r * one, count),
               claimed = hr_units_value(sums.cost + counts.cost);
        print_message("A6i published leaf, residual %.1f: claimed %.3f, loses %.3f\n", r, claimed, loss);
        assert_true(fabs(claimed - 2) < 1e-9 && fabs(loss - wanted[classes / 2]) < 1e-6);
    }
}

static void test_a6i__sound_leaves_lose_what_they_claim(void **state) {
    (void)state;
    static const double bounds[] = {2, 1, 1}, wanted[] = {1.5, 2, 2};
    for (size_t k = 0; k < COUNT(bounds); k++) {
        hr_fit_options options = audited(HR_MODE_SOUND, 4, 0);
        options.gradient_bound = bounds[k];
        hr_release sums = line_of(options, k < 2 ? 2 : 0, "leaf sum"),
                   counts = line_of(options, k < 2 ? 2 : 0, "leaf count");
        const hr_packing packing = {.gradient_bound = 1 << 12};
        int64_t gradient = (int64_t)(fmin(1.5, bounds[k]) / bounds[k] * (1 << 12));
        double count =
            k < 2 ? (double)hr_hessian(&(hr_hessian_rule){&packing, bounds[k], NULL}, 0, gradient) : 1;
        double loss = leaf_loss(&sums, &counts, (double)gradient, count),
               claimed = hr_units_value(sums.cost + counts.cost);
        print_message("A6i sound leaf, residual 1.5 clipped to %.0f: claimed %.3f, loses %.3f\n", bounds[k],
                      claimed, loss);
        assert_true(fabs(claimed - 2) < 1e-9 && fabs(loss - wanted[k]) < 1e-6);
    }
}

/* ---- A7: cut points ---- */

/* Nine multiples of 1/10, of which averages of three are multiples of 1/30, and a record that is none. */
static const double tenths[] = {.1, .2, .3, .4, .5, .6, .7, .8, .9, .0123};

static double has_new_cut(const hr_model *model) {
    const hr_feature_bins *bins = &model->predictor.columns[0].bins;
    for (size_t e = 0; e + 2 < bins->bin_count; e++)
        if (fabs(bins->edges[e] * 30 - rint(bins->edges[e] * 30)) > 1e-6) return 1;
    return 0;
}

/* Off the grid of 2^16 cells, which private quantiles keep to; public edges are coarser still. */
static double is_off_the_grid(const hr_model *model) {
    const hr_feature_bins *bins = &model->predictor.columns[0].bins;
    for (size_t e = 0; e + 2 < bins->bin_count; e++)
        if (bins->edges[e] * 65536 != rint(bins->edges[e] * 65536)) return 1;
    return 0;
}

static game a7(hr_mode mode, statistic *look) {
    game g = {.name =
                  mode == HR_MODE_PAPER ? "A7 cut that one record made, published" : "A7 cut off the grid",
              .options = options_of("inprivate", mode),
              .claimed = 1,
              .runs = 2000,
              .look = look};
    g.options.trees = g.options.depth = 1;
    table t = table_open(COUNT(tenths), 1);
    for (size_t i = 0; i < COUNT(tenths); i++) t.columns[0][i] = tenths[i], t.labels[i] = (double)(i % 2);
    hr_column feature = number_column("x", 0, 1);
    game_make(&g, &t, category_column("y", 2), &feature);
    return g;
}

static void test_a7__catches_averages_of_three_values(void **state) {
    (void)state;
    game g = a7(HR_MODE_PAPER, has_new_cut);
    assert_caught(&g, event_bound(&g));
    game_play_both(&g);
    assert_true(count_below(game_seen[0], g.runs, .5) == g.runs); /* without the record never: no epsilon */
    game_close(&g);
    g = a7(HR_MODE_SOUND, is_off_the_grid);
    for (int edges = HR_EDGES_PUBLIC; edges <= HR_EDGES_PRIVATE; edges++) {
        g.options.edges = (hr_edges)edges;
        assert_quiet(&g, event_bound(&g));
        assert_true(count_below(game_seen[0], g.runs, .5) == g.runs &&
                    count_below(game_seen[1], g.runs, .5) == g.runs);
    }
    game_close(&g);
}

/* ---- I7: halves ---- */

enum { HALF = 4 };

/* Labels -1, and the canary 1: at so large an epsilon the leaf's mean tells who was in it. */
static double leaf_mean(const hr_model *model) {
    return leaf_value(model, 0, 0);
}

/* How often the canary is among the records of the first of two rounds, and how often their mean is one that
 * `HALF` of them can have. */
static double share_with_canary(game *g, double *as_half) {
    double in = 0;
    *as_half = 0;
    game_play(g, g->with.data, 1, game_seen[1]);
    for (size_t i = 0; i < g->runs; i++) {
        in += game_seen[1][i] > -.99;
        *as_half += fabs(game_seen[1][i] + 1) < .01 || fabs(game_seen[1][i] + 1 - 2. / HALF) < .01;
    }
    *as_half /= (double)g->runs;
    return in / (double)g->runs;
}

static game i7(hr_mode mode) {
    game g = {.name = "I7",
              .options = options_of("inprivate", mode),
              .claimed = 1,
              .runs = 4000,
              .look = leaf_mean};
    g.options.epsilon = 1e4;
    g.options.depth = 1;
    g.options.trees = 2;
    table t = table_open(2 * HALF + 1, 1);
    for (size_t i = 0; i < t.rows; i++) t.labels[i] = i < 2 * HALF ? -1 : 1;
    hr_column feature = number_column("x", 0, 0);
    game_make(&g, &t, number_column("y", -1, 1), &feature);
    return g;
}

/* Exactly half of 2k + 1 records is half of 2k: the canary does not join, it takes the place of a -1 with
 * probability k/(2k + 1), and the sum moves by 2. Far in the tail of Laplace noise that is odds of 1 - p + p
 * e^(2 eps) for a sum that claims eps; with coins it is 1/2 + e^eps/2. The share has a standard deviation
 * below .008. */
static void test_i7__exact_halves_put_a_record_in_place_of_another(void **state) {
    (void)state;
    game g = i7(HR_MODE_PAPER);
    double as_half, in = share_with_canary(&g, &as_half), k = HALF, p = k / (2 * k + 1);
    game_close(&g);
    hr_release line = line_of(audited(HR_MODE_PAPER, 4, 0), 0, "leaf sum");
    double cost = hr_units_value(line.cost), move = (double)line.sensitivity / scale_of(&line);
    double loss = log(1 - p + p * exp(2 * move)), most = log((1 + exp(2 * move)) / 2),
           coins = log((1 + exp(move)) / 2);
    print_message(
        "I7 exact halves of %d records: claimed %.3f, loses %.3f, at most %.3f of many; coins %.3f\n",
        2 * HALF, cost, loss, most, coins);
    assert_true(as_half == 1 && fabs(in - p) < .05);
    assert_true(fabs(cost - 1) < 1e-9 && loss > 1.3 && fabs(most - 1.434) < 1e-3 && coins < cost);
    g = i7(HR_MODE_SOUND);
    in = share_with_canary(&g, &as_half);
    game_close(&g);
    assert_true(fabs(in - .5) < .05 && as_half < .7); /* any number of the others, each by its own coin */
}

/* ---- W5: whole trainings ---- */

static double prediction(const hr_model *model) {
    double sum = 0;
    for (size_t t = 0; t < hr_model_tree_count(model); t++) sum += leaf_value(model, t, 0);
    return sum;
}

static double is_above_zero(const hr_model *model) {
    return prediction(model) > 0;
}

/* Three rounds on records without features: some labels -1, then 1. */
static game w5(const char *name, size_t others, size_t classes, double epsilon, size_t runs,
               statistic *look) {
    game g = {.name = name,
              .options = options_of("inprivate", HR_MODE_SOUND),
              .claimed = 2,
              .runs = runs,
              .look = look};
    g.options.epsilon = epsilon;
    g.options.trees = 3;
    g.options.depth = 1;
    g.options.leaf_share = .99;
    g.options.count_share = .01;
    table t = table_open(others + 1, 1);
    for (size_t i = 0; i <= others; i++) t.labels[i] = i == others ? 1 : classes ? 0 : -1;
    hr_column feature = number_column("x", 0, 0);
    game_make(&g, &t, classes ? category_column("y", 2) : number_column("y", -1, 1), &feature);
    return g;
}

static void test_w5__finds_no_more_than_is_claimed_in_three_rounds(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-9}; /* so small a delta does not show in thousands of runs */
    for (size_t d = 0; d < COUNT(deltas); d++)
        for (size_t classes = 0; classes <= (d ? 0 : 2); classes += 2) {
            game g = w5(classes ? "W5 three rounds, classes" : "W5 three rounds, numbers", 2, classes, 2,
                        RUNS_MAX, prediction);
            g.options.delta = deltas[d];
            double bound = statistic_bound(&g);
            assert_quiet(&g, bound);
            assert_true(d || bound > .3);
            game_close(&g);
        }
}

/* One round, a label -1 and then 1 too: the odds that the noisy sum is above 0 go from e^(-.98 epsilon)/2 to
 * even. */
static game one_round(const char *name, double epsilon, size_t runs) {
    game g = w5(name, 1, 0, epsilon, runs, is_above_zero);
    g.options.trees = 1;
    return g;
}

static void test_w5__comes_near_its_claim_in_one_round(void **state) {
    (void)state;
    game g = one_round("W5 one round", 2, RUNS_MAX);
    double bound = event_bound(&g);
    assert_quiet(&g, bound);
    assert_true(bound > 1.5);
    game_close(&g);
}

static void test_w5x__catches_fits_at_more_than_they_claim(void **state) {
    (void)state;
    game g = w5("W5x three rounds at 20, labelled 2", 12, 0, 20, 4000, leaf_mean);
    g.options.count_share = .5;
    assert_caught(&g, statistic_bound(&g));
    game_close(&g);
    g = one_round("W5x one round at 4, labelled 2", 4, RUNS_MAX);
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a6b__published_splits_lose_more_than_they_claim_in_later_rounds),
        cmocka_unit_test(test_i4__the_algorithm_spends_at_every_level_what_it_claims_for_all),
        cmocka_unit_test(test_a6b__sound_splits_lose_what_they_claim),
        cmocka_unit_test(test_a6i__published_leaves_lose_more_than_they_claim),
        cmocka_unit_test(test_a6i__sound_leaves_lose_what_they_claim),
        cmocka_unit_test(test_a7__catches_averages_of_three_values),
        cmocka_unit_test(test_i7__exact_halves_put_a_record_in_place_of_another),
        cmocka_unit_test(test_w5__finds_no_more_than_is_claimed_in_three_rounds),
        cmocka_unit_test(test_w5__comes_near_its_claim_in_one_round),
        cmocka_unit_test(test_w5x__catches_fits_at_more_than_they_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
