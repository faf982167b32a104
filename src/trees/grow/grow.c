#include "trees/grow/grow.h"

#include <stdlib.h>
#include <string.h>

struct hr_grower {
    const hr_binning *binning;
    int depth;
    size_t cells, width; /* width: nodes of the last level that is split */
    hr_sum_word **pool;  /* histograms not in use */
    size_t pool_size, slot_count;
    hr_sum_word **slots; /* all of them, for freeing */
    /* the level that is being split */
    uint32_t *nodes, *next_nodes;
    hr_sum_word **level_cells, **next_cells;
    hr_sum_word *totals, *next_totals;
    hr_split *splits;
    /* the nodes that the source sums, and the split of each */
    uint32_t *asked_nodes, *asked_left;
    hr_split *asked_splits;
    hr_sum_word **asked_cells;
    size_t *summed; /* where the child that is summed stands in the next level */
    /* the tree */
    hr_node *tree_nodes;
    hr_bin_set *subsets;
    hr_sums *sums;
    size_t node_count, subset_count;
};

void hr_grower_free(hr_grower *g) {
    if (!g) return;
    for (size_t i = 0; i < g->slot_count; i++) free(g->slots[i]);
    void *all[] = {g->pool,       g->slots,        g->nodes,       g->next_nodes, g->level_cells,
                   g->next_cells, g->totals,       g->next_totals, g->splits,     g->asked_nodes,
                   g->asked_left, g->asked_splits, g->asked_cells, g->summed,     g->tree_nodes,
                   g->subsets,    g->sums};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(g);
}

hr_status hr_grower_new(const hr_binning *binning, size_t cells, int depth, hr_grower **out, hr_error *err) {
    hr_grower *g = calloc(1, sizeof *g);
    if (!g) return hr_fail_memory(err);
    g->binning = binning;
    g->depth = depth;
    g->cells = cells;
    g->width = (size_t)1 << (depth > 0 ? depth - 1 : 0);
    size_t w = g->width, all = 4 * w;
    g->pool = calloc(w, sizeof *g->pool);
    g->slots = calloc(w, sizeof *g->slots);
    g->nodes = calloc(2 * w, sizeof *g->nodes);
    g->next_nodes = calloc(2 * w, sizeof *g->next_nodes);
    g->level_cells = calloc(2 * w, sizeof *g->level_cells);
    g->next_cells = calloc(2 * w, sizeof *g->next_cells);
    g->totals = calloc(2 * w, sizeof *g->totals);
    g->next_totals = calloc(2 * w, sizeof *g->next_totals);
    g->splits = calloc(w, sizeof *g->splits);
    g->asked_nodes = calloc(w, sizeof *g->asked_nodes);
    g->asked_left = calloc(w, sizeof *g->asked_left);
    g->asked_splits = calloc(w, sizeof *g->asked_splits);
    g->asked_cells = calloc(w, sizeof *g->asked_cells);
    g->summed = calloc(w, sizeof *g->summed);
    g->tree_nodes = calloc(all, sizeof *g->tree_nodes);
    g->subsets = calloc(all, sizeof *g->subsets);
    g->sums = calloc(all, sizeof *g->sums);
    bool level = g->nodes && g->next_nodes && g->level_cells && g->next_cells && g->totals &&
                 g->next_totals && g->splits;
    bool asked = g->asked_nodes && g->asked_left && g->asked_splits && g->asked_cells && g->summed;
    if (!g->pool || !g->slots || !level || !asked || !g->tree_nodes || !g->subsets || !g->sums) {
        hr_grower_free(g);
        return hr_fail_memory(err);
    }
    *out = g;
    return HR_OK;
}

/* A histogram that is not in use; allocated when first needed. NULL when memory is short. */
static hr_sum_word *take_histogram(hr_grower *g) {
    if (g->pool_size) return g->pool[--g->pool_size];
    hr_sum_word *cells = malloc(g->cells * sizeof *cells);
    if (cells) g->slots[g->slot_count++] = cells;
    return cells;
}

/* Turns node `index` of the tree into a split with two leaves; returns the left one. */
static uint32_t add_level_children(hr_grower *g, uint32_t index, const hr_split *split) {
    hr_node *node = &g->tree_nodes[index];
    *node = (hr_node){.left = (uint32_t)g->node_count,
                      .feature = split->feature,
                      .cut = split->cut,
                      .missing_left = split->missing_left};
    if (split->kind == HR_KIND_NUMBER) {
        node->threshold = hr_bins_threshold(&g->binning->features[split->feature], split->cut);
    } else {
        node->subset = (uint32_t)g->subset_count;
        g->subsets[g->subset_count++] = split->left;
    }
    memset(&g->tree_nodes[g->node_count], 0, 2 * sizeof *g->tree_nodes);
    g->node_count += 2;
    return node->left;
}

