#include "tables/schema/label_quantiles.h"

#include "base/text/number.h"

#include <stdio.h>

static const double APART = 1e-6;

static bool are_increasing(const hr_column *column, size_t *at) {
    double least = 0;
    for (*at = 0; *at < column->quantile_count; least = column->quantiles[(*at)++]) {
        const double q = column->quantiles[*at];
        if (!(q >= least + APART && q <= 1 - APART)) return false;
    }
    return true;
}

hr_status hr_label_quantiles_check(const hr_column *column, bool is_label, const char **key, hr_error *err) {
    static const char remedy[] =
        "give one to nine numbers between 0 and 1, such as [0.1, 0.5, 0.9], the smallest first";
    size_t at;
    if (!column->quantiles) return HR_OK;
    *key = "quantiles";
    if (!is_label || column->kind != HR_KIND_NUMBER || column->count || column->event)
        return hr_fail(err, HR_E_FORMAT, "remove the key 'quantiles'",
                       "only a label that is a number has quantiles");
    if (!column->quantile_count || column->quantile_count > HR_QUANTILES_MAX)
        return hr_fail(err, HR_E_FORMAT, remedy, "%zu quantiles", column->quantile_count);
    if (are_increasing(column, &at)) return HR_OK;
    return hr_fail(err, HR_E_FORMAT, remedy, "the quantile %g is not above %g and below 1",
                   column->quantiles[at], at ? column->quantiles[at - 1] : 0);
}

bool hr_label_quantiles_copy(hr_arena *arena, const hr_column *from, hr_column *to) {
    double *copy = hr_arena_alloc(arena, from->quantile_count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < from->quantile_count; i++) copy[i] = from->quantiles[i];
    to->quantiles = copy;
    to->quantile_count = from->quantile_count;
    return copy != NULL;
}

bool hr_label_quantiles_same(const hr_column *a, const hr_column *b) {
    if (a->quantile_count != b->quantile_count) return false;
    for (size_t i = 0; i < a->quantile_count; i++)
        if (a->quantiles[i] != b->quantiles[i]) return false;
    return true;
}

void hr_label_quantiles_write(hr_buffer *out, const char *indent, const hr_column *column) {
    for (size_t i = 0; i < column->quantile_count; i++) {
        char text[HR_NUMBER_TEXT];
        hr_number_text(column->quantiles[i], text);
        hr_buffer_format(out, "%s%s%s", i ? ", " : indent, i ? "" : "quantiles: [", text);
    }
    if (column->quantile_count) hr_buffer_text(out, "]\n");
}

void hr_quantile_name(double quantile, char name[HR_QUANTILE_NAME]) {
    snprintf(name, HR_QUANTILE_NAME, "q%.10g", 100 * quantile);
}
