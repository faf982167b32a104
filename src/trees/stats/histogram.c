#include "trees/stats/histogram.h"

#include "base/team.h"
#include "trees/stats/packing.h"

#include <string.h>

enum {
    TOGETHER = 4,         /* features whose bins, and sums, are read and written side by side */
    TASK_FEATURES = 8,    /* whose sums stay in the first cache */
    HISTOGRAMS = 8,       /* that neighbouring rows add to: they fit in the first cache */
    BLOCK_ROWS = 1 << 14, /* packed gradients of a block stay in the second-level cache over all columns */
    SUMS_AHEAD = 512      /* from prefetch to use: what is fetched earlier is out of the first cache again */
};

/* Neighbouring rows of features side by side. */
typedef struct column_rows {
    const uint8_t *bins; /* of the first row; those of the next feature are `stride` bytes behind them */
    size_t stride;
    const int64_t *packed;
    size_t count;
} column_rows;

/* `features`: a constant, at most TOGETHER. */
static inline __attribute__((always_inline)) void add_row(size_t features, const uint8_t *bins, size_t stride,
                                                          int64_t value, hr_sum_word *restrict cells) {
    cells[bins[0]] += value;
    if (features > 1) cells[HR_STRIDE + bins[stride]] += value;
    if (features > 2) cells[2 * HR_STRIDE + bins[2 * stride]] += value;
    if (features > 3) cells[3 * HR_STRIDE + bins[3 * stride]] += value;
}

/* Neighbouring rows add to different copies: a full bin would otherwise wait for its own last store. `copies`
 * is a constant, too. */
static inline __attribute__((always_inline)) void add_rows(size_t features, size_t copies, column_rows rows,
                                                           hr_sum_word *out) {
    hr_sum_word cells[HISTOGRAMS * HR_STRIDE];
    const size_t of_copy = features * HR_STRIDE, whole = rows.count - rows.count % copies;
    memset(cells, 0, copies * of_copy * sizeof *cells);
    for (size_t i = 0; i < whole; i += copies)
        for (size_t c = 0; c < copies; c++)
            add_row(features, rows.bins + i + c, rows.stride, rows.packed[i + c], cells + c * of_copy);
    for (size_t i = whole; i < rows.count; i++)
        add_row(features, rows.bins + i, rows.stride, rows.packed[i], cells);
    for (size_t c = 0; c < copies; c++) hr_histogram_add(out, cells + c * of_copy, of_copy);
}

void hr_histogram_add_block(const hr_binned *binned, const hr_column_block *block, const int64_t *packed,
                            hr_sum_word *out) {
    for (size_t f = block->first; f < block->last; f += TOGETHER) {
        hr_sum_word *cells = out + (f - block->first) * HR_STRIDE;
        const column_rows rows = {hr_binned_column(binned, f) + block->begin, binned->column_stride,
                                  packed + block->begin, block->end - block->begin};
        switch (block->last - f) {
        case 1: add_rows(1, 4, rows, cells); break;
        case 2: add_rows(2, 4, rows, cells); break;
        case 3: add_rows(3, 2, rows, cells); break;
        default: add_rows(TOGETHER, 2, rows, cells);
        }
    }
}

static void sum_columns(const hr_binned *binned, size_t first, size_t last, const int64_t *packed,
                        hr_sum_word *out) {
    memset(out, 0, (last - first) * HR_STRIDE * sizeof *out);
    for (size_t begin = 0; begin < binned->rows; begin += BLOCK_ROWS) {
        const size_t end = binned->rows - begin < BLOCK_ROWS ? binned->rows : begin + BLOCK_ROWS;
        hr_histogram_add_block(binned, &(hr_column_block){first, last, begin, end}, packed, out);
    }
}

/* Of all records: each task sums some of the columns. */
typedef struct histogram_task {
    const hr_binned *binned;
    const int64_t *packed;
    size_t tasks;
    hr_sum_word *out;
} histogram_task;

static void sum_column_tasks(void *of, size_t member, size_t begin, size_t end) {
    const histogram_task *s = of;
    const size_t features = s->binned->features;
    (void)member;
    for (size_t task = begin; task < end; task++) {
        const size_t first = features * task / s->tasks, last = features * (task + 1) / s->tasks;
        sum_columns(s->binned, first, last, s->packed, s->out + hr_histogram_at(first));
    }
}

/* Every thread gets as many tasks as the others, of as many features but for one. */
void hr_histogram_of_all(const hr_binned *binned, const int64_t *packed, int threads, hr_sum_word *out) {
    const size_t members = hr_team_worth(threads, binned->rows * binned->features, HR_TEAM_ADDS),
                 together = TASK_FEATURES * members, rounds = (binned->features + together - 1) / together,
                 tasks = rounds * members, used = hr_histogram_at(binned->features);
    memset(out + used, 0, (hr_histogram_cells(binned->features) - used) * sizeof *out);
    histogram_task sums = {binned, packed, tasks, out};
    hr_team_share(members, tasks, 1, sum_column_tasks, &sums);
}

/* Some rows of a tile. */
typedef struct tile_rows {
    const uint8_t *tiles;
    const uint32_t *rows;
    const int64_t *packed;
    size_t count;
} tile_rows;

/* `groups`: a constant, of TOGETHER features each. */
static inline __attribute__((always_inline)) void add_tile_rows(size_t groups, const tile_rows *of,
                                                                hr_sum_word *cells) {
    const size_t ahead = SUMS_AHEAD / (groups * TOGETHER), count = of->count;
    const uint32_t *rows = of->rows;
    for (size_t i = 0; i < count; i++) {
        if (i + ahead < count) __builtin_prefetch(of->tiles + (size_t)rows[i + ahead] * HR_TILE);
        const uint8_t *bins = of->tiles + (size_t)rows[i] * HR_TILE;
        const int64_t value = of->packed[i];
#pragma GCC unroll 8
        for (size_t g = 0; g < groups; g++)
            add_row(TOGETHER, bins + g * TOGETHER, 1, value, cells + g * TOGETHER * HR_STRIDE);
    }
}

void hr_histogram_of_tile(const hr_binned *binned, size_t tile, const uint32_t *rows, const int64_t *packed,
                          size_t count, hr_sum_word *cells) {
    const size_t rest = binned->features - tile * HR_TILE, features = rest < HR_TILE ? rest : HR_TILE;
    const tile_rows of = {hr_binned_tile(binned, tile, 0), rows, packed, count};
    memset(cells, 0, HR_TILE * HR_STRIDE * sizeof *cells);
    switch ((features + TOGETHER - 1) / TOGETHER) {
    case 1: add_tile_rows(1, &of, cells); break;
    case 2: add_tile_rows(2, &of, cells); break;
    case 3: add_tile_rows(3, &of, cells); break;
    case 4: add_tile_rows(4, &of, cells); break;
    case 5: add_tile_rows(5, &of, cells); break;
    case 6: add_tile_rows(6, &of, cells); break;
    case 7: add_tile_rows(7, &of, cells); break;
    default: add_tile_rows(HR_TILE / TOGETHER, &of, cells);
    }
}

void hr_histogram_add(hr_sum_word *all, const hr_sum_word *part, size_t cells) {
    for (size_t i = 0; i < cells; i++) all[i] += part[i];
}

void hr_histogram_subtract(hr_sum_word *all, const hr_sum_word *part, size_t cells) {
    for (size_t i = 0; i < cells; i++) all[i] -= part[i];
}

/* ---- Room for sums in a word ---- */

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
