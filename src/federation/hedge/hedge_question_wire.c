#include "federation/hedge/hedge_question_wire.h"

#include "base/fail.h"
#include "federation/hedge/hedge_cuts.h"
#include "methods/hedge/hedge_objective.h"
#include "methods/hedge/hedge_plan.h"
#include "privacy/sensitivity.h"
#include "trees/candidates/reliability.h"

#include <math.h>
#include <string.h>

enum { SET_WORDS = HR_BINS_MAX / 64, TREES_MAX = 1 << 16 };

/* ---- Packing: everything lives in an arena until the bytes are made ---- */

typedef struct packer {
    hr_arena *arena;
    bool failed; /* memory was short */
} packer;

static void *room_for(packer *p, size_t count, size_t size) {
    void *room = hr_arena_alloc(p->arena, count + 1, size);
    if (!room) p->failed = true;
    return room;
}

/* Every `stride`-th tree of them. */
static Hedgerow__HedgeTree *pack_trees(packer *p, const hr_tree *trees, size_t count, size_t stride,
                                       Hedgerow__HedgeQuestion *out) {
    Hedgerow__HedgeTree *made = room_for(p, count / stride, sizeof *made);
    out->trees = room_for(p, count / stride, sizeof *out->trees);
    for (size_t i = 0; !p->failed && i < count / stride; i++) {
        const hr_tree *tree = &trees[i * stride];
        const size_t n = tree->node_count;
        Hedgerow__HedgeTree *to = out->trees[i] = &made[i];
        hedgerow__hedge_tree__init(to);
        to->left = room_for(p, n, sizeof *to->left);
        to->feature = room_for(p, n, sizeof *to->feature);
        to->cut = room_for(p, n, sizeof *to->cut);
        to->subset = room_for(p, n, sizeof *to->subset);
        to->missing_left = room_for(p, n, sizeof *to->missing_left);
        for (size_t j = 0; !p->failed && j < n; j++) {
            const hr_node *node = &tree->nodes[j];
            to->left[j] = node->left;
            to->feature[j] = node->left ? node->feature : 0;
            to->cut[j] = node->left ? node->cut : 0;
            to->subset[j] = node->left ? node->subset : 0;
            to->missing_left[j] = node->left && node->missing_left;
        }
        to->n_left = to->n_feature = to->n_cut = to->n_subset = to->n_missing_left = n;
        to->n_subsets = tree->subset_count * SET_WORDS;
        to->subsets = room_for(p, to->n_subsets, sizeof *to->subsets);
        if (to->n_subsets && !p->failed)
            memcpy(to->subsets, tree->subsets, to->n_subsets * sizeof *to->subsets);
    }
    out->n_trees = count / stride;
    return made;
}

/* The trees of all outputs of one round differ in their leaves alone. */
static void pack_forest(packer *p, const hr_hedge_question_out *asked, Hedgerow__HedgeQuestion *out) {
    const hr_forest *forest = asked->question->forest;
    const size_t outputs = asked->outputs;
    Hedgerow__HedgeTree *made = pack_trees(p, forest->trees, forest->tree_count, outputs, out);
    for (size_t i = 0; !p->failed && i < out->n_trees; i++) {
        const hr_tree *trees = &forest->trees[i * outputs];
        size_t at = 0;
        made[i].n_values = hr_tree_leaves(trees) * outputs;
        made[i].values = room_for(p, made[i].n_values, sizeof *made[i].values);
        for (size_t n = 0; !p->failed && n < trees->node_count; n++) {
            if (trees->nodes[n].left) continue;
            for (size_t k = 0; k < outputs; k++) made[i].values[at++] = trees[k].nodes[n].value;
        }
    }
    out->base_scores = forest->base;
    out->n_base_scores = outputs;
}

static void pack_edge_nodes(packer *p, const hr_edge_question *bins, Hedgerow__HedgeQuestion *out) {
    Hedgerow__HedgeNodes *made = room_for(p, bins->part_count, sizeof *made);
    out->nodes = room_for(p, bins->part_count, sizeof *out->nodes);
    for (size_t i = 0; !p->failed && i < bins->part_count; i++) {
        const hr_edge_nodes *part = &bins->parts[i];
        hedgerow__hedge_nodes__init(out->nodes[i] = &made[i]);
        made[i].feature = part->feature;
        made[i].level = (uint32_t)part->level;
        made[i].n_nodes = part->count;
        made[i].nodes = room_for(p, part->count, sizeof *made[i].nodes);
        for (size_t n = 0; !p->failed && n < part->count; n++) made[i].nodes[n] = (uint32_t)part->nodes[n];
    }
    out->n_nodes = bins->part_count;
}

