/* The limits of an owner's policy: what is read, and every error with its words. */
#include "federation/config/owner_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN HR_TESTS_DIR "/federation/config/golden/"
#define OWNER_WITH(rules)                                                                                    \
    "hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "      \
    "a.db\npolicy:\n  coordinators: [m, n]\n  methods: [dpboost]\n  epsilon: 1\n  owners: 2\n  " rules "\n"

static int open_arena(void **state) {
    *state = hr_arena_new();
    return *state ? 0 : -1;
}

static int close_arena(void **state) {
    hr_arena_free(*state);
    return 0;
}

/* The message of an error, as a person reads it; "" for none. */
static const char *parse(const char *text, hr_arena *arena, hr_owner_file *out) {
    static char message[1200];
    hr_error err = {0};
    hr_status status = hr_owner_file_parse(&(hr_file_text){"o.yaml", text, strlen(text)}, arena, out, &err);
    hr_error_format(&err, message, sizeof message);
    assert_true(!status || status == HR_E_FORMAT);
    char *shown = strstr(message, "; docs/reference/formats.md shows how it is written");
    if (shown) *shown = '\0';
    return status ? message : "";
}

static void test_limits__are_read(void **state) {
    hr_owner_file file;
    assert_string_equal(
        parse(OWNER_WITH("epsilon-per: {month: 2, year: 10}\n  jobs-per: {day: 4}\n  limits:\n"
                         "    - {coordinator: n, epsilon: 0.5, epsilon-per: {day: 1}, "
                         "jobs-per: {month: 3}}"),
              *state, &file),
        "");
    const hr_limits *all = &file.policy.limits;
    assert_true(all->epsilon[HR_PERIOD_DAY] == 0 && all->epsilon[HR_PERIOD_MONTH] == 2);
    assert_true(all->epsilon[HR_PERIOD_YEAR] == 10);
    assert_true(all->jobs[HR_PERIOD_DAY] == 4 && all->jobs[HR_PERIOD_MONTH] == 0);
    assert_null(hr_policy_each(&file.policy, "m"));
    const hr_coordinator_limits *each = hr_policy_each(&file.policy, "n");
    assert_true(each->epsilon == .5 && each->limits.epsilon[HR_PERIOD_DAY] == 1);
    assert_true(each->limits.jobs[HR_PERIOD_MONTH] == 3 && each->limits.jobs[HR_PERIOD_DAY] == 0);
}

static void test_limits__are_none_by_default(void **state) {
    hr_owner_file file;
    assert_string_equal(parse(OWNER_WITH("days: 1"), *state, &file), "");
    for (int p = 0; p < HR_PERIODS; p++)
        assert_true(file.policy.limits.epsilon[p] == 0 && file.policy.limits.jobs[p] == 0);
    assert_null(hr_policy_each(&file.policy, "n"));
}

static void test_approval__is_manual_where_the_file_says_so(void **state) {
    hr_owner_file file;
    assert_string_equal(parse(OWNER_WITH("approve: automatic"), *state, &file), "");
    assert_false(hr_policy_is_manual(&file.policy, "m"));
    assert_string_equal(parse(OWNER_WITH("approve: manual"), *state, &file), "");
    assert_true(hr_policy_is_manual(&file.policy, "m"));
    assert_string_equal(parse(OWNER_WITH("limits: [{coordinator: n, approve: manual}]"), *state, &file), "");
    assert_true(hr_policy_is_manual(&file.policy, "n"));
    assert_false(hr_policy_is_manual(&file.policy, "m"));
    assert_string_equal(parse(OWNER_WITH("approve: yes"), *state, &file),
                        "o.yaml:13:12: approve: 'yes' is not automatic or manual");
}

#define UNPROTECTED(methods, listed)                                                                         \
    "hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "      \
    "a.db\npolicy:\n  coordinators: [m]\n  methods: " methods "\n  epsilon: 1\n  owners: 2\n" listed "\n"

static void test_unprotected__lists_methods_that_have_a_mode_without_a_guarantee(void **state) {
    hr_owner_file file;
    assert_string_equal(parse(UNPROTECTED("[hedge, id3]", "  unprotected: [id3]"), *state, &file), "");
    assert_true(hr_names_hold(&file.policy.unprotected, "id3"));
    assert_false(hr_names_hold(&file.policy.unprotected, "hedge"));
    assert_string_equal(parse(UNPROTECTED("[hedge]", "  unprotected: [id3]"), *state, &file),
                        "o.yaml:13:17: unprotected: 'id3' is not one of 'methods'; add it there, or remove "
                        "it here");
    assert_string_equal(parse(UNPROTECTED("[hedge]", "  unprotected: [hedge]"), *state, &file),
                        "o.yaml:13:17: unprotected: every job of 'hedge' has a guarantee; remove it");
    assert_string_equal(parse(UNPROTECTED("[average]", "  unprotected: [average]"), *state, &file),
                        "o.yaml:13:17: unprotected: every job of 'average' has a guarantee; remove it");
    assert_string_equal(parse(UNPROTECTED("[id3]", "  unprotected: [id3, id3]"), *state, &file),
                        "o.yaml:13:22: unprotected: 'id3' is listed twice; remove one of the two");
    assert_string_equal(parse(UNPROTECTED("[id3]", "  unprotected: []"), *state, &file),
                        "o.yaml:13:16: unprotected: a list of 0 is not a list of 1 to 100 of 'methods', such "
                        "as [inprivate]");
}

