/* hedgerow ledger verify, restore, charge, witness: a ledger that is an older copy of itself. */
#include "commands.h"
#include "output.h"

#include <hedgerow/amount.h>
#include <hedgerow/federation.h>
#include <hedgerow/ledger.h>
#include <hedgerow/schema.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct lost_args {
    const char *path, *receipts, *key, *purpose, *witness;
    arg_real epsilon, delta;
    bool as_json;
} lost_args;

#define AT(field) offsetof(lost_args, field)
#define LEDGER_OPERAND                                                                                       \
    { "LEDGER", 0, ARG_OPERAND, true, AT(path), NULL, "the ledger's file" }
#define RECEIPTS                                                                                             \
    {"receipts",                                                                                             \
     0,                                                                                                      \
     ARG_TEXT,                                                                                               \
     true,                                                                                                   \
     AT(receipts),                                                                                           \
     "FOLDER",                                                                                               \
     "the receipts that a coordinator has of the owner"},                                                    \
        {"key",                                                                                              \
         0,                                                                                                  \
         ARG_TEXT,                                                                                           \
         true,                                                                                               \
         AT(key),                                                                                            \
         "KEY",                                                                                              \
         "the owner's key file, or its public key (hr-ed25519:...)"},                                        \
    {                                                                                                        \
        "json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"                                     \
    }

/* ---- ledger verify, ledger restore ---- */

static const arg_option receipt_options[] = {LEDGER_OPERAND, RECEIPTS};

static const char *state_text(hr_receipt_state state) {
    static const char *const texts[] = {"held", "missing", "entered"}; /* in the order of hr_receipt_state */
    return texts[state];
}

/* What was shown so far. */
typedef struct receipt_listing {
    json_writer *json; /* NULL: a table */
    uint64_t counts[HR_RECEIPT_ENTERED + 1];
} receipt_listing;

static void day_text(int64_t second, char out[11]) {
    const time_t when = (time_t)second;
    struct tm day = {0};
    (void)gmtime_r(&when, &day);
    strftime(out, 11, "%Y-%m-%d", &day);
}

static void write_receipt(json_writer *json, const hr_receipt_info *r, const char *day) {
    json_open(json, NULL, '{');
    json_text(json, "federation", r->federation);
    json_text(json, "owner", r->owner);
    json_text(json, "coordinator", r->coordinator);
    json_integer(json, "number", r->number);
    json_text(json, "date", day);
    json_text(json, "state", state_text(r->state));
    json_number(json, "epsilon", r->epsilon);
    json_delta(json, "delta", r->delta);
    json_text(json, "purpose", r->purpose);
    json_close(json, '}');
}

static bool list_receipt(void *user, const hr_receipt_info *r) {
    receipt_listing *listing = user;
    char day[11], epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT];
    day_text(r->date, day);
    listing->counts[r->state]++;
    if (listing->json) {
        write_receipt(listing->json, r, day);
        return true;
    }
    hr_spent_text(r->epsilon, epsilon);
    hr_spent_text(r->delta, delta);
    printf("%4llu  %-10s  %-8s  %9s  %9s  %s\n", (unsigned long long)r->number, day, state_text(r->state),
           epsilon, delta, r->purpose);
    return true;
}

/* Fails if the ledger lacks any, after all were listed. */
static int end_listing(const command *self, const lost_args *args, const receipt_listing *listing) {
    const uint64_t missing = listing->counts[HR_RECEIPT_MISSING];
    if (missing == 0) return EXIT_DONE;
    fprintf(stderr,
            "hedgerow %s: %s: the ledger is an older copy: it lacks %llu of %llu entries\n"
            "'hedgerow ledger restore' enters them.\n",
            self->name, args->path, (unsigned long long)missing,
            (unsigned long long)(missing + listing->counts[HR_RECEIPT_HELD]));
    return EXIT_REFUSED;
}

static int list_receipts(const command *self, const lost_args *args, bool restores) {
    hr_error err = {0};
    json_writer json = {.out = stdout};
    receipt_listing listing = {.json = args->as_json ? &json : NULL};
    if (args->as_json) {
        json_open(&json, NULL, '{');
        json_open(&json, "receipts", '[');
    }
    const hr_status status = (restores ? hr_receipts_restore : hr_receipts_verify)(
        args->path, args->receipts, args->key, list_receipt, &listing, &err);
    if (args->as_json) {
        json_close(&json, ']');
        json_close(&json, '}');
        putchar('\n');
    }
    return status == HR_OK ? end_listing(self, args, &listing) : report_error(self->name, &err);
}

static int run_verify(const command *self, int argc, char **argv) {
    lost_args args = {0};
    return args_parse(self, argc, argv, &args) ? list_receipts(self, &args, false) : EXIT_USAGE;
}

