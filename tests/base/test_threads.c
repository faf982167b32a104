/* How many threads: the variable, the affinity mask and the quotas of cgroups, in files laid out as Linux
 * shows them, and for real where this machine lets the test make a group. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "base/threads.h"
#include "support/child.h"
#include "support/remove_tree.h"

#include <hedgerow/hedgerow.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/hr-threads-XXXXXX";

/* ---- Files of a made-up system ---- */

typedef struct made_file {
    const char *path, *text;
} made_file;

/* With all folders on the way. */
static void write_file(const made_file *file) {
    char path[512];
    snprintf(path, sizeof path, "%s%s", root, file->path);
    for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(path, 0700);
    }
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(file->text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

enum { FILES_MAX = 8 };

typedef struct made_system {
    const char *what;
    made_file files[FILES_MAX]; /* up to the first without a path */
    double expected;
} made_system;

#define GROUPS "/proc/self/cgroup"
#define MOUNTS "/proc/self/mountinfo"
#define V1_MOUNT "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
#define V2_MOUNT "27 22 0:24 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"

static const made_system systems[] = {
    {"no cgroups at all", {{GROUPS, ""}, {MOUNTS, "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"}}, HUGE_VAL},
    {"nothing can be read", {{"/etc/none", ""}}, HUGE_VAL},
    {"v2, one and a half",
     {{GROUPS, "0::/a\n"}, {MOUNTS, V2_MOUNT}, {"/sys/fs/cgroup/a/cpu.max", "150000 100000\n"}},
     1.5},
    {"v2, no limit",
     {{GROUPS, "0::/a\n"}, {MOUNTS, V2_MOUNT}, {"/sys/fs/cgroup/a/cpu.max", "max 100000\n"}},
     HUGE_VAL},
    {"v2, a group above has less",
     {{GROUPS, "0::/a/b/c\n"},
      {MOUNTS, V2_MOUNT},
      {"/sys/fs/cgroup/a/cpu.max", "50000 100000\n"},
      {"/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
      {"/sys/fs/cgroup/a/b/c/cpu.max", "200000 100000\n"}},
     .5},
    {"v2, the group itself has less",
     {{GROUPS, "0::/a/b\n"},
      {MOUNTS, V2_MOUNT},
      {"/sys/fs/cgroup/a/cpu.max", "400000 100000\n"},
      {"/sys/fs/cgroup/a/b/cpu.max", "30000 10000\n"}},
     3},
    {"v2 in a container with a name space: the group is the mount's top",
     {{GROUPS, "0::/\n"}, {MOUNTS, V2_MOUNT}, {"/sys/fs/cgroup/cpu.max", "200000 100000\n"}},
     2},
    {"v2 in a container without: the mount's top is the group",
     {{GROUPS, "0::/docker/1f\n"},
      {MOUNTS, "27 22 0:24 /docker/1f /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n"},
      {"/sys/fs/cgroup/cpu.max", "200000 100000\n"},
      {"/sys/fs/cgroup/docker/1f/cpu.max", "1 100000\n"}},
     2},
    {"v2, a group whose name begins like the mount's top",
     {{GROUPS, "0::/docker/1f2\n"},
      {MOUNTS, "27 22 0:24 /docker/1f /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n"},
      {"/sys/fs/cgroup/cpu.max", "200000 100000\n"},
      {"/sys/fs/cgroup2/cpu.max", "1 100000\n"}},
     2},
    {"v1",
     {{GROUPS, "4:memory:/m\n3:cpuset:/\n2:cpu,cpuacct:/a/b\n1:name=systemd:/\n"},
      {MOUNTS, "33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
               "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "250000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n"}},
     2.5},
    {"v1, no limit, below one of a quarter",
     {{GROUPS, "1:cpu:/a/b\n0::/\n"},
      {MOUNTS, V1_MOUNT},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "25000\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n"}},
     .25},
    {"v1 of processors beside v2, which has none",
     {{GROUPS, "2:cpu:/a\n0::/user/x\n"},
      {MOUNTS, V1_MOUNT "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "50000\n"},
      {"/sys/fs/cgroup/unified/user/x/cpu.stat", "usage_usec 1\n"}},
     2},
    {"v1 of accounts and sets of processors alone",
     {{GROUPS, "2:cpuacct:/a\n1:cpuset:/a\n"},
      {MOUNTS, "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpuacct\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "1\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "50000\n"}},
     HUGE_VAL},
};

static void cpu_quota__is_the_least_of_all_groups(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(systems); i++) {
        assert_non_null(mkdtemp(root));
        for (size_t f = 0; f < FILES_MAX && systems[i].files[f].path; f++) write_file(&systems[i].files[f]);
        const double found = hr_cpu_quota(root);
        if (found != systems[i].expected) fail_msg("%s: %g", systems[i].what, found);
        remove_tree(root);
        memcpy(strrchr(root, '-'), "-XXXXXX", 8);
    }
}

/* ---- The variable ---- */

static void threads__are_what_the_variable_says(void **state) {
    (void)state;
    hr_error err = {0};
    int found = 0;
    setenv("HEDGEROW_THREADS", "7", 1);
    assert_int_equal(hr_threads(&found, &err), HR_OK);
    assert_int_equal(found, 7);
    assert_int_equal(hr_threads_of(0, &found, &err), HR_OK);
    assert_int_equal(found, 7);
    assert_int_equal(hr_threads_of(3, &found, &err), HR_OK);
    assert_int_equal(found, 3);
    setenv("HEDGEROW_THREADS", "256", 1);
    assert_int_equal(hr_threads(&found, &err), HR_OK);
    assert_int_equal(found, HR_THREADS_MAX);
}

static void threads__refuse_a_variable_that_is_no_number_of_them(void **state) {
    (void)state;
    const char *const bad[] = {"0",   "-1",  "+2",  " 2",  "2 ",
                               "two", "1.5", "0x2", "257", "99999999999999999999"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        hr_error err = {0};
        int found = -5;
        setenv("HEDGEROW_THREADS", bad[i], 1);
        assert_int_equal(hr_threads(&found, &err), HR_E_ARGUMENT);
        assert_int_equal(found, -5);
        assert_string_equal(err.field, "HEDGEROW_THREADS");
        assert_non_null(strstr(err.message, bad[i]));
        assert_true(*err.remedy);
        assert_int_equal(hr_threads_of(2, &found, &err), HR_OK); /* does not ask it */
    }
}

/* ---- What this machine allows ---- */

static bool has_one_thread_on_one_processor(void *unused) {
    (void)unused;
    cpu_set_t all, one;
    int found = 0;
    unsetenv("HEDGEROW_THREADS");
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all)) return false;
    for (int p = 0; p < CPU_SETSIZE && !CPU_COUNT(&one); p++)
        if (CPU_ISSET(p, &all)) CPU_SET(p, &one);
    return !sched_setaffinity(0, sizeof one, &one) && !hr_threads(&found, NULL) && found == 1;
}

static void threads__are_those_of_the_affinity_mask(void **state) {
    (void)state;
    cpu_set_t all;
    int found = 0;
    setenv("HEDGEROW_THREADS", "", 1); /* as if it were not there */
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(hr_threads(&found, NULL), HR_OK);
    assert_in_range(found, 1, CPU_COUNT(&all));
    assert_true(isfinite(hr_cpu_quota("")) || found == CPU_COUNT(&all));
    assert_true(holds_in_child(has_one_thread_on_one_processor, NULL));
}

static bool write_text(const char *folder, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    if (!out) return false;
    const bool written = fputs(text, out) >= 0;
    return !fclose(out) && written;
}

/* In a group whose processes may take half a processor. */
static bool has_one_thread_in(void *of) {
    const char *group = of;
    int found = 0;
    unsetenv("HEDGEROW_THREADS");
    return write_text(group, "cgroup.procs", "0") && hr_cpu_quota("") == .5 && !hr_threads(&found, NULL) &&
           found == 1;
}

/* Of version 1 or 2, whichever can be made. */
static bool make_group(char group[128]) {
    snprintf(group, 128, "/sys/fs/cgroup/cpu/hr-threads-%d", (int)getpid());
    if (!mkdir(group, 0700)) {
        if (write_text(group, "cpu.cfs_period_us", "100000") &&
            write_text(group, "cpu.cfs_quota_us", "50000"))
            return true;
        rmdir(group);
    }
    snprintf(group, 128, "/sys/fs/cgroup/hr-threads-%d", (int)getpid());
    if (mkdir(group, 0700)) return false;
    if (write_text(group, "cpu.max", "50000 100000")) return true;
    rmdir(group);
    return false;
}

static void threads__are_those_that_a_real_quota_pays_for(void **state) {
    (void)state;
    char group[128];
    if (!make_group(group)) {
        print_message("not run: this machine lets the test make no cgroup with a quota\n");
        skip();
    }
    const bool holds = holds_in_child(has_one_thread_in, group);
    assert_int_equal(rmdir(group), 0);
    assert_true(holds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_quota__is_the_least_of_all_groups),
        cmocka_unit_test(threads__are_what_the_variable_says),
        cmocka_unit_test(threads__refuse_a_variable_that_is_no_number_of_them),
        cmocka_unit_test(threads__are_those_of_the_affinity_mask),
        cmocka_unit_test(threads__are_those_that_a_real_quota_pays_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
