/* Training over ranks: how many a launcher of MPI started, and what the ranks beside rank 0 do. They say
 * nothing: whatever fails at any of them, rank 0 tells. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "input.h"

/* What launchers (mpirun, srun) tell the processes that they start, in the environment. */
typedef struct launch {
    size_t ranks; /* 0: no launcher */
    size_t rank;
} launch;

launch launch_look(void);

/* Joins the ranks, all of which call it. Else says why, once, and returns the exit code. */
int ranks_open(const command *self, const launch *launched, hr_cluster **out);

/* Whether a launcher started several processes of a command that releases or spends: each would do so by
 * itself. Says so, once. */
bool ranks_refused(const command *self);

/* Of a table that no rank but one could read: says so as a usage error. */
bool ranks_table_usable(const command *self, const table_args *table, const char *schema);

/* hr_cluster_read of what the arguments name. */
hr_status ranks_table(hr_cluster *cluster, const hr_schema *schema, const table_args *table, hr_data **out,
                      hr_error *err);

/* The ranks beside rank 0, after rank 0 agreed to start: `status` and `err` are what reading the arguments
 * and the schema came to. Reads this rank's part and serves until rank 0 ends. */
void ranks_follow(hr_cluster *cluster, const hr_schema *schema, const table_args *table, int threads,
                  hr_status status, hr_error *err);

#endif
