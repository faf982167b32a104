#include "base/kernels/block_loops.h"
#include "base/kernels/cell_loops.h"
#include "base/kernels/cut_loops.h"
#include "base/kernels/float_loops.h"
#include "base/kernels/loops.h"
#include "base/kernels/octet_loops.h"
#include "base/kernels/row_loops.h"
#include "base/kernels/score_loops.h"
#include "base/kernels/sets.h"

const hr_kernels hr_kernels_portable = {
    .name = "portable",
    HR_KERNELS_IN_LOOPS,
    .bins_of_numbers = hr_loop_bins_of_numbers,
    .floats_within = hr_loop_floats_within,
    .columns_of_floats = hr_loop_columns_of_floats,
    .places_of_block = hr_loop_places_of_block,
    .add_by_place = hr_loop_add_by_place,
    .find_cell_end = hr_loop_find_cell_end,
    .numbers_of_cells = hr_loop_numbers_of_cells,
    .ends_of_cells = hr_loop_ends_of_cells,
    .fractions_of_cells = hr_loop_fractions_of_cells,
    .walk_block = hr_loop_walk_block,
    .step_scores = hr_loop_step_scores,
    .octets_of_rows = hr_loop_octets_of_rows,
    .ranges_of_octets = hr_loop_ranges_of_octets,
    .sums_of_octets = hr_loop_sums_of_octets,
    .octets_within = hr_loop_octets_within,
    .logistic_words = hr_loop_logistic_words,
    .best_cut = hr_loop_best_cut,
    .best_cut_of_words = hr_loop_best_cut_of_words,
    .sums_up_to = hr_loop_sums_up_to,
    .divide_rows = hr_loop_divide_rows,
};
