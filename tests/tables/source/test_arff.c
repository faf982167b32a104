/* ARFF tables: what they stand for, and what is refused. */
#include "support/reader_checks.h"
#include "support/temp_dir.h"
#include "tables/source/arff.h"

enum { MANY = 30000 };

static const char usual[] =
    "hedgerow-schema: 1\n"
    "label: {name: y, kind: classes, values: [no, \"yes\"]}\n"
    "features:\n"
    "  - {name: n, kind: number, low: -10, high: 10}\n"
    "  - {name: the colour, kind: category, values: [red, \"b, l\\\"'ue\", \"?\", \"\\\\\"]}\n";

#define HEAD                                                                                                 \
    "% made by hand\n"                                                                                       \
    "@RELATION 'two features'\n"                                                                             \
    "\n"                                                                                                     \
    "@attribute n NUMERIC\r\n"                                                                               \
    "  @Attribute 'the colour' {red,'b, l\"\\'ue'}\n"                                                        \
    "@attribute y{no,yes}\n"

static hr_status read_text(table_file *f, const char *text, size_t size, hr_data **out, hr_error *err) {
    write_file(f->path, text, size);
    return hr_data_read(f->schema, f->path, NULL, out, err);
}

static hr_data *must_read(table_file *f, const char *text) {
    hr_data *data = NULL;
    hr_error err = {0};
    if (read_text(f, text, strlen(text), &data, &err))
        fail_msg("line %d: %s: %s", (int)err.line, err.field, err.message);
    return data;
}

static void expect_cells(const hr_data *data, size_t rows, const double *numbers, const uint16_t *codes,
                         const double *labels) {
    assert_int_equal(hr_data_rows(data), rows);
    for (size_t i = 0; i < rows; i++) {
        assert_true(is_same_double(hr_data_numbers(data, 0)[i], numbers[i]));
        assert_int_equal(hr_data_codes(data, 1)[i], codes[i]);
        assert_true(hr_data_labels(data)[i] == labels[i]);
    }
}

static void test_arff__is_read_as_the_table_that_it_stands_for(void **state) {
    hr_data *data = must_read(*state, HEAD "@DATA\n"
                                           "1,red,no\n"
                                           "% a comment\n"
                                           " -2.5 , 'b, l\"\\'ue' ,\tyes\r\n"
                                           "\n"
                                           "?,\"b, l\\\"'ue\",\"yes\"\n"
                                           "1e1,'?',no\n"
                                           "3,?,no\n"
                                           "4,'\\\\',no\n"
                                           "5,green,yes");
    static const double numbers[] = {1, -2.5, NAN, 10, 3, 4, 5}, labels[] = {0, 1, 1, 0, 0, 0, 1};
    static const uint16_t codes[] = {1, 2, 2, 3, 0, 4, 0};
    expect_cells(data, 7, numbers, codes, labels);
    assert_int_equal(hr_data_report(data, 1)->missing, 1);
    assert_int_equal(hr_data_report(data, 1)->unknown, 1);
    hr_data_free(data);
}

static void test_arff__one_cell_that_is_missing_is_a_record(void **state) {
    table_file *f = *state;
    hr_schema *both = f->schema;
    f->schema = must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 1}\n"
                            "features:\n  - {name: n, kind: number, low: -1, high: 1}\n");
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *data = NULL;
    static const char text[] = "\xef\xbb\xbf@relation r\n@attribute n real\n@data\n1\n?\n";
    write_file(f->path, text, sizeof text - 1);
    options.label_optional = true;
    assert_int_equal(hr_data_read(f->schema, f->path, &options, &data, NULL), HR_OK);
    assert_int_equal(hr_data_rows(data), 2);
    assert_true(isnan(hr_data_numbers(data, 0)[1]));
    hr_data_free(data);
    hr_schema_free(f->schema);
    f->schema = both;
}

/* Many blocks of the file, and of what it stands for: records are the same ones as in CSV. */
static void test_arff__of_many_blocks_is_the_table_in_csv(void **state) {
    table_file *f = *state;
    const size_t room = (size_t)MANY * 40 + sizeof HEAD + 10;
    char *arff = must_alloc(room), *csv = must_alloc(room);
    size_t a = (size_t)sprintf(arff, "%s@data\n", HEAD), c = (size_t)sprintf(csv, "n,the colour,y\n");
    for (int i = 0; i < MANY; i++) {
        const char *label = i % 3 ? "no" : "yes";
        a += (size_t)sprintf(arff + a, "%.3f,%s,%s\n", i % 20 - 9.5, i % 7 ? "red" : "'b, l\"\\'ue'", label);
        c += (size_t)sprintf(csv + c, "%.3f,%s,%s\n", i % 20 - 9.5, i % 7 ? "red" : "\"b, l\"\"'ue\"", label);
    }
    hr_data *data = must_read(f, arff), *same = must_parse(f->schema, csv, c, HR_FORMAT_CSV);
    assert_int_equal(hr_data_rows(same), MANY);
    expect_cells(data, MANY, hr_data_numbers(same, 0), hr_data_codes(same, 1), hr_data_labels(same));
    hr_data_free(data);
    hr_data_free(same);
    free(arff);
    free(csv);
}

