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

/* ---- Jobs of one question ---- */

/* The coordinator changes its question: no owner answers, and the first says why. */
void assert_no_owner_answers(federation *f, tampering *tamper, const char *why);
/* The coordinator asks three times: every owner answers once, and then says why not. */
void assert_owners_answer_once(federation *f, const char *why);

tampering asks_for_a_choice, sends_a_body;

#endif