/* The sums of the sides of a split: node `left` of the tree and the next. */
static void set_side_sums(hr_grower *g, const hr_packing *packing, size_t i, uint32_t left,
                          hr_sum_word left_sum) {
    const hr_sum_word *weights = hr_weights_in(packing, g->level_cells[i]);
    hr_sum_word left_weight = 0, right_weight = 0;
    if (packing->weight_cells) {
        left_weight = hr_split_left_sum(&g->splits[i], g->binning, weights);
        right_weight = hr_histogram_total(g->binning, weights) - left_weight;
    }
    g->sums[left] = hr_unpack_apart(packing, left_sum, left_weight);
    g->sums[left + 1] = hr_unpack_apart(packing, g->totals[i] - left_sum, right_weight);
}

/* Children stand side by side in their level, the left one at an even place. */
static size_t sibling(size_t place) {
    return place ^ 1;
}

/* Splits the nodes of one level and, unless it is the last, gets the histograms of the next. */
static hr_status split_level(hr_grower *g, const hr_growth *growth, size_t count, bool last,
                             size_t *next_count, hr_error *err) {
    hr_stats_source *source = growth->source;
    const hr_packing *packing = growth->packing;
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        const hr_split *split = &g->splits[i];
        if (!split->made) {
            g->pool[g->pool_size++] = g->level_cells[i];
            continue;
        }
        uint32_t left = add_level_children(g, g->nodes[i], split);
        hr_sum_word left_sum = hr_split_left_sum(split, g->binning, g->level_cells[i]),
                    right_sum = g->totals[i] - left_sum;
        set_side_sums(g, packing, i, left, left_sum);
        g->next_nodes[2 * made] = left;
        g->next_nodes[2 * made + 1] = left + 1;
        g->next_totals[2 * made] = left_sum;
        g->next_totals[2 * made + 1] = right_sum;
        g->summed[made] = 2 * made + !hr_left_is_smaller(&g->sums[left], &g->sums[left + 1]);
        g->next_cells[sibling(g->summed[made])] = g->level_cells[i];
        g->asked_nodes[made] = g->nodes[i];
        g->asked_left[made] = left;
        g->asked_splits[made++] = *split;
    }
    *next_count = 2 * made;
    if (last || !made) return HR_OK;
    hr_status status = source->ops->split(source, g->asked_nodes, g->asked_splits, g->asked_left, made, err);
    for (size_t k = 0; !status && k < made; k++) {
        g->asked_nodes[k] = g->next_nodes[g->summed[k]];
        g->asked_cells[k] = g->next_cells[g->summed[k]] = take_histogram(g);
        if (!g->asked_cells[k]) status = hr_fail_memory(err);
    }
    if (!status) status = source->ops->sum(source, g->asked_nodes, g->asked_cells, made, err);
    hr_timings_enter(growth->timings, HR_PHASE_HISTOGRAMS);
    for (size_t k = 0; !status && k < made; k++)
        hr_histogram_subtract(g->next_cells[sibling(g->summed[k])], g->asked_cells[k], g->cells);
    hr_timings_leave(growth->timings);
    return status;
}

#define SWAP(type, a, b)                                                                                     \
    do {                                                                                                     \
        type swap_ = a;                                                                                      \
        a = b;                                                                                               \
        b = swap_;                                                                                           \
    } while (0)

hr_status hr_grow(hr_grower *g, const hr_growth *growth, hr_tree *out, const hr_sums **sums, hr_error *err) {
    hr_stats_source *source = growth->source;
    hr_splitter *splitter = growth->splitter;
    g->pool_size = g->slot_count;
    memcpy(g->pool, g->slots, g->slot_count * sizeof *g->slots);
    g->node_count = 1;
    g->subset_count = 0;
    g->nodes[0] = 0;
    memset(g->tree_nodes, 0, sizeof *g->tree_nodes);
    g->level_cells[0] = take_histogram(g);
    if (!g->level_cells[0]) return hr_fail_memory(err);
    hr_status status = source->ops->sum(source, g->nodes, g->level_cells, 1, err);
    if (status) return status;
    g->totals[0] = hr_histogram_total(g->binning, g->level_cells[0]);
    g->sums[0] =
        hr_unpack_apart(growth->packing, g->totals[0],
                        hr_histogram_total(g->binning, hr_weights_in(growth->packing, g->level_cells[0])));
    size_t count = 1;
    for (int level = 0; !status && level < g->depth && count; level++) {
        hr_level_nodes nodes = {level, count, g->level_cells, g->totals};
        hr_timings_enter(growth->timings, HR_PHASE_CHOOSE);
        status = splitter->choose(splitter, &nodes, g->splits, err);
        hr_timings_leave(growth->timings);
        if (!status) status = split_level(g, growth, count, level + 1 == g->depth, &count, err);
        SWAP(uint32_t *, g->nodes, g->next_nodes);
        SWAP(hr_sum_word **, g->level_cells, g->next_cells);
        SWAP(hr_sum_word *, g->totals, g->next_totals);
    }
    if (status) return status;
    *sums = g->sums;
    hr_tree grown = {.nodes = g->tree_nodes,
                     .node_count = g->node_count,
                     .subsets = g->subsets,
                     .subset_count = g->subset_count};
    return hr_tree_copy(&grown, growth->arena, out, err);
}
