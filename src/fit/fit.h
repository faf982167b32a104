/* What a fit refuses before it spends or draws anything, for those who run several fits for one budget. */
#ifndef HR_FIT_FIT_H
#define HR_FIT_FIT_H

#include <hedgerow/fit.h>

/* Checks the table and the options as hr_fit does before its gate is opened: draws nothing, and does not
 * touch a ledger. The error is for the eyes of the owner alone. Fails: as hr_fit before the reservation. */
HR_MUST_CHECK hr_status hr_fit_check(const hr_data *data, const hr_fit_options *options, hr_error *err);

#endif
