/* What the text of a column's cells looks like, where it is no plain number: a boolean, a number with a
 * decimal comma, separated thousands or a symbol, a date. */
#ifndef HR_TABLES_INFER_INFER_TEXT_H
#define HR_TABLES_INFER_INFER_TEXT_H

#include "base/buffer.h"

#include <hedgerow/schema.h>

enum { HR_INFERRED_FORMATS = 8, HR_INFERRED_DATES = 24 };

typedef enum hr_inferred_text {
    HR_INFERRED_WORDS, /* none of those below */
    HR_INFERRED_BOOLEAN,
    HR_INFERRED_NUMBER,
    HR_INFERRED_DATE
} hr_inferred_text;

typedef struct hr_seen_range {
    double low, high;
    bool any, fractions;
} hr_seen_range;

/* Starts from {0}. */
typedef struct hr_text_inference {
    bool words;                              /* there are cells that are no plain numbers */
    unsigned formats, dates;                 /* candidates that a cell has ruled out, as bits */
    bool no_boolean, no, yes;                /* which values were met */
    char pair;                               /* of spellings; 0: none yet */
    const char *symbol;                      /* NULL: none yet */
    hr_seen_range integers;                  /* plain numbers without a point: the same in all formats */
    hr_seen_range points;                    /* the others: the same in all formats with a decimal point */
    hr_seen_range seen[HR_INFERRED_FORMATS]; /* what only that format reads */
    int64_t first[HR_INFERRED_DATES], last[HR_INFERRED_DATES];
    bool dated, clock; /* a cell was tried; a time is not 00:00:00 */
} hr_text_inference;

/* Takes a cell that is neither empty nor a spelling of missing. `plain` is its value if it is a plain number,
 * else NULL. */
void hr_text_inference_add(hr_text_inference *g, const char *cell, size_t size, const double *plain);

hr_inferred_text hr_text_inference_kind(const hr_text_inference *g);

/* HR_INFERRED_NUMBER: the column. *remark is a hint for people, or NULL. */
hr_column hr_text_inference_number(const hr_text_inference *g, const char *name, const char **remark);

/* Writes a feature that is a boolean or a date as an entry of `features`, marked. */
void hr_text_inference_write(const hr_text_inference *g, const char *name, hr_buffer *out);

#endif
