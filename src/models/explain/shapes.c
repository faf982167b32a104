/* Shapes: trees that split by the same one or two features are added up cell by cell. The cells of a feature
 * are divided by all thresholds of those trees, so that each leaf is a set of whole cells and nothing is
 * approximated. The noise of different leaves is independent, so variances add up as values do. */
#include "base/arena.h"
#include "base/fail.h"
#include "models/explain/leaf_facts.h"
#include "models/model/model.h"

#include <hedgerow/explain.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 3, CELLS_MAX = 1 << 20 };

struct hr_shapes {
    hr_arena *arena;
    size_t output_count, count;
    double *base;
    hr_shape *shapes;
    hr_shape_rest rest;
};

/* What a tree is about. */
typedef struct tree_subject {
    size_t tree, count; /* of features: MANY is three or more */
    size_t features[2]; /* ascending */
    double spread;
} tree_subject;

/* One side of the table that is being filled. The cells that a node still covers stand together. */
typedef struct table_side {
    size_t feature, cell_count;
    bool is_number;
    double *edges;
    size_t edge_count, *cells;
} table_side;

typedef struct shape_table {
    const hr_forest *forest;
    table_side sides[2]; /* the second has one cell if there is one feature */
    double *values, *variances;
} shape_table;

typedef struct cell_range {
    size_t first, count;
} cell_range;

/* ---- Subjects ---- */

static int compare_sizes(size_t a, size_t b) {
    return (a > b) - (a < b);
}

/* Whether two trees are in one shape: 0. */
static int compare_features(const tree_subject *a, const tree_subject *b) {
    int by_count = compare_sizes(a->count, b->count);
    for (size_t i = 0; !by_count && i < a->count && i < 2; i++)
        by_count = compare_sizes(a->features[i], b->features[i]);
    return by_count;
}

static int compare_subjects(const void *a, const void *b) {
    const tree_subject *x = a, *y = b;
    int by_features = x->count == MANY && y->count == MANY ? 0 : compare_features(x, y);
    return by_features ? by_features : compare_sizes(x->tree, y->tree);
}

/* ---- Cells ---- */

static int compare_edges(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The finite thresholds of a tree's splits by the feature; writes them to `out` unless that is NULL. */
static size_t list_thresholds(const hr_tree *tree, size_t feature, double *out) {
    size_t count = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        if (!node->left || node->feature != feature) continue;
        const double *first = node->branches ? tree->thresholds + node->first : &node->threshold;
        size_t found = node->branches ? (size_t)node->branches - 2 : isfinite(node->threshold);
        if (out && found) memcpy(out + count, first, found * sizeof *out);
        count += found;
    }
    return count;
}

static bool side_init(table_side *side, const shape_table *table, const hr_schema *schema,
                      const tree_subject *subjects, size_t count, hr_arena *arena) {
    const hr_column *column = hr_schema_feature(schema, side->feature);
    side->is_number = column->kind == HR_KIND_NUMBER;
    side->cell_count = hr_category_bins(column);
    if (side->is_number) {
        size_t all = 0, kept = 0;
        for (size_t i = 0; i < count; i++)
            all += list_thresholds(&table->forest->trees[subjects[i].tree], side->feature, NULL);
        double *edges = side->edges = hr_arena_alloc(arena, all, sizeof *side->edges);
        if (!edges) return false;
        all = 0;
        for (size_t i = 0; i < count; i++)
            all += list_thresholds(&table->forest->trees[subjects[i].tree], side->feature, edges + all);
        if (all) qsort(edges, all, sizeof *edges, compare_edges);
        for (size_t i = 0; i < all; i++)
            if (!kept || edges[i] != edges[kept - 1]) edges[kept++] = edges[i];
        side->edge_count = kept;
        side->cell_count = kept + 2;
    }
    side->cells = hr_arena_alloc(arena, side->cell_count, sizeof *side->cells);
    for (size_t c = 0; side->cells && c < side->cell_count; c++) side->cells[c] = c;
    return side->cells != NULL;
}

/* Moves the cells of the range that go to the child to its front, and returns their number. */
static size_t take_cells(const hr_tree *tree, size_t n, uint32_t child, const table_side *side,
                         cell_range range) {
    size_t taken = 0, *cells = side->cells + range.first;
    for (size_t i = 0; i < range.count; i++) {
        size_t cell = cells[i];
        uint32_t goes;
        if (side->is_number) {
            double x = cell > 0 ? HUGE_VAL : (double)NAN;
            if (cell > 0 && cell + 1 < side->cell_count) x = side->edges[cell - 1];
            goes = hr_node_child_of_number(tree, &tree->nodes[n], x);
        } else {
            goes = hr_node_child_of_code(tree, &tree->nodes[n], (uint16_t)cell);
        }
        if (goes != child) continue;
        cells[i] = cells[taken];
        cells[taken++] = cell;
    }
    return taken;
}

