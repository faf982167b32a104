/* Which columns of a table identify persons or records. */
#ifndef HR_TABLES_INFER_JUDGE_UNITS_H
#define HR_TABLES_INFER_JUDGE_UNITS_H

#include "tables/infer/infer_write.h"

/* Sets `identity` and `is_unit` of the columns of a table whose records have all been gathered. Adds what was
 * counted to all->notes, for the owner's terminal. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_inferences_judge_units(const hr_inferences *all, hr_error *err);

/* The column that is proposed as the unit; NULL: none seems to name persons. */
const hr_inference *hr_inferences_unit(const hr_inferences *all);

#endif
