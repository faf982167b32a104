/* The exact numbers of an overview, of the records of one table. Proof: statistics.proof.md. */
#ifndef HR_METHODS_STATISTICS_OVERVIEW_COUNTS_H
#define HR_METHODS_STATISTICS_OVERVIEW_COUNTS_H

#include "methods/statistics/overview.h"

/* out: hr_overview_values numbers, in the order of the lines; they need not be 0 before. The data have the
 * overview's schema and labels, and weights where its unit is a person. */
void hr_overview_count(const hr_overview *overview, const hr_data *data, hr_exact *out);

#endif
