#include "federation/sums/federated_id3.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* ---- Packing ---- */

hr_status hr_id3_question_pack(const hr_id3_question *question, hr_bytes *out, hr_error *err) {
    Hedgerow__Id3Question wire = HEDGEROW__ID3_QUESTION__INIT;
    bool leaves = question->queries[0].answer == HR_STATS_LEAVES;
    uint32_t *nodes = malloc(question->query_count * sizeof *nodes),
             *features = malloc((question->divided_count + 1) * sizeof *features);
    hr_status status = nodes && features ? HR_OK : hr_fail_memory(err);
    for (size_t i = 0; !status && i < question->divided_count; i++)
        features[i] = question->divisions[i].feature;
    wire.kind = leaves ? HEDGEROW__ID3_QUESTION__KIND__LEAVES : HEDGEROW__ID3_QUESTION__KIND__LEVEL;
    wire.cost = question->line.cost;
    wire.split_nodes = (uint32_t *)question->divided;
    wire.split_features = features;
    wire.n_split_nodes = wire.n_split_features = question->divided_count;
    wire.nodes = nodes;

    /* Queries stand node by node. */
    for (size_t q = 0; !status && !leaves && q < question->query_count; q++)
        if (!wire.n_nodes || nodes[wire.n_nodes - 1] != question->queries[q].node)
            nodes[wire.n_nodes++] = question->queries[q].node;
    if (!status) status = hr_message_pack(&wire.base, out, err);
    free(nodes);
    free(features);
    return status;
}

/* ---- What an owner knows of the tree ---- */

struct hr_id3_question_reader {
    hr_id3_terms terms;
    hr_multiway multiway;
    hr_tree tree;   /* of `nodes` */
    hr_node *nodes; /* room for HR_ID3_NODES_MAX */
    uint32_t *parents;
    uint32_t *open; /* the nodes of the last level */
    size_t open_count;
    uint32_t born; /* nodes from it on were made by the last splits */
    size_t levels; /* received, each counted once */
    bool counted;  /* the records, before the first level */
    bool again;    /* the last level was received twice */
    bool over;     /* the leaves were received, or a question was refused */
};

hr_status hr_id3_question_reader_new(const hr_id3_terms *terms, hr_id3_question_reader **out, hr_error *err) {
    hr_id3_question_reader *h = calloc(1, sizeof *h);
    if (!h) return hr_fail_memory(err);
    h->terms = *terms;
    h->nodes = calloc(HR_ID3_NODES_MAX, sizeof *h->nodes);
    h->parents = calloc(HR_ID3_NODES_MAX, sizeof *h->parents);
    h->open = calloc(HR_ID3_NODES_MAX, sizeof *h->open);
    h->tree = (hr_tree){.nodes = h->nodes, .node_count = 1};
    hr_status status = h->nodes && h->parents && h->open ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_multiway_init(&h->multiway, terms->binning, err);
    if (status) {
        hr_id3_question_reader_free(h);
        return status;
    }
    *out = h;
    return HR_OK;
}

void hr_id3_question_reader_free(hr_id3_question_reader *h) {
    if (!h) return;
    hr_multiway_done(&h->multiway);
    free(h->nodes);
    free(h->parents);
    free(h->open);
    free(h);
}

static bool is_asked_above(const hr_id3_question_reader *h, uint32_t node, uint32_t feature) {
    return hr_multiway_is_asked_above(h->nodes, h->parents, node, feature);
}

/* ---- Reading ---- */

static hr_status refuse_id3(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "", "a question of id3 with %s", why);
}

/* One question in the making. */
typedef struct reading {
    hr_id3_question_reader *reader;
    const Hedgerow__Id3Question *wire;
    hr_arena *arena;
    hr_id3_question *question;
} reading;

static bool is_ascending(const uint32_t *numbers, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (numbers[i] <= numbers[i - 1]) return false;
    return true;
}

/* Of a node of the last level, by a feature that the level had for it. */
static bool is_a_split(const hr_id3_question_reader *h, uint32_t node, uint32_t feature) {
    const hr_binning *binning = h->terms.binning;
    bool open = false;
    for (size_t i = 0; i < h->open_count; i++) open = open || h->open[i] == node;
    return open && feature < binning->feature_count && !is_asked_above(h, node, feature) &&
           binning->features[feature].bin_count <= HR_ID3_NODES_MAX - h->tree.node_count;
}

static hr_status read_splits(reading *r, hr_error *err) {
    const Hedgerow__Id3Question *wire = r->wire;
    hr_id3_question_reader *h = r->reader;
    const size_t count = wire->n_split_nodes;
    if (count != wire->n_split_features) return refuse_id3("splits that lack a feature", err);
    if (!is_ascending(wire->split_nodes, count)) return refuse_id3("splits out of order", err);
    uint32_t *nodes = hr_arena_alloc(r->arena, count + 1, sizeof *nodes),
             *first = hr_arena_alloc(r->arena, count + 1, sizeof *first);
    hr_child_rule *divisions = hr_arena_alloc(r->arena, count + 1, sizeof *divisions);
    if (!nodes || !first || !divisions) return hr_fail_memory(err);
    if (count) h->born = (uint32_t)h->tree.node_count;
    for (size_t i = 0; i < count; i++) {
        const uint32_t node = wire->split_nodes[i], feature = wire->split_features[i];
        if (!is_a_split(h, node, feature))
            return refuse_id3("a split that its last level does not allow", err);
        const size_t before = h->tree.node_count;
        nodes[i] = node;
        first[i] = (uint32_t)before;
        divisions[i] = (hr_child_rule){.feature = feature, .every_bin = true};
        h->tree.node_count = hr_multiway_split(&h->multiway, h->nodes, before, node, feature);
        for (size_t n = before; n < h->tree.node_count; n++) h->parents[n] = node;
    }
    r->question->divided = nodes;
    r->question->first = first;
    r->question->divisions = divisions;
    r->question->divided_count = count;
    return HR_OK;
}

