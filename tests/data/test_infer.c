/* Proposed schemas: what is guessed, that it parses, that it awaits review, and that the table can be read
 * with it. */
#include "support/reader_checks.h"

#include <unistd.h>

/* Proposes for a table written to a file; NULL and *err on failure. */
static char *infer(const char *table, hr_format format, const char *label, hr_error *err) {
    char path[] = "propose-XXXXXX", *yaml = NULL;
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, table, strlen(table)) != (ssize_t)strlen(table)) abort();
    close(fd);
    hr_status status = hr_schema_infer(path, format, label, &yaml, err);
    assert_true((status == HR_OK) == (yaml != NULL));
    if (status) assert_string_equal(err->file, path);
    unlink(path);
    return yaml;
}

/* Proposes, parses the proposal, and reads the table with it. */
static hr_schema *must_infer(const char *table, const char *label, char **yaml) {
    hr_error err = {0};
    char *text = infer(table, HR_FORMAT_AUTO, label, &err);
    if (!text) fail_msg("%s: %s", err.field, err.message);
    hr_schema *schema = must_schema(text);
    assert_int_equal(hr_schema_reviewed(schema, NULL), HR_E_POLICY);
    hr_data *data = must_parse(schema, table, strlen(table), HR_FORMAT_AUTO);
    for (size_t i = 0; i <= hr_schema_feature_count(schema); i++) {
        const hr_column_report *r = hr_data_report(data, i);
        const hr_column *column =
            i < hr_schema_feature_count(schema) ? hr_schema_feature(schema, i) : hr_schema_label(schema);
        assert_true(column->review);
        if (r->out_of_range || r->not_integer || (r->unknown && column->value_count < 254))
            fail_msg("the proposal does not fit its table:\n%s", text);
    }
    hr_data_free(data);
    if (yaml) *yaml = text;
    if (!yaml) hr_text_free(text);
    return schema;
}

static void test_infer__guesses_kinds_and_bounds(void **state) {
    (void)state;
    hr_schema *s = must_infer("whole,\"fra,ction\",word,mixed,constant,none,y\n"
                              "3, 0.5 ,b,1,5,,yes\n-2,1e-3,a,x,5,,no\n\"7\",2,\"a\",2,5,NA,yes\n",
                              "y", NULL);
    const hr_column *whole = hr_schema_feature(s, 0), *fraction = hr_schema_feature(s, 1),
                    *word = hr_schema_feature(s, 2);
    const hr_column *mixed = hr_schema_feature(s, 3), *constant = hr_schema_feature(s, 4),
                    *none = hr_schema_feature(s, 5);
    assert_int_equal(hr_schema_feature_count(s), 6);
    assert_true(whole->kind == HR_KIND_NUMBER && whole->integer && whole->low == -2 && whole->high == 7);
    assert_string_equal(fraction->name, "fra,ction");
    assert_true(fraction->kind == HR_KIND_NUMBER && !fraction->integer && fraction->low == 1e-3 &&
                fraction->high == 2);
    assert_true(word->kind == HR_KIND_CATEGORY && word->value_count == 2);
    assert_string_equal(word->values[0], "a");
    assert_true(mixed->kind == HR_KIND_CATEGORY && mixed->value_count == 3);
    assert_true(constant->kind == HR_KIND_NUMBER && constant->low == 0 && constant->high == 5);
    assert_true(none->kind == HR_KIND_NUMBER && none->low == 0 && none->high == 1);
    assert_int_equal(hr_schema_task(s), HR_TASK_BINARY);
    assert_string_equal(hr_schema_label(s)->values[0], "no");
    assert_int_equal(hr_schema_missing_count(s), 1);
    hr_schema_free(s);
}