static void pack_round(packer *p, const hr_hedge_question_out *asked, Hedgerow__HedgeQuestion *out) {
    const hr_hedge_question *question = asked->question;
    bool chooses = question->kind == HR_HEDGE_CHOICE;
    out->bound = (uint64_t)question->loss.bound;
    out->threshold = question->threshold;
    out->width = question->loss.width;
    if (question->step) {
        out->step = (double *)question->step;
        out->n_step = HR_CANDIDATE_SCAN_NODES_MAX * asked->outputs;
        while (out->n_step && !(out->step[out->n_step - 1] != 0)) out->n_step--;
    }
    pack_trees(p, chooses ? question->trees : question->trees + question->tree,
               chooses ? question->tree_count : 1, 1, out);
    if (!asked->first) return;

    /* Of every number: owners know which of them are public. */
    const hr_binning *binning = question->binning;
    Hedgerow__HedgeEdges *made = room_for(p, binning->feature_count, sizeof *made);
    out->edges = room_for(p, binning->feature_count, sizeof *out->edges);
    for (size_t f = 0; !p->failed && f < binning->feature_count; f++) {
        const hr_feature_bins *bins = &binning->features[f];
        if (bins->kind != HR_KIND_NUMBER) continue;
        Hedgerow__HedgeEdges *edges = out->edges[out->n_edges] = &made[out->n_edges];
        hedgerow__hedge_edges__init(edges);
        edges->feature = (uint32_t)f;
        edges->edges = (double *)bins->edges;
        edges->n_edges = bins->bin_count - 2;
        out->n_edges++;
    }
    out->base_scores = (double *)question->base;
    out->n_base_scores = asked->outputs;
}

hr_status hr_hedge_question_pack(const hr_hedge_question_out *asked, hr_bytes *out, hr_error *err) {
    const hr_hedge_question *question = asked->question;
    Hedgerow__HedgeQuestion wire = HEDGEROW__HEDGE_QUESTION__INIT;
    packer p = {.arena = hr_arena_new()};
    if (!p.arena) return hr_fail_memory(err);
    wire.kind = (Hedgerow__HedgeQuestion__Kind)question->kind;
    wire.n_costs = question->line_count;
    wire.costs = room_for(&p, wire.n_costs, sizeof *wire.costs);
    for (size_t i = 0; !p.failed && i < wire.n_costs; i++) wire.costs[i] = question->lines[i].cost;
    if (question->kind == HR_HEDGE_BINS) pack_edge_nodes(&p, asked->bins, &wire);
    if (question->kind == HR_HEDGE_TOTALS) {
        wire.cuts = (double *)asked->cuts;
        wire.n_cuts = asked->cut_count;
    }
    if (question->kind == HR_HEDGE_CHOICE || question->kind == HR_HEDGE_LEAVES) pack_round(&p, asked, &wire);
    if (question->kind == HR_HEDGE_RELIABILITY || question->kind == HR_HEDGE_LEVELS)
        pack_forest(&p, asked, &wire);
    hr_status status = p.failed ? hr_fail_memory(err) : HR_OK;
    if (!status && protobuf_c_message_get_packed_size(&wire.base) > HR_HEDGE_QUESTION_MAX)
        status = hr_fail(err, HR_E_LIMIT, "", "a question of hedge that is too long for a message");
    if (!status) status = hr_message_pack(&wire.base, out, err);
    hr_arena_free(p.arena);
    return status;
}

/* ---- Reading ---- */

static hr_status refuse_question(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "", "a question of hedge with %s", why);
}

/* Nodes stand in the order in which a random tree draws them: the children of every split come next. */
static bool is_a_tree(const hr_hedge_question_reader *h, const hr_tree *tree) {
    uint8_t depth[HR_CANDIDATE_SCAN_NODES_MAX] = {0};
    size_t next = 1;
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        if (!node->left) continue;
        bool fits = node->left == next && next + 2 <= tree->node_count && n < next &&
                    depth[n] < HR_CANDIDATE_SCAN_DEPTH_MAX && node->feature < h->binning.feature_count;
        const hr_feature_bins *bins = fits ? &h->binning.features[node->feature] : NULL;
        fits = bins && (bins->kind == HR_KIND_CATEGORY ? node->subset < tree->subset_count
                                                       : node->cut && node->cut < bins->bin_count);
        if (!fits) return false;
        depth[next] = depth[next + 1] = (uint8_t)(depth[n] + 1);
        next += 2;
    }
    return next == tree->node_count;
}

