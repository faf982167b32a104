/* Columns of a data frame as the library has them. */
#include "hedgerow.h"

#include <stdlib.h>
#include <string.h>

#define ANY_NUMBER 0x1p1021 /* bounds that clip nothing: their difference is finite */

static void release_data(void *at) {
    hr_data_free(at);
}

static void release_schema(void *at) {
    hr_schema_free(at);
}

static void release_builder(void *at) {
    hr_schema_builder_free(at);
}

static void release_misfits(void *at) {
    hr_misfits_free(at);
}

/* The shortest texts that read back to the same numbers. */
SEXP hedgerow_number_texts(SEXP numbers) {
    const R_xlen_t count = XLENGTH(numbers);
    SEXP out = PROTECT(Rf_allocVector(STRSXP, count));
    for (R_xlen_t i = 0; i < count; i++) {
        char text[HR_NUMBER_TEXT];
        hr_number_text(REAL(numbers)[i], text);
        SET_STRING_ELT(out, i, ISNAN(REAL(numbers)[i]) ? NA_STRING : Rf_mkChar(text));
    }
    UNPROTECT(1);
    return out;
}

/* ---- Texts, by the library's reader of cells ---- */

static void add_column(hr_schema_builder *builder, const hr_schema *schema, const int *place, bool times) {
    hr_error err = {0};
    const hr_column *column =
        place[0] < 0 ? hr_schema_label(schema) : hr_schema_feature(schema, (size_t)place[0]);
    if (column->date) {
        hr_date_part parts[HR_DATE_PARTS];
        hr_date_column date = *column->date;
        for (int i = 0; i < place[1] && i < HR_DATE_PARTS; i++)
            parts[i] = hr_schema_feature(schema, (size_t)(place[0] + i))->part;
        if (times) date.format = NULL;
        check(hr_schema_add_date(builder, &date, parts, (size_t)place[1], &err), &err);
    } else if (column->boolean) {
        check(hr_schema_add_boolean(builder, column->name, &err), &err);
    } else if (column->kind == HR_KIND_CATEGORY) {
        check(hr_schema_add_category(builder, column->name, column->values, column->value_count, &err), &err);
    } else {
        check(hr_schema_set_number_format(builder, &column->format, &err), &err);
        check(hr_schema_add_number(builder, column->name, -ANY_NUMBER, ANY_NUMBER, false, &err), &err);
    }
}

/* A schema of that column alone. */
static SEXP schema_of_column(const hr_schema *schema, const int *place, bool times) {
    SEXP out = PROTECT(box_new(OBJECT_SCHEMA, release_schema, R_NilValue));
    SEXP holder = PROTECT(box_new("builder", release_builder, R_NilValue));
    hr_schema_builder *builder = NULL;
    hr_schema *made = NULL;
    hr_error err = {0};
    check(hr_schema_builder_new(&builder, &err), &err);
    box_fill(holder, builder);
    const hr_column *column =
        place[0] < 0 ? hr_schema_label(schema) : hr_schema_feature(schema, (size_t)place[0]);
    const char *name = column->date ? column->date->name : column->name;
    check(hr_schema_label_number(builder, strcmp(name, "label") ? "label" : "label_", 0, 1, &err), &err);
    for (size_t i = 0; i < hr_schema_missing_count(schema); i++)
        check(hr_schema_add_missing(builder, hr_schema_missing(schema, i), &err), &err);
    add_column(builder, schema, place, times);
    check(hr_schema_build(builder, &made, &err), &err);
    box_fill(out, made);
    hedgerow_release(holder);
    UNPROTECT(2);
    return out;
}

static size_t quoted(char *to, const char *text) {
    size_t at = 0;
    to[at++] = '"';
    for (; *text; text++) {
        if (*text == '"') to[at++] = '"';
        to[at++] = *text;
    }
    to[at++] = '"';
    to[at++] = '\n';
    return at;
}

/* A table of one column, in memory of R's call. */
static const char *csv_of(const char *name, const char *const *texts, size_t count, size_t *size) {
    size_t room = 2 * strlen(name) + 4;
    for (size_t i = 0; i < count; i++) room += 2 * strlen(texts[i]) + 4;
    char *bytes = R_alloc(room, 1);
    *size = quoted(bytes, name);
    for (size_t i = 0; i < count; i++) *size += quoted(bytes + *size, texts[i]);
    return bytes;
}

static SEXP values_of(const hr_data *data, size_t feature) {
    const size_t rows = hr_data_rows(data);
    const uint16_t *codes = hr_data_codes(data, feature);
    const double *numbers = hr_data_numbers(data, feature);
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)rows);
    for (size_t i = 0; i < rows; i++) REAL(out)[i] = codes ? (double)codes[i] : numbers[i];
    return out;
}

/* place: the first feature (-1: the label) and how many there are, of a column of dates one a part. texts:
 * none is NA or blank. A list: numbers or codes for each feature, NaN or 0 where a text is missing or does
 * not fit; and the remedy of the first that does not. */
