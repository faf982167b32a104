#include "support/model_files.h"

char *read_golden(const char *name) {
    char path[400];
    snprintf(path, sizeof path, "%s/models/model/golden/%s", HR_TESTS_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    char *text = calloc(1, 100000);
    assert_non_null(text);
    assert_in_range(fread(text, 1, 99999, file), 1, 99998);
    fclose(file);
    return text;
}

hr_model *parse_golden(const char *name) {
    char *text = read_golden(name);
    hr_model *model = parse_model(text);
    free(text);
    return model;
}

char *forge_model(const char *text, const forgery *f) {
    return text_with(text, f->from, f->to);
}

char *written_golden(const char *name) {
    char *text = read_golden(name);
    if (strstr(text, "\"hedgerow-model\": 4")) return text;
    char *written =
        forge_model(text, &(forgery){"\"hedgerow-model\": 3", "\"hedgerow-model\": 4", NULL, NULL});
    free(text);
    return written;
}

void assert_refused(const char *golden, const forgery *forgeries, size_t count) {
    char *text = read_golden(golden);
    for (size_t i = 0; i < count; i++) {
        const forgery *f = &forgeries[i];
        char *forged = forge_model(text, f);
        hr_model *model = NULL;
        hr_error err = {0};
        hr_status status = hr_model_parse(forged, strlen(forged), "forged.json", &model, &err);
        if (!status) fail_msg("accepted: %s", f->to);
        if (strcmp(err.field, f->field) || !strstr(err.message, f->message))
            fail_msg("'%s' gave '%s': %s\n  expected '%s': %s", f->to, err.field, err.message, f->field,
                     f->message);
        assert_null(model);
        assert_string_equal(err.file, "forged.json");
        free(forged);
    }
    free(text);
}
