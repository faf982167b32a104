#include "trees/stats/packing.h"

static int bit_length(uint64_t x) {
    int bits = 0;
    for (; x; x >>= 1) bits++;
    return bits;
}

int hr_packing_shift(size_t rows, uint64_t weight_bound, int64_t gradient_bound) {
    int shift = bit_length(rows) + bit_length(weight_bound);
    int gradient = bit_length(rows) + bit_length((uint64_t)gradient_bound);
    return shift + gradient <= 63 ? shift : -1;
}
