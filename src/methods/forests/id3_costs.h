/* What the questions of ID3 cost, and how deep its tree may be.
 *
 * All levels cost the same: what the leaves, and the count of records where there is one, leave of the budget
 * is divided by levels + reserve. What is left of these at the end goes to the leaves.
 *
 * Where no depth is asked for, it follows from the noisy number of records. Levels are added while a node of
 * the last one, if all splits part records evenly, has RECORDS_PER_NOISE times as many records as a count of
 * that level has noise. With more levels each has more noise. */
#ifndef HR_METHODS_FORESTS_ID3_COSTS_H
#define HR_METHODS_FORESTS_ID3_COSTS_H

#include "base/fail.h"
#include "privacy/gate.h"
#include "tables/bins/binning.h"

enum { HR_ID3_DEPTH = 3 }; /* of trees of a fixed depth, unless another is asked for */

/* What is public before the first release. */
typedef struct hr_id3_terms {
    hr_privacy_measure privacy_measure;
    hr_units budget;
    const hr_binning *binning; /* public; borrowed */
    size_t classes;
    size_t depth;         /* levels of splits, at most; a path splits by a feature once. 0: by the records */
    double leaf_share;    /* part of the budget for the leaves; they get what levels leave, too */
    bool published;       /* as the paper has it: bins have counts of their own, noise is not weighed, and all
                             questions are charged as one release; depth is not 0 */
    uint64_t first_group; /* composition: each question has a group of its own from here on */
    size_t reserve;       /* levels that may be counted once more where their answer is lost */
    uint64_t shares;      /* answers are secure sums, whose noise comes in this many shares at most, and which
                             are half as long; 0: one party holds all records */
} hr_id3_terms;

/* What a level at this depth costs: of `features` features it has features - level tables a node. Group 0. */
hr_charge hr_id3_level_charge(hr_privacy_measure privacy_measure, size_t features, size_t level,
                              hr_units cost);
hr_charge hr_id3_leaf_charge(hr_units cost);
hr_charge hr_id3_records_charge(hr_units cost);
/* Where terms are published: of all questions together, as if they were for one count. */
hr_charge hr_id3_published_charge(const hr_id3_terms *terms);

/* What the count of records costs; 0: there is none. */
hr_units hr_id3_records_cost(const hr_id3_terms *terms);
/* What each level costs in a tree of so many, and each of the reserve. */
hr_units hr_id3_level_cost(const hr_id3_terms *terms, size_t levels);
/* The standard deviation of a count under the charge, in records, where one party holds all records. */
double hr_id3_count_noise(const hr_id3_terms *terms, const hr_charge *charge);

/* How many levels of splits the terms allow, at most; and how many they allow with so many records.
 * noise_factor: as of hr_id3_accept. */
size_t hr_id3_depth(const hr_id3_terms *terms);
size_t hr_id3_depth_of_records(const hr_id3_terms *terms, double records, double noise_factor);

/* How many numbers one question has, at most, and the table of one feature in one node. */
size_t hr_id3_values_max(const hr_id3_terms *terms);
size_t hr_id3_table_values(const hr_id3_terms *terms, uint32_t feature);

/* Whether all questions that may come fit their limits and the budget. Fails: ARGUMENT, BUDGET, LIMIT. */
HR_MUST_CHECK hr_status hr_id3_check(const hr_id3_terms *terms, hr_error *err);

#endif
