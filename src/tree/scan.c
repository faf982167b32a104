#include "tree/scan.h"

#include "random/sample.h"

#include "tree/random_tree.h"
#include "tree/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, COUNT_UNITS = 64, SCAN_BITS = HR_SCAN_BITS };

/* How the records of a block find their node in one tree. */
typedef struct finder {
    size_t feature_count; /* distinct features asked about: 0 and above 2 are walked */
    uint32_t features[2];
    size_t width;    /* bins of the second feature */
    uint16_t *table; /* node of (bin of features[0]) * width + (bin of features[1]) */
    size_t table_room;
    hr_walk_tree walk;
} finder;

struct hr_scan {
    const hr_binned *binned;
    const double *targets;
    size_t outputs, tree_room;
    int threads, shift;
    double *scores;
    size_t *offsets;     /* of the columns */
    hr_arena *arenas[2]; /* layouts of walked trees, of this round and the one before (whose tree the step still walks) */
    hr_arena_mark starts[2];
    size_t round;
    finder *finders; /* of a round's trees; the last one is that of the step */
    bool has_step;
    double *step_values;
    int64_t *sums; /* thread, tree, node, output: packed */
    int64_t within;
};

enum { NODES = HR_RANDOM_NODES_MAX };

void hr_scan_free(hr_scan *scan) {
    if (!scan) return;
    for (size_t t = 0; scan->finders && t <= scan->tree_room; t++) free(scan->finders[t].table);
    free(scan->finders);
    free(scan->scores);
    free(scan->offsets);
    free(scan->step_values);
    free(scan->sums);
    for (int i = 0; i < 2; i++) hr_arena_free(scan->arenas[i]);
    free(scan);
}

static bool room(hr_scan *s, const double *base) {
    size_t rows = s->binned->rows;
    s->scores = malloc((rows * s->outputs + 1) * sizeof *s->scores);
    s->offsets = malloc((s->binned->features + 1) * sizeof *s->offsets);
    s->finders = calloc(s->tree_room + 1, sizeof *s->finders);
    s->step_values = malloc(NODES * s->outputs * sizeof *s->step_values);
    s->sums = malloc((size_t)s->threads * s->tree_room * NODES * s->outputs * sizeof *s->sums);
    for (int i = 0; i < 2; i++) s->arenas[i] = hr_arena_new();
    if (!s->scores || !s->offsets || !s->finders || !s->step_values || !s->sums || !s->arenas[0] || !s->arenas[1]) return false;
    for (int i = 0; i < 2; i++) s->starts[i] = hr_arena_get_mark(s->arenas[i]);
    for (size_t f = 0; f < s->binned->features; f++) s->offsets[f] = f * s->binned->column_stride;
    for (size_t i = 0; i < rows * s->outputs; i++) s->scores[i] = base[i % s->outputs];
    return true;
}

hr_status hr_scan_new(const hr_binned *binned, const double *targets, size_t outputs, const double *base, size_t trees, int threads,
                      hr_scan **out, hr_error *err) {
    int shift = hr_packing_shift(binned->rows, 1, 1 << (SCAN_BITS + 1));
    if (shift < 0) return hr_fail(err, HR_E_LIMIT, "train on a part of the records", "too many records for exact sums in 63 bits");
    hr_scan *scan = calloc(1, sizeof *scan);
    if (!scan) return hr_fail_memory(err);
    *scan = (hr_scan){.binned = binned, .targets = targets, .outputs = outputs, .tree_room = trees, .threads = threads, .shift = shift};
    if (!room(scan, base)) {
        hr_scan_free(scan);
        return hr_fail_memory(err);
    }
    *out = scan;
    return HR_OK;
}

/* ---- Laying trees out ---------------------------------------------------------------------------------------------- */

static void ask(finder *f, uint32_t feature) {
    for (size_t i = 0; i < f->feature_count && i < 2; i++)
        if (f->features[i] == feature) return;
    if (f->feature_count < 2) f->features[f->feature_count] = feature;
    f->feature_count++;
}

