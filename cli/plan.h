/* What a training run or a job would do, told to people and programs. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "args.h"

#include <hedgerow/federation.h>
#include <stdbool.h>
#include <stdint.h>

enum { ROWS_GUESSED = 10000 }; /* records, unless the user says how many */

/* What was asked for, beside the figures of the plan. */
typedef struct plan_terms {
    const char *method;
    bool guessed;               /* the number of records is not the user's */
    const char *unit;           /* of the schema; NULL: none */
    const char *weight;         /* of the schema; NULL: none */
    double weight_high;         /* its bound */
    int64_t records_per_person; /* 0: all, with weights */
    double bounds_share;        /* part of the budget for released bounds; 0: none are released */
} plan_terms;

void print_plan(const hr_plan_info *plan, const plan_terms *terms);
void print_plan_json(const hr_plan_info *plan, const plan_terms *terms);

/* Prints the plan of a job; returns the exit code. owners: 0 stands for those of the file. */
int run_job_plan(const char *name, const char *file, size_t owners, const arg_integer *rows, bool as_json);

#endif
