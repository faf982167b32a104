/* What a fit over ranks does with the records beside training a method on them: rank 0 does it with its own,
 * as one process does with all, and has the other ranks do the same with theirs. */
#ifndef HR_FIT_RANK_STEPS_H
#define HR_FIT_RANK_STEPS_H

#include "fit/conformal.h"
#include "fit/start.h"
#include "methods/method.h"
#include "tables/bins/private_bounds.h"
#include "tables/bins/time_cuts.h"

#include <hedgerow/cluster.h>

/* Rank 0, first of all: the others take back what an earlier fit had them do. All of these fail: MEMORY, as
 * the link. */
HR_MUST_CHECK hr_status hr_ranks_begin(hr_cluster *cluster, hr_error *err);
/* hr_person_sample_keep of the records of all ranks, by the keys of all, in the order of the table; `data`
 * and *out: this one's. Fails also as the others. */
HR_MUST_CHECK hr_status hr_ranks_sample(hr_cluster *cluster, const hr_data *data, const uint64_t *keys,
                                        size_t most, hr_person_sample *out, hr_error *err);
/* Scores start at those of the forest. */
HR_MUST_CHECK hr_status hr_ranks_start(hr_cluster *cluster, const hr_forest *forest, hr_error *err);
/* hr_bounds_count of the records of all ranks; `data`: this one's. Fails also as the others. */
HR_MUST_CHECK hr_status hr_ranks_count(hr_cluster *cluster, const hr_data *data,
                                       const hr_bounds_question *question, hr_exact *cells, hr_error *err);
/* Columns get the bounds that their searches found. */
HR_MUST_CHECK hr_status hr_ranks_clip(hr_cluster *cluster, const hr_bounds_columns *columns,
                                      const hr_bounds_search *searches, hr_error *err);
/* hr_time_cuts_count of the records of all ranks; `data`: this one's. Fails also as the others. */
HR_MUST_CHECK hr_status hr_ranks_count_events(hr_cluster *cluster, const hr_data *data, hr_exact *cells,
                                              hr_error *err);
/* The schema gets the cuts, as if it had always had them. */
HR_MUST_CHECK hr_status hr_ranks_cut(hr_cluster *cluster, const hr_time_cuts *cuts, hr_error *err);
/* Records get the options' weights of classes. */
HR_MUST_CHECK hr_status hr_ranks_weigh(hr_cluster *cluster, const hr_fit_options *options, hr_error *err);
/* What hr_cluster_hold_out drew: records of side 0 train, those of side 1 are held out. */
HR_MUST_CHECK hr_status hr_ranks_hold_out(hr_cluster *cluster, const uint32_t *side_of, hr_error *err);
/* hr_conformal_count_levels of the held-out records of all ranks; `records`: this one's. Fails also as the
 * others. */
HR_MUST_CHECK hr_status hr_ranks_count_levels(hr_cluster *cluster, const hr_held_out *records,
                                              hr_exact *weights, hr_error *err);

/* The other ranks: hr_cluster_serve. threads: at least 1. */
HR_MUST_CHECK hr_status hr_ranks_serve(hr_cluster *cluster, const hr_data *data, int threads, hr_error *err);

#endif
