/* Surveys and forms write -9 or 999 where there is no value, and a number with leading zeros is a code. */
#include "tables/infer/infer_numbers.h"

#include "base/text/number.h"
#include "tables/data/records.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Codes for missing are found where at least so many cells have one. */
enum { CODE_CELLS = 2 };
/* Of all numbers; also less, if all have one length. */
static const double ZEROS_OF_CODES = .01;

/* ---- Codes for missing ---- */

static double power_of_ten(int digits) {
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10};
    return powers[digits];
}

static int digits_of(double value) {
    int digits = 1;
    while (digits < 10 && value >= power_of_ten(digits)) digits++;
    return digits;
}

/* Whether studies use the number for missing: the highest ones of its length (999, 998, 997, 996), or one
 * that repeats 6, 7 or 8; and -9, -8, -7. */
static bool may_be_code(double value) {
    const double size = fabs(value);
    if (size < 7 || size > 999999 || hr_is_fraction(size)) return false;
    const int digits = digits_of(size);
    const double below = power_of_ten(digits) - 1 - size, ones = (power_of_ten(digits) - 1) / 9;
    if (digits == 1) return value < 0;
    return below < 4 || size == 6 * ones || size == 7 * ones || size == 8 * ones;
}

static double value_of(const hr_word *word) {
    double value = 0;
    (void)hr_number_parse(word->text, strlen(word->text), &value);
    return value;
}

/* Negative codes stand apart from numbers none of which is negative. */
static bool negative_codes(const hr_number_evidence *e) {
    uint64_t cells = 0;
    for (size_t i = 0; i < e->codes.count; i++)
        if (value_of(&e->codes.words[i]) < 0) cells += e->codes.words[i].cells;
    return cells >= CODE_CELLS && e->others && e->low >= 0;
}

/* The length of positive codes, 0 if there are none: the highest number is all nines, repeats, and lies
 * further from the numbers that are no such codes than half of their range. */
static int positive_codes(const hr_number_evidence *e) {
    double highest = 0, rest = e->high, lowest = e->low;
    uint64_t cells = 0;
    if (!e->others) return 0;
    for (size_t i = 0; i < e->codes.count; i++) highest = fmax(highest, value_of(&e->codes.words[i]));
    const int digits = digits_of(highest);
    if (digits < 2 || highest != power_of_ten(digits) - 1 || highest <= e->high) return 0;
    double first = highest;
    for (size_t i = 0; i < e->codes.count; i++) {
        const double value = value_of(&e->codes.words[i]);
        if (value == highest) cells += e->codes.words[i].cells;
        if (value > 0 && digits_of(value) == digits) first = fmin(first, value);
        if (value > 0 && digits_of(value) < digits) rest = fmax(rest, value);
    }
    if (lowest < 0) lowest = 0;
    return cells >= CODE_CELLS && rest > e->low && first - rest > (rest - lowest) / 2 ? digits : 0;
}

void hr_number_evidence_judge(hr_number_evidence *e) {
    const bool negative = negative_codes(e);
    const int digits = positive_codes(e);
    size_t kept = 0;
    for (size_t i = 0; i < e->codes.count; i++) {
        const hr_word word = e->codes.words[i];
        const double value = value_of(&word);
        if (value < 0 ? negative : digits && digits_of(value) == digits) {
            e->codes.words[kept++] = word;
            continue;
        }
        e->low = e->others ? fmin(e->low, value) : value;
        e->high = e->others ? fmax(e->high, value) : value;
        e->others++;
    }
    e->codes.count = kept;
    e->has_missing_codes = kept > 0;
}

/* ---- Gathering ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether an integer has another value as a double. */
static bool is_rounded(const char *cell, size_t size, double value) {
    char text[64];
    if (fabs(value) < 0x1p53 || size >= sizeof text) return false;
    for (size_t i = *cell == '-' || *cell == '+'; i < size; i++)
        if (!is_digit(cell[i])) return false;
    while (size && (*cell == '-' || *cell == '+' || *cell == '0')) {
        cell++;
        size--;
    }
    const int length = snprintf(text, sizeof text, "%.0f", fabs(value));
    return (size_t)length != size || memcmp(text, cell, size) != 0;
}

bool hr_number_evidence_add(hr_number_evidence *e, hr_arena *arena, const char *cell, size_t size,
                            double value) {
    e->shortest = e->cells && e->shortest < size ? e->shortest : size;
    e->longest = e->longest > size ? e->longest : size;
    e->leading_zeros += size > 1 && cell[0] == '0' && is_digit(cell[1]);
    e->fractions |= hr_is_fraction(value);
    e->negative |= value < 0;
    e->rounded |= is_rounded(cell, size, value);
    e->cells++;
    if (may_be_code(value)) return hr_words_note(&e->codes, arena, cell, size, true);
    if (!e->others || value < e->low) e->low = value;
    if (!e->others || value > e->high) e->high = value;
    e->other_fractions |= hr_is_fraction(value);
    e->others++;
    return true;
}

bool hr_number_evidence_repeat(hr_number_evidence *e, hr_arena *arena, const hr_cell_text *cell, double value,
                               uint64_t cells) {
    const bool is_code = may_be_code(value);
    bool noted = true;
    if (cell->size > 1 && cell->text[0] == '0' && is_digit(cell->text[1])) e->leading_zeros += cells;
    e->cells += cells;
    if (!is_code) e->others += cells;
    for (uint64_t i = 0; is_code && noted && i < cells; i++)
        noted = hr_words_note(&e->codes, arena, cell->text, cell->size, true);
    return noted;
}

bool hr_number_evidence_is_code(const hr_number_evidence *e) {
    if (!e->leading_zeros || e->fractions || e->negative) return false;
    return e->shortest == e->longest || (double)e->leading_zeros >= ZEROS_OF_CODES * (double)e->cells;
}

void hr_number_evidence_done(hr_number_evidence *e) {
    hr_words_done(&e->codes);
}

/* ---- Bounds ---- */

enum { DIGITS_LOW = -200 /* smaller differences are left as they are */ };

/* The next multiple of a power of ten that is not above the value; the value, if there is none. */
static double round_down(double value, double digit) {
    if (!isfinite(digit) || digit < DIGITS_LOW) return value;
    /* A power of ten that is an integer divides, or multiplies, without an error of its own. */
    const double power = pow(10, fabs(digit)),
                 rounded = digit < 0 ? floor(value * power) / power : floor(value / power) * power;
    return isfinite(rounded) && rounded <= value ? rounded : value;
}

void hr_bounds_outwards(double *low, double *high) {
    const double digit = floor(log10(*high - *low));
    const double from = fmax(round_down(*low, digit), round_down(*low, floor(log10(fabs(*low))))),
                 to = fmax(round_down(-*high, digit), round_down(-*high, floor(log10(fabs(*high)))));
    if (!isfinite(-to - from)) return;
    *low = from;
    *high = 0 - to; /* never -0 */
}
