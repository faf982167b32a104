/* Decimal text to double and back, exactly and whatever the locale.
 *
 * Every conversion here is correctly rounded (to nearest, ties to even): the result is the bits that strtod
 * gives in the C locale. strtod itself is slow where tables are long and depends on the program's locale: it
 * gets the rare cases only, spelt without a decimal point. */
#ifndef HR_BASE_TEXT_NUMBER_H
#define HR_BASE_TEXT_NUMBER_H

#include <hedgerow/amount.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum hr_number_status {
    HR_NUMBER_OK,
    HR_NUMBER_NONE, /* the text is not a number */
    HR_NUMBER_LARGE /* a number, but beyond the largest double */
} hr_number_status;

/* Reads all of text[0..size) as a decimal number: a sign, digits with at most one point, an exponent; at
 * least one digit and nothing else (no blanks, hexadecimal, infinity or nan). *value is untouched unless
 * HR_NUMBER_OK. */
hr_number_status hr_number_parse(const char *text, size_t size, double *value);

/* mantissa * 10^exponent, correctly rounded. False if it is not among the quick cases: |exponent| <= 27. */
bool hr_number_scale(uint64_t mantissa, int exponent, double *value);

/* Nine digits and an exponent, such as 1.00000000e-01, to which this finite float is the nearest. */
void hr_number_float_text(float value, char text[HR_NUMBER_TEXT]);

/* The double that the shortest decimal is read as to which this float is the nearest: 0.1 for 0.1f, whose own
 * value is 0.10000000149011612. What is not finite stays as it is. */
double hr_number_float_decimal(float value);

#endif
