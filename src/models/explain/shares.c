#include "models/explain/shares.h"

#include "models/explain/leaf_facts.h"

#include <math.h>

void hr_shares_of_counts(const hr_tree *tree, const double *counts, double *shares) {
    shares[0] = 1;
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        size_t children = hr_node_child_count(node);
        double sum = 0;
        for (size_t i = 0; i < children; i++) sum += counts[node->left + i];
        for (size_t i = 0; i < children; i++)
            shares[node->left + i] = sum > 0 ? counts[node->left + i] / sum : 1 / (double)children;
    }
}

void hr_shares_count(const hr_tree *tree, const hr_data *data, double *counts) {
    for (size_t i = 0; i < hr_data_rows(data); i++) counts[hr_tree_leaf(tree, data, i)]++;
    for (size_t n = tree->node_count; n-- > 0;)
        for (size_t i = 0; i < hr_node_child_count(&tree->nodes[n]); i++)
            counts[n] += counts[tree->nodes[n].left + i];
}

/* ---- Public bounds ---- */

/* What the splits above a node leave of one feature: numbers with low < x <= high, or bins of a category.
 * Missing values have no share. Further up in the list stand the features of earlier splits. */
typedef struct restriction restriction;
struct restriction {
    const restriction *above;
    uint32_t feature;
    double low, high;
    hr_bin_set bins;
};

static restriction whole_feature(const hr_column *column, uint32_t feature) {
    restriction r = {.feature = feature, .low = -HUGE_VAL, .high = HUGE_VAL};
    if (column->kind == HR_KIND_CATEGORY)
        for (unsigned bin = 1; bin < hr_category_bins(column); bin++) hr_bin_set_add(&r.bins, (uint8_t)bin);
    return r;
}

/* Of a category: its values; the last bin of a long list has all later ones. Of a number: integers of
 * (low, high] within the column's bounds, or their length. A column of one number has that. */
static double size_of_restriction(const hr_column *column, const restriction *r) {
    if (column->kind == HR_KIND_CATEGORY) {
        double size = 0;
        for (unsigned bin = 1; bin < hr_category_bins(column); bin++)
            if (hr_bin_set_has(&r->bins, (uint8_t)bin))
                size += bin == HR_BINS_MAX - 1 ? (double)(column->value_count - bin + 1) : 1;
        return size;
    }
    if (column->integer)
        return fmax(floor(fmin(r->high, column->high)) - fmax(floor(r->low), ceil(column->low) - 1), 0);
    if (column->low == column->high) return r->low < column->low && column->low <= r->high;
    return fmax(fmin(r->high, column->high) - fmax(r->low, column->low), 0);
}

/* Child i of a split of a number. Of a multiway split, child 0 has the missing ones, and no number. */
static void restrict_number(const hr_tree *tree, const hr_node *node, uint32_t i, restriction *r) {
    double low = -HUGE_VAL, high = HUGE_VAL;
    if (!node->branches) {
        if (i)
            low = node->threshold;
        else
            high = node->threshold;
    } else {
        if (i > 1) low = tree->thresholds[node->first + i - 2];
        if (!i) high = -HUGE_VAL;
        if (i && i + 1 < node->branches) high = tree->thresholds[node->first + i - 1];
    }
    r->low = fmax(r->low, low);
    r->high = fmin(r->high, high);
}

static restriction restriction_of_child(const hr_tree *tree, const hr_schema *schema, size_t n, uint32_t i,
                                        const restriction *above) {
    const hr_node *node = &tree->nodes[n];
    const hr_column *column = hr_schema_feature(schema, node->feature);
    const restriction *known = above;
    while (known && known->feature != node->feature) known = known->above;
    restriction r = known ? *known : whole_feature(column, node->feature);
    r.above = above;
    if (column->kind == HR_KIND_NUMBER) {
        restrict_number(tree, node, i, &r);
        return r;
    }
    hr_bin_set kept = {{0}};
    for (unsigned bin = 1; bin < HR_BINS_MAX; bin++)
        if (hr_bin_set_has(&r.bins, (uint8_t)bin) &&
            hr_node_child(tree, node, HR_KIND_CATEGORY, (uint8_t)bin) == node->left + i)
            hr_bin_set_add(&kept, (uint8_t)bin);
    r.bins = kept;
    return r;
}

/* Trees are at most HR_MODEL_DEPTH_MAX deep. */
static void share_below(const hr_tree *tree, const hr_schema *schema, size_t n, const restriction *above,
                        double *shares) {
    const hr_node *node = &tree->nodes[n];
    uint32_t children = hr_node_child_count(node);
    double sum = 0;
    for (uint32_t i = 0; i < children; i++) {
        restriction r = restriction_of_child(tree, schema, n, i, above);
        shares[node->left + i] = size_of_restriction(hr_schema_feature(schema, node->feature), &r);
        sum += shares[node->left + i];
        share_below(tree, schema, node->left + i, &r, shares);
    }
    for (uint32_t i = 0; i < children; i++)
        shares[node->left + i] = sum > 0 ? shares[node->left + i] / sum : 1 / (double)children;
}

void hr_shares_of_bounds(const hr_tree *tree, const hr_schema *schema, double *shares) {
    shares[0] = 1;
    share_below(tree, schema, 0, NULL, shares);
}

bool hr_shares_of_model(const hr_model *model, size_t t, double *shares) {
    const hr_tree *tree = &model->forest.trees[t];
    const double *counts = hr_forest_counts(&model->forest, t);
    if (counts)
        hr_shares_of_counts(tree, counts, shares);
    else
        hr_shares_of_bounds(tree, model->schema, shares);
    return counts != NULL;
}
