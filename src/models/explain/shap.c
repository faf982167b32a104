/* SHAP values. A tree is the sum of its leaves, and a leaf is a game of the features on its path
 * (product_game.h) that depends on the record by one bit a feature alone: whether it agrees with all splits
 * by it on the path. So a record is walked through all nodes of a tree at once, as bits; and the share of a
 * leaf in one pattern of bits is computed once for a block of records and looked up from then on. */
#include "base/arena.h"
#include "base/fail.h"
#include "base/team.h"
#include "models/explain/product_game.h"
#include "models/explain/shares.h"
#include "models/model/model.h"
#include "models/model/predictor.h"
#include "tables/schema/schema.h"

#include <hedgerow/explain.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* MEMO_PLAYERS: a leaf of more features is computed for every record. */
enum { BLOCK = 1024, MEMO_PLAYERS = 8 };
static const double SHARE_MIN = 1e-30;
_Static_assert((int)HR_GAME_PLAYERS_MAX == (int)HR_MODEL_DEPTH_MAX, "one player a split, at most");

/* The features of the path to a node, each once, and the background's share of the node by each. */
typedef struct path {
    size_t count;
    uint32_t features[HR_GAME_PLAYERS_MAX];
    double shares[HR_GAME_PLAYERS_MAX];
} path;

/* Of a leaf: the game. Of a split: which bit of the pattern its feature has. */
typedef struct shap_node {
    size_t count; /* leaf: players; split: those above it */
    size_t bit;   /* split: count if its feature is new here */
    uint32_t *features;
    double *shares;
    size_t memo; /* leaf: where its values begin in the memo; of 2^count patterns, count numbers each */
    bool has_memo;
} shap_node;

typedef struct shap_tree {
    shap_node *nodes;
    size_t memo_size;
} shap_tree;

struct hr_shap {
    const hr_model *model;
    hr_arena *arena;
    shap_tree *trees;
    double *expected;
    size_t counted, node_max, memo_max;
    int threads;
    hr_quadrature quadrature;
};

/* ---- Preparing ---- */

/* What is prepared at the moment. */
typedef struct preparation {
    hr_shap *shap;
    const hr_tree *tree;
    shap_tree *out;
    const double *shares;
} preparation;

static bool prepare_leaf(const preparation *p, size_t n, const path *at) {
    shap_node *leaf = &p->out->nodes[n];
    double reached = 1;
    leaf->count = at->count;
    leaf->features = hr_arena_alloc(p->shap->arena, at->count, sizeof *leaf->features);
    leaf->shares = hr_arena_alloc(p->shap->arena, at->count, sizeof *leaf->shares);
    if (!leaf->features || !leaf->shares) return false;
    for (size_t j = 0; j < at->count; j++) {
        leaf->features[j] = at->features[j];
        leaf->shares[j] = at->shares[j] < SHARE_MIN ? 0 : at->shares[j];
        reached *= leaf->shares[j];
    }
    p->shap->expected[p->tree->output] += reached * p->tree->nodes[n].value;
    leaf->has_memo = at->count && at->count <= MEMO_PLAYERS;
    leaf->memo = p->out->memo_size;
    if (leaf->has_memo) p->out->memo_size += at->count << at->count;
    return true;
}

/* Trees are at most HR_MODEL_DEPTH_MAX deep. */
static bool prepare_node(const preparation *p, size_t n, const path *at) {
    const hr_node *node = &p->tree->nodes[n];
    if (!node->left) return prepare_leaf(p, n, at);
    shap_node *split = &p->out->nodes[n];
    split->count = at->count;
    while (split->bit < at->count && at->features[split->bit] != node->feature) split->bit++;
    bool ready = true;
    for (uint32_t i = 0; ready && i < hr_node_child_count(node); i++) {
        path below = *at;
        if (split->bit == at->count) {
            below.features[below.count] = node->feature;
            below.shares[below.count++] = 1;
        }
        below.shares[split->bit] *= p->shares[node->left + i];
        ready = prepare_node(p, node->left + i, &below);
    }
    return ready;
}

