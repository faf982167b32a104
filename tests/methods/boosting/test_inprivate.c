/* InPrivate Digging for one owner: who trains when, what is released, and models that have learned something.
 */
#include "methods/boosting/inprivate.h"
#include "support/gate_cost.h"
#include "support/tables.h"

#include "tables/data/records.h"
#include "trees/stats/round_gain.h"
#include "trees/stats/split_candidates.h"
#include "trees/tree/tree_check.h"

enum { ROWS = 4000, EVERYBODY = 100000 };

/* Two numbers, one with missing values, and a category, all of which matter. */
static table mixed_table(size_t rows, size_t classes, uint64_t seed) {
    table t = table_open(rows, 3);
    for (size_t i = 0; i < rows; i++) {
        for (size_t f = 0; f < 2; f++) t.columns[f][i] = next_unit(&seed);
        t.columns[2][i] = (double)(next_random(&seed) % 4);
        bool missing = next_random(&seed) % 5 == 0;
        if (missing) t.columns[1][i] = (double)NAN;
        double z = (t.columns[0][i] > .4) + (missing ? 1 : t.columns[1][i] > .6) + (t.columns[2][i] == 2);
        t.labels[i] = classes ? (z > 1) : 2 * z / 3 - 1;
    }
    hr_column features[] = {number_column("x0", 0, 1), number_column("x1", 0, 1), category_column("c", 3)};
    table_make(&t, classes ? category_column("y", classes) : number_column("y", -1, 1), features);
    return t;
}

/* ---- Rounds ---- */

static hr_csprng *must_csprng(uint64_t seed) {
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    return csprng;
}

/* Half, a quarter, an eighth, and an eighth for the last: |count - n p| < 6 sqrt(n p (1 - p)) fails by chance
 * once in 10^8. */
static void test_rounds__halve_what_is_left(void **state) {
    (void)state;
    static uint8_t round_of[EVERYBODY];
    for (size_t rounds = 1; rounds <= 4; rounds++) {
        hr_csprng *csprng = must_csprng(rounds);
        double counts[4] = {0};
        hr_inprivate_rounds(csprng, EVERYBODY, rounds, round_of);
        for (size_t i = 0; i < EVERYBODY; i++) {
            assert_true(round_of[i] < rounds);
            counts[round_of[i]]++;
        }
        for (size_t m = 0; m < rounds; m++) {
            double p = pow(.5, (double)(m + 1 < rounds ? m + 1 : m));
            assert_true(fabs(counts[m] - EVERYBODY * p) <= 6 * sqrt(EVERYBODY * p * (1 - p)));
        }
        hr_csprng_close(csprng);
    }
}

/* A record more, and no other moves; that is what halves of a fixed size do not do. */
static void test_rounds__do_not_depend_on_other_records(void **state) {
    (void)state;
    uint8_t without[50], with[51];
    for (uint64_t seed = 0; seed < 20; seed++) {
        hr_csprng *a = must_csprng(seed), *b = must_csprng(seed);
        hr_inprivate_rounds(a, 50, 5, without);
        hr_inprivate_rounds(b, 51, 5, with);
        assert_memory_equal(without, with, 50);
        hr_csprng_close(a);
        hr_csprng_close(b);
    }
}

/* ---- Trees ---- */

typedef struct purse {
    hr_csprng *csprng;
    hr_gate *gate;
    hr_arena *arena;
} purse;

static purse purse_open(hr_privacy_measure privacy_measure, double epsilon, uint64_t seed) {
    purse p = {.csprng = must_csprng(seed), .arena = hr_arena_new()};
    assert_non_null(p.arena);
    assert_int_equal(hr_gate_new(privacy_measure, (hr_units)(epsilon * 0x1p40), p.csprng, &p.gate, NULL),
                     HR_OK);
    return p;
}

static void purse_close(purse *p) {
    hr_gate_free(p->gate);
    hr_csprng_close(p->csprng);
    hr_arena_free(p->arena);
}

