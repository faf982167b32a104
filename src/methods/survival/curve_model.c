#include "methods/survival/curve_model.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "base/text/number.h"
#include "methods/survival/life_table.h"
#include "tables/schema/survival_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CODES_MAX = 2 * HR_INTERVALS_MAX + 1 };

size_t hr_curve_counts(const hr_curve *curve) {
    return hr_survival_codes(curve->intervals);
}

/* The scores are the log-odds of the intervals' hazards. */
static hr_status set_forest(const hr_curve *curve, const hr_life_interval *life, hr_arena *arena,
                            hr_forest *out, hr_error *err) {
    static const double least = 1e-6;
    double *base = hr_arena_alloc(arena, curve->intervals, sizeof *base);
    if (!base) return hr_fail_memory(err);
    for (size_t k = 0; k < curve->intervals; k++) {
        const double before = k ? life[k - 1].survival : 1,
                     hazard = before > 0 ? 1 - life[k].survival / before : 1,
                     kept = fmin(fmax(hazard, least), 1 - least);
        base[k] = log(kept / (1 - kept));
    }
    *out = (hr_forest){.link = HR_LINK_HAZARD, .output_count = curve->intervals, .base = base};
    return HR_OK;
}

static hr_status describe_curve(const hr_curve *curve, const hr_life_interval *life, hr_arena *arena,
                                const char **out, hr_error *err) {
    const hr_column *label = hr_schema_label(curve->schema);
    hr_buffer text = {0};
    for (size_t k = 0; k < curve->intervals; k++) {
        char cut[HR_NUMBER_TEXT];
        hr_number_text(label->intervals[k], cut);
        hr_buffer_format(&text, "%s%s: %.4f (%.4f..%.4f)", k ? "; " : "", cut, life[k].survival, life[k].low,
                         life[k].high);
    }
    char *made = NULL;
    hr_status status = hr_buffer_take(&text, &made, err);
    if (status) return status;
    *out = hr_arena_text(arena, made, strlen(made));
    free(made);
    return *out ? HR_OK : hr_fail_memory(err);
}

hr_status hr_curve_make(const hr_curve *curve, const hr_noisy *counts, double deviation, hr_arena *arena,
                        hr_curve_made *out, hr_error *err) {
    const double one = (double)hr_unit_of_counts(curve->unit);
    double of_codes[CODES_MAX];
    hr_life_interval life[HR_INTERVALS_MAX];
    *out = (hr_curve_made){0};
    for (size_t c = 0; c < hr_curve_counts(curve); c++)
        out->records += of_codes[c] = (double)counts[c].paid / one;
    out->records = fmax(out->records, 1);
    hr_life_table(of_codes, curve->intervals, deviation / one, life);
    hr_status status = describe_curve(curve, life, arena, &out->text, err);
    return status ? status : set_forest(curve, life, arena, &out->forest, err);
}
