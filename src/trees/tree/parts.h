/* Sharing records out: which records train which tree of an ensemble. */
#ifndef HR_TREES_TREE_PARTS_H
#define HR_TREES_TREE_PARTS_H

#include "privacy/crypto/csprng.h"

typedef struct hr_parts {
    uint32_t *rows; /* part by part, ascending within a part; rows of no part come last. NULL: one part, all
                       rows in order */
    size_t *begin;  /* count + 1 entries: part j is rows[begin[j]] to rows[begin[j + 1]] */
    size_t count;
} hr_parts;

/* Every record draws its part by itself, with probabilities proportional to `weights`: adding a record leaves
 * the others where they are, so parts compose in parallel (privacy.md, B5). Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_parts_drawn(hr_csprng *csprng, size_t rows, const double *weights, size_t count,
                                       hr_parts *out, hr_error *err);

/* Whose each record is: persons[i], numbered from 0 on. */
typedef struct hr_person_rows {
    const uint32_t *persons;
    size_t rows;
} hr_person_rows;

/* The same of persons: every person draws a part by itself, which all its records are in. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_parts_drawn_by_persons(hr_csprng *csprng, const hr_person_rows *of,
                                                  const double *weights, size_t count, hr_parts *out,
                                                  hr_error *err);

/* As published (Algorithm 2, line 8): part j picks floor(rows * weights[j] / sum) of the rows that are left,
 * at random. All sizes depend on the number of records, so that adding one moves others. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_parts_fixed(hr_csprng *csprng, size_t rows, const double *weights, size_t count,
                                       hr_parts *out, hr_error *err);

/* Row i is in part part_of[i] < count. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_parts_given(const uint32_t *part_of, size_t rows, size_t count, hr_parts *out,
                                       hr_error *err);

/* One part: all rows. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_parts_whole(size_t rows, hr_parts *out, hr_error *err);

void hr_parts_done(hr_parts *parts);

/* The rows of part j; NULL: all, in order. */
static inline const uint32_t *hr_parts_rows(const hr_parts *parts, size_t j) {
    return parts->rows ? parts->rows + parts->begin[j] : NULL;
}

static inline size_t hr_parts_size(const hr_parts *parts, size_t j) {
    return parts->begin[j + 1] - parts->begin[j];
}

#endif
