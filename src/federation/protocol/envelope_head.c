/* What envelopes have in common over all versions, and what an owner answers to those that it cannot take. */
#include "base/fail.h"
#include "federation/protocol/envelope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hr_status hr_envelope_refuse(hr_status status, const char *why, hr_error *err) {
    return hr_fail(err, status, "", "an envelope was refused: %s", why);
}

hr_status hr_envelope_check_head(const hr_party_view *view, size_t signer, const Hedgerow__EnvelopeHead *head,
                                 hr_error *err) {
    if (!hr_text_is(head->federation, view->membership->federation))
        return hr_envelope_refuse(HR_E_POLICY, "it belongs to another federation", err);
    if (signer != HR_NO_MEMBER && !hr_text_is(head->from, view->membership->members[signer].name))
        return hr_envelope_refuse(HR_E_POLICY, "its sender is not its signer", err);
    if (!hr_text_is(head->to, view->membership->members[view->self].name))
        return hr_envelope_refuse(HR_E_POLICY, "it is for another receiver", err);
    return head->job.len == HR_JOB_BYTES ? HR_OK : hr_envelope_refuse(HR_E_FORMAT, "it names no job", err);
}

/* The sender of an envelope that this program does not take, with the reason. */
static void note_sender(const hr_party_view *view, const hr_opened_envelope *e,
                        const Hedgerow__EnvelopeHead *head, hr_envelope_sender *out) {
    const hr_membership *members = view->membership;
    hr_envelope_sender sender = {.answerable = true};
    if (!head->from.len || !hr_text_is_fit(head->from, HR_SENDER_NAME_MAX) ||
        !hr_public_key_of(e->key, &sender.key))
        return;
    memcpy(sender.name, head->from.data, head->from.len);
    memcpy(sender.job.bytes, head->job.data, HR_JOB_BYTES);
    sender.code = e->signer == HR_NO_MEMBER ? HEDGEROW__DECLINE__CODE__UNKNOWN_MEMBER
                                            : HEDGEROW__DECLINE__CODE__PROTOCOL_VERSION;
    if (e->signer != HR_NO_MEMBER)
        snprintf(sender.why, sizeof sender.why,
                 "this owner's program speaks version %d of the protocol, the coordinator's version %u: run "
                 "the same version of Hedgerow at both",
                 HR_PROTOCOL_VERSION, head->version);
    else
        snprintf(sender.why, sizeof sender.why,
                 "this owner's federation file %s the member '%s': compare what `hedgerow federation "
                 "fingerprint` prints",
                 hr_membership_by_name(members, sender.name, head->from.len) == HR_NO_MEMBER
                     ? "does not list"
                     : "lists another key of",
                 sender.name);
    *out = sender;
}

/* Of another version, or of no member: what all versions have. */
static hr_status read_other(const hr_party_view *view, const hr_opened_envelope *e,
                            const Hedgerow__EnvelopeHead *head, hr_envelope *out, hr_envelope_sender *sender,
                            hr_error *err) {
    hr_status status = hr_envelope_check_head(view, e->signer, head, err);
    if (status) return status;
    if (head->decline && e->signer != HR_NO_MEMBER) {
        hr_envelope made = {.from = e->signer, .to = view->self, .declines = true};
        memcpy(made.job.bytes, head->job.data, HR_JOB_BYTES);
        status = hr_decline_answer(head->decline, &made.body, err);
        if (!status) *out = made;
        return status;
    }
    /* A decline is never answered. */
    if (!head->decline) note_sender(view, e, head, sender);
    if (e->signer == HR_NO_MEMBER)
        return hr_envelope_refuse(HR_E_POLICY, "no member of the federation signed it", err);
    return hr_fail(err, HR_E_FORMAT, "run the same version of Hedgerow at both",
                   "an envelope was refused: %s speaks version %u of the protocol, this program version %d",
                   view->membership->members[e->signer].name, head->version, HR_PROTOCOL_VERSION);
}

hr_status hr_envelope_read_head(const hr_party_view *view, const hr_opened_envelope *e, hr_envelope *out,
                                hr_envelope_sender *sender, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_status status = hr_message_unpack_part(&hedgerow__envelope_head__descriptor, e->plain.at,
                                              e->plain.size, &unpacked, err);
    if (status && e->signer == HR_NO_MEMBER && status != HR_E_MEMORY)
        return hr_envelope_refuse(HR_E_POLICY, "no member of the federation signed it", err);
    if (status) return status;
    const Hedgerow__EnvelopeHead *head = (const Hedgerow__EnvelopeHead *)unpacked;
    if (e->signer != HR_NO_MEMBER && head->version == HR_PROTOCOL_VERSION && !head->decline)
        status = hr_envelope_refuse(HR_E_FORMAT, "it is not a valid envelope", err);
    else
        status = read_other(view, e, head, out, sender, err);
    hr_message_unpacked_free(unpacked);
    return status;
}

/* ---- Declining ---- */

hr_status hr_envelope_decline(const hr_party_view *view, const hr_envelope_sender *sender, hr_bytes *out,
                              hr_error *err) {
    Hedgerow__Envelope wire = HEDGEROW__ENVELOPE__INIT;
    hr_decline decline;
    hr_bytes plain = {0};
    hr_decline_make(view->identity, &sender->job, &sender->key, sender->code, sender->why, &decline);
    wire.version = HR_PROTOCOL_VERSION;
    wire.federation = hr_text_of(view->membership->federation);
    wire.job = hr_data_of(sender->job.bytes, HR_JOB_BYTES);
    wire.from = hr_text_of(view->membership->members[view->self].name);
    wire.to = hr_text_of(sender->name);
    wire.decline = &decline.wire;
    hr_status status = hr_message_pack(&wire.base, &plain, err);
    if (!status) status = hr_seal(view->identity, &sender->key, plain.at, plain.size, &out->at, err);
    if (!status) out->size = plain.size + HR_SEAL_OVERHEAD;
    free(plain.at);
    return status;
}
