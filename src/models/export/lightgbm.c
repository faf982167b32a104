/* LightGBM's text. Its model adds up doubles; it compares x <= threshold in doubles, sends missing values the
 * default way, and of categories those that a node lists to the left, missing and unknown ones to the right.
 * Splits and leaves are counted apart: child i is split i, child -1 - i is leaf i. */
#include "base/fail.h"
#include "base/text/number.h"
#include "models/export/engine_floats.h"
#include "models/export/formats.h"
#include "models/model/json.h"

#include <float.h>
#include <string.h>

/* Bits of decision_type. */
enum { DECISION_CATEGORY = 1, DECISION_DEFAULT_LEFT = 2, DECISION_MISSING_NAN = 8, WORD = 32 };

typedef struct lightgbm_tree {
    const hr_ensemble *ensemble;
    size_t index;
    const hr_engine_tree *tree;
    const hr_schema *schema;
    long *numbers; /* of each node as a child */
    size_t leaf_count, category_count;
} lightgbm_tree;

/* ---- Lines with an entry a split, or a leaf ---- */

static void add_lightgbm_number(hr_buffer *b, double value) {
    char text[HR_NUMBER_TEXT];
    hr_number_text(value, text);
    hr_buffer_text(b, text);
}

static void add_split_feature(hr_buffer *b, const lightgbm_tree *t, const hr_engine_node *node) {
    (void)t;
    hr_buffer_format(b, "%lu", (unsigned long)node->feature);
}

static void add_decision(hr_buffer *b, const lightgbm_tree *t, const hr_engine_node *node) {
    (void)t;
    int decision = DECISION_MISSING_NAN;
    if (node->split == HR_ENGINE_CATEGORY) decision |= DECISION_CATEGORY;
    if (node->missing_yes) decision |= DECISION_DEFAULT_LEFT;
    hr_buffer_format(b, "%d", decision);
}

static void add_left_child(hr_buffer *b, const lightgbm_tree *t, const hr_engine_node *node) {
    hr_buffer_format(b, "%ld", t->numbers[node->yes]);
}

static void add_right_child(hr_buffer *b, const lightgbm_tree *t, const hr_engine_node *node) {
    hr_buffer_format(b, "%ld", t->numbers[node->yes + 1]);
}

static void add_leaf_value(hr_buffer *b, const lightgbm_tree *t, const hr_engine_node *node) {
    add_lightgbm_number(b, hr_engine_adds(t->ensemble, t->index, node));
}

static void add_node_cover(hr_buffer *b, const lightgbm_tree *t, const hr_engine_node *node) {
    (void)t;
    hr_buffer_format(b, "%lu", (unsigned long)node->cover);
}

/* What LightGBM's training gained by a split is not there. */
static void add_zero(hr_buffer *b, const lightgbm_tree *t, const hr_engine_node *node) {
    (void)t;
    (void)node;
    hr_buffer_text(b, "0");
}

typedef void (*add_entry)(hr_buffer *b, const lightgbm_tree *t, const hr_engine_node *node);

static void add_line(hr_buffer *b, const char *key, const lightgbm_tree *t, bool of_leaves, add_entry add) {
    hr_buffer_format(b, "%s=", key);
    bool begun = false;
    for (size_t n = 0; n < t->tree->node_count; n++) {
        const hr_engine_node *node = &t->tree->nodes[n];
        if ((node->split == HR_ENGINE_LEAF) != of_leaves) continue;
        if (begun) hr_buffer_text(b, " ");
        add(b, t, node);
        begun = true;
    }
    hr_buffer_text(b, "\n");
}

/* A category's threshold is its index among the lists. Numbers end at DBL_MAX. */
static void add_thresholds(hr_buffer *b, const lightgbm_tree *t) {
    size_t splits = 0, lists = 0;
    hr_buffer_text(b, "threshold=");
    for (size_t n = 0; n < t->tree->node_count; n++) {
        const hr_engine_node *node = &t->tree->nodes[n];
        if (node->split == HR_ENGINE_LEAF) continue;
        if (splits++) hr_buffer_text(b, " ");
        if (node->split == HR_ENGINE_CATEGORY) {
            hr_buffer_format(b, "%zu", lists++);
        } else {
            add_lightgbm_number(b, node->split == HR_ENGINE_NUMBER ? node->threshold : DBL_MAX);
        }
    }
    hr_buffer_text(b, "\n");
}

/* ---- Categories: a list is a row of bits, 32 a word ---- */

static size_t count_words(const lightgbm_tree *t, const hr_engine_node *node) {
    return (hr_schema_feature(t->schema, node->feature)->value_count + WORD - 1) / WORD;
}

