/* Receipts against the ledger of the owner that signed them, for people. */
#include "base/fail.h"
#include "federation/protocol/receipt.h"
#include "federation/work/receipt_files.h"
#include "privacy/ledger/journal_list.h"
#include "privacy/ledger/receipts.h"
#include "privacy/ledger/spend.h"
#include "privacy/ledger/store.h"

#include <hedgerow/federation.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct receipts_check {
    hr_ledger *ledger;
    hr_public_key key;
    bool restores;
    size_t count;
    bool stopped; /* the caller's visit returned false */
    hr_receipt_visit *visit;
    void *user;
    hr_error *err;
} receipts_check;

/* Texts with their NUL. */
typedef struct receipt_texts {
    char federation[HR_SETTING_TEXT_MAX + 1], owner[HR_SETTING_TEXT_MAX + 1],
        coordinator[HR_SETTING_TEXT_MAX + 1], purpose[HR_RECEIPT_MAX], unit[HR_RECEIPT_MAX];
} receipt_texts;

static void copy_text(ProtobufCBinaryData text, char *out) {
    if (text.len) memcpy(out, text.data, text.len);
    out[text.len] = '\0';
}

static void copy_texts(const Hedgerow__Receipt *receipt, receipt_texts *out) {
    copy_text(receipt->federation, out->federation);
    copy_text(receipt->owner, out->owner);
    copy_text(receipt->coordinator, out->coordinator);
    copy_text(receipt->purpose, out->purpose);
    copy_text(receipt->unit, out->unit);
}

static hr_status read_key(const char *key, hr_public_key *out, hr_error *err) {
    static const char prefix[] = "hr-ed25519:";
    hr_identity *identity = NULL;
    if (!strncmp(key, prefix, sizeof prefix - 1)) return hr_public_key_parse(key, out, err);
    hr_status status = hr_identity_read(key, &identity, err);
    if (!status) *out = hr_identity_public(identity);
    hr_identity_free(identity);
    return status;
}

/* The entry and the receipt, as they would have been. */
static hr_status enter_receipt(const receipts_check *c, const hr_receipt_file *file,
                               const receipt_texts *texts, hr_receipt_row *row) {
    const hr_receipt_chain chain = {texts->federation, texts->coordinator};
    const hr_past_charge charge = {file->receipt->epsilon, file->receipt->delta, texts->purpose};
    row->bytes = (hr_blob){file->bytes.at, file->bytes.size};
    hr_status status = hr_ledger_set_unit(c->ledger, texts->unit, c->err);
    if (!status) status = hr_ledger_enter_within(c->ledger, &charge, &row->entry, c->err);
    return status ? status : hr_receipts_put(c->ledger, &chain, row, c->err);
}

static void show_receipt(receipts_check *c, const hr_receipt_file *file, const receipt_texts *texts,
                         hr_receipt_state state) {
    const uint8_t *job = file->receipt->job.data;
    hr_receipt_info info = {.file = file->path,
                            .federation = texts->federation,
                            .owner = texts->owner,
                            .coordinator = texts->coordinator,
                            .purpose = texts->purpose,
                            .number = file->receipt->number,
                            .date = (int64_t)file->receipt->date,
                            .epsilon = file->receipt->epsilon,
                            .delta = file->receipt->delta,
                            .state = state};
    snprintf(info.job, sizeof info.job, "%02x%02x%02x%02x", job[0], job[1], job[2], job[3]);
    if (!c->stopped) c->stopped = !c->visit(c->user, &info);
}

