#include "methods/statistics/overview_figures.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "base/text/number.h"
#include "privacy/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many deviations an interval is wide to either side: of a normal distribution, or one of Laplace. */
static const double NORMAL_95 = 1.959963984540054, LAPLACE_95 = 2.1182858263061305;

/* A released figure without bounds, and the variance of its noise. */
typedef struct noisy_figure {
    double value, variance;
} noisy_figure;

typedef struct shown_figure {
    double value, low, high;
} shown_figure;

/* What becomes of one column in one group, or in all. */
typedef struct column_group {
    noisy_figure *cells; /* after the number of records is the same for all columns */
    double *counts;      /* none negative */
    noisy_figure sum, square;
} column_group;

typedef struct figures_builder {
    const hr_overview_release *release;
    const hr_overview *overview;
    hr_arena *arena;
    double width;          /* of intervals, in deviations */
    size_t group_count;    /* all, then the groups where there are several */
    noisy_figure *records; /* by group */
    column_group *columns; /* [column * group_count + group] */
    double *sorted;        /* room for the counts of a column */
} figures_builder;

/* ---- Noisy figures ---- */

static double variance_of(const figures_builder *b, size_t line, double one) {
    const hr_charge *charge = &b->release->lines[line];
    const double deviation =
        b->release->noise_factor *
        hr_noise_deviation(b->release->privacy_measure, charge->cost, (double)charge->sensitivity) / one;
    return deviation * deviation;
}

static noisy_figure figure_of(hr_noisy value, double one, double variance) {
    return (noisy_figure){(double)value.paid / one, variance};
}

static noisy_figure add_figures(noisy_figure a, noisy_figure b) {
    return (noisy_figure){a.value + b.value, a.variance + b.variance};
}

/* The first of the groups that are counted, behind that of all. */
static size_t first_group(const figures_builder *b) {
    return b->overview->groups > 1;
}

/* Reads the numbers of all lines. */
static void read_values(figures_builder *b) {
    const hr_overview *o = b->overview;
    const hr_noisy *values = b->release->values;
    const double one = (double)hr_unit_of_counts(o->unit),
                 of_sums = (double)hr_unit_label_sensitivity(o->unit);
    size_t line = 0;
    for (size_t g = 0; g < o->groups; g++)
        b->records[first_group(b) + g] = figure_of(*values++, one, variance_of(b, line, one));
    for (size_t k = 0; k < o->column_count; k++) {
        column_group *groups = b->columns + k * b->group_count + first_group(b);
        const double variance = variance_of(b, ++line, one);
        for (size_t g = 0; g < o->groups; g++)
            for (size_t c = 0; c < o->columns[k].cells; c++)
                groups[g].cells[c] = figure_of(*values++, one, variance);
        if (!hr_overview_is_number(&o->columns[k])) continue;
        const double of_sum = variance_of(b, ++line, of_sums), of_square = variance_of(b, ++line, of_sums);
        for (size_t g = 0; g < o->groups; g++) groups[g].sum = figure_of(*values++, of_sums, of_sum);
        for (size_t g = 0; g < o->groups; g++) groups[g].square = figure_of(*values++, of_sums, of_square);
    }
}

/* ---- One number of records ---- */

static double sum_of_cells(const noisy_figure *cells, size_t count) {
    double sum = 0;
    for (size_t c = 0; c < count; c++) sum += cells[c].value;
    return sum;
}

/* The weighted mean of all that tell how many records the group has: least squares, under the condition that
 * the counts of each column add up to it. What a column's counts lack is spread over them. */
static void agree_on_records(figures_builder *b, size_t group) {
    const hr_overview *o = b->overview;
    noisy_figure *records = &b->records[group];
    double precision = 1 / records->variance, weighed = records->value * precision;
    for (size_t k = 0; k < o->column_count; k++) {
        const noisy_figure *cells = b->columns[k * b->group_count + group].cells;
        const double of_column = 1 / ((double)o->columns[k].cells * cells->variance);
        weighed += of_column * sum_of_cells(cells, o->columns[k].cells);
        precision += of_column;
    }
    if (records->variance > 0) *records = (noisy_figure){weighed / precision, 1 / precision};
    for (size_t k = 0; k < o->column_count; k++) {
        column_group *column = &b->columns[k * b->group_count + group];
        const double cells = (double)o->columns[k].cells,
                     lacking = (records->value - sum_of_cells(column->cells, o->columns[k].cells)) / cells;
        for (size_t c = 0; c < o->columns[k].cells; c++) {
            noisy_figure *cell = &column->cells[c];
            cell->value += lacking;
            cell->variance = cell->variance * (1 - 1 / cells) + records->variance / (cells * cells);
            column->counts[c] = cell->value;
        }
        hr_counts_make_possible(column->counts, o->columns[k].cells, fmax(records->value, 0), b->sorted);
    }
}

