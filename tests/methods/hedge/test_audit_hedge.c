/* hedge against what it claims: the exact privacy loss of its choice of a tree on worst-case neighbours, and
 * whole trainings on tiny neighbouring tables (games.h, audit.h: seeds are fixed, false-alarm rate 1e-6 a
 * game).
 *
 * Each quiet game has a twin that trains at a larger epsilon than it is labelled with, which must be caught.
 */
#include "base/buffer.h"
#include "methods/hedge/calibration.h"
#include "privacy/gate.h"
#include "support/flip_law.h"
#include "support/hedge_games.h"
#include "support/person_tables.h"
#include "trees/candidates/hedge_records.h"
#include "trees/candidates/reliability.h"
#include "trees/tree/random_tree.h"

/* ---- The choice, without sampling ---- */

enum { CANDIDATES = 32, HALF = 40, ROWS = 2 * HALF + 1 };

/* Candidate c asks about feature c: value 1 goes left, 2 right. HALF records of gradient +g have only 1s,
 * HALF of -g only 2s. The canary of -g has a 1 in feature 0, where it takes g from a leaf's sum, and 2s in
 * the others, where it adds g. */
typedef struct worst_case {
    hr_feature_bins features[CANDIDATES];
    hr_binning binning;
    uint8_t columns[CANDIDATES][ROWS];
    double targets[ROWS];
    hr_node nodes[CANDIDATES][3];
    hr_tree trees[CANDIDATES];
    hr_exact without[CANDIDATES], with[CANDIDATES];
} worst_case;

static void score_rows(worst_case *w, size_t rows, size_t outputs, int64_t bound, hr_exact *scores) {
    hr_binned binned = {.rows = rows,
                        .features = CANDIDATES,
                        .binning = &w->binning,
                        .column_stride = ROWS,
                        .columns = w->columns[0]};
    const double base[3] = {outputs > 1 ? .5 : -.5, .5, 0};
    hr_candidate_scan_loss loss = {HR_OBJECTIVE_SQUARE, (double)bound / 4096, 1, bound, 0, 0};
    hr_candidate_scan *scan = NULL;
    hr_candidate_scan_setup setup = {w->targets,          outputs, base, CANDIDATES, 1, false,
                                     HR_OBJECTIVE_SQUARE, NULL};
    assert_int_equal(hr_candidate_scan_new(&binned, &setup, &scan, NULL), HR_OK);
    assert_int_equal(hr_candidate_scan_round(scan, w->trees, CANDIDATES, &loss, NULL), HR_OK);
    hr_candidate_scan_scores(scan, w->trees, CANDIDATES, &(hr_leaf_score_rule){.outputs = outputs}, scores);
    hr_candidate_scan_free(scan);
}

static void make_worst_case(worst_case *w, size_t outputs, int64_t bound) {
    memset(w, 0, sizeof *w);
    w->binning = (hr_binning){CANDIDATES, w->features, NULL};
    for (uint32_t c = 0; c < CANDIDATES; c++) {
        w->features[c] = (hr_feature_bins){HR_KIND_NUMBER, 3, NULL};
        w->nodes[c][0] = (hr_node){.left = 1, .feature = c, .cut = 1};
        w->trees[c] = (hr_tree){.nodes = w->nodes[c], .node_count = 3};
        for (size_t i = 0; i < ROWS; i++) w->columns[c][i] = i < HALF ? 1 : 2;
    }
    w->columns[0][ROWS - 1] = 1;
    for (size_t i = 0; i < ROWS; i++) w->targets[i] = i < HALF ? (outputs > 1 ? 0 : -1) : 1;
    score_rows(w, ROWS - 1, outputs, bound, w->without);
    score_rows(w, ROWS, outputs, bound, w->with);
}

static void exponential_law(const double *scores, size_t count, double scale, double *out) {
    double sum = 0;
    for (size_t c = 0; c < count; c++) sum += out[c] = exp(scale * (scores[c] - scores[0]));
    for (size_t c = 0; c < count; c++) out[c] /= sum;
}

/* The largest |ln(p/p')| over the candidates, of choices as a gate of this privacy measure makes them. */
static double choice_loss(const worst_case *w, hr_privacy_measure privacy_measure, double scale) {
    double scores[2][CANDIDATES], p[2][CANDIDATES], loss = 0;
    for (size_t c = 0; c < CANDIDATES; c++) {
        scores[0][c] = (double)w->without[c].unpaid;
        scores[1][c] = (double)w->with[c].unpaid;
    }
    for (size_t i = 0; i < 2; i++)
        (privacy_measure == HR_PRIVACY_PURE ? flip_law : exponential_law)(scores[i], CANDIDATES, scale, p[i]);
    for (size_t c = 0; c < CANDIDATES; c++) loss = fmax(loss, fabs(log(p[0][c] / p[1][c])));
    return loss;
}

