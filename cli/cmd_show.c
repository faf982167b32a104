/* hedgerow show: a model for people. */
#include "commands.h"
#include "guarantee.h"
#include "input.h"
#include "output.h"

#include <hedgerow/explain.h>
#include <stdlib.h>
#include <string.h>

typedef struct show_args {
    const char *model;
    arg_integer tree;
    bool dot, as_json;
} show_args;

static const arg_option show_options[] = {
    {"MODEL", 0, ARG_OPERAND, true, offsetof(show_args, model), NULL,
     "the model's file; - is standard input"},
    {"tree", 0, ARG_INTEGER, false, offsetof(show_args, tree), "N",
     "this tree instead of the summary; the first is 0"},
    {"json", 0, ARG_FLAG, false, offsetof(show_args, as_json), NULL,
     "the summary as one JSON object, with what the trees of one feature or two add up to; the trees are in "
     "the model's file, which is JSON"},
    {"dot", 0, ARG_FLAG, false, offsetof(show_args, dot), NULL, "the tree (0 unless given) for Graphviz"},
};

static hr_status print_model_text(const hr_model *model, const show_args *args, hr_error *err) {
    char *text = NULL;
    hr_status status;
    if (args->dot) {
        status = hr_model_tree_dot(model, args->tree.value, &text, err);
    } else if (args->tree.given) {
        status = hr_model_tree_text(model, args->tree.value, &text, err);
    } else {
        status = hr_model_summary(model, &text, err);
    }
    if (status == HR_OK) fputs(text, stdout);
    hr_text_free(text);
    return status;
}

/* ---- JSON ---- */

/* Releases of one kind. */
typedef struct release_kind {
    const char *what, *mechanism;
    uint64_t releases, draws;
} release_kind;

enum { KINDS_MAX = 128 };

