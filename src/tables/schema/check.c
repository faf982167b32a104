/* One set of rules for schemas from YAML files, from model files and from callers. */
#include "tables/schema/check.h"

#include "base/fail.h"
#include "base/string_map.h"
#include "base/text/number.h"
#include "base/text/number_format.h"
#include "base/text/text.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/label_quantiles.h"
#include "tables/schema/survival_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct checker {
    const hr_schema_parts *parts;
    hr_string_map names, missing, values;
    hr_schema_fault *fault;
    hr_error *err;
} checker;

/* A word that a cell can have: trimmed of blanks, not empty, UTF-8 without NUL. */
static hr_status check_word(const checker *c, const char *word, const char *what) {
    if (!word || !*word)
        return hr_fail(c->err, HR_E_FORMAT, "an empty cell always counts as missing", "%s is empty", what);
    const char *trimmed = word;
    size_t size = strlen(word);
    if (hr_text_trim(&trimmed, &size)) {
        return hr_fail(c->err, HR_E_FORMAT, "remove them: blanks around cells are ignored",
                       "%s '%s' begins or ends with blanks", what, word);
    }
    if (!hr_utf8_valid(word, size))
        return hr_fail(c->err, HR_E_FORMAT, "convert it to UTF-8", "%s is not valid UTF-8", what);
    return HR_OK;
}

static hr_status check_missing(checker *c) {
    c->fault->part = HR_FAULT_MISSING;
    for (size_t i = 0; i < c->parts->missing_count; i++) {
        const char *word = c->parts->missing[i];
        c->fault->item = i;
        hr_status status = check_word(c, word, "a spelling of missing");
        if (status) return hr_fail_at(c->err, status, NULL, 0, 0, "missing");
        if (hr_string_map_find(&c->missing, word, strlen(word)) != HR_STRING_MAP_NONE) {
            hr_fail(c->err, HR_E_FORMAT, "list every spelling once", "'%s' is listed twice", word);
            return hr_fail_at(c->err, HR_E_FORMAT, NULL, 0, 0, "missing");
        }
        if (!hr_string_map_add(&c->missing, word, strlen(word), 0)) return hr_fail_memory(c->err);
    }
    return HR_OK;
}

static hr_status check_name(checker *c, const char *name) {
    c->fault->key = "name";
    hr_status status = check_word(c, name, "the name of a column");
    if (status) return status;
    if (hr_string_map_find(&c->names, name, strlen(name)) != HR_STRING_MAP_NONE) {
        return hr_fail(c->err, HR_E_FORMAT, "give every column (label and features) a unique name",
                       "the name '%s' is used twice", name);
    }
    if (!hr_string_map_add(&c->names, name, strlen(name), 0)) return hr_fail_memory(c->err);
    return HR_OK;
}

static hr_status check_bounds(const checker *c, const hr_column *column) {
    c->fault->key = isfinite(column->low) ? "high" : "low";
    if (!isfinite(column->low) || !isfinite(column->high) || !isfinite(column->high - column->low)) {
        return hr_fail(c->err, HR_E_FORMAT, "give finite numbers whose difference is finite too",
                       "the bounds are too large");
    }
    if (!(column->low <= column->high)) {
        return hr_fail(c->err, HR_E_FORMAT, "give bounds with low <= high", "low (%g) is above high (%g)",
                       column->low, column->high);
    }
    if (column == &c->parts->label && !isfinite(2 / (column->high - column->low))) {
        return hr_fail(c->err, HR_E_FORMAT, "give bounds with low < high",
                       "the label's low (%g) and high (%g) are too near", column->low, column->high);
    }
    if (!column->count) return HR_OK;
    if (column != &c->parts->label || !column->integer) {
        c->fault->key = "count";
        return hr_fail(c->err, HR_E_FORMAT, "make a feature a number, and a count an integer",
                       "only a label is a count, and a count is an integer");
    }
    const double bounds[] = {column->low, column->high};
    for (size_t i = 0; i < 2; i++) {
        c->fault->key = i ? "high" : "low";
        if (bounds[i] >= 0 && bounds[i] <= HR_COUNT_HIGH_MAX && bounds[i] == floor(bounds[i])) continue;
        return hr_fail(c->err, HR_E_FORMAT,
                       "give whole numbers from 0 to 100000; a larger number is learned as 'kind: number'",
                       "%s (%g) is no count", c->fault->key, bounds[i]);
    }
    return HR_OK;
}

