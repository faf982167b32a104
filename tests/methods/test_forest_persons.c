/* Private forests per person against what they charge: leaves of the same tree, and choices at the same
 * nodes, on a table and on that table with one person more. What changes must be within the sensitivity of
 * the line, and nearly attain it. */
#include "base/buffer.h"
#include "privacy/sensitivity.h"
#include "support/person_tables.h"
#include "support/tables.h"
#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/records/local_source.h"
#include "trees/stats/impurity.h"
#include "trees/tree/random_tree.h"

#include <math.h>
#include <stdlib.h>

enum { DEPTH = 3, NODES = (2 << DEPTH) - 1, CLASSES = 3, TREES = 8, BINS = 8 };

/* The leaves of one tree: sums, and counts (of each class). */
typedef struct leaf_stats {
    hr_exact sums[NODES], counts[NODES * CLASSES];
    size_t leaves, width;
} leaf_stats;

static hr_tree draw_tree(const hr_binning *binning, uint64_t seed, hr_node *nodes, hr_bin_set *subsets) {
    double weights[] = {1, 1, 1};
    const hr_random_plan plan = {.depth = DEPTH, .weights = weights, .centred = 1};
    hr_csprng *coins = NULL;
    hr_tree tree;
    assert_int_equal(hr_csprng_open_seeded(seed, &coins, NULL), HR_OK);
    hr_random_tree(coins, binning, &plan, nodes, subsets, &tree);
    hr_csprng_close(coins);
    return tree;
}

/* The weighted records of a table, all of them in the root. */
typedef struct persons_source {
    hr_arena *arena;
    hr_binning binning;
    hr_stats_source *source;
    hr_labels kind;
} persons_source;

static void persons_source_open(persons_source *s, const hr_data *data) {
    hr_local_stats_records records = {.data = data, .threads = 1};
    *s = (persons_source){.arena = hr_arena_new(), .kind = hr_labels_kind(hr_data_schema(data))};
    s->kind.unit = HR_PER_PERSON;
    assert_int_equal(hr_edges_public(hr_data_schema(data), BINS, s->arena, &s->binning, NULL), HR_OK);
    assert_int_equal(hr_local_stats_source_new(&records, &s->source, NULL), HR_OK);
    const hr_stats_setup setup = {
        .kind = HR_STATS_LABELS, .binning = &s->binning, .weights = hr_data_weights(data)};
    assert_int_equal(s->source->ops->prepare(s->source, &setup, NULL), HR_OK);
    assert_int_equal(s->source->ops->share_out(s->source, &(hr_stats_shares){.count = 1}, NULL, NULL), HR_OK);
    assert_int_equal(s->source->ops->begin(s->source, &(hr_stats_round){0}, NULL), HR_OK);
}

static void persons_source_close(persons_source *s) {
    hr_stats_free(s->source);
    hr_arena_free(s->arena);
}

static void ask(const persons_source *s, const hr_stats_query *query, hr_exact *out) {
    assert_int_equal(s->source->ops->answer(s->source, query, 1, out, NULL), HR_OK);
}

static leaf_stats stats_of(const hr_data *data, uint64_t seed) {
    leaf_stats found = {0};
    hr_node nodes[NODES];
    hr_bin_set subsets[NODES];
    hr_exact room[NODES * CLASSES];
    persons_source s;
    persons_source_open(&s, data);
    const hr_tree tree = draw_tree(&s.binning, seed, nodes, subsets);
    ask(&s, &(hr_stats_query){.answer = HR_STATS_LEAVES, .tree = &tree, .walk = true}, room);
    for (size_t n = 0; n < tree.node_count; n++) found.leaves += !tree.nodes[n].left;
    found.width = s.kind.classes ? s.kind.classes : 1;
    hr_labels_of_leaves(&s.kind, room, found.leaves, found.sums, found.counts);
    persons_source_close(&s);
    return found;
}

static double change_of(const hr_exact *a, const hr_exact *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += fabs((double)(b[i].unpaid - a[i].unpaid));
    return sum;
}

