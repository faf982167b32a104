/* Released figures, read from the text that hr_evaluation_render writes: strictly, so that what cannot be
 * read is found before its budget is final. */
#include "fit/measure/evaluation_figures.h"
#include "models/model/json_fields.h"

#include <hedgerow/evaluation.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A number, or null for NaN. */
static double figure_number(hr_json_reader *r, const hr_json_position *at, const char *key) {
    const hr_json_position found = hr_json_member(r, at, key);
    return !r->status && found.value->kind == HR_JSON_NULL ? (double)NAN : hr_json_number_at(r, &found);
}

static void read_figures(hr_json_reader *r, const hr_json_position *root, hr_evaluation *out) {
    static const char *const keys[] = {"value", "noise", "low", "high"};
    const hr_json_position list = hr_json_typed_member(r, root, "figures", HR_JSON_OBJECT);
    const size_t count = hr_json_size(r, &list);
    if (count > HR_FIGURES_MAX) hr_json_refuse(r, &list, "", "there are %zu figures", count);
    for (size_t i = 0; i < count && !r->status; i++) {
        const hr_json_position at = {&list, list.value->items[i].key, 0, &list.value->items[i]};
        hr_json_only_keys(r, &at, keys, COUNT(keys));
        hr_figure figure = {.value = figure_number(r, &at, "value"),
                            .noise = figure_number(r, &at, "noise"),
                            .low = figure_number(r, &at, "low"),
                            .high = figure_number(r, &at, "high")};
        const int length = snprintf(figure.name, sizeof figure.name, "%s", at.key);
        if (length >= HR_FIGURE_NAME) hr_json_refuse(r, &at, "", "a figure has a name that is too long");
        out->figures[out->figure_count++] = figure;
    }
}

static void read_edges(hr_json_reader *r, const hr_json_position *root, hr_evaluation *out) {
    const hr_json_position list = hr_json_typed_member(r, root, "edges", HR_JSON_ARRAY);
    const size_t count = hr_json_size(r, &list);
    if (count > HR_EVALUATION_EDGES) hr_json_refuse(r, &list, "", "there are %zu edges", count);
    for (size_t i = 0; i < count && !r->status; i++) {
        const hr_json_position at = hr_json_element(&list, i);
        out->edges[out->edge_count++] = hr_json_number_at(r, &at);
    }
}

static void read_figure_releases(hr_json_reader *r, const hr_json_position *root, hr_evaluation *out) {
    static const char *const keys[] = {"what", "mechanism", "sensitivity", "scale", "cost", "draws"};
    const hr_json_position list = hr_json_typed_member(r, root, "releases", HR_JSON_ARRAY);
    const size_t count = hr_json_size(r, &list);
    if (count > HR_EVALUATION_RELEASES) hr_json_refuse(r, &list, "", "there are %zu releases", count);
    for (size_t i = 0; i < count && !r->status; i++) {
        const hr_json_position at = hr_json_element(&list, i);
        hr_json_only_keys(r, &at, keys, COUNT(keys));
        out->releases[out->release_count++] = (hr_release_info){
            .what = hr_json_text_of(r, &at, "what"),
            .mechanism = hr_json_text_of(r, &at, "mechanism"),
            .sensitivity = (uint64_t)hr_json_integer_of(r, &at, "sensitivity", 0, INT64_MAX),
            .scale = hr_json_number_of(r, &at, "scale"),
            .cost = hr_json_number_of(r, &at, "cost"),
            .draws = (uint64_t)hr_json_integer_of(r, &at, "draws", 0, INT64_MAX)};
    }
}

static hr_status read_evaluation(hr_json_reader *r, const hr_json *json, hr_evaluation *out) {
    static const char *const keys[] = {"exact", "figures",       "edges",     "epsilon", "epsilon_replace",
                                       "delta", "delta_replace", "statement", "releases"};
    const hr_json_position root = {NULL, NULL, 0, json};
    hr_json_only_keys(r, &root, keys, COUNT(keys));
    if (hr_json_bool_of(r, &root, "exact")) hr_json_refuse(r, &root, "", "the figures are exact");
    read_figures(r, &root, out);
    if (hr_json_has(r, &root, "edges")) read_edges(r, &root, out);
    out->epsilon = hr_json_number_of(r, &root, "epsilon");
    out->epsilon_replace = hr_json_number_of(r, &root, "epsilon_replace");
    out->delta = hr_json_number_of(r, &root, "delta");
    out->delta_replace = hr_json_number_of(r, &root, "delta_replace");
    const char *statement = hr_json_text_of(r, &root, "statement");
    if (!r->status) snprintf(out->statement, sizeof out->statement, "%s", statement);
    read_figure_releases(r, &root, out);
    return r->status;
}

static hr_status render_evaluation(const void *output, char **text, hr_error *err) {
    return hr_evaluation_render(output, text, err);
}

static hr_status rewrite_evaluation(const char *text, char **again, hr_error *err) {
    const hr_json *json = NULL;
    hr_evaluation read = {0};
    hr_json_reader r = {.bytes = text, .arena = hr_arena_new(), .err = err};
    r.status = r.arena ? hr_json_parse(r.arena, text, strlen(text), &json, err) : hr_fail_memory(err);
    if (!r.status) r.status = read_evaluation(&r, json, &read);
    if (!r.status) r.status = hr_evaluation_render(&read, again, err);
    hr_arena_free(r.arena);
    return r.status;
}

const hr_paid_kind hr_paid_evaluation = {"file of figures", render_evaluation, rewrite_evaluation};
