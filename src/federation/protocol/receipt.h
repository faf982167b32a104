/* Receipts: what an owner signs for a coordinator when its ledger is charged for a job of that coordinator.
 *
 * The receipts of an owner for a coordinator are a chain: each has a number and the digest of the one before.
 * A receipt that the owner signed and its ledger does not hold shows that the ledger is an older copy
 * (owner_receipts.proof.md in federation/roles). Beyond its own terms the coordinator learns how many of its
 * jobs the ledger was charged for. */
#ifndef HR_FEDERATION_PROTOCOL_RECEIPT_H
#define HR_FEDERATION_PROTOCOL_RECEIPT_H

#include "federation/protocol/decline.h"
#include "privacy/crypto/digest.h"

enum {
    HR_RECEIPT_MAX = 2048, /* bytes of a receipt */
    HR_RECEIPTS_MAX = 64   /* of one message */
};

/* Signs the receipt and packs it. Owner: the caller frees out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_receipt_sign(const hr_identity *owner, const Hedgerow__Receipt *receipt,
                                        hr_bytes *out, hr_error *err);

/* Reads strictly; who signed it is not looked at. Owner: the caller frees *out with hr_message_unpacked_free.
 * Fails: FORMAT (no receipt), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_receipt_read(const void *bytes, size_t size, Hedgerow__Receipt **out,
                                        hr_error *err);

/* Whether the holder of that key signed it: OK, or POLICY. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_receipt_check(const Hedgerow__Receipt *receipt, const hr_public_key *owner,
                                         hr_error *err);

/* Of what is signed. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_receipt_digest(const Hedgerow__Receipt *receipt, hr_digest *out, hr_error *err);

/* What is checked of the receipts that an owner sends when its ledger is charged. */
typedef struct hr_receipt_ends {
    const char *federation;
    const hr_member *owner, *coordinator;
    const hr_job_id *job; /* that the last receipt is of */
} hr_receipt_ends;

/* Whether they are the owner's, for this coordinator, in the order of their numbers, and the last one of this
 * job. Fails: FORMAT, LIMIT, POLICY (why not), MEMORY. */
HR_MUST_CHECK hr_status hr_receipts_check(const ProtobufCBinaryData *receipts, size_t count,
                                          const hr_receipt_ends *ends, hr_error *err);

#endif
