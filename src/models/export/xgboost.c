/* XGBoost's JSON. Its model adds up floats; it compares x < condition in floats, sends missing values the
 * default way, and the categories that a node lists to the right, unknown ones to the left. The right child
 * must follow the left one. */
#include "base/fail.h"
#include "base/text/number.h"
#include "models/export/engine_floats.h"
#include "models/export/formats.h"
#include "models/model/json.h"

#include <float.h>
#include <math.h>

enum { ROOTLESS = 2147483647 }; /* what XGBoost calls the parent of a root */

typedef struct xgboost_node {
    const hr_engine_node *from;
    uint32_t parent;
    bool default_left;
    float condition; /* of a leaf: its value */
} xgboost_node;

typedef struct xgboost_tree {
    xgboost_node *nodes;
    size_t node_count;
} xgboost_tree;

/* x <= t exactly if x < the result. */
static float condition_of(double t) {
    return nextafterf(hr_engine_float_below(t), HUGE_VALF);
}

/* ---- Nodes ---- */

/* No finite number is below -FLT_MAX: all go right. Returns whether `yes` is the left child. */
static bool lay_out_split(const hr_engine_node *node, xgboost_node *out) {
    float condition = node->split == HR_ENGINE_NUMBER ? condition_of(node->threshold) : HUGE_VALF;
    bool is_yes_left = isfinite(condition);
    out->default_left = is_yes_left ? node->missing_yes : !node->missing_yes;
    out->condition = is_yes_left ? condition : -FLT_MAX;
    if (node->split == HR_ENGINE_CATEGORY) out->condition = 0;
    return is_yes_left;
}

/* places[n] is where node n goes: children change places where `yes` is the right one. */
static bool make_xgboost_tree(const hr_ensemble *ensemble, size_t t, hr_arena *arena, xgboost_tree *out) {
    const hr_engine_tree *tree = &ensemble->trees[t];
    uint32_t *places = hr_arena_alloc(arena, tree->node_count, sizeof *places);
    out->nodes = hr_arena_alloc(arena, tree->node_count, sizeof *out->nodes);
    if (!places || !out->nodes) return false;
    out->node_count = tree->node_count;
    out->nodes[0].parent = ROOTLESS;
    places[0] = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_engine_node *node = &tree->nodes[n];
        xgboost_node *made = &out->nodes[places[n]];
        made->from = node;
        if (node->split == HR_ENGINE_LEAF) {
            made->condition = (float)hr_engine_adds(ensemble, t, node);
            continue;
        }
        bool is_yes_left = lay_out_split(node, made);
        places[node->yes] = node->yes + !is_yes_left;
        places[node->yes + 1] = node->yes + is_yes_left;
        out->nodes[node->yes].parent = out->nodes[node->yes + 1].parent = places[n];
    }
    return true;
}

static bool is_category(const xgboost_node *node) {
    return node->from->split == HR_ENGINE_CATEGORY;
}

/* ---- Arrays of a tree, an entry a node ---- */

static void add_float(hr_buffer *b, float value) {
    char text[HR_NUMBER_TEXT];
    hr_number_float_text(value, text);
    hr_buffer_text(b, text);
}

static void add_left(hr_buffer *b, const xgboost_node *node) {
    bool is_leaf = node->from->split == HR_ENGINE_LEAF;
    hr_buffer_format(b, "%lld", is_leaf ? -1LL : (long long)node->from->yes);
}

static void add_right(hr_buffer *b, const xgboost_node *node) {
    bool is_leaf = node->from->split == HR_ENGINE_LEAF;
    hr_buffer_format(b, "%lld", is_leaf ? -1LL : (long long)node->from->yes + 1);
}

static void add_parent(hr_buffer *b, const xgboost_node *node) {
    hr_buffer_format(b, "%lu", (unsigned long)node->parent);
}

static void add_condition(hr_buffer *b, const xgboost_node *node) {
    add_float(b, node->condition);
}

static void add_value(hr_buffer *b, const xgboost_node *node) {
    add_float(b, node->from->split == HR_ENGINE_LEAF ? node->condition : 0);
}

static void add_feature(hr_buffer *b, const xgboost_node *node) {
    hr_buffer_format(b, "%lu", (unsigned long)node->from->feature);
}

static void add_default_left(hr_buffer *b, const xgboost_node *node) {
    hr_buffer_text(b, node->default_left ? "1" : "0");
}