/* What a line's cost claims for its choice, before lines that cost `rest`: epsilon_0. */
static double claimed_of(const hr_release *line, hr_units rest, hr_privacy_measure privacy_measure) {
    double cost = hr_units_value(line->cost), left = hr_units_value(rest);
    if (privacy_measure == HR_PRIVACY_PURE) return cost;
    return sqrt(fmax(8 * cost / acos(-1), cost < left && cost <= 6 ? 4 * cost * left / (cost + left) : 0));
}

/* Each line of the choices of a real fit; bound: that of its gradients. */
static void check_choices(const hr_data *data, size_t outputs, double epsilon, double delta) {
    static worst_case w;
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 1);
    options.epsilon = epsilon;
    options.delta = delta;
    hr_model *model = fit(data, &options);
    int64_t bound = outputs == 1 ? 4915 : 4096;
    make_worst_case(&w, outputs, bound);
    if (outputs == 1)
        assert_true(w.without[0].unpaid - w.with[0].unpaid == bound &&
                    w.with[1].unpaid - w.without[1].unpaid == bound);
    size_t choices = 0;
    hr_units rest = 0;
    for (size_t i = 0; i < model->release_count; i++) rest += model->releases[i].cost;
    for (size_t i = 0; i < model->release_count; i++) {
        const hr_release *line = &model->releases[i];
        rest -= line->cost;
        if (strcmp(line->what, "choice of tree") != 0) continue;
        assert_int_equal(line->mechanism, model->privacy_measure == HR_PRIVACY_PURE
                                              ? HR_MECHANISM_PERMUTE_AND_FLIP
                                              : HR_MECHANISM_EXPONENTIAL);
        double scale = (double)line->scale_num / (double)line->scale_den,
               claimed = claimed_of(line, rest, model->privacy_measure);
        double loss = choice_loss(&w, model->privacy_measure, scale);
        assert_true(loss <= claimed * (1 + 1e-9));
        if (outputs == 1) {
            assert_true(loss > .95 * claimed);
            assert_true(choice_loss(&w, model->privacy_measure, 2 * scale) >
                        1.8 * claimed); /* half the width would not do */
        }
        choices++;
    }
    assert_true(choices >= 8);
    hr_model_free(model);
}

static void test_choice__loses_what_it_claims_on_the_worst_neighbours(void **state) {
    (void)state;
    static const double epsilons[] = {.1, 1, 8}, deltas[] = {1e-6, 0};
    for (size_t outputs = 1; outputs <= 3; outputs += 2) {
        table t = table_of_steps(60, 2, outputs == 1 ? 2 : 3, 3);
        for (size_t e = 0; e < COUNT(epsilons); e++)
            for (size_t d = 0; d < COUNT(deltas); d++) check_choices(t.data, outputs, epsilons[e], deltas[d]);
        table_close(&t);
    }
}

/* Vectors (-1/2, 1/2, 0) and (1/2, -1/2, 0), of a length above the clip 1/2: a leaf's length changes by all
 * but 3 of G = 2048. */
static void test_choice__of_vectors_is_as_wide_as_twice_the_bound(void **state) {
    (void)state;
    static worst_case w;
    make_worst_case(&w, 3, 2048);
    int64_t lost = w.without[0].unpaid - w.with[0].unpaid, won = w.with[1].unpaid - w.without[1].unpaid;
    assert_true(lost > 2045 && lost <= 2048 && won > 2045 && won <= 2048);
    double scale = 1. / (2 * 2048);
    static const hr_privacy_measure privacy_measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_GDP};
    for (size_t i = 0; i < 2; i++) {
        double loss = choice_loss(&w, privacy_measures[i], scale);
        assert_true(loss <= 1 && loss > .95 && choice_loss(&w, privacy_measures[i], 2 * scale) > 1.8);
    }
}

/* ---- Calibration counts, exactly ---- */