static void check_share(double change, double sensitivity, double least) {
    if (!(change <= sensitivity && change >= least * sensitivity)) fail_msg("%g of %g", change, sensitivity);
}

static void test_leaves__change_by_what_is_charged_at_most(void **state) {
    (void)state;
    static const person_canary canaries[] = {{50, true}, {50, false}, {2000, true}, {1, true}, {70000, true}};
    static const size_t tasks[] = {0, 2, 3};
    for (size_t i = 0; i < COUNT(canaries); i++)
        for (size_t k = 0; k < COUNT(tasks); k++) {
            const double nearly = canaries[i].records > 65536 ? 0 : .95;
            person_tables t;
            person_tables_open(&t, tasks[k], &canaries[i], 3 + i);
            for (uint64_t seed = 0; seed < TREES; seed++) {
                const leaf_stats a = stats_of(t.without, seed), b = stats_of(t.with, seed);
                assert_int_equal(a.leaves, b.leaves);
                check_share(change_of(a.counts, b.counts, a.leaves * a.width),
                            (double)hr_unit_of_counts(HR_PER_PERSON), nearly);
                if (!tasks[k])
                    check_share(change_of(a.sums, b.sums, a.leaves),
                                (double)hr_unit_label_sensitivity(HR_PER_PERSON),
                                canaries[i].extreme ? nearly : 0);
            }
            person_tables_close(&t);
        }
}

/* ---- Choices ---- */

enum { PEOPLE = 300, LEVEL = 2, SCORES = HR_MEDIAN_SCORE_CELLS };

/* Scores of a choice at the nodes of a level. */
typedef struct level_scores {
    hr_exact scores[LEVEL][SCORES];
    size_t count;
} level_scores;

/* `node` says half of the records. All records but the canary's have label -1 (or class p), and their x, a
 * and v are low (or u), so that it is alone in the other bins: x and a tell its labels from theirs, b does
 * not. */
static const char crowded_features[] = "features:\n"
                                       "  - {name: node, kind: category, values: [l, r]}\n"
                                       "  - {name: x, kind: number, low: 0, high: 1}\n"
                                       "  - {name: a, kind: category, values: [u, v]}\n"
                                       "  - {name: b, kind: category, values: [u, v]}\nunit: who\n";

static hr_schema *crowded_schema(bool classes) {
    hr_buffer b = {0};
    char *text;
    hr_buffer_format(&b, "hedgerow-schema: 1\nlabel: {name: y, %s}\n%s",
                     classes ? "kind: classes, values: [p, q]" : "kind: number, low: -1, high: 1",
                     crowded_features);
    assert_int_equal(hr_buffer_take(&b, &text, NULL), HR_OK);
    hr_schema *schema = schema_of_text(text);
    hr_text_free(text);
    return schema;
}

static hr_data *crowded_table(const hr_schema *schema, size_t canary_records) {
    const bool classes = hr_schema_task(schema) != HR_TASK_REGRESSION;
    hr_buffer b = {0};
    char *text;
    hr_buffer_text(&b, "who,node,x,a,b,y\n");
    for (size_t i = 0; i < PEOPLE; i++)
        hr_buffer_format(&b, "p%zu,%c,.1,u,u,%s\n", i, i % 2 ? 'l' : 'r', classes ? "p" : "-1");
    for (size_t i = 0; i < canary_records; i++)
        hr_buffer_format(&b, "canary,%c,.9,v,u,%s\n", i % 3 ? 'l' : 'r', classes ? "q" : "1");
    assert_int_equal(hr_buffer_take(&b, &text, NULL), HR_OK);
    hr_data *data = data_of_text(schema, text);
    hr_text_free(text);
    return data;
}

typedef enum choice { BY_BINS, BY_SIDES, BY_CELLS, BY_VALUES } choice;

