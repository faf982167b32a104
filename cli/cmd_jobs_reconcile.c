/* hedgerow jobs reconcile: a coordinator that lost its journal asks the owners what they hold. */
#include "commands.h"
#include "output.h"
#include "secrets.h"

#include <hedgerow/jobs.h>
#include <time.h>

typedef struct reconcile_args {
    const char *file;
    arg_list owners, ends;
    bool as_json;
} reconcile_args;

#define AT(field) offsetof(reconcile_args, field)

static const arg_option reconcile_options[] = {
    {"FILE", 0, ARG_OPERAND, true, AT(file), NULL,
     "the coordinator's job file, or the folder of one that serves"},
    {"owner", 0, ARG_LIST, false, AT(owners), "NAME",
     "ask this member; may be repeated [all other members of the federation]"},
    {"end", 0, ARG_LIST, false, AT(ends), "ID",
     "end the job whose id begins with these digits, at least 8, at all owners that hold it; may be "
     "repeated"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"},
};

enum { TIME_TEXT = 32 };

static void write_time(int64_t since, char text[TIME_TEXT]) {
    const time_t second = (time_t)since;
    struct tm fields;
    if (gmtime_r(&second, &fields) == NULL || strftime(text, TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &fields) == 0)
        text[0] = '\0';
}

static bool print_unknown(void *user, const hr_unknown_job *job) {
    char since[TIME_TEXT];
    size_t *count = user;
    write_time(job->since, since);
    if (!(*count)++)
        printf("%-16s  %-8s  %-16s  %-20s  %-7s  %s\n", "owner", "id", "name", "since", "charged", "state");
    printf("%-16s  %-8.8s  %-16s  %-20s  %-7s  %s\n", job->owner, job->id, *job->name ? job->name : "-",
           since, job->charged ? "yes" : "no", job->ended ? "ended" : "open");
    return true;
}

static bool write_unknown(void *user, const hr_unknown_job *job) {
    char since[TIME_TEXT];
    json_writer *json = user;
    write_time(job->since, since);
    json_open(json, NULL, '{');
    json_text(json, "owner", job->owner);
    json_text(json, "id", job->id);
    json_text(json, "name", job->name);
    json_text(json, "since", since);
    json_flag(json, "charged", job->charged);
    json_flag(json, "ended", job->ended);
    json_close(json, '}');
    return true;
}

static hr_status reconcile_as_json(hr_reconcile_request *request, hr_reconcile_info *info, hr_error *err) {
    json_writer json = {.out = stdout};
    request->visit = write_unknown;
    request->user = &json;
    json_open(&json, NULL, '{');
    json_open(&json, "jobs", '[');
    const hr_status status = hr_jobs_reconcile(request, info, err);
    json_close(&json, ']');
    json_names(&json, "silent", info->silent);
    json_names(&json, "not_ended", info->not_ended);
    json_close(&json, '}');
    putchar('\n');
    return status;
}

static hr_status reconcile_as_text(hr_reconcile_request *request, hr_reconcile_info *info, hr_error *err) {
    size_t count = 0;
    request->visit = print_unknown;
    request->user = &count;
    const hr_status status = hr_jobs_reconcile(request, info, err);
    if (status != HR_OK) return status;
    if (info->unknown == 0) puts("The owners that answered hold no job that the journal does not know.");
    if (info->ended > 0) puts("What was reserved in a ledger stays spent.");
    if (info->unknown > info->ended && request->end_count == 0)
        puts("If no other journal of this coordinator knows such a job, --end with its id ends it.");
    return HR_OK;
}

static int run_reconcile(const command *self, int argc, char **argv) {
    reconcile_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_reconcile_info info = {0};
    hr_reconcile_request request = {.file = args.file,
                                    .owners = (const char *const *)args.owners.items,
                                    .owner_count = args.owners.count,
                                    .ends = (const char *const *)args.ends.items,
                                    .end_count = args.ends.count};
    secrets_guard();
    const hr_status status = (args.as_json ? reconcile_as_json : reconcile_as_text)(&request, &info, &err);
    if (*info.silent != '\0')
        fprintf(stderr, "hedgerow %s: no answer within %d s: %s\n", self->name, HR_RECONCILE_SECONDS,
                info.silent);
    if (*info.not_ended != '\0')
        fprintf(stderr, "hedgerow %s: not ended within %d s: %s\n", self->name, HR_RECONCILE_SECONDS,
                info.not_ended);
    if (status != HR_OK) return report_error(self->name, &err);
    return *info.silent != '\0' || *info.not_ended != '\0' ? EXIT_FAILED : EXIT_DONE;
}

const command jobs_reconcile_command = {
    .name = "jobs reconcile",
    .summary = "after a coordinator lost its journal: what the owners hold",
    .details =
        "Asks the owners which open jobs of the coordinator they hold, and lists those that its journal "
        "does not know. Nothing ends unless --end names it. Another journal of the same coordinator may "
        "know a job: look into all of them first. No program runs with the coordinator's key "
        "meanwhile. Exits with 1 if a member did not answer, or has not ended a job.",
    .example = "  hedgerow jobs reconcile job.yaml\n"
               "  hedgerow jobs reconcile job.yaml --end 3f9a51c2",
    .options = reconcile_options,
    .option_count = COUNT_OF(reconcile_options),
    .run = run_reconcile,
};
