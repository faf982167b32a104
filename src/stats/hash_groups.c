#include "stats/hash_groups.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

enum { HASH_VALUES = 1 << 16 };

typedef struct row_sort {
    const hr_hashes *hashes;
    uint32_t *rows, *other, *counts;
} row_sort;

/* Stable, so that passes over all tables leave equal rows ascending. */
static void sort_by_table(row_sort *s, size_t table) {
    const size_t rows = s->hashes->rows, tables = s->hashes->tables;
    const int16_t *at = s->hashes->at + table;
    memset(s->counts, 0, HASH_VALUES * sizeof *s->counts);
    for (size_t i = 0; i < rows; i++) s->counts[(uint16_t)at[i * tables]]++;
    for (size_t v = 0, sum = 0; v < HASH_VALUES; v++) {
        const uint32_t count = s->counts[v];
        s->counts[v] = (uint32_t)sum;
        sum += count;
    }
    for (size_t i = 0; i < rows; i++) s->other[s->counts[(uint16_t)at[s->rows[i] * tables]]++] = s->rows[i];
    uint32_t *sorted = s->other;
    s->other = s->rows;
    s->rows = sorted;
}

/* sizes[first row of a group] = its size, 0 for other rows; at[first row] = where it stands in sorted rows.
 */
static void find_groups(const row_sort *s, uint32_t *sizes, uint32_t *at) {
    const hr_hashes *h = s->hashes;
    const size_t bytes = h->tables * sizeof *h->at;
    uint32_t first = 0;
    for (size_t i = 0; i < h->rows; i++) {
        const int16_t *here = h->at + s->rows[i] * h->tables;
        if (!i ||
            memcmp(here, here + ((ptrdiff_t)s->rows[i - 1] - (ptrdiff_t)s->rows[i]) * (ptrdiff_t)h->tables,
                   bytes)) {
            first = s->rows[i];
            at[first] = (uint32_t)i;
        }
        sizes[first]++;
    }
}

static void take_groups(hr_hash_groups *groups, const row_sort *s, const uint32_t *sizes,
                        const uint32_t *at) {
    uint32_t used = 0;
    for (size_t row = 0; row < s->hashes->rows; row++) {
        if (!sizes[row]) continue;
        groups->begins[groups->count++] = used;
        memcpy(groups->rows + used, s->rows + at[row], sizes[row] * sizeof *groups->rows);
        used += sizes[row];
    }
    groups->begins[groups->count] = used;
}

hr_status hr_hash_groups_init(hr_hash_groups *groups, const hr_hashes *hashes, hr_error *err) {
    const size_t rows = hashes->rows;
    *groups = (hr_hash_groups){0, calloc(rows + 1, sizeof(uint32_t)), calloc(rows + 1, sizeof(uint32_t))};
    uint32_t *room = calloc(4 * (rows + 1) + HASH_VALUES, sizeof *room);
    hr_status status = groups->rows && groups->begins && room ? HR_OK : hr_fail_memory(err);
    if (!status) {
        row_sort s = {hashes, room, room + rows, room + 2 * rows};
        uint32_t *sizes = s.counts + HASH_VALUES, *at = sizes + rows;
        for (size_t i = 0; i < rows; i++) s.rows[i] = (uint32_t)i;
        for (size_t t = hashes->tables; t--;) sort_by_table(&s, t);
        find_groups(&s, sizes, at);
        take_groups(groups, &s, sizes, at);
    }
    free(room);
    return status;
}

void hr_hash_groups_done(hr_hash_groups *groups) {
    free(groups->rows);
    free(groups->begins);
    *groups = (hr_hash_groups){0};
}