static hr_status check_values(checker *c, const hr_column *column) {
    c->fault->key = "values";
    if (column->value_count > HR_VALUES_MAX) {
        return hr_fail(c->err, HR_E_LIMIT, "merge rare values", "%zu values; at most %d are allowed",
                       column->value_count, HR_VALUES_MAX);
    }
    if (!column->value_count)
        return hr_fail(c->err, HR_E_FORMAT, "list the public values of the column",
                       "a category without values");
    hr_string_map_done(&c->values);
    for (size_t i = 0; i < column->value_count; i++) {
        const char *value = column->values[i];
        c->fault->item = i;
        hr_status status = check_word(c, value, "a value");
        if (status) return status;
        size_t size = strlen(value);
        if (hr_string_map_find(&c->missing, value, size) != HR_STRING_MAP_NONE)
            return hr_fail(c->err, HR_E_FORMAT, "remove it from 'values' or from 'missing'",
                           "the value '%s' is also a spelling of missing", value);
        if (hr_string_map_find(&c->values, value, size) != HR_STRING_MAP_NONE)
            return hr_fail(c->err, HR_E_FORMAT, "list every value once", "the value '%s' is listed twice",
                           value);
        if (!hr_string_map_add(&c->values, value, size, (uint32_t)i)) return hr_fail_memory(c->err);
    }
    return HR_OK;
}

/* Class names match as numbers too (cells "1.0" and "+1" are the class "1"), so no two may be the same
 * number. */
static hr_status check_classes(checker *c) {
    const char *const *values = c->parts->label.values;
    size_t count = c->parts->label.value_count;
    hr_status status = HR_OK;
    c->fault->key = "values";
    if (count < 2) return hr_fail(c->err, HR_E_FORMAT, "list two classes or more", "there is only one class");
    double *numbers = calloc(count, sizeof *numbers);
    if (!numbers) return hr_fail_memory(c->err);
    hr_string_map_done(&c->values);
    for (size_t i = 0; i < count && !status; i++) {
        const char *key = (const char *)&numbers[i];
        if (hr_number_parse(values[i], strlen(values[i]), &numbers[i]) != HR_NUMBER_OK) continue;
        if (numbers[i] == 0) numbers[i] = 0; /* also if it is -0 */
        uint32_t before = hr_string_map_find(&c->values, key, sizeof *numbers);
        c->fault->item = i;
        if (before != HR_STRING_MAP_NONE)
            status = hr_fail(c->err, HR_E_FORMAT, "list every class once",
                             "the classes '%s' and '%s' are the same number", values[before], values[i]);
        else if (!hr_string_map_add(&c->values, key, sizeof *numbers, (uint32_t)i))
            status = hr_fail_memory(c->err);
    }
    hr_string_map_done(&c->values);
    free(numbers);
    return status;
}

