/* Parquet files as the CSV that they stand for; those of golden/parquet were written by its make.py. A build
 * without the reader tells so, and has nothing else to test. */
#include "support/reader_checks.h"
#include "support/temp_dir.h"
#include "tables/formats/byte_ranges.h"
#include "tables/source/arrow_cells.h"
#include "tables/source/parquet.h"
#include "tables/source/table_source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static const char usual[] = "hedgerow-schema: 1\n"
                            "label: {name: y, kind: classes, values: [a, b]}\n"
                            "features:\n"
                            "  - {name: x, kind: number, low: 0, high: 100}\n"
                            "  - {name: z, kind: category, values: [u, v]}\n";

static const char only_x[] = "hedgerow-schema: 1\n"
                             "label: {name: y, kind: classes, values: [a, b]}\n"
                             "features:\n"
                             "  - {name: x, kind: number, low: 0, high: 100}\n";

static const char *golden(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, HR_TESTS_DIR "/tables/source/golden/parquet/%s", name);
    return path;
}

static bool can_read(void) {
    const hr_parquet_module *module;
    return !hr_parquet_load(&module, NULL);
}

/* All of the CSV. Owner: the caller. */
static hr_status csv_of(const char *path, const hr_byte_range *range, char **out, hr_error *err) {
    hr_byte_source source;
    const hr_table_place place = {.path = path, .groups = range};
    hr_status status = hr_table_source_open(&place, NULL, &source, err);
    while (!status && !source.ended) status = hr_byte_source_more(&source, err);
    if (!status) {
        const size_t size = (size_t)(source.end - source.at);
        *out = must_alloc(size + 1);
        memcpy(*out, source.at, size);
        (*out)[size] = '\0';
    }
    hr_byte_source_done(&source);
    return status;
}

static char *must_csv(const char *name, const hr_byte_range *range) {
    char *text = NULL;
    hr_error err = {0};
    if (csv_of(golden(name), range, &text, &err))
        fail_msg("%s: %s: %s; %s", name, err.field, err.message, err.remedy);
    return text;
}

/* ---- What is read ---- */

static void test_parquet__cells_of_all_types_are_written_as_csv(void **state) {
    (void)state;
    static const char expected[] =
        "\"i8\",\"i16\",\"i32\",\"i64\",\"u8\",\"u16\",\"u32\",\"u64\",\"f32\",\"f64\",\"large32\",\"nan\","
        "\"dec\","
        "\"tens\",\"wide\",\"truth\",\"text\",\"long\",\"view\",\"code\",\"number code\",\"day\",\"day64\","
        "\"clock\",\"micro\",\"utc\",\"time\",\"none\"\n"
        "-128,-32768,-2147483648,-9223372036854775808,0,1,1,1,0.1,0.1,2139548400,,-0.05,"
        "-99999999999999999999999999999999999999,"
        "-123456789012345678901234567890.123456789012345678901234567891,true,\"plain\",\"\",\"short\",\"u\",-"
        "5,"
        "0001-01-01,1960-02-29,1960-01-01T00:00:01,1959-12-31T23:59:59.999999,2026-11-29T13:05:06.070Z,01:02:"
        "03,\n"
        ",,,,,,,,,,,,,,,,,,,,,,,,,,,\n"
        "127,7,7,9223372036854775807,255,65535,4294967295,18446744073709551615,-1e-30,1e+300,inf,-0.5,120.50,"
        "7,"
        "0.000000000000000000000000000000,false,\" \"\"quoted\"\", and\nmore \",\"\303\251\","
        "\"longer than twelve\",\"v\",5,2026-11-29,2026-11-29,2026-11-29T13:05:00,2026-11-29T00:00:00,"
        "1970-01-01T00:00:00Z,23:59:59.000005,\n";
    if (!can_read()) return;
    char *text = must_csv("types.parquet", NULL);
    assert_string_equal(text, expected);
    free(text);
}

static void test_parquet__a_record_with_nothing_in_it_is_a_record(void **state) {
    (void)state;
    if (!can_read()) return;
    char *text = must_csv("one.parquet", NULL);
    assert_string_equal(text, "\"y\"\n\"\"\n\"a\"\n\"\"\n");
    free(text);
}

static hr_data *must_read(const hr_schema *schema, const char *path) {
    hr_data *data = NULL;
    hr_error err = {0};
    if (hr_data_read(schema, path, NULL, &data, &err)) fail_msg("%s: %s; %s", path, err.message, err.remedy);
    return data;
}

