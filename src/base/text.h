/* Small matters of text: blanks, UTF-8. */
#ifndef HR_BASE_TEXT_H
#define HR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Removes spaces and tabs from both ends; returns whether there were any. */
bool hr_text_trim(const char **text, size_t *size);

/* The character at *text, which is moved past it, or -1 if the bytes there are not UTF-8 (overlong forms,
 * surrogates and numbers beyond U+10FFFF are not). *text < end. */
int32_t hr_utf8_next(const char **text, const char *end);

/* Whether text[0..size) is UTF-8 without NUL. */
bool hr_utf8_valid(const char *text, size_t size);

#endif
