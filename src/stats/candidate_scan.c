#include "stats/candidate_scan.h"

#include "random/sample.h"
#include "tree/block_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = HR_WALK_BLOCK,
    SCAN_BITS = HR_GRADIENT_BITS,
    NODES = HR_CANDIDATE_SCAN_NODES_MAX,
    GRID_MAX = 8192,
    LANES = 4,
    PASSES = 3 /* over all records, over a part, and over all again */
};

_Static_assert((int)HR_LEAVES_MAX == 1 << HR_CANDIDATE_SCAN_DEPTH_MAX, "scores round every leaf");

/* The combinations of the bins of one or two features: cell (bin of features[0]) * width + (bin of
 * features[1]). */
typedef struct grid {
    size_t feature_count;
    uint32_t features[2]; /* ascending */
    size_t width, cells;
    size_t begin; /* where its sums begin among those that trees share: output, cell */
} grid;

/* How the records of a block find their node in one tree. */
typedef struct finder {
    grid grid; /* of the features that the tree asks about; more than two are walked */
    bool shares_sums;
    uint16_t *table; /* node of a cell */
    size_t table_room;
    hr_block_tree walk;
} finder;

struct hr_candidate_scan {
    const hr_binned *binned;
    const double *targets;
    size_t outputs, tree_room;
    size_t channels; /* of sums: the outputs; with weights one more, for those */
    int threads, shift;
    double *scores;
    size_t *offsets;          /* of the columns */
    hr_arena *arenas[PASSES]; /* layouts of walked trees, of this pass and those before (the step still walks
                                 a tree of theirs) */
    hr_arena_mark starts[PASSES];
    size_t pass;
    finder *finders; /* of a round's trees; the last one is that of the step */
    bool has_step;
    hr_row_range ahead; /* the records that have taken the step, before the others */
    double *step_values;
    grid *grids;                     /* whose sums trees of this pass share */
    size_t grid_count, shared_count; /* grids; their sums */
    int64_t *sums;                   /* thread, tree, channel, node: packed, but with weights */
    int64_t *shared;                 /* thread, grid, channel, cell: as the sums */
    int64_t *packed;                 /* thread, channel, record of a block */
    int64_t within;
};

void hr_candidate_scan_free(hr_candidate_scan *scan) {
    if (!scan) return;
    for (size_t t = 0; scan->finders && t <= scan->tree_room; t++) free(scan->finders[t].table);
    free(scan->finders);
    free(scan->scores);
    free(scan->offsets);
    free(scan->step_values);
    free(scan->grids);
    free(scan->sums);
    free(scan->shared);
    free(scan->packed);
    for (int i = 0; i < PASSES; i++) hr_arena_free(scan->arenas[i]);
    free(scan);
}

double hr_candidate_scan_memory(size_t rows, size_t outputs, size_t trees, int threads) {
    double nodes = (double)trees * NODES * (double)outputs, cells = (double)trees * GRID_MAX;
    double of_thread = nodes + cells + (double)outputs * BLOCK;
    return ((double)rows * (double)outputs + (double)threads * of_thread) * sizeof(int64_t) +
           cells * sizeof(uint16_t);
}

static bool allocate_scan(hr_candidate_scan *s, const double *base) {
    size_t rows = s->binned->rows, threads = (size_t)s->threads;
    s->scores = malloc((rows * s->outputs + 1) * sizeof *s->scores);
    s->offsets = malloc((s->binned->features + 1) * sizeof *s->offsets);
    s->finders = calloc(s->tree_room + 1, sizeof *s->finders);
    s->step_values = malloc(NODES * s->outputs * sizeof *s->step_values);
    s->grids = malloc(s->tree_room * sizeof *s->grids);
    s->sums = malloc(threads * s->tree_room * NODES * s->channels * sizeof *s->sums);
    s->shared = malloc(threads * s->tree_room * GRID_MAX * sizeof *s->shared);
    s->packed = malloc(threads * s->channels * BLOCK * sizeof *s->packed);
    bool arenas = true;
    for (int i = 0; i < PASSES; i++) arenas = (s->arenas[i] = hr_arena_new()) && arenas;
    if (!s->scores || !s->offsets || !s->finders || !s->step_values || !arenas) return false;
    if (!s->grids || !s->sums || !s->shared || !s->packed) return false;
    for (int i = 0; i < PASSES; i++) s->starts[i] = hr_arena_get_mark(s->arenas[i]);
    for (size_t f = 0; f < s->binned->features; f++) s->offsets[f] = f * s->binned->column_stride;
    for (size_t i = 0; i < rows * s->outputs; i++) s->scores[i] = base[i % s->outputs];
    return true;
}

