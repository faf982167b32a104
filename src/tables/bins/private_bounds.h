/* Private bounds of numbers whose range nobody knows: the schema has limits that are wide and public, and
 * noisy counts on public grids show where the values are.
 *
 * Every column has a histogram of magnitudes. Values of one sign within a factor of 16 are looked at more
 * closely, in even cells between the bounds so far, and again while they fill few of them. The label is
 * measured in parts of its range: it has a last histogram of even cells. Bounds are made of windows of cells
 * that noise alone does not fill: over all columns of one release, a window without a record is taken as one
 * with records with probability `odds` at most. Proof: private_bounds.proof.md. */
#ifndef HR_TABLES_BINS_PRIVATE_BOUNDS_H
#define HR_TABLES_BINS_PRIVATE_BOUNDS_H

#include "privacy/gate.h"

#include <hedgerow/data.h>

/* Cells of magnitudes, octaves: 0 in the middle; to its right (0, 2^-64], (2^-64, 2^-63], ..., (2^127, 2^128]
 * and all above; to its left the same of negative numbers. */
enum {
    HR_BOUNDS_MAGNITUDES = 194,
    HR_BOUNDS_CELLS = 2 * HR_BOUNDS_MAGNITUDES + 1,
    HR_BOUNDS_ZOOM_CELLS = 256,
    HR_BOUNDS_LAST_CELLS = 64
};

/* What one histogram may cost: parts of what a column does. */
enum { HR_BOUNDS_ZOOMS_OF_LABEL = 3, HR_BOUNDS_ZOOMS_OF_FEATURE = 2 };

#define HR_BOUNDS_ODDS 1e-3

typedef struct hr_bounds {
    double low, high;
} hr_bounds;

/* Which columns: features by their index; the label by the number of features. Numbers, each once. */
typedef struct hr_bounds_columns {
    const size_t *at;
    size_t count;
} hr_bounds_columns;

/* What is public of a release, before and while it is made. Borrows the schema and the columns. */
typedef struct hr_bounds_setup {
    const hr_schema *schema;
    hr_bounds_columns columns;
    hr_privacy_measure privacy_measure;
    hr_charge charge;    /* of all histograms together, in its group and part */
    double noise_factor; /* how many times the deviation of one gate's noise theirs is; of a sum over owners
                            maybe above 1 */
    double odds;         /* of a column whose bounds are where no record is; HR_BOUNDS_ODDS */
} hr_bounds_setup;

typedef enum hr_bounds_step {
    HR_BOUNDS_MAGNITUDES_STEP,
    HR_BOUNDS_ZOOM_STEP, /* even cells between the bounds so far: values lie close together */
    HR_BOUNDS_LAST_STEP, /* the label's last even cells */
    HR_BOUNDS_DONE
} hr_bounds_step;

/* What is known of a column from released cells. Starts from {0}. */
typedef struct hr_bounds_search {
    hr_bounds_step next;
    int zooms;      /* histograms of that step so far */
    bool seen;      /* there are more records than noise explains; else the bounds are the column's limits */
    double records; /* about so many of HR_COUNT_UNIT, noisy; of those that are seen */
    hr_bounds bounds; /* low < high, within the column's limits; not set before the first histogram */
} hr_bounds_search;

typedef struct hr_bounds_question {
    size_t column; /* as hr_bounds_columns names it */
    hr_bounds_step step;
    hr_bounds within; /* of even cells */
    size_t cells;     /* at most HR_BOUNDS_CELLS */
    hr_charge line;
} hr_bounds_question;

/* The next histogram of columns.at[i]; search->next is not HR_BOUNDS_DONE. Its cost is a part of
 * setup->charge.cost that depends on the step, on the histograms before it and on public facts: all of a
 * search cost at most what the column does, and all columns setup->charge.cost. */
hr_bounds_question hr_bounds_next_question(const hr_bounds_setup *setup, size_t i,
                                           const hr_bounds_search *search);
/* Its released cells. */
void hr_bounds_accept(const hr_bounds_setup *setup, size_t i, const hr_noisy *cells,
                      hr_bounds_search *search);

/* How many histograms all columns have, at most. */
size_t hr_bounds_lines(const hr_schema *schema, const hr_bounds_columns *columns);

/* The exact answer: question->cells counts, which need not be 0 before: HR_COUNT_UNIT times the records in
 * each cell. A record more adds to one cell at most; NaN is in none, what is outside even cells in the
 * nearest. */
void hr_bounds_count(const hr_data *data, const hr_bounds_question *question, hr_exact *cells);
/* Adds some values of the column to the cells. */
void hr_bounds_count_values(const hr_bounds_question *question, const double *values, size_t rows,
                            hr_exact *cells);

/* Bounds of the columns within those of the data's schema, which is the setup's: out[i] of columns.at[i].
 * Spends: at most setup->charge.cost in all: half of it for the label, if that is among them, the rest for
 * the features in equal parts. Fails: BUDGET, MEMORY. */
HR_MUST_CHECK hr_status hr_bounds_private(const hr_data *data, const hr_bounds_setup *setup, hr_gate *gate,
                                          hr_bounds_search *out, hr_error *err);

/* The same where the records are not in one table: who counts them gives what hr_bounds_count does. Fails: as
 * that, and as they. */
typedef struct hr_bounds_counter {
    hr_status (*count)(const void *of, const hr_bounds_question *question, hr_exact *cells, hr_error *err);
    const void *of;
} hr_bounds_counter;
HR_MUST_CHECK hr_status hr_bounds_private_counted(const hr_bounds_counter *counter,
                                                  const hr_bounds_setup *setup, hr_gate *gate,
                                                  hr_bounds_search *out, hr_error *err);

/* Whether hr_bounds_private could spend setup->charge.cost so: a public fact. Fails: BUDGET. */
HR_MUST_CHECK hr_status hr_bounds_check(const hr_bounds_setup *setup, hr_error *err);

/* Of about so many records columns.at[i] is seen with probability .9, if two in five of its values have one
 * sign and lie within a factor of 16, and most within that factor, as of a normal distribution around 0. A
 * public fact. */
double hr_bounds_records_needed(const hr_bounds_setup *setup, size_t i);

#endif
