#include "trees/records/local_stats.h"

#include "base/fail.h"
#include "base/kernels/kernels.h"
#include "base/team.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_ROWS = 1 << 14, CHUNKS_MAX = 64, PIECES = 4, TILE_CELLS = HR_TILE * HR_STRIDE };

/* The records of a node: a run of one of two buffers. Its place in the other is free; no other node but those
 * above and below it has a part of either place. */
typedef struct node_run {
    size_t begin[2]; /* in each buffer */
    size_t count;
    int buffer; /* which one has the records; -1: the node's parent was never partitioned */
} node_run;

struct hr_local_stats {
    const hr_binned *binned;
    const hr_kernels *kernels;
    int threads;
    const uint32_t *first_rows; /* of the root; NULL: all rows in order */
    hr_valued_rows buffers[2];  /* the values: packed gradients; those of the root are in the first */
    uint8_t *goes_left; /* of the records of nodes that are partitioned, at their places in the first */
    node_run *runs;
    size_t run_count;
    hr_sum_word *pieces;    /* partial sums: PIECES * threads tiles, with more than one thread */
    size_t *pieces_before;  /* the k-th node's begin behind those of nodes before it */
    hr_sparse_node *sparse; /* the nodes of a question about sparse bins */
};

/* Rows of a node; NULL stands for 0, 1, 2, ... */
static const uint32_t *rows_of(const hr_local_stats *local, const node_run *r) {
    if (r == local->runs) return local->first_rows;
    return local->buffers[r->buffer].rows + r->begin[r->buffer];
}

static const int64_t *packed_of(const hr_local_stats *local, const node_run *r) {
    return local->buffers[r->buffer].values + r->begin[r->buffer];
}

/* The sums of one question: every tile of every node is a task, of one or more pieces of the node's rows. */
typedef struct sum_plan {
    hr_local_stats *local;
    const uint32_t *nodes;
    hr_sum_word *const *out;
    size_t tiles, tasks, members;
    size_t piece_rows; /* about so many; a node with fewer is one piece */
} sum_plan;

typedef struct split_plan {
    hr_local_stats *local;
    const uint32_t *nodes;
    const hr_split *splits;
    const uint32_t *left;
    size_t large; /* records of a node that all threads divide together */
} split_plan;

static const node_run *run_of_task(const sum_plan *p, size_t task) {
    return &p->local->runs[p->nodes[task / p->tiles]];
}

static size_t pieces_of_task(const sum_plan *p, size_t task) {
    return run_of_task(p, task)->count / p->piece_rows + 1;
}

/* Of a task's first piece: where its sums belong; of the others: room of their own. */
static hr_sum_word *cells_of_piece(const sum_plan *p, size_t task, size_t piece) {
    const size_t node = task / p->tiles, tile = task % p->tiles;
    if (!piece) return p->out[node] + tile * TILE_CELLS;
    const size_t before = p->local->pieces_before[node] + tile * (pieces_of_task(p, task) - 1);
    return p->local->pieces + (before + piece - 1) * TILE_CELLS;
}

static void sum_piece(const sum_plan *p, size_t task, size_t piece) {
    const node_run *r = run_of_task(p, task);
    const size_t pieces = pieces_of_task(p, task), begin = r->count * piece / pieces,
                 end = r->count * (piece + 1) / pieces;
    if (piece >= pieces) return;
    hr_histogram_of_tile(p->local->binned, task % p->tiles, rows_of(p->local, r) + begin,
                         packed_of(p->local, r) + begin, end - begin, cells_of_piece(p, task, piece));
}

static void sum_pieces(void *of, size_t member, size_t begin, size_t end) {
    const sum_plan *p = of;
    (void)member;
    for (size_t k = begin; k < end; k++) sum_piece(p, k % p->tasks, k / p->tasks);
}

