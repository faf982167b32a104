#include "methods/forests/id3_machine.h"

#include "methods/forests/class_leaves.h"
#include "privacy/sensitivity.h"
#include "trees/tree/multiway.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gains that differ by less, a record, are the same: rounding does not break ties. */
static const double TIE = 1e-9;

/* A node's noisy counts by the bins of one feature; none is below 0. */
typedef struct id3_table {
    uint32_t feature;
    size_t bins, classes;
    double *cells;  /* cells[bin * classes + k] */
    double *in_bin; /* records of a bin */
    double *of_class;
    double records;
    double worth; /* of a split by the feature */
} id3_table;

struct hr_id3 {
    hr_id3_terms terms;
    size_t features, levels;
    hr_multiway multiway;
    hr_node *nodes;
    uint32_t *parents;
    double *counts; /* counts[node * classes + k]: as they were released last */
    double *records, *leaf_values;
    size_t node_count;
    hr_tree tree; /* of `nodes` */
    /* the question */
    size_t level, asked; /* of the open nodes; lost ones included */
    size_t reserve;      /* levels that may still be counted once more */
    bool again;          /* this level was lost before */
    bool counting, leaves, done;
    uint32_t *open, *next;
    size_t open_count, next_count;
    hr_stats_query *queries;
    size_t query_count, query_room, count, next_values;
    uint32_t *divided, *first;
    hr_child_rule *divisions;
    size_t divided_count;
    /* what was paid */
    hr_units spent;
    uint64_t next_group;
    double level_noise; /* of a count of the last level that was accepted, in records */
    id3_table best, at_hand;
};

/* ---- Costs ---- */

static hr_charge level_charge(const hr_id3 *h, size_t level) {
    return hr_id3_level_charge(h->terms.privacy_measure, h->features, level,
                               hr_id3_level_cost(&h->terms, h->levels));
}

static hr_charge charge_of_question(const hr_id3 *h) {
    if (h->terms.published) return hr_id3_published_charge(&h->terms);
    hr_charge charge = h->counting ? hr_id3_records_charge(hr_id3_records_cost(&h->terms))
                       : h->leaves ? hr_id3_leaf_charge(h->terms.budget - h->spent)
                                   : level_charge(h, h->level);
    charge.group = h->next_group;
    return charge;
}

static double noise_of_charge(const hr_id3 *h, const hr_charge *charge, double noise_factor) {
    return h->terms.published ? 0 : noise_factor * hr_id3_count_noise(&h->terms, charge);
}

/* ---- Questions ---- */

static bool is_asked(const hr_id3 *h, uint32_t node, uint32_t feature) {
    return !hr_multiway_is_asked_above(h->nodes, h->parents, node, feature);
}

static size_t node_values(const hr_id3 *h, uint32_t node) {
    size_t values = 0;
    for (uint32_t f = 0; f < h->features; f++)
        if (is_asked(h, node, f)) values += hr_id3_table_values(&h->terms, f);
    return values;
}

static hr_status reserve_queries(hr_id3 *h, size_t count, hr_error *err) {
    if (count <= h->query_room) return HR_OK;
    hr_stats_query *queries = realloc(h->queries, count * sizeof *queries);
    if (!queries) return hr_fail_memory(err);
    h->queries = queries;
    h->query_room = count;
    return HR_OK;
}

static void add_query(hr_id3 *h, hr_stats_answer answer, uint32_t node, uint32_t feature) {
    h->queries[h->query_count++] =
        (hr_stats_query){.answer = answer, .node = node, .feature = feature, .tree = &h->tree};
}

static hr_status ask_level(hr_id3 *h, hr_error *err) {
    size_t tables = h->open_count * (h->features - h->level);
    hr_status status = reserve_queries(h, tables * (1 + h->terms.published), err);
    if (status) return status;
    h->query_count = h->count = 0;
    for (size_t i = 0; i < h->open_count; i++) {
        for (uint32_t f = 0; f < h->features; f++) {
            if (!is_asked(h, h->open[i], f)) continue;
            add_query(h, HR_STATS_BINS, h->open[i], f);
            if (h->terms.published) add_query(h, HR_STATS_VALUES, h->open[i], f);
            h->count += hr_id3_table_values(&h->terms, f);
        }
    }
    return HR_OK;
}

