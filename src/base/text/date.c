#include "base/text/date.h"

#include "base/text/calendar.h"

#include <assert.h>
#include <string.h>

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
