/* hedgerow ledger create, freeze, show: the durable budget of one owner. */
#include "commands.h"
#include "output.h"
#include "places.h"

#include <hedgerow/amount.h>
#include <hedgerow/ledger.h>
#include <hedgerow/schema.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct ledger_args {
    const char *path;
    arg_real epsilon, delta;
    bool as_json;
} ledger_args;

#define AT(field) offsetof(ledger_args, field)
#define LEDGER_OPERAND                                                                                       \
    { "LEDGER", 0, ARG_OPERAND, true, AT(path), NULL, "the ledger's file" }

/* ---- ledger create ---- */

static const arg_option create_options[] = {
    LEDGER_OPERAND,
    {"epsilon", 0, ARG_REAL, true, AT(epsilon), "E", "the limit: no more can ever be spent"},
    {"delta", 0, ARG_REAL, false, AT(delta), "D",
     "the same for delta; 0 unless given: runs must then be of --delta 0"},
};

/* SQLite empties the files of changes that an earlier database of that name has left: spendings may be in
 * them alone. */
static hr_status refuse_changes(const char *path, hr_error *err) {
    if (access(path, F_OK) == 0) return HR_OK; /* the ledger itself will be refused */
    char *changes = changes_of(path);
    const hr_status status = changes == NULL ? HR_OK : output_probe(changes, OUTPUT_NEW, err);
    free(changes);
    return status;
}

static int run_create(const command *self, int argc, char **argv) {
    ledger_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_status status = refuse_changes(args.path, &err);
    if (status == HR_OK) status = hr_ledger_create(args.path, args.epsilon.value, args.delta.value, &err);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command ledger_create_command = {
    .name = "ledger create",
    .summary = "create a ledger: the limit of what all runs on your records may spend",
    .details = "The limits can never be raised; an existing file is not changed. Keep one ledger for one set "
               "of records: the limits of two ledgers add up.",
    .example = "  hedgerow ledger create hospital.db --epsilon 3 --delta 1e-6",
    .options = create_options,
    .option_count = COUNT_OF(create_options),
    .run = run_create,
    .whole = true,
};

/* ---- ledger freeze ---- */

static const arg_option freeze_options[] = {LEDGER_OPERAND};

static int run_freeze(const command *self, int argc, char **argv) {
    ledger_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_ledger *ledger = NULL;
    hr_status status = hr_ledger_open(args.path, &ledger, &err);
    if (status == HR_OK) status = hr_ledger_freeze(ledger, &err);
    hr_ledger_close(ledger);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command ledger_freeze_command = {
    .name = "ledger freeze",
    .summary = "forbid all further spending; this cannot be undone",
    .details = "",
    .example = "  hedgerow ledger freeze hospital.db",
    .options = freeze_options,
    .option_count = COUNT_OF(freeze_options),
    .run = run_freeze,
    .whole = true,
};

/* ---- ledger show ---- */

static const arg_option show_options[] = {
    LEDGER_OPERAND,
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"},
};

static const char *state_text(hr_entry_state state) {
    static const char *const texts[] = {"reserved", "committed", "void"}; /* in the order of hr_entry_state */
    return texts[state];
}

static void print_budget(const hr_ledger_total *total) {
    char spent[HR_AMOUNT_TEXT], limit[HR_AMOUNT_TEXT], left[HR_AMOUNT_TEXT];
    hr_spent_text(total->epsilon_spent, spent);
    hr_epsilon_left_text(total->epsilon_limit, limit);
    hr_epsilon_left_text(total->epsilon_left, left);
    printf("%-8s %s of %s spent, %s left\n", "epsilon", spent, limit, left);
    hr_spent_text(total->delta_spent, spent);
    hr_delta_left_text(total->delta_limit, limit);
    hr_delta_left_text(total->delta_left, left);
    printf("%-8s %s of %s spent, %s left\n", "delta", spent, limit, left);
}

static bool print_entry(void *user, const hr_ledger_entry *entry) {
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT];
    (void)user;
    hr_spent_text(entry->epsilon, epsilon);
    hr_spent_text(entry->delta, delta);
    printf("%4lld  %-24s %-9s  %9s  %9s  %s\n", (long long)entry->id, entry->when, state_text(entry->state),
           epsilon, delta, entry->purpose);
    return true;
}

/* What a ledger is for, once it has an entry: "" are records. */
static hr_status print_ledger_unit(hr_ledger *ledger, hr_error *err) {
    char *unit = NULL;
    hr_status status = hr_ledger_unit(ledger, &unit, err);
    if (unit != NULL && unit[0] != '\0') printf("%-8s one person: all records of one %s\n", "unit", unit);
    hr_text_free(unit);
    return status;
}

static hr_status show_table(hr_ledger *ledger, const hr_ledger_total *total, hr_error *err) {
    hr_status status = print_ledger_unit(ledger, err);
    if (status != HR_OK) return status;
    print_budget(total);
    printf("%-8s %s\n", "state", total->frozen ? "frozen: no further spending" : "open");
    if (total->entries == 0) return HR_OK;
    printf("\n%4s  %-24s %-9s  %9s  %9s  %s\n", "id", "when", "state", "epsilon", "delta", "purpose");
    return hr_ledger_each(ledger, print_entry, NULL, err);
}

static bool write_entry(void *user, const hr_ledger_entry *entry) {
    json_writer *json = user;
    json_open(json, NULL, '{');
    json_integer(json, "id", (uint64_t)entry->id);
    json_text(json, "when", entry->when);
    json_text(json, "state", state_text(entry->state));
    json_number(json, "epsilon", entry->epsilon);
    json_delta(json, "delta", entry->delta);
    json_text(json, "purpose", entry->purpose);
    json_close(json, '}');
    return true;
}

static hr_status show_json(hr_ledger *ledger, const hr_ledger_total *total, hr_error *err) {
    char *unit = NULL;
    hr_status known = hr_ledger_unit(ledger, &unit, err);
    if (known != HR_OK) return known;
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_number(&json, "epsilon_limit", total->epsilon_limit);
    json_number(&json, "epsilon_spent", total->epsilon_spent);
    json_delta_left(&json, "delta_limit", total->delta_limit);
    json_delta(&json, "delta_spent", total->delta_spent);
    json_flag(&json, "frozen", total->frozen);
    if (unit != NULL && unit[0] != '\0') json_text(&json, "unit", unit);
    hr_text_free(unit);
    json_open(&json, "entries", '[');
    const hr_status status = hr_ledger_each(ledger, write_entry, &json, err);
    json_close(&json, ']');
    json_close(&json, '}');
    putchar('\n');
    return status;
}

static int run_ledger_show(const command *self, int argc, char **argv) {
    ledger_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_ledger *ledger = NULL;
    hr_ledger_total total;
    hr_status status = hr_ledger_open(args.path, &ledger, &err);
    if (status == HR_OK) status = hr_ledger_sum(ledger, &total, &err);
    if (status == HR_OK)
        status = args.as_json ? show_json(ledger, &total, &err) : show_table(ledger, &total, &err);
    hr_ledger_close(ledger);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command ledger_show_command = {
    .name = "ledger show",
    .summary = "what was spent, when and on what, and what is left",
    .details = "A reserved entry belongs to a run that did not finish: it stays spent. A void entry belongs "
               "to a run that failed before anything was drawn: it is not spent.",
    .example = "  hedgerow ledger show hospital.db",
    .options = show_options,
    .option_count = COUNT_OF(show_options),
    .run = run_ledger_show,
};
