/* The records of several owners in one process: whose each record is, its regions (regions.h) and its weight.
 * Exact counts of regions leave it as hr_exact alone; weights never leave it. Thread: one at a time. */
#ifndef HR_METHODS_SIMFL_OWNED_RECORDS_H
#define HR_METHODS_SIMFL_OWNED_RECORDS_H

#include "methods/simfl/regions.h"
#include "privacy/crypto/csprng.h"
#include "trees/records/stats_source.h"

typedef struct hr_owned_records hr_owned_records;

/* How a table is divided among owners, for experiments. Each record draws its owner by itself: one record
 * more leaves the others where they are. */
typedef struct hr_owner_law {
    size_t owners;
    double theta; /* a record of the lower half goes to one of the first ceil(owners/2) owners with
                     probability theta, any other one with 1 - theta; 0: all owners are equally likely */
    size_t skew; /* the halves are those of the label: the first classes, or numbers below the middle; else of
                    feature skew - 1: its first bins */
    const hr_binning *binning; /* public or released; borrowed while records are divided */
} hr_owner_law;

/* Divides the records by coins of the stream, which is secret. Borrows the data. Owner: the caller frees
 * *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_owned_records_new(const hr_data *data, const hr_owner_law *law, hr_csprng *csprng,
                                             int threads, hr_owned_records **out, hr_error *err);
void hr_owned_records_free(hr_owned_records *records);

/* Finds the regions of all records. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_owned_records_locate(hr_owned_records *records, const hr_regions *regions,
                                                size_t tables, hr_error *err);
/* out[(owner * tables + table) * count + region]: how many records of each owner are in each of a table's
 * `count` regions. One record is in one region of each table. They were located. */
void hr_owned_records_count(const hr_owned_records *records, size_t count, hr_exact *out);
/* Weighs every record by what was released (hr_region_weight). Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_owned_records_weigh(hr_owned_records *records, const hr_region_counts *counts,
                                               int64_t weight_max, hr_error *err);

/* Makes a source of their weighted gradients, prepared for nothing yet, whose parts are the owners once
 * hr_owned_records_share_out was called on it. Borrows the records. Owner: the caller frees *out with
 * hr_stats_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_owned_records_source(const hr_owned_records *records, hr_stats_source **out,
                                                hr_error *err);
HR_MUST_CHECK hr_status hr_owned_records_share_out(const hr_owned_records *records, hr_stats_source *source,
                                                   hr_error *err);

#endif
