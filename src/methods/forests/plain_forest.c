/* The forests without privacy, references of DiPriMe's tables 1 and 2: rf, ert and median, which differ by
 * the records and the splits of their trees. They share exact bins, trees that are grown side by side, one a
 * thread and each from a stream of its own, and leaves that hold the mean label or the share of every class.
 * Their models do not depend on the number of threads. */
#include "base/fail.h"
#include "base/team.h"
#include "methods/forests/average.h"
#include "tables/bins/bin_midpoints.h"
#include "tables/bins/edges.h"
#include "trees/grow/depth_first.h"

#include <math.h>
#include <stdlib.h>

/* ---- The forest ---- */

/* One thread's tree. */
typedef struct forest_worker {
    hr_forest_records *records;
    hr_depth_first *deep;
    hr_tree tree;
    const hr_exact *stats;
    hr_status status;
    hr_error err;
} forest_worker;

typedef struct plain_forest {
    hr_training *training;
    hr_binned *binned;
    hr_bin_midpoints *midpoints;
    hr_labels labels;
    hr_forest_table table;
    hr_depth_first_plan plan;
    hr_forest_taking *taking;
    hr_permit leaves;
    forest_worker *workers;
    size_t worker_count;
} plain_forest;

/* Bins, and what they are grown by. */
static hr_status make_forest_plan(plain_forest *f, const hr_split_rule *rule, hr_error *err) {
    hr_training *t = f->training;
    const hr_column *label = hr_schema_label(hr_data_schema(t->data));
    int bits;
    hr_status status =
        hr_edges_exact(t->data, (uint32_t)t->options->bins, t->threads, t->arena, &t->binning, err);
    if (!status) status = hr_binned_new(t->data, &t->binning, t->threads, &f->binned, err);
    if (!status) status = hr_bin_midpoints_find(t->data, f->binned, t->threads, t->arena, &f->midpoints, err);
    if (status) return status;

    f->table = (hr_forest_table){.binned = f->binned, .labels = &f->labels};
    f->plan = (hr_depth_first_plan){
        .binning = &t->binning,
        .midpoints = f->midpoints,
        .rule = rule,
        .depth = (int)t->options->depth,
        .candidates = hr_candidate_features(t->options, t->binning.feature_count),
        .min_records = (int64_t)fmax(ceil(t->options->by_name[HR_OPTION_MIN_CHILD_WEIGHT]), 1)};
    status = hr_forest_pack(hr_data_rows(t->data), label->kind == HR_KIND_CATEGORY ? label->value_count : 0,
                            &f->table.packing, &bits, err);
    return status ? status : hr_labels_scaled(t->data, bits, &f->labels, err);
}

static hr_status init_workers(plain_forest *f, hr_error *err) {
    size_t threads = (size_t)f->training->threads, trees = (size_t)f->training->options->trees;
    size_t count = threads < trees ? threads : trees;
    f->workers = calloc(count, sizeof *f->workers);
    if (!f->workers) return hr_fail_memory(err);
    hr_status status = HR_OK;
    for (; !status && f->worker_count < count; f->worker_count++) {
        forest_worker *w = &f->workers[f->worker_count];
        status = hr_forest_records_new(&f->table, &w->records, err);
        if (!status) status = hr_depth_first_new(&f->plan, w->records, &w->deep, err);
    }
    return status;
}

/* ---- Trees ---- */

static void grow_plain_tree(const plain_forest *f, forest_worker *w, uint64_t seed) {
    hr_csprng *csprng = NULL;
    w->status = hr_csprng_open_seeded(seed, &csprng, &w->err);
    if (w->status) return;
    f->taking(w->records, csprng);
    w->status = hr_depth_first_grow(w->deep, csprng, &w->tree, &w->stats, &w->err);
    hr_csprng_close(csprng);
}

/* Lets the gate release the leaves, and adds the tree. A leaf's value is the mean of its labels, or the share
 * of every class; nodes that are no leaves have 0. */
