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
    FIRST_EXPONENT = -64,
    MARGIN = 1,
    CLOSE_FACTOR = 16, /* values of one sign within it are looked at more closely */
    FEW_CELLS = 2,
    END_CELLS = 8
};

/* Which windows of cells a histogram is searched by, of 1, 2, 4, ... cells; and how many cells its bounds may
 * grow by on each side. */
enum {
    MAGNITUDES_WIDTHS = 3,
    ZOOM_WIDTHS = 3,
    LAST_WIDTHS = 5,
    WIDTHS_MAX = 5,
    NEAR_WIDTHS = 3,
    MAGNITUDES_GROWTH = 1,
    LAST_GROWTH = HR_BOUNDS_LAST_CELLS
};

/* How many standard deviations of noise a window must exceed beside windows that hold records. */
static const double NEAR = 2.5;
/* The same of the label's last cells, which cannot lead beyond the bounds so far. */
static const double LAST_FAR = 3;
/* A label is measured in parts of its range: it needs so many deviations of one cell. */
static const double LABEL_RECORDS = 40;
/* Values lie close together if so large a part of them is in one window. */
static const double CLOSE_PART = .8;

/* ---- Cells ---- */

static int min_of(int a, int b) {
    return a < b ? a : b;
}

static int max_of(int a, int b) {
    return a > b ? a : b;
}

/* 2^(-64 + magnitude - 1): the upper end of the cells of a magnitude, but of the last; 0 of magnitude 0. */
static double magnitude_end(int magnitude) {
    return magnitude <= 0 ? 0 : ldexp(1, FIRST_EXPONENT + magnitude - 1);
}

/* On either side of 0 the first magnitude whose end is not nearer to 0 than the value, which may be infinite.
 */
static int magnitude_cell(double value) {
    int exponent;
    if (!(fabs(value) > 0)) return ZERO;
    const double fraction = frexp(fabs(value), &exponent); /* of 2^exponent, from 1/2 to 1; or infinite */
    int magnitude = exponent - (fraction > .5 ? 0 : 1) - FIRST_EXPONENT + 1;
    magnitude = isinf(value) ? HR_BOUNDS_MAGNITUDES : max_of(1, min_of(magnitude, HR_BOUNDS_MAGNITUDES));
    return value > 0 ? ZERO + magnitude : ZERO - magnitude;
}

/* What is outside counts in the nearest. */
static int even_cell(const hr_bounds_question *q, double value) {
    const double last = (double)q->cells - 1;
    const double at = floor((value - q->within.low) / (q->within.high - q->within.low) * (last + 1));
    return at > 0 ? (int)fmin(at, last) : 0;
}

void hr_bounds_count_values(const hr_bounds_question *question, const double *values, size_t rows,
                            hr_exact *cells) {
    const bool magnitudes = question->step == HR_BOUNDS_MAGNITUDES_STEP;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(values[i])) continue;
        const int cell = magnitudes ? magnitude_cell(values[i]) : even_cell(question, values[i]);
        cells[cell].unpaid += HR_COUNT_UNIT;
    }
}

void hr_bounds_count(const hr_data *data, const hr_bounds_question *question, hr_exact *cells) {
    const size_t rows = hr_data_rows(data), label = hr_schema_feature_count(hr_data_schema(data));
    double buffer[HR_DATA_BLOCK];
    memset(cells, 0, question->cells * sizeof *cells);
    for (size_t begin = 0; begin < rows; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, rows);
        const double *values = question->column == label
                                   ? hr_data_labels(data) + begin
                                   : hr_data_number_block(data, question->column, begin, count, buffer);
        hr_bounds_count_values(question, values, count, cells);
    }
}

/* ---- Costs ---- */

static bool is_label(const hr_schema *schema, size_t column) {
    return column == hr_schema_feature_count(schema);
}

static int zooms_max(const hr_schema *schema, size_t column) {
    return is_label(schema, column) ? HR_BOUNDS_ZOOMS_OF_LABEL : HR_BOUNDS_ZOOMS_OF_FEATURE;
}

