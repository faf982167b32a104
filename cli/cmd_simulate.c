/* hedgerow simulate: owners and miner in one process. */
#include "commands.h"
#include "output.h"
#include "together.h"

#include <limits.h>

typedef struct simulate_args {
    const char *file, *model;
    arg_list data;
    arg_whole parties, threads;
    bool as_json, quiet;
} simulate_args;

#define AT(field) offsetof(simulate_args, field)

static const arg_option simulate_options[] = {
    {"JOB", 0, ARG_OPERAND, true, AT(file), NULL, "the job file; what it says of members is not looked at"},
    {"data", 0, ARG_LIST, true, AT(data), "FILE", "the records of an owner; given once for each, or once with --parties"},
    {"parties", 0, ARG_WHOLE, false, AT(parties), "N", "deal the records of one file out to so many owners"},
    {"model", 0, ARG_TEXT, true, AT(model), "FILE", "where the model goes; - is standard output"},
    {"threads", 0, ARG_WHOLE, false, AT(threads), "N", "0: as many as there are processors"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object instead of the summary"},
    {"quiet", 0, ARG_FLAG, false, AT(quiet), NULL, "tell nothing but errors and the summary"},
};

static int run_simulate(const command *self, int argc, char **argv) {
    simulate_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    if (args.threads.value > INT_MAX) return usage_error(self->name, "--threads: that is too many");
    if (args.parties.given && !args.parties.value) return usage_error(self->name, "--parties: at least one owner takes part");
    hr_error err = {0};
    hr_model *model = NULL;
    const hr_simulation_data data = {(const char *const *)args.data.items, args.data.count, args.parties.value};
    const hr_party_settings settings = together_settings(self->name, (int)args.threads.value, args.quiet);
    hr_status status = output_probe(args.model, &err);
    if (status == HR_OK) status = hr_simulate(args.file, &data, &settings, &model, &err);
    if (status == HR_OK) status = hr_model_write(model, args.model, &err);
    if (status == HR_OK) together_report(model, args.model, args.as_json);
    hr_model_free(model);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command simulate_command = {
    .name = "simulate",
    .summary = "try a job with all owners and the miner in one process",
    .details = "The same roles and messages as over a broker, for whoever has all the records: to see what a federation would reach before "
               "there is one. Spends no budget.",
    .example = "  hedgerow simulate job.yaml --data train.csv --parties 20 --model model.json",
    .options = simulate_options,
    .option_count = COUNT_OF(simulate_options),
    .run = run_simulate,
};
