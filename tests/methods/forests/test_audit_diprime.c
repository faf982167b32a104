/* diprime against what it claims: the exact privacy loss of its medians, choices and leaves on worst-case
 * neighbours, and whole trainings on tiny neighbouring tables (games.h, audit.h: seeds are fixed, false-alarm
 * rate 1e-6 a game; exact tests have none).
 *
 * What was published is caught, what is here keeps within its claim, and each quiet game has a twin that
 * trains at more than it is labelled with, which must be caught. */
#include "privacy/gate.h"
#include "support/audit_games.h"
#include "trees/stats/impurity.h"
#include "trees/stats/median_score.h"

enum { CUTS = HR_MEDIAN_SCORE_CELLS - 1, GROUPS_MAX = 16 };

/* ---- Exact laws of choices ---- */

/* Candidates that are alike. */
typedef struct group {
    double score, count, law; /* law: the probability that one of them is chosen */
} group;

static double best_of(const group *groups, size_t count) {
    double best = groups[0].score;
    for (size_t g = 1; g < count; g++) best = fmax(best, groups[g].score);
    return best;
}

static void exponential_law(group *groups, size_t count, double scale) {
    double best = best_of(groups, count), sum = 0;
    for (size_t g = 0; g < count; g++)
        sum += groups[g].law = groups[g].count * exp(scale * (groups[g].score - best));
    for (size_t g = 0; g < count; g++) groups[g].law /= sum;
}

/* Permute-and-flip (privacy/flip_law.h), of thousands of candidates: p integral over t in [0, 1] of the
 * product of the others' 1 - p t, by Gauss's rule of 3 points in s = -ln t, where it is smooth whatever the
 * numbers of candidates are. */
static void flip_group_law(group *groups, size_t count, double scale) {
    enum { PIECES = 6000, POINTS = 3 };
    static const double at[POINTS] = {-.774596669241483, 0, .774596669241483},
                        weight[POINTS] = {5. / 18, 8. / 18, 5. / 18};
    const double end = 60, step = end / PIECES;
    double best = best_of(groups, count), p[GROUPS_MAX];
    assert_true(count <= GROUPS_MAX);
    for (size_t g = 0; g < count; g++) p[g] = exp(scale * (groups[g].score - best)), groups[g].law = 0;
    for (size_t i = 0; i < PIECES * POINTS; i++) {
        double t = exp(-step * ((double)(i / POINTS) + (1 + at[i % POINTS]) / 2)),
               all = t * step * weight[i % POINTS];
        for (size_t g = 0; g < count; g++) all *= pow(1 - p[g] * t, groups[g].count);
        for (size_t g = 0; g < count; g++) groups[g].law += groups[g].count * p[g] * all / (1 - p[g] * t);
    }
}

/* As a gate chooses under a line of this mechanism. */
static void law_of(hr_mechanism mechanism, group *groups, size_t count, double scale) {
    (mechanism == HR_MECHANISM_PERMUTE_AND_FLIP ? flip_group_law : exponential_law)(groups, count, scale);
}

static double log_odds_apart(double p, double q) {
    return fmax(fabs(log(p / q)), fabs(log((1 - p) / (1 - q))));
}

/* The largest |ln(p/p')| over candidates. */
static double choice_loss(hr_mechanism mechanism, double scale, group *without, group *with, size_t count) {
    double loss = 0;
    law_of(mechanism, without, count, scale);
    law_of(mechanism, with, count, scale);
    for (size_t g = 0; g < count; g++) loss = fmax(loss, fabs(log(without[g].law / with[g].law)));
    return loss;
}

static void test_group_law__sums_to_one_and_is_permute_and_flips(void **state) {
    (void)state;
    group many[3] = {{0, 1, 0}, {-3, 4000, 0}, {-9, 17, 0}}, two[2] = {{0, 1, 0}, {-2, 1, 0}};
    for (double scale = .001; scale < 9; scale *= 3) {
        flip_group_law(many, 3, scale);
        assert_true(fabs(many[0].law + many[1].law + many[2].law - 1) < 1e-9);
        flip_group_law(two, 2, scale);
        assert_true(fabs(two[1].law - exp(-2 * scale) / 2) < 1e-9); /* visited first, and taken */
    }
}

