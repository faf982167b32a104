#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void hr_log_write(const hr_log *log, hr_log_level level, const char *job, const char *text) {
    if (!log || !log->sink) return;
    const hr_log_line line = {level, log->owner, log->coordinator, job, text};
    log->sink(log->user, &line);
}

void hr_log_format(const hr_log *log, hr_log_level level, const char *job, const char *format, ...) {
    char text[HR_LOG_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hr_log_write(log, level, job, text);
}