/* The candidates are x, a and b; cuts of x; or divisions of a. */
static void score_node(const persons_source *s, choice what, uint32_t node, hr_exact *scores, size_t *count) {
    static hr_exact room[HR_BALANCE_COUNTS];
    hr_stats_query query = {.node = node, .feature = what == BY_CELLS ? 1 : 2, .range = {0, 1}};
    hr_bin_set left = {{0}}, other = {{0}};
    hr_bin_set_add(&left, 1), hr_bin_set_add(&other, 2);
    *count = 3;
    for (uint32_t f = 1; what <= BY_SIDES && f <= 3; f++) {
        query.answer = what == BY_BINS ? HR_STATS_BINS : HR_STATS_SIDES;
        query.feature = f;
        query.division = (hr_child_rule){.feature = f, .cut = .5, .left = left};
        ask(s, &query, room);
        scores[f - 1] = what == BY_BINS ? hr_bins_score(&s->kind, s->binning.features[f].bin_count, room)
                                        : hr_division_score(&s->kind, room);
    }
    if (what == BY_CELLS) {
        query.answer = HR_STATS_CELLS;
        ask(s, &query, room);
        hr_median_score_of_cuts(room, false, scores);
        *count = HR_MEDIAN_SCORE_CELLS - 1;
    }
    if (what == BY_VALUES) {
        const hr_bin_set divisions[] = {left, other, {{6}}};
        query.answer = HR_STATS_VALUES;
        ask(s, &query, room);
        hr_median_score_of_subsets(room, 3, divisions, 3, scores);
    }
}

static void score_level(const hr_data *data, choice what, level_scores *found) {
    const uint32_t root = 0, first = 1;
    const hr_child_rule by_node = {.feature = 0, .every_bin = true};
    persons_source s;
    persons_source_open(&s, data);
    assert_int_equal(s.source->ops->divide(s.source, &root, &by_node, &first, 1, NULL), HR_OK);
    for (uint32_t n = 0; n < LEVEL; n++) /* bin 0 is missing */
        score_node(&s, what, first + 1 + n, found->scores[n], &found->count);
    persons_source_close(&s);
}

static int64_t widths_of(const level_scores *a, const level_scores *b) {
    int64_t sum = 0;
    for (size_t n = 0; n < LEVEL; n++) {
        int64_t most = INT64_MIN, least = INT64_MAX;
        for (size_t c = 0; c < a->count; c++) {
            const int64_t change = b->scores[n][c].unpaid - a->scores[n][c].unpaid;
            most = change > most ? change : most;
            least = change < least ? change : least;
        }
        sum += most - least;
    }
    return sum;
}

static void check_level(bool classes, choice what, size_t canary_records) {
    static level_scores a, b;
    hr_schema *schema = crowded_schema(classes);
    hr_data *without = crowded_table(schema, 0), *with = crowded_table(schema, canary_records);
    hr_labels kind = hr_labels_kind(schema);
    kind.unit = HR_PER_PERSON;
    const uint64_t charged =
        what <= BY_SIDES ? hr_purity_width(&kind, LEVEL) : hr_unit_median_width(HR_PER_PERSON);
    score_level(without, what, &a);
    score_level(with, what, &b);
    check_share((double)widths_of(&a, &b), (double)charged, canary_records > 65536 ? 0 : .97);
    hr_data_free(with);
    hr_data_free(without);
    hr_schema_free(schema);
}

static void test_choices__change_by_what_a_level_is_charged_at_most(void **state) {
    (void)state;
    static const size_t records[] = {3, 50, 2001, 70000};
    for (size_t i = 0; i < COUNT(records); i++)
        for (choice what = BY_BINS; what <= BY_VALUES; what++)
            for (int classes = 0; classes < 2; classes++) check_level(classes, what, records[i]);
}

/* ---- Fits ---- */

/* NULL: there is no such line. */
static const hr_release_info *line_of(const hr_model *model, const char *what) {
    static hr_release_info line;
    for (size_t k = 0; hr_model_release_at(model, k, &line); k++)
        if (!strcmp(line.what, what)) return &line;
    return NULL;
}