static int descending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* They are lowered by one number, and those below 0 then are 0: the nearest in squares. */
void hr_counts_make_possible(double *counts, size_t count, double sum, double *sorted) {
    double above = 0, lower = 0;
    memcpy(sorted, counts, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, descending);
    for (size_t i = 0; i < count; i++) {
        above += sorted[i];
        const double next = (above - sum) / (double)(i + 1);
        if (i && sorted[i] - next <= 0) break;
        lower = next;
    }
    for (size_t c = 0; c < count; c++) counts[c] = fmax(counts[c] - lower, 0);
}

/* All records are those of all groups. */
static void add_groups(figures_builder *b) {
    const hr_overview *o = b->overview;
    for (size_t g = 1; g < b->group_count; g++) {
        b->records[0] = add_figures(b->records[0], b->records[g]);
        for (size_t k = 0; k < o->column_count; k++) {
            column_group *all = &b->columns[k * b->group_count], *group = all + g;
            for (size_t c = 0; c < o->columns[k].cells; c++) {
                all->cells[c] = add_figures(all->cells[c], group->cells[c]);
                all->counts[c] += group->counts[c];
            }
            all->sum = add_figures(all->sum, group->sum);
            all->square = add_figures(all->square, group->square);
        }
    }
}

/* ---- Figures within their bounds ---- */

static double within(double value, double low, double high) {
    return fmax(low, fmin(high, value));
}

/* value: as it is shown; between the bounds. The interval is around the nearest possible value, so that it is
 * never narrower than the noise on that side. */
static shown_figure show_within(const figures_builder *b, noisy_figure figure, double value,
                                const double bounds[2]) {
    const double reach = b->width * sqrt(figure.variance),
                 middle = within(figure.value, bounds[0], bounds[1]);
    return (shown_figure){
        .value = value,
        .low = fmin(value, fmax(middle - reach, bounds[0])),
        .high = fmax(value, fmin(middle + reach, bounds[1])),
    };
}

/* Mean and deviation of a column of numbers in a group: as parts of half the range. */
typedef struct moments {
    noisy_figure mean, variance;
    bool hidden; /* noise hides whether there is a record with a value */
} moments;

static moments moments_of(const figures_builder *b, const hr_overview_column *column, size_t group,
                          const column_group *c) {
    noisy_figure n = b->records[group];
    n.value = fmax(n.value, 0);
    if (column->first) n.value -= c->counts[0], n.variance += c->cells[0].variance;
    if (n.value < 1 || n.value < b->width * sqrt(n.variance)) return (moments){.hidden = true};
    const double rounding = 1. / (2 * HR_LABEL_SENSITIVITY), squares = n.value * n.value;
    const double t = within(c->sum.value / n.value, -1, 1), q = within(c->square.value / n.value, -1, 1);
    const double of_t = (c->sum.variance + t * t * n.variance) / squares + rounding * rounding,
                 of_q = (c->square.variance + q * q * n.variance) / squares + 4 * rounding * rounding;
    return (moments){.mean = {t, of_t}, .variance = {(1 + q) / 2 - t * t, of_q / 4 + 4 * t * t * of_t}};
}

/* ---- Texts ---- */

static void add_shown(hr_buffer *text, shown_figure figure) {
    hr_buffer_format(text, ": %.6g (%.6g..%.6g)", figure.value, figure.low, figure.high);
}

static void describe_moments(const figures_builder *b, const hr_column *column, const moments *m,
                             hr_buffer *text) {
    const double middle = column->low / 2 + column->high / 2, half = column->high / 2 - column->low / 2,
                 most = 1 - m->mean.value * m->mean.value;
    shown_figure t = {0, -1, 1}, v = {0, 0, 1};
    if (!m->hidden) t = show_within(b, m->mean, m->mean.value, (const double[]){-1, 1});
    if (!m->hidden)
        v = show_within(b, m->variance, within(m->variance.value, 0, most), (const double[]){0, 1});
    hr_buffer_text(text, HR_STATISTIC_MEAN_WORD);
    add_shown(text, (shown_figure){middle + half * t.value, middle + half * t.low, middle + half * t.high});
    hr_buffer_text(text, "; " HR_STATISTIC_DEVIATION_WORD);
    add_shown(text, (shown_figure){half * sqrt(v.value), half * sqrt(v.low), half * sqrt(v.high)});
}

