#include "methods/statistics/overview_counts.h"

#include "tables/data/columns.h"
#include "tables/data/records.h"

#include <math.h>
#include <string.h>

/* Some records of a column, and where they count. */
typedef struct counted_block {
    const hr_overview *overview;
    const hr_overview_column *column;
    const double *labels;    /* of the block; classes where there are groups */
    const uint32_t *weights; /* of the block; NULL: 1 each */
    const double *numbers;   /* of the block; NULL: codes */
    const uint16_t *codes;   /* 0: missing */
    size_t count;
    hr_exact *cells, *sums, *squares; /* of the column */
} counted_block;

static size_t group_of(const counted_block *b, size_t i) {
    return b->overview->groups > 1 ? (size_t)b->labels[i] : 0;
}

/* What the record adds to a count. */
static int64_t count_of(const uint32_t *weights, size_t i) {
    return weights ? weights[i] : HR_COUNT_UNIT;
}

/* What a number x in 2^-HR_LABEL_BITS adds to a sum. */
static int64_t sum_of(const counted_block *b, size_t i, int64_t x) {
    return b->weights ? hr_person_share(b->weights[i], x) : x;
}

/* The first bin that ends at the value or above. */
static size_t bin_of(const hr_overview_column *column, double value) {
    size_t low = 0, high = column->cells - column->first - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (value <= column->ends[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return column->first + low;
}

/* (x - middle) / half in 2^-HR_LABEL_BITS, rounded: from -2^HR_LABEL_BITS to 2^HR_LABEL_BITS. */
static int64_t place_of(const hr_column *column, double value) {
    const double one = HR_LABEL_SENSITIVITY, middle = column->low / 2 + column->high / 2,
                 half = column->high / 2 - column->low / 2;
    if (!(half > 0)) return 0;
    return (int64_t)lround(one * fmax(-1, fmin(1, (value - middle) / half)));
}

static void count_numbers(const counted_block *b) {
    const hr_overview_column *column = b->column;
    for (size_t i = 0; i < b->count; i++) {
        const double value = b->numbers[i];
        const size_t group = group_of(b, i);
        hr_exact *cells = b->cells + group * column->cells;
        if (value != value) {
            cells[0].unpaid += count_of(b->weights, i);
            continue;
        }
        const int64_t x = place_of(column->column, value);
        cells[bin_of(column, value)].unpaid += count_of(b->weights, i);
        b->sums[group].unpaid += sum_of(b, i, x);
        b->squares[group].unpaid += sum_of(b, i, 2 * x * x / HR_LABEL_SENSITIVITY - HR_LABEL_SENSITIVITY);
    }
}

static void count_codes(const counted_block *b) {
    for (size_t i = 0; i < b->count; i++)
        b->cells[group_of(b, i) * b->column->cells + b->codes[i]].unpaid += count_of(b->weights, i);
}

/* The label of the block: a number, or a class from 0, which is its cell. */
static void count_label(counted_block *b) {
    if (hr_overview_is_number(b->column)) {
        b->numbers = b->labels;
        count_numbers(b);
        return;
    }
    for (size_t i = 0; i < b->count; i++) b->cells[(size_t)b->labels[i]].unpaid += count_of(b->weights, i);
}

static void count_block(counted_block *b, const hr_data *data, size_t begin) {
    double numbers[HR_DATA_BLOCK];
    uint16_t codes[HR_DATA_BLOCK];
    const size_t feature = b->column->feature;
    if (feature == hr_schema_feature_count(b->overview->schema)) {
        count_label(b);
    } else if (hr_overview_is_number(b->column)) {
        b->numbers = hr_data_number_block(data, feature, begin, b->count, numbers);
        count_numbers(b);
    } else {
        b->codes = hr_data_code_block(data, feature, begin, b->count, codes);
        count_codes(b);
    }
}

void hr_overview_count(const hr_overview *o, const hr_data *data, hr_exact *out) {
    const uint32_t *weights = o->unit == HR_PER_PERSON ? hr_data_weights(data) : NULL;
    const double *labels = hr_data_labels(data);
    const size_t rows = hr_data_rows(data);
    memset(out, 0, hr_overview_values(o) * sizeof *out);
    for (size_t i = 0; i < rows; i++)
        out[o->groups > 1 ? (size_t)labels[i] : 0].unpaid += count_of(weights, i);
    out += o->groups;
    for (size_t k = 0; k < o->column_count; k++) {
        const hr_overview_column *column = &o->columns[k];
        hr_exact *const sums = out + o->groups * column->cells, *const squares = sums + o->groups;
        for (size_t begin = 0; begin < rows; begin += HR_DATA_BLOCK) {
            counted_block b = {.overview = o,
                               .column = column,
                               .labels = labels + begin,
                               .weights = weights ? weights + begin : NULL,
                               .count = hr_data_block_size(begin, rows),
                               .cells = out,
                               .sums = sums,
                               .squares = squares};
            count_block(&b, data, begin);
        }
        out = hr_overview_is_number(column) ? squares + o->groups : sums;
    }
}
