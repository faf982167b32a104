/* The rules that divide a node against their definitions: the best division by a search of all of them, the
 * median by counting, and the random one by the law of what it draws (chi-square, false-alarm rate 1e-6
 * each). */
#include "support/chi_square.h"
#include "tables/synth/generate.h"
#include "trees/grow/split_rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BINS = 8, MOST = 60, CLASSES = 3, DRAWS = 100000, TABLES = 400 };

static const hr_packing packing = {
    .shift = 30, .gradient_bound = 1000, .gradient_scale = 1, .weight_scale = 1};

/* Records of one node, one feature, and what the rules are told of them. */
typedef struct node {
    size_t count, width;
    uint8_t bins[MOST];
    int64_t labels[MOST], times[MOST];
    hr_feature_bins feature;
    double midpoints[BINS], padded[2 * BINS];
    uint8_t first[HR_SEARCH_BUCKETS_MAX];
    hr_bin_midpoints of;
    hr_sum_word cells[BINS * CLASSES], total[CLASSES], left[CLASSES];
    hr_values values;
    hr_split split; /* the last one */
} node;

static void add(const node *n, size_t i, hr_sum_word *cell) {
    if (n->width > 1)
        cell[n->labels[i]] += n->times[i];
    else
        cell[0] += hr_pack(&packing, n->labels[i] * n->times[i], n->times[i]);
}

/* Tells the rules of the records. */
static void describe(node *n, hr_kind kind, size_t width, int64_t least) {
    static const double edges[BINS];
    bool seen[BINS] = {false};
    n->width = width;
    n->feature = (hr_feature_bins){kind, BINS, kind == HR_KIND_NUMBER ? edges : NULL};
    memset(n->cells, 0, sizeof n->cells);
    memset(n->total, 0, sizeof n->total);
    for (size_t i = 0; i < n->count; i++) {
        add(n, i, &n->cells[n->bins[i] * width]);
        add(n, i, n->total);
        seen[n->bins[i]] = true;
    }
    n->of = (hr_bin_midpoints){&n->feature, n->midpoints,
                               hr_midpoints_search(n->midpoints, BINS, n->first, n->padded)};
    n->values = (hr_values){.of = &n->of,
                            .packing = &packing,
                            .width = width,
                            .min_records = least,
                            .total = n->total,
                            .cells = n->cells,
                            .left = n->left,
                            .missing = kind == HR_KIND_NUMBER && seen[0]};
    for (size_t k = 1; k < width; k++)
        if (n->total[k] > n->total[n->values.majority]) n->values.majority = k;
    for (uint8_t b = kind == HR_KIND_NUMBER; b < BINS; b++)
        if (seen[b]) n->values.bins[n->values.count++] = b;
}

/* Random records; few of them leave bins empty. False if they have one value alone. */
static bool fill(node *n, hr_dice *dice, hr_kind kind, size_t width, int64_t least) {
    memset(n, 0, sizeof *n);
    n->count = 2 + hr_dice_below(dice, hr_dice_below(dice, 2) ? 8 : MOST - 2);
    for (size_t i = 0; i < n->count; i++) {
        n->bins[i] = (uint8_t)hr_dice_below(dice, BINS);
        n->labels[i] =
            width > 1 ? (int64_t)hr_dice_below(dice, CLASSES) : (int64_t)hr_dice_below(dice, 201) - 100;
        n->times[i] = 1 + (int64_t)hr_dice_below(dice, 3);
    }
    for (int b = 1; b < BINS; b++) n->midpoints[b] = n->midpoints[b - 1] + .1 + hr_dice_unit(dice);
    describe(n, kind, width, least);
    return n->values.count + n->values.missing > 1;
}

/* ---- By definition ---- */

typedef struct side {
    long double sums[CLASSES], records;
} side;

static long double purity(const node *n, const side *s) {
    long double squares = 0;
    for (size_t k = 0; k < n->width; k++) squares += s->sums[k] * s->sums[k];
    return squares / s->records;
}

