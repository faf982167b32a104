/* Packing, and histograms against sums of plain integers. */
#include "privacy/sample.h"
#include "support/binned_table.h"

static const uint32_t some_bins[] = {7, 256, 5, 2, 31, 4, 129};

/* ---- Packing ---- */

/* Whether the sums fit around `shift` with `spare` bits to spare on either side. */
static bool fits(size_t rows, uint64_t weight_bound, int64_t gradient_bound, int shift, int spare) {
    hr_u128 weights = (hr_u128)rows * weight_bound << spare,
            gradients = (hr_u128)rows * (hr_u128)gradient_bound << spare;
    return weights < (hr_u128)1 << shift && gradients < (hr_u128)1 << (63 - shift);
}

/* Bounds are rounded up to powers of two: so a little room may be left when there is said to be none, but not
 * more than that. */
static void check_shift(size_t rows, uint64_t weight_bound, int64_t gradient_bound) {
    int shift = hr_packing_shift(rows, weight_bound, gradient_bound);
    bool roomy = false;
    for (int s = 0; s <= 63; s++) roomy |= fits(rows, weight_bound, gradient_bound, s, 2);
    if (roomy) assert_true(shift >= 0);
    assert_true(shift == -1 ||
                (shift >= 0 && shift <= 62 && fits(rows, weight_bound, gradient_bound, shift, 0)));
}

static void test_shift__leaves_room_for_both_sums(void **state) {
    (void)state;
    for (int r = 0; r <= 32; r++)
        for (int w = 0; w < 40; w++)
            for (int g = 0; g < 40; g++)
                for (int off = -1; off <= 1; off++) {
                    size_t rows = ((size_t)1 << r) + (size_t)(r ? off : 0);
                    check_shift(rows, (uint64_t)1 << w, (int64_t)1 << g);
                    check_shift((size_t)1 << r, ((uint64_t)1 << w) + (uint64_t)(w ? off : 0),
                                ((int64_t)1 << g) + (g ? off : 0));
                }
    check_shift(0, 1, 1); /* a table without rows */
    check_shift(UINT32_MAX, 1, INT64_MAX / 2);
    check_shift(UINT32_MAX, ((uint64_t)1 << 40) + 1, 1);
    assert_int_equal(hr_packing_shift(UINT32_MAX, UINT64_MAX, INT64_MAX), -1);
    assert_int_equal(hr_packing_shift((size_t)1 << 24, 1, 4096),
                     -1); /* split_candidates.proof.md, precondition */
    assert_true(hr_packing_shift(((size_t)1 << 24) - 1, 1, 4096) >= 0);
}

static void check_unpack(const hr_packing *packing, int64_t gradient, int64_t weight) {
    hr_sums sums = hr_unpack(packing, hr_pack(packing, gradient, weight));
    assert_true(sums.gradient.unpaid == gradient && sums.weight.unpaid == weight);
}

static void test_pack__comes_apart_again(void **state) {
    (void)state;
    for (int shift = 0; shift <= 62; shift++) {
        hr_packing packing = {.shift = shift};
        int64_t max_weight = (int64_t)(((uint64_t)1 << shift) - 1),
                most = (int64_t)(((uint64_t)1 << (63 - shift)) - 1);
        for (int64_t k = 0; k < 3; k++) {
            check_unpack(&packing, most > k ? most - k : 0, max_weight);
            check_unpack(&packing, most > k ? k - most : 0, max_weight);
            check_unpack(&packing, most > k ? k - most : 0, max_weight > k ? max_weight - k : 0);
            check_unpack(&packing, most > k ? -k : 0, 0);
        }
    }
}

static void test_pack__adds_up_to_the_very_bounds(void **state) {
    (void)state;
    static const struct {
        size_t rows;
        uint64_t weight;
        int64_t gradient;
    } cases[] = {{1000, ((uint64_t)1 << 20) - 1, 1 << 22},
                 {7, 1, (int64_t)1 << 55},
                 {1023, (uint64_t)1 << 33, 511},
                 {4096, 1, 4096}};
    for (size_t c = 0; c < 4; c++) {
        hr_packing packing = {.shift = hr_packing_shift(cases[c].rows, cases[c].weight, cases[c].gradient)};
        assert_true(packing.shift >= 0);
        for (int sign = -1; sign <= 1; sign += 2) {
            hr_sum_word sum = 0;
            for (size_t i = 0; i < cases[c].rows; i++)
                sum += hr_pack(&packing, sign * cases[c].gradient, (int64_t)cases[c].weight);
            hr_sums sums = hr_unpack(&packing, sum);
            assert_true(sums.gradient.unpaid == sign * cases[c].gradient * (int64_t)cases[c].rows);
            assert_true(sums.weight.unpaid == (int64_t)(cases[c].weight * cases[c].rows));
        }
    }
}

