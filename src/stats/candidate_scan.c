#include "stats/candidate_scan.h"

#include "base/team.h"
#include "random/sample.h"
#include "stats/leaf_finder.h"
#include "stats/leaf_scores.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = HR_WALK_BLOCK,
    SCAN_BITS = HR_GRADIENT_BITS,
    PLACES = HR_WALK_PLACES_MAX,
    GRID_MAX = 8192,
    LANES = 4,
    CHUNK = 4,             /* blocks that a thread takes at a time */
    PACKED_ROWS = 1 << 20, /* records whose packed sums have room */
    PASSES = 3             /* over all records, over a part, and over all again */
};

_Static_assert((int)HR_LEAVES_MAX == 1 << HR_CANDIDATE_SCAN_DEPTH_MAX, "scores round every leaf");
_Static_assert((int)HR_WALK_DEPTH_MAX == HR_CANDIDATE_SCAN_DEPTH_MAX, "every leaf has a place");

/* A grid whose cells have sums that trees share. */
typedef struct shared_grid {
    hr_leaf_grid grid;
    size_t begin; /* where they begin: output, cell */
} shared_grid;

/* A tree of the pass. */
typedef struct scanned_tree {
    hr_leaf_finder finder;
    bool shares_sums; /* those of grids[grid] */
    size_t grid;
} scanned_tree;

/* What a thread adds up in a pass. */
typedef struct scan_worker {
    int64_t *sums;       /* tree, channel, place: packed, but with weights */
    int64_t *shared;     /* grid, channel, cell: as the sums */
    int64_t *packed;     /* channel, record of a block */
    int64_t within;      /* gradients within the clip */
    bool has_taken_part; /* else its sums are of another pass */
} scan_worker;

struct hr_candidate_scan {
    const hr_binned *binned;
    const hr_kernels *kernels;
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
    scanned_tree *trees; /* of a pass; the last one is that of the step */
    bool has_step;
    uint8_t *leaves;                      /* of the records, as places in one tree */
    bool keeps_leaves, step_keeps_leaves; /* of the only tree of the last pass; of the step's tree */
    hr_row_range ahead;                   /* the records that have taken the step, before the others */
    double *step_values;                  /* place, output */
    shared_grid *grids;                   /* whose sums trees of this pass share */
    size_t grid_count, shared_count;      /* grids; their sums */
    hr_team *team;
    scan_worker *workers; /* one a member of the team */
    hr_sums *whole;       /* tree, channel, place: of the pass; with weights each channel is a gradient */
    int64_t *words;       /* of all workers */
    int64_t within;
};

void hr_candidate_scan_free(hr_candidate_scan *scan) {
    if (!scan) return;
    for (size_t t = 0; scan->trees && t <= scan->tree_room; t++) hr_leaf_finder_done(&scan->trees[t].finder);
    free(scan->trees);
    free(scan->leaves);
    free(scan->scores);
    free(scan->offsets);
    free(scan->step_values);
    free(scan->grids);
    hr_team_free(scan->team);
    free(scan->workers);
    free(scan->words);
    free(scan->whole);
    for (int i = 0; i < PASSES; i++) hr_arena_free(scan->arenas[i]);
    free(scan);
}

double hr_candidate_scan_memory(size_t rows, size_t outputs, size_t trees, int threads) {
    double of_tree = (double)PLACES * (double)outputs + GRID_MAX, of_block = (double)outputs * BLOCK;
    return (double)rows * ((double)outputs * sizeof(double) + 1) +
           (double)trees * (double)PLACES * (double)outputs * sizeof(hr_sums) +
           (double)threads * ((double)trees * of_tree + of_block) * sizeof(int64_t) +
           (double)PASSES * (double)(trees + 1) * hr_leaf_finder_memory();
}

static bool make_workers(hr_candidate_scan *s) {
    const size_t threads = (size_t)s->threads, sums = s->tree_room * PLACES * s->channels,
                 shared = s->tree_room * GRID_MAX, packed = s->channels * BLOCK;
    s->team = hr_team_new(threads);
    s->workers = calloc(threads, sizeof *s->workers);
    s->words = malloc(threads * (sums + shared + packed) * sizeof *s->words);
    if (!s->team || !s->workers || !s->words) return false;
    for (size_t w = 0; w < threads; w++) {
        int64_t *words = s->words + w * (sums + shared + packed);
        s->workers[w] = (scan_worker){.sums = words, .shared = words + sums, .packed = words + sums + shared};
    }
    return true;
}

