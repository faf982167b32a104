#include "misfit.h"

#include "output.h"
#include "places.h"

#include <stdio.h>
#include <string.h>

static const double CLIPPED_TOLD = 1; /* % of the labels */

enum { TOLD_MAX = 20 }; /* columns; a table that does not fit at all has thousands */

static void warn_misfit(const misfit_rule *rule, const hr_error *misfit) {
    char text[1200];
    hr_error_format(misfit, text, sizeof text);
    fprintf(stderr, "hedgerow %s: warning: %s\n", rule->command, text);
}

static const char *table_name(const misfit_rule *rule) {
    return strcmp(rule->path, "-") == 0 ? "standard input" : rule->path;
}

static void name_table(const misfit_rule *rule, hr_error *misfit) {
    snprintf(misfit->file, sizeof misfit->file, "%s", table_name(rule));
}

hr_status warn_misfits(const misfit_rule *rule, const hr_data *data, hr_error *err) {
    const size_t features = hr_schema_feature_count(hr_data_schema(data));
    size_t found = 0;
    for (size_t i = 0; i < features; i++) {
        hr_error misfit = {0};
        if (hr_data_check_column(data, i, &misfit) == HR_OK) continue;
        name_table(rule, &misfit);
        if (rule->strict) {
            *err = misfit;
            return misfit.status;
        }
        if (++found <= TOLD_MAX) warn_misfit(rule, &misfit);
    }
    if (found > TOLD_MAX)
        fprintf(stderr,
                "hedgerow %s: warning: %zu more columns do not fit; 'hedgerow schema check' shows all\n",
                rule->command, found - TOLD_MAX);
    return HR_OK;
}

static hr_status warn_label(const misfit_rule *rule, hr_status status, hr_error *misfit, hr_error *err) {
    if (status == HR_OK) return HR_OK;
    name_table(rule, misfit);
    if (!rule->strict) {
        warn_misfit(rule, misfit);
        return HR_OK;
    }
    *err = *misfit;
    return status;
}

static hr_status check_label_cells(const hr_data *data, hr_error *misfit) {
    return hr_data_check_column(data, hr_schema_feature_count(hr_data_schema(data)), misfit);
}

hr_status warn_label_cells(const misfit_rule *rule, const hr_data *data, hr_error *err) {
    hr_error misfit = {0};
    return warn_label(rule, check_label_cells(data, &misfit), &misfit, err);
}

hr_status warn_wide_label(const misfit_rule *rule, const hr_data *data, hr_error *err) {
    hr_error misfit = {0};
    hr_status status = check_label_cells(data, &misfit);
    if (status == HR_OK) status = hr_data_check_label(data, &misfit);
    return warn_label(rule, status, &misfit, err);
}

void warn_clipped_labels(const misfit_rule *rule, const hr_data *data) {
    const hr_schema *schema = hr_data_schema(data);
    const hr_column_report *report = hr_data_report(data, hr_schema_feature_count(schema));
    const double share = 100 * (double)report->out_of_range / (double)hr_data_rows(data);
    if (!(share > CLIPPED_TOLD)) return;
    fprintf(stderr,
            "hedgerow %s: warning: %s: field '%s': %.1f %% of the labels are outside the model's bounds; the "
            "figures compare with the nearest bound\n",
            rule->command, table_name(rule), hr_schema_label(schema)->name, share);
}
