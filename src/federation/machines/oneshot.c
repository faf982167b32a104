/* What both sides of a one-shot job check and sign. */
#include "base/fail.h"
#include "federation/machines/oneshot_machine.h"

#include <string.h>

static const char released_domain[] = "hedgerow released model 1", model_domain[] = "hedgerow model 1";

hr_status hr_oneshot_terms_check(const Hedgerow__Terms *terms, hr_error *err) {
    bool none = terms->rounds == 1 && !terms->broadcast && terms->vote_share == 0 && !terms->last_slots;
    if (!none || terms->coalition)
        return hr_fail(err, HR_E_FORMAT, "",
                       "a job with rounds, votes or a coalition, which this method does not use");
    if (!terms->train.len || !hr_text_is_fit(terms->train, HR_SETTING_TEXT_MAX))
        return hr_fail(err, HR_E_FORMAT, "", "a job that does not say what each owner trains");
    return HR_OK;
}

enum { PAIR = 2 * HR_DIGEST_SIZE };

static void join_released(const hr_digest *start, const void *model, size_t size, uint8_t pair[PAIR]) {
    const hr_digest of_model = hr_digest_of(model_domain, model, size);
    memcpy(pair, start->bytes, HR_DIGEST_SIZE);
    memcpy(pair + HR_DIGEST_SIZE, of_model.bytes, HR_DIGEST_SIZE);
}

void hr_released_sign(const hr_identity *owner, const hr_digest *start, const hr_bytes *model,
                      uint8_t signature[HR_SIGNATURE_SIZE]) {
    uint8_t pair[PAIR];
    join_released(start, model->at, model->size, pair);
    hr_sign(owner, released_domain, pair, sizeof pair, signature);
}

bool hr_released_holds(const hr_member *owner, const hr_digest *start, const Hedgerow__Released *released) {
    uint8_t pair[PAIR];
    join_released(start, released->model.data, released->model.len, pair);
    return released->signature.len == HR_SIGNATURE_SIZE &&
           hr_signature_holds(&owner->key, released_domain, pair, sizeof pair, released->signature.data);
}