static bool allocate_scan(hr_candidate_scan *s, const double *base) {
    size_t rows = s->binned->rows;
    s->scores = malloc((rows * s->outputs + 1) * sizeof *s->scores);
    s->leaves = malloc(rows + 1);
    s->offsets = malloc((s->binned->features + 1) * sizeof *s->offsets);
    s->trees = calloc(s->tree_room + 1, sizeof *s->trees);
    s->step_values = malloc(PLACES * s->outputs * sizeof *s->step_values);
    s->grids = malloc(s->tree_room * sizeof *s->grids);
    bool arenas = true;
    for (int i = 0; i < PASSES; i++) arenas = (s->arenas[i] = hr_arena_new()) && arenas;
    if (!s->scores || !s->leaves || !s->offsets || !s->trees || !s->step_values || !arenas) return false;
    s->whole = malloc(s->tree_room * PLACES * s->channels * sizeof *s->whole);
    if (!s->grids || !s->whole || !make_workers(s)) return false;
    for (int i = 0; i < PASSES; i++) s->starts[i] = hr_arena_get_mark(s->arenas[i]);
    for (size_t f = 0; f < s->binned->features; f++) s->offsets[f] = f * s->binned->column_stride;
    for (size_t i = 0; i < rows * s->outputs; i++) s->scores[i] = base[i % s->outputs];
    return true;
}

