/* The candidate splits of the private splitter, and their scores: the gain of equation 3 (DPBoost).
 *
 * The candidates depend on released bins only. Numbers are cut between bins, a missing value counting as the
 * lowest; categories are split one bin (missing among them) from the rest. The score of a candidate is the
 * integer
 *     u = floor(2^HR_GAIN_BITS * (S_L^2/(N_L + lambda) + S_R^2/(N_R + lambda)) / G^2),
 * S in integer gradient units (at most G a record). Adding a record changes u of two candidates by amounts
 * that differ by at most HR_GAIN_WIDTH: split_candidates.proof.md. Where weights are apart (packing.h) the
 * sums are those of persons, and u is in units of a whole person. Thread: any. */
#ifndef HR_TREES_STATS_SPLIT_CANDIDATES_H
#define HR_TREES_STATS_SPLIT_CANDIDATES_H

#include "privacy/sensitivity.h"
#include "trees/stats/split.h"

/* How many candidates every node has: a public number. */
size_t hr_candidate_count(const hr_binning *binning);
/* The index-th of them. */
hr_split hr_candidate(const hr_binning *binning, size_t index);
/* The scores of all, from a node's histogram and its total. */
void hr_candidate_scores(const hr_binning *binning, const hr_packing *packing, double lambda,
                         const hr_sum_word *cells, hr_sum_word total, hr_exact *scores);

/* How many a feature has; its bins may be more than HR_BINS_MAX here and below. */
size_t hr_feature_candidates(const hr_feature_bins *feature);
/* The scores of those of one feature without lambda, from the node's sums in each of its bins, packed.
 * Returns how many. */
size_t hr_feature_scores(const hr_feature_bins *feature, const hr_packing *packing, const hr_sum_word *bins,
                         hr_sum_word total, hr_exact *scores);

#endif
