/* hedgerow submit: a job for a coordinator that serves. */
#include "commands.h"
#include "output.h"

#include <hedgerow/federation.h>

typedef struct submit_args {
    const char *folder, *file, *name;
    bool as_json;
} submit_args;

#define AT(field) offsetof(submit_args, field)

static const arg_option submit_options[] = {
    {"FOLDER", 0, ARG_OPERAND, true, AT(folder), NULL, "the folder of the coordinator that serves"},
    {"JOB", 0, ARG_OPERAND, true, AT(file), NULL, "the job file; of a coordinator's own files it needs none"},
    {"name", 0, ARG_TEXT, false, AT(name), "NAME",
     "of the job; the file's without its extension unless given"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"},
};

static int run_submit(const command *self, int argc, char **argv) {
    submit_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_submitted submitted;
    if (hr_job_submit(args.folder, args.file, args.name, &submitted, &err) != HR_OK)
        return report_error(self->name, &err);
    if (args.as_json) {
        json_writer json = {.out = stdout};
        json_open(&json, NULL, '{');
        json_text(&json, "id", submitted.id);
        json_text(&json, "name", submitted.name);
        json_flag(&json, "running", submitted.running);
        json_close(&json, '}');
        putchar('\n');
        return EXIT_DONE;
    }
    printf("The job %s (id %.8s) is queued.\n", submitted.name, submitted.id);
    if (!submitted.running)
        printf("No coordinator serves this folder now: start one with 'hedgerow coordinate --serve %s'.\n",
               args.folder);
    return EXIT_DONE;
}

const command submit_command = {
    .name = "submit",
    .summary = "queue a job for a coordinator that serves",
    .details =
        "Checks the job as far as that goes without the owners, and copies it with its schema, and the "
        "model that it evaluates, into the folder: later changes of the files do not matter. Every "
        "user who may write to the folder may submit.",
    .example = "  hedgerow submit coordinator job.yaml\n"
               "  hedgerow jobs coordinator",
    .options = submit_options,
    .option_count = COUNT_OF(submit_options),
    .run = run_submit,
    .once = true,
};
