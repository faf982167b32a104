/* The Gregorian calendar and the clock: between seconds, their fields, and dates as text. No time zone, no
 * leap seconds. */
#ifndef HR_BASE_TEXT_CALENDAR_H
#define HR_BASE_TEXT_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

enum { HR_DAY_SECONDS = 86400 };

/* Seconds since 1970-01-01 00:00, negative before; the years 1 to 9999. */
#define HR_CALENDAR_MIN INT64_C(-62135596800)
#define HR_CALENDAR_MAX INT64_C(253402300799)

typedef struct hr_calendar {
    int year, month, day; /* month and day from 1 */
    int hour, minute, second;
    int yearday; /* from 1 */
    int weekday; /* ISO 8601: 1 is Monday, 7 Sunday */
} hr_calendar;

/* Days from 1970-01-01 to a day; negative before. */
int64_t hr_calendar_days(int year, int month, int day);

enum { HR_CALENDAR_DAY_TEXT = 10 };

/* Reads YYYY-MM-DD, of the years 1 to 9999, as hr_calendar_days gives it. False: it is no such day; *days is
 * untouched. */
bool hr_calendar_day_parse(const char text[HR_CALENDAR_DAY_TEXT], int64_t *days);

/* How many days a month has. */
int hr_calendar_month_days(int year, int month);

/* The fields of a second, which is from HR_CALENDAR_MIN to HR_CALENDAR_MAX + 1. */
hr_calendar hr_calendar_of(int64_t second);

/* ---- Dates as text ---- */

/* The last second of the year 9999. Dates are in seconds since 1970 began, in UTC. */
#define HR_DATE_MAX HR_CALENDAR_MAX

enum { HR_DATE_TEXT = 11 };

/* Reads the day YYYY-MM-DD, from 1970-01-01 on, as its first second. False: it is no such day; *out is
 * untouched. */
bool hr_date_parse(const char *text, int64_t *out);

/* Writes the day of a second from 0 to HR_DATE_MAX as YYYY-MM-DD. */
void hr_date_text(int64_t second, char out[HR_DATE_TEXT]);

#endif
