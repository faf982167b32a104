/* Models in the formats of other engines. A file holds what the model holds, and no more: of a private model,
 * released values and public facts alone. It may be published as the model's guarantee says; making it spends
 * nothing. */
#ifndef HEDGEROW_EXPORT_H
#define HEDGEROW_EXPORT_H

#include <hedgerow/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* docs/how-to/exports.md says what each has, and which inputs it takes. */
typedef enum hr_export_format {
    HR_EXPORT_XGBOOST,     /* JSON; numbers; probabilities where the link is logistic and not calibrated, else
                              scores */
    HR_EXPORT_LIGHTGBM,    /* text; the same */
    HR_EXPORT_ONNX,        /* predictions, probabilities and scores; numbers of 64 bits */
    HR_EXPORT_ONNX_FLOAT32 /* the same of records of 32 bits: the same leaves, whose sums are rounded */
} hr_export_format;

/* Writes the model for another engine, which gives every record the leaves that hr_model_predict gives it.
 * "-" is standard output. A file appears whole or not at all. Thread: any. Fails: ARGUMENT (no such format),
 * LIMIT (the format cannot say what the model says), IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_model_export(const hr_model *model, hr_export_format format,
                                               const char *path, hr_error *err);
/* The bytes that such a file has. Owner: the caller frees *bytes with hr_text_free; a NUL follows them.
 * Thread: any. Fails: ARGUMENT, LIMIT, MEMORY, as above. */
HR_API HR_MUST_CHECK hr_status hr_model_export_render(const hr_model *model, hr_export_format format,
                                                      char **bytes, size_t *size, hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
