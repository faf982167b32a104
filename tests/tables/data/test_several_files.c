/* One table in several files, columns that are dropped, and records without a label that are skipped. */
#include "support/reader_checks.h"
#include "support/temp_dir.h"

enum { FILES_MAX = 4, PATH_SIZE = 128 };

typedef struct some_files {
    void *dir;
    hr_schema *schema;
    char path[FILES_MAX][PATH_SIZE];
    const char *paths[FILES_MAX];
    hr_read_options options;
} some_files;

static const char usual[] = "hedgerow-schema: 1\n"
                            "label: {name: y, kind: classes, values: [no, \"yes\"]}\n"
                            "features:\n"
                            "  - {name: f1, kind: number, low: -10, high: 10}\n"
                            "  - {name: f2, kind: category, values: [red, blue]}\n"
                            "missing: [\"?\"]\n";

static void save(some_files *f, size_t i, const char *text) {
    write_file(f->path[i], text, strlen(text));
}

static hr_data *must_read(some_files *f, size_t count) {
    hr_data *data = NULL;
    hr_error err = {0};
    if (hr_data_read_all(f->schema, f->paths, count, &f->options, &data, &err))
        fail_msg("%s:%d: %s: %s", err.file, (int)err.line, err.field, err.message);
    return data;
}

/* The failure names the file of that number, the line, the field and some words. */
static void refuse_files(some_files *f, size_t count, size_t file, uint64_t line, const char *field,
                         const char *words) {
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_not_equal(hr_data_read_all(f->schema, f->paths, count, &f->options, &data, &err), HR_OK);
    assert_string_equal(err.file, f->paths[file]);
    assert_int_equal(err.line, line);
    assert_string_equal(err.field, field);
    if (!strstr(err.message, words) && !strstr(err.remedy, words))
        fail_msg("%s; %s", err.message, err.remedy);
    assert_null(data);
}

static void test_several_files__are_one_table(void **state) {
    some_files *f = *state;
    save(f, 0, "id,f1,f2,y\n1,1,red,no\n2,2,blue,yes\n");
    save(f, 1, "y;f2;id;f1\nyes;blue;3;3\n");
    save(f, 2, "f2\ty\tf1\tid\n");
    save(f, 3, "f2|y|f1|id\ngreen|no|99|4\n");
    hr_data *data = must_read(f, 4);
    static const double numbers[] = {1, 2, 3, 10}, labels[] = {0, 1, 1, 0};
    static const uint16_t codes[] = {1, 2, 2, 0};
    assert_int_equal(hr_data_rows(data), 4);
    assert_memory_equal(hr_data_numbers(data, 0), numbers, sizeof numbers);
    assert_memory_equal(hr_data_codes(data, 1), codes, sizeof codes);
    assert_memory_equal(hr_data_labels(data), labels, sizeof labels);
    assert_int_equal(hr_data_report(data, 0)->out_of_range, 1);
    assert_int_equal(hr_data_report(data, 1)->unknown, 1);
    assert_int_equal(hr_data_extra_columns(data), 1);
    hr_data_free(data);
}

static void test_several_files__errors_name_the_file(void **state) {
    some_files *f = *state;
    save(f, 0, "id,f1,f2,y\n1,1,red,no\n");
    save(f, 1, "f1,f2,id,y\n1,red,1,no\nx,red,1,no\n");
    refuse_files(f, 2, 1, 3, "f1", "not a number");
    save(f, 1, "f1,f2,id,y\n1,red,1\n");
    refuse_files(f, 2, 1, 2, "", "cells");
    save(f, 1, "");
    refuse_files(f, 2, 1, 0, "", "empty");
    assert_int_equal(unlink(f->path[1]), 0);
    refuse_files(f, 2, 1, 0, "", "cannot open");
    refuse_files(f, 3, 1, 0, "", "cannot open");
}