/* The last level, word for word, and once only. */
static hr_status check_again(const reading *r, hr_error *err) {
    hr_id3_question_reader *h = r->reader;
    if (h->again || !h->terms.reserve) return refuse_id3("a level that was asked as often as allowed", err);
    if (r->wire->n_nodes != h->open_count ||
        memcmp(r->wire->nodes, h->open, h->open_count * sizeof *h->open) != 0)
        return refuse_id3("a level that is asked again for other nodes", err);
    h->again = true;
    return HR_OK;
}

static hr_status check_next_level(const reading *r, hr_error *err) {
    hr_id3_question_reader *h = r->reader;
    const Hedgerow__Id3Question *wire = r->wire;
    const size_t count = wire->n_nodes;
    if (h->levels == hr_id3_depth(&h->terms)) return refuse_id3("a level too many", err);
    if (!count || !is_ascending(wire->nodes, count) || wire->nodes[0] < h->born ||
        wire->nodes[count - 1] >= h->tree.node_count)
        return refuse_id3("nodes that the last splits have not made", err);
    memcpy(h->open, wire->nodes, count * sizeof *h->open);
    h->open_count = count;
    h->levels++;
    h->again = false;
    return HR_OK;
}

static void add_tables(hr_id3_question_reader *h, uint32_t node, hr_id3_question *question,
                       hr_stats_query *queries) {
    for (uint32_t f = 0; f < h->terms.binning->feature_count; f++) {
        if (is_asked_above(h, node, f)) continue;
        hr_stats_query query = {.answer = HR_STATS_BINS, .node = node, .feature = f, .tree = &h->tree};
        queries[question->query_count++] = query;
        query.answer = HR_STATS_VALUES;
        if (h->terms.published) queries[question->query_count++] = query;
        question->count += hr_id3_table_values(&h->terms, f);
    }
}

static hr_status read_level(reading *r, hr_error *err) {
    hr_id3_question_reader *h = r->reader;
    const size_t features = h->terms.binning->feature_count;
    const bool again = h->levels && !r->wire->n_split_nodes;
    hr_status status = again ? check_again(r, err) : check_next_level(r, err);
    if (status) return status;
    hr_stats_query *queries =
        hr_arena_alloc(r->arena, h->open_count * features * (1 + h->terms.published), sizeof *queries);
    if (!queries) return hr_fail_memory(err);
    for (size_t i = 0; i < h->open_count; i++) add_tables(h, h->open[i], r->question, queries);
    if (r->question->count > hr_id3_values_max(&h->terms))
        return refuse_id3("more counts than an answer has", err);
    r->question->queries = queries;
    r->question->line = hr_id3_level_charge(h->terms.privacy_measure, features, h->levels - 1, r->wire->cost);
    return HR_OK;
}

/* Before the first level the root is the only leaf, and its classes tell how many records there are. */
static hr_status read_leaves(reading *r, hr_error *err) {
    hr_id3_question_reader *h = r->reader;
    const bool records = !h->levels;
    if (r->wire->n_nodes) return refuse_id3("leaves of some nodes", err);
    if (records && (h->terms.depth || h->counted))
        return refuse_id3("leaves before the first level, where the depth is known", err);
    hr_stats_query *query = hr_arena_alloc(r->arena, 1, sizeof *query);
    if (!query) return hr_fail_memory(err);
    *query = (hr_stats_query){.answer = HR_STATS_LEAVES, .tree = &h->tree};
    for (size_t n = 0; n < h->tree.node_count; n++)
        if (!h->nodes[n].left) r->question->count += h->terms.classes;
    if (r->question->count > hr_id3_values_max(&h->terms))
        return refuse_id3("more counts than an answer has", err);
    r->question->queries = query;
    r->question->query_count = 1;
    r->question->line = records ? hr_id3_records_charge(r->wire->cost) : hr_id3_leaf_charge(r->wire->cost);
    h->counted = true;
    h->over = !records;
    return HR_OK;
}

hr_status hr_id3_question_read(hr_id3_question_reader *h, const hr_bytes *body, hr_arena *arena,
                               hr_id3_question *out, hr_error *err) {
    ProtobufCMessage *read = NULL;
    *out = (hr_id3_question){0};
    hr_status status =
        hr_message_unpack(&hedgerow__id3_question__descriptor, body->at, body->size, &read, err);
    if (!status) {
        reading r = {h, (const Hedgerow__Id3Question *)read, arena, out};
        if (h->over) status = refuse_id3("nothing that may follow the last one", err);
        if (!status) status = read_splits(&r, err);
        if (!status && r.wire->kind == HEDGEROW__ID3_QUESTION__KIND__LEVEL)
            status = read_level(&r, err);
        else if (!status && r.wire->kind == HEDGEROW__ID3_QUESTION__KIND__LEAVES)
            status = read_leaves(&r, err);
        else if (!status)
            status = refuse_id3("a kind that is not known", err);
        hr_message_unpacked_free(read);
    }
    if (status) h->over = true;
    return status;
}
