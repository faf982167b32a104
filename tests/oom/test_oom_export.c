/* Exports when memory is short: no file is left, and the error says why. */
#include "failing.h"
#include "support/temp_dir.h"

#include <hedgerow/hedgerow.h>

struct world {
    hr_model *model;
    hr_export_format format;
    const char *path;
};

static hr_status export_model(world *w, hr_error *err) {
    const hr_status status = hr_model_export(w->model, w->format, w->path, err);
    failing_stop();
    assert_int_equal(status != HR_OK, access(w->path, F_OK) != 0);
    unlink(w->path);
    return status;
}

static void test_export__survives_short_memory(void **state) {
    static const char *const models[] = {"model-2", "model-2-open", "model-2-multiway", "model-2-calibrated"};
    static const hr_export_format formats[] = {HR_EXPORT_XGBOOST, HR_EXPORT_LIGHTGBM, HR_EXPORT_ONNX,
                                               HR_EXPORT_ONNX_FLOAT32};
    const temp_dir *dir = *state;
    char golden[512];
    world w = {.path = dir->path};
    for (size_t m = 0; m < COUNT(models); m++) {
        snprintf(golden, sizeof golden, "%s/models/model/golden/%s.json", HR_TESTS_DIR, models[m]);
        assert_int_equal(hr_model_read(golden, &w.model, NULL), HR_OK);
        for (size_t f = 0; f < COUNT(formats); f++) {
            w.format = formats[f];
            exhaust(&w, export_model, HR_E_MEMORY, NULL);
        }
        hr_model_free(w.model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_export__survives_short_memory, temp_dir_open, temp_dir_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