static void check_same_records(const hr_data *a, const hr_data *b) {
    assert_int_equal(hr_data_rows(a), hr_data_rows(b));
    const size_t rows = hr_data_rows(a);
    for (size_t i = 0; i < rows; i++)
        assert_true(is_same_double(hr_data_numbers(a, 0)[i], hr_data_numbers(b, 0)[i]));
    assert_memory_equal(hr_data_codes(a, 1), hr_data_codes(b, 1), rows * sizeof(uint16_t));
    assert_memory_equal(hr_data_report(a, 0), hr_data_report(b, 0), sizeof(hr_column_report));
    assert_int_equal(hr_data_extra_columns(a), hr_data_extra_columns(b));
}

static void test_parquet__records_are_those_of_the_same_table_as_csv(void **state) {
    (void)state;
    if (!can_read()) return;
    hr_schema *schema = must_schema(usual);
    hr_data *parquet = must_read(schema, golden("groups.parquet")),
            *csv = must_read(schema, golden("groups.csv"));
    check_same_records(parquet, csv);
    hr_data_free(parquet);
    hr_data_free(csv);
    hr_schema_free(schema);
}

static void test_parquet__columns_that_no_schema_names_are_not_read(void **state) {
    (void)state;
    if (!can_read()) return;
    hr_schema *schema = must_schema(only_x);
    hr_data *data = must_read(schema, golden("nested.parquet"));
    assert_int_equal(hr_data_rows(data), 2);
    assert_int_equal(hr_data_extra_columns(data), 1);
    assert_true(hr_data_numbers(data, 0)[1] == 2.5);
    hr_data_free(data);
    hr_schema_free(schema);
}

/* ---- Row groups ---- */

static void test_parquet__row_groups_are_read_one_by_one(void **state) {
    (void)state;
    if (!can_read()) return;
    char *all = must_csv("groups.parquet", NULL), *at = strchr(all, '\n') + 1;
    hr_row_groups groups;
    const int file = open(golden("groups.parquet"), O_RDONLY);
    assert_int_equal(hr_parquet_groups(file, &groups, NULL), HR_OK);
    close(file);
    assert_int_equal(groups.count, 9);
    assert_int_equal(groups.ends[8], 400);
    for (size_t g = 0; g < groups.count; g++) {
        const hr_byte_range range = {.begin = g, .end = g + 1, .of_groups = true};
        char *text = must_csv("groups.parquet", &range), *rows = strchr(text, '\n') + 1;
        assert_memory_equal(at, rows, strlen(rows));
        at += strlen(rows);
        free(text);
    }
    assert_int_equal(*at, 0);
    free(groups.ends);
    free(all);
}

/* Wherever a file is cut, each row group is in one part. */
static void test_parquet__cuts_fall_between_row_groups(void **state) {
    (void)state;
    static const size_t begins[] = {0, 1, 101, 141, 201, 201, 300, 330, 399, 400};
    hr_file_layout layout;
    size_t before = 0;
    if (!can_read()) return;
    assert_true(hr_file_layout_find(golden("groups.parquet"), NULL, &layout));
    assert_int_equal(layout.groups, 10);
    assert_int_equal(layout.line, 2);
    for (uint64_t cut = 0; cut <= layout.size; cut += 7) {
        hr_file_place place = {.at = cut};
        assert_int_equal(hr_file_find_record(golden("groups.parquet"), &layout, &place, NULL), HR_OK);
        assert_in_range(place.at, before, 9);
        assert_int_equal(place.lines, begins[place.at]);
        before = (size_t)place.at;
        const double last = place.at ? (double)begins[place.at - 1] * (double)layout.size : -1;
        assert_true(last < (double)(place.at ? cut + 1 : 1) * 400);
        assert_true(cut || !place.at);
        assert_true((double)place.lines * (double)layout.size >= (double)cut * 400 - (double)layout.size);
    }
    assert_int_equal(before, 9);
}

/* The footer's numbers of rows may be any; nothing is left that a caller could free again. */
static void test_parquet__row_groups_without_a_usual_number_of_rows_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *file;
        hr_status status;
    } cases[] = {{"negative.parquet", HR_E_FORMAT}, {"many.parquet", HR_E_LIMIT}};
    for (size_t i = 0; can_read() && i < sizeof cases / sizeof *cases; i++) {
        hr_row_groups groups;
        hr_file_layout layout = {.size = 4, .groups = 2};
        hr_file_place place = {.at = 1};
        const int file = open(golden(cases[i].file), O_RDONLY);
        assert_int_equal(hr_parquet_groups(file, &groups, NULL), cases[i].status);
        close(file);
        assert_null(groups.ends);
        assert_int_equal(groups.count, 0);
        assert_int_equal(hr_file_find_record(golden(cases[i].file), &layout, &place, NULL), HR_E_IO);
        assert_false(hr_file_layout_find(golden(cases[i].file), NULL, &layout));
    }
}