static hr_tree must_tree(purse *p, const hr_data *records, const double *scores,
                         const hr_fit_options *options) {
    hr_inprivate_tree_job job = {
        .records = records,
        .scores = scores,
        .scope = {.tree = 3, .group = 7, .part = 2, .budget = hr_gate_budget(p->gate)},
        .gate = p->gate,
        .threads = 1};
    hr_tree tree = {0};
    hr_error err = {0};
    if (hr_inprivate_tree(&job, options, p->arena, &tree, &err)) fail_msg("%s; %s", err.message, err.remedy);
    return tree;
}

/* What a receiver of a sound tree checks holds, also at budgets that are all noise, and of no records. */
static void test_tree__holds_what_its_receiver_checks(void **state) {
    (void)state;
    static const double epsilons[] = {.01, 1, 100};
    static const double scores[200] = {0};
    for (size_t classes = 0; classes <= 2; classes += 2)
        for (size_t e = 0; e < COUNT(epsilons); e++)
            for (size_t rows = 0; rows <= 200; rows += 100)
                for (int edges = HR_EDGES_PUBLIC; edges <= HR_EDGES_PRIVATE; edges++) {
                    table t = mixed_table(rows, classes, 5);
                    hr_fit_options options = options_of("inprivate", HR_MODE_SOUND);
                    options.edges = (hr_edges)edges;
                    purse p = purse_open(HR_PRIVACY_PURE, epsilons[e], rows);
                    hr_tree tree = must_tree(&p, t.data, scores, &options);
                    hr_error err = {0};
                    double most = options.learning_rate * (classes ? 4 : 1);
                    const hr_tree_limits limits = {t.schema, (size_t)options.depth, most, true};
                    hr_tree_fault fault;
                    if (hr_tree_check(&tree, &limits, &fault, &err)) fail_msg("%s", err.message);
                    assert_int_equal(tree.node_count,
                                     ((size_t)2 << options.depth) - 1); /* full: its shape tells nothing */
                    assert_true(gate_cost(p.gate) <= hr_gate_budget(p.gate) &&
                                gate_cost(p.gate) > hr_gate_budget(p.gate) - 100);
                    purse_close(&p);
                    table_close(&t);
                }
}

static void test_tree__is_all_of_one_group_and_part(void **state) {
    (void)state;
    static const double scores[200] = {0};
    for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
        table t = mixed_table(200, 2, 6);
        hr_fit_options options = options_of("inprivate", (hr_mode)mode);
        purse p = purse_open(HR_PRIVACY_PURE, 1, 1);
        must_tree(&p, t.data, scores, &options);
        size_t count, named = 0;
        const hr_release *lines = hr_gate_releases(p.gate, &count);
        for (size_t i = 0; i < count; i++) {
            if (lines[i].mechanism == HR_MECHANISM_IDENTITY)
                continue; /* the exact statistics of the publication */
            assert_true(lines[i].group == 7 && lines[i].part == 2 && lines[i].tree == 3);
            named++;
        }
        assert_true(named >= (size_t)options.depth + 2);
        purse_close(&p);
        table_close(&t);
    }
}

/* Equation 8 or 14 of the records that `said` sends to one leaf, clipped as sound leaves are. */
static double leaf_by_equation(const table *t, size_t classes, const double *scores, const double *said,
                               double value) {
    double sum = 0, denominator = 0;
    for (size_t i = 0; i < 1000; i++) {
        double y = classes ? 2 * t->labels[i] - 1 : t->labels[i], f = classes ? scores[i] / 2 : scores[i];
        double r = classes ? 2 * y / (1 + exp(2 * y * f)) : y - f;
        if (said[i] != value) continue;
        sum += r;
        denominator += classes ? fabs(r) * (2 - fabs(r)) : 1;
    }
    double gamma = denominator > 0 ? sum / denominator : 0;
    return classes ? 2 * fmin(fmax(gamma, -2), 2) : fmin(fmax(gamma, -1), 1);
}