static void test_round__is_nearest_even(void **state) {
    (void)state;
    static const struct {
        double x;
        int64_t wanted;
    } cases[] = {{0, 0},
                 {-0., 0},
                 {.5, 0},
                 {-.5, 0},
                 {1.5, 2},
                 {2.5, 2},
                 {-1.5, -2},
                 {-2.5, -2},
                 {.49999, 0},
                 {-3.7, -4},
                 {1e-300, 0},
                 {0x1p50, 1LL << 50},
                 {-0x1p50, -(1LL << 50)},
                 {0x1p50 + .5, 1LL << 50},
                 {0x1p50 + 1.5, (1LL << 50) + 2},
                 {0.49999999999999994, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        assert_true(hr_round(cases[c].x) == cases[c].wanted);
    hr_dice dice;
    hr_dice_init(&dice, 1);
    for (int i = 0; i < 100000; i++) {
        double x = ldexp(hr_dice_unit(&dice) - .5, (int)hr_dice_below(&dice, 51));
        assert_true(hr_round(x) == (int64_t)nearbyint(x));
    }
}

/* ---- Histograms ---- */

/* out: per feature and bin, gradients then weights. rows: NULL for all. */
static void plain_sums(const binned_table *t, const hr_packing *packing, const uint32_t *rows,
                       const int64_t *packed, size_t count, int64_t (*out)[256][2]) {
    memset(out, 0, t->binning.feature_count * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        hr_sums one = hr_unpack(packing, packed[i]);
        for (size_t f = 0; f < t->binning.feature_count; f++) {
            int64_t *sums = out[f][bin_at(t, rows ? rows[i] : i, f)];
            sums[0] += one.gradient.unpaid;
            sums[1] += one.weight.unpaid;
        }
    }
}

static void check_cells(const binned_table *t, const hr_packing *packing, const hr_sum_word *cells,
                        int64_t (*wanted)[256][2]) {
    for (size_t f = 0; f < t->binning.feature_count; f++)
        for (uint32_t b = 0; b < t->binning.features[f].bin_count; b++) {
            hr_sums sums = hr_unpack(packing, cells[hr_histogram_at(f) + b]);
            assert_true(sums.gradient.unpaid == wanted[f][b][0]);
            assert_true(sums.weight.unpaid == wanted[f][b][1]);
        }
}

/* Filled with `junk`: what is overwritten need not be clean. */
static hr_sum_word *cells_new(const binned_table *t, int junk) {
    size_t cells = hr_histogram_cells(t->binning.feature_count);
    assert_true(cells >= t->binned->tile_count * HR_TILE * HR_STRIDE);
    hr_sum_word *out = arena_room(t->arena, cells, sizeof *out);
    memset(out, junk, cells * sizeof *out);
    return out;
}

static void tiles_of(const binned_table *t, const uint32_t *rows, const int64_t *packed, size_t count,
                     hr_sum_word *out) {
    for (size_t tile = 0; tile < t->binned->tile_count; tile++)
        hr_histogram_of_tile(t->binned, tile, rows, packed, count, out + hr_histogram_at(tile * HR_TILE));
}

static size_t random_rows(hr_dice *dice, const binned_table *t, uint64_t keep_of_16, uint32_t *rows) {
    size_t count = 0;
    for (size_t i = 0; i < t->rows; i++)
        if (hr_dice_below(dice, 16) < keep_of_16) rows[count++] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) { /* any order */
        size_t j = hr_dice_below(dice, i);
        uint32_t kept = rows[i - 1];
        rows[i - 1] = rows[j], rows[j] = kept;
    }
    return count;
}

static void check_three_ways(hr_dice *dice, size_t rows, size_t features, uint64_t weight_bound) {
    binned_table t = binned_table_new(dice, rows, features, some_bins, 7);
    binned_table_bin(&t);
    hr_packing packing = {.shift = hr_packing_shift(rows, weight_bound, 4096), .gradient_bound = 4096};
    int64_t *packed = random_packed(dice, t.arena, &packing, (int64_t)weight_bound, rows),
            *part_packed = arena_room(t.arena, rows, 8);
    int64_t(*wanted)[256][2] = arena_room(t.arena, features, sizeof *wanted),
    (*minus)[256][2] = arena_room(t.arena, features, sizeof *minus);
    uint32_t *part = arena_room(t.arena, rows, sizeof *part);
    size_t cells = hr_histogram_cells(t.binning.feature_count);
    hr_sum_word *all = cells_new(&t, 0x5a), *again = cells_new(&t, 0xa5), *of_part = cells_new(&t, 0x7f);

    hr_histogram_of_all(t.binned, packed, 1, all);
    plain_sums(&t, &packing, NULL, packed, rows, wanted);
    check_cells(&t, &packing, all, wanted);
    for (int threads = 2; threads <= 4; threads++) {
        hr_histogram_of_all(t.binned, packed, threads, again);
        check_cells(&t, &packing, again, wanted);
        assert_memory_equal(all, again, cells * sizeof *all);
    }
    for (uint64_t keep = 0; keep <= 16; keep += 4) {
        size_t count = random_rows(dice, &t, keep, part);
        for (size_t i = 0; i < count; i++) part_packed[i] = packed[part[i]];
        tiles_of(&t, part, part_packed, count, of_part);
        plain_sums(&t, &packing, part, part_packed, count, wanted);
        check_cells(&t, &packing, of_part, wanted);
        hr_histogram_of_all(t.binned, packed, 2, again);
        hr_histogram_subtract(again, of_part, cells);
        plain_sums(&t, &packing, NULL, packed, rows, wanted);
        plain_sums(&t, &packing, part, part_packed, count, minus);
        for (size_t f = 0; f < features; f++)
            for (int b = 0; b < 256; b++)
                wanted[f][b][0] -= minus[f][b][0], wanted[f][b][1] -= minus[f][b][1];
        check_cells(&t, &packing, again, wanted);
    }
    binned_table_close(&t);
}

static void test_histogram__is_the_plain_sum(void **state) {
    (void)state;
    static const size_t rows[] = {0, 1, 2, 3, 7, 8, 9, 255, 1000, 5003}, features[] = {1, 2, 31, 32, 33, 70};
    hr_dice dice;
    hr_dice_init(&dice, 2);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t f = 0; f < sizeof features / sizeof *features; f++)
            check_three_ways(&dice, rows[r], features[f], 1 + r % 2 * 1000);
}