static void test_infer__guesses_the_task(void **state) {
    (void)state;
    static const struct {
        const char *table;
        hr_kind kind;
        size_t classes;
    } cases[] = {
        {"x,y\n1,0.5\n1,2\n", HR_KIND_CATEGORY, 2},
        {"x,y\n1,1\n1,2\n1,3\n", HR_KIND_CATEGORY, 3},
        {"x,y\n1,1\n1,2.5\n1,3\n", HR_KIND_NUMBER, 0},
        {"x,y\n1,+1\n1,-1\n1,1.0\n1,1\n", HR_KIND_CATEGORY, 2},
        {"x,y\n1,a\n1,2\n1,3\n", HR_KIND_CATEGORY, 3},
        {"x,y\n1,a\n1,2\n1,2.0\n1,+2\n", HR_KIND_CATEGORY, 2},
        {"x,y\n0,1\n0,2\n0,3\n0,4\n0,5\n0,6\n0,7\n0,8\n0,9\n0,10\n", HR_KIND_CATEGORY, 10},
        {"x,y\n0,1\n0,2\n0,3\n0,4\n0,5\n0,6\n0,7\n0,8\n0,9\n0,10\n0,11\n", HR_KIND_NUMBER, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_schema *s = must_infer(cases[i].table, "y", NULL);
        const hr_column *label = hr_schema_label(s);
        if (label->kind != cases[i].kind || label->value_count != cases[i].classes)
            fail_msg("case %zu: %zu classes", i, label->value_count);
        hr_schema_free(s);
    }
    hr_schema *s = must_infer("x,y\n1,10\n2,9\n3,-1\n", "y", NULL);
    assert_string_equal(hr_schema_label(s)->values[0], "-1");
    assert_string_equal(hr_schema_label(s)->values[1], "9");
    assert_string_equal(hr_schema_label(s)->values[2], "10");
    hr_schema_free(s);
}

static void test_infer__finds_spellings_of_missing(void **state) {
    (void)state;
    char *yaml = NULL;
    hr_schema *s = must_infer("n,c,m,y\n1,?,null,a\n?,x,2,b\n,NA,3,a\n2,y,4,b\n", "y", &yaml);
    assert_int_equal(hr_schema_missing_count(s), 2);
    assert_string_equal(hr_schema_missing(s, 0), "?");
    assert_string_equal(hr_schema_missing(s, 1), "null");
    const hr_column *c = hr_schema_feature(s, 1);
    assert_int_equal(c->value_count, 3); /* NA is a value here: no column of numbers uses it */
    assert_string_equal(c->values[0], "NA");
    assert_non_null(strstr(yaml, "review: [low, high, missing]  # REVIEW"));
    assert_non_null(strstr(yaml, "review: [values]  # REVIEW"));
    hr_text_free(yaml);
    hr_schema_free(s);
}

static void test_infer__says_when_labels_are_missing(void **state) {
    (void)state;
    static const char *const tables[] = {"x,y\n1,a\n1,b\n1,\n", "x,y\n1,1\n1,2\n1,NA\n",
                                         "x,y\nNA,1\n2,b\n1,NA\n"};
    for (size_t i = 0; i < 3; i++) {
        hr_error err = {0};
        char *yaml = infer(tables[i], HR_FORMAT_AUTO, "y", &err);
        assert_non_null(yaml);
        assert_non_null(strstr(yaml, "no label"));
        hr_text_free(yaml);
    }
}

static void test_infer__says_when_there_are_too_many_values(void **state) {
    (void)state;
    enum { ROWS = 400 };
    char *table = must_alloc(ROWS * 40 + 100), *yaml = NULL;
    size_t size = (size_t)sprintf(table, "id,few,,y\n");
    for (int i = 0; i < ROWS; i++)
        size += (size_t)sprintf(table + size, "p%03d,q%03d,,%d\n", i, i % 254, i % 2);
    hr_schema *s = must_infer(table, "y", &yaml);
    assert_int_equal(hr_schema_feature_count(s), 2);
    assert_int_equal(hr_schema_feature(s, 0)->value_count, 254);
    assert_int_equal(hr_schema_feature(s, 1)->value_count, 254);
    const char *remark = strstr(yaml, "more than 254 different values");
    assert_non_null(remark);
    assert_null(strstr(remark + 1, "more than 254 different values"));
    assert_non_null(strstr(yaml, "column 3 has no name"));
    hr_text_free(yaml);
    hr_schema_free(s);
    free(table);
}

static void test_infer__survives_huge_numbers(void **state) {
    (void)state;
    hr_error err = {0};
    static const char *const tables[] = {"x,y\n-1.7e308,1\n1.7e308,2\n", "x,y\n1.7e308,1\n1.7e308,2\n",
                                         "x,y\n-1.7e308,1\n-1.7e308,2\n", "x,y\n1e999,1\n2,2\n",
                                         "x,y\n5e-324,1\n5e-324,2\n"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char *yaml = infer(tables[i], HR_FORMAT_CSV, "y", &err);
        assert_non_null(yaml);
        hr_schema *s = must_schema(yaml);
        hr_schema_free(s);
        hr_text_free(yaml);
    }
}

static void test_infer__reads_libsvm(void **state) {
    (void)state;
    hr_schema *s = must_infer("+1 1:0.5 3:-2\n-1 3:4 # x\n", NULL, NULL);
    assert_string_equal(hr_schema_label(s)->name, "label");
    assert_int_equal(hr_schema_task(s), HR_TASK_BINARY);
    assert_int_equal(hr_schema_feature_count(s), 3);
    assert_string_equal(hr_schema_feature(s, 2)->name, "f3");
    assert_true(hr_schema_feature(s, 0)->low == 0 && hr_schema_feature(s, 0)->high == 0.5);
    assert_true(hr_schema_feature(s, 2)->low == -2 && hr_schema_feature(s, 2)->high == 4);
    hr_schema_free(s);
}

static void test_infer__refuses(void **state) {
    (void)state;
    static const struct {
        const char *table, *label, *message;
        int status;
        hr_format format;
    } cases[] = {
        {"", "y", "empty", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"x,y\n", "y", "no records", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"x,y\n1,2\n", "z", "it has x, y", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"x,y\n1,2\n", NULL, "it has x, y", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"x,y\n1,2\n3,2\n", "y", "nothing can be predicted", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"x,y\n1,2\n3,?\n", "y", "nothing can be predicted", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"y\n1\n2\n", "y", "no column besides", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"x,x,y\n1,2,3\n", "y", "two columns", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"x,y\n1,2,3\n", "y", "more than 2 cells", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"x,y\n\"1,2\n", "y", "never closed", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"x,y\n\xe9,1\n1,2\n", "y", "not UTF-8", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"1 70000:1\n", NULL, "at most 65535", HR_E_LIMIT, HR_FORMAT_AUTO},
        {"1:1\n", NULL, "label is missing", HR_E_SCHEMA, HR_FORMAT_LIBSVM},
        {"1 2:1\n1 1:1 2:1 1:3\n", NULL, "comes twice", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"1 qid:1 1:1\n", NULL, "ranking", HR_E_FORMAT, HR_FORMAT_AUTO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_error err = {0};
        char *yaml = infer(cases[i].table, cases[i].format, cases[i].label, &err);
        if (yaml || (int)err.status != cases[i].status || !strstr(err.message, cases[i].message)) {
            fail_msg("case %zu: status %d: %s", i, err.status, err.message);
        }
    }
    hr_error err = {0};
    char *yaml = NULL;
    assert_int_equal(hr_schema_infer("no/such/file", HR_FORMAT_AUTO, "y", &yaml, &err), HR_E_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_infer__guesses_kinds_and_bounds),
        cmocka_unit_test(test_infer__guesses_the_task),
        cmocka_unit_test(test_infer__finds_spellings_of_missing),
        cmocka_unit_test(test_infer__says_when_labels_are_missing),
        cmocka_unit_test(test_infer__says_when_there_are_too_many_values),
        cmocka_unit_test(test_infer__survives_huge_numbers),
        cmocka_unit_test(test_infer__reads_libsvm),
        cmocka_unit_test(test_infer__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
