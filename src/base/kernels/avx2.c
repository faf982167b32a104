#include "base/kernels/block_avx2.h"
#include "base/kernels/block_loops.h"
#include "base/kernels/cell_vectors.h"
#include "base/kernels/cut_vectors.h"
#include "base/kernels/float_vectors.h"
#include "base/kernels/gradient_vectors.h"
#include "base/kernels/loops.h"
#include "base/kernels/octet_vectors.h"
#include "base/kernels/place_vectors.h"
#include "base/kernels/row_vectors.h"
#include "base/kernels/score_loops.h"
#include "base/kernels/search_vectors.h"
#include "base/kernels/sets.h"

const hr_kernels hr_kernels_avx2 = {
    .name = "avx2",
    HR_KERNELS_IN_LOOPS,
    .bins_of_numbers = hr_vector_bins_of_numbers,
    .floats_within = hr_vector_floats_within,
    .columns_of_floats = hr_vector_columns_of_floats,
    .places_of_block = hr_loop_places_of_block,
    .add_by_place = hr_vector_add_by_place,
    .find_cell_end = hr_vector_find_cell_end,
    .numbers_of_cells = hr_vector_numbers_of_cells,
    .ends_of_cells = hr_vector_ends_of_cells,
    .fractions_of_cells = hr_vector_fractions_of_cells,
    .walk_block = hr_avx2_walk_block,
    .step_scores = hr_loop_step_scores,
    .octets_of_rows = hr_vector_octets_of_rows,
    .ranges_of_octets = hr_vector_ranges_of_octets,
    .sums_of_octets = hr_vector_sums_of_octets,
    .octets_within = hr_loop_octets_within,
    .logistic_words = hr_vector_logistic_words,
    .best_cut = hr_vector_best_cut,
    .best_cut_of_words = hr_vector_best_cut_of_words,
    .sums_up_to = hr_vector_sums_up_to,
    .divide_rows = hr_vector_divide_rows,
};
