#include "fit/weights.h"

#include "base/fail.h"
#include "base/text/number.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static hr_status refuse_class_weights(const char *remedy, const char *message, hr_error *err) {
    hr_fail(err, HR_E_ARGUMENT, remedy, "%s", message);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "class-weight");
}

static hr_status refuse_record_weights(const char *remedy, const char *message, hr_error *err) {
    hr_fail(err, HR_E_ARGUMENT, remedy, "%s", message);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "record-weights");
}

static double largest_of(const hr_fit_options *options) {
    double largest = 0;
    for (size_t k = 0; k < options->class_weight_count; k++)
        largest = fmax(largest, options->class_weights[k]);
    return largest;
}

static hr_status check_numbers(const hr_fit_options *options, hr_error *err) {
    for (size_t k = 0; k < options->class_weight_count; k++)
        if (!(options->class_weights[k] > 0 && isfinite(options->class_weights[k])))
            return refuse_class_weights("give each class a number above 0",
                                        "a class weight is no number above 0", err);
    double largest = largest_of(options);
    for (size_t k = 0; k < options->class_weight_count; k++)
        if (options->class_weights[k] * HR_CLASS_WEIGHTS_RATIO < largest)
            return refuse_class_weights("give weights of a ratio of at most 1000",
                                        "the largest class weight is more than 1000 times the least", err);
    return HR_OK;
}

static bool can_weigh(const hr_method *method, const hr_fit_options *options) {
    return method->persons && options->mode == HR_MODE_SOUND;
}

/* The remedy of methods that cannot. */
static void list_of_able(char remedy[HR_METHODS_TEXT + 120], hr_task task, const char *otherwise) {
    char able[HR_METHODS_TEXT];
    hr_methods_list(HR_CAN_WEIGH, task, able);
    snprintf(remedy, HR_METHODS_TEXT + 120, "train with %s in sound mode, or %s", able, otherwise);
}

hr_status hr_class_weights_check(const hr_method *method, const hr_fit_options *options,
                                 const hr_schema *schema, hr_error *err) {
    if (!options->class_weights) return HR_OK;
    if (!can_weigh(method, options)) {
        char remedy[HR_METHODS_TEXT + 120];
        list_of_able(remedy, hr_schema_task(schema),
                     "decide with --threshold or --costs when you predict, which is free");
        hr_fail(err, HR_E_ARGUMENT, remedy, "method %s cannot weigh classes%s", method->info.name,
                options->mode == HR_MODE_SOUND ? "" : " in paper mode");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "class-weight");
    }
    if (options->start)
        return refuse_class_weights("train without a start",
                                    "a fit that continues a model cannot weigh classes", err);
    if (!hr_task_has_classes(hr_schema_task(schema))) {
        hr_fail(err, HR_E_ARGUMENT, "leave class weights out",
                "class weights are for a label of classes: this model predicts %s",
                hr_task_text(hr_schema_task(schema)));
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "class-weight");
    }
    if (options->class_weight_count != hr_schema_label(schema)->value_count)
        return refuse_class_weights("give one number for each class of the schema",
                                    "there are more or fewer class weights than classes", err);
    return check_numbers(options, err);
}

hr_status hr_record_weights_check(const hr_method *method, const hr_fit_options *options, const hr_data *data,
                                  hr_error *err) {
    const double *weights = options->record_weights;
    const size_t rows = hr_data_rows(data);
    if (!weights) return HR_OK;
    if (!can_weigh(method, options)) {
        char remedy[HR_METHODS_TEXT + 120];
        list_of_able(remedy, hr_schema_task(hr_data_schema(data)), "leave the weights out");
        return refuse_record_weights(remedy, "this method, or mode, cannot weigh records", err);
    }
    if (options->start)
        return refuse_record_weights("train without a start",
                                     "a fit that continues a model cannot weigh records", err);
    if (options->records_per_person)
        return refuse_record_weights("leave one of the two out",
                                     "records of persons are drawn, and cannot have weights, too", err);
    if (options->record_weight_count != rows)
        return refuse_record_weights("give one number for each record",
                                     "there are more or fewer weights than records", err);
    for (size_t i = 0; i < rows; i++) {
        if (weights[i] >= 0 && weights[i] <= 1) continue;
        hr_fail(err, HR_E_ARGUMENT,
                "give numbers from 0 to 1: the noise covers what a record of weight 1 changes",
                "record %zu has the weight %g", i + 1, weights[i]);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "record-weights");
    }
    return HR_OK;
}

