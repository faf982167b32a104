/* A whole federation in one process: a coordinator and its owners, with the same messages, seals and journals
 * as over a broker. */
#ifndef HR_FEDERATION_WORK_SIMULATION_H
#define HR_FEDERATION_WORK_SIMULATION_H

#include "federation/federated/terms.h"
#include "federation/party/endpoint.h"
#include "federation/transport/loopback.h"
#include "federation/work/coordinator_work.h"
#include "federation/work/owner_work.h"
#include "privacy/crypto/csprng.h"
#include "trees/tree/parts.h"

/* One party of it. Party 0 is the coordinator's, party i that of owner i - 1. */
typedef struct hr_simulated_party {
    char name[24];
    hr_identity *identity;
    hr_party_view view;
    hr_journal *journal;
    hr_transport *transport;
    hr_party *party;
    hr_status status; /* of its last step */
    hr_error error;
    union {
        hr_party_work work;
        hr_owner_work owner;
        hr_coordinator_work coordinator;
    } as;
} hr_simulated_party;

typedef struct hr_simulation {
    const hr_job_file *job;
    const hr_schema *schema;
    hr_loopback *loopback;
    hr_membership membership;
    const char *method; /* of the job */
    hr_policy policy;
    bool *coordinators;
    const hr_party_settings *settings; /* NULL: no log and no should_continue */
    hr_log log;                        /* the coordinator's */
    hr_simulated_party *parties;
    size_t owner_count;
    int threads;
} hr_simulation;

/* The records of each owner. */
typedef struct hr_owner_tables {
    const hr_data *const *items;
    size_t count;
} hr_owner_tables;

/* Part o of *out are the records of owner o. Each record, or each person with all of its records where the
 * schema names a unit, draws its owner independently of the others, all owners alike: adding or removing one
 * leaves the others where they are. An owner may get none. Owner: the caller, with hr_parts_done. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_assign_records(const hr_data *data, size_t owners, hr_csprng *csprng,
                                          hr_parts *out, hr_error *err);

/* Opens all parties; the job, the schema and the owners' records are borrowed, the array of them is not.
 * threads: that many owners work at the same time, one alone on as many threads; 0: see hr_threads. Call
 * hr_simulation_done in either case. Fails: ARGUMENT, IO (no entropy), MEMORY. */
HR_MUST_CHECK hr_status hr_simulation_init(hr_simulation *simulation, const hr_job_file *job,
                                           const hr_schema *schema, const hr_owner_tables *owners,
                                           int threads, hr_error *err);
/* Sets what logs the progress and decides whether to continue. Borrowed. */
void hr_simulation_set_callbacks(hr_simulation *simulation, const hr_party_settings *settings);
/* The owners' records are those of one file, each of which was assigned to an owner independently of the
 * others: the model states that it protects a record of the file. Between hr_simulation_init and the run. */
void hr_simulation_of_one_file(hr_simulation *simulation);
/* Offers the job: the first half of hr_simulation_run, for a caller that steps the parties itself. Fails:
 * MEMORY.
 */
HR_MUST_CHECK hr_status hr_simulation_submit(hr_simulation *simulation, hr_error *err);
/* Runs the job to its end; what the settings name is called on the caller's thread. The model is the
 * coordinator's (parties[0].as.coordinator.result). Fails: POLICY (the job ended without one), CANCELLED
 * (should_continue), MEMORY. */
HR_MUST_CHECK hr_status hr_simulation_run(hr_simulation *simulation, hr_error *err);
/* The result, which is the caller's from then on. */
hr_job_result hr_simulation_take(hr_simulation *simulation);
void hr_simulation_done(hr_simulation *simulation);

#endif
