#include "trees/candidates/candidate_scan.h"
#include "tables/data/records.h"

#include "base/team.h"
#include "trees/candidates/candidate_sums.h"
#include "trees/candidates/score_gradients.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = HR_WALK_BLOCK,
    PLACES = HR_WALK_PLACES_MAX,
    CHUNK = 4,           /* blocks that a thread takes at a time */
    SCORED_TOGETHER = 8, /* trees */
    LABEL_UNIT = 1 << HR_LABEL_BITS
};

_Static_assert((int)HR_LEAVES_MAX == 1 << HR_CANDIDATE_SCAN_DEPTH_MAX, "scores round every leaf");
_Static_assert((int)HR_WALK_DEPTH_MAX == HR_CANDIDATE_SCAN_DEPTH_MAX, "every leaf has a place");

/* What a thread adds up in a pass. */
typedef struct scan_worker {
    hr_candidate_sums sums; /* of packed words; with weights of numbers */
    int64_t *words;         /* channel, record of a block */
    int64_t within;         /* gradients within the clip */
    bool has_taken_part;    /* else its sums are of another pass */
} scan_worker;

struct hr_candidate_scan {
    const hr_binned *binned;
    size_t outputs, channels;
    int threads;
    hr_score_gradients gradients;
    hr_candidate_trees candidates;
    bool has_step;
    hr_row_range ahead;         /* the records that have taken the step, before the others */
    hr_fixed_step *step_values; /* place, output */
    size_t step_places;
    scan_worker *workers; /* one a member of the team */
    hr_sums *whole;       /* tree, channel, place: of the pass; with weights each channel is a gradient */
    int64_t *words;       /* of all workers */
    int64_t within;
};

void hr_candidate_scan_free(hr_candidate_scan *scan) {
    if (!scan) return;
    hr_score_gradients_done(&scan->gradients);
    hr_candidate_trees_done(&scan->candidates);
    free(scan->step_values);
    free(scan->workers);
    free(scan->words);
    free(scan->whole);
    free(scan);
}

double hr_candidate_scan_memory(size_t rows, size_t outputs, size_t trees, int threads) {
    double of_tree = (double)PLACES * (double)outputs + HR_CANDIDATE_CELLS_MAX,
           of_block = (double)outputs * (BLOCK + HR_CANDIDATE_COPIES * PLACES);
    return (double)rows * ((double)outputs * sizeof(hr_fixed_step) + sizeof(int32_t)) +
           (double)trees * (double)PLACES * (double)outputs * sizeof(hr_sums) +
           (double)threads * ((double)trees * of_tree + of_block) * sizeof(int64_t) +
           hr_candidate_trees_memory(rows, trees);
}

static bool allocate_scan(hr_candidate_scan *s, const hr_candidate_scan_setup *setup) {
    if (!hr_score_gradients_init(&s->gradients, s->binned, setup)) return false;
    s->channels = s->gradients.channels;
    if (!hr_candidate_trees_init(&s->candidates, s->binned, s->channels, setup->trees, (size_t)s->threads))
        return false;
    s->step_values = calloc(PLACES * s->outputs, sizeof *s->step_values);
    s->whole = malloc(setup->trees * PLACES * s->channels * sizeof *s->whole);

    const size_t threads = (size_t)s->threads, leaves = setup->trees * PLACES * s->channels,
                 cells = setup->trees * HR_CANDIDATE_CELLS_MAX, block = s->channels * BLOCK,
                 copies = s->channels * HR_CANDIDATE_COPIES * PLACES, all = leaves + cells + copies + block;
    s->workers = calloc(threads, sizeof *s->workers);
    s->words = malloc(threads * all * sizeof *s->words);
    if (!s->step_values || !s->whole || !s->workers || !s->words) return false;
    for (size_t w = 0; w < threads; w++) {
        int64_t *words = s->words + w * all;
        s->workers[w] = (scan_worker){{words, words + leaves, words + leaves + cells},
                                      .words = words + leaves + cells + copies};
    }
    return true;
}

hr_status hr_candidate_scan_new(const hr_binned *binned, const hr_candidate_scan_setup *setup,
                                hr_candidate_scan **out, hr_error *err) {
    hr_candidate_scan *scan = calloc(1, sizeof *scan);
    if (!scan) return hr_fail_memory(err);
    *scan = (hr_candidate_scan){.binned = binned, .outputs = setup->outputs, .threads = setup->threads};
    if (!allocate_scan(scan, setup)) {
        hr_candidate_scan_free(scan);
        return hr_fail_memory(err);
    }
    *out = scan;
    return HR_OK;
}

