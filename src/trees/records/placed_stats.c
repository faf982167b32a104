#include "trees/records/placed_stats.h"

#include "base/fail.h"
#include "base/team.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_RECORDS = 1 << 13, TOGETHER = 4, NOT_ASKED = UINT16_MAX };

_Static_assert(HR_CHUNK_ROWS % BLOCK_RECORDS == 0, "chunks are whole blocks");

struct hr_placed_stats {
    const hr_binned *binned;
    int threads;
    uint16_t *places; /* nodes */
    int64_t *packed;
    uint16_t *asked; /* of a node: which of those that a call names */
    size_t node_room;
};

hr_status hr_placed_stats_new(const hr_binned *binned, int depth, int threads, hr_placed_stats **out,
                              hr_error *err) {
    hr_placed_stats *p = calloc(1, sizeof *p);
    if (!p) return hr_fail_memory(err);
    *p = (hr_placed_stats){.binned = binned, .threads = threads, .node_room = (size_t)2 << depth};
    p->places = malloc((binned->rows + 1) * sizeof *p->places);
    p->packed = malloc((binned->rows + 1) * sizeof *p->packed);
    p->asked = malloc(p->node_room * sizeof *p->asked);
    if (!p->places || !p->packed || !p->asked) {
        hr_placed_stats_free(p);
        return hr_fail_memory(err);
    }
    *out = p;
    return HR_OK;
}

void hr_placed_stats_free(hr_placed_stats *p) {
    if (!p) return;
    free(p->places);
    free(p->packed);
    free(p->asked);
    free(p);
}

int64_t *hr_placed_stats_packed(hr_placed_stats *p) {
    return p->packed;
}

void hr_placed_stats_start(hr_placed_stats *p) {
    memset(p->places, 0, p->binned->rows * sizeof *p->places);
}

static void mark_asked(hr_placed_stats *p, const uint32_t *nodes, size_t count) {
    for (size_t n = 0; n < p->node_room; n++) p->asked[n] = NOT_ASKED;
    for (size_t k = 0; k < count; k++) p->asked[nodes[k]] = (uint16_t)k;
}

static size_t placed_block_size(size_t begin, size_t end) {
    return end - begin < BLOCK_RECORDS ? end - begin : BLOCK_RECORDS;
}

/* ---- Sums ---- */

/* Some features of the nodes of a question, summed by one thread. */
typedef struct placed_task placed_task;
struct placed_task {
    void (*add)(const hr_placed_stats *p, const placed_task *t, size_t begin, size_t count);
    size_t first, last; /* features */
    size_t stride;      /* cells of a node */
    hr_sum_word *cells; /* packed sums of a chunk */
    int64_t *values;    /* of the records of a block that are in one of the nodes */
    uint32_t *offsets;  /* of their node's cells */
    uint16_t *records;  /* which they are, from the block's first on */
};

enum { TASK_BYTES = BLOCK_RECORDS * (sizeof(int64_t) + sizeof(uint32_t) + sizeof(uint16_t)) };

/* Features side by side: what is known of a record is read once for all of them. */
static void add_listed_together(const placed_task *t, size_t listed, const uint8_t *bins,
                                size_t column_stride, hr_sum_word *cells) {
    const uint8_t *restrict a = bins, *restrict b = a + column_stride, *restrict c = b + column_stride,
                            *restrict d = c + column_stride;
    for (size_t j = 0; j < listed; j++) {
        hr_sum_word *of_node = cells + t->offsets[j];
        const size_t i = t->records[j];
        const int64_t value = t->values[j];
        of_node[a[i]] += value;
        of_node[HR_STRIDE + b[i]] += value;
        of_node[2 * HR_STRIDE + c[i]] += value;
        of_node[3 * HR_STRIDE + d[i]] += value;
    }
}

