#include "guarantee.h"

#include "places.h"

#include <hedgerow/amount.h>

static void json_amounts(json_writer *json, const hr_guarantee *guarantee) {
    json_number(json, "epsilon", guarantee->epsilon);
    json_delta(json, "delta", guarantee->delta);
    json_number(json, "epsilon_replace", guarantee->epsilon_replace);
    json_delta(json, "delta_replace", guarantee->delta_replace);
}

static void json_conditions(json_writer *json, const hr_conditions *conditions) {
    if (!conditions->shared_noise) return;
    json_integer(json, "coalition", conditions->coalition);
    json_number(json, "epsilon_owners", conditions->epsilon_owners);
    json_number(json, "epsilon_everyone", conditions->epsilon_everyone);
    json_text(json, "conditions", conditions->text);
}

void json_guarantee(json_writer *json, const hr_guarantee *guarantee) {
    json_flag(json, "private", guarantee->is_private);
    json_amounts(json, guarantee);
    json_text(json, "unit", guarantee->unit);
    json_text(json, "statement", guarantee->statement);
    json_text(json, "promise", guarantee->promise);
    json_conditions(json, &guarantee->conditions);
}

void json_start(json_writer *json, const hr_model *model) {
    hr_guarantee both;
    if (hr_model_start(model) == NULL) return;
    json_text(json, "start", hr_model_start(model));
    if (!hr_model_start_guarantee(model, &both)) return;
    json_open(json, "start_guarantee", '{');
    json_amounts(json, &both);
    json_text(json, "promise", both.promise);
    json_conditions(json, &both.conditions);
    json_close(json, '}');
}

/* 0 of what is no file of statistics. */
static size_t statistic_columns(const hr_model *model) {
    size_t count = 0;
    while (hr_model_statistic(model, count) != NULL) count++;
    return count > 0 ? count - 1 : 0; /* the first is of the records */
}

void print_made(FILE *out, size_t rows, const char *path, const hr_model *model) {
    const size_t columns = statistic_columns(model);
    const size_t features = hr_schema_feature_count(hr_model_schema(model));
    const char *const name = is_standard_output(path) ? "standard output" : path;
    fprintf(out, "%-8s %zu rows (" EXACT_ROWS "), %zu %s\n", "data", rows, columns > 0 ? columns : features,
            columns > 0 ? "columns" : "features");
    if (columns > 0)
        fprintf(out, "%-8s %s\n", "file", name);
    else
        fprintf(out, "%-8s %s, %zu trees\n", "model", name, hr_model_tree_count(model));
}

void print_privacy(FILE *out, const char *name, const hr_model *model, const char *covered) {
    const hr_guarantee *guarantee = hr_model_guarantee(model);
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT];
    if (!guarantee->is_private) {
        fprintf(out, "%-8s NOT DIFFERENTIALLY PRIVATE; 'hedgerow show %s' says why\n", "privacy", name);
        return;
    }
    hr_spent_text(guarantee->epsilon, epsilon);
    hr_spent_text(guarantee->delta, delta);
    fprintf(out, "%-8s epsilon %s, delta %s for adding or removing %s; covers ", "privacy", epsilon, delta,
            guarantee->unit);
    if (hr_model_start(model) == NULL)
        fprintf(out, "%s\n", covered);
    else
        fprintf(out, "this fit alone; 'hedgerow show %s' adds the model that it continues\n", name);
}
