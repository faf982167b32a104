/* Features of a table in memory that seem to identify persons or records, judged as proposals judge the
 * columns of a file, by the first records. */
#ifndef HR_TABLES_INFER_DATA_IDENTIFIERS_H
#define HR_TABLES_INFER_DATA_IDENTIFIERS_H

#include <hedgerow/data.h>

/* Why a feature seems to; both are false and NULL if it does not. Starts from {0}. */
typedef struct hr_identifier {
    const char *why;
    bool is_unit; /* it seems to name the person of a record, who may have several */
} hr_identifier;

/* Fills `out`, one a feature. A binned cache has no values, and so no identifiers. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_data_identifiers(const hr_data *data, hr_identifier *out, hr_error *err);

#endif
