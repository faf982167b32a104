/* What a fit finds out about its table before it spends anything. */
#ifndef HR_FIT_TABLE_CHECKS_H
#define HR_FIT_TABLE_CHECKS_H

#include "methods/method.h"

#include <hedgerow/fit.h>

/* Whether a fit can train on a binned cache, which has the bins of one grid and no values; any other table
 * can be trained on. Fails: POLICY (the method needs values; edges, bins, start or private bounds that a
 * cache cannot have: the field is named). */
HR_MUST_CHECK hr_status hr_fit_check_cells(const hr_method *method, const hr_fit_options *options,
                                           const hr_data *data, hr_error *err);

/* Whether a fit can keep the monotone features of the schema, which is that of the start, too. Fails:
 * ARGUMENT (the method, more than two classes, or a start whose trees do not keep them), MEMORY. */
HR_MUST_CHECK hr_status hr_fit_check_monotone(const hr_method *method, const hr_fit_options *options,
                                              const hr_schema *schema, hr_error *err);

/* Hands the remarks about the table to options->remark, as hr_fit does before it spends anything. For the
 * owner's screen: nothing else comes of them. Fails: as hr_data_remarks. */
HR_MUST_CHECK hr_status hr_fit_remarks(const hr_data *data, const hr_fit_options *options, hr_error *err);

#endif
