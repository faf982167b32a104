/* hedgerow train: data, a schema, a method and a budget in; a model out.
 *
 * Everything that can be refused is refused before the budget is touched: options, output path, schema,
 * ledger, data. */
#include "class_weights.h"
#include "commands.h"
#include "guarantee.h"
#include "input.h"
#include "interrupt.h"
#include "keep.h"
#include "misfit.h"
#include "output.h"
#include "places.h"
#include "plan.h"
#include "ranks.h"
#include "reserved.h"
#include "timings.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct train_args {
    const char *schema, *method, *model, *ledger, *start;
    size_t mode;
    table_args table;
    arg_settings settings;
    bool as_json, quiet, reproducible, plan, force, start_is_public, strict, timed;
    arg_integer seed, rows, records_per_person;
    arg_list private_bounds, class_weights;
    arg_real bounds_share;
    link_args link;
} train_args;

#define AT(field) offsetof(train_args, field)

static const arg_option train_options[] = {
    {"data", 0, ARG_LIST, true, AT(table.data), "FILE",
     "the records; - is standard input; may be repeated. Or one file that 'hedgerow bin' wrote"},
    {"schema", 0, ARG_TEXT, true, AT(schema), "FILE",
     "the public facts about them ('hedgerow schema init' proposes some)"},
    {"method", 0, ARG_TEXT, false, AT(method), "NAME",
     "how to train; hedge unless given ('hedgerow methods' lists the methods)"},
    {"model", 0, ARG_TEXT, true, AT(model), "FILE", "where the model goes; - is standard output"},
    {"force", 0, ARG_FLAG, false, AT(force), NULL, "replace the model that is there"},
    {"epsilon", 0, ARG_SETTING, false, AT(settings), "E",
     "privacy budget of this run; the method's default unless given"},
    {"delta", 0, ARG_SETTING, false, AT(settings), "D",
     "what is added to e^epsilon times the probability of any set of models, below 1/records; 0: pure "
     "epsilon. The method's default unless given"},
    {"mode", 0, ARG_CHOICE, false, AT(mode), "sound|paper",
     "sound: the printed guarantee is proved; paper: as published, its guarantee does not hold"},
    {"trees", 0, ARG_SETTING, false, AT(settings), "N", "how many trees"},
    {"depth", 0, ARG_SETTING, false, AT(settings), "N", "how many splits from root to leaf"},
    {"learning-rate", 0, ARG_SETTING, false, AT(settings), "X", "step size: how much of each tree is added"},
    {"lambda", 0, ARG_SETTING, false, AT(settings), "X", "regularisation of leaf values"},
    {"bins", 0, ARG_SETTING, false, AT(settings), "N", "bins of a numeric feature"},
    {"interactions", 0, ARG_SETTING, false, AT(settings), "WHICH",
     "features that a tree may split by together: all; pairs; none, so that the model is a sum of one "
     "curve a feature; or lists of those that may, such as '[[age, dose], [x, y, z]]'"},
    {"conformal", 0, ARG_SETTING, false, AT(settings), "P",
     "of quantiles: hold a fifth of the records out, and correct the interval between two of them by "
     "these, so that on average it covers a part P of the labels, such as 0.8 between 0.1 and 0.9"},
    {"group", 0, ARG_SETTING, false, AT(settings), "FEATURE",
     "a survival curve for each value of this category, at no cost; where noise hides a group, the model "
     "says so"},
    {"columns", 0, ARG_SETTING, false, AT(settings), "NAMES",
     "columns whose statistics are released, such as age,dose; all unless given"},
    {"by", 0, ARG_SETTING, false, AT(settings), "nothing|label",
     "the same statistics of each class of the label, too; nothing unless given"},
    {"option", 0, ARG_PAIR, false, AT(settings), "NAME=VALUE",
     "another option of the method; may be repeated ('hedgerow methods NAME' lists options, defaults and "
     "ranges)"},
    {"records-per-person", 0, ARG_INTEGER, false, AT(records_per_person), "M",
     "where the schema names a unit: train on at most M records of each person, drawn by secret coins, "
     "with the noise of M records; for every method. Unless given, each record of a person counts a part "
     "(hedge, dpboost)"},
    {"threads", 0, ARG_INTEGER, false, AT(table.threads), "N",
     "0: as many processors as it may use; the model does not depend on it"},
    {"ledger", 0, ARG_TEXT, false, AT(ledger), "FILE",
     "spend from this ledger ('hedgerow ledger create' creates one)"},
    {"start", 0, ARG_TEXT, false, AT(start), "FILE",
     "a released model that training continues: its scores come first, and cost nothing again"},
    {"start-is-public", 0, ARG_FLAG, false, AT(start_is_public), NULL,
     "the data of that model need no protection: nothing is charged for it, private or not"},
    {"private-bounds", 0, ARG_LIST, false, AT(private_bounds), "COLUMN",
     "release the bounds of this number, of which the schema has wide limits alone; may be repeated"},
    {"class-weight", 0, ARG_LIST, false, AT(class_weights), "CLASS=X",
     "records of this class count X, those of classes that are not named 1; a public number, of which only "
     "ratios count; may be repeated (hedge, dpboost)"},
    {"bounds-share", 0, ARG_REAL, false, AT(bounds_share), "X",
     "part of the budget for them; 0.05 unless given"},
    TABLE_OPTIONS(train_args),
    SKIP_OPTION(train_args),
    EQUAL_OPTION(train_args),
    LINK_OPTIONS(train_args),
    {"strict", 0, ARG_FLAG, false, AT(strict), NULL, STRICT_HELP},
    {"plan", 0, ARG_WAIVER, false, AT(plan), NULL,
     "print what would be done, from public facts alone: reads no data, spends nothing"},
    {"rows", 0, ARG_INTEGER, false, AT(rows), "N",
     "with --plan: how many records there will be; 10000 unless given"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object instead of the summary"},
    {"quiet", 0, ARG_FLAG, false, AT(quiet), NULL, "no progress bar, no summary"},
    {"timings", 0, ARG_FLAG, false, AT(timed), NULL, TIMINGS_HELP},
    {"unsafe-reproducible-noise", 0, ARG_FLAG, false, AT(reproducible), NULL,
     "noise from --seed: NOT PRIVATE, for tests only"},
    {"seed", 0, ARG_INTEGER, false, AT(seed), "N", "seed of that noise"},
};

/* The model may not be one of the files that it is made from and paid for with. */
static bool train_outputs_apart(const command *self, const train_args *args) {
    const named_file model = {"--model", args->model};
    named_file others[TABLE_FILES_MAX + 3] = {
        {"--schema", args->schema}, {"--ledger", args->ledger}, {"--start", args->start}};
    return output_apart(self->name, &model, others, 3 + input_table_files(&args->table, others + 3));
}

static bool consistent(const command *self, const train_args *args) {
    if (args->seed.given && !args->reproducible) {
        usage_error(self->name, "--seed makes the noise predictable and the model not private; if this is a "
                                "test, add --unsafe-reproducible-noise");
        return false;
    }
    if (!input_threads_usable(self, &args->table) || !ranks_link_usable(self, &args->link)) return false;
    if (args->link.address != NULL && args->plan) {
        usage_error(self->name, "--plan is made by one process; leave --link away");
        return false;
    }
    if (args->as_json && !args->plan && args->model != NULL && is_standard_output(args->model)) {
        usage_error(self->name,
                    "--json and --model %s both write to standard output; name a file for the model",
                    args->model);
        return false;
    }
    if (args->rows.given && !args->plan) {
        usage_error(self->name, "--rows is for --plan: training counts the records by itself, privately");
        return false;
    }
    if (args->timed && args->plan) {
        usage_error(self->name, "--timings is for training: --plan reads no data");
        return false;
    }
    if (args->bounds_share.given && args->private_bounds.count == 0) {
        usage_error(self->name, "--bounds-share is for --private-bounds: name the columns");
        return false;
    }
    if (args->class_weights.count > 0 && args->plan && args->schema == NULL) {
        usage_error(self->name, "--class-weight needs --schema, which names the classes");
        return false;
    }
    if (args->records_per_person.given && args->records_per_person.value == 0) {
        usage_error(self->name, "--records-per-person: give 1 or more");
        return false;
    }
    return args->plan ||
           (input_table_usable(self, &args->table, args->schema) &&
            input_table_usable(self, &args->table, args->start) &&
            input_only_once(self->name, args->schema, args->start) && train_outputs_apart(self, args));
}

/* What one training run holds; all of it is freed by run_done. */
typedef struct train_run {
    hr_fit_options options;
    hr_cluster *cluster;   /* the ranks that train together; NULL: this process alone. Borrowed */
    double *class_weights; /* NULL: none */
    progress_bar bar;
    misfit_rule remarks;
    hr_schema *schema;
    hr_ledger *ledger;
    hr_data *data;
    hr_model *start, *model;
    int64_t entry; /* of this run in the ledger; 0: none */
} train_run;

static void run_done(train_run *run) {
    hr_model_free(run->model);
    hr_model_free(run->start);
    hr_data_free(run->data);
    hr_ledger_close(run->ledger);
    hr_schema_free(run->schema);
    free(run->class_weights);
}

/* After its last step a run is not cancelled: the budget is spent, and the model is nearly made. */
static bool should_continue_training(void *user, size_t done, size_t total) {
    train_run *run = user;
    progress_step(&run->bar, done, total);
    return done == total || !interrupted();
}

static bool print_train_remark(void *user, const hr_remark *remark) {
    train_run *run = user;
    return print_remark(&run->remarks, remark);
}

static hr_status set_options(const train_args *args, train_run *run, hr_error *err) {
    hr_fit_options *options = &run->options;
    hr_status status = hr_fit_options_init(options, args->method, (hr_mode)args->mode, err);
    for (size_t i = 0; status == HR_OK && i < args->settings.count; i++) {
        status =
            hr_fit_options_set(options, args->settings.items[i].name, args->settings.items[i].value, err);
    }
    options->reproducible_noise = args->reproducible;
    options->seed = args->seed.value;
    options->threads = (int)args->table.threads.value;
    options->timings = args->table.timings;
    options->records_per_person = (int64_t)args->records_per_person.value;
    options->private_bounds = (const char *const *)args->private_bounds.items;
    options->private_bounds_count = args->private_bounds.count;
    if (args->bounds_share.given) options->bounds_share = args->bounds_share.value;
    progress_init(&run->bar, !args->quiet && !args->as_json);
    options->progress = should_continue_training;
    options->remark = print_train_remark;
    options->user = run;
    return status;
}

/* After the schema was read. */
static hr_status set_class_weights(const train_args *args, train_run *run, hr_error *err) {
    if (args->class_weights.count == 0) return HR_OK;
    run->options.class_weight_count = hr_schema_label(run->schema)->value_count;
    hr_status status = class_weights_of(run->schema, &args->class_weights, &run->class_weights, err);
    run->options.class_weights = run->class_weights;
    return status;
}

static hr_status read_start(const train_args *args, train_run *run, hr_error *err) {
    hr_status status = args->start == NULL ? HR_OK : input_predictor(args->start, NULL, &run->start, err);
    run->options.start = run->start;
    run->options.start_is_public = args->start_is_public;
    return status;
}

static output_rule train_output_rule(const train_args *args) {
    return args->force ? OUTPUT_FORCED : OUTPUT_UNFORCED;
}

static hr_status read_train_schema(const train_args *args, train_run *run, hr_error *err) {
    hr_status status = input_schema(args->schema, &run->schema, err);
    if (status == HR_OK) status = input_drop(&run->schema, &args->table, err);
    if (status != HR_OK) return status;
    hr_error unused = {0};
    const bool is_paid = args->ledger != NULL && args->mode == HR_MODE_SOUND && !args->reproducible;
    status = hr_schema_reviewed(run->schema, err);
    /* Marks that were accepted are refused for themselves. */
    if (status == HR_OK && is_paid && hr_schema_public(run->schema, &unused) == HR_OK)
        status = hr_schema_decides_unit(run->schema, err);
    if (status != HR_OK) snprintf(err->file, sizeof err->file, "%s", args->schema);
    return status;
}

/* Pages that the file of a map does not have any more: nothing can be done but to say so. Of several threads
 * that miss them the first one speaks, and ends them all. */
static void end_without_pages(int signal_number) {
    static atomic_flag told = ATOMIC_FLAG_INIT;
    static const char text[] =
        "hedgerow train: the binned cache cannot be read any more: it became shorter, or its disk failed; "
        "what is reserved in the ledger stays spent: leave the file alone, and train again\n";
    (void)signal_number;
    while (atomic_flag_test_and_set(&told)) pause();
    const ssize_t unused = write(STDERR_FILENO, text, sizeof text - 1);
    (void)unused;
    _exit(EXIT_FAILED);
}

static hr_status read_train_data(const command *self, const train_args *args, train_run *run, hr_error *err) {
    const arg_list *data = &args->table.data;
    hr_status status;
    /* One file may be a binned cache, unless ranks share it out. */
    if (run->cluster != NULL) {
        status = ranks_table(run->cluster, run->schema, &args->table, &run->data, err);
    } else if (data->count != 1 || !hr_data_is_binned(data->items[0])) {
        status = input_table(run->schema, &args->table, false, &run->data, err);
    } else {
        const int threads = input_threads(args->table.threads);
        /* signal() would forget it when it ran. */
        struct sigaction action = {.sa_handler = end_without_pages};
        sigemptyset(&action.sa_mask);
        sigaction(SIGBUS, &action, NULL);
        status = hr_data_map(run->schema, data->items[0], threads, &run->data, err);
    }
    if (status == HR_OK) input_warn_skipped(self, run->data);
    return status;
}

/* All that comes before the records. */
static hr_status prepare_run(const train_args *args, train_run *run, hr_error *err) {
    hr_status status = set_options(args, run, err);
    if (status == HR_OK) status = model_probe(args->model, train_output_rule(args), err);
    if (status == HR_OK) status = read_train_schema(args, run, err);
    if (status == HR_OK) status = set_class_weights(args, run, err);
    if (status == HR_OK) status = read_start(args, run, err);
    if (status == HR_OK && args->ledger != NULL) status = hr_ledger_open(args->ledger, &run->ledger, err);
    run->options.ledger = run->ledger;
    run->options.entry = &run->entry;
    run->options.cluster = run->cluster;
    return status == HR_OK ? hr_fit_check_cluster(&run->options, run->schema, err) : status;
}

static hr_status fit_model(const command *self, const train_args *args, train_run *run, hr_error *err) {
    hr_status status = prepare_run(args, run, err);
    /* Other ranks begin when rank 0 is prepared, and go on when all are. */
    if (run->cluster != NULL) status = hr_cluster_agree(run->cluster, status, err);
    if (run->cluster != NULL && status == HR_OK) status = hr_cluster_agree(run->cluster, HR_OK, err);

    if (status == HR_OK) status = read_train_data(self, args, run, err);
    interrupt_defer();
    run->remarks = (misfit_rule){self->name, input_table_name(&args->table), args->strict, false, 0};
    if (status == HR_OK) status = hr_fit(run->data, &run->options, &run->model, err);
    progress_clear(&run->bar);
    end_remarks(&run->remarks, err);
    return status;
}

static const char *mode_text(const hr_model *model) {
    return hr_model_mode(model) == HR_MODE_PAPER ? "paper" : "sound";
}

static size_t rows_of_run(const train_run *run) {
    return run->cluster != NULL ? hr_cluster_rows(run->cluster) : hr_data_rows(run->data);
}

/* `total` is NULL without a ledger. */
static void print_summary(FILE *out, const train_args *args, const train_run *run,
                          const hr_ledger_total *total) {
    const hr_method_info *method = hr_method_find(hr_model_method(run->model));
    const bool has_modes = method != NULL && method->is_private;
    fprintf(out, "%-8s %s%s%s\n", "method", hr_model_method(run->model), has_modes ? ", in mode " : "",
            has_modes ? mode_text(run->model) : "");
    print_made(out, rows_of_run(run), args->model, run->model);
    print_ledger_left(out, total);
    print_privacy(out, is_standard_output(args->model) ? "FILE" : args->model, run->model, "the whole model");
}

static void print_train_json(const train_args *args, const train_run *run, const hr_ledger_total *total) {
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "method", hr_model_method(run->model));
    json_text(&json, "mode", mode_text(run->model));
    json_text(&json, "model", args->model);
    json_exact_rows(&json, "", rows_of_run(run));
    json_integer(&json, "features", hr_schema_feature_count(run->schema));
    json_integer(&json, "trees", hr_model_tree_count(run->model));
    json_integer(&json, "releases", hr_model_release_count(run->model));
    json_guarantee(&json, hr_model_guarantee(run->model));
    json_start(&json, run->model);
    const double records = hr_model_records(run->model); /* as it was released, if it was */
    if (records > 0) json_number(&json, "records", records);
    json_ledger(&json, total);
    json_timings(&json, args->table.timings);
    json_close(&json, '}');
    putchar('\n');
}