static void add_split_type(hr_buffer *b, const xgboost_node *node) {
    hr_buffer_text(b, is_category(node) ? "1" : "0");
}

static void add_cover(hr_buffer *b, const xgboost_node *node) {
    hr_buffer_format(b, "%lue0", (unsigned long)node->from->cover);
}

/* What XGBoost's training gained by a split is not there. */
static void add_nothing(hr_buffer *b, const xgboost_node *node) {
    (void)node;
    hr_buffer_text(b, "0e0");
}

static void add_node_array(hr_buffer *b, const char *key, const xgboost_tree *tree,
                           void (*add)(hr_buffer *b, const xgboost_node *node)) {
    hr_buffer_format(b, ",\"%s\":[", key);
    for (size_t n = 0; n < tree->node_count; n++) {
        if (n) hr_buffer_text(b, ",");
        add(b, &tree->nodes[n]);
    }
    hr_buffer_text(b, "]");
}

/* ---- Categories ---- */

/* The listed values of all nodes, one list after the other. */
typedef struct category_lists {
    hr_buffer values, nodes, segments, sizes;
    size_t count;
} category_lists;

static void add_item(hr_buffer *b, size_t item) {
    hr_buffer_format(b, "%s%zu", b->size ? "," : "", item);
}

static void add_list(hr_buffer *b, const char *key, hr_buffer *list) {
    hr_buffer_format(b, "%s\":[", key);
    hr_buffer_add(b, list->bytes, list->size);
    hr_buffer_text(b, "]");
    b->failed |= list->failed;
    hr_buffer_done(list);
}

static void add_categories(hr_buffer *b, const hr_schema *schema, const xgboost_tree *tree) {
    category_lists lists = {0};
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_engine_node *node = tree->nodes[n].from;
        size_t first = lists.count;
        if (!is_category(&tree->nodes[n])) continue;
        for (size_t value = 0; value < hr_schema_feature(schema, node->feature)->value_count; value++) {
            if (!hr_engine_lists(node, value)) continue;
            add_item(&lists.values, value);
            lists.count++;
        }
        add_item(&lists.nodes, n);
        add_item(&lists.segments, first);
        add_item(&lists.sizes, lists.count - first);
    }
    add_list(b, "\"categories", &lists.values);
    add_list(b, ",\"categories_nodes", &lists.nodes);
    add_list(b, ",\"categories_segments", &lists.segments);
    add_list(b, ",\"categories_sizes", &lists.sizes);
}

/* ---- The model ---- */

static void add_xgboost_tree(hr_buffer *b, const hr_schema *schema, const xgboost_tree *tree, size_t id) {
    hr_buffer_text(b, id ? ",\n{" : "\n{");
    add_categories(b, schema, tree);
    hr_buffer_format(b, ",\"id\":%zu", id);
    add_node_array(b, "base_weights", tree, add_value);
    add_node_array(b, "default_left", tree, add_default_left);
    add_node_array(b, "left_children", tree, add_left);
    add_node_array(b, "loss_changes", tree, add_nothing);
    add_node_array(b, "parents", tree, add_parent);
    add_node_array(b, "right_children", tree, add_right);
    add_node_array(b, "split_conditions", tree, add_condition);
    add_node_array(b, "split_indices", tree, add_feature);
    add_node_array(b, "split_type", tree, add_split_type);
    add_node_array(b, "sum_hessian", tree, add_cover);
    hr_buffer_format(b,
                     ",\"tree_param\":{\"num_deleted\":\"0\",\"num_feature\":\"%zu\",\"num_nodes\":\"%zu\","
                     "\"size_leaf_vector\":\"1\"}}",
                     hr_schema_feature_count(schema), tree->node_count);
}

static hr_status add_trees(hr_buffer *b, const hr_ensemble *ensemble, hr_error *err) {
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_arena_mark mark = hr_arena_get_mark(arena);
    hr_status status = hr_ensemble_check_floats(ensemble, "XGBoost's numbers", err);
    for (size_t t = 0; t < ensemble->round_count * ensemble->output_count && !status; t++) {
        xgboost_tree tree = {0};
        if (!make_xgboost_tree(ensemble, t, arena, &tree)) status = hr_fail_memory(err);
        if (!status) add_xgboost_tree(b, ensemble->schema, &tree, t);
        hr_arena_rewind(arena, mark);
    }
    hr_arena_free(arena);
    return status;
}

