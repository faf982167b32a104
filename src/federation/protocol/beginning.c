/* What both sides of a job's beginning read, check and sign. */
#include "federation/protocol/beginning.h"

#include "base/fail.h"
#include "base/text/calendar.h"
#include "federation/protocol/checked_signatures.h"
#include "federation/protocol/receipt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t hr_members_position(const size_t *members, size_t count, size_t member) {
    size_t i = 0;
    while (i < count && members[i] != member) i++;
    return i;
}

hr_status hr_members_read(const hr_membership *membership, const ProtobufCBinaryData *names, size_t count,
                          size_t *members, hr_error *err) {
    if (!count || count > membership->count)
        return hr_fail(err, HR_E_FORMAT, "", "a list of %zu members", count);
    for (size_t i = 0; i < count; i++) {
        members[i] = hr_membership_by_name(membership, names[i].data, names[i].len);
        if (members[i] == HR_NO_MEMBER)
            return hr_fail(err, HR_E_FORMAT, "", "a list that names a non-member");
        if (hr_members_position(members, i, members[i]) < i)
            return hr_fail(err, HR_E_FORMAT, "", "a list that has a member twice");
    }
    return HR_OK;
}

hr_status hr_message_read(const hr_event *event, Hedgerow__Message **out, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_status status =
        hr_message_unpack(&hedgerow__message__descriptor, event->bytes, event->size, &unpacked, err);
    if (status) return status;
    Hedgerow__Message *message = (Hedgerow__Message *)unpacked;
    if (message->kind_case == HEDGEROW__MESSAGE__KIND__NOT_SET) {
        hr_message_unpacked_free(unpacked);
        return hr_fail(err, HR_E_FORMAT, "", "a message of an unknown kind");
    }
    *out = message;
    return HR_OK;
}

/* ---- Terms ---- */

enum { TERMS_SETTINGS_MAX = 64 }; /* options have fewer */

static hr_status refuse_terms(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "", "%s", why);
}

static hr_status check_texts(const Hedgerow__Terms *terms, hr_error *err) {
    if (!hr_text_is_job_name(terms->name))
        return refuse_terms("a job whose name is none (1 to 64 bytes, no path)", err);
    if (terms->n_settings > TERMS_SETTINGS_MAX) return refuse_terms("a job with more than 64 settings", err);
    bool fit = hr_text_is_fit(terms->method, HR_SETTING_TEXT_MAX) &&
               hr_text_is_fit(terms->federation_fingerprint, HR_SETTING_TEXT_MAX) &&
               hr_lines_are_fit(terms->schema, HR_SCHEMA_TEXT_MAX);
    for (size_t i = 0; fit && i < terms->n_settings; i++)
        fit = hr_text_is_fit(terms->settings[i]->name, HR_SETTING_TEXT_MAX) &&
              hr_text_is_fit(terms->settings[i]->value, HR_SETTING_VALUE_MAX);
    return fit ? HR_OK
               : refuse_terms("a job with a text that is too long, or has control or format characters", err);
}

/* Of each owner, or of none. */
static bool are_bounds_fit(const Hedgerow__Terms *terms) {
    const size_t count = terms->n_records_most;
    bool fit = terms->n_records_least == count && (!count || count == terms->n_owners);
    for (size_t i = 0; fit && i < count; i++)
        fit = terms->records_most[i] && terms->records_most[i] <= HR_RECORD_BOUND_MAX &&
              terms->records_least[i] <= terms->records_most[i];
    return fit;
}

/* Of each owner, or of none; what is in them is the owner's to judge. */
static bool are_receipts_fit(const Hedgerow__Terms *terms) {
    bool fit = !terms->n_last_receipts || terms->n_last_receipts == terms->n_owners;
    for (size_t i = 0; i < terms->n_last_receipts; i++)
        fit = fit && terms->last_receipts[i].len <= HR_RECEIPT_MAX;
    return fit;
}

hr_status hr_terms_check(const Hedgerow__Terms *terms, const hr_membership *membership, size_t *invited,
                         hr_error *err) {
    if (!(terms->epsilon <= 1 << 20 && (terms->epsilon > 0 || (terms->paper && terms->epsilon == 0))))
        return refuse_terms("a job without a budget", err);
    if (!(terms->delta >= 0 && terms->delta < 1))
        return refuse_terms("a job whose delta is not in [0, 1)", err);
    if (terms->date > HR_DATE_MAX) return refuse_terms("a job whose date is out of range", err);
    hr_status status = check_texts(terms, err);
    if (!status) status = hr_members_read(membership, terms->owners, terms->n_owners, invited, err);
    if (status) return status;
    bool own = !terms->coordinator_owner.len;
    for (size_t i = 0; i < terms->n_owners; i++)
        own = own || (terms->owners[i].len == terms->coordinator_owner.len &&
                      !memcmp(terms->owners[i].data, terms->coordinator_owner.data, terms->owners[i].len));
    if (!are_bounds_fit(terms)) return refuse_terms("a job whose bounds of records are none", err);
    if (!are_receipts_fit(terms))
        return refuse_terms("a job whose receipts are not those of its owners", err);
    if (!own) return refuse_terms("a coordinator that is an owner which the job does not have", err);
    return terms->coalition < terms->n_owners
               ? HR_OK
               : refuse_terms("a job in which more owners may act together than there are others", err);
}