/* ---- Lines of real fits ---- */

static hr_fit_options audited(hr_mode mode, double epsilon, double delta) {
    hr_fit_options options = seeded_options_of("diprime", mode, 1);
    options.epsilon = epsilon;
    options.delta = delta;
    return options;
}

/* The first line of that name, of a fit to a few records with `features` features; `what` is static text. */
static hr_release line_of(hr_fit_options options, size_t features, size_t classes, const char *what) {
    table t = table_of_steps(60, features, classes, 3);
    hr_model *model = fit(t.data, &options);
    hr_release found = {.what = NULL};
    for (size_t i = model->release_count; i-- > 0;)
        if (!strcmp(model->releases[i].what, what)) found = model->releases[i];
    assert_non_null(found.what);
    found.what = what;
    hr_model_free(model);
    table_close(&t);
    return found;
}

static double scale_of(const hr_release *line) {
    return (double)line->scale_num / (double)line->scale_den;
}

/* What a line of a choice claims: epsilon_0. */
static double claimed_of(const hr_release *line, double delta) {
    double cost = hr_units_value(line->cost);
    return delta > 0 ? sqrt(8 * cost / acos(-1)) : cost;
}

/* ---- A3: one median ---- */

/* Scores of the cuts over [0, 1], as groups of neighbours that are alike. */
static size_t cut_groups(const double *values, size_t count, group *groups) {
    hr_exact cells[HR_BALANCE_COUNTS] = {{0}}, scores[CUTS];
    hr_median_score_range range = {0, 1};
    size_t made = 0;
    hr_median_score_count(&range, values, NULL, count, cells);
    hr_median_score_of_cuts(cells, false, scores);
    for (size_t c = 0; c < CUTS; c++) {
        double score = (double)scores[c].unpaid;
        if (!made || groups[made - 1].score != score) groups[made++] = (group){score, 0, 0};
        groups[made - 1].count++;
        assert_true(made < GROUPS_MAX);
    }
    return made;
}

/* Two records at 0, one between the first two cuts, two at 1: all cuts are alike but the first, and with a
 * third record at 0 the first gains 1 and the others lose 1. */
static double median_loss(const hr_release *line, double scale) {
    static const double values[] = {0, 0, 1.5 / HR_MEDIAN_SCORE_CELLS, 1, 1, 0};
    group merged[GROUPS_MAX], without[2] = {{0, 1, 0}, {0, CUTS - 1, 0}}, with[GROUPS_MAX];
    assert_int_equal(cut_groups(values, 5, merged), 1);
    assert_int_equal(cut_groups(values, 6, with), 2);
    without[0].score = without[1].score = merged[0].score;
    assert_true(with[0].count == 1 && with[0].score == without[0].score + 1 &&
                with[1].score == without[1].score - 1);
    return choice_loss(line->mechanism, scale, without, with, 2);
}

static void test_a3__sound_medians_lose_what_they_claim_on_the_worst_neighbours(void **state) {
    (void)state;
    static const double epsilons[] = {.1, 1, 8}, deltas[] = {0, 1e-6};
    for (size_t e = 0; e < COUNT(epsilons); e++)
        for (size_t d = 0; d < COUNT(deltas); d++) {
            hr_release line = line_of(audited(HR_MODE_SOUND, epsilons[e], deltas[d]), 6, 2, "median");
            assert_int_equal(line.mechanism, d ? HR_MECHANISM_EXPONENTIAL : HR_MECHANISM_PERMUTE_AND_FLIP);
            double claimed = claimed_of(&line, deltas[d]), loss = median_loss(&line, scale_of(&line));
            if (!(loss <= claimed * (1 + 1e-7) && loss > .99 * claimed))
                fail_msg("loses %.9g, claims %.9g", loss, claimed);
            assert_true(median_loss(&line, 2 * scale_of(&line)) >
                        1.9 * claimed); /* half the width would not do */
        }
}

/* D = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1} and a record at x: a cut between 0 and x has probability x p without it
 * and p' with it, p and p' those of a gap in the middle. */