static void check_leaves(size_t classes, int64_t depth) {
    table t = mixed_table(1000, classes, 9);
    static double scores[1000], said[1000];
    uint64_t seed = 2;
    for (size_t i = 0; i < 1000; i++) scores[i] = 1.5 * next_unit(&seed) - .5, said[i] = 0;
    hr_fit_options options = options_of("inprivate", HR_MODE_SOUND);
    options.depth = depth;
    options.gradient_bound = 2;
    purse p = purse_open(HR_PRIVACY_PURE, 50000, 3);
    hr_tree tree = must_tree(&p, t.data, scores, &options);
    hr_tree_add(&tree, t.data, said);
    for (size_t n = 0; n < tree.node_count; n++) {
        double value = tree.nodes[n].value;
        if (tree.nodes[n].left) continue;
        double wanted = leaf_by_equation(&t, classes, scores, said, value) * options.learning_rate;
        if (!(fabs(value - wanted) < .01)) fail_msg("depth %d: says %g for %g", (int)depth, value, wanted);
    }
    purse_close(&p);
    table_close(&t);
}

/* Almost without noise: the leaves are equations 8 and 14 of the residuals, whatever the scores were and
 * however deep the tree. */
static void test_tree__says_what_the_equations_say(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2)
        for (int64_t depth = 1; depth <= 4; depth++) check_leaves(classes, depth);
}

/* As published numbers' residuals are not clipped, however far the scores have drifted. */
static void test_tree__as_published_takes_residuals_of_any_size(void **state) {
    (void)state;
    static double scores[1000], said[1000];
    table t = mixed_table(1000, 0, 9);
    for (size_t i = 0; i < 1000; i++) scores[i] = 50, said[i] = 0;
    hr_fit_options options = options_of("inprivate", HR_MODE_PAPER);
    options.depth = 1;
    purse p = purse_open(HR_PRIVACY_PURE, 5000, 3);
    hr_tree tree = must_tree(&p, t.data, scores, &options);
    hr_tree_add(&tree, t.data, said);
    for (size_t i = 0; i < 1000; i++) assert_true(said[i] < -49 && said[i] > -51);
    purse_close(&p);
    table_close(&t);
}

/* As published every average of three values is a candidate, far beyond a byte of them: labels change at the
 * 900th of 1,000 averages, and the tree finds it. Its leaves are equation 14 of the records there. */
static void test_tree__as_published_may_cut_anywhere(void **state) {
    (void)state;
    enum { VALUES = 3000, CHANGE = 2700 };
    static const double scores[VALUES] = {0};
    table t = table_open(VALUES, 1);
    for (size_t i = 0; i < VALUES; i++) {
        const size_t value = i * 7 % VALUES; /* in no order */
        t.columns[0][i] = (double)value;
        t.labels[i] = value < CHANGE ? -.5 : .5;
    }
    hr_column x = number_column("x", 0, VALUES);
    table_make(&t, number_column("y", -1, 1), &x);
    hr_fit_options options = options_of("inprivate", HR_MODE_PAPER);
    options.depth = 2;
    purse p = purse_open(HR_PRIVACY_PURE, 5000, 3);
    hr_tree tree = must_tree(&p, t.data, scores, &options);
    assert_int_equal(tree.node_count, 7);
    const double root = tree.nodes[0].threshold; /* just below an average */
    assert_true((root < CHANGE - 2 && root > CHANGE - 2.1) || (root < CHANGE + 1 && root > CHANGE + .9));
    static double said[VALUES];
    hr_tree_add(&tree, t.data, said);
    for (size_t i = 0; i < VALUES; i++)
        if (t.columns[0][i] < CHANGE - 3 || t.columns[0][i] > CHANGE + 3)
            assert_true(fabs(said[i] - t.labels[i]) < .02);
    purse_close(&p);
    table_close(&t);
}

/* ---- Forests ---- */

/* How many different thresholds a feature has, at the most. */
static size_t most_thresholds(const hr_model *model) {
    size_t most = 0, count = 0;
    for (size_t c = 0; c < model->predictor.column_count; c++) {
        bool same = c && model->predictor.columns[c].feature == model->predictor.columns[c - 1].feature;
        count = (same ? count : 0) + model->predictor.columns[c].bins.bin_count - 2;
        most = count > most ? count : most;
    }
    return most;
}

/* Those of many owners with bins of their own, in one model, say what the trees say one by one; also where a
 * feature is cut at more places than a byte can tell apart. */
