/* What members compare to see whether their federation files are the same. */
#include "federation/config/federation_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN HR_TESTS_DIR "/federation/config/golden/"

static void test_federation_file__may_bound_members_records(void **state) {
    char text[] =
        "hedgerow-federation: 1\nname: f\ntransport: {kind: nats, url: 'tls://localhost:4222', authority: "
        "a}\n"
        "members: [{name: a, key: hr-ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=, records: "
        "2000..8000}, {name: b, key: hr-ed25519:PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=}]\n";
    const hr_file_text whole = {"x.yaml", text, sizeof text - 1};
    hr_federation_file file;
    hr_error err = {0};
    (void)state;
    hr_arena *arena = hr_arena_new();
    if (hr_federation_file_parse(&whole, arena, &file, &err)) fail_msg("%s", err.message);
    const hr_record_bounds bounds = hr_federation_file_records(&file, "a");
    assert_true(bounds.least == 2000 && bounds.most == 8000);
    assert_int_equal(hr_federation_file_records(&file, "b").most, 0);
    assert_int_equal(hr_federation_file_records(&file, "c").most, 0);
    strstr(text, "2000..8000")[0] = '9';
    assert_int_equal(hr_federation_file_parse(&whole, arena, &file, &err), HR_E_FORMAT);
    assert_non_null(strstr(err.message, "records: '9000..8000' is not two whole numbers such as 2000..8000"));
    hr_arena_free(arena);
}

/* Every fact counts, and nothing else. */
static void test_federation_file__has_the_fingerprint_of_its_facts(void **state) {
    static const char known[] = "71dc e750 91af eb69 6a5c e62d e9a4 06eb be05 0324";
    char text[HR_FINGERPRINT_SIZE], other[HR_FINGERPRINT_SIZE];
    hr_federation_file file;
    (void)state;
    hr_arena *arena = hr_arena_new();
    assert_int_equal(hr_federation_file_read(GOLDEN "federation.yaml", arena, &file, NULL), HR_OK);
    file.authority = GOLDEN "federation.yaml"; /* the bytes of any file */
    assert_int_equal(hr_federation_file_fingerprint(&file, text, NULL), HR_OK);
    assert_string_equal(text, known);
    hr_member members[3];
    memcpy(members, file.membership.members, sizeof members);
    const hr_record_bounds bounded[3] = {{0}, {2000, 8000}}, wider[3] = {{0}, {1000, 8000}};
    hr_federation_file changed[8];
    for (int i = 0; i < 8; i++) changed[i] = file;
    changed[0].version++;
    changed[1].url = "tls://localhost:4223";
    changed[2].authority = GOLDEN "job.yaml";
    changed[3].membership.federation = "demos";
    changed[4].membership.count--;
    members[1].key = members[0].key;
    changed[5].membership.members = members;
    changed[6].records = bounded;
    changed[7].records = wider;
    for (int i = 0; i < 8; i++) {
        assert_int_equal(hr_federation_file_fingerprint(&changed[i], other, NULL), HR_OK);
        if (!strcmp(text, other)) fail_msg("change %d has the same fingerprint", i);
        if (i == 6) snprintf(text, sizeof text, "%s", other);
    }
    file.authority = GOLDEN "absent.pem";
    assert_int_equal(hr_federation_file_fingerprint(&file, other, NULL), HR_E_IO);
    hr_arena_free(arena);
}

static void test_version__is_an_integer_from_1(void **state) {
    (void)state;
    static const struct {
        const char *line;
        size_t version; /* 0: refused */
    } cases[] = {{"version: 3\n", 3},
                 {"", 1},
                 {"version: 1000000000\n", 1000000000},
                 {"version: 0\n", 0},
                 {"version: -1\n", 0},
                 {"version: 1.5\n", 0},
                 {"version: 1000000001\n", 0},
                 {"version: a\n", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        hr_error err = {0};
        hr_federation_file file = {0};
        hr_arena *arena = hr_arena_new();
        snprintf(
            text, sizeof text,
            "hedgerow-federation: 1\nname: f\n%stransport: {kind: nats, url: 'tls://h:1', authority: a}\n"
            "members:\n- {name: a, key: 'hr-ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='}\n"
            "- {name: b, key: 'hr-ed25519:PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw='}\n",
            cases[i].line);
        const hr_file_text from = {"x.yaml", text, strlen(text)};
        const hr_status status = hr_federation_file_parse(&from, arena, &file, &err);
        if (status != (cases[i].version ? HR_OK : HR_E_FORMAT))
            fail_msg("'%s': %s", cases[i].line, err.message);
        assert_int_equal(file.version, cases[i].version);
        hr_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_federation_file__may_bound_members_records),
        cmocka_unit_test(test_federation_file__has_the_fingerprint_of_its_facts),
        cmocka_unit_test(test_version__is_an_integer_from_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