static hr_status read_hedge_tree(const hr_hedge_question_reader *h, const Hedgerow__HedgeTree *wire,
                                 hr_arena *arena, hr_tree *out, hr_error *err) {
    const size_t count = wire->n_left, words = wire->n_subsets;
    bool whole = count && count <= HR_CANDIDATE_SCAN_NODES_MAX && wire->n_feature == count &&
                 wire->n_cut == count && wire->n_subset == count && wire->n_missing_left == count &&
                 words % SET_WORDS == 0 && words <= SET_WORDS * count;
    if (!whole) return refuse_question("a tree without nodes, or whose columns differ", err);
    *out = (hr_tree){.node_count = count, .subset_count = words / SET_WORDS};
    out->nodes = hr_arena_alloc(arena, out->node_count, sizeof *out->nodes);
    out->subsets = hr_arena_alloc(arena, out->subset_count + 1, sizeof *out->subsets);
    if (!out->nodes || !out->subsets) return hr_fail_memory(err);
    if (words) memcpy(out->subsets, wire->subsets, words * sizeof *wire->subsets);
    for (size_t i = 0; i < count; i++) {
        hr_node *node = &out->nodes[i];
        node->left = wire->left[i];
        node->feature = node->left ? wire->feature[i] : 0;
        if (!node->left || node->feature >= h->binning.feature_count) continue;
        if (h->binning.features[node->feature].kind == HR_KIND_CATEGORY)
            node->subset = wire->subset[i];
        else
            node->cut = wire->cut[i] < HR_BINS_MAX ? (uint8_t)wire->cut[i] : 0;
        node->missing_left = wire->missing_left[i];
    }
    if (!is_a_tree(h, out)) return refuse_question("a tree that is not well formed", err);
    return hr_tree_obeys(out, &h->interactions)
               ? HR_OK
               : refuse_question("a tree of features that the job's interactions keep apart", err);
}

/* ---- The first round ---- */

static bool are_numbers(const double *numbers, size_t count, double limit) {
    for (size_t i = 0; i < count; i++)
        if (!(fabs(numbers[i]) <= limit)) return false;
    return true;
}

/* An owner that received the first round keeps what it read. It reads it once: what is read in vain would
 * stay in memory. */
static hr_status read_first(hr_hedge_question_reader *h, const Hedgerow__HedgeQuestion *wire, hr_error *err) {
    if (h->base) return HR_OK;
    if (h->tried) return refuse_question("a first round that was not understood", err);
    h->tried = true;

    /* The features that need no quantiles are made from the schema; their edges in the message are not used.
     */
    hr_edges_machine machine;
    size_t feature, at = 0;
    hr_status status = hr_edges_begin(&machine, h->schema, h->bins, h->arena, err);
    while (!status && hr_edges_next(&machine, &feature)) {
        while (at < wire->n_edges && wire->edges[at]->feature < feature) at++;
        if (at == wire->n_edges || wire->edges[at]->feature != feature)
            return refuse_question("bin edges that lack a feature", err);
        status = hr_edges_take(&machine, wire->edges[at]->edges, wire->edges[at]->n_edges, err);
    }
    if (status) return status;
    h->binning = machine.binning;

    if (wire->n_base_scores != h->outputs || !are_numbers(wire->base_scores, wire->n_base_scores, 1e6))
        return refuse_question("base scores that are not finite, or not one for each output", err);
    h->base = hr_arena_alloc(h->arena, h->outputs, sizeof *h->base);
    if (!h->base) return hr_fail_memory(err);
    memcpy(h->base, wire->base_scores, h->outputs * sizeof *h->base);
    return HR_OK;
}

/* ---- Kinds ---- */

static hr_status add_line(hr_hedge_question *question, const Hedgerow__HedgeQuestion *wire,
                          const hr_charge *line, size_t count, hr_error *err) {
    if (question->line_count == wire->n_costs) return refuse_question("fewer costs than releases", err);
    question->lines[question->line_count] = *line;
    question->lines[question->line_count].cost = wire->costs[question->line_count];
    question->counts[question->line_count++] = count;
    return HR_OK;
}