static uint16_t node_of(const hr_tree *tree, const hr_binning *binning, const finder *f, const uint8_t bins[2]) {
    uint32_t n = 0;
    while (tree->nodes[n].left) {
        const hr_node *node = &tree->nodes[n];
        uint8_t bin = bins[node->feature != f->features[0]];
        n = node->left + (hr_node_goes_left(tree, node, binning->features[node->feature].kind, bin) ? 0 : 1);
    }
    return (uint16_t)n;
}

static bool fill_table(const hr_tree *tree, const hr_binning *binning, finder *f) {
    size_t height = f->feature_count ? binning->features[f->features[0]].bin_count : 1;
    f->width = f->feature_count == 2 ? binning->features[f->features[1]].bin_count : 1;
    if (height * f->width > f->table_room) {
        uint16_t *table = realloc(f->table, height * f->width * sizeof *table);
        if (!table) return false;
        f->table = table;
        f->table_room = height * f->width;
    }
    for (size_t a = 0; a < height; a++)
        for (size_t b = 0; b < f->width; b++) {
            uint8_t bins[2] = {(uint8_t)a, (uint8_t)b};
            f->table[a * f->width + b] = node_of(tree, binning, f, bins);
        }
    return true;
}

static bool lay_out(hr_scan *s, const hr_tree *tree, finder *f) {
    f->feature_count = 0;
    for (size_t n = 0; n < tree->node_count; n++)
        if (tree->nodes[n].left) ask(f, tree->nodes[n].feature);
    if (f->feature_count <= 2) return fill_table(tree, s->binned->binning, f);
    return hr_walk_tree_make(s->arenas[s->round % 2], tree, s->binned->binning, s->offsets, &f->walk);
}

/* ---- One block of records ------------------------------------------------------------------------------------------- */

typedef struct block {
    size_t begin, count;
    size_t positions[BLOCK];
    uint32_t nodes[BLOCK];
    int64_t packed[BLOCK]; /* of one output */
    double factors[BLOCK]; /* more outputs: what shortens the gradient to the clip */
} block;

static void find_nodes(const hr_scan *s, const finder *f, block *b) {
    if (f->feature_count > 2) {
        hr_walk_nodes(&f->walk, s->binned->columns, b->positions, b->count, b->nodes);
        return;
    }
    const uint8_t *first = hr_binned_column(s->binned, f->feature_count ? f->features[0] : 0) + b->begin;
    const uint8_t *second = hr_binned_column(s->binned, f->feature_count == 2 ? f->features[1] : 0) + b->begin;
    if (f->feature_count == 0)
        for (size_t i = 0; i < b->count; i++) b->nodes[i] = 0;
    else if (f->feature_count == 1)
        for (size_t i = 0; i < b->count; i++) b->nodes[i] = f->table[first[i]];
    else
        for (size_t i = 0; i < b->count; i++) b->nodes[i] = f->table[first[i] * f->width + second[i]];
}

static double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

static void take_step(hr_scan *s, const hr_scan_loss *loss, block *b) {
    double low = s->outputs > 1 ? -.2 : -loss->score_limit, high = s->outputs > 1 ? 1.2 : loss->score_limit;
    find_nodes(s, &s->finders[s->tree_room], b);
    for (size_t i = 0; i < b->count; i++) {
        double *score = s->scores + (b->begin + i) * s->outputs;
        const double *value = s->step_values + b->nodes[i] * s->outputs;
        for (size_t k = 0; k < s->outputs; k++) score[k] = clamp(score[k] + value[k], low, high);
    }
}

static int64_t bounded(int64_t x, int64_t bound) {
    return x < -bound ? -bound : x > bound ? bound : x;
}

/* One output: clipped gradient and count of a record in one word. Returns how many gradients were within the clip. */
static int64_t pack_one(const hr_scan *s, const hr_scan_loss *loss, block *b) {
    const double *scores = s->scores + b->begin, *targets = s->targets + b->begin;
    int64_t within = 0;
    for (size_t i = 0; i < b->count; i++) {
        double g = (loss->logistic ? tanh(scores[i]) : scores[i]) - targets[i];
        within += fabs(g) <= loss->clip;
        int64_t whole = bounded(hr_round(clamp(g, -loss->clip, loss->clip) * (1 << SCAN_BITS)), loss->bound);
        b->packed[i] = (int64_t)((uint64_t)whole << s->shift) + 1;
    }
    return within;
}

