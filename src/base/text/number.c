/* Correctly rounded decimal to double in three steps, from the common case to the rare one: one exact
 * floating-point operation (Clinger 1990) while the digits fit 53 bits; one exact 128-bit multiplication or
 * division by a power of five while they fit 64; strtod for all the rest. */
#include "base/text/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    DIGITS_64 = 19,   /* so many decimal digits always fit 64 bits */
    POWER_EXACT = 22, /* 10^22 is the largest power of ten that is a double */
    POWER_64 = 27,    /* 5^27 is the largest power of five below 2^64 */
    /* No double, and no midpoint of two doubles, has more significant digits than 767: behind them only zero
       or not matters. */
    DIGITS_KEPT = 780,
    DECADE_MAX = 310,  /* 10^310 is beyond the largest double */
    DECADE_MIN = -326, /* below 10^-326 everything rounds to zero */
    EXPONENT_CAP = 100000000
};

static const double power_of_ten[POWER_EXACT + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* A decimal as scanned: mantissa * 10^exponent, and more digits in the text if `cut`. */
typedef struct decimal_number {
    bool negative, cut;
    uint64_t mantissa;
    int64_t exponent;
    const char *digits,
        *digits_end; /* first significant digit; digits and at most one point up to digits_end */
} decimal_number;

/* ---- Scanning ---- */

static bool is_number_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Scans the digits and the point; returns NULL without a digit. */
static const char *scan_digits(decimal_number *d, const char *p, const char *end) {
    int taken = 0;
    bool any = false, fraction = false;
    for (; p < end && (is_number_digit(*p) || (*p == '.' && !fraction)); p++) {
        if (*p == '.') {
            fraction = true;
            continue;
        }
        unsigned digit = (unsigned)(*p - '0');
        any = true;
        if (!taken && !digit) {
            d->exponent -= fraction;
            continue;
        }
        if (!taken) d->digits = p;
        if (taken < DIGITS_64) {
            d->mantissa = d->mantissa * 10 + digit;
            d->exponent -= fraction;
            taken++;
        } else {
            d->cut |= digit != 0;
            d->exponent += !fraction;
        }
    }
    d->digits_end = p;
    return any ? p : NULL;
}

static bool scan_decimal(decimal_number *d, const char *p, const char *end) {
    *d = (decimal_number){0};
    d->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    p = scan_digits(d, p, end);
    if (p && p < end && (*p == 'e' || *p == 'E')) {
        p++;
        bool negative = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) p++;
        if (p == end) return false; /* no digit follows the e */
        int64_t exponent = 0;
        for (; p < end && is_number_digit(*p); p++) {
            if (exponent < EXPONENT_CAP) exponent = exponent * 10 + (*p - '0');
        }
        d->exponent += negative ? -exponent : exponent;
    }
    return p == end && p;
}

/* ---- Rounding ---- */

/* The double nearest to (bits + something below 1 if sticky) * 2^exponent, where bits >= 2^63; infinity if
 * too large. */
static double round_bits(uint64_t bits, int exponent, bool sticky) {
    int lowest = exponent + 64 - DBL_MANT_DIG; /* weight of the last bit kept of a normal double */
    if (lowest < DBL_MIN_EXP - DBL_MANT_DIG) lowest = DBL_MIN_EXP - DBL_MANT_DIG;
    int drop = lowest - exponent;
    if (drop > 64) return 0;
    uint64_t kept = drop == 64 ? 0 : bits >> drop;
    uint64_t half = (uint64_t)1 << (drop - 1);
    uint64_t rest = bits & (half | (half - 1));
    if (rest > half || (rest == half && (sticky || (kept & 1)))) kept++;
    return ldexp((double)kept, lowest);
}

