/* Exact quantiles as bin edges, for training without privacy.
 *
 * Order-free: the edges are a function of the multiset of rows. Large data are thinned by a hash of the whole
 * row, which no order can change; the kept values are sorted by radix, least significant digits first. */
#include "base/fail.h"
#include "base/team.h"
#include "tables/bins/edges.h"
#include "tables/data/columns.h"
#include "tables/data/sparse.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_ROWS = 1 << 18, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 6 };

/* A key whose unsigned order is the order of the doubles; -0 and 0 share one. */
static uint64_t key_of(double value) {
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of_key(uint64_t key) {
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t mix_sample_key(uint64_t x) {
    x ^= x >> 32;
    x *= UINT64_C(0x9fb21c651e98df25);
    return x ^ x >> 29;
}

/* Sorts keys[0..n); `spare` has room for n. Passes in which all keys share the digit are skipped. */
static uint64_t *radix_sort(uint64_t *keys, uint64_t *spare, size_t n, uint32_t (*count)[DIGITS]) {
    memset(count, 0, PASSES * sizeof *count);
    for (size_t i = 0; i < n; i++)
        for (int p = 0; p < PASSES; p++) count[p][keys[i] >> p * DIGIT_BITS & (DIGITS - 1)]++;
    for (int p = 0; p < PASSES; p++) {
        int shift = p * DIGIT_BITS;
        if (n && count[p][keys[0] >> shift & (DIGITS - 1)] == n) continue;
        uint32_t at = 0;
        for (int d = 0; d < DIGITS; d++) {
            uint32_t c = count[p][d];
            count[p][d] = at;
            at += c;
        }
        for (size_t i = 0; i < n; i++) spare[count[p][keys[i] >> shift & (DIGITS - 1)]++] = keys[i];
        uint64_t *swap = keys;
        keys = spare;
        spare = swap;
    }
    return keys;
}

/* Collapses sorted keys into distinct ones with their counts, in place; returns how many. */
static size_t distinct(uint64_t *keys, size_t n, uint32_t *counts) {
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        if (m && keys[m - 1] == keys[i]) {
            counts[m - 1]++;
            continue;
        }
        keys[m] = keys[i];
        counts[m++] = 1;
    }
    return m;
}

/* Closes a bin when it holds its fair part of what is left; a value heavier than that gets a bin of its own.
 */
static size_t place_edges(const uint64_t *keys, const uint32_t *counts, size_t distinct_count, size_t n,
                          uint32_t bins, double *edges) {
    size_t made = 0, left = n, in_bin = 0;
    for (size_t i = 0; i + 1 < distinct_count && made + 1 < bins; i++) {
        in_bin += counts[i];
        size_t fair = (left + (bins - made) - 1) / (bins - made);
        bool few = distinct_count - i <= bins - made;
        bool next_is_heavy = counts[i + 1] >= fair && in_bin * 2 >= fair;
        if (!few && in_bin < fair && !next_is_heavy) continue;
        /* Half way, but never equal to the larger one: x <= edge must separate the two. */
        const double low = value_of_key(keys[i]), high = value_of_key(keys[i + 1]),
                     middle = low + (high - low) / 2;
        edges[made++] = middle < high ? middle : low;
        left -= in_bin;
        in_bin = 0;
    }
    return made;
}

typedef struct scratch {
    uint64_t *keys, *spare;
    uint32_t *counts;
    uint32_t (*digits)[DIGITS];
} scratch;

static void scratch_done(scratch *s) {
    free(s->keys);
    free(s->spare);
    free(s->counts);
    free(s->digits);
}

static bool scratch_init(scratch *s, size_t n) {
    *s = (scratch){malloc(n * sizeof *s->keys + 1), malloc(n * sizeof *s->spare + 1),
                   malloc(n * sizeof *s->counts + 1), malloc(PASSES * sizeof *s->digits)};
    if (s->keys && s->spare && s->counts && s->digits) return true;
    scratch_done(s);
    *s = (scratch){0};
    return false;
}

/* The columns of numbers, one after another by each member of a team. */
typedef struct edge_task {
    const hr_data *data;
    const uint32_t *sample; /* rows; NULL: all */
    size_t n;
    uint32_t bins;
    hr_feature_bins *features;
    double (*edges)[HR_BINS_MAX]; /* feature */
    scratch *rooms;               /* member; made when it is needed */
    atomic_bool failed;
} edge_task;

static int order_rows(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The keys of the values that are there, of a sparse column of cells alone; returns how many. left: rows
 * without a cell. */
static size_t column_keys(const edge_task *t, size_t f, uint64_t *keys, size_t *left) {
    double buffer[HR_DATA_BLOCK];
    const double *values = buffer;
    size_t present = 0;
    *left = 0;
    if (t->data->sparse) {
        const hr_entry_run cells = hr_sparse_run(t->data->sparse, f, 0, t->data->rows);
        *left = t->n;
        for (size_t e = 0; e < cells.count; e++) {
            if (t->sample && !bsearch(&cells.rows[e], t->sample, t->n, sizeof *t->sample, order_rows))
                continue;
            --*left;
            if (!isnan(cells.values[e])) keys[present++] = key_of(cells.values[e]);
        }
        return present;
    }
    for (size_t begin = 0; begin < t->n; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, t->n);
        if (t->sample)
            hr_data_numbers_at(t->data, f, t->sample + begin, count, buffer);
        else
            values = hr_data_number_block(t->data, f, begin, count, buffer);
        for (size_t i = 0; i < count; i++)
            if (!isnan(values[i])) keys[present++] = key_of(values[i]);
    }
    return present;
}

/* The edges of one column; returns how many. Cells that are not there are one key more, counted as often: n
 * keys have room for it, as fewer cells are there. */
static size_t column_edges(const edge_task *t, size_t f, scratch *s, double *edges) {
    size_t left, present = column_keys(t, f, s->keys, &left);
    uint64_t *sorted = radix_sort(s->keys, s->spare, present, s->digits);
    size_t m = distinct(sorted, present, s->counts);
    if (left && !isnan(t->data->sparse->absent[f])) {
        const uint64_t key = key_of(t->data->sparse->absent[f]);
        size_t at = 0;
        while (at < m && sorted[at] < key) at++;
        if (at == m || sorted[at] != key) {
            memmove(sorted + at + 1, sorted + at, (m - at) * sizeof *sorted);
            memmove(s->counts + at + 1, s->counts + at, (m - at) * sizeof *s->counts);
            sorted[at] = key;
            s->counts[at] = 0;
            m++;
        }
        s->counts[at] += (uint32_t)left;
        present += left;
    }
    return place_edges(sorted, s->counts, m, present, t->bins, edges);
}

static void hash_key(uint64_t key, uint64_t *hash) {
    *hash = mix_sample_key(*hash + key + UINT64_C(0x9e3779b97f4a7c15));
}

static void hash_block(const hr_data *data, size_t f, size_t begin, size_t count, uint64_t *hash) {
    if (hr_schema_feature(hr_data_schema(data), f)->kind == HR_KIND_NUMBER) {
        double buffer[HR_DATA_BLOCK];
        const double *numbers = hr_data_number_block(data, f, begin, count, buffer);
        for (size_t i = 0; i < count; i++) hash_key(key_of(numbers[i]), &hash[begin + i]);
    } else {
        uint16_t buffer[HR_DATA_BLOCK];
        const uint16_t *codes = hr_data_code_block(data, f, begin, count, buffer);
        for (size_t i = 0; i < count; i++) hash_key(codes[i], &hash[begin + i]);
    }
}

/* Makes the hashes of equal rows differ: the k-th of them adds k times a constant. Without it all of them
 * would be kept or none, and a frequent record could be lost. Which of them is the k-th does not matter: they
 * are equal. */
static bool separate_equal_rows(uint64_t *hash, size_t rows) {
    size_t slots = 2;
    while (slots < 2 * rows) slots *= 2;
    uint32_t *first = calloc(slots, sizeof *first),
             *seen = calloc(rows, sizeof *seen); /* first: 1 + a row; 0: free */
    for (size_t i = 0; first && seen && i < rows; i++) {
        size_t slot = hash[i] & (slots - 1);
        while (first[slot] && hash[first[slot] - 1] != hash[i]) slot = (slot + 1) & (slots - 1);
        if (!first[slot]) first[slot] = (uint32_t)i + 1;
        hash[i] += seen[first[slot] - 1]++ * UINT64_C(0xa0761d6478bd642f);
    }
    bool done = first && seen;
    free(first);
    free(seen);
    return done;
}

/* Rows whose hash over all features is small: about SAMPLE_ROWS of them, whatever their order. */
static hr_status sample_rows(const hr_data *data, uint32_t **out, size_t *count, hr_error *err) {
    size_t rows = hr_data_rows(data), features = hr_schema_feature_count(hr_data_schema(data)), kept = 0;
    uint64_t *hash = calloc(rows, sizeof *hash),
             threshold = (uint64_t)((double)SAMPLE_ROWS / (double)rows * 0x1p64);
    uint32_t *sample = malloc(rows * sizeof *sample);
    hr_status status = HR_OK;
    for (size_t begin = 0; hash && begin < rows; begin += HR_DATA_BLOCK)
        for (size_t f = 0; f < features; f++)
            hash_block(data, f, begin, hr_data_block_size(begin, rows), hash);
    if (!hash || !sample || !separate_equal_rows(hash, rows)) {
        free(sample);
        status = hr_fail_memory(err);
        goto out;
    }
    for (size_t i = 0; i < rows; i++)
        if (mix_sample_key(hash[i] * UINT64_C(0xd6e8feb86659fd93)) < threshold) sample[kept++] = (uint32_t)i;
    *out = sample;
    *count = kept;
out:
    free(hash);
    return status;
}

static void find_edges(void *of, size_t member, size_t begin, size_t end) {
    edge_task *t = of;
    scratch *s = &t->rooms[member];
    for (size_t f = begin; f < end && !atomic_load(&t->failed); f++) {
        if (t->features[f].kind != HR_KIND_NUMBER) continue;
        if (!s->keys && !scratch_init(s, t->n)) {
            atomic_store(&t->failed, true);
            return;
        }
        const size_t count = column_edges(t, f, s, t->edges[f]);
        t->features[f] =
            (hr_feature_bins){.kind = HR_KIND_NUMBER, .bin_count = (uint32_t)count + 2, .edges = t->edges[f]};
    }
}

hr_status hr_edges_exact(const hr_data *data, uint32_t bins, int threads, hr_arena *arena, hr_binning *out,
                         hr_error *err) {
    const hr_schema *schema = hr_data_schema(data);
    size_t rows = hr_data_rows(data), n = rows;
    uint32_t *sample = NULL;
    hr_binning made;
    hr_status status = hr_edges_public(schema, bins, arena, &made, err);
    if (!status && rows > SAMPLE_ROWS) status = sample_rows(data, &sample, &n, err);
    if (status) return status;
    edge_task task = {.data = data, .sample = sample, .n = n, .bins = bins, .features = made.features};
    task.edges = hr_arena_alloc(arena, made.feature_count, sizeof *task.edges);
    task.rooms = calloc((size_t)threads, sizeof *task.rooms);
    task.failed = !task.edges || !task.rooms;
    if (!task.failed) hr_team_share((size_t)threads, made.feature_count, 1, find_edges, &task);
    for (int w = 0; task.rooms && w < threads; w++) scratch_done(&task.rooms[w]);
    free(task.rooms);
    free(sample);
    if (task.failed) return hr_fail_memory(err);
    *out = made;
    return HR_OK;
}
