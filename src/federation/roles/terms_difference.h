/* Where a job file and a job that runs differ, in words. */
#ifndef HR_FEDERATION_ROLES_TERMS_DIFFERENCE_H
#define HR_FEDERATION_ROLES_TERMS_DIFFERENCE_H

#include "federation/federated/terms.h"

enum { HR_TERMS_DIFFERENCE = 300 }; /* bytes of a text, with its NUL */

/* The first difference, such as "the job file says epsilon: 2, the running job has 1"; of a schema, the
 * column and both values. The job's name and date do not count. Returns false, and leaves the text alone, if
 * there is none.
 */
bool hr_terms_difference(const Hedgerow__Terms *file, const Hedgerow__Terms *running,
                         char text[HR_TERMS_DIFFERENCE]);

#endif
