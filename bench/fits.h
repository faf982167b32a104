/* What bench_train and bench_hedge share: the table that they fit, options from words, and a clock. A program
 * that cannot go on says why and ends. */
#ifndef BENCH_FITS_H
#define BENCH_FITS_H

#include <hedgerow/hedgerow.h>

typedef struct bench_table {
    size_t rows, features;
    double **columns;
    double *labels;
    hr_schema *schema; /* numbers within [-4, 4], two classes */
    hr_data *data;     /* borrows the columns */
} bench_table;

/* Reads ROWS x FEATURES float32 numbers, row by row, within [-4, 4], then ROWS labels of one byte, 0 or 1
 * (bench_table writes them). Owner: the caller ends with bench_table_done. */
bench_table bench_table_read(const char *path, size_t rows, size_t features);
void bench_table_done(bench_table *table);
/* Of such a table. Owner: the caller frees it. */
hr_schema *bench_schema(size_t features);

/* The defaults of a method, changed by settings of the form OPTION=VALUE. HEDGEROW_KERNELS in the environment
 * names the kernels in use. */
hr_fit_options bench_options(const char *method, int threads, char *const *settings, int count);
void bench_set(hr_fit_options *options, const char *name, const char *value);

/* Seconds of predicting every record, the fastest of several times. */
double bench_time_predictions(const hr_data *data, int threads, const hr_model *model);

double bench_seconds(void);
/* err may be NULL. */
_Noreturn void bench_die(const hr_error *err, const char *what);
void *bench_allocate(size_t count, size_t size);

#endif
