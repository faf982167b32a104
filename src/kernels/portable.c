#include "kernels/loops.h"
#include "kernels/sets.h"

const hr_kernels hr_kernels_portable = {
    .name = "portable",
    .bins_of_numbers = hr_loop_bins_of_numbers,
};
