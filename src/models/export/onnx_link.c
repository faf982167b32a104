#include "models/export/onnx_link.h"

#include "trees/tree/link.h"

static const double SHRINKAGE = 1.1, MARGIN = 0x1p-30, BEND = .02, ROOM = .02 - HR_MIN_PROBABILITY;

static hr_onnx_value clip(hr_onnx_graph *g, hr_onnx_value x, double low, double high) {
    return hr_onnx_with(g, "Min", hr_onnx_with(g, "Max", x, low), high);
}

hr_onnx_value hr_onnx_label(hr_onnx_graph *g, const hr_column *label, hr_onnx_value scores) {
    hr_onnx_value above = hr_onnx_with(g, "Add", clip(g, scores, -1, 1), 1);
    hr_onnx_value part = hr_onnx_with(g, "Div", above, 2);
    hr_onnx_value value = hr_onnx_line(g, part, label->high - label->low, label->low);
    return clip(g, value, label->low, label->high);
}

hr_onnx_value hr_onnx_quantiles(hr_onnx_graph *g, const hr_column *label, hr_onnx_value scores) {
    hr_onnx_value all = hr_onnx_label(g, label, hr_onnx_column(g, scores, 0));
    for (size_t k = 1; k < label->quantile_count; k++)
        all = hr_onnx_beside(g, all, hr_onnx_label(g, label, hr_onnx_column(g, scores, k)));
    return hr_onnx_sorted(g, all, label->quantile_count);
}

hr_onnx_value hr_onnx_count(hr_onnx_graph *g, const hr_column *label, hr_onnx_value scores) {
    hr_onnx_value part = hr_onnx_of(g, "Exp", hr_onnx_with(g, "Min", scores, 0));
    return clip(g, hr_onnx_with(g, "Mul", part, label->high), label->low, label->high);
}

/* ---- Probabilities ---- */

/* As soft_clip of trees/tree/link.c: of x below 1/2, and of what x lacks to 1 above. */
static hr_onnx_value soft_clip_graph(hr_onnx_graph *g, hr_onnx_value x) {
    hr_onnx_value rest = hr_onnx_less(g, 1, x), side = hr_onnx_of_two(g, "Min", x, rest);
    hr_onnx_value away = hr_onnx_with(g, "Div", hr_onnx_with(g, "Sub", side, BEND), ROOM);
    hr_onnx_value bent = hr_onnx_with(g, "Mul", hr_onnx_of(g, "Exp", away), ROOM);
    bent = hr_onnx_with(g, "Add", bent, HR_MIN_PROBABILITY);
    hr_onnx_value is_bent = hr_onnx_with(g, "Less", side, BEND);
    hr_onnx_value clipped = hr_onnx_where(g, is_bent, bent, side);
    hr_onnx_value is_low = hr_onnx_with(g, "Less", x, .5);
    return hr_onnx_where(g, is_low, clipped, hr_onnx_less(g, 1, clipped));
}

static hr_onnx_value soft_clip_of_scores(hr_onnx_graph *g, hr_onnx_value scores) {
    return soft_clip_graph(g, hr_onnx_with(g, "Div", hr_onnx_with(g, "Add", scores, 1), 2));
}

static hr_onnx_value two_classes(hr_onnx_graph *g, hr_onnx_value second) {
    return hr_onnx_beside(g, hr_onnx_less(g, 1, second), second);
}

/* The exponential of a positive score could be infinite. */
static hr_onnx_value classes_of_log_odds(hr_onnx_graph *g, hr_onnx_value score) {
    hr_onnx_value size = hr_onnx_of(g, "Abs", score);
    hr_onnx_value small = hr_onnx_of(g, "Exp", hr_onnx_of(g, "Neg", size));
    hr_onnx_value sum = hr_onnx_with(g, "Add", small, 1), one = hr_onnx_number(g, 1);
    hr_onnx_value is_second = hr_onnx_with(g, "Greater", score, 0);
    hr_onnx_value second = hr_onnx_where(g, is_second, one, small);
    hr_onnx_value first = hr_onnx_where(g, is_second, small, one);
    return hr_onnx_of_two(g, "Div", hr_onnx_beside(g, first, second), sum);
}

