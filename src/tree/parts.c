#include "tree/parts.h"
#include "base/fail.h"
#include "random/sample.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hr_parts_done(hr_parts *parts) {
    free(parts->rows);
    free(parts->begin);
    *parts = (hr_parts){0};
}

static hr_status parts_init(hr_parts *parts, size_t rows, size_t count, hr_error *err) {
    *parts =
        (hr_parts){malloc((rows + 1) * sizeof *parts->rows), calloc(count + 2, sizeof *parts->begin), count};
    if (parts->rows && parts->begin) return HR_OK;
    hr_parts_done(parts);
    return hr_fail_memory(err);
}

hr_status hr_parts_whole(size_t rows, hr_parts *out, hr_error *err) {
    size_t *begin = calloc(2, sizeof *begin);
    if (!begin) return hr_fail_memory(err);
    begin[1] = rows;
    *out = (hr_parts){.begin = begin, .count = 1};
    return HR_OK;
}

/* Public probabilities as integers out of about 2^40. */
static uint64_t *integer_weights(const double *weights, size_t count) {
    uint64_t *whole = malloc(count * sizeof *whole);
    double sum = 0;
    for (size_t j = 0; j < count; j++) sum += weights[j];
    for (size_t j = 0; whole && j < count; j++) whole[j] = (uint64_t)rint(weights[j] / sum * 0x1p40);
    return whole;
}

static bool all_equal(const uint64_t *weights, size_t count) {
    for (size_t j = 1; j < count; j++)
        if (weights[j] != weights[0]) return false;
    return true;
}

/* Sorts rows by their part, counting first. */
static void gather_part(const uint32_t *part_of, size_t rows, hr_parts *parts) {
    for (size_t i = 0; i < rows; i++) parts->begin[part_of[i] + 2]++;
    for (size_t j = 2; j <= parts->count; j++) parts->begin[j] += parts->begin[j - 1];
    for (size_t i = 0; i < rows; i++) parts->rows[parts->begin[part_of[i] + 1]++] = (uint32_t)i;
}

hr_status hr_parts_given(const uint32_t *part_of, size_t rows, size_t count, hr_parts *out, hr_error *err) {
    hr_status status = parts_init(out, rows, count, err);
    if (!status) gather_part(part_of, rows, out);
    return status;
}

hr_status hr_parts_drawn(hr_csprng *csprng, size_t rows, const double *weights, size_t count, hr_parts *out,
                         hr_error *err) {
    uint32_t *part_of = malloc((rows + 1) * sizeof *part_of);
    uint64_t *whole = integer_weights(weights, count);
    hr_status status = part_of && whole ? parts_init(out, rows, count, err) : hr_fail_memory(err);
    if (!status) {
        bool equal = all_equal(whole, count);
        for (size_t i = 0; i < rows; i++)
            part_of[i] = (uint32_t)(equal ? hr_uniform(csprng, count) : hr_categorical(csprng, whole, count));
        gather_part(part_of, rows, out);
    }
    free(whole);
    free(part_of);
    return status;
}

static void shuffle_records(hr_csprng *csprng, uint32_t *rows, size_t count) {
    for (size_t i = 0; i < count; i++) rows[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t j = hr_uniform(csprng, i);
        uint32_t swap = rows[i - 1];
        rows[i - 1] = rows[j];
        rows[j] = swap;
    }
}

static int by_row(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

hr_status hr_parts_fixed(hr_csprng *csprng, size_t rows, const double *weights, size_t count, hr_parts *out,
                         hr_error *err) {
    hr_status status = parts_init(out, rows, count, err);
    if (status) return status;
    double sum = 0;
    for (size_t j = 0; j < count; j++) sum += weights[j];
    shuffle_records(csprng, out->rows, rows);
    for (size_t j = 0; j < count; j++) {
        size_t size = (size_t)floor(weights[j] / sum * (double)rows + 1e-9), left = rows - out->begin[j];
        out->begin[j + 1] = out->begin[j] + (size < left ? size : left);
        qsort(out->rows + out->begin[j], out->begin[j + 1] - out->begin[j], sizeof *out->rows, by_row);
    }
    return HR_OK;
}
