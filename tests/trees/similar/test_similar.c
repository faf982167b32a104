#include "trees/similar/similar.h"

#include "support/check.h"
#include "support/random_numbers.h"
#include "trees/similar/hash_groups.h"
#include "trees/similar/lsh.h"

#include <math.h>
#include <stdbool.h>

/* Of the ties. */
static const uint64_t COINS = 0x0123456789abcdef;

/* ---- The definition, record by record ---- */

static size_t equals_of(const hr_hashes *a, size_t i, const hr_hashes *b, size_t j) {
    size_t equal = 0;
    for (size_t t = 0; t < a->tables; t++) equal += a->at[i * a->tables + t] == b->at[j * b->tables + t];
    return equal;
}

/* What next_random, which is splitmix64, returns after `row` other numbers. */
static uint64_t coin_by_definition(uint64_t coins, size_t row) {
    uint64_t state = coins;
    for (size_t i = 0; i < row; i++) next_random(&state);
    return next_random(&state);
}

static uint64_t equal_pairs_of(const hr_hashes *h, size_t t) {
    uint64_t pairs = 0;
    for (size_t i = 0; i < h->rows; i++)
        for (size_t j = 0; j < h->rows; j++) pairs += h->at[i * h->tables + t] == h->at[j * h->tables + t];
    return pairs;
}

/* Tables by how few pairs of rows are equal in them, then by number. */
static void order_by_definition(const hr_hashes *h, size_t *order) {
    uint64_t pairs[HR_LSH_TABLES_MAX];
    bool taken[HR_LSH_TABLES_MAX] = {false};
    for (size_t t = 0; t < h->tables; t++) pairs[t] = equal_pairs_of(h, t);
    for (size_t k = 0; k < h->tables; k++) {
        size_t best = h->tables;
        for (size_t t = 0; t < h->tables; t++)
            if (!taken[t] && (best == h->tables || pairs[t] < pairs[best])) best = t;
        taken[best] = true;
        order[k] = best;
    }
}

/* Whether row i stands before row j in the order of ties. */
static bool stands_before(const hr_hashes *h, const size_t *order, size_t i, size_t j) {
    const int16_t *a = h->at + i * h->tables, *b = h->at + j * h->tables;
    for (size_t k = 0; k < h->tables; k++)
        if (a[order[k]] != b[order[k]]) return a[order[k]] < b[order[k]];
    return i < j;
}

/* tied: room for the rows of `among`. */
static uint32_t most_similar_by_definition(const hr_hashes *of, size_t row, const hr_hashes *among,
                                           const size_t *order, size_t *tied) {
    size_t most = 0, ties = 0;
    for (size_t i = 0; i < among->rows; i++) {
        const size_t equal = equals_of(of, row, among, i);
        if (equal < most) continue;
        if (equal > most) ties = 0;
        most = equal;
        size_t at = ties++;
        for (; at && stands_before(among, order, i, tied[at - 1]); at--) tied[at] = tied[at - 1];
        tied[at] = i;
    }
    return (uint32_t)tied[coin_by_definition(COINS, row) % ties];
}

/* ---- Tables of hashes ---- */

/* The hashes of some tables vary less: every third has half the values, every fifth a tenth. Values from
 * `low` to low + span - 1; `copies` of every ten rows repeat an earlier one. */
typedef struct hash_shape {
    size_t of_rows, among_rows, tables;
    int32_t low, span;
    size_t copies;
} hash_shape;

static uint64_t span_of(const hash_shape *shape, size_t t) {
    const uint64_t span = (uint64_t)shape->span;
    return t % 5 == 4 ? (span + 9) / 10 : t % 3 == 1 ? (span + 1) / 2 : span;
}

static hr_hashes random_hashes(const hash_shape *shape, size_t rows, uint64_t *random) {
    int16_t *at = malloc((rows * shape->tables + 1) * sizeof *at);
    assert_non_null(at);
    for (size_t i = 0; i < rows; i++) {
        const bool repeats = i && next_random(random) % 10 < shape->copies;
        const size_t from = repeats ? next_random(random) % i : i;
        for (size_t t = 0; t < shape->tables; t++)
            at[i * shape->tables + t] =
                repeats ? at[from * shape->tables + t]
                        : (int16_t)(shape->low + (int32_t)(next_random(random) % span_of(shape, t)));
    }
    return (hr_hashes){at, rows, shape->tables};
}

static void check_found(const hr_hashes *of, const hr_hashes *among, const uint32_t *found) {
    size_t order[HR_LSH_TABLES_MAX], *tied = calloc(among->rows, sizeof *tied);
    assert_non_null(tied);
    order_by_definition(among, order);
    for (size_t i = 0; i < of->rows; i++)
        if (found[i] != most_similar_by_definition(of, i, among, order, tied))
            fail_msg("%zu x %zu of %zu tables: row %zu", of->rows, among->rows, of->tables, i);
    free(tied);
}

