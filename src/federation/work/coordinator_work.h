/* What a coordinator makes of a finished job: a model, the figures of one, or a schema. */
#ifndef HR_FEDERATION_WORK_COORDINATOR_WORK_H
#define HR_FEDERATION_WORK_COORDINATOR_WORK_H

#include "federation/config/job_file.h"
#include "federation/party/party.h"

#include "models/model/model.h"

#include <hedgerow/federation.h>

typedef struct hr_coordinator_work {
    hr_party_work work; /* first: a hr_coordinator_work is a hr_party_work */
    bool of_one_file; /* the owners' records are those of one file, each assigned to an owner independently of
                         the others */
    const char *path; /* where the result is written; NULL: nowhere */
    const char *receipts; /* the folder of the owners' receipts; NULL: they are not stored */
    void (*report_owner)(void *user, const hr_owner_report *report); /* may be NULL */
    void *user;
    hr_job_result result; /* the last that was made. Owner: the caller frees it */
    void (*report_end)(void *user, hr_job_ending ending); /* may be NULL */
    hr_job_ending ending;
    char state[HR_STATE_TEXT]; /* of the job that is over */
    char rescue[300]; /* path that the result was written to, since `path` is another file; "": it is at
                         `path` */
} hr_coordinator_work;

bool hr_coordinator_work_has_result(const hr_coordinator_work *work);

/* What the job makes, in messages: "model", "file of figures" or "schema". */
const char *hr_product_name(const hr_job_file *job);

/* Sets the functions, and the unit of a federation; the rest, and work.log, is the caller's. */
void hr_coordinator_work_init(hr_coordinator_work *work);

#endif
