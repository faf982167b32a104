#define _GNU_SOURCE /* sched_getaffinity, getline */
#include "base/threads.h"

#include "base/fail.h"

#include <hedgerow/hedgerow.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "HEDGEROW_THREADS"

/* ---- Limits of one group: all numbers are microseconds ---- */

/* The numbers of a small file; not read ("max") or not there: 0. */
static void read_numbers(const char *group, const char *name, long long numbers[2]) {
    char path[PATH_MAX], text[64] = "", *end = text;
    numbers[0] = numbers[1] = 0;
    if (snprintf(path, sizeof path, "%s/%s", group, name) >= (int)sizeof path) return;
    FILE *file = fopen(path, "r");
    if (!file) return;
    if (fgets(text, sizeof text, file)) numbers[0] = strtoll(text, &end, 10);
    if (end != text) numbers[1] = strtoll(end, NULL, 10);
    fclose(file);
}

static double processors_of(long long quota, long long period) {
    return quota > 0 && period > 0 ? (double)quota / (double)period : HUGE_VAL;
}

static double limit_v1(const char *group) {
    long long quota[2], period[2];
    read_numbers(group, "cpu.cfs_quota_us", quota);
    read_numbers(group, "cpu.cfs_period_us", period);
    return processors_of(quota[0], period[0]);
}

static double limit_v2(const char *group) {
    long long numbers[2];
    read_numbers(group, "cpu.max", numbers);
    return processors_of(numbers[0], numbers[1]);
}

/* ---- Where the groups are ---- */

typedef struct cgroup_version {
    const char *controller; /* in /proc/self/cgroup, and among the options of the mount; "": version 2 */
    const char *file_system;
    double (*limit)(const char *group);
} cgroup_version;

static const cgroup_version versions[] = {{"cpu", "cgroup", limit_v1}, {"", "cgroup2", limit_v2}};

/* Whether a list with commas has the word. */
static bool has_word(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list;; at++) {
        const size_t next = strcspn(at, ",\n");
        if (next == length && !strncmp(at, word, length)) return true;
        at += next;
        if (*at != ',') return false;
    }
}

/* Whether a line is the one looked for; found: its part of interest, up to PATH_MAX bytes. The line changes.
 */
typedef bool line_reader(const cgroup_version *version, char *line, char *found);

/* Looks at each line of a file until one is what the reader looks for. */
static bool find_line(const char *path, line_reader *read_line, const cgroup_version *version, char *found) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    bool is_found = false;
    while (file && !is_found && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        is_found = read_line(version, line, found);
    }
    free(line);
    if (file) fclose(file);
    return is_found;
}

/* "ID:CONTROLLERS:GROUP" */
static bool read_group(const cgroup_version *version, char *line, char *group) {
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) return false;
    *path++ = '\0';
    return has_word(controllers + 1, version->controller) && snprintf(group, PATH_MAX, "%s", path) < PATH_MAX;
}

/* "ID PARENT DEVICE TOP FOLDER OPTIONS ... - TYPE SOURCE OPTIONS": found is TOP, the group that is mounted,
 * and FOLDER, with the space between them. */
static bool read_mount(const cgroup_version *version, char *line, char *found) {
    char *tail = strstr(line, " - "), *top = line;
    if (!tail) return false;
    *tail = '\0';
    char type[16], options[256];
    if (sscanf(tail + 3, "%15s %*s %255s", type, options) != 2 || strcmp(type, version->file_system))
        return false;
    if (*version->controller && !has_word(options, version->controller)) return false;
    for (int i = 0; i < 3 && top; i++) top = strchr(top + (i > 0), ' ');
    char *folder = top ? strchr(top + 1, ' ') : NULL, *end = folder ? strchr(folder + 1, ' ') : NULL;
    if (!end) return false;
    *end = '\0';
    return snprintf(found, PATH_MAX, "%s", top + 1) < PATH_MAX;
}

/* The part of the group's path below what is mounted. A group elsewhere is seen as the mounted one. */
static const char *below_top(const char *group, const char *top) {
    if (!strcmp(top, "/")) return strcmp(group, "/") ? group : "";
    const size_t length = strlen(top);
    return !strncmp(group, top, length) && group[length] == '/' ? group + length : "";
}

/* Of the group of this process and all above it. */
static double quota_of(const char *root, const cgroup_version *version) {
    char group[PATH_MAX], mount[PATH_MAX], path[PATH_MAX];
    double least = HUGE_VAL;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (!find_line(path, read_group, version, group)) return least;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    if (!find_line(path, read_mount, version, mount)) return least;
    char *folder = strchr(mount, ' ');
    *folder++ = '\0';
    const char *rest = below_top(group, mount);
    if (snprintf(path, sizeof path, "%s%s%s", root, folder, rest) >= (int)sizeof path) return least;
    const size_t top = strlen(root) + strlen(folder);
    for (size_t length = strlen(path);; length = (size_t)(strrchr(path, '/') - path)) {
        path[length] = '\0';
        least = fmin(least, version->limit(path));
        if (length <= top) return least;
    }
}

double hr_cpu_quota(const char *root) {
    return fmin(quota_of(root, &versions[0]), quota_of(root, &versions[1]));
}

/* ---- Threads ---- */

static long processors(void) {
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set)) return CPU_COUNT(&set);
    return sysconf(_SC_NPROCESSORS_ONLN);
}

static hr_status read_variable(const char *text, int *out, hr_error *err) {
    char *end;
    const long value = strtol(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && value >= 1 && value <= HR_THREADS_MAX) {
        *out = (int)value;
        return HR_OK;
    }
    hr_fail(err, HR_E_ARGUMENT, "set it to a number of threads, or unset it to use what the system allows",
            "\"%s\" is not a whole number from 1 to %d", text, HR_THREADS_MAX);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, VARIABLE);
}

hr_status hr_threads(int *out, hr_error *err) {
    const char *text = getenv(VARIABLE);
    if (text && *text) return read_variable(text, out, err);
    const double most = fmin(fmax((double)processors(), 1), HR_THREADS_MAX);
    *out = (int)fmin(most, ceil(hr_cpu_quota("")));
    return HR_OK;
}

hr_status hr_threads_of(int wanted, int *out, hr_error *err) {
    if (wanted <= 0) return hr_threads(out, err);
    *out = wanted;
    return HR_OK;
}