static double gap_loss(const hr_release *line, double x) {
    double p[2];
    for (size_t n = 10; n <= 11; n++) {
        hr_exact scores[10];
        group gaps[10];
        hr_median_score_of_gaps(n, scores);
        for (size_t j = 0; j + 1 < n; j++) gaps[j] = (group){(double)scores[j].unpaid, 1, 0};
        law_of(line->mechanism, gaps, n - 1, scale_of(line));
        p[n - 10] = gaps[4].law;
    }
    return log(p[1] / (p[0] * x));
}

static void test_a3__published_medians_have_no_epsilon(void **state) {
    (void)state;
    hr_release line = line_of(audited(HR_MODE_PAPER, 4, 0), 1, 2, "median");
    double first = gap_loss(&line, 1e-6);
    print_message("A3 published median, a record at 1e-6: claimed %.3f, loses %.3f\n",
                  hr_units_value(line.cost), first);
    assert_true(fabs(first - 13.661) < .001 && fabs(hr_units_value(line.cost) - .2) < 1e-9);
    for (double x = 1e-6; x > 1e-12; x /= 10)
        assert_true(fabs(gap_loss(&line, x / 10) - gap_loss(&line, x) - log(10)) < 1e-9);
}

/* Section 3: exp(-eps1/2 |N - 2j|) for eps1/2 of the budget. */
static void test_a3__the_budget_of_the_text_is_half_of_what_it_spends(void **state) {
    (void)state;
    hr_fit_options options = audited(HR_MODE_PAPER, 1, 0);
    static const double factors[] = {1, 2};
    for (int budget = HR_SPLIT_BUDGET_ALGORITHM; budget <= HR_SPLIT_BUDGET_TEXT; budget++) {
        options.by_name[HR_OPTION_SPLIT_BUDGET] = (hr_split_budget)budget;
        hr_release line = line_of(options, 1, 2, "median");
        double used = median_loss(&line, scale_of(&line)) / hr_units_value(line.cost);
        assert_true(used <= factors[budget] * (1 + 1e-7) && used > .99 * factors[budget]);
    }
}

/* ---- A4: a leaf's mean ---- */

/* Pr(|x| < below) of discrete Laplace noise of scale t around `middle`. */
static double within(double t, int64_t middle, int64_t below) {
    double sum = 0;
    for (int64_t x = 1 - below; x < below; x++) sum += exp(-fabs((double)(x - middle)) / t);
    return sum * tanh(1 / (2 * t));
}

/* Labels -1, and then 1 too: the mean of one record is -1, of both 0, with half the noise. The event is a
 * mean within 1/64 of 0: the odds are about 2 e^(eps/2). */
static void test_a4__published_means_lose_more_than_they_claim(void **state) {
    (void)state;
    static const struct { double epsilon, loss; } cases[] = {{.1, .746}, {1, 1.190}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_fit_options options = audited(HR_MODE_PAPER, 2 * cases[i].epsilon, 0);
        options.by_name[HR_OPTION_PART] = true;
        hr_release line = line_of(options, 1, 0, "leaf mean");
        double one = within(scale_of(&line), -4096, 64), two = within(scale_of(&line), 0, 2 * 64),
               loss = log(two / one);
        print_message("A4 published mean of 1 and 2 records: claimed %.3f, loses %.3f\n",
                      hr_units_value(line.cost), loss);
        assert_true(fabs(hr_units_value(line.cost) - cases[i].epsilon) < 1e-9 &&
                    fabs(loss - cases[i].loss) < 1e-3);
    }
}

/* A record moves one sum by all of its sensitivity and one count by its own. */
static void test_a4__sound_leaves_lose_what_they_claim(void **state) {
    (void)state;
    static const double epsilons[] = {.1, 1, 8}, deltas[] = {0, 1e-6};
    static const char *const lines[] = {"leaf sum", "leaf count", "leaf class count"};
    static const double moves[] = {4096, 64, 64};
    for (size_t e = 0; e < COUNT(epsilons); e++)
        for (size_t d = 0; d < COUNT(deltas); d++)
            for (size_t k = 0; k < COUNT(lines); k++) {
                hr_release line =
                    line_of(audited(HR_MODE_SOUND, epsilons[e], deltas[d]), 2, k == 2 ? 3 : 0, lines[k]);
                double scale = scale_of(&line),
                       loss = d ? moves[k] * moves[k] / (scale - 6) : moves[k] / scale;
                double claimed = hr_units_value(line.cost);
                assert_int_equal(line.mechanism,
                                 d ? HR_MECHANISM_DISCRETE_GAUSSIAN : HR_MECHANISM_DISCRETE_LAPLACE);
                if (!(loss <= claimed * (1 + 1e-9) && loss > .999 * claimed))
                    fail_msg("%s loses %.9g of %.9g", lines[k], loss, claimed);
            }
}

