#include "federation/protocol/decline.h"

#include "base/fail.h"

#include <stdio.h>
#include <string.h>

static const char decline_domain[] = "hedgerow decline 1";

/* What is signed, with the text at its end; bytes alone, so nothing lies between them. */
typedef struct signed_decline {
    uint8_t job[HR_JOB_BYTES], coordinator[HR_KEY_SIZE], code[4];
    char text[HR_DECLINE_TEXT];
} signed_decline;

/* Of a text that is short enough. Returns how many bytes are signed. */
static size_t lay_out_decline(const Hedgerow__Decline *wire, const hr_job_id *job,
                              const hr_public_key *coordinator, signed_decline *out) {
    memcpy(out->job, job->bytes, HR_JOB_BYTES);
    memcpy(out->coordinator, coordinator->bytes, HR_KEY_SIZE);
    for (int i = 0; i < 4; i++) out->code[i] = (uint8_t)((uint32_t)wire->code >> 8 * i);
    if (wire->text.len) memcpy(out->text, wire->text.data, wire->text.len);
    return offsetof(signed_decline, text) + wire->text.len;
}

/* The longest beginning that ends with a whole character. */
static void take_decline_text(const char *text, char out[HR_DECLINE_TEXT + 1]) {
    size_t size = strlen(text);
    if (size > HR_DECLINE_TEXT) {
        size = HR_DECLINE_TEXT;
        while (size && ((unsigned char)text[size] & 0xc0) == 0x80) size--;
    }
    if (!hr_text_is_fit(hr_data_of(text, size), HR_DECLINE_TEXT)) size = 0;
    memcpy(out, text, size);
    out[size] = '\0';
}

void hr_decline_make(const hr_identity *owner, const hr_job_id *job, const hr_public_key *coordinator,
                     hr_decline_code code, const char *text, hr_decline *out) {
    signed_decline content;
    hedgerow__decline__init(&out->wire);
    take_decline_text(text, out->text);
    out->wire.code = code;
    out->wire.text = hr_text_of(out->text);
    const size_t size = lay_out_decline(&out->wire, job, coordinator, &content);
    hr_sign(owner, decline_domain, &content, size, out->signature);
    out->wire.signature = hr_data_of(out->signature, HR_SIGNATURE_SIZE);
}

hr_status hr_decline_check(const Hedgerow__Decline *wire, const hr_member *owner, const hr_job_id *job,
                           const hr_public_key *coordinator, hr_error *err) {
    signed_decline content;
    if (!hr_text_is_fit(wire->text, HR_DECLINE_TEXT))
        return hr_fail(err, HR_E_POLICY, "",
                       "a decline whose text is too long, or has control or format characters");
    const size_t size = lay_out_decline(wire, job, coordinator, &content);
    if (wire->signature.len == HR_SIGNATURE_SIZE &&
        hr_signature_holds(&owner->key, decline_domain, &content, size, wire->signature.data))
        return HR_OK;
    return hr_fail(err, HR_E_POLICY, "", "a decline of this job that %s did not sign", owner->name);
}

hr_job_ending hr_decline_ending(hr_decline_code code) {
    if (code == HEDGEROW__DECLINE__CODE__FEW_OWNERS) return HR_JOB_NOT_BEGUN;
    return code == HEDGEROW__DECLINE__CODE__VIOLATION ? HR_JOB_VIOLATED : HR_JOB_DECLINED;
}

hr_decline_code hr_decline_of(hr_job_ending ending) {
    if (ending == HR_JOB_CANCELLED) return HEDGEROW__DECLINE__CODE__CANCELLED;
    if (ending == HR_JOB_REMOVED) return HEDGEROW__DECLINE__CODE__UNKNOWN_MEMBER;
    if (ending == HR_JOB_REPLACED) return HEDGEROW__DECLINE__CODE__FULL;
    return ending == HR_JOB_EXPIRED ? HEDGEROW__DECLINE__CODE__EXPIRED : HEDGEROW__DECLINE__CODE__OTHER;
}

const char *hr_decline_meaning(hr_decline_code code) {
    static const char *const meanings[] = {
        [HEDGEROW__DECLINE__CODE__OTHER] = "no reason is given",
        [HEDGEROW__DECLINE__CODE__POLICY] = "its policy",
        [HEDGEROW__DECLINE__CODE__REFUSED] = "refused",
        [HEDGEROW__DECLINE__CODE__CANCELLED] = "cancelled",
        [HEDGEROW__DECLINE__CODE__PROTOCOL_VERSION] = "another version of the protocol",
        [HEDGEROW__DECLINE__CODE__FEDERATION_VERSION] = "another version of the federation file",
        [HEDGEROW__DECLINE__CODE__UNKNOWN_MEMBER] = "an unknown member",
        [HEDGEROW__DECLINE__CODE__NOT_COORDINATOR] = "not one of its coordinators",
        [HEDGEROW__DECLINE__CODE__UNKNOWN_JOB] = "an unknown job",
        [HEDGEROW__DECLINE__CODE__FEW_OWNERS] = "too few owners",
        [HEDGEROW__DECLINE__CODE__VIOLATION] = "a message that the protocol does not allow",
        [HEDGEROW__DECLINE__CODE__RECORDS] = "its records",
        [HEDGEROW__DECLINE__CODE__FULL] = "too many open jobs",
        [HEDGEROW__DECLINE__CODE__EXPIRED] = "the job is too old",
        [HEDGEROW__DECLINE__CODE__ROLLED_BACK] = "its ledger is an older copy"};
    const size_t at = (size_t)code;
    return at < sizeof meanings / sizeof *meanings ? meanings[at] : meanings[0];
}

hr_status hr_decline_answer(const Hedgerow__Decline *wire, hr_bytes *out, hr_error *err) {
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    Hedgerow__Message message = HEDGEROW__MESSAGE__INIT;
    answer.decline = (Hedgerow__Decline *)wire;
    message.kind_case = HEDGEROW__MESSAGE__KIND_ANSWER;
    message.answer = &answer;
    return hr_message_pack(&message.base, out, err);
}
