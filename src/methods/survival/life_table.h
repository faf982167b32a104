/* A survival curve from the counts of codes (survival_code.h), which may be noisy: the life table of
 * actuaries (Cutler and Ederer 1958), with bands that cover what the records leave open and what the noise
 * hides. It reads released counts alone. */
#ifndef HR_METHODS_SURVIVAL_LIFE_TABLE_H
#define HR_METHODS_SURVIVAL_LIFE_TABLE_H

#include <stddef.h>

/* At the end of an interval. */
typedef struct hr_life_interval {
    double survival;  /* Pr(no event until then), within 0..1, not above that of the interval before */
    double low, high; /* what covers it with a probability of about 0.95, each interval by itself */
} hr_life_interval;

/* counts: 2 * intervals + 1, by code; intervals at most HR_INTERVALS_MAX. deviation: of the noise of each,
 * which are independent; 0: the counts are exact. Where too few are at risk to tell, the curve goes on level,
 * and the band goes down to 0. Returns of how many intervals it tells: the first so many. */
size_t hr_life_table(const double *counts, size_t intervals, double deviation, hr_life_interval *out);

#endif
