/* hedgerow: finds the command and lets it run. Everything a command does goes through the public headers of
 * the library. */
#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "ranks.h"

#include <hedgerow/hedgerow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the help: what one owner needs, what a federation does, and tables to try things on. */
static const command *const commands[] = {
    &schema_init_command,
    &schema_review_command,
    &schema_check_command,
    &train_command,
    &predict_command,
    &evaluate_command,
    &show_command,
    &export_command,
    &ledger_create_command,
    &ledger_show_command,
    &ledger_freeze_command,
    &ledger_verify_command,
    &ledger_restore_command,
    &ledger_charge_command,
    &ledger_witness_command,
    &tune_command,
    &split_command,
    &bin_command,
    &methods_command,
    &simulate_command,
    &serve_command,
    &coordinate_command,
    &submit_command,
    &status_command,
    &jobs_command,
    &jobs_approve_command,
    &jobs_refuse_command,
    &jobs_cancel_command,
    &jobs_reconcile_command,
    &jobs_log_command,
    &jobs_fetch_command,
    &policy_check_command,
    &federation_init_command,
    &federation_open_command,
    &federation_add_command,
    &federation_remove_command,
    &federation_rekey_command,
    &federation_renew_command,
    &federation_fingerprint_command,
    &federation_show_command,
    &federation_purge_command,
    &keygen_command,
    &attack_simfl_command,
    &generate_hospital_command,
    &generate_classification_command,
    &generate_regression_command,
    &generate_friedman1_command,
};

/* Titles of the listing, each before the command that it names. */
static const struct {
    const command *first;
    const char *title;
} parts[] = {{&schema_init_command, "commands:"},
             {&ledger_show_command, "more commands:"},
             {&simulate_command, "commands for a federation:"},
             {&generate_hospital_command, "commands that invent tables, to try things on:"}};

static const char tool_example[] =
    "example:\n"
    "  hedgerow generate hospital --rows 20000 --seed 1 -o train.csv --schema schema.yaml\n"
    "  hedgerow train --data train.csv --schema schema.yaml --epsilon 1 --model model.json\n"
    "  hedgerow evaluate --model model.json --data train.csv\n";

/* How many words of the command line name the command: all of them must match. 0: another command. */
static int words_matching(const command *candidate, int argc, char **argv) {
    const char *name = candidate->name;
    for (int words = 0; words < argc; words++) {
        const size_t length = strcspn(name, " ");
        if (strlen(argv[words]) != length || memcmp(name, argv[words], length) != 0) return 0;
        if (name[length] == '\0') return words + 1;
        name += length + 1;
    }
    return 0;
}

static bool in_group(const command *candidate, const char *group) {
    const size_t length = strlen(group);
    return strncmp(candidate->name, group, length) == 0 && candidate->name[length] == ' ';
}

static bool is_group(const char *word) {
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        if (in_group(commands[i], word)) return true;
    }
    return false;
}

static void list_command(const command *listed) {
    printf("  %-24s  ", listed->name);
    print_wrapped(stdout, listed->summary, 28);
}

static void list_all_commands(void) {
    size_t part = 0;
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        if (part < COUNT_OF(parts) && parts[part].first == commands[i]) printf("\n%s\n", parts[part++].title);
        list_command(commands[i]);
    }
}

static int print_tool_help(void) {
    puts("usage: hedgerow COMMAND [options]\n\n"
         "Trains decision-tree ensembles with differential privacy that is proved.");
    list_all_commands();
    puts("\n  help [COMMAND]            this, or a command's options and an example\n"
         "  --version                 the version\n");
    printf("%s\nexit codes: 0 done, 1 failed, 2 wrong usage, 3 refused by a policy or a budget,\n            "
           "4 not in this build, 5 a suspect model, 6 in use by another process,\n            "
           "10 to 16 how a job ended (coordinate), 128 + N ended by signal N\n",
           tool_example);
    return EXIT_DONE;
}

static int print_group_help(const char *group) {
    printf("usage: hedgerow %s COMMAND [options]\n\ncommands:\n", group);
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (in_group(commands[i], group)) list_command(commands[i]);
    printf("\nexample:\n");
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        if (in_group(commands[i], group)) {
            puts(commands[i]->example);
            break;
        }
    }
    return EXIT_DONE;
}

