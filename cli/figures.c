#include "figures.h"

#include "reserved.h"

#include <hedgerow/amount.h>
#include <math.h>

enum { NUMBER_SIZE = 32 };

static void short_text(double value, char text[NUMBER_SIZE]) {
    snprintf(text, NUMBER_SIZE, isnan(value) ? "-" : "%.4g", value);
}

/* ---- Released figures ---- */

enum { NAME_WIDTH = 8 };

static void print_figure(FILE *out, const hr_figure *figure, int width) {
    char value[NUMBER_SIZE], noise[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    const bool counts = figure->value >= 1000 && figure->value < 1e15;
    short_text(figure->value, value);
    short_text(figure->noise, noise);
    short_text(figure->low, low);
    short_text(figure->high, high);
    if (counts) {
        snprintf(value, sizeof value, "%.0f", figure->value);
        snprintf(low, sizeof low, "%.0f", figure->low);
        snprintf(high, sizeof high, "%.0f", figure->high);
    }
    fprintf(out, "%-*s  %12s  %10s  %s to %s\n", width, figure->name, value, noise, low, high);
}

static void print_figures(FILE *out, const hr_evaluation *evaluation) {
    int width = NAME_WIDTH;
    for (size_t i = 0; i < evaluation->figure_count; i++) {
        const int name = text_width(evaluation->figures[i].name);
        width = name > width ? name : width;
    }
    fprintf(out, "%-*s  %12s  %10s  %s\n", width, "figure", "value", "noise", "95 % interval");
    for (size_t i = 0; i < evaluation->figure_count; i++) print_figure(out, &evaluation->figures[i], width);
}

/* Between groups by predicted survival. */
static void print_edges(FILE *out, const hr_evaluation *evaluation) {
    if (!evaluation->edge_count) return;
    fprintf(out, "%-8s divided at", "groups");
    for (size_t i = 0; i < evaluation->edge_count; i++)
        fprintf(out, "%s%.3g", i ? ", " : " ", evaluation->edges[i]);
    fputc('\n', out);
}

void print_evaluation(FILE *out, const hr_evaluation *evaluation, const hr_ledger_total *total) {
    print_figures(out, evaluation);
    fputc('\n', out);
    print_edges(out, evaluation);
    print_ledger_left(out, total);
    fprintf(out, "%-8s ", "privacy");
    print_wrapped(out, evaluation->statement, 9);
}

/* Figures that are paid for are printed in any case: as text, if there is no memory for the object. */
void print_evaluation_json(FILE *out, const hr_evaluation *evaluation, const hr_ledger_total *total) {
    json_writer json = {.out = out};
    char *text = NULL;
    if (hr_evaluation_render(evaluation, &text, NULL) != HR_OK) {
        print_evaluation(out, evaluation, total);
        return;
    }
    json_open(&json, NULL, '{');
    json_members(&json, text);
    json_ledger(&json, total);
    json_close(&json, '}');
    fputc('\n', out);
    hr_text_free(text);
}

/* ---- The plan ---- */

void print_evaluation_plan(const hr_evaluation *plan, double records, bool guessed) {
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT];
    hr_spent_text(plan->epsilon, epsilon);
    hr_spent_text(plan->delta, delta);
    printf("%-8s epsilon %s, delta %s; nothing is read, drawn or spent\n", "plan", epsilon, delta);
    printf("%-8s %.0f%s\n", "records", records,
           guessed ? ", an assumption: give the number with --rows" : "");
    printf("%-8s ", "noise");
    print_wrapped(
        stdout,
        "of the figures that so many invented records have: classes of one size, a quarter of errors, "
        "an auc of 0.75, misses of a tenth of the label's range, survival evenly between 0 and 1",
        9);
    putchar('\n');
    print_figures(stdout, plan);
}

hr_status print_evaluation_plan_json(const hr_evaluation *plan, double records, bool guessed, hr_error *err) {
    json_writer json = {.out = stdout};
    char *text = NULL;
    hr_status status = hr_evaluation_render(plan, &text, err);
    if (status != HR_OK) return status;
    json_open(&json, NULL, '{');
    json_number(&json, "records", records);
    json_flag(&json, "records_guessed", guessed);
    json_members(&json, text);
    json_close(&json, '}');
    putchar('\n');
    hr_text_free(text);
    return HR_OK;
}

/* ---- Exact calibration ---- */

void print_calibration(const hr_survival_evaluation *evaluation) {
    char horizon[HR_NUMBER_TEXT];
    hr_number_text(evaluation->horizon, horizon);
    printf("\nSurvival until %s, in groups of records by what is predicted, and as observed (Kaplan and "
           "Meier):\n\n%12s  %12s  %12s\n",
           horizon, "records", "predicted", "observed");
    for (size_t g = 0; g < HR_SURVIVAL_GROUPS; g++) {
        const hr_survival_group *group = &evaluation->groups[g];
        char predicted[NUMBER_SIZE], observed[NUMBER_SIZE];
        if (group->count == 0) continue;
        short_text(group->predicted, predicted);
        short_text(group->observed, observed);
        printf("%12zu  %12s  %12s\n", group->count, predicted, observed);
    }
}

void print_calibration_json(json_writer *json, const hr_survival_evaluation *evaluation) {
    json_open(json, "calibration", '[');
    for (size_t g = 0; g < HR_SURVIVAL_GROUPS; g++) {
        const hr_survival_group *group = &evaluation->groups[g];
        if (group->count == 0) continue;
        json_open(json, NULL, '{');
        json_integer(json, "exact_rows", group->count);
        json_number(json, "weights", group->weight);
        json_number(json, "predicted", group->predicted);
        json_number(json, "observed", group->observed);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* ---- Exact decisions ---- */

static int count_width(const hr_column *label, const uint64_t *counts) {
    int width = 0;
    for (size_t k = 0; k < label->value_count; k++) {
        const int name = text_width(label->values[k]);
        width = name > width ? name : width;
    }
    for (size_t i = 0; i < label->value_count * label->value_count; i++) {
        const int digits = snprintf(NULL, 0, "%llu", (unsigned long long)counts[i]);
        width = digits > width ? digits : width;
    }
    return width;
}

void print_confusion(const hr_column *label, const uint64_t *counts) {
    const size_t classes = label->value_count;
    const int width = count_width(label, counts);
    puts("\nTrue classes in lines, predicted ones in columns:\n");
    print_padded(stdout, "", width);
    for (size_t k = 0; k < classes; k++) {
        fputs("  ", stdout);
        print_padded(stdout, label->values[k], -width);
    }
    putchar('\n');
    for (size_t truth = 0; truth < classes; truth++) {
        print_padded(stdout, label->values[truth], width);
        for (size_t k = 0; k < classes; k++)
            printf("  %*llu", width, (unsigned long long)counts[truth * classes + k]);
        putchar('\n');
    }
}