static hr_status compare_file(receipts_check *c, const hr_receipt_file *file) {
    receipt_texts texts;
    hr_receipt_row row = {.number = file->receipt->number};
    hr_digest digest;
    bool held = false;
    hr_error why = {0};
    hr_status status = hr_receipt_check(file->receipt, &c->key, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(c->err);
    if (status)
        return hr_fail(c->err, HR_E_POLICY, "take this owner's receipts alone, and the key that it had then",
                       "this receipt was not signed with the key");
    copy_texts(file->receipt, &texts);
    const hr_receipt_chain chain = {texts.federation, texts.coordinator};
    status = hr_receipt_digest(file->receipt, &digest, c->err);
    if (status) return status;
    memcpy(row.digest, digest.bytes, HR_RECEIPT_DIGEST);
    status = hr_receipts_have(c->ledger, &chain, row.number, row.digest, &held, c->err);
    if (!status && !held && c->restores) status = enter_receipt(c, file, &texts, &row);
    if (status) return status;
    show_receipt(c, file, &texts,
                 held          ? HR_RECEIPT_HELD
                 : c->restores ? HR_RECEIPT_ENTERED
                               : HR_RECEIPT_MISSING);
    return HR_OK;
}

static hr_status check_file(void *user, const hr_receipt_file *file) {
    receipts_check *c = user;
    c->count++;
    hr_status status = compare_file(c, file);
    return status ? hr_fail_at(c->err, status, file->path, 0, 0, NULL) : HR_OK;
}

static hr_status check_folder(receipts_check *c, const char *folder) {
    hr_status status = hr_receipt_files_each(folder, check_file, c, c->err);
    if (status || c->count) return status;
    hr_fail(c->err, HR_E_ARGUMENT, "name the folder of this owner in JOURNAL.receipts of the coordinator",
            "no receipts are in the folder");
    return hr_fail_at(c->err, HR_E_ARGUMENT, folder, 0, 0, NULL);
}

/* ---- Entering ---- */

static bool count_missing(void *user, const hr_receipt_info *receipt) {
    size_t *missing = user;
    *missing += receipt->state == HR_RECEIPT_MISSING;
    return true;
}

/* A job that an older copy believes to run would use the records again, with fresh noise. */
static hr_status cancel_job(void *user, const hr_journal_item *item) {
    const receipts_check *c = user;
    hr_journal_named named;
    if (item->over || item->cancelled) return HR_OK;
    return hr_journal_cancel(hr_ledger_path(c->ledger), item->id, &named, c->err);
}

/* Does nothing to a ledger that lacks nothing. */
static hr_status cancel_jobs_of_copy(const receipts_check *c, const char *folder) {
    size_t missing = 0;
    receipts_check first = {
        .ledger = c->ledger, .key = c->key, .visit = count_missing, .user = &missing, .err = c->err};
    hr_status status = check_folder(&first, folder);
    if (status || !missing) return status;
    return hr_journal_list(hr_ledger_path(c->ledger), cancel_job, (void *)c, c->err);
}

/* All of them are entered, or none. */
static hr_status restore_folder(receipts_check *c, const char *folder) {
    sqlite3 *db = hr_ledger_file(c->ledger);
    hr_status status = cancel_jobs_of_copy(c, folder);
    if (!status) status = hr_store_run(db, "BEGIN IMMEDIATE", c->err);
    if (!status) status = hr_receipts_prepare(c->ledger, c->err);
    if (!status) status = check_folder(c, folder);
    if (!status) status = hr_store_run(db, "COMMIT", c->err);
    if (!status) return hr_ledger_settle(c->ledger, c->err);
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static hr_status run_check(receipts_check *c, const char *ledger, const char *folder, const char *key) {
    hr_status status = read_key(key, &c->key, c->err);
    if (!status) status = hr_ledger_open(ledger, &c->ledger, c->err);
    if (!status) status = c->restores ? restore_folder(c, folder) : check_folder(c, folder);
    hr_ledger_close(c->ledger);
    return status;
}

hr_status hr_receipts_verify(const char *ledger, const char *folder, const char *key, hr_receipt_visit *visit,
                             void *user, hr_error *err) {
    receipts_check c = {.visit = visit, .user = user, .err = err};
    return run_check(&c, ledger, folder, key);
}

hr_status hr_receipts_restore(const char *ledger, const char *folder, const char *key,
                              hr_receipt_visit *visit, void *user, hr_error *err) {
    receipts_check c = {.visit = visit, .user = user, .err = err, .restores = true};
    return run_check(&c, ledger, folder, key);
}
