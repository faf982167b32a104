/* A file of costs is a table like any other: its label is the true class, its features are the classes. So
 * it is read as tables are, with their messages. */
#include "decide.h"

#include "output.h"

#include <hedgerow/data.h>
#include <math.h>
#include <stdlib.h>

static const double COST_MAX = 1e9;

static hr_status refuse_costs(hr_error *err, const char *path, const char *field, const char *message) {
    *err = (hr_error){.status = HR_E_FORMAT};
    snprintf(err->file, sizeof err->file, "%s", path);
    snprintf(err->field, sizeof err->field, "%s", field);
    snprintf(err->message, sizeof err->message, "%s", message);
    snprintf(err->remedy, sizeof err->remedy,
             "give one line for each true class, and in it what each predicted class costs, 0 to 1e9");
    return HR_E_FORMAT;
}

/* The schema of a table of costs. */
static hr_status cost_schema(const hr_column *label, hr_schema **out, hr_error *err) {
    hr_schema_builder *builder = NULL;
    hr_status status = hr_schema_builder_new(&builder, err);
    if (status == HR_OK)
        status = hr_schema_label_classes(builder, label->name, label->values, label->value_count, err);
    for (size_t k = 0; k < label->value_count && status == HR_OK; k++)
        status = hr_schema_add_number(builder, label->values[k], 0, COST_MAX, false, err);
    if (status == HR_OK) status = hr_schema_build(builder, out, err);
    hr_schema_builder_free(builder);
    return status;
}

/* From a table with a line for each class, in any order. Returns the class that is missing, or NULL. */
static const char *take_costs(const hr_data *table, const hr_column *label, double *costs) {
    const size_t classes = label->value_count;
    for (size_t i = 0; i < classes * classes; i++) costs[i] = (double)NAN;
    for (size_t row = 0; row < hr_data_rows(table); row++) {
        const size_t truth = (size_t)hr_data_labels(table)[row];
        double *of_truth = costs + truth * classes;
        for (size_t k = 0; k < classes; k++)
            of_truth[k] = *hr_data_number_block(table, k, row, 1, &of_truth[k]);
    }
    for (size_t i = 0; i < classes * classes; i++)
        if (isnan(costs[i])) return label->values[i / classes];
    return NULL;
}

static hr_status check_cost_table(const hr_data *table, const char *path, const hr_column *label,
                                  hr_error *err) {
    for (size_t k = 0; k < label->value_count; k++)
        if (hr_data_report(table, k)->out_of_range > 0)
            return refuse_costs(err, path, label->values[k], "a cost is out of range");
    if (hr_data_rows(table) != label->value_count)
        return refuse_costs(err, path, label->name, "there is not one line for each true class");
    return HR_OK;
}

static hr_status read_costs(const char *path, const hr_column *label, double *costs, hr_error *err) {
    hr_schema *schema = NULL;
    hr_data *table = NULL;
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.format = HR_FORMAT_CSV;
    hr_status status = cost_schema(label, &schema, err);
    if (status == HR_OK) status = hr_data_read(schema, path, &options, &table, err);
    if (status == HR_OK) status = check_cost_table(table, path, label, err);
    if (status == HR_OK) {
        const char *missing = take_costs(table, label, costs);
        if (missing != NULL)
            status = refuse_costs(err, path, missing, "the costs where this class is true are not complete");
    }
    hr_data_free(table);
    hr_schema_free(schema);
    return status;
}

hr_status refuse_without_classes(const hr_schema *schema, const char *options, const char *remedy,
                                 hr_error *err) {
    char message[sizeof err->message];
    snprintf(message, sizeof message, "the model predicts %s: %s for classes",
             hr_task_text(hr_schema_task(schema)), options);
    return fail_argument(err, message, remedy);
}

hr_status decide_read(const decide_args *args, const hr_schema *schema, hr_decision_rule *rule,
                      hr_error *err) {
    const hr_column *label = hr_schema_label(schema);
    *rule = (hr_decision_rule)HR_DECISION_RULE_INIT;
    if (!args->threshold.given && args->costs == NULL) return HR_OK;
    if (args->threshold.given && args->costs != NULL)
        return fail_argument(err, "--threshold and --costs exclude each other",
                             "a threshold of two classes is a cost: p/(1 - p) for a wrong second class");
    if (label->kind == HR_KIND_NUMBER)
        return refuse_without_classes(schema, "--threshold and --costs are", "leave them out", err);
    if (args->costs != NULL) {
        double *costs = calloc(label->value_count * label->value_count, sizeof *costs);
        if (costs == NULL) return fail_memory(err);
        rule->costs = costs;
        const hr_status status = read_costs(args->costs, label, costs, err);
        if (status != HR_OK) return status;
    } else {
        rule->threshold = args->threshold.value;
    }
    return hr_decision_rule_check(rule, label->value_count, err);
}

void decide_free(hr_decision_rule *rule) {
    free((double *)rule->costs);
    rule->costs = NULL;
}