/* Of the root alone, before the first level, they say how many records there are. */
static hr_status ask_leaves(hr_id3 *h, hr_error *err) {
    hr_status status = reserve_queries(h, 1, err);
    if (status) return status;
    h->leaves = !h->counting;
    h->query_count = h->count = 0;
    add_query(h, HR_STATS_LEAVES, 0, 0);
    for (size_t n = 0; n < h->node_count; n++) h->count += h->nodes[n].left ? 0 : h->terms.classes;
    return HR_OK;
}

bool hr_id3_next(const hr_id3 *h, hr_id3_question *out) {
    if (h->done) return false;
    *out = (hr_id3_question){.line = charge_of_question(h),
                             .divided = h->divided,
                             .first = h->first,
                             .divisions = h->divisions,
                             .divided_count = h->divided_count,
                             .queries = h->queries,
                             .query_count = h->query_count,
                             .count = h->count};
    return true;
}

/* ---- Entropies, times the number of records ---- */

static double n_log_n(double n) {
    return n > 0 ? n * log(n) : 0;
}

/* What is left of the classes' entropy when the bin is known, H(T|A), as the paper writes it. */
static double conditional_entropy(const id3_table *t) {
    double entropy = 0;
    for (size_t i = 0; i < t->bins * t->classes; i++) entropy -= n_log_n(t->cells[i]);
    for (size_t b = 0; b < t->bins; b++) entropy += n_log_n(t->in_bin[b]);
    return entropy;
}

static double class_entropy(const id3_table *t) {
    double entropy = n_log_n(t->records);
    for (size_t k = 0; k < t->classes; k++) entropy -= n_log_n(t->of_class[k]);
    return entropy;
}

/* What noise alone adds to the gain of a feature that is independent of the class: n log n curves by 1/n, so
 * noise of variance s^2 adds s^2/(2 n) for a cell of n records; a cell has at least s. */
static double noise_gain(const id3_table *t, double noise) {
    double sum = 0;
    for (size_t b = 0; noise > 0 && t->records > 0 && b < t->bins; b++)
        for (size_t k = 0; k < t->classes; k++)
            sum += 1 / fmax(t->in_bin[b] * t->of_class[k] / t->records, noise);
    return noise * noise / 2 * sum * ((double)t->classes - 1) / (double)t->classes;
}

/* ---- Levels ---- */

static double released_count(hr_noisy count) {
    return fmax((double)count.paid / HR_COUNT_UNIT, 0);
}

/* Returns what stands behind the table. The paper counts the records of a bin by themselves. */
static const hr_noisy *read_table(const hr_id3 *h, uint32_t feature, const hr_noisy *values, id3_table *t) {
    t->feature = feature;
    t->bins = h->terms.binning->features[feature].bin_count;
    t->records = 0;
    memset(t->of_class, 0, t->classes * sizeof *t->of_class);
    for (size_t b = 0; b < t->bins; b++) {
        t->in_bin[b] = 0;
        for (size_t k = 0; k < t->classes; k++) {
            double count = released_count(*values++);
            t->cells[b * t->classes + k] = count;
            t->of_class[k] += count;
            t->in_bin[b] += count;
        }
        t->records += t->in_bin[b];
    }
    if (!h->terms.published) return values;
    for (size_t b = 0; b < t->bins; b++) t->in_bin[b] = released_count(values[b]);
    return values + t->bins;
}

static double worth_of_split(const hr_id3 *h, const id3_table *t) {
    if (h->terms.published) return -conditional_entropy(t);
    return class_entropy(t) - conditional_entropy(t) - noise_gain(t, h->level_noise);
}

static bool has_two_classes(const double *counts, size_t classes) {
    size_t found = 0;
    for (size_t k = 0; k < classes; k++) found += counts[k] > 0;
    return found > 1;
}

/* The feature of the largest gain, the first of those that are alike, with its table in h->best. Returns what
 * stands behind the node's tables. */
static const hr_noisy *find_best(hr_id3 *h, uint32_t node, const hr_noisy *values) {
    bool any = false;
    for (uint32_t f = 0; f < h->features; f++) {
        if (!is_asked(h, node, f)) continue;
        values = read_table(h, f, values, &h->at_hand);
        h->at_hand.worth = worth_of_split(h, &h->at_hand);
        if (any && h->at_hand.worth <= h->best.worth + TIE * (1 + h->best.records)) continue;
        id3_table swap = h->best;
        h->best = h->at_hand;
        h->at_hand = swap;
        any = true;
    }
    return values;
}

