/* hedgerow serve: an owner's records serve the coordinators of a federation. */
#include "commands.h"
#include "interrupt.h"
#include "log_lines.h"
#include "output.h"
#include "together.h"

#include <limits.h>

typedef struct serve_args {
    const char *file, *metrics;
    arg_integer jobs, threads;
    log_args log;
} serve_args;

#define AT(field) offsetof(serve_args, field)

static const arg_option serve_options[] = {
    {"OWNER", 0, ARG_OPERAND, true, AT(file), NULL, "the owner file: your records, ledger, key and policy"},
    {"jobs", 0, ARG_INTEGER, false, AT(jobs), "N",
     "end after this many jobs; by default serve until stopped"},
    {"threads", 0, ARG_INTEGER, false, AT(threads), "N", "0: as many processors as it may use"},
    {"metrics", 0, ARG_TEXT, false, AT(metrics), "FILE",
     "replace this file every 15 seconds with numbers for Prometheus: jobs, packets, budget left"},
    LOG_OPTIONS,
    {"quiet", 0, ARG_FLAG, false, AT(log.quiet), NULL, "print errors only, as --log-level error"},
};

static int run_serve(const command *self, int argc, char **argv) {
    serve_args args = {.log = LOG_ARGS_INIT};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    if (args.threads.value > INT_MAX) return usage_error(self->name, "--threads: that is too many");
    if (!log_lines_open(self->name, &args.log)) return EXIT_USAGE;
    hr_error err = {0};
    hr_party_settings settings = together_settings((int)args.threads.value);
    settings.jobs = args.jobs.value;
    settings.should_reload = interrupt_wants_reload;
    settings.metrics = args.metrics;
    const hr_status status = hr_serve(args.file, &settings, &err);
    return status == HR_OK || status == HR_E_CANCELLED ? EXIT_DONE : log_lines_end(&err);
}

const command serve_command = {
    .name = "serve",
    .summary = "serve your records in the jobs of a federation",
    .details =
        "Waits for jobs, refuses what your policy does not allow, and answers with noisy sums, choices, "
        "private trees or models, charged to your ledger. Records are sent to nobody; what your policy "
        "lists as unprotected may tell of them without noise. It may be stopped or killed at any time: "
        "started again, it continues.",
    .example = "  hedgerow serve hospital-a.yaml",
    .options = serve_options,
    .option_count = COUNT_OF(serve_options),
    .run = run_serve,
    .reloads = true,
    .once = true,
};
