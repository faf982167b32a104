/* The running total of a gate: the same sum as hr_account, kept up to date at a constant price per charge. */
#ifndef HR_PRIVACY_RUNNING_TOTAL_H
#define HR_PRIVACY_RUNNING_TOTAL_H

#include "privacy/accountant.h"

#include <stdbool.h>

typedef struct hr_running_total_slot {
    uint64_t group, part;
    hr_units cost;
    bool used;
} hr_running_total_slot;

/* A hash table by open addressing. */
typedef struct hr_running_total_table {
    hr_running_total_slot *slots;
    size_t size, used; /* size: 0 or a power of two, at least twice `used` */
} hr_running_total_table;

/* Starts from {0}. */
typedef struct hr_running_total {
    hr_running_total_table parts, groups; /* what each part, and the costliest part of each group, costs */
    hr_units total;
} hr_running_total;

void hr_running_total_done(hr_running_total *running_total);

/* Makes room for one more charge. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_running_total_reserve(hr_running_total *running_total, hr_error *err);

/* The total after a charge of `cost`; costs and totals at most HR_UNITS_MAX. */
hr_units hr_running_total_would_be(const hr_running_total *running_total, uint64_t group, uint64_t part,
                                   hr_units cost);

/* Charges; hr_running_total_reserve must have come before. */
void hr_running_total_add(hr_running_total *running_total, uint64_t group, uint64_t part, hr_units cost);

#endif
