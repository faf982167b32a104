#include "base/text/calendar.h"

#include <assert.h>
#include <string.h>

enum {
    DAYS_TO_1970 = 719468, /* from the first of March of the year 0 */
    DAYS_TO_YEAR_1 = 306,
    DAYS_OF_400_YEARS = 146097,
    DAYS_OF_4_YEARS = 1461
};

/* Years begin in March here, so that the day of leap years is the last. */
int64_t hr_calendar_days(int year, int month, int day) {
    int shifted = year - (month < 3), of_year = (153 * (month + (month < 3 ? 9 : -3)) + 2) / 5 + day - 1;
    return (int64_t)shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + of_year - DAYS_TO_1970;
}

/* From August on, the even months have 31 days, before it the odd ones. */
int hr_calendar_month_days(int year, int month) {
    const bool leap = year % 4 == 0 && (year % 25 != 0 || year % 16 == 0);
    return month == 2 ? 28 + leap : 30 + ((month ^ month >> 3) & 1);
}

/* The bytes of a word in the order in which they are written. */
static uint64_t read_word(const char *text, int size) {
    uint64_t word = 0;
    for (int i = 0; i < size; i++) word |= (uint64_t)(unsigned char)text[i] << 8 * i;
    return word;
}

/* All eight digits are checked and paired at once: a byte that is no digit leaves the lowest ten values. */
bool hr_calendar_day_parse(const char text[HR_CALENDAR_DAY_TEXT], int64_t *days) {
    const uint64_t marks = (uint64_t)'-' << 56 | (uint64_t)'-' << 32, at_marks = UINT64_C(0xff0000ff00000000);
    const uint64_t begin = read_word(text, 8);
    const uint64_t digits = (begin & UINT64_C(0xffffffff)) | (begin >> 8 & UINT64_C(0xffff00000000)) |
                            read_word(text + 8, 2) << 48;
    const uint64_t values = digits ^ UINT64_C(0x3030303030303030);
    const uint64_t above_nine = values | (values + UINT64_C(0x7676767676767676));
    if ((begin & at_marks) != marks || (above_nine & UINT64_C(0x8080808080808080))) return false;
    const uint64_t pairs = (10 * values + (values >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    const int year = (int)(pairs & 0xff) * 100 + (int)(pairs >> 16 & 0xff), month = (int)(pairs >> 32 & 0xff),
              day = (int)(pairs >> 48);
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > hr_calendar_month_days(year, month))
        return false;
    *days = hr_calendar_days(year, month, day);
    return true;
}

/* The year, its day, month and day that are `days` after the first of March of the year 0. In quarters of a
 * day, a century has 146097 of them on average, and a year of a century 1461. Months that begin with March
 * are 30.6 days long on average: of_year times 2141, in 65536ths. */
static void set_day_fields(uint32_t days, hr_calendar *out) {
    const uint32_t quarters = 4 * days + 3, century = quarters / DAYS_OF_400_YEARS,
                   of_century = quarters % DAYS_OF_400_YEARS | 3, of_year = of_century % DAYS_OF_4_YEARS / 4,
                   months = 2141 * of_year + 197913;
    const bool next_year = of_year >= 306; /* January begins */
    out->day = (int)(months % 65536 / 2141) + 1;
    out->month = (int)(months / 65536) - (next_year ? 12 : 0);
    out->year = (int)(100 * century + of_century / DAYS_OF_4_YEARS) + next_year;
    out->yearday = next_year ? (int)of_year - 305 : (int)of_year + hr_calendar_month_days(out->year, 2) + 32;
}

hr_calendar hr_calendar_of(int64_t second) {
    const uint64_t since = (uint64_t)(second - HR_CALENDAR_MIN);
    const uint32_t days = (uint32_t)(since / HR_DAY_SECONDS);
    const int of_day = (int)(since % HR_DAY_SECONDS);
    hr_calendar out = {.hour = of_day / 3600, .minute = of_day / 60 % 60, .second = of_day % 60};
    set_day_fields(days + DAYS_TO_YEAR_1, &out);
    out.weekday = (int)(days % 7) + 1; /* 0001-01-01 is a Monday */
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

bool hr_date_parse(const char *text, int64_t *out) {
    int64_t days;
    if (strlen(text) != HR_CALENDAR_DAY_TEXT || !hr_calendar_day_parse(text, &days) || days < 0) return false;
    *out = days * HR_DAY_SECONDS;
    return true;
}
