#include "prediction_lines.h"

#include "commands.h"
#include "decide.h"
#include "output.h"

#include <math.h>
#include <string.h>

/* Predictions of times are named as "survival_30". */
#define SURVIVAL_PREFIX "survival_"
#define SURVIVAL_START "{\"" SURVIVAL_PREFIX
enum { TIME_NAME = sizeof SURVIVAL_PREFIX + HR_NUMBER_TEXT };

/* The name of number k of a time's predictions. */
static void name_time(const hr_column *label, size_t k, char name[TIME_NAME]) {
    static const char *const figures[] = {"median", "mean_", "risk"};
    const size_t figure = k - label->interval_count;
    const bool is_mean = k > label->interval_count && figure == 1;
    char cut[HR_NUMBER_TEXT] = "";
    if (k < label->interval_count || is_mean)
        hr_number_text(label->intervals[is_mean ? label->interval_count - 1 : k], cut);
    snprintf(name, TIME_NAME, "%s%s", k < label->interval_count ? SURVIVAL_PREFIX : figures[figure], cut);
}

bool is_name_of_time(const hr_column *label, const char *name) {
    char other[TIME_NAME];
    bool found = false;
    for (size_t k = 0; k < label->interval_count + 3 && !found; k++) {
        name_time(label, k, other);
        found = strcmp(name, other) == 0;
    }
    return found;
}

/* ---- CSV ---- */

/* Whether number k of a record is written. */
static bool is_written(const prediction_layout *lines, size_t k) {
    return lines->ends[1] == 0 || k == lines->ends[0] || k == lines->ends[1];
}

static void write_number_names(FILE *out, const prediction_layout *lines) {
    bool is_first = true;
    if (lines->label->quantiles == NULL) fputs("prediction", out);
    for (size_t k = 0; k < lines->label->quantile_count; k++) {
        char name[HR_QUANTILE_NAME];
        if (!is_written(lines, k)) continue;
        hr_quantile_name(lines->label->quantiles[k], name);
        fprintf(out, "%s%s", is_first ? "" : ",", name);
        is_first = false;
    }
    fputc('\n', out);
}

void write_prediction_header(FILE *out, const prediction_layout *lines) {
    for (size_t k = 0; k < lines->keep->count; k++) {
        print_csv_field(out, "", lines->keep->items[k]);
        fputc(',', out);
    }
    if (lines->label->event != NULL) {
        char name[TIME_NAME];
        for (size_t k = 0; k < lines->count; k++) {
            name_time(lines->label, k, name);
            fprintf(out, "%s%s", k > 0 ? "," : "", name);
        }
        fputc('\n', out);
        return;
    }
    if (lines->label->kind == HR_KIND_NUMBER) {
        write_number_names(out, lines);
        return;
    }
    if (lines->with_class) fputs("class", out);
    for (size_t k = 0; lines->with_numbers && k < lines->count; k++) {
        if (k > 0 || lines->with_class) fputc(',', out);
        print_csv_field(out, "p_", lines->label->values[k]);
    }
    fputc('\n', out);
}

void write_record(FILE *out, const prediction_layout *lines, size_t row, const double *numbers) {
    for (size_t k = 0; k < lines->keep->count; k++) {
        print_csv_field(out, "", hr_data_kept(lines->data, k, row));
        fputc(',', out);
    }
    if (lines->with_class)
        print_csv_field(out, "", lines->label->values[hr_decide(lines->rule, numbers, lines->count)]);
    bool is_first = !lines->with_class;
    for (size_t k = 0; lines->with_numbers && k < lines->count; k++) {
        char text[HR_NUMBER_TEXT];
        if (!is_written(lines, k)) continue;
        hr_number_text(numbers[k], text);
        if (!is_first) fputc(',', out);
        fputs(text, out);
        is_first = false;
    }
    fputc('\n', out);
}

/* ---- JSON ---- */

static void write_quantiles_json(json_writer *json, const prediction_layout *lines, const double *numbers) {
    json_open(json, "quantiles", '{');
    for (size_t k = 0; k < lines->count; k++) {
        char name[HR_QUANTILE_NAME];
        hr_quantile_name(lines->label->quantiles[k], name);
        if (is_written(lines, k)) json_number(json, name, numbers[k]);
    }
    json_close(json, '}');
}

