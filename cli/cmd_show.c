/* hedgerow show: a model for people. */
#include "commands.h"
#include "input.h"
#include "output.h"

typedef struct show_args {
    const char *model;
    arg_integer tree;
    bool dot;
} show_args;

static const arg_option show_options[] = {
    {"MODEL", 0, ARG_OPERAND, true, offsetof(show_args, model), NULL,
     "the model's file; - is standard input"},
    {"tree", 0, ARG_INTEGER, false, offsetof(show_args, tree), "N",
     "this tree instead of the summary; the first is 0"},
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

static int run_model_show(const command *self, int argc, char **argv) {
    show_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_model *model = NULL;
    hr_status status = input_model(args.model, &model, &err);
    if (status == HR_OK) status = print_model_text(model, &args, &err);
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
