/* From probabilities to a class: by a threshold, or by what wrong classes cost. Post-processing of a public
 * model. */
#include "base/fail.h"

#include <hedgerow/evaluation.h>
#include <math.h>

static const double COST_MAX = 1e9, MOST_PROBABLE = .5;

static hr_status check_threshold(double threshold, size_t classes, hr_error *err) {
    if (!(threshold >= 0 && threshold <= 1)) {
        hr_fail(err, HR_E_ARGUMENT, "0.5 predicts the most probable class",
                "the threshold of a probability must be 0 to 1");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "threshold");
    }
    if (classes == 2 || threshold == MOST_PROBABLE) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, "give costs of wrong classes instead",
            "a threshold decides between two classes; the model has %zu", classes);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "threshold");
}

hr_status hr_decision_rule_check(const hr_decision_rule *decision, size_t classes, hr_error *err) {
    if (!decision->costs) return check_threshold(decision->threshold, classes, err);
    for (size_t i = 0; i < classes * classes; i++) {
        if (decision->costs[i] >= 0 && decision->costs[i] <= COST_MAX) continue;
        hr_fail(err, HR_E_ARGUMENT, "give 0 for what costs nothing, and larger numbers for worse mistakes",
                "the cost of predicting class %zu where class %zu is true must be 0 to 1e9", i % classes,
                i / classes);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "costs");
    }
    return HR_OK;
}

static size_t cheapest_class(const double *costs, const double *probabilities, size_t count) {
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t k = 0; k < count; k++) {
        double expected = 0;
        for (size_t truth = 0; truth < count; truth++)
            expected += probabilities[truth] * costs[truth * count + k];
        if (expected < least) {
            least = expected;
            best = k;
        }
    }
    return best;
}

size_t hr_decide(const hr_decision_rule *decision, const double *probabilities, size_t count) {
    if (!decision || (!decision->costs && (count != 2 || decision->threshold == MOST_PROBABLE)))
        return hr_predicted_class(probabilities, count);
    if (decision->costs) return cheapest_class(decision->costs, probabilities, count);
    return probabilities[1] > decision->threshold;
}
