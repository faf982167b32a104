#include "stats/histogram.h"

#include <string.h>

enum {
    COPIES = 4, /* neighbouring rows add to different copies: a full bin would otherwise wait for its own last
                   store */
    BLOCK_ROWS = 1 << 14, /* packed gradients of a block stay in the second-level cache over all columns */
    AHEAD = 32,           /* rows between prefetch and use */
    WORD_FEATURES = 4,    /* features that one 32-bit load brings */
    FEATURES_TOGETHER = 8 /* whose sums stay in the first cache */
};

static uint64_t load64(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static uint32_t load32(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

void hr_histogram_add_column(const uint8_t *bins, const int64_t *packed, size_t count, hr_cell *out) {
    hr_cell copies[COPIES][HR_STRIDE];
    memset(copies, 0, sizeof copies);
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t word = load64(bins + i);
        copies[0][word & 255] += packed[i];
        copies[1][word >> 8 & 255] += packed[i + 1];
        copies[2][word >> 16 & 255] += packed[i + 2];
        copies[3][word >> 24 & 255] += packed[i + 3];
        copies[0][word >> 32 & 255] += packed[i + 4];
        copies[1][word >> 40 & 255] += packed[i + 5];
        copies[2][word >> 48 & 255] += packed[i + 6];
        copies[3][word >> 56] += packed[i + 7];
    }
    for (; i < count; i++) copies[0][bins[i]] += packed[i];
    for (size_t b = 0; b < HR_BINS_MAX; b++)
        out[b] += copies[0][b] + copies[1][b] + copies[2][b] + copies[3][b];
}

static void add_columns(const hr_binned *binned, size_t first, size_t last, const int64_t *packed,
                        hr_cell *out) {
    memset(out + hr_histogram_at(first), 0, (last - first) * HR_STRIDE * sizeof *out);
    for (size_t begin = 0; begin < binned->rows; begin += BLOCK_ROWS) {
        size_t count = binned->rows - begin < BLOCK_ROWS ? binned->rows - begin : BLOCK_ROWS;
        for (size_t f = first; f < last; f++)
            hr_histogram_add_column(hr_binned_column(binned, f) + begin, packed + begin, count,
                                    out + hr_histogram_at(f));
    }
}

/* Every thread gets as many tasks as the others, of as many features but for one. */
void hr_histogram_of_all(const hr_binned *binned, const int64_t *packed, int threads, hr_cell *out) {
    const size_t together = FEATURES_TOGETHER * (size_t)threads,
                 rounds = (binned->features + together - 1) / together, tasks = rounds * (size_t)threads,
                 used = hr_histogram_at(binned->features);
    memset(out + used, 0, (hr_histogram_cells(binned->features) - used) * sizeof *out);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t task = 0; task < tasks; task++) {
        add_columns(binned, binned->features * task / tasks, binned->features * (task + 1) / tasks, packed,
                    out);
    }
}

static inline void add_packed_word(hr_cell *cells, uint32_t word, int64_t value) {
    cells[word & 255] += value;
    cells[HR_STRIDE + (word >> 8 & 255)] += value;
    cells[2 * HR_STRIDE + (word >> 16 & 255)] += value;
    cells[3 * HR_STRIDE + (word >> 24)] += value;
}

void hr_histogram_of_tile(const hr_binned *binned, size_t tile, const uint32_t *rows, const int64_t *packed,
                          size_t count, hr_cell *cells) {
    size_t features =
        binned->features - tile * HR_TILE < HR_TILE ? binned->features - tile * HR_TILE : HR_TILE;
    size_t words = (features + WORD_FEATURES - 1) / WORD_FEATURES;
    memset(cells, 0, HR_TILE * HR_STRIDE * sizeof *cells);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) __builtin_prefetch(hr_binned_tile(binned, tile, rows[i + AHEAD]));
        const uint8_t *bins = hr_binned_tile(binned, tile, rows[i]);
        for (size_t w = 0; w < words; w++)
            add_packed_word(cells + w * WORD_FEATURES * HR_STRIDE, load32(bins + w * WORD_FEATURES),
                            packed[i]);
    }
}

void hr_histogram_add(hr_cell *all, const hr_cell *part, size_t cells) {
    for (size_t i = 0; i < cells; i++) all[i] += part[i];
}

void hr_histogram_subtract(hr_cell *all, const hr_cell *part, size_t cells) {
    for (size_t i = 0; i < cells; i++) all[i] -= part[i];
}