static hr_status add_plain_tree(const plain_forest *f, const forest_worker *w, hr_error *err) {
    const size_t nodes = w->tree.node_count, width = hr_labels_width(&f->labels), classes = f->labels.classes;
    hr_noisy *sums = malloc(nodes * width * sizeof *sums);
    double *leaf_values = malloc(nodes * hr_average_width(f->training->data) * sizeof *leaf_values);
    if (!sums || !leaf_values) {
        free(sums);
        free(leaf_values);
        return hr_fail_memory(err);
    }

    hr_gate_sums(f->training->gate, f->leaves, w->stats, nodes * width, sums);
    for (size_t n = 0; n < nodes; n++) {
        const hr_noisy *of = sums + n * width;
        double all = 0;
        for (size_t k = 0; k < classes; k++) all += (double)of[k].paid;
        for (size_t k = 0; k < classes; k++)
            leaf_values[n * classes + k] = all > 0 ? (double)of[k].paid / all : 0;
        if (!classes)
            leaf_values[n] = of[1].paid > 0
                                 ? (double)of[0].paid / (double)of[1].paid / f->table.packing.gradient_scale
                                 : 0;
    }
    hr_status status = hr_average_add(f->training, &w->tree, leaf_values, err);
    free(sums);
    free(leaf_values);
    return status;
}

/* Trees that are grown side by side, each with what one worker has. */
typedef struct tree_batch {
    const plain_forest *forest;
    const uint64_t *seeds;
} tree_batch;

static void grow_batch(void *of, size_t member, size_t begin, size_t end) {
    const tree_batch *batch = of;
    (void)member;
    for (size_t i = begin; i < end; i++)
        grow_plain_tree(batch->forest, &batch->forest->workers[i], batch->seeds[i]);
}

/* A batch joins the forest in order, on the caller's thread, where progress is reported. */
static hr_status grow_on_seeds(const plain_forest *f, const uint64_t *seeds, size_t trees, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t begin = 0; !status && begin < trees; begin += f->worker_count) {
        const size_t count = trees - begin < f->worker_count ? trees - begin : f->worker_count;
        hr_team_share(f->worker_count, count, 1, grow_batch, &(tree_batch){f, seeds + begin});
        for (size_t i = 0; !status && i < count; i++) {
            const forest_worker *w = &f->workers[i];
            status = w->status ? w->status : add_plain_tree(f, w, err);
            if (w->status && err) *err = w->err;
            if (!status && begin + i + 1 < trees)
                status = hr_training_progress(f->training, begin + i + 1, trees, err);
        }
    }
    return status;
}

static hr_status grow_forest(const plain_forest *f, hr_error *err) {
    const size_t trees = (size_t)f->training->options->trees;
    uint64_t *seeds = malloc(trees * sizeof *seeds);
    if (!seeds) return hr_fail_memory(err);
    /* One for every tree, so that the number of threads does not matter. */
    for (size_t t = 0; t < trees; t++) seeds[t] = hr_csprng_u64(hr_gate_csprng(f->training->gate));
    hr_status status = hr_average_init(f->training, err);
    if (!status) status = grow_on_seeds(f, seeds, trees, err);
    if (!status) status = hr_training_progress(f->training, trees, trees, err);
    free(seeds);
    return status;
}

/* The methods differ in `taking` and `rule`. */
static hr_status train_plain_forest(hr_training *training, hr_forest_taking *taking,
                                    const hr_split_rule *rule, hr_error *err) {
    plain_forest f = {.training = training, .taking = taking};
    hr_timings *timings = hr_gate_timings(training->gate);
    hr_charge leaves = {.what = "leaves", .tree = -1, .level = -1, .sensitivity = 1};
    hr_status status = hr_gate_charge_exact(training->gate, "bin edges", err);
    if (!status) status = hr_gate_charge_exact(training->gate, "splits", err);
    if (!status) status = hr_gate_charge_sums(training->gate, &leaves, &f.leaves, err);
    hr_timings_enter(timings, HR_PHASE_BINS);
    if (!status) status = make_forest_plan(&f, rule, err);
    hr_timings_leave(timings);
    if (!status) status = init_workers(&f, err);
    hr_timings_enter(timings, HR_PHASE_GROW);
    if (!status) status = grow_forest(&f, err);
    hr_timings_leave(timings);
    for (size_t i = 0; i < f.worker_count; i++) {
        hr_depth_first_free(f.workers[i].deep);
        hr_forest_records_free(f.workers[i].records);
    }
    free(f.workers);
    hr_labels_done(&f.labels);
    hr_binned_free(f.binned);
    return status;
}

