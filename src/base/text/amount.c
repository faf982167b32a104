/* The one place where epsilon and delta become text for people.
 *
 * Digits are rounded as text: ceil(amount * scale) / scale would round twice more, either way. Where the
 * shortest decimal of a double has more than DIGITS digits, no decimal of DIGITS digits lies between the two
 * (it would read back to the double, and be the shorter one): what bounds the decimal from outside bounds the
 * double as well. */
#include <hedgerow/amount.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 6, DIGITS_MIN = 15, DIGITS_MAX = 17, EPSILON_BITS = 40, DELTA_BITS = 62 };

/* d.ddd... * 10^exponent */
typedef struct amount_decimal {
    char digits[DIGITS_MAX + 1];
    int exponent;
} amount_decimal;

/* The nearest decimal of so many digits; returns the double that it reads back to. The point may be another
 * one, and several bytes long, where the locale of the host program has it so. */
static double nearest_decimal(double amount, int count, amount_decimal *out) {
    char text[48];
    size_t kept = 0;
    snprintf(text, sizeof text, "%.*e", count - 1, amount);
    const char *e = strchr(text, 'e');
    for (const char *c = text; c < e; c++)
        if (*c >= '0' && *c <= '9') out->digits[kept++] = *c;
    out->digits[kept] = '\0';
    out->exponent = atoi(e + 1);
    return strtod(text, NULL);
}

static void shortest_amount(double amount, amount_decimal *out) {
    for (int count = DIGITS_MIN; count <= DIGITS_MAX; count++)
        if (nearest_decimal(amount, count, out) == amount) return;
}

/* Keeps DIGITS digits; returns whether others than zeros were cut off. */
static bool cut_decimal(amount_decimal *d) {
    bool more = strspn(d->digits + DIGITS, "0") < strlen(d->digits + DIGITS);
    d->digits[DIGITS] = '\0';
    return more;
}

/* Adds one to the last digit. */
static void raise_decimal(amount_decimal *d) {
    size_t i = DIGITS;
    while (i > 0 && d->digits[i - 1] == '9') d->digits[--i] = '0';
    if (i > 0) {
        d->digits[i - 1]++;
    } else {
        d->digits[0] = '1';
        d->exponent++;
    }
}

/* As "%g" prints it, with a point in every locale. */
static void print_decimal(const amount_decimal *d, char text[HR_AMOUNT_TEXT]) {
    int count = DIGITS;
    while (count > 1 && d->digits[count - 1] == '0') count--;
    const char *digits = d->digits, *point = count > 1 ? "." : "";
    if (d->exponent < -4 || d->exponent >= DIGITS) {
        snprintf(text, HR_AMOUNT_TEXT, "%.1s%s%.*se%+03d", digits, point, count - 1, digits + 1, d->exponent);
    } else if (d->exponent < 0) {
        snprintf(text, HR_AMOUNT_TEXT, "0.%.*s%.*s", -d->exponent - 1, "000", count, digits);
    } else {
        int whole = d->exponent + 1;
        snprintf(text, HR_AMOUNT_TEXT, "%.*s%s%.*s", whole, digits, count > whole ? "." : "",
                 count > whole ? count - whole : 0, digits + whole);
    }
}

/* True if that settled it: zero, infinite, or not a number. */
static bool print_special(double amount, char text[HR_AMOUNT_TEXT]) {
    if (amount > 0 && isfinite(amount)) return false;
    snprintf(text, HR_AMOUNT_TEXT, "%s", isnan(amount) ? "nan" : amount > 0 ? "inf" : "0");
    return true;
}

void hr_spent_text(double amount, char text[HR_AMOUNT_TEXT]) {
    amount_decimal d;
    if (print_special(amount, text)) return;
    shortest_amount(amount, &d);
    if (cut_decimal(&d)) raise_decimal(&d);
    print_decimal(&d, text);
}

/* `bits`: the unit is 2^-bits. */
static void print_amount_left(double amount, int bits, char text[HR_AMOUNT_TEXT]) {
    amount_decimal d;
    if (print_special(amount, text)) return;
    double asked = nearest_decimal(amount, DIGITS, &d);
    if (floor(ldexp(asked, bits)) != ldexp(amount, bits)) {
        shortest_amount(amount, &d);
        cut_decimal(&d);
    }
    print_decimal(&d, text);
}

void hr_epsilon_left_text(double amount, char text[HR_AMOUNT_TEXT]) {
    print_amount_left(amount, EPSILON_BITS, text);
}

void hr_delta_left_text(double amount, char text[HR_AMOUNT_TEXT]) {
    print_amount_left(amount, DELTA_BITS, text);
}