const command ledger_verify_command = {
    .name = "ledger verify",
    .summary = "compare a ledger with the receipts that a coordinator has of it",
    .details =
        "The ledger of an owner signs a receipt for the coordinator of each job that it pays for. A "
        "receipt without an entry shows that the ledger is an older copy, restored from a backup: it is "
        "listed as missing, and the exit code is 3. The coordinator has the receipts in the folder "
        "JOURNAL.receipts/OWNER.",
    .example = "  hedgerow ledger verify west.db --receipts study.db.receipts/west --key west.key",
    .options = receipt_options,
    .option_count = COUNT_OF(receipt_options),
    .run = run_verify,
};

static int run_restore(const command *self, int argc, char **argv) {
    lost_args args = {0};
    return args_parse(self, argc, argv, &args) ? list_receipts(self, &args, true) : EXIT_USAGE;
}

const command ledger_restore_command = {
    .name = "ledger restore",
    .summary = "enter into an older copy of a ledger what its receipts show as spent",
    .details =
        "Each receipt that 'ledger verify' calls missing becomes an entry, as spent, whatever the limits "
        "are; all or none. A receipt that was not signed with the owner's key is refused. What runs on "
        "this machine spent since the copy has no receipt: enter it with 'ledger charge'.",
    .example = "  hedgerow ledger restore west.db --receipts study.db.receipts/west --key west.key",
    .options = receipt_options,
    .option_count = COUNT_OF(receipt_options),
    .run = run_restore,
    .whole = true,
};

/* ---- ledger charge ---- */

static const arg_option charge_options[] = {
    LEDGER_OPERAND,
    {"epsilon", 0, ARG_REAL, true, AT(epsilon), "E", "what was spent"},
    {"delta", 0, ARG_REAL, false, AT(delta), "D", "the same for delta; 0 unless given"},
    {"purpose", 0, ARG_TEXT, true, AT(purpose), "TEXT", "what it was spent for: one line"},
};

/* An entry has the unit of its ledger. */
static hr_status charge_ledger(const lost_args *args, int64_t *entry, hr_error *err) {
    hr_ledger *ledger = NULL;
    char *unit = NULL;
    hr_status status = hr_ledger_open(args->path, &ledger, err);
    if (status == HR_OK) status = hr_ledger_unit(ledger, &unit, err);
    if (status == HR_OK) status = hr_ledger_set_unit(ledger, unit, err);
    if (status == HR_OK)
        status = hr_ledger_enter(ledger, args->epsilon.value, args->delta.value, args->purpose, entry, err);
    hr_text_free(unit);
    hr_ledger_close(ledger);
    return status;
}

static int run_charge(const command *self, int argc, char **argv) {
    lost_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    int64_t entry = 0;
    const hr_status status = charge_ledger(&args, &entry, &err);
    if (status != HR_OK) return report_error(self->name, &err);
    printf("entry %lld\n", (long long)entry);
    return EXIT_DONE;
}

const command ledger_charge_command = {
    .name = "ledger charge",
    .summary = "enter by hand what was spent without an entry",
    .details = "For what an older copy of a ledger has lost and no receipt shows, such as a run of 'hedgerow "
               "train' since. The entry counts at once, whatever the limits are, and is never removed.",
    .example =
        "  hedgerow ledger charge hospital.db --epsilon 1 --delta 1e-6 --purpose 'train of March, lost'",
    .options = charge_options,
    .option_count = COUNT_OF(charge_options),
    .run = run_charge,
    .whole = true,
};

/* ---- ledger witness ---- */

static const arg_option witness_options[] = {
    LEDGER_OPERAND,
    {"FILE", 0, ARG_OPERAND, true, AT(witness), NULL, "an absolute path, such as in /var/lib/hedgerow"},
};

static int run_witness(const command *self, int argc, char **argv) {
    lost_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_ledger *ledger = NULL;
    hr_status status = hr_ledger_open(args.path, &ledger, &err);
    if (status == HR_OK) status = hr_ledger_set_witness(ledger, args.witness, &err);
    hr_ledger_close(ledger);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command ledger_witness_command = {
    .name = "ledger witness",
    .summary = "count a ledger's entries in a file elsewhere, so that an older copy is refused",
    .details =
        "From then on each spending brings the number of entries to FILE before noise is drawn, and a "
        "ledger with fewer entries than FILE says is refused. FILE belongs where backups of the ledger "
        "do not go, or at least are not restored together with it. A file that is missing is made.",
    .example = "  hedgerow ledger witness hospital.db /var/lib/hedgerow/hospital.entries",
    .options = witness_options,
    .option_count = COUNT_OF(witness_options),
    .run = run_witness,
    .whole = true,
};
