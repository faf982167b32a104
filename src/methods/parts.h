/* Sharing records out: which records train which tree of an ensemble. */
#ifndef HR_METHODS_PARTS_H
#define HR_METHODS_PARTS_H

#include "random/stream.h"

typedef struct hr_parts {
    uint32_t *rows; /* part by part, ascending within a part; rows of no part come last */
    size_t *begin;  /* count + 1 entries: part j is rows[begin[j]] to rows[begin[j + 1]] */
    size_t count;
} hr_parts;

/* Every record draws its part by itself, with probabilities proportional to `weights`: adding a record leaves the others where
 * they are, so parts compose in parallel (privacy.md, B5). Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_parts_drawn(hr_stream *stream, size_t rows, const double *weights, size_t count, hr_parts *out, hr_error *err);

/* As published (Algorithm 2, line 8): part j picks floor(rows * weights[j] / sum) of the rows that are left, at random. All sizes
 * depend on the number of records, so that adding one moves others. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_parts_fixed(hr_stream *stream, size_t rows, const double *weights, size_t count, hr_parts *out, hr_error *err);

void hr_parts_done(hr_parts *parts);

#endif
