/* Seeded generators of tables, for demonstrations, tests and benches. The random numbers are not for privacy.
 */
#ifndef HEDGEROW_GENERATE_H
#define HEDGEROW_GENERATE_H

#include <hedgerow/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hr_generator {
    HR_GENERATE_HOSPITAL,       /* readmission of patients: mixed kinds, missing values, a non-linear truth
                                   (docs/reference/hospital.md) */
    HR_GENERATE_CLASSIFICATION, /* after scikit-learn's make_classification: clusters on the corners of a
                                   hypercube */
    HR_GENERATE_REGRESSION,     /* after scikit-learn's make_regression: a linear model with few informative
                                   features */
    HR_GENERATE_FRIEDMAN1       /* after scikit-learn's make_friedman1 */
} hr_generator;

typedef struct hr_generate_options {
    size_t size; /* sizeof(hr_generate_options) */
    hr_generator generator;
    uint64_t rows;
    uint64_t seed;
    uint64_t features;    /* all but hospital; hospital has a fixed table */
    uint64_t informative; /* classification, regression */
    uint64_t classes;     /* classification */
    double noise;    /* classification: part of labels flipped; regression, friedman1: standard deviation */
    uint64_t visits; /* hospital: of a patient, at most: drawn evenly from 1 to it, and a column patient_id
                        says whose each is, the schema's unit. 0: every record is another patient's */
    uint64_t
        times; /* hospital, 0 or 1: the label is the time until the readmission, for some of them censored */
} hr_generate_options;

/* The defaults of a generator, in the first `size` bytes of the struct. */
HR_API void hr_generate_options_init_sized(hr_generate_options *options, size_t size, hr_generator generator);

/* The same for the struct as this header has it. */
static inline void hr_generate_options_init(hr_generate_options *options, hr_generator generator) {
    hr_generate_options_init_sized(options, sizeof *options, generator);
}

/* Writes CSV through `write` (which returns false to stop with HR_E_IO). The same options give the same bytes
 * everywhere. */
HR_API HR_MUST_CHECK hr_status hr_generate(const hr_generate_options *options,
                                           bool (*write)(void *user, const char *bytes, size_t size),
                                           void *user, hr_error *err);

/* The public schema that belongs to it, as YAML. Owner: the caller frees *yaml with hr_text_free. */
HR_API HR_MUST_CHECK hr_status hr_generate_schema(const hr_generate_options *options, char **yaml,
                                                  hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
