/* The released statistics of a model, from its settings, which are texts that anybody may have written: what
 * is not of their form is no figure. As figures, and on a page: of each column a line of figures, and of each
 * value or bin a bar. */
#include "base/fail.h"
#include "base/text/number.h"
#include "models/model/show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of which column: "" of "statistics", else what follows "statistics ". NULL: it is the name of another
 * setting. */
static const char *column_of(const hr_setting *setting) {
    const size_t size = strlen(HR_STATISTIC_SETTING);
    if (strncmp(setting->name, HR_STATISTIC_SETTING, size) != 0) return NULL;
    const char *rest = setting->name + size;
    return !*rest ? rest : *rest == ' ' ? rest + 1 : NULL;
}

bool hr_is_statistic(const hr_setting *setting) {
    return column_of(setting) != NULL;
}

static const hr_setting *find_statistic(const hr_model *model, size_t index) {
    for (size_t i = 0; i < model->setting_count; i++)
        if (hr_is_statistic(&model->settings[i]) && !index--) return &model->settings[i];
    return NULL;
}

const char *hr_model_statistic(const hr_model *model, size_t index) {
    const hr_setting *found = find_statistic(model, index);
    return found ? column_of(found) : NULL;
}

/* The figures of a group; NULL: there is no such group. */
static const char *find_statistic_group(const hr_model *model, size_t index, size_t group) {
    const hr_setting *found = find_statistic(model, index);
    const char *at = found ? found->value : NULL;
    for (; at && group; group--) {
        at = strstr(at, HR_STATISTIC_GROUP_GAP);
        if (at) at += strlen(HR_STATISTIC_GROUP_GAP);
    }
    return at;
}

const char *hr_model_statistic_group(const hr_model *model, size_t index, size_t group) {
    const hr_column *label = hr_schema_label(model->schema);
    if (!find_statistic_group(model, index, group) || group > label->value_count) return NULL;
    return group ? label->values[group - 1] : "";
}

/* ---- Figures ---- */

/* The number up to `end`, behind which *at is then. */
static bool take_number(const char **at, const char *end, double *out) {
    const char *stop = strstr(*at, end);
    if (!stop || hr_number_parse(*at, (size_t)(stop - *at), out) != HR_NUMBER_OK) return false;
    *at = stop + strlen(end);
    return true;
}

/* A word names the kind of a figure, and its first number, for bins and values, which. */
static bool take_figure(const char *at, hr_statistic_figure *out) {
    static const char *const words[] = {
        [HR_STATISTIC_RECORDS] = HR_STATISTIC_RECORDS_WORD ": ",
        [HR_STATISTIC_MISSING] = HR_STATISTIC_MISSING_WORD ": ",
        [HR_STATISTIC_MEAN] = HR_STATISTIC_MEAN_WORD ": ",
        [HR_STATISTIC_DEVIATION] = HR_STATISTIC_DEVIATION_WORD ": ",
        [HR_STATISTIC_BIN] = HR_STATISTIC_BIN_WORD,
        [HR_STATISTIC_VALUE] = HR_STATISTIC_VALUE_WORD,
    };
    enum { WORDS = sizeof words / sizeof *words };
    size_t k = 0;
    while (k < WORDS && strncmp(at, words[k], strlen(words[k])) != 0) k++;
    if (k == WORDS) return false;
    hr_statistic_figure made = {.kind = (hr_statistic_kind)k};
    at += strlen(words[k]);
    if (made.kind >= HR_STATISTIC_BIN && !take_number(&at, ": ", &made.end)) return false;
    if (!take_number(&at, " (", &made.value) || !take_number(&at, "..", &made.low) ||
        !take_number(&at, ")", &made.high))
        return false;
    *out = made;
    return true;
}

static const hr_column *column_named(const hr_model *m, const char *name) {
    for (size_t f = 0; f < hr_schema_feature_count(m->schema); f++)
        if (!strcmp(hr_schema_feature(m->schema, f)->name, name)) return hr_schema_feature(m->schema, f);
    return hr_schema_label(m->schema);
}

