/* Dates of the calendar as text, in UTC. */
#ifndef HR_BASE_TEXT_DATE_H
#define HR_BASE_TEXT_DATE_H

#include <stdbool.h>
#include <stdint.h>

#define HR_DATE_MAX                                                                                          \
    INT64_C(253402300799) /* the last second of the year 9999; in seconds since 1970 began, as all dates */

enum { HR_DATE_TEXT = 11 };

/* Reads the day YYYY-MM-DD, from 1970-01-01 on, as its first second. False: it is no such day; *out is
 * untouched. */
bool hr_date_parse(const char *text, int64_t *out);

/* Writes the day of a second from 0 to HR_DATE_MAX as YYYY-MM-DD. */
void hr_date_text(int64_t second, char out[HR_DATE_TEXT]);

#endif
