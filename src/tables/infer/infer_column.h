/* What one column looks like, its name and its cells: gathered cell by cell, then judged. */
#ifndef HR_TABLES_INFER_INFER_COLUMN_H
#define HR_TABLES_INFER_INFER_COLUMN_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/string_map.h"

#include <hedgerow/schema.h>

/* ---- The name ---- */

/* What a column's name suggests: whether it identifies persons or records, and common knowledge of its
 * bounds. Names are guessed from, never trusted: all of it awaits a person's review. */
typedef enum hr_name_meaning {
    HR_NAME_PLAIN,
    HR_NAME_PERSON,  /* which person a record is of, such as patient_id */
    HR_NAME_CONTACT, /* a direct identifier, such as phone */
    HR_NAME_RECORD,  /* some identifier or number of something, such as id or store_id */
    HR_NAME_GROUP    /* a word for persons, such as customer: their number, or a property of theirs */
} hr_name_meaning;

/* Bounds that hold for whatever has such a name. */
typedef struct hr_common_bounds {
    const char *words; /* of the name, in small letters, one after the other */
    double low, high;
    bool last; /* the name ends with the words; else they stand anywhere in it */
} hr_common_bounds;

hr_name_meaning hr_name_means(const char *name);

/* NULL: none are known. */
const hr_common_bounds *hr_name_bounds(const char *name);

/* ---- Text of the cells ---- */

/* What the text of a column's cells looks like, where it is no plain number: a boolean, a number with a
 * decimal comma, separated thousands or a symbol, a date. */
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

/* ---- Different cells ---- */

enum { HR_DISTINCT_CELLS = 2048 };

/* How many different texts there are, in little memory: an estimate, with a standard error of 2.3 %
 * (HyperLogLog). Starts from {0}. */
typedef struct hr_distinct {
    uint8_t
        highest[HR_DISTINCT_CELLS]; /* of the hashes of a cell: the place of their first set bit, from 1 */
} hr_distinct;

void hr_distinct_add(hr_distinct *distinct, const char *text, size_t size);
double hr_distinct_count(const hr_distinct *distinct);

/* ---- The column ---- */

enum {
    HR_INFERENCE_VALUES = 254,   /* categories that are listed; more are only estimated */
    HR_INFERENCE_SPELLINGS = 11, /* common spellings of missing */
    HR_INFERENCE_CLASSES = 20,   /* more classes than that deserve a remark */
    HR_INFERENCE_INTEGER_CLASSES = 10
};

/* Starts from {0} and what hr_inference_init sets. Texts are in the caller's arena. */
typedef struct hr_inference {
    const char *name;
    hr_name_meaning meaning;
    const hr_common_bounds *common; /* that the name suggests, or NULL */
    hr_string_map distinct;         /* different cells, as text */
    const char **values;
    size_t value_count, value_capacity;
    hr_distinct *more; /* there are more different cells than `values` hold; else NULL */
    uint64_t cells, numbers, empty;
    uint64_t within;               /* numbers within the common bounds */
    uint64_t texts, bytes, blanks; /* cells that are no numbers and no spellings of missing, and in them */
    uint64_t last_row; /* where features are found by number: the record in which this was met last, from 1 */
    double low, high;  /* of the numbers */
    bool fractions;
    hr_text_inference text;               /* of the cells that are present */
    bool spelled[HR_INFERENCE_SPELLINGS]; /* which spellings of missing were met */
} hr_inference;

void hr_inference_init(hr_inference *inference, const char *name);
/* False when memory is short. */
bool hr_inference_add(hr_inference *inference, hr_arena *arena, const char *cell, size_t size);
void hr_inference_done(hr_inference *inference);

/* The i-th common spelling of missing. */
const char *hr_inference_spelling(size_t i);

/* Whether all cells are numbers, but for empty ones and common spellings of missing. */
bool hr_inference_is_number(const hr_inference *inference);

/* Whether the common spellings of missing mean that there is no value: numbers, booleans, dates. Elsewhere
 * they are values. */
bool hr_inference_has_missing(const hr_inference *inference);

/* Why a proposal leaves a column of a table out; NULL: it does not. Names no value and no count, since people
 * keep such remarks in schemas that they hand on. */
const char *hr_inference_left_out(const hr_inference *inference);

/* Whether the column seems to name the person that a record is of: such a column is the unit of privacy and
 * not a feature. */
bool hr_inference_names_persons(const hr_inference *inference);

/* The proposal for a column. */
typedef struct hr_inferred {
    hr_column column;   /* borrows from the inference, whose values are put in order */
    bool guessed;       /* the bounds follow from the name, not from the data */
    const char *remark; /* a hint for people, or NULL */
} hr_inferred;

/* Judges a feature or the label. `missing` are the words that the schema will list as missing: they are no
 * categories. */
void hr_inference_feature(hr_inference *inference, const hr_string_map *missing, hr_inferred *out);
/* Fails: SCHEMA (it cannot be a label). */
HR_MUST_CHECK hr_status hr_inference_label(hr_inference *inference, const hr_string_map *missing,
                                           hr_inferred *out, hr_error *err);

#endif
