/* Which bytes of the files of a table are this rank's, where there are fewer files than ranks. */
#ifndef HR_TREES_CLUSTER_RANGES_H
#define HR_TREES_CLUSTER_RANGES_H

#include "tables/formats/byte_ranges.h"
#include "tables/source/origins.h"
#include "trees/cluster/cluster.h"

typedef struct hr_rank_ranges {
    hr_table_part part; /* files beside each other, maybe with empty ranges; no files: the table is not cut */
    size_t first;       /* which file of the table is the first of these */
    hr_byte_range *all; /* of every file; part.ranges points into it */
    int64_t *chunk_sums; /* of every file HR_CHUNK_SUMS, of this rank's bytes */
} hr_rank_ranges;

/* Every rank calls it, and all cut the table, or none does: where a file is no plain text, except a Parquet
 * file that is alone. Call hr_rank_ranges_done in either case. Fails, at every rank alike: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_rank_ranges_find(hr_cluster *cluster, const hr_cluster_table *table,
                                            hr_rank_ranges *out, hr_error *err);
void hr_rank_ranges_done(hr_rank_ranges *ranges);

/* Of a file. */
typedef struct hr_rank_content {
    int64_t has_records; /* not 0: it has */
    hr_content content;  /* a hash of what it holds */
} hr_rank_content;

/* After the ranges were read: what all ranks found in file i, as contents[i]. Every rank calls it. Fails, at
 * every rank alike: MEMORY. */
HR_MUST_CHECK hr_status hr_rank_ranges_contents(hr_cluster *cluster, const hr_rank_ranges *ranges,
                                                size_t files, hr_rank_content *contents, hr_error *err);

#endif
