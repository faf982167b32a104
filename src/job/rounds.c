#include "job/rounds.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is hashed, by its first byte. */
enum { A_RECORD = 1, A_COPY = 2 };

typedef struct mark {
    uint8_t hash[HR_KEYED_SIZE];
    uint32_t row;
} mark;

/* One spelling for each value: 0 and -0 are the same, and so are all that is missing. */
static double spelled(double value) {
    return isnan(value) ? (double)NAN : value + 0.;
}

static double value_at(const hr_data *data, size_t feature, size_t row) {
    const double *numbers = hr_data_numbers(data, feature);
    return numbers ? spelled(numbers[row]) : (double)hr_data_codes(data, feature)[row];
}

static hr_status mark_records(const hr_data *data, const uint8_t *secret, mark *marks, hr_error *err) {
    size_t features = hr_schema_feature_count(hr_data_schema(data)), size = 1 + (features + 1) * sizeof(double);
    uint8_t *record = malloc(size);
    if (!record) return hr_fail_memory(err);
    record[0] = A_RECORD;
    for (size_t i = 0; i < hr_data_rows(data); i++) {
        for (size_t f = 0; f <= features; f++) {
            double value = f < features ? value_at(data, f, i) : spelled(hr_data_labels(data)[i]);
            memcpy(record + 1 + f * sizeof value, &value, sizeof value);
        }
        hr_keyed(secret, record, size, marks[i].hash);
        marks[i].row = (uint32_t)i;
    }
    free(record);
    return HR_OK;
}

static int by_hash(const void *a, const void *b) {
    return memcmp(((const mark *)a)->hash, ((const mark *)b)->hash, HR_KEYED_SIZE);
}

/* A coin for each round but the last: heads, it is that round. */
static uint8_t toss(const uint8_t *secret, const mark *record, uint64_t copy, size_t rounds) {
    uint8_t asked[1 + HR_KEYED_SIZE + sizeof copy] = {A_COPY}, coins[HR_KEYED_SIZE];
    memcpy(asked + 1, record->hash, HR_KEYED_SIZE);
    memcpy(asked + 1 + HR_KEYED_SIZE, &copy, sizeof copy);
    hr_keyed(secret, asked, sizeof asked, coins);
    uint8_t round = 0;
    while (round + 1u < rounds && coins[round / 8 % HR_KEYED_SIZE] >> round % 8 & 1) round++;
    return round;
}

static hr_status deal(const hr_data *data, const uint8_t *secret, size_t rounds, uint8_t *round_of, hr_error *err) {
    size_t rows = hr_data_rows(data);
    mark *marks = malloc((rows + 1) * sizeof *marks);
    hr_status status = marks ? mark_records(data, secret, marks, err) : hr_fail_memory(err);
    if (!status && rows) qsort(marks, rows, sizeof *marks, by_hash);
    uint64_t copy = 0;
    for (size_t i = 0; !status && i < rows; i++) {
        copy = i && !by_hash(&marks[i - 1], &marks[i]) ? copy + 1 : 0;
        round_of[marks[i].row] = toss(secret, &marks[i], copy, rounds);
    }
    free(marks);
    return status;
}

hr_status hr_rounds_of(const hr_data *data, const uint8_t secret[HR_KEYED_KEY], size_t rounds, uint8_t *round_of, hr_error *err) {
    if (rounds > 1) return deal(data, secret, rounds, round_of, err);
    memset(round_of, 0, hr_data_rows(data));
    return HR_OK;
}
