/* How many threads a call shares its work out over: one answer for the library, the program and Python. */
#ifndef HR_BASE_THREADS_H
#define HR_BASE_THREADS_H

#include <hedgerow/status.h>

enum { HR_THREADS_MAX = 256 };

/* *out: wanted, or if it is not above 0, what hr_threads finds. Fails: as hr_threads. */
HR_MUST_CHECK hr_status hr_threads_of(int wanted, int *out, hr_error *err);

/* How many processors' time the cgroups of this process may take, of version 1 and 2: the least of its group
 * and of all groups above that; INFINITY if none has a limit, or none can be read. root: a folder that has
 * proc and the mounts; "" is the system's own. */
double hr_cpu_quota(const char *root);

#endif