/* "mean: 38.6 (38.4..38.8); to 20: 17 (3..31); ..." */
bool hr_model_statistic_figure(const hr_model *model, size_t index, const size_t place[2],
                               hr_statistic_figure *out) {
    const char *at = find_statistic_group(model, index, place[0]);
    const char *end = at ? strstr(at, HR_STATISTIC_GROUP_GAP) : NULL;
    for (size_t k = 0; at && k < place[1]; k++) {
        at = strstr(at, "; ");
        if (at) at += 2;
    }
    hr_statistic_figure made;
    if (!at || (end && at > end) || !take_figure(at, &made)) return false;
    const size_t values = column_named(model, hr_model_statistic(model, index))->value_count;
    if (made.kind == HR_STATISTIC_VALUE && !(made.end >= 1 && made.end <= (double)values)) return false;
    *out = made;
    return true;
}

/* ---- What they are not ---- */

hr_status hr_model_check_predicts(const hr_model *model, hr_error *err) {
    if (!hr_model_statistic(model, 0)) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "see it with 'show', or train a model",
                   "these are statistics of columns, and predict nothing");
}

/* ---- On a page ---- */

enum { CELL_NAME = 24, COUNT_WIDTH = 9, INTERVAL_WIDTH = 24, STATISTIC_BAR = 20 };

static void show_cell(hr_buffer *b, const hr_column *column, const hr_statistic_figure *figure,
                      double largest) {
    char interval[64], end[64];
    hr_buffer name = {0};
    snprintf(end, sizeof end, "up to %.6g", figure->end);
    snprintf(interval, sizeof interval, "(%.0f to %.0f)", figure->low, figure->high);
    hr_show_text(&name, figure->kind == HR_STATISTIC_BIN ? end : column->values[(size_t)figure->end - 1]);
    const size_t used = name.bytes ? hr_show_width(name.bytes, name.size) : 0;
    hr_buffer_text(b, "    ");
    hr_buffer_add(b, name.bytes, name.size);
    hr_buffer_format(b, "%*s", used < CELL_NAME ? (int)(CELL_NAME - used) : 0, "");
    if (name.failed) b->failed = true;
    hr_buffer_done(&name);
    hr_buffer_format(b, "%*.0f  %-*s", COUNT_WIDTH, figure->value, INTERVAL_WIDTH, interval);
    for (long i = largest > 0 ? lround(STATISTIC_BAR * figure->value / largest) : 0; i > 0; i--)
        hr_buffer_text(b, "#");
    while (!b->failed && b->size && b->bytes[b->size - 1] == ' ') b->bytes[--b->size] = '\0';
    hr_buffer_text(b, "\n");
}

static void show_figure(hr_buffer *b, const hr_statistic_figure *figure) {
    static const char *const words[] = {"records", "missing", "mean", "standard deviation"};
    const double scale = figure->kind == HR_STATISTIC_MISSING ? 100 : 1;
    if (figure->kind == HR_STATISTIC_RECORDS) {
        hr_buffer_format(b, "    records %.0f (%.0f to %.0f)\n", figure->value, figure->low, figure->high);
        return;
    }
    hr_buffer_format(b, "    %s %.4g%s (%.4g to %.4g)\n", words[figure->kind], scale * figure->value,
                     scale > 1 ? " %" : "", scale * figure->low, scale * figure->high);
}

static void show_group(hr_buffer *b, const hr_model *m, size_t index, size_t group) {
    const hr_column *column = column_named(m, hr_model_statistic(m, index));
    hr_statistic_figure figure;
    double largest = 0;
    for (size_t k = 0; hr_model_statistic_figure(m, index, (size_t[]){group, k}, &figure); k++)
        if (figure.kind >= HR_STATISTIC_BIN) largest = fmax(largest, figure.value);
    for (size_t k = 0; hr_model_statistic_figure(m, index, (size_t[]){group, k}, &figure); k++)
        if (figure.kind >= HR_STATISTIC_BIN)
            show_cell(b, column, &figure, largest);
        else
            show_figure(b, &figure);
}

void hr_show_statistics(hr_buffer *b, const hr_model *m) {
    const char *name, *group;
    if (!hr_model_statistic(m, 0)) return;
    hr_buffer_text(b, "\nStatistics, each with an interval of 95 % for the noise\n");
    for (size_t i = 0; (name = hr_model_statistic(m, i)) != NULL; i++)
        for (size_t g = 0; (group = hr_model_statistic_group(m, i, g)) != NULL; g++) {
            hr_buffer_text(b, "  ");
            hr_show_text(b, *name ? name : "all columns");
            if (g) hr_buffer_text(b, ", where ");
            if (g) hr_show_text(b, hr_schema_label(m->schema)->name);
            if (g) hr_buffer_text(b, " is ");
            hr_show_text(b, group);
            hr_buffer_text(b, "\n");
            show_group(b, m, i, g);
        }
}
