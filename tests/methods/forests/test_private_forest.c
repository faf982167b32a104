/* What private forests share: who trains which tree at what budget, what leaves cost, and what they say.
 * Noise is that of a fixed seed, or so small a one that it hardly matters. */
#include "base/arena.h"
#include "methods/forests/private_forest.h"
#include "support/gate_cost.h"
#include "support/tables.h"
#include "trees/tree/parts.h"

enum { ROWS = 200, TREES_MAX = 16 };

/* ---- Sharing out ---- */

/* A source that shares records out as the local one does, and lets the tests see which train a tree. */
typedef struct open_source {
    hr_stats_source source; /* first */
    hr_csprng *csprng;
    hr_parts parts;
    size_t part;
    /* what it answers of leaves */
    const hr_labels *labels;
    const uint32_t *rows, *node_of;
    size_t count;
} open_source;

static hr_status prepare_nothing(hr_stats_source *self, const hr_stats_setup *setup, hr_error *err) {
    (void)self, (void)err;
    assert_int_equal(setup->kind, HR_STATS_LABELS);
    return HR_OK;
}

static hr_status share_openly(hr_stats_source *self, const hr_stats_shares *shares, size_t *filled,
                              hr_error *err) {
    open_source *s = (open_source *)self;
    assert_null(filled);
    hr_parts_done(&s->parts);
    if (shares->part_of)
        return hr_parts_given(shares->part_of, s->source.capacity, shares->count, &s->parts, err);
    return (shares->exact_sizes ? hr_parts_fixed : hr_parts_drawn)(
        s->csprng, s->source.capacity, shares->weights, shares->count, &s->parts, err);
}

static hr_status begin_openly(hr_stats_source *self, const hr_stats_round *round, hr_error *err) {
    (void)err;
    ((open_source *)self)->part = round->part;
    return HR_OK;
}

static hr_status answer_openly(hr_stats_source *self, const hr_stats_query *queries, size_t count,
                               hr_exact *out, hr_error *err) {
    open_source *s = (open_source *)self;
    size_t leaf = 0, width = hr_labels_width(s->labels);
    (void)err;
    assert_true(count == 1 && queries->answer == HR_STATS_LEAVES);
    for (uint32_t n = 0; n < queries->tree->node_count; n++) {
        if (queries->tree->nodes[n].left) continue;
        memset(out + leaf * width, 0, width * sizeof *out);
        for (size_t i = 0; i < s->count; i++)
            if (s->node_of[i] == n) hr_labels_add(s->labels, s->rows[i], out + leaf * width);
        leaf++;
    }
    return HR_OK;
}

static const hr_stats_ops open_ops = {
    .prepare = prepare_nothing, .share_out = share_openly, .begin = begin_openly, .answer = answer_openly};

/* What a trainer was given. */
typedef struct given {
    hr_release_scope scope;
    size_t count;
} given;

/* A trainer that spends every tree's whole budget on leaves of one node, and remembers. */
typedef struct spender {
    hr_tree_trainer trainer;
    hr_training *training;
    hr_units above; /* what it asks for beyond the budget */
    size_t trees, fails_at;
    given seen[TREES_MAX];
    uint32_t rows[TREES_MAX][ROWS];
} spender;

static hr_status spend(hr_tree_trainer *self, const hr_release_scope *scope, hr_error *err) {
    spender *s = (spender *)self;
    const open_source *source = (const open_source *)s->training->source;
    hr_charge charge = hr_scope_charge(scope, "all of it", -1, scope->budget + s->above, 1);
    hr_permit unused;
    if (s->trees == s->fails_at) return hr_fail(err, HR_E_LIMIT, "none", "as it should");
    s->seen[s->trees] = (given){*scope, hr_parts_size(&source->parts, source->part)};
    memcpy(s->rows[s->trees], hr_parts_rows(&source->parts, source->part),
           s->seen[s->trees].count * sizeof(uint32_t));
    s->trees++;
    return hr_gate_charge_sums(s->training->gate, &charge, &unused, err);
}

