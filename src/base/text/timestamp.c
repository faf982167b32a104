#include "base/text/timestamp.h"

#include "base/text/calendar.h"

#include <stdio.h>
#include <string.h>

static const char letters_short[] = "mdHI", letters_all[] = "YymdbHIMSpzs%";

/* The text that is left. */
typedef struct timestamp_text {
    const char *at, *end;
} timestamp_text;

/* The parts of a text. */
typedef struct timestamp_fields {
    int64_t year, month, day, hour, minute, second;
    int64_t offset; /* in minutes */
    int64_t epoch;
    bool has_offset, is_epoch, twelve_hours, afternoon;
} timestamp_fields;

/* ---- Reading ---- */

static bool take_stamp_digits(timestamp_text *t, int least, int most, int64_t *out) {
    int64_t number = 0;
    int count = 0;
    for (; count < most && t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++, count++)
        number = 10 * number + (*t->at - '0');
    if (count >= least) *out = number;
    return count >= least;
}

static bool take_stamp_char(timestamp_text *t, char c) {
    if (t->at == t->end || *t->at != c) return false;
    t->at++;
    return true;
}

/* Takes one of `count` words of `width` letters, in any case. */
static bool take_stamp_word(timestamp_text *t, const char *words, int width, int count, int *out) {
    if (t->end - t->at < width) return false;
    for (int i = 0; i < count; i++) {
        int same = 0;
        for (; same < width; same++) {
            char c = t->at[same];
            if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
            if (c != words[i * width + same]) break;
        }
        if (same < width) continue;
        t->at += width;
        *out = i;
        return true;
    }
    return false;
}

/* Z, +HH:MM, +HHMM or +HH. */
static bool take_offset(timestamp_text *t, timestamp_fields *f) {
    int64_t hours, minutes = 0;
    f->has_offset = true;
    if (take_stamp_char(t, 'Z')) return true;
    bool west = take_stamp_char(t, '-');
    if (!west && !take_stamp_char(t, '+')) return false;
    if (!take_stamp_digits(t, 2, 2, &hours)) return false;
    bool needed = take_stamp_char(t, ':') || (t->at < t->end && *t->at >= '0' && *t->at <= '9');
    if (needed && !take_stamp_digits(t, 2, 2, &minutes)) return false;
    f->offset = (west ? -1 : 1) * (60 * hours + minutes);
    return hours < 24 && minutes < 60;
}

/* Takes what a letter of a format stands for. */
static bool take_stamp_letter(timestamp_text *t, char letter, int least, timestamp_fields *f) {
    bool negative;
    int word;
    switch (letter) {
    case 'Y': return take_stamp_digits(t, 4, 4, &f->year);
    case 'y':
        if (!take_stamp_digits(t, 2, 2, &f->year)) return false;
        f->year += f->year < 69 ? 2000 : 1900;
        return true;
    case 'm': return take_stamp_digits(t, least, 2, &f->month);
    case 'b':
        if (!take_stamp_word(t, "janfebmaraprmayjunjulaugsepoctnovdec", 3, 12, &word)) return false;
        f->month = word + 1;
        return true;
    case 'd': return take_stamp_digits(t, least, 2, &f->day);
    case 'I': f->twelve_hours = true; return take_stamp_digits(t, least, 2, &f->hour);
    case 'H': return take_stamp_digits(t, least, 2, &f->hour);
    case 'M': return take_stamp_digits(t, least, 2, &f->minute);
    case 'S': return take_stamp_digits(t, least, 2, &f->second);
    case 'p':
        if (!take_stamp_word(t, "ampm", 2, 2, &word)) return false;
        f->afternoon = word == 1;
        return true;
    case 'z': return take_offset(t, f);
    case 's':
        negative = take_stamp_char(t, '-');
        f->is_epoch = true;
        if (!take_stamp_digits(t, 1, 12, &f->epoch)) return false;
        if (negative) f->epoch = -f->epoch;
        return true;
    default: return take_stamp_char(t, letter);
    }
}

static bool take_format(timestamp_text *t, const char *format, timestamp_fields *f) {
    for (; *format; format++) {
        bool is_letter = *format == '%', is_short = is_letter && format[1] == '-';
        if (!is_letter && !take_stamp_char(t, *format)) return false;
        if (!is_letter) continue;
        format += 1 + is_short;
        if (!take_stamp_letter(t, *format, is_short ? 1 : 2, f)) return false;
    }
    return true;
}

static bool take_iso(timestamp_text *t, timestamp_fields *f) {
    int64_t fraction;
    if (!take_format(t, "%Y-%m-%d", f)) return false;
    if (t->at == t->end) return true;
    if (!take_stamp_char(t, 'T') && !take_stamp_char(t, ' ')) return false;
    if (!take_format(t, "%H:%M", f)) return false;
    if (take_stamp_char(t, ':')) {
        if (!take_stamp_digits(t, 2, 2, &f->second)) return false;
        bool has_fraction = take_stamp_char(t, '.') || take_stamp_char(t, ',');
        if (has_fraction && !take_stamp_digits(t, 1, 9, &fraction)) return false;
    }
    return t->at == t->end || take_offset(t, f);
}