static void add_pieces(void *of, size_t member, size_t begin, size_t end) {
    const sum_plan *p = of;
    (void)member;
    for (size_t task = begin; task < end; task++)
        for (size_t piece = 1; piece < pieces_of_task(p, task); piece++)
            hr_histogram_add(cells_of_piece(p, task, 0), cells_of_piece(p, task, piece), TILE_CELLS);
}

/* There is room for all pieces but the first ones: together they are fewer than rows / piece_rows. */
static sum_plan plan_sums(hr_local_stats *local, const uint32_t *nodes, hr_sum_word *const *out,
                          size_t count) {
    const size_t tiles = local->binned->tile_count;
    size_t rows = 0, before = 0;
    for (size_t k = 0; k < count; k++) rows += local->runs[nodes[k]].count * tiles;
    const size_t members = hr_team_worth(local->threads, rows * HR_TILE, HR_TEAM_ADDS),
                 piece_rows = members > 1 ? rows / (PIECES * members) + 1 : SIZE_MAX;
    const sum_plan p = {local, nodes, out, tiles, count * tiles, members, piece_rows};
    for (size_t k = 0; k < count; k++) {
        local->pieces_before[k] = before;
        before += tiles * (pieces_of_task(&p, k * tiles) - 1);
    }
    return p;
}

static size_t most_pieces(const sum_plan *p) {
    size_t most = 1;
    for (size_t task = 0; task < p->tasks; task += p->tiles)
        if (pieces_of_task(p, task) > most) most = pieces_of_task(p, task);
    return most;
}

/* Nodes differ in size: large ones are cut into pieces, which are summed apart and added up, so that all
 * threads have work to the end. */
void hr_local_stats_sum(hr_local_stats *local, const uint32_t *nodes, hr_sum_word *const *out, size_t count) {
    if (local->binned->sparse) {
        for (size_t k = 0; k < count; k++) {
            const node_run *r = &local->runs[nodes[k]];
            local->sparse[k] = (hr_sparse_node){rows_of(local, r), packed_of(local, r), r->count, out[k]};
        }
        hr_histograms_of_sparse(local->binned, local->sparse, count, local->threads);
        return;
    }
    if (count == 1 && !rows_of(local, &local->runs[nodes[0]])) {
        hr_histogram_of_all(local->binned, packed_of(local, &local->runs[nodes[0]]), local->threads, out[0]);
        return;
    }
    sum_plan p = plan_sums(local, nodes, out, count);
    const size_t most = most_pieces(&p);
    hr_team_share(p.members, p.tasks * most, 1, sum_pieces, &p);
    if (most > 1) hr_team_share(p.members, p.tasks, 1, add_pieces, &p);
}

static hr_valued_rows rows_at(const hr_local_stats *local, const node_run *r, int buffer) {
    const hr_valued_rows *b = &local->buffers[buffer];
    return (hr_valued_rows){b->rows + r->begin[buffer], b->values + r->begin[buffer]};
}

static hr_valued_rows rows_behind(hr_valued_rows a, size_t count) {
    return (hr_valued_rows){a.rows + count, a.values + count};
}

static void move_rows(hr_valued_rows to, hr_valued_rows from, size_t count) {
    memmove(to.rows, from.rows, count * sizeof *to.rows);
    memmove(to.values, from.values, count * sizeof *to.values);
}

/* Whether each of `count` records goes left; `rows` NULL: those from `first` on. */
static void find_left(const hr_binned *binned, const hr_split *split, const uint32_t *restrict rows,
                      size_t first, size_t count, uint8_t *restrict goes_left) {
    uint8_t table[HR_BINS_MAX];
    const uint8_t *restrict bins = hr_binned_column(binned, split->feature);
    hr_split_left_table(split, binned->binning, table);
    if (!bins)
        for (size_t i = 0; i < count; i++)
            goes_left[i] = table[hr_sparse_bin(binned->sparse, rows ? rows[i] : first + i, split->feature)];
    else if (!rows)
        for (size_t i = 0; i < count; i++) goes_left[i] = table[bins[first + i]];
    else
        for (size_t i = 0; i < count; i++) goes_left[i] = table[bins[rows[i]]];
}

