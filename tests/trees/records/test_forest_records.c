/* The records of a tree against their definition: what is summed, listed and dealt out is counted again,
 * record by record, from the table. */
#include "support/binned_table.h"
#include "trees/records/bootstrap.h"
#include "trees/records/forest_records.h"

enum { ROWS = 400, FEATURES = 37, KINDS = 3, CLASSES_MAX = 5, SEED = 5 };

static const uint32_t bin_counts[KINDS] = {7, 30, 6};
static const size_t class_counts[] = {0, 2, 3, CLASSES_MAX};

typedef struct world {
    binned_table t;
    int32_t values[ROWS];
    uint32_t times[ROWS]; /* how often each was taken */
    hr_labels labels;
    hr_forest_table table;
    hr_forest_records *records;
} world;

static world *world_new(size_t classes) {
    hr_dice dice;
    int bits;
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    hr_dice_init(&dice, SEED + classes);
    w->t = binned_table_new(&dice, ROWS, FEATURES, bin_counts, KINDS);
    binned_table_bin(&w->t);
    for (size_t i = 0; i < ROWS; i++)
        w->values[i] = (int32_t)hr_dice_below(&dice, classes ? classes : 2001) - (classes ? 0 : 1000);
    w->labels = (hr_labels){.values = w->values, .classes = classes};
    w->table = (hr_forest_table){.binned = w->t.binned, .labels = &w->labels};
    assert_int_equal(hr_forest_pack(ROWS, classes, &w->table.packing, &bits, NULL), HR_OK);
    assert_int_equal(hr_forest_records_new(&w->table, &w->records, NULL), HR_OK);
    return w;
}

static void world_free(world *w) {
    hr_forest_records_free(w->records);
    binned_table_close(&w->t);
    free(w);
}

static void take_all(world *w) {
    for (size_t i = 0; i < ROWS; i++) w->times[i] = 1;
    hr_forest_take_all(w->records, NULL);
}

/* The same stream says how often every record comes up. */
static void take_bootstrap(world *w, uint64_t seed) {
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    hr_bootstrap(csprng, ROWS, w->times);
    hr_csprng_close(csprng);
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    hr_forest_take_bootstrap(w->records, csprng);
    hr_csprng_close(csprng);
}

/* A node's records, by the splits above it. */
typedef struct node {
    const world *w;
    hr_forest_run run;
    bool member[ROWS];
} node;

static node root_of(const world *w) {
    node n = {.w = w, .run = hr_forest_records_root(w->records)};
    for (size_t i = 0; i < ROWS; i++) n.member[i] = w->times[i] > 0;
    return n;
}

/* Adds record i to a statistic (hr_labels_add) as often as it was taken. */
static void count_in(const world *w, size_t i, hr_exact *stat) {
    for (uint32_t k = 0; k < w->times[i]; k++) hr_labels_add(&w->labels, (uint32_t)i, stat);
}

static void check_statistic(const world *w, const hr_sum_word *sum, const hr_exact *wanted) {
    hr_exact stat[CLASSES_MAX] = {{0}};
    hr_forest_records_statistic(w->records, sum, stat);
    for (size_t k = 0; k < hr_forest_records_statistic_width(w->records); k++)
        assert_int_equal(stat[k].unpaid, wanted[k].unpaid);
}

static void check_total(const node *n) {
    const world *w = n->w;
    hr_sum_word total[CLASSES_MAX];
    hr_exact wanted[CLASSES_MAX] = {{0}};
    int64_t count = 0;
    bool pure = true;
    const int32_t *first = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        if (!n->member[i]) continue;
        count_in(w, i, wanted);
        count += w->times[i];
        if (!first) first = &w->values[i];
        pure = pure && w->values[i] == *first;
    }
    hr_forest_records_sum(w->records, n->run, total);
    check_statistic(w, total, wanted);
    assert_int_equal(hr_forest_records_count(w->records, total), count);
    assert_int_equal(hr_forest_records_are_pure(w->records, n->run, total), pure);
}

static void check_bins_of(const node *n, uint32_t feature, const hr_sum_word *cells, const hr_bin_set *seen) {
    const world *w = n->w;
    for (uint32_t bin = 0; bin < w->t.binning.features[feature].bin_count; bin++) {
        hr_exact wanted[CLASSES_MAX] = {{0}};
        bool occurs = false;
        for (size_t i = 0; i < ROWS; i++) {
            if (!n->member[i] || bin_at(&w->t, i, feature) != bin) continue;
            occurs = true;
            count_in(w, i, wanted);
        }
        assert_int_equal(hr_bin_set_has(seen, (uint8_t)bin), occurs);
        check_statistic(w, cells + bin * hr_forest_records_width(w->records), wanted);
    }
    for (uint32_t bin = w->t.binning.features[feature].bin_count; bin < HR_BINS_MAX; bin++)
        assert_false(hr_bin_set_has(seen, (uint8_t)bin));
}

