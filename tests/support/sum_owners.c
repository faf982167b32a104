#include "support/sum_owners.h"

#include "support/check.h"

#include <string.h>

typedef struct owner_keys {
    uint8_t secrets[SUM_OWNERS][HR_MASK_SECRET_SIZE], keys[SUM_OWNERS][HR_MASK_KEY_SIZE];
} owner_keys;

static owner_keys keys_of_owners(void) {
    owner_keys made;
    for (size_t i = 0; i < SUM_OWNERS; i++) {
        memset(made.secrets[i], 11 * (int)i + 1, HR_MASK_SECRET_SIZE);
        hr_mask_public(made.secrets[i], made.keys[i]);
    }
    return made;
}

hr_mask *sum_mask_of(size_t owner) {
    const owner_keys keys = keys_of_owners();
    const bool members[SUM_OWNERS] = {true, true, true};
    uint8_t job[HR_MASK_JOB_SIZE] = {5}, context[HR_MASK_CONTEXT_SIZE] = {7};
    const hr_mask_job setup = {.secret = keys.secrets[owner],
                               .id = job,
                               .keys = keys.keys,
                               .owner_count = SUM_OWNERS,
                               .self = owner};
    hr_mask_pairs *pairs = NULL;
    hr_mask *mask = NULL;
    assert_int_equal(hr_mask_pairs_new(&setup, &pairs, NULL), HR_OK);
    assert_int_equal(hr_mask_new(pairs, &(hr_mask_sum){members, context}, &mask, NULL), HR_OK);
    hr_mask_pairs_free(pairs);
    return mask;
}

sum_gate sum_gate_of(hr_privacy_measure measure, hr_units units, uint64_t seed) {
    sum_gate g = {0};
    assert_int_equal(hr_csprng_open_seeded(seed, &g.csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(measure, units, g.csprng, &g.gate, NULL), HR_OK);
    return g;
}

void sum_gate_done(const sum_gate *g) {
    hr_gate_free(g->gate);
    hr_csprng_close(g->csprng);
}

hr_status sum_answer(const sum_gate *g, size_t owner, const sum_lines *lines, const hr_exact *exact,
                     uint64_t *out) {
    enum { LINES_MAX = 256 };
    hr_permit permits[LINES_MAX];
    hr_status status = HR_OK;
    assert_true(lines->count <= LINES_MAX);
    for (size_t i = 0; !status && i < lines->count; i++)
        status = hr_gate_charge_share(g->gate, &lines->charges[i], lines->shares, &permits[i], NULL);
    if (status) return status;
    hr_mask *mask = sum_mask_of(owner);
    for (size_t i = 0, at = 0; i < lines->count; at += lines->counts[i++])
        hr_gate_share(g->gate, permits[i], exact + at, mask, lines->counts[i], out + at);
    hr_mask_free(mask);
    return HR_OK;
}