/* Divides the records [begin, end) of a node: those that go left come to the other buffer, the rest close up
 * where they are; both within the place of [begin, end). Returns how many go left. */
static size_t divide_stretch(const hr_local_stats *local, const node_run *r, const hr_split *split,
                             size_t begin, size_t end) {
    uint8_t *goes_left = local->goes_left + r->begin[0] + begin;
    const hr_valued_rows left = rows_behind(rows_at(local, r, !r->buffer), begin),
                         right = rows_behind(rows_at(local, r, r->buffer), begin);
    const size_t count = end - begin;
    const uint32_t *given = rows_of(local, r), *rows = given ? given + begin : right.rows;
    find_left(local->binned, split, given ? rows : NULL, begin, count, goes_left);
    if (!given)
        for (size_t i = 0; i < count; i++) right.rows[i] = (uint32_t)(begin + i);
    return local->kernels->divide_rows(&(hr_given_rows){rows, right.values}, goes_left, count, &left, &right);
}

typedef struct node_chunks {
    const hr_local_stats *local;
    const node_run *run;
    const hr_split *split;
    size_t count;
    size_t lefts[CHUNKS_MAX]; /* records of a chunk that go left */
} node_chunks;

static void divide_chunks(void *of, size_t member, size_t begin, size_t end) {
    node_chunks *n = of;
    const size_t rows = n->run->count;
    (void)member;
    for (size_t c = begin; c < end; c++)
        n->lefts[c] =
            divide_stretch(n->local, n->run, n->split, rows * c / n->count, rows * (c + 1) / n->count);
}

/* Partitions one node, in chunks by all threads, which are then moved together in order. Returns how many
 * records go left: they are in the other buffer now, the others where all of them were. */
static size_t partition_node(const hr_local_stats *local, const node_run *r, const hr_split *split,
                             size_t chunks) {
    node_chunks divided = {.local = local, .run = r, .split = split, .count = chunks};
    const size_t *lefts = divided.lefts;
    size_t to_left = 0, to_right = 0;
    hr_team_share((size_t)local->threads, chunks, 1, divide_chunks, &divided);
    const hr_valued_rows left = rows_at(local, r, !r->buffer), right = rows_at(local, r, r->buffer);
    for (size_t c = 0; c < chunks; c++) {
        const size_t begin = r->count * c / chunks, count = r->count * (c + 1) / chunks - begin;
        if (c) {
            move_rows(rows_behind(left, to_left), rows_behind(left, begin), lefts[c]);
            move_rows(rows_behind(right, to_right), rows_behind(right, begin), count - lefts[c]);
        }
        to_left += lefts[c];
        to_right += count - lefts[c];
    }
    return to_left;
}

static void split_node(hr_local_stats *local, uint32_t node, const hr_split *split, uint32_t left,
                       size_t chunks) {
    const node_run *r = &local->runs[node];
    const size_t to_left = partition_node(local, r, split, chunks), to_right = r->count - to_left;
    node_run sides[2] = {*r, *r};
    sides[0].buffer = !r->buffer;
    sides[0].count = to_left;
    sides[0].begin[r->buffer] += to_right;
    sides[1].count = to_right;
    sides[1].begin[!r->buffer] += to_left;
    memcpy(&local->runs[left], sides, sizeof sides);
}

static void split_small_nodes(void *of, size_t member, size_t begin, size_t end) {
    const split_plan *p = of;
    (void)member;
    for (size_t k = begin; k < end; k++)
        if (p->local->runs[p->nodes[k]].count < p->large)
            split_node(p->local, p->nodes[k], &p->splits[k], p->left[k], 1);
}

/* Nodes that hold more than a thread's part of all records are partitioned by all threads together, the
 * others side by side. */
