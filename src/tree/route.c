#include "tree/route.h"
#include "base/fail.h"

enum { BLOCK = 512, LANES = 8 };

static int depth_of(const hr_tree *tree, size_t node) {
    if (!tree->nodes[node].left) return 0;
    int left = depth_of(tree, tree->nodes[node].left), right = depth_of(tree, tree->nodes[node].left + 1);
    return 1 + (left > right ? left : right);
}

hr_status hr_router_init(hr_router *router, const hr_tree *tree, const hr_binning *binning, hr_arena *arena, hr_error *err) {
    uint32_t *features = hr_arena_alloc(arena, tree->node_count, sizeof *features);
    uint16_t *step = hr_arena_alloc(arena, tree->node_count * HR_BINS_MAX, sizeof *step);
    double *values = hr_arena_alloc(arena, tree->node_count, sizeof *values);
    if (!features || !step || !values) return hr_fail_memory(err);
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        features[n] = node->feature;
        values[n] = node->value;
        for (int bin = 0; bin < HR_BINS_MAX; bin++) {
            bool left = node->left && hr_node_goes_left(tree, node, binning->features[node->feature].kind, (uint8_t)bin);
            step[n * HR_BINS_MAX + (size_t)bin] = (uint16_t)(!node->left ? n : left ? node->left : node->left + 1);
        }
    }
    *router = (hr_router){tree->output, depth_of(tree, 0), features, step, values};
    return HR_OK;
}

static inline size_t tile_offset(const hr_binned *binned, uint32_t feature) {
    return feature / HR_TILE * binned->rows * HR_TILE + feature % HR_TILE;
}

/* LANES rows at a time walk down together, so that their loads overlap. */
static void add_block(const hr_router *router, const hr_binned *binned, const uint32_t *rows, size_t first, size_t count, double *scores,
                      size_t stride) {
    for (size_t i = 0; i < count; i += LANES) {
        size_t lanes = count - i < LANES ? count - i : LANES;
        size_t row[LANES], node[LANES] = {0};
        for (size_t k = 0; k < LANES; k++) row[k] = rows ? rows[i + (k < lanes ? k : 0)] : first + i + (k < lanes ? k : 0);
        for (int level = 0; level < router->depth; level++)
            for (size_t k = 0; k < LANES; k++) {
                uint8_t bin = binned->tiles[tile_offset(binned, router->features[node[k]]) + row[k] * HR_TILE];
                node[k] = router->step[node[k] * HR_BINS_MAX + bin];
            }
        for (size_t k = 0; k < lanes; k++) scores[row[k] * stride + router->output] += router->values[node[k]];
    }
}

void hr_routers_add(const hr_router *routers, size_t router_count, const hr_binned *binned, const uint32_t *rows, size_t count, int threads,
                    double *scores, size_t stride) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        size_t n = count - begin < BLOCK ? count - begin : BLOCK;
        for (size_t t = 0; t < router_count; t++) add_block(&routers[t], binned, rows ? rows + begin : NULL, begin, n, scores, stride);
    }
}