/* ---- A5: many medians and one choice ---- */

enum { THIRD = 1500, NODE = 3 * THIRD + 1 };

/* A node whose K - 1 features are alike: a cut below 1/2 leaves no error, one above 2 THIRD, and both are
 * equally balanced; another feature's cuts all leave the same error between these. The canary, the last
 * record, makes the better cuts the better balanced. */
typedef struct node {
    double balance[2],
        error[3]; /* scores of cuts: better, worse; errors: better, worse, the other feature's */
} node;

static double error_of_cut(const hr_labels *labels, const double *values, double cut, size_t count) {
    static uint32_t rows[NODE];
    static uint8_t left[NODE];
    hr_exact sides[5];
    for (uint32_t i = 0; i < count; i++) rows[i] = i, left[i] = values[i] <= cut;
    hr_sides_sum(labels, rows, left, count, sides);
    return (double)hr_division_score(labels, sides).unpaid;
}

static node node_of(size_t count) {
    static double alike[NODE], other[NODE];
    static int32_t y[NODE];
    const hr_labels labels = {.values = y, .classes = 0};
    for (size_t i = 0; i < NODE; i++) {
        alike[i] = i < THIRD ? 0 : i < 2 * THIRD ? .5001 : i < 3 * THIRD ? 1 : 0;
        other[i] = alike[i] == .5001 ? 1 : i >= 2 * THIRD && i % 2 ? 1 : 0;
        y[i] = i < THIRD || i == 3 * THIRD ? -4096 : 4096;
    }
    group groups[GROUPS_MAX];
    size_t made = cut_groups(alike, count, groups);
    assert_int_equal(made, count == NODE ? 2 : 1);
    return (node){{groups[0].score, groups[made - 1].score},
                  {error_of_cut(&labels, alike, .25, count), error_of_cut(&labels, alike, .75, count),
                   error_of_cut(&labels, other, .5, count)}};
}

/* Lines of medians and of the choice, whatever they say that they cost. */
typedef struct split_rule {
    hr_mechanism mechanism;
    double median, choice; /* scales */
} split_rule;

static double binomial(size_t n, size_t k) {
    return exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1));
}

/* The probability that the other feature is chosen: nearly that of K - 1 medians that all fall above 1/2. */
static double other_chosen(const node *n, const split_rule *rule, size_t features) {
    group cuts[2] = {{n->balance[0], 2048, 0}, {n->balance[1], 2047, 0}};
    double sum = 0;
    law_of(rule->mechanism, cuts, 2, rule->median);
    for (size_t better = 0; better < features; better++) {
        size_t worse = features - 1 - better;
        group chosen[3] = {
            {n->error[2], 1, 0}, {n->error[0], (double)better, 0}, {n->error[1], (double)worse, 0}};
        if (!better) chosen[1] = chosen[2]; /* no groups of none */
        size_t groups = better && worse ? 3 : 2;
        law_of(rule->mechanism, chosen, groups, rule->choice);
        sum += binomial(features - 1, better) * pow(cuts[0].law, (double)better) *
               pow(cuts[1].law, (double)worse) * chosen[0].law;
    }
    return sum;
}

static double split_loss(const split_rule *rule, size_t features) {
    node without = node_of(NODE - 1), with = node_of(NODE);
    return log_odds_apart(other_chosen(&without, rule, features), other_chosen(&with, rule, features));
}

