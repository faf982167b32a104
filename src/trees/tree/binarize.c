#include "trees/tree/binarize.h"

#include <math.h>
#include <string.h>

typedef struct binarize_making {
    const hr_tree *tree;
    const hr_schema *schema;
} binarize_making;

/* What a new node stands for: bins low..high of a multiway split, or (both 0) another node. */
typedef struct span {
    uint32_t node;
    uint8_t low, high;
} span;

static span whole(const hr_tree *tree, uint32_t node) {
    uint16_t branches = tree->nodes[node].branches;
    return (span){.node = node, .high = (uint8_t)(branches ? branches - 1 : 0)};
}

/* One bin of a multiway split is the child itself. */
static span part(const hr_tree *tree, uint32_t node, unsigned low, unsigned high) {
    if (low == high) return whole(tree, tree->nodes[node].left + low);
    return (span){node, (uint8_t)low, (uint8_t)high};
}

/* The two-way split of a multiway one's bins 0..middle from the rest. */
static hr_node middle_of(const binarize_making *m, const hr_node *node, uint8_t middle) {
    hr_node made = {.feature = node->feature, .missing_left = true};
    if (hr_schema_feature(m->schema, node->feature)->kind == HR_KIND_CATEGORY)
        made.subset = (uint32_t)m->tree->subset_count + middle;
    else
        made.threshold = middle ? m->tree->thresholds[node->first + middle - 1] : -(double)INFINITY;
    return made;
}

/* The new node of a span; and its children's, if it has any. */
static hr_node divide_multiway(const binarize_making *m, span s, span *children) {
    const hr_tree *tree = m->tree;
    hr_node node = tree->nodes[s.node];
    if (node.branches) {
        uint8_t middle = (uint8_t)((s.low + s.high) / 2);
        children[0] = part(tree, s.node, s.low, middle);
        children[1] = part(tree, s.node, middle + 1u, s.high);
        return middle_of(m, &node, middle);
    }
    for (uint32_t i = 0; node.left && i < 2; i++) children[i] = whole(tree, node.left + i);
    return node;
}

/* After the tree's own: bins 0, bins 0..1, bins 0..2, ... */
static bool make_subsets(hr_arena *arena, const hr_tree *tree, size_t more, hr_tree *out) {
    out->subset_count = tree->subset_count + more;
    out->subsets = hr_arena_alloc(arena, out->subset_count, sizeof *out->subsets);
    if (!out->subsets) return false;
    if (tree->subset_count) memcpy(out->subsets, tree->subsets, tree->subset_count * sizeof *tree->subsets);
    for (size_t last = 0; last < more; last++)
        for (size_t bin = 0; bin <= last; bin++)
            hr_bin_set_add(&out->subsets[tree->subset_count + last], (uint8_t)bin);
    return true;
}

/* New nodes stand in the order in which they are met, level by level. */
static bool make_nodes(hr_arena *arena, const binarize_making *m, hr_tree *out) {
    const hr_tree *tree = m->tree;
    out->nodes = hr_arena_alloc(arena, out->node_count, sizeof *out->nodes);
    hr_arena_mark mark = hr_arena_get_mark(arena);
    span *spans = hr_arena_alloc(arena, out->node_count, sizeof *spans);
    if (!out->nodes || !spans) return false;
    size_t met = 1;
    spans[0] = whole(tree, 0);
    for (size_t n = 0; n < met; n++) {
        out->nodes[n] = divide_multiway(m, spans[n], spans + met);
        bool is_leaf = !tree->nodes[spans[n].node].left;
        out->nodes[n].left = is_leaf ? 0 : (uint32_t)met;
        met += is_leaf ? 0 : 2;
    }
    hr_arena_rewind(arena, mark);
    return true;
}

bool hr_binarize(hr_arena *arena, const hr_tree *tree, const hr_schema *schema, hr_tree *out) {
    const binarize_making m = {tree, schema};
    hr_tree made = *tree;
    size_t most = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        size_t branches = tree->nodes[n].branches;
        made.node_count += branches ? branches - 2 : 0;
        most = branches > most ? branches : most;
    }
    if (most && (made.node_count > UINT32_MAX || !make_subsets(arena, tree, most - 1, &made) ||
                 !make_nodes(arena, &m, &made)))
        return false;
    *out = made;
    return true;
}
