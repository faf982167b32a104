/* What records count less by: public numbers of their classes, and numbers of their own.
 *
 * Class weights are scaled so that the largest is 1, record weights are 0 to 1, and a record's weight is
 * multiplied by both; so no record, and no person, weighs more than without them, and what the releases of
 * persons are charged covers it (fit.proof.md, Class weights, Record weights). */
#ifndef HR_FIT_WEIGHTS_H
#define HR_FIT_WEIGHTS_H

#include "base/buffer.h"
#include "fit/settings.h"

/* The largest class weight over the least. */
#define HR_CLASS_WEIGHTS_RATIO 1000.0

/* A table whose records have such weights. Starts from {0}. */
typedef struct hr_weighted {
    hr_data *data; /* has the columns of another table, which must outlive it; NULL: none was made */
} hr_weighted;

/* Whether the fit may have the class weights that its options name; HR_OK if they name none. Fails: ARGUMENT.
 */
HR_MUST_CHECK hr_status hr_class_weights_check(const hr_method *method, const hr_fit_options *options,
                                               const hr_schema *schema, hr_error *err);

/* The same of record weights, one for each record of the table. */
HR_MUST_CHECK hr_status hr_record_weights_check(const hr_method *method, const hr_fit_options *options,
                                                const hr_data *data, hr_error *err);

/* What a guarantee takes for granted where the schema names a weight. */
#define HR_WEIGHTS_DECLARED                                                                                  \
    " Records weigh by a column of the schema, in parts of its public bound, each weight a function of the " \
    "records of one person alone, as the owner declares."

/* Whether the fit can weigh records by the schema's weight, if it names one. Fails: POLICY (the method, or
 * the mode, cannot), ARGUMENT. */
HR_MUST_CHECK hr_status hr_schema_weight_check(const hr_method *method, const hr_fit_options *options,
                                               const hr_schema *schema, hr_error *err);

/* The table with the options' weights; it has the records that the fit was given, in their order. Owner: the
 * caller calls hr_weighted_done in either case. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_weights_apply(const hr_data *data, const hr_fit_options *options, hr_weighted *out,
                                         hr_error *err);
void hr_weighted_done(hr_weighted *table);

/* Adds to a model's statement that records have such weights; nothing if they have none. */
void hr_weights_state(const hr_fit_options *options, const hr_schema *schema, hr_buffer *statement);

/* What the model holds of class weights; nothing if there are none. */
void hr_class_weights_add_setting(hr_settings *settings, const hr_fit_options *options);

#endif
