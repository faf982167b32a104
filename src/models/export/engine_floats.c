#include "models/export/engine_floats.h"

#include "base/fail.h"

#include <float.h>
#include <math.h>

float hr_engine_float_below(double x) {
    const float nearest = (float)x;
    return (double)nearest > x ? nextafterf(nearest, -HUGE_VALF) : nearest;
}

hr_status hr_ensemble_check_floats(const hr_ensemble *ensemble, const char *numbers, hr_error *err) {
    for (size_t t = 0; t < ensemble->round_count * ensemble->output_count; t++) {
        const hr_engine_tree *tree = &ensemble->trees[t];
        for (size_t n = 0; n < tree->node_count; n++) {
            const hr_engine_node *node = &tree->nodes[n];
            if (node->split != HR_ENGINE_LEAF) continue;
            const double adds = hr_engine_adds(ensemble, t, node);
            if (isfinite((float)node->value) && isfinite((float)adds)) continue;
            return hr_fail(err, HR_E_LIMIT, "export the model to lightgbm or onnx",
                           "a leaf adds %g, and %s end at %g", adds, numbers, (double)FLT_MAX);
        }
    }
    return HR_OK;
}

hr_status hr_ensemble_check_order(const hr_ensemble *ensemble, const char *format, hr_error *err) {
    if (hr_schema_label(ensemble->schema)->quantile_count < 2) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, "export it as onnx, or a model of one quantile",
            "%s cannot put several quantiles in their order", format);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "quantiles");
}
