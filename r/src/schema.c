/* Schemas: read, put together, proposed, and what they say. */
#include "hedgerow.h"

#include <string.h>

static void release_schema(void *at) {
    hr_schema_free(at);
}

static void release_builder(void *at) {
    hr_schema_builder_free(at);
}

SEXP hedgerow_schema_parse(SEXP text, SEXP name) {
    SEXP out = PROTECT(box_new(OBJECT_SCHEMA, release_schema, R_NilValue));
    const char *bytes = text_in(text), *file = text_in(name);
    hr_schema *schema = NULL;
    hr_error err = {0};
    check(hr_schema_parse(bytes, strlen(bytes), file, &schema, &err), &err);
    box_fill(out, schema);
    UNPROTECT(1);
    return out;
}

static void add_label(hr_schema_builder *builder, SEXP label) {
    hr_error err = {0};
    const char *name = text_in(element(label, "name"));
    SEXP values = element(label, "values"), quantiles = element(label, "quantiles");
    if (values != R_NilValue) {
        check(hr_schema_label_classes(builder, name, texts_in(values), (size_t)XLENGTH(values), &err), &err);
        return;
    }
    const double low = number_of(label, "low"), high = number_of(label, "high");
    if (Rf_asLogical(element(label, "count")) == TRUE)
        check(hr_schema_label_count(builder, name, low, high, &err), &err);
    else
        check(hr_schema_label_number(builder, name, low, high, &err), &err);
    if (quantiles != R_NilValue)
        check(hr_schema_label_quantiles(builder, REAL(quantiles), (size_t)XLENGTH(quantiles), &err), &err);
}

static void add_feature(hr_schema_builder *builder, SEXP feature) {
    hr_error err = {0};
    const char *name = text_in(element(feature, "name"));
    SEXP values = element(feature, "values"), monotone = element(feature, "monotone");
    if (Rf_asLogical(element(feature, "boolean")) == TRUE)
        check(hr_schema_add_boolean(builder, name, &err), &err);
    else if (values != R_NilValue)
        check(hr_schema_add_category(builder, name, texts_in(values), (size_t)XLENGTH(values), &err), &err);
    else
        check(hr_schema_add_number(builder, name, number_of(feature, "low"), number_of(feature, "high"),
                                   false, &err),
              &err);
    if (monotone != R_NilValue)
        check(hr_schema_set_monotone(
                  builder, Rf_asReal(monotone) > 0 ? HR_MONOTONE_INCREASING : HR_MONOTONE_DECREASING, &err),
              &err);
}

SEXP hedgerow_schema_build(SEXP label, SEXP features, SEXP unit) {
    SEXP out = PROTECT(box_new(OBJECT_SCHEMA, release_schema, R_NilValue));
    SEXP holder = PROTECT(box_new("builder", release_builder, R_NilValue));
    hr_schema_builder *builder = NULL;
    hr_schema *schema = NULL;
    hr_error err = {0};
    check(hr_schema_builder_new(&builder, &err), &err);
    box_fill(holder, builder);
    add_label(builder, label);
    for (R_xlen_t i = 0; i < XLENGTH(features); i++) add_feature(builder, VECTOR_ELT(features, i));
    if (unit != R_NilValue) check(hr_schema_set_unit(builder, text_in(unit), &err), &err);
    check(hr_schema_build(builder, &schema, &err), &err);
    box_fill(out, schema);
    hedgerow_release(holder);
    UNPROTECT(2);
    return out;
}