SEXP hedgerow_read_texts(SEXP schema, SEXP place, SEXP texts, SEXP times) {
    static const char *const names[] = {"values", "remedy", NULL};
    const hr_schema *at = box_of(schema, OBJECT_SCHEMA);
    SEXP alone = PROTECT(schema_of_column(at, INTEGER(place), Rf_asLogical(times) == TRUE));
    SEXP data_box = PROTECT(box_new(OBJECT_DATA, release_data, alone));
    SEXP misfit_box = PROTECT(box_new("misfits", release_misfits, R_NilValue));
    SEXP out = PROTECT(named_list(names));
    hr_misfits *misfits = hr_misfits_new();
    if (!misfits) check(HR_E_MEMORY, NULL);
    box_fill(misfit_box, misfits);
    const hr_schema *of_column = box_of(alone, OBJECT_SCHEMA);
    const hr_column *first = hr_schema_feature(of_column, 0);
    size_t size = 0;
    const char *bytes =
        csv_of(first->date ? first->date->name : first->name, texts_in(texts), (size_t)XLENGTH(texts), &size);
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.format = HR_FORMAT_CSV;
    options.separator = HR_SEPARATOR_COMMA;
    options.label_optional = true;
    options.threads = 1;
    options.misfits = misfits;
    options.name = "the data frame";
    hr_data *data = NULL;
    hr_error err = {0};
    check(hr_data_parse(of_column, bytes, size, &options, &data, &err), &err);
    box_fill(data_box, data);
    const size_t features = hr_schema_feature_count(of_column);
    SEXP values = Rf_allocVector(VECSXP, (R_xlen_t)features);
    SET_VECTOR_ELT(out, 0, values);
    for (size_t i = 0; i < features; i++) SET_VECTOR_ELT(values, (R_xlen_t)i, values_of(data, i));
    if (hr_misfits_first(misfits, &err) != HR_OK) SET_VECTOR_ELT(out, 1, text_out(err.remedy));
    hedgerow_release(data_box);
    hedgerow_release(misfit_box);
    UNPROTECT(4);
    return out;
}

/* ---- Tables ---- */

static const double *numbers_in(SEXP numbers, R_xlen_t rows) {
    if (numbers == R_NilValue) return NULL;
    if (TYPEOF(numbers) != REALSXP || XLENGTH(numbers) != rows)
        refuse("a column of numbers is expected here");
    return REAL(numbers);
}

static uint64_t *persons_in(SEXP persons, R_xlen_t rows) {
    const double *numbers = numbers_in(persons, rows);
    if (!numbers) return NULL;
    uint64_t *out = (uint64_t *)R_alloc((size_t)rows + 1, sizeof *out);
    for (R_xlen_t i = 0; i < rows; i++) out[i] = (uint64_t)numbers[i];
    return out;
}

static hr_array array_of(const double *numbers) {
    return (hr_array){numbers, HR_ELEMENT_FLOAT64, sizeof *numbers};
}

static void read_counts(SEXP unknown, hr_column_report *reports) {
    for (R_xlen_t i = 0; i < XLENGTH(unknown); i++) reports[i].unknown = (uint64_t)REAL(unknown)[i];
}

/* columns: one a feature, whose memory is kept; beside: labels, persons, exposures (NULL: none), and how many
 * cells of each feature were unknown. */
SEXP hedgerow_data(SEXP schema, SEXP rows, SEXP columns, SEXP beside) {
    const hr_schema *at = box_of(schema, OBJECT_SCHEMA);
    const size_t features = hr_schema_feature_count(at);
    const R_xlen_t count = (R_xlen_t)Rf_asReal(rows);
    if ((size_t)XLENGTH(columns) != features || (size_t)XLENGTH(element(beside, "unknown")) != features)
        refuse("the schema has another number of features");
    SEXP out = PROTECT(box_new(OBJECT_DATA, release_data, schema));
    R_SetExternalPtrProtected(out, PROTECT(Rf_list2(columns, beside)));
    hr_array *arrays = (hr_array *)R_alloc(features + 1, sizeof *arrays);
    hr_column_report *reports = (hr_column_report *)R_alloc(features + 1, sizeof *reports);
    memset(reports, 0, (features + 1) * sizeof *reports);
    for (size_t i = 0; i < features; i++)
        arrays[i] = array_of(numbers_in(VECTOR_ELT(columns, (R_xlen_t)i), count));
    read_counts(element(beside, "unknown"), reports);
    const double *labels = numbers_in(element(beside, "labels"), count);
    const hr_array label = labels ? array_of(labels) : (hr_array){0};
    const hr_arrays given = {.rows = (size_t)count,
                             .columns = arrays,
                             .labels = labels ? &label : NULL,
                             .persons = persons_in(element(beside, "persons"), count),
                             .exposures = numbers_in(element(beside, "exposures"), count),
                             .read = reports};
    hr_data *data = NULL;
    hr_error err = {0};
    check(hr_data_borrow(at, &given, &data, &err), &err);
    box_fill(out, data);
    UNPROTECT(2);
    return out;
}

SEXP hedgerow_remarks(SEXP data, SEXP use, SEXP claims, SEXP wide) {
    SEXP holder = PROTECT(remark_box());
    remark_list *list = box_of(holder, "remarks");
    hr_remark_options options = HR_REMARK_OPTIONS_INIT;
    options.use = (hr_remark_use)Rf_asInteger(use);
    options.is_private = Rf_asLogical(claims) == TRUE;
    options.wide = texts_in(wide);
    options.wide_count = (size_t)XLENGTH(wide);
    options.take = keep_remark;
    options.user = list;
    hr_error err = {0};
    check(hr_data_remarks(box_of(data, OBJECT_DATA), &options, &err), &err);
    SEXP out = PROTECT(remarks_out(list));
    hedgerow_release(holder);
    UNPROTECT(2);
    return out;
}