static void report(const command *self, const train_args *args, const train_run *run) {
    hr_ledger_total room;
    const hr_ledger_total *total = read_ledger_total(self->name, run->ledger, &room);
    if (args->as_json)
        print_train_json(args, run, total);
    else if (!args->quiet)
        print_summary(is_standard_output(args->model) ? stderr : stdout, args, run, total);
    if (!args->as_json) print_timings(stderr, args->table.timings);
}

/* ---- The plan ---- */

static int run_plan(const command *self, const train_args *args) {
    train_run run = {0};
    hr_error err = {0};
    hr_plan_info plan;
    const double records = args->rows.given ? (double)args->rows.value : ROWS_GUESSED;
    hr_status status = set_options(args, &run, &err);
    if (status == HR_OK && args->schema != NULL) status = input_schema(args->schema, &run.schema, &err);
    if (status == HR_OK && run.schema != NULL) status = input_drop(&run.schema, &args->table, &err);
    if (status == HR_OK && run.schema != NULL) status = set_class_weights(args, &run, &err);
    if (status == HR_OK) status = read_start(args, &run, &err);
    if (status == HR_OK) status = hr_fit_plan(&run.options, records, run.schema, &plan, &err);
    double weight_high = 0;
    const char *weight = run.schema != NULL ? hr_schema_weight(run.schema, &weight_high) : NULL;
    if (run.schema != NULL && weight == NULL) weight = hr_schema_exposure(run.schema, &weight_high);
    const plan_terms terms = {.method = run.options.method,
                              .guessed = !args->rows.given,
                              .unit = run.schema != NULL ? hr_schema_unit(run.schema) : NULL,
                              .weight = weight,
                              .weight_high = weight_high,
                              .records_per_person = run.options.records_per_person,
                              .bounds_share =
                                  run.options.private_bounds_count > 0 ? run.options.bounds_share : 0};
    if (status == HR_OK) (args->as_json ? print_plan_json : print_plan)(&plan, &terms);
    run_done(&run);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

static int keep_train(const command *self, const train_args *args, const train_run *run) {
    hr_error err = {0};
    /* A reader of standard output that has gone away must not end the process before the model is kept
     * elsewhere. */
    void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
    hr_timings_enter(args->table.timings, HR_PHASE_WRITE);
    const hr_status status = model_write(run->model, args->model, train_output_rule(args), &err);
    hr_timings_leave(args->table.timings);
    signal(SIGPIPE, before);
    if (status == HR_OK) {
        report(self, args, run);
        return EXIT_DONE;
    }
    const int code = report_error(self->name, &err);
    model_rescue(self->name, run->model, args->ledger, run->entry);
    return code;
}

/* cluster: NULL: this process alone. */
static int train_here(const command *self, train_args *args, hr_cluster *cluster) {
    train_run run = {.cluster = cluster};
    hr_error err = {0};
    hr_status status = timings_begin(args->timed, &args->table.timings, &err);
    if (status == HR_OK) status = fit_model(self, args, &run, &err);
    const int code = status == HR_OK
                         ? keep_train(self, args, &run)
                         : report_run_failure(self->name, run.ledger, args->ledger, run.entry, &err);
    run_done(&run);
    hr_timings_free(args->table.timings);
    return code;
}

/* ---- Ranks ---- */

static bool is_linked_too(const command *self, const train_args *args) {
    if (args->link.address == NULL) return false;
    usage_error(self->name,
                "a launcher of MPI started the ranks; leave --link away, or start them without it");
    return true;
}

/* Rank 0. What is wrong with the arguments is wrong at all ranks: it is told here, and the others end. */
static int lead_ranks(const command *self, int argc, char **argv, hr_cluster *cluster) {
    train_args args = {0};
    hr_error unused = {0};
    const bool usable = args_parse(self, argc, argv, &args) && consistent(self, &args) &&
                        !is_linked_too(self, &args) &&
                        (args.plan || ranks_table_usable(self, &args.table, args.schema));
    if (usable && !args.plan) return train_here(self, &args, cluster);
    const hr_status ended = hr_cluster_agree(cluster, HR_E_CANCELLED, &unused);
    return usable && ended != HR_OK ? run_plan(self, &args) : EXIT_USAGE;
}

/* Another rank, once rank 0 is prepared. usable: whether it understands its arguments. */
static hr_status follow_rank_0(const train_args *args, bool usable, hr_cluster *cluster, hr_error *err) {
    train_run run = {0};
    hr_status status = usable ? read_train_schema(args, &run, err) : HR_E_ARGUMENT;
    status = ranks_follow(cluster, run.schema, &args->table, (int)args->table.threads.value, status, err);
    run_done(&run);
    return status;
}

static int train_launched(const command *self, int argc, char **argv, const launch *launched) {
    train_args args = {0};
    hr_error err = {0};
    hr_cluster *cluster = NULL;
    int code = ranks_open(self, launched, &cluster);
    if (cluster == NULL) return code;
    if (launched->rank == 0)
        code = lead_ranks(self, argc, argv, cluster);
    else if (hr_cluster_agree(cluster, HR_OK, &err) == HR_OK)
        (void)follow_rank_0(&args, args_parse(self, argc, argv, &args), cluster, &err);
    hr_cluster_close(cluster);
    return code;
}

/* One of the ranks of a link. Each says what ended it. */
static int train_linked(const command *self, train_args *args) {
    hr_error err = {0};
    hr_cluster *cluster = NULL;
    if (!ranks_table_usable(self, &args->table, args->schema)) return EXIT_USAGE;
    hr_status status = ranks_join(self, &args->link, &cluster, &err);
    if (status != HR_OK) return report_error(self->name, &err);
    int code = EXIT_DONE;
    if (args->link.rank.value == 0) {
        code = train_here(self, args, cluster);
    } else {
        status = hr_cluster_agree(cluster, HR_OK, &err);
        if (status == HR_OK) status = follow_rank_0(args, true, cluster, &err);
        if (status != HR_OK) code = report_error(self->name, &err);
    }
    hr_cluster_close(cluster);
    return code;
}

static int run_train(const command *self, int argc, char **argv) {
    const launch launched = launch_look();
    if (launched.ranks > 1) return train_launched(self, argc, argv, &launched);
    train_args args = {0};
    if (!args_parse(self, argc, argv, &args) || !consistent(self, &args)) return EXIT_USAGE;
    if (args.link.address != NULL) return train_linked(self, &args);
    return args.plan ? run_plan(self, &args) : train_here(self, &args, NULL);
}

const command train_command = {
    .name = "train",
    .summary = "train a model",
    .details =
        "Checks the options, the model's path, the schema, the ledger and the data before it spends "
        "anything. Only released values and public facts get into a private model: it may be published "
        "as its privacy statement says. A model that exists is replaced with --force only. Ctrl-C ends "
        "a run, which then says what stays reserved (exit code 130). Under mpirun, or "
        "with --link, the records are shared out to several processes, and the model is the same.",
    .example = "  hedgerow train --plan --rows 20000 --epsilon 1 --schema schema.yaml\n"
               "  hedgerow train --data train.csv --schema schema.yaml --epsilon 1 --ledger hospital.db "
               "--model model.json",
    .options = train_options,
    .option_count = COUNT_OF(train_options),
    .name_methods = methods_with_option,
    .run = run_train,
};
