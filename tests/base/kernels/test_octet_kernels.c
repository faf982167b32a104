/* The kernels over octets: every set gives what the definition gives, record by record. */
#include "support/kernel_sets.h"
#include "tables/synth/generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 300, TABLE = 500, DRAWS = 40 };

/* Records of a table, and room behind them that must stay as it is. */
typedef struct records {
    size_t count;
    uint32_t rows[ROWS + 1];
    int64_t values[ROWS + 1];
    uint8_t octets[(ROWS + 1) * HR_OCTET];
} records;

/* Few different bins, 0 and 255 among them, so that bins of a cut are met and missed. */
static uint8_t draw_bin(hr_dice *dice) {
    static const uint8_t bins[] = {0, 1, 2, 127, 128, 254, 255};
    return hr_dice_below(dice, 3) ? bins[hr_dice_below(dice, 7)] : (uint8_t)hr_dice_below(dice, 256);
}

static records draw_records(hr_dice *dice, size_t count) {
    records r = {.count = count};
    for (size_t i = 0; i <= ROWS; i++) {
        r.rows[i] = (uint32_t)hr_dice_below(dice, TABLE);
        r.values[i] = (int64_t)hr_dice_below(dice, (uint64_t)1 << 54) - ((int64_t)1 << 53);
    }
    for (size_t i = 0; i < sizeof r.octets; i++) r.octets[i] = draw_bin(dice);
    return r;
}

static hr_octet_cut draw_cut(hr_dice *dice) {
    return (hr_octet_cut){(uint8_t)hr_dice_below(dice, HR_OCTET), (uint8_t)hr_dice_below(dice, 2),
                          draw_bin(dice)};
}

static bool is_among(uint8_t bin, uint8_t first, uint8_t count) {
    return bin >= first ? bin - first < count : bin + 256 - first < count;
}

/* Calls a check with records of every count. */
static void with_records(void (*check)(const hr_kernels *set, const records *r, hr_dice *dice),
                         const hr_kernels *set) {
    hr_dice dice;
    hr_dice_init(&dice, 11);
    for (size_t count = 0; count <= ROWS; count += count < 40 ? 1 : 65)
        for (size_t draw = 0; draw < DRAWS; draw++) {
            const records r = draw_records(&dice, count);
            check(set, &r, &dice);
        }
}

static void check_octets(const hr_kernels *set, const records *r, hr_dice *dice) {
    uint8_t table[TABLE * HR_OCTET_TILE], picks[HR_OCTET], got[sizeof r->octets];
    for (size_t i = 0; i < sizeof table; i++) table[i] = draw_bin(dice);
    for (size_t j = 0; j < HR_OCTET; j++) picks[j] = (uint8_t)hr_dice_below(dice, HR_OCTET_TILE);
    memcpy(got, r->octets, sizeof got);
    set->octets_of_rows(table, picks, r->rows, r->count, got);
    for (size_t i = 0; i < r->count; i++)
        for (size_t j = 0; j < HR_OCTET; j++)
            assert_int_equal(got[i * HR_OCTET + j], table[r->rows[i] * HR_OCTET_TILE + picks[j]]);
    assert_memory_equal(got + r->count * HR_OCTET, r->octets + r->count * HR_OCTET,
                        sizeof got - r->count * HR_OCTET);
}

static void check_ranges(const hr_kernels *set, const records *r, hr_dice *dice) {
    (void)dice;
    hr_octet_ranges got;
    set->ranges_of_octets(r->octets, r->count, &got);
    for (size_t j = 0; j < HR_OCTET; j++) {
        uint8_t least = 255, before = 255, largest = 0;
        for (size_t i = 0; i < r->count; i++) {
            const uint8_t bin = r->octets[i * HR_OCTET + j];
            if (bin < least) least = bin;
            if (bin && bin - 1 < before) before = (uint8_t)(bin - 1);
            if (bin > largest) largest = bin;
        }
        assert_int_equal(got.least[j], least);
        assert_int_equal(got.before[j], before);
        assert_int_equal(got.largest[j], largest);
    }
}

static void check_sums(const hr_kernels *set, const records *r, hr_dice *dice) {
    hr_octet_cuts cuts;
    int64_t got[HR_OCTET];
    for (size_t j = 0; j < HR_OCTET; j++) {
        const hr_octet_cut cut = draw_cut(dice);
        cuts.first[j] = cut.first;
        cuts.count[j] = cut.count;
    }
    set->sums_of_octets(&cuts, r->octets, r->values, r->count, got);
    for (size_t j = 0; j < HR_OCTET; j++) {
        int64_t sum = 0;
        for (size_t i = 0; i < r->count; i++)
            if (is_among(r->octets[i * HR_OCTET + j], cuts.first[j], cuts.count[j])) sum += r->values[i];
        assert_true(got[j] == sum);
    }
}

static void check_within(const hr_kernels *set, const records *r, hr_dice *dice) {
    const hr_octet_cut cut = draw_cut(dice);
    uint8_t got[ROWS + 1];
    memset(got, 77, sizeof got);
    set->octets_within(r->octets, cut, r->count, got);
    for (size_t i = 0; i < r->count; i++)
        assert_int_equal(got[i], is_among(r->octets[i * HR_OCTET + cut.lane], cut.first, cut.count));
    assert_int_equal(got[r->count], 77);
}

static void check_octets_of_rows(const hr_kernels *set) {
    with_records(check_octets, set);
}

static void check_ranges_of_octets(const hr_kernels *set) {
    with_records(check_ranges, set);
}

static void check_sums_of_octets(const hr_kernels *set) {
    with_records(check_sums, set);
}

static void check_octets_within(const hr_kernels *set) {
    with_records(check_within, set);
}

static void test_octets_of_rows__are_the_picked_bytes(void **state) {
    (void)state;
    with_each_set(check_octets_of_rows);
}

static void test_ranges_of_octets__are_those_of_their_bytes(void **state) {
    (void)state;
    with_each_set(check_ranges_of_octets);
}

static void test_sums_of_octets__are_of_the_bins_of_each_cut(void **state) {
    (void)state;
    with_each_set(check_sums_of_octets);
}

static void test_octets_within__tells_which_bins_a_cut_has(void **state) {
    (void)state;
    with_each_set(check_octets_within);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_octets_of_rows__are_the_picked_bytes),
        cmocka_unit_test(test_ranges_of_octets__are_those_of_their_bytes),
        cmocka_unit_test(test_sums_of_octets__are_of_the_bins_of_each_cut),
        cmocka_unit_test(test_octets_within__tells_which_bins_a_cut_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
