/* One place turns units into the numbers that a model prints: the fit gives it the units that were granted,
 * and a reader of the model those that the releases add up to, which may be fewer. */
#include "models/model/model.h"
#include "privacy/mechanisms.h"

#include <math.h>

static bool has_identity(const hr_release *releases, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (hr_mechanism_is_exact(releases[i].mechanism)) return true;
    return false;
}

void hr_guarantee_of(hr_units units, hr_privacy_measure privacy_measure, double delta, hr_guarantee *out) {
    hr_guarantee made = {.is_private = privacy_measure != HR_PRIVACY_NONE && units < HR_UNITS_MAX / 4,
                         .unit = HR_ONE_RECORD};
    if (!made.is_private) {
        made.epsilon = made.epsilon_replace = (double)INFINITY;
    } else if (privacy_measure == HR_PRIVACY_PURE) {
        made.epsilon = hr_units_value(units);
        made.epsilon_replace = 2 * made.epsilon;
    } else {
        double (*epsilon_of)(hr_units, double) =
            privacy_measure == HR_PRIVACY_GDP ? hr_gdp_epsilon : hr_zcdp_epsilon;
        made.epsilon = epsilon_of(units, delta);
        made.epsilon_replace = epsilon_of(4 * units, delta);
        made.delta = made.delta_replace = delta;
    }
    *out = made;
}

hr_status hr_model_account(const hr_release *releases, size_t count, hr_privacy_measure privacy_measure,
                           double delta, hr_guarantee *out, hr_error *err) {
    hr_units total;
    hr_status status = hr_account(releases, count, &total, err);
    if (status) return status;
    hr_guarantee_of(total, has_identity(releases, count) ? HR_PRIVACY_NONE : privacy_measure, delta, out);
    return HR_OK;
}
