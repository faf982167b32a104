/* dpboost per person against what it charges: the same trees on a table and on that table with one person
 * more. What changes must be within the sensitivity of the line, and nearly attain it. */
#include "base/buffer.h"
#include "methods/boosting/single_tree.h"
#include "support/model_text.h"
#include "support/person_tables.h"
#include "support/random_numbers.h"
#include "support/tables.h"
#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/records/local_source.h"
#include "trees/stats/split_candidates.h"

#include <math.h>

enum { DEPTH = 4, NODES = 1 << (DEPTH - 1), CANDIDATES = 64, ROUNDS = 6 };

/* Notes the scores of every candidate, and splits by coins that do not depend on records. */
typedef struct fixed_splitter {
    hr_splitter splitter;
    const hr_boosting *boosting;
    const hr_split *first; /* of the root; NULL: drawn */
    double lambda;
    uint64_t random;
    size_t candidates;
    int64_t scores[DEPTH][NODES][CANDIDATES];
} fixed_splitter;

static hr_status choose_fixed_split(hr_splitter *self, const hr_level_nodes *nodes, hr_split *splits,
                                    hr_error *err) {
    fixed_splitter *s = (fixed_splitter *)self;
    const hr_binning *binning = &s->boosting->training->binning;
    hr_exact scores[CANDIDATES];
    (void)err;
    for (size_t i = 0; i < nodes->count; i++) {
        hr_candidate_scores(binning, &s->boosting->packing, s->lambda, nodes->cells[i], nodes->totals[i],
                            scores);
        for (size_t c = 0; c < s->candidates; c++) s->scores[nodes->level][i][c] = scores[c].unpaid;
        splits[i] = !nodes->level && s->first
                        ? *s->first
                        : hr_candidate(binning, next_random(&s->random) % s->candidates);
    }
    return HR_OK;
}

/* One table's training. */
typedef struct side {
    hr_training training;
    hr_fit_options options;
    hr_csprng *coins;
    hr_boosting boosting;
    fixed_splitter splitter;
    size_t leaves;
} side;

static void side_open(side *s, const hr_data *data, int64_t depth) {
    *s = (side){.options = options_of("dpboost", HR_MODE_SOUND)};
    s->options.depth = depth;
    s->training = (hr_training){
        .data = data, .options = &s->options, .unit = HR_PER_PERSON, .threads = 2, .arena = hr_arena_new()};
    assert_int_equal(hr_csprng_open_seeded(11, &s->coins, NULL), HR_OK);
    assert_int_equal(hr_gate_new(HR_PRIVACY_NONE, 0, s->coins, &s->training.gate, NULL), HR_OK);
    hr_local_stats_records records = {.data = data, .csprng = s->coins, .threads = 2};
    assert_int_equal(hr_local_stats_source_new(&records, &s->training.source, NULL), HR_OK);
    assert_int_equal(hr_edges_public(hr_data_schema(data), 8, s->training.arena, &s->training.binning, NULL),
                     HR_OK);
    assert_int_equal(hr_boosting_init(&s->boosting, &s->training, HR_LINK_SIGNED, 3 * ROUNDS, NULL), HR_OK);
    assert_int_equal(hr_single_tree_pack(&s->boosting, 1, NULL), HR_OK);
    s->splitter = (fixed_splitter){.splitter = {choose_fixed_split},
                                   .boosting = &s->boosting,
                                   .lambda = s->boosting.packing.weight_scale,
                                   .random = 5,
                                   .candidates = hr_candidate_count(&s->training.binning)};
    assert_true(s->splitter.candidates <= CANDIDATES);
}

static void side_close(side *s) {
    hr_boosting_done(&s->boosting);
    hr_stats_free(s->training.source);
    hr_gate_free(s->training.gate);
    hr_csprng_close(s->coins);
    hr_arena_free(s->training.arena);
}

static hr_tree *side_grow(side *s, size_t output, size_t part) {
    hr_stats_round round = {
        .part = part, .output = output, .loss = HR_STATS_SQUARE, .bound = s->options.gradient_bound};
    hr_tree *tree;
    assert_int_equal(hr_boosting_grow(&s->boosting, &s->splitter.splitter, &round, &tree, &s->leaves, NULL),
                     HR_OK);
    return tree;
}

/* The widths of the changes of a level's scores, node by node, in all. */
static double width_of_level(const side *a, const side *b, int level) {
    double sum = 0;
    for (size_t n = 0; n < (size_t)1 << level; n++) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (size_t c = 0; c < a->splitter.candidates; c++) {
            int64_t d = b->splitter.scores[level][n][c] - a->splitter.scores[level][n][c];
            if (d < low) low = d;
            if (d > high) high = d;
        }
        sum += (double)(high - low);
    }
    return sum;
}