/* ---- What they share of their rows ---- */

/* max-features stays 0: the root of the number of features. */
static void plain_forest_defaults(hr_fit_options *o) {
    o->trees = 100;
    o->depth = 16;
    o->bins = 255;
    o->by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 1;
    o->edges = HR_EDGES_EXACT;
}

static const char *const plain_forest_options[] = {
    "trees", "depth", "max-features", "bins", "min-child-weight", NULL};
static const hr_bound plain_forest_bounds[] = {{"depth", 1, 60, "1..60", NULL}, {0}};

#define FLAWS "It has no privacy at all: splits, leaves and bin edges are exact statistics of the records."

/* ---- Random forests ---- */

/* Random forests (Breiman 2001): every tree on a bootstrap of the records, every node the best split among K
 * features drawn for it. */
static hr_status train_rf(hr_training *training, hr_error *err) {
    return train_plain_forest(training, hr_forest_take_bootstrap, &hr_split_rule_best, err);
}

const hr_method hr_method_rf = {
    .info = {.name = "rf",
             .summary = "random forest, without privacy",
             .paper = "Breiman: Random forests. Machine Learning 45(1), 2001",
             .is_private = false,
             .sound = "",
             .flaws = FLAWS},
    .defaults = plain_forest_defaults,
    .sound_options = plain_forest_options,
    .bounds = plain_forest_bounds,
    .train = train_rf,
};

/* ---- Extremely randomised trees ---- */

/* Extremely randomised trees (Geurts, Ernst, Wehenkel 2006): every tree on all records; of K features drawn
 * for a node one uniformly random cut each, and the best of these. */
static hr_status train_ert(hr_training *training, hr_error *err) {
    return train_plain_forest(training, hr_forest_take_all, &hr_split_rule_random, err);
}

const hr_method hr_method_ert = {
    .info = {.name = "ert",
             .summary = "extremely randomised trees, without privacy",
             .paper = "Geurts, Ernst, Wehenkel: Extremely randomized trees. Machine Learning 63(1), 2006",
             .is_private = false,
             .sound = "",
             .flaws = FLAWS},
    .defaults = plain_forest_defaults,
    .sound_options = plain_forest_options,
    .bounds = plain_forest_bounds,
    .train = train_ert,
};

/* ---- Median trees ---- */

/* Median trees: every tree on all records; each of K features drawn for a node is cut at the median of the
 * node's records, and the best of these cuts splits it. Every level halves the nodes, so that depth 10 leaves
 * a thousandth of the records in a leaf; trees differ by their features alone. */
static hr_status train_median(hr_training *training, hr_error *err) {
    return train_plain_forest(training, hr_forest_take_all, &hr_split_rule_median, err);
}

static void median_defaults(hr_fit_options *o) {
    plain_forest_defaults(o);
    o->depth = 10;
}

const hr_method hr_method_median = {
    .info = {.name = "median",
             .summary = "forest of trees cut at medians, without privacy",
             .paper = "Breiman: Consistency for a simple model of random forests. Technical Report 670, "
                      "Statistics Department, University of California at Berkeley, 2004; as in Consul, "
                      "Williamson: Differentially private median forests for regression and classification",
             .is_private = false,
             .sound = "",
             .flaws = FLAWS},
    .defaults = median_defaults,
    .sound_options = plain_forest_options,
    .bounds = plain_forest_bounds,
    .train = train_median,
};
