/* What a coordinator does with a job's trees: the model. */
#ifndef HR_PARTY_COORDINATOR_WORK_H
#define HR_PARTY_COORDINATOR_WORK_H

#include "party/party.h"

#include "model/model.h"

typedef struct hr_coordinator_work {
    hr_party_work work; /* first: a hr_coordinator_work is a hr_party_work */
    const char *unit;   /* the unit that the model protects: HR_RECORD_OF_OWNER, HR_RECORD_OF_FILE */
    const char *path;   /* where the model is written; NULL: nowhere */
    void (*log_line)(void *user, const char *line); /* may be NULL */
    void *user;
    hr_model *model;          /* the last that was made, or NULL. Owner: the caller frees it */
    char why[HR_ACTION_TEXT]; /* why there is none */
} hr_coordinator_work;

/* Sets the functions, and the unit of a federation; the rest is the caller's. */
void hr_coordinator_work_init(hr_coordinator_work *work);

#endif
