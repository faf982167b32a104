/* Where an owner file says that its records are. */
#include "federation/config/owner_file.h"
#include "support/check.h"

#include <hedgerow/data.h>
#include <stdio.h>

#define BEFORE "hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\nschema: s.yaml\nledger: a.db\n"
#define AFTER "policy: {coordinators: [m], methods: [hedge], epsilon: 1, owners: 2}\n"

static hr_status parse_owner(const char *records, hr_arena *arena, hr_owner_file *out, hr_error *err) {
    char text[512];
    snprintf(text, sizeof text, "%s%s%s", BEFORE, records, AFTER);
    return hr_owner_file_parse(&(hr_file_text){"/x/owner.yaml", text, strlen(text)}, arena, out, err);
}

static void test_owner_records__are_a_file_or_a_database(void **state) {
    hr_owner_file file;
    hr_error err = {0};
    assert_int_equal(parse_owner("data: a.csv\n", *state, &file, &err), HR_OK);
    assert_string_equal(file.data, "/x/a.csv");
    assert_null(file.query);
    assert_int_equal(file.separator, HR_SEPARATOR_AUTO);
    assert_int_equal(parse_owner("data: a.csv\nseparator: semicolon\n", *state, &file, &err), HR_OK);
    assert_int_equal(file.separator, HR_SEPARATOR_SEMICOLON);
    assert_int_equal(file.quote, HR_QUOTE_DOUBLE);
    assert_int_equal(file.skip_lines, 0);
    assert_int_equal(parse_owner("data: a.csv\nquote: none\nskip-lines: 3\n", *state, &file, &err), HR_OK);
    assert_int_equal(file.quote, HR_QUOTE_NONE);
    assert_int_equal(file.skip_lines, 3);
    assert_int_equal(parse_owner("data: postgresql://me@host/db\nquery: sql/q.sql\nseparator: pipe\n", *state,
                                 &file, &err),
                     HR_OK);
    assert_string_equal(file.data, "postgresql://me@host/db");
    assert_string_equal(file.query, "/x/sql/q.sql");
    assert_int_equal(file.separator, HR_SEPARATOR_PIPE);
}

static void test_owner_records__other_values_are_refused(void **state) {
    static const char *const cases[][2] = {
        {"data: a.csv\nquote: single\n", "'single' is not double or none"},
        {"data: a.csv\nskip-lines: -1\n", "is not a number of lines"},
        {"data: a.csv\nseparator: space\n", "'space' is not auto, comma, semicolon, tab or pipe"},
        {"data: a.csv\nquery: [a, b]\n", "query must be a file, not a list"},
        {"query: q.sql\n", "the key 'data' is missing; the query needs the address of its database"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_owner_file file;
        hr_error err = {0};
        char message[1300];
        assert_int_equal(parse_owner(cases[i][0], *state, &file, &err), HR_E_FORMAT);
        hr_error_format(&err, message, sizeof message);
        if (!strstr(message, cases[i][1])) fail_msg("%s", message);
    }
}

static int set_up(void **state) {
    *state = hr_arena_new();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    hr_arena_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owner_records__are_a_file_or_a_database),
        cmocka_unit_test(test_owner_records__other_values_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
