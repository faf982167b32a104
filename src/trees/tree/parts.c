#include "trees/tree/parts.h"
#include "base/fail.h"
#include "privacy/sample.h"

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

/* A part for each of `count` records, or persons. */
static hr_status draw_each(hr_csprng *csprng, const double *weights, size_t parts, uint32_t *part_of,
                           size_t count, hr_error *err) {
    uint64_t *whole = integer_weights(weights, parts);
    if (!whole) return hr_fail_memory(err);
    const bool equal = all_equal(whole, parts);
    for (size_t i = 0; i < count; i++)
        part_of[i] = (uint32_t)(equal ? hr_uniform(csprng, parts) : hr_categorical(csprng, whole, parts));
    free(whole);
    return HR_OK;
}

hr_status hr_parts_drawn(hr_csprng *csprng, size_t rows, const double *weights, size_t count, hr_parts *out,
                         hr_error *err) {
    uint32_t *part_of = malloc((rows + 1) * sizeof *part_of);
    hr_status status = part_of ? draw_each(csprng, weights, count, part_of, rows, err) : hr_fail_memory(err);
    if (!status) status = hr_parts_given(part_of, rows, count, out, err);
    free(part_of);
    return status;
}

hr_status hr_parts_drawn_by_persons(hr_csprng *csprng, const hr_person_rows *of, const double *weights,
                                    size_t count, hr_parts *out, hr_error *err) {
    size_t persons = 0;
    for (size_t i = 0; i < of->rows; i++)
        if (of->persons[i] >= persons) persons = (size_t)of->persons[i] + 1;
    uint32_t *part_of = malloc((of->rows + 1) * sizeof *part_of),
             *of_person = malloc((persons + 1) * sizeof *of_person);
    hr_status status = part_of && of_person ? draw_each(csprng, weights, count, of_person, persons, err)
                                            : hr_fail_memory(err);
    for (size_t i = 0; !status && i < of->rows; i++) part_of[i] = of_person[of->persons[i]];
    if (!status) status = hr_parts_given(part_of, of->rows, count, out, err);
    free(of_person);
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
