/* Training over ranks: how many a launcher of MPI started, and what the ranks beside rank 0 do. Whatever
 * fails at any of them, rank 0 reports. The others print nothing and exit with 0: a launcher ends all ranks
 * when one exits otherwise, rank 0 perhaps before it has reported. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "input.h"

/* What launchers (mpirun, srun) tell the processes that they start, in the environment. */
typedef struct launch {
    size_t ranks; /* 0: no launcher */
    size_t rank;
} launch;

launch launch_look(void);

/* Joins the ranks, all of which call it; signals no longer end the others. Else *out stays as it is, rank 0
 * says why, and the exit code is returned. */
int ranks_open(const command *self, const launch *launched, hr_cluster **out);

/* ---- Ranks that something else than a launcher of MPI started: they reach each other by ZeroMQ ---- */

typedef struct link_args {
    const char *address, *key_file; /* address: NULL: none */
    arg_integer rank, ranks;
} link_args;

#define LINK_OPTIONS(type)                                                                                   \
    {"link",                                                                                                 \
     0,                                                                                                      \
     ARG_TEXT,                                                                                               \
     false,                                                                                                  \
     offsetof(type, link.address),                                                                           \
     "ADDRESS",                                                                                              \
     "train over several processes, of which this is one: where rank 0 listens, tcp://HOST:PORT"},           \
        {"rank",                                                                                             \
         0,                                                                                                  \
         ARG_INTEGER,                                                                                        \
         false,                                                                                              \
         offsetof(type, link.rank),                                                                          \
         "R",                                                                                                \
         "with --link: which of them this is, from 0 on"},                                                   \
        {"ranks", 0, ARG_INTEGER, false, offsetof(type, link.ranks), "N", "with --link: how many they are"}, \
    {                                                                                                        \
        "link-key", 0, ARG_TEXT, false, offsetof(type, link.key_file), "FILE",                               \
            "with --link: the secret of this job, the same for all ranks ('hedgerow keygen --link FILE')"    \
    }

/* Says what is missing or too much, as a usage error. */
bool ranks_link_usable(const command *self, const link_args *link);

/* Joins the ranks by their link. */
hr_status ranks_join(const command *self, const link_args *link, hr_cluster **out, hr_error *err);

/* Whether a launcher started several processes of a command that releases or spends: each would do so by
 * itself. Rank 0 says so. `code` becomes the exit code. */
bool ranks_refused(const command *self, int *code);

/* Of a table that no rank but one could read: says so as a usage error. */
bool ranks_table_usable(const command *self, const table_args *table, const char *schema);

/* hr_cluster_read of what the arguments name. */
hr_status ranks_table(hr_cluster *cluster, const hr_schema *schema, const table_args *table, hr_data **out,
                      hr_error *err);

/* The ranks beside rank 0, after rank 0 agreed to start: `status` and `err` are what reading the arguments
 * and the schema came to. Reads this rank's part and serves until rank 0 ends. */
hr_status ranks_follow(hr_cluster *cluster, const hr_schema *schema, const table_args *table, int threads,
                       hr_status status, hr_error *err);

#endif
