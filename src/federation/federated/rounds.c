#include "federation/federated/rounds.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One spelling for each value: 0 and -0 are the same, and so are all that is missing. */
static double spelled(double value) {
    return isnan(value) ? (double)NAN : value + 0.;
}

static double value_at(const hr_data *data, size_t feature, size_t row) {
    double number;
    uint16_t code;
    if (hr_schema_feature(hr_data_schema(data), feature)->kind == HR_KIND_NUMBER)
        return spelled(*hr_data_number_block(data, feature, row, 1, &number));
    return (double)*hr_data_code_block(data, feature, row, 1, &code);
}

/* A coin for each round but the last: heads, it is that round. */
static uint8_t toss(const uint8_t *secret, const double *record, size_t values, size_t rounds) {
    uint8_t coins[HR_PRF_SIZE], round = 0;
    hr_prf(secret, record, values * sizeof *record, coins);
    while (round + 1u < rounds && coins[round / 8 % HR_PRF_SIZE] >> round % 8 & 1) round++;
    return round;
}

hr_status hr_rounds_of(const hr_data *data, const uint8_t secret[HR_PRF_KEY], size_t rounds,
                       uint8_t *round_of, hr_error *err) {
    size_t features = hr_schema_feature_count(hr_data_schema(data));
    double *record = malloc((features + 1) * sizeof *record);
    if (!record) return hr_fail_memory(err);
    for (size_t i = 0; i < hr_data_rows(data); i++) {
        for (size_t f = 0; f < features; f++) record[f] = value_at(data, f, i);
        record[features] = spelled(hr_data_labels(data)[i]);
        round_of[i] = toss(secret, record, features + 1, rounds);
    }
    free(record);
    return HR_OK;
}