/* Of the division that sends these bins left; -1 if a side has too few records. */
static double plain_purity(const node *n, const bool *left) {
    side sides[2] = {{{0}, 0}, {{0}, 0}};
    for (size_t i = 0; i < n->count; i++) {
        side *s = &sides[left[n->bins[i]]];
        s->sums[n->width > 1 ? n->labels[i] : 0] +=
            (long double)(n->width > 1 ? n->times[i] : n->labels[i] * n->times[i]);
        s->records += (long double)n->times[i];
    }
    long double least = (long double)n->values.min_records;
    return sides[0].records < least || sides[1].records < least
               ? -1
               : (double)(purity(n, &sides[0]) + purity(n, &sides[1]));
}

static double best_number(const node *n) {
    double best = -1;
    for (int cut = 0; cut < BINS; cut++)
        for (int missing_left = 0; missing_left < 2; missing_left++) {
            bool left[BINS] = {missing_left};
            for (int b = 1; b < BINS; b++) left[b] = b <= cut;
            best = fmax(best, plain_purity(n, left));
        }
    return best;
}

static double best_subset(const node *n) {
    double best = -1;
    for (unsigned set = 0; set < 1u << BINS; set++) {
        bool left[BINS];
        for (int b = 0; b < BINS; b++) left[b] = set >> b & 1;
        best = fmax(best, plain_purity(n, left));
    }
    return best;
}

/* What is promised of more than two classes: every value against the rest, and every run of the order by the
 * majority's share. */
static double best_promised(const node *n) {
    double share[BINS], best = -1;
    for (int b = 0; b < BINS; b++) {
        double all = 0;
        bool left[BINS] = {false};
        for (size_t k = 0; k < n->width; k++) all += (double)n->cells[(size_t)b * n->width + k];
        share[b] = all > 0 ? (double)n->cells[(size_t)b * n->width + n->values.majority] / all : 2;
        left[b] = true;
        best = fmax(best, plain_purity(n, left));
    }
    for (int last = 0; last < BINS; last++) { /* equal shares in the order of their bins */
        bool left[BINS];
        for (int b = 0; b < BINS; b++)
            left[b] = share[b] < share[last] || (share[b] == share[last] && b <= last);
        best = fmax(best, plain_purity(n, left));
    }
    return best;
}