static void add_lists(hr_buffer *b, const lightgbm_tree *t) {
    size_t end = 0;
    hr_buffer_text(b, "cat_boundaries=0");
    for (size_t n = 0; n < t->tree->node_count; n++) {
        if (t->tree->nodes[n].split != HR_ENGINE_CATEGORY) continue;
        end += count_words(t, &t->tree->nodes[n]);
        hr_buffer_format(b, " %zu", end);
    }
    hr_buffer_text(b, "\ncat_threshold=");
    bool begun = false;
    for (size_t n = 0; n < t->tree->node_count; n++) {
        const hr_engine_node *node = &t->tree->nodes[n];
        if (node->split != HR_ENGINE_CATEGORY) continue;
        size_t values = hr_schema_feature(t->schema, node->feature)->value_count;
        for (size_t w = 0; w < count_words(t, node); w++) {
            uint32_t word = 0;
            for (size_t i = 0; i < WORD && w * WORD + i < values; i++)
                word |= (uint32_t)hr_engine_lists(node, w * WORD + i) << i;
            hr_buffer_format(b, "%s%lu", begun ? " " : "", (unsigned long)word);
            begun = true;
        }
    }
    hr_buffer_text(b, "\n");
}

static void add_lightgbm_tree(hr_buffer *b, const lightgbm_tree *t, size_t id) {
    hr_buffer_format(b, "Tree=%zu\nnum_leaves=%zu\nnum_cat=%zu\n", id, t->leaf_count, t->category_count);
    add_line(b, "split_feature", t, false, add_split_feature);
    add_line(b, "split_gain", t, false, add_zero);
    add_thresholds(b, t);
    add_line(b, "decision_type", t, false, add_decision);
    add_line(b, "left_child", t, false, add_left_child);
    add_line(b, "right_child", t, false, add_right_child);
    add_line(b, "leaf_value", t, true, add_leaf_value);
    add_line(b, "leaf_weight", t, true, add_node_cover);
    add_line(b, "leaf_count", t, true, add_node_cover);
    add_line(b, "internal_value", t, false, add_zero);
    add_line(b, "internal_weight", t, false, add_node_cover);
    add_line(b, "internal_count", t, false, add_node_cover);
    if (t->category_count) add_lists(b, t);
    hr_buffer_text(b, "is_linear=0\nshrinkage=1\n\n\n");
}

/* ---- The head ---- */

static bool is_same_lightgbm_name(const char *a, const char *b) {
    while (*a && (*a == *b || (strchr(" _", *a) && strchr(" _", *b) && *b))) {
        a++;
        b++;
    }
    return !*a && !*b;
}

/* Without an objective, predictions of classes are the scores, without a link. */
static void add_objective(hr_buffer *b, const hr_ensemble *ensemble) {
    if (ensemble->link == HR_ENGINE_LOG)
        hr_buffer_text(b, "objective=poisson\n");
    else if (hr_schema_label(ensemble->schema)->kind == HR_KIND_NUMBER)
        hr_buffer_text(b, "objective=regression\n");
    else if (ensemble->link == HR_ENGINE_SCORES)
        return;
    else if (ensemble->output_count > 1)
        hr_buffer_format(b, "objective=multiclass num_class:%zu\n", ensemble->output_count);
    else
        hr_buffer_text(b, "objective=binary sigmoid:1\n");
}

static void add_head_of_lightgbm(hr_buffer *b, const hr_ensemble *ensemble, const size_t *tree_sizes) {
    const hr_schema *schema = ensemble->schema;
    size_t outputs = ensemble->output_count, count = hr_schema_feature_count(schema);
    hr_buffer_format(b,
                     "tree\nversion=v4\nnum_class=%zu\nnum_tree_per_iteration=%zu\nlabel_index=0\n"
                     "max_feature_idx=%zu\n",
                     outputs, outputs, count - 1);
    add_objective(b, ensemble);
    hr_buffer_text(b, "feature_names=");
    for (size_t f = 0; f < count; f++) {
        if (f) hr_buffer_text(b, " ");
        /* Blanks separate names, and LightGBM itself puts underscores in their place. */
        for (const char *name = hr_schema_feature(schema, f)->name; *name; name++)
            hr_buffer_add(b, *name == ' ' ? "_" : name, 1);
    }
    hr_buffer_text(b, "\nfeature_infos=");
    for (size_t f = 0; f < count; f++) {
        const hr_column *column = hr_schema_feature(schema, f);
        if (f) hr_buffer_text(b, " ");
        if (column->kind == HR_KIND_NUMBER) {
            hr_buffer_text(b, "[");
            add_lightgbm_number(b, column->low);
            hr_buffer_text(b, ":");
            add_lightgbm_number(b, column->high);
            hr_buffer_text(b, "]");
        }
        for (size_t v = 0; v < column->value_count; v++) hr_buffer_format(b, "%s%zu", v ? ":" : "", v);
    }
    hr_buffer_text(b, "\ntree_sizes=");
    for (size_t t = 0; t < ensemble->round_count * outputs; t++)
        hr_buffer_format(b, "%s%zu", t ? " " : "", tree_sizes[t]);
    hr_buffer_text(b, "\n\n");
}

