/* Deep trees against their definition: records are sent down by the plain rule, and every node is asked
 * whether it is what the records, the settings and a search of all divisions make of it. */
#include "support/binned_table.h"
#include "support/chi_square.h"
#include "trees/grow/depth_first.h"
#include "trees/records/bootstrap.h"

#include "tables/bins/bin_midpoints.h"

enum { FEATURES = 5, KINDS = 3, DRAWS = 6000 };

static const uint32_t bin_counts[KINDS] = {7, 30, 6};

typedef struct wood {
    binned_table binned_table;
    int32_t *values;
    hr_bin_midpoints *midpoints;
    hr_labels labels;
    hr_forest_table table;
    hr_forest_records *records;
    hr_depth_first_plan plan;
    hr_depth_first *deep;
    hr_csprng *csprng;
    uint32_t *times;
    hr_tree tree;
    const hr_exact *stats;
} wood;

/* classes: 0 for numbers. */
static wood *plant(uint64_t seed, size_t rows, size_t features, size_t classes, const hr_split_rule *rule) {
    hr_dice dice;
    int bits;
    wood *w = calloc(1, sizeof *w);
    assert_non_null(w);
    hr_dice_init(&dice, seed);
    w->binned_table = binned_table_new(&dice, rows, features, bin_counts, KINDS);
    binned_table_bin(&w->binned_table);
    w->values = arena_room(w->binned_table.arena, rows, sizeof *w->values);
    w->times = arena_room(w->binned_table.arena, rows, sizeof *w->times);
    for (size_t i = 0; i < rows; i++) {
        uint64_t noise = hr_dice_below(&dice, 3), x = bin_at(&w->binned_table, i, 0) +
                                                      bin_at(&w->binned_table, i, features > 2 ? 2 : 0) +
                                                      noise;
        w->values[i] = classes ? (int32_t)(x % classes) : (int32_t)(x * 1000) - 7000;
        w->times[i] = 1;
    }
    assert_int_equal(hr_bin_midpoints_find(w->binned_table.data, w->binned_table.binned, 1,
                                           w->binned_table.arena, &w->midpoints, NULL),
                     HR_OK);
    w->labels = (hr_labels){.values = w->values, .classes = classes};
    w->table = (hr_forest_table){.binned = w->binned_table.binned, .labels = &w->labels};
    w->plan = (hr_depth_first_plan){.binning = &w->binned_table.binning,
                                    .midpoints = w->midpoints,
                                    .rule = rule,
                                    .depth = HR_DEPTH_FIRST_LEVELS_MAX,
                                    .candidates = features,
                                    .min_records = 1};
    assert_int_equal(hr_forest_pack(rows, classes, &w->table.packing, &bits, NULL), HR_OK);
    assert_int_equal(hr_forest_records_new(&w->table, &w->records, NULL), HR_OK);
    assert_int_equal(hr_depth_first_new(&w->plan, w->records, &w->deep, NULL), HR_OK);
    assert_int_equal(hr_csprng_open_seeded(seed, &w->csprng, NULL), HR_OK);
    return w;
}

static void fell(wood *w) {
    hr_depth_first_free(w->deep);
    hr_forest_records_free(w->records);
    hr_csprng_close(w->csprng);
    binned_table_close(&w->binned_table);
    free(w);
}

static void grow(wood *w) {
    hr_forest_take_all(w->records, w->csprng);
    assert_int_equal(hr_depth_first_grow(w->deep, w->csprng, &w->tree, &w->stats, NULL), HR_OK);
}

/* The same stream says beforehand how often every record comes up. */
static void grow_on_bootstrap(wood *w, uint64_t seed) {
    hr_csprng *same = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &same, NULL), HR_OK);
    hr_bootstrap(same, w->binned_table.rows, w->times);
    hr_csprng_close(same);
    assert_int_equal(hr_csprng_open_seeded(seed, &same, NULL), HR_OK);
    hr_forest_take_bootstrap(w->records, same);
    assert_int_equal(hr_depth_first_grow(w->deep, same, &w->tree, &w->stats, NULL), HR_OK);
    hr_csprng_close(same);
}

/* ---- What every node must be ---- */

/* Records that reach a node. */
typedef struct crowd {
    const wood *wood;
    size_t count;
    uint32_t *rows;
} crowd;

static int64_t records_of(const crowd *c) {
    int64_t records = 0;
    for (size_t i = 0; i < c->count; i++) records += c->wood->times[c->rows[i]];
    return records;
}

