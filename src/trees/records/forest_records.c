#include "trees/records/forest_records.h"

#include "base/fail.h"
#include "base/kernels/kernels.h"
#include "trees/records/bootstrap.h"
#include "trees/stats/label_sums.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 32, FEW_ROWS = 64, HOT_ROWS = 512, CLASS_SHIFT = 32, TOGETHER = HR_FOREST_TOGETHER_MAX };

struct hr_forest_records {
    const hr_forest_table *table;
    const hr_kernels *kernels;
    hr_valued_rows taken, spare; /* values: the sum of a record's labels and how often it was taken, packed;
                                    or its class in place of the sum */
    size_t count;                /* of records taken */
    uint8_t *goes_left;          /* of the records of a node that is divided */
    struct {
        hr_forest_run run;
        size_t count; /* 0: none */
        uint32_t features[TOGETHER];
    } looked; /* the features looked at last, and whose octets are there still */
};

hr_status hr_forest_pack(size_t rows, size_t classes, hr_packing *packing, int *bits, hr_error *err) {
    int most = classes ? 0 : 30, least = classes ? 0 : 8;
    *packing = (hr_packing){.shift = CLASS_SHIFT, .gradient_scale = 1, .weight_scale = 1};
    *bits = 0;
    if (classes > 2) return HR_OK;
    for (*bits = most; *bits >= least; --*bits) {
        packing->gradient_bound = (int64_t)1 << *bits;
        packing->gradient_scale = (double)packing->gradient_bound;
        packing->shift = hr_packing_shift(rows, 1, packing->gradient_bound);
        if (packing->shift >= 0) return HR_OK;
    }
    return hr_fail(err, HR_E_LIMIT, "train on a part of the records",
                   "too many records for exact sums in 63 bits");
}

static bool valued_rows_init(hr_valued_rows *a, size_t count) {
    a->rows = malloc((count + 1) * sizeof *a->rows);
    a->values = malloc((count + 1) * sizeof *a->values);
    return a->rows && a->values;
}

void hr_forest_records_free(hr_forest_records *r) {
    if (!r) return;
    void *all[] = {r->taken.rows, r->taken.values, r->spare.rows, r->spare.values, r->goes_left};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(r);
}

hr_status hr_forest_records_new(const hr_forest_table *table, hr_forest_records **out, hr_error *err) {
    hr_forest_records *r = calloc(1, sizeof *r);
    if (!r) return hr_fail_memory(err);
    r->table = table;
    r->kernels = hr_kernels_get();
    r->goes_left = malloc(table->binned->rows + 1);
    if (!r->goes_left || !valued_rows_init(&r->taken, table->binned->rows) ||
        !valued_rows_init(&r->spare, table->binned->rows)) {
        hr_forest_records_free(r);
        return hr_fail_memory(err);
    }
    *out = r;
    return HR_OK;
}

/* ---- What sums look like ---- */

static bool has_many_classes(const hr_forest_records *r) {
    return r->table->labels->classes > 2;
}

const hr_packing *hr_forest_records_packing(const hr_forest_records *r) {
    return &r->table->packing;
}

size_t hr_forest_records_width(const hr_forest_records *r) {
    return has_many_classes(r) ? r->table->labels->classes : 1;
}

size_t hr_forest_records_statistic_width(const hr_forest_records *r) {
    return hr_labels_width(r->table->labels);
}

size_t hr_forest_records_together(const hr_forest_records *r) {
    size_t width = hr_forest_records_width(r);
    return width < TOGETHER ? TOGETHER / width : 1;
}

size_t hr_forest_records_cells(const hr_forest_records *r) {
    return HR_STRIDE * hr_forest_records_width(r);
}

/* ---- Taking ---- */

static void take_record(hr_forest_records *r, uint32_t row, uint32_t times) {
    int64_t label = r->table->labels->values[row], weight = times;
    r->taken.rows[r->count] = row;
    r->taken.values[r->count++] =
        hr_pack(&r->table->packing, has_many_classes(r) ? label : label * weight, weight);
}

void hr_forest_take_all(hr_forest_records *r, hr_csprng *csprng) {
    (void)csprng;
    r->count = r->looked.count = 0;
    for (size_t i = 0; i < r->table->binned->rows; i++) take_record(r, (uint32_t)i, 1);
}