hr_privacy_unit hr_hedge_unit_of(const hr_schema *schema) {
    return hr_schema_weighs(schema) ? HR_PER_PERSON : HR_PER_RECORD;
}

size_t hr_hedge_outputs(const hr_schema *schema) {
    const hr_fit_facts facts = {.schema = schema};
    return hr_facts_outputs(&facts);
}

void hr_hedge_question_list(const hr_hedge_question *question, hr_summed_question *out) {
    out->choice = question->kind == HR_HEDGE_CHOICE;
    out->lines = question->lines;
    out->counts = out->choice ? &question->tree_count : question->counts;
    out->line_count = out->choice ? 1 : question->line_count;
    out->held_out = question->kind == HR_HEDGE_LEVELS;
}

static hr_privacy_unit unit_of(const hr_hedge_question_reader *h) {
    return hr_hedge_unit_of(h->schema);
}

static hr_charge line_of(const char *what, uint64_t sensitivity) {
    return (hr_charge){.what = what, .tree = -1, .level = -1, .sensitivity = sensitivity};
}

static bool finds_cuts(const hr_hedge_question_reader *h) {
    return hr_schema_label(h->schema)->quantile_cuts;
}

static hr_status read_totals(hr_hedge_question_reader *h, const Hedgerow__HedgeQuestion *wire,
                             hr_hedge_question *question, hr_error *err) {
    hr_status status = hr_hedge_cuts_take(h, wire->cuts, wire->n_cuts, err);
    if (status) return status;
    const hr_privacy_unit unit = unit_of(h);
    const uint64_t one = hr_unit_of_counts(unit);
    const size_t classes = hr_hedge_classes(h->objective, h->outputs);
    const hr_charge count = line_of(hr_hedge_totals_name(hr_schema_task(h->schema), unit), one),
                    sum = line_of("base score", hr_unit_label_sensitivity(unit));
    status = add_line(question, wire, &count, classes ? classes : 1, err);
    return status || classes ? status : add_line(question, wire, &sum, 1, err);
}

static hr_status read_bins(const Hedgerow__HedgeQuestion *wire, hr_arena *arena, hr_hedge_question_in *out,
                           hr_error *err) {
    const hr_charge line = line_of("bin edges", HR_RECORD_SENSITIVITY);
    hr_edge_nodes *parts = hr_arena_alloc(arena, wire->n_nodes + 1, sizeof *parts);
    if (!parts) return hr_fail_memory(err);
    for (size_t i = 0; i < wire->n_nodes; i++) {
        const Hedgerow__HedgeNodes *from = wire->nodes[i];
        size_t *nodes = hr_arena_alloc(arena, from->n_nodes + 1, sizeof *nodes);
        if (!nodes) return hr_fail_memory(err);
        for (size_t n = 0; n < from->n_nodes; n++) nodes[n] = from->nodes[n];
        parts[i] = (hr_edge_nodes){from->feature, (int)from->level, nodes, from->n_nodes};
        out->bins.values += from->n_nodes;
    }
    out->bins.parts = parts;
    out->bins.part_count = wire->n_nodes;
    return add_line(&out->question, wire, &line, out->bins.values, err);
}

hr_charge hr_hedge_question_part(const hr_hedge_question_reader *h, const hr_hedge_question_in *question,
                                 size_t part) {
    const size_t lines = hr_edge_levels_lines(h->schema, h->bins);
    return hr_edge_levels_charge(&question->question.lines[0], lines, question->bins.parts[part].level,
                                 unit_of(h));
}

static hr_status read_loss(const hr_hedge_question_reader *h, const Hedgerow__HedgeQuestion *wire,
                           hr_hedge_question *question, hr_error *err) {
    if (!wire->bound || wire->bound > (uint64_t)HR_HEDGE_BOUND_MAX)
        return refuse_question("a clip that is out of range", err);
    const bool has_width = h->objective == HR_OBJECTIVE_QUANTILES;
    if (has_width ? !(wire->width >= HR_QUANTILE_WIDTH_MIN && wire->width <= 1) : wire->width != 0)
        return refuse_question("a width that is out of range, or of no quantiles", err);
    question->loss = (hr_candidate_scan_loss){
        .objective = h->objective,
        .clip = (double)wire->bound / (1 << HR_GRADIENT_BITS),
        .count_unit = hr_hedge_count_unit(h->base ? *h->base : 0, hr_schema_label(h->schema)->high),
        .score_limit = hr_hedge_scores_of(h->objective).limit,
        .bound = (int64_t)wire->bound,
        .width = wire->width};
    return HR_OK;
}