static bool is_pure(const crowd *c) {
    for (size_t i = 1; i < c->count; i++)
        if (c->wood->values[c->rows[i]] != c->wood->values[c->rows[0]]) return false;
    return true;
}

typedef bool side_of(const void *how, uint8_t bin);

/* Sum of S^2/n or n_k^2/n over both sides; -1 if one has too few records. */
static double purity(const crowd *c, size_t feature, side_of *goes_left, const void *how) {
    const wood *w = c->wood;
    long double sums[2][8] = {{0}}, records[2] = {0}, sum = 0;
    for (size_t i = 0; i < c->count; i++) {
        uint32_t row = c->rows[i];
        int left = goes_left(how, bin_at(&w->binned_table, row, feature));
        sums[left][w->labels.classes ? w->values[row] : 0] +=
            (long double)w->times[row] * (w->labels.classes ? 1 : w->values[row]);
        records[left] += w->times[row];
    }
    for (int s = 0; s < 2; s++) {
        if (records[s] < (long double)w->plan.min_records) return -1;
        for (size_t k = 0; k < 8; k++) sum += sums[s][k] * sums[s][k] / records[s];
    }
    return (double)sum;
}

static bool at_split(const void *how, uint8_t bin) {
    return hr_split_goes_left(how, bin);
}

static bool in_set(const void *how, uint8_t bin) {
    return *(const unsigned *)how >> bin & 1;
}

/* The best of all cuts of a number, or of all subsets of a category. */
static double best_of_feature(const crowd *c, uint32_t feature) {
    const hr_feature_bins *bins = &c->wood->binned_table.binning.features[feature];
    double best = -1;
    if (bins->kind == HR_KIND_CATEGORY) {
        for (unsigned set = 1; set + 1 < 1u << bins->bin_count; set++)
            best = fmax(best, purity(c, feature, in_set, &set));
        return best;
    }
    for (unsigned cut = 0; cut < bins->bin_count; cut++)
        for (int missing_left = 0; missing_left < 2; missing_left++) {
            hr_split split = {.kind = HR_KIND_NUMBER, .cut = (uint8_t)cut, .missing_left = missing_left};
            best = fmax(best, purity(c, feature, at_split, &split));
        }
    return best;
}

static double best_of_all(const crowd *c) {
    double best = -1;
    for (uint32_t f = 0; f < c->wood->plan.binning->feature_count; f++)
        best = fmax(best, best_of_feature(c, f));
    return best;
}

static hr_split split_of(const wood *w, const hr_node *node) {
    hr_split split = {.kind = w->binned_table.binning.features[node->feature].kind,
                      .cut = node->cut,
                      .missing_left = node->missing_left};
    if (split.kind == HR_KIND_CATEGORY) split.left = w->tree.subsets[node->subset];
    return split;
}

static void check_statistic(const crowd *c, size_t index) {
    const wood *w = c->wood;
    size_t classes = w->labels.classes, width = hr_labels_width(&w->labels);
    int64_t wanted[8] = {0};
    for (size_t i = 0; i < c->count; i++) {
        uint32_t row = c->rows[i];
        if (classes)
            wanted[w->values[row]] += w->times[row];
        else
            wanted[0] += (int64_t)w->values[row] * w->times[row], wanted[1] += w->times[row];
    }
    for (size_t k = 0; k < width; k++) assert_int_equal(w->stats[index * width + k].unpaid, wanted[k]);
}

/* Whether the rule finds the best division that a search finds; the others are only as good as they are. */
static bool rule_is_exhaustive(const wood *w) {
    return w->plan.rule == &hr_split_rule_best && w->plan.candidates == w->plan.binning->feature_count &&
           w->plan.min_records == 1 && w->labels.classes < 3;
}

/* Leaves: deep, small or pure, or nothing divides them. Splits: the best there is, if the rule says so.
 * Returns the nodes below. */
