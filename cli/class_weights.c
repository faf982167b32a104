#include "class_weights.h"

#include "output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hr_status refuse_weight(const char *given, const char *remedy, const char *message, hr_error *err) {
    *err = (hr_error){.status = HR_E_ARGUMENT};
    snprintf(err->field, sizeof err->field, "class-weight");
    snprintf(err->message, sizeof err->message, "'%.100s': %s", given, message);
    snprintf(err->remedy, sizeof err->remedy, "%s", remedy);
    return HR_E_ARGUMENT;
}

/* The class may have a '=' of its own. weights: 0 of classes that were not given yet. */
static hr_status set_weight(const hr_column *label, const char *given, double *weights, hr_error *err) {
    if (strcmp(given, "balanced") == 0)
        return refuse_weight(given, "give numbers that are public, such as those of a released model",
                             "frequencies of classes would be read off the records", err);
    const char *mark = strrchr(given, '=');
    const char *number = mark == NULL ? "" : mark + 1;
    char *end = NULL;
    const double weight = strtod(number, &end);
    const bool plain = *number != '\0' && strspn(number, "0123456789+-.eE") == strlen(number);
    if (!plain || *end != '\0' || !(weight > 0) || !isfinite(weight))
        return refuse_weight(given, "write CLASS=X, with a number X above 0",
                             "this is no class with a number", err);
    const size_t size = (size_t)(mark - given);
    size_t k = 0;
    while (k < label->value_count &&
           (strlen(label->values[k]) != size || memcmp(label->values[k], given, size) != 0))
        k++;
    if (k == label->value_count)
        return refuse_weight(given, "name a class as the schema lists it", "the label has no such class",
                             err);
    if (weights[k] > 0) return refuse_weight(given, "give each class once", "the class is given twice", err);
    weights[k] = weight;
    return HR_OK;
}

hr_status class_weights_of(const hr_schema *schema, const arg_list *given, double **out, hr_error *err) {
    const hr_column *label = hr_schema_label(schema);
    double *weights = calloc(label->value_count + 1, sizeof *weights);
    if (weights == NULL) return fail_memory(err);
    *out = weights;
    for (size_t i = 0; label->value_count > 0 && i < given->count; i++) {
        hr_status status = set_weight(label, given->items[i], weights, err);
        if (status != HR_OK) return status;
    }
    for (size_t k = 0; k < label->value_count; k++)
        if (!(weights[k] > 0)) weights[k] = 1;
    return HR_OK;
}
