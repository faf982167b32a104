#include "models/model/interval.h"

#include "models/model/model.h"

#include <math.h>

/* Levels from -1/2 of the width on, where the ends meet; near 0 steps are .0014 of it, and farther off a
 * twenty-second of the correction. An interval counts as having this part of the label's bounds as its width,
 * or more, so that there is a level that covers all. */
enum { LEVELS_BELOW = 66, STEPS_A_DOUBLING = 16 };
static const double FINEST = 1.0 / 32, LEAST_WIDTH = 1.0 / 1024, SAME = 1e-9;

double hr_interval_correction(size_t level) {
    const double steps = fabs((double)level - LEVELS_BELOW);
    const double correction = FINEST * (exp2(steps / STEPS_A_DOUBLING) - 1);
    return level < LEVELS_BELOW ? -correction : correction;
}

bool hr_interval_ends(const hr_column *label, double coverage, size_t ends[2]) {
    size_t found[2] = {0, 0};
    bool have[2] = {false, false};
    for (size_t k = 0; k < label->quantile_count; k++)
        for (size_t end = 0; end < 2; end++) {
            const double wanted = (1 + (end ? coverage : -coverage)) / 2;
            if (fabs(label->quantiles[k] - wanted) > SAME) continue;
            found[end] = k;
            have[end] = true;
        }
    if (!have[0] || !have[1] || found[0] >= found[1]) return false;
    ends[0] = found[0];
    ends[1] = found[1];
    return true;
}

/* Rounding keeps the order of corrections: a larger one has ends that are no further in. */
static void move_ends(const hr_column *label, double correction, const double ends[2], double out[2]) {
    const double width = fmax(ends[1] - ends[0], LEAST_WIDTH * (label->high - label->low));
    const double by = correction * width, middle = ends[0] + (ends[1] - ends[0]) / 2;
    out[0] = fmax(fmin(ends[0] - by, middle), label->low);
    out[1] = fmin(fmax(ends[1] + by, middle), label->high);
}

void hr_interval_correct(const hr_column *label, const hr_conformal *conformal, double *quantiles) {
    const size_t low = conformal->ends[0], high = conformal->ends[1];
    const double ends[2] = {quantiles[low], quantiles[high]};
    double moved[2];
    move_ends(label, conformal->correction, ends, moved);
    for (size_t k = 0; k < label->quantile_count; k++) {
        const double least = k > high ? moved[1] : k >= low ? moved[0] : label->low;
        const double most = k < low ? moved[0] : k <= high ? moved[1] : label->high;
        quantiles[k] = fmin(fmax(quantiles[k], least), most);
    }
    quantiles[low] = moved[0];
    quantiles[high] = moved[1];
}

size_t hr_interval_level(const hr_column *label, const double ends[2], double y) {
    size_t first = 0, last = HR_INTERVAL_LEVELS - 1;
    while (first < last) {
        const size_t level = first + (last - first) / 2;
        double moved[2];
        move_ends(label, hr_interval_correction(level), ends, moved);
        if (moved[0] <= y && y <= moved[1])
            last = level;
        else
            first = level + 1;
    }
    return first;
}

/* A fifth of the records was held out, and four fifths trained: where nothing else is known there are about a
 * quarter of those that trained. */
bool hr_model_interval(const hr_model *model, hr_interval_info *out) {
    const hr_conformal *made = &model->forest.conformal;
    if (!made->made) return false;
    const double held_out = made->held_out > 0 ? made->held_out : hr_model_records(model) / 4;
    *out = (hr_interval_info){made->coverage, made->correction, made->shortfall, held_out};
    return true;
}
