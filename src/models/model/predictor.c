#include "models/model/predictor.h"

#include "base/fail.h"
#include "models/model/threshold_set.h"
#include "tables/data/float_rows.h"
#include "trees/tree/binarize.h"

#include <string.h>

enum { BLOCK = HR_PREDICTOR_BLOCK, COLUMN_THRESHOLDS = HR_SEARCH_EDGES_MAX };

/* The splits of all trees by one feature. */
typedef struct question {
    bool used;
    size_t first_column;
    hr_threshold_set thresholds;
} question;

typedef struct compiler {
    const hr_schema *schema;
    hr_arena *scratch, *arena;
    hr_tree *trees;     /* two-way */
    uint32_t **indices; /* of every node of a tree that compares a number: that of its threshold */
    size_t tree_count, feature_count;
    question *questions; /* one a feature */
} compiler;

static bool is_number_predictor(const compiler *c, uint32_t feature) {
    return hr_schema_feature(c->schema, feature)->kind == HR_KIND_NUMBER;
}

/* ---- Thresholds ---- */

static bool gather_thresholds(compiler *c, const hr_forest *forest) {
    for (size_t t = 0; t < c->tree_count; t++) {
        hr_tree *tree = &c->trees[t];
        if (!hr_binarize(c->scratch, &forest->trees[t], c->schema, tree)) return false;
        uint32_t *indices = hr_arena_alloc(c->scratch, tree->node_count, sizeof *indices);
        if (!indices) return false;
        c->indices[t] = indices;
        for (size_t n = 0; n < tree->node_count; n++) {
            const hr_node *node = &tree->nodes[n];
            if (!node->left) continue;
            question *q = &c->questions[node->feature];
            q->used = true;
            if (is_number_predictor(c, node->feature) &&
                !hr_threshold_set_add(&q->thresholds, node->threshold, &indices[n]))
                return false;
        }
    }
    for (size_t f = 0; f < c->feature_count; f++)
        if (!hr_threshold_set_sort(&c->questions[f].thresholds)) return false;
    return true;
}

/* ---- Columns ---- */

static size_t predictor_columns_of(const question *q) {
    const size_t count = q->thresholds.count;
    if (!q->used) return 0;
    return count ? (count + COLUMN_THRESHOLDS - 1) / COLUMN_THRESHOLDS : 1;
}

/* Column i of a number has its thresholds from i * COLUMN_THRESHOLDS on. */
static bool make_columns(compiler *c, hr_predictor *out) {
    for (size_t f = 0; f < c->feature_count; f++) {
        c->questions[f].first_column = out->column_count;
        out->column_count += predictor_columns_of(&c->questions[f]);
    }
    out->columns = hr_arena_alloc(c->arena, out->column_count, sizeof *out->columns);
    if (!out->columns) return false;
    for (size_t f = 0; f < c->feature_count; f++) {
        const question *q = &c->questions[f];
        for (size_t i = 0; i < predictor_columns_of(q); i++) {
            hr_predictor_column *column = &out->columns[q->first_column + i];
            *column = (hr_predictor_column){
                .feature = f,
                .bins = {HR_KIND_CATEGORY, hr_category_bins(hr_schema_feature(c->schema, f)), NULL}};
            if (!is_number_predictor(c, (uint32_t)f)) continue;
            size_t first = i * COLUMN_THRESHOLDS, left = q->thresholds.count - first,
                   count = left < COLUMN_THRESHOLDS ? left : COLUMN_THRESHOLDS;
            const hr_feature_bins bins = {HR_KIND_NUMBER, (uint32_t)count + 2,
                                          q->thresholds.thresholds + first};
            if (!hr_bins_search(&bins, c->arena, &column->search)) return false;
            column->bins = (hr_feature_bins){bins.kind, bins.bin_count, column->search.padded};
        }
    }
    return true;
}

/* ---- Trees ---- */

/* The same trees about columns and their bins. */
static bool make_trees(compiler *c, hr_predictor *out) {
    size_t most = 0;
    for (size_t t = 0; t < c->tree_count; t++)
        most = c->trees[t].node_count > most ? c->trees[t].node_count : most;
    size_t *offsets = hr_arena_alloc(c->scratch, out->column_count, sizeof *offsets);
    hr_feature_bins *bins = hr_arena_alloc(c->scratch, out->column_count, sizeof *bins);
    hr_node *nodes = hr_arena_alloc(c->scratch, most, sizeof *nodes);
    out->trees = hr_arena_alloc(c->arena, c->tree_count, sizeof *out->trees);
    if (!offsets || !bins || !nodes || !out->trees) return false;
    for (size_t i = 0; i < out->column_count; i++) {
        offsets[i] = i * BLOCK;
        bins[i] = out->columns[i].bins;
    }
    const hr_binning binning = {out->column_count, bins, NULL};
    for (size_t t = 0; t < c->tree_count; t++) {
        hr_tree tree = c->trees[t];
        memcpy(nodes, tree.nodes, tree.node_count * sizeof *nodes);
        tree.nodes = nodes;
        for (size_t n = 0; n < tree.node_count; n++) {
            if (!nodes[n].left) continue;
            const question *q = &c->questions[nodes[n].feature];
            const bool number = is_number_predictor(c, nodes[n].feature);
            const size_t less = number ? q->thresholds.ranks[c->indices[t][n]] : 0;
            nodes[n].feature = (uint32_t)(q->first_column + less / COLUMN_THRESHOLDS);
            if (number) nodes[n].cut = (uint8_t)(less % COLUMN_THRESHOLDS + 1);
        }
        if (!hr_place_tree_make(c->arena, &tree, &binning, offsets, &out->trees[t])) return false;
    }
    return true;
}

