/* The writers, one a format. */
#ifndef HR_MODELS_EXPORT_FORMATS_H
#define HR_MODELS_EXPORT_FORMATS_H

#include "base/buffer.h"
#include "models/export/ensemble.h"

/* Adds the bytes of the file; the buffer tells when memory is short. Fails: LIMIT (the format cannot say it),
 * MEMORY. */
HR_MUST_CHECK hr_status hr_export_xgboost(const hr_model *model, const hr_ensemble *ensemble, hr_buffer *out,
                                          hr_error *err);
HR_MUST_CHECK hr_status hr_export_lightgbm(const hr_model *model, const hr_ensemble *ensemble, hr_buffer *out,
                                           hr_error *err);
HR_MUST_CHECK hr_status hr_export_onnx(const hr_model *model, const hr_ensemble *ensemble, hr_buffer *out,
                                       hr_error *err);

#endif
