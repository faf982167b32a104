/* Hedgerow: decision-tree ensembles with privacy guarantees that are theorems. This header includes all the
 * others. */
#ifndef HEDGEROW_HEDGEROW_H
#define HEDGEROW_HEDGEROW_H

#include <hedgerow/amount.h>
#include <hedgerow/attack.h>
#include <hedgerow/cluster.h>
#include <hedgerow/data.h>
#include <hedgerow/evaluation.h>
#include <hedgerow/explain.h>
#include <hedgerow/export.h>
#include <hedgerow/federation.h>
#include <hedgerow/fit.h>
#include <hedgerow/generate.h>
#include <hedgerow/jobs.h>
#include <hedgerow/ledger.h>
#include <hedgerow/log.h>
#include <hedgerow/model.h>
#include <hedgerow/owner.h>
#include <hedgerow/predictor.h>
#include <hedgerow/promise.h>
#include <hedgerow/review.h>
#include <hedgerow/schema.h>
#include <hedgerow/status.h>
#include <hedgerow/survival.h>
#include <hedgerow/timing.h>
#include <hedgerow/tune.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that runs, such as "0.1.0". */
HR_API const char *hr_version(void);

/* Which instructions the library's inner loops use: "portable" (C alone), and "avx2" and "avx512" or, on
 * arm64, "neon"; without this call the best that the processor has. Results are the same bytes with each. For
 * the whole process; any thread, any time. Fails: ARGUMENT (no such name, or not on this processor or in this
 * build). */
HR_API HR_MUST_CHECK hr_status hr_use_kernels(const char *name, hr_error *err);

/* The name of those in use. Never NULL. Thread: any. */
HR_API const char *hr_kernels_name(void);

/* How many threads are meant wherever a number of threads is 0: what the variable HEDGEROW_THREADS of the
 * environment says, 1 to 256; without it, the processors that this process may run on (its affinity mask),
 * but not more than the quotas of its cgroups, version 1 or 2, pay for, rounded up. Looked up anew at each
 * call. Thread: any, while none changes the environment. Fails: ARGUMENT (HEDGEROW_THREADS is no such
 * number); so do the calls that are given 0. */
HR_API HR_MUST_CHECK hr_status hr_threads(int *out, hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
