#include "trees/tree/link.h"

#include <math.h>

static const double SHRINKAGE = 1.1, MARGIN = 1 + 0x1p-30, BEND = .02, ROOM = .02 - HR_MIN_PROBABILITY;

/* A class that is impossible by its score gets a probability all the same, and of two such scores the higher
 * one more. */
static double soft_clip_below(double x) {
    return x < BEND ? HR_MIN_PROBABILITY + ROOM * exp((x - BEND) / ROOM) : x;
}

static double soft_clip(double x) {
    return x < .5 ? soft_clip_below(x) : 1 - soft_clip_below(1 - x);
}

static void two_of_signed(double score, double *out) {
    out[1] = soft_clip((1 + score) / 2);
    out[0] = 1 - out[1];
}

static void two_of_log_odds(double score, double *out) {
    double small = exp(-fabs(score));
    size_t likelier = score > 0;
    out[likelier] = 1 / (1 + small);
    out[!likelier] = small / (1 + small);
}

static void scale_to_one(double *out, size_t count) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += out[k];
    for (size_t k = 0; k < count; k++) out[k] /= sum;
}

static void softmax(double *out, size_t count) {
    double largest = out[0];
    for (size_t k = 1; k < count; k++) largest = out[k] > largest ? out[k] : largest;
    for (size_t k = 0; k < count; k++) out[k] = exp(out[k] - largest);
    scale_to_one(out, count);
}

static void one_a_class(hr_link link, double *out, size_t count) {
    if (link == HR_LINK_LOGISTIC) {
        softmax(out, count);
        return;
    }
    for (size_t k = 0; k < count; k++) out[k] = soft_clip((1 + out[k]) / 2);
    scale_to_one(out, count);
}

size_t hr_link_classes(const hr_forest *forest, const double *scores, size_t stride, double *out) {
    if (forest->output_count == 1) {
        (forest->link == HR_LINK_SIGNED ? two_of_signed : two_of_log_odds)(scores[0], out);
        return 2;
    }
    for (size_t k = 0; k < forest->output_count; k++) out[k] = scores[k * stride];
    one_a_class(forest->link, out, forest->output_count);
    return forest->output_count;
}

/* ---- Calibration ---- */

size_t hr_link_largest(const double *probabilities, size_t count) {
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (probabilities[k] > probabilities[best]) best = k;
    return best;
}

size_t hr_link_spoken_of(const double *probabilities, size_t count) {
    return count == 2 ? 1 : hr_link_largest(probabilities, count);
}

double hr_link_input(double p) {
    double q = .5 + (p - .5) / SHRINKAGE;
    return log(q / (1 - q));
}

static double corrected(const hr_calibration *c, double p) {
    return 1 / (1 + exp(-(c->intercept + c->slope * hr_link_input(p))));
}

static void calibrate_largest(const hr_calibration *c, double *p, size_t count) {
    size_t top = hr_link_largest(p, count);
    double rest = 0, second = 0;
    for (size_t k = 0; k < count; k++) {
        if (k == top) continue;
        rest += p[k];
        second = fmax(second, p[k]);
    }
    double even = 1 / ((double)count - 1), ratio = rest > 0 ? second / rest : even;
    double raised = fmax(corrected(c, p[top]), MARGIN * ratio / (1 + ratio));
    for (size_t k = 0; k < count; k++)
        p[k] = k == top ? raised : (rest > 0 ? p[k] / rest : even) * (1 - raised);
}

void hr_link_calibrate(const hr_calibration *calibration, double *probabilities, size_t count) {
    if (!calibration->made) return;
    if (count > 2) {
        calibrate_largest(calibration, probabilities, count);
    } else {
        probabilities[1] = corrected(calibration, probabilities[1]);
        probabilities[0] = 1 - probabilities[1];
    }
}