size_t hr_bounds_lines(const hr_schema *schema, const hr_bounds_columns *columns) {
    size_t lines = columns->count;
    for (size_t i = 0; i < columns->count; i++)
        lines += (size_t)zooms_max(schema, columns->at[i]) + is_label(schema, columns->at[i]);
    return lines;
}

/* The label, if it is among them, has half, the features the rest in equal parts. Of the label: 4/8
 * magnitudes, 1/8 each zoom, the rest last. Of a feature: 6/8 magnitudes, 1/8 each zoom. */
static hr_units cost_of_step(const hr_bounds_setup *setup, size_t i, const hr_bounds_search *search) {
    const bool label = is_label(setup->schema, setup->columns.at[i]);
    size_t labels = 0;
    for (size_t k = 0; k < setup->columns.count; k++) labels += is_label(setup->schema, setup->columns.at[k]);
    const size_t features = setup->columns.count - labels;
    const hr_units cost = setup->charge.cost, of_label = !labels ? 0 : features ? cost / 2 : cost;
    const hr_units whole = label ? of_label : (cost - of_label) / features, eighth = whole / 8;
    const hr_units magnitudes = eighth * (label ? 4 : 6);
    if (search->next == HR_BOUNDS_MAGNITUDES_STEP) return magnitudes;
    if (search->next == HR_BOUNDS_ZOOM_STEP) return eighth;
    return whole - magnitudes - eighth * (hr_units)search->zooms;
}

hr_bounds_question hr_bounds_next_question(const hr_bounds_setup *setup, size_t i,
                                           const hr_bounds_search *search) {
    static const size_t cells[] = {HR_BOUNDS_CELLS, HR_BOUNDS_ZOOM_CELLS, HR_BOUNDS_LAST_CELLS};
    static const char *const what[] = {"magnitudes", "closer bounds", "bounds of the label"};
    hr_bounds_question q = {setup->columns.at[i], search->next, search->bounds, cells[search->next],
                            setup->charge};
    q.line.what = what[search->next];
    q.line.cost = cost_of_step(setup, i, search);
    q.line.sensitivity = HR_COUNT_SENSITIVITY;
    return q;
}

hr_status hr_bounds_check(const hr_bounds_setup *setup, hr_error *err) {
    const hr_bounds_search cheapest = {.next = HR_BOUNDS_ZOOM_STEP};
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < setup->columns.count; i++) {
        const hr_bounds_question question = hr_bounds_next_question(setup, i, &cheapest);
        status = hr_charge_check_sums(setup->privacy_measure, &question.line, err);
    }
    return status;
}

/* ---- Windows that noise does not explain ---- */

/* Noisy counts of neighbouring cells, which are looked at from one side. */
typedef struct noisy_row {
    const hr_noisy *cells;
    int count, widths, growth;
    bool from_right;
    hr_privacy_measure privacy_measure;
    double noise, terms;    /* of a cell: a sum of so many noises of that deviation */
    double odds;            /* that noise is taken for records in this histogram, half of it */
    double far[WIDTHS_MAX]; /* what 2^k cells together must exceed anywhere */
    double near;            /* what a cell must exceed beside those that hold records */
} noisy_row;

/* What the noise of `width` cells exceeds with those odds at most. */
static double noise_of(const noisy_row *row, int width, double odds) {
    return hr_noise_bound(row->privacy_measure, row->noise, row->terms * width, odds);
}

/* Every histogram has the same part of the odds: half of it for its windows in equal parts, half for the
 * window of the other sign. */
