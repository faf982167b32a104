/* An export, from a model to a file. */
#include "base/fail.h"
#include "base/file.h"
#include "models/export/formats.h"

#include <hedgerow/export.h>

typedef hr_status (*format_writer)(const hr_model *model, const hr_ensemble *ensemble, hr_buffer *out,
                                   hr_error *err);

static const format_writer format_writers[] = {
    [HR_EXPORT_XGBOOST] = hr_export_xgboost,
    [HR_EXPORT_LIGHTGBM] = hr_export_lightgbm,
    [HR_EXPORT_ONNX] = hr_export_onnx,
    [HR_EXPORT_ONNX_FLOAT32] = hr_export_onnx_float32,
};

static hr_status render_export(const hr_model *model, format_writer write, hr_buffer *out, hr_error *err) {
    hr_status status = hr_model_check_predicts(model, err);
    if (status) return status;
    if (model->forest.link == HR_LINK_HAZARD)
        return hr_fail(err, HR_E_ARGUMENT, "predict with Hedgerow, or read the JSON model",
                       "no format of other programs has survival of times to an event");
    if (model->forest.conformal.made) {
        hr_fail(err, HR_E_ARGUMENT, "predict with Hedgerow, or train without --conformal",
                "no format of other programs has a corrected interval");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "conformal");
    }
    hr_arena *arena = hr_arena_new();
    hr_ensemble ensemble;
    status = arena ? hr_ensemble_make(model, arena, &ensemble, err) : hr_fail_memory(err);
    if (!status) status = write(model, &ensemble, out, err);
    if (!status && out->failed) status = hr_fail_memory(err);
    hr_arena_free(arena);
    return status;
}

hr_status hr_model_export_render(const hr_model *model, hr_export_format format, char **bytes, size_t *size,
                                 hr_error *err) {
    if ((size_t)format >= sizeof format_writers / sizeof *format_writers)
        return hr_fail(err, HR_E_ARGUMENT, "see <hedgerow/export.h>", "there is no export format %d",
                       (int)format);
    hr_buffer made = {0};
    hr_status status = render_export(model, format_writers[format], &made, err);
    *size = made.size;
    if (!status) status = hr_buffer_take(&made, bytes, err);
    hr_buffer_done(&made);
    return status;
}

hr_status hr_model_export(const hr_model *model, hr_export_format format, const char *path, hr_error *err) {
    char *bytes = NULL;
    size_t size;
    hr_status status = hr_model_export_render(model, format, &bytes, &size, err);
    if (!status) status = hr_file_write_path(path, bytes, size, err);
    hr_text_free(bytes);
    return status;
}
