/* hedgerow tune: settings to choose among, and one budget in; a model out that was trained with one of them.
 *
 * Everything that can be refused is refused before the budget is touched, as by train. */
#include "commands.h"
#include "guarantee.h"
#include "input.h"
#include "interrupt.h"
#include "keep.h"
#include "misfit.h"
#include "output.h"
#include "places.h"
#include "reserved.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct tune_args {
    const char *schema, *method, *model, *ledger;
    table_args table;
    arg_list sets, private_bounds;
    arg_real epsilon, delta, share, bounds_share;
    bool as_json, quiet, force, strict;
} tune_args;

#define AT(field) offsetof(tune_args, field)

static const arg_option tune_options[] = {
    {"data", 0, ARG_LIST, true, AT(table.data), "FILE", "the records; - is standard input; may be repeated"},
    {"schema", 0, ARG_TEXT, true, AT(schema), "FILE",
     "the public facts about them ('hedgerow schema init' proposes some)"},
    {"set", 0, ARG_LIST, true, AT(sets), "NAME=VALUE,...",
     "one setting: 'method' or options of the method, with commas (in lists they are the value's); 'default' "
     "changes nothing; 2 to 64 times"},
    {"method", 0, ARG_TEXT, false, AT(method), "NAME", "of settings that name none; hedge unless given"},
    {"model", 0, ARG_TEXT, true, AT(model), "FILE", "where the model goes; - is standard output"},
    {"force", 0, ARG_FLAG, false, AT(force), NULL, "replace the model that is there"},
    {"epsilon", 0, ARG_REAL, false, AT(epsilon), "E",
     "privacy budget of trials, choice and model together; 1 unless given"},
    {"delta", 0, ARG_REAL, false, AT(delta), "D",
     "what is added to e^epsilon times the probability of any set of models, below 1/records; 0: pure "
     "epsilon. The default of the first setting's method unless given"},
    {"share", 0, ARG_REAL, false, AT(share), "X",
     "part of the budget for trials and choice, 0.01 to 0.9; 0.1 unless given"},
    {"ledger", 0, ARG_TEXT, false, AT(ledger), "FILE",
     "spend from this ledger ('hedgerow ledger create' creates one)"},
    {"private-bounds", 0, ARG_LIST, false, AT(private_bounds), "COLUMN",
     "release the bounds of this number, once for all settings; may be repeated"},
    {"bounds-share", 0, ARG_REAL, false, AT(bounds_share), "X",
     "part of the budget for them; 0.05 unless given"},
    THREADS_OPTION(tune_args),
    TABLE_OPTIONS(tune_args),
    SKIP_OPTION(tune_args),
    EQUAL_OPTION(tune_args),
    {"strict", 0, ARG_FLAG, false, AT(strict), NULL, STRICT_HELP},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object instead of the summary"},
    {"quiet", 0, ARG_FLAG, false, AT(quiet), NULL, "no progress bar, no summary"},
};

/* What one run holds; all of it is freed by close_run. */
typedef struct tune_run {
    hr_fit_options settings[HR_TUNE_SETTINGS_MAX];
    hr_tune_options options;
    progress_bar bar;
    misfit_rule remarks;
    hr_schema *schema;
    hr_ledger *ledger;
    hr_data *data;
    hr_tuned tuned;
    int64_t entry; /* of this run in the ledger; 0: none */
} tune_run;

static void close_run(tune_run *run) {
    hr_model_free(run->tuned.model);
    hr_data_free(run->data);
    hr_ledger_close(run->ledger);
    hr_schema_free(run->schema);
}

static bool usable(const command *self, const tune_args *args) {
    const char *wrong = NULL;
    if (args->sets.count < 2 || args->sets.count > HR_TUNE_SETTINGS_MAX)
        wrong =
            "--set is given 2 to 64 times: one setting needs no choice, and 'hedgerow train' trains with it";
    else if (args->as_json && is_standard_output(args->model))
        wrong = "--json and --model - both write to standard output; name a file for the model";
    else if (args->bounds_share.given && args->private_bounds.count == 0)
        wrong = "--bounds-share is for --private-bounds: name the columns";
    if (wrong != NULL) usage_error(self->name, "%s", wrong);
    if (wrong != NULL || !input_threads_usable(self, &args->table) ||
        !input_table_usable(self, &args->table, args->schema))
        return false;
    const named_file model = {"--model", args->model};
    named_file others[TABLE_FILES_MAX + 2] = {{"--schema", args->schema}, {"--ledger", args->ledger}};
    return output_apart(self->name, &model, others, 2 + input_table_files(&args->table, others + 2));
}

/* ---- Settings ---- */

/* The comma or the end behind a pair: commas within a list, or within quotes in it, are the value's. */
static char *end_of_pair(char *at) {
    char quote = '\0', before = '\0';
    for (int depth = 0; *at != '\0' && (*at != ',' || depth > 0); before = *at++) {
        if (quote != '\0')
            quote = *at == quote ? '\0' : quote;
        else if ((*at == '"' || *at == '\'') && strchr("[, ", before) != NULL)
            quote = depth > 0 ? *at : '\0';
        else
            depth += (*at == '[') - (*at == ']');
    }
    return at;
}