static size_t check_node(const crowd *c, size_t index, int level, int *deepest) {
    const wood *w = c->wood;
    const hr_node *node = &w->tree.nodes[index];
    *deepest = level > *deepest ? level : *deepest;
    assert_true(c->count > 0);
    bool stops = level == w->plan.depth || records_of(c) < 2 * w->plan.min_records || is_pure(c);
    if (!node->left) {
        check_statistic(c, index);
        if (!stops && (rule_is_exhaustive(w) || w->plan.min_records == 1)) assert_true(best_of_all(c) < 0);
        return 1;
    }
    assert_false(stops);
    assert_true(node->left > index && node->left + 1 < w->tree.node_count && node->branches == 0);
    hr_split split = split_of(w, node);
    double made = purity(c, node->feature, at_split, &split);
    assert_true(made >= 0); /* both sides have enough records */
    if (rule_is_exhaustive(w)) assert_true(fabs(made - best_of_all(c)) <= 1e-9 * made);
    crowd sides[2] = {{w, 0, malloc(c->count * sizeof(uint32_t))},
                      {w, 0, malloc(c->count * sizeof(uint32_t))}};
    for (size_t i = 0; i < c->count; i++) {
        crowd *side =
            &sides[hr_split_goes_left(&split, bin_at(&w->binned_table, c->rows[i], node->feature)) ? 0 : 1];
        side->rows[side->count++] = c->rows[i];
    }
    size_t nodes = 1;
    for (size_t s = 0; s < 2; s++) {
        nodes += check_node(&sides[s], node->left + s, level + 1, deepest);
        free(sides[s].rows);
    }
    return nodes;
}

/* Returns the depth of the tree. */
static int check_tree(const wood *w) {
    crowd all = {w, 0, malloc((w->binned_table.rows + 1) * sizeof(uint32_t))};
    int deepest = 0;
    for (uint32_t i = 0; i < w->binned_table.rows; i++)
        if (w->times[i]) all.rows[all.count++] = i;
    assert_int_equal(check_node(&all, 0, 0, &deepest), w->tree.node_count);
    free(all.rows);
    return deepest;
}

/* ---- Trees ---- */

static const hr_split_rule *const rules[] = {&hr_split_rule_best, &hr_split_rule_random,
                                             &hr_split_rule_median};
static const size_t class_counts[] = {0, 2, 3, 5};

static void test_depth_first__is_what_its_records_make_of_it(void **state) {
    (void)state;
    for (size_t r = 0; r < 3; r++)
        for (size_t k = 0; k < 4; k++)
            for (uint64_t seed = 0; seed < 4; seed++) {
                wood *w = plant(seed, 40 + 100 * seed, FEATURES, class_counts[k], rules[r]);
                grow(w);
                check_tree(w);
                grow_on_bootstrap(w, seed + 100);
                check_tree(w);
                w->plan.candidates = 2;
                grow_on_bootstrap(w, seed + 200);
                check_tree(w);
                fell(w);
            }
}

/* More records than bins: their sums say which bins occur. More features than are summed at once, or fit a
 * tile. */
static void test_depth_first__holds_for_many_records_and_features(void **state) {
    (void)state;
    for (size_t r = 0; r < 3; r++)
        for (size_t k = 0; k < 4; k++) {
            wood *w = plant(9, 1500, r ? 40 : 11, class_counts[k], rules[r]);
            grow_on_bootstrap(w, 9);
            check_tree(w);
            fell(w);
        }
}

static void test_depth_first__keeps_to_depth_and_min_records(void **state) {
    (void)state;
    static const int depths[] = {1, 3, 7};
    for (size_t r = 0; r < 3; r++)
        for (size_t k = 0; k < 4; k++)
            for (size_t d = 0; d < 3; d++) {
                wood *w = plant(d, 300, FEATURES, class_counts[k], rules[r]);
                w->plan.depth = depths[d];
                grow(w);
                assert_int_equal(check_tree(w), depths[d]);
                w->plan.depth = HR_DEPTH_FIRST_LEVELS_MAX;
                w->plan.min_records = 20;
                grow_on_bootstrap(w, d);
                check_tree(w);
                assert_true(w->tree.node_count > 4 && w->tree.node_count <= 2 * 300 / 20);
                fell(w);
            }
}

static void test_depth_first__grows_one_leaf_where_nothing_differs(void **state) {
    (void)state;
    for (size_t r = 0; r < 3; r++) {
        wood *one = plant(1, 1, FEATURES, 3, rules[r]);
        grow(one);
        check_tree(one);
        assert_int_equal(one->tree.node_count, 1);
        grow_on_bootstrap(one, 1);
        check_tree(one);
        fell(one);
        wood *pure = plant(1, 50, FEATURES, 0, rules[r]);
        for (size_t i = 0; i < 50; i++) pure->values[i] = 17;
        grow(pure);
        check_tree(pure);
        assert_int_equal(pure->tree.node_count, 1);
        fell(pure);
    }
}

/* Makes all records share one bin of a feature. */
static void flatten(wood *w, size_t feature) {
    for (size_t i = 0; i < w->binned_table.rows; i++) {
        w->binned_table.bins[i * w->plan.binning->feature_count + feature] = 1;
        w->binned_table.binned->columns[feature * w->binned_table.binned->column_stride + i] = 1;
        w->binned_table.binned->tiles[hr_binned_offset(w->binned_table.binned, feature) + i * HR_TILE] = 1;
    }
}

