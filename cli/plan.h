/* What a training run would do, told to people and programs. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include <hedgerow/fit.h>
#include <stdbool.h>

/* guessed: the number of records is not the user's. */
void print_plan(const hr_plan_info *plan, const char *method, bool guessed);
void print_plan_json(const hr_plan_info *plan, const char *method, bool guessed);

#endif
