/* The two kinds of numbers. An exact statistic of private records and a released one are different types, so
 * that the compiler refuses to publish what was not paid for. `.unpaid` is touched only in
 * src/privacy, src/tables/bins, src/trees/stats, candidates and records, and the records of simfl; `.paid` is
 * written only in src/privacy (tests/hygiene checks both). */
#ifndef HR_PRIVACY_EXACT_H
#define HR_PRIVACY_EXACT_H

#include <stdint.h>

typedef struct hr_exact {
    int64_t unpaid;
} hr_exact;

typedef struct hr_noisy {
    int64_t paid;
} hr_noisy;

#endif
