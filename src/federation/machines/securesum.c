/* What both machines of a secure sum share, and an owner's answers as bytes. */
#include "federation/machines/securesum.h"

#include "base/fail.h"
#include "federation/machines/securesum_machine.h"

size_t hr_securesum_owners(const hr_protocol *any, const size_t **members) {
    const hr_start *start = ((const hr_sum_machine *)any)->start;
    *members = start->owners;
    return start->owner_count;
}

const hr_digest *hr_securesum_start(const hr_protocol *any) {
    const hr_start *start = ((const hr_sum_machine *)any)->start;
    return start->owner_count ? &start->digest : NULL;
}

size_t hr_sum_set_size(size_t owners) {
    return (owners + 7) / 8;
}

bool hr_sum_set_has(const uint8_t *set, size_t owner) {
    return set[owner / 8] >> owner % 8 & 1;
}

hr_status hr_securesum_terms_check(const Hedgerow__Terms *terms, hr_error *err) {
    if (terms->rounds || terms->broadcast || terms->vote_share != 0 || terms->last_slots)
        return hr_fail(err, HR_E_FORMAT, "", "a job with rounds or votes, which this method does not use");
    return HR_OK;
}

hr_status hr_securesum_pack_share(const hr_sum_question *question, const uint64_t *values, size_t count,
                                  hr_bytes *out, hr_error *err) {
    Hedgerow__Share share = HEDGEROW__SHARE__INIT;
    share.position = (uint32_t)question->position;
    share.values = (uint64_t *)values;
    share.n_values = count;
    return hr_message_pack(&share.base, out, err);
}

hr_status hr_securesum_pack_choice(const hr_sum_question *question, uint32_t index, hr_bytes *out,
                                   hr_error *err) {
    Hedgerow__Choice choice = HEDGEROW__CHOICE__INIT;
    choice.turn = (uint32_t)question->position + 1;
    choice.index = index;
    return hr_message_pack(&choice.base, out, err);
}
