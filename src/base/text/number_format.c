/* The text is rewritten as hr_number_parse reads it. */
#include "base/text/number_format.h"

#include <string.h>

enum { LONGEST_FORMATTED = 400 }; /* bytes of a number; the largest double has 309 digits */

typedef struct formatted_number {
    const char *at, *end;
    char plain[LONGEST_FORMATTED + 2];
    size_t size;
} formatted_number;

bool hr_number_format_plain(const hr_number_format *format) {
    return (!format->decimal || format->decimal == '.') && !format->thousands && !format->symbol;
}

static bool is_format_digit(const char *at, const char *end) {
    return at < end && *at >= '0' && *at <= '9';
}

static size_t prefix_size(const formatted_number *n, const char *prefix) {
    size_t size = strlen(prefix);
    return (size_t)(n->end - n->at) >= size && memcmp(n->at, prefix, size) == 0 ? size : 0;
}

/* The bytes of the blank at n->at; 0: there is none. */
static size_t blank_size(const formatted_number *n) {
    static const char *const blanks[] = {" ", "\t", "\xc2\xa0", "\xe2\x80\xaf"};
    size_t size = 0;
    if (n->at == n->end || !strchr(" \t\xc2\xe2", *n->at)) return 0;
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks && !size; i++) size = prefix_size(n, blanks[i]);
    return size;
}

static void skip_format_blanks(formatted_number *n) {
    for (size_t size; (size = blank_size(n));) n->at += size;
}

static size_t thousands_size(const formatted_number *n, char thousands) {
    const char mark[2] = {thousands, 0};
    if (!thousands) return 0;
    if (thousands == ' ') return blank_size(n);
    size_t size = prefix_size(n, mark);
    return !size && thousands == '\'' ? prefix_size(n, "\xe2\x80\x99") : size;
}

static void take_sign(formatted_number *n) {
    if (n->at < n->end && (*n->at == '-' || *n->at == '+')) n->plain[n->size++] = *n->at++;
}

/* Takes the symbol and the blanks around it; whether it was there. */
static bool take_symbol(formatted_number *n, const char *symbol) {
    if (!symbol) return false;
    const char *before = n->at;
    skip_format_blanks(n);
    size_t size = prefix_size(n, symbol);
    if (!size) n->at = before;
    n->at += size;
    if (size) skip_format_blanks(n);
    return size > 0;
}

/* How many digits stand together at n->at; they are copied. */
static size_t take_digit_run(formatted_number *n) {
    const char *from = n->at;
    while (is_format_digit(n->at, n->end)) n->plain[n->size++] = *n->at++;
    return (size_t)(n->at - from);
}

/* Digits left of the decimal mark, in groups or not. */
static bool take_groups(formatted_number *n, char thousands) {
    const bool zero = is_format_digit(n->at, n->end) && *n->at == '0';
    const size_t digits = take_digit_run(n);
    size_t mark;
    while ((mark = thousands_size(n, thousands)) && is_format_digit(n->at + mark, n->end)) {
        if (digits < 1 || digits > 3 || zero) return false;
        n->at += mark;
        if (take_digit_run(n) != 3) return false;
    }
    return true;
}

/* What is left of a number: the decimal part and an exponent, up to a blank or the symbol. */
static void take_tail(formatted_number *n, char decimal) {
    if (n->at < n->end && *n->at == decimal) {
        n->plain[n->size++] = '.';
        n->at++;
        (void)take_digit_run(n);
    }
    if (n->at == n->end || (*n->at != 'e' && *n->at != 'E')) return;
    size_t sign = n->at + 1 < n->end && (n->at[1] == '-' || n->at[1] == '+');
    if (!is_format_digit(n->at + 1 + sign, n->end)) return; /* it may begin the symbol, such as "EUR" */
    for (size_t i = 0; i <= sign; i++) n->plain[n->size++] = *n->at++;
    (void)take_digit_run(n);
}

hr_number_status hr_number_format_parse(const hr_number_format *format, const char *text, size_t size,
                                        double *value) {
    formatted_number n; /* without clearing its room, which takes longer than most numbers */
    n.at = text;
    n.end = text + size;
    n.size = 0;
    if (size > LONGEST_FORMATTED) return HR_NUMBER_NONE;
    take_sign(&n);
    const bool has_symbol = take_symbol(&n, format->symbol);
    if (has_symbol) take_sign(&n); /* of two signs hr_number_parse refuses the second */
    if (!take_groups(&n, format->thousands)) return HR_NUMBER_NONE;
    take_tail(&n, format->decimal ? format->decimal : '.');
    if (!has_symbol) (void)take_symbol(&n, format->symbol);
    return n.at == n.end ? hr_number_parse(n.plain, n.size, value) : HR_NUMBER_NONE;
}
