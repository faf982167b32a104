/* hedgerow evaluate: how well a model predicts records whose labels are known. */
#include "commands.h"
#include "input.h"
#include "output.h"

#include <math.h>

typedef struct evaluate_args {
    const char *model, *data;
    size_t format;
    bool as_json;
} evaluate_args;

static const arg_option evaluate_options[] = {
    {"model", 0, ARG_TEXT, true, offsetof(evaluate_args, model), "FILE", "the model"},
    {"data", 0, ARG_TEXT, true, offsetof(evaluate_args, data), "FILE",
     "records with their labels; - is standard input"},
    {"json", 0, ARG_FLAG, false, offsetof(evaluate_args, as_json), NULL, "one JSON object"},
    {"format", 0, ARG_CHOICE, false, offsetof(evaluate_args, format), FORMAT_WORDS,
     "of the data; auto looks at the content"},
};

/* The measures that a task has, in the order they are printed. */
typedef struct measure {
    const char *name;
    double value;
} measure;

enum { MEASURES_MAX = 4 };

/* Returns how many there are. */
static size_t list_measures(const hr_metrics *metrics, measure list[MEASURES_MAX]) {
    if (metrics->task == HR_TASK_REGRESSION) {
        list[0] = (measure){"rmse", metrics->rmse};
        list[1] = (measure){"mae", metrics->mae};
        list[2] = (measure){"r2", metrics->r2};
        return 3;
    }
    list[0] = (measure){"error", metrics->error};
    list[1] = (measure){"auc", metrics->auc};
    list[2] = (measure){"logloss", metrics->logloss};
    list[3] = (measure){"ece", metrics->ece};
    return 4;
}

static void print_metrics_text(const hr_metrics *metrics, const measure *list, size_t count) {
    printf("%-9s %zu\n", "rows", metrics->rows);
    for (size_t i = 0; i < count; i++) print_metric(stdout, list[i].name, list[i].value);
}

static void print_metrics_json(const hr_metrics *metrics, const measure *list, size_t count) {
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_integer(&json, "rows", metrics->rows);
    for (size_t i = 0; i < count; i++) json_number(&json, list[i].name, list[i].value);
    json_close(&json, '}');
    putchar('\n');
}

static int run_evaluate(const command *self, int argc, char **argv) {
    evaluate_args args = {0};
    if (!args_parse(self, argc, argv, &args) || !input_only_once(self->name, args.model, args.data))
        return EXIT_USAGE;
    hr_error err = {0};
    hr_model *model = NULL;
    hr_data *data = NULL;
    hr_metrics metrics = {0};
    hr_status status = input_model(args.model, &model, &err);
    if (status == HR_OK)
        status = input_data(hr_model_schema(model), args.data, args.format, false, &data, &err);
    if (status == HR_OK) status = hr_evaluate(model, data, 0, &metrics, &err);
    if (status == HR_OK) {
        measure list[MEASURES_MAX];
        const size_t count = list_measures(&metrics, list);
        (args.as_json ? print_metrics_json : print_metrics_text)(&metrics, list, count);
    }
    hr_data_free(data);
    hr_model_free(model);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command evaluate_command = {
    .name = "evaluate",
    .summary = "compare a model's predictions with known labels",
    .details =
        "Prints error, auc, logloss and ece for classes; rmse, mae and r2 for regression. ece is the "
        "expected calibration error: how far predicted probabilities are, on average over ten bins, from "
        "what happens. A measure that does not exist (the auc of three classes) is '-', in JSON null. The "
        "figures say something of the records: they are not covered by the model's guarantee.",
    .example = "  hedgerow evaluate --model model.json --data test.csv",
    .options = evaluate_options,
    .option_count = COUNT_OF(evaluate_options),
    .run = run_evaluate,
};
