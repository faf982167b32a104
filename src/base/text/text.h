/* Small matters of text: blanks, UTF-8. */
#ifndef HR_BASE_TEXT_TEXT_H
#define HR_BASE_TEXT_TEXT_H

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

/* Whether a character may be shown to people as it is. Controls may not (Cc), nor what hides or turns around
 * other text (Cf), separators of lines (Zl, Zp), surrogates (Cs) and noncharacters. */
bool hr_char_printable(int32_t c);

/* Whether text[0..size) is UTF-8 of such characters alone. */
bool hr_text_printable(const char *text, size_t size);

/* Copies a text to be shown to people into `size` bytes: whole characters, '?' for each that
 * may not be shown, and "..." at the end if there was no room for all. `size` is at least 4. */
void hr_text_show(const char *text, char *out, size_t size);

/* Two hexadecimal digits for each byte, and a NUL. */
void hr_text_hex(const uint8_t *bytes, size_t size, char *out);

/* Reads a port: digits to the end of the text, from 0 to 65535. *port is untouched where it is none. */
bool hr_port_parse(const char *text, unsigned *port);

/* What stands before item i of `count` in a list for people: "a, b or c". Static text. */
const char *hr_list_gap(size_t i, size_t count);

#endif