void hr_forest_take_bootstrap(hr_forest_records *r, hr_csprng *csprng) {
    uint32_t *times = r->spare.rows;
    hr_bootstrap(csprng, r->table->binned->rows, times);
    r->count = r->looked.count = 0;
    for (size_t i = 0; i < r->table->binned->rows; i++)
        if (times[i]) take_record(r, (uint32_t)i, times[i]);
}

hr_forest_run hr_forest_records_root(const hr_forest_records *r) {
    return (hr_forest_run){0, r->count};
}

static hr_valued_rows array_of(const hr_forest_records *r, hr_forest_run run) {
    return (hr_valued_rows){r->taken.rows + run.begin, r->taken.values + run.begin};
}

/* ---- Labels ---- */

void hr_forest_records_sum(const hr_forest_records *r, hr_forest_run run, hr_sum_word *total) {
    const int64_t *packed = r->taken.values + run.begin;
    memset(total, 0, hr_forest_records_width(r) * sizeof *total);
    if (has_many_classes(r)) {
        for (size_t i = 0; i < run.count; i++) hr_label_add_class(&r->table->packing, packed[i], total);
        return;
    }
    hr_sum_word sum = 0;
    for (size_t i = 0; i < run.count; i++) sum += packed[i];
    total[0] = sum;
}

int64_t hr_forest_records_count(const hr_forest_records *r, const hr_sum_word *total) {
    return hr_label_records(&r->table->packing, hr_forest_records_width(r), total);
}

void hr_forest_records_statistic(const hr_forest_records *r, const hr_sum_word *total, hr_exact *stat) {
    hr_label_statistic(&r->table->packing, r->table->labels, total, stat);
}

bool hr_forest_records_are_pure(const hr_forest_records *r, hr_forest_run run, const hr_sum_word *total) {
    const int64_t count = hr_forest_records_count(r, total);
    if (!r->table->labels->classes) {
        const uint32_t *rows = r->taken.rows + run.begin;
        const int32_t *labels = r->table->labels->values;
        for (size_t i = 1; i < run.count; i++)
            if (labels[rows[i]] != labels[rows[0]]) return false;
        return true;
    }
    if (!has_many_classes(r)) {
        int64_t second = hr_unpack(&r->table->packing, *total).gradient.unpaid;
        return second == 0 || second == count;
    }
    for (size_t k = 0; k < hr_forest_records_width(r); k++)
        if (total[k] == count) return true;
    return false;
}

/* ---- Bins ---- */

/* Record i's bin of the feature is at [i * HR_TILE]. */
static const uint8_t *tile_bins(const hr_forest_records *r, uint32_t feature) {
    return r->table->binned->tiles + hr_binned_offset(r->table->binned, feature);
}

/* Where the bins and the sums of features are that are summed together. */
typedef struct forest_columns {
    size_t count;
    const uint8_t *bins[TOGETHER];
    hr_sum_word *cells[TOGETHER];
} forest_columns;

/* A record's bins are in one cache line where there are no more than HR_TILE features: so it is read once for
 * all features. */
static void sum_many(hr_valued_rows a, size_t rows, const forest_columns *of) {
    for (size_t i = 0; i < rows; i++) {
        if (i + AHEAD < rows) __builtin_prefetch(&of->bins[0][(size_t)a.rows[i + AHEAD] * HR_TILE]);
        size_t at = (size_t)a.rows[i] * HR_TILE;
        int64_t packed = a.values[i];
        for (size_t j = 0; j < of->count; j++) of->cells[j][of->bins[j][at]] += packed;
    }
}

/* Few records mark their bins while they are summed, which saves a look at all bins. */
static void sum_few(hr_valued_rows a, size_t rows, const forest_columns *of, hr_bin_set *seen) {
    for (size_t i = 0; i < rows; i++) {
        size_t at = (size_t)a.rows[i] * HR_TILE;
        int64_t packed = a.values[i];
        for (size_t j = 0; j < of->count; j++) {
            uint8_t bin = of->bins[j][at];
            of->cells[j][bin] += packed;
            hr_bin_set_add(&seen[j], bin);
        }
    }
}