/* The bins that a model's thresholds make, and its trees' cuts among them. */
static hr_binning bin_again(const hr_model *model, hr_arena *arena) {
    size_t features = hr_schema_feature_count(model->schema);
    hr_binning binning = {features, hr_arena_alloc(arena, features, sizeof *binning.features), NULL};
    assert_non_null(binning.features);
    for (size_t f = 0; f < features; f++) binning.features[f] = (hr_feature_bins){HR_KIND_NUMBER, 2, NULL};
    for (size_t c = 0; c < model->predictor.column_count; c++)
        binning.features[model->predictor.columns[c].feature] = model->predictor.columns[c].bins;
    for (size_t t = 0; t < model->forest.tree_count; t++)
        for (size_t n = 0; n < model->forest.trees[t].node_count; n++) {
            hr_node *node = &model->forest.trees[t].nodes[n];
            if (node->left) node->cut = hr_bin_of_number(&binning.features[node->feature], node->threshold);
        }
    return binning;
}

/* What the forest of a model, which says the same with and without a record, counts on data. */
static void count_cells(const hr_model *model, const hr_data *data, hr_exact *cells) {
    hr_binned *binned = NULL;
    hr_arena *arena = hr_arena_new();
    hr_binning binning = bin_again(model, arena);
    assert_int_equal(hr_binned_columns(data, &binning, 1, &binned, NULL), HR_OK);
    assert_int_equal(hr_reliability_count(&model->forest,
                                          &(hr_reliability_records){binned, hr_data_labels(data), NULL, NULL},
                                          1, cells, NULL),
                     HR_OK);
    hr_binned_free(binned);
    hr_arena_free(arena);
}

static const hr_release *line_of_calibration(const hr_model *model) {
    for (size_t i = 0; i < model->release_count; i++)
        if (!strcmp(model->releases[i].what, "calibration count")) return &model->releases[i];
    fail();
    return NULL;
}

/* What the release loses on the neighbours: the largest log ratio (Laplace), or mu^2 of the Gaussian that
 * stands behind the discrete one. */
static double loss_of_cells(const hr_release *line, const hr_exact *without, const hr_exact *with) {
    double l1 = 0, square = 0, scale = (double)line->scale_num / (double)line->scale_den;
    for (size_t c = 0; c < HR_RELIABILITY_CELLS; c++) {
        double change = (double)(with[c].unpaid - without[c].unpaid);
        l1 += fabs(change);
        square += change * change;
    }
    return line->mechanism == HR_MECHANISM_DISCRETE_LAPLACE ? l1 / scale : square / (scale - 6);
}

static void check_calibration(const game *g) {
    hr_exact without[HR_RELIABILITY_CELLS], with[HR_RELIABILITY_CELLS];
    hr_model *model = fit(g->with.data, &g->options);
    count_cells(model, g->without.data, without);
    count_cells(model, g->with.data, with);
    const hr_release *line = line_of_calibration(model);
    double loss = loss_of_cells(line, without, with), claimed = hr_units_value(line->cost);
    assert_int_equal(line->mechanism, model->privacy_measure == HR_PRIVACY_PURE
                                          ? HR_MECHANISM_DISCRETE_LAPLACE
                                          : HR_MECHANISM_DISCRETE_GAUSSIAN);
    if (!(loss <= claimed * (1 + 1e-9) && loss > .999 * claimed))
        fail_msg("loses %.9g, claims %.9g", loss, claimed);
    hr_model_free(model);
}

static void test_calibration_counts__lose_what_they_claim_on_neighbours(void **state) {
    (void)state;
    static const double epsilons[] = {.1, 1, 8}, deltas[] = {1e-6, 0};
    for (size_t classes = 2; classes <= 3; classes++) {
        table t = table_of_steps(90, 2, classes, 5);
        hr_data *without = NULL;
        assert_int_equal(hr_data_from_arrays(t.schema, t.rows - 1, (const double *const *)t.columns, t.labels,
                                             &without, NULL),
                         HR_OK);
        game g = {.with = t, .options = seeded_options_of("hedge", HR_MODE_SOUND, 3)};
        g.without.data = without;
        for (size_t e = 0; e < COUNT(epsilons); e++)
            for (size_t d = 0; d < COUNT(deltas); d++) {
                g.options.epsilon = epsilons[e];
                g.options.delta = deltas[d];
                check_calibration(&g);
            }
        hr_data_free(without);
        table_close(&t);
    }
}

/* ---- What a game shows of mu ---- */

