#include "base/text/calendar.h"

#include <stdbool.h>

enum {
    DAYS_TO_1970 = 719468, /* from the first of March of the year 0 */
    DAYS_OF_400_YEARS = 146097
};

/* Years begin in March here, so that the day of leap years is the last. */
int64_t hr_calendar_days(int year, int month, int day) {
    int shifted = year - (month < 3), of_year = (153 * (month + (month < 3 ? 9 : -3)) + 2) / 5 + day - 1;
    return (int64_t)shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + of_year - DAYS_TO_1970;
}

int hr_calendar_month_days(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* The year, month and day that are `days` after 1970-01-01: the inverse of hr_calendar_days. */
static void set_day_fields(int64_t days, hr_calendar *out) {
    int of_400 = (int)((days + DAYS_TO_1970) % DAYS_OF_400_YEARS);
    int of_era = (of_400 - of_400 / 1460 + of_400 / 36524 - of_400 / (DAYS_OF_400_YEARS - 1)) / 365;
    int of_year = of_400 - (365 * of_era + of_era / 4 - of_era / 100);
    int shifted = (5 * of_year + 2) / 153; /* months after March */
    out->day = of_year - (153 * shifted + 2) / 5 + 1;
    out->month = shifted < 10 ? shifted + 3 : shifted - 9;
    out->year = (int)((days + DAYS_TO_1970) / DAYS_OF_400_YEARS * 400) + of_era + (out->month < 3);
}

hr_calendar hr_calendar_of(int64_t second) {
    int64_t days = (second - HR_CALENDAR_MIN) / HR_DAY_SECONDS + HR_CALENDAR_MIN / HR_DAY_SECONDS;
    int of_day = (int)((second - HR_CALENDAR_MIN) % HR_DAY_SECONDS);
    hr_calendar out = {.hour = of_day / 3600, .minute = of_day / 60 % 60, .second = of_day % 60};
    set_day_fields(days, &out);
    out.yearday = (int)(days - hr_calendar_days(out.year, 1, 1)) + 1;
    out.weekday = (int)((days - HR_CALENDAR_MIN / HR_DAY_SECONDS) % 7) + 1; /* 0001-01-01 is a Monday */
    return out;
}
