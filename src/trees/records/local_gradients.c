#include "trees/records/local_gradients.h"

#include "base/fail.h"
#include "base/team.h"
#include "privacy/sensitivity.h"
#include "tables/data/cell_file.h"
#include "trees/records/placed_stats.h"
#include "trees/records/tree_scores.h"
#include "trees/stats/gradient.h"

#include <stdlib.h>
#include <string.h>

struct hr_local_stats_gradients {
    const hr_local_stats_records *records;
    const hr_parts *parts;
    size_t outputs;
    hr_binned *binned;
    int depth;
    hr_local_stats *local;   /* NULL until a round of some of the records, where there is `placed` */
    hr_placed_stats *placed; /* of rounds of all records; NULL: local's */
    const uint32_t *weights; /* of persons' records; NULL: none */
    hr_local_stats *weighed; /* sums of these; NULL with them */
    double *targets;         /* gradient.h */
    double *scores;          /* rows x outputs: what the trees so far predict */
    hr_stats_round round;
    const uint32_t *rows; /* of the round; NULL: all records, in order */
    size_t count;
    uint32_t *kept;        /* room for records of a round that leaves some out; NULL until there is one */
    hr_tree_scores *trees; /* released ones that the scores of some records lack */
    size_t *taken; /* of every part, and of the records of no part: how many of them their scores have */
};

/* ---- Room ---- */

void hr_local_stats_gradients_free(hr_local_stats_gradients *g) {
    if (!g) return;
    void *all[] = {g->targets, g->scores, g->kept, g->taken};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    hr_local_stats_free(g->local);
    hr_local_stats_free(g->weighed);
    hr_placed_stats_free(g->placed);
    hr_tree_scores_free(g->trees);
    hr_binned_free(g->binned);
    free(g);
}

/* What rounds of some of the records need: tiles in memory, and room to put a node's records together. */
static hr_status need_lists(hr_local_stats_gradients *g, hr_error *err) {
    if (g->local) return HR_OK;
    const hr_binned *binned = g->binned;
    const int threads = g->records->threads;
    hr_status status = binned->tiles || binned->sparse ? HR_OK : hr_binned_add_tiles(g->binned, threads, err);
    if (!status) status = hr_local_stats_new(binned, binned->rows, g->depth, threads, &g->local, err);
    if (!status && g->weights)
        status = hr_local_stats_new(binned, binned->rows, g->depth, threads, &g->weighed, err);
    return status;
}

hr_status hr_local_stats_gradients_new(const hr_local_stats_records *records, const hr_stats_setup *setup,
                                       const hr_parts *parts, hr_local_stats_gradients **out, hr_error *err) {
    size_t rows = hr_data_rows(records->data);
    hr_local_stats_gradients *g = calloc(1, sizeof *g);
    if (!g) return hr_fail_memory(err);
    *g = (hr_local_stats_gradients){.records = records,
                                    .parts = parts,
                                    .outputs = setup->outputs,
                                    .depth = setup->depth,
                                    .weights = setup->weights};
    const hr_binning *binning = setup->binning;
    hr_status status = binning->cells_at
                           ? hr_binned_sparse(records->data, binning, &g->binned, err)
                           : hr_binned_columns(records->data, binning, records->threads, &g->binned, err);
    g->targets = malloc((rows + 1) * sizeof *g->targets);
    g->scores = calloc(rows * g->outputs + 1, sizeof *g->scores);
    if (!status && !(g->targets && g->scores)) status = hr_fail_memory(err);
    if (!status) status = hr_tree_scores_new(g->binned, g->outputs, records->threads, &g->trees, err);
    /* Mapped columns are read in order, by rounds of all records; so are those of too many records for packed
     * sums. */
    bool in_order = !status && !g->weights && (g->binned->mapped || setup->sums_apart);
    if (!status)
        status = in_order ? hr_placed_stats_new(g->binned, setup->depth, records->threads, &g->placed, err)
                          : need_lists(g, err);
    if (!status) status = hr_local_stats_gradients_share(g, err);
    if (status) {
        hr_local_stats_gradients_free(g);
        return status;
    }
    hr_targets_of(records->data, g->targets);
    if (g->binned->mapped) hr_cell_file_release(g->binned->mapped);
    if (records->scores) memcpy(g->scores, records->scores, rows * g->outputs * sizeof *g->scores);
    *out = g;
    return HR_OK;
}

/* ---- Scores ---- */

static void forget_local_gradients(hr_local_stats_gradients *g) {
    hr_tree_scores_forget(g->trees);
    memset(g->taken, 0, (g->parts->count + 1) * sizeof *g->taken);
}

/* All records, which are one part; trees that were added to their scores are not needed again. */
static hr_status catch_up_whole(hr_local_stats_gradients *g, hr_error *err) {
    hr_status status = HR_OK;
    size_t trees = hr_tree_scores_count(g->trees);
    if (!trees) return HR_OK;
    /* The records of a tree that was trained on all of them are still where its growth left them, by leaf. */
    bool are_by_leaf = g->outputs == 1 && g->count && !g->rows && trees == 1;
    if (!are_by_leaf)
        status = hr_tree_scores_add(g->trees, 0, NULL, g->binned->rows, g->scores, err);
    else if (g->placed)
        status = hr_placed_stats_add_tree(g->placed, hr_tree_scores_tree(g->trees, 0), g->scores, 1, err);
    else
        hr_local_stats_add_tree(g->local, hr_tree_scores_tree(g->trees, 0), g->scores, 1);
    forget_local_gradients(g);
    return status;
}

