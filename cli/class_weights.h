/* The weights of classes that a command line gives: --class-weight CLASS=X. */
#ifndef CLASS_WEIGHTS_H
#define CLASS_WEIGHTS_H

#include "args.h"

#include <hedgerow/schema.h>

/* One number for each class of the schema's label: 1 where none is given. A label without classes is left for
 * the fit to refuse. Owner: the caller frees *out with
 * free. */
HR_MUST_CHECK hr_status class_weights_of(const hr_schema *schema, const arg_list *given, double **out,
                                         hr_error *err);

#endif
