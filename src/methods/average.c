#include "methods/average.h"

#include "base/fail.h"

#include <math.h>

size_t hr_average_width(const hr_data *data) {
    const hr_column *label = hr_schema_label(hr_data_schema(data));
    return label->kind == HR_CATEGORY ? label->value_count : 1;
}

size_t hr_candidate_features(const hr_fit_options *options, size_t features) {
    double asked = options->by_name[HR_OPTION_MAX_FEATURES];
    size_t wanted = asked > 0 ? (size_t)asked : (size_t)rint(sqrt((double)features));
    return wanted < features ? wanted : features;
}

hr_status hr_average_init(hr_training *t, hr_error *err) {
    size_t outputs = hr_training_outputs(t->data), trees = (size_t)t->options->trees * outputs;
    bool number = hr_schema_task(hr_data_schema(t->data)) == HR_REGRESSION;
    t->forest = (hr_forest){.link = number ? HR_LINK_NUMBER : HR_LINK_SIGNED, .output_count = outputs};
    t->forest.base = hr_arena_alloc(t->arena, outputs, sizeof *t->forest.base);
    t->forest.trees = hr_arena_alloc(t->arena, trees, sizeof *t->forest.trees);
    return t->forest.base && t->forest.trees ? HR_OK : hr_fail_memory(err);
}

/* Of two classes the score is of the second. */
static hr_status add_output(hr_training *t, const hr_tree *tree, const double *said, size_t width,
                            size_t output, hr_error *err) {
    hr_forest *forest = &t->forest;
    hr_tree copy;
    hr_status status = hr_tree_copy(tree, t->arena, &copy, err);
    if (status) return status;
    copy.output = output;
    for (size_t n = 0; n < tree->node_count; n++) {
        double x = said[n * width + (width == 2 ? 1 : output)], score = width == 1 ? x : 2 * x - 1;
        copy.nodes[n].value = tree->nodes[n].left ? 0 : score / (double)t->options->trees;
    }
    forest->trees[forest->tree_count++] = copy;
    return HR_OK;
}

hr_status hr_average_add(hr_training *t, const hr_tree *tree, const double *said, hr_error *err) {
    size_t width = hr_average_width(t->data);
    hr_status status = HR_OK;
    for (size_t k = 0; !status && k < t->forest.output_count; k++)
        status = add_output(t, tree, said, width, k, err);
    return status;
}
