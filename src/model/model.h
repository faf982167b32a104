/* What a model is made of. The job makes it from what a method released; the JSON reader makes it from bytes. */
#ifndef HR_MODEL_MODEL_H
#define HR_MODEL_MODEL_H

#include "privacy/accountant.h"
#include "tree/tree.h"

#include <hedgerow/model.h>

/* A setting of the fit, as text: written into the model for people. */
typedef struct hr_setting {
    const char *name, *value;
} hr_setting;

struct hr_model {
    hr_arena *arena; /* holds everything below but the schema */
    hr_schema *schema;
    const char *method;
    hr_mode mode;
    hr_binning binning;
    hr_forest forest;
    hr_currency currency;
    hr_guarantee guarantee;
    hr_release *releases;
    size_t release_count;
    hr_setting *settings;
    size_t setting_count;
};

/* Copies everything it is given (shallow views in `parts`, whose arena is ignored).
 * Owner: the caller frees *out with hr_model_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_model_make(const hr_model *parts, hr_model **out, hr_error *err);

/* Checks what a reader must not take on trust: node indices, features, cuts, subsets, finite values, edges ascending, and that
 * the releases re-add to the guarantee. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_model_check(const hr_model *model, hr_error *err);

#endif
