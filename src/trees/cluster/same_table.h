/* Whether all ranks read one table in one way. */
#ifndef HR_TREES_CLUSTER_SAME_TABLE_H
#define HR_TREES_CLUSTER_SAME_TABLE_H

#include "tables/source/origins.h"
#include "trees/cluster/cluster.h"

/* Every rank calls it before it reads. Fails, at every rank alike: ARGUMENT (one has another schema, other
 * files by name or number, or other options of reading), MEMORY, as the link. */
HR_MUST_CHECK hr_status hr_rank_same_table(hr_cluster *cluster, const hr_schema *schema,
                                           const hr_cluster_table *table, hr_error *err);

/* Every rank calls it with what describes its records. Fails, at every rank alike: ARGUMENT (one has another
 * schema), MEMORY, as the link. */
HR_MUST_CHECK hr_status hr_rank_same_schema(hr_cluster *cluster, const hr_schema *schema, hr_error *err);

/* Every rank calls it where each has read all files. Fails, at every rank alike: IO (one read other texts),
 * MEMORY, as the link. */
HR_MUST_CHECK hr_status hr_rank_same_contents(hr_cluster *cluster, const hr_origins *origins, hr_error *err);

#endif
