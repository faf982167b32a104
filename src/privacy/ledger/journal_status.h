/* How a party is and how far its jobs are, for people: written by the process that works from the journal,
 * read by any other. Nothing of it is read again by a party, but how long its jobs have waited. */
#ifndef HR_PRIVACY_LEDGER_JOURNAL_STATUS_H
#define HR_PRIVACY_LEDGER_JOURNAL_STATUS_H

#include "privacy/ledger/journal.h"
#include "privacy/ledger/journal_list.h"

/* A process that works from the journal, or the last one. Dates are seconds since 1970 began; 0: not known.
 */
typedef struct hr_journal_run {
    int64_t process;     /* its number */
    int64_t begun, seen; /* when it began, and when it wrote this */
    int64_t contact;     /* when it last had a connection to the broker */
    uint64_t reconnects; /* how often a lost connection came back */
    bool connected;
} hr_journal_run;

/* An owner of a coordinator's job. */
typedef struct hr_journal_part {
    const char *member, *part; /* part: in words */
    size_t trees, skipped;
    bool awaited;
    const char *reason; /* why it declined or was cut off; "": none */
} hr_journal_part;

/* Numbers count from 1; 0: not known, which leaves what was noted before. */
typedef struct hr_journal_progress {
    size_t round, rounds, step;
    const char *unit; /* what steps are: "question" or "slot"; "": there are none */
    int64_t until;    /* when those who are awaited are waited for no longer; 0: no such date */
    const hr_journal_part *parts;
    size_t part_count;
} hr_journal_progress;

/* A member whose hellos the process listens to. Dates: as in hr_journal_run. */
typedef struct hr_journal_presence {
    const char *member;
    bool present;
    int64_t since, seen; /* of the member's program: its first hello, and its last one */
} hr_journal_presence;

/* Within a transaction; each replaces what was noted before. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_journal_note_run(hr_journal *journal, const hr_journal_run *run, hr_error *err);
HR_MUST_CHECK hr_status hr_journal_note_progress(hr_journal *journal, const uint8_t *id,
                                                 const hr_journal_progress *progress, hr_error *err);
HR_MUST_CHECK hr_status hr_journal_note_presence(hr_journal *journal, const hr_journal_presence *members,
                                                 size_t count, hr_error *err);

/* ---- How long a coordinator's jobs have waited: a deadline goes on when the process starts again ---- */

typedef struct hr_journal_waited {
    uint64_t advances;    /* hr_protocol.advances of the wait: with another number, another wait has begun */
    int64_t milliseconds; /* since the deadline began, while a process ran */
} hr_journal_waited;

/* Forgets all waits. Within a transaction. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_journal_forget_waits(hr_journal *journal, hr_error *err);
/* Within a transaction, after hr_journal_forget_waits. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_journal_note_wait(hr_journal *journal, const uint8_t *id,
                                             const hr_journal_waited *waited, hr_error *err);
/* {0} of a job without a wait. Fails: IO, FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_journal_wait_of(hr_journal *journal, const uint8_t *id, hr_journal_waited *out,
                                           hr_error *err);

/* ---- Reading ---- */

/* What a file has of it. */
typedef struct hr_journal_view {
    bool running; /* a process works from the journal now */
    bool known;   /* `run` was ever noted */
    hr_journal_run run;
    const hr_journal_presence *presence; /* by name */
    size_t presence_count;
    uint64_t open, packets; /* jobs; packets that nobody has confirmed */
    hr_journal_last last;   /* job that is over */
    bool has_ledger;        /* `total` is set */
    hr_ledger_total total;
} hr_journal_view;

typedef struct hr_journal_viewer {
    hr_status (*visit_view)(void *user, const hr_journal_view *view);
    hr_status (*visit_job)(void *user, const hr_journal_item *item, const hr_journal_progress *progress);
    void *user;
} hr_journal_viewer;

/* Shows the party, then each open job, oldest first, at one moment. Reads only: a process may work from the
 * journal meanwhile, and no file is made, changed or left. A journal that does not exist yet is one of no
 * jobs. Texts are valid during the call that shows them. Fails: IO, FORMAT, MEMORY, and as the visits. */
HR_MUST_CHECK hr_status hr_journal_look(const char *path, const hr_journal_viewer *viewer, hr_error *err);

#endif
