#include "methods/hedge/hedge_objective.h"

#include "tables/schema/survival_code.h"

#include <math.h>

static const double LEAST_MEAN = 1e-4, HIGHEST_RATE = 1000, WIDTH_RATE = .3;

hr_objective hr_hedge_objective(const hr_fit_options *options, hr_task task) {
    if (task == HR_TASK_COUNT) return HR_OBJECTIVE_COUNT;
    if (task == HR_TASK_SURVIVAL) return HR_OBJECTIVE_HAZARD;
    if (task == HR_TASK_QUANTILES) return HR_OBJECTIVE_QUANTILES;
    bool is_logistic = options->loss == HR_LOSS_LOGISTIC && task == HR_TASK_BINARY;
    return is_logistic ? HR_OBJECTIVE_LOGISTIC : HR_OBJECTIVE_SQUARE;
}

hr_link hr_hedge_link(hr_objective objective, hr_task task) {
    if (objective == HR_OBJECTIVE_COUNT) return HR_LINK_LOG;
    if (objective == HR_OBJECTIVE_HAZARD) return HR_LINK_HAZARD;
    if (objective == HR_OBJECTIVE_LOGISTIC) return HR_LINK_LOGISTIC;
    return task == HR_TASK_REGRESSION || task == HR_TASK_QUANTILES ? HR_LINK_NUMBER : HR_LINK_SIGNED;
}

hr_hedge_scores hr_hedge_scores_of(hr_objective objective) {
    static const hr_hedge_scores scores[] = {
        [HR_OBJECTIVE_SQUARE] = {.limit = 1, .value_limit = 1, .gradient_unit = 1, .clip_quantile = .95},
        [HR_OBJECTIVE_LOGISTIC] = {.limit = 20, .value_limit = 3, .gradient_unit = 1},
        [HR_OBJECTIVE_COUNT] = {.limit = 20,
                                .value_limit = 1,
                                .gradient_unit = HR_COUNT_GRADIENT,
                                .clip_quantile = .99},
        [HR_OBJECTIVE_HAZARD] = {.limit = 20, .value_limit = 3, .gradient_unit = 1},
        [HR_OBJECTIVE_QUANTILES] = {.limit = 1, .value_limit = 1, .gradient_unit = 2, .clip_quantile = .7}};
    return scores[objective];
}

/* Of a mean, as a part of the label's high, that the noise may have made 0 or less: no less than the noise.
 */
static double count_base(double mean, double noise) {
    return log(fmax(mean, fmin(fmax(noise / 2, LEAST_MEAN), 1)));
}

hr_hedge_label hr_hedge_label_of(const hr_schema *schema, size_t outputs) {
    if (!schema) return (hr_hedge_label){0};
    const hr_column *label = hr_schema_label(schema);
    return (hr_hedge_label){.high = label->high,
                            .reach = label->quantiles ? hr_quantile_reach(label->quantiles, outputs) : 0,
                            .has_exposures = hr_schema_exposure(schema, NULL)};
}

double hr_hedge_base(hr_objective objective, const hr_hedge_label *label, double mean, double noise) {
    if (label->has_exposures) return count_base(fmin(mean, HIGHEST_RATE), 2 * noise);
    mean = fmin(fmax(mean, -1), 1);
    switch (objective) {
    case HR_OBJECTIVE_COUNT: return count_base((1 + mean) / 2, noise);
    case HR_OBJECTIVE_LOGISTIC: return .5 * log(fmax(1 + mean, .02) / fmax(1 - mean, .02));
    case HR_OBJECTIVE_HAZARD: /* hr_hazard_base */
    case HR_OBJECTIVE_SQUARE:
    case HR_OBJECTIVE_QUANTILES: break;
    }
    return mean;
}

size_t hr_hedge_classes(hr_objective objective, size_t outputs) {
    if (objective == HR_OBJECTIVE_HAZARD) return hr_survival_codes(outputs);
    return hr_objective_has_classes(objective, outputs) ? outputs : 0;
}

const char *hr_hedge_totals_name(hr_task task, hr_privacy_unit unit) {
    if (task == HR_TASK_SURVIVAL) return "interval counts";
    if (task == HR_TASK_MULTICLASS) return "class counts";
    return unit == HR_PER_PERSON ? "sum of weights" : "record count";
}

bool hr_hedge_adapts_clip(hr_task task) {
    return !hr_task_has_classes(task) && task != HR_TASK_SURVIVAL && task != HR_TASK_QUANTILES;
}

hr_hedge_figure hr_hedge_leaf_figure(hr_task task, const hr_hedge_label *label) {
    static const char mapped[] = "the mean error of the model, labels being mapped to -1..1,";
    const hr_hedge_figure figures[] = {
        [HR_TASK_REGRESSION] = {mapped, 1},
        [HR_TASK_BINARY] = {mapped, 1},
        [HR_TASK_MULTICLASS] = {"the mean error of a class's probability", 1},
        [HR_TASK_COUNT] = {"the logarithm of its mean count, or of one event if that is more,",
                           HR_COUNT_GRADIENT},
        [HR_TASK_SURVIVAL] = {"the number of events in an interval beside what the model expects, as a part "
                              "of the records,",
                              1},
        [HR_TASK_QUANTILES] = {"the part of the labels that lies below a predicted quantile", label->reach}};
    return figures[task];
}

double hr_hedge_published_unit(hr_objective objective, size_t outputs) {
    return hr_objective_has_classes(objective, outputs) || objective == HR_OBJECTIVE_LOGISTIC ? 2 : 1;
}

double hr_hedge_published_base(hr_objective objective, size_t outputs, double base) {
    const double scaled = hr_hedge_published_unit(objective, outputs) * base;
    return hr_objective_has_classes(objective, outputs) ? scaled - 1 : scaled;
}

double hr_hedge_count_unit(double base, double high) {
    return fmax(exp(base), 1 / fmax(high, 1));
}

double hr_hedge_next_width(double width, double part) {
    const double aim = hr_hedge_scores_of(HR_OBJECTIVE_QUANTILES).clip_quantile;
    return fmin(fmax(width * exp(-WIDTH_RATE * (part - aim)), HR_QUANTILE_WIDTH_MIN), 1);
}