static bool equal(double a, double b) {
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* The split does what the division says, and values that the node lacks go to the larger side. */
static void check_split(const node *n, const hr_split_proposal *division) {
    const hr_split split = n->split;
    bool left[BINS], seen[BINS] = {false};
    int64_t records[2] = {0};
    assert_true(split.made && split.kind == n->feature.kind && split.cut < BINS);
    for (int b = 0; b < BINS; b++) left[b] = hr_split_goes_left(&split, (uint8_t)b);
    for (int b = BINS; b < HR_BINS_MAX; b++) assert_false(hr_bin_set_has(&split.left, (uint8_t)b));
    assert_true(equal(plain_purity(n, left), division->purity));
    for (size_t i = 0; i < n->count; i++) seen[n->bins[i]] = true, records[left[n->bins[i]]] += n->times[i];
    for (size_t i = 0; i < n->values.count; i++)
        assert_int_equal(left[n->values.bins[i]], i < division->left);
    for (int b = 0; b < (split.kind == HR_KIND_NUMBER ? 1 : BINS); b++)
        if (!seen[b]) assert_int_equal(left[b], records[1] > records[0]);
}

/* The rule is told the range; the sums of the left side are those of its bins. */
static hr_split_proposal divide_by_range(const hr_split_rule *rule, node *n, hr_csprng *csprng) {
    const hr_values *v = &n->values;
    const hr_bin_range range = {v->count ? v->bins[0] : 1, v->count ? v->bins[v->count - 1] : 0, v->missing};
    const hr_cut cut = rule->by_range(&n->of, &range, csprng);
    hr_split_proposal division = {.missing_left = cut.missing_left};
    while (division.left < v->count && v->bins[division.left] <= cut.bin) division.left++;
    memset(n->left, 0, sizeof n->left);
    for (size_t i = 0; i < n->count; i++)
        if (n->bins[i] ? n->bins[i] <= cut.bin : cut.missing_left) add(n, i, n->left);
    division.purity = hr_left_purity(v);
    n->split = hr_cut_split(v, cut, range.missing);
    return division;
}

static hr_split_proposal divide(const hr_split_rule *rule, node *n, hr_csprng *csprng) {
    hr_split_proposal division;
    memset(&division, 0x55, sizeof division);
    if (rule->by_range && n->feature.kind == HR_KIND_NUMBER) {
        division = divide_by_range(rule, n, csprng);
    } else {
        rule->by_sums(&n->values, csprng, &division);
        n->split = hr_split_proposal_split(&n->values, &division);
    }
    if (division.purity >= 0) check_split(n, &division);
    return division;
}

/* ---- The best ---- */

static void check_best(hr_kind kind, size_t width, int64_t least, double (*search)(const node *n)) {
    hr_dice dice;
    hr_dice_init(&dice, 10 * (uint64_t)kind + width);
    size_t divided = 0;
    for (int t = 0; t < TABLES; t++) {
        node n;
        if (!fill(&n, &dice, kind, width, least)) continue;
        hr_split_proposal division = divide(&hr_split_rule_best, &n, NULL);
        double wanted = search(&n);
        assert_true(wanted < 0 ? division.purity < 0 : equal(division.purity, wanted));
        divided += wanted >= 0;
    }
    assert_true(divided > TABLES / 2);
}

static void test_best__is_the_best_of_all_cuts(void **state) {
    (void)state;
    check_best(HR_KIND_NUMBER, 1, 1, best_number);
    check_best(HR_KIND_NUMBER, 1, 5, best_number);
    check_best(HR_KIND_NUMBER, CLASSES, 1, best_number);
    check_best(HR_KIND_NUMBER, CLASSES, 5, best_number);
}

static void test_best__is_the_best_of_all_subsets(void **state) {
    (void)state;
    check_best(HR_KIND_CATEGORY, 1, 1, best_subset);
}

static void test_best__of_classes_is_what_is_promised(void **state) {
    (void)state;
    check_best(HR_KIND_CATEGORY, CLASSES, 1, best_promised);
    check_best(HR_KIND_CATEGORY, CLASSES, 4, best_promised);
}

/* Three records, at the bins 2, 3 and 6. */
static const node three_records = {.count = 3,
                                   .bins = {2, 3, 6},
                                   .labels = {0, 0, 100},
                                   .times = {1, 1, 1},
                                   .midpoints = {0, 1, 2, 4, 6, 7, 9, 20}};

static void test_best__cuts_midway_between_the_values(void **state) {
    (void)state;
    node n = three_records;
    describe(&n, HR_KIND_NUMBER, 1, 1);
    hr_split_proposal division = divide(&hr_split_rule_best, &n, NULL);
    assert_true(division.left == 2 && division.cut == 6.5);
    assert_int_equal(hr_split_proposal_split(&n.values, &division).cut, 4); /* the midpoints 4, 6 | 7, 9 */
}

/* Midpoints that are neighbours among doubles have nothing between: the cut is the lower. */
static void test_best__tells_neighbouring_numbers_apart(void **state) {
    (void)state;
    node n = three_records;
    for (int b = 0; b < BINS; b++) n.midpoints[b] = 1 + b * 0x1p-52; /* half of 5 and 6 steps rounds to 6 */
    n.bins[1] = 5;
    describe(&n, HR_KIND_NUMBER, 1, 1);
    hr_split_proposal division = divide(&hr_split_rule_best, &n, NULL);
    assert_int_equal(hr_split_proposal_split(&n.values, &division).cut, 5);
}

/* ---- Random ---- */

static hr_csprng *open_csprng(uint64_t seed) {
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    return csprng;
}

/* Where the split cuts: bin b with the probability of the numbers from its centre to the next one's. */
static void check_cuts(node *n, uint64_t seed) {
    hr_csprng *csprng = open_csprng(seed);
    uint64_t seen[2 * BINS] = {0};
    double probability[2 * BINS] = {0};
    uint8_t first = n->values.bins[0], last = n->values.bins[n->values.count - 1];
    int sides = n->values.missing ? 2 : 1;
    for (int b = first; b < last; b++)
        for (int way = 0; way < sides; way++)
            probability[way * BINS + b] =
                (n->midpoints[b + 1] - n->midpoints[b]) / (n->midpoints[last] - n->midpoints[first]) / sides;
    for (int i = 0; i < DRAWS; i++) {
        hr_split_proposal division = divide(&hr_split_rule_random, n, csprng);
        seen[(n->values.missing && division.missing_left ? BINS : 0) + n->split.cut]++;
    }
    assert_true(chi_square_fits(seen, probability, 2 * BINS, DRAWS));
    hr_csprng_close(csprng);
}

static void test_random__cuts_the_range_of_the_node_uniformly(void **state) {
    (void)state;
    node n = {.count = 5,
              .bins = {1, 2, 4, 6, 6},
              .labels = {1, 2, 3, 4, 5},
              .times = {1, 1, 2, 1, 2}, /* either side may be the larger one */
              .midpoints = {0, -3, -2.5, 0, .5, 4, 6, 90}};
    describe(&n, HR_KIND_NUMBER, 1, 1);
    check_cuts(&n, 1);
    n.bins[4] = 0; /* missing: to either side, half the time */
    describe(&n, HR_KIND_NUMBER, 1, 1);
    check_cuts(&n, 2);
}

/* Counts of the sets of values that a rule sends left, among those of `allowed` many values; all equally
 * likely. */
static void check_subsets(const hr_split_rule *rule, node *n, size_t fewest, size_t most, uint64_t seed) {
    hr_csprng *csprng = open_csprng(seed);
    uint64_t seen[1 << BINS] = {0};
    double probability[1 << BINS] = {0}, sets = 0;
    const hr_values ascending = n->values;
    unsigned there = 0;
    for (size_t i = 0; i < n->values.count; i++) there |= 1u << n->values.bins[i];
    for (unsigned set = 0; set < 1u << BINS; set++) {
        size_t size = (size_t)__builtin_popcount(set);
        if ((set & ~there) == 0 && size >= fewest && size <= most) probability[set] = 1, sets++;
    }
    for (unsigned set = 0; set < 1u << BINS; set++) probability[set] /= sets;
    for (int i = 0; i < DRAWS; i++) {
        n->values = ascending; /* or the last draw's order would be shuffled once more */
        hr_split_proposal division = divide(rule, n, csprng);
        unsigned set = 0;
        for (size_t j = 0; j < division.left; j++) set |= 1u << n->values.bins[j];
        assert_true(probability[set] > 0);
        seen[set]++;
    }
    assert_true(chi_square_fits(seen, probability, 1 << BINS, DRAWS));
    hr_csprng_close(csprng);
}

static const node five_categories = {
    .count = 5, .bins = {0, 2, 4, 5, 7}, .labels = {0, 1, 2, 1, 0}, .times = {1, 1, 1, 1, 1}};

static void test_random__draws_subsets_uniformly(void **state) {
    (void)state;
    node n = five_categories;
    describe(&n, HR_KIND_CATEGORY, 1, 1);
    check_subsets(&hr_split_rule_random, &n, 1, 4, 3);
    describe(&n, HR_KIND_CATEGORY, CLASSES, 1);
    check_subsets(&hr_split_rule_random, &n, 1, 4, 4);
}

/* ---- The median ---- */

static int64_t left_of(const node *n, const hr_split_proposal *division) {
    int64_t records = 0;
    for (size_t i = 0; i < n->count; i++)
        for (size_t j = 0; j < division->left; j++)
            records += n->bins[i] == n->values.bins[j] ? n->times[i] : 0;
    return records;
}

/* No other cut leaves the sides more nearly equal, missing numbers apart. */
static void test_median__halves_the_records(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 5);
    hr_csprng *csprng = open_csprng(5);
    for (int t = 0; t < TABLES; t++) {
        node n;
        size_t width = t % 2 ? CLASSES : 1;
        if (!fill(&n, &dice, HR_KIND_NUMBER, width, 1) || n.values.count < 2) continue;
        int64_t all = 0;
        for (size_t i = 0; i < n.count; i++) all += n.bins[i] ? n.times[i] : 0;
        hr_split_proposal division = divide(&hr_split_rule_median, &n, csprng);
        int64_t away = llabs(2 * left_of(&n, &division) - all);
        for (size_t other = 1; other < n.values.count; other++)
            assert_true(away <= llabs(2 * left_of(&n, &(hr_split_proposal){.left = other}) - all));
    }
    hr_csprng_close(csprng);
}

