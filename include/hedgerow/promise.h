/* What epsilon and delta mean, in words for people: one sentence, made here, that plans, models and reports
 * print. Thread: any. */
#ifndef HEDGEROW_PROMISE_H
#define HEDGEROW_PROMISE_H

#include <hedgerow/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the text of a promise, with its NUL. */
enum { HR_PROMISE_TEXT = 800 };

/* (epsilon, delta)-differential privacy: for every set S of results, P(S) <= e^epsilon P'(S) + delta, P with
 * the record and P' without it, and the other way round. It does not say that the odds change by at most
 * e^epsilon but with probability delta: that probability is larger. */
typedef struct hr_promise {
    double epsilon, delta;
    /* Of Gaussian differential privacy: no less than the probability that one result changes the odds by more
     * than e^epsilon, whatever was released, and the same of Gaussian noise; 0 where it is not known. */
    double odds_beyond, odds_beyond_gaussian;
} hr_promise;

/* The largest probability with which a guess whether a record was there is right, at even odds before:
 * (e^epsilon + delta) / (1 + e^epsilon), at most 1. */
HR_API double hr_promise_guess(const hr_promise *promise);

/* The sentence. unit: who is protected, such as "one record". Amounts are rounded up. */
HR_API void hr_promise_text(const hr_promise *promise, const char *unit, char text[HR_PROMISE_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
