/* Division of records (rows.h) in C. */
#ifndef HR_BASE_KERNELS_ROW_LOOPS_H
#define HR_BASE_KERNELS_ROW_LOOPS_H

#include "base/kernels/kernels.h"

#include <stddef.h>

/* Without a branch on the records: each is written to both sides, and counted on one. */
static inline size_t hr_loop_divide_rows(const hr_given_rows *from, const uint8_t *goes_left, size_t count,
                                         const hr_valued_rows *left, const hr_valued_rows *right) {
    const hr_given_rows f = *from;
    const hr_valued_rows a = *left, b = *right;
    size_t to_left = 0, to_right = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t row = f.rows[i];
        const int64_t value = f.values[i];
        const size_t goes = goes_left[i];
        a.rows[to_left] = b.rows[to_right] = row;
        a.values[to_left] = b.values[to_right] = value;
        to_left += goes;
        to_right += 1 - goes;
    }
    return to_left;
}

#endif
