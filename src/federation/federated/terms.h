/* A job file as the terms that owners are offered, and the method and options of terms. */
#ifndef HR_FEDERATION_FEDERATED_TERMS_H
#define HR_FEDERATION_FEDERATED_TERMS_H

#include "federation/config/job_file.h"
#include "federation/federated/federated_method.h"
#include "federation/protocol/message.h"
#include "fit/settings.h"

/* NULL: the terms name no method that trains over a federation. */
const hr_federated_method *hr_terms_method(const Hedgerow__Terms *terms);
/* The method that a message offers a job of. hr_federated_unknown if it is no offer or names no method: every
 * machine refuses the former, and an owner's policy the latter. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_terms_method_offered(const hr_bytes *message, const hr_federated_method **out,
                                                hr_error *err);

/* The schema of a job that is offered by the message, and whether it is the owner's without some of its
 * features. NULL: it cannot be read, and the owner's policy declines it. Owner: the caller frees *out with
 * hr_schema_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_terms_schema_offered(const hr_bytes *message, const hr_schema *own,
                                                hr_schema **out, bool *is_part, hr_error *err);
/* The method that owners train by the terms, and whose options they list: that of the federated method, or
 * what each owner trains alone. Fails: ARGUMENT (there is none, or one that is not private). */
HR_MUST_CHECK hr_status hr_terms_trained(const Hedgerow__Terms *terms, const hr_method **out, hr_error *err);
/* Lists its options as the terms do. Fails: as above, MEMORY. */
HR_MUST_CHECK hr_status hr_terms_list_options(const Hedgerow__Terms *terms, hr_settings *settings,
                                              hr_error *err);

/* The name of a job: that of its file, without folders and extension. Fails: ARGUMENT (no name of a job). */
HR_MUST_CHECK hr_status hr_job_name_of(const char *path, char out[HR_JOB_NAME_MAX + 1], hr_error *err);

/* Owner: the caller frees out->at. Fails: ARGUMENT (not a federated method; the schema's label), MEMORY. */
HR_MUST_CHECK hr_status hr_terms_of(const hr_job_file *job, const char *name, const hr_schema *schema,
                                    const hr_names *owners, hr_bytes *out, hr_error *err);

/* The method's options that the terms of a job stand for, with `share` of its epsilon. Fails: ARGUMENT (of no
 * such method, too), MEMORY. */
HR_MUST_CHECK hr_status hr_options_of_terms(const Hedgerow__Terms *terms, double share, hr_fit_options *out,
                                            hr_error *err);

/* What an owner reserves for a job: epsilon in whole units of the ledger, rounded down, so that a ledger that
 * grants 0.1 pays for a job of 0.1; never less than what its trees and votes are granted. */
double hr_terms_cost(const Hedgerow__Terms *terms);
/* The same of delta. */
double hr_terms_delta(const Hedgerow__Terms *terms);

enum { HR_TERMS_DIFFERENCE = 300 }; /* bytes of a text, with its NUL */

/* The first difference, such as "the job file has epsilon: 2, the running job has 1"; of a schema, the
 * column and both values. The job's name and date do not count. Returns false, and leaves the text alone, if
 * there is none.
 */
bool hr_terms_difference(const Hedgerow__Terms *file, const Hedgerow__Terms *running,
                         char text[HR_TERMS_DIFFERENCE]);

#endif
