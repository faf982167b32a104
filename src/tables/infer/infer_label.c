/* A model that sees the label among its features predicts well and is of no use. */
#include "tables/infer/infer_label.h"

#include "base/text/number.h"
#include "tables/infer/infer_column.h"

#include <math.h>

/* Fewer records prove nothing; and of two columns with many values each, equal numbers of pairs neither. */
enum { PROOF_ROWS = 20, PAIR_VALUES = 254 };

bool hr_label_sample_init(hr_label_sample *s, hr_arena *arena, size_t columns) {
    *s = (hr_label_sample){0};
    if (columns > HR_LABEL_COLUMNS) return true;
    s->values = hr_arena_alloc(arena, columns * HR_LABEL_SAMPLE, sizeof *s->values);
    s->hashes = hr_arena_alloc(arena, columns * HR_LABEL_SAMPLE, sizeof *s->hashes);
    s->columns = columns;
    return s->values && s->hashes;
}

void hr_label_sample_add(hr_label_sample *s, size_t column, uint64_t row, const char *cell, size_t size) {
    if (row >= HR_LABEL_SAMPLE || column >= s->columns) return;
    const size_t at = column * HR_LABEL_SAMPLE + (size_t)row;
    double value;
    s->values[at] = hr_number_parse(cell, size, &value) == HR_NUMBER_OK ? value : (double)NAN;
    s->hashes[at] = size ? hr_text_hash(cell, size) : 0;
    if (row >= s->rows) s->rows = (size_t)row + 1;
}

/* ---- One column ---- */

/* Whether a value of `from` always comes with one value of `to`; counts the records with both, and the values
 * of `from`. */
static bool determines(const hr_label_sample *s, const uint64_t *from, const uint64_t *to, size_t *rows,
                       size_t *values) {
    size_t firsts[PAIR_VALUES];
    *rows = *values = 0;
    for (size_t r = 0; r < s->rows; r++) {
        if (!from[r] || !to[r]) continue;
        size_t v = 0;
        while (v < *values && from[firsts[v]] != from[r]) v++;
        if (v < *values && to[firsts[v]] != to[r]) return false;
        if (v == *values) {
            if (v == PAIR_VALUES) return false;
            firsts[(*values)++] = r;
        }
        (*rows)++;
    }
    return true;
}

static bool same_numbers(const double *a, const double *b, size_t rows) {
    size_t both = 0;
    double low = 0, high = 0;
    for (size_t r = 0; r < rows; r++) {
        if (isnan(a[r]) || isnan(b[r])) continue;
        if (a[r] != b[r]) return false;
        low = both ? fmin(low, a[r]) : a[r];
        high = both ? fmax(high, a[r]) : a[r];
        both++;
    }
    return both >= PROOF_ROWS && low < high;
}

bool hr_label_sample_is_label(const hr_label_sample *s, size_t column, size_t label) {
    const size_t at = column * HR_LABEL_SAMPLE, label_at = label * HR_LABEL_SAMPLE;
    size_t rows, values, label_values;
    if (column >= s->columns || label >= s->columns || column == label) return false;
    if (same_numbers(s->values + at, s->values + label_at, s->rows)) return true;
    return determines(s, s->hashes + at, s->hashes + label_at, &rows, &values) &&
           determines(s, s->hashes + label_at, s->hashes + at, &rows, &label_values) && rows >= PROOF_ROWS &&
           values >= 2 && 2 * values <= rows;
}

/* ---- Two columns ---- */

typedef struct column_sums {
    const double *a, *b, *label;
    size_t rows;
} column_sums;

/* Whether a + sign * b is the label in all records that have the three, and each of them varies. */
static bool gives_label(const column_sums *c, double sign_a, double sign_b) {
    size_t rows = 0, first = 0;
    bool a = false, b = false, label = false;
    for (size_t r = 0; r < c->rows; r++) {
        const double sum = sign_a * c->a[r] + sign_b * c->b[r];
        if (isnan(sum) || isnan(c->label[r])) continue;
        if (fabs(sum - c->label[r]) > 1e-9 * (fabs(c->a[r]) + fabs(c->b[r]))) return false;
        if (!rows++) first = r;
        a |= c->a[r] != c->a[first];
        b |= c->b[r] != c->b[first];
        label |= c->label[r] != c->label[first];
    }
    return rows >= PROOF_ROWS && a && b && label;
}

size_t hr_label_sample_adds_up(const hr_label_sample *s, size_t column, size_t label) {
    if (column >= s->columns || label >= s->columns || column == label) return SIZE_MAX;
    column_sums c = {s->values + column * HR_LABEL_SAMPLE, NULL, s->values + label * HR_LABEL_SAMPLE,
                     s->rows};
    for (size_t other = 0; other < s->columns; other++) {
        if (other == column || other == label) continue;
        c.b = s->values + other * HR_LABEL_SAMPLE;
        if (gives_label(&c, 1, 1) || gives_label(&c, 1, -1) || gives_label(&c, -1, 1)) return other;
    }
    return SIZE_MAX;
}
