/* Models on their way to a file: which file may be replaced, and what becomes of a model that cannot be
 * written. */
#ifndef CLI_KEEP_H
#define CLI_KEEP_H

#include "output.h"

#include <hedgerow/model.h>

/* output_probe, except that OUTPUT_FORCED replaces empty files and those that `is_own` recognises, and
 * nothing else; `what` they are called in the message, such as "a model that can be read". Fails: IO. */
hr_status own_output_probe(const char *path, output_rule rule, bool (*is_own)(const char *path),
                           const char *what, hr_error *err);

/* own_output_probe for a model, and whether this build can write one by that name. Fails: IO, ABSENT. */
hr_status model_probe(const char *path, output_rule rule, hr_error *err);

/* How a file of the model is opened: without a guarantee it tells of its records. */
output_opener *model_opener(const hr_model *model);

hr_status model_write(const hr_model *model, const char *path, output_rule rule, hr_error *err);

/* Writes a model that could not be written to a new file: beside the ledger as LEDGER.model-ENTRY.json, or
 * else (no ledger: NULL) in the folder for temporary files. Says on standard error where it is, or that it is
 * lost. */
void model_rescue(const char *command, const hr_model *model, const char *ledger, int64_t entry);

#endif
