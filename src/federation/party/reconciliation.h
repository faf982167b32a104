/* A coordinator that lost its journal learns from owners which of its jobs are open there
 * (protocol/inquiry.h), and ends some of them. It sends and receives as the coordinator while no party of it
 * does. Packets that come for jobs are dropped: who sent them sends them again, until they are acknowledged.
 * Thread: one at a time.
 */
#ifndef HR_FEDERATION_PARTY_RECONCILIATION_H
#define HR_FEDERATION_PARTY_RECONCILIATION_H

#include "federation/party/party.h"
#include "federation/protocol/inquiry.h"

typedef struct hr_reconciliation hr_reconciliation;

typedef struct hr_reconciliation_options {
    const hr_party_view *view; /* of the coordinator */
    hr_journal *journal;       /* a job that it knows is left alone */
    hr_transport *transport;
    const bool *asks;        /* by member; copied */
    const char *const *ends; /* first digits of the ids of jobs that end, in lower case */
    size_t end_count;
} hr_reconciliation_options;

/* What an owner holds. */
typedef struct hr_asked_owner {
    bool asked, answered;
    hr_held_jobs held;            /* of its first answer, those that the journal does not know */
    bool ended[HR_HELD_JOBS_MAX]; /* by job of `held`: a later answer did not list it any more */
} hr_asked_owner;

/* Everything that the options name outlives it, but for `asks`. Owner: the caller frees *out with
 * hr_reconciliation_close. Fails: MEMORY, IO (no entropy source). */
HR_MUST_CHECK hr_status hr_reconciliation_open(const hr_reconciliation_options *options,
                                               hr_reconciliation **out, hr_error *err);
void hr_reconciliation_close(hr_reconciliation *reconciliation);

/* Sends inquiries and endings that are due; then takes in a packet, for which it waits at most so many
 * milliseconds. Fails: IO (journal), MEMORY, and as the transport's receive. */
HR_MUST_CHECK hr_status hr_reconciliation_step(hr_reconciliation *reconciliation, hr_clock clock, int wait,
                                               hr_error *err);

/* All owners of the inquiry have answered, and hold no job that is to end. */
bool hr_reconciliation_complete(const hr_reconciliation *reconciliation);

/* Whether the job is one of those that are to end. */
bool hr_reconciliation_ends(const hr_reconciliation *reconciliation, const hr_job_id *job);

/* Borrowed. */
const hr_asked_owner *hr_reconciliation_of(const hr_reconciliation *reconciliation, size_t member);

#endif
