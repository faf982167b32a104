/* The released survival curves of a model, from its settings, which are texts that anybody may have written:
 * what is not of their form is no point. */
#include "base/text/number.h"
#include "models/model/model.h"

#include <string.h>

/* "curve", or "curve sex=f". NULL: it is the name of another setting. */
static const char *group_of(const hr_setting *setting) {
    const size_t size = strlen(HR_CURVE_SETTING);
    if (strncmp(setting->name, HR_CURVE_SETTING, size) != 0) return NULL;
    const char *rest = setting->name + size;
    return !*rest ? rest : *rest == ' ' ? rest + 1 : NULL;
}

static const hr_setting *find_curve(const hr_model *model, size_t index) {
    for (size_t i = 0; i < model->setting_count; i++)
        if (group_of(&model->settings[i]) && !index--) return &model->settings[i];
    return NULL;
}

const char *hr_model_curve(const hr_model *model, size_t index) {
    const hr_setting *found = find_curve(model, index);
    return found ? group_of(found) : NULL;
}

/* The number up to `end`, behind which *at is then. */
static bool take_number(const char **at, const char *end, double *out) {
    const char *stop = strstr(*at, end);
    if (!stop || hr_number_parse(*at, (size_t)(stop - *at), out) != HR_NUMBER_OK) return false;
    *at = stop + strlen(end);
    return true;
}

/* "30: 0.943 (0.931..0.955); 90: ..." */
bool hr_model_curve_point(const hr_model *model, size_t index, size_t cut, hr_curve_point *out) {
    const hr_setting *found = find_curve(model, index);
    const char *at = found ? found->value : NULL;
    for (size_t k = 0; at && k < cut; k++) {
        at = strstr(at, "; ");
        if (at) at += 2;
    }
    hr_curve_point point;
    if (!at || !take_number(&at, ": ", &point.time) || !take_number(&at, " (", &point.survival) ||
        !take_number(&at, "..", &point.low) || !take_number(&at, ")", &point.high))
        return false;
    *out = point;
    return true;
}
