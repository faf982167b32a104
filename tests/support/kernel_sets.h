/* Checks that every set of kernels is put to. */
#ifndef HR_TESTS_SUPPORT_KERNEL_SETS_H
#define HR_TESTS_SUPPORT_KERNEL_SETS_H

#include "base/kernels/kernels.h"

/* Calls a check with each set that runs here. A set that the processor lacks is named and left out. */
void with_each_set(void (*check)(const hr_kernels *set));

#endif