static void test_mu__of_counts_is_what_normal_numbers_have(void **state) {
    (void)state;
    assert_true(fabs(normal_quantile(.975) - 1.959964) < 1e-6 &&
                fabs(normal_quantile(1e-6) + 4.753424) < 1e-6);
    assert_true(mu_of_event(500, 500, 1000) == 0 && mu_of_event(0, 0, 1000) == 0);
    double mu = mu_of_event(841345, 158655, 1e6); /* Phi(1) and Phi(-1) */
    assert_true(mu < 2 && mu > 1.95 && mu_of_event(158655, 841345, 1e6) == mu);
}

/* ---- W6: the prediction at a canary that stands alone ---- */

static const setting w6_settings[] = {{"W6 two classes, delta 1e-6", 1e-6, 2},
                                      {"W6 regression, delta 1e-6", 1e-6, 0},
                                      {"W6 two classes, pure", 0, 2},
                                      {"W6 regression, pure", 0, 0}};

static double score_of_canary(const hr_model *model) {
    double score = 0;
    for (size_t tree = 0; tree < model->forest.tree_count; tree++) score += leaf_value(model, tree, 7);
    return score;
}

/* Nine records of the lowest label near 0, and one of the highest far from them. */
static game w6(const setting *s, double epsilon, size_t runs) {
    enum { OTHERS = 9 };
    game g = game_of(s, epsilon, 2, runs, score_of_canary);
    table t = table_open(OTHERS + 1, 2);
    uint64_t random = 1;
    for (size_t i = 0; i < OTHERS; i++) {
        for (size_t f = 0; f < 2; f++) t.columns[f][i] = (double)(next_random(&random) % 3);
        t.labels[i] = s->classes ? 0 : -1;
    }
    t.columns[0][OTHERS] = t.columns[1][OTHERS] = 7;
    t.labels[OTHERS] = 1;
    hr_column features[2] = {number_column("x", 0, 7), number_column("z", 0, 7)};
    features[0].integer = features[1].integer = true; /* no bin edges to pay for */
    game_make(&g, &t, s->classes ? category_column("y", s->classes) : number_column("y", -1, 1), features);
    return g;
}

static void test_w6__finds_nothing_on_a_canary_that_stands_alone(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(w6_settings); i++) {
        game g = w6(&w6_settings[i], 2, 800);
        assert_quiet(&g, bound_of(&g));
        game_close(&g);
    }
}

static void test_w6x__catches_fits_at_ten_times_what_they_claim(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(w6_settings); i++) {
        game g = w6(&w6_settings[i], 20, w6_settings[i].delta > 0 ? 600 : 4500);
        assert_caught(&g, bound_of(&g));
        game_close(&g);
    }
}

/* ---- W10: the same with a start that is as wrong of the canary as a model can be ---- */

/* Says -1e99 of every record. */
static hr_model *extreme_start(const game *g) {
    hr_model *model = NULL, parts = {.method = "test", .arena = hr_arena_new(), .schema = g->with.schema};
    bool number = hr_schema_task(parts.schema) == HR_TASK_REGRESSION;
    parts.forest = (hr_forest){.link = number ? HR_LINK_NUMBER : HR_LINK_SIGNED, .output_count = 1};
    parts.forest.base = hr_arena_alloc(parts.arena, 1, sizeof *parts.forest.base);
    parts.forest.base[0] = -1e99;
    parts.guarantee = (hr_guarantee){.epsilon = (double)INFINITY, .epsilon_replace = (double)INFINITY};
    assert_int_equal(hr_model_make(&parts, &model, NULL), HR_OK);
    return model;
}

static double bound_from_start(game *g) {
    hr_model *start = extreme_start(g);
    g->options.start = start;
    g->options.start_is_public = true;
    double bound = bound_of(g);
    hr_model_free(start);
    return bound;
}

static void test_w10__finds_nothing_on_a_canary_that_a_start_is_wrong_of(void **state) {
    (void)state;
    skip_long_game();
    for (size_t i = 0; i < COUNT(w6_settings); i++) {
        game g = w6(&w6_settings[i], 2, 800);
        assert_quiet(&g, bound_from_start(&g));
        game_close(&g);
    }
}

static void test_w10x__catches_fits_at_ten_times_what_they_claim(void **state) {
    (void)state;
    skip_long_game();
    for (size_t i = 0; i < COUNT(w6_settings); i++) {
        game g = w6(&w6_settings[i], 20, w6_settings[i].delta > 0 ? 600 : 4500);
        assert_caught(&g, bound_from_start(&g));
        game_close(&g);
    }
}

/* ---- W7: a canary in a leaf with others, by its likelihood ratio ---- */

enum {
    W7_RECORDS = 100,
    W7_ONES = 35
}; /* so few that scores fall below -.2, where the canary's gradient is clipped */

