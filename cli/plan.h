/* What a training run or a job would do, told to people and programs. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "args.h"

#include <hedgerow/federation.h>
#include <stdbool.h>

enum { ROWS_GUESSED = 10000 }; /* records, unless the user says how many */

/* guessed: the number of records is not the user's. */
void print_plan(const hr_plan_info *plan, const char *method, bool guessed);
void print_plan_json(const hr_plan_info *plan, const char *method, bool guessed);

/* Prints the plan of a job; returns the exit code. owners: 0 stands for those of the file. */
int run_job_plan(const char *name, const char *file, size_t owners, const arg_integer *rows, bool as_json);

#endif
