/* Division of records: every set gives what the definition gives, wherever the two sides are. */
#include "support/kernel_sets.h"
#include "synth/generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 70, DRAWS = 40, FREE = 5 };

/* Room for records, with room before and behind that must stay as it is. */
typedef struct room {
    uint32_t rows[FREE + ROWS + 1];
    int64_t values[FREE + ROWS + 1];
} room;

static hr_valued_rows place(room *r, size_t at) {
    return (hr_valued_rows){r->rows + at, r->values + at};
}

static room draw_room(hr_dice *dice) {
    room r;
    for (size_t i = 0; i < FREE + ROWS + 1; i++) {
        r.rows[i] = (uint32_t)hr_dice_below(dice, (uint64_t)1 << 32);
        r.values[i] = (int64_t)(hr_dice_below(dice, (uint64_t)1 << 32) << 32 | r.rows[i]);
    }
    return r;
}

/* A division of the `count` records from FREE on: with one side where they are, or `before` them. */
typedef struct division {
    size_t count, before;
    uint8_t goes_left[ROWS + 1];
    room from;
} division;

static division draw_division(hr_dice *dice, size_t count) {
    division d = {.count = count, .before = hr_dice_below(dice, FREE), .from = draw_room(dice)};
    const uint64_t lefts_of_8 = hr_dice_below(dice, 9);
    for (size_t i = 0; i < count; i++) d.goes_left[i] = hr_dice_below(dice, 8) < lefts_of_8;
    d.goes_left[count] = 1;
    return d;
}

static void assert_side(const division *d, uint8_t side, const hr_valued_rows *got) {
    size_t at = 0;
    for (size_t i = 0; i < d->count; i++) {
        if (d->goes_left[i] != side) continue;
        assert_int_equal(got->rows[at], d->from.rows[FREE + i]);
        assert_true(got->values[at++] == d->from.values[FREE + i]);
    }
}

/* What is before a side and behind its room was not written to. */
static void assert_kept_around(const room *was, const room *is, size_t begin, size_t end) {
    for (size_t i = 0; i < FREE + ROWS + 1; i++) {
        if (i >= begin && i < end) continue;
        assert_int_equal(is->rows[i], was->rows[i]);
        assert_true(is->values[i] == was->values[i]);
    }
}

/* `side`: of the records that stay among those that are divided. */
static void check_division(const hr_kernels *set, const division *d, uint8_t side, hr_dice *dice) {
    room stay = d->from, go = draw_room(dice);
    const room were = go;
    const size_t begin = FREE - d->before;
    const hr_valued_rows here = place(&stay, begin), there = place(&go, FREE), *left = side ? &here : &there,
                         *right = side ? &there : &here;
    const hr_given_rows from = {stay.rows + FREE, stay.values + FREE};
    size_t lefts = 0;
    for (size_t i = 0; i < d->count; i++) lefts += d->goes_left[i];
    assert_int_equal(set->divide_rows(&from, d->goes_left, d->count, left, right), lefts);
    assert_side(d, side, &here);
    assert_side(d, !side, &there);
    assert_kept_around(&d->from, &stay, begin, begin + d->count);
    assert_kept_around(&were, &go, FREE, FREE + d->count);
}

static void check_divide_rows(const hr_kernels *set) {
    hr_dice dice;
    hr_dice_init(&dice, 5);
    for (size_t count = 0; count <= ROWS; count++)
        for (size_t draw = 0; draw < DRAWS; draw++) {
            const division d = draw_division(&dice, count);
            check_division(set, &d, 0, &dice);
            check_division(set, &d, 1, &dice);
        }
}

static void test_divide_rows__keeps_both_sides_in_order(void **state) {
    (void)state;
    with_each_set(check_divide_rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_divide_rows__keeps_both_sides_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