static const setting w7_gaussian = {"W7 delta 1e-6", 1e-6, 2}, w7_pure = {"W7 pure", 0, 2};

static game w7(const setting *s, double epsilon, double labelled, size_t runs) {
    hedge_leaf = (leaf_of_all){W7_RECORDS, W7_ONES};
    game g = game_of(s, epsilon, labelled, runs, likelihood_ratio);
    table t = table_open(W7_RECORDS + 1, 1);
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = 1;
        t.labels[i] = i < W7_ONES || i == W7_RECORDS;
    }
    hr_column feature = category_column("x", 1);
    game_make(&g, &t, category_column("y", 2), &feature);
    return g;
}

/* Leaf sums take .7 of mu^2, so mu is shown up to .83 of itself, less what 1000 runs leave open: half the
 * noise would show. */
static void test_w7__finds_nothing_on_a_canary_among_others(void **state) {
    (void)state;
    game g = w7(&w7_gaussian, 12, 12, 2000);
    double bound = bound_of(&g);
    assert_quiet(&g, bound);
    assert_true(bound > .5 * g.claimed);
    game_close(&g);
    g = w7(&w7_pure, 2, 2, 1500);
    assert_quiet(&g, bound_of(&g));
    game_close(&g);
}

static void test_w7x__catches_fits_at_ten_times_what_they_claim(void **state) {
    (void)state;
    game g = w7(&w7_gaussian, 20, 2, 600);
    assert_caught(&g, bound_of(&g));
    game_close(&g);
    g = w7(&w7_pure, 20, 2, 2000);
    assert_caught(&g, bound_of(&g));
    game_close(&g);
}

/* ---- W13: a person with 50 records at one end, among persons with one each ---- */

enum { W13_RECORDS = 50 };

static const setting w13_setting = {"W13 person with 50 records, delta 1e-6", 1e-6, 2};

/* The records of W7, each another person's, and those of the canary. */
static hr_data *w13_table(const hr_schema *schema, size_t canary) {
    hr_buffer b = {0};
    char *text = NULL;
    hr_buffer_text(&b, "who,x,y\n");
    for (size_t i = 0; i < W7_RECORDS; i++) hr_buffer_format(&b, "%zu,u,%c\n", i, i < W7_ONES ? 'b' : 'a');
    for (size_t i = 0; i < canary; i++) hr_buffer_text(&b, "canary,u,b\n");
    assert_int_equal(hr_buffer_take(&b, &text, NULL), HR_OK);
    hr_data *data = data_of_text(schema, text);
    hr_text_free(text);
    return data;
}

/* unit: the line of the schema that names it, or "". */
static game w13(const char *unit, size_t runs) {
    hedge_leaf = (leaf_of_all){W7_RECORDS, W7_ONES};
    game g = game_of(&w13_setting, 12, 12, runs, likelihood_ratio);
    char text[200];
    snprintf(text, sizeof text,
             "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\n"
             "features: [{name: x, kind: category, values: [u]}]\n%s",
             unit);
    g.with.schema = schema_of_text(text);
    g.with.data = w13_table(g.with.schema, W13_RECORDS);
    g.without.data = w13_table(g.with.schema, 0);
    return g;
}

static void test_w13__finds_no_more_of_a_person_than_of_a_record(void **state) {
    (void)state;
    game g = w13("unit: who\n", 2000);
    double bound = bound_of(&g);
    assert_quiet(&g, bound);
    assert_true(bound > .5 * g.claimed);
    game_close(&g);
}

static void test_w13x__catches_records_that_count_one_each(void **state) {
    (void)state;
    game g = w13("", 400);
    assert_caught(&g, bound_of(&g));
    game_close(&g);
}

/* ---- W8: a canary among the calibration counts ---- */

static const setting w8_settings[] = {{"W8 delta 1e-6", 1e-6, 2}, {"W8 pure", 0, 2}};

