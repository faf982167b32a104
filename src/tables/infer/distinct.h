/* How many different texts there are, in little memory: an estimate, with a standard error of 2.3 %
 * (HyperLogLog). */
#ifndef HR_TABLES_INFER_DISTINCT_H
#define HR_TABLES_INFER_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

enum { HR_DISTINCT_CELLS = 2048 };

/* Starts from {0}. */
typedef struct hr_distinct {
    uint8_t
        highest[HR_DISTINCT_CELLS]; /* of the hashes of a cell: the place of their first set bit, from 1 */
} hr_distinct;

void hr_distinct_add(hr_distinct *distinct, const char *text, size_t size);
double hr_distinct_count(const hr_distinct *distinct);

#endif
