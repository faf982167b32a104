#include "methods/simfl/row_groups.h"

#include "base/fail.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- Equal rows ---- */

typedef struct row_content {
    const void *bytes;
    size_t size;
} row_content;

static int compare_contents(const void *one, const void *other) {
    const row_content *a = one, *b = other;
    return memcmp(a->bytes, b->bytes, a->size);
}

/* Of sorted contents. */
static hr_row_counts count_runs(const row_content *sorted, size_t count) {
    hr_row_counts counts = {0};
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && !compare_contents(sorted + begin, sorted + end);) end++;
        counts.distinct++;
        counts.unique += end - begin == 1;
    }
    return counts;
}

hr_status hr_row_counts_of(const void *rows, size_t count, size_t size, hr_row_counts *out, hr_error *err) {
    row_content *sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) sorted[i] = (row_content){(const char *)rows + i * size, size};
    qsort(sorted, count, sizeof *sorted, compare_contents);
    *out = count_runs(sorted, count);
    free(sorted);
    return HR_OK;
}

/* ---- Groups ---- */

typedef struct record_group {
    size_t count;
    double label; /* of the first record */
    bool mixed;   /* another record has another label */
} record_group;

static void add_to_group(record_group *group, double label) {
    if (group->count++ == 0) group->label = label;
    group->mixed |= group->label != label;
}

hr_status hr_group_counts_of(const uint32_t *groups, const double *labels, size_t count, size_t group_count,
                             hr_group_counts *out, hr_error *err) {
    record_group *members = calloc(group_count + 1, sizeof *members);
    if (!members) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) add_to_group(members + groups[i], labels ? labels[i] : 0);
    hr_group_counts counts = {0};
    for (size_t g = 0; g < group_count; g++) {
        counts.alone += members[g].count == 1;
        if (labels && !members[g].mixed) counts.one_label += members[g].count;
    }
    *out = counts;
    free(members);
    return HR_OK;
}
