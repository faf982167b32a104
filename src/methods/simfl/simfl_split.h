/* A table divided among owners, to measure what they would learn together or alone (Li, Wen, He 2020, section
 * 6). The division is drawn. */
#ifndef HR_METHODS_SIMFL_SIMFL_SPLIT_H
#define HR_METHODS_SIMFL_SIMFL_SPLIT_H

#include "privacy/sample.h"

#include <hedgerow/data.h>

/* theta 0: all owners get equally many records, or one more. Else, of two classes, theta of the records of
 * class 0 and 1 - theta of those of class 1, both rounded, go to the first owners, half of all rounded up,
 * and the rest to the others; within each half they are divided equally. Records keep their order. out:
 * `owners` tables. Owner: the caller frees each with hr_data_free. Fails: ARGUMENT (an owner would have no
 * record), MEMORY; nothing is to be freed then. */
HR_MUST_CHECK hr_status hr_simfl_split(const hr_data *data, size_t owners, double theta, hr_csprng *csprng,
                                       hr_data **out, hr_error *err);

#endif
