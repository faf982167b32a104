#include "trees/candidates/reliability.h"

#include "base/team.h"
#include "trees/tree/block_walk.h"
#include "trees/tree/link.h"

#include <math.h>

enum { BLOCK = HR_WALK_BLOCK, CELLS = HR_RELIABILITY_CELLS };

/* What all workers share. */
typedef struct reliability_task {
    const hr_forest *forest;
    const hr_binned *binned;
    const double *labels, *start;
    size_t workers;
    hr_block_tree *trees;
    double **values; /* tree, place */
    double *scores;  /* worker, output, record of a block */
    double *classes; /* worker, class */
    int64_t *counts; /* worker, cell */
} reliability_task;

/* fmax and fmin turn whatever floats may be into a probability: every record has a cell. */
static size_t probability_cell_of(const double *classes, size_t count, double label) {
    size_t spoken_of = hr_link_spoken_of(classes, count);
    double p = fmin(fmax(classes[spoken_of], HR_MIN_PROBABILITY), 1 - HR_MIN_PROBABILITY);
    return 2 * (size_t)(HR_RELIABILITY_BINS * p) + ((size_t)label == spoken_of);
}

static int64_t weight_of(const reliability_task *t, size_t row) {
    return t->binned->weights ? t->binned->weights[row] : HR_COUNT_UNIT;
}

static void count_block(const reliability_task *t, size_t begin, double *scores, double *classes,
                        int64_t *counts) {
    const hr_forest *forest = t->forest;
    size_t rows = t->binned->rows - begin < BLOCK ? t->binned->rows - begin : BLOCK;
    for (size_t k = 0; k < forest->output_count; k++)
        for (size_t i = 0; i < rows; i++)
            scores[k * BLOCK + i] =
                t->start ? t->start[(begin + i) * forest->output_count + k] : forest->base[k];
    for (size_t k = 0; k < forest->tree_count; k++) {
        double *column = scores + forest->trees[k].output * BLOCK;
        uint8_t places[BLOCK];
        hr_block_walk(&t->trees[k], t->binned->columns, begin, rows, places);
        for (size_t i = 0; i < rows; i++) column[i] += t->values[k][places[i]];
    }
    for (size_t i = 0; i < rows; i++) {
        size_t count = hr_link_classes(forest, scores + i, BLOCK, classes);
        counts[probability_cell_of(classes, count, t->labels[begin + i])] += weight_of(t, begin + i);
    }
}

static void count_reliability(void *of, size_t w, size_t first, size_t end) {
    const reliability_task *t = of;
    size_t outputs = t->forest->output_count;
    double *scores = t->scores + w * outputs * BLOCK, *classes = t->classes + w * (outputs + 1);
    for (size_t begin = first; begin < end; begin += BLOCK)
        count_block(t, begin, scores, classes, t->counts + w * CELLS);
}

static bool lay_out_reliability(reliability_task *t, hr_arena *arena) {
    size_t *offsets = hr_arena_alloc(arena, t->binned->features, sizeof *offsets);
    t->trees = hr_arena_alloc(arena, t->forest->tree_count, sizeof *t->trees);
    t->values = hr_arena_alloc(arena, t->forest->tree_count, sizeof *t->values);
    if (!offsets || !t->trees || !t->values) return false;
    for (size_t f = 0; f < t->binned->features; f++) offsets[f] = f * t->binned->column_stride;
    for (size_t k = 0; k < t->forest->tree_count; k++) {
        const hr_tree *tree = &t->forest->trees[k];
        if (!hr_block_tree_make(arena, tree, t->binned->binning, offsets, &t->trees[k])) return false;
        if (!(t->values[k] = hr_block_tree_values(arena, tree, &t->trees[k]))) return false;
    }
    return true;
}

static bool prepare_reliability(reliability_task *t, hr_arena *arena) {
    if (!arena || !lay_out_reliability(t, arena)) return false;
    size_t outputs = t->forest->output_count;
    t->scores = hr_arena_alloc(arena, t->workers * outputs, BLOCK * sizeof *t->scores);
    t->classes = hr_arena_alloc(arena, t->workers * (outputs + 1), sizeof *t->classes);
    t->counts = hr_arena_alloc(arena, t->workers * CELLS, sizeof *t->counts);
    return t->scores && t->classes && t->counts;
}

hr_status hr_reliability_count(const hr_forest *forest, const hr_reliability_records *records, int threads,
                               hr_exact *cells, hr_error *err) {
    reliability_task t = {.forest = forest,
                          .binned = records->binned,
                          .labels = records->labels,
                          .start = records->start,
                          .workers = (size_t)threads};
    hr_arena *arena = hr_arena_new();
    bool ready = prepare_reliability(&t, arena);
    if (ready) {
        hr_team_share(t.workers, t.binned->rows, BLOCK, count_reliability, &t);
        for (size_t c = 0; c < CELLS; c++) {
            cells[c].unpaid = 0;
            for (size_t w = 0; w < t.workers; w++) cells[c].unpaid += t.counts[w * CELLS + c];
        }
    }
    hr_arena_free(arena);
    return ready ? HR_OK : hr_fail_memory(err);
}

double hr_reliability_memory(size_t trees) {
    const size_t values = HR_WALK_PLACES_MAX * sizeof(double);
    return (double)trees *
           (hr_block_tree_memory() + (double)(values + sizeof(double *) + sizeof(hr_block_tree)));
}
