/* A federation is there as a whole or not at all, whichever allocation fails. */
#include "failing.h"
#include "support/remove_tree.h"
#include "support/temp_dir.h"

#include <hedgerow/federation.h>

static void fail_each(const char *path, bool lasting) {
    const hr_new_member members[] = {{"north", NULL}, {"south", NULL}};
    const hr_federation_options options = {sizeof options, "demo", "tls://localhost:4222", members, 2};
    bool failed = true;
    long n = 0;
    for (; failed; n++) {
        hr_error err = {0};
        failing_start(n, lasting);
        const hr_status status = hr_federation_init(path, &options, &err);
        failed = failing_stop();
        if (status != (failed ? HR_E_MEMORY : HR_OK))
            fail_msg("allocation %ld: status %d (%s)", n, status, err.message);
        assert_int_equal(err.status, status);
        assert_int_equal(failed, access(path, F_OK) != 0);
    }
    assert_true(n > 10);
    remove_tree(path);
}

static void test_federation__is_made_whole_or_not_at_all(void **state) {
    const temp_dir *dir = *state;
    char path[96];
    snprintf(path, sizeof path, "%s/fed", dir->folder);
    fail_each(path, false);
    fail_each(path, true);
    assert_int_equal(rmdir(dir->folder), 0); /* nothing is left beside it */
}

/* A federation that changes is as before until the last step. */
static void test_member__joins_or_not(void **state) {
    const temp_dir *dir = *state;
    char path[96], file[128], folder[128], text[HR_FINGERPRINT_TEXT];
    const hr_new_member members[] = {{"north", NULL}, {"south", NULL}}, west = {"west", NULL};
    const hr_federation_options options = {sizeof options, "demo", "tls://localhost:4222", members, 2};
    bool failed = true;
    snprintf(path, sizeof path, "%s/fed", dir->folder);
    snprintf(file, sizeof file, "%s/federation.yaml", path);
    snprintf(folder, sizeof folder, "%s/west", path);
    assert_int_equal(hr_federation_init(path, &options, NULL), HR_OK);
    for (long n = 0; failed; n++) {
        hr_error err = {0};
        uint64_t version = 0;
        failing_start(n, true);
        const hr_status status = hr_federation_add(path, &west, &err);
        failed = failing_stop();
        if (status != (failed ? HR_E_MEMORY : HR_OK))
            fail_msg("allocation %ld: status %d (%s)", n, status, err.message);
        assert_int_equal(hr_federation_fingerprint(file, &version, text, NULL), HR_OK);
        assert_int_equal(version, failed ? 1 : 2);
        assert_int_equal(failed, access(folder, F_OK) != 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_federation__is_made_whole_or_not_at_all, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_member__joins_or_not, temp_dir_open, temp_dir_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
