/* How a table is to be read, as the caller says it. */
#ifndef HR_TABLES_READERS_READ_OPTIONS_H
#define HR_TABLES_READERS_READ_OPTIONS_H

#include <hedgerow/data.h>

/* NULL stands for the defaults. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_read_options_take(const hr_read_options *given, hr_read_options *out,
                                             hr_error *err);

/* The format that the options leave open or not: only CSV has a separator, and only CSV comes from databases.
 */
hr_format hr_read_format(const hr_read_options *options);

#endif
