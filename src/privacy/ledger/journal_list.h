/* The jobs of a journal for people, whether or not a process works from it: it needs no file lock. */
#ifndef HR_PRIVACY_LEDGER_JOURNAL_LIST_H
#define HR_PRIVACY_LEDGER_JOURNAL_LIST_H

#include <hedgerow/status.h>
#include <stdbool.h>

enum { HR_JOURNAL_ID_TEXT = 33 }; /* of a job's id in hexadecimal digits, with its NUL */

/* A job that is over, and its state; "": there is none. */
typedef struct hr_journal_last {
    char id[HR_JOURNAL_ID_TEXT], state[300];
} hr_journal_last;

/* Texts are valid during the call that shows them; "" if nothing is known. */
typedef struct hr_journal_item {
    char id[HR_JOURNAL_ID_TEXT];
    const char *name, *coordinator, *state, *awaits;
    const char *since;       /* when it was first known: UTC, as 2026-11-22T10:00:00Z */
    double epsilon;          /* of the job, for each owner */
    const char *charged;     /* the state of the ledger's entry; "": nothing was reserved */
    int64_t entry;           /* its id; 0: nothing was reserved */
    const char *unconfirmed; /* members that have not confirmed all that they were sent, as "north, west" */
    bool over, cancelled;
} hr_journal_item;

/* Shows the jobs of a ledger or journal, oldest first. A file without a journal has none. Fails: IO, FORMAT,
 * MEMORY, and as visit. */
HR_MUST_CHECK hr_status hr_journal_list(const char *path,
                                        hr_status (*visit)(void *user, const hr_journal_item *item),
                                        void *user, hr_error *err);

/* A job that was named. */
typedef struct hr_journal_named {
    char id[HR_JOURNAL_ID_TEXT];
    bool over;
} hr_journal_named;

/* The one open job with this name, or whose id begins with these digits; if there is none, the one such job
 * that is over. Fails: ARGUMENT (no such job, or several open ones, which the message lists), IO, FORMAT,
 * MEMORY. */
HR_MUST_CHECK hr_status hr_journal_find(const char *path, const char *text, hr_journal_named *out,
                                        hr_error *err);

/* Marks the open job that `text` names, as above: the process that works from the journal ends it within a
 * second, or when it is next started. Fails: as hr_journal_find; ARGUMENT (it is over). */
HR_MUST_CHECK hr_status hr_journal_cancel(const char *path, const char *text, hr_journal_named *out,
                                          hr_error *err);

#endif