static void check_shape(const hash_shape *shape, uint64_t seed, int most_threads) {
    const hr_hashes of = random_hashes(shape, shape->of_rows, &seed),
                    among = random_hashes(shape, shape->among_rows, &seed);
    uint32_t *found = calloc(of.rows + 1, sizeof *found), *again = calloc(of.rows + 1, sizeof *again);
    assert_true(found && again);
    assert_int_equal(hr_similar(&of, &among, COINS, 1, found, NULL), HR_OK);
    check_found(&of, &among, found);
    for (int threads = 2; threads <= most_threads; threads *= 4) {
        assert_int_equal(hr_similar(&of, &among, COINS, threads, again, NULL), HR_OK);
        assert_memory_equal(found, again, of.rows * sizeof *found);
    }
    free((void *)of.at);
    free((void *)among.at);
    free(found);
    free(again);
}

static void test_similar__is_what_the_definition_says_for_random_hashes(void **state) {
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 200; i++) {
        const hash_shape shape = {next_random(&random) % 120,
                                  1 + next_random(&random) % 160,
                                  1 + next_random(&random) % 64,
                                  -3,
                                  1 + (int32_t)(next_random(&random) % 12),
                                  next_random(&random) % 10};
        check_shape(&shape, next_random(&random), i % 20 ? 1 : 8);
    }
}

static void test_similar__is_what_the_definition_says_at_the_ends(void **state) {
    (void)state;
    static const hash_shape shapes[] = {{1, 1, 1, 0, 1, 0},          {50, 1, 7, 0, 3, 0},
                                        {0, 5, 3, 0, 2, 0},          {300, 300, 1, -2, 5, 0},
                                        {200, 200, 40, 0, 1, 0},     {60, 90, 255, 0, 3, 2},
                                        {80, 700, 27, -2, 4, 1},     {80, 700, 16, 0, 2, 0},
                                        {40, 600, 33, -128, 300, 5}, {50, 300, 2, -32768, 65536, 0},
                                        {50, 300, 5, 32760, 8, 0},   {700, 90, 12, -6, 3, 9},
                                        {100, 9000, 20, -1, 3, 1},   {100, 4161, 13, 0, 4, 0},
                                        {60, 5000, 9, -300, 900, 3}, {90, 6000, 14, 0, 1000, 0},
                                        {300, 300, 3, -127, 255, 0}, {300, 300, 3, -127, 256, 0}};
    for (size_t i = 0; i < COUNT(shapes); i++) check_shape(&shapes[i], i + 1, 8);
}

/* ---- Ties ---- */

/* Queries are equal, and tie with all records of `ties`; the other records have no hash in common with them.
 */
enum { TIE_QUERIES = 50, TIE_RECORDS = 12, TIE_TABLES = 3 };
static const uint32_t ties[] = {1, 2, 5, 6, 8, 10, 11};

static void find_ties(uint64_t coins, uint32_t found[TIE_QUERIES]) {
    static const int16_t of[TIE_QUERIES * TIE_TABLES];
    int16_t among[TIE_RECORDS * TIE_TABLES];
    for (size_t i = 0; i < TIE_RECORDS * TIE_TABLES; i++) among[i] = 9;
    for (size_t i = 0; i < COUNT(ties); i++)
        for (size_t t = 0; t < 2; t++) among[ties[i] * TIE_TABLES + (i + t) % TIE_TABLES] = 0;
    assert_int_equal(hr_similar(&(hr_hashes){of, TIE_QUERIES, TIE_TABLES},
                                &(hr_hashes){among, TIE_RECORDS, TIE_TABLES}, coins, 1, found, NULL),
                     HR_OK);
}

static size_t number_of_tie(uint32_t row) {
    for (size_t i = 0; i < COUNT(ties); i++)
        if (ties[i] == row) return i;
    fail_msg("row %u does not tie", row);
    return 0;
}

/* z of a count with mean n p. */
static double deviation_of(size_t count, double n, double p) {
    return ((double)count - n * p) / sqrt(n * p * (1 - p));
}

/* Over coins, each of 7 records that tie has probability 1/7 for the first and for the last query, each pair
 * of what both find 1/49. 63 two-sided tests at 6 standard deviations: 2e-9 each, 1e-7 in all (nearly normal:
 * the least mean is 408). */
static void test_ties__are_chosen_uniformly_from_the_coins(void **state) {
    (void)state;
    enum { COINS_TRIED = 20000, N = COUNT(ties) };
    size_t first[N] = {0}, last[N] = {0}, both[N][N] = {{0}};
    for (uint64_t c = 0; c < COINS_TRIED; c++) {
        uint8_t lsh_coins[HR_LSH_COINS] = {(uint8_t)c, (uint8_t)(c >> 8)};
        uint32_t found[TIE_QUERIES];
        find_ties(hr_similar_coins(lsh_coins, 0, 1), found);
        const size_t a = number_of_tie(found[0]), b = number_of_tie(found[TIE_QUERIES - 1]);
        first[a]++;
        last[b]++;
        both[a][b]++;
    }
    for (size_t a = 0; a < N; a++) {
        assert_true(fabs(deviation_of(first[a], COINS_TRIED, 1. / N)) < 6);
        assert_true(fabs(deviation_of(last[a], COINS_TRIED, 1. / N)) < 6);
        for (size_t b = 0; b < N; b++)
            assert_true(fabs(deviation_of(both[a][b], COINS_TRIED, 1. / (N * N))) < 6);
    }
}