typedef struct world {
    table t;
    hr_fit_options options;
    hr_csprng *csprng;
    open_source source;
    hr_training training;
    spender spender;
    hr_units budget;
} world;

static void open_world(world *w, table t, hr_mode mode, hr_privacy_measure privacy_measure, double epsilon) {
    *w = (world){.t = t, .options = options_of("diprime", mode)};
    w->budget = privacy_measure == HR_PRIVACY_GDP ? hr_gdp_budget(epsilon, 1e-6) : hr_units_down(epsilon);
    assert_int_equal(hr_csprng_open_seeded(5, &w->csprng, NULL), HR_OK);
    w->source = (open_source){.source = {&open_ops, hr_data_rows(t.data)}, .csprng = w->csprng};
    w->training = (hr_training){.data = t.data,
                                .options = &w->options,
                                .source = &w->source.source,
                                .threads = 1,
                                .arena = hr_arena_new(),
                                .next_group = 3};
    assert_int_equal(hr_gate_new(privacy_measure, w->budget, w->csprng, &w->training.gate, NULL), HR_OK);
    w->spender = (spender){.trainer = {spend}, .training = &w->training, .fails_at = SIZE_MAX};
}

/* Leaves the table open. */
static void close_world(world *w) {
    hr_parts_done(&w->source.parts);
    hr_gate_free(w->training.gate);
    hr_csprng_close(w->csprng);
    hr_arena_free(w->training.arena);
}

static hr_status train(world *w, int64_t trees, bool part) {
    w->options.trees = trees;
    w->options.by_name[HR_OPTION_PART] = part;
    return hr_private_forest_train(&w->training, &w->spender.trainer, NULL);
}

static void assert_ascending(const spender *s, size_t tree) {
    for (size_t i = 1; i < s->seen[tree].count; i++) assert_true(s->rows[tree][i - 1] < s->rows[tree][i]);
}

/* As published, parts are even. */
static void test_parts__hold_every_record_once_at_the_whole_budget(void **state) {
    (void)state;
    static const hr_mode modes[] = {HR_MODE_SOUND, HR_MODE_SOUND, HR_MODE_PAPER};
    static const hr_privacy_measure privacy_measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_GDP, HR_PRIVACY_PURE};
    table t = table_of_steps(ROWS, 1, 2, 1);
    for (size_t c = 0; c < COUNT(modes); c++)
        for (int64_t trees = 1; trees <= TREES_MAX; trees += 5) {
            static world w;
            bool taken[ROWS] = {false};
            open_world(&w, t, modes[c], privacy_measures[c], 1.1);
            assert_int_equal(train(&w, trees, true), HR_OK);
            assert_int_equal(w.spender.trees, trees);
            for (size_t j = 0; j < (size_t)trees; j++) {
                const given *tree = &w.spender.seen[j];
                assert_true(tree->scope.tree == (int64_t)j && tree->scope.group == 3 &&
                            tree->scope.part == j && tree->scope.budget == w.budget);
                assert_ascending(&w.spender, j);
                const size_t even = ROWS / (size_t)trees;
                assert_true(modes[c] == HR_MODE_SOUND || tree->count == even || tree->count == even + 1);
                for (size_t i = 0; i < tree->count; i++) {
                    assert_false(taken[w.spender.rows[j][i]]);
                    taken[w.spender.rows[j][i]] = true;
                }
            }
            for (size_t i = 0; i < ROWS; i++) assert_true(taken[i]);
            assert_true(gate_cost(w.training.gate) == w.budget);
            close_world(&w);
        }
    table_close(&t);
}

