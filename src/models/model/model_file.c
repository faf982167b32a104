/* Model files, read and written as a whole. */
#include "base/file.h"

#include <hedgerow/model.h>
#include <string.h>

hr_status hr_model_read(const char *path, hr_model **out, hr_error *err) {
    hr_buffer bytes = {0};
    hr_status status = hr_file_read_path(path, &bytes, err);
    if (!status) status = hr_model_parse(bytes.bytes ? bytes.bytes : "", bytes.size, path, out, err);
    hr_buffer_done(&bytes);
    return status;
}

hr_status hr_model_write(const hr_model *model, const char *path, hr_error *err) {
    char *json = NULL;
    hr_status status = hr_model_render(model, &json, err);
    if (!status) status = hr_file_write_path(path, json, strlen(json), err);
    hr_text_free(json);
    return status;
}