hr_status hr_candidate_scan_new(const hr_binned *binned, const hr_candidate_scan_setup *setup,
                                hr_candidate_scan **out, hr_error *err) {
    int shift = hr_packing_shift(binned->rows, 1, 1 << (SCAN_BITS + 1));
    if (shift < 0)
        return hr_fail(err, HR_E_LIMIT, "train on a part of the records",
                       "too many records for exact sums in 63 bits");
    hr_candidate_scan *scan = calloc(1, sizeof *scan);
    if (!scan) return hr_fail_memory(err);
    *scan = (hr_candidate_scan){.binned = binned,
                                .targets = setup->targets,
                                .outputs = setup->outputs,
                                .channels = setup->outputs + (binned->weights != NULL),
                                .tree_room = setup->trees,
                                .threads = setup->threads,
                                .shift = shift};
    if (!allocate_scan(scan, setup->base)) {
        hr_candidate_scan_free(scan);
        return hr_fail_memory(err);
    }
    *out = scan;
    return HR_OK;
}

/* ---- Laying trees out ---- */

static void ask_split(grid *g, uint32_t feature) {
    for (size_t i = 0; i < g->feature_count && i < 2; i++)
        if (g->features[i] == feature) return;
    if (g->feature_count < 2) g->features[g->feature_count] = feature;
    g->feature_count++;
}

/* A tree that asks nothing is one over the first feature. */
static grid grid_of(const hr_tree *tree, const hr_binning *binning) {
    grid g = {.feature_count = 0};
    for (size_t n = 0; n < tree->node_count; n++)
        if (tree->nodes[n].left) ask_split(&g, tree->nodes[n].feature);
    if (!g.feature_count) g.feature_count = 1;
    if (g.feature_count == 2 && g.features[0] > g.features[1]) {
        uint32_t swap = g.features[0];
        g.features[0] = g.features[1];
        g.features[1] = swap;
    }
    g.width = g.feature_count == 2 ? binning->features[g.features[1]].bin_count : 1;
    g.cells = binning->features[g.features[0]].bin_count * g.width;
    return g;
}

/* The bins of a grid's features that reach a node. */
typedef struct region {
    uint8_t *bins[2];
    size_t counts[2];
} region;

/* Moves the bins that go left to the front; returns how many there are. */
static size_t divide_score(const hr_tree *tree, const hr_node *node, hr_kind kind, uint8_t *bins,
                           size_t count) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t bin = bins[i];
        if (!hr_node_goes_left(tree, node, kind, bin)) continue;
        bins[i] = bins[left];
        bins[left++] = bin;
    }
    return left;
}

/* Every bin of the one feature meets every bin of the other, in any node: a split divides the bins of one of
 * them. */
static void fill_region(const hr_tree *tree, const hr_binning *binning, const finder *f, uint32_t n,
                        region r) {
    const hr_node *node = &tree->nodes[n];
    if (!node->left) {
        for (size_t a = 0; a < r.counts[0]; a++)
            for (size_t b = 0; b < r.counts[1]; b++)
                f->table[r.bins[0][a] * f->grid.width + r.bins[1][b]] = (uint16_t)n;
        return;
    }
    size_t side = node->feature != f->grid.features[0];
    size_t left =
        divide_score(tree, node, binning->features[node->feature].kind, r.bins[side], r.counts[side]);
    region rest = r;
    r.counts[side] = left;
    rest.bins[side] += left;
    rest.counts[side] -= left;
    fill_region(tree, binning, f, node->left, r);
    fill_region(tree, binning, f, node->left + 1, rest);
}

