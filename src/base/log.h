/* Lines for people: one interface for all that a party reports, and one place where it goes. */
#ifndef HR_BASE_LOG_H
#define HR_BASE_LOG_H

#include "base/fail.h"

#include <hedgerow/log.h>

enum { HR_LOG_TEXT = 1024 }; /* bytes of a formatted line with its NUL; the rest is cut off */

/* Where lines go, and whose they are. Texts are borrowed. */
typedef struct hr_log {
    void (*sink)(void *user, const hr_log_line *line); /* NULL: nowhere */
    void *user;
    const char *owner, *coordinator; /* as in hr_log_line */
} hr_log;

/* log: NULL: nowhere. job: the id as text, or NULL. Who calls vouches for the text: what others sent is in it
 * only after a check (hr_text_is_fit). */
void hr_log_write(const hr_log *log, hr_log_level level, const char *job, const char *text);
void hr_log_format(const hr_log *log, hr_log_level level, const char *job, const char *format, ...)
    HR_PRINTF(4, 5);

#endif
