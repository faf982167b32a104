/* What the cells of one column look like: gathered cell by cell, then judged. */
#ifndef HR_TABLES_INFER_INFER_COLUMN_H
#define HR_TABLES_INFER_INFER_COLUMN_H

#include "base/arena.h"
#include "base/string_map.h"
#include "tables/infer/column_name.h"
#include "tables/infer/distinct.h"
#include "tables/infer/infer_text.h"

#include <hedgerow/schema.h>

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
    uint64_t last_row;             /* LIBSVM: the record in which the column was met last, from 1 */
    double low, high;              /* of the numbers */
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

/* Whether the column seems to say which person a record is of: such a column is the unit of privacy and not a
 * feature. */
bool hr_inference_names_persons(const hr_inference *inference);

/* What a proposal says of a column. */
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
