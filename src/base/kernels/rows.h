/* Records of a node: a row and a value each, which move together when the node is split. */
#ifndef HR_BASE_KERNELS_ROWS_H
#define HR_BASE_KERNELS_ROWS_H

#include <stdint.h>

typedef struct hr_valued_rows {
    uint32_t *rows;
    int64_t *values;
} hr_valued_rows;

/* The same, only read. */
typedef struct hr_given_rows {
    const uint32_t *rows;
    const int64_t *values;
} hr_given_rows;

#endif
