#include "federation/protocol/receipt.h"

#include "base/fail.h"
#include "base/text/calendar.h"

#include <stdlib.h>
#include <string.h>

static const char receipt_domain[] = "hedgerow receipt 1";

enum { PURPOSE_MAX = 1000 }; /* bytes, as of the ledger's entries */

/* What is signed: all fields but the signature. */
static hr_status pack_content(const Hedgerow__Receipt *receipt, hr_bytes *out, hr_error *err) {
    Hedgerow__Receipt content = *receipt;
    content.signature = (ProtobufCBinaryData){0};
    return hr_message_pack(&content.base, out, err);
}

hr_status hr_receipt_sign(const hr_identity *owner, const Hedgerow__Receipt *receipt, hr_bytes *out,
                          hr_error *err) {
    uint8_t signature[HR_SIGNATURE_SIZE];
    hr_bytes content = {0};
    Hedgerow__Receipt whole = *receipt;
    hr_status status = pack_content(receipt, &content, err);
    if (status) return status;
    hr_sign(owner, receipt_domain, content.at, content.size, signature);
    free(content.at);
    whole.signature = hr_data_of(signature, sizeof signature);
    return hr_message_pack(&whole.base, out, err);
}

static bool is_name(ProtobufCBinaryData name) {
    return name.len && hr_text_is_fit(name, HR_SETTING_TEXT_MAX);
}

static bool is_receipt_fit(const Hedgerow__Receipt *r) {
    const bool named = is_name(r->federation) && is_name(r->owner) && is_name(r->coordinator) &&
                       r->job.len == HR_JOB_BYTES && r->purpose.len &&
                       hr_text_is_fit(r->purpose, PURPOSE_MAX);
    const bool placed = r->number && r->number <= INT64_MAX &&
                        r->previous.len == (r->number == 1 ? 0 : HR_DIGEST_SIZE) && r->date <= HR_DATE_MAX;
    return named && placed && r->epsilon > 0 && r->epsilon <= 1 << 20 && r->delta >= 0 && r->delta < 1 &&
           hr_text_is_fit(r->unit, HR_SCHEMA_TEXT_MAX) && r->signature.len == HR_SIGNATURE_SIZE;
}

hr_status hr_receipt_read(const void *bytes, size_t size, Hedgerow__Receipt **out, hr_error *err) {
    ProtobufCMessage *read = NULL;
    if (size > HR_RECEIPT_MAX) return hr_fail(err, HR_E_LIMIT, "", "a receipt of more than 2048 bytes");
    hr_status status = hr_message_unpack(&hedgerow__receipt__descriptor, bytes, size, &read, err);
    if (status) return status;
    if (!is_receipt_fit((Hedgerow__Receipt *)read)) {
        hr_message_unpacked_free(read);
        return hr_fail(err, HR_E_FORMAT, "", "a receipt with a field that is missing or out of range");
    }
    *out = (Hedgerow__Receipt *)read;
    return HR_OK;
}

hr_status hr_receipt_check(const Hedgerow__Receipt *receipt, const hr_public_key *owner, hr_error *err) {
    hr_bytes content = {0};
    hr_status status = pack_content(receipt, &content, err);
    if (status) return status;
    const bool holds =
        hr_signature_holds(owner, receipt_domain, content.at, content.size, receipt->signature.data);
    free(content.at);
    return holds ? HR_OK : hr_fail(err, HR_E_POLICY, "", "a receipt that its owner did not sign");
}

hr_status hr_receipt_digest(const Hedgerow__Receipt *receipt, hr_digest *out, hr_error *err) {
    hr_bytes content = {0};
    hr_status status = pack_content(receipt, &content, err);
    if (!status) *out = hr_digest_of(receipt_domain, content.at, content.size);
    free(content.at);
    return status;
}

/* *last: the number of the one before, and then of this one. */
static hr_status check_one(ProtobufCBinaryData bytes, const hr_receipt_ends *ends, bool of_job,
                           uint64_t *last, hr_error *err) {
    Hedgerow__Receipt *r = NULL;
    hr_status status = hr_receipt_read(bytes.data, bytes.len, &r, err);
    if (status) return status;
    status = hr_receipt_check(r, &ends->owner->key, err);
    if (!status && !(hr_text_is(r->federation, ends->federation) && hr_text_is(r->owner, ends->owner->name) &&
                     hr_text_is(r->coordinator, ends->coordinator->name)))
        status = hr_fail(err, HR_E_POLICY, "", "a receipt of other members or of another federation");
    if (!status && r->number < *last)
        status = hr_fail(err, HR_E_POLICY, "", "receipts that are not in the order of their numbers");
    if (!status && of_job && memcmp(r->job.data, ends->job->bytes, HR_JOB_BYTES) != 0)
        status = hr_fail(err, HR_E_POLICY, "", "receipts of which the last is of another job");
    *last = r->number;
    hr_message_unpacked_free(&r->base);
    return status;
}

hr_status hr_receipts_check(const ProtobufCBinaryData *receipts, size_t count, const hr_receipt_ends *ends,
                            hr_error *err) {
    uint64_t last = 0;
    hr_status status = HR_OK;
    if (!count || count > HR_RECEIPTS_MAX) return hr_fail(err, HR_E_LIMIT, "", "%zu receipts", count);
    for (size_t i = 0; !status && i < count; i++)
        status = check_one(receipts[i], ends, i == count - 1, &last, err);
    return status;
}