/* There are so few nodes that the classes of all leaves are one question. */
static bool is_worth_splitting(const hr_id3 *h) {
    const id3_table *t = &h->best;
    size_t most = hr_id3_values_max(&h->terms) / h->terms.classes;
    if (most > HR_ID3_NODES_MAX) most = HR_ID3_NODES_MAX;
    if (!has_two_classes(t->of_class, t->classes)) return false;
    if (h->node_count + t->bins > most) return false;
    return h->terms.published || t->worth >= -TIE * (1 + t->records);
}

/* Whether a child is counted at the next level: it has two classes, and more records than one count will have
 * noise. */
static bool should_open(const hr_id3 *h, uint32_t node, double next_noise) {
    double records = 0;
    if (h->level + 1 >= h->levels) return false;
    if (!has_two_classes(h->counts + node * h->terms.classes, h->terms.classes)) return false;
    for (size_t k = 0; k < h->terms.classes; k++) records += h->counts[node * h->terms.classes + k];
    return records >= next_noise && h->next_values + node_values(h, node) <= hr_id3_values_max(&h->terms);
}

static void split_by_best(hr_id3 *h, uint32_t node, double next_noise) {
    uint32_t first = (uint32_t)h->node_count;
    h->node_count = hr_multiway_split(&h->multiway, h->nodes, first, node, h->best.feature);
    h->divided[h->divided_count] = node;
    h->first[h->divided_count] = first;
    h->divisions[h->divided_count++] = (hr_child_rule){.feature = h->best.feature, .every_bin = true};
    memcpy(h->counts + first * h->terms.classes, h->best.cells,
           h->best.bins * h->terms.classes * sizeof *h->counts);
    for (uint32_t n = first; n < h->node_count; n++) {
        h->parents[n] = node;
        if (!should_open(h, n, next_noise)) continue;
        h->next_values += node_values(h, n);
        h->next[h->next_count++] = n;
    }
}

static double noise_of_level(const hr_id3 *h, size_t level, double noise_factor) {
    if (level >= h->features) return 0;
    hr_charge charge = level_charge(h, level);
    return noise_of_charge(h, &charge, noise_factor);
}

static void read_level(hr_id3 *h, const hr_noisy *values, double noise_factor) {
    double next_noise = noise_of_level(h, h->level + 1, noise_factor);
    h->level_noise = noise_of_level(h, h->level, noise_factor);
    h->next_count = h->next_values = 0;
    for (size_t i = 0; i < h->open_count; i++) {
        values = find_best(h, h->open[i], values);
        if (is_worth_splitting(h)) split_by_best(h, h->open[i], next_noise);
    }
    uint32_t *swap = h->open;
    h->open = h->next;
    h->next = swap;
    h->open_count = h->next_count;
    h->level++;
}

/* The question of a lost level stays, without the divisions, which its readers have made already. */
static hr_status on_level(hr_id3 *h, const hr_noisy *values, double noise_factor, hr_error *err) {
    h->asked++;
    h->divided_count = 0;
    if (!values) {
        if (h->again || !h->reserve) return ask_leaves(h, err);
        h->again = true;
        h->reserve--;
        return HR_OK;
    }
    h->again = false;
    read_level(h, values, noise_factor);
    h->tree.node_count = h->node_count;
    return h->level < h->levels && h->open_count ? ask_level(h, err) : ask_leaves(h, err);
}

/* A lost answer leaves the depth that is the default where nothing is known. */
static hr_status on_records(hr_id3 *h, const hr_noisy *values, double noise_factor, hr_error *err) {
    double records = 0;
    for (size_t k = 0; values && k < h->terms.classes; k++)
        records += h->counts[k] = released_count(values[k]);
    if (values)
        h->levels = hr_id3_depth_of_records(&h->terms, records, noise_factor);
    else if (h->levels > HR_ID3_DEPTH)
        h->levels = HR_ID3_DEPTH;
    h->counting = false;
    return ask_level(h, err);
}