static void test_depth_first__looks_on_where_features_are_constant(void **state) {
    (void)state;
    for (size_t r = 0; r < 3; r++) {
        wood *w = plant(3, 80, FEATURES, 2, rules[r]);
        w->plan.candidates = 1;
        for (size_t f = 0; f < FEATURES; f++)
            if (f != 2) flatten(w, f);
        grow(w);
        check_tree(w);
        assert_true(w->tree.node_count > 1 && w->tree.nodes[0].feature == 2);
        flatten(w, 2);
        grow(w);
        check_tree(w);
        assert_int_equal(w->tree.node_count, 1);
        fell(w);
    }
}

/* The feature of the root is the best of K that are drawn without replacement: where feature i is better than
 * all after it, Pr(i) = Pr(the smallest of K out of 5 is i) = C(4 - i, K - 1) / C(5, K). Two records a value,
 * two classes, and the purer the fewer the values mix. */
static void test_depth_first__draws_candidates_without_replacement(void **state) {
    (void)state;
    static const double choose[FEATURES][FEATURES + 1] = {
        {0, 1, 4, 6, 4, 1}, {0, 1, 3, 3, 1, 0}, {0, 1, 2, 1, 0, 0}, {0, 1, 1, 0, 0, 0}, {0, 1, 0, 0, 0, 0}};
    static const double of[FEATURES + 1] = {0, 5, 10, 10, 5, 1};
    for (size_t candidates = 1; candidates <= FEATURES; candidates++) {
        wood *w = plant(4, 64, FEATURES, 2, &hr_split_rule_best);
        w->plan.depth = 1;
        w->plan.candidates = candidates;
        for (size_t f = 0; f < FEATURES; f++)
            for (size_t i = 0; i < 64; i++) { /* bin 2 tells the classes apart but for f + 1 records */
                w->values[i] = i % 2;
                uint8_t bin = (i % 2) != (i < f + 1) ? 2 : 1;
                w->binned_table.binned->tiles[hr_binned_offset(w->binned_table.binned, f) + i * HR_TILE] =
                    bin;
                w->binned_table.binned->columns[f * w->binned_table.binned->column_stride + i] = bin;
            }
        uint64_t seen[FEATURES] = {0};
        double probability[FEATURES];
        for (size_t f = 0; f < FEATURES; f++) probability[f] = choose[f][candidates] / of[candidates];
        for (int i = 0; i < DRAWS; i++) {
            grow(w);
            seen[w->tree.nodes[0].feature]++;
        }
        if (candidates < FEATURES)
            assert_true(chi_square_fits(seen, probability, FEATURES, DRAWS));
        else
            assert_int_equal(seen[0], DRAWS);
        fell(w);
    }
}

/* A grower forgets: the same stream grows the same tree, whatever it grew before. */
static void test_depth_first__does_not_remember_other_trees(void **state) {
    (void)state;
    for (size_t r = 0; r < 3; r++) {
        wood *w = plant(5, 500, FEATURES, 3, rules[r]), *fresh = plant(5, 500, FEATURES, 3, rules[r]);
        w->plan.candidates = fresh->plan.candidates = 2;
        grow_on_bootstrap(w, 1);
        grow_on_bootstrap(w, 2);
        grow_on_bootstrap(fresh, 2);
        assert_int_equal(w->tree.node_count, fresh->tree.node_count);
        assert_int_equal(w->tree.subset_count, fresh->tree.subset_count);
        assert_memory_equal(w->tree.nodes, fresh->tree.nodes, w->tree.node_count * sizeof *w->tree.nodes);
        assert_memory_equal(w->tree.subsets, fresh->tree.subsets,
                            w->tree.subset_count * sizeof *w->tree.subsets);
        assert_memory_equal(w->stats, fresh->stats, w->tree.node_count * 3 * sizeof *w->stats);
        fell(w);
        fell(fresh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depth_first__is_what_its_records_make_of_it),
        cmocka_unit_test(test_depth_first__holds_for_many_records_and_features),
        cmocka_unit_test(test_depth_first__keeps_to_depth_and_min_records),
        cmocka_unit_test(test_depth_first__grows_one_leaf_where_nothing_differs),
        cmocka_unit_test(test_depth_first__looks_on_where_features_are_constant),
        cmocka_unit_test(test_depth_first__draws_candidates_without_replacement),
        cmocka_unit_test(test_depth_first__does_not_remember_other_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
