/* SimFL in one process, on a division of records that is given: what a job over owners must make, bit for
 * bit. */
#ifndef HR_TESTS_SUPPORT_SIMFL_REFERENCE_H
#define HR_TESTS_SUPPORT_SIMFL_REFERENCE_H

#include "methods/simfl/simfl_owner.h"
#include "models/model/model.h"

#include <hedgerow/data.h>

enum { SIMFL_OWNERS_MAX = 4 };

typedef struct simfl_division {
    const hr_data *owners[SIMFL_OWNERS_MAX];
    size_t count;
} simfl_division;

/* Fails the test unless the model's forest is that of the division, with hashes from these coins. */
void check_simfl_model(const hr_model *model, const simfl_division *division, const hr_fit_options *options,
                       const uint8_t *coins);

#endif