static void test_several_files__columns_must_agree(void **state) {
    some_files *f = *state;
    save(f, 0, "id,f1,f2,y\n1,1,red,no\n");
    save(f, 1, "f1,f2,y\n1,red,no\n");
    refuse_files(f, 2, 1, 0, "id", "this file lacks it");
    save(f, 1, "f1,f2,y,id,age\n1,red,no,1,1\n");
    refuse_files(f, 2, 1, 0, "age", "the first file lacks this column");
    save(f, 1, "f1,f2,y,id,id\n1,red,no,1,1\n");
    refuse_files(f, 2, 1, 0, "id", "the first file lacks this column");
    save(f, 1, "f1,f2,id\n1,red,1\n");
    refuse_files(f, 2, 1, 0, "y", "no such column");
    f->options.label_optional = true;
    refuse_files(f, 2, 1, 0, "y", "this file lacks it");
    save(f, 0, "id,f1,f2\n1,1,red\n");
    hr_data *data = must_read(f, 2);
    assert_false(hr_data_has_labels(data));
    assert_int_equal(hr_data_rows(data), 2);
    hr_data_free(data);
}

static void test_several_files__of_libsvm_are_one_table(void **state) {
    some_files *f = *state;
    hr_schema *schema = must_schema("hedgerow-schema: 1\n"
                                    "label: {name: y, kind: classes, values: [\"0\", \"1\"]}\n"
                                    "features:\n"
                                    "  - {name: a, kind: number, low: 1, high: 10}\n"
                                    "  - {name: b, kind: number, low: 0, high: 10}\n");
    hr_data *data = NULL;
    hr_error err = {0};
    save(f, 0, "1 1:2 2:3\n0 2:4\n");
    save(f, 1, "0 1:5\n1 2:6\n1 1:7 2:8\n");
    assert_int_equal(hr_data_read_all(schema, f->paths, 2, NULL, &data, &err), HR_OK);
    static const double a[] = {2, 1, 5, 1, 7}, b[] = {3, 4, 0, 6, 8};
    assert_int_equal(hr_data_rows(data), 5);
    assert_memory_equal(hr_data_numbers(data, 0), a, sizeof a);
    assert_memory_equal(hr_data_numbers(data, 1), b, sizeof b);
    assert_int_equal(hr_data_report(data, 0)->out_of_range, 2);
    assert_int_equal(hr_data_report(data, 1)->out_of_range, 0);
    hr_data_free(data);
    data = NULL;
    save(f, 1, "a,b,y\n1,2,0\n");
    assert_int_equal(hr_data_read_all(schema, f->paths, 2, NULL, &data, &err), HR_E_FORMAT);
    assert_non_null(strstr(err.message, "the first file is LIBSVM, this one CSV"));
    assert_string_equal(err.file, f->paths[1]);
    assert_null(data);
    hr_schema_free(schema);
}

static void test_several_files__none_is_refused(void **state) {
    some_files *f = *state;
    hr_data *data = NULL;
    char *yaml = NULL;
    assert_int_equal(hr_data_read_all(f->schema, f->paths, 0, NULL, &data, NULL), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_infer_all(f->paths, 0, NULL, &yaml, NULL), HR_E_ARGUMENT);
    assert_null(data);
    assert_null(yaml);
}

/* ---- Columns that are dropped ---- */

static void test_several_files__drop_columns(void **state) {
    some_files *f = *state;
    static const char *const drop[] = {"id", "date"};
    save(f, 0, "id,f1,f2,date,y\n1,1,red,x,no\n");
    save(f, 1, "f1,f2,id,y,id,date,date\n1,red,1,no,2,x,y\n");
    f->options.drop = drop;
    f->options.drop_count = 2;
    hr_data *data = must_read(f, 2);
    assert_int_equal(hr_data_rows(data), 2);
    hr_data_free(data);
    /* One of the files has it, whichever comes first. */
    save(f, 1, "f1,f2,y,id\n1,red,no,1\n");
    hr_data_free(must_read(f, 2));
    save(f, 1, "id,f1,f2,date,y\n1,1,red,x,no\n");
    save(f, 0, "f1,f2,y,id\n1,red,no,1\n");
    hr_data_free(must_read(f, 2));
    refuse_files(f, 1, 0, 0, "date", "no such column");
    /* None has it. */
    hr_error err = {0};
    save(f, 1, "f1,f2,y\n1,red,no\n");
    assert_int_equal(hr_data_read_all(f->schema, f->paths, 2, &f->options, &data, &err), HR_E_SCHEMA);
    assert_string_equal(err.field, "date");
    assert_non_null(strstr(err.message, "no such column"));
}

