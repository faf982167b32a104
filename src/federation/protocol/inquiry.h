/* Inquiries: a coordinator that lost its journal learns from an owner which of its jobs are open there.
 * Inquiry and answer are bodies of an envelope that is of no job; the job that it names is drawn for the
 * inquiry, and is the same in the answer. The envelope tells who signed them (envelope.h). */
#ifndef HR_FEDERATION_PROTOCOL_INQUIRY_H
#define HR_FEDERATION_PROTOCOL_INQUIRY_H

#include "federation/protocol/decline.h"

enum {
    HR_JOB_DIGITS = 2 * HR_JOB_BYTES, /* of a job's id */
    HR_HELD_JOBS_MAX = 64,            /* jobs in an answer */
    HR_INQUIRY_SECONDS = 90           /* by which the date of an inquiry may differ from the owner's clock */
};

/* A job that is open at an owner. */
typedef struct hr_held_job {
    hr_job_id id;
    char name[HR_JOB_NAME_MAX + 1]; /* "": not known yet */
    int64_t date;                   /* when the owner heard of it first: seconds since 1970 began */
    bool charged;                   /* the owner's ledger was charged for it */
} hr_held_job;

typedef struct hr_held_jobs {
    hr_held_job jobs[HR_HELD_JOBS_MAX];
    size_t count;
} hr_held_jobs;

/* date: seconds since 1970 began. Owner: the caller frees out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_inquiry_make(int64_t date, hr_bytes *out, hr_error *err);
/* Fails: FORMAT, LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_inquiry_read(const hr_bytes *body, int64_t *date, hr_error *err);

/* Owner: the caller frees out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_held_jobs_make(const hr_held_jobs *held, hr_bytes *out, hr_error *err);
/* Fails: FORMAT, LIMIT (also: too many jobs), MEMORY. */
HR_MUST_CHECK hr_status hr_held_jobs_read(const hr_bytes *body, hr_held_jobs *out, hr_error *err);

#endif