hr_status hr_predictor_make(const hr_forest *forest, const hr_schema *schema, hr_arena *arena,
                            hr_predictor *out, hr_error *err) {
    compiler c = {.schema = schema,
                  .scratch = hr_arena_new(),
                  .arena = arena,
                  .tree_count = forest->tree_count,
                  .feature_count = hr_schema_feature_count(schema)};
    hr_predictor made = {.forest = forest, .schema = schema};
    if (!c.scratch) return hr_fail_memory(err);
    c.questions = hr_arena_alloc(c.scratch, c.feature_count, sizeof *c.questions);
    c.trees = hr_arena_alloc(c.scratch, c.tree_count, sizeof *c.trees);
    c.indices = hr_arena_alloc(c.scratch, c.tree_count, sizeof *c.indices);
    const bool ready = c.questions && c.trees && c.indices && gather_thresholds(&c, forest) &&
                       make_columns(&c, &made) && make_trees(&c, &made);
    for (size_t f = 0; c.questions && f < c.feature_count; f++)
        hr_threshold_set_done(&c.questions[f].thresholds);
    hr_arena_free(c.scratch);
    if (!ready) return hr_fail_memory(err);
    *out = made;
    return HR_OK;
}

/* ---- Scores ---- */

/* Column `c` of a block's records. The numbers of the column after the next are prefetched while these are
 * looked up. Measured by bench/bench_predict.c. */
static void bin_column(const hr_predictor *predictor, size_t c, const hr_data *data, size_t first,
                       size_t rows, uint8_t *out) {
    enum { AHEAD = 2 };
    const hr_predictor_column *column = &predictor->columns[c];
    if (column->bins.kind == HR_KIND_NUMBER) {
        double numbers[BLOCK];
        const double *values = hr_data_number_block(data, column->feature, first, rows, numbers),
                     *ahead = NULL;
        if (c + AHEAD < predictor->column_count)
            ahead = hr_data_numbers(data, predictor->columns[c + AHEAD].feature);
        const hr_number_block block = {values, rows, ahead ? ahead + first : NULL};
        hr_bins_of_numbers(&column->search, &block, out);
    } else {
        uint16_t codes[BLOCK];
        hr_bins_of_codes(&column->bins, hr_data_code_block(data, column->feature, first, rows, codes), rows,
                         out);
    }
}

/* Of a block of a table by rows of floats; `numbers` holds the features that are read together. */
static void bin_float_rows(const hr_predictor *predictor, const hr_data *data, size_t first, size_t rows,
                           uint8_t *out) {
    double numbers[HR_FLOATS_TOGETHER * BLOCK];
    size_t begin = 0, end = 0; /* features in `numbers` */
    for (size_t c = 0; c < predictor->column_count; c++) {
        const hr_predictor_column *column = &predictor->columns[c];
        if (column->feature >= end) {
            begin = hr_float_rows_first(data, column->feature);
            end = begin + HR_FLOATS_TOGETHER;
            hr_float_rows_read(data, begin, first, rows, BLOCK, numbers);
        }
        const hr_number_block block = {numbers + (column->feature - begin) * BLOCK, rows, NULL};
        hr_bins_of_numbers(&column->search, &block, out + c * BLOCK);
    }
}

void hr_predictor_bins(const hr_predictor *predictor, const hr_data *data, size_t first, size_t rows,
                       uint8_t *bins) {
    const size_t columns = predictor->column_count;
    if (data->rows_at) {
        for (size_t i = 0; i < rows; i += BLOCK)
            bin_float_rows(predictor, data, first + i, rows - i < BLOCK ? rows - i : BLOCK,
                           bins + i * columns);
        return;
    }
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i < rows; i += BLOCK)
            bin_column(predictor, c, data, first + i, rows - i < BLOCK ? rows - i : BLOCK,
                       bins + i * columns + c * BLOCK);
}

void hr_predictor_scores(const hr_predictor *predictor, const uint8_t *bins, size_t rows, double *scores) {
    const hr_forest *forest = predictor->forest;
    for (size_t k = 0; k < forest->output_count; k++)
        for (size_t i = 0; i < BLOCK; i++) scores[k * BLOCK + i] = forest->base[k];
    hr_place_trees_add(predictor->trees, forest->tree_count, bins, rows, scores);
}
