/* Doubles as text that people can read and that reads back to the same bits, whatever the locale of the process. */
#include "base/buffer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hr_buffer_number(hr_buffer *buffer, double value) {
    if (value == 0 && signbit(value)) {
        hr_buffer_text(buffer, "-0.0");
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    /* What is no part of a number is the locale's decimal point, of one byte or more. */
    static const char plain[] = "0123456789+-einfa";
    size_t before = strspn(text, plain);
    size_t point = strcspn(text + before, plain);
    hr_buffer_add(buffer, text, before);
    if (!point) return;
    hr_buffer_text(buffer, ".");
    hr_buffer_text(buffer, text + before + point);
}
