/* A model file is believed only after this: predictions index memory by what stands in it, and people rely on
 * the guarantee that it prints. Every refusal names the key path in docs/reference/formats.md. */
#include "base/fail.h"
#include "base/text/number.h"
#include "base/text/text.h"
#include "models/model/interval.h"
#include "models/model/model.h"
#include "privacy/mechanisms.h"
#include "trees/tree/interactions.h"
#include "trees/tree/link.h"
#include "trees/tree/monotone.h"
#include "trees/tree/tree_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums of scores stay finite below this. */
static const double VALUE_LIMIT = 1e100;

enum { SETTINGS_MAX = 1000, SHA256_DIGITS = 64 };

static const char REMEDY[] = "the model file is damaged or was not written by Hedgerow; obtain it again";

typedef struct model_check {
    const hr_model *model;
    hr_error *err;
} model_check;

/* Refuses with a message; the key path is `format` filled in. */
static hr_status refuse_model(const model_check *c, const char *message, const char *format, ...)
    HR_PRINTF(3, 4);
static hr_status refuse_model(const model_check *c, const char *message, const char *format, ...) {
    char path[sizeof c->err->field];
    va_list args;
    va_start(args, format);
    vsnprintf(path, sizeof path, format, args);
    va_end(args);
    hr_fail(c->err, HR_E_FORMAT, REMEDY, "%s", message);
    return hr_fail_at(c->err, HR_E_FORMAT, NULL, 0, 0, path);
}

static bool is_utf8(const char *text) {
    return hr_utf8_valid(text, strlen(text));
}

static hr_status check_settings(const model_check *c) {
    const hr_model *m = c->model;
    if (m->setting_count > SETTINGS_MAX)
        return refuse_model(c, "there are more than 1000 settings", "settings");
    for (size_t i = 0; i < m->setting_count; i++) {
        const hr_setting *s = &m->settings[i];
        if (!is_utf8(s->name) || !is_utf8(s->value))
            return refuse_model(c, "the text is not valid UTF-8", "settings");
        for (size_t j = 0; j < i; j++)
            if (!strcmp(m->settings[j].name, s->name))
                return refuse_model(c, "the setting occurs twice", "settings.%s", s->name);
    }
    return HR_OK;
}

static hr_status check_texts(const model_check *c) {
    if (!c->model->method[0] || !is_utf8(c->model->method))
        return refuse_model(c, "the method is not valid text", "method");
    const char *start = c->model->start_model;
    if (start && (strlen(start) != SHA256_DIGITS || strspn(start, "0123456789abcdef") != SHA256_DIGITS))
        return refuse_model(c, "a SHA-256 has 64 small hexadecimal digits", "start_model");
    if (!is_utf8(c->model->guarantee.statement))
        return refuse_model(c, "the statement is not valid UTF-8", "guarantee.statement");
    return check_settings(c);
}

static hr_status check_outputs(const model_check *c) {
    const hr_forest *forest = &c->model->forest;
    hr_task task = hr_schema_task(c->model->schema);
    size_t classes = hr_schema_label(c->model->schema)->value_count;
    const hr_column *label = hr_schema_label(c->model->schema);
    const bool is_time = task == HR_TASK_SURVIVAL;
    if ((forest->link == HR_LINK_NUMBER) != (task == HR_TASK_REGRESSION || task == HR_TASK_QUANTILES) ||
        (forest->link == HR_LINK_LOG) != (task == HR_TASK_COUNT) ||
        (forest->link == HR_LINK_HAZARD) != is_time)
        return refuse_model(c, "the link does not fit the task", "link");
    if (is_time) classes = label->interval_count;
    const size_t least = label->quantiles ? label->quantile_count : 1;
    bool one = forest->output_count == least && task != HR_TASK_MULTICLASS && !is_time;
    bool one_a_class = forest->output_count == classes && (hr_task_has_classes(task) || is_time);
    if (!one && !one_a_class) return refuse_model(c, "the number of scores does not fit the task", "base");
    for (size_t k = 0; k < forest->output_count; k++)
        if (!(fabs(forest->base[k]) <= VALUE_LIMIT))
            return refuse_model(c, "the score must be between -1e100 and 1e100", "base[%zu]", k);
    return HR_OK;
}

