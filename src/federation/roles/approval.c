/* A person's decision on an offer, for the process that serves. */
#include "base/fail.h"
#include "base/text/text.h"
#include "federation/config/owner_file.h"
#include "privacy/ledger/journal_list.h"
#include "privacy/ledger/offers.h"

#include <hedgerow/owner.h>

enum { REASON_BYTES = 140 };

static hr_status decide_offer(const char *owner_file, const char *job, hr_offer_state state,
                              const char *reason, hr_error *err) {
    hr_owner_file file;
    hr_journal_named named;
    hr_ledger *ledger = NULL;
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_owner_file_read(owner_file, arena, &file, err) : hr_fail_memory(err);
    if (!status) status = hr_journal_find(file.ledger, job, &named, err);
    if (!status) status = hr_ledger_open(file.ledger, &ledger, err);
    if (!status) status = hr_offers_decide(ledger, named.id, state, reason, err);
    hr_ledger_close(ledger);
    hr_arena_free(arena);
    return status;
}

hr_status hr_job_approve(const char *owner_file, const char *job, hr_error *err) {
    return decide_offer(owner_file, job, HR_OFFER_APPROVED, "", err);
}

hr_status hr_job_refuse(const char *owner_file, const char *job, const char *reason, hr_error *err) {
    char shown[REASON_BYTES];
    hr_text_show(reason ? reason : "", shown, sizeof shown);
    return decide_offer(owner_file, job, HR_OFFER_REFUSED, shown, err);
}
