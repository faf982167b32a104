#include "methods/simfl/regions.h"

#include "base/fail.h"
#include "privacy/sensitivity.h"
#include "trees/similar/lsh.h"

#include <math.h>
#include <stdlib.h>

struct hr_regions {
    size_t tables, count;
    hr_lsh *lsh; /* HR_REGION_HASHES planes a table */
};

/* How many deviations of noise a sum of counts needs to be believed. */
static const double DOUBT = 2;

hr_status hr_regions_new(const hr_regions_setup *setup, hr_regions **out, hr_error *err) {
    hr_regions *r = calloc(1, sizeof *r);
    if (!r) return hr_fail_memory(err);
    *r = (hr_regions){.tables = setup->tables, .count = setup->count};
    const hr_lsh_setup planes = {.schema = setup->schema,
                                 .width = setup->width,
                                 .tables = setup->tables * HR_REGION_HASHES,
                                 .range = 1,
                                 .coins = setup->coins};
    hr_status status = hr_lsh_new(&planes, &r->lsh, err);
    if (status)
        hr_regions_free(r);
    else
        *out = r;
    return status;
}

void hr_regions_free(hr_regions *regions) {
    if (!regions) return;
    hr_lsh_free(regions->lsh);
    free(regions);
}

/* A public hash of the table's planes: splitmix64's finalizer, once a plane. */
static uint16_t fold_hashes(const int16_t *hashes, size_t count) {
    uint64_t x = 0;
    for (size_t k = 0; k < HR_REGION_HASHES; k++) {
        x += 0x9e3779b97f4a7c15 + (uint16_t)hashes[k];
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        x = (x ^ x >> 27) * 0x94d049bb133111eb;
        x ^= x >> 31;
    }
    return (uint16_t)(x % count);
}

hr_status hr_regions_find(const hr_regions *regions, const hr_data *data, int threads, uint16_t *out,
                          hr_error *err) {
    size_t tables = regions->tables, planes = tables * HR_REGION_HASHES, rows = hr_data_rows(data);
    int16_t *hashes = malloc((rows * planes + 1) * sizeof *hashes);
    if (!hashes) return hr_fail_memory(err);
    hr_status status = hr_lsh_hash(regions->lsh, data, threads, hashes, err);
    for (size_t i = 0; !status && i < rows * tables; i++)
        out[i] = fold_hashes(hashes + i * HR_REGION_HASHES, regions->count);
    free(hashes);
    return status;
}

/* ---- Weights ---- */

static const hr_noisy *counts_of(const hr_region_counts *c, size_t owner, size_t table) {
    return c->counts + (owner * c->tables + table) * c->count;
}

void hr_region_totals(const hr_region_counts *c, double *totals) {
    for (size_t owner = 0; owner < c->owners; owner++) {
        double sum = 0;
        const hr_noisy *counts = counts_of(c, owner, 0);
        for (size_t i = 0; i < c->tables * c->count; i++) sum += (double)counts[i].paid;
        totals[owner] = fmax(sum / (double)c->tables, 1);
    }
}

/* The records of one owner that share a region with this one, added up over the tables. */
static double records_near(const hr_region_counts *c, size_t owner, const uint16_t *regions) {
    double sum = 0;
    for (size_t t = 0; t < c->tables; t++) sum += (double)counts_of(c, owner, t)[regions[t]].paid;
    return sum;
}

uint8_t hr_region_weight(const hr_region_counts *c, const double *totals, size_t owner,
                         const uint16_t *regions, int64_t weight_max) {
    double tables = (double)c->tables, near = 0, total = 0, most = (double)weight_max;
    for (size_t o = 0; o < c->owners; o++) {
        near += records_near(c, o, regions);
        total += totals[o];
    }
    double doubt = tables + DOUBT * c->deviation * sqrt(tables),
           expected = fmax(near, 0) * totals[owner] / total, own = fmax(records_near(c, owner, regions), 0);
    double weight = (expected + doubt) / (own + doubt) * HR_WEIGHT_UNIT;
    return (uint8_t)rint(fmin(fmax(weight, HR_WEIGHT_UNIT / most), HR_WEIGHT_UNIT * most));
}