static hr_status check_calibration(const model_check *c) {
    const hr_calibration *made = &c->model->forest.calibration;
    if (!made->made) return HR_OK;
    if (!hr_task_has_classes(hr_schema_task(c->model->schema)))
        return refuse_model(c, "only probabilities are calibrated", "calibration");
    if (!(fabs(made->intercept) <= HR_INTERCEPT_MAX))
        return refuse_model(c, "the intercept must be between -2 and 2", "calibration.intercept");
    if (!(made->slope >= HR_SLOPE_MIN && made->slope <= HR_SLOPE_MAX))
        return refuse_model(c, "the slope must be between 0.25 and 4", "calibration.slope");
    return HR_OK;
}

static hr_status check_conformal(const model_check *c) {
    const hr_conformal *made = &c->model->forest.conformal;
    size_t ends[2];
    if (!made->made) return HR_OK;
    if (!hr_interval_ends(hr_schema_label(c->model->schema), made->coverage, ends))
        return refuse_model(c, "the label has no quantiles for such an interval", "conformal.coverage");
    if (!(made->correction >= -.52 && made->correction <= 1117))
        return refuse_model(c, "the correction must be between -0.52 and 1117", "conformal.correction");
    if (!(made->shortfall >= 0 && made->shortfall <= VALUE_LIMIT))
        return refuse_model(c, "the shortfall must be between 0 and 1e100", "conformal.shortfall");
    if (!(made->held_out >= 0 && made->held_out <= VALUE_LIMIT))
        return refuse_model(c, "the number must be between 0 and 1e100", "conformal.held_out");
    return HR_OK;
}

static hr_status refuse_tree(const model_check *c, size_t t, const hr_tree_fault *fault) {
    if (!fault->of_node) return refuse_model(c, fault->what, "trees[%zu].nodes", t);
    if (fault->entry < 0) return refuse_model(c, fault->what, "trees[%zu].nodes[%zu]", t, fault->node);
    return refuse_model(c, fault->what, "trees[%zu].nodes[%zu][%d]", t, fault->node, fault->entry);
}

static bool is_amount(double x) {
    return x >= 0 && x <= VALUE_LIMIT;
}

static hr_status check_released(const model_check *c, size_t t) {
    const hr_tree *tree = &c->model->forest.trees[t];
    if (!is_amount(tree->deviation))
        return refuse_model(c, "the deviation must be between 0 and 1e100", "trees[%zu].deviation", t);
    for (size_t n = 0; tree->counts && n < tree->node_count; n++)
        if (!is_amount(tree->counts[n]))
            return refuse_model(c, "the count must be between 0 and 1e100", "trees[%zu].counts[%zu]", t, n);
    for (size_t n = 0; tree->noise && n < tree->node_count; n++)
        if (!is_amount(tree->noise[n]))
            return refuse_model(c, "the noise must be between 0 and 1e100", "trees[%zu].noise[%zu]", t, n);
    return HR_OK;
}

static hr_status check_model_tree(const model_check *c, size_t t) {
    const hr_tree *tree = &c->model->forest.trees[t];
    const hr_tree_limits limits = {
        .schema = c->model->schema, .depth_max = HR_MODEL_DEPTH_MAX, .value_max = VALUE_LIMIT};
    hr_tree_fault fault;
    if (tree->output >= c->model->forest.output_count)
        return refuse_model(c, "the score does not exist", "trees[%zu].output", t);
    hr_status status = hr_tree_check(tree, &limits, &fault, c->err);
    if (fault.what) return refuse_tree(c, t, &fault);
    return status ? status : check_released(c, t);
}

static hr_status check_trees(const model_check *c) {
    hr_status status = HR_OK;
    for (size_t t = 0; t < c->model->forest.tree_count && !status; t++) status = check_model_tree(c, t);
    return status;
}

