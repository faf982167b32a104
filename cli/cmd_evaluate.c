/* hedgerow evaluate: how well a model predicts records whose labels are known. */
#include "commands.h"
#include "decide.h"
#include "figures.h"
#include "input.h"
#include "interrupt.h"
#include "misfit.h"
#include "output.h"
#include "plan.h"
#include "reserved.h"
#include "timings.h"

#include <hedgerow/amount.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct evaluate_args {
    const char *model, *schema, *ledger, *unit;
    table_args table;
    decide_args decide;
    arg_real epsilon, delta, horizon;
    arg_integer rows;
    bool as_json, confusion, plan, strict, timed;
} evaluate_args;

#define AT(field) offsetof(evaluate_args, field)

static const arg_option evaluate_options[] = {
    {"model", 0, ARG_MODEL, true, AT(model), "FILE", "the model"},
    {"data", 0, ARG_LIST, true, AT(table.data), "FILE",
     "records with their labels; - is standard input; may be repeated"},
    {"schema", 0, ARG_TEXT, false, AT(schema), "FILE",
     "a schema like the model's that names a weight: in every measure a record counts its weight"},
    {"threshold", 0, ARG_REAL, false, AT(decide.threshold), "P", THRESHOLD_HELP},
    {"costs", 0, ARG_TEXT, false, AT(decide.costs), "FILE", COSTS_HELP},
    {"confusion", 0, ARG_FLAG, false, AT(confusion), NULL,
     "exact counts of true and predicted classes, too: for the owner's eyes"},
    {"horizon", 0, ARG_REAL, false, AT(horizon), "T",
     "times of an event: calibrate survival until this cut; the last one unless given"},
    {"epsilon", 0, ARG_REAL, false, AT(epsilon), "E",
     "release the figures with noise, for this part of the records' budget"},
    {"delta", 0, ARG_REAL, false, AT(delta), "D",
     "with --epsilon: what is added to e^epsilon times the probability of any results, below 1/records; 0, "
     "pure epsilon, unless given"},
    {"ledger", 0, ARG_TEXT, false, AT(ledger), "FILE",
     "with --epsilon: the ledger of the records, which pays"},
    {"unit", 0, ARG_TEXT, false, AT(unit), "record",
     "with --epsilon: each person has one record in this table; needed unless the model's schema says so"},
    {"plan", 0, ARG_WAIVER, false, AT(plan), NULL,
     "with --epsilon: print how large the noise would be; reads no data, spends nothing"},
    {"rows", 0, ARG_INTEGER, false, AT(rows), "N",
     "with --plan: how many records there will be; 10000 unless given"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"},
    THREADS_OPTION(evaluate_args),
    TABLE_OPTIONS(evaluate_args),
    SKIP_OPTION(evaluate_args),
    EQUAL_OPTION(evaluate_args),
    {"strict", 0, ARG_FLAG, false, AT(strict), NULL, STRICT_HELP},
    {"timings", 0, ARG_FLAG, false, AT(timed), NULL, TIMINGS_HELP},
};

/* Exact figures; of times in `survival`, of all others in `decided`. */
typedef struct exact_figures {
    hr_decided decided;
    hr_survival_evaluation survival;
} exact_figures;

/* What one evaluation holds; all of it is freed by run_evaluate. */
typedef struct evaluation_run {
    hr_model *model;
    hr_schema *schema; /* that says what records weigh; NULL: they all count 1 */
    hr_data *data;
    hr_ledger *ledger;
    hr_decision_rule rule;
    uint64_t *counts;
    int64_t entry; /* of this run in the ledger; 0: none */
} evaluation_run;

static bool is_classifier(const evaluation_run *run) {
    return hr_schema_label(hr_model_schema(run->model))->kind == HR_KIND_CATEGORY;
}

/* ---- Exact figures ---- */

enum { MEASURES_MAX = 5 + HR_INTERVALS_MAX, MEASURE_NAME = 9 + HR_NUMBER_TEXT, LABEL_WIDTH = 9 };

_Static_assert((int)MEASURES_MAX >= 4 + (int)HR_QUANTILES_MAX && (int)HR_NUMBER_TEXT >= (int)HR_QUANTILE_NAME,
               "a list has room for the measures of quantiles");

/* The measures that a task has, in the order they are printed. */
typedef struct measure {
    char name[MEASURE_NAME];
    double value;
} measure;

static size_t list_quantiles(const hr_model *model, const hr_metrics *metrics, measure list[MEASURES_MAX]) {
    const hr_column *label = hr_schema_label(hr_model_schema(model));
    hr_interval_info interval;
    const size_t count = label->quantile_count;
    for (size_t k = 0; k < count; k++) {
        char name[HR_QUANTILE_NAME];
        hr_quantile_name(label->quantiles[k], name);
        snprintf(list[k].name, sizeof list[k].name, "pinball_%s", name);
        list[k].value = metrics->pinball[k];
    }
    list[count] = (measure){"coverage", metrics->coverage};
    list[count + 1] = (measure){"width", metrics->width};
    if (count < 2) return count;
    if (isnan(metrics->interval_coverage) || !hr_model_interval(model, &interval)) return count + 2;
    snprintf(list[count + 2].name, sizeof list->name, "coverage_%.10g", interval.coverage);
    snprintf(list[count + 3].name, sizeof list->name, "width_%.10g", interval.coverage);
    list[count + 2].value = metrics->interval_coverage;
    list[count + 3].value = metrics->interval_width;
    return count + 4;
}

static size_t list_times(const hr_column *label, const hr_survival_evaluation *survival,
                         measure list[MEASURES_MAX]) {
    const hr_metrics *metrics = &survival->metrics;
    measure *next = list;
    *next++ = (measure){"concordance", metrics->concordance};
    *next++ = (measure){"uno", metrics->concordance_uno};
    *next++ = (measure){"brier", metrics->brier};
    for (size_t k = 0; k < survival->cut_count; k++, next++) {
        char cut[HR_NUMBER_TEXT];
        hr_number_text(label->intervals[k], cut);
        snprintf(next->name, sizeof next->name, "brier_%s", cut);
        next->value = survival->brier[k];
    }
    *next++ = (measure){"logloss", metrics->logloss};
    *next++ = (measure){"ece", metrics->ece};
    return (size_t)(next - list);
}

/* Returns how many there are. */
static size_t list_measures(const evaluation_run *run, const exact_figures *figures,
                            measure list[MEASURES_MAX]) {
    const hr_decided *decided = &figures->decided;
    const hr_metrics *metrics = &decided->metrics;
    if (metrics->task == HR_TASK_SURVIVAL)
        return list_times(hr_schema_label(hr_model_schema(run->model)), &figures->survival, list);
    if (metrics->task == HR_TASK_QUANTILES) return list_quantiles(run->model, metrics, list);
    if (metrics->task == HR_TASK_REGRESSION || metrics->task == HR_TASK_COUNT) {
        list[0] = (measure){"rmse", metrics->rmse};
        list[1] = (measure){"mae", metrics->mae};
        list[2] = (measure){"r2", metrics->r2};
        list[3] = (measure){"deviance", metrics->deviance};
        return metrics->task == HR_TASK_COUNT ? 4 : 3;
    }
    list[0] = (measure){"error", metrics->error};
    list[1] = (measure){"auc", metrics->auc};
    list[2] = (measure){"logloss", metrics->logloss};
    list[3] = (measure){"ece", metrics->ece};
    list[4] = (measure){"cost", decided->cost};
    return isnan(decided->cost) ? 4 : 5;
}

static void print_metrics_json(const evaluation_run *run, const exact_figures *figures, hr_timings *timings) {
    const hr_column *label = hr_schema_label(hr_model_schema(run->model));
    const hr_metrics *metrics = &figures->decided.metrics;
    const size_t classes = label->value_count;
    measure list[MEASURES_MAX];
    const size_t count = list_measures(run, figures, list);
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_flag(&json, "exact", true);
    json_exact_rows(&json, "", metrics->rows);
    if (run->schema != NULL) {
        json_text(&json, "weight", hr_schema_weight(run->schema, NULL));
        json_number(&json, "weights", metrics->weight);
    }
    for (size_t i = 0; i < count; i++) json_number(&json, list[i].name, list[i].value);
    if (metrics->task == HR_TASK_SURVIVAL) {
        json_number(&json, "horizon", figures->survival.horizon);
        print_calibration_json(&json, &figures->survival);
    }
    if (run->counts != NULL) {
        json_open(&json, "classes", '[');
        for (size_t k = 0; k < classes; k++) json_text(&json, NULL, label->values[k]);
        json_close(&json, ']');
        json_open(&json, "confusion", '[');
        for (size_t i = 0; i < classes * classes; i++) {
            if (i % classes == 0) json_open(&json, NULL, '[');
            json_integer(&json, NULL, run->counts[i]);
            if (i % classes == classes - 1) json_close(&json, ']');
        }
        json_close(&json, ']');
    }
    json_timings(&json, timings);
    json_close(&json, '}');
    putchar('\n');
}

/* So wide are the names before figures, at least LABEL_WIDTH. */
static int width_of_names(const measure *list, size_t count) {
    int width = LABEL_WIDTH;
    for (size_t i = 0; i < count; i++) {
        const int name = text_width(list[i].name);
        width = name > width ? name : width;
    }
    return width;
}

static void print_metrics(const evaluation_run *run, const exact_figures *figures, hr_timings *timings) {
    const hr_metrics *metrics = &figures->decided.metrics;
    measure list[MEASURES_MAX];
    const size_t count = list_measures(run, figures, list);
    const int width = width_of_names(list, count);
    static const char one_person[] = "one person"; /* figures that are released protect records */
    const bool is_released =
        metrics->task != HR_TASK_QUANTILES && run->schema == NULL &&
        strncmp(hr_model_guarantee(run->model)->unit, one_person, strlen(one_person)) != 0;
    printf("%-*s %zu\n", width, "rows", metrics->rows);
    if (run->schema != NULL)
        printf("%-*s %.6g together, by the column %s: measures are of weights\n", width, "weights",
               metrics->weight, hr_schema_weight(run->schema, NULL));
    for (size_t i = 0; i < count; i++) print_metric(stdout, list[i].name, width, list[i].value);
    printf("%-*s for the owner's eyes%s\n", width, "exact",
           is_released ? "; --epsilon releases figures with noise" : "");
    if (metrics->task == HR_TASK_SURVIVAL) print_calibration(&figures->survival);
    if (run->counts != NULL) print_confusion(hr_schema_label(hr_model_schema(run->model)), run->counts);
    print_timings(stderr, timings);
}

static hr_status measure_times(const evaluate_args *args, const evaluation_run *run, exact_figures *figures,
                               hr_error *err) {
    const hr_status status = hr_evaluate_survival(run->model, run->data, args->horizon.value,
                                                  (int)args->table.threads.value, &figures->survival, err);
    figures->decided.metrics = figures->survival.metrics;
    return status;
}

static hr_status measure_decisions(const evaluate_args *args, evaluation_run *run, hr_decided *decided,
                                   hr_error *err) {
    const int threads = (int)args->table.threads.value;
    if (!is_classifier(run)) return hr_evaluate(run->model, run->data, threads, &decided->metrics, err);
    const size_t classes = hr_model_output_count(run->model);
    if (args->confusion && (run->counts = calloc(classes * classes, sizeof *run->counts)) == NULL)
        return fail_memory(err);
    decided->counts = run->counts;
    return hr_evaluate_decisions(run->model, run->data, &run->rule, threads, decided, err);
}

static hr_status measure_exactly(const evaluate_args *args, evaluation_run *run, hr_error *err) {
    hr_timings *const timings = args->table.timings;
    exact_figures figures = {.decided = {.cost = (double)NAN}};
    const bool are_times = hr_schema_task(hr_model_schema(run->model)) == HR_TASK_SURVIVAL;
    hr_timings_enter(timings, HR_PHASE_EVALUATE);
    const hr_status status = are_times ? measure_times(args, run, &figures, err)
                                       : measure_decisions(args, run, &figures.decided, err);
    hr_timings_leave(timings);
    if (status != HR_OK) return status;
    if (args->as_json)
        print_metrics_json(run, &figures, timings);
    else
        print_metrics(run, &figures, timings);
    return HR_OK;
}

/* ---- Released figures ---- */

static hr_evaluation_options release_options(const evaluate_args *args, evaluation_run *run) {
    hr_evaluation_options options = HR_EVALUATION_OPTIONS_INIT;
    options.epsilon = args->epsilon.value;
    options.delta = args->delta.value;
    options.decision = is_classifier(run) ? &run->rule : NULL;
    options.threads = (int)args->table.threads.value;
    options.ledger = run->ledger;
    options.entry = &run->entry;
    options.single_records = args->unit != NULL;
    return options;
}

/* Figures that standard output does not take go to standard error: the budget is spent by then. */
static hr_status release_figures(const command *self, const evaluate_args *args, evaluation_run *run,
                                 hr_error *err) {
    const hr_evaluation_options options = release_options(args, run);
    hr_evaluation made;
    interrupt_defer(); /* the figures are printed once they are paid for */
    hr_status status = hr_evaluate_private(run->model, run->data, &options, &made, err);
    if (status != HR_OK) return status;
    hr_ledger_total room;
    const hr_ledger_total *total = read_ledger_total(self->name, run->ledger, &room);
    void (*const print)(FILE *, const hr_evaluation *, const hr_ledger_total *) =
        args->as_json ? print_evaluation_json : print_evaluation;
    print(stdout, &made, total);
    if (fflush(stdout) != 0) print(stderr, &made, total);
    return HR_OK;
}

static hr_status plan_figures(const evaluate_args *args, evaluation_run *run, hr_error *err) {
    const hr_evaluation_options options = release_options(args, run);
    const double records = args->rows.given ? (double)args->rows.value : ROWS_GUESSED;
    hr_evaluation plan;
    hr_status status = hr_evaluation_plan(run->model, records, &options, &plan, err);
    if (status == HR_OK && args->as_json)
        return print_evaluation_plan_json(&plan, records, !args->rows.given, err);
    if (status == HR_OK) print_evaluation_plan(&plan, records, !args->rows.given);
    return status;
}

/* ---- The command ---- */

static bool is_consistent(const command *self, const evaluate_args *args) {
    const char *wrong = NULL;
    if (args->model == NULL)
        wrong = "--model is missing";
    else if (!args->epsilon.given && (args->ledger != NULL || args->delta.given || args->plan))
        wrong = "--ledger, --delta and --plan are for figures that --epsilon releases";
    else if (args->epsilon.given && args->confusion)
        wrong = "--confusion prints exact counts, which --epsilon does not pay for";
    else if (args->epsilon.given && args->horizon.given)
        wrong = "--horizon is for exact figures, which --epsilon does not pay for; leave one of them out";
    else if (args->epsilon.given && args->timed)
        wrong = "--timings tells how long the records took, which --epsilon does not pay for";
    else if (args->epsilon.given && args->schema != NULL)
        wrong = "--schema weighs records, and in figures that --epsilon releases each counts 1";
    else if (args->rows.given && !args->plan)
        wrong = "--rows is for --plan: an evaluation counts the records by itself";
    else if (args->unit != NULL && !args->epsilon.given)
        wrong = "--unit is for figures that --epsilon releases";
    else if (args->unit != NULL && strcmp(args->unit, "record") != 0)
        wrong = "--unit is 'record': the figures protect single records, and no persons with several";
    if (wrong != NULL) usage_error(self->name, "%s", wrong);
    return wrong == NULL && input_threads_usable(self, &args->table) &&
           (args->plan || input_table_usable(self, &args->table, args->model));
}

static hr_status read_weighing(const evaluate_args *args, evaluation_run *run, hr_error *err) {
    if (args->schema == NULL) return HR_OK;
    const hr_status status = input_schema(args->schema, &run->schema, err);
    if (status != HR_OK || hr_schema_weight(run->schema, NULL) != NULL) return status;
    *err = (hr_error){.status = HR_E_ARGUMENT,
                      .message = "the schema names no weight, and --schema is for that",
                      .remedy = "leave --schema out: then every record counts 1"};
    return HR_E_ARGUMENT;
}

/* Before records are read. */
static hr_status check_horizon(const evaluate_args *args, const evaluation_run *run, hr_error *err) {
    const hr_column *label = hr_schema_label(hr_model_schema(run->model));
    if (label->event == NULL)
        return fail_argument(err, "the model predicts no times of an event: --horizon is for them",
                             "leave it out");
    for (size_t k = 0; k < label->interval_count; k++)
        if (label->intervals[k] == args->horizon.value) return HR_OK;
    char cuts[sizeof err->remedy] = "choose one of ";
    size_t used = strlen(cuts);
    for (size_t k = 0; k < label->interval_count; k++) {
        char cut[HR_NUMBER_TEXT];
        hr_number_text(label->intervals[k], cut);
        if (used + strlen(cut) + sizeof ", ..." > sizeof cuts) {
            snprintf(cuts + used, sizeof cuts - used, ", ...");
            break;
        }
        used += (size_t)snprintf(cuts + used, sizeof cuts - used, "%s%s", k > 0 ? ", " : "", cut);
    }
    return fail_argument(err, "--horizon: none of the model's intervals ends there", cuts);
}

static hr_status evaluate(const command *self, const evaluate_args *args, evaluation_run *run,
                          hr_error *err) {
    hr_status status = input_predictor(args->model, args->table.timings, &run->model, err);
    if (status == HR_OK && args->epsilon.given && args->ledger == NULL && !args->plan)
        status = fail_argument(err, "--epsilon spends from a budget",
                               "name the ledger of the records with --ledger ('hedgerow ledger create' "
                               "creates one)");
    if (status == HR_OK) status = decide_read(&args->decide, hr_model_schema(run->model), &run->rule, err);
    if (status == HR_OK && args->confusion && !is_classifier(run))
        status = refuse_without_classes(hr_model_schema(run->model), "--confusion is", "leave it out", err);
    if (status == HR_OK && args->horizon.given) status = check_horizon(args, run, err);
    if (status == HR_OK && args->plan) return plan_figures(args, run, err);
    if (status == HR_OK && args->ledger != NULL) status = hr_ledger_open(args->ledger, &run->ledger, err);
    if (status == HR_OK) status = read_weighing(args, run, err);
    const hr_schema *schema = run->schema != NULL ? run->schema : hr_model_schema(run->model);
    if (status == HR_OK) status = input_table(schema, &args->table, false, &run->data, err);
    if (status != HR_OK) return status;
    input_warn_skipped(self, run->data);
    misfit_rule rule = {self->name, input_table_name(&args->table), args->strict, false, 0};
    status = print_remarks(&rule, HR_REMARKS_EVALUATE, run->data, err);
    if (status != HR_OK) return status;
    return args->epsilon.given ? release_figures(self, args, run, err) : measure_exactly(args, run, err);
}

static int run_evaluate(const command *self, int argc, char **argv) {
    evaluate_args args = {0};
    if (!args_parse(self, argc, argv, &args) || !is_consistent(self, &args)) return EXIT_USAGE;
    evaluation_run run = {0};
    hr_error err = {0};
    int code = EXIT_DONE;
    if (args.epsilon.given) signal(SIGPIPE, SIG_IGN); /* a reader that has gone away: see release_figures */
    if (timings_begin(args.timed, &args.table.timings, &err) != HR_OK ||
        evaluate(self, &args, &run, &err) != HR_OK) {
        code = report_error(self->name, &err);
        if (run.ledger != NULL) print_reserved(self->name, "", run.ledger, args.ledger, run.entry);
    }
    free(run.counts);
    decide_free(&run.rule);
    hr_ledger_close(run.ledger);
    hr_data_free(run.data);
    hr_schema_free(run.schema);
    hr_model_free(run.model);
    hr_timings_free(args.table.timings);
    return code;
}

const command evaluate_command = {
    .name = "evaluate",
    .summary = "compare a model's predictions with known labels",
    .details =
        "Prints error, auc, logloss and ece for classes; rmse, mae and r2 for regression and counts, of "
        "counts the mean Poisson deviance, too; for quantiles the mean pinball loss of each (pinball_q50), "
        "and of several which part of the labels is within the outer two (coverage) and how far those are "
        "apart (width), and the same of the interval that --conformal corrected if it is another "
        "(coverage_0.8); "
        "concordance (Harrell's), uno (Uno's, up to the last cut), brier (integrated over the "
        "cuts, and at each), logloss (by intervals) and ece for times of an event. ece is the "
        "expected calibration error: how far predicted probabilities are, on average over ten bins, from "
        "what happens; of times, predicted survival until the horizon, on average over ten groups of equal "
        "numbers of records, which are listed, from that of Kaplan and Meier. A measure that does not exist "
        "(the auc of three classes) is '-', in JSON null. These "
        "figures are exact, for the owner's eyes: they say something of the records, and are not covered by "
        "the model's guarantee. With --schema they are of weighted records; --confusion counts records all "
        "the "
        "same. With --epsilon, figures are released with noise that the ledger pays for, "
        "and "
        "may be published: error, auc and logloss, or rmse and mae, or of quantiles the pinball losses, "
        "and of several coverage and width, also of each interval within (coverage_0.5), or of times "
        "concordance by intervals, logloss, and predicted and observed survival until the last cut, each "
        "with the standard deviation "
        "of its "
        "noise and an interval that holds the exact figure with probability 95 %. They protect single "
        "records: --epsilon refuses a model that protects persons.",
    .example = "  hedgerow evaluate --model model.json --data test.csv\n"
               "  hedgerow evaluate --model model.json --data test.csv --epsilon 0.2 --ledger test-ledger.db",
    .options = evaluate_options,
    .option_count = COUNT_OF(evaluate_options),
    .run = run_evaluate,
    .once = true,
};