static bool fill_table(const hr_tree *tree, const hr_binning *binning, finder *f) {
    if (f->grid.cells > f->table_room) {
        uint16_t *table = realloc(f->table, f->grid.cells * sizeof *table);
        if (!table) return false;
        f->table = table;
        f->table_room = f->grid.cells;
    }
    uint8_t bins[2][HR_BINS_MAX];
    for (size_t b = 0; b < HR_BINS_MAX; b++) bins[0][b] = bins[1][b] = (uint8_t)b;
    fill_region(tree, binning, f, 0,
                (region){{bins[0], bins[1]}, {f->grid.cells / f->grid.width, f->grid.width}});
    return true;
}

static bool same_features(const grid *a, const grid *b) {
    return a->feature_count == b->feature_count && a->features[0] == b->features[0] &&
           a->features[1] == b->features[1];
}

/* Sums by cell, unless they are too many for the nearest cache. */
static void share_sums(hr_candidate_scan *s, finder *f) {
    f->shares_sums = f->grid.feature_count <= 2 && f->grid.cells * s->channels <= GRID_MAX;
    if (!f->shares_sums) return;
    for (size_t i = 0; i < s->grid_count; i++) {
        f->grid.begin = s->grids[i].begin;
        if (same_features(&s->grids[i], &f->grid)) return;
    }
    f->grid.begin = s->shared_count;
    s->shared_count += f->grid.cells * s->channels;
    s->grids[s->grid_count++] = f->grid;
}

static bool lay_out_candidates(hr_candidate_scan *s, const hr_tree *tree, finder *f) {
    f->grid = grid_of(tree, s->binned->binning);
    share_sums(s, f);
    if (f->grid.feature_count <= 2) return fill_table(tree, s->binned->binning, f);
    return hr_block_tree_make(s->arenas[s->pass % PASSES], tree, s->binned->binning, s->offsets, &f->walk);
}

/* ---- One block of records ---- */

typedef struct scan_block_of_records {
    size_t begin, count;
    uint16_t nodes[BLOCK]; /* of the step's tree */
    int64_t *packed;       /* output, record */
} scan_block_of_records;

static void find_cells(const hr_candidate_scan *s, const grid *g, const scan_block_of_records *b,
                       uint16_t *restrict cells) {
    const uint8_t *first = hr_binned_column(s->binned, g->features[0]) + b->begin;
    const uint8_t *second = hr_binned_column(s->binned, g->features[1]) + b->begin;
    uint16_t width = (uint16_t)g->width;
    if (g->feature_count == 1)
        for (size_t i = 0; i < b->count; i++) cells[i] = first[i];
    else
        for (size_t i = 0; i < b->count; i++) cells[i] = (uint16_t)(first[i] * width + second[i]);
}

static void find_nodes(const hr_candidate_scan *s, const finder *f, const scan_block_of_records *b,
                       uint16_t *restrict nodes) {
    if (f->grid.feature_count > 2) {
        hr_block_walk(&f->walk, s->binned->columns, b->begin, b->count, nodes);
        return;
    }
    find_cells(s, &f->grid, b, nodes);
    for (size_t i = 0; i < b->count; i++) nodes[i] = f->table[nodes[i]];
}

