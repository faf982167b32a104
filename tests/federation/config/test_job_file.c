/* Job files of averages: `train` names the method whose options they have. */
#include "federation/config/job_file.h"
#include "federation/federated/federated_method.h"
#include "support/check.h"

#include <stdio.h>
#include <string.h>

static hr_status parse(hr_arena *arena, const char *text, hr_job_file *out, hr_error *err) {
    return hr_job_file_parse(&(hr_file_text){"job.yaml", text, strlen(text)}, hr_federated_job_rules, arena,
                             out, err);
}

/* Defaults are those that `train` has. */
static void test_job_file__of_an_average_has_the_options_of_what_is_trained(void **state) {
    (void)state;
    static const struct {
        const char *text, *trained;
        double delta, learning_rate;
        int64_t trees;
    } cases[] = {
        {"hedgerow-job: 1\nschema: s\nmethod: average\nepsilon: 1\n", "hedge", 1e-6, 0, 0},
        {"hedgerow-job: 1\nschema: s\nmethod: average\ntrain: inprivate\nepsilon: 1\n", "inprivate", 0, 1, 3},
        {"hedgerow-job: 1\nschema: s\nmethod: average\ntrain: dpboost\nepsilon: 1\ndelta: 1e-7\n"
         "options: {trees: 7}\n",
         "dpboost", 1e-7, .5, 7},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hr_arena *arena = hr_arena_new();
        hr_job_file file;
        hr_error err = {0};
        if (parse(arena, cases[c].text, &file, &err)) fail_msg("%s", err.message);
        assert_true(file.averages);
        assert_string_equal(hr_job_file_method(&file), "average");
        assert_string_equal(file.options.method, cases[c].trained);
        assert_true(file.options.delta == cases[c].delta);
        if (c > 0) { /* hedge has no such options */
            assert_true(file.options.learning_rate == cases[c].learning_rate);
            assert_int_equal(file.options.trees, cases[c].trees);
        }
        hr_arena_free(arena);
    }
}

static void test_job_file__of_another_method_has_its_own_name(void **state) {
    (void)state;
    hr_arena *arena = hr_arena_new();
    hr_job_file file;
    assert_int_equal(parse(arena, "hedgerow-job: 1\nschema: s\nmethod: inprivate\nepsilon: 1\n", &file, NULL),
                     HR_OK);
    assert_false(file.averages);
    assert_string_equal(hr_job_file_method(&file), "inprivate");
    assert_true(file.options.learning_rate == .5); /* of a job */
    hr_arena_free(arena);
}

