/* Numbers as text: amounts of epsilon and delta as people read them, in six significant digits, rounded so
 * that nothing is promised that does not hold; and numbers of files, in as many digits as they need.
 *
 * A double stands for the shortest decimal that reads back to it, which is what JSON has: 0.1 is printed as
 * 0.1. Amounts are at least 0; an infinite one is "inf". Thread: any. */
#ifndef HEDGEROW_AMOUNT_H
#define HEDGEROW_AMOUNT_H

#include <hedgerow/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the text of an amount, and of any number, with its NUL. */
enum { HR_AMOUNT_TEXT = 16, HR_NUMBER_TEXT = 32 };

/* What is spent or guaranteed, rounded up. Also for a cost in rho or mu^2. */
HR_API void hr_spent_text(double amount, char text[HR_AMOUNT_TEXT]);

/* What may be spent, such as a limit or what is left of it, rounded down. A ledger takes a request in whole
 * units, rounded down: of 2^-40 for epsilon (rho and mu^2 too), of 2^-62 for delta. So an amount whose units
 * are those of the nearest decimal is printed as that decimal: a limit of 0.1 is 0.09999999999990905 in
 * units, and a request for 0.1 gets exactly that. */
HR_API void hr_epsilon_left_text(double amount, char text[HR_AMOUNT_TEXT]);
HR_API void hr_delta_left_text(double amount, char text[HR_AMOUNT_TEXT]);

/* The shortest usual spelling that reads back to the same finite double, whatever the locale: 0.1, -17,
 * 1e+15. Others are as printf has them. */
HR_API void hr_number_text(double value, char text[HR_NUMBER_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