/* Cuts the next NAME=VALUE off. NULL: it is none. */
static char *cut_pair(char **rest, char **value) {
    char *name = *rest, *end = end_of_pair(name);
    *rest = *end != '\0' ? end + 1 : end;
    *end = '\0';
    *value = strchr(name, '=');
    if (*value == NULL || *value == name) return NULL;
    *(*value)++ = '\0';
    return name;
}

/* The method first, whose defaults the others change. */
static hr_status take_pairs(const char *text, bool methods, hr_fit_options *options, hr_error *err) {
    char *copy = strdup(text), *rest = copy, *value;
    hr_status status = copy != NULL ? HR_OK : fail_memory(err);
    while (status == HR_OK && *rest != '\0') {
        const char *name = cut_pair(&rest, &value);
        if (name == NULL)
            status = fail_argument(err, "a setting is NAME=VALUE,NAME=VALUE,... or 'default'",
                                   "such as --set trees=50,depth=3");
        else if (strcmp(name, "epsilon") == 0 || strcmp(name, "delta") == 0)
            status = fail_argument(err, "epsilon and delta are those of the whole choice, not of a setting",
                                   "give --epsilon and --delta");
        else if (methods && strcmp(name, "method") == 0)
            status = hr_fit_options_init(options, value, HR_MODE_SOUND, err);
        else if (!methods && strcmp(name, "method") != 0)
            status = hr_fit_options_set(options, name, value, err);
        if (status == HR_OK && hr_method_find(options->method) != NULL)
            options->method = hr_method_find(options->method)->name; /* not in `copy` */
    }
    free(copy);
    return status;
}

static hr_status name_setting(size_t i, hr_error *err) {
    char field[sizeof err->field];
    snprintf(field, sizeof field, "set %zu%s%.80s", i + 1, *err->field != '\0' ? ": " : "", err->field);
    memcpy(err->field, field, sizeof field);
    return err->status;
}

static hr_status take_setting(const tune_args *args, size_t i, hr_fit_options *options, hr_error *err) {
    const char *text = args->sets.items[i];
    hr_status status = hr_fit_options_init(options, args->method, HR_MODE_SOUND, err);
    if (status == HR_OK && strcmp(text, "default") != 0) {
        status = take_pairs(text, true, options, err);
        if (status == HR_OK) status = take_pairs(text, false, options, err);
        if (status != HR_OK) return name_setting(i, err);
    }
    options->threads = (int)args->table.threads.value;
    options->private_bounds = (const char *const *)args->private_bounds.items;
    options->private_bounds_count = args->private_bounds.count;
    if (args->bounds_share.given) options->bounds_share = args->bounds_share.value;
    return status;
}

static bool should_continue_tuning(void *user, size_t done, size_t total) {
    progress_step(user, done, total);
    return done == total || !interrupted();
}

static bool print_tune_remark(void *rule, const hr_remark *remark) {
    return print_remark(rule, remark);
}

static hr_status set_options(const tune_args *args, tune_run *run, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; status == HR_OK && i < args->sets.count; i++)
        status = take_setting(args, i, &run->settings[i], err);
    run->options = (hr_tune_options)HR_TUNE_OPTIONS_INIT;
    run->options.delta = args->delta.given ? args->delta.value : run->settings[0].delta;
    if (args->epsilon.given) run->options.epsilon = args->epsilon.value;
    if (args->share.given) run->options.share = args->share.value;
    run->options.entry = &run->entry;
    progress_init(&run->bar, !args->quiet && !args->as_json);
    run->options.progress = should_continue_tuning;
    run->options.user = &run->bar;
    run->settings[0].remark = print_tune_remark;
    run->settings[0].user = &run->remarks;
    return status;
}

/* ---- The run ---- */

static output_rule rule_of(const tune_args *args) {
    return args->force ? OUTPUT_FORCED : OUTPUT_UNFORCED;
}

static hr_status read_records(const command *self, const tune_args *args, tune_run *run, hr_error *err) {
    hr_status status = input_table(run->schema, &args->table, false, &run->data, err);
    run->remarks =
        (misfit_rule){.command = self->name, .path = input_table_name(&args->table), .strict = args->strict};
    if (status == HR_OK) input_warn_skipped(self, run->data);
    return status;
}

