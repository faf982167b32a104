/* What a coordinator may ask the owners of a job of id3: a row of questions, each a byte for its size and
 * that many bytes. No row crashes. Of what an owner takes, a record is in no more tables than it is charged
 * for: nodes of a level are distinct, none is above another, and each is asked once about every feature that
 * no node above it asks about. */
#include "federation/sums/federated_id3.h"

#include "check.h"

enum { FEATURES = 3, CLASSES = 2, DEPTH = 3 };

static const hr_feature_bins features[FEATURES] = {
    {HR_KIND_CATEGORY, 3, NULL}, {HR_KIND_CATEGORY, 2, NULL}, {HR_KIND_CATEGORY, 4, NULL}};
static const hr_binning binning = {FEATURES, (hr_feature_bins *)features, NULL};

/* Of every node that was heard of: 0 stands for none. */
typedef struct heard_tree {
    uint32_t parents[HR_ID3_NODES_MAX], split_by[HR_ID3_NODES_MAX]; /* split_by: the feature + 1 */
    size_t node_count, levels, repeats;
    bool over;
} heard_tree;

static bool is_asked_above(const heard_tree *t, uint32_t node, uint32_t feature) {
    while (node)
        if (t->split_by[node = t->parents[node]] == feature + 1) return true;
    return false;
}

static size_t depth_of(const heard_tree *t, uint32_t node) {
    size_t depth = 0;
    for (; node; node = t->parents[node]) depth++;
    return depth;
}

static void grow(heard_tree *t, const hr_id3_question *ask) {
    for (size_t i = 0; i < ask->divided_count; i++) {
        const uint32_t node = ask->divided[i], feature = ask->divisions[i].feature;
        CHECK(node < t->node_count && !t->split_by[node] && feature < FEATURES &&
              !is_asked_above(t, node, feature));
        CHECK(ask->divisions[i].every_bin && ask->first[i] == t->node_count);
        t->split_by[node] = feature + 1;
        for (size_t b = 0; b < features[feature].bin_count; b++) t->parents[t->node_count++] = node;
    }
}

static void check_level(heard_tree *t, const hr_id3_question *ask) {
    const size_t level = (size_t)ask->line.level;
    bool *seen = calloc(t->node_count * FEATURES, sizeof *seen);
    CHECK(seen && level < DEPTH && ask->line.sensitivity == 64 * (FEATURES - level));
    t->repeats = level + 1 == t->levels ? t->repeats + 1 : 0;
    CHECK(t->repeats <= 1 && (t->repeats || level == t->levels));
    t->levels = level + 1;
    for (size_t q = 0; q < ask->query_count; q++) {
        const uint32_t node = ask->queries[q].node, feature = ask->queries[q].feature;
        CHECK(node < t->node_count && !t->split_by[node] && depth_of(t, node) == level);
        CHECK(!is_asked_above(t, node, feature) && !seen[node * FEATURES + feature]);
        seen[node * FEATURES + feature] = true;
    }
    free(seen);
}

static void check_question(heard_tree *t, const hr_id3_question *ask) {
    CHECK(!t->over && ask->query_count && ask->count);
    grow(t, ask);
    if (ask->queries[0].answer == HR_STATS_BINS) {
        check_level(t, ask);
        return;
    }
    t->over = true;
    CHECK(ask->queries[0].answer == HR_STATS_LEAVES && ask->query_count == 1 && ask->line.sensitivity == 64);
    size_t leaves = 0;
    for (size_t n = 0; n < t->node_count; n++) leaves += !t->split_by[n];
    CHECK(ask->count == leaves * CLASSES && ask->queries[0].tree->node_count == t->node_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static heard_tree tree;
    const hr_id3_terms terms = {.privacy_measure = HR_PRIVACY_PURE,
                                .binning = &binning,
                                .classes = CLASSES,
                                .depth = DEPTH,
                                .reserve = 1,
                                .shares = 2};
    hr_id3_question_reader *reader = NULL;
    tree = (heard_tree){.node_count = 1};
    CHECK(hr_id3_question_reader_new(&terms, &reader, NULL) == HR_OK);
    while (size) {
        hr_bytes body = {(uint8_t *)bytes + 1, bytes[0] < size - 1 ? bytes[0] : size - 1};
        hr_arena *arena = hr_arena_new();
        hr_id3_question ask;
        CHECK(arena);
        if (hr_id3_question_read(reader, &body, arena, &ask, NULL))
            tree.over = true; /* and nothing is taken after it */
        else
            check_question(&tree, &ask);
        hr_arena_free(arena);
        bytes += 1 + body.size;
        size -= 1 + body.size;
    }
    hr_id3_question_reader_free(reader);
    return 0;
}
