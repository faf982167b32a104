/* The jobs of a party of a federation, and how it is, as its files have them: they may be read, and jobs
 * cancelled, while a program serves the party. What a build lacks for that is as in federation.h. */
#ifndef HEDGEROW_JOBS_H
#define HEDGEROW_JOBS_H

#include <hedgerow/federation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Jobs ---- */

/* A job of an owner or a coordinator. Texts are never NULL, and valid during the call that shows them. */
typedef struct hr_job_info {
    const char *id;   /* 32 hexadecimal digits */
    const char *name; /* the coordinator's choice */
    const char *coordinator;
    const char *state;   /* "accepted", "running", or how it ended: "WORD" or "WORD: detail" */
    const char *awaits;  /* what it waits for; "": nothing */
    const char *since;   /* when it was first heard of: UTC, as 2026-11-22T10:00:00Z */
    const char *charged; /* owner: the state of its entry in the ledger; "": nothing was reserved */
    double epsilon;      /* what it may cost each owner */
    bool open, cancelled;
    hr_job_ending ending; /* OPEN also of a job that an earlier version ended */
} hr_job_info;

/* Shows the jobs of the ledger or journal that an owner file or a job file names, or of the folder of a
 * coordinator that serves, oldest first, until `visit` returns false. hr_serve and hr_coordinate may run
 * meanwhile. Fails: IO, FORMAT, ARGUMENT (a job file without a journal), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_jobs_each(const char *file,
                                            bool (*visit)(void *user, const hr_job_info *job), void *user,
                                            hr_error *err);

/* What an owner's ledger was charged, and for which job. One of the two may be NULL. */
typedef struct hr_job_charge {
    const hr_ledger_entry *entry; /* NULL: nothing was reserved for the job */
    const hr_job_info *job; /* NULL: the journal holds no such job: it was a run of the owner's alone, or
                             * it ended so long ago that the journal has forgotten it; see the purpose */
} hr_job_charge;

/* Shows every entry of an owner's ledger, oldest first, with its job, and then the jobs without an entry,
 * oldest first, until `visit` returns false. All is of one moment; hr_serve may run meanwhile. Texts are
 * valid during the call. Fails: IO, FORMAT (also: a job file, since a coordinator has no ledger), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_jobs_audit(const char *owner_file,
                                             bool (*visit)(void *user, const hr_job_charge *charge),
                                             void *user, hr_error *err);

/* ---- How a party is ---- */

/* What a coordinator knows of an owner's program, by its hellos. Dates: as in hr_party_info. */
typedef struct hr_owner_presence {
    const char *name;
    bool present; /* it runs, as the coordinator last said; false too if the coordinator does not run */
    int64_t since, seen; /* the first hello of the program that runs, or ran last, and its last one */
} hr_owner_presence;

/* What is known of a party. Dates are seconds since 1970 began; 0: not known. */
typedef struct hr_party_info {
    const char *name; /* as a member */
    bool is_coordinator;
    bool running;        /* a process works from its ledger or journal */
    int64_t process;     /* its number; 0: none */
    int64_t begun, seen; /* when that process, or the last one, began, and when it last said how it is: every
                            15 seconds, but not while it trains */
    bool connected;      /* to the broker, as it last said */
    int64_t contact;     /* when it was last connected */
    uint64_t reconnects; /* how often a lost connection came back */
    uint64_t open;       /* jobs that are not over */
    uint64_t packets;    /* sent, and not confirmed by their receivers */
    const hr_ledger_total *ledger; /* an owner's; NULL: a coordinator */
    int64_t certificate_ends; /* the last second of its certificate for the broker, or of its authority */
    const char *certificate;  /* that one of them expires within 60 days, or has expired; "": neither */
    const char *last_id, *last_state; /* of the job that began last of those that are over; "": none is */
    hr_job_ending last_ending;
    const hr_owner_presence *presence; /* a coordinator's: of the owners of its job file, by name */
    size_t presence_count;
    uint64_t queued; /* jobs in the folder of a coordinator that serves which have not begun */
} hr_party_info;

/* An owner of a coordinator's job, as of the last event. */
typedef struct hr_job_owner {
    const char *name;
    const char *part;      /* "takes part", "accepted", "declined", "did not answer" or "cut off" */
    const char *reason;    /* why it declined or was cut off; "": none was given */
    size_t trees, skipped; /* turns, or sums, with its answer, and without */
    bool awaited;
} hr_job_owner;

