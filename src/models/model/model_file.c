/* Model files, read and written as a whole, compressed or not. */
#include "base/fail.h"
#include "base/file.h"
#include "models/model/model.h"
#include "tables/source/codec.h"

#include <string.h>

hr_status hr_model_parse(const char *bytes, size_t size, const char *name, hr_model **out, hr_error *err) {
    if (!hr_packed_begins(bytes, size)) return hr_model_parse_json(bytes, size, name, out, err);
    hr_buffer json = {0};
    hr_status status = hr_packed_read(bytes, size, &json, err);
    if (status)
        hr_fail_at(err, status, name, 0, 0, NULL);
    else
        status = hr_model_parse_json(json.bytes ? json.bytes : "", json.size, name, out, err);
    hr_buffer_done(&json);
    return status;
}

hr_status hr_model_read(const char *path, hr_model **out, hr_error *err) {
    hr_buffer bytes = {0};
    hr_status status = hr_packed_read_path(path, &bytes, err);
    if (!status) status = hr_model_parse_json(bytes.bytes ? bytes.bytes : "", bytes.size, path, out, err);
    hr_buffer_done(&bytes);
    return status;
}

hr_status hr_model_pack(const hr_model *model, const char *path, char **bytes, size_t *size, hr_error *err) {
    char *json = NULL;
    hr_buffer packed = {0};
    hr_status status = hr_model_render(model, &json, err);
    if (status) return status;
    if (!hr_packed_named(path)) {
        *bytes = json;
        *size = strlen(json);
        return HR_OK;
    }
    status = hr_packed_make(json, strlen(json), &packed, err);
    hr_text_free(json);
    if (!status) {
        *size = packed.size;
        return hr_buffer_take(&packed, bytes, err);
    }
    hr_buffer_done(&packed);
    return hr_fail_at(err, status, path, 0, 0, NULL);
}

hr_status hr_model_check_name(const char *path, hr_error *err) {
    hr_buffer packed = {0};
    if (!hr_packed_named(path)) return HR_OK;
    const hr_status status = hr_packed_make("", 0, &packed, err);
    hr_buffer_done(&packed);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}

hr_status hr_model_write(const hr_model *model, const char *path, hr_error *err) {
    char *bytes = NULL;
    size_t size;
    hr_status status = hr_model_pack(model, path, &bytes, &size, err);
    if (!status) status = hr_file_write_path(path, bytes, size, err);
    hr_text_free(bytes);
    return status;
}
