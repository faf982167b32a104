/* What every schema must satisfy, wherever it comes from. */
#ifndef HR_TABLES_SCHEMA_CHECK_H
#define HR_TABLES_SCHEMA_CHECK_H

#include <hedgerow/schema.h>

enum {
    HR_FEATURES_MAX = 65535,
    HR_VALUES_MAX = 65535,
    HR_COUNT_HIGH_MAX =
        100000,             /* a sum of counts is in parts of high: those of larger ones are rounded away */
    HR_VALUES_UNASKED = 254 /* a longer list needs a source, or a person's word that it is public */
};

/* Times of events, with either sign, are below it. */
#define HR_TIME_MAX 1e300

/* The word in place of a column where each person has one record. */
#define HR_UNIT_RECORD "record"

/* What a person has decided about the marks. */
typedef enum hr_review {
    HR_REVIEW_NONE,    /* nothing: the file was written by hand */
    HR_REVIEW_PENDING, /* 'reviewed: false': it is a proposal */
    HR_REVIEW_DONE,    /* 'reviewed: true' */
    HR_REVIEW_CODE     /* nothing, but it was built from code: only a private fit needs sources */
} hr_review;

/* Whether a person's word stands for all of the schema. */
static inline bool hr_review_is_done(hr_review reviewed) {
    return reviewed == HR_REVIEW_DONE || reviewed == HR_REVIEW_CODE;
}

/* A schema as a bundle of borrowed parts. */
typedef struct hr_schema_parts {
    hr_column label;
    const hr_column *features;
    size_t feature_count;
    const char *const *missing;
    size_t missing_count;
    const char *unit;               /* hr_schema_unit */
    const char *weight;             /* hr_schema_weight */
    double weight_high;             /* what counts as 1; 0 without a weight */
    hr_number_format weight_format; /* how weights are written; without a symbol */
    const char *exposure;           /* hr_schema_exposure; the same of it */
    double exposure_high;
    hr_number_format exposure_format;
    bool single_records; /* no unit, by the word of a person: each person has one record */
    hr_review reviewed;
    const hr_column
        *unused; /* columns of the table that are no features: only name, review, accepted and source count */
    size_t unused_count;
    hr_column missing_facts; /* of the spellings of missing: only review, accepted and source count */
    hr_column unit_facts;    /* of the unit: only review and accepted count */
} hr_schema_parts;

/* Which part of a schema a failed check means: so that a reader can point at its line. */
typedef struct hr_schema_fault {
    enum {
        HR_FAULT_FEATURES,
        HR_FAULT_LABEL,
        HR_FAULT_FEATURE,
        HR_FAULT_MISSING,
        HR_FAULT_UNIT,
        HR_FAULT_WEIGHT,
        HR_FAULT_EXPOSURE,
        HR_FAULT_UNUSED
    } part;
    size_t feature;  /* HR_FAULT_FEATURE, HR_FAULT_UNUSED: its index */
    const char *key; /* of the column; NULL: the column as a whole */
    size_t item;     /* HR_FAULT_MISSING or key "values": which */
} hr_schema_fault;

/* Fails: FORMAT (field and fault are set), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_schema_check(const hr_schema_parts *parts, hr_schema_fault *fault, hr_error *err);

#endif
