/* The options that say how a class follows from probabilities: --threshold and --costs. */
#ifndef CLI_DECIDE_H
#define CLI_DECIDE_H

#include "args.h"

#include <hedgerow/evaluation.h>

typedef struct decide_args {
    arg_real threshold;
    const char *costs;
} decide_args;

#define THRESHOLD_HELP                                                                                       \
    "two classes: predict the second one if its probability exceeds P; 0.5, the more probable one, unless "  \
    "given"
#define COSTS_HELP                                                                                           \
    "predict the class of the smallest expected cost; a CSV with one line for each true class and one "      \
    "column for each predicted class"

/* The rule of the options. rule->costs is the caller's to free, also after a failure. Fails: ARGUMENT (a
 * threshold or costs that do not fit the model; both), and as hr_data_read for the file of costs. */
hr_status decide_read(const decide_args *args, const hr_schema *schema, hr_decision_rule *rule,
                      hr_error *err);
/* That the model predicts no classes, which `options` ("--confusion is") are for. Fails: ARGUMENT. */
hr_status refuse_without_classes(const hr_schema *schema, const char *options, const char *remedy,
                                 hr_error *err);
void decide_free(hr_decision_rule *rule);

#endif
