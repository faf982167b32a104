#include "base/text/calendar.h"

#include <assert.h>
#include <string.h>

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

/* ---- Dates as text ---- */

enum { YEAR_MIN = 1970 };

/* Writes a number of `digits` digits. */
static void write_digits(char *out, int number, int digits) {
    for (int i = digits; i-- > 0; number /= 10) out[i] = (char)('0' + number % 10);
}

void hr_date_text(int64_t second, char out[HR_DATE_TEXT]) {
    assert(second >= 0 && second <= HR_DATE_MAX);
    int64_t days = second / HR_DAY_SECONDS;
    int year = YEAR_MIN + (int)(days / 366), month = 1;
    while (hr_calendar_days(year + 1, 1, 1) <= days) year++;
    while (month < 12 && hr_calendar_days(year, month + 1, 1) <= days) month++;
    memcpy(out, "YYYY-MM-DD", HR_DATE_TEXT);
    write_digits(out, year, 4);
    write_digits(out + 5, month, 2);
    write_digits(out + 8, (int)(days - hr_calendar_days(year, month, 1)) + 1, 2);
}

static int read_digits(const char *text, int digits) {
    int number = 0;
    for (int i = 0; i < digits; i++) number = 10 * number + (text[i] - '0');
    return number;
}

bool hr_date_parse(const char *text, int64_t *out) {
    static const char pattern[] = "dddd-dd-dd";
    char written[HR_DATE_TEXT];
    if (strlen(text) != sizeof pattern - 1) return false;
    for (size_t i = 0; pattern[i]; i++)
        if (pattern[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != pattern[i]) return false;
    int year = read_digits(text, 4), month = read_digits(text + 5, 2), day = read_digits(text + 8, 2);
    if (year < YEAR_MIN || month < 1 || month > 12 || day < 1) return false;
    int64_t second = hr_calendar_days(year, month, day) * HR_DAY_SECONDS;
    if (second > HR_DATE_MAX) return false;
    hr_date_text(second, written); /* a day that the month lacks is another one */
    if (strcmp(written, text) != 0) return false;
    *out = second;
    return true;
}
