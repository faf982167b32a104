/* Locality-sensitive hashes of records for SimFL (Li, Wen, He 2020): F_j(x) = floor((a_j . x + b_j) / r) with
 * a_j standard normal and b_j uniform in [0, r), all drawn from public coins. NOT PRIVATE: L hashes of a
 * record are L slabs that it lies in, with public planes (hr_lsh_plane); most records have hashes of their
 * own.
 *
 * x has one dimension for a number and for a category of two values, and one for each value of any other
 * category. Every dimension is scaled to [-range, range]: a number from its public bounds, a category's first
 * and second value to the ends; of other categories the record's value to range and the others to -range.
 * Missing: 0 for a number and a category of two values, else -range in all the category's dimensions.
 *
 * Hashes are the same bits on every machine: x is rounded to multiples of range 2^-20, a_j is discrete
 * Gaussian in multiples of 2^-20, and r / range is rounded to a multiple of 2^-40; sums of products are
 * integers below 2^62, in any order. The real a_j . x of a record moves by at most 2^-21 range |a_j|_1. */
#ifndef HR_TREES_SIMILAR_LSH_H
#define HR_TREES_SIMILAR_LSH_H

#include <hedgerow/data.h>

enum { HR_LSH_COINS = 32, HR_LSH_TABLES_MAX = 255, HR_LSH_DIMENSIONS_MAX = 1 << 17 };

typedef struct hr_lsh hr_lsh;

typedef struct hr_lsh_setup {
    const hr_schema *schema; /* outlives the hashes */
    double width;            /* r > 0 */
    size_t tables;           /* L; 0: min(40, dimensions - 1), at least 1 */
    double range;            /* > 0 */
    const uint8_t *coins;    /* HR_LSH_COINS bytes */
} hr_lsh_setup;

/* Whether the features have 1 to HR_LSH_DIMENSIONS_MAX dimensions. Fails: LIMIT. */
HR_MUST_CHECK hr_status hr_lsh_check_dimensions(const hr_schema *schema, hr_error *err);

/* Draws the planes: 4 bytes for each dimension of each table. Owner: the caller frees *out. Thread: any may
 * read it. Fails: ARGUMENT (width, range, tables), LIMIT (dimensions), IO (no entropy source), MEMORY. */
HR_MUST_CHECK hr_status hr_lsh_new(const hr_lsh_setup *setup, hr_lsh **out, hr_error *err);
void hr_lsh_free(hr_lsh *lsh);

size_t hr_lsh_tables(const hr_lsh *lsh);
size_t hr_lsh_dimensions(const hr_lsh *lsh);

/* r as it is used, after rounding. */
double hr_lsh_width(const hr_lsh *lsh);

/* The plane of a table: a has room for hr_lsh_dimensions numbers. */
void hr_lsh_plane(const hr_lsh *lsh, size_t table, double *a, double *b);

/* x of a record as it is hashed: hr_lsh_dimensions numbers in [-range, range]. The data follow the schema. */
void hr_lsh_point(const hr_lsh *lsh, const hr_data *data, size_t row, double *x);

/* out[row * tables + table]. The data follow the schema. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_lsh_hash(const hr_lsh *lsh, const hr_data *data, int threads, int16_t *out,
                                    hr_error *err);

#endif
