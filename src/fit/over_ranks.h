/* Training over the ranks of a cluster: what can be shared out like this. */
#ifndef HR_FIT_OVER_RANKS_H
#define HR_FIT_OVER_RANKS_H

#include "methods/method.h"

#include <hedgerow/cluster.h>

/* Refuses what ranks cannot do together, from public facts. Nothing to refuse without a cluster in the
 * options. Fails: ARGUMENT, POLICY. */
HR_MUST_CHECK hr_status hr_over_ranks_check(const hr_method *method, const hr_fit_options *options,
                                            const hr_schema *schema, hr_error *err);

#endif