/* Of the label, a time. */
static hr_status check_time(checker *c, const hr_column *column) {
    double before = 0;
    c->fault->key = "kind";
    if (column != &c->parts->label || column->count || column->integer)
        return hr_fail(c->err, HR_E_FORMAT, "make a feature a number",
                       "only a label is the time of an event");
    c->fault->key = "intervals";
    if (!column->interval_count || column->interval_count > HR_INTERVALS_MAX)
        return hr_fail(c->err, HR_E_LIMIT, "give 1 to 64 cuts between intervals, such as [30, 90, 365]",
                       "there are %zu intervals", column->interval_count);
    if (column->quantile_cuts && column->interval_count < 2)
        return hr_fail(c->err, HR_E_LIMIT, "give a whole number from 2 to 64, or public cuts",
                       "one interval has no cuts that a fit could find");
    for (size_t i = 0; i < column->interval_count; i++) {
        const double cut = column->intervals[i];
        c->fault->item = i;
        if (!(cut > before && cut < HR_TIME_MAX))
            return hr_fail(c->err, HR_E_FORMAT, "give cuts that ascend from above 0",
                           "the cut %g is not above %g, or too large", cut, before);
        before = cut;
    }
    const hr_status status = check_name(c, column->event);
    c->fault->key = "event";
    return status;
}

static hr_status check_column(checker *c, const hr_column *column) {
    hr_status status = check_name(c, column->name);
    if (!status) status = column->kind == HR_KIND_NUMBER ? check_bounds(c, column) : check_values(c, column);
    if (!status && column->event) status = check_time(c, column);
    if (!status && column->kind == HR_KIND_NUMBER)
        status = hr_label_quantiles_check(column, column == &c->parts->label, &c->fault->key, c->err);
    if (!status && column->kind == HR_KIND_NUMBER)
        status = hr_number_format_check(&column->format, &c->fault->key, c->err);
    if (!status && column->monotone &&
        (column->kind == HR_KIND_CATEGORY || column->date || column == &c->parts->label)) {
        c->fault->key = "monotone";
        status =
            hr_fail(c->err, HR_E_FORMAT, "remove the key", "only a feature that is a number is monotone");
    }
    if (!status && column->boolean) status = hr_boolean_check(column, &c->fault->key, c->err);
    if (!status && column->date) {
        c->fault->key = "name";
        if (!hr_date_part_fits(column) || !hr_number_format_plain(&column->format))
            status = hr_fail(c->err, HR_E_FORMAT, "use the version of Hedgerow that wrote it",
                             "'%s' is not the %s of '%s'", column->name, hr_date_part_name(column->part),
                             column->date->name);
    }
    return status ? hr_fail_at(c->err, status, NULL, 0, 0, column->name) : HR_OK;
}

static hr_status check_features(checker *c) {
    const hr_schema_parts *parts = c->parts;
    c->fault->part = HR_FAULT_FEATURES;
    c->fault->key = NULL;
    if (!parts->feature_count)
        return hr_fail(c->err, HR_E_FORMAT, "list at least one feature", "there are no features");
    if (parts->feature_count > HR_FEATURES_MAX) {
        return hr_fail(c->err, HR_E_LIMIT, "remove some", "%zu features; at most %d are allowed",
                       parts->feature_count, HR_FEATURES_MAX);
    }
    c->fault->part = HR_FAULT_FEATURE;
    for (size_t i = 0; i < parts->feature_count; i++) {
        const hr_column *feature = &parts->features[i];
        c->fault->feature = i;
        hr_status status = HR_OK;
        /* A column of dates stands in no other place of the schema. */
        if (feature->date && (feature->kind != HR_KIND_NUMBER || !i || feature->date != feature[-1].date)) {
            status = check_name(c, feature->date->name);
            if (!status) status = hr_date_column_check(feature->date, &c->fault->key, c->err);
            if (status) return hr_fail_at(c->err, status, NULL, 0, 0, feature->date->name);
        }
        status = check_column(c, feature);
        if (status) return status;
    }
    return HR_OK;
}

/* A column of the table that is neither the label nor a feature: `what`, such as "the unit". */
static hr_status check_other_column(checker *c, const char *name, const char *what, const char *remedy) {
    hr_status status = check_word(c, name, what);
    c->fault->key = NULL;
    if (!status && hr_string_map_find(&c->names, name, strlen(name)) != HR_STRING_MAP_NONE)
        status = hr_fail(c->err, HR_E_FORMAT, remedy, "%s '%s' is the label or a feature", what, name);
    return status ? hr_fail_at(c->err, status, NULL, 0, 0, what + strlen("the ")) : HR_OK;
}

