/* Which round a record trains in: its own, whatever becomes of the others. */
#include "federation/federated/rounds.h"

#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "tables/synth/generate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 4096, ROUNDS = 3, SECRETS = 1000, FEW = 60, KINDS = 5 };

static const uint8_t secret[HR_PRF_KEY] = "the secret of a job, 32 bytes..";

/* A number, a category and a label; `kinds` of them. */
static hr_data *table_of(size_t rows, size_t kinds) {
    static const char *const values[] = {"a", "b"};
    const hr_column features[] = {
        {.name = "u", .kind = HR_KIND_NUMBER, .low = 0, .high = ROWS},
        {.name = "v", .kind = HR_KIND_CATEGORY, .value_count = 2, .values = values}};
    const hr_column label = {.name = "y", .kind = HR_KIND_CATEGORY, .value_count = 2, .values = values};
    hr_schema *schema;
    hr_data *data;
    double *u = calloc(rows + 1, sizeof *u), *v = calloc(rows + 1, sizeof *v),
           *y = calloc(rows + 1, sizeof *y);
    assert_non_null(u);
    assert_non_null(v);
    assert_non_null(y);
    for (size_t i = 0; i < rows; i++) {
        size_t kind = i % kinds;
        u[i] = kind ? (double)(kind / 4) : (double)NAN;
        v[i] = (double)(kind % 2);
        y[i] = (double)(kind / 2 % 2);
    }
    const double *const columns[] = {u, v};
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = features, .feature_count = 2}, &schema,
                       NULL),
        HR_OK);
    assert_int_equal(hr_data_from_arrays(schema, rows, columns, y, &data, NULL), HR_OK);
    free(u);
    free(v);
    free(y);
    return data;
}

/* With its schema, which copies of its records share. */
static void table_done(hr_data *data) {
    hr_schema *schema = (hr_schema *)hr_data_schema(data);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void rounds_of(const hr_data *data, const uint8_t *key, size_t rounds, uint8_t *out) {
    memset(out, 0xee, ROWS);
    assert_int_equal(hr_rounds_of(data, key, rounds, out, NULL), HR_OK);
}

/* Records in another order, and some of them gone. */
static size_t pick(hr_dice *dice, uint32_t *rows) {
    size_t count = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        if (hr_dice_below(dice, 3)) rows[count++] = i;
    for (size_t i = count; i > 1; i--) {
        size_t k = hr_dice_below(dice, i);
        uint32_t kept = rows[i - 1];
        rows[i - 1] = rows[k], rows[k] = kept;
    }
    return count;
}

static void test_rounds__are_the_record_s_own(void **state) {
    (void)state;
    uint8_t before[ROWS], after[ROWS];
    uint32_t rows[ROWS];
    hr_dice dice;
    hr_dice_init(&dice, 1);
    hr_data *all = table_of(ROWS, ROWS);
    rounds_of(all, secret, ROUNDS, before);
    for (int times = 0; times < 5; times++) {
        size_t count = pick(&dice, rows);
        hr_data *left = hr_data_take(all, rows, count);
        assert_non_null(left);
        rounds_of(left, secret, ROUNDS, after);
        for (size_t i = 0; i < count; i++) assert_int_equal(after[i], before[rows[i]]);
        hr_data_free(left);
    }
    table_done(all);
}

/* Equal records share a round. Were copies told apart, one that goes would move another: a record would train
 * two trees. */
static void test_rounds__of_copies_stay_when_one_of_them_goes(void **state) {
    (void)state;
    uint8_t before[ROWS], after[ROWS], key[HR_PRF_KEY];
    hr_dice dice;
    hr_dice_init(&dice, 2);
    hr_data *all = table_of(FEW, KINDS);
    for (int times = 0; times < SECRETS; times++) {
        uint32_t rows[FEW], gone = (uint32_t)hr_dice_below(&dice, FEW);
        for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)hr_dice_below(&dice, 256);
        for (uint32_t i = 0; i < FEW - 1; i++) rows[i] = i < gone ? i : i + 1;
        hr_data *left = hr_data_take(all, rows, FEW - 1);
        assert_non_null(left);
        rounds_of(all, key, ROUNDS, before);
        rounds_of(left, key, ROUNDS, after);
        for (size_t i = 0; i < FEW - 1; i++) assert_int_equal(after[i], before[rows[i]]);
        for (size_t i = KINDS; i < FEW; i++) assert_int_equal(before[i], before[i % KINDS]);
        hr_data_free(left);
    }
    table_done(all);
}

static void count_rounds(const hr_data *data, const uint8_t *key, size_t rounds, size_t *counts) {
    uint8_t round_of[ROWS];
    rounds_of(data, key, rounds, round_of);
    memset(counts, 0, rounds * sizeof *counts);
    for (size_t i = 0; i < hr_data_rows(data); i++) {
        assert_true(round_of[i] < rounds);
        counts[round_of[i]]++;
    }
}

