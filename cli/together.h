/* What serve, coordinate and simulate have in common: they listen for signals, and tell how it goes. */
#ifndef CLI_TOGETHER_H
#define CLI_TOGETHER_H

#include <hedgerow/federation.h>

/* Settings that collect what became of the owners, for the report, end the work when the process is asked to
 * end (SIGINT, SIGTERM), print the log (log_lines.h, which is open), and tell a service manager how it goes
 * (notify.h). From then on the process's memory is guarded (secrets.h). */
hr_party_settings together_settings(int threads);

/* What came of a job, in words or as one JSON object; JSON names all owners, words those that did not take
 * part, or not in all of their turns. In words to standard error, if the result is on standard output. A
 * model whose sums failed checks has a warning on standard error. Returns the exit code. */
int together_report(const hr_job_result *result, const char *path, bool as_json);

/* Warns on standard error of a model whose sums failed these checks; NULL: none did. Returns the exit code.
 */
int together_warn_suspect(const char *checks);

/* The exit code after a failure: that of the job's ending, if it ended without a result; else as
 * error_exit_code. */
int together_exit_code(const hr_error *err);

/* What became of the owners of a job that ended without a result: one JSON object, or lines to standard
 * error; nothing, if it is not known. */
void together_report_failure(bool as_json);

#endif
