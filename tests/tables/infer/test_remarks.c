/* What the owner of a table is told before it is used, by kind of trouble: through hr_data_remarks, hr_fit
 * and hr_simulate_records. */
#include "support/reader_checks.h"
#include "support/temp_dir.h"

#include <hedgerow/hedgerow.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 600, REMARKS_MAX = 20 };

/* What was handed out, one "kind level field" a remark. */
typedef struct taken {
    size_t count, refused_at; /* the remark that is refused, from 1; 0: none is */
    char texts[REMARKS_MAX][200];
    hr_error last;
} taken;

static bool take(void *user, const hr_remark *remark) {
    static const char *const kinds[] = {"cells", "part", "bounds", "identifier", "list", "marks", "unit"};
    taken *t = user;
    assert_true(t->count < REMARKS_MAX);
    snprintf(t->texts[t->count++], sizeof t->texts[0], "%s %d %s", kinds[remark->kind], (int)remark->level,
             remark->what.field);
    t->last = remark->what;
    assert_true(*remark->what.message != '\0');
    return t->count != t->refused_at;
}

static hr_status remarks_of(const hr_data *data, hr_remark_use use, taken *t, hr_error *err) {
    hr_remark_options options = HR_REMARK_OPTIONS_INIT;
    options.use = use;
    options.is_private = true;
    options.take = take;
    options.user = t;
    return hr_data_remarks(data, &options, err);
}

static void assert_remarks(const hr_data *data, hr_remark_use use, const char *const *wanted) {
    taken t = {0};
    size_t count = 0;
    assert_int_equal(remarks_of(data, use, &t, NULL), HR_OK);
    while (wanted[count]) count++;
    for (size_t i = 0; i < t.count && i < count; i++) assert_string_equal(t.texts[i], wanted[i]);
    assert_int_equal(t.count, count);
}

#define REMARKS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_REMARK ((const char *const[]){NULL})

/* The i-th of numbers that look random, below `below`. */
static unsigned scatter(unsigned i, unsigned below) {
    return (i * 2654435761u >> 8) % below;
}

/* ---- A schema from code, and arrays ---- */

typedef struct arrays_table {
    hr_schema *schema;
    hr_data *data;
    double *columns[3], *labels;
} arrays_table;

/* Three features: weight in 0..200, age in 0..120, and what `add` adds. */
static arrays_table arrays_open(void (*add)(hr_schema_builder *, hr_error *), double (*third)(unsigned)) {
    arrays_table t = {0};
    hr_schema_builder *builder = NULL;
    hr_error err = {0};
    assert_int_equal(hr_schema_builder_new(&builder, &err), HR_OK);
    assert_int_equal(hr_schema_label_number(builder, "y", 0, 300, &err), HR_OK);
    assert_int_equal(hr_schema_add_number(builder, "weight", 0, 200, false, &err), HR_OK);
    assert_int_equal(hr_schema_add_number(builder, "age", 0, 120, false, &err), HR_OK);
    add(builder, &err);
    assert_int_equal(hr_schema_build(builder, &t.schema, &err), HR_OK);
    hr_schema_builder_free(builder);
    for (size_t f = 0; f < 3; f++) t.columns[f] = (double *)(void *)must_alloc(ROWS * sizeof(double));
    t.labels = (double *)(void *)must_alloc(ROWS * sizeof(double));
    for (unsigned i = 0; i < ROWS; i++) {
        t.columns[0][i] = 40 + scatter(i, 100) + .5;
        t.columns[1][i] = 18 + scatter(i + 7, 80) + .25;
        t.columns[2][i] = third(i);
        t.labels[i] = scatter(i + 13, 300);
    }
    return t;
}

static void arrays_make(arrays_table *t, size_t rows) {
    hr_error err = {0};
    hr_data_free(t->data);
    t->data = NULL;
    assert_int_equal(
        hr_data_from_arrays(t->schema, rows, (const double *const *)t->columns, t->labels, &t->data, &err),
        HR_OK);
}

static void arrays_close(arrays_table *t) {
    hr_data_free(t->data);
    hr_schema_free(t->schema);
    for (size_t f = 0; f < 3; f++) free(t->columns[f]);
    free(t->labels);
}

static void add_dose(hr_schema_builder *builder, hr_error *err) {
    assert_int_equal(hr_schema_add_number(builder, "dose", 0, 50, false, err), HR_OK);
}

static double dose_of(unsigned i) {
    return scatter(i, 40) + .5;
}

static void test_remarks__of_a_table_that_fits_are_none(void **state) {
    (void)state;
    arrays_table t = arrays_open(add_dose, dose_of);
    arrays_make(&t, ROWS);
    for (int use = HR_REMARKS_TRAIN; use <= HR_REMARKS_EVALUATE; use++)
        assert_remarks(t.data, (hr_remark_use)use, NO_REMARK);
    arrays_close(&t);
}

