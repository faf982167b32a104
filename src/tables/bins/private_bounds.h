/* Private bounds of numbers whose range nobody knows: the schema has limits that are wide and public, and
 * noisy counts on a public grid of magnitudes show where the values are.
 *
 * A feature needs its bounds roughly, for its bins are quantiles between them: it has one histogram of
 * magnitudes. The label is measured in parts of its range: within its magnitudes it has a second histogram,
 * of even cells. Proof: private_bounds.proof.md. */
#ifndef HR_TABLES_BINS_PRIVATE_BOUNDS_H
#define HR_TABLES_BINS_PRIVATE_BOUNDS_H

#include "privacy/gate.h"

#include <hedgerow/data.h>

/* Cells of magnitudes, quarters of an octave: 0 in the middle; to its right (0, 2^-20], (2^-20, 2^-19.75],
 * ..., (2^48.75, 2^49] and all above; to its left the same of negative numbers. */
enum {
    HR_BOUNDS_MAGNITUDES = 278,
    HR_BOUNDS_CELLS = 2 * HR_BOUNDS_MAGNITUDES + 1,
    HR_BOUNDS_EVEN_CELLS = 64
};

typedef struct hr_bounds {
    double low, high;
} hr_bounds;

/* Which columns: features by their index; the label by the number of features. Numbers, each once. */
typedef struct hr_bounds_columns {
    const size_t *at;
    size_t count;
} hr_bounds_columns;

/* Adds HR_COUNT_UNIT to the cell of every value; NaN is in none. A record more adds it to one cell at most.
 */
void hr_bounds_count_magnitudes(const double *values, size_t rows, hr_exact *cells);
/* The same of even cells between the bounds; what is outside counts in the nearest. */
void hr_bounds_count_even(const hr_bounds *within, const double *values, size_t rows, hr_exact *cells);

/* The bounds that follow from noisy counts of magnitudes, no wider than the column's. far: more than noise
 * makes of any of the cells; near: of one cell. */
hr_bounds hr_bounds_of_magnitudes(const hr_column *column, const hr_noisy *cells, double far, double near);

/* ---- A release, one histogram after the other, by what sees released cells only ---- */

typedef struct hr_bounds_question {
    size_t column; /* as hr_bounds_columns names it */
    bool even;     /* the label's second histogram: even cells between these bounds */
    hr_bounds within;
    size_t cells;
    hr_charge line;
} hr_bounds_question;

/* The histograms of columns->at[i]: magnitudes, and, of the label, even cells within bounds that were
 * released. charge: as of hr_bounds_private. */
hr_bounds_question hr_bounds_magnitudes(const hr_schema *schema, const hr_bounds_columns *columns,
                                        const hr_charge *charge, size_t i);
hr_bounds_question hr_bounds_even(const hr_schema *schema, const hr_bounds_columns *columns,
                                  const hr_charge *charge, size_t i, const hr_bounds *within);

/* Borrows the schema, the columns and the bounds. */
typedef struct hr_bounds_machine {
    const hr_schema *schema;
    hr_bounds_columns columns;
    hr_privacy_measure privacy_measure;
    hr_charge charge;
    hr_bounds *out;
    size_t at;
    bool even;
} hr_bounds_machine;

/* charge and out: as of hr_bounds_private. */
void hr_bounds_begin(hr_bounds_machine *machine, const hr_schema *schema, const hr_bounds_columns *columns,
                     hr_privacy_measure privacy_measure, const hr_charge *charge, hr_bounds *out);
/* The histogram that comes next; false: all bounds are there. */
bool hr_bounds_next(const hr_bounds_machine *machine, hr_bounds_question *out);
/* Its cells. noise_factor: how many times the deviation of one gate's noise theirs is; of a sum over owners
 * above 1. */
void hr_bounds_take(hr_bounds_machine *machine, const hr_noisy *cells, double noise_factor);

/* The exact answer: question->cells counts, which need not be 0 before. */
void hr_bounds_count(const hr_data *data, const hr_bounds_question *question, hr_exact *cells);

/* Bounds of the columns within those of the data's schema: out[i] of columns->at[i], low < high. Spends: at
 * most charge->cost in all, in its group and part: half of it for the label, if that is among them, the rest
 * for the features in equal parts. Fails: BUDGET, MEMORY. */
HR_MUST_CHECK hr_status hr_bounds_private(const hr_data *data, const hr_bounds_columns *columns,
                                          hr_gate *gate, const hr_charge *charge, hr_bounds *out,
                                          hr_error *err);

/* Whether hr_bounds_private could spend charge->cost so: a public fact. Fails: BUDGET. */
HR_MUST_CHECK hr_status hr_bounds_check(const hr_schema *schema, const hr_bounds_columns *columns,
                                        hr_privacy_measure privacy_measure, const hr_charge *charge,
                                        hr_error *err);

#endif