static bool reads_none(const void *of, const char *name, size_t size) {
    (void)of, (void)name, (void)size;
    return false;
}

/* Where no column is read, the number of rows in the footer is all there is. */
static void test_parquet__a_negative_number_of_rows_is_refused_without_columns(void **state) {
    (void)state;
    const hr_column_choice none = {reads_none, NULL};
    char bytes[4096];
    size_t size;
    hr_byte_stream *stream;
    hr_error err = {0};
    if (!can_read()) return;
    const int file = open(golden("negative.parquet"), O_RDONLY);
    assert_int_equal(hr_parquet_open(file, &none, NULL, &stream, NULL), HR_OK);
    assert_int_equal(stream->read(stream, bytes, sizeof bytes, &size, &err), HR_E_FORMAT);
    assert_non_null(strstr(err.message, "row group 1: a number of rows is negative"));
    stream->free(stream);
    close(file);
}

static void test_parquet__no_exception_leaves_the_count_of_rows(void **state) {
    (void)state;
    const hr_parquet_module *module;
    hr_parquet_file *file;
    char message[HR_PARQUET_MESSAGE];
    if (hr_parquet_load(&module, NULL)) return;
    const int number = open(golden("groups.parquet"), O_RDONLY);
    assert_int_equal(module->open(number, (int64_t)1 << 30, &file, message), HR_PARQUET_DONE);
    assert_int_equal(module->rows(file, 1), 100);
    assert_int_equal(module->rows(file, 9), -1);
    module->close(file);
}

/* ---- What is refused ---- */

static void refuse(const char *schema_text, const char *path, hr_status status, const char *field,
                   const char *words) {
    hr_data *data = NULL;
    hr_error err = {0};
    hr_schema *schema = must_schema(schema_text);
    const hr_status found = hr_data_read(schema, path, NULL, &data, &err);
    if (found != status || !strstr(err.message, words) || strcmp(err.field, field) != 0 || !err.remedy[0])
        fail_msg("%s: %d: '%s': %s; %s", path, found, err.field, err.message, err.remedy);
    assert_string_equal(err.file, path);
    assert_null(data);
    hr_schema_free(schema);
}

static void test_parquet__what_is_no_cell_is_refused_by_name(void **state) {
    (void)state;
    static const char visits[] = "hedgerow-schema: 1\n"
                                 "label: {name: y, kind: classes, values: [a, b]}\n"
                                 "features:\n"
                                 "  - {name: visits, kind: number, low: 0, high: 100}\n";
    if (!can_read()) {
        refuse(only_x, golden("groups.parquet"), HR_E_ABSENT, "", "cannot read Parquet files");
        return;
    }
    refuse(visits, golden("nested.parquet"), HR_E_FORMAT, "visits", "the column is a list");
    refuse(only_x, golden("zone.parquet"), HR_E_FORMAT, "x", "times in a zone");
    refuse(only_x, golden("bytes.parquet"), HR_E_FORMAT, "x", "the column is binary");
    refuse(only_x, golden("nul.parquet"), HR_E_FORMAT, "x", "a NUL byte");
    refuse(only_x, golden("year.parquet"), HR_E_FORMAT, "x", "out of range");
    refuse(only_x, golden("one.parquet"), HR_E_SCHEMA, "x", "the table has no such column");
}

/* Also the least int, which has no absolute value. */
static void test_parquet__decimals_with_too_large_a_scale_are_refused(void **state) {
    (void)state;
    static const char *const formats[] = {"d:38,77", "d:38,-77", "d:38,-2147483648"};
    hr_arrow_column column;
    struct ArrowSchema schema = {.format = "d:38,-76", .name = "x"};
    assert_int_equal(hr_arrow_column_init(&schema, &column, NULL), HR_OK);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        hr_error err = {0};
        schema.format = formats[i];
        assert_int_equal(hr_arrow_column_init(&schema, &column, &err), HR_E_FORMAT);
        assert_non_null(strstr(err.message, "a decimal that is too long"));
    }
}