static void test_remarks__of_cells_depend_on_the_use(void **state) {
    (void)state;
    arrays_table t = arrays_open(add_dose, dose_of);
    for (unsigned i = 0; i < ROWS; i++) {
        t.columns[0][i] *= 1000;                      /* grams for kilograms */
        if (i % 5 == 0) t.columns[1][i] = 500;        /* a fifth */
        if (i % 50 == 0) t.columns[2][i] = 500;       /* 2 % */
        t.labels[i] = i % 20 ? 5 + i % 3 : (double)0; /* a narrow label */
    }
    arrays_make(&t, ROWS);
    assert_remarks(t.data, HR_REMARKS_TRAIN, REMARKS("cells 2 weight", "bounds 2 y"));
    assert_remarks(t.data, HR_REMARKS_PREDICT, REMARKS("cells 2 weight", "part 1 age", "part 0 dose"));
    assert_remarks(t.data, HR_REMARKS_EVALUATE, REMARKS("cells 2 weight"));
    for (unsigned i = 0; i < ROWS; i += 10) t.labels[i] = 400;
    arrays_make(&t, ROWS);
    assert_remarks(t.data, HR_REMARKS_EVALUATE, REMARKS("cells 2 weight", "part 1 y"));
    arrays_make(&t, 9); /* shares of a few records mean nothing */
    assert_remarks(t.data, HR_REMARKS_PREDICT, NO_REMARK);
    arrays_close(&t);
}

static void test_remarks__do_not_ask_of_bounds_that_are_released(void **state) {
    (void)state;
    arrays_table t = arrays_open(add_dose, dose_of);
    taken seen = {0};
    for (unsigned i = 0; i < ROWS; i++) t.labels[i] = i % 3;
    arrays_make(&t, ROWS);
    hr_remark_options options = HR_REMARK_OPTIONS_INIT;
    options.wide = (const char *const[]){"age", "y"};
    options.wide_count = 2;
    options.take = take;
    options.user = &seen;
    assert_int_equal(hr_data_remarks(t.data, &options, NULL), HR_OK);
    assert_int_equal(seen.count, 0);
    options.take = NULL; /* nobody takes them */
    assert_int_equal(hr_data_remarks(t.data, &options, NULL), HR_OK);
    arrays_close(&t);
}

static void test_remarks__fail_with_the_one_that_is_refused(void **state) {
    (void)state;
    arrays_table t = arrays_open(add_dose, dose_of);
    for (unsigned i = 0; i < ROWS; i++) t.columns[0][i] *= 1000, t.columns[1][i] *= 1000;
    arrays_make(&t, ROWS);
    taken seen = {.refused_at = 2};
    hr_error err = {0};
    assert_int_equal(remarks_of(t.data, HR_REMARKS_TRAIN, &seen, &err), HR_E_SCHEMA);
    assert_int_equal(seen.count, 2);
    assert_string_equal(err.field, "age");
    assert_int_equal(err.status, HR_E_SCHEMA);
    assert_string_equal(err.message, "100.0 % of the cells are outside the bounds of the schema");
    seen = (taken){.refused_at = 1};
    assert_int_equal(remarks_of(t.data, HR_REMARKS_TRAIN, &seen, NULL), HR_E_SCHEMA);
    arrays_close(&t);
}

/* ---- Identifiers ---- */

static void add_patient(hr_schema_builder *builder, hr_error *err) {
    assert_int_equal(hr_schema_add_number(builder, "patient_id", 0, 1e12, true, err), HR_OK);
}

static double patient_of(unsigned i) {
    return 100000 + i / 2; /* two records each */
}

static void test_remarks__name_identifiers_of_persons(void **state) {
    (void)state;
    arrays_table t = arrays_open(add_patient, patient_of);
    arrays_make(&t, ROWS);
    taken seen = {0};
    assert_int_equal(remarks_of(t.data, HR_REMARKS_TRAIN, &seen, NULL), HR_OK);
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.texts[0], "identifier 2 patient_id");
    assert_non_null(strstr(seen.last.message, "identifies persons"));
    assert_non_null(strstr(seen.last.remedy, "unit: COLUMN"));
    assert_remarks(t.data, HR_REMARKS_PREDICT, NO_REMARK);
    arrays_close(&t);
}

static void add_code(hr_schema_builder *builder, hr_error *err) {
    assert_int_equal(hr_schema_add_number(builder, "x2", 0, 1e12, true, err), HR_OK);
}

/* Numbers of nine digits, of whatever name. */
static double code_of(unsigned i) {
    return 100000000 + (double)scatter(i, 899999999);
}

static double count_of(unsigned i) {
    return scatter(i, 5000);
}