static void test_whole__gives_every_tree_all_records_at_its_part_of_the_budget(void **state) {
    (void)state;
    table t = table_of_steps(ROWS, 1, 2, 1);
    for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++)
        for (int64_t trees = 1; trees <= TREES_MAX; trees += 5) {
            static world w;
            open_world(&w, t, (hr_mode)mode, HR_PRIVACY_PURE, 1.1);
            assert_int_equal(train(&w, trees, false), HR_OK);
            for (size_t j = 0; j < (size_t)trees; j++) {
                const given *tree = &w.spender.seen[j];
                assert_true(tree->scope.tree == (int64_t)j && tree->scope.group == 3 + j &&
                            tree->scope.part == 0 && tree->count == ROWS);
                assert_true(tree->scope.budget == w.budget / (hr_units)trees);
                if (mode == HR_MODE_SOUND) assert_ascending(&w.spender, j);
            }
            assert_true(gate_cost(w.training.gate) <= w.budget &&
                        w.budget - gate_cost(w.training.gate) < (hr_units)trees);
            close_world(&w);
        }
    table_close(&t);
}

static void test_budget__covers_not_a_unit_more(void **state) {
    (void)state;
    table t = table_of_steps(ROWS, 1, 2, 1);
    for (int part = false; part <= true; part++) {
        static world w;
        open_world(&w, t, HR_MODE_SOUND, HR_PRIVACY_PURE, 1);
        w.spender.above = 1;
        assert_int_equal(train(&w, 4, (bool)part), HR_E_BUDGET); /* 4 divides 2^40 */
        assert_int_equal(w.spender.trees, part ? 1 : 4);
        close_world(&w);
    }
    table_close(&t);
}

/* A record's tree is its own draw, whatever the other records are. As published, sizes are even, and one
 * record more moves others. */
static void test_parts__stay_where_they_are_when_a_record_comes(void **state) {
    (void)state;
    enum { TREES = 4 };
    table t = table_of_steps(ROWS, 1, 2, 1), less = t;
    assert_int_equal(
        hr_data_from_arrays(t.schema, ROWS - 1, (const double *const *)t.columns, t.labels, &less.data, NULL),
        HR_OK);
    for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
        static world with, without;
        open_world(&with, t, (hr_mode)mode, HR_PRIVACY_PURE, 1);
        open_world(&without, less, (hr_mode)mode, HR_PRIVACY_PURE, 1);
        assert_int_equal(train(&with, TREES, true), HR_OK);
        assert_int_equal(train(&without, TREES, true), HR_OK);
        size_t moved = 0, grown = 0, total = 0;
        for (size_t j = 0; j < TREES; j++) {
            size_t count = without.spender.seen[j].count;
            moved += memcmp(with.spender.rows[j], without.spender.rows[j], count * sizeof(uint32_t)) != 0;
            grown += with.spender.seen[j].count - count;
            total += count;
        }
        assert_true(grown == 1 && total == ROWS - 1);
        assert_true(mode == HR_MODE_SOUND ? moved == 0 : moved > 1);
        close_world(&with);
        close_world(&without);
    }
    hr_data_free(less.data);
    table_close(&t);
}

static bool count_progress(void *user, size_t done, size_t total) {
    size_t *count = user;
    assert_int_equal(total, 5);
    assert_int_equal(done, ++*count);
    return *count < 4;
}

static void test_training__stops_when_told_and_when_a_tree_fails(void **state) {
    (void)state;
    table t = table_of_steps(ROWS, 1, 2, 1);
    static world w;
    size_t done = 0;
    open_world(&w, t, HR_MODE_SOUND, HR_PRIVACY_PURE, 1);
    w.options.progress = count_progress;
    w.options.user = &done;
    assert_int_equal(train(&w, 5, true), HR_E_CANCELLED);
    assert_true(done == 4 && w.spender.trees == 4);
    close_world(&w);
    open_world(&w, t, HR_MODE_SOUND, HR_PRIVACY_PURE, 1);
    w.spender.fails_at = 2;
    assert_int_equal(train(&w, 5, true), HR_E_LIMIT);
    assert_int_equal(w.spender.trees, 2);
    close_world(&w);
    table_close(&t);
}

/* ---- Leaves ---- */

/* A root (0) with a leaf (1) and a node (2) with two leaves (3, 4), of which the last is empty. */
enum { NODES = 5, LEAVES = 3 };

static const hr_tree tree = {.nodes = (hr_node[NODES]){{.left = 1}, {0}, {.left = 3}, {0}, {0}},
                             .node_count = NODES};

