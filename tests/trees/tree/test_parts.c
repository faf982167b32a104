/* Sharing records out: drawn parts stay where they are when a record is added, fixed ones do not. */
#include "support/chi_square.h"
#include "trees/tree/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef hr_status sharing(hr_csprng *csprng, size_t rows, const double *weights, size_t count, hr_parts *out,
                          hr_error *err);

static hr_parts shared(sharing *share, uint64_t seed, size_t rows, const double *weights, size_t count) {
    hr_csprng *csprng = NULL;
    hr_parts parts = {0};
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    assert_int_equal(share(csprng, rows, weights, count, &parts, NULL), HR_OK);
    hr_csprng_close(csprng);
    return parts;
}

static size_t size_of(const hr_parts *parts, size_t part) {
    return parts->begin[part + 1] - parts->begin[part];
}

/* part_of[row], or `count` for a row in none. Checks that parts are disjoint, ascending and within range. */
static void parts_of_rows(const hr_parts *parts, size_t rows, size_t *part_of) {
    for (size_t i = 0; i < rows; i++) part_of[i] = parts->count;
    assert_int_equal(parts->begin[0], 0);
    for (size_t j = 0; j < parts->count; j++) {
        assert_true(parts->begin[j] <= parts->begin[j + 1] && parts->begin[j + 1] <= rows);
        for (size_t k = parts->begin[j]; k < parts->begin[j + 1]; k++) {
            assert_true(parts->rows[k] < rows && part_of[parts->rows[k]] == parts->count);
            assert_true(k == parts->begin[j] || parts->rows[k - 1] < parts->rows[k]);
            part_of[parts->rows[k]] = j;
        }
    }
}

