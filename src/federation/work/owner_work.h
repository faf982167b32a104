/* The work of an owner for a job: checks its terms, trains trees, votes. */
#ifndef HR_FEDERATION_WORK_OWNER_WORK_H
#define HR_FEDERATION_WORK_OWNER_WORK_H

#include "federation/config/job_file.h"
#include "federation/config/owner_file.h"
#include "federation/party/party.h"

#include <hedgerow/fit.h>

typedef struct hr_owner_work {
    hr_party_work work; /* first: a hr_owner_work is a hr_party_work */
    const hr_data *data;
    const hr_data *test; /* records that models are evaluated on; NULL: none */
    const hr_policy *policy;
    const char *name; /* as a member; NULL: a simulation, in which bounds of records are not looked at */
    hr_federation_id federation; /* version 0: a simulation */
    hr_ledger *ledger;           /* NULL: a simulation, which spends nothing */
    const hr_party_view *view;   /* NULL: a simulation, which signs no receipts */
    int threads;
    const char *models;           /* the folder that models are written into; NULL: nowhere */
    size_t ended[HR_JOB_ENDINGS]; /* jobs, by ending */
} hr_owner_work;

/* Sets the functions; the rest, and work.log, is the caller's. */
void hr_owner_work_init(hr_owner_work *work);

#endif