typedef struct changes {
    double width, sums, counts; /* the largest, in their sensitivities */
} changes;

static void compare_sides(const side *a, const side *b, changes *largest) {
    double sums = 0, counts = 0;
    for (int level = 0; level < a->options.depth; level++) {
        double charged = (double)hr_unit_gain_width(HR_PER_PERSON, (uint64_t)1 << level);
        largest->width = fmax(largest->width, width_of_level(a, b, level) / charged);
    }
    assert_int_equal(a->leaves, b->leaves);
    for (size_t l = 0; l < a->leaves; l++) {
        sums += fabs((double)(b->boosting.leaf_gradients[l].unpaid - a->boosting.leaf_gradients[l].unpaid));
        counts += fabs((double)(b->boosting.leaf_weights[l].unpaid - a->boosting.leaf_weights[l].unpaid));
    }
    largest->sums = fmax(largest->sums, sums / (4096 * 64));
    largest->counts = fmax(largest->counts, counts / 65536);
}

static void check_changes(const changes *c, double width, double sums, double counts) {
    if (!(c->width <= 1 && c->sums <= 1 && c->counts <= 1 && c->width > width && c->sums > sums &&
          c->counts > counts))
        fail_msg("of the width %g, of leaf sums %g, of leaf counts %g", c->width, c->sums, c->counts);
}

static void set_equal_leaves(side *a, side *b, hr_tree *of_a, hr_tree *of_b, uint64_t *random) {
    double values[1 << DEPTH];
    for (size_t l = 0; l < a->leaves; l++) values[l] = (double)(next_random(random) % 2001) / 1000 - 1;
    hr_leaves_set(of_a, values);
    hr_leaves_set(of_b, values);
    assert_int_equal(hr_boosting_add_trees(&a->boosting, a->training.forest.tree_count - 1, NULL), HR_OK);
    assert_int_equal(hr_boosting_add_trees(&b->boosting, b->training.forest.tree_count - 1, NULL), HR_OK);
}

static changes changes_of(size_t classes, const person_canary *canary, uint64_t seed) {
    person_tables t;
    side a, b;
    changes found = {0};
    person_tables_open(&t, classes, canary, seed);
    side_open(&a, t.without, DEPTH);
    side_open(&b, t.with, DEPTH);
    for (size_t r = 0; r < ROUNDS; r++) {
        size_t output = r % a.boosting.outputs;
        hr_tree *of_a = side_grow(&a, output, 0), *of_b = side_grow(&b, output, 0);
        compare_sides(&a, &b, &found);
        set_equal_leaves(&a, &b, of_a, of_b, &seed);
    }
    side_close(&a);
    side_close(&b);
    person_tables_close(&t);
    return found;
}

static void test_releases__change_by_what_is_charged_at_most(void **state) {
    (void)state;
    static const person_canary canaries[] = {
        {50, true}, {50, false}, {2000, false}, {1, true}, {70000, true}};
    static const size_t tasks[] = {0, 2, 3};
    for (size_t i = 0; i < COUNT(canaries); i++)
        for (size_t k = 0; k < COUNT(tasks); k++) {
            changes found = changes_of(tasks[k], &canaries[i], 3 + i);
            double nearly = canaries[i].records > 65536 ? -1 : .95, sums = canaries[i].extreme ? nearly : 0;
            check_changes(&found, nearly < 0 ? -1 : 0, sums, nearly);
        }
}

/* ---- The width ---- */

enum { OTHERS = 3000, RECORDS = 50 };

static void add_rows(hr_buffer *b, size_t count, const char *who, const char *row) {
    for (size_t i = 0; i < count; i++) hr_buffer_format(b, "%s%zu,%s\n", who, *row == '!' ? 0 : i, row + 1);
}

/* Both nodes of level 1 have half of the person's records, which by x are alone, and by z are with all
 * others, whose gradients are the opposite. */
static hr_data *spread_table(const hr_schema *schema, bool with) {
    hr_buffer b = {0};
    char *text;
    hr_buffer_text(&b, "who,x,z,c,y\n");
    add_rows(&b, OTHERS, "left", " .1,.1,u,1");
    add_rows(&b, OTHERS, "right", " .1,.1,v,1");
    if (with) add_rows(&b, RECORDS / 2, "canary", "!.9,.1,u,-1");
    if (with) add_rows(&b, RECORDS / 2, "canary", "!.9,.1,v,-1");
    assert_int_equal(hr_buffer_take(&b, &text, NULL), HR_OK);
    hr_data *data = data_of_text(schema, text);
    hr_text_free(text);
    return data;
}

