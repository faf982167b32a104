/* A model owns all its parts in one arena, so that it can outlive data, schema and fit, and be freed at once.
 */
#include "models/model/model.h"

#include "base/fail.h"
#include "base/text/number.h"
#include "tables/schema/schema.h"
#include "trees/tree/interactions.h"

#include <stdlib.h>
#include <string.h>

static const char *copy_model_text(hr_arena *arena, const char *text) {
    return hr_arena_text(arena, text ? text : "", text ? strlen(text) : 0);
}

static bool copy_releases(hr_model *to, const hr_model *from) {
    to->release_count = from->release_count;
    to->releases = hr_arena_alloc(to->arena, from->release_count, sizeof *from->releases);
    if (!to->releases) return false;
    if (from->release_count)
        memcpy(to->releases, from->releases, from->release_count * sizeof *from->releases);
    for (size_t i = 0; i < to->release_count; i++)
        if (!(to->releases[i].what = copy_model_text(to->arena, from->releases[i].what))) return false;
    return true;
}

static bool copy_settings(hr_model *to, const hr_model *from) {
    to->settings = hr_arena_alloc(to->arena, from->setting_count, sizeof *to->settings);
    if (!to->settings) return false;
    for (size_t i = 0; i < from->setting_count; i++) {
        to->settings[i].name = copy_model_text(to->arena, from->settings[i].name);
        to->settings[i].value = copy_model_text(to->arena, from->settings[i].value);
        if (!to->settings[i].name || !to->settings[i].value) return false;
    }
    return true;
}

static bool copy_model_parts(hr_model *to, const hr_model *from) {
    if (from->start_model && !(to->start_model = copy_model_text(to->arena, from->start_model))) return false;
    return (to->method = copy_model_text(to->arena, from->method)) &&
           (to->guarantee.unit =
                copy_model_text(to->arena, from->guarantee.unit ? from->guarantee.unit : HR_ONE_RECORD)) &&
           (to->guarantee.statement = copy_model_text(to->arena, from->guarantee.statement)) &&
           copy_releases(to, from) && copy_settings(to, from);
}

bool hr_unit_is_person(const char *unit) {
    return !strncmp(unit, HR_ONE_PERSON, strlen(HR_ONE_PERSON));
}

hr_status hr_model_make(hr_model *parts, hr_model **out, hr_error *err) {
    hr_model *model = malloc(sizeof *model);
    if (!model) return hr_fail_memory(err);
    *model = *parts;
    model->schema = NULL;
    hr_status status = hr_schema_copy(parts->schema, &model->schema, err);
    if (!status && !copy_model_parts(model, parts)) status = hr_fail_memory(err);
    if (!status)
        status = hr_predictor_make(&model->forest, model->schema, model->arena, &model->predictor, err);
    if (!status) status = hr_model_state(model, err);
    if (status) {
        hr_schema_free(model->schema);
        free(model);
        return status;
    }
    parts->arena = NULL;
    *out = model;
    return HR_OK;
}

hr_status hr_model_file_hash(const hr_model *model, char out[HR_DIGEST_TEXT], hr_error *err) {
    char *json = NULL;
    if (model->file_hash[0]) {
        memcpy(out, model->file_hash, HR_DIGEST_TEXT);
        return HR_OK;
    }
    hr_status status = hr_model_render(model, &json, err);
    if (!status) hr_sha256_text(json, strlen(json), out);
    hr_text_free(json);
    return status;
}

void hr_model_free(hr_model *model) {
    if (!model) return;
    hr_schema_free(model->schema);
    hr_arena_free(model->arena);
    free(model);
}

const hr_schema *hr_model_schema(const hr_model *model) {
    return model->schema;
}

const char *hr_model_method(const hr_model *model) {
    return model->method;
}

hr_mode hr_model_mode(const hr_model *model) {
    return model->mode;
}

size_t hr_model_tree_count(const hr_model *model) {
    return model->forest.tree_count;
}

double hr_model_setting(const hr_model *model, const char *name) {
    double number = 0;
    for (size_t i = 0; i < model->setting_count; i++) {
        const hr_setting *s = &model->settings[i];
        if (strcmp(s->name, name) == 0 &&
            hr_number_parse(s->value, strlen(s->value), &number) == HR_NUMBER_OK)
            break;
    }
    return number > 0 ? number : 0;
}

double hr_model_job_setting(const hr_model *model, const char *name) {
    const double number = hr_model_setting(model, name);
    return number > 0 ? number : hr_model_setting(model, name + strlen(HR_JOB_SETTING("")));
}

double hr_model_records(const hr_model *model) {
    return hr_model_setting(model, HR_RECORDS_SETTING);
}

const char *hr_model_suspect(const hr_model *model) {
    for (size_t i = 0; i < model->setting_count; i++)
        if (!strcmp(model->settings[i].name, HR_SUSPECT_SETTING)) return model->settings[i].value;
    return NULL;
}

const char *hr_model_interactions(const hr_model *model) {
    for (size_t i = 0; i < model->setting_count; i++)
        if (!strcmp(model->settings[i].name, HR_INTERACTIONS_NAME)) return model->settings[i].value;
    return "all";
}

bool hr_model_is_additive(const hr_model *model) {
    const hr_interactions none = {.rule = HR_INTERACTIONS_NONE};
    return hr_forest_obeys(&model->forest, &none) == model->forest.tree_count;
}

const hr_predictor *hr_model_predictor(const hr_model *model) {
    return &model->predictor;
}

size_t hr_model_output_count(const hr_model *model) {
    return hr_predictor_output_count(&model->predictor);
}

const hr_guarantee *hr_model_guarantee(const hr_model *model) {
    return &model->guarantee;
}

const char *hr_model_start(const hr_model *model) {
    return model->start_model;
}

bool hr_model_start_guarantee(const hr_model *model, hr_guarantee *out) {
    const hr_start_guarantee *g = &model->start_guarantee;
    if (!g->given) return false;
    *out = (hr_guarantee){.is_private = true,
                          .epsilon = g->epsilon,
                          .delta = g->delta,
                          .epsilon_replace = g->epsilon_replace,
                          .delta_replace = g->delta_replace,
                          .unit = model->guarantee.unit,
                          .statement = model->guarantee.statement,
                          .promise = g->promise,
                          .conditions = g->trust.stated};
    return true;
}

size_t hr_model_release_count(const hr_model *model) {
    return model->release_count;
}

hr_release_info hr_release_info_of(const hr_release *r) {
    return (hr_release_info){.what = r->what,
                             .mechanism = hr_mechanism_text(r->mechanism),
                             .tree = r->tree,
                             .level = r->level,
                             .group = r->group,
                             .part = r->part,
                             .sensitivity = r->sensitivity,
                             .scale = r->scale_den ? (double)r->scale_num / (double)r->scale_den : 0,
                             .cost = hr_units_value(r->cost),
                             .draws = r->draws,
                             .shares = r->shares};
}

bool hr_model_release_at(const hr_model *model, size_t index, hr_release_info *out) {
    if (index >= model->release_count) return false;
    *out = hr_release_info_of(&model->releases[index]);
    return true;
}
