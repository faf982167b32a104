/* A federation in this process whose owners have the records of one table: from the offer to the model. */
#ifndef HR_TESTS_SUPPORT_FEDERATION_H
#define HR_TESTS_SUPPORT_FEDERATION_H

#include "federation/work/simulation.h"
#include "support/tables.h"

enum { FEDERATION_OWNERS_MAX = 12 };

typedef struct federation {
    table table;
    hr_data *owners[FEDERATION_OWNERS_MAX];
    size_t owner_count;
    hr_job_file job;
    hr_simulation simulation;
    hr_party_settings settings;
    char lines[16000]; /* what the coordinator logged, line by line */
} federation;

/* Sound, of one round, with eight bins. */
hr_job_file federated_job(const char *method, double epsilon, double delta);

/* Record i of the table is owner i % owners's. The table is the federation's from then on; the federation
 * stays where it is until it is closed. threads: as hr_simulation_init has them. */
void federation_open(federation *f, table t, size_t owners, hr_job_file job, int threads);

/* The finished job's model, which stays the federation's. */
const hr_model *federation_run(federation *f);
void federation_close(federation *f);

/* The owner, from 1 on, has no answer to any question. */
void federation_owner_fails(federation *f, size_t owner);

/* The terms of a job that is offered to two owners; NULL with *err. Owner: the caller frees them with
 * hr_message_unpacked_free. */
Hedgerow__Terms *federation_terms(const hr_job_file *job, const hr_schema *schema, hr_error *err);

/* What a model file says of itself can be read again, and its account is within its guarantee, and uses it.
 */
void check_joint_model(const hr_model *model, double epsilon, double delta);

#endif