/* The noisy count of what the canary is, in its bin: all records are said to be of class 1 with .8. */
static double cell_of_canary(const hr_data *data, hr_privacy_measure privacy_measure, hr_units cost,
                             uint64_t seed) {
    hr_feature_bins feature = {HR_KIND_CATEGORY, 2, NULL};
    double base = .6;
    hr_binning binning = {1, &feature, NULL};
    hr_forest forest = {.link = HR_LINK_SIGNED, .output_count = 1, .base = &base};
    hr_hedge_question question = {.kind = HR_HEDGE_RELIABILITY,
                                  .binning = &binning,
                                  .forest = &forest,
                                  .counts = {HR_RELIABILITY_CELLS},
                                  .line_count = 1};
    question.lines[0] = (hr_charge){"calibration count", -1, -1, 0, 0, cost, HR_COUNT_UNIT};
    hr_csprng *csprng = NULL;
    hr_gate *gate = NULL;
    hr_records *records = NULL;
    hr_exact exact[HR_RELIABILITY_CELLS];
    hr_noisy cells[HR_RELIABILITY_CELLS];
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(privacy_measure, cost, csprng, &gate, NULL), HR_OK);
    assert_int_equal(hr_records_new(data, 1, 1, 1, &records, NULL), HR_OK);
    assert_int_equal(hr_records_sums(records, &question, exact, NULL), HR_OK);
    assert_int_equal(hr_gate_release_sums(gate, &question.lines[0], exact, HR_RELIABILITY_CELLS, cells, NULL),
                     HR_OK);
    hr_records_free(records);
    hr_gate_free(gate);
    hr_csprng_close(csprng);
    return (double)cells[2 * 16].paid; /* .8 is in [.80, .85): no */
}

/* A lower bound of mu or epsilon of a release that is paid `cost`, of mu^2 or epsilon. */
static double bound_of_cells(const game *g, hr_units cost) {
    const hr_data *sides[2] = {g->without.data, g->with.data};
    hr_privacy_measure privacy_measure = g->options.delta > 0 ? HR_PRIVACY_GDP : HR_PRIVACY_PURE;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < g->runs; i++)
            game_seen[side][i] = cell_of_canary(sides[side], privacy_measure, cost, (side + 1) * 1000000 + i);
    return privacy_measure == HR_PRIVACY_GDP ? mu_of_statistic(game_seen[0], game_seen[1], g->runs)
                                             : epsilon_of_statistic(game_seen[0], game_seen[1], g->runs);
}

static game w8(const setting *s, double claimed) {
    game g = {.name = s->name, .options = {.delta = s->delta}, .claimed = claimed, .runs = RUNS_MAX};
    table t = table_open(10, 1);
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = 1;
        t.labels[i] = i + 1 < t.rows;
    }
    hr_column feature = category_column("x", 1);
    game_make(&g, &t, category_column("y", 2), &feature);
    return g;
}

/* mu is shown up to what 10,000 runs leave open, epsilon too; half the noise would show. */
static void test_w8__finds_what_is_claimed_among_the_calibration_counts(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(w8_settings); i++) {
        game g = w8(&w8_settings[i], 1.5);
        double bound =
            bound_of_cells(&g, w8_settings[i].delta > 0 ? hr_units_down(1.5 * 1.5) : hr_units_down(1.5));
        assert_quiet(&g, bound);
        assert_true(bound > .75 * g.claimed);
        game_close(&g);
    }
}

static void test_w8x__catches_a_release_at_twice_what_it_claims(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(w8_settings); i++) {
        game g = w8(&w8_settings[i], 1.5);
        assert_caught(&g, bound_of_cells(&g, w8_settings[i].delta > 0 ? hr_units_down(9) : hr_units_down(3)));
        game_close(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice__loses_what_it_claims_on_the_worst_neighbours),
        cmocka_unit_test(test_choice__of_vectors_is_as_wide_as_twice_the_bound),
        cmocka_unit_test(test_calibration_counts__lose_what_they_claim_on_neighbours),
        cmocka_unit_test(test_mu__of_counts_is_what_normal_numbers_have),
        cmocka_unit_test(test_w6__finds_nothing_on_a_canary_that_stands_alone),
        cmocka_unit_test(test_w6x__catches_fits_at_ten_times_what_they_claim),
        cmocka_unit_test(test_w10__finds_nothing_on_a_canary_that_a_start_is_wrong_of),
        cmocka_unit_test(test_w10x__catches_fits_at_ten_times_what_they_claim),
        cmocka_unit_test(test_w7__finds_nothing_on_a_canary_among_others),
        cmocka_unit_test(test_w7x__catches_fits_at_ten_times_what_they_claim),
        cmocka_unit_test(test_w13__finds_no_more_of_a_person_than_of_a_record),
        cmocka_unit_test(test_w13x__catches_records_that_count_one_each),
        cmocka_unit_test(test_w8__finds_what_is_claimed_among_the_calibration_counts),
        cmocka_unit_test(test_w8x__catches_a_release_at_twice_what_it_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
