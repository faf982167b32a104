/* Public random partitions of the feature space into regions, and how an owner weighs its records so that
 * they stand for the records of all owners.
 *
 * A table is one partition: the hashes of a record by HR_REGION_HASHES public random planes (lsh.h), folded
 * into `count` regions. Tables differ in their planes. Coins are public and the planes do not depend on
 * records, so that a record is in one region of each table, whatever the other records are.
 *
 * What owners release of their records are noisy counts of regions. A weight follows from these and from the
 * regions of the record itself: dp_simfl.proof.md. */
#ifndef HR_METHODS_SIMFL_REGIONS_H
#define HR_METHODS_SIMFL_REGIONS_H

#include "privacy/exact.h"

#include <hedgerow/data.h>

enum { HR_REGION_HASHES = 2, HR_REGION_TABLES_MAX = 64, HR_REGIONS_MAX = 4096, HR_REGION_WEIGHT_MAX = 8 };

typedef struct hr_regions hr_regions;

typedef struct hr_regions_setup {
    const hr_schema *schema; /* outlives the regions */
    size_t tables, count;    /* 1 to HR_REGION_TABLES_MAX, 1 to HR_REGIONS_MAX */
    double width;            /* of the hashes; features are scaled to [-1, 1] */
    const uint8_t *coins;    /* HR_LSH_COINS bytes */
} hr_regions_setup;

/* Owner: the caller frees *out. Thread: any may read it. Fails: ARGUMENT, LIMIT, IO, MEMORY, as hr_lsh_new.
 */
HR_MUST_CHECK hr_status hr_regions_new(const hr_regions_setup *setup, hr_regions **out, hr_error *err);
void hr_regions_free(hr_regions *regions);

/* out[row * tables + table] < count. The data follow the schema. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_regions_find(const hr_regions *regions, const hr_data *data, int threads,
                                        uint16_t *out, hr_error *err);

/* What all owners released: counts[(owner * tables + table) * count + region]. */
typedef struct hr_region_counts {
    size_t owners, tables, count;
    const hr_noisy *counts;
    double deviation; /* of the noise of a count */
} hr_region_counts;

/* How many records every owner has, by its counts; at least 1. */
void hr_region_totals(const hr_region_counts *counts, double *totals);

/* The integer weight of a record of `owner` in these regions, one of each table: about how much denser the
 * records of all owners are here than the owner's own, in units of HR_WEIGHT_UNIT; from 1/weight_max to
 * weight_max, at most HR_REGION_WEIGHT_MAX. Where counts are no larger than their noise it is near 1. */
uint8_t hr_region_weight(const hr_region_counts *counts, const double *totals, size_t owner,
                         const uint16_t *regions, int64_t weight_max);

#endif