/* In mode paper votes are exact and free, and on all trees or on none. */
static void test_job_file__has_the_votes_of_its_mode(void **state) {
    (void)state;
    static const struct {
        const char *lines, *message; /* NULL: it is fine */
    } cases[] = {
        {"mode: paper\nvote-trees: true\nround-gain: 0.5\n", NULL},
        {"vote-trees: true\n", "votes on every tree are exact, and only mode paper has them"},
        {"mode: paper\nvote-trees: often\n", "vote-trees must be true or false"},
        {"mode: paper\nround-gain: 0.1\nvote-share: 0.1\n", "in mode paper votes are exact and cost nothing"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hr_arena *arena = hr_arena_new();
        char text[300];
        hr_job_file file;
        hr_error err = {0};
        snprintf(text, sizeof text, "hedgerow-job: 1\nschema: s\nmethod: inprivate\nepsilon: 1\n%s",
                 cases[c].lines);
        assert_int_equal(parse(arena, text, &file, &err), cases[c].message ? HR_E_FORMAT : HR_OK);
        if (cases[c].message && (!strstr(err.message, cases[c].message) || !*err.remedy || err.line < 5))
            fail_msg("%s: %s", cases[c].lines, err.message);
        if (!cases[c].message) assert_true(file.vote_trees && file.round_gain == .5 && file.vote_share == 0);
        hr_arena_free(arena);
    }
}

static void test_job_file__refuses_wrong_averages(void **state) {
    (void)state;
    static const struct {
        const char *lines, *message;
        uint64_t line;
    } cases[] = {
        {"method: hedge\ntrain: hedge\nepsilon: 1\n", "only the method average trains another one", 4},
        {"method: average\ntrain: average\nepsilon: 1\n", "there is no method 'average'", 4},
        {"method: average\ntrain: hedge\nmode: paper\nepsilon: 1\n", "method hedge has no paper mode", 4},
        {"method: average\nepsilon: 1\noptions: {trees: 3}\n", "method 'hedge' has no option 'trees'", 5},
        {"method: average\ntrain: rf\nepsilon: 1\n", "method 'rf' has no option 'epsilon'", 5},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hr_arena *arena = hr_arena_new();
        hr_job_file file;
        hr_error err = {0};
        char text[200];
        snprintf(text, sizeof text, "hedgerow-job: 1\nschema: s\n%s", cases[c].lines);
        assert_int_equal(parse(arena, text, &file, &err), HR_E_FORMAT);
        if (!strstr(err.message, cases[c].message) || err.line != cases[c].line)
            fail_msg("case %zu: line %d: %s", c, (int)err.line, err.message);
        hr_arena_free(arena);
    }
}

#define MEMBERS "name: c\nfederation: f\nkey: k\njournal: j\n"

static void test_job_file__has_public_bounds_of_records(void **state) {
    (void)state;
    static const struct {
        const char *lines;
        uint64_t bounds[3][2]; /* of all, and of both owners */
    } cases[] = {
        {"records: 2000..8000\n", {{2000, 8000}}},
        {"records: 0..4294967294\n", {{0, 4294967294}}},
        {MEMBERS "owners: {west: {records: 20..80}, east: {}}\n", {{0, 0}, {20, 80}, {0, 0}}},
        {MEMBERS "owners: {west: {records: 20..80}, east: {}}\nrecords: 7..7\n", {{7, 7}, {20, 80}, {7, 7}}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hr_arena *arena = hr_arena_new();
        char text[300];
        hr_job_file file;
        hr_error err = {0};
        snprintf(text, sizeof text, "hedgerow-job: 1\nschema: s\nepsilon: 1\n%s", cases[c].lines);
        if (parse(arena, text, &file, &err)) fail_msg("%s", err.message);
        const uint64_t(*b)[2] = cases[c].bounds;
        assert_true(file.records.least == b[0][0] && file.records.most == b[0][1]);
        assert_int_equal(file.owner_records != NULL, c >= 2);
        for (size_t o = 0; file.owner_records && o < 2; o++) {
            assert_string_equal(file.owners.items[o], o ? "east" : "west");
            assert_true(file.owner_records[o].least == b[o + 1][0] &&
                        file.owner_records[o].most == b[o + 1][1]);
        }
        hr_arena_free(arena);
    }
}

static void test_job_file__refuses_wrong_bounds_of_records(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"records: 2000\n", "records: '2000' is not two whole numbers"},
                                           {"records: 8000..2000\n", "'8000..2000' is not"},
                                           {"records: 0..0\n", "'0..0' is not"},
                                           {"records: -1..5\n", "'-1..5' is not"},
                                           {"records: 1..5.5\n", "'1..5.5' is not"},
                                           {"records: 1..4294967295\n", "'1..4294967295' is not"},
                                           {"records: 1..99999999999999999999\n", "is not two whole numbers"},
                                           {"records: ..5\n", "'..5' is not"},
                                           {"records: 1.. 5\n", "'1.. 5' is not"},
                                           {"records: [1, 5]\n", "records must be"},
                                           {MEMBERS "owners: {west: {records: 1}}\n", "records: '1' is not"},
                                           {MEMBERS "owners: {west: {rows: 1..2}}\n", "unknown key 'rows'"},
                                           {MEMBERS "owners: {west: 1..2}\n", "an owner of a job must be"},
                                           {MEMBERS "owners: {West: {}}\n", "'West' is not"},
                                           {MEMBERS "owners: {west: {}, west: {}}\n", "west"},
                                           {MEMBERS "owners: west\n", "owners must be a list of 1 to 256 "},
                                           {MEMBERS "owners: {}\n", "a list of 0 is not"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hr_arena *arena = hr_arena_new();
        char text[300];
        hr_job_file file;
        hr_error err = {0};
        snprintf(text, sizeof text, "hedgerow-job: 1\nschema: s\nepsilon: 1\n%s", cases[c][0]);
        assert_int_equal(parse(arena, text, &file, &err), HR_E_FORMAT);
        if (!strstr(err.message, cases[c][1]) || !*err.remedy || err.line < 4)
            fail_msg("%s: %s", cases[c][0], err.message);
        hr_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_file__of_an_average_has_the_options_of_what_is_trained),
        cmocka_unit_test(test_job_file__of_another_method_has_its_own_name),
        cmocka_unit_test(test_job_file__has_the_votes_of_its_mode),
        cmocka_unit_test(test_job_file__refuses_wrong_averages),
        cmocka_unit_test(test_job_file__has_public_bounds_of_records),
        cmocka_unit_test(test_job_file__refuses_wrong_bounds_of_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
