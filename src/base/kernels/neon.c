/* What is not here in vectors of NEON by name, the compiler makes vectors of: every arm64 has them. */
#include "base/kernels/block_loops.h"
#include "base/kernels/block_neon.h"
#include "base/kernels/cell_loops.h"
#include "base/kernels/cut_loops.h"
#include "base/kernels/float_loops.h"
#include "base/kernels/loops.h"
#include "base/kernels/octet_neon.h"
#include "base/kernels/row_loops.h"
#include "base/kernels/score_loops.h"
#include "base/kernels/sets.h"

#include <arm_neon.h>

/* A mark of 8 bits becomes one of 4, so that all of them are in one word. */
static const char *find_cell_end(const char *text, char separator) {
    enum { STEP = 16, BITS = 4 };
    const uint8x16_t comma = vdupq_n_u8((uint8_t)separator), quote = vdupq_n_u8('"'), cr = vdupq_n_u8('\r'),
                     lf = vdupq_n_u8('\n');
    for (;; text += STEP) {
        const uint8x16_t x = vld1q_u8((const uint8_t *)text);
        const uint8x16_t ends = vorrq_u8(vorrq_u8(vceqq_u8(x, comma), vceqq_u8(x, lf)),
                                         vorrq_u8(vceqq_u8(x, quote), vceqq_u8(x, cr)));
        const uint8x8_t marks = vshrn_n_u16(vreinterpretq_u16_u8(ends), BITS);
        const uint64_t mask = vget_lane_u64(vreinterpret_u64_u8(marks), 0);
        if (mask) return text + __builtin_ctzll(mask) / BITS;
    }
}

static size_t ends_of_cells(const char *text, char separator, size_t count, uint32_t *ends) {
    return hr_loop_ends_by(find_cell_end, text, separator, count, ends);
}

const hr_kernels hr_kernels_neon = {
    .name = "neon",
    HR_KERNELS_IN_LOOPS,
    .bins_of_numbers = hr_loop_bins_of_numbers,
    .floats_within = hr_loop_floats_within,
    .columns_of_floats = hr_loop_columns_of_floats,
    .places_of_block = hr_loop_places_of_block,
    .add_by_place = hr_loop_add_by_place,
    .find_cell_end = find_cell_end,
    .numbers_of_cells = hr_loop_numbers_of_cells,
    .ends_of_cells = ends_of_cells,
    .fractions_of_cells = hr_loop_fractions_of_cells,
    .walk_block = hr_neon_walk_block,
    .step_scores = hr_loop_step_scores,
    .octets_of_rows = hr_neon_octets_of_rows,
    .ranges_of_octets = hr_neon_ranges_of_octets,
    .sums_of_octets = hr_neon_sums_of_octets,
    .octets_within = hr_loop_octets_within,
    .logistic_words = hr_loop_logistic_words,
    .best_cut = hr_loop_best_cut,
    .best_cut_of_words = hr_loop_best_cut_of_words,
    .sums_up_to = hr_loop_sums_up_to,
    .divide_rows = hr_loop_divide_rows,
};