static void test_remarks__name_identifiers_by_their_values(void **state) {
    (void)state;
    arrays_table t = arrays_open(add_code, code_of);
    arrays_make(&t, ROWS);
    assert_remarks(t.data, HR_REMARKS_TRAIN, REMARKS("identifier 2 x2"));
    for (unsigned i = 0; i < ROWS; i++) t.columns[2][i] = count_of(i); /* a quantity with many values */
    arrays_make(&t, ROWS);
    assert_remarks(t.data, HR_REMARKS_TRAIN, NO_REMARK);
    arrays_close(&t);
}

/* ---- Lists ---- */

static size_t names;

static void add_names(hr_schema_builder *builder, hr_error *err) {
    char text[300][16];
    const char *values[300];
    for (size_t i = 0; i < names; i++) {
        snprintf(text[i], sizeof text[i], "Name %zu", i);
        values[i] = text[i];
    }
    assert_int_equal(hr_schema_add_category(builder, "surgeon", values, names, err), HR_OK);
}

static void add_sourced_names(hr_schema_builder *builder, hr_error *err) {
    add_names(builder, err);
    assert_int_equal(hr_schema_set_source(builder, "staff list 2024", err), HR_OK);
}

static double name_of(unsigned i) {
    return 1 + i % (unsigned)names;
}

static void test_remarks__name_lists_that_are_read_from_records(void **state) {
    (void)state;
    names = 100;
    arrays_table t = arrays_open(add_names, name_of);
    arrays_make(&t, 150);
    assert_remarks(t.data, HR_REMARKS_TRAIN, REMARKS("list 2 surgeon"));
    arrays_make(&t, 600); /* six records of each value */
    assert_remarks(t.data, HR_REMARKS_TRAIN, NO_REMARK);
    arrays_make(&t, 80); /* a fifth does not occur */
    assert_remarks(t.data, HR_REMARKS_TRAIN, NO_REMARK);
    arrays_close(&t);
    t = arrays_open(add_sourced_names, name_of);
    arrays_make(&t, 150);
    assert_remarks(t.data, HR_REMARKS_TRAIN, NO_REMARK);
    arrays_close(&t);
}

/* ---- Through a fit ---- */

static hr_fit_options small_fit(taken *t) {
    hr_fit_options options;
    assert_int_equal(hr_fit_options_init(&options, "dpboost", HR_MODE_SOUND, NULL), HR_OK);
    options.trees = 2;
    options.depth = 2;
    options.threads = 1;
    options.remark = take;
    options.user = t;
    return options;
}

static void test_fit__makes_remarks_before_anything_is_spent(void **state) {
    const temp_dir *dir = *state;
    hr_ledger *ledger = NULL;
    hr_ledger_total total;
    hr_model *model = NULL;
    hr_error err = {0};
    arrays_table t = arrays_open(add_dose, dose_of);
    for (unsigned i = 0; i < ROWS; i++) t.columns[0][i] *= 1000;
    arrays_make(&t, ROWS);
    assert_int_equal(hr_ledger_create(dir->path, 4, 1e-5, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(dir->path, &ledger, NULL), HR_OK);
    taken seen = {.refused_at = 1};
    hr_fit_options options = small_fit(&seen);
    options.ledger = ledger;
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_SCHEMA);
    assert_string_equal(err.field, "weight");
    assert_null(model);
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_int_equal(total.entries, 0);
    seen = (taken){0};
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_OK);
    assert_string_equal(seen.texts[0], "cells 2 weight");
    hr_model_free(model);
    hr_ledger_close(ledger);
    arrays_close(&t);
}

static char *model_text(const hr_data *data, const hr_fit_options *options) {
    hr_model *model = NULL;
    char *text = NULL;
    assert_int_equal(hr_fit(data, options, &model, NULL), HR_OK);
    assert_int_equal(hr_model_render(model, &text, NULL), HR_OK);
    hr_model_free(model);
    return text;
}

static void test_fit__has_the_same_model_without_remarks(void **state) {
    (void)state;
    arrays_table t = arrays_open(add_patient, patient_of);
    for (unsigned i = 0; i < ROWS; i++) t.columns[0][i] *= 1000;
    arrays_make(&t, ROWS);
    taken seen = {0};
    hr_fit_options options = small_fit(&seen);
    options.reproducible_noise = true;
    char *with = model_text(t.data, &options);
    assert_int_equal(seen.count, 2);
    options.remark = NULL;
    char *without = model_text(t.data, &options);
    assert_string_equal(with, without);
    hr_text_free(with);
    hr_text_free(without);
    arrays_close(&t);
}