/* As many features at once as may be, in an order of their own. */
static void check_bins(const node *n) {
    hr_forest_records *r = n->w->records;
    size_t together = hr_forest_records_together(r), each = hr_forest_records_cells(r);
    hr_sum_word *cells = malloc(together * each * sizeof *cells);
    assert_non_null(cells);
    for (uint32_t from = 0; from < FEATURES; from += (uint32_t)together) {
        uint32_t features[FEATURES];
        hr_bin_set seen[HR_FOREST_TOGETHER_MAX];
        size_t count = FEATURES - from < together ? FEATURES - from : together;
        for (uint32_t j = 0; j < count; j++) features[j] = FEATURES - 1 - from - j;
        memset(cells, 0, together * each * sizeof *cells);
        memset(seen, UINT8_MAX, sizeof seen);
        hr_forest_records_sum_bins(r, n->run, features, count, cells, seen);
        for (size_t j = 0; j < count; j++) check_bins_of(n, features[j], cells + j * each, &seen[j]);
    }
    free(cells);
}

/* What was looked at of a feature: its range, and the sum of the left side of its cut. */
static void check_looked(const node *n, uint32_t feature, const hr_bin_range *range, hr_cut cut,
                         const hr_sum_word *left) {
    const world *w = n->w;
    hr_bin_range wanted = {.low = UINT8_MAX};
    hr_exact sum[CLASSES_MAX] = {{0}};
    bool numbers = false;
    for (size_t i = 0; i < ROWS; i++) {
        if (!n->member[i]) continue;
        const uint8_t bin = bin_at(&w->t, i, feature);
        numbers = numbers || bin;
        wanted.missing = wanted.missing || !bin;
        if (bin && bin < wanted.low) wanted.low = bin;
        if (bin > wanted.high) wanted.high = bin;
        if (bin ? bin <= cut.bin : cut.missing_left) count_in(w, i, sum);
    }
    assert_int_equal(range->missing, wanted.missing);
    assert_int_equal(range->low <= range->high, numbers);
    if (numbers) assert_true(range->low == wanted.low && range->high == wanted.high);
    check_statistic(w, left, sum);
}

static void check_ranges(const node *n, hr_dice *dice) {
    const world *w = n->w;
    const size_t together = hr_forest_records_together(w->records),
                 width = hr_forest_records_width(w->records);
    for (uint32_t from = 0; from < FEATURES; from += (uint32_t)together) {
        uint32_t features[FEATURES];
        hr_bin_range ranges[HR_FOREST_TOGETHER_MAX];
        hr_cut cuts[HR_FOREST_TOGETHER_MAX];
        hr_sum_word left[HR_FOREST_TOGETHER_MAX * CLASSES_MAX];
        size_t count = FEATURES - from < together ? FEATURES - from : together;
        for (uint32_t j = 0; j < count; j++) {
            features[j] = FEATURES - 1 - from - j;
            cuts[j].bin = (uint8_t)hr_dice_below(dice, w->t.binning.features[features[j]].bin_count);
            cuts[j].missing_left = hr_dice_below(dice, 2);
        }
        hr_forest_records_look(w->records, n->run, features, count, ranges);
        hr_forest_records_sum_left(w->records, n->run, cuts, count, left);
        for (size_t j = 0; j < count; j++)
            check_looked(n, features[j], &ranges[j], cuts[j], left + j * width);
    }
}

/* A node, and what random splits make of it. Returns how many nodes were checked. */
static size_t check_node(const node *n, int levels, hr_dice *dice) {
    const world *w = n->w;
    hr_forest_run runs[2];
    size_t checked = 1;
    check_total(n);
    check_bins(n);
    check_ranges(n, dice);
    if (!levels || !n->run.count) return checked;
    hr_split split = random_split(dice, &w->t.binning);
    hr_forest_records_divide(w->records, n->run, &split, runs);
    for (int s = 0; s < 2; s++) {
        node side = {.w = w, .run = runs[s]};
        for (size_t i = 0; i < ROWS; i++)
            side.member[i] =
                n->member[i] && hr_split_goes_left(&split, bin_at(&w->t, i, split.feature)) == (s == 0);
        checked += check_node(&side, levels - 1, dice);
    }
    return checked;
}

