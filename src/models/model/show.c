/* Trees as people read them: in names, thresholds and categories instead of indices and bins. */
#include "models/model/show.h"

#include "base/text/number.h"

#include <math.h>
#include <string.h>

enum { DOT_CATEGORIES = 8 };

void hr_show_text(hr_buffer *buffer, const char *text) {
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        bool second_set = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;
        if (*at < 0x20 || *at == 0x7f || second_set) {
            hr_buffer_text(buffer, "?");
            at += second_set;
        } else {
            hr_buffer_add(buffer, at, 1);
        }
    }
}

size_t hr_show_width(const char *text, size_t size) {
    size_t width = 0;
    for (size_t i = 0; i < size; i++) width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

/* The bytes of the longest line that `text` begins with: whole words, `width` characters if they fit. */
static size_t line_length(const char *text, size_t width) {
    size_t end = strcspn(text, " ");
    while (text[end]) {
        size_t next = end + 1 + strcspn(text + end + 1, " ");
        if (hr_show_width(text, next) > width) break;
        end = next;
    }
    return end;
}

void hr_show_wrapped(hr_buffer *buffer, const char *text, size_t width, const char *before,
                     const char *after) {
    hr_buffer plain = {0};
    hr_show_text(&plain, text);
    if (plain.failed) buffer->failed = true;
    bool fill = strcmp(after, "\n") != 0;
    for (const char *at = plain.bytes ? plain.bytes : ""; *at;) {
        size_t length = line_length(at, width), shown = hr_show_width(at, length);
        hr_buffer_text(buffer, before);
        hr_buffer_add(buffer, at, length);
        if (fill && shown < width) hr_buffer_format(buffer, "%*s", (int)(width - shown), "");
        hr_buffer_text(buffer, after);
        at += length;
        at += strspn(at, " ");
    }
    hr_buffer_done(&plain);
}

static void show_category(hr_buffer *buffer, const hr_column *column, unsigned bin) {
    if (bin == 0) {
        hr_buffer_text(buffer, "missing");
        return;
    }
    hr_buffer_text(buffer, "'");
    hr_show_text(buffer, column->values[bin - 1]);
    hr_buffer_text(buffer, bin == HR_BINS_MAX - 1 && bin < column->value_count ? "' and later" : "'");
}

static void show_set(hr_buffer *buffer, const hr_column *column, const hr_bin_set *set, size_t limit) {
    size_t named = 0, left_out = 0;
    hr_buffer_text(buffer, " in {");
    for (unsigned bin = 0; bin < hr_category_bins(column); bin++) {
        if (!hr_bin_set_has(set, (uint8_t)bin)) continue;
        if (named == limit) {
            left_out++;
            continue;
        }
        if (named++) hr_buffer_text(buffer, ", ");
        show_category(buffer, column, bin);
    }
    if (left_out) hr_buffer_format(buffer, " and %zu more", left_out);
    hr_buffer_text(buffer, "}");
}

/* What sends a record to one child of a multiway split. */
static void show_branch(hr_buffer *buffer, const hr_model *model, const hr_tree *tree, const hr_node *node,
                        unsigned bin) {
    const hr_column *column = hr_schema_feature(model->schema, node->feature);
    char edge[HR_NUMBER_TEXT];
    bool first = bin == 1, last = bin + 1u == node->branches;
    if (column->kind == HR_KIND_CATEGORY) {
        show_category(buffer, column, bin);
        if (!bin) hr_buffer_text(buffer, " or any other");
        return;
    }
    if (!bin || (first && last)) {
        hr_buffer_text(buffer, bin ? "present" : "missing");
        return;
    }
    if (!first) {
        hr_number_text(tree->thresholds[node->first + bin - 2], edge);
        hr_buffer_format(buffer, "> %s", edge);
    }
    if (!last) {
        hr_number_text(tree->thresholds[node->first + bin - 1], edge);
        hr_buffer_format(buffer, "%s<= %s", first ? "" : " and ", edge);
    }
}

void hr_show_condition(hr_buffer *buffer, const hr_model *model, const hr_tree *tree, const hr_node *node,
                       size_t limit) {
    const hr_column *column = hr_schema_feature(model->schema, node->feature);
    hr_show_text(buffer, column->name);
    if (node->branches) return;
    if (column->kind == HR_KIND_NUMBER) {
        char threshold[HR_NUMBER_TEXT];
        const char *always = node->missing_left ? " is anything" : " is present",
                   *never = node->missing_left ? " is missing" : " in {}";
        if (isinf(node->threshold)) {
            hr_buffer_text(buffer, node->threshold < 0 ? never : always);
            return;
        }
        hr_number_text(node->threshold, threshold);
        hr_buffer_format(buffer, " <= %s", threshold);
        if (node->missing_left) hr_buffer_text(buffer, " or missing");
    } else {
        show_set(buffer, column, &tree->subsets[node->subset], limit);
    }
}

/* Which score the tree adds to. */
static void show_output(hr_buffer *buffer, const hr_model *model, const hr_tree *tree) {
    const hr_column *label = hr_schema_label(model->schema);
    if (label->kind == HR_KIND_NUMBER) {
        hr_show_text(buffer, label->name);
        char name[HR_QUANTILE_NAME], cut[HR_NUMBER_TEXT];
        if (label->event) {
            hr_number_text(label->intervals[tree->output], cut);
            hr_buffer_format(buffer, " up to %s", cut);
        }
        if (!label->quantiles) return;
        hr_quantile_name(label->quantiles[tree->output], name);
        hr_buffer_format(buffer, " %s", name);
        return;
    }
    hr_show_text(buffer, label->name);
    hr_buffer_text(buffer, " = ");
    hr_show_text(buffer, label->values[model->forest.output_count == 1 ? 1 : tree->output]);
}

static void show_subtree(hr_buffer *buffer, const hr_model *model, const hr_tree *tree, size_t n,
                         int indent) {
    const hr_node *node = &tree->nodes[n];
    if (!node->left) {
        hr_buffer_format(buffer, "%*s%+.6g", indent, "", node->value);
        if (tree->counts) hr_buffer_format(buffer, " (about %.0f records)", tree->counts[n]);
        hr_buffer_text(buffer, "\n");
        return;
    }
    hr_buffer_format(buffer, "%*s%s ", indent, "", node->branches ? "split by" : "if");
    hr_show_condition(buffer, model, tree, node, HR_BINS_MAX);
    hr_buffer_text(buffer, ":\n");
    for (unsigned bin = 0; bin < node->branches; bin++) {
        size_t child = node->left + bin;
        bool is_leaf = !tree->nodes[child].left;
        hr_buffer_format(buffer, "%*s", indent + 2, "");
        show_branch(buffer, model, tree, node, bin);
        hr_buffer_text(buffer, is_leaf ? ":" : ":\n");
        show_subtree(buffer, model, tree, child, is_leaf ? 1 : indent + 4);
    }
    if (node->branches) return;
    show_subtree(buffer, model, tree, node->left, indent + 2);
    hr_buffer_format(buffer, "%*selse:\n", indent, "");
    show_subtree(buffer, model, tree, (size_t)node->left + 1, indent + 2);
}

static hr_status fail_tree(const hr_model *model, size_t tree, hr_error *err) {
    size_t count = model->forest.tree_count;
    hr_fail(err, HR_E_ARGUMENT, "trees count from 0", "there is no tree %zu: the model has %zu", tree, count);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "tree");
}

