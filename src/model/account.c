/* One place turns a list of releases into the numbers that a model prints: the fit prints what this says, and a reader of the
 * model checks against it. */
#include "model/model.h"

#include <math.h>

static bool has_identity(const hr_release *releases, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (releases[i].mechanism == HR_IDENTITY) return true;
    return false;
}

hr_status hr_model_account(const hr_release *releases, size_t count, hr_currency currency, double delta, hr_guarantee *out, hr_error *err) {
    hr_units total;
    hr_status status = hr_account(releases, count, &total, err);
    if (status) return status;
    hr_guarantee made = {.is_private = currency != HR_NO_PRIVACY && !has_identity(releases, count) && total < HR_UNITS_MAX / 4};
    if (!made.is_private) {
        made.epsilon = made.epsilon_replace = (double)INFINITY;
    } else if (currency == HR_PURE) {
        made.epsilon = hr_units_value(total);
        made.epsilon_replace = 2 * made.epsilon;
    } else {
        double (*epsilon_of)(hr_units, double) = currency == HR_GDP ? hr_gdp_epsilon : hr_zcdp_epsilon;
        made.epsilon = epsilon_of(total, delta);
        made.epsilon_replace = epsilon_of(4 * total, delta);
        made.delta = made.delta_replace = delta;
    }
    made.unit = HR_ONE_RECORD;
    *out = made;
    return HR_OK;
}