/* The tree that is being added. */
typedef struct tree_filling {
    const shape_table *table;
    const hr_tree *tree;
    const double *noise; /* NULL: it is not known */
} tree_filling;

/* Adds what is below node n to the cells of the ranges. */
static void fill_node(const tree_filling *f, size_t n, const cell_range ranges[2]) {
    const hr_node *node = &f->tree->nodes[n];
    const table_side *sides = f->table->sides;
    if (!node->left) {
        double variance = f->noise ? f->noise[n] * f->noise[n] : 0;
        for (size_t i = ranges[0].first; i < ranges[0].first + ranges[0].count; i++) {
            size_t row = sides[0].cells[i] * sides[1].cell_count;
            for (size_t j = ranges[1].first; j < ranges[1].first + ranges[1].count; j++) {
                size_t cell = row + sides[1].cells[j];
                size_t at = cell * f->table->forest->output_count + f->tree->output;
                f->table->values[at] += node->value;
                f->table->variances[at] += variance;
            }
        }
        return;
    }
    size_t which = node->feature != sides[0].feature;
    cell_range below[2] = {ranges[0], ranges[1]}, left = ranges[which];
    for (uint32_t i = 0; i < hr_node_child_count(node) && left.count; i++) {
        size_t taken = take_cells(f->tree, n, node->left + i, &sides[which], left);
        below[which] = (cell_range){left.first, taken};
        if (taken) fill_node(f, node->left + i, below);
        left = (cell_range){left.first + taken, left.count - taken};
    }
}

/* ---- Shapes ---- */

/* What the trees of one group need to become a shape. */
typedef struct shape_builder {
    const hr_model *model;
    hr_arena *scratch;
    hr_shapes *out;
    double spread; /* of all trees */
} shape_builder;

static double share_of(const shape_builder *m, double spread) {
    return m->spread > 0 ? spread / m->spread : 0;
}

static void add_to_rest(shape_builder *m, const tree_subject *subjects, size_t count) {
    for (size_t i = 0; i < count; i++) m->out->rest.share += share_of(m, subjects[i].spread);
    m->out->rest.trees += count;
}

static bool make_shape(shape_builder *m, shape_table *table, const tree_subject *subjects, size_t count) {
    const cell_range all[2] = {{0, table->sides[0].cell_count}, {0, table->sides[1].cell_count}};
    size_t cells = all[0].count * all[1].count * m->out->output_count;
    hr_shape *shape = &m->out->shapes[m->out->count++];
    *shape = (hr_shape){.axis_count = subjects->count, .trees = count};
    for (size_t i = 0; i < count; i++) shape->share += share_of(m, subjects[i].spread);
    for (size_t i = 0; i < shape->axis_count; i++) {
        const table_side *side = &table->sides[i];
        shape->axes[i] = (hr_shape_axis){.feature = side->feature, .cell_count = side->cell_count};
        if (!side->is_number) continue;
        double *edges = hr_arena_alloc(m->out->arena, side->edge_count, sizeof *edges);
        if (!edges) return false;
        if (side->edge_count) memcpy(edges, side->edges, side->edge_count * sizeof *edges);
        shape->axes[i].edges = edges;
    }
    table->values = hr_arena_alloc(m->out->arena, cells, sizeof *table->values);
    table->variances = hr_arena_alloc(m->out->arena, cells, sizeof *table->variances);
    if (!table->values || !table->variances) return false;
    bool is_known = true;
    for (size_t i = 0; i < count; i++) {
        size_t t = subjects[i].tree;
        tree_filling f = {table, &table->forest->trees[t], hr_forest_noise(table->forest, t)};
        fill_node(&f, 0, all);
        if (!f.noise) is_known = false;
    }
    for (size_t c = 0; c < cells; c++) table->variances[c] = sqrt(table->variances[c]);
    shape->values = table->values;
    shape->deviations = is_known ? table->variances : NULL;
    return true;
}