typedef hr_status release_leaves(hr_training *training, const hr_private_tree *tree, double *said,
                                 hr_error *err);

typedef struct leaves {
    world w;
    hr_labels labels;
    uint32_t rows[ROWS], node_of[ROWS];
    double said[NODES * 8 + 1];
} leaves;

/* Every other record, of which a third is in leaf 1 and the others in leaf 3. */
static void release_into(leaves *l, table t, hr_mode mode, hr_privacy_measure privacy_measure, double epsilon,
                         release_leaves *release) {
    open_world(&l->w, t, mode, privacy_measure, epsilon);
    assert_int_equal(hr_labels_of(t.data, &l->labels, NULL), HR_OK);
    for (uint32_t i = 0; i < ROWS / 2; i++) {
        l->rows[i] = 2 * i;
        l->node_of[i] = i % 3 ? 3 : 1;
    }
    l->w.source.labels = &l->labels;
    l->w.source.rows = l->rows;
    l->w.source.node_of = l->node_of;
    l->w.source.count = ROWS / 2;
    hr_release_scope scope = {6, 8, 9, 2 * l->w.budget};
    hr_private_tree grown = {.tree = &tree, .scope = &scope, .leaf_budget = l->w.budget};
    for (size_t i = 0; i < COUNT(l->said); i++) l->said[i] = 55;
    assert_int_equal(release(&l->w.training, &grown, l->said, NULL), HR_OK);
}

static void close_leaves(leaves *l) {
    hr_labels_done(&l->labels);
    close_world(&l->w);
}

/* The mean label of a node's records, or how many of a hundred are of class k. */
static double plain_mean(const leaves *l, uint32_t node, int32_t k) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < ROWS / 2; i++) {
        if (node && l->node_of[i] != (node == 2 ? 3 : node)) continue;
        int32_t y = l->labels.values[l->rows[i]];
        sum += l->labels.classes ? y == k : y / 4096.;
        count++;
    }
    return sum / count;
}

static void check_line(const leaves *l, size_t at, const char *what, uint64_t sensitivity, uint64_t draws) {
    size_t count;
    const hr_release *line = &hr_gate_releases(l->w.training.gate, &count)[at];
    assert_true(at < count);
    assert_string_equal(line->what, what);
    assert_true(line->tree == 6 && line->level == -1 && line->group == 8 && line->part == 9);
    assert_true(line->sensitivity == sensitivity && line->draws == draws);
    bool pure = hr_gate_privacy_measure(l->w.training.gate) == HR_PRIVACY_PURE;
    assert_int_equal(line->mechanism, pure ? HR_MECHANISM_DISCRETE_LAPLACE : HR_MECHANISM_DISCRETE_GAUSSIAN);
}

static void check_sound_lines(const leaves *l) {
    size_t count, classes = l->labels.classes;
    const hr_release *lines = hr_gate_releases(l->w.training.gate, &count);
    assert_int_equal(count, classes ? 1 : 2);
    if (classes) {
        check_line(l, 0, "leaf class count", HR_COUNT_UNIT, LEAVES * classes);
        assert_true(lines[0].cost == l->w.budget);
        return;
    }
    check_line(l, 0, "leaf sum", 1 << HR_LABEL_BITS, LEAVES);
    check_line(l, 1, "leaf count", HR_COUNT_UNIT, LEAVES);
    assert_true(lines[1].cost == hr_units_share(l->w.budget, l->w.options.count_share) &&
                lines[0].cost + lines[1].cost == l->w.budget);
    assert_int_equal(hr_account_check(lines, count, hr_gate_privacy_measure(l->w.training.gate), NULL),
                     HR_OK);
}

static const size_t classes_tried[] = {0, 2, 3, 8};

