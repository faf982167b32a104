#include "tables/bins/edge_levels.h"

#include "base/fail.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_LEVELS = 6, FEW_VALUES = 1 << HR_EDGE_LEVELS };

/* ---- What it costs ---- */

size_t hr_edge_levels_lines(const hr_schema *schema, uint32_t bins) {
    return hr_edges_columns(schema, bins) * HR_EDGE_LEVELS;
}

hr_charge hr_edge_levels_charge(const hr_charge *whole, size_t lines, int level, hr_privacy_unit unit) {
    hr_charge line = *whole;
    line.tree = -1;
    line.level = level - 1;
    line.cost = whole->cost / lines;
    line.sensitivity = hr_unit_of_counts(unit);
    return line;
}

/* ---- Questions from elsewhere ---- */

/* NULL: nothing is wrong with the part by itself. */
static const char *fault_of_part(const hr_schema *schema, uint32_t bins, const hr_edge_nodes *part) {
    if (part->feature >= hr_schema_feature_count(schema) ||
        !hr_edges_is_cut(hr_schema_feature(schema, part->feature), bins))
        return "a feature whose bins are public";
    if (part->level < 1 || part->level > HR_EDGE_LEVELS) return "a level outside of 1 to 14";
    if (!part->count || part->count > (size_t)1 << part->level) return "no node, or more than its level has";
    for (size_t i = 0; i < part->count; i++) {
        if (part->nodes[i] >> part->level != 1) return "a node of another level";
        if (i && part->nodes[i] <= part->nodes[i - 1]) return "nodes that do not ascend";
    }
    return NULL;
}

static bool part_ascends(const hr_edge_nodes *before, const hr_edge_nodes *part) {
    return part->feature > before->feature ||
           (part->feature == before->feature && part->level > before->level);
}

static const char *fault_of_question(const hr_schema *schema, uint32_t bins,
                                     const hr_edge_question *question) {
    size_t values = 0;
    if (!question->part_count) return "no part";
    for (size_t p = 0; p < question->part_count; p++) {
        const hr_edge_nodes *part = &question->parts[p];
        const char *fault = fault_of_part(schema, bins, part);
        if (fault) return fault;
        if (p && !part_ascends(part - 1, part)) return "parts that do not ascend";
        values += part->count;
        if (values > HR_EDGE_VALUES_MAX) return "too many nodes";
    }
    return values == question->values ? NULL : "a wrong number of values";
}

hr_status hr_edge_question_check(const hr_schema *schema, uint32_t bins, const hr_edge_question *question,
                                 hr_error *err) {
    const char *fault = fault_of_question(schema, bins, question);
    if (!fault) return HR_OK;
    return hr_fail(err, HR_E_FORMAT, "run the same version of Hedgerow at all members",
                   "a question about bin edges has %s", fault);
}

/* ---- The machine ---- */

/* All features have accepted the levels up to `accepted`; the next `depth` levels follow, some features at a
 * time. */
struct hr_edge_levels {
    hr_edges_machine edges;
    hr_quantile_counts **counts; /* by feature; NULL: its bins are public */
    size_t feature_count;
    int accepted, depth;
    size_t next; /* the first feature behind the question */
    hr_edge_nodes *parts;
    size_t part_count, values; /* of the question; no part: the binning is whole */
    size_t *nodes; /* of all parts, and behind them room for a level that may not fit into the question */
};

/* What may be wanted of the first of the levels, and all nodes below that. */
static void add_parts(hr_edge_levels *m, uint32_t feature, size_t count) {
    for (int below = 0; below < m->depth; below++, count *= 2) {
        size_t *nodes = m->nodes + m->values, above = m->values - count / 2;
        for (size_t i = 0; below && i < count; i++) nodes[i] = 2 * m->nodes[above + i / 2] + i % 2;
        m->parts[m->part_count++] = (hr_edge_nodes){feature, m->accepted + 1 + below, nodes, count};
        m->values += count;
    }
}

/* As many features as fit; each fits by itself. */
static void ask_features(hr_edge_levels *m) {
    m->part_count = m->values = 0;
    for (; m->next < m->feature_count; m->next++) {
        const hr_quantile_counts *counts = m->counts[m->next];
        if (!counts) continue;
        size_t count = hr_quantile_counts_level(counts, m->accepted + 1, m->nodes + m->values);
        if (m->values + count * (((size_t)1 << m->depth) - 1) > HR_EDGE_VALUES_MAX) return;
        if (count) add_parts(m, (uint32_t)m->next, count);
    }
}

