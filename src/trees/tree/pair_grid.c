#include "trees/tree/place_tree.h"

#include <string.h>

enum { CELLS_MAX = 1 << 14, LEAVES_MAX = 256 };

/* The bins of one feature in classes: bins of a class go the same way at every split. */
typedef struct bin_classes {
    uint32_t feature;
    bool asked;
    size_t count;
    uint8_t of_bin[HR_BINS_MAX], sample[HR_BINS_MAX]; /* a bin of each class */
} bin_classes;

typedef struct grid_builder {
    const hr_tree *tree;
    const hr_binning *binning;
    bin_classes sides[2];
    uint8_t lists[2][HR_BINS_MAX]; /* of the classes of each side */
    uint8_t *cells;
    double *values;
    size_t leaves;
} grid_builder;

/* Which of the two features a split is by; 2: neither, and both are taken. */
static size_t side_of_split(grid_builder *m, const hr_node *node) {
    for (size_t s = 0; s < 2; s++) {
        if (!m->sides[s].asked) {
            m->sides[s].asked = true;
            m->sides[s].feature = node->feature;
        }
        if (m->sides[s].feature == node->feature) return s;
    }
    return 2;
}

static bool bin_goes_left(const grid_builder *m, const hr_node *node, uint8_t bin) {
    return hr_node_goes_left(m->tree, node, m->binning->features[node->feature].kind, bin);
}

/* Parts every class that the split divides: those that go another way than the first become a new class. */
static void refine_classes(const grid_builder *m, const hr_node *node, bin_classes *classes) {
    uint8_t right_of[HR_BINS_MAX];
    bool is_parted[HR_BINS_MAX] = {false};
    for (size_t bin = 0; bin < HR_BINS_MAX; bin++) {
        uint8_t class = classes->of_bin[bin];
        if (bin_goes_left(m, node, (uint8_t)bin) == bin_goes_left(m, node, classes->sample[class])) continue;
        if (!is_parted[class]) {
            is_parted[class] = true;
            right_of[class] = (uint8_t)classes->count;
            classes->sample[classes->count++] = (uint8_t)bin;
        }
        classes->of_bin[bin] = right_of[class];
    }
}

/* False if the tree splits by more than two features, or has too many leaves. */
static bool find_classes(grid_builder *m) {
    size_t leaves = 0;
    for (size_t s = 0; s < 2; s++) m->sides[s].count = 1;
    for (size_t n = 0; n < m->tree->node_count; n++) {
        const hr_node *node = &m->tree->nodes[n];
        if (!node->left) {
            leaves++;
            continue;
        }
        size_t side = side_of_split(m, node);
        if (side == 2) return false;
        refine_classes(m, node, &m->sides[side]);
    }
    return leaves <= LEAVES_MAX && m->sides[0].count * m->sides[1].count <= CELLS_MAX;
}

/* Of each feature the classes that reach a node: a range of the lists of the grid. */
typedef struct reached {
    size_t begin[2], end[2];
} reached;

static void fill_leaf(grid_builder *m, const hr_node *node, const reached *r) {
    for (size_t i = r->begin[0]; i < r->end[0]; i++)
        for (size_t k = r->begin[1]; k < r->end[1]; k++)
            m->cells[m->lists[0][i] * m->sides[1].count + m->lists[1][k]] = (uint8_t)m->leaves;
    m->values[m->leaves++] = node->value;
}

/* Puts the classes that go left first, and returns where those that go right begin. */
static size_t divide_classes(grid_builder *m, const hr_node *node, size_t side, const reached *r) {
    size_t middle = r->begin[side];
    uint8_t *list = m->lists[side];
    for (size_t i = middle; i < r->end[side]; i++) {
        uint8_t class = list[i];
        if (!bin_goes_left(m, node, m->sides[side].sample[class])) continue;
        list[i] = list[middle];
        list[middle++] = class;
    }
    return middle;
}

/* Trees of 256 leaves and no more are at most 255 levels deep. */
static void fill_node(grid_builder *m, uint32_t n, const reached *r) {
    const hr_node *node = &m->tree->nodes[n];
    if (!node->left) {
        fill_leaf(m, node, r);
        return;
    }
    size_t side = side_of_split(m, node), middle = divide_classes(m, node, side, r);
    reached left = *r, right = *r;
    left.end[side] = right.begin[side] = middle;
    fill_node(m, node->left, &left);
    fill_node(m, node->left + 1, &right);
}

static void fill_grid(grid_builder *m) {
    const reached all = {{0, 0}, {m->sides[0].count, m->sides[1].count}};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < m->sides[s].count; i++) m->lists[s][i] = (uint8_t)i;
    fill_node(m, 0, &all);
}

static bool lay_out_grid(grid_builder *m, hr_arena *arena, const size_t *offsets, hr_pair_grid *out) {
    uint16_t *rows = hr_arena_alloc(arena, HR_BINS_MAX, sizeof *rows);
    uint8_t *columns = hr_arena_alloc(arena, HR_BINS_MAX, 1);
    m->cells = hr_arena_alloc(arena, m->sides[0].count * m->sides[1].count, 1);
    m->values = hr_arena_alloc(arena, LEAVES_MAX, sizeof *m->values);
    if (!rows || !columns || !m->cells || !m->values) return false;
    fill_grid(m);
    for (size_t bin = 0; bin < HR_BINS_MAX; bin++) {
        rows[bin] = (uint16_t)(m->sides[0].of_bin[bin] * m->sides[1].count);
        columns[bin] = m->sides[1].of_bin[bin];
    }
    *out = (hr_pair_grid){.offsets = {offsets[m->sides[0].feature], offsets[m->sides[1].feature]},
                          .rows = rows,
                          .columns = columns,
                          .cells = m->cells,
                          .values = m->values};
    return true;
}

bool hr_pair_grid_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning, const size_t *offsets,
                       hr_pair_grid *out) {
    grid_builder m = {.tree = tree, .binning = binning};
    *out = (hr_pair_grid){.cells = NULL};
    return !find_classes(&m) || lay_out_grid(&m, arena, offsets, out);
}

void hr_pair_grid_add(const hr_pair_grid *grid, const uint8_t *bins, double *scores) {
    const uint8_t *first = bins + grid->offsets[0], *second = bins + grid->offsets[1];
    for (size_t i = 0; i < HR_PLACES_BLOCK; i++)
        scores[i] += grid->values[grid->cells[grid->rows[first[i]] + grid->columns[second[i]]]];
}