static void json_release_kinds(json_writer *json, const hr_model *model) {
    release_kind kinds[KINDS_MAX];
    hr_release_info release;
    size_t count = 0;
    for (size_t i = 0; hr_model_release_at(model, i, &release); i++) {
        size_t k = 0;
        while (k < count && (strcmp(kinds[k].what, release.what) != 0 ||
                             strcmp(kinds[k].mechanism, release.mechanism) != 0))
            k++;
        if (k == KINDS_MAX) continue;
        if (k == count) kinds[count++] = (release_kind){.what = release.what, .mechanism = release.mechanism};
        kinds[k].releases++;
        kinds[k].draws += release.draws;
    }
    json_open(json, "releases", '[');
    for (size_t k = 0; k < count; k++) {
        json_open(json, NULL, '{');
        json_text(json, "what", kinds[k].what);
        json_text(json, "mechanism", kinds[k].mechanism);
        json_integer(json, "releases", kinds[k].releases);
        json_integer(json, "draws", kinds[k].draws);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* What is told of every feature. */
typedef struct feature_facts {
    double *importance, *weighted;
    size_t counted_trees;
} feature_facts;

static void json_numbers(json_writer *json, const char *name, const double *numbers, size_t count) {
    json_open(json, name, '[');
    for (size_t i = 0; i < count; i++) json_number(json, NULL, numbers[i]);
    json_close(json, ']');
}

static void json_axis(json_writer *json, const hr_schema *schema, const hr_shape_axis *axis) {
    const hr_column *column = hr_schema_feature(schema, axis->feature);
    json_open(json, NULL, '{');
    json_text(json, "feature", column->name);
    json_integer(json, "cells", axis->cell_count);
    if (axis->edges != NULL) {
        json_numbers(json, "edges", axis->edges, axis->cell_count - 2);
    } else {
        json_open(json, "values", '[');
        for (size_t i = 0; i + 1 < axis->cell_count; i++) json_text(json, NULL, column->values[i]);
        json_close(json, ']');
    }
    json_close(json, '}');
}

static void json_shapes(json_writer *json, const hr_schema *schema, const hr_shapes *shapes) {
    size_t outputs = hr_shapes_output_count(shapes);
    hr_shape_rest rest = hr_shapes_rest(shapes);
    hr_shape shape;
    json_numbers(json, "base", hr_shapes_base(shapes), outputs);
    json_open(json, "shapes", '[');
    for (size_t i = 0; hr_shapes_at(shapes, i, &shape); i++) {
        size_t numbers = shape.axes[0].cell_count * outputs;
        if (shape.axis_count > 1) numbers *= shape.axes[1].cell_count;
        json_open(json, NULL, '{');
        json_open(json, "axes", '[');
        for (size_t k = 0; k < shape.axis_count; k++) json_axis(json, schema, &shape.axes[k]);
        json_close(json, ']');
        json_integer(json, "trees", shape.trees);
        json_number(json, "share", shape.share);
        json_numbers(json, "scores", shape.values, numbers);
        if (shape.deviations != NULL) json_numbers(json, "deviations", shape.deviations, numbers);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "other", '{');
    json_integer(json, "trees", rest.trees);
    json_number(json, "share", rest.share);
    json_close(json, '}');
}

static void json_curves(json_writer *json, const hr_model *model) {
    hr_curve_point point;
    if (hr_model_curve(model, 0) == NULL) return;
    json_open(json, "curves", '[');
    for (size_t i = 0; hr_model_curve(model, i) != NULL; i++) {
        json_open(json, NULL, '{');
        json_text(json, "group", hr_model_curve(model, i));
        json_open(json, "points", '[');
        for (size_t k = 0; hr_model_curve_point(model, i, k, &point); k++) {
            json_open(json, NULL, '{');
            json_number(json, "time", point.time);
            json_number(json, "survival", point.survival);
            json_number(json, "low", point.low);
            json_number(json, "high", point.high);
            json_close(json, '}');
        }
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_statistic(json_writer *json, const hr_schema *schema, const char *column,
                           const hr_statistic_figure *figure) {
    static const char *const kinds[] = {"records", "missing", "mean", "deviation",
                                        "bin",     "value"}; /* in the order of hr_statistic_kind */
    const hr_column *of = hr_schema_label(schema);
    for (size_t f = 0; f < hr_schema_feature_count(schema); f++)
        if (strcmp(hr_schema_feature(schema, f)->name, column) == 0) of = hr_schema_feature(schema, f);
    json_open(json, NULL, '{');
    json_text(json, "figure", kinds[figure->kind]);
    if (figure->kind == HR_STATISTIC_BIN) json_number(json, "up_to", figure->end);
    if (figure->kind == HR_STATISTIC_VALUE) json_text(json, "of", of->values[(size_t)figure->end - 1]);
    json_number(json, "value", figure->value);
    json_number(json, "low", figure->low);
    json_number(json, "high", figure->high);
    json_close(json, '}');
}

static void json_statistics(json_writer *json, const hr_model *model) {
    hr_statistic_figure figure;
    const char *column, *group;
    if (hr_model_statistic(model, 0) == NULL) return;
    json_open(json, "statistics", '[');
    for (size_t i = 0; (column = hr_model_statistic(model, i)) != NULL; i++)
        for (size_t g = 0; (group = hr_model_statistic_group(model, i, g)) != NULL; g++) {
            json_open(json, NULL, '{');
            json_text(json, "column", column);
            json_text(json, "class", group);
            json_open(json, "figures", '[');
            for (size_t k = 0; hr_model_statistic_figure(model, i, (size_t[]){g, k}, &figure); k++)
                json_statistic(json, hr_model_schema(model), column, &figure);
            json_close(json, ']');
            json_close(json, '}');
        }
    json_close(json, ']');
}

static void json_interval(json_writer *json, const hr_model *model) {
    hr_interval_info made;
    if (!hr_model_interval(model, &made)) return;
    json_open(json, "conformal", '{');
    json_number(json, "coverage", made.coverage);
    json_number(json, "correction", made.correction);
    json_number(json, "shortfall", made.shortfall);
    if (made.held_out > 0) json_number(json, "held_out", made.held_out);
    json_close(json, '}');
}

static void print_model_json(const hr_model *model, const feature_facts *facts, const hr_shapes *shapes) {
    static const char *const tasks[] = {"regression", "binary",   "multiclass",
                                        "count",      "survival", "quantiles"}; /* in the order of hr_task */
    static const char *const directions[] = {"", "increasing",
                                             "decreasing"}; /* in the order of hr_monotone */
    const hr_schema *schema = hr_model_schema(model);
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "method", hr_model_method(model));
    json_text(&json, "mode", hr_model_mode(model) == HR_MODE_PAPER ? "paper" : "sound");
    const bool predicts = hr_model_statistic(model, 0) == NULL;
    json_text(&json, "task", predicts ? tasks[hr_schema_task(schema)] : "statistics");
    json_text(&json, "label", hr_schema_label(schema)->name);
    json_integer(&json, "trees", hr_model_tree_count(model));
    if (hr_model_records(model) > 0) json_number(&json, "records", hr_model_records(model));
    if (hr_model_suspect(model) != NULL) json_text(&json, "suspect", hr_model_suspect(model));
    if (predicts) json_flag(&json, "additive", hr_model_is_additive(model));
    json_open(&json, "guarantee", '{');
    json_guarantee(&json, hr_model_guarantee(model));
    json_close(&json, '}');
    json_start(&json, model);
    json_interval(&json, model);
    json_curves(&json, model);
    json_statistics(&json, model);
    json_release_kinds(&json, model);
    json_open(&json, "features", '[');
    for (size_t f = 0; f < hr_schema_feature_count(schema); f++) {
        json_open(&json, NULL, '{');
        const hr_column *column = hr_schema_feature(schema, f);
        json_text(&json, "name", column->name);
        if (column->source != NULL) json_text(&json, "source", column->source);
        if (column->review) json_flag(&json, "accepted_as_read", true);
        if (column->monotone) json_text(&json, "monotone", directions[column->monotone]);
        json_number(&json, "importance", facts->importance[f]);
        json_number(&json, "weighted_importance", facts->weighted[f]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_integer(&json, "counted_trees", facts->counted_trees);
    json_shapes(&json, schema, shapes);
    json_close(&json, '}');
    putchar('\n');
}

static hr_status show_json(const hr_model *model, hr_error *err) {
    size_t features = hr_schema_feature_count(hr_model_schema(model));
    double *numbers = calloc(2 * features, sizeof *numbers);
    if (numbers == NULL) return fail_memory(err);
    feature_facts facts = {.importance = numbers, .weighted = numbers + features};
    hr_model_importance(model, facts.importance);
    hr_shapes *shapes = NULL;
    hr_status status = hr_weighted_importance(model, facts.weighted, &facts.counted_trees, err);
    if (status == HR_OK) status = hr_shapes_make(model, &shapes, err);
    if (status == HR_OK) print_model_json(model, &facts, shapes);
    hr_shapes_free(shapes);
    free(numbers);
    return status;
}

static int run_model_show(const command *self, int argc, char **argv) {
    show_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    if (args.as_json && (args.dot || args.tree.given))
        return usage_error(self->name,
                           "--json is for the summary: leave out --tree and --dot; the model's file "
                           "has the trees as JSON");
    hr_error err = {0};
    hr_model *model = NULL;
    hr_status status = input_model(args.model, &model, &err);
    if (status == HR_OK)
        status = args.as_json ? show_json(model, &err) : print_model_text(model, &args, &err);
    hr_model_free(model);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command show_command = {
    .name = "show",
    .summary = "a model's summary, privacy statement and important features; or one tree",
    .details = "",
    .example = "  hedgerow show model.json\n  hedgerow show model.json --tree 0 --dot | dot -Tsvg > tree.svg",
    .options = show_options,
    .option_count = COUNT_OF(show_options),
    .run = run_model_show,
};
