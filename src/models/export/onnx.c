/* ONNX: the operator TreeEnsemble of ai.onnx.ml 5, and around it what makes predictions of scores. With 64
 * bits thresholds and leaves stand as they are; with 32, thresholds are rounded down, which sends each number
 * of 32 bits the same way, and leaves and sums are rounded. What makes predictions of scores has 64 bits. A
 * node with a list of categories sends those to its true branch, missing and unknown ones to the other. */
#include "base/fail.h"
#include "models/export/engine_floats.h"
#include "models/export/formats.h"
#include "models/export/onnx_link.h"
#include "models/model/json.h"

#include <hedgerow/hedgerow.h>
#include <math.h>

enum { IR_VERSION = 10, OPERATORS = 18, ML_OPERATORS = 5 };
enum { BRANCH_LEQ = 0, BRANCH_MEMBER = 6 };

/* Attributes of the operator: an entry a split, or a leaf, of all trees. */
typedef struct tree_arrays {
    hr_onnx_type type; /* of records, thresholds, leaves and scores */
    hr_buffer roots, features, modes, thresholds, missing_true, listed;
    hr_buffer true_ids, true_leaves, false_ids, false_leaves, values, outputs;
    size_t splits, leaves;
} tree_arrays;

/* ---- Trees ---- */

static void add_child(hr_buffer *ids, hr_buffer *leaves, const hr_engine_node *child, size_t number) {
    hr_proto_varint(ids, number);
    hr_proto_varint(leaves, child->split == HR_ENGINE_LEAF);
}

static void add_onnx_split(tree_arrays *a, const hr_engine_node *node, const hr_schema *schema) {
    bool is_category = node->split == HR_ENGINE_CATEGORY;
    uint8_t mode = is_category ? BRANCH_MEMBER : BRANCH_LEQ;
    double threshold = node->split == HR_ENGINE_NUMBER ? node->threshold : is_category ? 0 : HUGE_VAL;
    hr_proto_varint(&a->features, node->feature);
    hr_buffer_add(&a->modes, &mode, 1);
    if (a->type == HR_ONNX_FLOAT) threshold = (double)hr_engine_float_below(threshold);
    hr_onnx_add_number(&a->thresholds, a->type, threshold);
    hr_proto_varint(&a->missing_true, node->missing_yes);
    if (!is_category) return;
    for (size_t v = 0; v < hr_schema_feature(schema, node->feature)->value_count; v++)
        if (hr_engine_lists(node, v)) hr_onnx_add_number(&a->listed, a->type, (double)v);
    hr_onnx_add_number(&a->listed, a->type, (double)NAN); /* ends the list */
}

static void add_onnx_leaf(tree_arrays *a, double value, size_t output) {
    hr_onnx_add_number(&a->values, a->type, value);
    hr_proto_varint(&a->outputs, output);
    a->leaves++;
}

/* numbers[n]: of node n among the splits, or among the leaves. */
static void add_onnx_tree(tree_arrays *a, const hr_ensemble *ensemble, size_t t, size_t *numbers) {
    const hr_engine_tree *tree = &ensemble->trees[t];
    size_t splits = a->splits, leaves = a->leaves;
    for (size_t n = 0; n < tree->node_count; n++)
        numbers[n] = tree->nodes[n].split == HR_ENGINE_LEAF ? leaves++ : splits++;
    hr_proto_varint(&a->roots, a->splits);
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_engine_node *node = &tree->nodes[n];
        if (node->split == HR_ENGINE_LEAF) {
            add_onnx_leaf(a, node->value, t % ensemble->output_count);
            continue;
        }
        add_onnx_split(a, node, ensemble->schema);
        add_child(&a->true_ids, &a->true_leaves, &tree->nodes[node->yes], numbers[node->yes]);
        add_child(&a->false_ids, &a->false_leaves, &tree->nodes[node->yes + 1], numbers[node->yes + 1]);
        a->splits++;
    }
}

/* A tree of one leaf the operator has to split: both ways lead to the same value. One leaf for both, which
 * the standard allows too, has made ONNX Runtime 1.32 send records astray in other trees. False when memory
 * is short. */
