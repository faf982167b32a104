/* hedgerow predict: a table in, predictions out, one line a record. Neither is held as a whole. */
#include "commands.h"
#include "decide.h"
#include "input.h"
#include "keep.h"
#include "misfit.h"
#include "output.h"
#include "places.h"
#include "prediction_lines.h"
#include "timings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct predict_args {
    const char *model, *output;
    table_args table;
    decide_args decide;
    arg_list keep;
    arg_real interval;
    size_t ends[2]; /* prediction_layout.ends */
    bool scores, classes, rate, force, as_json, strict, timed;
} predict_args;

static const arg_option predict_options[] = {
    {"model", 0, ARG_MODEL, true, offsetof(predict_args, model), "FILE", "the model"},
    {"data", 0, ARG_LIST, true, offsetof(predict_args, table.data), "FILE",
     "the records; the label may be absent; - is standard input; may be repeated"},
    {"output", 'o', ARG_TEXT, false, offsetof(predict_args, output), "FILE",
     "where the CSV goes; standard output unless given"},
    {"force", 0, ARG_FLAG, false, offsetof(predict_args, force), NULL,
     "replace predictions that are there; no other file"},
    {"scores", 0, ARG_FLAG, false, offsetof(predict_args, scores), NULL, "the classes' probabilities only"},
    {"classes", 0, ARG_FLAG, false, offsetof(predict_args, classes), NULL, "the most probable class only"},
    {"interval", 0, ARG_REAL, false, offsetof(predict_args, interval), "P",
     "of a model of quantiles: write the two that a part P of the labels is to lie between, such as q10 and "
     "q90 for 0.8"},
    {"rate", 0, ARG_FLAG, false, offsetof(predict_args, rate), NULL,
     "counts with an exposure: the mean of one unit of exposure, whatever a record's is; its column may be "
     "absent"},
    {"keep", 0, ARG_LIST, false, offsetof(predict_args, keep), "COLUMN",
     "copy this column of the table, such as the number of a patient, before the predictions; given once for "
     "each. The schema need not name it"},
    {"threshold", 0, ARG_REAL, false, offsetof(predict_args, decide.threshold), "P", THRESHOLD_HELP},
    {"costs", 0, ARG_TEXT, false, offsetof(predict_args, decide.costs), "FILE", COSTS_HELP},
    {"json", 0, ARG_FLAG, false, offsetof(predict_args, as_json), NULL, "one JSON object a line, not CSV"},
    THREADS_OPTION(predict_args),
    TABLE_OPTIONS(predict_args),
    {"strict", 0, ARG_FLAG, false, offsetof(predict_args, strict), NULL, STRICT_HELP},
    {"timings", 0, ARG_FLAG, false, offsetof(predict_args, timed), NULL,
     "print where the time went, to standard error; with --json, as an object. For the owner's eyes: time "
     "tells of the records"},
};

/* ---- Predictions ---- */

/* The columns that predictions of this command begin with. */
static const arg_list *kept_names;

static bool is_target(const char *path) {
    return holds_predictions(path, kept_names);
}

static output_rule predict_output_rule(const predict_args *args) {
    return args->force ? OUTPUT_FORCED : OUTPUT_UNFORCED;
}

/* What one thread predicts. */
typedef struct predicted_part {
    double *numbers;
    size_t room; /* numbers */
    FILE *lines; /* into `text` */
    char *text;
    size_t size;
} predicted_part;

typedef struct prediction {
    const predict_args *args;
    const hr_model *model;
    double exposure;         /* that predictions are divided by; 0: none */
    prediction_layout lines; /* without data */
    output_file file;
    FILE *held; /* lines that are not to be seen before the table's end; NULL: none */
    predicted_part parts[HR_BLOCK_MEMBERS];
} prediction;

static hr_status fail_prediction_memory(hr_error *err) {
    *err =
        (hr_error){.status = HR_E_MEMORY, .message = "out of memory", .remedy = "predict with fewer threads"};
    return HR_E_MEMORY;
}

