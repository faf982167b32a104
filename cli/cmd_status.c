/* hedgerow status: how a party is, and how far its jobs are. */
#include "commands.h"
#include "output.h"

#include <hedgerow/amount.h>
#include <hedgerow/jobs.h>
#include <string.h>
#include <time.h>

typedef struct status_args {
    const char *file;
    bool as_json;
} status_args;

#define AT(field) offsetof(status_args, field)

static const arg_option status_options[] = {
    {"FILE", 0, ARG_OPERAND, true, AT(file), NULL,
     "the owner file, the coordinator's job file, or the folder of a coordinator that serves"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"},
};

enum { DATE = 32 };

/* RFC 3339; "" for a date that is not known. */
static const char *date_text(int64_t date, char text[DATE]) {
    const time_t seconds = (time_t)date;
    struct tm tm;
    text[0] = '\0';
    if (date != 0 && gmtime_r(&seconds, &tm) != NULL) strftime(text, DATE, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return text;
}

/* ---- Words ---- */

static void print_program(const hr_party_info *p) {
    char begun[DATE], seen[DATE];
    date_text(p->begun, begun);
    date_text(p->seen, seen);
    if (p->running)
        printf("%-9s runs", "program");
    else
        printf("%-9s does not run", "program");
    if (p->process != 0) printf(", process %lld", (long long)p->process);
    if (p->running && begun[0] != '\0') printf(", since %s", begun);
    if (seen[0] != '\0') printf(", last seen %s", seen);
    putchar('\n');
}

static void print_presence(const hr_party_info *p) {
    char date[DATE];
    for (size_t i = 0; i < p->presence_count; i++) {
        const hr_owner_presence *o = &p->presence[i];
        printf("%-9s %s: ", "presence", o->name);
        if (o->present)
            printf("present since %s", date_text(o->since, date));
        else if (o->seen != 0)
            printf("%s, last seen %s", p->running ? "away" : "not known", date_text(o->seen, date));
        else
            printf("not seen");
        putchar('\n');
    }
}

static bool print_party(void *user, const hr_party_info *p) {
    char contact[DATE];
    (void)user;
    printf("%-9s %s\n", p->is_coordinator ? "member" : "owner", p->name);
    print_program(p);
    date_text(p->contact, contact);
    printf("%-9s %s", "broker", p->connected ? "connected" : "not connected");
    if (contact[0] != '\0' && !p->connected) printf(", last contact %s", contact);
    if (p->reconnects != 0) printf(", reconnects %llu", (unsigned long long)p->reconnects);
    putchar('\n');
    if (p->certificate[0] != '\0') printf("%-9s %s\n", "expiry", p->certificate);
    if (p->ledger != NULL) {
        char left[HR_AMOUNT_TEXT], limit[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT], delta_limit[HR_AMOUNT_TEXT];
        hr_epsilon_left_text(p->ledger->epsilon_left, left);
        hr_epsilon_left_text(p->ledger->epsilon_limit, limit);
        hr_delta_left_text(p->ledger->delta_left, delta);
        hr_delta_left_text(p->ledger->delta_limit, delta_limit);
        printf("%-9s epsilon %s of %s left, delta %s of %s%s\n", "ledger", left, limit, delta, delta_limit,
               p->ledger->frozen ? "; frozen" : "");
    }
    print_presence(p);
    printf("%-9s %llu not confirmed\n", "packets", (unsigned long long)p->packets);
    printf("%-9s %llu open", "jobs", (unsigned long long)p->open);
    if (p->queued != 0) printf(", %llu queued", (unsigned long long)p->queued);
    putchar('\n');
    if (p->last_id[0] != '\0') printf("%-9s %.8s %s\n", "ended", p->last_id, p->last_state);
    return true;
}

static void print_awaited(const hr_job_progress *j) {
    char until[DATE];
    size_t count = 0;
    if (j->awaits[0] == '\0') return;
    date_text(j->until, until);
    printf("  %-9s ", "waits for");
    for (size_t i = 0; i < j->owner_count; i++)
        if (j->owners[i].awaited) printf("%s%s", count++ != 0 ? ", " : "", j->owners[i].name);
    if (count == 0) fputs(j->awaits, stdout);
    if (count != 0 && until[0] != '\0') printf(", until %s", until);
    putchar('\n');
}

static bool print_progress(void *user, const hr_job_progress *j) {
    char epsilon[HR_AMOUNT_TEXT];
    (void)user;
    hr_spent_text(j->epsilon, epsilon);
    printf("\njob %.8s  %s of %s, since %s, epsilon %s\n", j->id, j->name[0] != '\0' ? j->name : "?",
           j->coordinator, j->since, epsilon);
    printf("  %-9s %s\n", "state", j->cancelled ? "to be cancelled" : j->state);
    if (j->round != 0 || j->step != 0) {
        printf("  %-9s ", "at");
        if (j->round != 0) printf("round %zu of %zu%s", j->round, j->rounds, j->step != 0 ? ", " : "");
        if (j->step != 0) printf("%s %zu", j->unit, j->step);
        putchar('\n');
    }
    print_awaited(j);
    for (size_t i = 0; i < j->owner_count; i++) {
        const hr_job_owner *o = &j->owners[i];
        if (o->awaited && o->trees + o->skipped == 0) continue;
        if (o->skipped == 0 && strcmp(o->part, "takes part") == 0) continue;
        printf("  %-9s %s: %s", "owner", o->name, o->part);
        if (o->skipped != 0) printf(", skipped %zu times", o->skipped);
        printf("%s%s\n", o->reason[0] != '\0' ? ": " : "", o->reason);
    }
    return true;
}

/* ---- JSON ---- */

static void write_date(json_writer *json, const char *name, int64_t date) {
    char text[DATE];
    if (date != 0) json_text(json, name, date_text(date, text));
}

static void write_presence(json_writer *json, const hr_party_info *p) {
    if (!p->is_coordinator) return;
    json_open(json, "presence", '[');
    for (size_t i = 0; i < p->presence_count; i++) {
        const hr_owner_presence *o = &p->presence[i];
        json_open(json, NULL, '{');
        json_text(json, "owner", o->name);
        json_flag(json, "present", o->present);
        write_date(json, "since", o->since);
        write_date(json, "seen", o->seen);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static bool write_party(void *user, const hr_party_info *p) {
    json_writer *json = user;
    json_open(json, NULL, '{');
    json_text(json, p->is_coordinator ? "coordinator" : "owner", p->name);
    json_flag(json, "running", p->running);
    if (p->process != 0) json_integer(json, "process", (uint64_t)p->process);
    write_date(json, "begun", p->begun);
    write_date(json, "seen", p->seen);
    json_flag(json, "connected", p->connected);
    write_date(json, "contact", p->contact);
    json_integer(json, "reconnects", p->reconnects);
    json_integer(json, "packets", p->packets);
    write_date(json, "certificate_ends", p->certificate_ends);
    if (p->last_id[0] != '\0') {
        json_open(json, "last_job", '{');
        json_text(json, "id", p->last_id);
        json_text(json, "state", p->last_state);
        json_text(json, "ending", hr_job_ending_of(p->last_ending)->word);
        json_close(json, '}');
    }
    if (p->ledger != NULL) {
        json_open(json, "ledger", '{');
        json_number(json, "epsilon_limit", p->ledger->epsilon_limit);
        json_number(json, "epsilon_left", p->ledger->epsilon_left);
        json_delta_left(json, "delta_limit", p->ledger->delta_limit);
        json_delta_left(json, "delta_left", p->ledger->delta_left);
        json_flag(json, "frozen", p->ledger->frozen);
        json_close(json, '}');
    }
    write_presence(json, p);
    json_open(json, "jobs", '[');
    return true;
}

static void write_owners(json_writer *json, const hr_job_progress *j) {
    if (j->owner_count == 0) return;
    json_open(json, "owners", '[');
    for (size_t i = 0; i < j->owner_count; i++) {
        const hr_job_owner *o = &j->owners[i];
        json_open(json, NULL, '{');
        json_text(json, "name", o->name);
        json_text(json, "part", o->part);
        json_integer(json, "trees", o->trees);
        json_integer(json, "skipped", o->skipped);
        json_flag(json, "awaited", o->awaited);
        json_text(json, "reason", o->reason);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static bool write_progress(void *user, const hr_job_progress *j) {
    json_writer *json = user;
    json_open(json, NULL, '{');
    json_text(json, "id", j->id);
    json_text(json, "name", j->name);
    json_text(json, "coordinator", j->coordinator);
    json_text(json, "since", j->since);
    json_text(json, "state", j->state);
    json_flag(json, "cancelled", j->cancelled);
    json_number(json, "epsilon", j->epsilon);
    if (j->round != 0) json_integer(json, "round", j->round);
    if (j->rounds != 0) json_integer(json, "rounds", j->rounds);
    if (j->step != 0) json_integer(json, j->unit, j->step);
    json_text(json, "waits_for", j->awaits);
    write_date(json, "until", j->until);
    write_owners(json, j);
    json_close(json, '}');
    return true;
}

static int run_status(const command *self, int argc, char **argv) {
    json_writer json = {.out = stdout};
    const hr_party_viewer printer = {print_party, print_progress, NULL};
    const hr_party_viewer writer = {write_party, write_progress, &json};
    status_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    if (hr_party_look(args.file, args.as_json ? &writer : &printer, &err) != HR_OK)
        return report_error(self->name, &err);
    if (args.as_json) {
        json_close(&json, ']');
        json_close(&json, '}');
        putchar('\n');
    }
    return EXIT_DONE;
}

const command status_command = {
    .name = "status",
    .summary = "show how an owner or a coordinator is, and how far its jobs are",
    .details = "Whether its program runs and is connected to the broker, what the ledger has left, which "
               "packets are not "
               "confirmed; of each open job the round, who is waited for until when, and who was skipped or "
               "declined. "
               "It reads only: the program may run meanwhile, or not.",
    .example = "  hedgerow status hospital-a.yaml",
    .options = status_options,
    .option_count = COUNT_OF(status_options),
    .run = run_status,
};