static bool prepare_trees(hr_shap *shap, const hr_data *background, hr_arena *scratch) {
    const hr_forest *forest = &shap->model->forest;
    shap->expected = hr_arena_alloc(shap->arena, forest->output_count, sizeof *shap->expected);
    shap->trees = hr_arena_alloc(shap->arena, forest->tree_count, sizeof *shap->trees);
    if (!shap->expected || !shap->trees) return false;
    memcpy(shap->expected, forest->base, forest->output_count * sizeof *shap->expected);
    for (size_t t = 0; t < forest->tree_count; t++) {
        const hr_tree *tree = &forest->trees[t];
        shap_tree *out = &shap->trees[t];
        hr_arena_mark mark = hr_arena_get_mark(scratch);
        double *shares = hr_arena_alloc(scratch, tree->node_count, sizeof *shares),
               *counts = hr_arena_alloc(scratch, tree->node_count, sizeof *counts);
        out->nodes = hr_arena_alloc(shap->arena, tree->node_count, sizeof *out->nodes);
        if (!shares || !counts || !out->nodes) return false;
        if (!background) {
            shap->counted += hr_shares_of_model(shap->model, t, shares);
        } else {
            hr_shares_count(tree, background, counts);
            hr_shares_of_counts(tree, counts, shares);
        }
        const preparation p = {shap, tree, out, shares};
        if (!prepare_node(&p, 0, &(path){0})) return false;
        if (tree->node_count > shap->node_max) shap->node_max = tree->node_count;
        if (out->memo_size > shap->memo_max) shap->memo_max = out->memo_size;
        hr_arena_rewind(scratch, mark);
    }
    return true;
}

hr_status hr_shap_new(const hr_model *model, const hr_shap_options *options, hr_shap **out, hr_error *err) {
    static const hr_sized kind = {sizeof *options, sizeof *options, "begin with HR_SHAP_OPTIONS_INIT"};
    hr_shap_options taken = HR_SHAP_OPTIONS_INIT;
    hr_status status = hr_model_check_predicts(model, err);
    if (!status && options) status = hr_sized_take(&kind, options, &taken, err);
    const hr_data *background = taken.background;
    if (!status && background && !hr_schema_same(model->schema, hr_data_schema(background)))
        status = hr_fail(err, HR_E_SCHEMA, "read the background with the model's schema",
                         "the background has another schema than the model");
    if (!status && background && !hr_data_rows(background))
        status =
            hr_fail(err, HR_E_SCHEMA, "give a table with records, or none", "the background has no records");
    if (!status && background) status = hr_data_check_values(background, err);
    if (status) return status;
    hr_shap *shap = calloc(1, sizeof *shap);
    if (!shap) return hr_fail_memory(err);
    shap->model = model;
    shap->threads = taken.threads;
    hr_quadrature_init(&shap->quadrature);
    shap->arena = hr_arena_new();
    hr_arena *scratch = hr_arena_new();
    bool ready = shap->arena && scratch && prepare_trees(shap, background, scratch);
    hr_arena_free(scratch);
    if (!ready) {
        hr_shap_free(shap);
        return hr_fail_memory(err);
    }
    *out = shap;
    return HR_OK;
}

void hr_shap_free(hr_shap *shap) {
    if (!shap) return;
    hr_arena_free(shap->arena);
    free(shap);
}

size_t hr_shap_output_count(const hr_shap *shap) {
    return shap->model->forest.output_count;
}

const double *hr_shap_expected(const hr_shap *shap) {
    return shap->expected;
}

size_t hr_shap_counted_trees(const hr_shap *shap) {
    return shap->counted;
}

/* ---- Records ---- */

/* A block of records, and what one thread needs for it. */
typedef struct shap_block {
    const hr_shap *shap;
    const hr_data *data;
    size_t first, rows, features;
    double *out;        /* of all records */
    double *numbers;    /* BLOCK of each feature */
    uint16_t *codes;    /* the same */
    uint64_t *patterns; /* one a node */
    double *memo;       /* of the tree; NaN: not computed yet */
} shap_block;

/* The patterns of a split's children. */
static void pass_pattern(const shap_block *b, const hr_tree *tree, size_t n, const shap_node *split,
                         size_t i) {
    const hr_node *node = &tree->nodes[n];
    bool is_number = hr_schema_feature(b->shap->model->schema, node->feature)->kind == HR_KIND_NUMBER;
    size_t at = node->feature * BLOCK + i;
    uint32_t goes = is_number ? hr_node_child_of_number(tree, node, b->numbers[at])
                              : hr_node_child_of_code(tree, node, b->codes[at]);
    uint64_t mask = (uint64_t)1 << split->bit, pattern = b->patterns[n],
             agrees = split->bit == split->count ? pattern | mask : pattern;
    for (uint32_t c = node->left; c < node->left + hr_node_child_count(node); c++)
        b->patterns[c] = c == goes ? agrees : pattern & ~mask;
}

