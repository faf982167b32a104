/* The writers, one a format. */
#ifndef HR_MODELS_EXPORT_FORMATS_H
#define HR_MODELS_EXPORT_FORMATS_H

#include "base/buffer.h"
#include "models/export/ensemble.h"

/* Adds the bytes of the file; the buffer is marked as failed when memory is short. Fails: LIMIT (the format
 * cannot hold it), MEMORY. */
HR_MUST_CHECK hr_status hr_export_xgboost(const hr_model *model, const hr_ensemble *ensemble, hr_buffer *out,
                                          hr_error *err);
HR_MUST_CHECK hr_status hr_export_lightgbm(const hr_model *model, const hr_ensemble *ensemble, hr_buffer *out,
                                           hr_error *err);
HR_MUST_CHECK hr_status hr_export_onnx(const hr_model *model, const hr_ensemble *ensemble, hr_buffer *out,
                                       hr_error *err);
HR_MUST_CHECK hr_status hr_export_onnx_float32(const hr_model *model, const hr_ensemble *ensemble,
                                               hr_buffer *out, hr_error *err);

#endif
