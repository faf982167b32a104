#include "methods/simfl/owned_records.h"

#include "base/fail.h"
#include "privacy/sample.h"
#include "tables/bins/binned.h"
#include "trees/records/local_source.h"
#include "trees/stats/gradient.h"

#include <math.h>
#include <stdlib.h>

struct hr_owned_records {
    const hr_data *data;
    size_t rows, owners, tables;
    int threads;
    uint32_t *owner_of;
    uint16_t *regions; /* rows x tables; NULL: not located */
    uint8_t *weights;  /* NULL: all are 1 */
};

/* ---- Owners ---- */

/* Whether a record is of the lower half, into owner_of. */
static hr_status halve_by_label(hr_owned_records *r, hr_error *err) {
    const hr_column *label = hr_schema_label(hr_data_schema(r->data));
    bool number = label->kind == HR_KIND_NUMBER;
    double middle = number || label->value_count == 2 ? 0 : (double)label->value_count / 2;
    double *targets = malloc((r->rows + 1) * sizeof *targets);
    if (!targets) return hr_fail_memory(err);
    hr_targets_of(r->data, targets);
    for (size_t i = 0; i < r->rows; i++) r->owner_of[i] = targets[i] < middle;
    free(targets);
    return HR_OK;
}

static hr_status halve_by_feature(hr_owned_records *r, const hr_binning *binning, size_t feature,
                                  hr_error *err) {
    hr_binned *binned = NULL;
    hr_status status = hr_binned_columns(r->data, binning, r->threads, &binned, err);
    if (status) return status;
    const uint8_t *bins = hr_binned_column(binned, feature);
    for (size_t i = 0; i < r->rows; i++) r->owner_of[i] = bins[i] <= binning->features[feature].bin_count / 2;
    hr_binned_free(binned);
    return HR_OK;
}

static uint32_t draw_owner(const hr_owner_law *law, uint64_t theta, bool lower, hr_csprng *csprng) {
    size_t first = (law->owners + 1) / 2;
    if (!theta || law->owners == 1) return (uint32_t)hr_uniform(csprng, law->owners);
    bool to_first = hr_uniform(csprng, (uint64_t)1 << 32) < theta ? lower : !lower;
    if (to_first) return (uint32_t)hr_uniform(csprng, first);
    return (uint32_t)(first + hr_uniform(csprng, law->owners - first));
}

static hr_status divide_records(hr_owned_records *r, const hr_owner_law *law, hr_csprng *csprng,
                                hr_error *err) {
    uint64_t theta = (uint64_t)rint(ldexp(law->theta, 32));
    hr_status status = HR_OK;
    if (theta)
        status = law->skew ? halve_by_feature(r, law->binning, law->skew - 1, err) : halve_by_label(r, err);
    for (size_t i = 0; !status && i < r->rows; i++)
        r->owner_of[i] = draw_owner(law, theta, r->owner_of[i], csprng);
    return status;
}

hr_status hr_owned_records_new(const hr_data *data, const hr_owner_law *law, hr_csprng *csprng, int threads,
                               hr_owned_records **out, hr_error *err) {
    hr_owned_records *r = calloc(1, sizeof *r);
    if (!r) return hr_fail_memory(err);
    *r = (hr_owned_records){
        .data = data, .rows = hr_data_rows(data), .owners = law->owners, .threads = threads};
    r->owner_of = calloc(r->rows + 1, sizeof *r->owner_of);
    hr_status status = r->owner_of ? divide_records(r, law, csprng, err) : hr_fail_memory(err);
    if (status)
        hr_owned_records_free(r);
    else
        *out = r;
    return status;
}

void hr_owned_records_free(hr_owned_records *records) {
    if (!records) return;
    free(records->owner_of);
    free(records->regions);
    free(records->weights);
    free(records);
}

/* ---- Regions and weights ---- */

hr_status hr_owned_records_locate(hr_owned_records *r, const hr_regions *regions, size_t tables,
                                  hr_error *err) {
    r->tables = tables;
    r->regions = malloc((r->rows * tables + 1) * sizeof *r->regions);
    return r->regions ? hr_regions_find(regions, r->data, r->threads, r->regions, err) : hr_fail_memory(err);
}

void hr_owned_records_count(const hr_owned_records *r, size_t count, hr_exact *out) {
    for (size_t k = 0; k < r->owners * r->tables * count; k++) out[k].unpaid = 0;
    for (size_t i = 0; i < r->rows; i++) {
        hr_exact *own = out + r->owner_of[i] * r->tables * count;
        for (size_t t = 0; t < r->tables; t++) own[t * count + r->regions[i * r->tables + t]].unpaid++;
    }
}

hr_status hr_owned_records_weigh(hr_owned_records *r, const hr_region_counts *counts, int64_t weight_max,
                                 hr_error *err) {
    double *totals = malloc(counts->owners * sizeof *totals);
    r->weights = malloc(r->rows + 1);
    if (totals && r->weights) {
        hr_region_totals(counts, totals);
        for (size_t i = 0; i < r->rows; i++)
            r->weights[i] =
                hr_region_weight(counts, totals, r->owner_of[i], r->regions + i * r->tables, weight_max);
    }
    free(totals);
    return totals && r->weights ? HR_OK : hr_fail_memory(err);
}

/* ---- Gradients ---- */

hr_status hr_owned_records_source(const hr_owned_records *r, hr_stats_source **out, hr_error *err) {
    const hr_local_stats_records records = {.data = r->data, .weights = r->weights, .threads = r->threads};
    return hr_local_stats_source_new(&records, out, err);
}

hr_status hr_owned_records_share_out(const hr_owned_records *r, hr_stats_source *source, hr_error *err) {
    const hr_stats_shares shares = {.part_of = r->owner_of, .count = r->owners};
    return source->ops->share_out(source, &shares, NULL, err);
}