/* Records are scored when they are needed. Part `count` is those of no part, which fixed sizes leave over. */
static hr_status catch_up_part(hr_local_stats_gradients *g, size_t part, hr_error *err) {
    size_t from = g->taken[part], begin = g->parts->begin[part];
    size_t end = part < g->parts->count ? g->parts->begin[part + 1] : g->binned->rows;
    g->taken[part] = hr_tree_scores_count(g->trees);
    if (from == g->taken[part]) return HR_OK;
    return hr_tree_scores_add(g->trees, from, g->parts->rows + begin, end - begin, g->scores, err);
}

hr_status hr_local_stats_gradients_catch_up(hr_local_stats_gradients *g, hr_error *err) {
    hr_timings_enter(g->records->timings, HR_PHASE_SCORE);
    hr_status status = HR_OK;
    if (!g->parts->rows)
        status = catch_up_whole(g, err);
    else
        for (size_t part = 0; !status && part <= g->parts->count; part++)
            status = catch_up_part(g, part, err);
    hr_timings_leave(g->records->timings);
    return status;
}

hr_status hr_local_stats_gradients_share(hr_local_stats_gradients *g, hr_error *err) {
    size_t *taken = realloc(g->taken, (g->parts->count + 1) * sizeof *taken);
    if (!taken) return hr_fail_memory(err);
    g->taken = taken;
    forget_local_gradients(g);
    return HR_OK;
}

hr_status hr_local_stats_gradients_add(hr_local_stats_gradients *g, const hr_tree *trees, size_t count,
                                       hr_error *err) {
    return hr_tree_scores_keep(g->trees, trees, count, err);
}

void hr_local_stats_gradients_set_base(hr_local_stats_gradients *g, const double *base) {
    for (size_t i = 0; i < g->binned->rows * g->outputs; i++) g->scores[i] = base[i % g->outputs];
}

/* ---- A round ---- */

static hr_gradient_input input_of(const hr_local_stats_gradients *g, size_t output, const uint32_t *rows,
                                  size_t count) {
    return (hr_gradient_input){.targets = g->targets,
                               .scores = g->scores,
                               .outputs = g->outputs,
                               .output = output,
                               .rows = rows,
                               .count = count,
                               .weights = g->records->weights,
                               .threads = g->records->threads};
}

static void set_own_gradients(const hr_stats_round *round, const hr_gradient_input *in, int64_t *packed) {
    if (round->loss == HR_STATS_LOGISTIC)
        hr_gradients_logistic(in, &round->packing, packed);
    else
        hr_gradients_square(in, round->bound, &round->packing, packed);
}

/* What persons' records add: their shares of their gradients, and their weights. A record of weight 1 has a
 * gradient of up to gradient_bound * 2^16 after it is weighed, finer by HR_PERSON_FINE_BITS. */
static void set_person_gradients(hr_local_stats_gradients *g) {
    enum { COARSER = HR_PERSON_UNIT >> HR_PERSON_FINE_BITS };
    hr_stats_round alone = g->round;
    alone.packing.shift = 1;
    alone.packing.weight_scale = 0; /* the least weight, 1 */
    alone.packing.gradient_bound *= COARSER;
    alone.packing.gradient_scale *= COARSER;
    int64_t *gradients = hr_local_stats_packed(g->local), *weights = hr_local_stats_packed(g->weighed);
    hr_gradient_input in = input_of(g, g->round.output, g->rows, g->count);
    set_own_gradients(&alone, &in, gradients);
    for (size_t i = 0; i < g->count; i++) {
        uint32_t weight = g->weights[g->rows ? g->rows[i] : i];
        gradients[i] = hr_person_share(weight, hr_unpack(&alone.packing, gradients[i]).gradient.unpaid);
        weights[i] = weight;
    }
    hr_local_stats_start(g->weighed, g->rows, g->count);
}

/* Whether the round is of all records, each in its place. */
static bool is_placed(const hr_local_stats_gradients *g) {
    return g->placed && !g->rows;
}

static void set_gradients(hr_local_stats_gradients *g) {
    const hr_stats_round *round = &g->round;
    int64_t *packed = is_placed(g) ? hr_placed_stats_packed(g->placed) : hr_local_stats_packed(g->local);
    hr_gradient_input in = input_of(g, round->output, g->rows, g->count);
    set_own_gradients(round, &in, packed);
    if (!round->added) return;
    for (size_t i = 0; i < g->count; i++) packed[i] += round->added[g->rows ? g->rows[i] : i];
}

