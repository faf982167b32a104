/* What own, mine and simulate have in common: they listen for signals, and tell how it goes. */
#ifndef CLI_TOGETHER_H
#define CLI_TOGETHER_H

#include <hedgerow/federation.h>

/* Settings that end the work when the process is asked to end (SIGINT, SIGTERM), and print lines to standard error unless `quiet`.
 * `name` is the command's. */
hr_party_settings together_settings(const char *name, int threads, bool quiet);

/* What came of a job: the model, in words or as one JSON object. */
void together_report(const hr_model *model, const char *path, bool as_json);

#endif