static bool make_part_room(predicted_part *part, size_t numbers) {
    if (part->lines == NULL) part->lines = open_memstream(&part->text, &part->size);
    if (part->lines == NULL) return false;
    if (numbers <= part->room) return true;
    free(part->numbers);
    part->numbers = malloc(numbers * sizeof *part->numbers);
    part->room = part->numbers != NULL ? numbers : 0;
    return part->numbers != NULL;
}

/* Timings count the thread that calls; it is member 0. */
static hr_timings *timings_of(const prediction *p, const hr_block *block) {
    return block->member == 0 ? p->args->table.timings : NULL;
}

static hr_status predict_block(void *user, const hr_block *block, hr_error *err) {
    prediction *p = user;
    predicted_part *part = &p->parts[block->member];
    const size_t rows = hr_data_rows(block->records);
    prediction_layout lines = p->lines;
    lines.data = block->records;
    if (!make_part_room(part, rows * lines.count)) return fail_prediction_memory(err);
    hr_timings_enter(timings_of(p, block), HR_PHASE_PREDICT);
    hr_status status = hr_model_predict(p->model, block->records, block->threads, part->numbers, err);
    for (size_t i = 0; p->exposure > 0 && i < rows; i++) part->numbers[i] /= p->exposure;
    hr_timings_leave(timings_of(p, block));
    if (status != HR_OK) return status;
    hr_timings_enter(timings_of(p, block), HR_PHASE_WRITE);
    void (*const write)(FILE *, const prediction_layout *, size_t, const double *) =
        p->args->as_json ? write_record_json : write_record;
    rewind(part->lines);
    for (size_t i = 0; i < rows; i++) write(part->lines, &lines, i, part->numbers + i * lines.count);
    const bool written = fflush(part->lines) == 0 && !ferror(part->lines);
    hr_timings_leave(timings_of(p, block));
    return written ? HR_OK : fail_prediction_memory(err);
}

/* Opens the output, whose first line it writes, once. A strict user sees nothing of a table that does not
 * fit, so that lines which would be seen at once are held. */
static hr_status begin_output(prediction *p, hr_error *err) {
    if (p->file.stream != NULL) return HR_OK;
    hr_status status = output_open(&p->file, p->args->output, predict_output_rule(p->args), err);
    if (status == HR_OK && p->args->strict && p->file.part == NULL && (p->held = tmpfile()) == NULL)
        status = fail_io(err, "a temporary file", "cannot be made", "write to a file (-o)");
    if (status == HR_OK && !p->args->as_json)
        write_prediction_header(p->held != NULL ? p->held : p->file.stream, &p->lines);
    return status;
}

static hr_status write_block(void *user, const hr_block *block, hr_error *err) {
    prediction *p = user;
    const predicted_part *part = &p->parts[block->member];
    hr_timings_enter(timings_of(p, block), HR_PHASE_WRITE);
    hr_status status = begin_output(p, err);
    if (status == HR_OK && p->held != NULL)
        status = fwrite(part->text, 1, part->size, p->held) == part->size
                     ? HR_OK
                     : fail_io(err, "a temporary file", "cannot be written", "write to a file (-o)");
    else if (status == HR_OK)
        status = output_add(&p->file, part->text, part->size, err);
    hr_timings_leave(timings_of(p, block));
    return status;
}

/* Lines that were held go to their place. */
static hr_status show_held(prediction *p, hr_error *err) {
    char bytes[1 << 16];
    size_t size;
    hr_status status = HR_OK;
    rewind(p->held);
    while (status == HR_OK && (size = fread(bytes, 1, sizeof bytes, p->held)) > 0)
        status = output_add(&p->file, bytes, size, err);
    if (status == HR_OK && ferror(p->held))
        status = fail_io(err, "a temporary file", "cannot be read", "write to a file (-o)");
    return status;
}

static hr_status end_output(prediction *p, hr_error *err) {
    hr_timings_enter(p->args->table.timings, HR_PHASE_WRITE);
    hr_status status = begin_output(p, err);
    if (status == HR_OK && p->held != NULL) status = show_held(p, err);
    if (status == HR_OK) status = output_finish(&p->file, err);
    hr_timings_leave(p->args->table.timings);
    return status;
}