hr_status hr_id3_accept(hr_id3 *h, const hr_noisy *values, double noise_factor, hr_error *err) {
    hr_charge charge = charge_of_question(h);
    if (h->done) return HR_OK;
    h->spent += charge.cost;
    h->next_group++;
    if (h->counting) return on_records(h, values, noise_factor, err);
    if (!h->leaves) return on_level(h, values, noise_factor, err);

    size_t classes = h->terms.classes;
    double noise = values ? noise_of_charge(h, &charge, noise_factor) : h->level_noise;
    for (size_t n = 0; values && n < h->node_count; n++)
        for (size_t k = 0; !h->nodes[n].left && k < classes; k++)
            h->counts[n * classes + k] = released_count(*values++);
    hr_class_leaves(&h->tree, classes, noise, h->counts, h->records, h->leaf_values);
    h->done = true;
    return HR_OK;
}

/* ---- The machine ---- */

static bool make_table(id3_table *t, const hr_id3_terms *terms) {
    size_t bins = 0;
    for (size_t f = 0; f < terms->binning->feature_count; f++)
        if (terms->binning->features[f].bin_count > bins) bins = terms->binning->features[f].bin_count;
    t->classes = terms->classes;
    t->cells = malloc(bins * t->classes * sizeof *t->cells);
    t->in_bin = malloc(bins * sizeof *t->in_bin);
    t->of_class = malloc(t->classes * sizeof *t->of_class);
    return t->cells && t->in_bin && t->of_class;
}

static hr_status allocate_id3(hr_id3 *h, hr_error *err) {
    size_t classes = h->terms.classes;
    h->nodes = calloc(HR_ID3_NODES_MAX, sizeof *h->nodes);
    h->parents = calloc(HR_ID3_NODES_MAX, sizeof *h->parents);
    h->counts = calloc(HR_ID3_NODES_MAX * classes, sizeof *h->counts);
    h->records = malloc(HR_ID3_NODES_MAX * sizeof *h->records);
    h->leaf_values = malloc(HR_ID3_NODES_MAX * classes * sizeof *h->leaf_values);
    h->open = calloc(HR_ID3_NODES_MAX, sizeof *h->open);
    h->next = malloc(HR_ID3_NODES_MAX * sizeof *h->next);
    h->divided = malloc(HR_ID3_NODES_MAX * sizeof *h->divided);
    h->first = malloc(HR_ID3_NODES_MAX * sizeof *h->first);
    h->divisions = malloc(HR_ID3_NODES_MAX * sizeof *h->divisions);
    bool tables = make_table(&h->best, &h->terms) && make_table(&h->at_hand, &h->terms);
    bool nodes = h->nodes && h->parents && h->counts && h->records && h->leaf_values;
    bool question = h->open && h->next && h->divided && h->first && h->divisions;
    return tables && nodes && question ? HR_OK : hr_fail_memory(err);
}

hr_status hr_id3_new(const hr_id3_terms *terms, hr_id3 **out, hr_error *err) {
    hr_id3 *h = calloc(1, sizeof *h);
    if (!h) return hr_fail_memory(err);
    h->terms = *terms;
    h->features = terms->binning->feature_count;
    h->levels = hr_id3_depth(terms);
    h->reserve = terms->reserve;
    h->next_group = terms->first_group;
    h->node_count = h->open_count = 1;
    hr_status status = allocate_id3(h, err);
    if (!status) status = hr_multiway_init(&h->multiway, terms->binning, err);
    h->tree = (hr_tree){.nodes = h->nodes,
                        .node_count = 1,
                        .thresholds = h->multiway.edges,
                        .threshold_count = h->multiway.edge_count};
    h->counting = hr_id3_records_cost(terms) > 0;
    if (!status) status = h->counting ? ask_leaves(h, err) : ask_level(h, err);
    if (status) {
        hr_id3_free(h);
        return status;
    }
    *out = h;
    return HR_OK;
}

void hr_id3_free(hr_id3 *h) {
    if (!h) return;
    void *all[] = {h->nodes,           h->parents,       h->counts,        h->records,
                   h->leaf_values,     h->open,          h->next,          h->queries,
                   h->divided,         h->first,         h->divisions,     h->best.cells,
                   h->best.in_bin,     h->best.of_class, h->at_hand.cells, h->at_hand.in_bin,
                   h->at_hand.of_class};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    hr_multiway_done(&h->multiway);
    free(h);
}

size_t hr_id3_levels(const hr_id3 *h, size_t *total) {
    *total = h->levels;
    return h->asked;
}

hr_tree hr_id3_tree(const hr_id3 *h, const double **leaf_values) {
    *leaf_values = h->leaf_values;
    return h->tree;
}