static void describe_cells(const figures_builder *b, const hr_overview_column *column, size_t group,
                           const column_group *c, hr_buffer *text) {
    const double most = fmax(b->records[group].value, 1), all[] = {0, INFINITY};
    if (column->first) {
        const noisy_figure cell = c->cells[0], part = {cell.value / most, cell.variance / (most * most)};
        hr_buffer_text(text, HR_STATISTIC_MISSING_WORD);
        add_shown(text, show_within(b, part, within(c->counts[0] / most, 0, 1), (const double[]){0, 1}));
    }
    if (hr_overview_is_number(column)) {
        const moments m = moments_of(b, column, group, c);
        if (column->first) hr_buffer_text(text, "; ");
        describe_moments(b, column->column, &m, text);
    }
    for (size_t i = column->first; i < column->cells; i++) {
        char end[HR_NUMBER_TEXT];
        if (i || hr_overview_is_number(column)) hr_buffer_text(text, "; ");
        if (hr_overview_is_number(column)) {
            hr_number_text(column->ends[i - column->first], end);
            hr_buffer_format(text, HR_STATISTIC_BIN_WORD "%s", end);
        } else {
            hr_buffer_format(text, HR_STATISTIC_VALUE_WORD "%zu", i - column->first + 1);
        }
        add_shown(text, show_within(b, c->cells[i], c->counts[i], all));
    }
}

static hr_status keep_text(const figures_builder *b, hr_buffer *text, const char **out, hr_error *err) {
    char *made = NULL;
    hr_status status = hr_buffer_take(text, &made, err);
    if (status) return status;
    *out = hr_arena_text(b->arena, made, strlen(made));
    free(made);
    return *out ? HR_OK : hr_fail_memory(err);
}

static hr_status describe_column(const figures_builder *b, size_t k, hr_named_curve *out, hr_error *err) {
    hr_buffer text = {0}, name = {0};
    for (size_t g = 0; g < b->group_count; g++) {
        if (g) hr_buffer_text(&text, HR_STATISTIC_GROUP_GAP);
        describe_cells(b, &b->overview->columns[k], g, &b->columns[k * b->group_count + g], &text);
    }
    hr_buffer_format(&name, HR_STATISTIC_SETTING " %s", b->overview->columns[k].column->name);
    hr_status status = keep_text(b, &name, &out->name, err);
    if (!status) status = keep_text(b, &text, &out->text, err);
    hr_buffer_done(&text);
    return status;
}

/* ---- All of it ---- */

static hr_status make_room(figures_builder *b, hr_error *err) {
    const hr_overview *o = b->overview;
    b->records = hr_arena_alloc(b->arena, b->group_count, sizeof *b->records);
    b->columns = hr_arena_alloc(b->arena, o->column_count * b->group_count, sizeof *b->columns);
    b->sorted = hr_arena_alloc(b->arena, HR_OVERVIEW_VALUES_MAX, sizeof *b->sorted);
    if (!b->records || !b->columns || !b->sorted) return hr_fail_memory(err);
    for (size_t k = 0; k < o->column_count; k++)
        for (size_t g = 0; g < b->group_count; g++) {
            column_group *c = &b->columns[k * b->group_count + g];
            c->cells = hr_arena_alloc(b->arena, o->columns[k].cells, sizeof *c->cells);
            c->counts = hr_arena_alloc(b->arena, o->columns[k].cells, sizeof *c->counts);
            if (!c->cells || !c->counts) return hr_fail_memory(err);
        }
    return HR_OK;
}

hr_status hr_overview_make(const hr_overview_release *release, hr_arena *arena, hr_overview_made *out,
                           hr_error *err) {
    const hr_overview *o = release->overview;
    figures_builder b = {.release = release,
                         .overview = o,
                         .arena = arena,
                         .width = release->privacy_measure == HR_PRIVACY_PURE ? LAPLACE_95 : NORMAL_95,
                         .group_count = o->groups > 1 ? o->groups + 1 : 1};
    hr_named_curve *texts = hr_arena_alloc(arena, o->column_count + 1, sizeof *texts);
    hr_forest forest;
    hr_buffer text = {0};
    hr_status status = texts ? make_room(&b, err) : hr_fail_memory(err);
    if (status) return status;
    read_values(&b);
    for (size_t g = first_group(&b); g < b.group_count; g++) agree_on_records(&b, g);
    add_groups(&b);
    for (size_t g = 0; g < b.group_count; g++) {
        const double shown = fmax(b.records[g].value, 0);
        hr_buffer_text(&text,
                       g ? HR_STATISTIC_GROUP_GAP HR_STATISTIC_RECORDS_WORD : HR_STATISTIC_RECORDS_WORD);
        add_shown(&text, show_within(&b, b.records[g], shown, (const double[]){0, INFINITY}));
    }
    texts[0].name = HR_STATISTIC_SETTING;
    status = keep_text(&b, &text, &texts[0].text, err);
    for (size_t k = 0; !status && k < o->column_count; k++)
        status = describe_column(&b, k, &texts[k + 1], err);
    if (!status) status = hr_overview_no_forest(o, arena, &forest, err);
    if (status) return status;
    *out = (hr_overview_made){.forest = forest, .records = fmax(b.records[0].value, 1), .texts = texts};
    return HR_OK;
}
