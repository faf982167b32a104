/* Texts whose meaning a schema declares. The first line is a format of dates, the others are cells: no input
 * crashes, what is read lies in the calendar and reads back from its own text, formats are usable or have a
 * fault, and a plain number means the same wherever it is read. */
#include "base/text/calendar.h"
#include "base/text/number_format.h"
#include "base/text/timestamp.h"
#include "check.h"

#include <math.h>
#include <string.h>

static void check_second(int64_t second) {
    static const hr_timestamp_rule iso = {NULL, HR_OFFSET_REFUSED};
    char text[HR_TIMESTAMP_TEXT];
    int64_t again;
    CHECK(second >= HR_CALENDAR_MIN && second <= HR_CALENDAR_MAX + 1);
    if (second > HR_CALENDAR_MAX) return;
    hr_timestamp_text(second, text);
    CHECK(hr_timestamp_parse(&iso, text, strlen(text), &again) == HR_TIMESTAMP_OK && again == second);
}

/* What is read without an offset is read under every rule, as the same second. */
static void check_time(const char *format, const char *cell, size_t size) {
    int64_t seconds[3] = {0};
    hr_timestamp_status status[3];
    for (int i = 0; i < 3; i++) {
        const hr_timestamp_rule rule = {format, (hr_offset_rule)i};
        status[i] = hr_timestamp_parse(&rule, cell, size, &seconds[i]);
        if (!status[i]) check_second(seconds[i]);
    }
    for (int i = 1; i < 3 && !status[0]; i++) CHECK(!status[i] && seconds[i] == seconds[0]);
    CHECK(status[0] != HR_TIMESTAMP_OFFSET || !status[HR_OFFSET_LOCAL] ||
          status[HR_OFFSET_LOCAL] == HR_TIMESTAMP_NONE);
}

static void check_number(const char *cell, size_t size) {
    static const hr_number_format formats[] = {
        {0, 0, NULL},      {',', 0, NULL}, {',', '.', NULL}, {'.', ',', "%"}, {',', ' ', "\xe2\x82\xac"},
        {'.', '\'', "EUR"}};
    double plain = 0, value = 0;
    hr_number_status status = hr_number_parse(cell, size, &plain);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (hr_number_format_parse(&formats[i], cell, size, &value) == HR_NUMBER_OK) CHECK(isfinite(value));
    }
    hr_number_status other = hr_number_format_parse(&formats[0], cell, size, &value);
    CHECK(size > 400 || (status == other && (status || memcmp(&plain, &value, sizeof plain) == 0)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *text = malloc(size + 1);
    CHECK(text);
    memcpy(text, bytes, size);
    text[size] = 0;
    size_t length = strcspn(text, "\n"), from = length < size ? length + 1 : size;
    text[length] = 0;
    const bool usable = !hr_timestamp_format_fault(text);
    for (size_t to = from; to <= size; to++) {
        if (to < size && bytes[to] != '\n') continue;
        check_time(NULL, (const char *)bytes + from, to - from);
        if (usable) check_time(text, (const char *)bytes + from, to - from);
        check_number((const char *)bytes + from, to - from);
        from = to + 1;
    }
    free(text);
    return 0;
}