static hr_status read_round(hr_hedge_question_reader *h, const Hedgerow__HedgeQuestion *wire, hr_arena *arena,
                            hr_hedge_question *question, hr_error *err) {
    hr_status status = read_first(h, wire, err);
    if (!status) status = read_loss(h, wire, question, err);
    if (status) return status;

    const size_t room = HR_CANDIDATE_SCAN_NODES_MAX * h->outputs;
    if (wire->n_step > room || !are_numbers(wire->step, wire->n_step, 1e6))
        return refuse_question("a step that is not finite, or too long", err);
    if (wire->n_step) {
        double *step = hr_arena_alloc(arena, room, sizeof *step);
        if (!step) return hr_fail_memory(err);
        memcpy(step, wire->step, wire->n_step * sizeof *step);
        question->step = step;
    }

    hr_tree *trees = hr_arena_alloc(arena, wire->n_trees + 1, sizeof *trees);
    if (!trees) return hr_fail_memory(err);
    for (size_t i = 0; !status && i < wire->n_trees; i++)
        status = read_hedge_tree(h, wire->trees[i], arena, &trees[i], err);
    question->trees = trees;
    question->tree_count = wire->n_trees;
    question->binning = &h->binning;
    question->base = h->base;
    return status;
}

static hr_status read_choice(hr_hedge_question_reader *h, const Hedgerow__HedgeQuestion *wire,
                             hr_arena *arena, hr_hedge_question *question, hr_error *err) {
    if (!wire->n_trees || wire->n_trees > HR_HEDGE_CANDIDATES_OWNERS)
        return refuse_question("too many candidates, or none", err);
    hr_status status = read_round(h, wire, arena, question, err);
    const hr_charge line =
        line_of("choice of tree", hr_unit_leaf_score_width(unit_of(h), question->loss.bound));
    question->threshold = wire->threshold > 0 ? wire->threshold : 0;
    question->schema = h->monotone;
    return status ? status : add_line(question, wire, &line, 0, err);
}

static hr_status read_leaves(hr_hedge_question_reader *h, const Hedgerow__HedgeQuestion *wire,
                             hr_arena *arena, hr_hedge_question *question, hr_error *err) {
    const hr_hedge_setting setting = {.privacy_measure = h->privacy_measure, .unit = unit_of(h)};
    const uint64_t one = hr_unit_of_counts(setting.unit);
    if (wire->n_trees != 1) return refuse_question("other than one tree for its leaves", err);
    hr_status status = read_round(h, wire, arena, question, err);
    if (status) return status;
    size_t leaves = hr_tree_leaves(question->trees);
    const hr_charge sums = line_of("leaf sum",
                                   hr_hedge_sum_sensitivity(&setting, question->loss.bound, h->outputs)),
                    counts = line_of("leaf count", one), within = line_of("clip count", one);
    status = add_line(question, wire, &sums, leaves * h->outputs, err);
    if (!status) status = add_line(question, wire, &counts, leaves, err);
    return status || wire->n_costs == question->line_count ? status
                                                           : add_line(question, wire, &within, 1, err);
}

/* A forest has a tree for each output of each round. */
static hr_status read_forest_tree(const hr_hedge_question_reader *h, const Hedgerow__HedgeTree *wire,
                                  hr_arena *arena, hr_forest *forest, hr_error *err) {
    hr_tree read;
    hr_status status = read_hedge_tree(h, wire, arena, &read, err);
    if (status) return status;
    if (wire->n_values != hr_tree_leaves(&read) * h->outputs ||
        !are_numbers(wire->values, wire->n_values, 1e6))
        return refuse_question("a tree without values", err);
    for (size_t k = 0; !status && k < h->outputs; k++) {
        hr_tree *tree = &forest->trees[forest->tree_count++];
        status = hr_tree_copy(&read, arena, tree, err);
        for (size_t n = 0, leaf = 0; !status && n < tree->node_count; n++) {
            hr_node *node = &tree->nodes[n];
            const hr_feature_bins *bins = &h->binning.features[node->feature];
            if (!node->left) node->value = wire->values[leaf++ * h->outputs + k];
            if (node->left && bins->kind == HR_KIND_NUMBER)
                node->threshold = hr_bins_threshold(bins, node->cut);
        }
        tree->output = k;
    }
    return status;
}

