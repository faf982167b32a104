/* The sets of kernels, each in a file of its own that is compiled for its instructions. */
#ifndef HR_BASE_KERNELS_SETS_H
#define HR_BASE_KERNELS_SETS_H

#include "base/kernels/kernels.h"

/* The kernels that are loops in every set: compilers make vectors of them. */
#define HR_KERNELS_IN_LOOPS                                                                                  \
    .count_bytes = hr_loop_count_bytes, .cells_of_pair = hr_loop_cells_of_pair,                              \
    .words_of = hr_loop_words_of, .sums_of_words = hr_loop_sums_of_words

extern const hr_kernels hr_kernels_portable;
#ifdef HR_KERNELS_X86
extern const hr_kernels hr_kernels_avx2, hr_kernels_avx512;
#endif
#ifdef HR_KERNELS_ARM64
extern const hr_kernels hr_kernels_neon;
#endif

#endif