hr_status hr_model_tree_text(const hr_model *model, size_t tree, char **text, hr_error *err) {
    if (tree >= model->forest.tree_count) return fail_tree(model, tree, err);
    const hr_tree *found = &model->forest.trees[tree];
    hr_buffer buffer = {0};
    hr_buffer_format(&buffer, "tree %zu, adds to the score of ", tree);
    show_output(&buffer, model, found);
    if (found->deviation > 0) hr_buffer_format(&buffer, "; noise of each leaf's sum: %.4g", found->deviation);
    hr_buffer_text(&buffer, "\n");
    show_subtree(&buffer, model, found, 0, 0);
    return hr_buffer_take(&buffer, text, err);
}

/* The characters that mean something in a quoted DOT label. */
static void add_dot_text(hr_buffer *buffer, const hr_buffer *plain) {
    for (size_t i = 0; i < plain->size; i++) {
        char c = plain->bytes[i];
        if (c == '&') {
            hr_buffer_text(buffer, "&amp;");
            continue;
        }
        if (c == '"' || c == '\\') hr_buffer_text(buffer, "\\");
        hr_buffer_add(buffer, &c, 1);
    }
    if (plain->failed) buffer->failed = true;
}

/* An edge of a two-way split is called yes or no, one of a multiway split by its branch. */
static void add_dot_node(hr_buffer *buffer, const hr_model *model, const hr_tree *tree, size_t n) {
    const hr_node *node = &tree->nodes[n];
    if (!node->left) {
        hr_buffer_format(buffer, "  n%zu [label=\"%+.6g\", shape=ellipse];\n", n, node->value);
        return;
    }
    hr_buffer plain = {0};
    hr_show_condition(&plain, model, tree, node, DOT_CATEGORIES);
    hr_buffer_format(buffer, "  n%zu [label=\"", n);
    add_dot_text(buffer, &plain);
    hr_buffer_done(&plain);
    hr_buffer_text(buffer, "\"];\n");
    for (unsigned i = 0; i < hr_node_child_count(node); i++) {
        hr_buffer name = {0};
        if (node->branches) {
            show_branch(&name, model, tree, node, i);
        } else {
            hr_buffer_text(&name, i ? "no" : "yes");
        }
        hr_buffer_format(buffer, "  n%zu -> n%zu [label=\"", n, (size_t)node->left + i);
        add_dot_text(buffer, &name);
        hr_buffer_done(&name);
        hr_buffer_text(buffer, "\"];\n");
    }
}