static void test_sound_leaves__cost_their_budget_and_no_more(void **state) {
    (void)state;
    static const hr_privacy_measure privacy_measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_GDP};
    for (size_t c = 0; c < COUNT(classes_tried); c++)
        for (size_t k = 0; k < 2; k++) {
            table t = table_of_steps(ROWS, 1, classes_tried[c], 2);
            leaves l;
            release_into(&l, t, HR_MODE_SOUND, privacy_measures[k], .3, hr_private_leaves);
            check_sound_lines(&l);
            size_t width = classes_tried[c] ? classes_tried[c] : 1;
            for (size_t n = 0; n < NODES; n++) { /* whatever the noise */
                double sum = 0;
                for (size_t i = 0; i < width; i++) sum += l.said[n * width + i];
                for (size_t i = 0; i < width; i++)
                    assert_true(l.said[n * width + i] <= 1 && l.said[n * width + i] >= (width > 1 ? 0 : -1));
                if (width > 1) assert_true(fabs(sum - 1) < 1e-12);
            }
            assert_true(l.said[NODES * width] == 55);
            close_leaves(&l);
            table_close(&t);
        }
}

/* Noise of a thousandth of a record and a pull as weak: nodes say what their records do, and an empty leaf
 * what its parent does. */
static void test_sound_leaves__say_the_means_of_their_nodes(void **state) {
    (void)state;
    for (size_t c = 0; c < COUNT(classes_tried); c++) {
        table t = table_of_steps(ROWS, 1, classes_tried[c], 3);
        leaves l;
        release_into(&l, t, HR_MODE_SOUND, HR_PRIVACY_PURE, 1e4, hr_private_leaves);
        size_t width = classes_tried[c] ? classes_tried[c] : 1;
        for (uint32_t n = 0; n < NODES - 1; n++)
            for (size_t k = 0; k < width; k++)
                assert_true(fabs(l.said[n * width + k] - plain_mean(&l, n, (int32_t)k)) < .002);
        close_leaves(&l);
        table_close(&t);
    }
}

/* The same noise once more, from another gate: the released sums or counts of the leaves. */
static void draw_again(const leaves *l, size_t line, const hr_exact *exact, double unit, hr_csprng *csprng,
                       double *out) {
    size_t count;
    const hr_release *made = &hr_gate_releases(l->w.training.gate, &count)[line];
    const hr_charge charge = {made->what, made->tree, made->level,      made->group,
                              made->part, made->cost, made->sensitivity};
    hr_gate *gate = NULL;
    hr_permit permit;
    hr_noisy noisy[LEAVES];
    assert_int_equal(hr_gate_new(HR_PRIVACY_PURE, made->cost, csprng, &gate, NULL), HR_OK);
    assert_int_equal(hr_gate_charge_sums(gate, &charge, &permit, NULL), HR_OK);
    hr_gate_sums(gate, permit, exact, LEAVES, noisy);
    for (size_t i = 0; i < LEAVES; i++) out[i] = (double)noisy[i].paid / unit;
    hr_gate_free(gate);
}

/* By how much: four records for each standard deviation of a sum's noise
 * (trees/tree/hierarchical_shrinkage.h), which is of a size with the leaves here. */
static void test_sound_leaves__are_pulled_towards_their_parents_by_their_noise(void **state) {
    (void)state;
    table t = table_of_steps(ROWS, 1, 0, 7);
    leaves l;
    hr_csprng *csprng = NULL;
    release_into(&l, t, HR_MODE_SOUND, HR_PRIVACY_PURE, .1, hr_private_leaves);
    hr_exact sums[LEAVES] = {{0}}, counts[LEAVES] = {{0}};
    for (size_t i = 0; i < ROWS / 2; i++) {
        size_t leaf = l.node_of[i] / 2; /* of leaf 1: 0; of leaf 3: 1 */
        sums[leaf].unpaid += l.labels.values[l.rows[i]];
        counts[leaf].unpaid += HR_COUNT_UNIT;
    }
    double s[LEAVES], n[LEAVES], v[NODES], ridge = 4 * sqrt(2) / (.1 * (1 - l.w.options.count_share));
    assert_int_equal(hr_csprng_open_seeded(5, &csprng, NULL), HR_OK);
    draw_again(&l, 0, sums, 1 << HR_LABEL_BITS, csprng, s);
    draw_again(&l, 1, counts, HR_COUNT_UNIT, csprng, n);
    for (size_t i = 0; i < LEAVES; i++) n[i] = fmax(n[i], 0);
    v[0] = (s[0] + s[1] + s[2]) / (n[0] + n[1] + n[2] + ridge * sqrt(3));
    v[1] = v[0] + (s[0] - n[0] * v[0]) / (n[0] + ridge);
    v[2] = v[0] + (s[1] + s[2] - (n[1] + n[2]) * v[0]) / (n[1] + n[2] + ridge * sqrt(2));
    v[3] = v[2] + (s[1] - n[1] * v[2]) / (n[1] + ridge);
    v[4] = v[2] + (s[2] - n[2] * v[2]) / (n[2] + ridge);
    for (size_t i = 0; i < NODES; i++) assert_true(fabs(l.said[i] - fmin(fmax(v[i], -1), 1)) < 1e-9);
    assert_true(fabs(s[0] / n[0] - l.said[1]) > .01); /* the pull is seen */
    hr_csprng_close(csprng);
    close_leaves(&l);
    table_close(&t);
}

