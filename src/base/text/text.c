/* The rules of docs/reference/formats.md for blanks around cells and for UTF-8 (RFC 3629); the classes of
 * characters of Unicode 15. */
#include "base/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { PORT_MAX = 65535 };

static bool is_text_blank(char c) {
    return c == ' ' || c == '\t';
}

bool hr_text_trim(const char **text, size_t *size) {
    size_t before = *size;
    while (*size && is_text_blank((*text)[*size - 1])) --*size;
    while (*size && is_text_blank(**text)) {
        ++*text;
        --*size;
    }
    return *size != before;
}

int32_t hr_utf8_next(const char **text, const char *end) {
    static const int32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)*text;
    int more = *p < 0x80                 ? 0
               : *p >= 0xc2 && *p < 0xe0 ? 1
               : *p >= 0xe0 && *p < 0xf0 ? 2
               : *p >= 0xf0 && *p < 0xf5 ? 3
                                         : -1;
    if (more < 0 || more >= end - *text) return -1;
    int32_t code = more ? *p & (0x3f >> more) : *p;
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) return -1;
        code = code << 6 | (p[i] & 0x3f);
    }
    if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return -1;
    *text += more + 1;
    return code;
}

bool hr_utf8_valid(const char *text, size_t size) {
    for (const char *end = text + size; text < end;) {
        if (hr_utf8_next(&text, end) <= 0) return false;
    }
    return true;
}

bool hr_char_printable(int32_t c) {
    static const struct {
        int32_t first, last;
    } others[] = {{0, 0x1f},          {0x7f, 0x9f},       {0xad, 0xad},       {0x600, 0x605},
                  {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
                  {0x8e2, 0x8e2},     {0x180e, 0x180e},   {0x200b, 0x200f},   {0x2028, 0x202e},
                  {0x2060, 0x206f},   {0xd800, 0xdfff},   {0xfdd0, 0xfdef},   {0xfeff, 0xfeff},
                  {0xfff9, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
                  {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (c >= others[i].first && c <= others[i].last) return false;
    return c >= 0 && (c & 0xfffe) != 0xfffe;
}

bool hr_text_printable(const char *text, size_t size) {
    for (const char *end = text + size; text < end;) {
        if (!hr_char_printable(hr_utf8_next(&text, end))) return false;
    }
    return true;
}

/* The next character as it is shown: its bytes, or one '?'. */
static size_t next_shown(const char **text, const char *end, const char **shown) {
    const char *from = *text;
    bool hidden = !hr_char_printable(hr_utf8_next(text, end));
    if (*text == from) ++*text;
    *shown = hidden ? "?" : from;
    return hidden ? 1 : (size_t)(*text - from);
}

void hr_text_show(const char *text, char *out, size_t size) {
    const char *end = text + strlen(text), *shown;
    size_t used = 0, whole = 0; /* whole: so many bytes leave room for "..." */
    while (text < end) {
        size_t bytes = next_shown(&text, end, &shown);
        if (used + bytes >= size) {
            strcpy(out + whole, "...");
            return;
        }
        memcpy(out + used, shown, bytes);
        used += bytes;
        if (used + 4 <= size) whole = used;
    }
    out[used] = '\0';
}

void hr_text_hex(const uint8_t *bytes, size_t size, char *out) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = '\0';
}

bool hr_port_parse(const char *text, unsigned *port) {
    const size_t digits = strspn(text, "0123456789");
    if (!digits || digits > 5 || text[digits]) return false;
    const unsigned long value = strtoul(text, NULL, 10);
    if (value > PORT_MAX) return false;
    *port = (unsigned)value;
    return true;
}

const char *hr_list_gap(size_t i, size_t count) {
    if (!i) return "";
    return i + 1 < count ? ", " : " or ";
}