/* Adding one record adds one to one round, and changes no other: also one of which there are copies. */
static void test_rounds__of_others_stay_when_a_record_comes(void **state) {
    (void)state;
    size_t before[ROUNDS], after[ROUNDS];
    for (size_t kinds = 1; kinds <= 64; kinds *= 4) {
        hr_data *more = table_of(600, kinds);
        uint32_t rows[600];
        for (uint32_t i = 0; i < 599; i++) rows[i] = i < 300 ? i : i + 1;
        hr_data *fewer = hr_data_take(more, rows, 599);
        assert_non_null(fewer);
        count_rounds(fewer, secret, ROUNDS, before);
        count_rounds(more, secret, ROUNDS, after);
        size_t changed = 0;
        for (size_t r = 0; r < ROUNDS; r++) {
            assert_true(after[r] == before[r] || after[r] == before[r] + 1);
            changed += after[r] - before[r];
        }
        assert_int_equal(changed, 1);
        hr_data_free(fewer);
        table_done(more);
    }
}

/* Within five standard deviations, for 3 fixed counts: it either holds or it does not. */
static void test_rounds__halve_the_records(void **state) {
    (void)state;
    static const double shares[ROUNDS] = {.5, .25, .25};
    size_t counts[ROUNDS];
    hr_data *data = table_of(ROWS, ROWS);
    count_rounds(data, secret, ROUNDS, counts);
    for (size_t r = 0; r < ROUNDS; r++)
        assert_true(fabs((double)counts[r] - ROWS * shares[r]) <
                    5 * sqrt(ROWS * shares[r] * (1 - shares[r])));
    table_done(data);
}

/* As published: half of what is left, rounded down, whatever the secret; what is left after the last round
 * trains no tree. */
static void test_rounds__of_mode_paper_are_exact_halves(void **state) {
    (void)state;
    uint8_t one[ROWS], again[ROWS], key[HR_PRF_KEY];
    memcpy(key, secret, sizeof key);
    for (size_t rows = 0; rows < 40; rows++) {
        size_t left = rows, counts[ROUNDS + 1] = {0};
        key[0] = (uint8_t)rows;
        assert_int_equal(hr_rounds_halved(rows, key, ROUNDS, one, NULL), HR_OK);
        assert_int_equal(hr_rounds_halved(rows, key, ROUNDS, again, NULL), HR_OK);
        assert_memory_equal(one, again, rows);
        for (size_t i = 0; i < rows; i++) counts[one[i]]++;
        for (size_t r = 0; r < ROUNDS; r++) {
            assert_int_equal(counts[r], left / 2);
            left -= left / 2;
        }
        assert_int_equal(counts[ROUNDS], left);
    }
    key[1]++;
    assert_int_equal(hr_rounds_halved(39, key, ROUNDS, again, NULL), HR_OK);
    assert_memory_not_equal(one, again, 39);
}

static void test_rounds__are_secret(void **state) {
    (void)state;
    uint8_t one[ROWS], other[ROWS], again[ROWS], another[HR_PRF_KEY];
    hr_data *data = table_of(ROWS, ROWS);
    memcpy(another, secret, sizeof another);
    another[31] ^= 1;
    rounds_of(data, secret, 2, one);
    rounds_of(data, secret, 2, again);
    rounds_of(data, another, 2, other);
    assert_memory_equal(one, again, ROWS);
    size_t same = 0;
    for (size_t i = 0; i < ROWS; i++) same += one[i] == other[i];
    assert_true(fabs((double)same - ROWS / 2) < 5 * sqrt(ROWS / 4));
    table_done(data);
}

static void test_rounds__of_no_records_and_of_one_round(void **state) {
    (void)state;
    uint8_t round_of[ROWS];
    hr_data *all = table_of(5, 5), *none = hr_data_take(all, NULL, 0);
    assert_non_null(none);
    rounds_of(none, secret, 8, round_of);
    assert_int_equal(round_of[0], 0xee);
    rounds_of(all, secret, 1, round_of);
    for (size_t i = 0; i < 5; i++) assert_int_equal(round_of[i], 0);
    hr_data_free(none);
    table_done(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds__are_the_record_s_own),
        cmocka_unit_test(test_rounds__of_copies_stay_when_one_of_them_goes),
        cmocka_unit_test(test_rounds__of_others_stay_when_a_record_comes),
        cmocka_unit_test(test_rounds__halve_the_records),
        cmocka_unit_test(test_rounds__are_secret),
        cmocka_unit_test(test_rounds__of_mode_paper_are_exact_halves),
        cmocka_unit_test(test_rounds__of_no_records_and_of_one_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