/* The subjects are those of one shape. */
static bool add_group(shape_builder *m, const tree_subject *subjects, size_t count) {
    if (subjects->count == MANY) {
        add_to_rest(m, subjects, count);
        return true;
    }
    for (size_t i = 0; i < count && !subjects->count; i++) {
        const hr_tree *tree = &m->model->forest.trees[subjects[i].tree];
        m->out->base[tree->output] += tree->nodes[0].value;
    }
    if (!subjects->count) return true;
    hr_arena_mark mark = hr_arena_get_mark(m->scratch);
    shape_table table = {.forest = &m->model->forest};
    table.sides[1].cell_count = 1;
    table.sides[1].cells = hr_arena_alloc(m->scratch, 1, sizeof *table.sides[1].cells);
    bool made = table.sides[1].cells != NULL;
    for (size_t i = 0; made && i < subjects->count; i++) {
        table.sides[i].feature = subjects->features[i];
        made = side_init(&table.sides[i], &table, m->model->schema, subjects, count, m->scratch);
    }
    if (made && table.sides[0].cell_count > CELLS_MAX / table.sides[1].cell_count) {
        add_to_rest(m, subjects, count);
    } else if (made) {
        made = make_shape(m, &table, subjects, count);
    }
    hr_arena_rewind(m->scratch, mark);
    return made;
}

static bool list_subjects(shape_builder *m, tree_subject *subjects) {
    size_t trees = m->model->forest.tree_count, features = hr_schema_feature_count(m->model->schema);
    double *spread = hr_arena_alloc(m->scratch, features, sizeof *spread);
    if (!spread) return false;
    for (size_t t = 0; t < trees; t++) {
        const hr_tree *tree = &m->model->forest.trees[t];
        tree_subject s = {.tree = t};
        for (size_t n = 0; n < tree->node_count; n++) {
            size_t feature = tree->nodes[n].feature, i = 0;
            while (i < s.count && i < 2 && s.features[i] != feature) i++;
            bool known = i < s.count && i < 2;
            if (!tree->nodes[n].left || known) continue;
            if (s.count < 2) s.features[s.count] = feature;
            if (s.count < MANY) s.count++;
        }
        if (s.count == 2 && s.features[0] > s.features[1]) {
            size_t first = s.features[1];
            s.features[1] = s.features[0];
            s.features[0] = first;
        }
        memset(spread, 0, features * sizeof *spread);
        hr_tree_spread(tree, spread);
        for (size_t f = 0; f < features; f++) s.spread += spread[f];
        m->spread += s.spread;
        subjects[t] = s;
    }
    if (trees) qsort(subjects, trees, sizeof *subjects, compare_subjects);
    return true;
}

static bool make_shapes(shape_builder *m) {
    const hr_forest *forest = &m->model->forest;
    hr_shapes *out = m->out;
    if (!m->scratch || !out->arena) return false;
    tree_subject *subjects = hr_arena_alloc(m->scratch, forest->tree_count, sizeof *subjects);
    out->output_count = forest->output_count;
    out->base = hr_arena_alloc(out->arena, forest->output_count, sizeof *out->base);
    out->shapes = hr_arena_alloc(out->arena, forest->tree_count, sizeof *out->shapes);
    if (!subjects || !out->base || !out->shapes || !list_subjects(m, subjects)) return false;
    memcpy(out->base, forest->base, forest->output_count * sizeof *out->base);
    for (size_t first = 0, end; first < forest->tree_count; first = end) {
        end = first + 1;
        while (end < forest->tree_count && !compare_features(&subjects[first], &subjects[end])) end++;
        if (!add_group(m, subjects + first, end - first)) return false;
    }
    return true;
}

hr_status hr_shapes_make(const hr_model *model, hr_shapes **out, hr_error *err) {
    hr_shapes *shapes = calloc(1, sizeof *shapes);
    if (!shapes) return hr_fail_memory(err);
    shapes->arena = hr_arena_new();
    shape_builder m = {.model = model, .scratch = hr_arena_new(), .out = shapes};
    bool made = make_shapes(&m);
    hr_arena_free(m.scratch);
    if (!made) {
        hr_shapes_free(shapes);
        return hr_fail_memory(err);
    }
    *out = shapes;
    return HR_OK;
}

void hr_shapes_free(hr_shapes *shapes) {
    if (!shapes) return;
    hr_arena_free(shapes->arena);
    free(shapes);
}

size_t hr_shapes_output_count(const hr_shapes *shapes) {
    return shapes->output_count;
}

const double *hr_shapes_base(const hr_shapes *shapes) {
    return shapes->base;
}

size_t hr_shapes_count(const hr_shapes *shapes) {
    return shapes->count;
}

bool hr_shapes_at(const hr_shapes *shapes, size_t index, hr_shape *out) {
    if (index >= shapes->count) return false;
    *out = shapes->shapes[index];
    return true;
}

hr_shape_rest hr_shapes_rest(const hr_shapes *shapes) {
    return shapes->rest;
}