void hr_candidate_scan_start(hr_candidate_scan *s, const double *scores, const hr_candidate_scan_loss *loss) {
    hr_score_gradients_start(&s->gradients, scores, loss);
}

/* ---- A pass ---- */

enum { RANGES = 3 }; /* before those ahead of the others, these, and behind them */

/* Over which records. Threads take blocks as they come. */
typedef struct scan_pass {
    hr_candidate_scan *scan;
    const hr_candidate_scan_loss *loss;
    hr_row_range ranges[RANGES];
    bool takes_step[RANGES];
    atomic_size_t next; /* of the blocks of all ranges */
} scan_pass;

typedef struct scanned_block {
    hr_row_block rows;
    bool takes_step;
} scanned_block;

/* Blocks end at multiples of their size, where vectors of bins are aligned. False behind the last block. */
static bool find_block(const scan_pass *p, size_t index, scanned_block *out) {
    for (size_t i = 0; i < RANGES; i++) {
        const hr_row_range r = p->ranges[i];
        const size_t first = r.begin / BLOCK, count = r.begin < r.end ? (r.end - 1) / BLOCK - first + 1 : 0;
        if (index < count) {
            size_t begin = (first + index) * BLOCK, end = begin + BLOCK;
            if (begin < r.begin) begin = r.begin;
            if (end > r.end) end = r.end;
            *out = (scanned_block){{begin, end - begin}, p->takes_step[i]};
            return true;
        }
        index -= count;
    }
    return false;
}

static void scan_blocks(scan_pass *p, scan_worker *w) {
    hr_candidate_scan *s = p->scan;
    scanned_block b;
    for (;;) {
        size_t first = atomic_fetch_add_explicit(&p->next, CHUNK, memory_order_relaxed);
        for (size_t i = first; i < first + CHUNK; i++) {
            if (!find_block(p, i, &b)) return;
            if (b.takes_step) {
                uint8_t room[BLOCK];
                const uint8_t *places = hr_candidate_trees_step_places(&s->candidates, &b.rows, room);
                const hr_score_step step = {s->step_values, s->step_places, places};
                hr_score_gradients_take_step(&s->gradients, p->loss, &b.rows, &step);
            }
            w->within += hr_score_gradients_words(&s->gradients, p->loss, &b.rows, w->words);
            hr_candidate_sums_add(&s->candidates, &b.rows, w->words, &w->sums);
        }
    }
}

/* One thread's part: whatever blocks the others leave. */
static void scan_part(void *of, size_t member) {
    scan_pass *p = of;
    hr_candidate_scan *s = p->scan;
    scan_worker *w = &s->workers[member];
    hr_candidate_sums_clear(&s->candidates, &w->sums);
    w->within = 0;
    w->has_taken_part = true;
    scan_blocks(p, w);
    hr_candidate_sums_fold(&s->candidates, &w->sums);
}

/* ---- A round ---- */

void hr_candidate_scan_set_step(hr_candidate_scan *s, size_t tree, const double *values, double published) {
    const hr_leaf_finder *f = hr_candidate_trees_set_step(&s->candidates, tree);
    for (size_t i = 0; i < f->place_count * s->outputs; i++) {
        const double value = values[f->nodes[i / s->outputs] * s->outputs + i % s->outputs];
        s->step_values[i] = (hr_fixed_step){hr_fixed_score(value), hr_fixed_score(published * value)};
    }
    s->step_places = f->place_count;
    s->has_step = true;
    s->ahead = (hr_row_range){0, 0};
}

static size_t clamp_row(size_t row, hr_row_range rows) {
    return row < rows.begin ? rows.begin : row > rows.end ? rows.end : row;
}

