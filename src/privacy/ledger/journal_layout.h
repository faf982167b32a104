/* The tables of a journal, in a file of its own or in a ledger's. */
#ifndef HR_PRIVACY_LEDGER_JOURNAL_LAYOUT_H
#define HR_PRIVACY_LEDGER_JOURNAL_LAYOUT_H

#include "privacy/ledger/journal.h"
#include "privacy/ledger/journal_list.h"
#include "privacy/ledger/journal_status.h"

#include <sqlite3.h>

/* The journal's connection. Borrowed. */
sqlite3 *hr_journal_file(const hr_journal *journal);

/* Makes the tables if they are not there. Fails: as hr_store_run. */
HR_MUST_CHECK hr_status hr_journal_lay_out(sqlite3 *db, hr_error *err);

/* As hr_journal_list, of an open file and within the caller's transaction, if it has one. */
HR_MUST_CHECK hr_status hr_journal_list_within(sqlite3 *db,
                                               hr_status (*visit)(void *user, const hr_journal_item *item),
                                               void *user, hr_error *err);

/* The state of the job that began last of those that are over. Fails: as hr_store_run. */
HR_MUST_CHECK hr_status hr_journal_last_of(sqlite3 *db, hr_journal_last *out, hr_error *err);

/* Within a write transaction: renames columns of layout version 1; no effect in a file without a journal. A
 * journal is in that layout as long as its file states it: a journal's of version 1, a ledger's of version 1
 * or
 * 2. A job that is not over is never continued: its events were written for another version's protocol.
 * Fails: FORMAT (such a job), IO (a process works from the journal), MEMORY. */
HR_MUST_CHECK hr_status hr_journal_upgrade_layout(sqlite3 *db, hr_error *err);

/* Members whose presence a journal holds, by name, and the names that they point to. */
enum { HR_JOURNAL_PRESENCE_MAX = 256, HR_JOURNAL_MEMBER = 64 };
typedef struct hr_journal_presence_list {
    hr_journal_presence members[HR_JOURNAL_PRESENCE_MAX];
    char names[HR_JOURNAL_PRESENCE_MAX][HR_JOURNAL_MEMBER];
    size_t count;
} hr_journal_presence_list;

/* Sets view->known and view->run. Fails: IO, FORMAT. */
HR_MUST_CHECK hr_status hr_journal_run_of(sqlite3 *db, hr_journal_view *view, hr_error *err);

/* None of a journal that an earlier version wrote last. Fails: IO, FORMAT. */
HR_MUST_CHECK hr_status hr_journal_presence_of(sqlite3 *db, hr_journal_presence_list *out, hr_error *err);

#endif