static void add_features(hr_buffer *b, const hr_schema *schema) {
    size_t count = hr_schema_feature_count(schema);
    hr_buffer_text(b, "\"feature_names\":[");
    for (size_t f = 0; f < count; f++) {
        if (f) hr_buffer_text(b, ",");
        hr_json_add_text(b, hr_schema_feature(schema, f)->name);
    }
    hr_buffer_text(b, "],\n\"feature_types\":[");
    for (size_t f = 0; f < count; f++) {
        bool is_number = hr_schema_feature(schema, f)->kind == HR_KIND_NUMBER;
        hr_buffer_format(b, "%s\"%s\"", f ? "," : "", is_number ? "float" : "c");
    }
    hr_buffer_text(b, "],\n");
}

static void add_shape(hr_buffer *b, const hr_ensemble *ensemble) {
    size_t outputs = ensemble->output_count, trees = ensemble->round_count * outputs;
    hr_buffer_text(b, "\"gradient_booster\":{\"name\":\"gbtree\",\"model\":{");
    hr_buffer_format(b, "\"gbtree_model_param\":{\"num_parallel_tree\":\"1\",\"num_trees\":\"%zu\"},\n",
                     trees);
    hr_buffer_text(b, "\"iteration_indptr\":[0");
    for (size_t r = 1; r <= ensemble->round_count; r++) hr_buffer_format(b, ",%zu", r * outputs);
    hr_buffer_text(b, "],\n\"tree_info\":[");
    for (size_t t = 0; t < trees; t++) hr_buffer_format(b, "%s%zu", t ? "," : "", t % outputs);
    hr_buffer_text(b, "],\n\"trees\":[");
}

/* What XGBoost makes of the sums. A base score of 1/2 is one of 0 before the link. */
typedef struct xgboost_objective {
    const char *name, *base_score, *estimator;
    bool is_softmax;
} xgboost_objective;

/* A number is a regression. Of classes without a link that XGBoost knows each score is a target of one, which
 * XGBClassifier refuses to load. */
static xgboost_objective objective_of(const hr_ensemble *ensemble) {
    if (ensemble->link == HR_ENGINE_SCORES)
        return (xgboost_objective){"reg:squarederror", "0", "regressor", false};
    if (ensemble->link == HR_ENGINE_LOG) return (xgboost_objective){"count:poisson", "1", "regressor", false};
    if (ensemble->output_count > 1) return (xgboost_objective){"multi:softprob", "0", "classifier", true};
    return (xgboost_objective){"binary:logistic", "5E-1", "classifier", false};
}

static void add_learner(hr_buffer *b, const hr_ensemble *ensemble, const xgboost_objective *objective) {
    const size_t outputs = ensemble->output_count;
    hr_buffer_format(b,
                     "\"learner_model_param\":{\"base_score\":\"%s\",\"boost_from_average\":\"0\","
                     "\"num_class\":\"%zu\",\"num_feature\":\"%zu\",\"num_target\":\"%zu\"},\n",
                     objective->base_score, objective->is_softmax ? outputs : 0,
                     hr_schema_feature_count(ensemble->schema), objective->is_softmax ? 1 : outputs);
    hr_buffer_format(b, "\"objective\":{\"name\":\"%s\",", objective->name);
    if (objective->is_softmax)
        hr_buffer_format(b, "\"softmax_multiclass_param\":{\"num_class\":\"%zu\"}", outputs);
    else if (ensemble->link == HR_ENGINE_LOG)
        hr_buffer_text(b, "\"poisson_regression_param\":{\"max_delta_step\":\"7E-1\"}");
    else
        hr_buffer_text(b, "\"reg_loss_param\":{\"scale_pos_weight\":\"1\"}");
    hr_buffer_text(b, "}},\n\"version\":[2,0,0]}\n");
}

hr_status hr_export_xgboost(const hr_model *model, const hr_ensemble *ensemble, hr_buffer *out,
                            hr_error *err) {
    (void)model;
    const xgboost_objective objective = objective_of(ensemble);
    hr_status status = hr_ensemble_check_order(ensemble, "XGBoost", err);
    if (status) return status;
    hr_buffer_format(
        out, "{\"learner\":{\"attributes\":{\"scikit_learn\":\"{\\\"_estimator_type\\\": \\\"%s\\\"}\"},\n",
        objective.estimator);
    add_features(out, ensemble->schema);
    add_shape(out, ensemble);
    status = add_trees(out, ensemble, err);
    hr_buffer_text(out, "]}},\n");
    add_learner(out, ensemble, &objective);
    return status;
}