/* Leaves out the records whose gradient is beyond the bound. */
static hr_status drop_records(hr_local_stats_gradients *g, hr_error *err) {
    if (!g->kept) g->kept = malloc((g->binned->rows + 1) * sizeof *g->kept);
    if (!g->kept) return hr_fail_memory(err);
    hr_gradient_input in = input_of(g, g->round.output, g->rows, g->count);
    g->count = hr_rows_within(&in, g->round.bound, g->kept);
    g->rows = g->kept;
    return HR_OK;
}

static void count_left_out(const hr_local_stats_gradients *g) {
    if (!g->round.left_out) return;
    size_t records = hr_parts_size(g->parts, g->round.part);
    g->round.left_out->records += records;
    g->round.left_out->left_out += records - g->count;
}

static hr_status catch_up_before(hr_local_stats_gradients *g, size_t part, hr_error *err) {
    hr_timings_enter(g->records->timings, HR_PHASE_SCORE);
    hr_status status = g->parts->rows ? catch_up_part(g, part, err) : catch_up_whole(g, err);
    hr_timings_leave(g->records->timings);
    return status;
}

hr_status hr_local_stats_gradients_begin(hr_local_stats_gradients *g, const hr_stats_round *round,
                                         hr_error *err) {
    hr_status status = catch_up_before(g, round->part, err);
    if (status) return status;
    g->round = *round;
    g->rows = hr_parts_rows(g->parts, round->part);
    g->count = hr_parts_size(g->parts, round->part);
    if (round->drop_beyond) status = drop_records(g, err);
    if (!status && !is_placed(g)) status = need_lists(g, err);
    if (status) return status;
    count_left_out(g);
    if (g->weights)
        set_person_gradients(g);
    else
        set_gradients(g);
    if (is_placed(g))
        hr_placed_stats_start(g->placed);
    else
        hr_local_stats_start(g->local, g->rows, g->count);
    return HR_OK;
}

hr_status hr_local_stats_gradients_of_records(hr_local_stats_gradients *g, const hr_stats_round *round,
                                              int64_t *packed, hr_error *err) {
    hr_status status = hr_local_stats_gradients_catch_up(g, err);
    if (status) return status;
    hr_gradient_input in = input_of(g, round->output, NULL, g->binned->rows);
    set_own_gradients(round, &in, packed);
    return HR_OK;
}

typedef struct other_tree {
    const hr_tree *tree;
    const hr_data *data;
    double *scores; /* of the tree's output */
    size_t stride;
} other_tree;

static void add_other_tree(void *of, size_t member, size_t begin, size_t end) {
    const other_tree *o = of;
    (void)member;
    for (size_t i = begin; i < end; i++)
        o->scores[i * o->stride] += o->tree->nodes[hr_tree_leaf(o->tree, o->data, i)].value;
}

hr_status hr_local_stats_gradients_add_other(hr_local_stats_gradients *g, const hr_tree *tree,
                                             hr_error *err) {
    hr_status status = hr_local_stats_gradients_catch_up(g, err);
    if (status) return status;
    other_tree other = {tree, g->records->data, g->scores + tree->output, g->outputs};
    hr_team_share((size_t)g->records->threads, g->binned->rows, HR_TEAM_RECORDS, add_other_tree, &other);
    return HR_OK;
}

hr_status hr_local_stats_gradients_sum(hr_local_stats_gradients *g, const uint32_t *nodes,
                                       hr_sum_word *const *out, size_t count, hr_error *err) {
    if (is_placed(g)) return hr_placed_stats_sum(g->placed, &g->round.packing, nodes, out, count, err);
    hr_local_stats_sum(g->local, nodes, out, count);
    if (!g->weights) return HR_OK;
    hr_sum_word **behind = malloc(count * sizeof *behind);
    if (!behind) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) behind[i] = out[i] + g->round.packing.weight_cells;
    hr_local_stats_sum(g->weighed, nodes, behind, count);
    free(behind);
    return HR_OK;
}

hr_status hr_local_stats_gradients_split(hr_local_stats_gradients *g, const uint32_t *nodes,
                                         const hr_split *splits, const uint32_t *left, size_t count,
                                         hr_error *err) {
    if (is_placed(g)) return hr_placed_stats_split(g->placed, nodes, splits, left, count, err);
    hr_local_stats_split(g->local, nodes, splits, left, count);
    if (g->weights) hr_local_stats_split(g->weighed, nodes, splits, left, count);
    return HR_OK;
}

void hr_local_stats_gradients_label_sums(const hr_local_stats_gradients *g, hr_exact *sums) {
    bool classes = hr_schema_task(hr_data_schema(g->records->data)) != HR_TASK_REGRESSION;
    hr_label_sums(g->targets, g->binned->rows, g->outputs, classes, sums);
}

double hr_local_stats_gradients_largest(const hr_local_stats_gradients *g, size_t output) {
    hr_gradient_input in = input_of(g, output, NULL, g->binned->rows);
    return hr_gradients_square_bound(&in);
}

void hr_local_stats_gradients_hessians(const hr_local_stats_gradients *g, const hr_tree *tree,
                                       hr_exact *sums) {
    const hr_hessian_rule rule = {&g->round.packing, g->round.bound, g->weights};
    hr_local_stats_hessians(g->local, tree, &rule, sums);
}
