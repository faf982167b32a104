/* Class weights: public numbers by which records of some classes count less than those of others.
 *
 * They are scaled so that the largest is 1, and a record's weight is multiplied by that of its class; so no
 * record, and no person, weighs more than without them, and what the releases of persons are charged covers
 * it (fit.proof.md, Class weights). */
#ifndef HR_FIT_CLASS_WEIGHTS_H
#define HR_FIT_CLASS_WEIGHTS_H

#include "fit/settings.h"

/* The largest class weight over the least. */
#define HR_CLASS_WEIGHTS_RATIO 1000.0

/* A table whose records weigh by their classes. Starts from {0}. */
typedef struct hr_class_weighted {
    hr_data *data; /* has the columns of another table, which must outlive it; NULL: none was made */
} hr_class_weighted;

/* Whether the fit may have the class weights that its options name; HR_OK if they name none. Fails: ARGUMENT.
 */
HR_MUST_CHECK hr_status hr_class_weights_check(const hr_method *method, const hr_fit_options *options,
                                               const hr_schema *schema, hr_error *err);

/* The table with the options' class weights. Owner: the caller calls hr_class_weighted_done in either case.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_class_weights_apply(const hr_data *data, const hr_fit_options *options,
                                               hr_class_weighted *out, hr_error *err);
void hr_class_weighted_done(hr_class_weighted *table);

/* What the model holds of them; nothing if there are none. */
void hr_class_weights_add_setting(hr_settings *settings, const hr_fit_options *options);

#endif