static const double equal[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, skewed[5] = {8, 4, 2, 1, .5}, one[1] = {.3};
static const double with_nothing[3] = {1, 0, 2};

/* What this rests on: records draw in order, each from where the one before left the stream, so what record i
 * reads of the stream does not depend on how many follow. */
static void test_drawn__leaves_the_others_where_they_are(void **state) {
    (void)state;
    enum { MOST = 300 };
    static const struct {
        const double *weights;
        size_t count;
    } cases[] = {{equal, 10}, {skewed, 5}, {one, 1}, {with_nothing, 3}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        size_t before[MOST], after[MOST];
        for (size_t rows = 0; rows < MOST; rows += 1 + rows / 7) {
            hr_parts fewer = shared(hr_parts_drawn, 5 + c, rows, cases[c].weights, cases[c].count);
            hr_parts more = shared(hr_parts_drawn, 5 + c, rows + 1, cases[c].weights, cases[c].count);
            parts_of_rows(&fewer, rows, before);
            parts_of_rows(&more, rows + 1, after);
            assert_int_equal(fewer.begin[cases[c].count], rows); /* everyone has a part */
            assert_int_equal(more.begin[cases[c].count], rows + 1);
            assert_memory_equal(before, after, rows * sizeof *before);
            hr_parts_done(&fewer);
            hr_parts_done(&more);
        }
    }
}

/* One chi-square over all records of one draw; false-alarm rate 1e-6. */
static void assert_frequencies(const double *weights, size_t count, uint64_t seed) {
    enum { ROWS = 200000 };
    double probability[16], sum = 0;
    uint64_t seen[16];
    hr_parts parts = shared(hr_parts_drawn, seed, ROWS, weights, count);
    for (size_t j = 0; j < count; j++) sum += weights[j];
    for (size_t j = 0; j < count; j++) probability[j] = weights[j] / sum, seen[j] = size_of(&parts, j);
    assert_true(chi_square_fits(seen, probability, count, ROWS));
    hr_parts_done(&parts);
}

static void test_drawn__has_the_probabilities_it_was_given(void **state) {
    (void)state;
    assert_frequencies(equal, 10, 1);
    assert_frequencies(skewed, 5, 2);
    double geometric[16];
    for (int j = 0; j < 16; j++) geometric[j] = .3 * pow(.7, j);
    assert_frequencies(geometric, 16, 3);
    hr_parts parts = shared(hr_parts_drawn, 4, 1000, with_nothing, 3);
    assert_int_equal(size_of(&parts, 1), 0);
    hr_parts_done(&parts);
}

/* Parts of two records are independent: the pairs of parts of records 2k and 2k + 1; false-alarm rate 1e-6.
 */
static void test_drawn__draws_records_independently(void **state) {
    (void)state;
    enum { ROWS = 100000, PARTS = 5 };
    static size_t part_of[ROWS];
    uint64_t seen[PARTS * PARTS] = {0};
    double probability[PARTS * PARTS];
    hr_parts parts = shared(hr_parts_drawn, 9, ROWS, skewed, PARTS);
    parts_of_rows(&parts, ROWS, part_of);
    for (size_t i = 0; i < ROWS; i += 2) seen[part_of[i] * PARTS + part_of[i + 1]]++;
    for (size_t j = 0; j < PARTS * PARTS; j++)
        probability[j] = skewed[j / PARTS] * skewed[j % PARTS] / (15.5 * 15.5);
    assert_true(chi_square_fits(seen, probability, PARTS * PARTS, ROWS / 2));
    hr_parts_done(&parts);
}

static void test_fixed__rounds_every_size_down(void **state) {
    (void)state;
    size_t part_of[200];
    for (size_t rows = 0; rows < 200; rows++) {
        hr_parts tens = shared(hr_parts_fixed, rows, rows, equal, 10),
                 halves = shared(hr_parts_fixed, rows, rows, skewed, 5);
        parts_of_rows(&tens, rows, part_of);
        parts_of_rows(&halves, rows, part_of);
        for (size_t j = 0; j < 10; j++) assert_int_equal(size_of(&tens, j), rows / 10);
        for (size_t j = 0; j < 5; j++) assert_int_equal(size_of(&halves, j), rows * (16 >> j) / 31);
        hr_parts_done(&tens);
        hr_parts_done(&halves);
    }
}

/* The flaw of fixed sizes (B5): the tenth record gives every one of ten subsets its first record. */
static void test_fixed__moves_every_subset_when_a_record_is_added(void **state) {
    (void)state;
    hr_parts nine = shared(hr_parts_fixed, 1, 9, equal, 10), ten = shared(hr_parts_fixed, 1, 10, equal, 10);
    for (size_t j = 0; j < 10; j++) assert_true(size_of(&nine, j) == 0 && size_of(&ten, j) == 1);
    hr_parts_done(&nine);
    hr_parts_done(&ten);
}

/* Which records a fixed part gets is uniform: the part of one record over many draws, and the pairs of parts
 * of two; false-alarm rate 1e-6 each. */
static void test_fixed__picks_records_at_random(void **state) {
    (void)state;
    enum { DRAWS = 40000, ROWS = 6, PARTS = 3 };
    static const double weights[PARTS] = {3, 2, 1};
    uint64_t first[PARTS] = {0}, pairs[PARTS * PARTS] = {0};
    double single[PARTS], both[PARTS * PARTS];
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(3, &csprng, NULL), HR_OK);
    for (int n = 0; n < DRAWS; n++) {
        hr_parts parts = {0};
        size_t part_of[ROWS];
        assert_int_equal(hr_parts_fixed(csprng, ROWS, weights, PARTS, &parts, NULL), HR_OK);
        parts_of_rows(&parts, ROWS, part_of);
        first[part_of[0]]++;
        pairs[part_of[1] * PARTS + part_of[5]]++;
        hr_parts_done(&parts);
    }
    hr_csprng_close(csprng);
    for (size_t j = 0; j < PARTS; j++) single[j] = weights[j] / ROWS;
    for (size_t j = 0; j < PARTS * PARTS; j++)
        both[j] = weights[j / PARTS] * (weights[j % PARTS] - (j / PARTS == j % PARTS)) / (ROWS * (ROWS - 1));
    assert_true(chi_square_fits(first, single, PARTS, DRAWS));
    assert_true(chi_square_fits(pairs, both, PARTS * PARTS, DRAWS));
}

static void test_parts__can_be_freed_twice(void **state) {
    (void)state;
    hr_parts parts = shared(hr_parts_drawn, 1, 10, equal, 10);
    hr_parts_done(&parts);
    hr_parts_done(&parts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn__leaves_the_others_where_they_are),
        cmocka_unit_test(test_drawn__has_the_probabilities_it_was_given),
        cmocka_unit_test(test_drawn__draws_records_independently),
        cmocka_unit_test(test_fixed__rounds_every_size_down),
        cmocka_unit_test(test_fixed__moves_every_subset_when_a_record_is_added),
        cmocka_unit_test(test_fixed__picks_records_at_random),
        cmocka_unit_test(test_parts__can_be_freed_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
