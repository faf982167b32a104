/* The kernels of floats in rows: every set gives what a loop by definition gives. */
#include "support/check.h"
#include "support/kernel_sets.h"

#include <float.h>
#include <math.h>

enum { ROWS_MAX = 21, WIDTH = 11, ROOM = 24, SPARE = 3 };

typedef struct table {
    float cells[ROWS_MAX][WIDTH];
} table;

static void fill(table *t) {
    for (size_t i = 0; i < ROWS_MAX; i++)
        for (size_t f = 0; f < WIDTH; f++) t->cells[i][f] = (float)((i * 31 + f * 17) % 64) / 8 - 4;
}

/* From the first row on or, backwards, from the last. */
static hr_float_rows rows_of(const table *t, size_t first, size_t count, bool backwards) {
    return (hr_float_rows){backwards ? &t->cells[ROWS_MAX - 1][first] : &t->cells[0][first],
                           backwards ? -WIDTH : WIDTH, count};
}

static hr_float_bounds bounds_of(float low, float high) {
    hr_float_bounds bounds;
    for (size_t k = 0; k < HR_FLOATS_TOGETHER; k++) bounds.low[k] = low, bounds.high[k] = high;
    return bounds;
}

static void check_columns(const hr_kernels *set) {
    table t;
    fill(&t);
    t.cells[2][4] = NAN, t.cells[3][5] = INFINITY, t.cells[4][9] = -FLT_MAX, t.cells[5][3] = 1e-45f;
    for (int backwards = 0; backwards < 2; backwards++)
        for (size_t count = 0; count <= ROWS_MAX; count++) {
            double out[HR_FLOATS_TOGETHER * ROOM];
            const hr_float_rows rows = rows_of(&t, SPARE, count, backwards);
            memset(out, 85, sizeof out);
            set->columns_of_floats(&rows, ROOM, out);
            for (size_t k = 0; k < HR_FLOATS_TOGETHER; k++)
                for (size_t i = 0; i < count; i++) {
                    const size_t row = backwards ? ROWS_MAX - 1 - i : i;
                    const double expected = (double)t.cells[row][SPARE + k];
                    assert_memory_equal(&out[k * ROOM + i], &expected, sizeof expected);
                }
            /* What is behind the rows is not touched. */
            static const uint8_t spare[sizeof(double)] = {85, 85, 85, 85, 85, 85, 85, 85};
            for (size_t k = 0; k < HR_FLOATS_TOGETHER; k++)
                for (size_t i = count; i < ROOM; i++) assert_memory_equal(&out[k * ROOM + i], spare, 8);
        }
}

static void test_columns_of_floats__are_the_same_numbers(void **state) {
    (void)state;
    with_each_set(check_columns);
}

/* One cell at a time is put outside; one beside the eight columns, or behind the rows, counts for nothing. */
static void check_one_outside(const hr_kernels *set, float value, bool expected) {
    enum { COUNT_ROWS = ROWS_MAX - 2 };
    table t;
    const hr_float_bounds bounds = bounds_of(-4, 4);
    for (size_t i = 0; i < ROWS_MAX; i++)
        for (size_t f = 0; f < WIDTH; f++) {
            fill(&t);
            t.cells[i][f] = value;
            const hr_float_rows rows = rows_of(&t, 1, COUNT_ROWS, false);
            const bool seen = i < COUNT_ROWS && f >= 1 && f < 1 + HR_FLOATS_TOGETHER;
            assert_int_equal(set->floats_within(&rows, &bounds), !seen || expected);
        }
}

static void check_within(const hr_kernels *set) {
    static const float outside[] = {NAN, INFINITY, -INFINITY, -FLT_MAX, FLT_MAX}, within[] = {-4, 4, -0.f};
    for (size_t i = 0; i < COUNT(outside); i++) check_one_outside(set, outside[i], false);
    check_one_outside(set, nextafterf(4, 5), false);
    check_one_outside(set, nextafterf(-4, -5), false);
    for (size_t i = 0; i < COUNT(within); i++) check_one_outside(set, within[i], true);
}

static void test_floats_within__are_those_between_the_bounds(void **state) {
    (void)state;
    with_each_set(check_within);
}

/* Each column has bounds of its own. */
static void check_bounds_of_columns(const hr_kernels *set) {
    table t;
    fill(&t);
    const hr_float_rows rows = rows_of(&t, 0, ROWS_MAX, false);
    for (size_t k = 0; k < HR_FLOATS_TOGETHER; k++) {
        hr_float_bounds bounds = bounds_of(-4, 4);
        assert_true(set->floats_within(&rows, &bounds));
        bounds.low[k] = 3;
        assert_true(!set->floats_within(&rows, &bounds));
        bounds.low[k] = -4, bounds.high[k] = -3;
        assert_true(!set->floats_within(&rows, &bounds));
    }
    assert_true(set->floats_within(&(hr_float_rows){t.cells[0], WIDTH, 0}, &(hr_float_bounds){{0}, {0}}));
}

static void test_floats_within__holds_each_column_against_its_bounds(void **state) {
    (void)state;
    with_each_set(check_bounds_of_columns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_of_floats__are_the_same_numbers),
        cmocka_unit_test(test_floats_within__are_those_between_the_bounds),
        cmocka_unit_test(test_floats_within__holds_each_column_against_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
