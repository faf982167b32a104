#include "tables/bins/private_bounds.h"

#include "base/fail.h"
#include "privacy/gate.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "tables/data/columns.h"

#include <math.h>
#include <string.h>

enum {
    ZERO = HR_BOUNDS_MAGNITUDES,
    QUARTERS = 4,
    FIRST_EXPONENT = -20,
    WINDOW_MAX = 16,
    NEAR_WINDOW_MAX = 4,
    MARGIN = 1
};

/* How many standard deviations of noise a sum must exceed: anywhere, and beside cells that are known. */
static const double FAR_GAUSSIAN = 5.3, FAR_LAPLACE = 11, NEAR = 2.5;
/* The same of the label's even cells, among which nothing is very far. */
static const double EVEN_GAUSSIAN = 3, EVEN_LAPLACE = 5;

/* ---- Cells ---- */

/* 2^(-20 + (magnitude - 1)/4): the upper end of the cells of a magnitude, but of the last; 0 of magnitude 0.
 */
static double magnitude_end(int magnitude) {
    static const double roots[QUARTERS] = {1, 0x1.306fe0a31b715p0, 0x1.6a09e667f3bcdp0, 0x1.ae89f995ad3adp0};
    if (magnitude <= 0) return 0;
    return ldexp(roots[(magnitude - 1) % QUARTERS], FIRST_EXPONENT + (magnitude - 1) / QUARTERS);
}