/* Records of other nodes are listed, too, and overwritten by the next: no branch depends on a record. */
static void add_nodes_block(const hr_placed_stats *p, const placed_task *t, size_t begin, size_t count) {
    const size_t column_stride = p->binned->column_stride;
    size_t listed = 0, f = t->first;
    for (size_t i = 0; i < count; i++) {
        const uint16_t k = p->asked[p->places[begin + i]];
        t->records[listed] = (uint16_t)i;
        t->offsets[listed] = (uint32_t)(k * t->stride);
        t->values[listed] = p->packed[begin + i];
        listed += k != NOT_ASKED;
    }

    for (; f + TOGETHER <= t->last; f += TOGETHER)
        add_listed_together(t, listed, hr_binned_column(p->binned, f) + begin, column_stride,
                            t->cells + (f - t->first) * HR_STRIDE);
    for (; f < t->last; f++) {
        const uint8_t *bins = hr_binned_column(p->binned, f) + begin;
        hr_sum_word *cells = t->cells + (f - t->first) * HR_STRIDE;
        for (size_t j = 0; j < listed; j++) cells[t->offsets[j] + bins[t->records[j]]] += t->values[j];
    }
}

/* The root has all records. */
static void add_root_block(const hr_placed_stats *p, const placed_task *t, size_t begin, size_t count) {
    const hr_column_block block = {t->first, t->last, begin, begin + count};
    hr_histogram_add_block(p->binned, &block, p->packed, t->cells);
}

/* Adds what a chunk summed up to the histograms. */
static void flush_chunk(const placed_task *t, const hr_packing *packing, hr_sum_word *const *out,
                        size_t count) {
    for (size_t k = 0; k < count; k++) {
        const hr_sum_word *from = t->cells + k * t->stride;
        hr_sum_word *gradients = out[k] + hr_histogram_at(t->first),
                    *weights = gradients + packing->weight_cells;
        for (size_t c = 0; c < t->stride; c++) {
            if (!packing->weight_cells) {
                gradients[c] += from[c];
                continue;
            }
            const hr_sums sums = hr_unpack(packing, from[c]);
            gradients[c] += sums.gradient.unpaid;
            weights[c] += sums.weight.unpaid;
        }
    }
}

static void sum_placed_task(const hr_placed_stats *p, const placed_task *t, const hr_packing *packing,
                            hr_sum_word *const *out, size_t count) {
    const size_t rows = p->binned->rows, chunk = packing->weight_cells ? HR_CHUNK_ROWS : rows;
    for (size_t first = 0; first < rows; first += chunk) {
        const size_t end = rows - first < chunk ? rows : first + chunk;
        memset(t->cells, 0, count * t->stride * sizeof *t->cells);
        for (size_t begin = first; begin < end; begin += BLOCK_RECORDS)
            t->add(p, t, begin, placed_block_size(begin, end));
        flush_chunk(t, packing, out, count);
    }
}

/* One question: each task sums some of the features. */
typedef struct placed_sums {
    const hr_placed_stats *placed;
    const hr_packing *packing;
    hr_sum_word *const *out;
    size_t count; /* nodes */
    bool is_root;
    size_t features_each, cell_bytes; /* of a task */
    char *room;
} placed_sums;

static void sum_placed_tasks(void *of, size_t member, size_t begin, size_t end) {
    const placed_sums *s = of;
    const size_t features = s->placed->binned->features, each = s->features_each, cells = s->cell_bytes;
    (void)member;
    for (size_t i = begin; i < end; i++) {
        char *at = s->room + i * (cells + TASK_BYTES);
        const size_t first = i * each, last = first + each < features ? first + each : features;
        const placed_task task = {
            .add = s->is_root ? add_root_block : add_nodes_block,
            .first = first,
            .last = last,
            .stride = (last - first) * HR_STRIDE,
            .cells = (hr_sum_word *)(void *)at,
            .values = (int64_t *)(void *)(at + cells),
            .offsets = (uint32_t *)(void *)(at + cells + BLOCK_RECORDS * sizeof(int64_t)),
            .records =
                (uint16_t *)(void *)(at + cells + BLOCK_RECORDS * (sizeof(int64_t) + sizeof(uint32_t)))};
        sum_placed_task(s->placed, &task, s->packing, s->out, s->count);
    }
}