static double residual(const hr_scan *s, size_t row, size_t k) {
    return s->scores[row * s->outputs + k] - (s->targets[row] == (double)k ? 1 : 0);
}

/* More outputs: the factor that shortens each record's gradient to the clip. */
static void find_factors(const hr_scan *s, const hr_scan_loss *loss, block *b) {
    for (size_t i = 0; i < b->count; i++) {
        double square = 0;
        for (size_t k = 0; k < s->outputs; k++) {
            double g = residual(s, b->begin + i, k);
            square += g * g;
        }
        double norm = sqrt(square);
        b->factors[i] = (norm > loss->clip ? loss->clip / norm : 1) * (1 << SCAN_BITS);
    }
}

/* Integers are truncated towards zero; should floats have erred so far that their norm exceeds the bound all the same, the vector
 * is halved until it does not. */
static int halvings(const hr_scan *s, const hr_scan_loss *loss, const block *b, size_t i) {
    for (int h = 0;; h++) {
        int64_t square = 0;
        for (size_t k = 0; k < s->outputs; k++) {
            int64_t whole = (int64_t)(residual(s, b->begin + i, k) * b->factors[i]) / ((int64_t)1 << h);
            square += whole * whole;
        }
        if (square <= loss->bound * loss->bound) return h;
    }
}

static void pack_many(const hr_scan *s, const hr_scan_loss *loss, block *b, size_t k) {
    for (size_t i = 0; i < b->count; i++) {
        int64_t whole = (int64_t)(residual(s, b->begin + i, k) * b->factors[i]) / ((int64_t)1 << halvings(s, loss, b, i));
        b->packed[i] = (int64_t)((uint64_t)whole << s->shift) + 1;
    }
}

/* Adds the block's packed words of output k to every tree's sums. */
static void add_block(const hr_scan *s, size_t tree_count, size_t k, block *b, int64_t *sums) {
    for (size_t t = 0; t < tree_count; t++) {
        int64_t *of_tree = sums + t * NODES * s->outputs;
        find_nodes(s, &s->finders[t], b);
        for (size_t i = 0; i < b->count; i++) of_tree[b->nodes[i] * s->outputs + k] += b->packed[i];
    }
}

static int64_t scan_block(hr_scan *s, const hr_scan_loss *loss, size_t tree_count, size_t begin, int64_t *sums) {
    block b = {.begin = begin, .count = s->binned->rows - begin < BLOCK ? s->binned->rows - begin : BLOCK};
    for (size_t i = 0; i < b.count; i++) b.positions[i] = begin + i;
    if (s->has_step) take_step(s, loss, &b);
    if (s->outputs == 1) {
        int64_t within = pack_one(s, loss, &b);
        add_block(s, tree_count, 0, &b, sums);
        return within;
    }
    find_factors(s, loss, &b);
    for (size_t k = 0; k < s->outputs; k++) {
        pack_many(s, loss, &b, k);
        add_block(s, tree_count, k, &b, sums);
    }
    return 0;
}

/* ---- A round -------------------------------------------------------------------------------------------------------- */

/* The step's finder changes places with the chosen tree's; a walk's layout moves to the arena that the next round leaves alone. */
void hr_scan_set_step(hr_scan *s, size_t tree, const double *values) {
    finder swap = s->finders[s->tree_room];
    s->finders[s->tree_room] = s->finders[tree];
    s->finders[tree] = swap;
    memcpy(s->step_values, values, NODES * s->outputs * sizeof *values);
    s->has_step = true;
}

static void add_threads(hr_scan *s, size_t cells) {
    size_t all = s->tree_room * NODES * s->outputs;
    for (int w = 1; w < s->threads; w++)
        for (size_t i = 0; i < cells; i++) s->sums[i] += s->sums[(size_t)w * all + i];
}

