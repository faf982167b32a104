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
#include <hedgerow/ledger.h>
#include <hedgerow/log.h>
#include <hedgerow/model.h>
#include <hedgerow/owner.h>
#include <hedgerow/predictor.h>
#include <hedgerow/promise.h>
#include <hedgerow/review.h>
#include <hedgerow/schema.h>
#include <hedgerow/status.h>
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

#ifdef __cplusplus
}
#endif
#endif
