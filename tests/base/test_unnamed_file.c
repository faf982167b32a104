/* Files without a name, which records wait in. */
#include "base/file.h"
#include "support/temp_dir.h"

#include <errno.h>

static void test_unnamed__is_seen_by_nobody(void **state) {
    const temp_dir *dir = *state;
    struct stat info;
    umask(0); /* the rights are up to the library alone */
    const int fd = hr_file_unnamed(dir->path);
    assert_true(fd >= 0 && !fstat(fd, &info));
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(info.st_nlink, 0);
    close(fd);
    assert_int_equal(rmdir(dir->folder), 0);
}

static void test_unnamed__says_where_it_cannot_be(void **state) {
    const temp_dir *dir = *state;
    char path[200];
    snprintf(path, sizeof path, "%s/none/t", dir->folder);
    assert_int_equal(hr_file_unnamed(path), -1);
    assert_int_equal(errno, ENOENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unnamed__is_seen_by_nobody, temp_dir_open, temp_dir_close),
        cmocka_unit_test_setup_teardown(test_unnamed__says_where_it_cannot_be, temp_dir_open, temp_dir_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