/* ---- Meaning ---- */

static hr_timestamp_status second_of_fields(const timestamp_fields *f, hr_offset_rule rule, int64_t *out) {
    int64_t second = f->epoch;
    if (!f->is_epoch) {
        bool is_day = f->year >= 1 && f->month >= 1 && f->month <= 12 && f->day >= 1 &&
                      f->day <= hr_calendar_month_days((int)f->year, (int)f->month);
        bool end_of_day = f->hour == 24 && !f->minute && !f->second;
        bool is_clock = (f->hour < 24 || end_of_day) && f->minute < 60 && f->second < 60;
        if (f->twelve_hours && (f->hour < 1 || f->hour > 12)) is_clock = false;
        if (!is_day || !is_clock) return HR_TIMESTAMP_NONE;
        if (f->has_offset && rule == HR_OFFSET_REFUSED) return HR_TIMESTAMP_OFFSET;
        int64_t hour = f->twelve_hours ? f->hour % 12 + 12 * f->afternoon : f->hour;
        second = hr_calendar_days((int)f->year, (int)f->month, (int)f->day) * HR_DAY_SECONDS + 3600 * hour +
                 60 * f->minute + f->second;
        if (rule == HR_OFFSET_UTC) second -= 60 * f->offset;
    }
    if (second < HR_CALENDAR_MIN || second > HR_CALENDAR_MAX + 1) return HR_TIMESTAMP_NONE;
    *out = second;
    return HR_TIMESTAMP_OK;
}

hr_timestamp_status hr_timestamp_parse(const hr_timestamp_rule *rule, const char *text, size_t size,
                                       int64_t *second) {
    timestamp_text t = {text, text + size};
    timestamp_fields fields = {0};
    int64_t days;
    if (!rule->format && size == HR_CALENDAR_DAY_TEXT && hr_calendar_day_parse(text, &days)) {
        *second = days * HR_DAY_SECONDS;
        return HR_TIMESTAMP_OK;
    }
    bool taken = rule->format ? take_format(&t, rule->format, &fields) : take_iso(&t, &fields);
    return taken && t.at == t.end ? second_of_fields(&fields, rule->offset, second) : HR_TIMESTAMP_UNLIKE;
}

/* ---- Formats ---- */

/* Moves *format past its next letter, which is returned, with '-' in *flag if it has one; 0: there is none.
 */
static char next_letter(const char **format, char *flag) {
    const char *at = strchr(*format, '%');
    if (!at) return 0;
    *flag = at[1] == '-' ? '-' : 0;
    at += *flag ? 2 : 1;
    *format = *at ? at + 1 : at;
    return *at ? *at : '?';
}

bool hr_timestamp_format_has(const char *format, char letter) {
    char flag, found;
    while ((found = next_letter(&format, &flag)))
        if (found == letter) return true;
    return false;
}

const char *hr_timestamp_format_fault(const char *format) {
    char flag, found, seen[sizeof letters_all] = {0};
    for (const char *at = format; (found = next_letter(&at, &flag));) {
        const char *known = strchr(letters_all, found);
        if (!known) return "it has a letter that is not one of %Y %y %m %b %d %H %I %M %S %p %z %s %%";
        if (flag && !strchr(letters_short, found)) return "'-' goes with %-m, %-d, %-H and %-I only";
        if (flag && (*at == '%' || (*at >= '0' && *at <= '9')))
            return "something that is no digit must follow %-m, %-d, %-H and %-I";
        if (found != '%' && seen[known - letters_all]++) return "it has a letter twice";
    }
    bool has[256] = {false};
    for (const char *letter = letters_all; *letter; letter++)
        has[(unsigned char)*letter] = hr_timestamp_format_has(format, *letter);
    if (has['s']) return strcmp(format, "%s") == 0 ? NULL : "%s stands alone";
    if (has['Y'] + has['y'] != 1 || has['m'] + has['b'] != 1 || !has['d'])
        return "it needs one year (%Y or %y), one month (%m or %b) and one day (%d)";
    if (has['H'] && has['I']) return "it has both %H and %I";
    if (has['I'] != has['p']) return "%I and %p (AM or PM) go together";
    if ((has['M'] && !has['H'] && !has['I']) || (has['S'] && !has['M']))
        return "minutes need hours, and seconds need minutes";
    return NULL;
}

void hr_timestamp_text(int64_t second, char out[HR_TIMESTAMP_TEXT]) {
    hr_calendar c = hr_calendar_of(second);
    char text[80];
    snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d", c.year, c.month, c.day, c.hour, c.minute,
             c.second);
    memcpy(out, text, HR_TIMESTAMP_TEXT - 1);
    out[HR_TIMESTAMP_TEXT - 1] = 0;
}
