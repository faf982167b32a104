/* Going through what awaits a person's decision in a schema, fact by fact.
 *
 *     hr_schema_review_open(proposal, &review, &err);
 *     for (size_t i = 0; hr_schema_review_at(review, i, &fact); i++)
 *         if (fact.open) hr_schema_review_public(review, i, "admission form", &err);
 *     hr_schema_review_make(review, &schema, &err);
 *     hr_schema_review_free(review);
 */
#ifndef HEDGEROW_REVIEW_H
#define HEDGEROW_REVIEW_H

#include <hedgerow/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_schema_review hr_schema_review;

typedef enum hr_fact_place {
    HR_FACT_LABEL,
    HR_FACT_FEATURE,
    HR_FACT_UNUSED,  /* a column of the table that is no feature */
    HR_FACT_MISSING, /* the spellings of missing */
    HR_FACT_UNIT     /* whose a record is */
} hr_fact_place;

/* One fact of a schema: what is said of one column of the table, or of the whole. */
typedef struct hr_fact {
    hr_fact_place place;
    const char *name;        /* of the table's column; "missing", "unit" */
    const hr_column *column; /* the first feature of a column of dates; NULL: missing, unit */
    bool open;               /* a person must decide before training, or before a ledger pays */
    bool from_records;       /* it was read from the records */
    bool from_name;          /* its bounds are those that are common knowledge for such a name */
    const char *source;      /* where it is published; NULL: nothing is said */
} hr_fact;

/* A review of a copy of the schema. Owner: the caller frees *out with hr_schema_review_free. Thread: one at a
 * time per review. Fails: MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_review_open(const hr_schema *schema, hr_schema_review **out,
                                                     hr_error *err);
HR_API void hr_schema_review_free(hr_schema_review *review);

/* Fact i as it stands now; false: there are no more. Label, features and columns without a use in the order
 * of the schema, spellings of missing, unit. What was left out has no name any more (NULL). Borrowed, until
 * the next decision. */
HR_API bool hr_schema_review_at(const hr_schema_review *review, size_t i, hr_fact *out);

/* The spellings of missing as the review has them now. */
HR_API const char *const *hr_schema_review_missing(const hr_schema_review *review, size_t *count);
/* The unit as the review has it now; NULL: each person has one record, or nothing is said. */
HR_API const char *hr_schema_review_unit(const hr_schema_review *review);

/* Decisions on fact i. Texts are copied; a source is not blank. Fails: ARGUMENT (no such fact; the decision
 * does not fit it), FORMAT (what is said cannot be), MEMORY; the review is unchanged then. */

/* It is publicly known as it stands: published at `source`. The unit needs no source (NULL). */
HR_API HR_MUST_CHECK hr_status hr_schema_review_public(hr_schema_review *review, size_t i, const char *source,
                                                       hr_error *err);
/* The public bounds of a number: low <= high, of the label low < high. */
HR_API HR_MUST_CHECK hr_status hr_schema_review_bounds(hr_schema_review *review, size_t i,
                                                       const double bounds[2], const char *source,
                                                       hr_error *err);
/* The public range of a column of dates: its first and last day, or times, as a schema writes them. */
HR_API HR_MUST_CHECK hr_status hr_schema_review_range(hr_schema_review *review, size_t i,
                                                      const char *const ends[2], const char *source,
                                                      hr_error *err);
/* The public values of a category or of classes, or the spellings of missing. */
HR_API HR_MUST_CHECK hr_status hr_schema_review_values(hr_schema_review *review, size_t i,
                                                       const char *const *values, size_t count,
                                                       const char *source, hr_error *err);
/* The column that says whose a record is; NULL: each person has one record. */
HR_API HR_MUST_CHECK hr_status hr_schema_review_set_unit(hr_schema_review *review, size_t i,
                                                         const char *column, hr_error *err);
/* It stays as it was read from the records, and what is trained is not private. */
HR_API HR_MUST_CHECK hr_status hr_schema_review_accept(hr_schema_review *review, size_t i, hr_error *err);
/* The column is taken out of the schema; the spellings of missing become none. The label and the unit cannot
 * be left out. */
HR_API HR_MUST_CHECK hr_status hr_schema_review_leave_out(hr_schema_review *review, size_t i, hr_error *err);

/* The schema with all decisions; it says that it is a proposal while a fact of it is open. Owner: the caller
 * frees *out. Fails: FORMAT (the field is named), LIMIT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_review_make(const hr_schema_review *review, hr_schema **out,
                                                     hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