static noisy_row row_of(const hr_bounds_setup *setup, const hr_bounds_question *q, const hr_noisy *cells) {
    static const int widths[] = {MAGNITUDES_WIDTHS, ZOOM_WIDTHS, LAST_WIDTHS};
    static const int growths[] = {MAGNITUDES_GROWTH, 0, LAST_GROWTH};
    noisy_row row = {.cells = cells,
                     .count = (int)q->cells,
                     .widths = widths[q->step],
                     .growth = growths[q->step],
                     .privacy_measure = setup->privacy_measure,
                     .noise = hr_noise_deviation(setup->privacy_measure, q->line.cost, HR_COUNT_SENSITIVITY),
                     .terms = setup->noise_factor * setup->noise_factor,
                     .odds = setup->odds / 2 / (double)hr_bounds_lines(setup->schema, &setup->columns)};
    const double cell = row.noise * setup->noise_factor;
    int windows = 0;
    for (int k = 0; k < row.widths; k++) windows += row.count - (1 << k) + 1;
    const double of_window = row.odds / windows;
    for (int k = 0; k < row.widths; k++)
        row.far[k] = q->step == HR_BOUNDS_LAST_STEP ? LAST_FAR * cell * sqrt(1 << k)
                                                    : noise_of(&row, 1 << k, of_window);
    row.near = NEAR * cell;
    return row;
}

/* Of the `width` cells from `first` on. */
static double window_sum(const noisy_row *row, int first, int width) {
    double sum = 0;
    for (int i = first; i < first + width; i++)
        sum += (double)row->cells[row->from_right ? row->count - 1 - i : i].paid;
    return sum;
}

/* The first cell of the window's end that stands out most. */
static int densest_end(const noisy_row *row, int first, int width) {
    const int end = first + width;
    int best = first;
    double most = 0;
    for (int i = first; i < end; i++) {
        const double part = window_sum(row, i, end - i) / sqrt(end - i);
        if (part > most) most = part, best = i;
    }
    return best;
}

/* The first window that is more than noise, narrow ones before wide ones, which then begin before them;
 * row->count: there is none. */
static int first_of_any(const noisy_row *row) {
    int first = row->count;
    for (int k = 0; k < row->widths; k++)
        for (int i = 0, width = 1 << k; i + width <= first; i++)
            if (window_sum(row, i, width) > row->far[k]) first = densest_end(row, i, width);
    return first;
}

/* By how many cells before `first` the records go on, at most `limit`: a window beside it is more than noise
 * makes of a single one. */
static int step_outwards(const noisy_row *row, int first, int limit) {
    for (int k = 0, width = 1; k < NEAR_WIDTHS && width <= limit && width <= first; width = 1 << ++k)
        if (window_sum(row, first - width, width) > row->near * sqrt(width)) return width;
    return 0;
}

static int first_cell(const noisy_row *row) {
    int first = first_of_any(row), step;
    if (first == row->count) return first;
    for (int left = row->growth; (step = step_outwards(row, first, left)) > 0; left -= step) first -= step;
    return first;
}

/* The first and the last cell with records, as noisy counts show them; false: they show none. */
static bool find_cells(noisy_row row, int *first, int *last) {
    const int from_left = first_cell(&row);
    if (from_left == row.count) return false;
    row.from_right = true;
    const int from_right = row.count - 1 - first_cell(&row);
    *first = min_of(from_left, from_right);
    *last = max_of(from_left, from_right);
    return true;
}

/* The narrowest window, of cells `first` to `last`, that holds nearly all of the records; false: none does.
 */
static bool find_close(const noisy_row *row, double records, int *first, int *last) {
    for (int k = 0, width = 1; k < row->widths; width = 1 << ++k) {
        int best = 0;
        for (int i = 1; i + width <= row->count; i++)
            if (window_sum(row, i, width) > window_sum(row, best, width)) best = i;
        const double sum = window_sum(row, best, width);
        *first = best;
        *last = best + width - 1;
        if (sum > row->far[k] && sum >= CLOSE_PART * records) return true;
    }
    return false;
}

/* ---- Bounds ---- */

static const hr_column *column_at(const hr_schema *schema, size_t at) {
    return at < hr_schema_feature_count(schema) ? hr_schema_feature(schema, at) : hr_schema_label(schema);
}

