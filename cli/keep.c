/* A model costs privacy budget that does not come back: its file is the last thing that may be lost. */
#include "keep.h"

#include "places.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, RESCUE_NAMES = 100 };

static bool is_filled(const char *path) {
    struct stat info;
    return !is_standard_output(path) && stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
}

static bool holds_model(const char *path) {
    hr_model *model = NULL;
    const bool read = hr_model_read(path, &model, NULL) == HR_OK;
    hr_model_free(model);
    return read;
}

hr_status own_output_probe(const char *path, output_rule rule, bool (*is_own)(const char *path),
                           const char *what, hr_error *err) {
    if (rule != OUTPUT_FORCED || !is_filled(path) || is_own(path)) return output_probe(path, rule, err);
    *err = (hr_error){.status = HR_E_IO};
    snprintf(err->file, sizeof err->file, "%s", path);
    snprintf(err->message, sizeof err->message, "the file exists already, and is not %s", what);
    snprintf(err->remedy, sizeof err->remedy,
             "choose another name, or remove the file yourself: only a file of that kind may be replaced");
    return HR_E_IO;
}

hr_status model_probe(const char *path, output_rule rule, hr_error *err) {
    const hr_status status = hr_model_check_name(path, err);
    return status ? status : own_output_probe(path, rule, holds_model, "a model that can be read", err);
}

output_opener *model_opener(const hr_model *model) {
    return hr_model_guarantee(model)->is_private ? output_open_public : output_open;
}

hr_status model_write(const hr_model *model, const char *path, output_rule rule, hr_error *err) {
    char *bytes = NULL;
    size_t size;
    hr_status status = hr_model_pack(model, path, &bytes, &size, err);
    if (status == HR_OK) status = output_write(model_opener(model), path, rule, bytes, size, err);
    hr_text_free(bytes);
    return status;
}

/* ---- Rescue ---- */

/* Leaves the file's name in `path`. */
static bool write_beside(const char *json, const char *ledger, int64_t entry, char path[PATH_SIZE]) {
    hr_error err = {0};
    for (int i = 1; i <= RESCUE_NAMES; i++) {
        const int length =
            i == 1 ? snprintf(path, PATH_SIZE, "%s.model-%lld.json", ledger, (long long)entry)
                   : snprintf(path, PATH_SIZE, "%s.model-%lld-%d.json", ledger, (long long)entry, i);
        if (length >= PATH_SIZE) return false;
        if (access(path, F_OK) == 0) continue;
        return output_write(output_open, path, OUTPUT_NEW, json, strlen(json), &err) == HR_OK;
    }
    return false;
}

/* For the user alone: others may read that folder. */
static bool write_temporary(const char *json, char path[PATH_SIZE]) {
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0') folder = "/tmp";
    if (snprintf(path, PATH_SIZE, "%s/hedgerow-model-XXXXXX", folder) >= PATH_SIZE) return false;
    const int descriptor = mkstemp(path);
    if (descriptor < 0) return false;
    FILE *stream = fdopen(descriptor, "wb");
    bool written =
        stream != NULL && fputs(json, stream) >= 0 && fflush(stream) == 0 && fsync(descriptor) == 0;
    if (stream == NULL) {
        close(descriptor);
    } else if (fclose(stream) != 0) {
        written = false;
    }
    if (!written) unlink(path);
    return written;
}

void model_rescue(const char *command, const hr_model *model, const char *ledger, int64_t entry) {
    char *json = NULL;
    char path[PATH_SIZE];
    bool kept = hr_model_render(model, &json, NULL) == HR_OK;
    kept =
        kept && ((ledger != NULL && write_beside(json, ledger, entry, path)) || write_temporary(json, path));
    hr_text_free(json);
    if (kept) {
        fprintf(stderr, "hedgerow %s: the model was written to '%s' instead; move it from there\n", command,
                path);
    } else {
        fprintf(stderr,
                "hedgerow %s: no other place could be written: the model is lost%s; free disk space before "
                "you train again\n",
                command, ledger == NULL ? "" : ", and its budget stays spent");
    }
}
