/* The figures of an evaluation, exact or released. */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include "output.h"

#include <hedgerow/evaluation.h>
#include <stdio.h>

/* What was released, or, with `plan`, would be of so many invented records. total: of the ledger; NULL: none.
 */
void print_evaluation(FILE *out, const hr_evaluation *evaluation, const hr_ledger_total *total);
void print_evaluation_json(FILE *out, const hr_evaluation *evaluation, const hr_ledger_total *total);
void print_evaluation_plan(const hr_evaluation *plan, double records, bool guessed);
hr_status print_evaluation_plan_json(const hr_evaluation *plan, double records, bool guessed, hr_error *err);

/* Calibration of times at the horizon, for the owner's eyes. */
void print_calibration(const hr_survival_evaluation *evaluation);
void print_calibration_json(json_writer *json, const hr_survival_evaluation *evaluation);

/* Exact counts of decisions, classes x classes, for the owner's eyes. */
void print_confusion(const hr_column *label, const uint64_t *counts);

#endif
