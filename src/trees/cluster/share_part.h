/* What ranks do with parts of a table that they have in memory. */
#ifndef HR_TREES_CLUSTER_SHARE_PART_H
#define HR_TREES_CLUSTER_SHARE_PART_H

#include "trees/cluster/cluster.h"

/* Every rank calls it: room for cluster->begin. Fails, at every rank alike: MEMORY, as the link. */
HR_MUST_CHECK hr_status hr_rank_parts_begin(hr_cluster *cluster, hr_error *err);

/* Every rank calls it with its part once cluster->begin is filled in: sets data->whole, and shares persons.
 * Fails, at every rank alike: as hr_rank_persons_share. */
HR_MUST_CHECK hr_status hr_rank_set_whole(hr_cluster *cluster, hr_data *data, hr_error *err);

/* Every rank calls it with its part of the table, which is all parts in the order of the ranks: fills in
 * cluster->begin; its reports are about the whole table from here on. Fails, at every rank alike: LIMIT (more
 * records than a table has), MEMORY, as hr_rank_set_whole. */
HR_MUST_CHECK hr_status hr_rank_share_part(hr_cluster *cluster, hr_data *data, hr_error *err);

#endif
