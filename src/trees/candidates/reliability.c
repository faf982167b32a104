#include "trees/candidates/reliability.h"

#include "base/team.h"
#include "trees/candidates/candidate_scan.h"
#include "trees/tree/block_walk.h"
#include "trees/tree/link.h"

#include <math.h>
#include <string.h>

enum { BLOCK = HR_WALK_BLOCK, CELLS = HR_RELIABILITY_CELLS };

/* What all workers share. */
typedef struct reliability_task {
    const hr_forest *forest;
    const hr_reliability_records *records;
    size_t workers;
    hr_block_tree *trees; /* laid out where they have to be walked */
    int32_t **values;     /* tree, place */
    int32_t *sums;        /* worker, output, record of a block: of trees */
    double *scores;       /* the same */
    double *classes;      /* worker, class */
    int64_t *counts;      /* worker, cell */
} reliability_task;

/* What a worker has of these. */
typedef struct reliability_room {
    int32_t *sums;
    double *scores, *classes;
    int64_t *counts;
} reliability_room;

/* fmax and fmin turn whatever floats may be into a probability: every record has a cell. */
static size_t probability_cell_of(const double *classes, size_t count, double label) {
    size_t spoken_of = hr_link_spoken_of(classes, count);
    double p = fmin(fmax(classes[spoken_of], HR_MIN_PROBABILITY), 1 - HR_MIN_PROBABILITY);
    return 2 * (size_t)(HR_RELIABILITY_BINS * p) + ((size_t)label == spoken_of);
}

static int64_t weight_of(const reliability_task *t, size_t row) {
    const uint32_t *weights = t->records->binned->weights;
    return weights ? weights[row] : HR_COUNT_UNIT;
}

static void walk_trees(const reliability_task *t, const hr_row_range *rows, int32_t *sums) {
    const size_t outputs = t->forest->output_count, count = rows->end - rows->begin;
    memset(sums, 0, outputs * BLOCK * sizeof *sums);
    for (size_t k = 0; k < t->forest->tree_count; k++) {
        int32_t *column = sums + t->forest->trees[k].output * BLOCK;
        uint8_t places[BLOCK];
        hr_block_walk(&t->trees[k], t->records->binned->columns, rows->begin, count, places);
        for (size_t i = 0; i < count; i++) column[i] = hr_fixed_sum(column[i], t->values[k][places[i]]);
    }
}

static void read_published(const reliability_task *t, const hr_row_range *rows, int32_t *sums) {
    const size_t outputs = t->forest->output_count;
    for (size_t i = rows->begin; i < rows->end; i++)
        for (size_t k = 0; k < outputs; k++)
            sums[k * BLOCK + i - rows->begin] = t->records->published[i * outputs + k];
}

static double start_of(const reliability_task *t, size_t row, size_t k) {
    const double *start = t->records->start;
    return start ? start[row * t->forest->output_count + k] : t->forest->base[k];
}

static void count_block(const reliability_task *t, const hr_row_range *rows, const reliability_room *room) {
    const hr_forest *forest = t->forest;
    (t->records->published ? read_published : walk_trees)(t, rows, room->sums);
    for (size_t row = rows->begin, i = 0; row < rows->end; row++, i++) {
        for (size_t k = 0; k < forest->output_count; k++)
            room->scores[k * BLOCK + i] =
                hr_fixed_value(hr_fixed_sum(hr_fixed_score(start_of(t, row, k)), room->sums[k * BLOCK + i]));
        size_t count = hr_link_classes(forest, room->scores + i, BLOCK, room->classes);
        room->counts[probability_cell_of(room->classes, count, t->records->labels[row])] += weight_of(t, row);
    }
}

static void count_reliability(void *of, size_t w, size_t first, size_t end) {
    const reliability_task *t = of;
    size_t outputs = t->forest->output_count;
    const reliability_room room = {t->sums + w * outputs * BLOCK, t->scores + w * outputs * BLOCK,
                                   t->classes + w * (outputs + 1), t->counts + w * CELLS};
    for (size_t begin = first; begin < end; begin += BLOCK)
        count_block(t, &(hr_row_range){begin, end - begin < BLOCK ? end : begin + BLOCK}, &room);
}

static bool lay_out_reliability(reliability_task *t, hr_arena *arena) {
    const hr_binned *binned = t->records->binned;
    size_t *offsets = hr_arena_alloc(arena, binned->features, sizeof *offsets);
    t->trees = hr_arena_alloc(arena, t->forest->tree_count, sizeof *t->trees);
    t->values = hr_arena_alloc(arena, t->forest->tree_count, sizeof *t->values);
    if (!offsets || !t->trees || !t->values) return false;
    for (size_t f = 0; f < binned->features; f++) offsets[f] = f * binned->column_stride;
    for (size_t k = 0; k < t->forest->tree_count; k++) {
        const hr_tree *tree = &t->forest->trees[k];
        if (!hr_block_tree_make(arena, tree, binned->binning, offsets, &t->trees[k])) return false;
        const size_t places = (size_t)1 << t->trees[k].depth;
        if (!(t->values[k] = hr_arena_alloc(arena, places, sizeof *t->values[k]))) return false;
        for (size_t p = 0; p < places; p++)
            t->values[k][p] = hr_fixed_score(tree->nodes[t->trees[k].leaves[p]].value);
    }
    return true;
}

static bool prepare_reliability(reliability_task *t, hr_arena *arena) {
    if (!arena || (!t->records->published && !lay_out_reliability(t, arena))) return false;
    size_t outputs = t->forest->output_count;
    t->sums = hr_arena_alloc(arena, t->workers * outputs, BLOCK * sizeof *t->sums);
    t->scores = hr_arena_alloc(arena, t->workers * outputs, BLOCK * sizeof *t->scores);
    t->classes = hr_arena_alloc(arena, t->workers * (outputs + 1), sizeof *t->classes);
    t->counts = hr_arena_alloc(arena, t->workers * CELLS, sizeof *t->counts);
    return t->sums && t->scores && t->classes && t->counts;
}

hr_status hr_reliability_count(const hr_forest *forest, const hr_reliability_records *records, int threads,
                               hr_exact *cells, hr_error *err) {
    reliability_task t = {.forest = forest, .records = records, .workers = (size_t)threads};
    hr_arena *arena = hr_arena_new();
    bool ready = prepare_reliability(&t, arena);
    if (ready) {
        hr_team_share(t.workers, records->binned->rows, BLOCK, count_reliability, &t);
        for (size_t c = 0; c < CELLS; c++) {
            cells[c].unpaid = 0;
            for (size_t w = 0; w < t.workers; w++) cells[c].unpaid += t.counts[w * CELLS + c];
        }
    }
    hr_arena_free(arena);
    return ready ? HR_OK : hr_fail_memory(err);
}

double hr_reliability_memory(size_t trees) {
    const size_t values = HR_WALK_PLACES_MAX * sizeof(int32_t);
    return (double)trees *
           (hr_block_tree_memory() + (double)(values + sizeof(int32_t *) + sizeof(hr_block_tree)));
}
