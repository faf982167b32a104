#include "federation/work/owner_receipts.h"

#include "base/text/calendar.h"
#include "federation/federated/terms.h"
#include "federation/protocol/receipt.h"
#include "privacy/ledger/receipts.h"
#include "privacy/ledger/spend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)HR_RECEIPT_DIGEST == HR_DIGEST_SIZE, "the ledger holds digests of receipts");

static hr_receipt_chain chain_of(const hr_owner_work *w, const char *coordinator) {
    return (hr_receipt_chain){w->view->membership->federation, coordinator};
}

/* The newest receipt that the coordinator has of this owner; empty: none. */
static ProtobufCBinaryData shown_receipt(const hr_owner_work *w, const Hedgerow__Terms *terms) {
    const char *name = w->view->membership->members[w->view->self].name;
    for (size_t i = 0; i < terms->n_last_receipts; i++)
        if (hr_text_is(terms->owners[i], name)) return terms->last_receipts[i];
    return (ProtobufCBinaryData){0};
}

/* ---- The comparison ---- */

static void decline_rolled_back(const hr_owner_work *w, const hr_party_offer *offer,
                                const Hedgerow__Receipt *lost, hr_decision *out) {
    char date[HR_DATE_TEXT];
    hr_date_text((int64_t)lost->date, date);
    out->verdict = HR_VERDICT_DECLINED;
    out->code = HEDGEROW__DECLINE__CODE__ROLLED_BACK;
    snprintf(out->reason, sizeof out->reason,
             "this owner's ledger is an older copy: it lacks the entry of %s for %.*s", date,
             (int)lost->purpose.len, (const char *)lost->purpose.data);
    hr_job_log(&w->work, offer->record, HR_LOG_ERROR,
               "%s. Ask %s for the folder of this owner's receipts, and enter what is lost with 'hedgerow "
               "ledger restore LEDGER --receipts FOLDER --key KEY'; until then every job of %s is declined",
               out->reason, offer->record->coordinator, offer->record->coordinator);
}

/* A receipt that the ledger does not hold, or no receipt at all. */
static hr_status judge_unknown(const hr_owner_work *w, const hr_party_offer *offer,
                               const Hedgerow__Receipt *shown, hr_decision *out, hr_error *err) {
    const hr_public_key own = hr_identity_public(w->view->identity);
    hr_error why = {0};
    hr_status status = shown ? hr_receipt_check(shown, &own, &why) : HR_E_POLICY;
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (!status) {
        decline_rolled_back(w, offer, shown, out);
        return HR_OK;
    }
    out->verdict = HR_VERDICT_DECLINED;
    out->code = HEDGEROW__DECLINE__CODE__VIOLATION;
    snprintf(out->reason, sizeof out->reason,
             "the coordinator shows a receipt that this owner's ledger does not hold, and that this owner's "
             "key did not sign");
    return HR_OK;
}

