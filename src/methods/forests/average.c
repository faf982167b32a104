#include "methods/forests/average.h"

#include "base/fail.h"

#include <math.h>

static size_t width_of(const hr_schema *schema) {
    const hr_column *label = hr_schema_label(schema);
    return label->kind == HR_KIND_CATEGORY ? label->value_count : 1;
}

size_t hr_average_width(const hr_data *data) {
    return width_of(hr_data_schema(data));
}

size_t hr_candidate_features(const hr_fit_options *options, size_t features) {
    double asked = options->by_name[HR_OPTION_MAX_FEATURES];
    size_t wanted = asked > 0 ? (size_t)asked : (size_t)rint(sqrt((double)features));
    return wanted < features ? wanted : features;
}

/* A forest in the making. */
typedef struct average_forest {
    const hr_schema *schema;
    size_t trees, width; /* width: numbers of a leaf */
    hr_arena *arena;
    hr_forest *forest;
} average_forest;

static hr_status open_average(const average_forest *a, hr_error *err) {
    const hr_fit_facts facts = {.schema = a->schema};
    const bool number = hr_schema_task(a->schema) == HR_TASK_REGRESSION;
    hr_forest *f = a->forest;
    *f = (hr_forest){.link = number ? HR_LINK_NUMBER : HR_LINK_SIGNED,
                     .output_count = hr_facts_outputs(&facts)};
    f->base = hr_arena_alloc(a->arena, f->output_count, sizeof *f->base);
    f->trees = hr_arena_alloc(a->arena, a->trees * f->output_count, sizeof *f->trees);
    return f->base && f->trees ? HR_OK : hr_fail_memory(err);
}

/* Of two classes the score is of the second. */
static hr_status add_output(const average_forest *a, const hr_tree *tree, const double *leaf_values,
                            size_t output, hr_error *err) {
    hr_tree copy;
    hr_status status = hr_tree_copy(tree, a->arena, &copy, err);
    if (status) return status;
    copy.output = output;
    for (size_t n = 0; n < tree->node_count; n++) {
        double x = leaf_values[n * a->width + (a->width == 2 ? 1 : output)],
               score = a->width == 1 ? x : 2 * x - 1;
        copy.nodes[n].value = tree->nodes[n].left ? 0 : score / (double)a->trees;
    }
    a->forest->trees[a->forest->tree_count++] = copy;
    return HR_OK;
}

static hr_status add_tree(const average_forest *a, const hr_tree *tree, const double *leaf_values,
                          hr_error *err) {
    hr_status status = HR_OK;
    for (size_t k = 0; !status && k < a->forest->output_count; k++)
        status = add_output(a, tree, leaf_values, k, err);
    return status;
}

static average_forest forest_of(hr_training *t) {
    const hr_schema *schema = hr_data_schema(t->data);
    return (average_forest){schema, (size_t)t->options->trees, width_of(schema), t->arena, &t->forest};
}

hr_status hr_average_init(hr_training *t, hr_error *err) {
    const average_forest a = forest_of(t);
    return open_average(&a, err);
}

hr_status hr_average_add(hr_training *t, const hr_tree *tree, const double *leaf_values, hr_error *err) {
    const average_forest a = forest_of(t);
    return add_tree(&a, tree, leaf_values, err);
}

hr_status hr_average_of_one(const hr_schema *schema, const hr_tree *tree, const double *leaf_values,
                            hr_arena *arena, hr_forest *out, hr_error *err) {
    const average_forest a = {schema, 1, width_of(schema), arena, out};
    hr_status status = open_average(&a, err);
    return status ? status : add_tree(&a, tree, leaf_values, err);
}
