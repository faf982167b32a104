#include "privacy/ledger/journal_wait.h"

#include "base/text/text.h"
#include "privacy/ledger/journal_layout.h"
#include "privacy/ledger/store.h"

#include <stdio.h>

enum { SQL = 200 };

hr_status hr_journal_forget_waits(hr_journal *journal, hr_error *err) {
    return hr_store_run(hr_journal_file(journal), "DELETE FROM waits", err);
}

hr_status hr_journal_note_wait(hr_journal *journal, const uint8_t *id, const hr_journal_waited *waited,
                               hr_error *err) {
    char job[HR_JOURNAL_ID_TEXT], sql[SQL];
    hr_text_hex(id, HR_JOURNAL_ID, job);
    snprintf(sql, sizeof sql, "INSERT INTO waits (job, advances, waited) VALUES (x'%s', %lld, %lld)", job,
             (long long)waited->advances, (long long)waited->milliseconds);
    return hr_store_run(hr_journal_file(journal), sql, err);
}

hr_status hr_journal_wait_of(hr_journal *journal, const uint8_t *id, hr_journal_waited *out, hr_error *err) {
    char job[HR_JOURNAL_ID_TEXT], sql[SQL];
    int64_t advances = 0;
    sqlite3 *db = hr_journal_file(journal);
    hr_text_hex(id, HR_JOURNAL_ID, job);
    *out = (hr_journal_waited){0};
    snprintf(sql, sizeof sql, "SELECT ifnull(sum(advances), 0) FROM waits WHERE job = x'%s'", job);
    hr_status status = hr_store_number(db, sql, &advances, err);
    out->advances = (uint64_t)advances;
    snprintf(sql, sizeof sql, "SELECT ifnull(sum(waited), 0) FROM waits WHERE job = x'%s'", job);
    return status ? status : hr_store_number(db, sql, &out->milliseconds, err);
}
