#include "base/fail.h"
#include "methods/method.h"

size_t hr_training_outputs(const hr_data *data) {
    const hr_column *label = hr_schema_label(hr_data_schema(data));
    return label->kind == HR_CATEGORY && label->value_count > 2 ? label->value_count : 1;
}

hr_status hr_training_progress(const hr_training *training, size_t done, size_t total, hr_error *err) {
    const hr_fit_options *options = training->options;
    if (!options->progress || options->progress(options->user, done, total)) return HR_OK;
    return hr_fail(err, HR_E_CANCELLED, "", "the fit was stopped; what it had reserved of the budget stays spent");
}
