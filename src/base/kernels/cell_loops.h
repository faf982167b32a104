/* Cells of CSV records: where they end, and the plain numbers in them. */
#ifndef HR_BASE_KERNELS_CELL_LOOPS_H
#define HR_BASE_KERNELS_CELL_LOOPS_H

#include "base/kernels/kernels.h"
#include "base/text/number_fast.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static inline bool hr_loop_ends_cell(char c, char separator) {
    return c == separator || c == '"' || c == '\r' || c == '\n';
}

static inline const char *hr_loop_find_cell_end(const char *text, char separator) {
    while (!hr_loop_ends_cell(*text, separator)) text++;
    return text;
}

typedef const char *hr_cell_end_finder(const char *text, char separator);

/* `find` is a constant where this is inlined. */
static inline size_t hr_loop_ends_by(hr_cell_end_finder *find, const char *text, char separator, size_t count,
                                     uint32_t *ends) {
    const char *at = text;
    for (size_t found = 0; found < count; found++) {
        const char *end = find(at, separator);
        ends[found] = (uint32_t)(end - text);
        if (*end != separator) return found + 1;
        at = end + 1;
    }
    return count;
}

static inline size_t hr_loop_ends_of_cells(const char *text, char separator, size_t count, uint32_t *ends) {
    return hr_loop_ends_by(hr_loop_find_cell_end, text, separator, count, ends);
}

/* The number at *text, if `separator` follows it at once; moves *text behind that. */
static inline bool hr_loop_number_of_cell(const char **text, char separator, double *out) {
    const char *end = hr_number_fast(*text, out);
    if (!end || *end != separator) return false;
    *text = end + 1;
    return true;
}

static inline size_t hr_loop_numbers_of_cells(const char **text, char separator, size_t count, double *out) {
    const char *at = *text; /* a local one stays in a register */
    size_t taken = 0;
    while (taken < count && hr_loop_number_of_cell(&at, separator, &out[taken])) taken++;
    *text = at;
    return taken;
}

enum { HR_FRACTION_DIGITS = 15, HR_GROUP_DIGITS = 3 };

/* Whether a text is a decimal fraction, without blanks, an exponent or leading zeros. Its digits fit a
 * double, and so does the power of ten that divides them: the value is the nearest one. Three digits behind
 * the point may be separated thousands, which other code decides on. */
static inline bool hr_loop_fraction_of_cell(const hr_cell_text *cell, double *value) {
    static const double tens[HR_FRACTION_DIGITS + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                        1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool negative = *cell->text == '-';
    const char *first = cell->text + negative, *p = first;
    uint64_t digits = 0;
    const unsigned whole = hr_digits_run(&p, &digits);
    if (*p != '.') return false;
    p++;
    const unsigned behind = hr_digits_run(&p, &digits);
    if (p != cell->text + cell->size || !whole || whole + behind > HR_FRACTION_DIGITS ||
        behind == HR_GROUP_DIGITS || (whole > 1 && *first == '0'))
        return false;
    *value = hr_with_sign((double)(int64_t)digits / tens[behind], negative);
    return *value != (double)(int64_t)*value;
}

static inline void hr_loop_count_fraction(hr_fractions *seen, size_t size, double value) {
    seen->count++;
    seen->sizes |= 1u << size;
    seen->low = value < seen->low ? value : seen->low;
    seen->high = value > seen->high ? value : seen->high;
}

static inline hr_fractions hr_loop_fractions_of_cells(const hr_cell_text *cells, size_t count, double *out) {
    hr_fractions seen = {.low = (double)INFINITY, .high = -(double)INFINITY};
    while (seen.count < count && hr_loop_fraction_of_cell(&cells[seen.count], &out[seen.count]))
        hr_loop_count_fraction(&seen, cells[seen.count].size, out[seen.count]);
    return seen;
}

/* Counts of a byte each, which compilers make vectors of, are added up before they overflow. */
static inline size_t hr_loop_count_bytes(const char *text, size_t size, char byte) {
    enum { LANES = 64, MOST = 255 };
    uint8_t counts[LANES] = {0};
    size_t total = 0, i = 0;
    while (size - i >= LANES) {
        for (size_t steps = 0; steps < MOST && size - i >= LANES; steps++, i += LANES)
            for (size_t k = 0; k < LANES; k++) counts[k] = (uint8_t)(counts[k] + (text[i + k] == byte));
        for (size_t k = 0; k < LANES; k++) {
            total += counts[k];
            counts[k] = 0;
        }
    }
    for (; i < size; i++) total += text[i] == byte;
    return total;
}

#endif