static bool add_onnx_trees(tree_arrays *a, const hr_ensemble *ensemble) {
    hr_arena *arena = hr_arena_new();
    bool made = arena != NULL;
    for (size_t t = 0; t < ensemble->round_count * ensemble->output_count && made; t++) {
        const hr_engine_tree *tree = &ensemble->trees[t];
        const hr_engine_node *root = &tree->nodes[0], split = {.split = HR_ENGINE_PRESENT};
        if (root->split == HR_ENGINE_LEAF) {
            hr_proto_varint(&a->roots, a->splits++);
            add_onnx_split(a, &split, NULL);
            add_child(&a->true_ids, &a->true_leaves, root, a->leaves);
            add_child(&a->false_ids, &a->false_leaves, root, a->leaves + 1);
            add_onnx_leaf(a, root->value, t % ensemble->output_count);
            add_onnx_leaf(a, root->value, t % ensemble->output_count);
            continue;
        }
        hr_arena_mark mark = hr_arena_get_mark(arena);
        size_t *numbers = hr_arena_alloc(arena, tree->node_count, sizeof *numbers);
        if (numbers) add_onnx_tree(a, ensemble, t, numbers);
        made = numbers != NULL;
        hr_arena_rewind(arena, mark);
    }
    hr_arena_free(arena);
    return made;
}

static hr_onnx_value add_ensemble(hr_onnx_graph *g, tree_arrays *a, hr_onnx_value input, size_t outputs) {
    hr_onnx_node node = hr_onnx_begin(g, "TreeEnsemble", "ai.onnx.ml");
    hr_onnx_take(&node, input);
    hr_onnx_integer_attribute(&node, "n_targets", (int64_t)outputs);
    hr_onnx_integers_attribute(&node, "tree_roots", &a->roots);
    hr_onnx_integers_attribute(&node, "nodes_featureids", &a->features);
    hr_onnx_tensor_attribute(&node, "nodes_modes", HR_ONNX_UINT8, &a->modes);
    hr_onnx_tensor_attribute(&node, "nodes_splits", a->type, &a->thresholds);
    hr_onnx_integers_attribute(&node, "nodes_missing_value_tracks_true", &a->missing_true);
    hr_onnx_integers_attribute(&node, "nodes_truenodeids", &a->true_ids);
    hr_onnx_integers_attribute(&node, "nodes_trueleafs", &a->true_leaves);
    hr_onnx_integers_attribute(&node, "nodes_falsenodeids", &a->false_ids);
    hr_onnx_integers_attribute(&node, "nodes_falseleafs", &a->false_leaves);
    hr_onnx_integers_attribute(&node, "leaf_targetids", &a->outputs);
    hr_onnx_tensor_attribute(&node, "leaf_weights", a->type, &a->values);
    if (a->listed.size || a->listed.failed)
        hr_onnx_tensor_attribute(&node, "membership_values", a->type, &a->listed);
    return hr_onnx_end(g, &node);
}

/* ---- Predictions ---- */

/* Names an output; its numbers have the bits of the records'. */
static void add_numbers_output(hr_onnx_graph *g, const tree_arrays *a, hr_onnx_value value, const char *name,
                               size_t columns) {
    if (a->type == HR_ONNX_FLOAT) value = hr_onnx_cast(g, value, HR_ONNX_FLOAT);
    hr_onnx_output(g, value, name, a->type, columns);
}

