/* The parts of dates as features: names, public bounds, values. */
#ifndef HR_TABLES_SCHEMA_DATE_PARTS_H
#define HR_TABLES_SCHEMA_DATE_PARTS_H

#include "base/arena.h"
#include "base/text/calendar.h"
#include "base/text/timestamp.h"

#include <hedgerow/schema.h>

const char *hr_date_part_name(hr_date_part part);

/* False: no part has that name. */
bool hr_date_part_find(const char *name, hr_date_part *out);

/* The feature that a part of a date is: "date.part" and its bounds. False when memory is short. */
bool hr_date_part_column(const hr_date_column *date, hr_date_part part, hr_arena *arena, hr_column *out);

/* A time, and its fields, which all its parts share. */
typedef struct hr_date_time {
    int64_t second;
    hr_calendar calendar;
} hr_date_time;

/* The value of a part; *clipped is set if the time is outside of the range and the part was clipped for it.
 */
double hr_date_part_value(const hr_date_column *date, hr_date_part part, const hr_date_time *time,
                          bool *clipped);

/* The range as text: days, or seconds where it does not begin or end with a day. */
void hr_date_range_text(const hr_date_column *date, char from[HR_TIMESTAMP_TEXT], char to[HR_TIMESTAMP_TEXT]);

/* Reads the beginning or the end of a range; a day as `to` is included to its last second. False: it is no
 * date of ISO 8601, or has an offset. */
bool hr_date_from_parse(const char *text, int64_t *second);
bool hr_date_to_parse(const char *text, int64_t *second);

/* Whether two features are parts of the same column of dates. */
bool hr_date_shared(const hr_column *a, const hr_column *b);

/* Whether a part has the name, kind and bounds that belong to it. */
bool hr_date_part_fits(const hr_column *column);

#endif
