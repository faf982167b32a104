/* The inside of a data set, for those who make one. */
#ifndef HR_TABLES_DATA_RECORDS_H
#define HR_TABLES_DATA_RECORDS_H

#include "base/buffer.h"

#include <hedgerow/data.h>

enum { HR_CODE_MISSING = 0 };
enum { HR_BEHIND_LABEL = 3 }; /* reports: the weight's, the exposure's and the event's */
/* Rows are counted in 32 bits; the highest count is reserved. */
#define HR_ROWS_MAX (UINT32_MAX - 1)

/* Of a part of a table that several processes share, or that was read block by block: what its reports count,
 * and its checks are about. */
typedef struct hr_data_whole {
    size_t rows; /* 0: of this table alone, and the other fields have no meaning */
    double label_low, label_high;
} hr_data_whole;

/* Texts of columns that the options keep beside the records, such as numbers of patients. No column of a
 * schema is made of them, and no method sees them. */
typedef struct hr_kept {
    size_t columns, rows, capacity;
    hr_buffer texts; /* NUL-ended, one after the other */
    size_t *starts;  /* rows x columns: of each in `texts` */
} hr_kept;

typedef struct hr_sparse hr_sparse; /* sparse.h */

/* What stands for the identifier of a person: 64 bits of a hash that has no key, and zeros; or 128 bits of
 * one with the key of ranks. */
typedef struct hr_person_hash {
    uint64_t of[2];
} hr_person_hash;

struct hr_data {
    const hr_schema *schema;
    size_t rows, feature_count;
    void *block;      /* holds labels, numbers and codes; NULL: each is a block of its own */
    double *labels;   /* NULL: none */
    double **numbers; /* per feature; NULL for categories, if `borrowed` has to be converted, and if sparse */
    uint16_t **codes; /* per feature; NULL for numbers, if `borrowed` has to be converted, and if sparse */
    hr_column_report *reports; /* feature_count + 1, the last is the label's; and HR_BEHIND_LABEL */
    size_t extra;
    hr_data_whole whole;
    bool shared; /* hr_cluster_share has begun to change its reports and hashes, also where it failed then */
    uint64_t skipped;     /* records without a label that were left out */
    hr_array *borrowed;   /* per feature: the caller's, read only; `at` is NULL for a column of our own */
    const float *rows_at; /* all features as rows of floats (hr_float_rows_find); NULL: they are not */
    ptrdiff_t row_stride; /* floats from one row to the next */
    bool borrows_labels;
    hr_kept *kept;     /* NULL: none */
    uint32_t *persons; /* rows: who a record belongs to, counted from 0; NULL: the schema names no unit */
    hr_person_hash *person_hashes; /* by person, the same in whatever order a table is read; NULL if
                                      `persons` is, and at ranks, which have compared theirs */
    size_t person_count;           /* of them, also of persons whose records are elsewhere */
    struct hr_origins *origins;    /* where the records come from (tables/source/origins.h); NULL: memory */
    struct hr_cell_file *cells;    /* a binned cache (cell_file.h): no columns are here; NULL: none */
    hr_sparse *sparse;             /* the features, and no columns are here; NULL: they are columns */
    uint32_t *own_weights;         /* rows: the schema's weights of records, in 2^-HR_PERSON_BITS; NULL:
                                      the schema names none */
    double *exposures; /* rows: parts of the schema's largest exposure, above 0; NULL: it names none */
    uint32_t *weights; /* rows: what a record counts, in 2^-HR_PERSON_BITS; NULL: all count 1 */
};

/* Records that its reports are about. */
static inline size_t hr_data_all_rows(const hr_data *data) {
    return data->whole.rows ? data->whole.rows : data->rows;
}

enum { HR_PERSON_BITS = 16 };

/* Doubles from 2^52 on are whole. */
static inline bool hr_is_fraction(double value) {
    return value > -0x1p52 && value < 0x1p52 && value != (double)(int64_t)value;
}

/* What each record counts in units of 2^-HR_PERSON_BITS, where the schema names a unit or a weight:
 * floor(2^16/m) for each of the m records that its person has in the table, so that they weigh at most 1
 * together; times its own weight, rounded down. Where it names an exposure alone they are all 2^16. NULL
 * where there is none of these: every record counts 1. */