void hr_local_stats_split(hr_local_stats *local, const uint32_t *nodes, const hr_split *splits,
                          const uint32_t *left, size_t count) {
    const size_t threads = (size_t)local->threads, chunks = threads < CHUNKS_MAX ? threads : CHUNKS_MAX;
    split_plan p = {local, nodes, splits, left, local->runs[0].count / (2 * threads) + CHUNK_ROWS};
    size_t small = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t rows = local->runs[nodes[k]].count;
        if (rows >= p.large)
            split_node(local, nodes[k], &splits[k], left[k], chunks);
        else
            small += rows;
    }
    hr_team_share(hr_team_worth(local->threads, small, HR_TEAM_RECORDS), count, 1, split_small_nodes, &p);
}

static bool buffer_init(hr_valued_rows *b, size_t rows) {
    b->rows = malloc((rows + 1) * sizeof *b->rows);
    b->values = malloc((rows + 1) * sizeof *b->values);
    return b->rows && b->values;
}

static void buffer_done(hr_valued_rows *b) {
    free(b->rows);
    free(b->values);
}

hr_status hr_local_stats_new(const hr_binned *binned, size_t rows, int depth, int threads,
                             hr_local_stats **out, hr_error *err) {
    hr_local_stats *local = calloc(1, sizeof *local);
    if (!local) return hr_fail_memory(err);
    local->binned = binned;
    local->kernels = hr_kernels_get();
    local->threads = threads;
    local->run_count = (size_t)2 << depth;
    local->runs = malloc(local->run_count * sizeof *local->runs);
    local->pieces = malloc(PIECES * (size_t)threads * TILE_CELLS * sizeof *local->pieces);
    local->pieces_before = malloc(local->run_count * sizeof *local->pieces_before);
    local->goes_left = malloc(rows + 1);
    local->sparse = malloc(local->run_count * sizeof *local->sparse);
    if (!local->runs || !local->sparse || !local->pieces || !local->pieces_before || !local->goes_left ||
        !buffer_init(&local->buffers[0], rows) || !buffer_init(&local->buffers[1], rows)) {
        hr_local_stats_free(local);
        return hr_fail_memory(err);
    }
    *out = local;
    return HR_OK;
}

void hr_local_stats_free(hr_local_stats *local) {
    if (!local) return;
    buffer_done(&local->buffers[0]);
    buffer_done(&local->buffers[1]);
    free(local->runs);
    free(local->pieces);
    free(local->pieces_before);
    free(local->goes_left);
    free(local->sparse);
    free(local);
}

int64_t *hr_local_stats_packed(hr_local_stats *local) {
    return local->buffers[0].values;
}

void hr_local_stats_start(hr_local_stats *local, const uint32_t *rows, size_t count) {
    local->first_rows = rows;
    for (size_t i = 0; i < local->run_count; i++) local->runs[i].buffer = -1;
    local->runs[0] = (node_run){.count = count};
}

/* Records whose node was split but not partitioned: they take one more step. */
static void add_last_step(const hr_local_stats *local, const hr_tree *tree, const hr_node *node,
                          const node_run *r, double *scores, size_t stride) {
    double value[HR_BINS_MAX];
    hr_kind kind = local->binned->binning->features[node->feature].kind;
    for (int bin = 0; bin < HR_BINS_MAX; bin++) {
        bool left = hr_node_goes_left(tree, node, kind, (uint8_t)bin);
        value[bin] = tree->nodes[node->left + (left ? 0 : 1)].value;
    }
    const uint8_t *bins = hr_binned_column(local->binned, node->feature);
    const uint32_t *rows = rows_of(local, r);
    for (size_t i = 0; i < r->count; i++) {
        size_t row = rows ? rows[i] : i;
        scores[row * stride] += value[hr_binned_bin(local->binned, bins, node->feature, row)];
    }
}

static void add_leaf(const hr_local_stats *local, double value, const node_run *r, double *scores,
                     size_t stride) {
    const uint32_t *rows = rows_of(local, r);
    for (size_t i = 0; i < r->count; i++) scores[(rows ? rows[i] : i) * stride] += value;
}

