#include "together.h"
#include "commands.h"
#include "figures.h"
#include "guarantee.h"
#include "interrupt.h"
#include "log_lines.h"
#include "notify.h"
#include "output.h"
#include "places.h"
#include "secrets.h"

#include <string.h>

static bool should_continue_federated(void *user) {
    (void)user;
    notify_alive();
    if (interrupted()) notify_stopping();
    return !interrupted();
}

static void report_ready(void *user) {
    (void)user;
    notify_ready();
}

/* What became of the owners of the job. */
static struct {
    hr_owner_part part;
    size_t trees, skipped;
    char name[64], reason[256];
} owners[256];
static size_t owner_count;

static void collect_owner(void *user, const hr_owner_report *report) {
    (void)user;
    if (owner_count == sizeof owners / sizeof *owners) return;
    owners[owner_count].part = report->part;
    owners[owner_count].trees = report->trees;
    owners[owner_count].skipped = report->skipped;
    snprintf(owners[owner_count].name, sizeof owners->name, "%s", report->name);
    snprintf(owners[owner_count].reason, sizeof owners->reason, "%s", report->reason);
    owner_count++;
}

static hr_job_ending ended_as; /* OPEN: no job ended */

static void note_ending(void *user, hr_job_ending ending) {
    (void)user;
    ended_as = ending;
}

int together_exit_code(const hr_error *err) {
    const bool by_ending = err->status == HR_E_JOB || err->status == HR_E_POLICY;
    return by_ending && ended_as != HR_JOB_OPEN ? hr_job_ending_of(ended_as)->exit_code
                                                : error_exit_code(err);
}

static void write_ending(json_writer *json) {
    if (ended_as != HR_JOB_OPEN) json_text(json, "ending", hr_job_ending_of(ended_as)->word);
}

static const char *const part_names[] = {"took part", "declined", "did not answer", "cut off",
                                         "accepted"}; /* in the order of hr_owner_part */

static void write_owners(json_writer *json) {
    write_ending(json);
    if (owner_count == 0) return;
    json_open(json, "owners", '[');
    for (size_t i = 0; i < owner_count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "name", owners[i].name);
        json_text(json, "part", part_names[owners[i].part]);
        json_integer(json, "trees", owners[i].trees);
        json_integer(json, "skipped", owners[i].skipped);
        json_text(json, "reason", owners[i].reason);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Those who did not take part, or not in all of their turns. */
static void print_owners(FILE *out) {
    const char *head = "owners";
    char line[512];
    for (size_t i = 0; i < owner_count; i++) {
        if (owners[i].part == HR_OWNER_PART_TAKEN && owners[i].skipped == 0) continue;
        int size = snprintf(line, sizeof line, "%s %s", owners[i].name, part_names[owners[i].part]);
        if (owners[i].skipped > 0)
            size += snprintf(line + size, sizeof line - (size_t)size, ", %zu of its turns skipped",
                             owners[i].skipped);
        if (*owners[i].reason != '\0')
            snprintf(line + size, sizeof line - (size_t)size, ": %s", owners[i].reason);
        fprintf(out, "%-8s ", head);
        print_wrapped(out, line, 9);
        head = "";
    }
}

void together_report_failure(bool as_json) {
    json_writer json = {.out = stdout};
    if (!as_json) {
        print_owners(stderr);
        return;
    }
    if (owner_count == 0) return;
    json_open(&json, NULL, '{');
    json_flag(&json, "done", false);
    write_owners(&json);
    json_close(&json, '}');
    putchar('\n');
}

hr_party_settings together_settings(int threads) {
    interrupt_defer();
    secrets_guard();
    notify_open();
    hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    settings.threads = threads;
    settings.should_continue = should_continue_federated;
    settings.log_line = log_lines_print;
    settings.ready = report_ready;
    settings.report_owner = collect_owner;
    settings.report_end = note_ending;
    return settings;
}

static void print_federated_json(const hr_model *model, const char *suspect, const char *path) {
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "method", hr_model_method(model));
    json_text(&json, "mode", hr_model_mode(model) == HR_MODE_PAPER ? "paper" : "sound");
    json_text(&json, "model", path);
    json_integer(&json, "trees", hr_model_tree_count(model));
    if (suspect != NULL) json_text(&json, "suspect", suspect);
    json_guarantee(&json, hr_model_guarantee(model));
    write_owners(&json);
    json_close(&json, '}');
    putchar('\n');
}

static void print_figures_json(const hr_evaluation *evaluation, const char *path) {
    json_writer json = {.out = stdout};
    char *text = NULL;
    json_open(&json, NULL, '{');
    json_text(&json, "method", "evaluation");
    json_text(&json, "file", path);
    if (hr_evaluation_render(evaluation, &text, NULL) == HR_OK) json_members(&json, text);
    write_owners(&json);
    json_close(&json, '}');
    putchar('\n');
    hr_text_free(text);
}

static void print_schema_json(const hr_joint_schema *bounded, const char *path) {
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "method", "bounds");
    json_text(&json, "schema", path);
    json_text(&json, "statement", bounded->statement);
    write_owners(&json);
    json_close(&json, '}');
    putchar('\n');
}

static void print_schema(const hr_joint_schema *bounded, const char *path, FILE *out) {
    fprintf(out, "%-8s bounds\n", "method");
    fprintf(out, "%-8s %s\n", "schema", is_standard_output(path) ? "standard output" : path);
    print_owners(out);
    fprintf(out, "%-8s ", "privacy");
    print_wrapped(out, bounded->statement, 9);
}

static void print_model(const hr_model *model, const char *path, FILE *out) {
    fprintf(out, "%-8s %s, in mode %s\n", "method", hr_model_method(model),
            hr_model_mode(model) == HR_MODE_PAPER ? "paper" : "sound");
    fprintf(out, "%-8s %s, %zu trees\n", "model", is_standard_output(path) ? "standard output" : path,
            hr_model_tree_count(model));
    print_owners(out);
    fprintf(out, "%-8s ", "privacy");
    print_wrapped(out, hr_model_guarantee(model)->statement, 9);
}

int together_warn_suspect(const char *checks) {
    if (checks == NULL) return EXIT_DONE;
    fprintf(stderr, "%-8s ", "warning");
    char text[400];
    snprintf(text, sizeof text,
             "the model is suspect: what an owner sent is not possible with the records that the job says. "
             "Checks that failed: %s. Its setting job.suspect names them",
             checks);
    print_wrapped(stderr, text, 9);
    return EXIT_SUSPECT;
}

int together_report(const hr_job_result *result, const char *path, bool as_json) {
    FILE *out = is_standard_output(path) ? stderr : stdout;
    if (result->model != NULL) {
        as_json ? print_federated_json(result->model, result->suspect, path)
                : print_model(result->model, path, out);
    } else if (result->bounded != NULL) {
        as_json ? print_schema_json(result->bounded, path) : print_schema(result->bounded, path, out);
    } else if (as_json) {
        print_figures_json(result->evaluation, path);
    } else {
        print_evaluation(out, result->evaluation, NULL);
        print_owners(out);
    }
    return together_warn_suspect(result->suspect);
}