static double clamp_score(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* What scores are kept within. */
static double lowest_score(const hr_candidate_scan *s, const hr_candidate_scan_loss *loss) {
    return s->outputs > 1 ? -.2 : -loss->score_limit;
}

static double highest_score(const hr_candidate_scan *s, const hr_candidate_scan_loss *loss) {
    return s->outputs > 1 ? 1.2 : loss->score_limit;
}

/* A scan has half of the log-odds (logistic loss), or the probabilities of more than two classes. */
void hr_candidate_scan_start(hr_candidate_scan *s, const double *scores, const hr_candidate_scan_loss *loss) {
    double low = lowest_score(s, loss), high = highest_score(s, loss);
    for (size_t i = 0; i < s->binned->rows * s->outputs; i++) {
        double score = s->outputs > 1 ? (scores[i] + 1) / 2 : loss->logistic ? scores[i] / 2 : scores[i];
        s->scores[i] = fmin(fmax(score, low), high);
    }
}

static void take_step(hr_candidate_scan *s, const hr_candidate_scan_loss *loss, scan_block_of_records *b) {
    double low = lowest_score(s, loss), high = highest_score(s, loss);
    find_nodes(s, &s->finders[s->tree_room], b, b->nodes);
    for (size_t i = 0; i < b->count; i++) {
        double *score = s->scores + (b->begin + i) * s->outputs;
        const double *value = s->step_values + b->nodes[i] * s->outputs;
        for (size_t k = 0; k < s->outputs; k++) score[k] = clamp_score(score[k] + value[k], low, high);
    }
}

static int64_t bound_score(int64_t x, int64_t bound) {
    return x < -bound ? -bound : x > bound ? bound : x;
}

static double gradient_of(const hr_candidate_scan_loss *loss, double score, double target) {
    return (loss->logistic ? tanh(score) : score) - target;
}

/* One output: clipped gradient and count of a record in one word. Returns how many gradients were within the
 * clip. */
static int64_t pack_one(const hr_candidate_scan *s, const hr_candidate_scan_loss *loss,
                        scan_block_of_records *b) {
    const double *scores = s->scores + b->begin, *targets = s->targets + b->begin;
    int64_t within = 0;
    for (size_t i = 0; i < b->count; i++) {
        double g = gradient_of(loss, scores[i], targets[i]);
        within += fabs(g) <= loss->clip;
        int64_t whole =
            bound_score(hr_round(clamp_score(g, -loss->clip, loss->clip) * (1 << SCAN_BITS)), loss->bound);
        b->packed[i] = (int64_t)((uint64_t)whole << s->shift) + 1;
    }
    return within;
}

static double residual(const hr_candidate_scan *s, size_t row, size_t k) {
    return s->scores[row * s->outputs + k] - (s->targets[row] == (double)k ? 1 : 0);
}

/* More outputs: the factor that shortens a record's gradient to the clip. */
static double factor_of(const hr_candidate_scan *s, const hr_candidate_scan_loss *loss, size_t row) {
    double square = 0;
    for (size_t k = 0; k < s->outputs; k++) {
        double g = residual(s, row, k);
        square += g * g;
    }
    double norm = sqrt(square);
    return (norm > loss->clip ? loss->clip / norm : 1) * (1 << SCAN_BITS);
}

static int64_t square_of(const hr_candidate_scan *s, const int64_t *vector) {
    int64_t square = 0;
    for (size_t k = 0; k < s->outputs; k++) square += vector[k * BLOCK] * vector[k * BLOCK];
    return square;
}

/* Integers are truncated towards zero; should floats have erred so far that their norm exceeds the bound all
 * the same, the vector is halved until it does not. */
static void pack_many(const hr_candidate_scan *s, const hr_candidate_scan_loss *loss,
                      scan_block_of_records *b) {
    for (size_t i = 0; i < b->count; i++) {
        int64_t *vector = b->packed + i;
        double factor = factor_of(s, loss, b->begin + i);
        for (size_t k = 0; k < s->outputs; k++)
            vector[k * BLOCK] = (int64_t)(residual(s, b->begin + i, k) * factor);
        while (square_of(s, vector) > loss->bound * loss->bound)
            for (size_t k = 0; k < s->outputs; k++) vector[k * BLOCK] /= 2;
        for (size_t k = 0; k < s->outputs; k++)
            vector[k * BLOCK] = (int64_t)((uint64_t)vector[k * BLOCK] << s->shift) + 1;
    }
}

/* What a person's record adds in the place of its packed gradients: its share of each, and its weight.
 * Returns the weight of the gradients within the clip. */
static int64_t weigh_block(const hr_candidate_scan *s, const hr_candidate_scan_loss *loss,
                           scan_block_of_records *b) {
    const hr_packing packing = {.shift = s->shift};
    const uint32_t *weights = s->binned->weights + b->begin;
    int64_t within = 0;
    for (size_t i = 0; i < b->count; i++) {
        for (size_t k = 0; k < s->outputs; k++) {
            int64_t *packed = &b->packed[k * BLOCK + i];
            *packed = hr_person_share(weights[i], hr_unpack(&packing, *packed).gradient.unpaid);
        }
        b->packed[s->outputs * BLOCK + i] = weights[i];
        bool is_within = s->outputs == 1 && fabs(gradient_of(loss, s->scores[b->begin + i],
                                                             s->targets[b->begin + i])) <= loss->clip;
        within += is_within ? weights[i] : 0;
    }
    return within;
}

/* What a thread adds up. */
typedef struct scan_worker {
    int64_t *sums, *shared, *packed;
    int64_t within; /* gradients within the clip */
} scan_worker;

static scan_worker worker_of(const hr_candidate_scan *s, size_t thread) {
    return (scan_worker){.sums = s->sums + thread * s->tree_room * NODES * s->channels,
                         .shared = s->shared + thread * s->tree_room * GRID_MAX,
                         .packed = s->packed + thread * s->channels * BLOCK};
}

/* Where the records of a block are added. */
typedef struct lane {
    uint16_t places[BLOCK];
    int64_t *sums;
    size_t stride; /* of an output */
} lane;

typedef struct lanes {
    size_t count;
    lane all[LANES];
} lanes;

/* Additions to the same place wait for each other: full lanes go side by side. */
static void add_lanes(const hr_candidate_scan *s, const scan_block_of_records *b, lanes *l) {
    for (size_t k = 0; k < s->channels; k++) {
        const int64_t *packed = b->packed + k * BLOCK;
        int64_t *sums[LANES];
        for (size_t j = 0; j < l->count; j++) sums[j] = l->all[j].sums + k * l->all[j].stride;
        if (l->count == LANES)
            for (size_t i = 0; i < b->count; i++)
                for (size_t j = 0; j < LANES; j++) sums[j][l->all[j].places[i]] += packed[i];
        else
            for (size_t j = 0; j < l->count; j++)
                for (size_t i = 0; i < b->count; i++) sums[j][l->all[j].places[i]] += packed[i];
    }
    l->count = 0;
}

/* Its places are the caller's to fill. */
static uint16_t *next_lane(const hr_candidate_scan *s, const scan_block_of_records *b, lanes *l,
                           int64_t *sums, size_t stride) {
    if (l->count == LANES) add_lanes(s, b, l);
    lane *next = &l->all[l->count++];
    next->sums = sums;
    next->stride = stride;
    return next->places;
}

static void add_scan_block(const hr_candidate_scan *s, size_t tree_count, const scan_block_of_records *b,
                           const scan_worker *w) {
    lanes l;
    l.count = 0;
    for (size_t g = 0; g < s->grid_count; g++) {
        const grid *of = &s->grids[g];
        find_cells(s, of, b, next_lane(s, b, &l, w->shared + of->begin, of->cells));
    }
    for (size_t t = 0; t < tree_count; t++) {
        if (s->finders[t].shares_sums) continue;
        find_nodes(s, &s->finders[t], b, next_lane(s, b, &l, w->sums + t * NODES * s->channels, NODES));
    }
    add_lanes(s, b, &l);
}

/* Over which records and trees. */
typedef struct scan_pass {
    const hr_candidate_scan_loss *loss;
    size_t tree_count;
    hr_row_range rows;
} scan_pass;

static void scan_block(hr_candidate_scan *s, const scan_pass *p, scan_block_of_records *b, scan_worker *w) {
    int64_t within = 0;
    b->packed = w->packed;
    if (s->outputs == 1)
        within = pack_one(s, p->loss, b);
    else
        pack_many(s, p->loss, b);
    w->within += s->binned->weights ? weigh_block(s, p->loss, b) : within;
    add_scan_block(s, p->tree_count, b, w);
}

/* Every threads-th block of those records, from that of `thread` on. */
static void scan_rows(hr_candidate_scan *s, const scan_pass *p, bool takes_step, size_t thread,
                      scan_worker *w) {
    const size_t stride = (size_t)s->threads * BLOCK, end = p->rows.end;
    for (size_t begin = p->rows.begin + thread * BLOCK; begin < end; begin += stride) {
        scan_block_of_records b = {.begin = begin, .count = end - begin < BLOCK ? end - begin : BLOCK};
        if (takes_step) take_step(s, p->loss, &b);
        scan_block(s, p, &b, w);
    }
}

/* Adds the sums of the grids' cells to their nodes, tree by tree. */
static void fold_grids(const hr_candidate_scan *s, size_t tree_count, const scan_worker *w) {
    for (size_t t = 0; t < tree_count; t++) {
        const finder *f = &s->finders[t];
        int64_t *sums = w->sums + t * NODES * s->channels;
        for (size_t k = 0; f->shares_sums && k < s->channels; k++) {
            const int64_t *cells = w->shared + f->grid.begin + k * f->grid.cells;
            for (size_t c = 0; c < f->grid.cells; c++) sums[k * NODES + f->table[c]] += cells[c];
        }
    }
}

static size_t clamp_row(size_t row, hr_row_range rows) {
    return row < rows.begin ? rows.begin : row > rows.end ? rows.end : row;
}

/* One thread's part. Returns how many gradients were within the clip. */
static int64_t scan_part(hr_candidate_scan *s, const scan_pass *p, size_t thread) {
    const size_t from = clamp_row(s->ahead.begin, p->rows), to = clamp_row(s->ahead.end, p->rows);
    const scan_pass before = {p->loss, p->tree_count, {p->rows.begin, from}},
                    ahead = {p->loss, p->tree_count, {from, to}},
                    behind = {p->loss, p->tree_count, {to, p->rows.end}};
    scan_worker w = worker_of(s, thread);
    memset(w.sums, 0, p->tree_count * NODES * s->channels * sizeof *w.sums);
    memset(w.shared, 0, s->shared_count * sizeof *w.shared);
    scan_rows(s, &before, s->has_step, thread, &w);
    scan_rows(s, &ahead, false, thread, &w);
    scan_rows(s, &behind, s->has_step, thread, &w);
    fold_grids(s, p->tree_count, &w);
    return w.within;
}

/* ---- A round ---- */

/* The step's finder changes places with the chosen tree's; a walk's layout moves to the arena that the next
 * round leaves alone. */
void hr_candidate_scan_set_step(hr_candidate_scan *s, size_t tree, const double *values) {
    finder swap = s->finders[s->tree_room];
    s->finders[s->tree_room] = s->finders[tree];
    s->finders[tree] = swap;
    memcpy(s->step_values, values, NODES * s->outputs * sizeof *values);
    s->has_step = true;
    s->ahead = (hr_row_range){0, 0};
}

static void add_threads(hr_candidate_scan *s, size_t cells) {
    size_t all = s->tree_room * NODES * s->channels;
    for (int w = 1; w < s->threads; w++)
        for (size_t i = 0; i < cells; i++) s->sums[i] += s->sums[(size_t)w * all + i];
}

hr_status hr_candidate_scan_part(hr_candidate_scan *s, hr_row_range rows, const hr_tree *trees,
                                 size_t tree_count, const hr_candidate_scan_loss *loss, hr_error *err) {
    s->pass++;
    s->grid_count = s->shared_count = 0;
    hr_arena_rewind(s->arenas[s->pass % PASSES], s->starts[s->pass % PASSES]);
    for (size_t t = 0; t < tree_count; t++)
        if (!lay_out_candidates(s, &trees[t], &s->finders[t])) return hr_fail_memory(err);
    const scan_pass pass = {loss, tree_count, rows};
    int64_t within = 0;
#pragma omp parallel for num_threads(s->threads) schedule(static, 1) reduction(+ : within)
    for (int w = 0; w < s->threads; w++) within += scan_part(s, &pass, (size_t)w);
    add_threads(s, tree_count * NODES * s->channels);
    s->within = within;
    s->ahead = rows;
    return HR_OK;
}

hr_status hr_candidate_scan_round(hr_candidate_scan *s, const hr_tree *trees, size_t tree_count,
                                  const hr_candidate_scan_loss *loss, hr_error *err) {
    const hr_row_range all = {0, s->binned->rows};
    hr_status status = hr_candidate_scan_part(s, all, trees, tree_count, loss, err);
    if (!status) s->has_step = false;
    return status;
}

static int64_t channel_of(const hr_candidate_scan *s, size_t tree, size_t node, size_t k) {
    return s->sums[(tree * s->channels + k) * NODES + node];
}

static hr_sums sums_of(const hr_candidate_scan *s, size_t tree, size_t node, size_t k) {
    hr_packing packing = {.shift = s->shift};
    if (!s->binned->weights) return hr_unpack(&packing, channel_of(s, tree, node, k));
    return (hr_sums){{channel_of(s, tree, node, k)}, {channel_of(s, tree, node, s->outputs)}};
}

/* Weights are in units of counts. */
static int64_t count_unit_of(const uint32_t *weights) {
    return weights ? 1 : HR_COUNT_UNIT;
}

/* floor(sqrt(x)), exactly. */
static int64_t whole_root(hr_u128 x) {
    uint64_t root = (uint64_t)sqrt((double)x);
    while ((hr_u128)root * root > x) root--;
    while ((hr_u128)(root + 1) * (root + 1) <= x) root++;
    return (int64_t)root;
}

static int64_t length_of(const hr_candidate_scan *s, size_t tree, size_t node) {
    if (s->outputs == 1) return llabs(sums_of(s, tree, node, 0).gradient.unpaid);
    hr_u128 square = 0;
    for (size_t k = 0; k < s->outputs; k++) {
        hr_i128 g = sums_of(s, tree, node, k).gradient.unpaid;
        square += (hr_u128)(g * g);
    }
    return whole_root(square);
}

void hr_candidate_scan_scores(const hr_candidate_scan *s, const hr_tree *trees, size_t tree_count,
                              int64_t threshold, hr_exact *scores) {
    for (size_t t = 0; t < tree_count; t++) {
        scores[t].unpaid = 0;
        for (size_t n = 0; n < trees[t].node_count; n++) {
            if (trees[t].nodes[n].left) continue;
            int64_t over = length_of(s, t, n) - threshold;
            if (over > 0) scores[t].unpaid += over;
        }
    }
}

size_t hr_candidate_scan_leaves(const hr_candidate_scan *s, const hr_tree *trees, size_t tree, hr_exact *sums,
                                hr_exact *counts) {
    size_t leaf = 0;
    for (size_t n = 0; n < trees[tree].node_count; n++) {
        if (trees[tree].nodes[n].left) continue;
        for (size_t k = 0; k < s->outputs; k++) sums[leaf * s->outputs + k] = sums_of(s, tree, n, k).gradient;
        counts[leaf++].unpaid = count_unit_of(s->binned->weights) * sums_of(s, tree, n, 0).weight.unpaid;
    }
    return leaf;
}

hr_exact hr_candidate_scan_within(const hr_candidate_scan *s) {
    return (hr_exact){count_unit_of(s->binned->weights) * s->within};
}

size_t hr_candidate_scan_totals(const double *targets, const uint32_t *weights, size_t rows, size_t outputs,
                                hr_exact *count, hr_exact *labels) {
    count->unpaid = 0;
    for (size_t k = 0; k < outputs; k++) labels[k].unpaid = 0;
    for (size_t i = 0; i < rows; i++) {
        int64_t weight = weights ? weights[i] : HR_COUNT_UNIT;
        count->unpaid += weight;
        if (outputs > 1) {
            labels[(size_t)targets[i]].unpaid += weight;
            continue;
        }
        int64_t label = bound_score(hr_round(targets[i] * (1 << SCAN_BITS)), 1 << SCAN_BITS);
        labels[0].unpaid += weights ? hr_person_share(weights[i], label) : label;
    }
    return outputs;
}
