/* Amounts of epsilon and delta as people read them: six significant digits, rounded so that nothing is
 * promised that does not hold.
 *
 * A double stands for the shortest decimal that reads back to it, which is what JSON has: 0.1 is printed as
 * 0.1. Amounts are at least 0; an infinite one is "inf". Thread: any. */
#ifndef HEDGEROW_AMOUNT_H
#define HEDGEROW_AMOUNT_H

#include <hedgerow/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HR_AMOUNT_TEXT = 16 }; /* bytes of a text, with its NUL */

/* What is spent or guaranteed, rounded up. Also for a cost in rho or mu^2. */
HR_API void hr_spent_text(double amount, char text[HR_AMOUNT_TEXT]);

/* What may be spent, such as a limit or what is left of it, rounded down. A ledger takes a request in whole
 * units, rounded down: of 2^-40 for epsilon (rho and mu^2 too), of 2^-62 for delta. So an amount whose units
 * are those of the nearest decimal is printed as that decimal: a limit of 0.1 is 0.09999999999990905 in
 * units, and a request for 0.1 gets exactly that. */
HR_API void hr_epsilon_left_text(double amount, char text[HR_AMOUNT_TEXT]);
HR_API void hr_delta_left_text(double amount, char text[HR_AMOUNT_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
