/* hedgerow own: an owner's records serve the miners of a federation. */
#include "commands.h"
#include "output.h"
#include "together.h"

#include <limits.h>

typedef struct own_args {
    const char *file;
    arg_whole jobs, threads;
    bool quiet;
} own_args;

#define AT(field) offsetof(own_args, field)

static const arg_option own_options[] = {
    {"OWNER", 0, ARG_OPERAND, true, AT(file), NULL, "the owner file: your records, ledger, key and policy"},
    {"jobs", 0, ARG_WHOLE, false, AT(jobs), "N", "end when so many jobs are over; without, serve until asked to end"},
    {"threads", 0, ARG_WHOLE, false, AT(threads), "N", "0: as many as there are processors"},
    {"quiet", 0, ARG_FLAG, false, AT(quiet), NULL, "tell nothing but errors"},
};

static int run_own(const command *self, int argc, char **argv) {
    own_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    if (args.threads.value > INT_MAX) return usage_error(self->name, "--threads: that is too many");
    hr_error err = {0};
    hr_party_settings settings = together_settings(self->name, (int)args.threads.value, args.quiet);
    settings.jobs = args.jobs.value;
    const hr_status status = hr_own(args.file, &settings, &err);
    return status == HR_OK || status == HR_E_CANCELLED ? EXIT_DONE : report_error(self->name, &err);
}

const command own_command = {
    .name = "own",
    .summary = "let your records take part in the jobs of a federation",
    .details = "Waits for jobs, refuses what your policy does not allow, trains on your records and passes on what is private, paid for "
               "from your ledger. Records never leave. It may be stopped or killed at any time: run again, it goes on where it was.",
    .example = "  hedgerow own hospital-a.yaml",
    .options = own_options,
    .option_count = COUNT_OF(own_options),
    .run = run_own,
};