/* Says that no command has the name argv[0], or argv[0] argv[1] within a group. */
static int unknown_command(int argc, char **argv) {
    char word[96];
    const bool grouped = is_group(argv[0]);
    snprintf(word, sizeof word, grouped && argc > 1 ? "%s %s" : "%s", argv[0], argc > 1 ? argv[1] : "");
    const char *names[2 * COUNT_OF(commands) + 3];
    char groups[COUNT_OF(commands)][32];
    size_t count = 0;
    names[count++] = "help";
    names[count++] = "--help";
    names[count++] = "--version";
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        names[count++] = commands[i]->name;
        if (strchr(commands[i]->name, ' ') == NULL) continue;
        snprintf(groups[i], sizeof groups[i], "%.*s", (int)strcspn(commands[i]->name, " "),
                 commands[i]->name);
        names[count++] = groups[i];
    }
    const char *nearest = args_nearest(word, names, count);
    if (nearest != NULL && strcmp(nearest, word) != 0) {
        return usage_error(grouped ? argv[0] : "", "unknown command '%s'; did you mean '%s'?", word, nearest);
    }
    return usage_error(grouped ? argv[0] : "", "unknown command '%s'", word);
}

/* "jobs approve" is not "jobs" with an operand: the longest name that matches. */
static const command *find_command(int argc, char **argv, int *words) {
    const command *found = NULL;
    *words = 0;
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        const int matching = words_matching(commands[i], argc, argv);
        if (matching <= *words) continue;
        *words = matching;
        found = commands[i];
    }
    return found;
}

static int help(int argc, char **argv) {
    if (argc == 0) return print_tool_help();
    int words = 0;
    const command *found = find_command(argc, argv, &words);
    if (found != NULL) {
        args_print_help(found);
        return EXIT_DONE;
    }
    if (argc == 1 && is_group(argv[0])) return print_group_help(argv[0]);
    return unknown_command(argc, argv);
}

/* HEDGEROW_KERNELS: for tests and measurements; every name gives the same results. */
static int choose_kernels(void) {
    const char *name = getenv("HEDGEROW_KERNELS");
    hr_error err = {0};
    if (name == NULL || *name == '\0' || hr_use_kernels(name, &err) == HR_OK) return EXIT_DONE;
    snprintf(err.field, sizeof err.field, "HEDGEROW_KERNELS");
    return report_error("", &err);
}

/* HEDGEROW_THREADS is the library's; a bad value ends every command, also one without threads. */
static int check_threads(void) {
    int threads;
    hr_error err = {0};
    return hr_threads(&threads, &err) == HR_OK ? EXIT_DONE : report_error("", &err);
}

static int dispatch(int argc, char **argv) {
    int words = 0;
    const command *found = find_command(argc, argv, &words);
    if (found != NULL && found->reloads) interrupt_reloads();
    int ready = choose_kernels();
    if (ready == EXIT_DONE) ready = check_threads();
    if (ready != EXIT_DONE) return ready;
    if (argc == 0) return usage_error("", "a command is required");
    if (strcmp(argv[0], "--version") == 0) {
        printf("hedgerow %s\n", hr_version());
        return EXIT_DONE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) return print_tool_help();
    if (strcmp(argv[0], "help") == 0) return help(argc - 1, argv + 1);
    if (found == NULL) {
        if (!is_group(argv[0])) return unknown_command(argc, argv);
        if (argc == 1) return usage_error(argv[0], "a command is required");
        return args_want_help(argc, argv) ? print_group_help(argv[0]) : unknown_command(argc, argv);
    }
    if (args_want_help(argc - words, argv + words)) {
        args_print_help(found);
        return EXIT_DONE;
    }
    if (ranks_refused(found, &ready)) return ready;
    interrupt_watch(found->name);
    if (found->whole) interrupt_hold();
    const int code = found->run(found, argc - words, argv + words);
    if (found->whole) interrupt_release();
    return code;
}

int main(int argc, char **argv) {
    const int code = dispatch(argc - 1, argv + 1);
    const bool lost = fflush(stdout) != 0 || ferror(stdout);
    if (code != EXIT_DONE || !lost) return code;
    hr_error err = {0};
    fail_io(&err, "standard output", "cannot be written", "check the place that it is written to");
    return report_error("", &err);
}
