/* hedgerow jobs approve, refuse: a person decides on an offer that waits. */
#include "commands.h"
#include "output.h"

#include <hedgerow/owner.h>

typedef struct decide_args {
    const char *owner, *job, *reason;
} decide_args;

#define AT(field) offsetof(decide_args, field)
#define OWNER_OPERAND                                                                                        \
    { "OWNER", 0, ARG_OPERAND, true, AT(owner), NULL, "the owner file" }
#define JOB_OPERAND                                                                                          \
    { "JOB", 0, ARG_OPERAND, true, AT(job), NULL, JOB_HELP }

static const arg_option approve_options[] = {OWNER_OPERAND, JOB_OPERAND};

static int run_approve(const command *self, int argc, char **argv) {
    decide_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    return hr_job_approve(args.owner, args.job, &err) == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command jobs_approve_command = {
    .name = "jobs approve",
    .summary = "accept a job that waits for your decision",
    .details = "Where the policy says `approve: manual`, a job that keeps its rules waits. The process that "
               "serves acts within a second, if the rules still allow the job.",
    .example = "  hedgerow jobs approve hospital-a.yaml 3f2a91bc",
    .options = approve_options,
    .option_count = COUNT_OF(approve_options),
    .run = run_approve,
};

static const arg_option refuse_options[] = {
    OWNER_OPERAND,
    JOB_OPERAND,
    {"reason", 0, ARG_TEXT, false, AT(reason), "TEXT", "why; the coordinator is told"},
};

static int run_refuse(const command *self, int argc, char **argv) {
    decide_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    return hr_job_refuse(args.owner, args.job, args.reason, &err) == HR_OK ? EXIT_DONE
                                                                           : report_error(self->name, &err);
}

const command jobs_refuse_command = {
    .name = "jobs refuse",
    .summary = "decline a job that waits for your decision",
    .details = "Nothing is spent. The coordinator is told the reason.",
    .example = "  hedgerow jobs refuse hospital-a.yaml 3f2a91bc --reason 'no ethics vote'",
    .options = refuse_options,
    .option_count = COUNT_OF(refuse_options),
    .run = run_refuse,
};
