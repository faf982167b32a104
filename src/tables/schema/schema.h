/* Inside views of a schema. */
#ifndef HR_TABLES_SCHEMA_SCHEMA_H
#define HR_TABLES_SCHEMA_SCHEMA_H

#include "base/arena.h"
#include "base/buffer.h"
#include "tables/schema/check.h"

/* A deep copy. Owner: the caller. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_schema_copy(const hr_schema *schema, hr_schema **out, hr_error *err);

/* The same without unit and weight: of a table whose records count by themselves, and of a model, which
 * predicts for records of nobody in particular. */
HR_MUST_CHECK hr_status hr_schema_copy_of_records(const hr_schema *schema, hr_schema **out, hr_error *err);

/* Whether two schemas have the same label, exposure, features, unit and weight (names, kinds, bounds, values,
 * missing spellings). */
bool hr_schema_same(const hr_schema *a, const hr_schema *b);

/* Whether a model of that schema predicts for the data: both have the same label, exposure, features and
 * spellings of missing. Where the data's label has cuts that a fit is to find, the model may have found any
 * that end where they do. */
bool hr_schema_fits_model(const hr_schema *data, const hr_schema *model);

/* All of it, borrowed. */
const hr_schema_parts *hr_schema_parts_of(const hr_schema *schema);

/* Adds the columns whose marks were accepted in place of public facts, such as "age, ward". False: there are
 * none. */
bool hr_schema_accepted(const hr_schema *schema, hr_buffer *names);

/* Refuses a schema with a weight, or with an exposure, on behalf of `what`. Fails: POLICY. */
HR_MUST_CHECK hr_status hr_schema_refuse_weight(const hr_schema *schema, const char *what, hr_error *err);

/* Refuses a schema with a unit, a weight or an exposure, on behalf of `what`, such as "method id3"; besides
 * to remove the unit, `instead` is what can be done. Fails: POLICY. */
HR_MUST_CHECK hr_status hr_schema_refuse_unit(const hr_schema *schema, const char *what, const char *instead,
                                              hr_error *err);

/* Of a label: cuts of `count` >= 1 even intervals up to `high`, which a fit is to replace. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_time_cuts_even(hr_arena *arena, size_t count, double high, hr_column *out,
                                          hr_error *err);

/* Refuses a label whose cuts a fit is to find, on behalf of `what`, such as "a job of owners". Fails:
 * ARGUMENT. */
HR_MUST_CHECK hr_status hr_schema_refuse_quantile_cuts(const hr_schema *schema, const char *what,
                                                       hr_error *err);

/* The spellings of missing as one array. */
const char *const *hr_schema_missing_list(const hr_schema *schema);

/* Makes a schema from columns, e.g. those of a model file; everything is copied. Checks what the YAML reader
 * checks. Owner: the caller. Fails: FORMAT (the field is named), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_schema_make(const hr_schema_parts *parts, hr_schema **out, hr_error *err);

#endif
