/* What both sides of secure sums know. */
#include "federation/machines/securesum.h"

#include "base/fail.h"

size_t hr_securesum_owners(const hr_protocol *any, const size_t **members) {
    *members = any->start->owners;
    return any->start->owner_count;
}

const hr_digest *hr_securesum_start(const hr_protocol *any) {
    return any->start->owner_count ? &any->start->digest : NULL;
}

size_t hr_sum_set_size(size_t owners) {
    return (owners + 7) / 8;
}

bool hr_sum_set_has(const uint8_t *set, size_t owner) {
    return set[owner / 8] >> owner % 8 & 1;
}

hr_status hr_securesum_terms_check(hr_protocol *self, const Hedgerow__Terms *terms, hr_error *err) {
    (void)self;
    if (terms->rounds || terms->broadcast || terms->vote_share != 0 || terms->last_slots ||
        terms->exact_rounds || terms->exact_trees)
        return hr_fail(err, HR_E_FORMAT, "", "a job with rounds or votes, which this method does not use");
    return HR_OK;
}
