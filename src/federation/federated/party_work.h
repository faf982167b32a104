/* What a party knows of a job, and what it does for it besides talking. */
#ifndef HR_FEDERATION_FEDERATED_PARTY_WORK_H
#define HR_FEDERATION_FEDERATED_PARTY_WORK_H

#include "base/log.h"
#include "federation/config/fields.h"
#include "federation/protocol/protocol.h"
#include "privacy/ledger/journal.h"

typedef struct hr_party_work hr_party_work;
typedef struct hr_federated_method hr_federated_method;

/* A job as the work functions see it. */
typedef struct hr_job_view {
    const hr_journal_job *record;
    const hr_federated_method *method; /* NULL before the job was offered, and so are protocol and terms */
    const hr_protocol *protocol;       /* the method's machine of this party */
    const Hedgerow__Terms *terms;
    const hr_schema *schema;  /* the party's, or of a job with fewer features the job's */
    const hr_schema *offered; /* owner: the job's, as the terms have it; NULL: it cannot be read */
    const hr_membership *membership;
    bool is_coordinator;
    void **state;          /* what the method keeps from one work or question to the next; NULL at first */
    struct hr_data **part; /* an owner's records with the job's features, NULL at first, freed with the job;
                              NULL: the job has all of the owner's features */
    /* Owner, while it trains or votes: called between two trees, from the thread that the
     * work was called from. False: the job is over, and the work is to end with CANCELLED. NULL: it goes on
     * to its end. */
    bool (*should_continue)(void *user);
    void *user;
} hr_job_view;

/* A job that an owner was offered. */
typedef struct hr_party_offer {
    const hr_journal_job *record;
    const Hedgerow__Terms *terms;
    int64_t date;            /* of the party's clock */
    const hr_schema *schema; /* hr_job_view.offered */
} hr_party_offer;

/* That an owner's ledger was charged for a job. */
typedef struct hr_charged_job {
    const hr_journal_job *record; /* with the entry */
    const Hedgerow__Terms *terms;
    const char *purpose; /* of the entry */
    int64_t date;        /* of the party's clock */
} hr_charged_job;

/* What a coordinator's job has of its own files. */
typedef struct hr_job_settings {
    const hr_schema *schema; /* borrowed until the job was removed from the party */
    double round_gain;       /* 0: all rounds, and no votes */
    int64_t deadline;        /* milliseconds within which an owner must answer */
    bool waits_for_present;  /* the deadline is not waited for if all who are awaited are away */
} hr_job_settings;

typedef enum hr_verdict { HR_VERDICT_DECLINED, HR_VERDICT_ACCEPTED, HR_VERDICT_UNDECIDED } hr_verdict;

typedef struct hr_decision {
    hr_verdict verdict;
    hr_decline_code code; /* to decline; code and reason are sent to the coordinator */
    char reason[HR_ACTION_TEXT];
} hr_decision;

/* Bytes of the state of a job: "WORD" or "WORD: detail". */
enum { HR_STATE_TEXT = HR_ACTION_TEXT + 32 };

/* What a party does besides talking. The first field of the worker's own structure. */
struct hr_party_work {
    /* Coordinator of several jobs: the settings of one, which take the place of the party's; NULL: all jobs
     * have those. IO and MEMORY are failures of the party; any other ends the job, as failed. */
    hr_status (*settings_of)(hr_party_work *self, const hr_journal_job *job, hr_job_settings *out,
                             hr_error *err);
    /* Owner: whether it takes part. Called within the journal's transaction that holds the decision; while it
     * is undecided, again after a second. */
    hr_status (*decide)(hr_party_work *self, const hr_party_offer *offer, hr_decision *out, hr_error *err);
    /* Owner, may be NULL: its ledger is charged for the job. The message for the coordinator, of receipts;
     * empty: none. Called within the transaction of the charge. Owner of out->at: the caller. */
    hr_status (*charged)(hr_party_work *self, const hr_charged_job *charge, hr_bytes *out, hr_error *err);
    /* Coordinator, may be NULL: stores a receipt that an owner signed; on the disk when it returns. May come
     * again after a crash. A failure ends the party, as a disk that cannot be written does. */
    hr_status (*store_receipt)(hr_party_work *self, const char *owner, const hr_bytes *receipt,
                               hr_error *err);
    /* Owner: a Tree, or a Ballot, as bytes. Any failure but MEMORY means that it has none to give. */
    hr_status (*train)(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                       hr_error *err);
    hr_status (*vote)(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out, hr_error *err);
    /* Coordinator: the next question, a Question as bytes. Called within the journal's transaction; draws
     * nothing that the journal does not hold. Any failure but MEMORY ends the job. */
    hr_status (*next_question)(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err);
    /* Owner, may be NULL: something came of a job and there is time to make use of it. Must not draw noise:
     * it is not in the journal. Any failure but MEMORY shows again when the work is due. */
    hr_status (*prepare)(hr_party_work *self, const hr_job_view *job, hr_error *err);
    /* The job is done, or its model sent. Coordinator: makes the model. Repeated after a crash before it is
     * noted. */
    hr_status (*finish)(hr_party_work *self, const hr_job_view *job, hr_error *err);
    /* The job has ended; after `finish`. state: the word of its ending, and what else is known. */
    void (*over)(hr_party_work *self, const hr_job_view *job, hr_job_ending ending, const char *state);
    const hr_file_text *evaluated; /* coordinator: the model file of a job that evaluates one; else NULL */
    const hr_log *log;             /* where lines for people go (hr_job_log); NULL: nowhere */
};

#endif