static void test_a_person_in_many_nodes__has_the_width_of_a_record(void **state) {
    (void)state;
    person_tables t;
    person_tables_open(&t, 0, &(person_canary){1, true}, 1);
    hr_data *without = spread_table(t.schema, false), *with = spread_table(t.schema, true);
    side a, b;
    changes found = {0};
    side_open(&a, without, 2);
    side_open(&b, with, 2);
    a.splitter.lambda = b.splitter.lambda = 0;
    hr_split of_c = {.made = true, .feature = 2, .kind = HR_KIND_CATEGORY};
    hr_bin_set_add(&of_c.left, 1);
    a.splitter.first = b.splitter.first = &of_c;
    side_grow(&a, 0, 0);
    side_grow(&b, 0, 0);
    compare_sides(&a, &b, &found);
    check_changes(&found, .99, .99, .99);
    double one = (double)hr_unit_gain_width(HR_PER_RECORD, 1);
    assert_true(width_of_level(&a, &b, 1) > .99 * one);
    side_close(&a);
    side_close(&b);
    hr_data_free(without);
    hr_data_free(with);
    person_tables_close(&t);
}

/* ---- Parts ---- */

/* Every person has 4 records: a part weighs as much as its persons. */
static void test_parts__hold_whole_persons(void **state) {
    (void)state;
    person_tables t;
    person_tables_open(&t, 0, &(person_canary){1, true}, 1);
    hr_buffer buffer = {0};
    char *text;
    hr_buffer_text(&buffer, "who,x,z,c,y\n");
    for (size_t i = 0; i < 4 * 40; i++) hr_buffer_format(&buffer, "%zu,.%zu,.3,u,.5\n", i % 40, i % 9);
    assert_int_equal(hr_buffer_take(&buffer, &text, NULL), HR_OK);
    hr_data *data = data_of_text(t.schema, text);
    static const double weights[] = {1, .5, .25};
    side s;
    int64_t all = 0, filled = 0;
    side_open(&s, data, 2);
    hr_stats_shares shares = {.weights = weights, .count = 3};
    assert_int_equal(s.training.source->ops->share_out(s.training.source, &shares, NULL, NULL), HR_OK);
    for (size_t part = 0; part < 3; part++) {
        int64_t count = 0;
        side_grow(&s, 0, part);
        for (size_t l = 0; l < s.leaves; l++) count += s.boosting.leaf_weights[l].unpaid;
        assert_int_equal(count % 65536, 0);
        all += count;
        filled += count > 0;
    }
    assert_int_equal(all, 40 * 65536);
    assert_true(filled > 1);
    side_close(&s);
    hr_text_free(text);
    hr_data_free(data);
    person_tables_close(&t);
}

/* ---- Fits ---- */

static uint64_t sensitivity_of(const hr_model *model, const char *what) {
    hr_release_info line;
    for (size_t k = 0; hr_model_release_at(model, k, &line); k++)
        if (!strcmp(line.what, what)) return line.sensitivity;
    fail_msg("no line '%s'", what);
    return 0;
}

static void test_fit__charges_every_line_per_person(void **state) {
    (void)state;
    static const double deltas[] = {1e-6, 0};
    for (size_t i = 0; i < COUNT(deltas); i++) {
        person_tables t;
        person_tables_open(&t, 2, &(person_canary){50, true}, 3);
        hr_fit_options options = options_of("dpboost", HR_MODE_SOUND);
        options.epsilon = 4;
        options.delta = deltas[i];
        hr_model *model = fit(t.with, &options);
        hr_release_info line;
        for (size_t k = 0; k < hr_model_release_count(model); k++) {
            assert_true(hr_model_release_at(model, k, &line));
            if (strcmp(line.what, "split") != 0) continue;
            assert_int_equal(line.sensitivity, 4 * 65536 + 6 + 3 * (1 << line.level));
        }
        assert_int_equal(sensitivity_of(model, "leaf sum"), 4096 * 64);
        assert_int_equal(sensitivity_of(model, "leaf count"), 65536);
        assert_int_equal(sensitivity_of(model, "bin edges"), deltas[i] > 0 ? 65536 : 2 * 65536);
        assert_string_equal(hr_model_guarantee(model)->unit, "one person");
        hr_model_free(model);
        person_tables_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_releases__change_by_what_is_charged_at_most),
        cmocka_unit_test(test_a_person_in_many_nodes__has_the_width_of_a_record),
        cmocka_unit_test(test_parts__hold_whole_persons),
        cmocka_unit_test(test_fit__charges_every_line_per_person),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