hr_status hr_scan_round(hr_scan *s, const hr_tree *trees, size_t tree_count, const hr_scan_loss *loss, hr_error *err) {
    size_t cells = tree_count * NODES * s->outputs, all = s->tree_room * NODES * s->outputs;
    s->round++;
    hr_arena_rewind(s->arenas[s->round % 2], s->starts[s->round % 2]);
    for (size_t t = 0; t < tree_count; t++)
        if (!lay_out(s, &trees[t], &s->finders[t])) return hr_fail_memory(err);
    int64_t within = 0;
#pragma omp parallel for num_threads(s->threads) schedule(static, 1) reduction(+ : within)
    for (int w = 0; w < s->threads; w++) {
        int64_t *sums = s->sums + (size_t)w * all;
        memset(sums, 0, cells * sizeof *sums);
        for (size_t begin = (size_t)w * BLOCK; begin < s->binned->rows; begin += (size_t)s->threads * BLOCK)
            within += scan_block(s, loss, tree_count, begin, sums);
    }
    add_threads(s, cells);
    s->within = within;
    s->has_step = false;
    return HR_OK;
}

static hr_sums unpack(const hr_scan *s, int64_t cell) {
    hr_packing packing = {.shift = s->shift};
    return hr_unpack(&packing, cell);
}

static const int64_t *cells_of(const hr_scan *s, size_t tree, size_t node) {
    return s->sums + (tree * NODES + node) * s->outputs;
}

/* floor(sqrt(x)), exactly. */
static int64_t whole_root(hr_u128 x) {
    uint64_t root = (uint64_t)sqrt((double)x);
    while ((hr_u128)root * root > x) root--;
    while ((hr_u128)(root + 1) * (root + 1) <= x) root++;
    return (int64_t)root;
}

static int64_t length_of(const hr_scan *s, size_t tree, size_t node) {
    const int64_t *cells = cells_of(s, tree, node);
    if (s->outputs == 1) return llabs(unpack(s, cells[0]).gradient.unpaid);
    hr_u128 square = 0;
    for (size_t k = 0; k < s->outputs; k++) {
        hr_i128 g = unpack(s, cells[k]).gradient.unpaid;
        square += (hr_u128)(g * g);
    }
    return whole_root(square);
}

void hr_scan_scores(const hr_scan *s, const hr_tree *trees, size_t tree_count, int64_t threshold, hr_exact *scores) {
    for (size_t t = 0; t < tree_count; t++) {
        scores[t].unpaid = 0;
        for (size_t n = 0; n < trees[t].node_count; n++) {
            if (trees[t].nodes[n].left) continue;
            int64_t over = length_of(s, t, n) - threshold;
            if (over > 0) scores[t].unpaid += over;
        }
    }
}

size_t hr_scan_leaves(const hr_scan *s, const hr_tree *trees, size_t tree, hr_exact *sums, hr_exact *counts) {
    size_t leaf = 0;
    for (size_t n = 0; n < trees[tree].node_count; n++) {
        if (trees[tree].nodes[n].left) continue;
        const int64_t *cells = cells_of(s, tree, n);
        for (size_t k = 0; k < s->outputs; k++) sums[leaf * s->outputs + k] = unpack(s, cells[k]).gradient;
        counts[leaf++].unpaid = COUNT_UNITS * unpack(s, cells[0]).weight.unpaid;
    }
    return leaf;
}

hr_exact hr_scan_within(const hr_scan *s) {
    return (hr_exact){COUNT_UNITS * s->within};
}

size_t hr_scan_totals(const double *targets, size_t rows, size_t outputs, hr_exact *count, hr_exact *labels) {
    count->unpaid = (int64_t)(COUNT_UNITS * rows);
    for (size_t k = 0; k < outputs; k++) labels[k].unpaid = 0;
    for (size_t i = 0; i < rows; i++) {
        if (outputs == 1)
            labels[0].unpaid += hr_round(targets[i] * (1 << SCAN_BITS));
        else
            labels[(size_t)targets[i]].unpaid += COUNT_UNITS;
    }
    return outputs;
}
