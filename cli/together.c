#include "together.h"
#include "commands.h"
#include "output.h"
#include "places.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t asked_to_end;

static void note_signal(int number) {
    (void)number;
    asked_to_end = 1;
}

static bool should_continue_federated(void *user) {
    (void)user;
    return !asked_to_end;
}

static void print_log_line(void *user, const char *line) {
    fprintf(stderr, "hedgerow %s: %s\n", (const char *)user, line);
}

hr_party_settings together_settings(const char *name, int threads, bool quiet) {
    struct sigaction action = {.sa_handler = note_signal,
                               .sa_flags = (int)SA_RESETHAND}; /* the second time, it ends at once */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    settings.threads = threads;
    settings.should_continue = should_continue_federated;
    settings.log_line = quiet ? NULL : print_log_line;
    settings.user = (void *)name;
    return settings;
}

static void print_federated_json(const hr_model *model, const char *path) {
    const hr_guarantee *guarantee = hr_model_guarantee(model);
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "method", hr_model_method(model));
    json_text(&json, "mode", hr_model_mode(model) == HR_PAPER ? "paper" : "sound");
    json_text(&json, "model", path);
    json_integer(&json, "trees", hr_model_tree_count(model));
    json_flag(&json, "private", guarantee->is_private);
    json_number(&json, "epsilon", guarantee->epsilon);
    json_number(&json, "delta", guarantee->delta);
    json_text(&json, "unit", guarantee->unit);
    json_text(&json, "statement", guarantee->statement);
    json_close(&json, '}');
    putchar('\n');
}

bool together_output_free(const char *name, const char *path, bool as_json) {
    if (!as_json || !is_standard_output(path)) return true;
    usage_error(name, "--json and --model - both write to standard output; name a file for the model");
    return false;
}

void together_report(const hr_model *model, const char *path, bool as_json) {
    if (as_json) {
        print_federated_json(model, path);
        return;
    }
    FILE *out = is_standard_output(path) ? stderr : stdout;
    fprintf(out, "%-8s %s, in mode %s\n", "method", hr_model_method(model),
            hr_model_mode(model) == HR_PAPER ? "paper" : "sound");
    fprintf(out, "%-8s %s, %zu trees\n", "model", is_standard_output(path) ? "standard output" : path,
            hr_model_tree_count(model));
    fprintf(out, "%-8s ", "privacy");
    print_wrapped(out, hr_model_guarantee(model)->statement, 9);
}