static void add_graph(hr_onnx_graph *g, tree_arrays *a, const hr_model *model) {
    const hr_column *label = hr_schema_label(model->schema);
    size_t outputs = model->forest.output_count;
    hr_proto_text(&g->bytes, 2, "hedgerow");
    hr_onnx_value input = hr_onnx_input(g, "features", a->type, hr_schema_feature_count(model->schema));
    hr_onnx_value scores = add_ensemble(g, a, input, outputs);
    if (a->type == HR_ONNX_FLOAT) scores = hr_onnx_cast(g, scores, HR_ONNX_DOUBLE);
    if (label->quantiles) {
        add_numbers_output(g, a, hr_onnx_quantiles(g, label, scores), "prediction", label->quantile_count);
    } else if (label->kind == HR_KIND_NUMBER) {
        hr_onnx_value number = (label->count ? hr_onnx_count : hr_onnx_label)(g, label, scores);
        add_numbers_output(g, a, hr_onnx_list(g, number), "prediction", 0);
    } else {
        hr_onnx_value p = hr_onnx_classes(g, &model->forest, scores);
        hr_onnx_value names = hr_onnx_texts(g, label->values, label->value_count);
        hr_onnx_value class = hr_onnx_of_two(g, "Gather", names, hr_onnx_largest(g, p));
        hr_onnx_output(g, hr_onnx_list(g, class), "prediction", HR_ONNX_TEXT, 0);
        add_numbers_output(g, a, p, "probabilities", label->value_count);
    }
    add_numbers_output(g, a, scores, "scores", outputs);
}

/* ---- The file ---- */

static void add_property(hr_buffer *file, const char *key, const char *value) {
    hr_buffer property = {0};
    hr_proto_text(&property, 1, key);
    hr_proto_text(&property, 2, value);
    hr_proto_message(file, 14, &property);
}

/* What the columns of the input are: a JSON list. */
static void add_columns(hr_buffer *file, const hr_schema *schema) {
    hr_buffer text = {0};
    for (size_t f = 0; f < hr_schema_feature_count(schema); f++) {
        const hr_column *column = hr_schema_feature(schema, f);
        hr_buffer_text(&text, f ? ", {\"name\": " : "[{\"name\": ");
        hr_json_add_text(&text, column->name);
        if (column->kind == HR_KIND_CATEGORY) hr_buffer_text(&text, ", \"values\": [");
        for (size_t v = 0; v < column->value_count; v++) {
            if (v) hr_buffer_text(&text, ", ");
            hr_json_add_text(&text, column->values[v]);
        }
        hr_buffer_text(&text, column->kind == HR_KIND_CATEGORY ? "]}" : "}");
    }
    hr_buffer_text(&text, "]");
    file->failed |= text.failed;
    if (!text.failed) add_property(file, "features", text.bytes);
    hr_buffer_done(&text);
}

static void add_operators(hr_buffer *file, const char *domain, uint64_t version) {
    hr_buffer set = {0};
    hr_proto_text(&set, 1, domain);
    hr_proto_number(&set, 2, version);
    hr_proto_message(file, 8, &set);
}

static hr_status write_onnx(const hr_model *model, const hr_ensemble *ensemble, hr_onnx_type type,
                            hr_buffer *out, hr_error *err) {
    tree_arrays a = {.type = type};
    hr_onnx_graph graph = {0};
    bool made = add_onnx_trees(&a, ensemble);
    if (made) {
        add_graph(&graph, &a, model);
        hr_proto_number(out, 1, IR_VERSION);
        hr_proto_text(out, 2, "hedgerow");
        hr_proto_text(out, 3, hr_version());
        hr_proto_message(out, 7, &graph.bytes);
        add_operators(out, "", OPERATORS);
        add_operators(out, "ai.onnx.ml", ML_OPERATORS);
        add_columns(out, model->schema);
        add_property(out, "guarantee", model->guarantee.statement);
    }
    hr_buffer *all[] = {&a.roots,       &a.features,     &a.modes,     &a.thresholds,
                        &a.listed,      &a.true_ids,     &a.false_ids, &a.missing_true,
                        &a.true_leaves, &a.false_leaves, &a.values,    &a.outputs};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) hr_buffer_done(all[i]);
    return made ? HR_OK : hr_fail_memory(err);
}

hr_status hr_export_onnx(const hr_model *model, const hr_ensemble *ensemble, hr_buffer *out, hr_error *err) {
    return write_onnx(model, ensemble, HR_ONNX_DOUBLE, out, err);
}

hr_status hr_export_onnx_float32(const hr_model *model, const hr_ensemble *ensemble, hr_buffer *out,
                                 hr_error *err) {
    hr_status status = hr_ensemble_check_floats(ensemble, "ONNX's 32-bit numbers", err);
    return status ? status : write_onnx(model, ensemble, HR_ONNX_FLOAT, out, err);
}