static void test_several_files__columns_of_the_schema_are_not_dropped(void **state) {
    some_files *f = *state;
    static const char *const drop[] = {"f1"}, *const label[] = {"y"};
    hr_schema *less = NULL;
    hr_error err = {0};
    save(f, 0, "f1,f2,y\nx,red,no\n");
    f->options.drop = drop;
    f->options.drop_count = 1;
    refuse_files(f, 1, 0, 0, "f1", "do not drop it");
    assert_int_equal(hr_schema_without(f->schema, drop, 1, &less, &err), HR_OK);
    assert_int_equal(hr_schema_feature_count(less), 1);
    assert_string_equal(hr_schema_feature(less, 0)->name, "f2");
    hr_data *data = NULL;
    assert_int_equal(hr_data_read_all(less, f->paths, 1, &f->options, &data, &err), HR_OK);
    assert_int_equal(hr_data_codes(data, 0)[0], 1);
    hr_data_free(data);
    hr_schema_free(less);
    less = NULL;
    assert_int_equal(hr_schema_without(f->schema, label, 1, &less, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "y");
    assert_int_equal(hr_schema_without(f->schema, (const char *const[]){"f2", "f1"}, 2, &less, &err),
                     HR_E_ARGUMENT);
    assert_null(less);
    /* Without its labels a table can still be predicted. */
    f->options.drop = label;
    f->options.label_optional = true;
    save(f, 0, "f1,f2,y\n1,red,unknown\n");
    data = must_read(f, 1);
    assert_false(hr_data_has_labels(data));
    hr_data_free(data);
}

/* Dates have no feature of their name: all of their parts go. */
static void test_several_files__drop_a_date_of_the_schema(void **state) {
    some_files *f = *state;
    static const char *const drop[] = {"when"};
    hr_schema
        *less = NULL,
        *schema = must_schema(
            "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [no, \"yes\"]}\nfeatures:\n"
            "  - {name: f1, kind: number, low: -10, high: 10}\n"
            "  - {name: when, kind: date, from: 2023-12-30, to: 2024-02-29, parts: [hour, year, trend]}\n");
    hr_error err = {0};
    assert_int_equal(hr_schema_without(schema, drop, 1, &less, &err), HR_OK);
    assert_int_equal(hr_schema_feature_count(less), 1);
    assert_string_equal(hr_schema_feature(less, 0)->name, "f1");
    save(f, 0, "f1,when,y\n1,2024-01-01,no\n");
    f->options.drop = drop;
    f->options.drop_count = 1;
    hr_data *data = NULL;
    assert_int_equal(hr_data_read_all(less, f->paths, 1, &f->options, &data, &err), HR_OK);
    hr_data_free(data);
    hr_schema_free(less);
    hr_schema_free(schema);
}

/* ---- Records without a label ---- */

static void test_several_files__skip_records_without_a_label(void **state) {
    some_files *f = *state;
    save(f, 0, "f1,f2,y\n1,red,no\n99,green,\n?,red,?\n");
    save(f, 1, "y,f1,f2\n\"\",?,?\nyes,,blue\n ? ,?,?\n");
    refuse_files(f, 2, 0, 3, "y", "the label is missing");
    f->options.skip_unlabelled = true;
    hr_data *data = must_read(f, 2);
    assert_int_equal(hr_data_rows(data), 2);
    assert_int_equal(hr_data_skipped(data), 4);
    assert_true(hr_data_numbers(data, 0)[0] == 1 && isnan(hr_data_numbers(data, 0)[1]));
    assert_int_equal(hr_data_codes(data, 1)[1], 2);
    assert_true(hr_data_labels(data)[0] == 0 && hr_data_labels(data)[1] == 1);
    /* What was skipped is in no report. */
    assert_int_equal(hr_data_report(data, 0)->missing, 1);
    assert_int_equal(hr_data_report(data, 0)->out_of_range, 0);
    assert_int_equal(hr_data_report(data, 1)->missing, 0);
    assert_int_equal(hr_data_report(data, 1)->unknown, 0);
    hr_data_free(data);
    save(f, 1, "y,f1,f2\nmaybe,1,red\n");
    refuse_files(f, 2, 1, 2, "y", "not one of the classes");
    save(f, 1, "y,f1,f2\n,1\n");
    refuse_files(f, 2, 1, 2, "", "cells");
}

static void test_several_files__libsvm_has_no_names_and_labels_to_miss(void **state) {
    some_files *f = *state;
    save(f, 0, "0 1:2\n");
    f->options.skip_unlabelled = true;
    refuse_files(f, 1, 0, 0, "", "CSV tables only");
    f->options.skip_unlabelled = false;
    f->options.drop = (const char *const[]){"f1"};
    f->options.drop_count = 1;
    refuse_files(f, 1, 0, 0, "", "have no names");
    f->options.drop_count = 0;
    f->options.format = HR_FORMAT_LIBSVM;
    f->options.separator = HR_SEPARATOR_COMMA;
    refuse_files(f, 1, 0, 0, "", "no separator");
}

/* ---- Proposals ---- */

static const hr_infer_options *infer_y(const hr_read_options *reading) {
    static hr_infer_options options;
    options = (hr_infer_options){.size = sizeof options, .label = "y", .reading = reading};
    return &options;
}

static void test_several_files__are_proposed_as_one_table(void **state) {
    some_files *f = *state;
    char *yaml = NULL;
    hr_error err = {0};
    static const char *const drop[] = {"id"};
    save(f, 0, "id;f1;f2;y\n7;1;red;no\n");
    save(f, 1, "y,f2,f1,id\nyes,blue,5,9\n");
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.drop = drop;
    options.drop_count = 1;
    assert_int_equal(hr_schema_infer_all(f->paths, 2, infer_y(&options), &yaml, &err), HR_OK);
    assert_non_null(strstr(yaml, "low: 1"));
    assert_non_null(strstr(yaml, "high: 5"));
    assert_non_null(strstr(yaml, "[\"blue\", \"red\"]"));
    assert_non_null(strstr(yaml, "[\"no\", \"yes\"]"));
    assert_null(strstr(yaml, "\"id\""));
    hr_text_free(yaml);
    yaml = NULL;
    options.drop_count = 0;
    save(f, 1, "y,f2,f1\nyes,blue,5\n");
    assert_int_equal(hr_schema_infer_all(f->paths, 2, infer_y(&options), &yaml, &err), HR_E_SCHEMA);
    assert_string_equal(err.field, "id");
    assert_string_equal(err.file, f->paths[1]);
    save(f, 0, "0 1:1 3:2\n");
    save(f, 1, "1 2:4\n");
    assert_int_equal(hr_schema_infer_all(f->paths, 2, infer_y(NULL), &yaml, &err), HR_OK);
    assert_non_null(strstr(yaml, "name: \"f3\""));
    assert_non_null(strstr(yaml, "high: 4"));
    hr_text_free(yaml);
}

static int set_up(void **state) {
    some_files *f = calloc(1, sizeof *f);
    if (!f || temp_dir_open(&f->dir)) return -1;
    f->schema = must_schema(usual);
    f->options = (hr_read_options)HR_READ_OPTIONS_INIT;
    for (size_t i = 0; i < FILES_MAX; i++) {
        snprintf(f->path[i], PATH_SIZE, "%s/table-%zu", ((temp_dir *)f->dir)->folder, i);
        f->paths[i] = f->path[i];
    }
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    some_files *f = *state;
    hr_schema_free(f->schema);
    int failed = temp_dir_close(&f->dir);
    free(f);
    return failed;
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_several_files__##name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(are_one_table),
        TEST(errors_name_the_file),
        TEST(columns_must_agree),
        TEST(of_libsvm_are_one_table),
        TEST(none_is_refused),
        TEST(drop_columns),
        TEST(columns_of_the_schema_are_not_dropped),
        TEST(drop_a_date_of_the_schema),
        TEST(skip_records_without_a_label),
        TEST(libsvm_has_no_names_and_labels_to_miss),
        TEST(are_proposed_as_one_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