static hr_onnx_value softmax_graph(hr_onnx_graph *g, hr_onnx_value scores) {
    hr_onnx_value most = hr_onnx_reduce(g, "ReduceMax", scores);
    hr_onnx_value parts = hr_onnx_of(g, "Exp", hr_onnx_of_two(g, "Sub", scores, most));
    return hr_onnx_of_two(g, "Div", parts, hr_onnx_reduce(g, "ReduceSum", parts));
}

static hr_onnx_value uncalibrated(hr_onnx_graph *g, const hr_forest *forest, hr_onnx_value scores) {
    bool is_signed = forest->link == HR_LINK_SIGNED;
    if (forest->output_count == 1)
        return is_signed ? two_classes(g, soft_clip_of_scores(g, scores)) : classes_of_log_odds(g, scores);
    if (!is_signed) return softmax_graph(g, scores);
    hr_onnx_value parts = soft_clip_of_scores(g, scores);
    return hr_onnx_of_two(g, "Div", parts, hr_onnx_reduce(g, "ReduceSum", parts));
}

/* ---- Calibration ---- */

static hr_onnx_value corrected_graph(hr_onnx_graph *g, const hr_calibration *c, hr_onnx_value p) {
    hr_onnx_value away = hr_onnx_with(g, "Div", hr_onnx_with(g, "Sub", p, .5), SHRINKAGE);
    hr_onnx_value q = hr_onnx_with(g, "Add", away, .5), rest = hr_onnx_less(g, 1, q);
    hr_onnx_value input = hr_onnx_of(g, "Log", hr_onnx_of_two(g, "Div", q, rest));
    hr_onnx_value line = hr_onnx_line(g, input, c->slope, c->intercept);
    hr_onnx_value odds = hr_onnx_of(g, "Exp", hr_onnx_of(g, "Neg", line));
    return hr_onnx_of(g, "Reciprocal", hr_onnx_with(g, "Add", odds, 1));
}

/* The most probable class is corrected; the others share the rest as before, evenly if they had nothing. */
static hr_onnx_value calibrated_many(hr_onnx_graph *g, const hr_forest *forest, hr_onnx_value p) {
    size_t classes = forest->output_count;
    hr_onnx_value all = hr_onnx_integers(g, 0, classes), none = hr_onnx_number(g, 0);
    hr_onnx_value even = hr_onnx_number(g, 1 / ((double)classes - 1));
    hr_onnx_value is_top = hr_onnx_of_two(g, "Equal", all, hr_onnx_largest(g, p));
    hr_onnx_value others = hr_onnx_where(g, is_top, none, p);
    hr_onnx_value rest = hr_onnx_reduce(g, "ReduceSum", others);
    hr_onnx_value is_some = hr_onnx_with(g, "Greater", rest, 0);
    hr_onnx_value shares = hr_onnx_where(g, is_some, hr_onnx_of_two(g, "Div", others, rest), even);
    hr_onnx_value second = hr_onnx_of_two(g, "Div", hr_onnx_reduce(g, "ReduceMax", others), rest);
    hr_onnx_value ratio = hr_onnx_where(g, is_some, second, even);
    hr_onnx_value least = hr_onnx_of_two(g, "Div", ratio, hr_onnx_with(g, "Add", ratio, 1));
    least = hr_onnx_of_two(g, "Add", least, hr_onnx_with(g, "Mul", least, MARGIN));
    hr_onnx_value top = corrected_graph(g, &forest->calibration, hr_onnx_reduce(g, "ReduceMax", p));
    hr_onnx_value raised = hr_onnx_of_two(g, "Max", top, least);
    hr_onnx_value left = hr_onnx_of_two(g, "Mul", shares, hr_onnx_less(g, 1, raised));
    return hr_onnx_where(g, is_top, raised, left);
}

hr_onnx_value hr_onnx_classes(hr_onnx_graph *g, const hr_forest *forest, hr_onnx_value scores) {
    hr_onnx_value p = uncalibrated(g, forest, scores);
    if (!forest->calibration.made) return p;
    if (forest->output_count > 2) return calibrated_many(g, forest, p);
    return two_classes(g, corrected_graph(g, &forest->calibration, hr_onnx_column(g, p, 1)));
}
