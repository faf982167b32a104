/* The methods that exist. */
#include "methods/method.h"

#include "base/text/text.h"

#include <stdio.h>
#include <string.h>

static const hr_method *const table[] = {&hr_method_hedge,
                                         &hr_method_gbdt,
                                         &hr_method_rf,
                                         &hr_method_ert,
                                         &hr_method_median,
                                         &hr_method_dpboost,
                                         &hr_method_seq,
                                         &hr_method_para,
                                         &hr_method_diprime,
                                         &hr_method_inprivate,
                                         &hr_method_dp_ert,
                                         &hr_method_dp_df,
                                         &hr_method_id3,
                                         &hr_method_simfl,
                                         &hr_method_tfl,
                                         &hr_method_solo,
                                         &hr_method_all_in,
                                         &hr_method_dp_simfl,
                                         &hr_method_survival_curve,
                                         &hr_method_statistics};
enum { COUNT = sizeof table / sizeof *table };

/* What a caller gets who names no method. */
static const hr_method *const standard = &hr_method_hedge;

const char *hr_default_method(void) {
    return standard->info.name;
}

const hr_method *hr_method_named(const char *name) {
    for (size_t i = 0; name && i < COUNT; i++)
        if (!strcmp(table[i]->info.name, name)) return table[i];
    return NULL;
}

size_t hr_method_count(void) {
    return COUNT;
}

const hr_method_info *hr_method_at(size_t index) {
    return index < COUNT ? &table[index]->info : NULL;
}

const hr_method_info *hr_method_find(const char *name) {
    const hr_method *method = hr_method_named(name);
    return method ? &method->info : NULL;
}

/* ---- What they can do ---- */

static bool can(const hr_method *method, hr_capability capability) {
    switch (capability) {
    case HR_CAN_WEIGH: return method->persons != NULL;
    case HR_CAN_CACHE: return method->cells;
    case HR_CAN_RANKS: return method->over_ranks;
    case HR_CAN_START: return method->link != NULL;
    case HR_CAN_COUNT: return method->counts;
    case HR_CAN_TIME: return method->times;
    case HR_CAN_QUANTILES: return method->quantiles;
    case HR_CAN_MONOTONE: return method->monotone;
    case HR_CAPABILITIES: break;
    }
    return false;
}

bool hr_method_can(const char *name, hr_capability capability) {
    const hr_method *method = hr_method_named(name);
    return method && can(method, capability);
}

/* Labels that few methods learn. */
static const struct {
    hr_task task;
    hr_capability needs;
    const char *instead;
} rare_labels[] = {{HR_TASK_COUNT, HR_CAN_COUNT, ", or write 'kind: number' for the label"},
                   {HR_TASK_SURVIVAL, HR_CAN_TIME, ""},
                   {HR_TASK_QUANTILES, HR_CAN_QUANTILES, ", or remove the label's key 'quantiles'"}};

bool hr_method_learns(const hr_method *method, hr_task task) {
    if (method->predicts_nothing) return false;
    for (size_t i = 0; i < sizeof rare_labels / sizeof *rare_labels; i++)
        if (task == rare_labels[i].task) return can(method, rare_labels[i].needs);
    return !method->times_alone;
}

void hr_methods_list(hr_capability capability, hr_task task, char out[HR_METHODS_TEXT]) {
    size_t count = 0, listed = 0, length = 0;
    for (size_t i = 0; i < COUNT; i++) count += can(table[i], capability) && hr_method_learns(table[i], task);
    out[0] = '\0';
    for (size_t i = 0; i < COUNT && length < HR_METHODS_TEXT; i++) {
        if (!can(table[i], capability) || !hr_method_learns(table[i], task)) continue;
        length += (size_t)snprintf(out + length, HR_METHODS_TEXT - length, "%s%s",
                                   hr_list_gap(listed++, count), table[i]->info.name);
    }
}

hr_status hr_method_check_label(const hr_method *method, hr_mode mode, const hr_schema *schema,
                                hr_error *err) {
    const hr_task task = hr_schema_task(schema);
    if (method->predicts_nothing) return HR_OK;
    for (size_t i = 0; i < sizeof rare_labels / sizeof *rare_labels; i++) {
        char able[HR_METHODS_TEXT], remedy[HR_METHODS_TEXT + 80];
        if (task != rare_labels[i].task || (can(method, rare_labels[i].needs) && mode == HR_MODE_SOUND))
            continue;
        hr_methods_list(rare_labels[i].needs, task, able);
        snprintf(remedy, sizeof remedy, "use %s in sound mode%s", able, rare_labels[i].instead);
        hr_fail(err, HR_E_ARGUMENT, remedy, "%s does not learn %s", method->info.name, hr_task_text(task));
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, hr_schema_label(schema)->name);
    }
    return HR_OK;
}

hr_status hr_check_monotone(const char *method, bool able, const hr_schema *schema, hr_error *err) {
    char names[HR_METHODS_TEXT], remedy[HR_METHODS_TEXT + 80];
    const hr_task task = hr_schema_task(schema);
    size_t f = 0;
    if (!hr_schema_is_monotone(schema)) return HR_OK;
    while (!hr_schema_feature(schema, f)->monotone) f++;
    if (task == HR_TASK_MULTICLASS || task == HR_TASK_SURVIVAL || task == HR_TASK_QUANTILES) {
        hr_fail(
            err, HR_E_ARGUMENT,
            "give a label that is a number, a count or of two classes, or remove 'monotone' from the schema",
            "with %s no feature is monotone",
            task == HR_TASK_MULTICLASS ? "more than two classes" : hr_task_text(task));
    } else if (!able) {
        hr_methods_list(HR_CAN_MONOTONE, hr_schema_task(schema), names);
        snprintf(remedy, sizeof remedy, "use %s in sound mode, or remove 'monotone' from the schema", names);
        hr_fail(err, HR_E_ARGUMENT, remedy, "%s does not train models that are monotone in a feature",
                method);
    } else {
        return HR_OK;
    }
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, hr_schema_feature(schema, f)->name);
}
