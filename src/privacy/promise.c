/* The one place that states what epsilon and delta mean. The probability that the odds change by more than
 * e^epsilon is not delta: of Gaussian differential privacy it is 4 to 150 times as large. */
#include "privacy/promise_words.h"

#include <hedgerow/amount.h>
#include <hedgerow/promise.h>
#include <math.h>
#include <stdio.h>

double hr_promise_guess(const hr_promise *promise) {
    double odds = exp(promise->epsilon);
    return isinf(odds) ? 1 : fmin(1, (odds + promise->delta) / (1 + odds));
}

void hr_promise_text(const hr_promise *promise, const char *unit, char text[HR_PROMISE_TEXT]) {
    char factor[HR_AMOUNT_TEXT], percent[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT], beyond[HR_AMOUNT_TEXT],
        gaussian[HR_AMOUNT_TEXT], more[40] = "";
    hr_spent_text(exp(promise->epsilon), factor);
    hr_spent_text(100 * hr_promise_guess(promise), percent);
    hr_spent_text(promise->delta, delta);
    hr_spent_text(promise->odds_beyond, beyond);
    hr_spent_text(promise->odds_beyond_gaussian, gaussian);
    if (promise->delta > 0) snprintf(more, sizeof more, ", plus delta = %s", delta);
    size_t at = (size_t)snprintf(text, HR_PROMISE_TEXT, "e" HR_PROMISE_WORDS(" = %s", "%.60s", "%s"), factor,
                                 unit, more);
    at += (size_t)snprintf(
        text + at, HR_PROMISE_TEXT - at,
        ", and the other way round. A guess whether it was there, at even odds before, is right with a "
        "probability of at most %s %% (epsilon 0.1: 52.5 %%, 1: 73.2 %%, 8: 99.97 %%)",
        percent);
    if (!(promise->delta > 0 && promise->odds_beyond > 0)) return;
    snprintf(text + at, HR_PROMISE_TEXT - at,
             ". A model changes the odds by more than e^epsilon with a probability of at most %s (%s if all "
             "noise is Gaussian), which is more than delta",
             beyond, gaussian);
}