/* The first magnitude whose end is not below; size > 0, maybe infinite. */
static int magnitude_of(double size) {
    int low = 1, high = HR_BOUNDS_MAGNITUDES;
    while (low < high) {
        int middle = (low + high) / 2;
        if (size <= magnitude_end(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void hr_bounds_count_magnitudes(const double *values, size_t rows, hr_exact *cells) {
    for (size_t i = 0; i < rows; i++) {
        if (isnan(values[i])) continue;
        int cell = ZERO;
        if (values[i] > 0) cell += magnitude_of(values[i]);
        if (values[i] < 0) cell -= magnitude_of(-values[i]);
        cells[cell].unpaid += HR_COUNT_UNIT;
    }
}

void hr_bounds_count_even(const hr_bounds *within, const double *values, size_t rows, hr_exact *cells) {
    const double width = within->high - within->low;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(values[i])) continue;
        double at = floor((values[i] - within->low) / width * HR_BOUNDS_EVEN_CELLS);
        size_t cell = at > 0 ? at < HR_BOUNDS_EVEN_CELLS ? (size_t)at : HR_BOUNDS_EVEN_CELLS - 1 : 0;
        cells[cell].unpaid += HR_COUNT_UNIT;
    }
}

/* ---- Bounds from noisy counts ---- */

/* Noisy counts of neighbouring cells, which are looked at from one side; `far` and `near` are sums that noise
 * alone does not reach in a single cell. */
typedef struct noisy_row {
    const hr_noisy *cells;
    int count;
    bool from_right;
    double far, near;
} noisy_row;

/* Of the `width` cells from `first` on. */
static double window_sum(const noisy_row *row, int first, int width) {
    double sum = 0;
    for (int i = first; i < first + width; i++)
        sum += (double)row->cells[row->from_right ? row->count - 1 - i : i].paid;
    return sum;
}

static int fullest_cell(const noisy_row *row) {
    int fullest = 0;
    for (int i = 1; i < row->count; i++)
        if (window_sum(row, i, 1) > window_sum(row, fullest, 1)) fullest = i;
    return fullest;
}

/* The first window that is more than noise, narrow ones before wide ones, which then begin before them. */
static int first_of_any(const noisy_row *row) {
    int first = row->count;
    for (int width = 1; width <= WINDOW_MAX; width *= 2)
        for (int i = 0; i + width <= first; i++)
            if (window_sum(row, i, width) > row->far * sqrt(width)) first = i;
    return first < row->count ? first : fullest_cell(row);
}

/* Whether the cells before `first` have a window beside it that is more than noise. */
static bool grow_row(const noisy_row *row, int *first) {
    for (int width = 1; width <= NEAR_WINDOW_MAX && width <= *first; width *= 2) {
        if (!(window_sum(row, *first - width, width) > row->near * sqrt(width))) continue;
        *first -= width;
        return true;
    }
    return false;
}

static int first_cell(const noisy_row *row) {
    int first = first_of_any(row);
    while (grow_row(row, &first)) {
    }
    return first;
}

/* The first and the last cell with records, as noisy counts show them. */
static void find_cells(noisy_row row, int *first, int *last) {
    *first = first_cell(&row);
    row.from_right = true;
    *last = row.count - 1 - first_cell(&row);
}

/* Whole numbers for integers; within the column's bounds; the column's own, where nothing is left. */
static hr_bounds within_column(const hr_column *column, hr_bounds found) {
    if (column->integer) found = (hr_bounds){floor(found.low), ceil(found.high)};
    found.low = fmax(found.low, column->low);
    found.high = fmin(found.high, column->high);
    return found.low < found.high ? found : (hr_bounds){column->low, column->high};
}

/* The outermost cells have no end. */
static double lower_end(int cell) {
    if (!cell) return -(double)INFINITY;
    return cell > ZERO ? magnitude_end(cell - ZERO - 1) : 0 - magnitude_end(ZERO - cell);
}

static double upper_end(int cell) {
    if (cell == HR_BOUNDS_CELLS - 1) return (double)INFINITY;
    return cell < ZERO ? 0 - magnitude_end(ZERO - cell - 1) : magnitude_end(cell - ZERO);
}

static int min_of(int a, int b) {
    return a < b ? a : b;
}

static int max_of(int a, int b) {
    return a > b ? a : b;
}

/* MARGIN cells more on each side, for what is rare; not beyond 0. What is small beside the other bound
 * becomes 0; and a column in which noise hides all but 0 ends at 1. */
hr_bounds hr_bounds_of_magnitudes(const hr_column *column, const hr_noisy *cells, double far, double near) {
    int first, last;
    find_cells((noisy_row){cells, HR_BOUNDS_CELLS, false, far, near}, &first, &last);
    first = first < ZERO ? max_of(first - MARGIN, 0) : first > ZERO ? max_of(first - MARGIN, ZERO) : ZERO;
    last = last > ZERO   ? min_of(last + MARGIN, HR_BOUNDS_CELLS - 1)
           : last < ZERO ? min_of(last + MARGIN, ZERO)
                         : ZERO;
    hr_bounds found = {lower_end(first), upper_end(last)};
    if (found.low > 0 && found.low <= found.high / 8) found.low = 0;
    if (found.high < 0 && found.high >= found.low / 8) found.high = 0;
    if (first == ZERO && last == ZERO) found = (hr_bounds){0, 1};
    return within_column(column, found);
}

/* A cell more on each side. */
static hr_bounds refine(const hr_column *column, const hr_bounds *within, const hr_noisy *cells, double far,
                        double near) {
    int first, last;
    double cell = (within->high - within->low) / HR_BOUNDS_EVEN_CELLS;
    find_cells((noisy_row){cells, HR_BOUNDS_EVEN_CELLS, false, far, near}, &first, &last);
    hr_bounds found = {within->low + fmax(first - 1, 0) * cell,
                       within->low + fmin(last + 2, HR_BOUNDS_EVEN_CELLS) * cell};
    return found.low < found.high ? within_column(column, found) : *within;
}

/* ---- Releases ---- */

static double noise_of_cell(hr_privacy_measure privacy_measure, hr_units cost) {
    return hr_noise_deviation(privacy_measure, cost, HR_COUNT_SENSITIVITY);
}

static const hr_column *column_at(const hr_schema *schema, size_t at) {
    return at < hr_schema_feature_count(schema) ? hr_schema_feature(schema, at) : hr_schema_label(schema);
}

/* What one histogram costs: of the label, which has two, and of a feature. */
typedef struct bounds_shares {
    hr_units label, feature;
} bounds_shares;

static bounds_shares share_out_bounds(const hr_schema *schema, const hr_bounds_columns *columns,
                                      hr_units cost) {
    size_t labels = 0;
    for (size_t i = 0; i < columns->count; i++) labels += columns->at[i] == hr_schema_feature_count(schema);
    size_t features = columns->count - labels;
    hr_units of_label = !labels ? 0 : features ? cost / 2 : cost;
    return (bounds_shares){of_label / 2, features ? (cost - of_label) / features : 0};
}

static hr_charge bounds_charge(const hr_charge *whole, const char *what, hr_units cost) {
    hr_charge charge = *whole;
    charge.what = what;
    charge.cost = cost;
    charge.sensitivity = HR_COUNT_SENSITIVITY;
    return charge;
}

hr_status hr_bounds_check(const hr_schema *schema, const hr_bounds_columns *columns,
                          hr_privacy_measure privacy_measure, const hr_charge *charge, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < columns->count; i++) {
        const hr_bounds_question question = hr_bounds_magnitudes(schema, columns, charge, i);
        status = hr_charge_check_sums(privacy_measure, &question.line, err);
    }
    return status;
}

/* ---- The machine ---- */

void hr_bounds_begin(hr_bounds_machine *m, const hr_schema *schema, const hr_bounds_columns *columns,
                     hr_privacy_measure privacy_measure, const hr_charge *charge, hr_bounds *out) {
    *m = (hr_bounds_machine){schema, *columns, privacy_measure, *charge, out, 0, false};
}

hr_bounds_question hr_bounds_magnitudes(const hr_schema *schema, const hr_bounds_columns *columns,
                                        const hr_charge *charge, size_t i) {
    const bounds_shares shares = share_out_bounds(schema, columns, charge->cost);
    const bool is_label = columns->at[i] == hr_schema_feature_count(schema);
    return (hr_bounds_question){
        columns->at[i],
        false,
        {0, 0},
        HR_BOUNDS_CELLS,
        bounds_charge(charge, "magnitudes", is_label ? shares.label : shares.feature)};
}

hr_bounds_question hr_bounds_even(const hr_schema *schema, const hr_bounds_columns *columns,
                                  const hr_charge *charge, size_t i, const hr_bounds *within) {
    const bounds_shares shares = share_out_bounds(schema, columns, charge->cost);
    return (hr_bounds_question){columns->at[i], true, *within, HR_BOUNDS_EVEN_CELLS,
                                bounds_charge(charge, "bounds of the label", shares.label)};
}

bool hr_bounds_next(const hr_bounds_machine *m, hr_bounds_question *out) {
    if (m->at == m->columns.count) return false;
    *out = m->even ? hr_bounds_even(m->schema, &m->columns, &m->charge, m->at, &m->out[m->at])
                   : hr_bounds_magnitudes(m->schema, &m->columns, &m->charge, m->at);
    return true;
}

void hr_bounds_take(hr_bounds_machine *m, const hr_noisy *cells, double noise_factor) {
    hr_bounds_question question;
    if (!hr_bounds_next(m, &question)) return;
    const bool pure = m->privacy_measure == HR_PRIVACY_PURE;
    const hr_column *column = column_at(m->schema, question.column);
    const double noise = noise_of_cell(m->privacy_measure, question.line.cost) * noise_factor;
    hr_bounds *found = &m->out[m->at];
    if (question.even)
        *found = refine(column, found, cells, (pure ? EVEN_LAPLACE : EVEN_GAUSSIAN) * noise, NEAR * noise);
    else
        *found =
            hr_bounds_of_magnitudes(column, cells, (pure ? FAR_LAPLACE : FAR_GAUSSIAN) * noise, NEAR * noise);
    m->even = !question.even && question.column == hr_schema_feature_count(m->schema);
    m->at += !m->even;
}

/* ---- Records ---- */

void hr_bounds_count(const hr_data *data, const hr_bounds_question *question, hr_exact *cells) {
    const size_t rows = hr_data_rows(data), label = hr_schema_feature_count(hr_data_schema(data));
    double buffer[HR_DATA_BLOCK];
    memset(cells, 0, question->cells * sizeof *cells);
    for (size_t begin = 0; begin < rows; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, rows);
        const double *values = question->column == label
                                   ? hr_data_labels(data) + begin
                                   : hr_data_number_block(data, question->column, begin, count, buffer);
        if (question->even)
            hr_bounds_count_even(&question->within, values, count, cells);
        else
            hr_bounds_count_magnitudes(values, count, cells);
    }
}

hr_status hr_bounds_private(const hr_data *data, const hr_bounds_columns *columns, hr_gate *gate,
                            const hr_charge *charge, hr_bounds *out, hr_error *err) {
    hr_bounds_machine machine;
    hr_bounds_question question;
    hr_exact exact[HR_BOUNDS_CELLS];
    hr_noisy noisy[HR_BOUNDS_CELLS];
    hr_bounds_begin(&machine, hr_data_schema(data), columns, hr_gate_privacy_measure(gate), charge, out);
    hr_status status = hr_gate_covers(gate, charge, columns->count + 1, err);
    while (!status && hr_bounds_next(&machine, &question)) {
        hr_bounds_count(data, &question, exact);
        status = hr_gate_release_sums(gate, &question.line, exact, question.cells, noisy, err);
        if (!status) hr_bounds_take(&machine, noisy, 1);
    }
    return status;
}