/* 50 queries with 7 choices each agree by chance with probability 7^-50. */
static void test_ties__are_the_same_from_the_same_coins_and_pair_of_owners_alone(void **state) {
    (void)state;
    static const uint8_t coins[HR_LSH_COINS] = {1}, others[HR_LSH_COINS] = {1, [31] = 1};
    uint32_t found[TIE_QUERIES], again[TIE_QUERIES];
    find_ties(hr_similar_coins(coins, 3, 4), found);
    find_ties(hr_similar_coins(coins, 3, 4), again);
    assert_memory_equal(found, again, sizeof found);
    const uint64_t elsewhere[] = {hr_similar_coins(coins, 4, 3), hr_similar_coins(coins, 3, 5),
                                  hr_similar_coins(coins, 3, 4 + 256), hr_similar_coins(others, 3, 4)};
    for (size_t i = 0; i < COUNT(elsewhere); i++) {
        find_ties(elsewhere[i], again);
        assert_memory_not_equal(found, again, sizeof found);
    }
}

/* 900 equal queries and 30 equal records: each record gets 30 of them; below 4 or above 78 is less likely
 * than 1e-8. */
static void test_ties__spread_over_equal_records(void **state) {
    (void)state;
    enum { QUERIES = 900, RECORDS = 30 };
    static int16_t at[QUERIES * 3];
    uint32_t found[QUERIES], given[RECORDS] = {0};
    const hr_hashes of = {at, QUERIES, 3}, among = {at, RECORDS, 3};
    assert_int_equal(hr_similar(&of, &among, COINS, 1, found, NULL), HR_OK);
    for (size_t i = 0; i < QUERIES; i++) given[found[i]]++;
    for (size_t i = 0; i < RECORDS; i++) assert_in_range(given[i], 4, 78);
}

static void test_groups__hold_every_row_once_in_order(void **state) {
    (void)state;
    static const int16_t at[] = {5, 1, 5, 2, 5, 1, -4, 9, 5, 2, 5, 1};
    const hr_hashes hashes = {at, 6, 2};
    hr_hash_groups groups;
    assert_int_equal(hr_hash_groups_init(&groups, &hashes, NULL), HR_OK);
    assert_int_equal(groups.count, 3);
    assert_memory_equal(groups.begins, ((const uint32_t[]){0, 3, 5, 6}), 4 * sizeof(uint32_t));
    assert_memory_equal(groups.rows, ((const uint32_t[]){0, 2, 5, 1, 4, 3}), 6 * sizeof(uint32_t));
    assert_int_equal(hr_hash_group(&groups, 2)[1], 9);
    assert_true(groups.order[0] == 1 && groups.order[1] == 0);
    static const int16_t between[] = {7, 2}, below[] = {5, 0};
    assert_int_equal(hr_hash_groups_find(&groups, between), 1);
    assert_int_equal(hr_hash_groups_find(&groups, below), 0);
    hr_hash_groups_done(&groups);
}

static void test_similar__refuses_hashes_that_do_not_fit_together(void **state) {
    (void)state;
    static const int16_t at[256];
    static const hr_hashes cases[][2] = {{{at, 1, 2}, {at, 0, 2}},
                                         {{at, 1, 2}, {at, 1, 3}},
                                         {{at, 1, 0}, {at, 1, 0}},
                                         {{at, 1, 256}, {at, 1, 256}}};
    uint32_t found = 7;
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_error err = {0};
        assert_int_equal(hr_similar(&cases[i][0], &cases[i][1], 0, 1, &found, &err), HR_E_ARGUMENT);
        assert_true(err.message[0] && err.remedy[0] && found == 7);
    }
    const hr_hashes many = {at, UINT32_MAX, 1}, one = {at, 1, 1};
    assert_int_equal(hr_similar(&many, &one, 0, 1, &found, NULL), HR_E_LIMIT);
    assert_int_equal(hr_similar(&one, &many, 0, 1, &found, NULL), HR_E_LIMIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_similar__is_what_the_definition_says_for_random_hashes),
        cmocka_unit_test(test_similar__is_what_the_definition_says_at_the_ends),
        cmocka_unit_test(test_ties__are_chosen_uniformly_from_the_coins),
        cmocka_unit_test(test_ties__are_the_same_from_the_same_coins_and_pair_of_owners_alone),
        cmocka_unit_test(test_ties__spread_over_equal_records),
        cmocka_unit_test(test_groups__hold_every_row_once_in_order),
        cmocka_unit_test(test_similar__refuses_hashes_that_do_not_fit_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
