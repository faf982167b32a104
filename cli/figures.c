#include "figures.h"

#include "output.h"
#include "reserved.h"

#include <hedgerow/amount.h>
#include <math.h>

enum { NUMBER_SIZE = 32 };

static void short_text(double value, char text[NUMBER_SIZE]) {
    snprintf(text, NUMBER_SIZE, isnan(value) ? "-" : "%.4g", value);
}

/* ---- Released figures ---- */

static void print_figure(FILE *out, const hr_figure *figure) {
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
    fprintf(out, "%-8s  %12s  %10s  %s to %s\n", figure->name, value, noise, low, high);
}

static void print_figures(FILE *out, const hr_evaluation *evaluation) {
    fprintf(out, "%-8s  %12s  %10s  %s\n", "figure", "value", "noise", "95 % interval");
    for (size_t i = 0; i < evaluation->figure_count; i++) print_figure(out, &evaluation->figures[i]);
}

void print_evaluation(FILE *out, const hr_evaluation *evaluation, const hr_ledger_total *total) {
    print_figures(out, evaluation);
    fputc('\n', out);
    print_ledger_left(out, total);
    fprintf(out, "%-8s ", "privacy");
    print_wrapped(out, evaluation->statement, 9);
}

static void json_figures(json_writer *json, const hr_evaluation *evaluation) {
    json_open(json, "figures", '{');
    for (size_t i = 0; i < evaluation->figure_count; i++) {
        const hr_figure *figure = &evaluation->figures[i];
        json_open(json, figure->name, '{');
        json_number(json, "value", figure->value);
        json_number(json, "noise", figure->noise);
        json_number(json, "low", figure->low);
        json_number(json, "high", figure->high);
        json_close(json, '}');
    }
    json_close(json, '}');
}

static void json_releases(json_writer *json, const hr_evaluation *evaluation) {
    json_open(json, "releases", '[');
    for (size_t i = 0; i < evaluation->release_count; i++) {
        const hr_release_info *release = &evaluation->releases[i];
        json_open(json, NULL, '{');
        json_text(json, "what", release->what);
        json_text(json, "mechanism", release->mechanism);
        json_integer(json, "sensitivity", release->sensitivity);
        json_number(json, "scale", release->scale);
        json_number(json, "cost", release->cost);
        json_integer(json, "draws", release->draws);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_budget(json_writer *json, const hr_evaluation *evaluation) {
    json_number(json, "epsilon", evaluation->epsilon);
    json_number(json, "delta", evaluation->delta);
    json_number(json, "epsilon_replace", evaluation->epsilon_replace);
    json_number(json, "delta_replace", evaluation->delta_replace);
}

void print_evaluation_json(FILE *out, const hr_evaluation *evaluation, const hr_ledger_total *total) {
    json_writer json = {.out = out};
    json_open(&json, NULL, '{');
    json_flag(&json, "exact", false);
    json_figures(&json, evaluation);
    json_budget(&json, evaluation);
    json_text(&json, "statement", evaluation->statement);
    json_releases(&json, evaluation);
    json_ledger(&json, total);
    json_close(&json, '}');
    fputc('\n', out);
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
        "an auc of 0.75, misses of a tenth of the label's range",
        9);
    putchar('\n');
    print_figures(stdout, plan);
}

void print_evaluation_plan_json(const hr_evaluation *plan, double records, bool guessed) {
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_number(&json, "records", records);
    json_flag(&json, "records_guessed", guessed);
    json_figures(&json, plan);
    json_budget(&json, plan);
    json_close(&json, '}');
    putchar('\n');
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
