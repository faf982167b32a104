/* dp-ert per person against what it charges: leaves of the same tree on a table and on that table with one
 * person more. What changes must be within the sensitivity of the line, and nearly attain it. */
#include "base/buffer.h"
#include "bins/edges.h"
#include "data/records.h"
#include "privacy/sensitivity.h"
#include "stats/impurity.h"
#include "stats/local_source.h"
#include "support/person_tables.h"
#include "support/tables.h"
#include "tree/random_tree.h"

#include <math.h>
#include <stdlib.h>

enum { DEPTH = 3, NODES = (2 << DEPTH) - 1, CLASSES = 3, TREES = 8 };

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

static leaf_stats stats_of(const hr_data *data, uint64_t seed) {
    leaf_stats found = {0};
    hr_arena *arena = hr_arena_new();
    hr_binning binning;
    hr_node nodes[NODES];
    hr_bin_set subsets[NODES];
    hr_exact room[NODES * CLASSES];
    hr_stats_source *source = NULL;
    hr_local_stats_records records = {.data = data, .threads = 1};
    assert_int_equal(hr_edges_public(hr_data_schema(data), 8, arena, &binning, NULL), HR_OK);
    assert_int_equal(hr_local_stats_source_new(&records, &source, NULL), HR_OK);
    const hr_stats_setup setup = {
        .kind = HR_STATS_LABELS, .binning = &binning, .weights = hr_data_weights(data)};
    assert_int_equal(source->ops->prepare(source, &setup, NULL), HR_OK);
    assert_int_equal(source->ops->share_out(source, &(hr_stats_shares){.count = 1}, NULL, NULL), HR_OK);
    assert_int_equal(source->ops->begin(source, &(hr_stats_round){0}, NULL), HR_OK);
    const hr_tree tree = draw_tree(&binning, seed, nodes, subsets);
    const hr_stats_query query = {.answer = HR_STATS_LEAVES, .tree = &tree, .walk = true};
    assert_int_equal(source->ops->ask(source, &query, 1, room, NULL), HR_OK);
    for (size_t n = 0; n < tree.node_count; n++) found.leaves += !tree.nodes[n].left;
    const hr_labels kind = hr_labels_kind(hr_data_schema(data));
    found.width = kind.classes ? kind.classes : 1;
    hr_labels_of_leaves(&kind, HR_PER_PERSON, room, found.leaves, found.sums, found.counts);
    hr_stats_free(source);
    hr_arena_free(arena);
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

/* ---- Fits ---- */

static uint64_t sensitivity_of(const hr_model *model, const char *what) {
    hr_release_info line;
    for (size_t k = 0; hr_model_release_at(model, k, &line); k++)
        if (!strcmp(line.what, what)) return line.sensitivity;
    fail_msg("no line '%s'", what);
    return 0;
}

static hr_model *fit_persons(const hr_data *data, double epsilon, bool part) {
    hr_fit_options options = options_of("dp-ert", HR_MODE_SOUND);
    options.epsilon = epsilon;
    options.depth = 1;
    options.by_name[HR_OPTION_PART] = part;
    return fit(data, &options);
}

static void test_fit__charges_every_line_per_person(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2)
        for (int part = 0; part < 2; part++) {
            person_tables t;
            person_tables_open(&t, classes, &(person_canary){50, true}, 3);
            hr_model *model = fit_persons(t.with, 4, part != 0);
            assert_int_equal(sensitivity_of(model, classes ? "leaf class count" : "leaf count"), 65536);
            if (!classes) assert_int_equal(sensitivity_of(model, "leaf sum"), 4096 * 64);
            assert_string_equal(hr_model_guarantee(model)->unit, "one person");
            assert_non_null(strstr(hr_model_guarantee(model)->statement, "one person with all its records"));
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
    double before[SPREAD], after[SPREAD], low = 1, high = 0, change = 0;
    person_tables_open(&t, 0, &(person_canary){2000, true}, 3);
    hr_model *without = fit_persons(t.without, 1e4, false), *with = fit_persons(t.with, 1e4, false);
    predict_spread(without, before);
    predict_spread(with, after);
    for (size_t i = 0; i < SPREAD; i++) {
        low = fmin(low, before[i]), high = fmax(high, before[i]);
        change += fabs(after[i] - before[i]) / SPREAD;
    }
    if (!(change < .15)) fail_msg("predictions change by %g", change);
    if (!(low > -.5 && high < .5)) fail_msg("predictions from %g to %g", low, high);
    hr_model_free(without);
    hr_model_free(with);
    person_tables_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves__change_by_what_is_charged_at_most),
        cmocka_unit_test(test_fit__charges_every_line_per_person),
        cmocka_unit_test(test_fit__gives_a_person_the_say_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