static int leading_zeros(uint64_t x) {
    int n = 0;
    for (int step = 32; step; step /= 2) {
        if (x >> (64 - step) == 0) {
            x <<= step;
            n += step;
        }
    }
    return n;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static const uint64_t power_of_five[POWER_64 + 1] = {0x1,
                                                     0x5,
                                                     0x19,
                                                     0x7d,
                                                     0x271,
                                                     0xc35,
                                                     0x3d09,
                                                     0x1312d,
                                                     0x5f5e1,
                                                     0x1dcd65,
                                                     0x9502f9,
                                                     0x2e90edd,
                                                     0xe8d4a51,
                                                     0x48c27395,
                                                     0x16bcc41e9,
                                                     0x71afd498d,
                                                     0x2386f26fc1,
                                                     0xb1a2bc2ec5,
                                                     0x3782dace9d9,
                                                     0x1158e460913d,
                                                     0x56bc75e2d631,
                                                     0x1b1ae4d6e2ef5,
                                                     0x878678326eac9,
                                                     0x2a5a058fc295ed,
                                                     0xd3c21bcecceda1,
                                                     0x422ca8b0a00a425,
                                                     0x14adf4b7320334b9,
                                                     0x6765c793fa10079d};

/* mantissa * 10^exponent for mantissa > 0 and |exponent| <= POWER_64. */
static double scale_wide(uint64_t mantissa, int exponent) {
    int shift = leading_zeros(mantissa);
    uint64_t m = mantissa << shift;
    uint64_t five = power_of_five[exponent < 0 ? -exponent : exponent];
    int five_shift = leading_zeros(five);
    five <<= five_shift;
    if (exponent >= 0) {
        wide product = (wide)m * five; /* at least 2^126 */
        uint64_t high = (uint64_t)(product >> 63);
        bool carry = product >> 127 != 0;
        if (carry) high = (uint64_t)(product >> 64);
        bool sticky = carry ? (uint64_t)product != 0 : ((uint64_t)product << 1) != 0;
        return round_bits(high, exponent - shift - five_shift + (carry ? 64 : 63), sticky);
    }
    wide dividend = (wide)m << 63; /* the quotient lies in (2^62, 2^64) */
    uint64_t quotient = (uint64_t)(dividend / five);
    bool sticky = (uint64_t)(dividend - (wide)quotient * five) != 0;
    int more = leading_zeros(quotient);
    return round_bits(quotient << more, exponent - shift + five_shift - 63 - more, sticky);
}
#endif

/* ---- The rest ---- */

/* The value of a decimal from all of its digits, by strtod. Without a decimal point the text reads the same
 * in every locale. */
static double value_of_digits(const decimal_number *d) {
    char text[DIGITS_KEPT + 16];
    int kept = 0;
    bool more = false; /* a digit that is not kept is not zero: any digit in its place rounds alike */
    for (const char *p = d->digits; p < d->digits_end; p++) {
        if (*p == '.') continue;
        if (kept < DIGITS_KEPT)
            text[kept++] = *p;
        else
            more |= *p != '0';
    }
    int64_t exponent = d->exponent - kept;
    for (uint64_t m = d->mantissa; m; m /= 10) exponent++;
    snprintf(text + kept, sizeof text - (size_t)kept, "%se%d", more ? "1" : "", (int)exponent - more);
    return strtod(text, NULL);
}

/* ---- The whole ---- */

bool hr_number_scale(uint64_t mantissa, int exponent, double *value) {
    if (exponent < -POWER_64 || exponent > POWER_64) return false;
    if (mantissa <= (uint64_t)1 << DBL_MANT_DIG && exponent >= -POWER_EXACT && exponent <= POWER_EXACT) {
        *value = exponent < 0 ? (double)mantissa / power_of_ten[-exponent]
                              : (double)mantissa * power_of_ten[exponent];
        return true;
    }
#ifdef __SIZEOF_INT128__
    *value = mantissa ? scale_wide(mantissa, exponent) : 0;
    return true;
#else
    return false;
#endif
}

hr_number_status hr_number_parse(const char *text, size_t size, double *value) {
    decimal_number d;
    if (!scan_decimal(&d, text, text + size)) return HR_NUMBER_NONE;
    double result;
    if (!d.mantissa || d.exponent < DECADE_MIN - DIGITS_64)
        result = 0;
    else if (d.exponent > DECADE_MAX)
        result = HUGE_VAL;
    else if (d.cut || !hr_number_scale(d.mantissa, (int)d.exponent, &result))
        result = value_of_digits(&d);
    if (result > DBL_MAX) return HR_NUMBER_LARGE;
    *value = d.negative ? -result : result;
    return HR_NUMBER_OK;
}
