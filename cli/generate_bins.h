/* A generated table that is larger than memory, as a binned cache. */
#ifndef CLI_GENERATE_BINS_H
#define CLI_GENERATE_BINS_H

#include <hedgerow/data.h>
#include <hedgerow/generate.h>

/* Writes what `hedgerow bin` makes of the table that hr_generate writes, a piece of it in memory at a time.
 */
hr_status write_generated_bins(const hr_generate_options *options, uint32_t bins, const char *path,
                               hr_error *err);

#endif
