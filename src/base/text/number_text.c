/* Shortest decimals. 15 significant digits are tried, 16 and 17: the nearest decimal of so many, if the
 * double is the nearest one to it. For most numbers both questions are exact in 128 bits; printf and the
 * reader answer them for the others. */
#include "base/text/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS_MIN = 15, DIGITS_MAX = 17 };

/* ---- By printf ---- */

/* Undoes what a locale does to the decimal point, which may be several bytes. */
static void plain_point(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        bool known = strchr("0123456789+-einfa", *from) != NULL;
        if (known) *to++ = *from;
        if (!known && (to == text || to[-1] != '.')) *to++ = '.';
    }
    *to = '\0';
}

static void print_shortest(double value, char *text) {
    for (int digits = DIGITS_MIN; digits <= DIGITS_MAX; digits++) {
        double back = 0;
        snprintf(text, HR_NUMBER_TEXT, "%.*g", digits, value);
        plain_point(text);
        if (hr_number_parse(text, strlen(text), &back) == HR_NUMBER_OK && back == value) return;
    }
}

static const uint64_t power_of_ten[] = {1,
                                        10,
                                        100,
                                        1000,
                                        10000,
                                        100000,
                                        1000000,
                                        10000000,
                                        100000000,
                                        1000000000,
                                        10000000000,
                                        100000000000,
                                        1000000000000,
                                        10000000000000,
                                        100000000000000,
                                        1000000000000000,
                                        10000000000000000,
                                        100000000000000000};

#ifdef __SIZEOF_INT128__

/* ---- By integers ---- */

__extension__ typedef unsigned __int128 uint128;

/* A number x of at least 1e-4 and below 1e15 that is no integer, scaled to DIGITS_MAX digits before the
 * point: x * 10^scale = whole + rest / 2^shift. A decimal reads back to x if it is less than `reach` /
 * 2^(shift + 1) from there: as far as half the way to the doubles beside x, where no decimal of so few digits
 * is. (Powers of 2, which reach less far down, are decimals of few digits themselves.) */
typedef struct scaled_number {
    uint64_t whole;
    uint128 rest, reach;
    int scale, shift;
} scaled_number;

static uint128 ten_to(int exponent) {
    return exponent < DIGITS_MAX ? power_of_ten[exponent]
                                 : (uint128)power_of_ten[DIGITS_MAX] * power_of_ten[exponent - DIGITS_MAX];
}

static scaled_number scale_number(double x) {
    int exponent;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(x, &exponent), DBL_MANT_DIG);
    const int shift = DBL_MANT_DIG - exponent;
    int scale = DIGITS_MAX - 1 - (int)floor((exponent - 1) * .30102999566398120);
    uint128 reach = ten_to(scale), all = mantissa * reach;
    if (all >> shift >= power_of_ten[DIGITS_MAX]) {
        reach = ten_to(--scale);
        all = mantissa * reach;
    }
    return (scaled_number){.whole = (uint64_t)(all >> shift),
                           .rest = all & (((uint128)1 << shift) - 1),
                           .reach = reach,
                           .scale = scale,
                           .shift = shift};
}

/* The nearest multiple of `unit`, ties to even, divided by it. */
static uint64_t round_scaled(const scaled_number *x, uint64_t unit) {
    const uint64_t kept = x->whole / unit;
    const uint128 rest = ((uint128)(x->whole % unit) << x->shift) + x->rest,
                  half = ((uint128)unit << x->shift) / 2;
    return kept + (rest > half || (rest == half && (kept & 1)));
}

static bool reads_back(const scaled_number *x, uint64_t decimal) {
    const bool above = decimal > x->whole;
    const uint128 whole = (uint128)(above ? decimal - x->whole : x->whole - decimal) << x->shift,
                  distance = 2 * (above ? whole - x->rest : whole + x->rest);
    return distance < x->reach;
}

/* Writes digits, of which the last `scale` are behind the point, without zeros at their end. */
static void write_decimal(uint64_t digits, int scale, char *text) {
    char reversed[HR_NUMBER_TEXT];
    int count = 0;
    for (; digits % 10 == 0; digits /= 10) scale--;
    for (; count < scale; digits /= 10) reversed[count++] = (char)('0' + digits % 10);
    reversed[count++] = '.';
    do reversed[count++] = (char)('0' + digits % 10);
    while (digits /= 10);
    while (count) *text++ = reversed[--count];
    *text = '\0';
}

/* Of a number that is no integer. False if it is too small or too large. */
static bool write_shortest(double value, char *text) {
    const double x = fabs(value);
    if (!(x >= 1e-4 && x < 1e15)) return false;
    const scaled_number scaled = scale_number(x);
    uint64_t decimal = 0;
    for (uint64_t unit = power_of_ten[DIGITS_MAX - DIGITS_MIN]; unit; unit /= 10) {
        decimal = round_scaled(&scaled, unit) * unit;
        if (reads_back(&scaled, decimal)) break;
    }
    if (value < 0) *text++ = '-';
    write_decimal(decimal, scaled.scale, text);
    return true;
}
#else
static bool write_shortest(double value, char *text) {
    (void)value;
    (void)text;
    return false;
}
#endif

/* ---- The whole ---- */

void hr_number_text(double value, char text[HR_NUMBER_TEXT]) {
    if (fabs(value) < 1e15 && value == floor(value))
        snprintf(text, HR_NUMBER_TEXT, "%.0f", value);
    else if (!write_shortest(value, text))
        print_shortest(value, text);
}

void hr_number_float_text(float value, char text[HR_NUMBER_TEXT]) {
    snprintf(text, HR_NUMBER_TEXT, "%.8e", (double)value);
    plain_point(text);
}

/* Digits with which a float is told from every other: from FLT_DIG, with which most are, to FLT_DECIMAL_DIG.
 */

/* False if it is small or large, or if an error of rounding might decide. A quotient of whole numbers that
 * doubles hold is the double that the decimal is read as. */
static bool find_decimal(float value, double *decimal) {
    enum { NEAR = 1 << 20 };
    int exponent;
    const double x = (double)fabsf(value);
    if (!(x >= 1e-4 && x < 1e6)) return false;
    frexp(x, &exponent);
    const int point = (int)floor((exponent - 1) * .30102999566398120);
    for (int digits = FLT_DIG; digits <= FLT_DECIMAL_DIG; digits++) {
        const int behind = digits - 1 - point;
        const double unit = (double)power_of_ten[behind], scaled = x * unit, whole = floor(scaled + .5);
        if (fabs(fabs(scaled - whole) - .5) * NEAR < 1) return false;
        *decimal = value < 0 ? -(whole / unit) : whole / unit;
        if ((float)*decimal == value) return true;
    }
    return false;
}

static double print_decimal(float value) {
    double decimal = (double)value;
    for (int digits = FLT_DIG; digits <= FLT_DECIMAL_DIG; digits++) {
        char text[HR_NUMBER_TEXT];
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        plain_point(text);
        if (hr_number_parse(text, strlen(text), &decimal) == HR_NUMBER_OK && (float)decimal == value) break;
    }
    return decimal;
}

double hr_number_float_decimal(float value) {
    double decimal = (double)value;
    if (!isfinite(value) || value == 0 || find_decimal(value, &decimal)) return decimal;
    return print_decimal(value);
}