bool hr_terms_have_unknown(const Hedgerow__Terms *terms, const hr_membership *membership,
                           char why[HR_ACTION_TEXT]) {
    for (size_t i = 0; i < terms->n_owners; i++) {
        const ProtobufCBinaryData name = terms->owners[i];
        if (hr_membership_by_name(membership, name.data, name.len) != HR_NO_MEMBER) continue;
        const bool fits = hr_text_is_fit(name, HR_SENDER_NAME_MAX);
        snprintf(why, HR_ACTION_TEXT,
                 "this owner's federation file does not list the owner '%.*s'; the coordinator's is version "
                 "%llu: get the current federation.yaml",
                 fits ? (int)name.len : 1, fits ? (const char *)name.data : "?",
                 (unsigned long long)terms->federation_version);
        return true;
    }
    return false;
}

/* ---- What is signed ---- */

static const char terms_domain[] = "hedgerow terms 2", acceptance_domain[] = "hedgerow acceptance 2",
                  start_domain[] = "hedgerow start 2", mask_domain[] = "hedgerow mask key 1";

hr_status hr_terms_digest(const hr_protocol_setup *setup, const Hedgerow__Terms *terms, hr_digest *out,
                          hr_error *err) {
    enum { HEAD = HR_JOB_BYTES + HR_KEY_SIZE };
    const size_t size = protobuf_c_message_get_packed_size(&terms->base);
    uint8_t *bytes = malloc(HEAD + size);
    if (!bytes) return hr_fail_memory(err);
    memcpy(bytes, setup->job.bytes, HR_JOB_BYTES);
    memcpy(bytes + HR_JOB_BYTES, setup->view->membership->members[setup->coordinator].key.bytes, HR_KEY_SIZE);
    protobuf_c_message_pack(&terms->base, bytes + HEAD);
    *out = hr_digest_of(terms_domain, bytes, HEAD + size);
    free(bytes);
    return HR_OK;
}

void hr_acceptance_sign(const hr_identity *owner, const hr_digest *terms,
                        uint8_t signature[HR_SIGNATURE_SIZE]) {
    hr_sign(owner, acceptance_domain, terms->bytes, HR_DIGEST_SIZE, signature);
}

bool hr_acceptance_holds(const hr_member *owner, const hr_digest *terms, ProtobufCBinaryData signature) {
    const hr_signed_bytes what = {acceptance_domain, terms->bytes, HR_DIGEST_SIZE};
    return signature.len == HR_SIGNATURE_SIZE &&
           hr_checked_signature_holds(owner->checked, &owner->key, &what, signature.data);
}

/* Two digests, or a digest and a key, as they are signed. */
enum { PAIR = 2 * HR_DIGEST_SIZE };
_Static_assert((int)HR_MASK_KEY_SIZE == HR_DIGEST_SIZE, "a mask key is as long as a digest");

static void join_pair(const hr_digest *terms, const uint8_t *other, uint8_t pair[PAIR]) {
    memcpy(pair, terms->bytes, HR_DIGEST_SIZE);
    memcpy(pair + HR_DIGEST_SIZE, other, HR_DIGEST_SIZE);
}

static void sign_pair(const hr_identity *signer, const char *domain, const hr_digest *terms,
                      const uint8_t *other, uint8_t signature[HR_SIGNATURE_SIZE]) {
    uint8_t pair[PAIR];
    join_pair(terms, other, pair);
    hr_sign(signer, domain, pair, sizeof pair, signature);
}

static bool pair_holds(const hr_member *signer, const char *domain, const hr_digest *terms,
                       ProtobufCBinaryData other, ProtobufCBinaryData signature) {
    uint8_t pair[PAIR];
    if (other.len != HR_DIGEST_SIZE || signature.len != HR_SIGNATURE_SIZE) return false;
    join_pair(terms, other.data, pair);
    return hr_checked_signature_holds(signer->checked, &signer->key,
                                      &(hr_signed_bytes){domain, pair, sizeof pair}, signature.data);
}

void hr_mask_key_sign(const hr_identity *owner, const hr_digest *terms, const uint8_t key[HR_MASK_KEY_SIZE],
                      uint8_t signature[HR_SIGNATURE_SIZE]) {
    sign_pair(owner, mask_domain, terms, key, signature);
}

bool hr_mask_key_holds(const hr_member *owner, const hr_digest *terms, ProtobufCBinaryData key,
                       ProtobufCBinaryData signature) {
    return pair_holds(owner, mask_domain, terms, key, signature);
}

const char *hr_mask_key_fault(ProtobufCBinaryData key, const uint8_t (*others)[HR_MASK_KEY_SIZE],
                              size_t count) {
    if (key.len != HR_MASK_KEY_SIZE) return "it has another length than a key";
    if (!hr_mask_key_valid(key.data)) return "it is a point of low order, and hides nothing";
    for (size_t i = 0; i < count; i++)
        if (memcmp(others[i], key.data, HR_MASK_KEY_SIZE) == 0) return "another owner has sent the same one";
    return NULL;
}

hr_digest hr_start_digest(const hr_digest *terms, const hr_membership *membership, const size_t *owners,
                          size_t count) {
    uint8_t bytes[HR_DIGEST_SIZE + HR_MEMBERS_MAX * HR_KEY_SIZE];
    memcpy(bytes, terms->bytes, HR_DIGEST_SIZE);
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + HR_DIGEST_SIZE + i * HR_KEY_SIZE, membership->members[owners[i]].key.bytes,
               HR_KEY_SIZE);
    return hr_digest_of(start_domain, bytes, HR_DIGEST_SIZE + count * HR_KEY_SIZE);
}

void hr_start_sign(const hr_identity *coordinator, const hr_digest *terms, const hr_digest *start,
                   uint8_t signature[HR_SIGNATURE_SIZE]) {
    sign_pair(coordinator, start_domain, terms, start->bytes, signature);
}

bool hr_start_holds(const hr_member *coordinator, const hr_digest *terms, ProtobufCBinaryData start,
                    ProtobufCBinaryData signature) {
    return pair_holds(coordinator, start_domain, terms, start, signature);
}