static hr_status choose_and_train(const command *self, const tune_args *args, tune_run *run, hr_error *err) {
    hr_status status = set_options(args, run, err);
    if (status == HR_OK) status = model_probe(args->model, rule_of(args), err);
    if (status == HR_OK) status = input_schema(args->schema, &run->schema, err);
    if (status == HR_OK) status = input_drop(&run->schema, &args->table, err);
    if (status == HR_OK && (status = hr_schema_reviewed(run->schema, err)) != HR_OK)
        snprintf(err->file, sizeof err->file, "%s", args->schema);
    if (status == HR_OK && args->ledger != NULL) status = hr_ledger_open(args->ledger, &run->ledger, err);
    run->options.ledger = run->ledger;
    if (status == HR_OK) status = read_records(self, args, run, err);
    if (status != HR_OK) return status;
    const hr_fit_options *list[HR_TUNE_SETTINGS_MAX];
    for (size_t i = 0; i < args->sets.count; i++) list[i] = &run->settings[i];
    interrupt_defer();
    status = hr_tune(run->data, list, args->sets.count, &run->options, &run->tuned, err);
    progress_clear(&run->bar);
    end_remarks(&run->remarks, err);
    size_t at;
    char rest[sizeof err->field] = "";
    if (status != HR_OK && sscanf(err->field, "settings[%zu]%127s", &at, rest) >= 1) {
        memmove(err->field, *rest == '.' ? rest + 1 : rest, strlen(rest) + (*rest != '.'));
        name_setting(at, err);
    }
    return status;
}

static void print_summary(FILE *out, const tune_args *args, const tune_run *run,
                          const hr_ledger_total *total) {
    const hr_model *model = run->tuned.model;
    fprintf(out, "%-8s %zu of %zu: %s; chosen privately\n", "setting", run->tuned.chosen + 1,
            args->sets.count, args->sets.items[run->tuned.chosen]);
    fprintf(out, "%-8s %s, in mode sound\n", "method", hr_model_method(model));
    fprintf(out, "%-8s %zu rows (" EXACT_ROWS "), %zu features\n", "data", hr_data_rows(run->data),
            hr_schema_feature_count(run->schema));
    fprintf(out, "%-8s %s, %zu trees\n", "model",
            is_standard_output(args->model) ? "standard output" : args->model, hr_model_tree_count(model));
    print_ledger_left(out, total);
    print_privacy(out, is_standard_output(args->model) ? "FILE" : args->model, model,
                  "trials, choice and model");
}

static void print_json(const tune_args *args, const tune_run *run, const hr_ledger_total *total) {
    const hr_model *model = run->tuned.model;
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_integer(&json, "settings", args->sets.count);
    json_integer(&json, "chosen", run->tuned.chosen + 1);
    json_text(&json, "setting", args->sets.items[run->tuned.chosen]);
    json_text(&json, "method", hr_model_method(model));
    json_text(&json, "model", args->model);
    json_exact_rows(&json, "", hr_data_rows(run->data));
    json_integer(&json, "trees", hr_model_tree_count(model));
    json_integer(&json, "releases", hr_model_release_count(model));
    json_number(&json, "epsilon_trial", run->tuned.epsilon_trial);
    json_number(&json, "epsilon_fit", run->tuned.epsilon_fit);
    json_guarantee(&json, hr_model_guarantee(model));
    json_ledger(&json, total);
    json_close(&json, '}');
    putchar('\n');
}

static void report_tuned(const command *self, const tune_args *args, const tune_run *run) {
    hr_ledger_total room;
    const hr_ledger_total *total = read_ledger_total(self->name, run->ledger, &room);
    if (args->as_json)
        print_json(args, run, total);
    else if (!args->quiet)
        print_summary(is_standard_output(args->model) ? stderr : stdout, args, run, total);
}

static int run_tune(const command *self, int argc, char **argv) {
    tune_args args = {0};
    if (!args_parse(self, argc, argv, &args) || !usable(self, &args)) return EXIT_USAGE;
    tune_run run = {0};
    hr_error err = {0};
    int code = EXIT_DONE;
    if (choose_and_train(self, &args, &run, &err) != HR_OK) {
        code = report_run_failure(self->name, run.ledger, args.ledger, run.entry, &err);
    } else {
        /* A reader of standard output that has gone away must not end the process before the model is kept
         * elsewhere. */
        signal(SIGPIPE, SIG_IGN);
        if (model_write(run.tuned.model, args.model, rule_of(&args), &err) == HR_OK) {
            report_tuned(self, &args, &run);
        } else {
            code = report_error(self->name, &err);
            model_rescue(self->name, run.tuned.model, args.ledger, run.entry);
        }
    }
    close_run(&run);
    return code;
}

const command tune_command = {
    .name = "tune",
    .summary = "choose among settings and train a model, for one budget",
    .details =
        "Every setting trains once for a small part of the budget, one is chosen privately by how well these "
        "models predict the records, and a model is trained with it for the rest. The ledger is charged "
        "epsilon and delta once, for all of it, before any noise is drawn, and the model's guarantee covers "
        "it. A default that is good as it is needs no choice: see docs/explanation/tuning.md.",
    .example = "  hedgerow tune --data train.csv --schema schema.yaml --method dpboost --set trees=5,depth=3 "
               "--set trees=20,depth=2 --epsilon 1 --ledger hospital.db --model model.json",
    .options = tune_options,
    .option_count = COUNT_OF(tune_options),
    .run = run_tune,
    .once = true,
};