static void test_histogram__takes_enough_rows_for_all_threads(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 3);
    check_three_ways(&dice, 200000, 3, 1);
    check_three_ways(&dice, 66000, 33, 1 << 14);
}

/* Extreme gradients and the largest weights: one bin holds all that 63 bits can. */
static void test_histogram__holds_the_bounds_in_one_bin(void **state) {
    (void)state;
    enum { ROWS = 1000 };
    static const uint32_t one_bin[] = {2};
    hr_dice dice;
    hr_dice_init(&dice, 4);
    binned_table t = binned_table_new(&dice, ROWS, 2, one_bin, 1);
    memset(t.bins, 1, ROWS * 2);
    binned_table_bin(&t);
    memset(t.binned->columns, 1, t.binned->column_stride + ROWS);
    for (size_t i = 0; i < ROWS; i++) t.binned->tiles[i * HR_TILE] = t.binned->tiles[i * HR_TILE + 1] = 1;
    const int64_t bound = (1 << 21) - 1;
    const uint64_t weight = (1 << 22) - 1;
    hr_packing packing = {.shift = hr_packing_shift(ROWS, weight, bound), .gradient_bound = bound};
    assert_true(packing.shift > 0 &&
                hr_packing_shift(ROWS, weight, bound * 2) == -1); /* there is no more room than this */
    int64_t(*wanted)[256][2] = arena_room(t.arena, 2, sizeof *wanted),
    *packed = arena_room(t.arena, ROWS, sizeof *packed);
    uint32_t *rows = arena_room(t.arena, ROWS, sizeof *rows);
    hr_sum_word *cells = cells_new(&t, 0x5a);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (uint32_t i = 0; i < ROWS; i++)
            packed[i] = hr_pack(&packing, sign * bound, (int64_t)weight), rows[i] = ROWS - 1 - i;
        plain_sums(&t, &packing, NULL, packed, ROWS, wanted);
        assert_true(wanted[0][1][0] == sign * bound * ROWS);
        for (int threads = 1; threads <= 4; threads++) {
            hr_histogram_of_all(t.binned, packed, threads, cells);
            check_cells(&t, &packing, cells, wanted);
        }
        tiles_of(&t, rows, packed, ROWS, cells);
        check_cells(&t, &packing, cells, wanted);
    }
    binned_table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shift__leaves_room_for_both_sums),
        cmocka_unit_test(test_pack__comes_apart_again),
        cmocka_unit_test(test_pack__adds_up_to_the_very_bounds),
        cmocka_unit_test(test_round__is_nearest_even),
        cmocka_unit_test(test_histogram__is_the_plain_sum),
        cmocka_unit_test(test_histogram__takes_enough_rows_for_all_threads),
        cmocka_unit_test(test_histogram__holds_the_bounds_in_one_bin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