hr_status hr_owner_receipts_compare(const hr_owner_work *w, const hr_party_offer *offer, hr_decision *out,
                                    hr_error *err) {
    if (!w->ledger || !w->view) return HR_OK;
    const ProtobufCBinaryData bytes = shown_receipt(w, offer->terms);
    const hr_receipt_chain chain = chain_of(w, offer->record->coordinator);
    Hedgerow__Receipt *shown = NULL;
    hr_digest digest;
    bool known = false;
    hr_error why = {0};
    if (!bytes.len) return HR_OK;
    hr_status status = hr_receipt_read(bytes.data, bytes.len, &shown, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (status) return judge_unknown(w, offer, NULL, out, err);
    status = hr_receipt_digest(shown, &digest, err);
    if (!status) status = hr_receipts_have(w->ledger, &chain, shown->number, digest.bytes, &known, err);
    if (!status && !known) status = judge_unknown(w, offer, shown, out, err);
    hr_message_unpacked_free(&shown->base);
    return status;
}

/* ---- The charge ---- */

static hr_status take_last(void *user, const hr_receipt_row *row) {
    hr_receipt_row *last = user;
    *last = *row;
    return HR_OK;
}

/* Signs the receipt after `last`, and stores it. */
static hr_status add_receipt(const hr_owner_work *w, const hr_charged_job *charge, const hr_receipt_row *last,
                             const char *unit, hr_error *err) {
    const hr_receipt_chain chain = chain_of(w, charge->record->coordinator);
    Hedgerow__Receipt receipt = HEDGEROW__RECEIPT__INIT;
    hr_receipt_row row = {.number = last->number + 1, .entry = charge->record->entry};
    hr_digest digest;
    hr_bytes bytes = {0};
    receipt.federation = hr_text_of(chain.federation);
    receipt.owner = hr_text_of(w->view->membership->members[w->view->self].name);
    receipt.coordinator = hr_text_of(chain.coordinator);
    receipt.job = hr_data_of(charge->record->id, HR_JOB_BYTES);
    receipt.purpose = hr_text_of(charge->purpose);
    receipt.number = row.number;
    if (last->number) receipt.previous = hr_data_of(last->digest, HR_DIGEST_SIZE);
    receipt.date = charge->date > 0 ? (uint64_t)charge->date : 0;
    receipt.epsilon = hr_terms_cost(charge->terms);
    receipt.delta = hr_terms_delta(charge->terms);
    receipt.unit = hr_text_of(unit);
    hr_status status = hr_receipt_sign(w->view->identity, &receipt, &bytes, err);
    if (!status) status = hr_receipt_digest(&receipt, &digest, err);
    if (!status) memcpy(row.digest, digest.bytes, HR_RECEIPT_DIGEST);
    row.bytes = (hr_blob){bytes.at, bytes.size};
    if (!status) status = hr_receipts_put(w->ledger, &chain, &row, err);
    free(bytes.at);
    return status;
}

/* Receipts as they are packed. */
typedef struct receipt_list {
    hr_bytes items[HR_RECEIPTS_MAX];
    size_t count;
    hr_error *err;
} receipt_list;

static hr_status list_receipt(void *user, const hr_receipt_row *row) {
    receipt_list *list = user;
    hr_status status = hr_bytes_copy(row->bytes.at, row->bytes.size, &list->items[list->count], list->err);
    list->count += !status;
    return status;
}

static hr_status pack_receipts(const receipt_list *list, hr_bytes *out, hr_error *err) {
    ProtobufCBinaryData views[HR_RECEIPTS_MAX];
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    Hedgerow__Message message = HEDGEROW__MESSAGE__INIT;
    for (size_t i = 0; i < list->count; i++) views[i] = hr_data_of(list->items[i].at, list->items[i].size);
    answer.receipts = views;
    answer.n_receipts = list->count;
    message.kind_case = HEDGEROW__MESSAGE__KIND_ANSWER;
    message.answer = &answer;
    return hr_message_pack(&message.base, out, err);
}

/* The number of a receipt that was compared when the job was offered; 0: none. */
static hr_status number_of(ProtobufCBinaryData bytes, uint64_t *out, hr_error *err) {
    Hedgerow__Receipt *shown = NULL;
    *out = 0;
    if (!bytes.len) return HR_OK;
    hr_status status = hr_receipt_read(bytes.data, bytes.len, &shown, err);
    if (status) return status;
    *out = shown->number;
    hr_message_unpacked_free(&shown->base);
    return HR_OK;
}

hr_status hr_owner_receipts_charged(hr_party_work *self, const hr_charged_job *charge, hr_bytes *out,
                                    hr_error *err) {
    const hr_owner_work *w = (const hr_owner_work *)self;
    if (!w->view) return HR_OK;
    const hr_receipt_query newest = {.chain = chain_of(w, charge->record->coordinator), .most = 1};
    hr_receipt_query unshown = {.chain = newest.chain, .most = HR_RECEIPTS_MAX};
    hr_receipt_row last = {0};
    receipt_list list = {.err = err};
    char *unit = NULL;
    hr_status status = hr_receipts_prepare(w->ledger, err);
    if (!status) status = hr_receipts_newest(w->ledger, &newest, take_last, &last, err);
    if (!status) status = hr_ledger_unit(w->ledger, &unit, err);
    if (!status) status = add_receipt(w, charge, &last, unit ? unit : "", err);
    if (!status) status = number_of(shown_receipt(w, charge->terms), &unshown.above, err);
    if (!status) status = hr_receipts_newest(w->ledger, &unshown, list_receipt, &list, err);
    if (!status) status = pack_receipts(&list, out, err);
    for (size_t i = 0; i < list.count; i++) free(list.items[i].at);
    free(unit);
    return status;
}
