/* The coordinator file, and job files for a coordinator that serves: what is read, and what is refused. */
#include "federation/config/coordinator_file.h"
#include "federation/config/job_file.h"
#include "federation/federated/federated_method.h"
#include "support/check.h"

#include <string.h>

#define COORDINATOR "hedgerow-coordinator: 1\nname: c\nfederation: f.yaml\nkey: c.key\n"

static int open_arena(void **state) {
    *state = hr_arena_new();
    return *state ? 0 : -1;
}

static int close_arena(void **state) {
    hr_arena_free(*state);
    return 0;
}

static void read_text(const char *text, hr_arena *arena, hr_coordinator_file *out) {
    hr_error err = {0};
    if (hr_coordinator_file_parse(&(hr_file_text){"/x/c.yaml", text, strlen(text)}, arena, out, &err))
        fail_msg("%s", err.message);
}

static void test_coordinator_file__reads_every_fact(void **state) {
    hr_coordinator_file file;
    read_text(COORDINATOR, *state, &file);
    assert_string_equal(file.member.name, "c");
    assert_string_equal(file.member.federation, "/x/f.yaml");
    assert_string_equal(file.member.key, "/x/c.key");
    assert_null(file.member.certificate);
    assert_null(file.member.certificate_key);
    assert_int_equal(file.at_once, 4);
    read_text(COORDINATOR "certificate: a.pem\ncertificate-key: b.pem\nat-once: 16\n", *state, &file);
    assert_string_equal(file.member.certificate, "/x/a.pem");
    assert_string_equal(file.member.certificate_key, "/x/b.pem");
    assert_int_equal(file.at_once, 16);
}

typedef struct bad_case {
    const char *text, *message;
} bad_case;

static void test_bad_coordinator_file__is_refused_with_its_place(void **state) {
    static const bad_case bad[] = {
        {"hedgerow-job: 1\n",
         "x.yaml:1:1: unknown key 'hedgerow-job'; the keys are hedgerow-coordinator, name, "
         "federation, key, certificate, certificate-key, at-once"},
        {"hedgerow-coordinator: 1\nname: c\nfederation: f.yaml\n",
         "x.yaml:1:1: the key 'key' is missing; expected: a file"},
        {COORDINATOR "at-once: 0\n", "x.yaml:5:10: at-once: '0' is not an integer of jobs from 1 to 16"},
        {COORDINATOR "at-once: 17\n", "x.yaml:5:10: at-once: '17' is not an integer of jobs from 1 to 16"},
        {COORDINATOR "at-once: 1.5\n", "x.yaml:5:10: at-once: '1.5' is not an integer of jobs from 1 to 16"},
        {COORDINATOR "certificate: a.pem\n", "x.yaml:1:1: the key 'certificate-key' is missing"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hr_coordinator_file file;
        hr_error err = {0};
        char message[1200];
        const hr_file_text text = {"x.yaml", bad[i].text, strlen(bad[i].text)};
        assert_int_equal(hr_coordinator_file_parse(&text, *state, &file, &err), HR_E_FORMAT);
        hr_error_format(&err, message, sizeof message);
        message[strlen(message) < strlen(bad[i].message) ? strlen(message) : strlen(bad[i].message)] = '\0';
        assert_string_equal(message, bad[i].message);
    }
}

/* A job for a coordinator that serves names owners alone, or all that a coordinator of one job needs. */
static void test_job_file__may_name_owners_alone(void **state) {
    hr_job_file file;
    hr_error err = {0};
    const char *texts[] = {"hedgerow-job: 1\nschema: s.yaml\nepsilon: 1\nowners: [a, b]\n",
                           "hedgerow-job: 1\nschema: s.yaml\nepsilon: 1\nowners: [a, b]\nname: c\n"};
    const hr_file_text alone = {"/x/job.yaml", texts[0], strlen(texts[0])},
                       half = {"/x/job.yaml", texts[1], strlen(texts[1])};
    assert_int_equal(hr_job_file_parse(&alone, hr_federated_job_rules, *state, &file, &err), HR_OK);
    assert_null(file.member.name);
    assert_int_equal(file.owners.count, 2);
    assert_int_equal(hr_job_file_parse(&half, hr_federated_job_rules, *state, &file, &err), HR_E_FORMAT);
    assert_string_equal(err.message, "the key 'federation' is missing");
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, open_arena, close_arena)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(test_coordinator_file__reads_every_fact),
        WITH_ARENA(test_bad_coordinator_file__is_refused_with_its_place),
        WITH_ARENA(test_job_file__may_name_owners_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