static void test_parquet__options_of_lines_are_refused(void **state) {
    (void)state;
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_schema *schema = must_schema(usual);
    hr_data *data = NULL;
    hr_error err = {0};
    options.skip_lines = 1;
    assert_int_equal(hr_data_read(schema, golden("groups.parquet"), &options, &data, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "says by itself how it is written"));
    hr_schema_free(schema);
}

static void test_parquet__a_pipe_is_refused(void **state) {
    const temp_dir *dir = *state;
    char path[128];
    hr_byte_stream *stream;
    hr_error err = {0};
    if (!can_read()) return;
    snprintf(path, sizeof path, "%s/fifo", dir->folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    const int file = open(path, O_RDWR);
    assert_int_equal(hr_parquet_open(file, NULL, NULL, &stream, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "from a pipe"));
    close(file);
}

/* ---- Damaged files ---- */

/* Reads what it can of changed bytes. */
static hr_status read_changed(const temp_dir *dir, const char *bytes, size_t size, hr_error *err) {
    char path[128], *text = NULL;
    snprintf(path, sizeof path, "%s/changed.parquet", dir->folder);
    write_file(path, bytes, size);
    const hr_status status = csv_of(path, NULL, &text, err);
    free(text);
    return status;
}

static void test_parquet__files_that_are_cut_off_are_refused(void **state) {
    size_t size;
    char *bytes = read_file(golden("groups.parquet"), &size);
    for (size_t cut = 5; can_read() && cut < size; cut += cut < size - 100 ? 97 : 1) {
        hr_error err = {0};
        assert_int_equal(read_changed(*state, bytes, cut, &err), HR_E_FORMAT);
        assert_non_null(strstr(err.message, "damaged"));
    }
    free(bytes);
}

static void test_parquet__a_damaged_page_names_its_row_group_and_column(void **state) {
    size_t size;
    hr_error err = {0};
    char *bytes = read_file(golden("groups.parquet"), &size);
    bytes[900] ^= 0x55; /* of the dictionary of texts, in the second row group */
    if (can_read()) {
        assert_int_equal(read_changed(*state, bytes, size, &err), HR_E_FORMAT);
        assert_non_null(strstr(err.message, "row group 2: "));
        assert_string_equal(err.field, "note");
    }
    free(bytes);
}

static void test_parquet__damage_anywhere_is_an_error_or_another_table(void **state) {
    static const char *const files[] = {"types.parquet", "groups.parquet", "nested.parquet"};
    unsigned refused = 0;
    for (size_t f = 0; can_read() && f < sizeof files / sizeof *files; f++) {
        size_t size;
        char *bytes = read_file(golden(files[f]), &size);
        for (size_t at = 5; at < size; at += size / 150 + 1) {
            const char before = bytes[at];
            hr_error err = {0};
            bytes[at] = (char)(before ^ (1 << at % 8));
            if (read_changed(*state, bytes, size, &err)) refused++;
            bytes[at] = before;
        }
        free(bytes);
    }
    if (can_read()) assert_in_range(refused, 100, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parquet__cells_of_all_types_are_written_as_csv),
        cmocka_unit_test(test_parquet__a_record_with_nothing_in_it_is_a_record),
        cmocka_unit_test(test_parquet__records_are_those_of_the_same_table_as_csv),
        cmocka_unit_test(test_parquet__columns_that_no_schema_names_are_not_read),
        cmocka_unit_test(test_parquet__row_groups_are_read_one_by_one),
        cmocka_unit_test(test_parquet__cuts_fall_between_row_groups),
        cmocka_unit_test(test_parquet__row_groups_without_a_usual_number_of_rows_are_refused),
        cmocka_unit_test(test_parquet__a_negative_number_of_rows_is_refused_without_columns),
        cmocka_unit_test(test_parquet__no_exception_leaves_the_count_of_rows),
        cmocka_unit_test(test_parquet__what_is_no_cell_is_refused_by_name),
        cmocka_unit_test(test_parquet__decimals_with_too_large_a_scale_are_refused),
        cmocka_unit_test(test_parquet__options_of_lines_are_refused),
        cmocka_unit_test_setup_teardown(test_parquet__a_pipe_is_refused, temp_dir_open, temp_dir_close),
        cmocka_unit_test_setup_teardown(test_parquet__files_that_are_cut_off_are_refused, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_parquet__a_damaged_page_names_its_row_group_and_column,
                                        temp_dir_open, temp_dir_close),
        cmocka_unit_test_setup_teardown(test_parquet__damage_anywhere_is_an_error_or_another_table,
                                        temp_dir_open, temp_dir_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
