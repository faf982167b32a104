/* A plan in words for somebody who has never met an epsilon: what it promises, and whether the noise leaves
 * enough to learn. */
#include "plan.h"

#include "output.h"

#include <hedgerow/amount.h>
#include <math.h>

enum { INDENT = 9 };

/* Whether a chance of delta is more than one record in so many: then a mechanism that publishes one of them
 * would pass. */
static bool delta_too_large(double delta, double records) {
    return delta > 0 && records > 0 && delta * records > 1;
}

static void print_line(const char *name, const char *text) {
    printf("%-8s ", name);
    print_wrapped(stdout, text, INDENT);
}

static void print_shape(const hr_plan_info *plan) {
    char text[400];
    snprintf(text, sizeof text,
             "%zu, each the choice among %zu random trees; each corrects up to %.3g of what is left",
             plan->rounds, plan->candidates, plan->step);
    print_line("rounds", text);
    snprintf(text, sizeof text,
             "%d splits deep if they ask about one feature, %d about two, %d about all: up to %d leaves",
             plan->depth_one, plan->depth_pair, plan->depth_all,
             1 << (plan->depth_pair > plan->depth_all ? plan->depth_pair : plan->depth_all));
    print_line("trees", text);
}

static void print_shares(const hr_plan_info *plan) {
    const struct {
        const char *name;
        double share;
    } shares[] = {{"bin edges", plan->share_bins},   {"record count", plan->share_count},
                  {"base score", plan->share_base},  {"choices of trees", plan->share_choices},
                  {"leaf sums", plan->share_sums},   {"leaf counts", plan->share_counts},
                  {"clip counts", plan->share_clip}, {"calibration", plan->share_calibration}};
    char text[400] = "";
    size_t at = 0;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (shares[i].share <= 0) continue;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %.1f %%", at > 0 ? ", " : "",
                               shares[i].name, 100 * shares[i].share);
    }
    print_line("budget", text);
}

/* Beside gradients, which are at most 1 in size. */
static const char *noise_size_of(double noise) {
    if (noise < .05) return "small compared with the signal";
    if (noise < .2) return "some signal is lost in it";
    if (noise < .6) return "much signal is lost in it; more records or a larger epsilon would help";
    return "the noise is larger than the signal; get more records, or spend a larger epsilon";
}

static void print_noise(const hr_plan_info *plan) {
    const char *unit = plan->label_range == 1 ? "of a probability" : "in the label's unit";
    char text[400];
    snprintf(text, sizeof text,
             "for a leaf of %.0f records the mean error of the model, labels being mapped to -1..1, is known "
             "with a standard deviation of %.3g (%.3g %s): %s",
             plan->leaf_records, plan->gradient_noise, plan->label_noise, unit,
             noise_size_of(plan->gradient_noise));
    print_line("noise", text);
    snprintf(text, sizeof text,
             "over all rounds the noise moves a prediction by up to about %.2g, labels being %.4g wide",
             plan->prediction_noise, plan->label_range);
    print_line("effect", text);
}

/* exp(epsilon), and what an even bet can become. */
static void print_promise(const hr_plan_info *plan) {
    char text[700], odds[HR_AMOUNT_TEXT], percent[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT],
        largest[HR_AMOUNT_TEXT];
    hr_spent_text(exp(plan->epsilon), odds);
    hr_spent_text(100 / (1 + exp(-plan->epsilon)), percent);
    hr_spent_text(plan->delta, delta);
    hr_delta_left_text(1 / plan->records, largest);
    size_t at =
        (size_t)snprintf(text, sizeof text,
                         "one record changes the odds of any conclusion from the model by at most e^epsilon "
                         "= %s: 50 %% becomes %s %% or less (epsilon 0.1: 52.5 %%, 1: 73.2 %%, 8: 99.97 %%)",
                         odds, percent);
    if (plan->delta > 0) snprintf(text + at, sizeof text - at, ", except with probability delta = %s", delta);
    print_line("promise", text);
    if (!delta_too_large(plan->delta, plan->records)) return;
    snprintf(text, sizeof text,
             "delta is above one in %.0f records, and training will refuse it: choose it below %s",
             plan->records, largest);
    print_line("warning", text);
}

void print_plan(const hr_plan_info *plan, const char *method, bool guessed) {
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT];
    hr_spent_text(plan->epsilon, epsilon);
    hr_spent_text(plan->delta, delta);
    printf("%-8s %s, epsilon %s, delta %s; nothing is read, drawn or spent\n", "plan", method, epsilon,
           delta);
    printf("%-8s %.0f%s\n", "records", plan->records,
           guessed ? ", an assumption: give the number with --rows" : "");
    print_shape(plan);
    print_shares(plan);
    print_noise(plan);
    print_promise(plan);
}

void print_plan_json(const hr_plan_info *plan, const char *method, bool guessed) {
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "method", method);
    json_number(&json, "epsilon", plan->epsilon);
    json_number(&json, "delta", plan->delta);
    json_number(&json, "records", plan->records);
    json_flag(&json, "records_guessed", guessed);
    json_flag(&json, "delta_too_large", delta_too_large(plan->delta, plan->records));
    json_integer(&json, "rounds", plan->rounds);
    json_integer(&json, "candidates", plan->candidates);
    json_number(&json, "step", plan->step);
    json_integer(&json, "depth_one", (uint64_t)plan->depth_one);
    json_integer(&json, "depth_pair", (uint64_t)plan->depth_pair);
    json_integer(&json, "depth_all", (uint64_t)plan->depth_all);
    json_open(&json, "shares", '{');
    json_number(&json, "bin_edges", plan->share_bins);
    json_number(&json, "record_count", plan->share_count);
    json_number(&json, "base_score", plan->share_base);
    json_number(&json, "choices", plan->share_choices);
    json_number(&json, "leaf_sums", plan->share_sums);
    json_number(&json, "leaf_counts", plan->share_counts);
    json_number(&json, "clip_counts", plan->share_clip);
    json_number(&json, "calibration", plan->share_calibration);
    json_close(&json, '}');
    json_number(&json, "leaf_records", plan->leaf_records);
    json_number(&json, "gradient_noise", plan->gradient_noise);
    json_number(&json, "label_noise", plan->label_noise);
    json_number(&json, "prediction_noise", plan->prediction_noise);
    json_number(&json, "label_range", plan->label_range);
    json_number(&json, "odds_factor", exp(plan->epsilon));
    json_close(&json, '}');
    putchar('\n');
}
