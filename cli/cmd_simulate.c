/* hedgerow simulate: owners and coordinator in one process. */
#include "commands.h"
#include "log_lines.h"
#include "misfit.h"
#include "plan.h"
#include "product.h"
#include "together.h"

#include <limits.h>

typedef struct simulate_args {
    const char *file;
    product_args product;
    arg_list data, owners;
    arg_integer owner_count, threads, rows;
    bool as_json, force, plan, strict;
    log_args log;
} simulate_args;

#define AT(field) offsetof(simulate_args, field)

static misfit_rule remarks = {.command = "simulate"};

static const arg_option simulate_options[] = {
    {"JOB", 0, ARG_OPERAND, true, AT(file), NULL, "the job file; its members are ignored"},
    {"data", 0, ARG_LIST, false, AT(data), "FILE",
     "the records of an owner; given once for each, or once with --owners"},
    {"owners", 0, ARG_INTEGER, false, AT(owner_count), "N",
     "divide the records of one file among this many owners, each record independently at random"},
    {"owner", 0, ARG_LIST, false, AT(owners), "FILE",
     "an owner file instead of --data: its own records, key, policy, and ledger, which is charged. Given "
     "once for each"},
    {"model", 0, ARG_TEXT, false, AT(product.model), "FILE",
     "where the model goes; - is standard output; with --owner, it must not exist when a job begins, and is "
     "replaced when a job continues"},
    PRODUCT_OPTIONS(simulate_args),
    {"force", 0, ARG_FLAG, false, AT(force), NULL, "with --data: replace the file that is there"},
    {"strict", 0, ARG_FLAG, false, AT(strict), NULL,
     "with --data: fail, before the job begins, if a table does not fit the schema, or the schema needs a "
     "review"},
    {"threads", 0, ARG_INTEGER, false, AT(threads), "N",
     "of all owners together; 0: as many processors as it may use"},
    {"plan", 0, ARG_WAIVER, false, AT(plan), NULL,
     "print what the job would do, from its file and schema alone; of as many owners as --owners says, or "
     "as there are files, or as the job file names"},
    {"rows", 0, ARG_INTEGER, false, AT(rows), "N",
     "with --plan: how many records all owners have together; 10000 unless given"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object instead of the summary"},
    {"quiet", 0, ARG_FLAG, false, AT(log.quiet), NULL, "print errors and the summary only"},
};

static bool print_simulated_remark(void *user, const hr_remark *remark) {
    (void)user;
    return print_remark(&remarks, remark);
}

static hr_status simulate(const simulate_args *args, const char *path, const hr_party_settings *settings,
                          hr_job_result *out, hr_error *err) {
    const hr_simulation_data data = {(const char *const *)args->data.items, args->data.count,
                                     args->owner_count.value};
    const output_rule rule = args->force ? OUTPUT_FORCED : OUTPUT_UNFORCED;
    hr_status status = product_check(&args->product, args->file, rule, err);
    if (status == HR_OK) status = hr_simulate(args->file, &data, settings, out, err);
    end_remarks(&remarks, err);
    if (status == HR_OK) status = product_write(out, path, rule, err);
    return status;
}

/* A new job replaces nothing; one that was begun may have written its result before it was stopped. */
static hr_status meet(const simulate_args *args, const char *path, const hr_party_settings *settings,
                      hr_job_result *out, hr_error *err) {
    const hr_owner_files owners = {(const char *const *)args->owners.items, args->owners.count};
    const hr_status status = product_check(&args->product, args->file, OUTPUT_FORCED, err);
    return status == HR_OK ? hr_meet(args->file, path, &owners, settings, out, err) : status;
}

static bool simulate_outputs_apart(const command *self, const simulate_args *args, const named_file *output) {
    named_file others[1 + 2 * ARG_LIST_MAX];
    size_t count = 0;
    others[count++] = (named_file){"JOB", args->file};
    for (size_t i = 0; i < args->data.count; i++)
        others[count++] = (named_file){"--data", args->data.items[i]};
    for (size_t i = 0; i < args->owners.count; i++)
        others[count++] = (named_file){"--owner", args->owners.items[i]};
    return output_apart(self->name, output, others, count);
}

/* 0: those that the job file names. */
static size_t planned_owners(const simulate_args *args) {
    if (args->owner_count.given) return args->owner_count.value;
    return args->data.count ? args->data.count : args->owners.count;
}

static int run_simulate(const command *self, int argc, char **argv) {
    simulate_args args = {.log = {LOG_BARE, LOG_LEVEL_UNSET, false}};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    if (args.owner_count.given && !args.owner_count.value)
        return usage_error(self->name, "--owners: at least one owner must take part");
    if (args.plan)
        return run_job_plan(self->name, args.file, planned_owners(&args), &args.rows, args.as_json);
    if (args.rows.given) return usage_error(self->name, "--rows is for --plan: owners count their records");
    named_file output;
    if (!product_file(self->name, &args.product, args.as_json, &output)) return EXIT_USAGE;
    if (args.threads.value > INT_MAX) return usage_error(self->name, "--threads: that is too many");
    if (!args.data.count == !args.owners.count)
        return usage_error(self->name, "give either the records, --data, or owner files, --owner");
    if (args.owners.count && args.owner_count.given)
        return usage_error(self->name, "--owners goes with --data: every owner file is one owner");
    if (args.owners.count && args.force)
        return usage_error(self->name, "--force goes with --data: a job of owners replaces no file");
    if (args.owners.count && args.strict)
        return usage_error(self->name,
                           "--strict goes with --data: an owner's log has remarks about its table");
    if (!simulate_outputs_apart(self, &args, &output)) return EXIT_USAGE;
    if (!log_lines_open(self->name, &args.log)) return EXIT_USAGE;
    hr_error err = {0};
    hr_job_result result = {0};
    hr_party_settings settings = together_settings((int)args.threads.value);
    settings.remark = print_simulated_remark;
    remarks.strict = args.strict;
    const hr_status status =
        (args.owners.count ? meet : simulate)(&args, output.path, &settings, &result, &err);
    int code = EXIT_DONE;
    if (status == HR_OK)
        code = together_report(&result, output.path, args.as_json);
    else
        together_report_failure(args.as_json);
    hr_job_result_free(&result);
    return status == HR_OK ? code : report_error(self->name, &err);
}

const command simulate_command = {
    .name = "simulate",
    .summary = "try a job with all owners and the coordinator in one process",
    .details =
        "The same roles and messages as over a broker, for a user who has all the records: it shows what a "
        "federation would reach. With --data nothing is spent, and the members in the job file are ignored.",
    .example = "  hedgerow simulate job.yaml --data train.csv --owners 20 --model model.json",
    .options = simulate_options,
    .option_count = COUNT_OF(simulate_options),
    .run = run_simulate,
    .once = true,
};