static void test_published_leaves__have_the_mean_and_an_exact_count(void **state) {
    (void)state;
    table t = table_of_steps(ROWS, 1, 0, 3);
    double empty[2];
    for (size_t i = 0; i < 2; i++) {
        leaves l;
        release_into(&l, t, HR_MODE_PAPER, HR_PRIVACY_PURE, i ? 1e4 : .1, hr_published_leaves);
        size_t count;
        const hr_release *lines = hr_gate_releases(l.w.training.gate, &count);
        assert_int_equal(count, 2);
        assert_string_equal(lines[0].what, "leaf counts");
        assert_int_equal(lines[0].mechanism, HR_MECHANISM_IDENTITY);
        check_line(&l, 1, "leaf mean", 2 << HR_LABEL_BITS, LEAVES);
        assert_true(lines[1].cost == l.w.budget);
        for (uint32_t n = 1; i && n < NODES - 1; n += 2)
            assert_true(fabs(l.said[n] - plain_mean(&l, n, 0)) < .002);
        for (size_t n = 1; n < NODES; n++) assert_true(n == 2 || fabs(l.said[n]) <= 1);
        empty[i] = l.said[4];
        close_leaves(&l);
    }
    for (size_t i = 0; i < 2; i++) assert_true(empty[i] >= -1 && empty[i] < 1 && fabs(empty[i]) > 0);
    assert_true(empty[0] != empty[1]); /* any number: not that of a mean of no records */
    table_close(&t);
}

static void test_published_leaves__have_noisy_class_counts(void **state) {
    (void)state;
    for (size_t classes = 2; classes <= 8; classes += 3) {
        table t = table_of_steps(ROWS, 1, classes, 3);
        leaves l;
        release_into(&l, t, HR_MODE_PAPER, HR_PRIVACY_PURE, 1e4, hr_published_leaves);
        check_line(&l, 0, "leaf class count", HR_COUNT_UNIT, LEAVES * classes);
        for (uint32_t n = 1; n < NODES - 1; n += 2)
            for (size_t k = 0; k < classes; k++)
                assert_true(fabs(l.said[n * classes + k] - plain_mean(&l, n, (int32_t)k)) < .002);
        close_leaves(&l);
        table_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts__hold_every_record_once_at_the_whole_budget),
        cmocka_unit_test(test_whole__gives_every_tree_all_records_at_its_part_of_the_budget),
        cmocka_unit_test(test_budget__covers_not_a_unit_more),
        cmocka_unit_test(test_parts__stay_where_they_are_when_a_record_comes),
        cmocka_unit_test(test_training__stops_when_told_and_when_a_tree_fails),
        cmocka_unit_test(test_sound_leaves__cost_their_budget_and_no_more),
        cmocka_unit_test(test_sound_leaves__say_the_means_of_their_nodes),
        cmocka_unit_test(test_sound_leaves__are_pulled_towards_their_parents_by_their_noise),
        cmocka_unit_test(test_published_leaves__have_the_mean_and_an_exact_count),
        cmocka_unit_test(test_published_leaves__have_noisy_class_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
