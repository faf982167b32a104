/* A federation is there as a whole or not at all, whichever allocation fails. */
#include "failing.h"

#include <hedgerow/federation.h>

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void empty_folder(const char *path) {
    DIR *folder = opendir(path);
    for (struct dirent *item = folder ? readdir(folder) : NULL; item; item = readdir(folder)) {
        char name[512];
        if (item->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%.200s/%.255s", path, item->d_name);
        empty_folder(name);
        remove(name);
    }
    if (folder) closedir(folder);
}

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
    empty_folder(path);
    assert_int_equal(remove(path), 0);
}

static void test_federation__is_made_whole_or_not_at_all(void **state) {
    (void)state;
    char top[] = "/tmp/hedgerow-oom-XXXXXX", path[64];
    assert_non_null(mkdtemp(top));
    snprintf(path, sizeof path, "%s/fed", top);
    fail_each(path, false);
    fail_each(path, true);
    assert_int_equal(rmdir(top), 0);
}

/* A federation that changes is as before until the last step. */
static void test_member__joins_or_not(void **state) {
    (void)state;
    char top[] = "/tmp/hedgerow-oom-XXXXXX", path[64], file[96], folder[96], text[HR_FINGERPRINT_TEXT];
    const hr_new_member members[] = {{"north", NULL}, {"south", NULL}}, west = {"west", NULL};
    const hr_federation_options options = {sizeof options, "demo", "tls://localhost:4222", members, 2};
    bool failed = true;
    assert_non_null(mkdtemp(top));
    snprintf(path, sizeof path, "%s/fed", top);
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
    empty_folder(top);
    assert_int_equal(rmdir(top), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_federation__is_made_whole_or_not_at_all),
                                       cmocka_unit_test(test_member__joins_or_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
