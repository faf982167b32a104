#include "federation/federated/rounds.h"

#include "base/fail.h"
#include "methods/boosting/inprivate.h"
#include "tables/data/records.h"

#include <stdlib.h>
#include <string.h>

/* ---- The round of each record ---- */

static double value_at(const hr_data *data, size_t feature, size_t row) {
    double number;
    uint16_t code;
    if (hr_schema_feature(hr_data_schema(data), feature)->kind == HR_KIND_NUMBER)
        return hr_spelled(*hr_data_number_block(data, feature, row, 1, &number));
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
        record[features] = hr_spelled(hr_data_labels(data)[i]);
        round_of[i] = toss(secret, record, features + 1, rounds);
    }
    free(record);
    return HR_OK;
}

hr_status hr_rounds_halved(size_t rows, const uint8_t secret[HR_PRF_KEY], size_t rounds, uint8_t *round_of,
                           hr_error *err) {
    hr_csprng *csprng = NULL;
    uint64_t seed = 0;
    for (size_t i = sizeof seed; i-- > 0;) seed = seed << 8 | secret[i];
    hr_status status = hr_csprng_open_seeded(seed, &csprng, err);
    if (!status) status = hr_inprivate_halves(csprng, rows, rounds, round_of, err);
    hr_csprng_close(csprng);
    return status;
}

/* ---- Records of one round ---- */

void hr_round_records_free(hr_round_records *r) {
    if (!r) return;
    hr_data_free(r->records);
    free(r->scores);
    free(r->added);
    free(r);
}

static hr_status take_round_records(const hr_data *data, const uint8_t *secret, const hr_job_state *job_state,
                                    size_t round, hr_data **out, hr_error *err) {
    size_t rows = hr_data_rows(data), rounds = job_state->rounds, count = 0;
    uint8_t *round_of = malloc(rows + 1);
    uint32_t *picked = malloc((rows + 1) * sizeof *picked);
    hr_status status = round_of && picked ? HR_OK : hr_fail_memory(err);
    if (!status)
        status = job_state->rules.paper ? hr_rounds_halved(rows, secret, rounds, round_of, err)
                                        : hr_rounds_of(data, secret, rounds, round_of, err);
    for (size_t i = 0; !status && i < rows; i++)
        if (round_of[i] == round) picked[count++] = (uint32_t)i;
    if (!status) *out = hr_data_take(data, picked, count);
    if (!status && !*out) status = hr_fail_memory(err);
    free(round_of);
    free(picked);
    return status;
}

hr_status hr_round_records_make(const hr_data *data, const uint8_t secret[HR_PRF_KEY],
                                const hr_job_state *job_state, size_t round, hr_round_records **out,
                                hr_error *err) {
    hr_round_records *r = calloc(1, sizeof *r);
    if (!r) return hr_fail_memory(err);
    r->round = round;
    hr_status status = take_round_records(data, secret, job_state, round, &r->records, err);
    if (!status) {
        r->scores = calloc(hr_data_rows(r->records) + 1, sizeof *r->scores);
        r->added = calloc(hr_job_state_slots(job_state), sizeof *r->added);
        if (!r->scores || !r->added) status = hr_fail_memory(err);
    }
    if (status)
        hr_round_records_free(r);
    else
        *out = r;
    return status;
}

void hr_round_records_add(hr_round_records *r, const hr_job_state *job_state, size_t end) {
    for (size_t p = 0; p < end; p++) {
        const hr_paid_tree *tree = hr_job_state_model_tree(job_state, p);
        if (r->added[p] || !tree) continue;
        hr_tree_add(&tree->tree, r->records, r->scores);
        r->added[p] = true;
    }
}