/* How many levels the next question is of; 0: none is left to count. */
static int levels_at_once(hr_edge_levels *m) {
    size_t wanted = 0;
    int depth = 1;
    for (size_t f = 0; f < m->feature_count && m->accepted < HR_EDGE_LEVELS; f++)
        if (m->counts[f]) wanted += hr_quantile_counts_level(m->counts[f], m->accepted + 1, m->nodes);
    if (!wanted) return 0;
    while (m->accepted + depth < HR_EDGE_LEVELS && wanted * (((size_t)2 << depth) - 1) <= FEW_VALUES) depth++;
    return depth;
}

/* Nothing is wanted of any level, so no cut wants a pair. */
static hr_status make_edges(hr_edge_levels *m, hr_error *err) {
    hr_status status = HR_OK;
    size_t feature, node;
    while (!status && hr_edges_next(&m->edges, &feature)) {
        uint32_t at[HR_BINS_MAX];
        int level;
        bool wants_more = hr_quantile_counts_next(m->counts[feature], &node, &level);
        assert(!wants_more);
        (void)wants_more;
        hr_cuts cuts = {at, hr_quantile_counts_cuts(m->counts[feature], at)};
        status = hr_edges_accept(&m->edges, &cuts, HR_EDGE_LEVELS, err);
    }
    return status;
}

bool hr_edge_levels_next(const hr_edge_levels *m, hr_edge_question *out) {
    *out = (hr_edge_question){m->parts, m->part_count, m->values};
    return m->part_count > 0;
}

hr_status hr_edge_levels_accept(hr_edge_levels *m, const hr_noisy *values, hr_error *err) {
    if (!m->part_count) return HR_OK;
    for (size_t p = 0; p < m->part_count; p++)
        for (size_t i = 0; i < m->parts[p].count; i++)
            hr_quantile_counts_accept(m->counts[m->parts[p].feature], m->parts[p].nodes[i], *values++);
    ask_features(m);
    if (m->part_count) return HR_OK;
    m->accepted += m->depth;
    m->depth = levels_at_once(m);
    if (!m->depth) return make_edges(m, err);
    m->next = 0;
    ask_features(m);
    return HR_OK;
}

const hr_binning *hr_edge_levels_binning(const hr_edge_levels *m) {
    return m->part_count ? NULL : &m->edges.binning;
}

static hr_status features_init(hr_edge_levels *m, const hr_edge_levels_setup *setup, hr_error *err) {
    const size_t features = hr_schema_feature_count(setup->schema);
    m->counts = calloc(features, sizeof *m->counts);
    m->parts = calloc(hr_edge_levels_lines(setup->schema, setup->bins) + 1, sizeof *m->parts);
    m->nodes = calloc(HR_EDGE_VALUES_MAX + ((size_t)1 << HR_EDGE_LEVELS), sizeof *m->nodes);
    if (!m->counts || !m->parts || !m->nodes) return hr_fail_memory(err);
    hr_status status = HR_OK;
    for (size_t f = 0; !status && f < features; f++) {
        m->feature_count = f + 1;
        if (hr_edges_is_cut(hr_schema_feature(setup->schema, f), setup->bins))
            status = hr_quantile_counts_new(HR_EDGE_LEVELS, setup->bins, setup->noise, &m->counts[f], err);
    }
    return status;
}

hr_status hr_edge_levels_new(const hr_edge_levels_setup *setup, hr_edge_levels **out, hr_error *err) {
    hr_edge_levels *m = calloc(1, sizeof *m);
    if (!m) return hr_fail_memory(err);
    hr_status status = hr_edges_begin(&m->edges, setup->schema, setup->bins, setup->arena, err);
    if (!status) status = features_init(m, setup, err);
    if (status) {
        hr_edge_levels_free(m);
        return status;
    }
    m->depth = FIRST_LEVELS;
    ask_features(m);
    *out = m;
    return HR_OK;
}

void hr_edge_levels_free(hr_edge_levels *m) {
    if (!m) return;
    for (size_t f = 0; f < m->feature_count; f++) hr_quantile_counts_free(m->counts[f]);
    free(m->counts);
    free(m->parts);
    free(m->nodes);
    free(m);
}