/* How far an open job is. Numbers count from 1; 0: not known. */
struct hr_job_progress {
    const char *id, *name, *coordinator, *state, *awaits, *since; /* as in hr_job_info */
    double epsilon;
    bool cancelled;
    size_t round, rounds;       /* the round, and how many there are at most */
    size_t step;                /* the question or the slot, by all of the job */
    const char *unit;           /* "question" or "slot"; "": nothing is known */
    int64_t until;              /* a coordinator waits until then; 0: for nobody, or that time has passed */
    const hr_job_owner *owners; /* of a coordinator's job */
    size_t owner_count;
};

/* Called with the party, then with each open job, oldest first, and each job that is queued, until one
 * returns false. Texts are never NULL, and valid during the call. */
typedef struct hr_party_viewer {
    bool (*party)(void *user, const hr_party_info *party);
    bool (*job)(void *user, const hr_job_progress *job);
    void *user;
} hr_party_viewer;

/* Shows how the party is that an owner file or a job file names, or the folder of a coordinator that serves.
 * Reads only, whether or not a process serves it: nothing is sent, changed or left behind. Fails: IO, FORMAT,
 * ARGUMENT (a job file without a journal), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_party_look(const char *file, const hr_party_viewer *viewer, hr_error *err);

enum { HR_CANCEL_SECONDS = 10 }; /* for which hr_jobs_cancel waits for the other members */

/* What has become of a job that was cancelled. Where it has not ended yet, or not every member has confirmed
 * that, the hr_serve or hr_coordinate that runs with the file sees to it, or the next one. */
typedef struct hr_cancel_info {
    char id[HR_JOB_ID_TEXT];
    bool ended;                 /* it is over for this member */
    bool told;                  /* and every member that has to know has confirmed it */
    char unconfirmed[256 * 34]; /* the members that have not, as "north, west" */
    char why[512];              /* why it has not ended, or was not sent; "": it was */
    bool unbegun;               /* it was queued, and no owner has heard of it */
} hr_cancel_info;

/* Ends the open job with this name, or whose id begins with these digits, of a file or folder as
 * hr_jobs_each. A coordinator tells the owners; an owner tells the coordinator, which continues without it.
 * The hr_serve or hr_coordinate that runs with the file does it; if none does, this call connects to the
 * broker once and sends, and reads nothing but acknowledgements. Returns when all have confirmed, or after
 * HR_CANCEL_SECONDS. What was reserved stays spent. Fails: as hr_jobs_each, ARGUMENT (no such job, or
 * several, which the message lists; it is over): the job is as it was. */
HR_API HR_MUST_CHECK hr_status hr_jobs_cancel(const char *file, const char *job, hr_cancel_info *out,
                                              hr_error *err);

/* ---- A coordinator that lost its journal ---- */

/* A job that an owner holds for the coordinator, and that the coordinator's journal does not know. */
typedef struct hr_unknown_job {
    const char *owner;
    const char *id, *name; /* id: 32 hexadecimal digits; name: "" if the owner does not know it yet */
    int64_t since;         /* when the owner first heard of it: seconds since 1970 began */
    bool charged;          /* the owner's ledger was charged for it, which stays */
    bool ended;            /* it was to end, and the owner has ended it */
} hr_unknown_job;

typedef struct hr_reconcile_request {
    const char *file;          /* the coordinator's job file or folder; its journal may be new */
    const char *const *owners; /* members to ask */
    size_t owner_count;        /* 0: all other members of the federation */
    const char *const *ends;   /* ids of jobs to end, or their first digits, at least 8 */
    size_t end_count;
    bool (*visit)(void *user, const hr_unknown_job *job); /* until it returns false */
    void *user;
} hr_reconcile_request;

typedef struct hr_reconcile_info {
    size_t unknown, ended;    /* jobs, each counted once an owner */
    char silent[256 * 34];    /* members that did not answer, as "north, west" */
    char not_ended[256 * 34]; /* owners that still hold a job that was to end */
} hr_reconcile_info;

enum { HR_RECONCILE_SECONDS = 10 }; /* for which hr_jobs_reconcile waits for the owners */

/* Asks owners which open jobs of the coordinator they hold, and shows those that its journal does not know,
 * by owner. Of these it ends at the owners those that are named: nothing is ended otherwise. A job that the
 * journal knows is neither shown nor ended; whether another journal of the same coordinator knows a job
 * cannot be told here. No program runs with the coordinator's key or journal meanwhile. Returns when all have
 * answered and ended, or after HR_RECONCILE_SECONDS. Fails: as hr_jobs_each; BUSY (a program runs), ARGUMENT
 * (an owner file; no such member; not the digits of an id; no owner that answered holds a job with such an
 * id, which is told after the others were ended), POLICY (the key), IO (the broker), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_jobs_reconcile(const hr_reconcile_request *request, hr_reconcile_info *out,
                                                 hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
