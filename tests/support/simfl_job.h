/* Jobs of SimFL between machines: a coordinator and three owners whose letters keep their order. Numbers of
 * records, hashes and gradients are made up; trees are leaves. */
#ifndef HR_TESTS_SUPPORT_SIMFL_JOB_H
#define HR_TESTS_SUPPORT_SIMFL_JOB_H

#include "support/job_simulator.h"
#include "support/test_members.h"

#include "federation/machines/simfl_exchange.h"

enum { SIMFL_PARTIES = 4, SIMFL_OWNERS = 3, SIMFL_TREES = 4, SIMFL_TABLES = 3, SIMFL_ROWS = 3 };
enum { SIMFL_GRADIENT = 100, SIMFL_WEIGHT = 10 };

extern const uint32_t simfl_rows[SIMFL_PARTIES];

extern size_t
    simfl_test_tables; /* of the jobs: SIMFL_TABLES, or more for a job that ends before hashes are sent */
extern bool
    simfl_test_blocks; /* anna trains no tree, bert trees 0 and 1, carl 2 and 3; else they take turns */

typedef struct simfl_job simfl_job;
struct simfl_job {
    simulator sim;
    size_t relayed; /* hashes and gradients that were sent to the coordinator */
    /* Changes a message; false: it is lost. NULL: nobody lies. */
    bool (*change)(simfl_job *job, size_t from, size_t to, Hedgerow__Message *m);
    size_t count;     /* for change */
    bool any_numbers; /* gradients may be others than the simulator's */
};

/* Until nothing can happen. */
void simfl_run(simulator *b);
void simfl_run_until(simulator *b, size_t who, hr_simfl_task task);
simulator *simfl_open(const test_members *f);
void simfl_close(simulator *b);
void simfl_check_failed(const simulator *b, const char *why);
void simfl_check_cut(const simulator *b, size_t by, size_t who, const char *why);
Hedgerow__Terms simfl_plain_terms(ProtobufCBinaryData owners[SIMFL_OWNERS]);
hr_status simfl_test_rules(const Hedgerow__Terms *terms, const hr_schema *schema, hr_simfl_rules *out,
                           hr_error *err);
int16_t simfl_test_hash(size_t who, size_t i);

#endif