/* Every thread has some features: no sums are added up over threads. */
hr_status hr_placed_stats_sum(hr_placed_stats *p, const hr_packing *packing, const uint32_t *nodes,
                              hr_sum_word *const *out, size_t count, hr_error *err) {
    const size_t features = p->binned->features, threads = (size_t)p->threads,
                 each = (features + threads - 1) / threads, tasks = (features + each - 1) / each,
                 cells = count * each * HR_STRIDE * sizeof(hr_sum_word),
                 all = hr_histogram_cells(features) + packing->weight_cells;
    const bool counts = count * each * HR_STRIDE <= UINT32_MAX; /* in placed_task.offsets */
    char *room = counts ? malloc(tasks * (cells + TASK_BYTES)) : NULL;
    if (!room) return hr_fail_memory(err);
    mark_asked(p, nodes, count);
    for (size_t k = 0; k < count; k++) memset(out[k], 0, all * sizeof **out);
    placed_sums sums = {.placed = p,
                        .packing = packing,
                        .out = out,
                        .count = count,
                        .is_root = count == 1 && nodes[0] == 0,
                        .features_each = each,
                        .cell_bytes = cells,
                        .room = room};
    hr_team_share(threads, tasks, 1, sum_placed_tasks, &sums);
    free(room);
    return HR_OK;
}

/* ---- Splits ---- */

/* A node whose records go on. */
typedef struct placed_split {
    const uint8_t *bins; /* of the split's feature */
    uint16_t next[HR_BINS_MAX];
} placed_split;

typedef struct placed_splits {
    const hr_placed_stats *placed;
    const placed_split *made;
} placed_splits;

static void split_placed_rows(void *of, size_t member, size_t begin, size_t end) {
    const placed_splits *s = of;
    const hr_placed_stats *p = s->placed;
    (void)member;
    for (size_t i = begin; i < end; i++) {
        const uint16_t k = p->asked[p->places[i]];
        if (k != NOT_ASKED) p->places[i] = s->made[k].next[s->made[k].bins[i]];
    }
}

hr_status hr_placed_stats_split(hr_placed_stats *p, const uint32_t *nodes, const hr_split *splits,
                                const uint32_t *left, size_t count, hr_error *err) {
    placed_split *made = malloc((count + 1) * sizeof *made);
    if (!made) return hr_fail_memory(err);
    for (size_t k = 0; k < count; k++) {
        uint8_t goes_left[HR_BINS_MAX] = {0};
        hr_split_left_table(&splits[k], p->binned->binning, goes_left);
        made[k].bins = hr_binned_column(p->binned, splits[k].feature);
        for (size_t b = 0; b < HR_BINS_MAX; b++) made[k].next[b] = (uint16_t)(left[k] + !goes_left[b]);
    }
    mark_asked(p, nodes, count);
    placed_splits all = {p, made};
    hr_team_share((size_t)p->threads, p->binned->rows, BLOCK_RECORDS, split_placed_rows, &all);
    free(made);
    return HR_OK;
}

/* ---- Scores ---- */

/* What the records of a node get: a leaf's value, or that of the child which a bin leads to. */
typedef struct placed_values {
    const uint8_t *bins; /* NULL: a leaf */
    double value[HR_BINS_MAX];
} placed_values;

typedef struct placed_tree {
    const hr_placed_stats *placed;
    const placed_values *values; /* node */
    double *scores;
    size_t stride;
} placed_tree;

static void add_placed_rows(void *of, size_t member, size_t begin, size_t end) {
    const placed_tree *t = of;
    (void)member;
    for (size_t i = begin; i < end; i++) {
        const placed_values *values = &t->values[t->placed->places[i]];
        t->scores[i * t->stride] += values->value[values->bins ? values->bins[i] : 0];
    }
}

hr_status hr_placed_stats_add_tree(const hr_placed_stats *p, const hr_tree *tree, double *scores,
                                   size_t stride, hr_error *err) {
    placed_values *values = malloc(tree->node_count * sizeof *values);
    if (!values) return hr_fail_memory(err);
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        values[n].bins = node->left ? hr_binned_column(p->binned, node->feature) : NULL;
        values[n].value[0] = node->value;
        if (!node->left) continue;
        const hr_kind kind = p->binned->binning->features[node->feature].kind;
        for (size_t b = 0; b < HR_BINS_MAX; b++) {
            const bool left = hr_node_goes_left(tree, node, kind, (uint8_t)b);
            values[n].value[b] = tree->nodes[node->left + (left ? 0 : 1)].value;
        }
    }

    placed_tree all = {p, values, scores, stride};
    hr_team_share((size_t)p->threads, p->binned->rows, BLOCK_RECORDS, add_placed_rows, &all);
    free(values);
    return HR_OK;
}