static void assert_line(const hr_model *model, const char *what, uint64_t sensitivity) {
    const hr_release_info *line = line_of(model, what);
    if (!line) fail_msg("no line '%s'", what);
    assert_int_equal(line->sensitivity, sensitivity);
}

static hr_model *fit_persons(const hr_data *data, const char *method, double epsilon, bool part) {
    hr_fit_options options = options_of(method, HR_MODE_SOUND);
    options.epsilon = epsilon;
    options.depth = 1;
    options.by_name[HR_OPTION_PART] = part;
    return fit(data, &options);
}

static const char *const methods[] = {"dp-ert", "dp-df", "diprime"};

static void test_fit__charges_every_line_per_person(void **state) {
    (void)state;
    for (size_t m = 0; m < COUNT(methods); m++)
        for (size_t classes = 0; classes <= 2; classes += 2)
            for (int part = 0; part < 2; part++) {
                person_tables t;
                person_tables_open(&t, classes, &(person_canary){50, true}, 3);
                hr_model *model = fit_persons(t.with, methods[m], 4, part != 0);
                const uint64_t purity = classes ? 2 << 20 : 4 << 24;
                assert_line(model, classes ? "leaf class count" : "leaf count", 65536);
                if (!classes) assert_line(model, "leaf sum", 4096 * 64);
                if (m == 1) assert_line(model, "choice of feature", purity + 3 * 4096);
                if (m == 2) assert_line(model, "choice of feature", purity + 3);
                if (m == 2) assert_line(model, "median", 2 * 65536);
                assert_string_equal(hr_model_guarantee(model)->unit, "one person");
                assert_non_null(strstr(hr_model_guarantee(model)->statement, "all records of one person"));
                hr_model_free(model);
                person_tables_close(&t);
            }
}

/* Predictions of records spread over the features' range. */
enum { SPREAD = 25 };

static void predict_spread(const hr_model *model, double out[SPREAD]) {
    hr_buffer buffer = {0};
    char *text;
    hr_buffer_text(&buffer, "x,z,c,y\n");
    for (size_t i = 0; i < SPREAD; i++)
        hr_buffer_format(&buffer, "%g,%g,u,.5\n", (double)(i % 5) / 4, (double)(i / 5) / 4);
    assert_int_equal(hr_buffer_take(&buffer, &text, NULL), HR_OK);
    hr_data *data = data_of_text(hr_model_schema(model), text);
    hr_error err = {0};
    if (hr_model_predict(model, data, 1, out, &err)) fail_msg("%s", err.message);
    hr_data_free(data);
    hr_text_free(text);
}

/* A person with 2000 extreme records among 40 others has the say of one: leaves of a tree with one split have
 * some 20 persons. Epsilon is so large that noise does not show. If records counted alike, most predictions
 * would be at the end of the label. */
static void test_fit__gives_a_person_the_say_of_one(void **state) {
    (void)state;
    person_tables t;
    person_tables_open(&t, 0, &(person_canary){2000, true}, 3);
    for (size_t m = 0; m < COUNT(methods); m++) {
        double before[SPREAD], after[SPREAD], low = 1, high = 0, change = 0;
        hr_model *without = fit_persons(t.without, methods[m], 1e4, false),
                 *with = fit_persons(t.with, methods[m], 1e4, false);
        predict_spread(without, before);
        predict_spread(with, after);
        for (size_t i = 0; i < SPREAD; i++) {
            low = fmin(low, before[i]), high = fmax(high, before[i]);
            change += fabs(after[i] - before[i]) / SPREAD;
        }
        if (!(change < .3)) fail_msg("%s: predictions change by %g", methods[m], change);
        if (!(low > -.5 && high < .5)) fail_msg("%s: predictions from %g to %g", methods[m], low, high);
        hr_model_free(without);
        hr_model_free(with);
    }
    person_tables_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves__change_by_what_is_charged_at_most),
        cmocka_unit_test(test_choices__change_by_what_a_level_is_charged_at_most),
        cmocka_unit_test(test_fit__charges_every_line_per_person),
        cmocka_unit_test(test_fit__gives_a_person_the_say_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
