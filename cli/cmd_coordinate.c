/* hedgerow coordinate: a model from the owners of a federation. */
#include "commands.h"
#include "interrupt.h"
#include "log_lines.h"
#include "plan.h"
#include "product.h"
#include "together.h"

typedef struct coordinate_args {
    const char *file, *metrics;
    product_args product;
    bool as_json, plan, serve;
    log_args log;
    arg_integer rows;
} coordinate_args;

#define AT(field) offsetof(coordinate_args, field)

static const arg_option coordinate_options[] = {
    {"JOB", 0, ARG_OPERAND, true, AT(file), NULL,
     "the job file: what to train, and with which owners; with --serve, the folder of a coordinator"},
    {"serve", 0, ARG_FLAG, false, AT(serve), NULL,
     "run the jobs that 'hedgerow submit' queues in the folder, until stopped"},
    {"metrics", 0, ARG_TEXT, false, AT(metrics), "FILE",
     "with --serve: replace this file every 15 seconds with numbers for Prometheus: jobs, owners, packets"},
    {"model", 0, ARG_TEXT, false, AT(product.model), "FILE",
     "where the model goes; it must not exist when a job begins; - is standard output"},
    PRODUCT_OPTIONS(coordinate_args),
    {"plan", 0, ARG_WAIVER, false, AT(plan), NULL,
     "print what the job would do, from its file and schema alone: contacts nobody, spends nothing"},
    {"rows", 0, ARG_INTEGER, false, AT(rows), "N",
     "with --plan: how many records all owners have together; 10000 unless given"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL,
     "one JSON object instead of the summary: with what became of each owner, also after a failure"},
    LOG_OPTIONS,
    {"quiet", 0, ARG_FLAG, false, AT(log.quiet), NULL,
     "print errors and the summary only, as --log-level error"},
};

/* What is for one job is not for a coordinator of many. */
static int run_service(const command *self, const coordinate_args *args) {
    const product_args *product = &args->product;
    if (product->model != NULL || product->figures != NULL || product->schema != NULL || args->plan ||
        args->rows.given || args->as_json)
        return usage_error(self->name,
                           "--serve goes with --metrics, --log-format, --log-level and --quiet alone: "
                           "results are kept in the folder");
    if (!log_lines_open(self->name, &args->log)) return EXIT_USAGE;
    interrupt_reloads();
    hr_error err = {0};
    hr_party_settings settings = together_settings(0);
    settings.should_reload = interrupt_wants_reload;
    settings.metrics = args->metrics;
    const hr_status status = hr_coordinate_folder(args->file, &settings, &err);
    return status == HR_E_CANCELLED ? EXIT_DONE : log_lines_end(&err);
}

static int run_coordinate(const command *self, int argc, char **argv) {
    coordinate_args args = {.log = LOG_ARGS_INIT};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    if (args.serve) return run_service(self, &args);
    if (args.metrics != NULL) return usage_error(self->name, "--metrics is for --serve");
    if (args.plan) return run_job_plan(self->name, args.file, 0, &args.rows, args.as_json);
    if (args.rows.given)
        return usage_error(self->name, "--rows is for --plan: a job counts the records by itself, privately");
    const named_file job = {"JOB", args.file};
    named_file output;
    if (!product_file(self->name, &args.product, args.as_json, &output)) return EXIT_USAGE;
    if (!output_apart(self->name, &output, &job, 1)) return EXIT_USAGE;
    if (!log_lines_open(self->name, &args.log)) return EXIT_USAGE;
    hr_error err = {0};
    hr_job_result result = {0};
    const hr_party_settings settings = together_settings(0);
    hr_status status = product_check(&args.product, args.file, OUTPUT_FORCED,
                                     &err); /* a job that was begun may have written it */
    if (status == HR_OK) status = hr_coordinate(args.file, output.path, &settings, &result, &err);
    if (status != HR_OK) {
        together_report_failure(args.as_json);
        log_lines_end(&err);
        return together_exit_code(&err);
    }
    const int code = together_report(&result, output.path, args.as_json);
    hr_job_result_free(&result);
    return code;
}

/* Of the endings that a coordinator's job may have; two of them have the codes of all commands. */
static void print_exit_codes(void) {
    puts("\nexit codes, beside those of all commands ('hedgerow help'), by how the job ended:");
    for (int e = HR_JOB_DONE; e < HR_JOB_ENDINGS; e++) {
        const hr_job_ending_info *ending = hr_job_ending_of((hr_job_ending)e);
        if (ending->exit_code != 0 || e == HR_JOB_DONE)
            printf("  %2d  %-10s  %s\n", ending->exit_code, ending->word, ending->meaning);
    }
}

const command coordinate_command = {
    .name = "coordinate",
    .summary = "train a model with the owners of a federation",
    .details =
        "Offers the job, and ends after the last tree. An owner that declines is dropped; an owner that does "
        "not answer is skipped. It may be stopped or killed at any time: started again, it continues.\n\n"
        "With --serve the operand is a folder with a coordinator.yaml. Jobs that are submitted to it run as "
        "many "
        "at once as that file says, and their results are kept there; SIGHUP has the file read anew.",
    .example = "  hedgerow coordinate job.yaml --plan --rows 20000\n"
               "  hedgerow coordinate job.yaml --model model.json\n"
               "  hedgerow coordinate --serve coordinator",
    .options = coordinate_options,
    .option_count = COUNT_OF(coordinate_options),
    .run = run_coordinate,
    .print_exits = print_exit_codes,
    .once = true,
};
