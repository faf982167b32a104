/* hedgerow policy check: what an owner would answer to a job. */
#include "commands.h"
#include "output.h"

#include <hedgerow/owner.h>

typedef struct policy_args {
    const char *owner, *job;
    bool as_json;
} policy_args;

#define AT(field) offsetof(policy_args, field)

static const arg_option check_options[] = {
    {"OWNER", 0, ARG_OPERAND, true, AT(owner), NULL, "the owner file"},
    {"JOB", 0, ARG_OPERAND, true, AT(job), NULL, "the job file, as its coordinator has it"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"},
};

static void print_rule(void *user, const hr_policy_line *line) {
    (void)user;
    printf("%-3s  %-18s  %s\n", line->keeps ? "yes" : "NO", line->rule, line->text);
}

static hr_status check_as_text(const policy_args *args, bool *accepted, hr_error *err) {
    const hr_status status = hr_policy_explain(args->owner, args->job, print_rule, NULL, accepted, err);
    if (status == HR_OK) printf("\nThe owner would %s the job.\n", *accepted ? "accept" : "decline");
    return status;
}

/* The object begins with the first rule: a call that fails writes nothing. */
static void write_rule(void *user, const hr_policy_line *line) {
    json_writer *json = user;
    if (!json->follows) {
        json_open(json, NULL, '{');
        json_open(json, "rules", '[');
    }
    json_open(json, NULL, '{');
    json_text(json, "rule", line->rule);
    json_flag(json, "keeps", line->keeps);
    json_text(json, "text", line->text);
    json_close(json, '}');
}

static hr_status check_as_json(const policy_args *args, bool *accepted, hr_error *err) {
    json_writer json = {.out = stdout};
    const hr_status status = hr_policy_explain(args->owner, args->job, write_rule, &json, accepted, err);
    if (status != HR_OK) return status;
    json_close(&json, ']');
    json_flag(&json, "accepted", *accepted);
    json_close(&json, '}');
    putchar('\n');
    return HR_OK;
}

static int run_policy_check(const command *self, int argc, char **argv) {
    policy_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    bool accepted = false;
    const hr_status status = (args.as_json ? check_as_json : check_as_text)(&args, &accepted, &err);
    if (status != HR_OK) return report_error(self->name, &err);
    return accepted ? EXIT_DONE : EXIT_REFUSED;
}

const command policy_check_command = {
    .name = "policy check",
    .summary = "what an owner would answer to a job, rule by rule",
    .details =
        "Reads the owner file, its schema and its ledger, and the job file. Nothing is sent, and nothing "
        "is spent. Ends with 0 if the owner would accept the job, with 3 if it would decline it.",
    .example = "  hedgerow policy check hospital-a.yaml job.yaml",
    .options = check_options,
    .option_count = COUNT_OF(check_options),
    .run = run_policy_check,
};
