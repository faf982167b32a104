/* The sets of kernels, each in a file of its own that is compiled for its instructions. */
#ifndef HR_BASE_KERNELS_SETS_H
#define HR_BASE_KERNELS_SETS_H

#include "base/kernels/kernels.h"

extern const hr_kernels hr_kernels_portable;
#ifdef HR_KERNELS_X86
extern const hr_kernels hr_kernels_avx2, hr_kernels_avx512;
#endif
#ifdef HR_KERNELS_ARM64
extern const hr_kernels hr_kernels_neon;
#endif

#endif