/* A model that states its interactions has no tree that goes beyond them. */
static hr_status check_interactions(const model_check *c) {
    static const char setting[] = "settings." HR_INTERACTIONS_NAME;
    const hr_model *m = c->model;
    const char *text = hr_model_interactions(m);
    hr_interactions interactions;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(c->err);
    hr_status status = strlen(text) < HR_INTERACTIONS_TEXT
                           ? hr_interactions_read(text, m->schema, arena, &interactions, NULL)
                           : HR_E_ARGUMENT;
    size_t trees = m->forest.tree_count, obey = status ? trees : hr_forest_obeys(&m->forest, &interactions);
    hr_arena_free(arena);
    if (status == HR_E_MEMORY) return hr_fail_memory(c->err);
    if (status) return refuse_model(c, "these are no lists of features that may meet in a tree", setting);
    if (obey == trees) return HR_OK;
    return refuse_model(c, "the tree splits by features that the setting 'interactions' keeps apart",
                        "trees[%zu]", obey);
}

/* Each time that a model is read it is proved to be monotone in the features that its schema names. */
static hr_status check_monotone(const model_check *c) {
    const hr_model *m = c->model;
    hr_monotone_fault fault;
    char message[sizeof c->err->message];
    bool monotone = true;
    if (!hr_schema_is_monotone(m->schema)) return HR_OK;
    if (m->forest.output_count > 1)
        return refuse_model(c, "a model with a score for each class is monotone in no feature", "base");
    hr_status status = hr_monotone_check(&m->forest, m->schema, &monotone, &fault, c->err);
    if (status || monotone) return status;
    snprintf(message, sizeof message,
             "the schema says that the model is monotone in %.80s, and leaves %" PRIu32 " and %" PRIu32
             " of this tree are not",
             hr_schema_feature(m->schema, fault.feature)->name, fault.below, fault.above);
    return refuse_model(c, message, "trees[%zu]", fault.tree);
}

static hr_status check_releases(const model_check *c) {
    for (size_t i = 0; i < c->model->release_count; i++) {
        const hr_release *r = &c->model->releases[i];
        if (!is_utf8(r->what)) return refuse_model(c, "the text is not valid UTF-8", "releases[%zu].what", i);
        if (r->tree < -1 || r->level < -1)
            return refuse_model(c, "tree and level are -1 or more", "releases[%zu]", i);
        const uint64_t largest = INT64_MAX;
        if (r->group > largest || r->part > largest || r->sensitivity > largest || r->draws > largest)
            return refuse_model(c, "a number is beyond 2^63", "releases[%zu]", i);
        if (r->cost > HR_UNITS_MAX)
            return refuse_model(c, "the cost is beyond 2^60 units", "releases[%zu].units", i);
        if (c->model->guarantee.is_private && hr_mechanism_is_exact(r->mechanism))
            return refuse_model(c, "the guarantee says private, but this release has no noise",
                                "releases[%zu].mechanism", i);
    }
    return HR_OK;
}

/* Whether `claimed` is at least what was added up. Logarithms and erfc differ in their last bits from one
 * machine to another, so epsilon of zCDP may be short by 2^-46 of itself, and that of GDP by 2^-34;
 * hr_zcdp_epsilon and hr_gdp_epsilon are rounded upwards by more. Sums of pure epsilon are exact everywhere.
 */
static bool covers_guarantee(const model_check *c, double claimed, double added) {
    if (!isfinite(claimed)) return false;
    switch (c->model->privacy_measure) {
    case HR_PRIVACY_ZCDP: return claimed >= added - added * 0x1p-46;
    case HR_PRIVACY_GDP: return claimed >= added - 0x1p-34;
    case HR_PRIVACY_NONE:
    case HR_PRIVACY_PURE: break;
    }
    return claimed >= added;
}

/* How many records of a person were trained on at most; 1 where there is no such setting. */
static hr_status read_records_per_person(const model_check *c, hr_units *out) {
    const hr_model *m = c->model;
    *out = 1;
    for (size_t i = 0; i < m->setting_count; i++) {
        const char *value = m->settings[i].value;
        double most = 0;
        if (strcmp(m->settings[i].name, HR_PER_PERSON_SETTING) != 0) continue;
        if (hr_number_parse(value, strlen(value), &most) != HR_NUMBER_OK ||
            !(most >= 1 && most <= HR_RECORDS_PER_PERSON_MAX) || most != floor(most))
            return refuse_model(c, "this is not a number of records", "settings.%s", HR_PER_PERSON_SETTING);
        *out = (hr_units)most;
    }
    return HR_OK;
}

