/* hedgerow coordinate: a model from the owners of a federation. */
#include "commands.h"
#include "keep.h"
#include "output.h"
#include "places.h"
#include "together.h"

typedef struct coordinate_args {
    const char *file, *model;
    bool as_json, quiet;
} coordinate_args;

#define AT(field) offsetof(coordinate_args, field)

static const arg_option coordinate_options[] = {
    {"JOB", 0, ARG_OPERAND, true, AT(file), NULL, "the job file: what to train, and with which owners"},
    {"model", 0, ARG_TEXT, true, AT(model), "FILE",
     "where the model goes; it must not exist when a job begins, and is replaced when a job continues; - is "
     "standard output"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object instead of the summary"},
    {"quiet", 0, ARG_FLAG, false, AT(quiet), NULL, "print errors and the summary only"},
};

static int run_coordinate(const command *self, int argc, char **argv) {
    coordinate_args args = {0};
    if (!args_parse(self, argc, argv, &args) || !together_output_free(self->name, args.model, args.as_json))
        return EXIT_USAGE;
    const named_file output = {"--model", args.model}, job = {"JOB", args.file};
    if (!output_apart(self->name, &output, &job, 1)) return EXIT_USAGE;
    hr_error err = {0};
    hr_model *model = NULL;
    const hr_party_settings settings = together_settings(self->name, 0, args.quiet);
    hr_status status =
        model_probe(args.model, OUTPUT_FORCED, &err); /* a job that was begun may have written its model */
    if (status == HR_OK) status = hr_coordinate(args.file, args.model, &settings, &model, &err);
    if (status != HR_OK) return report_error(self->name, &err);
    together_report(model, args.model, args.as_json);
    hr_model_free(model);
    return EXIT_DONE;
}

const command coordinate_command = {
    .name = "coordinate",
    .summary = "train a model with the owners of a federation",
    .details =
        "Offers the job, and ends after the last tree. An owner that declines is dropped; an owner that does "
        "not answer is skipped. It may be stopped or killed at any time: started again, it continues.",
    .example = "  hedgerow coordinate job.yaml --model model.json",
    .options = coordinate_options,
    .option_count = COUNT_OF(coordinate_options),
    .run = run_coordinate,
};
