/* Exports when memory is short: allocation number 0, 1, 2, ... fails, once alone and once with all that
 * follow. No file is left, and the error says why. */
#include "failing.h"
#include "support/check.h"

#include <hedgerow/hedgerow.h>
#include <stdio.h>
#include <unistd.h>

static void check_export(const hr_model *model, hr_export_format format, const char *path) {
    for (int lasting = 0; lasting <= 1; lasting++) {
        bool failed = true;
        long n = 0;
        for (; failed; n++) {
            hr_error err = {0};
            failing_start(n, lasting);
            hr_status status = hr_model_export(model, format, path, &err);
            failed = failing_stop();
            assert_int_equal(status, failed ? HR_E_MEMORY : HR_OK);
            assert_int_equal(status != HR_OK, access(path, F_OK) != 0);
            if (status) assert_true(err.status == status && err.message[0] && err.remedy[0]);
            unlink(path);
        }
        assert_true(n > 1);
    }
}

static void test_export__survives_short_memory(void **state) {
    (void)state;
    static const char *const models[] = {"model-2", "model-2-open", "model-2-multiway", "model-2-calibrated"};
    static const hr_export_format formats[] = {HR_EXPORT_XGBOOST, HR_EXPORT_LIGHTGBM, HR_EXPORT_ONNX};
    char folder[] = "/tmp/hedgerow-oom-XXXXXX", path[64], golden[512];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/exported", folder);
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        hr_model *model = NULL;
        snprintf(golden, sizeof golden, "%s/model/golden/%s.json", HR_TESTS_DIR, models[m]);
        assert_int_equal(hr_model_read(golden, &model, NULL), HR_OK);
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) check_export(model, formats[f], path);
        hr_model_free(model);
    }
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_export__survives_short_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