void write_record_json(FILE *out, const prediction_layout *lines, size_t row, const double *numbers) {
    json_writer json = {.out = out};
    json_open(&json, NULL, '{');
    if (lines->keep->count > 0) {
        json_open(&json, "kept", '{');
        for (size_t k = 0; k < lines->keep->count; k++)
            json_text(&json, lines->keep->items[k], hr_data_kept(lines->data, k, row));
        json_close(&json, '}');
    }
    for (size_t k = 0; lines->label->event != NULL && k < lines->count; k++) {
        char name[TIME_NAME];
        name_time(lines->label, k, name);
        json_number(&json, name, numbers[k]);
    }
    if (lines->label->quantiles != NULL)
        write_quantiles_json(&json, lines, numbers);
    else if (lines->label->kind == HR_KIND_NUMBER && lines->label->event == NULL)
        json_number(&json, "prediction", numbers[0]);
    if (lines->with_class)
        json_text(&json, "class", lines->label->values[hr_decide(lines->rule, numbers, lines->count)]);
    if (lines->with_numbers && lines->label->kind == HR_KIND_CATEGORY) {
        json_open(&json, "probabilities", '{');
        for (size_t k = 0; k < lines->count; k++) json_number(&json, lines->label->values[k], numbers[k]);
        json_close(&json, '}');
    }
    json_close(&json, '}');
    fputc('\n', out);
}

/* ---- Files that may be replaced ---- */

enum { NAME_SIZE = 256 };

/* One name of a header, without its quotes; *end is the character after it. */
static void read_target_name(FILE *in, char name[NAME_SIZE], int *end) {
    size_t length = 0;
    int c = getc(in);
    const bool quoted = c == '"';
    if (quoted) c = getc(in);
    for (bool inside = quoted; c != EOF && (inside || (c != ',' && c != '\n')); c = getc(in)) {
        if (quoted && c == '"') {
            inside = !inside;
            if (!inside || length + 1 >= NAME_SIZE) continue;
        }
        if (length + 1 < NAME_SIZE) name[length++] = (char)c;
    }
    name[length] = '\0';
    *end = c;
}

/* As quantile_name writes them. */
static bool is_quantile_name(const char *name) {
    double percent;
    char end;
    return name[0] == 'q' && sscanf(name + 1, "%lf%c", &percent, &end) == 1;
}

/* Whether a file begins as write_prediction_header begins one. */
static bool is_prediction_header(FILE *in, const arg_list *kept) {
    char name[NAME_SIZE];
    int end;
    for (size_t k = 0; k < kept->count; k++) {
        read_target_name(in, name, &end);
        if (end != ',' || strncmp(name, kept->items[k], NAME_SIZE - 1) != 0) return false;
    }
    read_target_name(in, name, &end);
    if (end == '\n' && (strcmp(name, "prediction") == 0 || strcmp(name, "class") == 0)) return true;
    if (end == ',' && strncmp(name, SURVIVAL_PREFIX, strlen(SURVIVAL_PREFIX)) == 0) {
        while (end == ',') read_target_name(in, name, &end);
        return end == '\n' && strcmp(name, "risk") == 0;
    }
    bool is_header = is_quantile_name(name);
    for (; is_header && end == ','; is_header = is_quantile_name(name)) read_target_name(in, name, &end);
    if (is_header) return end == '\n';
    is_header = strncmp(name, "p_", 2) == 0 || (strcmp(name, "class") == 0 && end == ',');
    while (is_header && end == ',') {
        read_target_name(in, name, &end);
        is_header = strncmp(name, "p_", 2) == 0;
    }
    return is_header && end == '\n';
}

bool holds_predictions(const char *path, const arg_list *kept) {
    static const char *const starts[] = {"{\"kept\": {",          "{\"class\": ",      "{\"prediction\": ",
                                         "{\"probabilities\": {", "{\"quantiles\": {", SURVIVAL_START};
    char start[NAME_SIZE] = "";
    FILE *in = fopen(path, "rb");
    if (in == NULL) return false;
    bool is_own = is_prediction_header(in, kept);
    rewind(in);
    if (!is_own && fgets(start, sizeof start, in) != NULL)
        for (size_t i = 0; i < COUNT_OF(starts); i++)
            is_own |= strncmp(start, starts[i], strlen(starts[i])) == 0;
    fclose(in);
    return is_own;
}