hr_status hr_schema_weight_check(const hr_method *method, const hr_fit_options *options,
                                 const hr_schema *schema, hr_error *err) {
    const char *weight = hr_schema_weight(schema, NULL);
    char able[HR_METHODS_TEXT], remedy[HR_METHODS_TEXT + 120];
    const char *exposure = hr_schema_exposure(schema, NULL);
    if (!weight && !exposure) return HR_OK;
    if (options->records_per_person) {
        hr_fail(err, HR_E_ARGUMENT, "leave one of the two out",
                weight ? "records of persons are drawn, and cannot have weights (weight %s), too"
                       : "records of persons are drawn, and cannot have exposures (%s), too",
                weight ? weight : exposure);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "records-per-person");
    }
    if (!weight || can_weigh(method, options)) return HR_OK;
    hr_methods_list(HR_CAN_WEIGH, hr_schema_task(schema), able);
    snprintf(remedy, sizeof remedy, "use %s in sound mode, or remove 'weight' from the schema", able);
    hr_fail(err, HR_E_POLICY, remedy, "method %s cannot weigh records (weight %s)", method->info.name,
            weight);
    return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, "weight");
}

/* A weight is floor(r floor(c floor(2^16 / m))): at most what the record weighs without c and r. */
static void weigh(const hr_data *data, const hr_fit_options *options, uint32_t *weights) {
    const double *of_class = options->class_weights, *of_record = options->record_weights;
    const double *labels = hr_data_labels(data), largest = of_class ? largest_of(options) : 1;
    const uint32_t *alone = hr_data_weights(data);
    for (size_t i = 0; i < hr_data_rows(data); i++) {
        uint32_t weight = alone ? alone[i] : (uint32_t)1 << HR_PERSON_BITS;
        if (of_class) weight = (uint32_t)(of_class[(size_t)labels[i]] / largest * weight);
        if (of_record) weight = (uint32_t)(of_record[i] * weight);
        weights[i] = weight;
    }
}

hr_status hr_weights_apply(const hr_data *data, const hr_fit_options *options, hr_weighted *out,
                           hr_error *err) {
    hr_data *weighted = malloc(sizeof *weighted);
    uint32_t *weights = malloc((hr_data_rows(data) + 1) * sizeof *weights);
    if (!weighted || !weights) {
        free(weighted);
        free(weights);
        return hr_fail_memory(err);
    }
    weigh(data, options, weights);
    *weighted = *data;
    weighted->weights = weights;
    out->data = weighted;
    return HR_OK;
}

/* All but the weights is the other table's. */
void hr_weighted_done(hr_weighted *table) {
    if (table->data) free(table->data->weights);
    free(table->data);
    table->data = NULL;
}

void hr_class_weights_add_setting(hr_settings *settings, const hr_fit_options *options) {
    hr_buffer text = {0};
    char *whole = NULL;
    if (!options->class_weights) return;
    for (size_t k = 0; k < options->class_weight_count; k++) {
        char number[HR_NUMBER_TEXT];
        hr_number_text(options->class_weights[k] / largest_of(options), number);
        hr_buffer_format(&text, "%s%s", k ? " " : "", number);
    }
    if (hr_buffer_take(&text, &whole, NULL))
        settings->incomplete = true;
    else
        hr_settings_add(settings, "class-weights", whole);
    free(whole);
}

void hr_weights_state(const hr_fit_options *options, const hr_schema *schema, hr_buffer *statement) {
    if (options->class_weights)
        hr_buffer_text(statement, " Records weigh by their classes, by numbers that were given as public.");
    if (options->record_weights)
        hr_buffer_text(statement,
                       " Records weigh by numbers from 0 to 1 that came with them, each a function of "
                       "the records of one person alone, as the owner declares.");
    if (hr_schema_weight(schema, NULL)) hr_buffer_text(statement, HR_WEIGHTS_DECLARED);
}
