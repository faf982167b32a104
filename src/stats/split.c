#include "stats/split.h"

hr_cell hr_split_left_sum(const hr_split *split, const hr_binning *binning, const hr_cell *cells) {
    const hr_cell *feature = cells + hr_histogram_at(split->feature);
    hr_cell sum = 0;
    for (uint32_t bin = 0; bin < binning->features[split->feature].bin_count; bin++)
        if (hr_split_goes_left(split, (uint8_t)bin)) sum += feature[bin];
    return sum;
}

bool hr_left_is_smaller(const hr_packing *packing, hr_cell left, hr_cell right) {
    return hr_unpack(packing, left).weight.unpaid <= hr_unpack(packing, right).weight.unpaid;
}
