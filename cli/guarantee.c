#include "guarantee.h"

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
