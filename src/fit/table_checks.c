#include "fit/table_checks.h"

#include "base/fail.h"
#include "models/model/model.h"
#include "tables/data/cell_file.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "trees/tree/monotone.h"

#include <stdio.h>

static hr_status refuse_cells(const char *field, const char *why, const char *remedy, hr_error *err) {
    hr_fail(err, HR_E_POLICY, remedy, "the data are a binned cache: %s", why);
    return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, field);
}

hr_status hr_fit_check_cells(const hr_method *method, const hr_fit_options *options, const hr_data *data,
                             hr_error *err) {
    char remedy[HR_METHODS_TEXT + 120], able[HR_METHODS_TEXT];
    if (!data->cells) return HR_OK;
    const uint32_t bins = data->cells->header.bins;
    if (!method->cells) {
        hr_methods_list(HR_CAN_CACHE, hr_schema_task(hr_data_schema(data)), able);
        snprintf(remedy, sizeof remedy, "use %s, or train from the table itself", able);
        return refuse_cells("method", "this method needs the values", remedy, err);
    }
    snprintf(remedy, sizeof remedy,
             "give the options edges=public and bins=%u, or train from the table itself", bins);
    if (options->edges != HR_EDGES_PUBLIC)
        return refuse_cells("edges", "its bins are those of public edges", remedy, err);
    if (options->bins != bins) return refuse_cells("bins", "it has another number of bins", remedy, err);
    hr_status status = hr_schema_refuse_quantile_cuts(hr_data_schema(data), "a fit of a binned cache", err);
    if (status) return status;
    static const char table[] = "leave it out, or train from the table itself";
    if (options->start) return refuse_cells("start", "a model cannot score it", table, err);
    if (options->private_bounds_count)
        return refuse_cells("private-bounds", "its bounds are those of the schema", table, err);
    return HR_OK;
}

/* Trees that come after the correction move the quantiles again. */
static hr_status remark_interval(const hr_fit_options *options, hr_error *err) {
    hr_interval_info interval;
    hr_remark remark = {.kind = HR_REMARK_INTERVAL, .level = HR_REMARK_WARNING};
    if (!options->start || !options->remark || !hr_model_interval(options->start, &interval)) return HR_OK;
    const hr_status refused =
        hr_fail(&remark.what, HR_E_ARGUMENT,
                "train without a start and with 'conformal' where an interval is to be corrected",
                "the start's interval for %g of the labels is corrected, and that of the new model is not",
                interval.coverage);
    (void)hr_fail_at(&remark.what, refused, NULL, 0, 0, "start");
    if (options->remark(options->user, &remark)) return HR_OK;
    if (err) *err = remark.what;
    return refused;
}

hr_status hr_fit_remarks(const hr_data *data, const hr_fit_options *options, hr_error *err) {
    const hr_method *method = hr_method_named(options->method);
    const bool is_private =
        method->info.is_private && options->mode == HR_MODE_SOUND && !options->reproducible_noise;
    const hr_remark_options remarks = {.size = sizeof remarks,
                                       .is_private = is_private,
                                       .wide = options->private_bounds,
                                       .wide_count = options->private_bounds_count,
                                       .take = options->remark,
                                       .user = options->user};
    const hr_status status = hr_data_remarks(data, &remarks, err);
    return status ? status : remark_interval(options, err);
}

/* The trees of a start are the model's, too. */
hr_status hr_fit_check_monotone(const hr_method *method, const hr_fit_options *options,
                                const hr_schema *schema, hr_error *err) {
    const bool able = (method->monotone || method->predicts_nothing) && options->mode == HR_MODE_SOUND;
    hr_monotone_fault fault;
    bool monotone = true;
    hr_status status = hr_check_monotone(method->info.name, able, schema, err);
    if (!status && options->start)
        status = hr_monotone_check(&options->start->forest, schema, &monotone, &fault, err);
    if (status || monotone) return status;
    hr_fail(err, HR_E_ARGUMENT,
            "train the start with the same 'monotone' in its schema, or remove it from this one",
            "the start is not monotone in %.80s: its tree %zu is not",
            hr_schema_feature(schema, fault.feature)->name, fault.tree);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "start");
}
