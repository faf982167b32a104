/* Division of records: every set gives what the definition gives, wherever the two sides are. */
#include "support/kernel_sets.h"
#include "tables/synth/generate.h"

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

/* A division of the `count` records from FREE on. */
typedef struct division {
    size_t count;
    uint8_t goes_left[ROWS + 1];
    room from;
} division;

static division draw_division(hr_dice *dice, size_t count) {
    division d = {.count = count, .from = draw_room(dice)};
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
static void assert_kept_around(size_t count, const room *was, const room *is) {
    for (size_t i = 0; i < FREE + ROWS + 1; i++) {
        if (i >= FREE && i < FREE + count) continue;
        assert_int_equal(is->rows[i], was->rows[i]);
        assert_true(is->values[i] == was->values[i]);
    }
}

/* One side is where the records are, the other elsewhere. `side`: of those that stay. With `listed`, the rows
 * that are divided are elsewhere, too, as those of a root are. */
static void check_division(const hr_kernels *set, const division *d, uint8_t side, const uint32_t *listed,
                           hr_dice *dice) {
    room stay = d->from, go = draw_room(dice);
    const room were = go;
    const hr_valued_rows here = place(&stay, FREE), there = place(&go, FREE), *left = side ? &here : &there,
                         *right = side ? &there : &here;
    const hr_given_rows from = {listed ? listed : here.rows, here.values};
    size_t lefts = 0;
    for (size_t i = 0; i < d->count; i++) lefts += d->goes_left[i];
    if (listed) memset(here.rows, 77, d->count * sizeof *here.rows);
    assert_int_equal(set->divide_rows(&from, d->goes_left, d->count, left, right), lefts);
    assert_side(d, side, &here);
    assert_side(d, !side, &there);
    assert_kept_around(d->count, &d->from, &stay);
    assert_kept_around(d->count, &were, &go);
}

static void check_divide_rows(const hr_kernels *set) {
    hr_dice dice;
    hr_dice_init(&dice, 5);
    for (size_t count = 0; count <= ROWS; count++)
        for (size_t draw = 0; draw < DRAWS; draw++) {
            const division d = draw_division(&dice, count);
            for (uint8_t side = 0; side < 2; side++) {
                check_division(set, &d, side, NULL, &dice);
                check_division(set, &d, side, d.from.rows + FREE, &dice);
            }
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
