/* Writes the table that every side of the training bench reads, so that no side's own reader is part of the
 * comparison.
 *
 * usage: bench_table FILE ROWS FEATURES
 * FILE.csv: numbers with a header, the label y last. Else ROWS x FEATURES float32, row by row, then ROWS
 * labels of one byte. All numbers lie in [-4, 4]; columns are normal, uniform, skewed or of few distinct
 * values in turn, and the label follows the first eight of them through steps, products and waves. The same
 * arguments give the same bytes. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USED = 8 };

static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in (0, 1). */
static double uniform(uint64_t *state) {
    return ((double)(next(state) >> 11) + 0.5) * 0x1p-53;
}

static double number(uint64_t *state, size_t feature) {
    double u = uniform(state), v = uniform(state);
    double normal = sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
    double x = normal;
    if (feature % 8 == 3) x = 8 * u - 4;
    if (feature % 8 == 5) x = -log(u) - 1;
    if (feature % 8 == 7) x = round(4 * normal) / 4;
    return fmin(fmax(x, -4), 4);
}

static bool label(uint64_t *state, const float *record, size_t features) {
    double x[USED] = {0};
    for (size_t f = 0; f < USED && f < features; f++) x[f] = (double)record[f];
    double z = sin(2 * x[0]) + x[1] * x[2] + (x[3] > 0.5) - 0.5 * (x[4] * x[4] - 1) +
               0.5 * x[5] * (x[6] > 0) + 0.3 * x[7];
    return uniform(state) < 1 / (1 + exp(-1.5 * z));
}

static void write_csv(FILE *file, const float *record, size_t features, bool y) {
    for (size_t f = 0; f < features; f++) fprintf(file, "%.6g,", (double)record[f]);
    fprintf(file, "%d\n", y);
}

static bool write_table(FILE *file, bool csv, size_t rows, size_t features) {
    uint64_t state = 1;
    float *record = calloc(features, sizeof *record);
    unsigned char *labels = calloc(rows, 1);
    bool fine = record && labels;
    for (size_t f = 0; csv && f < features; f++) fprintf(file, "x%zu,", f);
    if (csv) fprintf(file, "y\n");
    for (size_t i = 0; fine && i < rows; i++) {
        for (size_t f = 0; f < features; f++) record[f] = (float)number(&state, f);
        labels[i] = label(&state, record, features);
        if (csv)
            write_csv(file, record, features, labels[i]);
        else
            fine = fwrite(record, sizeof *record, features, file) == features;
    }
    if (fine && !csv) fine = fwrite(labels, 1, rows, file) == rows;
    free(record);
    free(labels);
    return fine;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: bench_table FILE ROWS FEATURES\n");
        return 2;
    }
    const char *dot = strrchr(argv[1], '.');
    FILE *file = fopen(argv[1], "wb");
    bool fine = file && write_table(file, dot && !strcmp(dot, ".csv"), strtoul(argv[2], NULL, 10),
                                    strtoul(argv[3], NULL, 10));
    if (file && fclose(file)) fine = false;
    if (!fine) fprintf(stderr, "bench_table: cannot write %s\n", argv[1]);
    return fine ? 0 : 1;
}
