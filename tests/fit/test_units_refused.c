/* What is computed by record cannot be promised to persons: whatever would mix the two is refused for a table
 * whose schema names a unit, before anything is drawn or charged, in plans as in fits. */
#include "fit/over_ranks.h"
#include "support/person_tables.h"
#include "support/tables.h"
#include "support/temp_dir.h"
#include "tables/data/records.h"

typedef struct fixture {
    temp_dir *files;
    person_tables tables;
    hr_ledger *ledger;
    hr_model *start; /* of the same schema without its unit */
} fixture;

static const char columns_of_records[] =
    "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\nfeatures:\n"
    "  - {name: x, kind: number, low: 0, high: 1}\n  - {name: z, kind: number, low: 0, high: 1}\n"
    "  - {name: c, kind: category, values: [u, v, w]}\n";

static hr_model *model_of_records(void) {
    hr_schema *schema = schema_of_text(columns_of_records);
    hr_data *data = data_of_text(schema, "x,z,c,y\n0.1,0.2,u,a\n0.8,0.9,v,b\n0.3,0.1,w,a\n0.7,0.6,u,b\n");
    hr_fit_options options = options_of("dpboost", HR_MODE_SOUND);
    hr_model *model = fit(data, &options);
    hr_data_free(data);
    hr_schema_free(schema);
    return model;
}

static int open_fixture(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f || temp_dir_open((void **)&f->files)) return -1;
    person_tables_open(&f->tables, 2, &(person_canary){50, true}, 1);
    if (hr_ledger_create(f->files->path, 10, .1, NULL) || hr_ledger_open(f->files->path, &f->ledger, NULL))
        return -1;
    f->start = model_of_records();
    *state = f;
    return 0;
}

static int close_fixture(void **state) {
    fixture *f = *state;
    hr_model_free(f->start);
    hr_ledger_close(f->ledger);
    person_tables_close(&f->tables);
    temp_dir_close((void **)&f->files);
    free(f);
    return 0;
}

static void assert_says(const hr_error *err, const char *what) {
    char wanted[100];
    snprintf(wanted, sizeof wanted, "%s cannot protect persons (unit who)", what);
    assert_string_equal(err->message, wanted);
    assert_true(err->remedy[0] != '\0');
}

/* Of the fit, of its plan, and of a fit of at most two records of each person. */
static void assert_fit_refused(const fixture *f, hr_fit_options options, const char *says) {
    hr_ledger_total total;
    options.ledger = f->ledger;
    for (int64_t most = 0; most <= 2; most += 2) {
        hr_model *model = NULL;
        hr_plan_info plan;
        hr_error err = {0};
        options.records_per_person = most;
        assert_int_not_equal(hr_fit(f->tables.with, &options, &model, &err), HR_OK);
        assert_null(model);
        assert_says(&err, says);
        if (strcmp(options.method, "hedge")) continue;
        assert_int_not_equal(hr_fit_plan(&options, 1000, f->tables.schema, &plan, &err), HR_OK);
        assert_says(&err, says);
    }
    assert_int_equal(hr_ledger_sum(f->ledger, &total, NULL), HR_OK);
    assert_int_equal(total.entries, 0);
}

/* One record can move one end of a column's bounds; a person with fifty is counted fifty times. */
static void test_bounds__are_not_released_of_persons(void **state) {
    fixture *f = *state;
    static const char *const x[] = {"x"}, *const methods[] = {"hedge", "dpboost"};
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = options_of(methods[m], HR_MODE_SOUND);
        options.private_bounds = x;
        options.private_bounds_count = 1;
        assert_fit_refused(f, options, "a release of bounds");
    }
}

static void test_start__is_for_records_alone(void **state) {
    fixture *f = *state;
    static const char *const methods[] = {"hedge", "dpboost"};
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int public = 0; public < 2; public ++) {
            hr_fit_options options = options_of(methods[m], HR_MODE_SOUND);
            options.start = f->start;
            options.start_is_public = public;
            assert_fit_refused(f, options, "a fit that continues a model");
        }
}

/* A cache has no column that says whose a record is. */
static void test_cache__has_no_persons(void **state) {
    fixture *f = *state;
    hr_error err = {0};
    hr_binner *binner = NULL;
    hr_data *data = NULL;
    hr_bin_options options = HR_BIN_OPTIONS_INIT;
    assert_int_not_equal(hr_binner_open(f->tables.schema, f->files->path, &options, &binner, &err), HR_OK);
    assert_null(binner);
    assert_says(&err, "a binned cache");
    assert_int_not_equal(hr_data_map(f->tables.schema, f->files->path, 1, &data, &err), HR_OK);
    assert_null(data);
    assert_says(&err, "a binned cache");
}

/* Arrays that do not say whose each record is would make each record a person, or none. */
static void test_arrays__say_whose_each_record_is(void **state) {
    fixture *f = *state;
    const double x[] = {.1, .2}, c[] = {0, 1}, y[] = {0, 1}, *columns[] = {x, x, c};
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_not_equal(hr_data_from_arrays(f->tables.schema, 2, columns, y, &data, &err), HR_OK);
    assert_null(data);
    assert_says(&err, "a table in arrays that do not say whose each record is");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds__are_not_released_of_persons),
        cmocka_unit_test(test_start__is_for_records_alone),
        cmocka_unit_test(test_cache__has_no_persons),
        cmocka_unit_test(test_arrays__say_whose_each_record_is),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