/* Whole numbers for integers; within the column's bounds; the column's own, where nothing is left. */
static hr_bounds within_column(const hr_column *column, hr_bounds found) {
    if (column->integer) found = (hr_bounds){floor(found.low), ceil(found.high)};
    found.low = fmax(found.low, column->low);
    found.high = fmin(found.high, column->high);
    return found.low < found.high ? found : (hr_bounds){column->low, column->high};
}

/* MARGIN cells more on each side, for what is rare; not beyond 0. What is small beside the other bound
 * becomes 0; and a column in which noise hides all but 0 ends at 1. */
static hr_bounds bounds_of_magnitudes(int first, int last) {
    first = first < ZERO ? max_of(first - MARGIN, 0) : first > ZERO ? max_of(first - MARGIN, ZERO) : ZERO;
    last = last > ZERO   ? min_of(last + MARGIN, HR_BOUNDS_CELLS - 1)
           : last < ZERO ? min_of(last + MARGIN, ZERO)
                         : ZERO;
    /* The outermost cells have no end. */
    hr_bounds found = {-(double)INFINITY, (double)INFINITY};
    if (first) found.low = first > ZERO ? magnitude_end(first - ZERO - 1) : 0 - magnitude_end(ZERO - first);
    if (last < HR_BOUNDS_CELLS - 1)
        found.high = last < ZERO ? 0 - magnitude_end(ZERO - last - 1) : magnitude_end(last - ZERO);
    if (found.low > 0 && found.low < found.high / CLOSE_FACTOR) found.low = 0;
    if (found.high < 0 && found.high > found.low / CLOSE_FACTOR) found.high = 0;
    if (first == ZERO && last == ZERO) found = (hr_bounds){0, 1};
    return found;
}

/* MARGIN cells more on each side. */
static hr_bounds bounds_of_even(const hr_bounds_question *q, int first, int last) {
    const double cell = (q->within.high - q->within.low) / (double)q->cells;
    return (hr_bounds){q->within.low + max_of(first - MARGIN, 0) * cell,
                       q->within.low + min_of(last + 1 + MARGIN, (int)q->cells) * cell};
}

/* ---- A search ---- */

static hr_bounds_step after_zooms(const hr_schema *schema, size_t column) {
    return is_label(schema, column) ? HR_BOUNDS_LAST_STEP : HR_BOUNDS_DONE;
}

/* Values of both signs are as large, mostly: the cells of the same sizes and the other sign are one window.
 */
static void look_at_other_sign(const noisy_row *row, int *first, int *last) {
    if (*first <= ZERO && *last >= ZERO) return;
    const int other_first = row->count - 1 - *last, width = *last - *first + 1;
    if (window_sum(row, other_first, width) <= noise_of(row, width, row->odds)) return;
    *first = min_of(*first, other_first);
    *last = row->count - 1 - *first;
}

static void accept_magnitudes(const hr_bounds_setup *setup, size_t column, const noisy_row *row,
                              hr_bounds_search *s) {
    const hr_column *of = column_at(setup->schema, column);
    int first, last;
    s->bounds = (hr_bounds){of->low, of->high};
    s->next = HR_BOUNDS_DONE;
    if (!find_cells(*row, &first, &last)) return;
    look_at_other_sign(row, &first, &last);
    /* Between the ends there are many empty cells where values have both signs. */
    const int cells = last - first + 1, end = min_of(cells / 2, END_CELLS);
    s->records = window_sum(row, first, end) + window_sum(row, last + 1 - end, end);
    if (cells <= 2 * END_CELLS) s->records = window_sum(row, first, cells);
    if (is_label(setup->schema, column) && s->records < LABEL_RECORDS / NEAR * row->near) return;
    s->seen = true;
    s->next = after_zooms(setup->schema, column);
    s->bounds = within_column(of, bounds_of_magnitudes(first, last));
    const hr_bounds b = s->bounds;
    const double nearest = b.low > 0 ? b.low : -b.high;
    if (nearest > 0 && fmax(b.high, -b.low) <= nearest * CLOSE_FACTOR) s->next = HR_BOUNDS_ZOOM_STEP;
}

