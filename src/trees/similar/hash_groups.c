#include "trees/similar/hash_groups.h"

#include "base/fail.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_VALUES = 1 << 16 };

typedef struct row_sort {
    const hr_hashes *hashes;
    hr_hash_range range;
    uint32_t *rows, *other, *counts;
} row_sort;

hr_hash_range hr_hash_range_of(const hr_hashes *hashes, hr_hash_range range) {
    for (size_t i = 0; i < hashes->rows * hashes->tables; i++) {
        range.low = hashes->at[i] < range.low ? hashes->at[i] : range.low;
        range.high = hashes->at[i] > range.high ? hashes->at[i] : range.high;
    }
    return range;
}

static size_t values_of(const row_sort *s) {
    return (size_t)(s->range.high - s->range.low + 1);
}

static void count_hashes(row_sort *s, size_t table) {
    const size_t rows = s->hashes->rows, tables = s->hashes->tables;
    const int16_t *at = s->hashes->at + table;
    memset(s->counts, 0, values_of(s) * sizeof *s->counts);
    for (size_t i = 0; i < rows; i++) s->counts[at[i * tables] - s->range.low]++;
}

/* Of rows with themselves as well: below 2^64. */
static uint64_t equal_pairs(row_sort *s, size_t table) {
    uint64_t pairs = 0;
    count_hashes(s, table);
    for (size_t v = 0; v < values_of(s); v++) pairs += (uint64_t)s->counts[v] * s->counts[v];
    return pairs;
}

static void order_tables(row_sort *s, uint8_t *order) {
    uint64_t pairs[HR_LSH_TABLES_MAX];
    for (size_t t = 0; t < s->hashes->tables; t++) {
        const uint64_t own = equal_pairs(s, t);
        size_t at = t;
        for (; at && pairs[at - 1] > own; at--) {
            pairs[at] = pairs[at - 1];
            order[at] = order[at - 1];
        }
        pairs[at] = own;
        order[at] = (uint8_t)t;
    }
}

/* Stable, so that passes over all tables leave equal rows ascending. */
static void sort_by_table(row_sort *s, size_t table) {
    const size_t rows = s->hashes->rows, tables = s->hashes->tables;
    const int16_t *at = s->hashes->at + table;
    uint32_t sum = 0;
    count_hashes(s, table);
    for (size_t v = 0; v < values_of(s); v++) {
        const uint32_t count = s->counts[v];
        s->counts[v] = sum;
        sum += count;
    }
    for (size_t i = 0; i < rows; i++)
        s->other[s->counts[at[s->rows[i] * tables] - s->range.low]++] = s->rows[i];
    uint32_t *sorted = s->other;
    s->other = s->rows;
    s->rows = sorted;
}

static void take_groups(hr_hash_groups *groups, const row_sort *s) {
    const hr_hashes *h = s->hashes;
    const size_t bytes = h->tables * sizeof *h->at;
    for (size_t i = 0; i < h->rows; i++) {
        groups->rows[i] = s->rows[i];
        if (!i || memcmp(h->at + s->rows[i] * h->tables, h->at + s->rows[i - 1] * h->tables, bytes))
            groups->begins[groups->count++] = (uint32_t)i;
    }
    groups->begins[groups->count] = (uint32_t)h->rows;
}

hr_status hr_hash_groups_init(hr_hash_groups *groups, const hr_hashes *hashes, hr_error *err) {
    const size_t rows = hashes->rows;
    *groups = (hr_hash_groups){.hashes = hashes};
    groups->rows = calloc(rows + 1, sizeof *groups->rows);
    groups->begins = calloc(rows + 1, sizeof *groups->begins);
    uint32_t *room = calloc(2 * rows + HASH_VALUES, sizeof *room);
    hr_status status = groups->rows && groups->begins && room ? HR_OK : hr_fail_memory(err);
    if (!status && rows) {
        row_sort s = {hashes, hr_hash_range_of(hashes, HR_HASH_RANGE_NONE), room, room + rows,
                      room + 2 * rows};
        for (size_t i = 0; i < rows; i++) s.rows[i] = (uint32_t)i;
        order_tables(&s, groups->order);
        for (size_t t = hashes->tables; t--;) sort_by_table(&s, groups->order[t]);
        take_groups(groups, &s);
    }
    free(room);
    return status;
}

void hr_hash_groups_done(hr_hash_groups *groups) {
    free(groups->rows);
    free(groups->begins);
    *groups = (hr_hash_groups){0};
}

static bool is_above(const hr_hash_groups *groups, const int16_t *a, const int16_t *b) {
    size_t t = 0;
    while (t < groups->hashes->tables && a[groups->order[t]] == b[groups->order[t]]) t++;
    return t < groups->hashes->tables && a[groups->order[t]] > b[groups->order[t]];
}

size_t hr_hash_groups_find(const hr_hash_groups *groups, const int16_t *hashes) {
    size_t low = 0, high = groups->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (is_above(groups, hr_hash_group(groups, middle), hashes))
            high = middle;
        else
            low = middle;
    }
    return low;
}