hr_status hr_candidate_scan_new(const hr_binned *binned, const hr_candidate_scan_setup *setup,
                                hr_candidate_scan **out, hr_error *err) {
    int shift =
        hr_packing_shift(binned->rows < PACKED_ROWS ? binned->rows : PACKED_ROWS, 1, 1 << (SCAN_BITS + 1));
    hr_candidate_scan *scan = calloc(1, sizeof *scan);
    if (!scan) return hr_fail_memory(err);
    *scan = (hr_candidate_scan){.binned = binned,
                                .kernels = hr_kernels_get(),
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

static bool same_features(const hr_leaf_grid *a, const hr_leaf_grid *b) {
    return a->feature_count == b->feature_count && a->features[0] == b->features[0] &&
           a->features[1] == b->features[1];
}

/* Sums by cell, unless they are too many for the nearest cache. A single tree has none to share them with. */
static void share_sums(hr_candidate_scan *s, size_t tree_count, scanned_tree *tree) {
    const hr_leaf_grid *grid = &tree->finder.grid;
    tree->shares_sums =
        tree_count > 1 && hr_leaf_finder_has_grid(&tree->finder) && grid->cells * s->channels <= GRID_MAX;
    if (!tree->shares_sums) return;
    for (tree->grid = 0; tree->grid < s->grid_count; tree->grid++)
        if (same_features(&s->grids[tree->grid].grid, grid)) return;
    s->grids[s->grid_count++] = (shared_grid){*grid, s->shared_count};
    s->shared_count += grid->cells * s->channels;
}

static bool lay_out_candidates(hr_candidate_scan *s, const hr_tree *trees, size_t tree_count) {
    hr_arena *arena = s->arenas[s->pass % PASSES];
    hr_arena_rewind(arena, s->starts[s->pass % PASSES]);
    s->grid_count = s->shared_count = 0;
    for (size_t t = 0; t < tree_count; t++) {
        scanned_tree *tree = &s->trees[t];
        if (!hr_leaf_finder_make(&tree->finder, &trees[t], s->binned->binning, s->offsets, arena))
            return false;
        share_sums(s, tree_count, tree);
    }
    return true;
}

/* ---- One block of records ---- */

typedef struct scan_block_of_records {
    hr_row_block rows;
    bool takes_step;
    int64_t *packed; /* output, record */
} scan_block_of_records;

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

static void take_step(hr_candidate_scan *s, const hr_candidate_scan_loss *loss, const hr_row_block *rows) {
    double low = lowest_score(s, loss), high = highest_score(s, loss);
    double *scores = s->scores + rows->begin * s->outputs;
    uint8_t found[BLOCK];
    const uint8_t *places = s->step_keeps_leaves ? s->leaves + rows->begin : found;
    if (!s->step_keeps_leaves) hr_leaf_finder_places(&s->trees[s->tree_room].finder, s->binned, rows, found);
    if (s->outputs == 1) {
        s->kernels->add_steps(s->step_values, places, rows->count, high, scores);
        return;
    }
    for (size_t i = 0; i < rows->count; i++) {
        const double *value = s->step_values + places[i] * s->outputs;
        for (size_t k = 0; k < s->outputs; k++, scores++)
            *scores = clamp_score(*scores + value[k], low, high);
    }
}

static int64_t bound_score(int64_t x, int64_t bound) {
    return x < -bound ? -bound : x > bound ? bound : x;
}

/* Of logistic loss the scores are half of the log-odds: gradients are of their hyperbolic tangents. */
static const double *predicted_of(const hr_candidate_scan *s, const hr_candidate_scan_loss *loss,
                                  const hr_row_block *rows, double *room) {
    const double *scores = s->scores + rows->begin;
    if (!loss->logistic) return scores;
    for (size_t i = 0; i < rows->count; i++) room[i] = tanh(scores[i]);
    return room;
}

/* One output: clipped gradient and count of a record in one word. Returns how many gradients were within the
 * clip. */
static int64_t pack_one(const hr_candidate_scan *s, const hr_candidate_scan_loss *loss,
                        scan_block_of_records *b) {
    double room[BLOCK];
    const hr_word_rule rule = {loss->clip, 1 << SCAN_BITS, (double)loss->bound, s->shift};
    return s->kernels->words_of(&rule, predicted_of(s, loss, &b->rows, room), s->targets + b->rows.begin,
                                b->rows.count, b->packed);
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
    for (size_t i = 0; i < b->rows.count; i++) {
        int64_t *vector = b->packed + i;
        double factor = factor_of(s, loss, b->rows.begin + i);
        for (size_t k = 0; k < s->outputs; k++)
            vector[k * BLOCK] = (int64_t)(residual(s, b->rows.begin + i, k) * factor);
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
    const uint32_t *weights = s->binned->weights + b->rows.begin;
    const double *targets = s->targets + b->rows.begin;
    double room[BLOCK];
    const double *predicted = s->outputs == 1 ? predicted_of(s, loss, &b->rows, room) : NULL;
    int64_t within = 0;
    for (size_t i = 0; i < b->rows.count; i++) {
        for (size_t k = 0; k < s->outputs; k++) {
            int64_t *packed = &b->packed[k * BLOCK + i];
            *packed = hr_person_share(weights[i], hr_unpack(&packing, *packed).gradient.unpaid);
        }
        b->packed[s->outputs * BLOCK + i] = weights[i];
        bool is_within = predicted && fabs(predicted[i] - targets[i]) <= loss->clip;
        within += is_within ? weights[i] : 0;
    }
    return within;
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
            for (size_t i = 0; i < b->rows.count; i++)
                for (size_t j = 0; j < LANES; j++) sums[j][l->all[j].places[i]] += packed[i];
        else
            for (size_t j = 0; j < l->count; j++)
                for (size_t i = 0; i < b->rows.count; i++) sums[j][l->all[j].places[i]] += packed[i];
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

static void add_grids(const hr_candidate_scan *s, const scan_block_of_records *b, const scan_worker *w,
                      lanes *l) {
    for (size_t g = 0; g < s->grid_count; g++) {
        const shared_grid *of = &s->grids[g];
        uint16_t *cells = next_lane(s, b, l, w->shared + of->begin, of->grid.cells);
        hr_leaf_grid_cells(&of->grid, s->binned, &b->rows, cells);
    }
}

static void add_tree(const hr_candidate_scan *s, size_t tree, const scan_block_of_records *b,
                     const scan_worker *w, lanes *l) {
    uint8_t places[BLOCK];
    uint16_t *wide = next_lane(s, b, l, w->sums + tree * PLACES * s->channels, PLACES);
    hr_leaf_finder_places(&s->trees[tree].finder, s->binned, &b->rows, places);
    for (size_t i = 0; i < b->rows.count; i++) wide[i] = places[i];
    if (s->keeps_leaves) memcpy(s->leaves + b->rows.begin, places, b->rows.count);
}

static void add_scan_block(const hr_candidate_scan *s, size_t tree_count, const scan_block_of_records *b,
                           const scan_worker *w) {
    lanes l;
    l.count = 0;
    add_grids(s, b, w, &l);
    for (size_t t = 0; t < tree_count; t++)
        if (!s->trees[t].shares_sums) add_tree(s, t, b, w, &l);
    add_lanes(s, b, &l);
}

enum { RANGES = 3 }; /* before those ahead of the others, these, and behind them */

/* Over which records and trees. Threads take blocks as they come. */
typedef struct scan_pass {
    hr_candidate_scan *scan;
    const hr_candidate_scan_loss *loss;
    size_t tree_count;
    hr_row_range ranges[RANGES];
    bool takes_step[RANGES];
    atomic_size_t next; /* of the blocks of all ranges */
} scan_pass;

static void scan_block(hr_candidate_scan *s, const scan_pass *p, scan_block_of_records *b, scan_worker *w) {
    int64_t within = 0;
    if (b->takes_step) take_step(s, p->loss, &b->rows);
    b->packed = w->packed;
    if (s->outputs == 1)
        within = pack_one(s, p->loss, b);
    else
        pack_many(s, p->loss, b);
    w->within += s->binned->weights ? weigh_block(s, p->loss, b) : within;
    add_scan_block(s, p->tree_count, b, w);
}

/* Blocks end at multiples of their size, where vectors of bins are aligned. */
static size_t count_scan_blocks(const hr_row_range *r) {
    return r->begin < r->end ? (r->end - 1) / BLOCK - r->begin / BLOCK + 1 : 0;
}

static hr_row_block rows_of_block(const hr_row_range *r, size_t index) {
    size_t begin = (r->begin / BLOCK + index) * BLOCK, end = begin + BLOCK;
    if (begin < r->begin) begin = r->begin;
    return (hr_row_block){begin, (end < r->end ? end : r->end) - begin};
}

/* False behind the last block. */
static bool find_block(const scan_pass *p, size_t index, scan_block_of_records *out) {
    for (size_t i = 0; i < RANGES; i++) {
        size_t count = count_scan_blocks(&p->ranges[i]);
        if (index < count) {
            *out = (scan_block_of_records){rows_of_block(&p->ranges[i], index), p->takes_step[i],
                                           .packed = NULL};
            return true;
        }
        index -= count;
    }
    return false;
}

static void scan_blocks(hr_candidate_scan *s, scan_pass *p, scan_worker *w) {
    scan_block_of_records b;
    for (;;) {
        size_t first = atomic_fetch_add_explicit(&p->next, CHUNK, memory_order_relaxed);
        for (size_t i = first; i < first + CHUNK; i++) {
            if (!find_block(p, i, &b)) return;
            scan_block(s, p, &b, w);
        }
    }
}

/* Adds the sums of the grids' cells to their leaves, tree by tree. */
static void fold_grids(const hr_candidate_scan *s, size_t tree_count, const scan_worker *w) {
    for (size_t t = 0; t < tree_count; t++) {
        const scanned_tree *tree = &s->trees[t];
        int64_t *sums = w->sums + t * PLACES * s->channels;
        for (size_t k = 0; tree->shares_sums && k < s->channels; k++) {
            const size_t count = tree->finder.grid.cells;
            const int64_t *cells = w->shared + s->grids[tree->grid].begin + k * count;
            for (size_t c = 0; c < count; c++) sums[k * PLACES + tree->finder.leaf_of[c]] += cells[c];
        }
    }
}

/* One thread's part: whatever blocks the others leave. */
static void scan_part(void *of, size_t member) {
    scan_pass *p = of;
    hr_candidate_scan *s = p->scan;
    scan_worker *w = &s->workers[member];
    memset(w->sums, 0, p->tree_count * PLACES * s->channels * sizeof *w->sums);
    memset(w->shared, 0, s->shared_count * sizeof *w->shared);
    w->within = 0;
    w->has_taken_part = true;
    scan_blocks(s, p, w);
    fold_grids(s, p->tree_count, w);
}

/* ---- A round ---- */

/* The step's tree changes places with the chosen one's; a walk's layout moves to the arena that the next
 * round leaves alone. */
void hr_candidate_scan_set_step(hr_candidate_scan *s, size_t tree, const double *values) {
    scanned_tree swap = s->trees[s->tree_room];
    s->trees[s->tree_room] = s->trees[tree];
    s->trees[tree] = swap;
    const hr_leaf_finder *f = &s->trees[s->tree_room].finder;
    for (size_t p = 0; p < f->place_count; p++)
        memcpy(s->step_values + p * s->outputs, values + f->nodes[p] * s->outputs,
               s->outputs * sizeof *values);
    s->has_step = true;
    s->step_keeps_leaves = s->keeps_leaves;
    s->ahead = (hr_row_range){0, 0};
}

/* Adds the sums of the records that all threads have scanned, unpacked, to those of the pass. */
static void add_packed_sums(hr_candidate_scan *s, size_t cells) {
    const hr_packing packing = {.shift = s->shift};
    for (int w = 0; w < s->threads; w++) {
        const scan_worker *worker = &s->workers[w];
        if (!worker->has_taken_part) continue;
        for (size_t i = 0; i < cells; i++) {
            const hr_sums sums =
                s->binned->weights ? (hr_sums){{worker->sums[i]}, {0}} : hr_unpack(&packing, worker->sums[i]);
            s->whole[i].gradient.unpaid += sums.gradient.unpaid;
            s->whole[i].weight.unpaid += sums.weight.unpaid;
        }
        s->within += worker->within;
    }
}

static size_t clamp_row(size_t row, hr_row_range rows) {
    return row < rows.begin ? rows.begin : row > rows.end ? rows.end : row;
}

/* At most PACKED_ROWS records. */
static void scan_packed(hr_candidate_scan *s, hr_row_range rows, size_t tree_count,
                        const hr_candidate_scan_loss *loss) {
    const size_t from = clamp_row(s->ahead.begin, rows), to = clamp_row(s->ahead.end, rows);
    scan_pass pass = {.scan = s,
                      .loss = loss,
                      .tree_count = tree_count,
                      .ranges = {{rows.begin, from}, {from, to}, {to, rows.end}},
                      .takes_step = {s->has_step, false, s->has_step}};
    atomic_init(&pass.next, 0);
    for (int w = 0; w < s->threads; w++) s->workers[w].has_taken_part = false;
    hr_team_run(s->team, scan_part, &pass);
    add_packed_sums(s, tree_count * PLACES * s->channels);
}

static hr_status scan_records(hr_candidate_scan *s, hr_row_range rows, const hr_tree *trees,
                              size_t tree_count, const hr_candidate_scan_loss *loss, hr_error *err) {
    s->pass++;
    if (!lay_out_candidates(s, trees, tree_count)) return hr_fail_memory(err);
    s->within = 0;
    memset(s->whole, 0, tree_count * PLACES * s->channels * sizeof *s->whole);
    for (size_t begin = rows.begin; begin < rows.end; begin += PACKED_ROWS) {
        const size_t end = rows.end - begin < PACKED_ROWS ? rows.end : begin + PACKED_ROWS;
        scan_packed(s, (hr_row_range){begin, end}, tree_count, loss);
    }
    s->ahead = rows;
    return HR_OK;
}

hr_status hr_candidate_scan_part(hr_candidate_scan *s, hr_row_range rows, const hr_tree *trees,
                                 size_t tree_count, const hr_candidate_scan_loss *loss, hr_error *err) {
    s->keeps_leaves = false;
    return scan_records(s, rows, trees, tree_count, loss, err);
}

hr_status hr_candidate_scan_round(hr_candidate_scan *s, const hr_tree *trees, size_t tree_count,
                                  const hr_candidate_scan_loss *loss, hr_error *err) {
    const hr_row_range all = {0, s->binned->rows};
    s->keeps_leaves = tree_count == 1;
    hr_status status = scan_records(s, all, trees, tree_count, loss, err);
    if (!status) s->has_step = false;
    return status;
}

static hr_sums channel_of(const hr_candidate_scan *s, size_t tree, size_t node, size_t k) {
    size_t place = s->trees[tree].finder.places[node];
    return s->whole[(tree * s->channels + k) * PLACES + place];
}

static hr_sums sums_of(const hr_candidate_scan *s, size_t tree, size_t node, size_t k) {
    const hr_sums sums = channel_of(s, tree, node, k);
    if (!s->binned->weights) return sums;
    return (hr_sums){sums.gradient, channel_of(s, tree, node, s->outputs).gradient};
}

/* Weights are in units of counts. */
static int64_t count_unit_of(const uint32_t *weights) {
    return weights ? 1 : HR_COUNT_UNIT;
}

static int64_t length_of(const hr_candidate_scan *s, size_t tree, size_t node) {
    if (s->outputs == 1) return llabs(sums_of(s, tree, node, 0).gradient.unpaid);
    hr_u128 square = 0;
    for (size_t k = 0; k < s->outputs; k++) {
        hr_i128 g = sums_of(s, tree, node, k).gradient.unpaid;
        square += (hr_u128)(g * g);
    }
    return hr_whole_root(square);
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