static void test_forest__says_what_its_trees_say(void **state) {
    (void)state;
    enum { OWNERS = 120, RECORDS = 300 };
    for (size_t classes = 0; classes <= 2; classes += 2) {
        table t = mixed_table(RECORDS, classes, 4);
        hr_fit_options options = options_of("inprivate", HR_MODE_SOUND);
        hr_model parts = {.method = "inprivate",
                          .schema = t.schema,
                          .privacy_measure = HR_PRIVACY_PURE,
                          .guarantee = {.statement = ""}};
        static double scores[RECORDS], sums[RECORDS];
        memset(sums, 0, sizeof sums);
        parts.arena = hr_arena_new();
        assert_int_equal(hr_inprivate_forest_init(t.schema, OWNERS, parts.arena, &parts.forest, NULL), HR_OK);
        for (size_t k = 0; k < OWNERS; k++) {
            purse p = purse_open(HR_PRIVACY_PURE, 3, k);
            hr_tree tree = must_tree(&p, t.data, scores, &options);
            hr_tree_add(&tree, t.data, sums);
            assert_int_equal(
                hr_tree_copy(&tree, parts.arena, &parts.forest.trees[parts.forest.tree_count++], NULL),
                HR_OK);
            purse_close(&p);
        }
        hr_model *model = NULL;
        hr_error err = {0};
        if (hr_model_make(&parts, &model, &err)) fail_msg("%s: %s", err.field, err.message);
        assert_true(most_thresholds(model) > HR_BINS_MAX);
        double *predicted = predictions_of(model, t.data);
        for (size_t i = 0; i < RECORDS; i++) {
            double p1 = 1 / (1 + exp(-sums[i])), wanted = classes ? p1 : fmin(fmax(sums[i], -1), 1);
            assert_true(fabs(predicted[i * (classes ? 2 : 1) + (classes ? 1 : 0)] - wanted) < 1e-9);
        }
        free(predicted);
        hr_model_free(model);
        table_close(&t);
    }
}

/* ---- Lines ---- */

typedef struct expectation {
    hr_mechanism mechanism;
    uint64_t sensitivity;
    double cost; /* of epsilon, as a part */
} expectation;

static expectation expected_line(const hr_release *line, const hr_fit_options *o, size_t classes) {
    bool sound = o->mode == HR_MODE_SOUND;
    double rest = sound ? 1 - o->bin_share : 1, leaf = rest * o->leaf_share;
    if (!strcmp(line->what, "split")) {
        uint64_t width =
            sound ? HR_GAIN_WIDTH : (8 << HR_GAIN_BITS) / 4 / (uint64_t)o->depth; /* classes: R = 2 */
        return (expectation){sound ? HR_MECHANISM_PERMUTE_AND_FLIP : HR_MECHANISM_EXPONENTIAL, width,
                             (rest - leaf) / (double)o->depth};
    }
    bool sum = !strcmp(line->what, "leaf sum");
    assert_true(sum || !strcmp(line->what, "leaf count"));
    double share = sound ? o->count_share : .5;
    uint64_t sensitivity = sum ? (sound ? 4096 : 65536 / 2) : classes ? 4096 : 1;
    return (expectation){HR_MECHANISM_DISCRETE_LAPLACE, sensitivity, leaf * (sum ? 1 - share : share)};
}

/* Edges, levels, leaves; a tree a round, all of one group, and every round a part of it. */
static void test_lines__are_what_trees_are_made_of(void **state) {
    (void)state;
    for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++)
        for (size_t classes = 0; classes <= 2; classes += 2) {
            table t = mixed_table(400, classes, 3);
            hr_fit_options options = options_of("inprivate", (hr_mode)mode);
            options.trees = 3;
            options.epsilon = 2;
            hr_model *model = fit(t.data, &options);
            size_t counts[3] = {0};
            double of_part[3] = {0};
            for (size_t i = 0; i < model->release_count; i++) {
                const hr_release *line = &model->releases[i];
                if (line->mechanism == HR_MECHANISM_IDENTITY) continue;
                assert_true(line->group == 0 && line->part < 3 && line->tree == (int64_t)line->part);
                of_part[line->part] += hr_units_value(line->cost);
                if (!strcmp(line->what, "bin edges")) continue;
                expectation wanted = expected_line(line, &options, classes);
                assert_int_equal(line->mechanism, wanted.mechanism);
                if (mode == HR_MODE_SOUND || classes) assert_true(line->sensitivity == wanted.sensitivity);
                assert_true(fabs(hr_units_value(line->cost) - 2 * wanted.cost) < 1e-9);
                counts[line->part]++;
            }
            for (size_t m = 0; m < 3; m++)
                assert_true(counts[m] == (size_t)options.depth + 2 && fabs(of_part[m] - 2) < 1e-6);
            assert_true(model->guarantee.is_private == (mode == HR_MODE_SOUND));
            if (mode == HR_MODE_SOUND)
                assert_true(model->guarantee.epsilon <= 2 && model->guarantee.epsilon > 2 - 1e-6);
            hr_model_free(model);
            table_close(&t);
        }
}

