/* A coordinator of a job of secure sums that asks what its machine would not, and what its owners make of it:
 * every question travels as always, signed and sealed. One at a time. */
#ifndef HR_TESTS_SUPPORT_FALSE_COORDINATOR_H
#define HR_TESTS_SUPPORT_FALSE_COORDINATOR_H

#include "support/federation.h"

/* Changes a question of its machine, which is not its last word. */
typedef void tampering(Hedgerow__Question *question);

typedef struct false_coordinator {
    size_t asked, answers, refusals;
    char why[sizeof((hr_error *)NULL)->message]; /* of the first refusal */
} false_coordinator;

/* Runs the job. The coordinator changes each question (NULL: none), and where its machine asks no more, it
 * asks the first question again, until it has asked so many. */
hr_status false_coordinator_run(federation *f, tampering *tamper, size_t asks, false_coordinator *out);

#endif