static void check_tree(const world *w, uint64_t seed) {
    hr_dice dice;
    node root = root_of(w);
    hr_dice_init(&dice, seed);
    assert_true(check_node(&root, 5, &dice) > 10);
}

static void test_records__are_summed_and_dealt_out_by_the_splits(void **state) {
    (void)state;
    for (size_t c = 0; c < 4; c++) {
        world *w = world_new(class_counts[c]);
        for (uint64_t seed = 0; seed < 6; seed++) {
            take_all(w);
            check_tree(w, seed);
            take_bootstrap(w, seed);
            check_tree(w, seed);
        }
        world_free(w);
    }
}

static void look_at(const world *w, hr_forest_run run, uint32_t feature) {
    hr_bin_range range;
    hr_forest_records_look(w->records, run, &feature, 1, &range);
}

/* Divides a node, and checks the sums of its sides. */
static void divide_node(const node *n, uint32_t feature, uint8_t cut, node sides[2]) {
    const hr_split split = {.made = true, .kind = HR_KIND_NUMBER, .feature = feature, .cut = cut};
    hr_forest_run runs[2];
    hr_forest_records_divide(n->w->records, n->run, &split, runs);
    for (int s = 0; s < 2; s++) {
        sides[s] = (node){.w = n->w, .run = runs[s]};
        for (size_t i = 0; i < ROWS; i++)
            sides[s].member[i] =
                n->member[i] && hr_split_goes_left(&split, bin_at(&n->w->t, i, feature)) == !s;
        check_total(&sides[s]);
    }
}

/* Bins that were looked at serve one division of the same records. */
static void test_records__are_dealt_out_by_their_own_bins(void **state) {
    (void)state;
    world *w = world_new(0);
    node sides[2], others[2];
    take_all(w);
    const node root = root_of(w);
    look_at(w, root.run, 0);
    divide_node(&root, 0, 2, sides);
    look_at(w, sides[0].run, 0);
    divide_node(&sides[1], 0, 4, others);
    take_all(w);
    look_at(w, root.run, 0);
    divide_node(&root, 0, 2, sides);
    take_all(w);
    divide_node(&root, 0, 4, sides);
    world_free(w);
}

static bool root_is_pure(const world *w) {
    hr_sum_word total[CLASSES_MAX];
    hr_forest_run root = hr_forest_records_root(w->records);
    hr_forest_records_sum(w->records, root, total);
    return hr_forest_records_are_pure(w->records, root, total);
}

static void test_records__are_pure_where_all_labels_are_the_same(void **state) {
    (void)state;
    for (size_t c = 0; c < 4; c++) {
        world *w = world_new(class_counts[c]);
        for (int32_t label = 0; label < 2; label++) {
            for (size_t i = 0; i < ROWS; i++) w->values[i] = label;
            take_all(w);
            assert_true(root_is_pure(w));
            w->values[ROWS - 1] = 1 - label;
            take_all(w);
            assert_false(root_is_pure(w));
        }
        world_free(w);
    }
}

static void test_pack__has_room_for_all_sums(void **state) {
    (void)state;
    static const size_t rows[] = {1, 1000, 1000000, 30000000};
    hr_packing packing;
    int bits;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(hr_forest_pack(rows[i], 0, &packing, &bits, NULL), HR_OK);
        int64_t bound = (int64_t)1 << bits, n = (int64_t)rows[i];
        assert_true(packing.gradient_bound == bound && packing.gradient_scale == (double)bound && bits >= 8 &&
                    bits <= 30);
        for (int sign = -1; sign <= 1; sign += 2) {
            hr_sums sums = hr_unpack(&packing, hr_pack(&packing, sign * n * bound, n));
            assert_true(sums.gradient.unpaid == sign * n * bound && sums.weight.unpaid == n);
        }
    }
    assert_int_equal(hr_forest_pack((size_t)1 << 28, 0, &packing, &bits, NULL), HR_E_LIMIT);
    assert_int_equal(hr_forest_pack((size_t)1 << 28, 2, &packing, &bits, NULL), HR_OK);
    assert_int_equal(hr_forest_pack((size_t)1 << 28, 3, &packing, &bits, NULL), HR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records__are_summed_and_dealt_out_by_the_splits),
        cmocka_unit_test(test_records__are_dealt_out_by_their_own_bins),
        cmocka_unit_test(test_records__are_pure_where_all_labels_are_the_same),
        cmocka_unit_test(test_pack__has_room_for_all_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