/* Published cut points are exact statistics, and the list says so. */
static void test_lines__name_the_exact_statistics_of_the_publication(void **state) {
    (void)state;
    table t = mixed_table(100, 2, 3);
    hr_fit_options options = options_of("inprivate", HR_MODE_PAPER);
    hr_model *model = fit(t.data, &options);
    size_t exact = 0;
    for (size_t i = 0; i < model->release_count; i++)
        exact += model->releases[i].mechanism == HR_MECHANISM_IDENTITY;
    assert_int_equal(exact, options.trees);
    assert_non_null(strstr(model->guarantee.statement, "NOT DIFFERENTIALLY PRIVATE"));
    hr_model_free(model);
    table_close(&t);
}

/* ---- The method ---- */

static void test_method__learns(void **state) {
    (void)state;
    for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++)
        for (size_t classes = 0; classes <= 2; classes += 2) {
            table t = mixed_table(ROWS, classes, 12);
            hr_fit_options options = seeded_options_of("inprivate", (hr_mode)mode, 1);
            options.epsilon = 50;
            hr_metrics m = fit_metrics(t.data, &options);
            double error = classes ? m.error : m.rmse;
            if (!(error < (classes ? .08 : .15))) fail_msg("mode %d, %zu classes: %g", mode, classes, error);
            table_close(&t);
        }
}

/* As published, almost without noise: what the leaves of records without features say. */
static void published_leaves(const double *labels, size_t rows, size_t rounds, uint64_t seed,
                             double *leaves) {
    table t = table_open(rows, 1);
    for (size_t i = 0; i < rows; i++) t.labels[i] = labels[i];
    hr_column x = number_column("x", 0, 0);
    table_make(&t, number_column("y", -1, 1), &x);
    hr_fit_options options = seeded_options_of("inprivate", HR_MODE_PAPER, seed);
    options.epsilon = 1e4;
    options.trees = (int64_t)rounds;
    options.depth = 1;
    hr_model *model = fit(t.data, &options);
    for (size_t m = 0; m < rounds; m++) { /* all records are left of the only cut, if there is one */
        const hr_node *nodes = model->forest.trees[m].nodes;
        leaves[m] = nodes[nodes->left].value;
    }
    hr_model_free(model);
    table_close(&t);
}

static bool near(double a, double b) {
    return fabs(a - b) < .05;
}

/* Of four labels -1, -1, 1, 1 two train, of seven first three and then two; the rest is never used. */
static void test_method__as_published_halves_exactly(void **state) {
    (void)state;
    static const double four[] = {-1, -1, 1, 1}, seven[] = {-1, -1, -1, -1, -1, -1, 1};
    size_t ends = 0, late = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        double leaves[2];
        published_leaves(four, 4, 1, seed, leaves);
        assert_true(near(leaves[0], -1) || near(leaves[0], 0) || near(leaves[0], 1));
        ends += !near(leaves[0], 0);
        published_leaves(seven, 7, 2, seed, leaves);
        bool first = near(leaves[0], -1. / 3);
        assert_true(first || near(leaves[0], -1));
        if (first) continue;
        assert_true(near(leaves[1], 0) || near(leaves[1], 1)); /* the residual 2, over two records */
        late += near(leaves[1], 1);
    }
    assert_true(ends > 10 && late > 5);
}

/* Models of the same coins, so that trees are the same as long as there are some. */
static hr_model *judged_model(const table *t, double round_gain, bool vote_trees) {
    hr_fit_options options = seeded_options_of("inprivate", HR_MODE_PAPER, 4);
    options.epsilon = 1;
    options.trees = 8;
    options.depth = 8;
    options.by_name[HR_OPTION_ROUND_GAIN] = round_gain;
    options.by_name[HR_OPTION_VOTE_TREES] = vote_trees;
    return fit(t->data, &options);
}