static void test_fit__refuses_long_lists_of_code_without_a_source(void **state) {
    (void)state;
    hr_model *model = NULL;
    hr_error err = {0};
    taken seen = {0};
    names = 255;
    arrays_table t = arrays_open(add_names, name_of);
    arrays_make(&t, ROWS);
    hr_fit_options options = small_fit(&seen);
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_POLICY);
    assert_string_equal(err.field, "surgeon");
    assert_non_null(strstr(err.remedy, "hr_schema_set_source"));
    assert_int_equal(hr_schema_public(t.schema, NULL), HR_E_POLICY);
    options.leak = "the categories of surgeon"; /* not private, and the model says so */
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_OK);
    hr_model_free(model);
    arrays_close(&t);
    model = NULL;
    t = arrays_open(add_sourced_names, name_of);
    arrays_make(&t, ROWS);
    options.leak = NULL;
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_OK);
    hr_model_free(model);
    arrays_close(&t);
}

static void test_set_source__needs_a_column_and_a_text(void **state) {
    (void)state;
    hr_schema_builder *builder = NULL;
    assert_int_equal(hr_schema_builder_new(&builder, NULL), HR_OK);
    assert_int_equal(hr_schema_set_source(builder, "a book", NULL), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_label_number(builder, "y", 0, 1, NULL), HR_OK);
    assert_int_equal(hr_schema_set_source(builder, "", NULL), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_set_source(builder, NULL, NULL), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_set_source(builder, "a book", NULL), HR_OK);
    hr_schema_builder_free(builder);
}

/* ---- Copies ---- */

static void test_fit__refuses_a_table_that_was_joined_to_itself(void **state) {
    (void)state;
    hr_model *model = NULL;
    hr_error err = {0};
    taken seen = {0};
    arrays_table t = arrays_open(add_dose, dose_of);
    for (unsigned i = ROWS / 3; i < ROWS; i++) {
        for (size_t f = 0; f < 3; f++) t.columns[f][i] = t.columns[f][i - ROWS / 3];
        t.labels[i] = t.labels[i - ROWS / 3];
    }
    arrays_make(&t, ROWS);
    hr_fit_options options = small_fit(&seen);
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "3 times"));
    t.columns[1][ROWS - 1] += 1; /* one cell differs */
    arrays_make(&t, ROWS);
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_OK);
    hr_model_free(model);
    model = NULL;
    for (unsigned i = 0; i < ROWS; i++) { /* a pattern that repeats all the time is no copy */
        for (size_t f = 0; f < 3; f++) t.columns[f][i] = i % 10;
        t.labels[i] = i % 10;
    }
    arrays_make(&t, ROWS);
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_OK);
    hr_model_free(model);
    arrays_close(&t);
}

/* ---- Owners together ---- */

static void test_simulate__makes_remarks_about_each_owner(void **state) {
    (void)state;
    arrays_table one = arrays_open(add_patient, patient_of), two = arrays_open(add_patient, patient_of);
    for (unsigned i = 0; i < ROWS; i++) two.columns[0][i] *= 1000;
    arrays_make(&one, ROWS);
    arrays_make(&two, ROWS);
    taken seen = {.refused_at = 3};
    hr_fit_options options;
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit_options_init(&options, NULL, HR_MODE_SOUND, NULL), HR_OK);
    hr_job_options_init(&options);
    options.remark = take;
    options.user = &seen;
    const hr_data *const tables[] = {one.data, two.data};
    const hr_simulated_owners owners = {.tables = tables, .count = 2};
    const hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    assert_int_equal(hr_simulate_records(&options, &owners, &settings, &model, &err), HR_E_POLICY);
    assert_null(model);
    assert_string_equal(seen.texts[0], "identifier 2 patient_id");
    assert_string_equal(seen.texts[1], "cells 2 weight");
    assert_string_equal(err.field, "patient_id");
    assert_string_equal(err.file, "owner 2");
    arrays_close(&one);
    arrays_close(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remarks__of_a_table_that_fits_are_none),
        cmocka_unit_test(test_remarks__of_cells_depend_on_the_use),
        cmocka_unit_test(test_remarks__do_not_ask_of_bounds_that_are_released),
        cmocka_unit_test(test_remarks__fail_with_the_one_that_is_refused),
        cmocka_unit_test(test_remarks__name_identifiers_of_persons),
        cmocka_unit_test(test_remarks__name_identifiers_by_their_values),
        cmocka_unit_test(test_remarks__name_lists_that_are_read_from_records),
        cmocka_unit_test_setup_teardown(test_fit__makes_remarks_before_anything_is_spent, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test(test_fit__has_the_same_model_without_remarks),
        cmocka_unit_test(test_fit__refuses_long_lists_of_code_without_a_source),
        cmocka_unit_test(test_set_source__needs_a_column_and_a_text),
        cmocka_unit_test(test_fit__refuses_a_table_that_was_joined_to_itself),
        cmocka_unit_test(test_simulate__makes_remarks_about_each_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