/* At most HR_SCORE_WORD_ROWS records. Adds the sums of all threads, unpacked, to those of the pass. */
static void scan_packed(hr_candidate_scan *s, hr_row_range rows, const hr_candidate_scan_loss *loss) {
    const size_t from = clamp_row(s->ahead.begin, rows), to = clamp_row(s->ahead.end, rows);
    scan_pass pass = {.scan = s,
                      .loss = loss,
                      .ranges = {{rows.begin, from}, {from, to}, {to, rows.end}},
                      .takes_step = {s->has_step, false, s->has_step}};
    atomic_init(&pass.next, 0);
    for (int w = 0; w < s->threads; w++) s->workers[w].has_taken_part = false;
    hr_team_run((size_t)s->threads, scan_part, &pass);

    const size_t count = s->candidates.count * PLACES * s->channels;
    const hr_packing packing = {.shift = s->gradients.shift};
    for (int w = 0; w < s->threads; w++) {
        const scan_worker *worker = &s->workers[w];
        if (!worker->has_taken_part) continue;
        for (size_t i = 0; i < count; i++) {
            const int64_t sum = worker->sums.leaves[i];
            const hr_sums sums = s->binned->weights ? (hr_sums){{sum}, {0}} : hr_unpack(&packing, sum);
            s->whole[i].gradient.unpaid += sums.gradient.unpaid;
            s->whole[i].weight.unpaid += sums.weight.unpaid;
        }
        s->within += worker->within;
    }
}

static hr_status scan_records(hr_candidate_scan *s, hr_row_range rows, const hr_tree *trees,
                              size_t tree_count, const hr_candidate_scan_loss *loss, hr_error *err) {
    if (!hr_candidate_trees_lay_out(&s->candidates, trees, tree_count)) return hr_fail_memory(err);
    s->within = 0;
    memset(s->whole, 0, tree_count * PLACES * s->channels * sizeof *s->whole);
    for (size_t begin = rows.begin; begin < rows.end; begin += HR_SCORE_WORD_ROWS) {
        const size_t end = rows.end - begin < HR_SCORE_WORD_ROWS ? rows.end : begin + HR_SCORE_WORD_ROWS;
        scan_packed(s, (hr_row_range){begin, end}, loss);
    }
    s->ahead = rows;
    return HR_OK;
}

hr_status hr_candidate_scan_part(hr_candidate_scan *s, hr_row_range rows, const hr_tree *trees,
                                 size_t tree_count, const hr_candidate_scan_loss *loss, hr_error *err) {
    s->candidates.keeps_leaves = false;
    return scan_records(s, rows, trees, tree_count, loss, err);
}

hr_status hr_candidate_scan_round(hr_candidate_scan *s, const hr_tree *trees, size_t tree_count,
                                  const hr_candidate_scan_loss *loss, hr_error *err) {
    const hr_row_range all = {0, s->binned->rows};
    s->candidates.keeps_leaves = tree_count == 1;
    hr_status status = scan_records(s, all, trees, tree_count, loss, err);
    if (!status) s->has_step = false;
    return status;
}

/* The pass over all records has no tree. */
const int32_t *hr_candidate_scan_published(hr_candidate_scan *s, const hr_candidate_scan_loss *loss) {
    if (s->has_step && hr_candidate_scan_round(s, NULL, 0, loss, NULL)) return NULL;
    return s->gradients.published;
}

/* ---- What a round leaves ---- */