/* How much better the trees 0 .. count - 1 are than the first count - 1, on all records. */
static double gain_of_tree(const table *t, const hr_model *model, size_t count) {
    static double before[ROWS], after[ROWS];
    memset(after, 0, sizeof after);
    for (size_t k = 0; k < count; k++) {
        memcpy(before, after, sizeof before);
        hr_tree_add(&model->forest.trees[k], t->data, after);
    }
    return hr_round_gain_exact(t->data, before, after) / ROWS;
}

/* Section VI-B: another round follows one that improved the accuracy by more than the threshold. */
static void test_method__as_published_stops_by_its_rule(void **state) {
    (void)state;
    size_t stopped = 0;
    for (size_t classes = 0; classes <= 2; classes += 2)
        for (double least = .001; least < .5; least *= 4) {
            table t = mixed_table(ROWS, classes, 7);
            hr_model *model = judged_model(&t, least, false);
            size_t count = hr_model_tree_count(model);
            for (size_t k = 1; k < count; k++) assert_true(gain_of_tree(&t, model, k) > least);
            assert_true(count == 8 || gain_of_tree(&t, model, count) <= least);
            stopped += count < 8;
            hr_model_free(model);
            table_close(&t);
        }
    assert_true(stopped > 4);
}

/* Section VI-B: a tree that lowers the accuracy is left out; without votes some trees do. */
static void test_method__as_published_leaves_out_bad_trees(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2) {
        table t = mixed_table(ROWS, classes, 7);
        hr_model *all = judged_model(&t, 0, false), *good = judged_model(&t, 0, true);
        size_t bad = 0;
        for (size_t k = 1; k <= hr_model_tree_count(all); k++) bad += gain_of_tree(&t, all, k) < 0;
        assert_true(hr_model_tree_count(all) == 8 && bad > 0 && hr_model_tree_count(good) < 8);
        for (size_t k = 1; k <= hr_model_tree_count(good); k++) assert_true(gain_of_tree(&t, good, k) >= 0);
        hr_model_free(all);
        hr_model_free(good);
        table_close(&t);
    }
}

static void test_method__refuses_three_classes(void **state) {
    (void)state;
    table t = table_of_steps(50, 2, 3, 1);
    hr_fit_options options = options_of("inprivate", HR_MODE_SOUND);
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "two classes"));
    assert_non_null(strstr(err.remedy, "merge classes"));
    table_close(&t);
}

/* More rounds than records: most rounds are empty. */
static void test_method__trains_rounds_without_records(void **state) {
    (void)state;
    for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
        table t = mixed_table(3, 2, 1);
        hr_fit_options options = options_of("inprivate", (hr_mode)mode);
        options.trees = 12;
        hr_model *model = fit(t.data, &options);
        assert_int_equal(hr_model_tree_count(model), 12);
        hr_model_free(model);
        table_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds__halve_what_is_left),
        cmocka_unit_test(test_rounds__do_not_depend_on_other_records),
        cmocka_unit_test(test_tree__holds_what_its_receiver_checks),
        cmocka_unit_test(test_tree__is_all_of_one_group_and_part),
        cmocka_unit_test(test_tree__says_what_the_equations_say),
        cmocka_unit_test(test_tree__as_published_takes_residuals_of_any_size),
        cmocka_unit_test(test_forest__says_what_its_trees_say),
        cmocka_unit_test(test_lines__are_what_trees_are_made_of),
        cmocka_unit_test(test_lines__name_the_exact_statistics_of_the_publication),
        cmocka_unit_test(test_method__learns),
        cmocka_unit_test(test_tree__as_published_may_cut_anywhere),
        cmocka_unit_test(test_method__as_published_halves_exactly),
        cmocka_unit_test(test_method__as_published_stops_by_its_rule),
        cmocka_unit_test(test_method__as_published_leaves_out_bad_trees),
        cmocka_unit_test(test_method__refuses_three_classes),
        cmocka_unit_test(test_method__trains_rounds_without_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