static bool add_lightgbm_trees(hr_buffer *trees, const hr_ensemble *ensemble, hr_arena *arena,
                               size_t *sizes) {
    for (size_t t = 0; t < ensemble->round_count * ensemble->output_count; t++) {
        const hr_engine_tree *tree = &ensemble->trees[t];
        size_t before = trees->size;
        hr_arena_mark mark = hr_arena_get_mark(arena);
        lightgbm_tree made = {.ensemble = ensemble, .index = t, .tree = tree, .schema = ensemble->schema};
        made.numbers = hr_arena_alloc(arena, tree->node_count, sizeof *made.numbers);
        if (!made.numbers) return false;
        long splits = 0;
        for (size_t n = 0; n < tree->node_count; n++) {
            hr_engine_split split = tree->nodes[n].split;
            made.numbers[n] = split == HR_ENGINE_LEAF ? -1 - (long)made.leaf_count++ : splits++;
            made.category_count += split == HR_ENGINE_CATEGORY;
        }
        add_lightgbm_tree(trees, &made, t);
        hr_arena_rewind(arena, mark);
        sizes[t] = trees->size - before;
    }
    return true;
}

static bool add_lightgbm(hr_buffer *b, const hr_ensemble *ensemble, hr_arena *arena, hr_buffer *trees) {
    size_t *sizes = hr_arena_alloc(arena, ensemble->round_count * ensemble->output_count, sizeof *sizes);
    if (!sizes || !add_lightgbm_trees(trees, ensemble, arena, sizes) || trees->failed) return false;
    add_head_of_lightgbm(b, ensemble, sizes);
    hr_buffer_add(b, trees->bytes, trees->size);
    hr_buffer_text(b, "end of trees\n\nfeature_importances:\n\nparameters:\nend of parameters\n\n");

    /* The values of all categories, from which LightGBM's package for Python takes the numbers of a data
     * frame's. */
    bool begun = false;
    hr_buffer_text(b, "pandas_categorical:[");
    for (size_t f = 0; f < hr_schema_feature_count(ensemble->schema); f++) {
        const hr_column *column = hr_schema_feature(ensemble->schema, f);
        if (column->kind != HR_KIND_CATEGORY) continue;
        hr_buffer_text(b, begun ? ", [" : "[");
        for (size_t v = 0; v < column->value_count; v++) {
            if (v) hr_buffer_text(b, ", ");
            hr_json_add_text(b, column->values[v]);
        }
        hr_buffer_text(b, "]");
        begun = true;
    }
    hr_buffer_text(b, "]\n");
    return true;
}

hr_status hr_export_lightgbm(const hr_model *model, const hr_ensemble *ensemble, hr_buffer *out,
                             hr_error *err) {
    (void)model;
    hr_status status = hr_ensemble_check_order(ensemble, "LightGBM", err);
    if (status) return status;
    for (size_t f = 0; f < hr_schema_feature_count(ensemble->schema); f++) {
        const char *name = hr_schema_feature(ensemble->schema, f)->name;
        if (name[strcspn(name, "\t\r\n\v\f")])
            return hr_fail(err, HR_E_LIMIT, "export the model to xgboost or onnx",
                           "LightGBM takes no feature name with a tab or a line's end: '%s'", name);
        for (size_t g = 0; g < f; g++) {
            const char *other = hr_schema_feature(ensemble->schema, g)->name;
            if (is_same_lightgbm_name(name, other))
                return hr_fail(err, HR_E_LIMIT, "export the model to xgboost or onnx",
                               "LightGBM takes '%s' and '%s' for the same name", other, name);
        }
    }
    hr_arena *arena = hr_arena_new();
    hr_buffer trees = {0};
    bool made = arena && add_lightgbm(out, ensemble, arena, &trees);
    hr_buffer_done(&trees);
    hr_arena_free(arena);
    return made ? HR_OK : hr_fail_memory(err);
}