static void sum_packed(const hr_forest_records *r, hr_forest_run run, const forest_columns *of,
                       hr_bin_set *seen) {
    if (run.count <= FEW_ROWS) {
        sum_few(array_of(r, run), run.count, of, seen);
        return;
    }
    sum_many(array_of(r, run), run.count, of);
    /* Cells of bins that the feature has not are 0, too. */
    for (size_t j = 0; j < of->count; j++)
        for (size_t w = 0; w < HR_BINS_MAX / 64; w++)
            for (size_t b = 0; b < 64; b++)
                seen[j].words[w] |= (uint64_t)(of->cells[j][w * 64 + b] != 0) << b;
}

static void sum_classes(const hr_forest_records *r, hr_forest_run run, const uint8_t *bins,
                        hr_sum_word *cells, hr_bin_set *seen) {
    const hr_valued_rows a = array_of(r, run);
    size_t width = hr_forest_records_width(r);
    for (size_t i = 0; i < run.count; i++) {
        uint8_t bin = bins[(size_t)a.rows[i] * HR_TILE];
        hr_label_add_class(&r->table->packing, a.values[i], &cells[bin * width]);
        hr_bin_set_add(seen, bin);
    }
}

void hr_forest_records_sum_bins(const hr_forest_records *r, hr_forest_run run, const uint32_t *features,
                                size_t count, hr_sum_word *cells, hr_bin_set *seen) {
    forest_columns of = {.count = count};
    memset(seen, 0, count * sizeof *seen);
    for (size_t j = 0; j < count; j++) {
        of.bins[j] = tile_bins(r, features[j]);
        of.cells[j] = cells + j * hr_forest_records_cells(r);
    }
    if (!has_many_classes(r))
        sum_packed(r, run, &of, seen);
    else
        for (size_t j = 0; j < count; j++) sum_classes(r, run, of.bins[j], of.cells[j], &seen[j]);
}

/* ---- Ranges of bins ---- */

_Static_assert((int)HR_OCTET == (int)TOGETHER && (int)HR_OCTET_TILE == (int)HR_TILE,
               "a tile's bins fit in octets");

/* Octets lie where division needs room later; what they have beyond the features counts for nothing, but is
 * initialised. */
static uint8_t *octets_of(const hr_forest_records *r) {
    return (uint8_t *)r->spare.values;
}

static void gather_from_tile(const hr_forest_records *r, hr_forest_run run, const uint32_t *features,
                             size_t count) {
    uint8_t picks[HR_OCTET];
    memset(picks, 0, sizeof picks);
    for (size_t j = 0; j < count; j++) picks[j] = (uint8_t)(features[j] % HR_TILE);
    r->kernels->octets_of_rows(hr_binned_tile(r->table->binned, features[0] / HR_TILE, 0), picks,
                               r->taken.rows + run.begin, run.count, octets_of(r));
}

static void gather_from_tiles(const hr_forest_records *r, hr_forest_run run, const uint32_t *features,
                              size_t count) {
    const uint32_t *rows = r->taken.rows + run.begin;
    uint8_t *octets = octets_of(r);
    memset(octets, 0, run.count * HR_OCTET);
    for (size_t j = 0; j < count; j++) {
        const uint8_t *bins = tile_bins(r, features[j]);
        for (size_t i = 0; i < run.count; i++) {
            if (i + AHEAD < run.count) __builtin_prefetch(&bins[(size_t)rows[i + AHEAD] * HR_TILE]);
            octets[i * HR_OCTET + j] = bins[(size_t)rows[i] * HR_TILE];
        }
    }
}

void hr_forest_records_look(hr_forest_records *r, hr_forest_run run, const uint32_t *features, size_t count,
                            hr_bin_range *ranges) {
    hr_octet_ranges found;
    r->looked.run = run;
    r->looked.count = count;
    memcpy(r->looked.features, features, count * sizeof *features);
    bool are_in_one_tile = true;
    for (size_t j = 1; j < count; j++)
        are_in_one_tile = are_in_one_tile && features[j] / HR_TILE == features[0] / HR_TILE;
    (are_in_one_tile ? gather_from_tile : gather_from_tiles)(r, run, features, count);
    r->kernels->ranges_of_octets(octets_of(r), run.count, &found);
    for (size_t j = 0; j < count; j++) {
        uint8_t before = found.before[j], low = (uint8_t)(before + (before < UINT8_MAX));
        ranges[j] = (hr_bin_range){low, found.largest[j], !found.least[j]};
    }
}

