#include "methods/simfl/linear_guess.h"

#include "base/fail.h"

#include <math.h>

/* ---- The Cholesky decomposition ---- */

static double dot_cholesky(const double *one, const double *other, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += one[i] * other[i];
    return sum;
}

bool hr_cholesky_factor(double *matrix, size_t size) {
    for (size_t i = 0; i < size; i++) {
        double *row = matrix + i * size;
        for (size_t j = 0; j < i; j++) {
            const double *above = matrix + j * size;
            row[j] = (row[j] - dot_cholesky(row, above, j)) / above[j];
        }
        double square = row[i] - dot_cholesky(row, row, i);
        if (!(square > 0) || !isfinite(square)) return false;
        row[i] = sqrt(square);
    }
    return true;
}

void hr_cholesky_solve(const double *factor, size_t size, double *values) {
    for (size_t i = 0; i < size; i++)
        values[i] = (values[i] - dot_cholesky(factor + i * size, values, i)) / factor[i * size + i];
    for (size_t i = size; i-- > 0;) {
        for (size_t j = i + 1; j < size; j++) values[i] -= factor[j * size + i] * values[j];
        values[i] /= factor[i * size + i];
    }
}

/* ---- The estimate ---- */

struct hr_linear_guess {
    const hr_planes *planes;
    double *mean;        /* m */
    double *mean_at;     /* A m */
    double *cross;       /* S A': dimensions x tables */
    double *factor;      /* of A S A' + width^2/12 I: tables x tables */
    double *differences; /* of one point: z - A m, by tables */
};

/* out[j] = a_j x */
static void project_point(const hr_planes *planes, const double *point, double *out) {
    for (size_t j = 0; j < planes->tables; j++) {
        const double *normal = planes->normals + j * planes->dimensions;
        out[j] = 0;
        for (size_t f = 0; f < planes->dimensions; f++) out[j] += normal[f] * point[f];
    }
}

/* Adds the products of one point's deviations from the means. */
static void add_products(hr_linear_guess *guess, const double *point) {
    const hr_planes *planes = guess->planes;
    double *deviations = guess->differences;
    project_point(planes, point, deviations);
    for (size_t j = 0; j < planes->tables; j++) deviations[j] -= guess->mean_at[j];
    for (size_t f = 0; f < planes->dimensions; f++) {
        const double deviation = point[f] - guess->mean[f];
        for (size_t j = 0; j < planes->tables; j++)
            guess->cross[f * planes->tables + j] += deviation * deviations[j];
    }
    for (size_t i = 0; i < planes->tables; i++) {
        for (size_t j = 0; j <= i; j++)
            guess->factor[i * planes->tables + j] += deviations[i] * deviations[j];
    }
}

static void set_covariances(hr_linear_guess *guess, const double *points, size_t count) {
    const size_t dimensions = guess->planes->dimensions, tables = guess->planes->tables;
    for (size_t i = 0; i < count; i++) add_products(guess, points + i * dimensions);
    const double share = 1 / ((double)count - 1);
    for (size_t i = 0; i < dimensions * tables; i++) guess->cross[i] *= share;
    for (size_t i = 0; i < tables * tables; i++) guess->factor[i] *= share;
    const double width = guess->planes->width;
    for (size_t j = 0; j < tables; j++) guess->factor[j * tables + j] += width * width / 12;
}

hr_status hr_linear_guess_new(const hr_planes *planes, const double *points, size_t count, hr_arena *arena,
                              hr_linear_guess **out, hr_error *err) {
    hr_linear_guess *guess = hr_arena_alloc(arena, 1, sizeof *guess);
    if (!guess) return hr_fail_memory(err);
    const size_t dimensions = planes->dimensions, tables = planes->tables;
    guess->planes = planes;
    guess->mean = hr_arena_alloc(arena, dimensions, sizeof *guess->mean);
    guess->mean_at = hr_arena_alloc(arena, tables, sizeof *guess->mean_at);
    guess->cross = hr_arena_alloc(arena, dimensions * tables, sizeof *guess->cross);
    guess->factor = hr_arena_alloc(arena, tables * tables, sizeof *guess->factor);
    guess->differences = hr_arena_alloc(arena, tables, sizeof *guess->differences);
    if (!guess->mean || !guess->mean_at || !guess->cross || !guess->factor || !guess->differences)
        return hr_fail_memory(err);

    for (size_t i = 0; i < count; i++) {
        for (size_t f = 0; f < dimensions; f++) guess->mean[f] += points[i * dimensions + f];
    }
    for (size_t f = 0; f < dimensions; f++) guess->mean[f] /= (double)count;
    project_point(planes, guess->mean, guess->mean_at);
    set_covariances(guess, points, count);
    if (!hr_cholesky_factor(guess->factor, planes->tables))
        return hr_fail(err, HR_E_LIMIT, "use a wider cell or a smaller range",
                       "the hashes' covariance is too large, or too small, for floating-point numbers");
    *out = guess;
    return HR_OK;
}

const double *hr_linear_guess_mean(const hr_linear_guess *guess) {
    return guess->mean;
}

void hr_linear_guess_point(hr_linear_guess *guess, const int16_t *cells, double *out) {
    const hr_planes *planes = guess->planes;
    for (size_t j = 0; j < planes->tables; j++) {
        const double middle = planes->width * (cells[j] + .5) - planes->offsets[j];
        guess->differences[j] = middle - guess->mean_at[j];
    }
    hr_cholesky_solve(guess->factor, planes->tables, guess->differences);
    for (size_t f = 0; f < planes->dimensions; f++) {
        out[f] = guess->mean[f];
        for (size_t j = 0; j < planes->tables; j++)
            out[f] += guess->cross[f * planes->tables + j] * guess->differences[j];
    }
}
