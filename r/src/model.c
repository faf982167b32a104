/* Models: files, predictions, what they promise and what they say of features. */
#include "hedgerow.h"

#include <string.h>

static void release_model(void *at) {
    hr_model_free(at);
}

static void release_shapes(void *at) {
    hr_shapes_free(at);
}

/* A schema that is part of a model. */
static void release_nothing(void *at) {
    (void)at;
}

SEXP hedgerow_model_parse(SEXP text, SEXP name) {
    SEXP out = PROTECT(box_new(OBJECT_MODEL, release_model, R_NilValue));
    const char *bytes = text_in(text);
    hr_model *model = NULL;
    hr_error err = {0};
    check(hr_model_parse(bytes, strlen(bytes), text_in(name), &model, &err), &err);
    box_fill(out, model);
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_model_read(SEXP path) {
    SEXP out = PROTECT(box_new(OBJECT_MODEL, release_model, R_NilValue));
    hr_model *model = NULL;
    hr_error err = {0};
    check(hr_model_read(text_in(path), &model, &err), &err);
    box_fill(out, model);
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_model_write(SEXP model, SEXP path) {
    hr_error err = {0};
    check(hr_model_write(box_of(model, OBJECT_MODEL), text_in(path), &err), &err);
    return R_NilValue;
}

/* A text that a function of the library makes of a model. */
static SEXP text_of(SEXP model, hr_status (*make)(const hr_model *model, char **text, hr_error *err)) {
    SEXP holder = PROTECT(text_box());
    char *text = NULL;
    hr_error err = {0};
    check(make(box_of(model, OBJECT_MODEL), &text, &err), &err);
    SEXP out = text_taken(holder, text);
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_model_text(SEXP model) {
    return text_of(model, hr_model_render);
}

SEXP hedgerow_model_summary(SEXP model) {
    return text_of(model, hr_model_summary);
}

SEXP hedgerow_model_tree(SEXP model, SEXP tree) {
    SEXP holder = PROTECT(text_box());
    char *text = NULL;
    hr_error err = {0};
    check(hr_model_tree_text(box_of(model, OBJECT_MODEL), (size_t)Rf_asReal(tree), &text, &err), &err);
    SEXP out = text_taken(holder, text);
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_model_schema(SEXP model) {
    const hr_model *at = box_of(model, OBJECT_MODEL);
    SEXP out = PROTECT(box_new(OBJECT_SCHEMA, release_nothing, model));
    box_fill(out, (void *)(uintptr_t)hr_model_schema(at));
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_model_facts(SEXP model) {
    static const char *const names[] = {"method",    "paper",   "trees",           "records",       "suspect",
                                        "additive",  "private", "epsilon",         "delta",         "unit",
                                        "statement", "promise", "epsilon_replace", "delta_replace", NULL};
    const hr_model *at = box_of(model, OBJECT_MODEL);
    const hr_guarantee *g = hr_model_guarantee(at);
    SEXP out = PROTECT(named_list(names));
    SET_VECTOR_ELT(out, 0, text_out(hr_model_method(at)));
    SET_VECTOR_ELT(out, 1, Rf_ScalarLogical(hr_model_mode(at) == HR_MODE_PAPER));
    SET_VECTOR_ELT(out, 2, Rf_ScalarReal((double)hr_model_tree_count(at)));
    SET_VECTOR_ELT(out, 3, Rf_ScalarReal(hr_model_records(at)));
    if (hr_model_suspect(at)) SET_VECTOR_ELT(out, 4, text_out(hr_model_suspect(at)));
    SET_VECTOR_ELT(out, 5, Rf_ScalarLogical(hr_model_is_additive(at)));
    SET_VECTOR_ELT(out, 6, Rf_ScalarLogical(g->is_private));
    SET_VECTOR_ELT(out, 7, Rf_ScalarReal(g->epsilon));
    SET_VECTOR_ELT(out, 8, Rf_ScalarReal(g->delta));
    SET_VECTOR_ELT(out, 9, text_out(g->unit));
    SET_VECTOR_ELT(out, 10, text_out(g->statement));
    SET_VECTOR_ELT(out, 11, text_out(g->promise));
    SET_VECTOR_ELT(out, 12, Rf_ScalarReal(g->epsilon_replace));
    SET_VECTOR_ELT(out, 13, Rf_ScalarReal(g->delta_replace));
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_model_releases(SEXP model) {
    static const char *const names[] = {"what", "mechanism", "tree", "level", "cost", "scale", "draws", NULL};
    const hr_model *at = box_of(model, OBJECT_MODEL);
    const R_xlen_t count = (R_xlen_t)hr_model_release_count(at);
    SEXP out = PROTECT(named_list(names));
    for (R_xlen_t k = 0; k < 7; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(k < 2 ? STRSXP : REALSXP, count));
    hr_release_info info;
    for (R_xlen_t i = 0; i < count && hr_model_release_at(at, (size_t)i, &info); i++) {
        SET_STRING_ELT(VECTOR_ELT(out, 0), i, Rf_mkCharCE(info.what, CE_UTF8));
        SET_STRING_ELT(VECTOR_ELT(out, 1), i, Rf_mkCharCE(info.mechanism, CE_UTF8));
        const double numbers[] = {info.tree < 0 ? NA_REAL : (double)info.tree,
                                  info.level < 0 ? NA_REAL : (double)info.level, info.cost, info.scale,
                                  (double)info.draws};
        for (R_xlen_t k = 0; k < 5; k++) REAL(VECTOR_ELT(out, k + 2))[i] = numbers[k];
    }
    UNPROTECT(1);
    return out;
}

/* outputs x rows: the transpose of a matrix of R. */
SEXP hedgerow_predict(SEXP model, SEXP data, SEXP threads) {
    const hr_model *at = box_of(model, OBJECT_MODEL);
    const hr_data *table = box_of(data, OBJECT_DATA);
    const double cells = (double)hr_data_rows(table) * (double)hr_model_output_count(at);
    if (hr_data_rows(table) > INT_MAX || cells > (double)R_XLEN_T_MAX) check(HR_E_LIMIT, NULL);
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)hr_model_output_count(at), (int)hr_data_rows(table)));
    hr_error err = {0};
    check(hr_model_predict(at, table, Rf_asInteger(threads), REAL(out), &err), &err);
    UNPROTECT(1);
    return out;
}

/* ---- What it says of features ---- */

SEXP hedgerow_importance(SEXP model) {
    const hr_model *at = box_of(model, OBJECT_MODEL);
    const size_t count = hr_schema_feature_count(hr_model_schema(at));
    SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
    size_t counted = 0;
    hr_error err = {0};
    check(hr_weighted_importance(at, REAL(out), &counted, &err), &err);
    UNPROTECT(1);
    return out;
}

static SEXP axis_out(const hr_shape_axis *axis) {
    static const char *const names[] = {"feature", "cells", "edges", NULL};
    SEXP out = PROTECT(named_list(names));
    SET_VECTOR_ELT(out, 0, Rf_ScalarReal((double)axis->feature + 1));
    SET_VECTOR_ELT(out, 1, Rf_ScalarReal((double)axis->cell_count));
    if (axis->edges) {
        SEXP edges = Rf_allocVector(REALSXP, (R_xlen_t)axis->cell_count - 2);
        SET_VECTOR_ELT(out, 2, edges);
        if (XLENGTH(edges)) memcpy(REAL(edges), axis->edges, (axis->cell_count - 2) * sizeof *axis->edges);
    }
    UNPROTECT(1);
    return out;
}

static SEXP doubles_out(const double *values, size_t count) {
    if (!values) return R_NilValue;
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)count);
    if (count) memcpy(REAL(out), values, count * sizeof *values);
    return out;
}

static SEXP shape_out(const hr_shape *shape, size_t outputs) {
    static const char *const names[] = {"axes", "trees", "share", "values", "deviations", NULL};
    SEXP out = PROTECT(named_list(names)), axes = Rf_allocVector(VECSXP, (R_xlen_t)shape->axis_count);
    SET_VECTOR_ELT(out, 0, axes);
    size_t count = outputs;
    for (size_t i = 0; i < shape->axis_count; i++) {
        SET_VECTOR_ELT(axes, (R_xlen_t)i, axis_out(&shape->axes[i]));
        count *= shape->axes[i].cell_count;
    }
    SET_VECTOR_ELT(out, 1, Rf_ScalarReal((double)shape->trees));
    SET_VECTOR_ELT(out, 2, Rf_ScalarReal(shape->share));
    SET_VECTOR_ELT(out, 3, doubles_out(shape->values, count));
    SET_VECTOR_ELT(out, 4, doubles_out(shape->deviations, count));
    UNPROTECT(1);
    return out;
}

/* Values of a shape are [cell of axis 1][cell of axis 2][output], the last one fastest. */
SEXP hedgerow_shapes_list(SEXP model) {
    static const char *const names[] = {"base", "outputs", "shapes", "rest_share", NULL};
    SEXP out = PROTECT(named_list(names)), holder = PROTECT(box_new("shapes", release_shapes, R_NilValue));
    hr_shapes *shapes = NULL;
    hr_error err = {0};
    check(hr_shapes_make(box_of(model, OBJECT_MODEL), &shapes, &err), &err);
    box_fill(holder, shapes);
    const size_t outputs = hr_shapes_output_count(shapes), count = hr_shapes_count(shapes);
    SET_VECTOR_ELT(out, 0, doubles_out(hr_shapes_base(shapes), outputs));
    SET_VECTOR_ELT(out, 1, Rf_ScalarReal((double)outputs));
    SEXP list = Rf_allocVector(VECSXP, (R_xlen_t)count);
    SET_VECTOR_ELT(out, 2, list);
    hr_shape shape;
    for (size_t i = 0; i < count && hr_shapes_at(shapes, i, &shape); i++)
        SET_VECTOR_ELT(list, (R_xlen_t)i, shape_out(&shape, outputs));
    SET_VECTOR_ELT(out, 3, Rf_ScalarReal(hr_shapes_rest(shapes).share));
    hedgerow_release(holder);
    UNPROTECT(2);
    return out;
}