/* What the releases prove for what the guarantee is for: all records of a person together. */
static hr_status account_of_unit(const model_check *c, hr_guarantee *out) {
    const hr_model *m = c->model;
    hr_units most, units = 0;
    hr_status status =
        hr_model_account(m->releases, m->release_count, m->privacy_measure, m->guarantee.delta, out, c->err);
    if (!status) status = read_records_per_person(c, &most);
    if (status || most == 1) return status;
    status = hr_account(m->releases, m->release_count, &units, c->err);
    if (status) return status;
    hr_units factor = hr_group_factor(m->privacy_measure, most);
    units = units < HR_UNITS_MAX / factor ? units * factor : HR_UNITS_MAX;
    hr_guarantee_of(units, m->privacy_measure, m->guarantee.delta, out);
    return HR_OK;
}

static hr_status check_numbers(const model_check *c) {
    const hr_guarantee *claimed = &c->model->guarantee;
    hr_guarantee made;
    hr_status status = account_of_unit(c, &made);
    if (status) return status;
    if (!made.is_private)
        return refuse_model(c, "the releases are not private, but the guarantee says so",
                            "guarantee.private");
    if (!covers_guarantee(c, claimed->epsilon, made.epsilon))
        return refuse_model(c, "the releases add up to more than epsilon", "guarantee.epsilon");
    if (!covers_guarantee(c, claimed->epsilon_replace, made.epsilon_replace))
        return refuse_model(c, "the releases add up to more than epsilon", "guarantee.epsilon_replace");
    if (claimed->delta_replace != made.delta_replace)
        return refuse_model(c, "the releases do not prove this delta", "guarantee.delta_replace");
    return HR_OK;
}

static hr_status check_guarantee(const model_check *c) {
    const hr_model *m = c->model;
    const hr_guarantee *claimed = &m->guarantee;
    if (!(claimed->delta >= 0 && claimed->delta < 1))
        return refuse_model(c, "delta must be at least 0 and below 1", "guarantee.delta");
    if (!(claimed->delta_replace >= 0 && claimed->delta_replace < 1))
        return refuse_model(c, "delta must be at least 0 and below 1", "guarantee.delta_replace");
    if (!claimed->is_private) {
        bool infinite = isinf(claimed->epsilon) && claimed->epsilon > 0 && isinf(claimed->epsilon_replace) &&
                        claimed->epsilon_replace > 0;
        return infinite ? HR_OK
                        : refuse_model(c, "a model that is not private has no epsilon", "guarantee.epsilon");
    }
    if (m->mode == HR_MODE_PAPER)
        return refuse_model(c, "the paper mode proves no guarantee", "guarantee.private");
    if (m->privacy_measure == HR_PRIVACY_NONE)
        return refuse_model(c, "a private model counts in epsilon, rho or mu^2", "guarantee.privacy_measure");
    if ((m->privacy_measure == HR_PRIVACY_PURE) != (claimed->delta == 0))
        return refuse_model(c, "delta is above 0 in zcdp and gdp, 0 in pure", "guarantee.delta");
    hr_status status = hr_account_check(m->releases, m->release_count, m->privacy_measure, c->err);
    if (status) return hr_fail_at(c->err, status, NULL, 0, 0, "releases");
    return check_numbers(c);
}

static hr_status refuse_start_guarantee(const model_check *c, const char *message, const char *key) {
    return refuse_model(c, message, "start_guarantee.%s", key);
}