static void free_prediction(prediction *p) {
    output_abandon(&p->file);
    if (p->held != NULL) fclose(p->held);
    for (size_t i = 0; i < COUNT_OF(p->parts); i++) {
        if (p->parts[i].lines != NULL) fclose(p->parts[i].lines);
        free(p->parts[i].text);
        free(p->parts[i].numbers);
    }
}

/* Predicts block by block, while the table is read. */
static hr_status predict(const predict_args *args, const hr_model *model, const hr_decision_rule *rule,
                         hr_error *err) {
    const hr_column *label = hr_schema_label(hr_model_schema(model));
    misfit_rule misfits = {predict_command.name, input_table_name(&args->table), args->strict, false, 0};
    prediction p = {
        .args = args,
        .model = model,
        .lines = {.label = label,
                  .keep = &args->keep,
                  .rule = rule,
                  .count = hr_model_output_count(model),
                  .ends = {args->ends[0], args->ends[1]},
                  .with_class = label->kind == HR_KIND_CATEGORY && !args->scores,
                  .with_numbers = !args->classes},
    };
    hr_read_options reading = input_kept_options(&args->table, &args->keep);
    reading.without_exposure = args->rate;
    if (args->rate && hr_schema_exposure(hr_model_schema(model), &p.exposure) == NULL) {
        *err = (hr_error){.status = HR_E_ARGUMENT,
                          .message = "--rate is for counts with an exposure, and the model has none",
                          .remedy = "leave it out"};
        return HR_E_ARGUMENT;
    }
    const hr_block_work work = {&reading, predict_block, write_block, &p};
    hr_data *met = NULL;
    hr_status status = hr_data_stream(hr_model_schema(model), (const char *const *)args->table.data.items,
                                      args->table.data.count, &work, &met, err);
    if (status == HR_OK) status = print_remarks(&misfits, HR_REMARKS_PREDICT, met, err);
    if (status == HR_OK) status = end_output(&p, err);
    hr_data_free(met);
    free_prediction(&p);
    return status;
}

/* A name that predictions have, too, would be two columns of one name. */
static hr_status check_kept_names(const predict_args *args, const hr_column *label, hr_error *err) {
    for (size_t k = 0; k < args->keep.count && !args->as_json; k++) {
        const char *name = args->keep.items[k];
        const bool is_number = label->kind == HR_KIND_NUMBER;
        bool taken = label->event != NULL       ? is_name_of_time(label, name)
                     : label->quantiles != NULL ? false
                     : is_number                ? strcmp(name, "prediction") == 0
                                                : !args->scores && strcmp(name, "class") == 0;
        for (size_t i = 0; i < label->quantile_count; i++) {
            char written[HR_QUANTILE_NAME];
            hr_quantile_name(label->quantiles[i], written);
            taken = taken || strcmp(name, written) == 0;
        }
        for (size_t i = 0;
             !is_number && !args->classes && strncmp(name, "p_", 2) == 0 && i < label->value_count; i++)
            taken = taken || strcmp(name + 2, label->values[i]) == 0;
        if (!taken) continue;
        *err = (hr_error){.status = HR_E_ARGUMENT};
        snprintf(err->message, sizeof err->message,
                 "--keep: '%.60s' is also the name of a column of the predictions", name);
        snprintf(err->remedy, sizeof err->remedy,
                 "rename the column of the table, or write JSON lines (--json), which keep the two apart");
        return HR_E_ARGUMENT;
    }
    return HR_OK;
}

/* The two quantiles that bound the interval. */
static hr_status find_interval(predict_args *args, const hr_column *label, hr_error *err) {
    static const double near = 1e-9;
    const double part = args->interval.value, low = (1 - part) / 2, high = (1 + part) / 2;
    size_t found = 0;
    if (!args->interval.given) return HR_OK;
    for (size_t k = 0; k < label->quantile_count; k++) {
        if (fabs(label->quantiles[k] - low) <= near) args->ends[0] = k, found |= 1;
        if (fabs(label->quantiles[k] - high) <= near) args->ends[1] = k, found |= 2;
    }
    if (found == 3 && part > near) return HR_OK;
    *err = (hr_error){.status = HR_E_ARGUMENT};
    snprintf(err->message, sizeof err->message, "--interval %g needs the quantiles %g and %g; the model has ",
             part, low, high);
    size_t used = strlen(err->message);
    for (size_t k = 0; k < label->quantile_count && used < sizeof err->message; k++)
        used += (size_t)snprintf(err->message + used, sizeof err->message - used, "%s%g", k > 0 ? ", " : "",
                                 label->quantiles[k]);
    if (label->quantiles == NULL) snprintf(err->message + used, sizeof err->message - used, "none");
    snprintf(err->remedy, sizeof err->remedy,
             "choose an interval between two of them, or train with these two among the label's 'quantiles'");
    return HR_E_ARGUMENT;
}