static hr_octet_cut octet_cut(size_t lane, hr_cut cut) {
    return (hr_octet_cut){(uint8_t)lane, cut.missing_left ? 0 : 1, (uint8_t)(cut.bin + cut.missing_left)};
}

static void sum_classes_left(const hr_forest_records *r, hr_forest_run run, size_t j, hr_cut cut,
                             hr_sum_word *left) {
    const uint8_t *octets = octets_of(r);
    const hr_octet_cut of = octet_cut(j, cut);
    const int64_t *packed = r->taken.values + run.begin;
    for (size_t i = 0; i < run.count; i++)
        if ((uint8_t)(octets[i * HR_OCTET + j] - of.first) < of.count)
            hr_label_add_class(&r->table->packing, packed[i], left);
}

void hr_forest_records_sum_left(const hr_forest_records *r, hr_forest_run run, const hr_cut *cuts,
                                size_t count, hr_sum_word *left) {
    const size_t width = hr_forest_records_width(r);
    if (!has_many_classes(r)) {
        hr_octet_cuts of = {{0}, {0}};
        int64_t sums[HR_OCTET];
        for (size_t j = 0; j < count; j++) {
            const hr_octet_cut one = octet_cut(j, cuts[j]);
            of.first[j] = one.first;
            of.count[j] = one.count;
        }
        r->kernels->sums_of_octets(&of, octets_of(r), r->taken.values + run.begin, run.count, sums);
        memcpy(left, sums, count * sizeof *left);
        return;
    }
    memset(left, 0, count * width * sizeof *left);
    for (size_t j = 0; j < count; j++) sum_classes_left(r, run, j, cuts[j], left + j * width);
}

/* ---- Division ---- */

/* Where the octets have the bins of the split's feature, if they are there; else TOGETHER. */
static size_t looked_lane(const hr_forest_records *r, hr_forest_run run, const hr_split *split) {
    const hr_forest_run at = r->looked.run;
    if (at.begin != run.begin || at.count != run.count || split->kind != HR_KIND_NUMBER) return TOGETHER;
    for (size_t j = 0; j < r->looked.count; j++)
        if (r->looked.features[j] == split->feature) return j;
    return TOGETHER;
}

static void find_sides(const hr_forest_records *r, hr_forest_run run, const hr_split *split) {
    uint8_t table[HR_BINS_MAX];
    const bool hot = run.count <= HOT_ROWS;
    const uint8_t *bins =
        hot ? tile_bins(r, split->feature) : hr_binned_column(r->table->binned, split->feature);
    const size_t stride = hot ? HR_TILE : 1;
    const uint32_t *rows = r->taken.rows + run.begin;
    uint8_t *goes_left = r->goes_left;
    hr_split_left_table(split, r->table->binned->binning, table);
    for (size_t i = 0; i < run.count; i++) goes_left[i] = table[bins[rows[i] * stride]];
}

/* In order: those that go left stay in the array, the others come behind them. */
void hr_forest_records_divide(hr_forest_records *r, hr_forest_run run, const hr_split *split,
                              hr_forest_run sides[2]) {
    const hr_valued_rows taken = array_of(r, run);
    const hr_cut cut = {split->cut, split->missing_left};
    const size_t lane = looked_lane(r, run, split);
    if (lane < TOGETHER)
        r->kernels->octets_within(octets_of(r), octet_cut(lane, cut), run.count, r->goes_left);
    else
        find_sides(r, run, split);
    const size_t left = r->kernels->divide_rows(&(hr_given_rows){taken.rows, taken.values}, r->goes_left,
                                                run.count, &taken, &r->spare);
    const size_t right = run.count - left;
    memcpy(taken.rows + left, r->spare.rows, right * sizeof *taken.rows);
    memcpy(taken.values + left, r->spare.values, right * sizeof *taken.values);
    r->looked.count = 0;
    sides[0] = (hr_forest_run){run.begin, left};
    sides[1] = (hr_forest_run){run.begin + left, right};
}