/* A fit of one level: what its medians and its choice claim together is 1. */
static split_rule rule_of(hr_fit_options options, size_t features) {
    options.depth = options.trees = 1;
    options.by_name[HR_OPTION_MAX_FEATURES] = (double)features;
    options.epsilon = 2;
    options.leaf_share = .5;
    hr_release median = line_of(options, features, 0, "median"),
               choice = line_of(options, features, 0, "choice of feature");
    double claimed = hr_units_value(median.cost) * (options.mode == HR_MODE_SOUND ? (double)features : 1) +
                     hr_units_value(choice.cost);
    assert_true(fabs(claimed - 1) < 1e-6);
    return (split_rule){choice.mechanism, scale_of(&median), scale_of(&choice)};
}

/* First the price of K medians alone: each is private for 1/2, as Algorithm 1 would have it, and so is the
 * choice, by the sum of squared errors; then the text's own scales, and ours. */
static void test_a5__medians_at_the_price_of_one_lose_more_than_they_claim(void **state) {
    (void)state;
    static const struct {
        size_t features;
        double loss, text;
    } cases[] = {{5, 1.124, 2.480}, {10, 2.528, 5.581}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t features = cases[i].features;
        hr_fit_options paper = audited(HR_MODE_PAPER, 2, 0), sound = audited(HR_MODE_SOUND, 2, 0);
        split_rule algorithm = rule_of(paper, features), here = rule_of(sound, features);
        paper.by_name[HR_OPTION_SPLIT_BUDGET] = HR_SPLIT_BUDGET_TEXT;
        split_rule text = rule_of(paper, features),
                   alone = {HR_MECHANISM_EXPONENTIAL, algorithm.median, text.choice};
        double published = split_loss(&alone, features), in_text = split_loss(&text, features),
               ours = split_loss(&here, features);
        print_message("A5 %zu medians and a choice: claimed 1, K at the price of one lose %.3f, of the text "
                      "%.3f, here %.3f\n",
                      features, published, in_text, ours);
        assert_true(fabs(published - cases[i].loss) < 2e-3 && fabs(in_text - cases[i].text) < 5e-3);
        assert_true(ours < 1 && ours > .1);
    }
}

/* ---- Games of whole trainings ---- */

/* One tree; without `splits` its feature has one value, so that the root is a leaf. */
static game game_of(const char *name, hr_mode mode, double epsilon, double claimed, size_t runs,
                    statistic *look) {
    game g = {
        .name = name, .options = options_of("diprime", mode), .claimed = claimed, .runs = runs, .look = look};
    g.options.epsilon = epsilon;
    g.options.trees = g.options.depth = 1;
    g.options.by_name[HR_OPTION_MAX_FEATURES] = 1;
    g.options.leaf_share = .99;
    g.options.count_share = .01;
    return g;
}

static void play_labels(game *g, const double *labels, size_t rows, hr_column label) {
    table t = table_open(rows, 1);
    for (size_t i = 0; i < rows; i++) t.labels[i] = labels[i];
    hr_column feature = number_column("x", 0, 0);
    game_make(g, &t, label, &feature);
}

static double root_is_inside(const hr_model *model) {
    return fabs(model->forest.trees[0].nodes[0].value) < 1;
}