static bool output_is_apart(const command *self, const predict_args *args) {
    const named_file output = {"--output", args->output};
    named_file others[TABLE_FILES_MAX + 2] = {{"--model", args->model}, {"--costs", args->decide.costs}};
    return output_apart(self->name, &output, others, 2 + input_table_files(&args->table, others + 2));
}

static int run_predict(const command *self, int argc, char **argv) {
    predict_args args = {.output = "-"};
    if (!args_parse(self, argc, argv, &args) || !input_threads_usable(self, &args.table) ||
        !input_table_usable(self, &args.table, args.model))
        return EXIT_USAGE;
    if (args.scores && args.classes)
        return usage_error(self->name, "--scores and --classes exclude each other");
    if (args.scores && (args.decide.threshold.given || args.decide.costs != NULL))
        return usage_error(self->name,
                           "--threshold and --costs decide on a class, which --scores leaves out");
    if (!output_is_apart(self, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_model *model = NULL;
    hr_decision_rule rule = HR_DECISION_RULE_INIT;
    int code = EXIT_DONE;
    kept_names = &args.keep;
    hr_status status = timings_begin(args.timed, &args.table.timings, &err);
    if (status == HR_OK)
        status = own_output_probe(args.output, predict_output_rule(&args), is_target,
                                  "predictions of this program", &err);
    if (status == HR_OK) status = input_predictor(args.model, args.table.timings, &model, &err);
    if (status != HR_OK) goto out;
    if ((args.scores || args.classes) && hr_schema_label(hr_model_schema(model))->kind == HR_KIND_NUMBER) {
        code = usage_error(self->name, "the model predicts %s: --scores and --classes are for classes",
                           hr_task_text(hr_schema_task(hr_model_schema(model))));
        goto out;
    }
    status = check_kept_names(&args, hr_schema_label(hr_model_schema(model)), &err);
    if (status == HR_OK) status = find_interval(&args, hr_schema_label(hr_model_schema(model)), &err);
    if (status == HR_OK) status = decide_read(&args.decide, hr_model_schema(model), &rule, &err);
    if (status == HR_OK) status = predict(&args, model, &rule, &err);
    if (status == HR_OK) (args.as_json ? print_timings_json : print_timings)(stderr, args.table.timings);
out:
    if (status != HR_OK) code = report_error(self->name, &err);
    decide_free(&rule);
    hr_model_free(model);
    hr_timings_free(args.table.timings);
    return code;
}

const command predict_command = {
    .name = "predict",
    .summary = "predict the records of a table",
    .details =
        "Writes CSV with a header: for classes the most probable one and all probabilities "
        "(class,p_VALUE,...), for regression the predicted number, of a count its "
        "mean (prediction), of quantiles each (q10,q50,...), in their order, of the time of an event the "
        "probability that it has not come until each "
        "cut, the median time, the mean up to the last cut and the risk (survival_CUT,...,median,"
        "mean_CUT,risk; a median beyond the last cut is inf, in JSON null). With --threshold "
        "or --costs another class than the most probable one may be written. --keep copies columns. "
        "Predictions that exist are replaced with --force only; no other file is. A table of any size "
        "takes the same memory: records are predicted while others are read. A file appears when all "
        "are predicted; standard output gets lines before that, also of a table that turns out to be "
        "wrong further down, but with --strict.",
    .example = "  hedgerow predict --model model.json --data new.csv -o predictions.csv",
    .options = predict_options,
    .option_count = COUNT_OF(predict_options),
    .run = run_predict,
};
