/* The rules of docs/formats.md for blanks around cells and for UTF-8 (RFC 3629). */
#include "base/text.h"

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
