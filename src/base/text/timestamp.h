/* Dates and times as text: a strict reader of ISO 8601 and of declared formats, whatever the locale and the
 * system's time zone.
 *
 * A format's letters are those of strptime, each with one meaning: %Y (4 digits), %y (69 to 99 are 1969 to
 * 1999, 00 to 68 are 2000 to 2068), %m %d %H %M %S (two digits), %-m %-d %-H %-I (one or two), %b (Jan to
 * Dec, in any case), %I with %p (AM or PM), %z (Z or +HH:MM, +HHMM, +HH), %s (seconds since 1970 in UTC), %%.
 * Every other character stands for itself. */
#ifndef HR_BASE_TEXT_TIMESTAMP_H
#define HR_BASE_TEXT_TIMESTAMP_H

#include <hedgerow/schema.h>
#include <stdint.h>

typedef enum hr_timestamp_status {
    HR_TIMESTAMP_OK,
    HR_TIMESTAMP_UNLIKE, /* the text does not follow the format */
    HR_TIMESTAMP_NONE,   /* it does, but there is no such day or time */
    HR_TIMESTAMP_OFFSET  /* it has an offset from UTC, which the rule refuses */
} hr_timestamp_status;

/* How texts are written: the format, NULL for ISO 8601 (YYYY-MM-DD, then perhaps 'T' or a blank and HH:MM,
 * HH:MM:SS or HH:MM:SS.f, then perhaps an offset), and what an offset means. */
typedef struct hr_timestamp_rule {
    const char *format;
    hr_offset_rule offset;
} hr_timestamp_rule;

/* Reads all of text[0..size). *second: since 1970-01-01 00:00 by the clock that the rule chooses, a fraction
 * left out; within HR_CALENDAR_MIN and HR_CALENDAR_MAX + 1. 24:00 is the next day's 00:00. Untouched unless
 * HR_TIMESTAMP_OK. */
hr_timestamp_status hr_timestamp_parse(const hr_timestamp_rule *rule, const char *text, size_t size,
                                       int64_t *second);

/* What is wrong with a format, in words; NULL if nothing is. */
const char *hr_timestamp_format_fault(const char *format);

/* Whether a format has that letter. */
bool hr_timestamp_format_has(const char *format, char letter);

enum { HR_TIMESTAMP_TEXT = 20 };

/* Writes a second as YYYY-MM-DDTHH:MM:SS. From HR_CALENDAR_MIN to HR_CALENDAR_MAX. */
void hr_timestamp_text(int64_t second, char out[HR_TIMESTAMP_TEXT]);

#endif
