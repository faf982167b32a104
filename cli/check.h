/* How a table fits its schema, for the owner's eyes. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <hedgerow/hedgerow.h>

/* Prints the exact number of records, then a line for the label and each feature. Fails: MEMORY. */
hr_status print_check(const hr_data *data, hr_error *err);

#endif
