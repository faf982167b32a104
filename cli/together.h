/* What serve, coordinate and simulate have in common: they listen for signals, and tell how it goes. */
#ifndef CLI_TOGETHER_H
#define CLI_TOGETHER_H

#include <hedgerow/federation.h>

/* Settings that end the work when the process is asked to end (SIGINT, SIGTERM), and print lines to standard
 * error unless `quiet`. `name` is the command's. */
hr_party_settings together_settings(const char *name, int threads, bool quiet);

/* Whether the model and the report go to different slots; if not, says so to standard error. `path` is the
 * model's. */
bool together_output_free(const char *name, const char *path, bool as_json);

/* What came of a job: the model, in words or as one JSON object. In words to standard error, if the model is
 * on standard output. */
void together_report(const hr_model *model, const char *path, bool as_json);

#endif