/* Sorted, the median of an even number of different values is midway between the two in the middle. */
static void test_median__cuts_at_the_median(void **state) {
    (void)state;
    node n = {.count = 6,
              .bins = {7, 1, 3, 4, 6, 2},
              .labels = {1, 2, 3, 4, 5, 6},
              .times = {1, 1, 1, 1, 1, 1},
              .midpoints = {0, 10, 20, 30, 50, 60, 70, 80}};
    describe(&n, HR_KIND_NUMBER, 1, 1);
    hr_split_proposal division = divide(&hr_split_rule_median, &n, NULL);
    assert_true(division.left == 3 && division.cut == 40);
}

static void test_median__draws_halves_of_categories(void **state) {
    (void)state;
    node n = five_categories;
    describe(&n, HR_KIND_CATEGORY, 1, 1);
    check_subsets(&hr_split_rule_median, &n, 2, 2, 6);
    describe(&n, HR_KIND_CATEGORY, CLASSES, 1);
    check_subsets(&hr_split_rule_median, &n, 2, 2, 7);
}

static void test_median__sends_missing_numbers_to_either_side(void **state) {
    (void)state;
    node n = three_records;
    n.bins[0] = 0;
    describe(&n, HR_KIND_NUMBER, 1, 1);
    hr_csprng *csprng = open_csprng(8);
    uint64_t seen[2] = {0};
    for (int i = 0; i < DRAWS; i++) seen[divide(&hr_split_rule_median, &n, csprng).missing_left]++;
    assert_true(chi_square_fits(seen, (double[]){.5, .5}, 2, DRAWS));
    hr_csprng_close(csprng);
}