static inline const uint32_t *hr_data_weights(const hr_data *data) {
    return data->weights;
}

/* Before a fit: arrays without exposures may be predicted alone. Fails: SCHEMA (the schema names exposures,
 * and the data have none). */
hr_status hr_data_check_exposures(const hr_data *data, hr_error *err);

/* What a record of this weight counts in sums of exposures, at most its weight. */
static inline uint32_t hr_exposed(uint32_t weight, double exposure) {
    return (uint32_t)(weight * exposure);
}

/* The least and the largest label of the whole; infinity and -infinity of no records. */
void hr_data_label_range(const hr_data *data, double *low, double *high);

/* An empty data set: the arrays of columns are there, the columns are not. NULL when memory is short. */
hr_data *hr_data_new(const hr_schema *schema);

/* Whether no record counts twice, as far as it can be seen (tables/source/origins.h): no file was read twice
 * for the table, and the table is not its own first part again, up to 8 times; two tables have no file in
 * common. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_data_refuse_repeats(const hr_data *data, hr_error *err);
HR_MUST_CHECK hr_status hr_data_refuse_shared(const hr_data *a, const hr_data *b, hr_error *err);

/* A table without records: training refuses it, and an owner has nothing to serve. `from` is shown without a
 * password: a table, or the file that is in its place. Fails: SCHEMA. */
HR_MUST_CHECK hr_status hr_data_refuse_empty(const hr_data *data, const char *from, hr_error *err);

/* Whether the owner declares that files of equal content hold records of different people, and there are
 * several files: a public fact, whether any are equal or not. What is released says then what follows. */
bool hr_data_declares_equal(const hr_data *data);
#define HR_EQUAL_FILES                                                                                       \
    " Files of equal content, if there are any, hold records of different people, as the owner declares "    \
    "(--allow-equal-files). If they are copies, a record counts more than once, and loses more privacy "     \
    "than is stated here."

/* hr_data_refuse_repeats of tables whose records are added up, such as those of owners: each by itself, and
 * every two of them, which may not borrow the same arrays, or hold the same records in the same order,
 * either. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_data_refuse_twice(const hr_data *const *tables, size_t count, hr_error *err);

/* The records with some of their features: feature f of `schema` is features[f] of the table. The columns are
 * the table's, borrowed, as the schema is; copied if the table is sparse; not of a binned cache. Owner: the
 * caller, by hr_data_free. NULL when memory is short. */
hr_data *hr_data_part(const hr_data *data, const hr_schema *schema, const size_t *features);

/* A copy of those records, `rows` counted from 0, in that order. What the copy knows of the table
 * (hr_data_report) and of its origins is 0. Records of persons weigh what their number in the copy gives,
 * others what they did. Owner: the caller frees the result. NULL when memory is short. */
hr_data *hr_data_take(const hr_data *data, const uint32_t *rows, size_t count);
/* The same; records of persons, too, weigh what they did. */
hr_data *hr_data_take_weighed(const hr_data *data, const uint32_t *rows, size_t count);

/* A copy within the bounds of another schema, which has the same columns otherwise; `schema` is borrowed as
 * long as the copy is used. What it knows of the table is 0. Owner: the caller frees the result. NULL when
 * memory is short. */
hr_data *hr_data_clip(const hr_data *data, const hr_schema *schema);

/* Adds the cells that another report counts. */
static inline void hr_column_report_add(hr_column_report *to, const hr_column_report *from) {
    to->missing += from->missing;
    to->unknown += from->unknown;
    to->out_of_range += from->out_of_range;
    to->not_integer += from->not_integer;
}

/* Owner: the caller frees the result with hr_kept_free. NULL when memory is short. */
hr_kept *hr_kept_new(size_t columns);
void hr_kept_free(hr_kept *kept);

/* Keeps the text of a column in row `row`, the last one or the one after it. False when memory is short. */
bool hr_kept_add(hr_kept *kept, size_t column, size_t row, const char *text, size_t size);

#endif
