/* Tables of floats in rows, in C that compilers make vectors of. */
#ifndef HR_BASE_KERNELS_FLOAT_LOOPS_H
#define HR_BASE_KERNELS_FLOAT_LOOPS_H

#include "base/kernels/kernels.h"

static inline bool hr_loop_floats_within(const hr_float_rows *rows, const hr_float_bounds *bounds) {
    uint32_t outside[HR_FLOATS_TOGETHER] = {0}, any = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const float *row = rows->at + (ptrdiff_t)i * rows->stride;
        for (size_t k = 0; k < HR_FLOATS_TOGETHER; k++)
            outside[k] |= (uint32_t) !(row[k] >= bounds->low[k]) | (uint32_t) !(row[k] <= bounds->high[k]);
    }
    for (size_t k = 0; k < HR_FLOATS_TOGETHER; k++) any |= outside[k];
    return !any;
}

static inline void hr_loop_columns_of_floats(const hr_float_rows *rows, size_t room, double *out) {
    for (size_t i = 0; i < rows->count; i++) {
        const float *row = rows->at + (ptrdiff_t)i * rows->stride;
        for (size_t k = 0; k < HR_FLOATS_TOGETHER; k++) out[k * room + i] = (double)row[k];
    }
}

#endif
