/* hedgerow show: a model for people. */
#include "commands.h"
#include "input.h"
#include "output.h"

#include <stdlib.h>

typedef struct show_args {
    const char *model;
    arg_whole tree;
    bool dot;
} show_args;

static const arg_option show_options[] = {
    {"MODEL", 0, ARG_OPERAND, true, offsetof(show_args, model), NULL, "the model's file; - is standard input"},
    {"tree", 0, ARG_WHOLE, false, offsetof(show_args, tree), "N", "this tree instead of the summary; the first is 0"},
    {"dot", 0, ARG_FLAG, false, offsetof(show_args, dot), NULL, "the tree (0 unless given) for Graphviz"},
};

typedef struct ranked {
    double importance;
    size_t feature;
} ranked;

static int by_importance(const void *a, const void *b) {
    const ranked *left = a, *right = b;
    if (left->importance != right->importance) return left->importance < right->importance ? 1 : -1;
    return left->feature < right->feature ? -1 : 1;
}

static void print_ranking(const hr_schema *schema, const ranked *ranking, size_t count) {
    puts("\nimportance of the features:");
    for (size_t i = 0; i < count && ranking[i].importance > 0; i++) {
        printf("  %6.2f %%  %s\n", 100 * ranking[i].importance, hr_schema_feature(schema, ranking[i].feature)->name);
    }
}

static hr_status print_importance(const hr_model *model, hr_error *err) {
    const hr_schema *schema = hr_model_schema(model);
    const size_t count = hr_schema_feature_count(schema);
    double *importance = calloc(count, sizeof *importance);
    ranked *ranking = calloc(count, sizeof *ranking);
    hr_status status = HR_OK;
    if (importance == NULL || ranking == NULL) {
        *err = (hr_error){.status = HR_E_MEMORY, .message = "out of memory"};
        status = HR_E_MEMORY;
        goto out;
    }
    hr_model_importance(model, importance);
    for (size_t i = 0; i < count; i++) ranking[i] = (ranked){importance[i], i};
    qsort(ranking, count, sizeof *ranking, by_importance);
    print_ranking(schema, ranking, count);
out:
    free(ranking);
    free(importance);
    return status;
}

static hr_status print_text(const hr_model *model, const show_args *args, hr_error *err) {
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

static int run_show(const command *self, int argc, char **argv) {
    show_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_model *model = NULL;
    hr_status status = input_model(args.model, &model, &err);
    if (status == HR_OK) status = print_text(model, &args, &err);
    if (status == HR_OK && !args.dot && !args.tree.given) status = print_importance(model, &err);
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
    .run = run_show,
};