static void add_game(const shap_block *b, const hr_tree *tree, size_t n, const shap_node *leaf, double *out) {
    double own[HR_GAME_PLAYERS_MAX], *values = own;
    uint64_t pattern = b->patterns[n];
    if (leaf->has_memo) values = b->memo + leaf->memo + pattern * leaf->count;
    if (!leaf->has_memo || isnan(values[0]))
        hr_product_game(&b->shap->quadrature, leaf->shares, leaf->count, pattern, values);
    for (size_t j = 0; j < leaf->count; j++) out[leaf->features[j]] += tree->nodes[n].value * values[j];
}

static void add_tree_values(const shap_block *b, size_t t) {
    const hr_forest *forest = &b->shap->model->forest;
    const hr_tree *tree = &forest->trees[t];
    const shap_tree *prepared = &b->shap->trees[t];
    for (size_t m = 0; m < prepared->memo_size; m++) b->memo[m] = (double)NAN;
    for (size_t i = 0; i < b->rows; i++) {
        double *out = b->out + ((b->first + i) * forest->output_count + tree->output) * b->features;
        b->patterns[0] = 0;
        for (size_t n = 0; n < tree->node_count; n++) {
            const shap_node *node = &prepared->nodes[n];
            if (tree->nodes[n].left)
                pass_pattern(b, tree, n, node, i);
            else if (node->count)
                add_game(b, tree, n, node, out);
        }
    }
}

static void read_block(shap_block *b) {
    for (size_t f = 0; f < b->features; f++) {
        double *numbers = b->numbers + f * BLOCK;
        uint16_t *codes = b->codes + f * BLOCK;
        if (hr_schema_feature(b->shap->model->schema, f)->kind == HR_KIND_NUMBER) {
            const double *at = hr_data_number_block(b->data, f, b->first, b->rows, numbers);
            if (at != numbers) memcpy(numbers, at, b->rows * sizeof *at);
        } else {
            const uint16_t *at = hr_data_code_block(b->data, f, b->first, b->rows, codes);
            if (at != codes) memcpy(codes, at, b->rows * sizeof *at);
        }
    }
}

static void explain_block(void *of, size_t member, size_t begin, size_t end) {
    shap_block *b = (shap_block *)of + member;
    b->first = begin;
    b->rows = end - begin;
    read_block(b);
    for (size_t t = 0; t < b->shap->model->forest.tree_count; t++) add_tree_values(b, t);
}

hr_status hr_shap_values(const hr_shap *shap, const hr_data *data, double *out, hr_error *err) {
    if (!hr_schema_same(shap->model->schema, hr_data_schema(data)))
        return hr_fail(err, HR_E_SCHEMA, "read the data with the model's schema",
                       "the data have another schema than the model");
    size_t rows = hr_data_rows(data), features = hr_schema_feature_count(shap->model->schema), workers;
    hr_status status = hr_data_check_values(data, err);
    if (!status) status = hr_prediction_workers(shap->threads, (rows + BLOCK - 1) / BLOCK, &workers, err);
    if (status) return status;
    hr_arena *arena = hr_arena_new();
    shap_block *blocks = arena ? hr_arena_alloc(arena, workers, sizeof *blocks) : NULL;
    bool ready = blocks != NULL;
    for (size_t w = 0; ready && w < workers; w++) {
        shap_block *b = &blocks[w];
        *b = (shap_block){.shap = shap, .data = data, .features = features, .out = out};
        b->numbers = hr_arena_alloc(arena, features, BLOCK * sizeof *b->numbers);
        b->codes = hr_arena_alloc(arena, features, BLOCK * sizeof *b->codes);
        b->patterns = hr_arena_alloc(arena, shap->node_max, sizeof *b->patterns);
        b->memo = hr_arena_alloc(arena, shap->memo_max, sizeof *b->memo);
        ready = b->numbers && b->codes && b->patterns && b->memo;
    }
    if (ready) {
        if (rows) memset(out, 0, rows * hr_shap_output_count(shap) * features * sizeof *out);
        hr_team_share(workers, rows, BLOCK, explain_block, blocks);
    }
    hr_arena_free(arena);
    return ready ? HR_OK : hr_fail_memory(err);
}
