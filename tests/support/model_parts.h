/* Models made by hand for the tests of src/models/model: a schema with every kind of column, seeded random
 * trees, and the releases of a real gate. */
#ifndef HR_TESTS_SUPPORT_MODEL_PARTS_H
#define HR_TESTS_SUPPORT_MODEL_PARTS_H

#include "models/model/model.h"
#include "privacy/gate.h"
#include "support/check.h"
#include "support/random_numbers.h"
#include "tables/schema/schema.h"

#include <hedgerow/data.h>
#include <math.h>
#include <stdio.h>

enum { AGE, INCOME, SEX, WARD, CONSTANT, FEATURES, WARDS = 300 };

typedef struct parts {
    uint64_t random;
    hr_gate *gate;
    hr_csprng *csprng;
    hr_feature_bins bins[FEATURES]; /* what thresholds are drawn from */
    hr_model model;                 /* its arena holds what the test makes */
} parts;

/* What a model predicts. */
typedef struct model_kind {
    hr_task task;
    hr_link link;
    size_t outputs; /* scores of a record */
} model_kind;

/* A model with so many trees, none deeper than `depth`. */
void parts_init(parts *p, model_kind kind, size_t trees, unsigned depth, hr_privacy_measure privacy_measure);
void parts_done(parts *p);
hr_model *make_model(parts *p);

/* Random records of make_schema(), with missing values and values on edges. */
hr_data *make_data(const hr_model *model, size_t rows, bool labels);

#endif