/* ---- All of them ---- */

static const hr_split_rule *const rules[] = {&hr_split_rule_best, &hr_split_rule_random,
                                             &hr_split_rule_median};

static void test_rules__tell_missing_numbers_from_one_value(void **state) {
    (void)state;
    hr_csprng *csprng = open_csprng(9);
    for (size_t r = 0; r < 3; r++) {
        node n = {.count = 3,
                  .bins = {0, 4, 4},
                  .labels = {9, 0, 0},
                  .times = {1, 1, 1},
                  .midpoints = {0, 1, 2, 3, 4, 5, 6, 7}};
        describe(&n, HR_KIND_NUMBER, 1, 1);
        hr_split_proposal division = divide(rules[r], &n, csprng);
        assert_true(division.purity == 81);
    }
    hr_csprng_close(csprng);
}

/* Whatever they draw, sides have as many records as they must, or there is no division. */
static void test_rules__leave_enough_records(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 10);
    hr_csprng *csprng = open_csprng(10);
    size_t made[3] = {0};
    for (int t = 0; t < 12 * TABLES; t++) {
        node n;
        if (!fill(&n, &dice, t & 1 ? HR_KIND_NUMBER : HR_KIND_CATEGORY, t & 2 ? CLASSES : 1, 12)) continue;
        made[t % 3] += divide(rules[t % 3], &n, csprng).purity >=
                       0; /* plain_purity, with which it is compared, is -1 else */
    }
    for (size_t r = 0; r < 3; r++) assert_true(made[r] > TABLES);
    hr_csprng_close(csprng);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best__is_the_best_of_all_cuts),
        cmocka_unit_test(test_best__is_the_best_of_all_subsets),
        cmocka_unit_test(test_best__of_classes_is_what_is_promised),
        cmocka_unit_test(test_best__cuts_midway_between_the_values),
        cmocka_unit_test(test_best__tells_neighbouring_numbers_apart),
        cmocka_unit_test(test_random__cuts_the_range_of_the_node_uniformly),
        cmocka_unit_test(test_random__draws_subsets_uniformly),
        cmocka_unit_test(test_median__halves_the_records),
        cmocka_unit_test(test_median__cuts_at_the_median),
        cmocka_unit_test(test_median__draws_halves_of_categories),
        cmocka_unit_test(test_median__sends_missing_numbers_to_either_side),
        cmocka_unit_test(test_rules__tell_missing_numbers_from_one_value),
        cmocka_unit_test(test_rules__leave_enough_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