static hr_sums channel_of(const hr_candidate_scan *s, size_t tree, size_t node, size_t k) {
    size_t place = s->candidates.trees[tree].finder.places[node];
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

typedef struct score_pass {
    const hr_candidate_scan *scan;
    const hr_tree *trees;
    const hr_leaf_score_rule *rule;
    hr_exact *scores;
} score_pass;

static void score_trees(void *of, size_t member, size_t begin, size_t end) {
    const score_pass *p = of;
    (void)member;
    for (size_t t = begin; t < end; t++) {
        hr_exact *score = &p->scores[t];
        score->unpaid = 0;
        if (p->rule->schema) { /* of one output */
            hr_exact sums[HR_CANDIDATE_SCAN_NODES_MAX], counts[HR_CANDIDATE_SCAN_NODES_MAX];
            hr_candidate_scan_leaves(p->scan, p->trees, t, sums, counts);
            hr_leaf_scores(sums, &p->trees[t], 1, p->rule, score);
            continue;
        }
        for (size_t n = 0; n < p->trees[t].node_count; n++) {
            if (p->trees[t].nodes[n].left) continue;
            int64_t over = length_of(p->scan, t, n) - p->rule->threshold;
            if (over > 0) score->unpaid += over;
        }
    }
}

void hr_candidate_scan_scores(const hr_candidate_scan *s, const hr_tree *trees, size_t tree_count,
                              const hr_leaf_score_rule *rule, hr_exact *scores) {
    hr_team_share((size_t)s->threads, tree_count, SCORED_TOGETHER, score_trees,
                  &(score_pass){s, trees, rule, scores});
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

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

size_t hr_candidate_scan_totals(const hr_scan_records *of, size_t outputs, hr_exact *count,
                                hr_exact *labels) {
    const uint32_t *weights = of->weights;
    count->unpaid = 0;
    for (size_t k = 0; k < outputs; k++) labels[k].unpaid = 0;
    for (size_t i = 0; i < of->rows; i++) {
        int64_t weight = weights ? weights[i] : HR_COUNT_UNIT;
        count->unpaid += weights && of->exposures ? hr_exposed(weights[i], of->exposures[i]) : weight;
        if (outputs > 1) {
            labels[(size_t)of->targets[i]].unpaid += weight;
            continue;
        }
        const double target = of->exposures ? (of->targets[i] + 1) / 2 : of->targets[i];
        int64_t label = larger(hr_round(target * LABEL_UNIT), -LABEL_UNIT);
        if (label > LABEL_UNIT) label = LABEL_UNIT;
        labels[0].unpaid += weights ? hr_person_share(weights[i], label) : label;
    }
    return outputs;
}

/* ---- Scores of sums of several tables ---- */

int64_t hr_whole_root(hr_u128 x) {
    uint64_t root = (uint64_t)sqrt((double)x);
    while ((hr_u128)root * root > x) root--;
    while ((hr_u128)(root + 1) * (root + 1) <= x) root++;
    return (int64_t)root;
}

static int64_t length_of_sums(const hr_exact *sums, size_t outputs) {
    if (outputs == 1) return llabs(sums[0].unpaid);
    hr_u128 square = 0;
    for (size_t k = 0; k < outputs; k++) square += (hr_u128)((hr_i128)sums[k].unpaid * sums[k].unpaid);
    return hr_whole_root(square);
}

/* What the leaves below a node add to a score: those that are raised, the best of them or all, and those that
 * are lowered. */
typedef struct node_score {
    int64_t raised, all_raised, lowered, all_lowered;
} node_score;

/* No sum of a leaf reaches this: what is larger takes as much off a score. */
static const int64_t LARGEST_THRESHOLD = INT64_C(1) << 51;

static int64_t score_of_ordered(const hr_exact *sums, size_t leaf, const hr_tree *tree,
                                const hr_leaf_score_rule *rule) {
    const int64_t threshold = rule->threshold < LARGEST_THRESHOLD ? rule->threshold : LARGEST_THRESHOLD;
    node_score at[HR_CANDIDATE_SCAN_NODES_MAX];
    for (size_t n = tree->node_count; n-- > 0;) {
        const hr_node *node = &tree->nodes[n];
        if (!node->left) {
            const int64_t sum = sums[--leaf].unpaid, up = -sum - threshold, down = sum - threshold;
            at[n] = (node_score){larger(up, 0), up, larger(down, 0), down};
            continue;
        }
        const hr_monotone direction = hr_schema_feature(rule->schema, node->feature)->monotone;
        const node_score *low = &at[node->left + (direction == HR_MONOTONE_DECREASING)],
                         *high = &at[node->left + (direction != HR_MONOTONE_DECREASING)];
        at[n] = (node_score){low->raised + high->raised, low->all_raised + high->all_raised,
                             low->lowered + high->lowered, low->all_lowered + high->all_lowered};
        if (!direction) continue;
        at[n].raised = larger(high->raised, high->all_raised + low->raised);
        at[n].lowered = larger(low->lowered, low->all_lowered + high->lowered);
    }
    return at[0].raised + at[0].lowered;
}

void hr_leaf_scores(const hr_exact *sums, const hr_tree *trees, size_t count, const hr_leaf_score_rule *rule,
                    hr_exact *scores) {
    for (size_t t = 0; t < count; t++) {
        size_t leaves = hr_tree_leaves(&trees[t]);
        if (rule->schema) { /* of one output */
            scores[t].unpaid = score_of_ordered(sums, leaves, &trees[t], rule);
            sums += leaves;
            continue;
        }
        scores[t].unpaid = 0;
        for (; leaves > 0; leaves--, sums += rule->outputs) {
            const int64_t over = length_of_sums(sums, rule->outputs) - rule->threshold;
            if (over > 0) scores[t].unpaid += over;
        }
    }
}
