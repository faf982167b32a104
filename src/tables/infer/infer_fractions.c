/* Measurements: once a column has more values than are listed, and all are numbers, nothing of a decimal
 * fraction has to be found again. What hr_inference_add would count is counted here, some cells at a time. */
#include "tables/infer/infer_column.h"

#include <math.h>
#include <string.h>

enum { CELLS_AT_ONCE = 64 };

/* What some cells add to the column. */
typedef struct fractions_seen {
    hr_fractions numbers;
    size_t within;
} fractions_seen;

/* Whether cells that fractions_of_cells reads change nothing but counts, ranges and the estimate. */
static bool is_settled(const hr_inference *g) {
    return g->more && g->codes.other && g->plain.others && g->text.points.cells && g->text.no_boolean &&
           !g->text.words && g->text.odd.count >= HR_WORDS_FIRST;
}

static inline uint64_t *bit_of_word(hr_distinct *distinct, uint64_t hash, uint64_t *bit) {
    *bit = (uint64_t)1 << (hash & 63);
    return &distinct->words[hash >> 6 & (HR_DISTINCT_WORDS - 1)];
}

static void mark_words(hr_inference *g) {
    uint64_t bit;
    for (size_t i = 0; i < g->text.odd.count; i++) {
        const char *text = g->text.odd.words[i].text;
        uint64_t *marks = bit_of_word(g->more, hr_text_hash(text, strlen(text)), &bit);
        *marks |= bit;
    }
    g->more->marked = true;
}

/* Counts the cell among the words if it is one of them. */
static inline void count_word(hr_inference *g, const hr_cell_text *cell, uint64_t hash) {
    uint64_t bit;
    if (!(*bit_of_word(g->more, hash, &bit) & bit)) return;
    const uint32_t word = hr_string_map_find(&g->text.odd.known, cell->text, cell->size);
    if (word != HR_STRING_MAP_NONE) g->text.odd.words[word].cells++;
}

/* Up to CELLS_AT_ONCE of them. */
static fractions_seen see_fractions(hr_inference *g, const hr_cell_text *cells, size_t count) {
    double values[CELLS_AT_ONCE];
    fractions_seen seen = {.numbers = hr_kernels_get()->fractions_of_cells(cells, count, values)};
    for (size_t i = 0; i < seen.numbers.count; i++) {
        const hr_cell_text *cell = &cells[i];
        const uint64_t hash = hr_cell_hash(cell->text, cell->size);
        hr_distinct_add_hash(g->more, hash);
        count_word(g, cell, hash);
    }
    for (size_t i = 0; g->common && i < seen.numbers.count; i++)
        seen.within += values[i] >= g->common->low && values[i] <= g->common->high;
    return seen;
}

static void widen(double *low, double *high, const hr_fractions *seen) {
    *low = seen->low < *low ? seen->low : *low;
    *high = seen->high > *high ? seen->high : *high;
}

static void count_fractions(hr_inference *g, const fractions_seen *counted) {
    const hr_fractions *seen = &counted->numbers;
    const size_t shortest = (size_t)__builtin_ctz(seen->sizes),
                 longest = 31 - (size_t)__builtin_clz(seen->sizes);
    hr_number_evidence *plain = &g->plain;
    g->cells += seen->count;
    g->numbers += seen->count;
    g->within += counted->within;
    hr_code_cells_add_numbers(&g->codes, seen->count, shortest, longest);
    g->text.cells += seen->count;
    g->text.points.cells += seen->count;
    plain->cells += seen->count;
    plain->others += seen->count;
    if (shortest < plain->shortest) plain->shortest = shortest;
    if (longest > plain->longest) plain->longest = longest;
    plain->negative |= seen->low < 0;
    plain->fractions = plain->other_fractions = g->fractions = g->text.points.fractions = true;
    widen(&g->low, &g->high, seen);
    widen(&g->text.points.low, &g->text.points.high, seen);
    widen(&plain->low, &plain->high, seen);
}

size_t hr_inference_add_fractions(hr_inference *g, const hr_cell_text *cells, size_t count) {
    size_t taken = 0;
    if (!is_settled(g)) return 0;
    if (!g->more->marked) mark_words(g);
    while (taken < count) {
        const size_t most = count - taken < CELLS_AT_ONCE ? count - taken : CELLS_AT_ONCE;
        const fractions_seen seen = see_fractions(g, cells + taken, most);
        if (seen.numbers.count) count_fractions(g, &seen);
        taken += seen.numbers.count;
        if (seen.numbers.count < most) break;
    }
    return taken;
}
