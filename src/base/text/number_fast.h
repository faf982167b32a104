/* The hot path of reading tables: plain decimals, eight digits at a time.
 *
 * Eight characters are loaded into one word, lowest byte first; a carry-free test finds the first that is no
 * digit; the digits are moved to the word's top, so that zeros stand before them, and three multiplications
 * add up pairs, fours and eights. Everything unusual is left to hr_number_parse. */
#ifndef HR_BASE_TEXT_NUMBER_FAST_H
#define HR_BASE_TEXT_NUMBER_FAST_H

#include "base/text/number.h"

#include <string.h>

enum { HR_NUMBER_FAST_REACH = 16 }; /* so many bytes behind the number must be readable */

static inline uint64_t hr_load_8(const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* The index of the lowest byte of `mask` whose top bit is set; only top bits may be set, and one must be. */
static inline unsigned hr_first_byte(uint64_t mask) {
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(mask) / 8;
#else
    unsigned n = 0;
    while (!(mask & 0x80)) {
        mask >>= 8;
        n++;
    }
    return n;
#endif
}

/* How many of the next eight characters are digits before the first that is not, and their value. */
static inline unsigned hr_digits_8(const char *text, uint64_t *value) {
    uint64_t v = hr_load_8(text) ^ 0x3030303030303030u;
    uint64_t others = ((v + 0x7676767676767676u) | v) & 0x8080808080808080u;
    unsigned count = others ? hr_first_byte(others) : 8;
    v = v << (32 - 4 * count) << (32 - 4 * count);
    v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ffu;
    v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffffu;
    *value = (v * 10000 + (v >> 32)) & 0xffffffffu;
    return count;
}

/* Adds the run of digits at *text to *mantissa and moves past it; returns how many there were. A run is cut
 * after 24. */
static inline unsigned hr_digits_run(const char **text, uint64_t *mantissa) {
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    unsigned total = 0, count;
    do {
        uint64_t value;
        count = hr_digits_8(*text, &value);
        *mantissa = *mantissa * tens[count] + value;
        *text += count;
        total += count;
    } while (count == 8 && total < 24);
    return total;
}

/* Reads "e-05" at text[0]; returns what follows, or NULL if it is not an exponent of at most three digits. */
static inline const char *hr_exponent_fast(const char *text, int *exponent) {
    const char *p = text + 1;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    const char *digits = p;
    int value = 0;
    while (*p >= '0' && *p <= '9' && p - digits < 4) value = value * 10 + (*p++ - '0');
    if (p == digits || p - digits > 3) return NULL;
    *exponent += negative ? -value : value;
    return p;
}

/* v >= 0, or -v: without a branch, since signs are as good as random. */
static inline double hr_with_sign(double v, bool negative) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits |= (uint64_t)negative << 63;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Reads the number that begins at text[0], up to the first character that does not belong to it. Returns that
 * character's place, or NULL for hr_number_parse to decide. The value is the one that hr_number_parse gives.
 */
static inline const char *hr_number_fast(const char *text, double *value) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    bool negative = *text == '-';
    const char *p = text + negative;
    unsigned first = (unsigned)(unsigned char)*p - '0', whole = 1, fraction = 0;
    uint64_t mantissa = first;
    if (first <= 9 && p[1] == '.') { /* the usual shape of measurements */
        p++;
    } else {
        mantissa = 0;
        whole = hr_digits_run(&p, &mantissa);
    }
    if (*p == '.') {
        p++;
        fraction = hr_digits_run(&p, &mantissa);
    }
    if (whole + fraction - 1 > 18) return NULL; /* none, or more than always fit 64 bits */
    double v;
    int exponent = -(int)fraction;
    bool has_exponent = (*p | 0x20) == 'e';
    if (has_exponent && !(p = hr_exponent_fast(p, &exponent))) return NULL;
    if (!has_exponent && mantissa <= (uint64_t)1 << 53) {
        v = (double)(int64_t)mantissa / tens[fraction];
    } else if (!hr_number_scale(mantissa, exponent, &v)) {
        return NULL;
    }
    *value = hr_with_sign(v, negative);
    return p;
}

#endif
