/* Measurements: once a column has more values than are listed, and all are numbers, nothing of a decimal
 * fraction has to be found again. What hr_inference_add would count is counted here, some cells at a time. */
#include "base/text/number_fast.h"
#include "tables/infer/infer_column.h"

#include <math.h>
#include <string.h>

enum { CELLS_AT_ONCE = 64, EXACT_DIGITS = 15, GROUP_DIGITS = 3 };

/* What some cells add to the column. */
typedef struct fractions_seen {
    size_t count, within, shortest, longest;
    double low, high;
} fractions_seen;

/* Whether a text is a decimal fraction, without blanks, an exponent or leading zeros. Its digits fit a
 * double, and so does the power of ten that divides them: the value is the nearest one. Three digits behind
 * the point may be separated thousands, which other code decides on. */
static inline bool read_fraction(const hr_seen_cell *cell, double *value) {
    static const double tens[EXACT_DIGITS + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool negative = *cell->text == '-';
    const char *first = cell->text + negative, *p = first;
    uint64_t digits = 0;
    const unsigned whole = hr_digits_run(&p, &digits);
    if (*p != '.') return false;
    p++;
    const unsigned behind = hr_digits_run(&p, &digits);
    if (p != cell->text + cell->size || !whole || whole + behind > EXACT_DIGITS || behind == GROUP_DIGITS ||
        (whole > 1 && *first == '0'))
        return false;
    *value = hr_with_sign((double)(int64_t)digits / tens[behind], negative);
    return *value != (double)(int64_t)*value;
}

/* Whether cells that read_fraction() reads change nothing but counts, ranges and the estimate. */
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
static inline void count_word(hr_inference *g, const hr_seen_cell *cell, uint64_t hash) {
    uint64_t bit;
    if (!(*bit_of_word(g->more, hash, &bit) & bit)) return;
    const uint32_t word = hr_string_map_find(&g->text.odd.known, cell->text, cell->size);
    if (word != HR_STRING_MAP_NONE) g->text.odd.words[word].cells++;
}

static fractions_seen see_fractions(hr_inference *g, const hr_seen_cell *cells, size_t stride, size_t count) {
    fractions_seen seen = {.shortest = SIZE_MAX, .low = INFINITY, .high = -INFINITY};
    double values[CELLS_AT_ONCE];
    while (seen.count < count && read_fraction(&cells[seen.count * stride], &values[seen.count]))
        seen.count++;
    for (size_t i = 0; i < seen.count; i++) {
        const hr_seen_cell *cell = &cells[i * stride];
        const uint64_t hash = hr_text_hash(cell->text, cell->size);
        hr_distinct_add_hash(g->more, hash);
        count_word(g, cell, hash);
        seen.shortest = cell->size < seen.shortest ? cell->size : seen.shortest;
        seen.longest = cell->size > seen.longest ? cell->size : seen.longest;
        seen.low = values[i] < seen.low ? values[i] : seen.low;
        seen.high = values[i] > seen.high ? values[i] : seen.high;
    }
    for (size_t i = 0; g->common && i < seen.count; i++)
        seen.within += values[i] >= g->common->low && values[i] <= g->common->high;
    return seen;
}

static void widen(double *low, double *high, const fractions_seen *seen) {
    *low = seen->low < *low ? seen->low : *low;
    *high = seen->high > *high ? seen->high : *high;
}

static void count_fractions(hr_inference *g, const fractions_seen *seen) {
    hr_number_evidence *plain = &g->plain;
    g->cells += seen->count;
    g->numbers += seen->count;
    g->within += seen->within;
    hr_code_cells_add_numbers(&g->codes, seen->count, seen->shortest, seen->longest);
    g->text.cells += seen->count;
    g->text.points.cells += seen->count;
    plain->cells += seen->count;
    plain->others += seen->count;
    if (seen->shortest < plain->shortest) plain->shortest = seen->shortest;
    if (seen->longest > plain->longest) plain->longest = seen->longest;
    plain->negative |= seen->low < 0;
    plain->fractions = plain->other_fractions = g->fractions = g->text.points.fractions = true;
    widen(&g->low, &g->high, seen);
    widen(&g->text.points.low, &g->text.points.high, seen);
    widen(&plain->low, &plain->high, seen);
}

size_t hr_inference_add_fractions(hr_inference *g, const hr_seen_cell *cells, size_t stride, size_t count) {
    size_t taken = 0;
    if (!is_settled(g)) return 0;
    if (!g->more->marked) mark_words(g);
    while (taken < count) {
        const size_t most = count - taken < CELLS_AT_ONCE ? count - taken : CELLS_AT_ONCE;
        const fractions_seen seen = see_fractions(g, cells + taken * stride, stride, most);
        if (seen.count) count_fractions(g, &seen);
        taken += seen.count;
        if (seen.count < most) break;
    }
    return taken;
}
