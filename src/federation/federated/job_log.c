#include "federation/federated/job_log.h"

#include "privacy/ledger/journal_list.h"

#include <stdarg.h>
#include <stdio.h>

void hr_job_log(const hr_party_work *work, const hr_journal_job *job, hr_log_level level, const char *format,
                ...) {
    char text[HR_LOG_TEXT], id[HR_JOURNAL_ID_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; job && i < HR_JOURNAL_ID; i++) snprintf(id + 2 * i, 3, "%02x", job->id[i]);
    hr_log_write(work->log, level, job ? id : NULL, text);
}
