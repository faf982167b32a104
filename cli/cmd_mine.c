/* hedgerow mine: a model from the owners of a federation. */
#include "commands.h"
#include "keep.h"
#include "output.h"
#include "places.h"
#include "together.h"

typedef struct mine_args {
    const char *file, *model;
    bool as_json, quiet;
} mine_args;

#define AT(field) offsetof(mine_args, field)

static const arg_option mine_options[] = {
    {"JOB", 0, ARG_OPERAND, true, AT(file), NULL, "the job file: what to train, and who asks whom"},
    {"model", 0, ARG_TEXT, true, AT(model), "FILE",
     "where the model goes; it must not exist when a job begins, and is replaced when one goes on; - is standard output"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object instead of the summary"},
    {"quiet", 0, ARG_FLAG, false, AT(quiet), NULL, "tell nothing but errors and the summary"},
};

static int run_mine(const command *self, int argc, char **argv) {
    mine_args args = {0};
    if (!args_parse(self, argc, argv, &args) || !together_output_free(self->name, args.model, args.as_json)) return EXIT_USAGE;
    const named_file output = {"--model", args.model}, job = {"JOB", args.file};
    if (!output_apart(self->name, &output, &job, 1)) return EXIT_USAGE;
    hr_error err = {0};
    hr_model *model = NULL;
    const hr_party_settings settings = together_settings(self->name, 0, args.quiet);
    hr_status status = model_probe(args.model, OUTPUT_FORCED, &err); /* a job that was begun may have written its model */
    if (status == HR_OK) status = hr_mine(args.file, args.model, &settings, &model, &err);
    if (status != HR_OK) return report_error(self->name, &err);
    together_report(model, args.model, args.as_json);
    hr_model_free(model);
    return EXIT_DONE;
}

const command mine_command = {
    .name = "mine",
    .summary = "ask the owners of a federation for a model",
    .details = "Offers the job, and waits until the last tree has come. Whoever refuses is left out, whoever stays away is passed over. It "
               "may be stopped or killed at any time: run again, it goes on where it was.",
    .example = "  hedgerow mine job.yaml --model model.json",
    .options = mine_options,
    .option_count = COUNT_OF(mine_options),
    .run = run_mine,
};
