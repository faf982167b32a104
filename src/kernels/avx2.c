#include "kernels/loops.h"
#include "kernels/sets.h"

const hr_kernels hr_kernels_avx2 = {
    .name = "avx2",
    .bins_of_numbers = hr_loop_bins_of_numbers,
};