static void test_arff__is_proposed_for(void **state) {
    table_file *f = *state;
    char *yaml = NULL;
    static const char text[] = HEAD "@data\n1,red,no\n2,red,yes\n-3,blue,no\n";
    write_file(f->path, text, sizeof text - 1);
    assert_int_equal(hr_schema_infer(f->path, HR_FORMAT_AUTO, "y", &yaml, NULL), HR_OK);
    assert_non_null(strstr(yaml, "the colour"));
    assert_non_null(strstr(yaml, "low: -3"));
    hr_text_free(yaml);
}

/* A line of ARFF is a line of CSV, so that what the CSV reader refuses has its line, too. */
static void test_arff__refusals_name_the_line(void **state) {
    table_file *f = *state;
    static const bad_table cases[] = {
        {"@relation r\n@attribute n\n@data\n", 0, 2, 0, "", "known type"},
        {"@relation r\n@attribute n relational\n", 0, 2, 0, "", "known type"},
        {"@relation r\n@attribute 'n numeric\n", 0, 2, 0, "", "never closed"},
        {"@relation r\n@attributes n numeric\n", 0, 2, 0, "", "not @relation"},
        {"@relation r\n@data\n1\n", 0, 2, 0, "", "without attributes"},
        {"@relation r\n@attribute n numeric\n", 0, 3, 0, "", "ends before @data"},
        {HEAD "@data\n1,'red,no\n", 0, 8, 0, "", "never closed"},
        {HEAD "@data\n1,'red'x,no\n", 0, 8, 0, "", "after a closing"},
        {HEAD "@data\n1,red,no\n{0 1,2 yes}\n", 0, 9, 0, "", "sparse"},
        {HEAD "@data\n1,red,no,{2}\n", 0, 8, 0, "", "weights"},
        {HEAD "@data\n1,red,no\n%\n1,red\n", 0, 10, 0, "", "2 cells"},
        {HEAD "@data\n1,red,no\n\nx,red,yes\n", 0, 10, 0, "n", "x"},
        {"@relation r\n@attribute n real\n@attribute y {no,yes}\n@data\n1,no\n", 0, 0, 0, "the colour", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_data *data = NULL;
        hr_error err = {0};
        assert_int_not_equal(read_text(f, cases[i].text, strlen(cases[i].text), &data, &err), HR_OK);
        if (err.line != cases[i].line || strcmp(err.field, cases[i].field) != 0 ||
            (!strstr(err.message, cases[i].message) && !strstr(err.remedy, cases[i].message)))
            fail_msg("case %zu: line %d: %s: %s", i, (int)err.line, err.field, err.message);
        assert_string_equal(err.file, f->path);
        assert_true(err.remedy[0] != '\0');
        assert_null(data);
    }
}

/* A refusal in a later block names the line of the file, not of the block. */
static void test_arff__refusals_name_the_line_in_later_blocks(void **state) {
    table_file *f = *state;
    char *text = must_alloc((size_t)MANY * 12 + sizeof HEAD + 40);
    size_t size = (size_t)sprintf(text, "%s@data\n", HEAD);
    hr_data *data = NULL;
    hr_error err = {0};
    for (int i = 0; i < MANY; i++) size += (size_t)sprintf(text + size, "1.25,red,no\n");
    size += (size_t)sprintf(text + size, "1,'red,no\n");
    assert_int_equal(read_text(f, text, size, &data, &err), HR_E_FORMAT);
    assert_int_equal(err.line, 7 + MANY + 1);
    assert_non_null(strstr(err.message, "never closed"));
    free(text);
}

/* Wherever the file is cut off before its data, it is no empty table. */
static void test_arff__cut_off_before_the_data_is_refused(void **state) {
    table_file *f = *state;
    static const char text[] = HEAD "@data";
    const size_t relation = (size_t)(strstr(text, "@RELATION") - text) + strlen("@RELATION");
    for (size_t size = relation; size < sizeof text - 1; size++) {
        hr_data *data = NULL;
        assert_int_equal(read_text(f, text, size, &data, NULL), HR_E_FORMAT);
        assert_null(data);
    }
}

static void test_arff__is_recognised_by_its_relation(void **state) {
    (void)state;
    static const char *const arff[] = {"@relation r", "\n% x\n \t@Relation\n", "\xef\xbb\xbf@RELATION\tr\n"};
    static const char *const others[] = {"", "%", "@relation,x\n1,2\n", "@relations r\n", "x\n@relation r\n"};
    for (size_t i = 0; i < sizeof arff / sizeof *arff; i++)
        assert_true(hr_arff_looks(arff[i], strlen(arff[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(hr_arff_looks(others[i], strlen(others[i])));
}

static int set_up(void **state) {
    return table_file_open(state, usual);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arff__is_read_as_the_table_that_it_stands_for),
        cmocka_unit_test(test_arff__one_cell_that_is_missing_is_a_record),
        cmocka_unit_test(test_arff__of_many_blocks_is_the_table_in_csv),
        cmocka_unit_test(test_arff__is_proposed_for),
        cmocka_unit_test(test_arff__refusals_name_the_line),
        cmocka_unit_test(test_arff__refusals_name_the_line_in_later_blocks),
        cmocka_unit_test(test_arff__cut_off_before_the_data_is_refused),
        cmocka_unit_test(test_arff__is_recognised_by_its_relation),
    };
    return cmocka_run_group_tests(tests, set_up, table_file_close);
}