hr_level_terms hr_hedge_question_levels(const hr_hedge_question_reader *h) {
    return (hr_level_terms){.privacy_measure = h->privacy_measure,
                            .weighs = unit_of(h) == HR_PER_PERSON,
                            .coverage = h->coverage};
}

/* RELIABILITY, LEVELS. */
static hr_status read_forest_question(hr_hedge_question_reader *h, const Hedgerow__HedgeQuestion *wire,
                                      hr_arena *arena, hr_hedge_question_in *out, hr_error *err) {
    const bool levels = out->question.kind == HR_HEDGE_LEVELS;
    const hr_level_terms terms = hr_hedge_question_levels(h);
    const hr_charge line =
        levels ? hr_level_sums_charge(&terms) : line_of("calibration count", hr_unit_of_counts(unit_of(h)));
    if (levels && h->coverage == 0)
        return refuse_question("an interval that no records are held out for", err);
    if (!h->base) return refuse_question("a forest before the first round", err);
    if (!levels && !hr_task_has_classes(hr_schema_task(h->schema)))
        return refuse_question("a calibration of numbers", err);

    /* Each tree has a value for each output: room for them is in proportion to the message. */
    bool whole = wire->n_trees <= TREES_MAX && wire->n_base_scores == h->outputs &&
                 are_numbers(wire->base_scores, h->outputs, 1e6);
    for (size_t i = 0; i < wire->n_trees; i++) whole = whole && wire->trees[i]->n_values >= h->outputs;
    if (!whole)
        return refuse_question("a forest with too many trees, or without a value for each output", err);
    out->forest = (hr_forest){.link = hr_hedge_link(h->objective, hr_schema_task(h->schema)),
                              .output_count = h->outputs};
    out->forest.base = hr_arena_alloc(arena, h->outputs, sizeof *out->forest.base);
    out->forest.trees = hr_arena_alloc(arena, wire->n_trees * h->outputs + 1, sizeof *out->forest.trees);
    if (!out->forest.base || !out->forest.trees) return hr_fail_memory(err);
    memcpy(out->forest.base, wire->base_scores, h->outputs * sizeof *wire->base_scores);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < wire->n_trees; i++)
        status = read_forest_tree(h, wire->trees[i], arena, &out->forest, err);
    out->question.forest = &out->forest;
    out->question.binning = &h->binning;
    return status ? status
                  : add_line(&out->question, wire, &line, levels ? HR_INTERVAL_LEVELS : HR_RELIABILITY_CELLS,
                             err);
}

hr_status hr_hedge_question_read(hr_hedge_question_reader *h, const hr_bytes *body, hr_arena *arena,
                                 hr_hedge_question_in *out, hr_error *err) {
    ProtobufCMessage *read = NULL;
    *out = (hr_hedge_question_in){0};
    hr_status status =
        hr_message_unpack(&hedgerow__hedge_question__descriptor, body->at, body->size, &read, err);
    if (status) return status;
    const Hedgerow__HedgeQuestion *wire = (const Hedgerow__HedgeQuestion *)read;
    out->question.kind = (hr_hedge_question_kind)wire->kind;
    const hr_charge cuts = line_of("cuts of times", hr_unit_of_counts(unit_of(h)));
    const bool is_early = out->question.kind == HR_HEDGE_CUTS || out->question.kind == HR_HEDGE_TOTALS;
    if (!is_early && finds_cuts(h) && !h->cuts) {
        hr_message_unpacked_free(read);
        return refuse_question("no cuts of times before it", err);
    }
    switch (out->question.kind) {
    case HR_HEDGE_CUTS:
        status = finds_cuts(h) ? add_line(&out->question, wire, &cuts, HR_TIME_CUTS_NODES, err)
                               : refuse_question("cuts of times that the schema has", err);
        break;
    case HR_HEDGE_TOTALS: status = read_totals(h, wire, &out->question, err); break;
    case HR_HEDGE_BINS: status = read_bins(wire, arena, out, err); break;
    case HR_HEDGE_CHOICE: status = read_choice(h, wire, arena, &out->question, err); break;
    case HR_HEDGE_LEAVES: status = read_leaves(h, wire, arena, &out->question, err); break;
    case HR_HEDGE_RELIABILITY:
    case HR_HEDGE_LEVELS: status = read_forest_question(h, wire, arena, out, err); break;
    default: status = refuse_question("a kind that is not known", err); break;
    }
    if (!status && wire->n_costs != out->question.line_count)
        status = refuse_question("more costs than releases", err);
    hr_message_unpacked_free(read);
    return status;
}
