/* hedgerow jobs, jobs cancel: the jobs of an owner or a coordinator. */
#include "commands.h"
#include "output.h"
#include "secrets.h"

#include <hedgerow/amount.h>
#include <hedgerow/jobs.h>

typedef struct jobs_args {
    const char *file, *job;
    bool as_json, ledger;
} jobs_args;

#define AT(field) offsetof(jobs_args, field)
#define FILE_OPERAND                                                                                         \
    {                                                                                                        \
        "FILE", 0, ARG_OPERAND, true, AT(file), NULL,                                                        \
            "the owner file, the coordinator's job file, or the folder of one that serves"                   \
    }

/* ---- jobs ---- */

static const arg_option list_options[] = {
    FILE_OPERAND,
    {"ledger", 0, ARG_FLAG, false, AT(ledger), NULL,
     "of an owner: every entry of its ledger with its job, then the jobs without an entry"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"},
};

static const char *state_text(const hr_job_info *job) {
    return job->open && job->cancelled ? "to be cancelled" : job->state;
}

static bool print_job(void *user, const hr_job_info *job) {
    char epsilon[HR_AMOUNT_TEXT];
    size_t *count = user;
    hr_spent_text(job->epsilon, epsilon);
    if (!(*count)++)
        printf("%-8s  %-16s  %-12s  %-20s  %7s  %-9s  %s\n", "id", "name", "coordinator", "since", "epsilon",
               "ledger", "state");
    printf("%-8.8s  %-16s  %-12s  %-20s  %7s  %-9s  %s%s%s\n", job->id, job->name, job->coordinator,
           job->since, epsilon, *job->charged ? job->charged : "-", state_text(job),
           *job->awaits ? ", waits for " : "", job->awaits);
    return true;
}

static void write_job_facts(json_writer *json, const hr_job_info *job) {
    json_text(json, "id", job->id);
    json_text(json, "name", job->name);
    json_text(json, "coordinator", job->coordinator);
    json_text(json, "since", job->since);
    json_flag(json, "open", job->open);
    json_flag(json, "cancelled", job->cancelled);
    json_text(json, "state", job->state);
    json_text(json, "ending", hr_job_ending_of(job->ending)->word);
    json_text(json, "waits_for", job->awaits);
    json_number(json, "epsilon", job->epsilon);
    json_text(json, "ledger", job->charged);
}

static bool write_job(void *user, const hr_job_info *job) {
    json_writer *json = user;
    json_open(json, NULL, '{');
    write_job_facts(json, job);
    json_close(json, '}');
    return true;
}

/* ---- jobs --ledger ---- */

static const char *entry_text(hr_entry_state state) {
    static const char *const texts[] = {"reserved", "committed", "void"}; /* in the order of hr_entry_state */
    return texts[state];
}

static bool print_charge(void *user, const hr_job_charge *charge) {
    const hr_ledger_entry *entry = charge->entry;
    const hr_job_info *job = charge->job;
    char id[24] = "-", epsilon[HR_AMOUNT_TEXT] = "-", delta[HR_AMOUNT_TEXT] = "-";
    size_t *count = user;
    if (entry != NULL) {
        snprintf(id, sizeof id, "%lld", (long long)entry->id);
        hr_spent_text(entry->epsilon, epsilon);
        hr_spent_text(entry->delta, delta);
    }
    if (!(*count)++)
        printf("%5s  %-9s  %-20s  %9s  %9s  %-8s  %s\n", "entry", "ledger", "when", "epsilon", "delta", "job",
               "what");
    printf("%5s  %-9s  %-20.20s  %9s  %9s  %-8.8s  ", id, entry != NULL ? entry_text(entry->state) : "-",
           entry != NULL ? entry->when : job->since, epsilon, delta, job != NULL ? job->id : "-");
    if (job != NULL)
        printf("%s of %s: %s\n", job->name, job->coordinator, state_text(job));
    else
        printf("no job is known: %s\n", entry->purpose);
    return true;
}

static bool write_charge(void *user, const hr_job_charge *charge) {
    json_writer *json = user;
    const hr_ledger_entry *entry = charge->entry;
    json_open(json, NULL, '{');
    if (entry != NULL) {
        json_open(json, "entry", '{');
        json_integer(json, "id", (uint64_t)entry->id);
        json_text(json, "when", entry->when);
        json_text(json, "state", entry_text(entry->state));
        json_number(json, "epsilon", entry->epsilon);
        json_delta(json, "delta", entry->delta);
        json_text(json, "purpose", entry->purpose);
        json_close(json, '}');
    }
    if (charge->job != NULL) {
        json_open(json, "job", '{');
        write_job_facts(json, charge->job);
        json_close(json, '}');
    }
    json_close(json, '}');
    return true;
}

static int run_audit(const command *self, const jobs_args *args) {
    hr_error err = {0};
    size_t count = 0;
    hr_status status;
    if (args->as_json) {
        json_writer json = {.out = stdout};
        json_open(&json, NULL, '{');
        json_open(&json, "charges", '[');
        status = hr_jobs_audit(args->file, write_charge, &json, &err);
        json_close(&json, ']');
        json_close(&json, '}');
        putchar('\n');
    } else {
        status = hr_jobs_audit(args->file, print_charge, &count, &err);
        if (status == HR_OK && count == 0) puts("no entries and no jobs");
    }
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

static int run_jobs(const command *self, int argc, char **argv) {
    jobs_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    if (args.ledger) return run_audit(self, &args);
    hr_error err = {0};
    size_t count = 0;
    hr_status status;
    if (args.as_json) {
        json_writer json = {.out = stdout};
        json_open(&json, NULL, '{');
        json_open(&json, "jobs", '[');
        status = hr_jobs_each(args.file, write_job, &json, &err);
        json_close(&json, ']');
        json_close(&json, '}');
        putchar('\n');
    } else {
        status = hr_jobs_each(args.file, print_job, &count, &err);
        if (status == HR_OK && count == 0) puts("no jobs");
    }
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command jobs_command = {
    .name = "jobs",
    .summary = "list the jobs of an owner or a coordinator",
    .details =
        "Shows each job with the first digits of its id, what it waits for, its epsilon, and the state "
        "of its entry in the ledger. A program that works for the jobs may run meanwhile.",
    .example = "  hedgerow jobs hospital-a.yaml\n"
               "  hedgerow jobs hospital-a.yaml --ledger",
    .options = list_options,
    .option_count = COUNT_OF(list_options),
    .run = run_jobs,
};

/* ---- jobs cancel ---- */

static const arg_option cancel_options[] = {
    FILE_OPERAND,
    {"JOB", 0, ARG_OPERAND, true, AT(job), NULL, JOB_HELP},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"},
};

static void print_cancelled(const hr_cancel_info *info) {
    if (info->unbegun) {
        printf("Job %.8s ended before it began. Nothing was spent.\n", info->id);
        return;
    }
    if (info->told)
        printf("Job %.8s ended, and every member that has to know has confirmed it.\n", info->id);
    else if (info->ended && *info->why == '\0')
        printf("Job %.8s ended. Not confirmed within %d s by %s.\n", info->id, HR_CANCEL_SECONDS,
               info->unconfirmed);
    else
        printf("Job %.8s is cancelled, but the other members do not know: %s\n", info->id, info->why);
    if (!info->told)
        puts("They are told by 'hedgerow serve' or 'hedgerow coordinate' with this file: the one that runs, "
             "or "
             "the next.");
    puts("What was reserved in the ledger stays spent.");
}

static void write_cancelled(const hr_cancel_info *info) {
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "id", info->id);
    json_flag(&json, "ended", info->ended);
    json_flag(&json, "told", info->told);
    json_names(&json, "unconfirmed", info->unconfirmed);
    json_text(&json, "why", info->why);
    json_close(&json, '}');
    putchar('\n');
}

static int run_cancel(const command *self, int argc, char **argv) {
    jobs_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_cancel_info info;
    secrets_guard();
    if (hr_jobs_cancel(args.file, args.job, &info, &err) != HR_OK) return report_error(self->name, &err);
    (args.as_json ? write_cancelled : print_cancelled)(&info);
    return EXIT_DONE;
}

const command jobs_cancel_command = {
    .name = "jobs cancel",
    .summary = "end a job: as its coordinator for all, as an owner for you alone",
    .details = "A coordinator tells the owners that the job ended; an owner tells the coordinator, which "
               "continues without it. They are told at once, by the program that runs with this file or by "
               "this one; if that fails, the next program that runs with it tells them. What was reserved in "
               "a ledger stays spent.",
    .example = "  hedgerow jobs cancel job.yaml 3f9a",
    .options = cancel_options,
    .option_count = COUNT_OF(cancel_options),
    .run = run_cancel,
};