/* That it is no less than the model's own guarantee, and what its units prove. */
static hr_status check_start_numbers(const model_check *c) {
    const hr_guarantee *own = &c->model->guarantee;
    const hr_start_guarantee *claimed = &c->model->start_guarantee;
    hr_guarantee made;
    if (!(claimed->epsilon >= own->epsilon) || !isfinite(claimed->epsilon))
        return refuse_start_guarantee(c, "it is below that of this model alone", "epsilon");
    if (!(claimed->epsilon_replace >= own->epsilon_replace) || !isfinite(claimed->epsilon_replace))
        return refuse_start_guarantee(c, "it is below that of this model alone", "epsilon_replace");
    if (!(claimed->delta >= own->delta && claimed->delta < 1))
        return refuse_start_guarantee(c, "it is below that of this model alone, or not below 1", "delta");
    if (!(claimed->delta_replace >= claimed->delta))
        return refuse_start_guarantee(c, "it is below delta", "delta_replace");
    if (claimed->privacy_measure == HR_PRIVACY_NONE) return HR_OK;
    if ((claimed->privacy_measure == HR_PRIVACY_PURE) != (claimed->delta == 0))
        return refuse_start_guarantee(c, "delta is above 0 in zcdp and gdp, 0 in pure", "delta");
    hr_guarantee_of(claimed->units, claimed->privacy_measure, claimed->delta, &made);
    if (!made.is_private || claimed->epsilon < made.epsilon * (1 - 0x1p-30) ||
        claimed->epsilon_replace < made.epsilon_replace * (1 - 0x1p-30))
        return refuse_start_guarantee(c, "the units cost more than epsilon", "units");
    return HR_OK;
}

static bool covers_units(const hr_start_guarantee *claimed, hr_units units, double epsilon) {
    hr_guarantee made;
    hr_guarantee_of(units, claimed->privacy_measure, claimed->delta, &made);
    return epsilon >= made.epsilon * (1 - 0x1p-30);
}

/* A larger coalition knows no less, and costs what its units prove. */
static hr_status check_start_conditions(const model_check *c) {
    const hr_start_guarantee *claimed = &c->model->start_guarantee;
    const hr_trust *trust = &claimed->trust;
    if (!trust->stated.shared_noise) return HR_OK;
    if (!(trust->stated.epsilon_owners >= claimed->epsilon))
        return refuse_start_guarantee(c, "it is below that against a smaller coalition", "epsilon_owners");
    if (!(trust->stated.epsilon_everyone >= trust->stated.epsilon_owners))
        return refuse_start_guarantee(c, "it is below that against a smaller coalition", "epsilon_everyone");
    if (claimed->privacy_measure == HR_PRIVACY_NONE) return HR_OK;
    if (!covers_units(claimed, trust->owners, trust->stated.epsilon_owners))
        return refuse_start_guarantee(c, "the units cost more than epsilon", "units_owners");
    if (!covers_units(claimed, trust->everyone, trust->stated.epsilon_everyone))
        return refuse_start_guarantee(c, "the units cost more than epsilon", "units_everyone");
    return HR_OK;
}

/* That the noise counted on is that of owners outside the coalition: no line has more shares than that. */
static hr_status check_coalition(const model_check *c) {
    const hr_model *m = c->model;
    const double owners = hr_model_job_setting(m, HR_OWNERS_SETTING),
                 coalition = hr_model_job_setting(m, HR_COALITION_SETTING);
    const double honest = fmax(owners - coalition, 1);
    for (size_t i = 0; i < m->release_count && m->guarantee.is_private; i++)
        if ((double)m->releases[i].shares > honest)
            return refuse_model(c, "it counts on more owners' noise than there are outside the coalition",
                                "releases[%zu].shares", i);
    return HR_OK;
}

static hr_status check_start_guarantee(const model_check *c) {
    const hr_model *m = c->model;
    if (!m->start_guarantee.given) return HR_OK;
    if (!m->start_model) return refuse_model(c, "it is of a model that continues another", "start_guarantee");
    if (!m->guarantee.is_private)
        return refuse_model(c, "a model that is not private has none", "start_guarantee");
    hr_status status = check_start_numbers(c);
    return status ? status : check_start_conditions(c);
}

hr_status hr_model_check(const hr_model *model, hr_error *err) {
    const model_check c = {model, err};
    static hr_status (*const parts[])(const model_check *) = {
        check_texts,     check_outputs,      check_calibration,    check_conformal,
        check_trees,     check_interactions, check_monotone,       check_releases,
        check_guarantee, check_coalition,    check_start_guarantee};
    hr_status status = HR_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status; i++) status = parts[i](&c);
    return status;
}
