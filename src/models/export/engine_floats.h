/* Numbers of 64 bits where a format has 32. */
#ifndef HR_MODELS_EXPORT_ENGINE_FLOATS_H
#define HR_MODELS_EXPORT_ENGINE_FLOATS_H

#include "models/export/ensemble.h"

/* Whether all leaves, and what they add in the units of the label, are finite as floats. numbers: whose end
 * they would pass. Fails: LIMIT. */
HR_MUST_CHECK hr_status hr_ensemble_check_floats(const hr_ensemble *ensemble, const char *numbers,
                                                 hr_error *err);

/* The largest number of 32 bits that is not above x: every 32-bit number is <= both or above both. May be
 * infinite. */
float hr_engine_float_below(double x);

/* Refuses several quantiles on behalf of a format that cannot put them in their order. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_ensemble_check_order(const hr_ensemble *ensemble, const char *format,
                                                hr_error *err);

#endif
