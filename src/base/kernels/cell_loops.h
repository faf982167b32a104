/* Cells of CSV records: where they end, and the plain numbers in them. */
#ifndef HR_BASE_KERNELS_CELL_LOOPS_H
#define HR_BASE_KERNELS_CELL_LOOPS_H

#include "base/text/number_fast.h"

#include <stdbool.h>
#include <stddef.h>

static inline bool hr_loop_ends_cell(char c, char separator) {
    return c == separator || c == '"' || c == '\r' || c == '\n';
}

static inline const char *hr_loop_find_cell_end(const char *text, char separator) {
    while (!hr_loop_ends_cell(*text, separator)) text++;
    return text;
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