static void accept_zoom(const hr_bounds_setup *setup, const hr_bounds_question *q, const noisy_row *row,
                        hr_bounds_search *s) {
    int first, last;
    s->zooms++;
    s->next = after_zooms(setup->schema, q->column);
    if (!find_close(row, s->records, &first, &last)) return;
    const hr_bounds made = bounds_of_even(q, first, last);
    if (!(made.low < made.high)) return; /* even cells are narrower than numbers are apart */
    s->bounds = within_column(column_at(setup->schema, q->column), made);
    if (last - first < FEW_CELLS && s->zooms < zooms_max(setup->schema, q->column))
        s->next = HR_BOUNDS_ZOOM_STEP;
}

void hr_bounds_accept(const hr_bounds_setup *setup, size_t i, const hr_noisy *cells,
                      hr_bounds_search *search) {
    const hr_bounds_question q = hr_bounds_next_question(setup, i, search);
    const noisy_row row = row_of(setup, &q, cells);
    int first, last;
    if (q.step == HR_BOUNDS_MAGNITUDES_STEP) {
        accept_magnitudes(setup, q.column, &row, search);
    } else if (q.step == HR_BOUNDS_ZOOM_STEP) {
        accept_zoom(setup, &q, &row, search);
    } else {
        search->next = HR_BOUNDS_DONE;
        if (!find_cells(row, &first, &last)) return;
        const hr_bounds made = bounds_of_even(&q, first, last);
        if (made.low < made.high) search->bounds = within_column(column_at(setup->schema, q.column), made);
    }
}

hr_status hr_bounds_private_counted(const hr_bounds_counter *counter, const hr_bounds_setup *setup,
                                    hr_gate *gate, hr_bounds_search *out, hr_error *err) {
    hr_exact exact[HR_BOUNDS_CELLS];
    hr_noisy noisy[HR_BOUNDS_CELLS];
    const size_t lines = hr_bounds_lines(setup->schema, &setup->columns);
    hr_status status = hr_gate_covers(gate, &setup->charge, lines, err);
    for (size_t i = 0; !status && i < setup->columns.count; i++) {
        out[i] = (hr_bounds_search){0};
        while (!status && out[i].next != HR_BOUNDS_DONE) {
            const hr_bounds_question question = hr_bounds_next_question(setup, i, &out[i]);
            status = counter->count(counter->of, &question, exact, err);
            if (!status)
                status = hr_gate_release_sums(gate, &question.line, exact, question.cells, noisy, err);
            if (!status) hr_bounds_accept(setup, i, noisy, &out[i]);
        }
    }
    return status;
}

static hr_status count_here(const void *data, const hr_bounds_question *question, hr_exact *cells,
                            hr_error *err) {
    (void)err;
    hr_bounds_count(data, question, cells);
    return HR_OK;
}

hr_status hr_bounds_private(const hr_data *data, const hr_bounds_setup *setup, hr_gate *gate,
                            hr_bounds_search *out, hr_error *err) {
    return hr_bounds_private_counted(&(hr_bounds_counter){count_here, data}, setup, gate, out, err);
}

/* ---- How many records it takes ---- */

double hr_bounds_records_needed(const hr_bounds_setup *setup, size_t i) {
    static const double part = .4, both = .8, power = 1.3; /* .9 of normal noise is above -1.3 deviations */
    const hr_bounds_search first = {0};
    const hr_bounds_question q = hr_bounds_next_question(setup, i, &first);
    const noisy_row row = row_of(setup, &q, NULL);
    const int widest = MAGNITUDES_WIDTHS - 1;
    const double noise = row.near / NEAR, room = power * noise * sqrt(1 << widest);
    const double seen = (row.far[widest] + room) / part, enough = (LABEL_RECORDS * noise + room) / both;
    return ceil((is_label(setup->schema, q.column) ? fmax(seen, enough) : seen) / HR_COUNT_UNIT);
}