/* A label -1, and then 1 too: the noise is halved, and means that are not clipped are twice as likely. */
static void test_w4__catches_noise_that_depends_on_the_number_of_records(void **state) {
    (void)state;
    static const double labels[] = {-1, 1};
    game g =
        game_of("W4 leaf of 1 and 2 records, published", HR_MODE_PAPER, .2, .2, RUNS_MAX, root_is_inside);
    play_labels(&g, labels, 2, number_column("y", -1, 1));
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

static double right_leaf(const hr_model *model) {
    return leaf_value(model, 0, 1);
}

static double right_leaf_is_clipped(const hr_model *model) {
    return fabs(right_leaf(model)) == 1;
}

/* A record at 0, and then one at 1: an empty leaf says any number, one of a record a noisy mean, which is
 * often clipped. */
static game empty_leaf(hr_mode mode, statistic *look) {
    game g = game_of(mode == HR_MODE_PAPER ? "W4 empty leaf, published" : "W4 empty leaf", mode, 2, 2,
                     mode == HR_MODE_PAPER ? 600 : RUNS_MAX, look);
    table t = table_open(2, 1);
    t.columns[0][1] = t.labels[0] = t.labels[1] = 1;
    hr_column feature = number_column("x", 0, 1);
    game_make(&g, &t, number_column("y", -1, 1), &feature);
    return g;
}

static void test_w4__catches_leaves_that_were_empty(void **state) {
    (void)state;
    game g = empty_leaf(HR_MODE_PAPER, right_leaf_is_clipped);
    assert_caught(&g, event_bound(&g));
    game_close(&g);
    g = empty_leaf(HR_MODE_SOUND, right_leaf_is_clipped);
    assert_quiet(&g, event_bound(&g));
    g.look = right_leaf;
    assert_quiet(&g, statistic_bound(&g));
    game_close(&g);
}

static double root_is_above_zero(const hr_model *model) {
    return model->forest.trees[0].nodes[0].value > 0;
}

/* Labels -1 and 1, then -1 once more: the odds that the noisy sum is above 0 go from even to e^(-.98
 * epsilon)/2. */
static game w4(const char *name, double epsilon, size_t runs) {
    static const double labels[] = {-1, 1, -1};
    game g = game_of(name, HR_MODE_SOUND, epsilon, 2, runs, root_is_above_zero);
    play_labels(&g, labels, 3, number_column("y", -1, 1));
    return g;
}

static void test_w4__finds_no_more_than_is_claimed_in_a_leaf(void **state) {
    (void)state;
    game g = w4("W4 sign of a leaf", 2, RUNS_MAX);
    double bound = event_bound(&g);
    assert_quiet(&g, bound);
    assert_true(bound > 1.5); /* so that half the noise would show */
    game_close(&g);
}

static double chances_of_class_1(const hr_model *model) {
    return model->forest.trees[0].nodes[0].value;
}

static void test_w4__finds_no_more_than_is_claimed_in_class_counts(void **state) {
    (void)state;
    static const double labels[] = {0, 0, 1};
    game g = game_of("W4 class counts of a leaf", HR_MODE_SOUND, 2, 2, RUNS_MAX, chances_of_class_1);
    play_labels(&g, labels, 3, category_column("y", 2));
    assert_quiet(&g, statistic_bound(&g));
    g.options.epsilon = 20;
    g.name = "W4x class counts at 20, labelled 2";
    assert_caught(&g, statistic_bound(&g));
    game_close(&g);
}

static void test_w4x__catches_fits_at_more_than_they_claim(void **state) {
    (void)state;
    game g = w4("W4x trained at 20, labelled 2", 20, 2000);
    assert_caught(&g, event_bound(&g));
    game_close(&g);
    g = w4("W4x trained at 4, labelled 2", 4, RUNS_MAX);
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

/* ---- W4b: where a cut is ---- */

static double root_cut(const hr_model *model) {
    return model->forest.trees[0].nodes[0].threshold;
}

static double cut_is_below_the_canary(const hr_model *model) {
    return root_cut(model) > 0 && root_cut(model) < 1e-6;
}

static double cut_is_at_most_half(const hr_model *model) {
    return root_cut(model) <= .5;
}

/* Nearly all is spent on the median. */
static game cut_game(game g, const double *values, size_t rows) {
    table t = table_open(rows, 1);
    for (size_t i = 0; i < rows; i++) t.columns[0][i] = values[i];
    hr_column feature = number_column("x", 0, 1);
    game_make(&g, &t, category_column("y", 2), &feature);
    g.options.leaf_share = .01;
    return g;
}

static void test_w4b__catches_a_point_drawn_between_two_records(void **state) {
    (void)state;
    static const double values[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1e-6};
    game g = game_of("W4b cut below 1e-6, published", HR_MODE_PAPER, 2, 2, 3000, cut_is_below_the_canary);
    g = cut_game(g, values, COUNT(values));
    assert_caught(&g, event_bound(&g));
    game_close(&g);
    g = game_of("W4b cut below 1e-6", HR_MODE_SOUND, 2, 2, 4000, cut_is_below_the_canary);
    g = cut_game(g, values, COUNT(values));
    assert_quiet(&g, event_bound(&g));
    g.look = root_cut;
    assert_quiet(&g, statistic_bound(&g));
    game_close(&g);
}

/* Two records at 0, one behind 1/2, two at 1; then a third at 0: cuts up to 1/2 gain 1, the others lose 1,
 * and their odds go from even to e^-1.98 to 1. */
static const double halves[] = {0, 0, .5001, 1, 1, 0};

static void test_w4b__finds_no_more_than_is_claimed_in_a_cut(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-9}; /* so small a delta does not show in thousands of runs */
    for (size_t d = 0; d < COUNT(deltas); d++) {
        game g = game_of("W4b half of a cut", HR_MODE_SOUND, 2, 2, RUNS_MAX, cut_is_at_most_half);
        g = cut_game(g, halves, COUNT(halves));
        g.options.delta = deltas[d];
        double bound = event_bound(&g);
        assert_quiet(&g, bound);
        assert_true(d || bound > 1.1);
        game_close(&g);
    }
    game g = game_of("W4bx half of a cut at 20, labelled 2", HR_MODE_SOUND, 20, 2, 4000, cut_is_at_most_half);
    g = cut_game(g, halves, COUNT(halves));
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

/* ---- W2: sizes of parts ---- */

enum { PARTS = 10 };

static double trees_above_zero(const hr_model *model) {
    double above = 0;
    for (size_t tree = 0; tree < PARTS; tree++) above += model->forest.trees[tree].nodes[0].value > 0;
    return above;
}

/* Nine records of class 1, or ten, for ten trees. */
static game nine_or_ten(void) {
    static const double labels[PARTS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    game g = game_of("W2 parts of 9 and 10 records", HR_MODE_SOUND, 2, 2, 4000, trees_above_zero);
    g.options.trees = PARTS;
    play_labels(&g, labels, PARTS, category_column("y", 2));
    return g;
}

static double first_tree_gave_its_record_away(const hr_model *model) {
    return model->forest.trees[0].nodes[0].value == -.5 && model->forest.trees[1].nodes[0].value > 0;
}

/* A record of class 1, and then one of class 0, for two trees. Even parts give the first to the first tree;
 * with the other there, it goes to the second tree half of the time: two parts change for one record. */
static game even_parts(hr_mode mode) {
    static const double labels[] = {1, 0};
    game g = game_of(mode == HR_MODE_PAPER ? "W2 even parts of 1 and 2 records, published"
                                           : "W2 even parts of 1 and 2 records",
                     mode, 2, 2, RUNS_MAX, first_tree_gave_its_record_away);
    g.options.trees = 2;
    play_labels(&g, labels, 2, category_column("y", 2));
    return g;
}

static void test_w2__catches_parts_of_even_size(void **state) {
    (void)state;
    game g = even_parts(HR_MODE_PAPER);
    assert_caught(&g, event_bound(&g));
    game_close(&g);
    g = even_parts(HR_MODE_SOUND);
    assert_quiet(&g, event_bound(&g));
    game_close(&g);
    g = nine_or_ten();
    assert_quiet(&g, statistic_bound(&g));
    game_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_group_law__sums_to_one_and_is_permute_and_flips),
        cmocka_unit_test(test_a3__sound_medians_lose_what_they_claim_on_the_worst_neighbours),
        cmocka_unit_test(test_a3__published_medians_have_no_epsilon),
        cmocka_unit_test(test_a3__the_budget_of_the_text_is_half_of_what_it_spends),
        cmocka_unit_test(test_a4__published_means_lose_more_than_they_claim),
        cmocka_unit_test(test_a4__sound_leaves_lose_what_they_claim),
        cmocka_unit_test(test_a5__medians_at_the_price_of_one_lose_more_than_they_claim),
        cmocka_unit_test(test_w4__catches_noise_that_depends_on_the_number_of_records),
        cmocka_unit_test(test_w4__catches_leaves_that_were_empty),
        cmocka_unit_test(test_w4__finds_no_more_than_is_claimed_in_a_leaf),
        cmocka_unit_test(test_w4__finds_no_more_than_is_claimed_in_class_counts),
        cmocka_unit_test(test_w4x__catches_fits_at_more_than_they_claim),
        cmocka_unit_test(test_w4b__catches_a_point_drawn_between_two_records),
        cmocka_unit_test(test_w4b__finds_no_more_than_is_claimed_in_a_cut),
        cmocka_unit_test(test_w2__catches_parts_of_even_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
