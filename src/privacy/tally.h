/* The running total of a gate: the same sum as hr_account, kept up to date at a constant price per charge. */
#ifndef HR_PRIVACY_TALLY_H
#define HR_PRIVACY_TALLY_H

#include "privacy/accountant.h"

#include <stdbool.h>

typedef struct hr_tally_slot {
    uint64_t group, part;
    hr_units cost;
    bool used;
} hr_tally_slot;

/* A hash table by open addressing. */
typedef struct hr_tally_table {
    hr_tally_slot *slots;
    size_t size, used; /* size: 0 or a power of two, at least twice `used` */
} hr_tally_table;

/* Starts from {0}. */
typedef struct hr_tally {
    hr_tally_table parts, groups; /* what each part, and the costliest part of each group, costs */
    hr_units total;
} hr_tally;

void hr_tally_done(hr_tally *tally);

/* Makes room for one more charge. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_tally_reserve(hr_tally *tally, hr_error *err);

/* The total after a charge of `cost`; costs and totals at most HR_UNITS_MAX. */
hr_units hr_tally_would_be(const hr_tally *tally, uint64_t group, uint64_t part, hr_units cost);

/* Charges; hr_tally_reserve must have come before. */
void hr_tally_add(hr_tally *tally, uint64_t group, uint64_t part, hr_units cost);

#endif
