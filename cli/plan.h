/* What a training run or a job would do, told to people and programs. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "args.h"

#include <hedgerow/federation.h>
#include <stdbool.h>
#include <stdint.h>

enum { ROWS_GUESSED = 10000 }; /* records, unless the user says how many */

/* guessed: the number of records is not the user's. */
void print_plan(const hr_plan_info *plan, const char *method, bool guessed);
void print_plan_json(const hr_plan_info *plan, const char *method, bool guessed);

/* Behind a plan: what it counts, where the schema names a unit (else NULL). most: records of a person, 0:
 * all, with weights. */
void print_plan_unit(const char *unit, int64_t most);

/* Prints the plan of a job; returns the exit code. owners: 0 stands for those of the file. */
int run_job_plan(const char *name, const char *file, size_t owners, const arg_integer *rows, bool as_json);

#endif
