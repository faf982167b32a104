/* Where the result of a job goes: a model, the figures of one, or a schema. */
#ifndef CLI_PRODUCT_H
#define CLI_PRODUCT_H

#include "args.h"
#include "output.h"
#include "places.h"

#include <hedgerow/federation.h>

typedef struct product_args {
    const char *model, *figures, *schema; /* paths, one of which is given */
} product_args;

#define PRODUCT_OPTIONS(type)                                                                                \
    {"figures",                                                                                              \
     0,                                                                                                      \
     ARG_TEXT,                                                                                               \
     false,                                                                                                  \
     offsetof(type, product.figures),                                                                        \
     "FILE",                                                                                                 \
     "where the figures of a job of method evaluation go, instead of --model; as JSON"},                     \
    {                                                                                                        \
        "schema", 0, ARG_TEXT, false, offsetof(type, product.schema), "FILE",                                \
            "where the schema of a job of method bounds goes, instead of --model"                            \
    }

/* The file that was named. False, said to standard error: none, or several, or JSON would be mixed with it.
 */
bool product_file(const char *name, const product_args *product, bool as_json, named_file *out);

/* Whether the result may go to the file, and the job, if its file can be read, makes what was named. Fails:
 * POLICY, IO, ARGUMENT. */
hr_status product_check(const product_args *product, const char *job, output_rule rule, hr_error *err);

/* Writes the result of a job that has not done so itself. Fails: as output_open, IO. */
hr_status product_write(const hr_job_result *result, const char *path, output_rule rule, hr_error *err);

#endif
