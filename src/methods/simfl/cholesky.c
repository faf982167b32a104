#include "methods/simfl/cholesky.h"

#include <math.h>

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