SEXP hedgerow_schema_without(SEXP schema, SEXP names) {
    const hr_schema *at = box_of(schema, OBJECT_SCHEMA);
    SEXP out = PROTECT(box_new(OBJECT_SCHEMA, release_schema, R_NilValue));
    hr_schema *made = NULL;
    hr_error err = {0};
    check(hr_schema_without(at, texts_in(names), (size_t)XLENGTH(names), &made, &err), &err);
    box_fill(out, made);
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_schema_text(SEXP schema) {
    SEXP holder = PROTECT(text_box());
    char *text = NULL;
    hr_error err = {0};
    check(hr_schema_render(box_of(schema, OBJECT_SCHEMA), &text, &err), &err);
    SEXP out = text_taken(holder, text);
    UNPROTECT(1);
    return out;
}

/* Whether it may be trained with. */
SEXP hedgerow_schema_check(SEXP schema) {
    hr_error err = {0};
    check(hr_schema_reviewed(box_of(schema, OBJECT_SCHEMA), &err), &err);
    return R_NilValue;
}

SEXP hedgerow_schema_infer(SEXP table, SEXP label, SEXP dictionary) {
    static const char *const names[] = {"text", "notes", NULL};
    SEXP out = PROTECT(named_list(names)), holder = PROTECT(text_box()), note_holder = PROTECT(text_box());
    const char *bytes = text_in(table);
    char *yaml = NULL, *notes = NULL;
    hr_read_options reading = HR_READ_OPTIONS_INIT;
    reading.format = HR_FORMAT_CSV;
    reading.separator = HR_SEPARATOR_COMMA;
    reading.name = "the data frame";
    hr_infer_options options = HR_INFER_OPTIONS_INIT;
    options.label = text_in(label);
    options.dictionary = text_in(dictionary);
    options.reading = &reading;
    options.notes = &notes;
    hr_error err = {0};
    check(hr_schema_infer_bytes(bytes, strlen(bytes), &options, &yaml, &err), &err);
    box_fill(note_holder, notes);
    SET_VECTOR_ELT(out, 0, text_taken(holder, yaml));
    SET_VECTOR_ELT(out, 1, text_out(notes ? notes : ""));
    hedgerow_release(note_holder);
    UNPROTECT(3);
    return out;
}

/* ---- What it says ---- */

static SEXP texts_out(const char *const *texts, size_t count) {
    SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count; i++) SET_STRING_ELT(out, (R_xlen_t)i, Rf_mkCharCE(texts[i], CE_UTF8));
    UNPROTECT(1);
    return out;
}

static SEXP numbers_out(const double *numbers, size_t count) {
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)count);
    if (count) memcpy(REAL(out), numbers, count * sizeof *numbers);
    return out;
}

static SEXP column_out(const hr_column *column) {
    static const char *const names[] = {"name",  "values", "boolean",   "low",       "high", "integer",
                                        "count", "event",  "intervals", "quantiles", "date", NULL};
    SEXP out = PROTECT(named_list(names));
    SET_VECTOR_ELT(out, 0, text_out(column->name));
    if (column->kind == HR_KIND_CATEGORY)
        SET_VECTOR_ELT(out, 1, texts_out(column->values, column->value_count));
    SET_VECTOR_ELT(out, 2, Rf_ScalarLogical(column->boolean));
    SET_VECTOR_ELT(out, 3, Rf_ScalarReal(column->low));
    SET_VECTOR_ELT(out, 4, Rf_ScalarReal(column->high));
    SET_VECTOR_ELT(out, 5, Rf_ScalarLogical(column->integer));
    SET_VECTOR_ELT(out, 6, Rf_ScalarLogical(column->count));
    if (column->event) SET_VECTOR_ELT(out, 7, text_out(column->event));
    SET_VECTOR_ELT(out, 8, numbers_out(column->intervals, column->interval_count));
    SET_VECTOR_ELT(out, 9, numbers_out(column->quantiles, column->quantile_count));
    if (column->date) SET_VECTOR_ELT(out, 10, text_out(column->date->name));
    UNPROTECT(1);
    return out;
}

static SEXP features_out(const hr_schema *at) {
    const size_t count = hr_schema_feature_count(at);
    SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count; i++) SET_VECTOR_ELT(out, (R_xlen_t)i, column_out(hr_schema_feature(at, i)));
    UNPROTECT(1);
    return out;
}

static SEXP missing_out(const hr_schema *at) {
    const size_t count = hr_schema_missing_count(at);
    SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count; i++)
        SET_STRING_ELT(out, (R_xlen_t)i, Rf_mkCharCE(hr_schema_missing(at, i), CE_UTF8));
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_schema_facts(SEXP schema) {
    static const char *const names[] = {"task",   "label",    "features",      "missing", "unit",
                                        "weight", "exposure", "exposure_high", "open",    NULL};
    const hr_schema *at = box_of(schema, OBJECT_SCHEMA);
    SEXP out = PROTECT(named_list(names));
    double high = 0;
    const char *unit = hr_schema_unit(at), *weight = hr_schema_weight(at, NULL),
               *exposure = hr_schema_exposure(at, &high);
    hr_error err = {0};
    SET_VECTOR_ELT(out, 0, text_out(hr_task_text(hr_schema_task(at))));
    SET_VECTOR_ELT(out, 1, column_out(hr_schema_label(at)));
    SET_VECTOR_ELT(out, 2, features_out(at));
    SET_VECTOR_ELT(out, 3, missing_out(at));
    if (unit) SET_VECTOR_ELT(out, 4, text_out(unit));
    if (weight) SET_VECTOR_ELT(out, 5, text_out(weight));
    if (exposure) SET_VECTOR_ELT(out, 6, text_out(exposure));
    SET_VECTOR_ELT(out, 7, Rf_ScalarReal(high));
    if (hr_schema_reviewed(at, &err) != HR_OK) SET_VECTOR_ELT(out, 8, text_out(err.message));
    UNPROTECT(1);
    return out;
}