static void test_paper__is_refused_with_the_key_that_replaced_it(void **state) {
    static const char message[] =
        "o.yaml:13:3: the key 'paper' has been replaced by 'unprotected'; remove it; if the owner is to take "
        "part in jobs in paper mode, which have no guarantee, name their methods: 'unprotected: [inprivate]'";
    hr_owner_file file;
    assert_string_equal(parse(UNPROTECTED("[id3]", "  paper: true"), *state, &file), message);
    assert_string_equal(parse(UNPROTECTED("[id3]", "  paper: false"), *state, &file), message);
}

static void test_limits__that_are_wrong_are_refused(void **state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {OWNER_WITH("epsilon-per: 2"),
         "o.yaml:13:16: epsilon-per must be a mapping of keys to values, not a single value"},
        {OWNER_WITH("epsilon-per: {}"),
         "o.yaml:13:16: epsilon-per is empty; write a period and a number, such as {month: 2}"},
        {OWNER_WITH("epsilon-per: {week: 2}"),
         "o.yaml:13:17: unknown key 'week'; the keys are day, month, year"},
        {OWNER_WITH("epsilon-per: {month: 0}"),
         "o.yaml:13:24: month: '0' is not a number above 0, at most 10000"},
        {OWNER_WITH("jobs-per: {day: 1.5}"), "o.yaml:13:19: day: '1.5' is not an integer from 1 to 1000000"},
        {OWNER_WITH("jobs-per: {day: 0}"), "o.yaml:13:19: day: '0' is not an integer from 1 to 1000000"},
        {OWNER_WITH("limits: {}"), "o.yaml:13:11: limits must be a list of mappings, each with a coordinator "
                                   "and its limits, not a mapping"},
        {OWNER_WITH("limits: [m]"),
         "o.yaml:13:12: limits must be a mapping of keys to values, not a single value"},
        {OWNER_WITH("limits: [{epsilon: 1}]"),
         "o.yaml:13:12: the key 'coordinator' is missing; expected: a name of 1 to 32 of a-z, 0-9 and -, not "
         "beginning with -"},
        {OWNER_WITH("limits: [{coordinator: o}]"),
         "o.yaml:13:26: limits: 'o' is not one of 'coordinators'; add it there, or remove its limits: it may "
         "offer no job"},
        {OWNER_WITH("limits: [{coordinator: n}, {coordinator: n}]"),
         "o.yaml:13:44: limits: 'n' is listed twice; write all limits into one of the two"},
        {OWNER_WITH("limits: [{coordinator: n, owners: 3}]"),
         "o.yaml:13:29: unknown key 'owners'; the keys are coordinator, epsilon, epsilon-per, jobs-per, "
         "approve"},
        {OWNER_WITH("limits: [{coordinator: n, jobs-per: {year: many}}]"),
         "o.yaml:13:46: year: 'many' is not a number; write a plain number such as 0, -1.5 or 2e6, without "
         "quotes"},
    };
    hr_owner_file file;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(parse(cases[i].text, *state, &file), cases[i].message);
}

/* A misspelt name would refuse the coordinator that was meant, without a word. */
static void test_coordinators__are_members_of_the_federation(void **state) {
    hr_owner_file file;
    hr_error err = {0};
    char message[1200];
    assert_int_equal(hr_owner_file_read(GOLDEN "owner.yaml", *state, &file, &err), HR_OK);
    assert_int_equal(hr_owner_file_check(&file, "owner.yaml", *state, &err), HR_OK);
    assert_string_equal(parse(OWNER_WITH("days: 1"), *state, &file), "");
    file.member.federation = GOLDEN "federation.yaml";
    assert_int_equal(hr_owner_file_check(&file, "o.yaml", *state, &err), HR_E_FORMAT);
    hr_error_format(&err, message, sizeof message);
    assert_string_equal(message,
                        "o.yaml:9:18: coordinators: 'm' is no member of the federation 'demo'; write "
                        "the name of a member as the federation file lists it");
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, open_arena, close_arena)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(test_limits__are_read),
        WITH_ARENA(test_limits__are_none_by_default),
        WITH_ARENA(test_approval__is_manual_where_the_file_says_so),
        WITH_ARENA(test_unprotected__lists_methods_that_have_a_mode_without_a_guarantee),
        WITH_ARENA(test_paper__is_refused_with_the_key_that_replaced_it),
        WITH_ARENA(test_limits__that_are_wrong_are_refused),
        WITH_ARENA(test_coordinators__are_members_of_the_federation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