static hr_status check_unit(checker *c) {
    c->fault->part = HR_FAULT_UNIT;
    if (!c->parts->unit) return HR_OK;
    return check_other_column(c, c->parts->unit, "the unit",
                              "remove the column from the features: who a person is must not be learned");
}

static bool same_name(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

static hr_status check_weight(checker *c) {
    const hr_schema_parts *p = c->parts;
    c->fault->part = HR_FAULT_WEIGHT;
    if (!p->weight) return HR_OK;
    hr_status status = check_other_column(c, p->weight, "the weight",
                                          "remove the column from the features, or weigh by another one");
    if (status) return status;
    if (same_name(p->unit, p->weight))
        status = hr_fail(c->err, HR_E_FORMAT, "name two columns", "the weight '%s' is the unit", p->weight);
    else if (!(p->weight_high > 0 && isfinite(p->weight_high)))
        status = hr_fail(c->err, HR_E_FORMAT, "give the largest weight that a record may have",
                         "the largest weight is no finite number above 0");
    else
        status = hr_number_format_check(&p->weight_format, &c->fault->key, c->err);
    return status ? hr_fail_at(c->err, status, NULL, 0, 0, "weight") : HR_OK;
}

static hr_status check_exposure(checker *c) {
    const hr_schema_parts *p = c->parts;
    c->fault->part = HR_FAULT_EXPOSURE;
    if (!p->exposure) return HR_OK;
    hr_status status =
        check_other_column(c, p->exposure, "the exposure", "remove the column from the features");
    if (status) return status;
    if (!p->label.count)
        status = hr_fail(c->err, HR_E_FORMAT, "leave it out, or make the label a count",
                         "the label is no count, and has an exposure");
    else if (same_name(p->unit, p->exposure) || same_name(p->weight, p->exposure))
        status = hr_fail(c->err, HR_E_FORMAT, "name two columns",
                         "the exposure '%s' is the unit or the weight", p->exposure);
    else if (!(p->exposure_high > 0 && isfinite(p->exposure_high)))
        status = hr_fail(c->err, HR_E_FORMAT, "give the largest exposure that a record may have",
                         "the largest exposure is no finite number above 0");
    else
        status = hr_number_format_check(&p->exposure_format, &c->fault->key, c->err);
    return status ? hr_fail_at(c->err, status, NULL, 0, 0, "exposure") : HR_OK;
}

/* The unit may be one of them, and so may weight and exposure. */
static hr_status check_unused(checker *c) {
    c->fault->part = HR_FAULT_UNUSED;
    for (size_t i = 0; i < c->parts->unused_count; i++) {
        const char *name = c->parts->unused[i].name;
        c->fault->feature = i;
        hr_status status = check_name(c, name);
        if (status) return hr_fail_at(c->err, status, NULL, 0, 0, name);
    }
    return HR_OK;
}

hr_status hr_schema_check(const hr_schema_parts *parts, hr_schema_fault *fault, hr_error *err) {
    checker c = {.parts = parts, .fault = fault, .err = err};
    hr_status status = check_missing(&c);
    if (status) goto out;
    fault->part = HR_FAULT_LABEL;
    status = check_column(&c, &parts->label);
    if (status) goto out;
    if (parts->label.kind == HR_KIND_CATEGORY) status = check_classes(&c);
    if (status) {
        hr_fail_at(err, status, NULL, 0, 0, parts->label.name);
        goto out;
    }
    status = check_features(&c);
    if (!status) status = check_unit(&c);
    if (!status) status = check_weight(&c);
    if (!status) status = check_exposure(&c);
    if (!status) status = check_unused(&c);
out:
    hr_string_map_done(&c.names);
    hr_string_map_done(&c.missing);
    hr_string_map_done(&c.values);
    return status;
}