hr_status hr_model_tree_dot(const hr_model *model, size_t tree, char **text, hr_error *err) {
    if (tree >= model->forest.tree_count) return fail_tree(model, tree, err);
    const hr_tree *found = &model->forest.trees[tree];
    hr_buffer buffer = {0}, title = {0};
    hr_buffer_format(&title, "tree %zu, adds to the score of ", tree);
    show_output(&title, model, found);
    hr_buffer_format(&buffer, "digraph tree_%zu {\n  label=\"", tree);
    add_dot_text(&buffer, &title);
    hr_buffer_done(&title);
    hr_buffer_text(&buffer,
                   "\";\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n");
    for (size_t n = 0; n < found->node_count; n++) add_dot_node(&buffer, model, found, n);
    hr_buffer_text(&buffer, "}\n");
    return hr_buffer_take(&buffer, text, err);
}

void hr_show_interval(hr_buffer *b, const hr_model *m) {
    hr_interval_info made;
    if (!hr_model_interval(m, &made)) return;
    const double held_out = made.held_out, short_by = made.shortfall / (held_out + 1);
    const char *units = hr_unit_is_person(m->guarantee.unit) ? "persons" : "records";
    hr_buffer_format(b,
                     "Interval  of %.10g of the labels, each end moved %s by %.3g of its width\n          ",
                     made.coverage, made.correction < 0 ? "inwards" : "outwards", fabs(made.correction));
    if (held_out > 0 && short_by >= made.coverage) {
        hr_buffer_format(b, "No coverage is promised: too few %s were held out for this budget\n", units);
        return;
    }
    hr_buffer_text(b, "On average it covers this part");
    if (held_out > 0)
        hr_buffer_format(b, ", less at most %.2g (noise among about %.0f %s)", short_by, held_out, units);
    hr_buffer_text(b, "\n");
}