/* Whether records of the node were dealt no further: it is a leaf, or its children were never partitioned. */
static bool ends_in(const hr_local_stats *local, const hr_tree *tree, size_t n) {
    uint32_t left = tree->nodes[n].left;
    return local->runs[n].buffer >= 0 && (!left || local->runs[left].buffer < 0);
}

typedef struct added_tree {
    const hr_local_stats *local;
    const hr_tree *tree;
    double *scores;
    size_t stride;
} added_tree;

static void add_nodes(void *of, size_t member, size_t begin, size_t end) {
    const added_tree *a = of;
    (void)member;
    for (size_t n = begin; n < end; n++) {
        const hr_node *node = &a->tree->nodes[n];
        const node_run *run = &a->local->runs[n];
        if (!ends_in(a->local, a->tree, n)) continue;
        if (!node->left)
            add_leaf(a->local, node->value, run, a->scores, a->stride);
        else
            add_last_step(a->local, a->tree, node, run, a->scores, a->stride);
    }
}

void hr_local_stats_add_tree(const hr_local_stats *local, const hr_tree *tree, double *scores,
                             size_t stride) {
    added_tree added = {local, tree, scores, stride};
    hr_team_share(hr_team_worth(local->threads, local->runs[0].count, HR_TEAM_RECORDS), tree->node_count, 1,
                  add_nodes, &added);
}

static int64_t hessian_of(const hr_hessian_rule *rule, uint32_t row, int64_t packed) {
    return hr_hessian(rule, row, hr_unpack(rule->packing, packed).gradient.unpaid);
}

/* Adds those of a node's records to the node, if it is a leaf, or else to the children that they were not
 * dealt to. */
static void add_hessians(const hr_local_stats *local, const hr_tree *tree, uint32_t n,
                         const hr_hessian_rule *rule, hr_exact *sums) {
    const hr_node *node = &tree->nodes[n];
    const node_run *r = &local->runs[n];
    const int64_t *packed = packed_of(local, r);
    const uint32_t *rows = rows_of(local, r);
    if (!node->left) {
        for (size_t i = 0; i < r->count; i++)
            sums[n].unpaid += hessian_of(rule, rows ? rows[i] : (uint32_t)i, packed[i]);
        return;
    }
    hr_kind kind = local->binned->binning->features[node->feature].kind;
    uint32_t child[HR_BINS_MAX];
    for (int bin = 0; bin < HR_BINS_MAX; bin++)
        child[bin] = node->left + !hr_node_goes_left(tree, node, kind, (uint8_t)bin);
    const uint8_t *bins = hr_binned_column(local->binned, node->feature);
    for (size_t i = 0; i < r->count; i++) {
        const uint32_t row = rows ? rows[i] : (uint32_t)i;
        const uint8_t bin = hr_binned_bin(local->binned, bins, node->feature, row);
        sums[child[bin]].unpaid += hessian_of(rule, row, packed[i]);
    }
}

typedef struct hessian_task {
    const hr_local_stats *local;
    const hr_tree *tree;
    const hr_hessian_rule *rule;
    hr_exact *sums; /* node */
} hessian_task;

static void add_hessians_of_nodes(void *of, size_t member, size_t begin, size_t end) {
    const hessian_task *t = of;
    (void)member;
    for (size_t n = begin; n < end; n++)
        if (ends_in(t->local, t->tree, n)) add_hessians(t->local, t->tree, (uint32_t)n, t->rule, t->sums);
}

/* Sums of all nodes first, then those of inner nodes, which are 0, are left out. */
void hr_local_stats_hessians(const hr_local_stats *local, const hr_tree *tree, const hr_hessian_rule *rule,
                             hr_exact *sums) {
    size_t leaf = 0;
    for (size_t n = 0; n < tree->node_count; n++) sums[n].unpaid = 0;
    hessian_task task = {local, tree, rule, sums};
    hr_team_share(hr_team_worth(local->threads, local->runs[0].count, HR_TEAM_RECORDS), tree->node_count, 1,
                  add_hessians_of_nodes, &task);
    for (size_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].left) sums[leaf++] = sums[n];
}
