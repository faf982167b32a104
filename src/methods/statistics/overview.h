/* Statistics of chosen columns: what is released, in which lines, with which parts of the budget. Public
 * facts alone. */
#ifndef HR_METHODS_STATISTICS_OVERVIEW_H
#define HR_METHODS_STATISTICS_OVERVIEW_H

#include "methods/method.h"

enum {
    HR_OVERVIEW_COLUMNS_MAX = 64,
    HR_OVERVIEW_GROUPS_MAX = 64,
    HR_OVERVIEW_VALUES_MAX = 16384,
    HR_OVERVIEW_LINES_MAX = 1 + 3 * HR_OVERVIEW_COLUMNS_MAX
};

/* A number x between bounds counts in sums as t = (x - middle) / half, -1 to 1, and as 2 t^2 - 1, both in
 * 2^-HR_LABEL_BITS. A record without a value adds 0. */
typedef struct hr_overview_column {
    const hr_column *column; /* a category, or a number */
    size_t feature;          /* its index; of the label: the number of features */
    size_t cells;            /* counts: of records without a value (of the label there are none, and it has no
                                such count), then by bin of a number, or by value */
    size_t first;            /* the cell of the first bin, or value: 1; of the label 0 */
    const double
        *ends; /* of each bin: the largest value; it begins above the end before it. NULL: a category */
} hr_overview_column;

typedef struct hr_overview {
    const hr_schema *schema; /* borrowed */
    hr_privacy_unit unit;
    size_t groups; /* 1, or the classes of the label, each of which has statistics of its own */
    hr_overview_column columns[HR_OVERVIEW_COLUMNS_MAX];
    size_t column_count;
} hr_overview;

/* The overview of a fit, of all its columns unless the options choose some. Its ends are in the arena. Fails:
 * ARGUMENT (an option names no such column, or a label without classes or with too many), LIMIT (too many
 * columns or counts), MEMORY. */
HR_MUST_CHECK hr_status hr_overview_of(const hr_fit_facts *facts, hr_arena *arena, hr_overview *out,
                                       hr_error *err);

/* The lines, in this order: records; of each column its counts, and if it is a number the sums, and those of
 * the squares. A line's numbers are by group, and of counts then by cell. Each is in a group of
 * composition of its own, from `group`, so that their costs add up. Returns how many there are. */
size_t hr_overview_lines(const hr_overview *overview, hr_units budget, uint64_t group,
                         hr_charge lines[HR_OVERVIEW_LINES_MAX], size_t counts[HR_OVERVIEW_LINES_MAX]);

/* A forest without trees, whose scores are 0 and fit the task of the label. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_overview_no_forest(const hr_overview *overview, hr_arena *arena, hr_forest *out,
                                              hr_error *err);

/* All numbers of all lines. */
size_t hr_overview_values(const hr_overview *overview);

/* How many columns have sums. */
static inline bool hr_overview_is_number(const hr_overview_column *column) {
    return column->ends != NULL;
}

#endif
