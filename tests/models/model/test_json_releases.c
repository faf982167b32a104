/* The list of releases in a model file: groups of lines that differ in level and draws alone stand for the
 * same lines, one by one; only one form is written; a small file never stands for many lines. */
#include "models/model/json_fields.h"
#include "support/model_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Of the group in the golden file, and what may stand in its place. */
#define ROWS "[[1],[2,2],[1,2,4]]"

static void assert_same_lines(const hr_model *a, const hr_model *b) {
    assert_int_equal(a->release_count, b->release_count);
    for (size_t i = 0; i < a->release_count; i++) {
        const hr_release *x = &a->releases[i], *y = &b->releases[i];
        assert_string_equal(x->what, y->what);
        assert_int_equal(x->tree, y->tree);
        assert_int_equal(x->level, y->level);
        assert_int_equal(x->group, y->group);
        assert_int_equal(x->part, y->part);
        assert_int_equal(x->cost, y->cost);
        assert_int_equal(x->sensitivity, y->sensitivity);
        assert_int_equal(x->mechanism, y->mechanism);
        assert_true(x->scale_num == y->scale_num && x->scale_den == y->scale_den);
        assert_int_equal(x->shares, y->shares);
        assert_int_equal(x->owner, y->owner);
        assert_int_equal(x->draws, y->draws);
    }
}

/* What follows the version of the format, in which alone a file differs that an older one was written to. */
static const char *behind_version(const char *text) {
    const char *at = strchr(text, ',');
    assert_non_null(at);
    return at;
}

static void test_golden__stands_for_its_lines(void **state) {
    (void)state;
    static const uint64_t draws[] = {0, 0, 2, 0, 2, 0, 2, 4, 1, 3, 3};
    char *text = read_golden("model-4.json");
    hr_model *model = parse_model(text);
    char *again = render(model);
    assert_string_equal(behind_version(again), behind_version(text));
    assert_int_equal(model->release_count, COUNT(draws));
    for (size_t i = 0; i < COUNT(draws); i++) {
        const hr_release *line = &model->releases[i];
        assert_string_equal(line->what, i < 8 ? "bin edges" : i == 8 ? "split" : "leaf sum");
        assert_int_equal(line->level, i < 8 ? (int)i % 2 : i == 8 ? 0 : -1);
        assert_int_equal(line->draws, draws[i]);
        assert_int_equal(line->cost, i < 8 ? HR_UNIT / 32 : i == 8 ? HR_UNIT / 4 : HR_UNIT / 8);
    }
    hr_text_free(again);
    hr_model_free(model);
    free(text);
}

/* Files of version 2 have a line for each release. */
static void test_golden__of_an_older_version_is_written_in_this_one(void **state) {
    (void)state;
    static const char *const names[] = {
        "model-2.json",          "model-2-open.json",       "model-2-dates.json",
        "model-2-multiway.json", "model-2-calibrated.json", "model-3.json"};
    for (size_t i = 0; i < COUNT(names); i++) {
        hr_model *model = parse_golden(names[i]);
        char *text = render(model);
        assert_non_null(strstr(text, "\"hedgerow-model\": 4"));
        hr_model *back = parse_model(text);
        assert_same_lines(model, back);
        assert_true(model->release_count > 0);
        hr_text_free(text);
        hr_model_free(back);
        hr_model_free(model);
    }
}

/* Of several ways to state the same lines all are read, and one is written. */
static void test_parse__reads_other_forms_of_the_same_lines(void **state) {
    (void)state;
    static const char *const forms[] = {"[[1,0],[2,2],[1,2,4]]", "[[1,0,0],[1,2],[1,2,0],[1,2,4]]"};
    char *text = read_golden("model-4.json");
    hr_model *model = parse_model(text);
    for (size_t i = 0; i < COUNT(forms); i++) {
        char *other = forge_model(text, &(forgery){ROWS, forms[i], NULL, NULL});
        hr_model *same = parse_model(other);
        char *again = render(same);
        assert_same_lines(model, same);
        assert_string_equal(behind_version(again), behind_version(text));
        hr_text_free(again);
        hr_model_free(same);
        free(other);
    }
    hr_model_free(model);
    free(text);
}

static void test_parse__refuses_groups_that_are_malformed_or_too_large(void **state) {
    (void)state;
    static const forgery forgeries[] = {
        {"\"levels\": 2", "\"levels\": 0", "releases[0].levels", "not between 1 and 1048576"},
        {"\"levels\": 2", "\"levels\": 1048577", "releases[0].levels", "not between 1 and 1048576"},
        {"\"levels\": 2", "\"levels\": \"2\"", "releases[0].levels", "must be an integer"},
        {"\"levels\": 2", "\"levels\": 1", "releases[0].draws[2]", "a number for each level at most"},
        {"\"levels\": 2, ", "", "releases[0].draws", "must be an integer, but is an array"},
        {"\"level\": 0", "\"level\": -1", "releases[0].level", "not between 0"},
        {"\"level\": 0", "\"level\": 9223372036854775807", "releases[0].level", "not between 0"},
        {ROWS, "2", "releases[0].draws", "must be an array"},
        {ROWS, "[]", "releases[0].draws", "one line or more"},
        {ROWS, "[2]", "releases[0].draws[0]", "must be an array"},
        {ROWS, "[[]]", "releases[0].draws[0]", "a row of draws has a count"},
        {ROWS, "[[1,2,4,0]]", "releases[0].draws[0]", "a number for each level at most"},
        {ROWS, "[[0,2]]", "releases[0].draws[0][0]", "not between 1 and 1048576"},
        {ROWS, "[[-1,2]]", "releases[0].draws[0][0]", "not between 1 and 1048576"},
        {ROWS, "[[1.5,2]]", "releases[0].draws[0][0]", "must be an integer"},
        {ROWS, "[[1,2],[1,-2]]", "releases[0].draws[1][1]", "not between 0"},
        {ROWS, "[[1,2],[1,2,0.5]]", "releases[0].draws[1][2]", "must be an integer"},
        {ROWS, "[[5,2]]", "guarantee.epsilon", "add up to more"},
        {ROWS, "[[1099511627776]]", "releases[0].draws[0][0]", "not between 1 and 1048576"},
        {ROWS, "[[524289,2]]", "releases[0].draws[0][0]", "a group has 1048576 lines at most"},
        {ROWS, "[[524288],[1]]", "releases[0].draws[1][0]", "a group has 1048576 lines at most"},
        {ROWS, "[[524288]]", "releases[2]", "the groups have 1048576 lines at most"},
        {"\"hedgerow-model\": 4", "\"hedgerow-model\": 2", "releases[0].levels", "the key is unknown"},
        {"\"hedgerow-model\": 4", "\"hedgerow-model\": 5", "hedgerow-model", "version 5 is unknown"},
    };
    assert_refused("model-4.json", forgeries, COUNT(forgeries));
    static const forgery version_2 = {"\"draws\": 3", "\"levels\": 1, \"draws\": [[1,3]]",
                                      "releases[1].levels", "the key is unknown"};
    assert_refused("model-2.json", &version_2, 1);
}

/* What others sent stands for no more lines than its size allows. */
static void test_parse_sent__refuses_many_lines_of_few_bytes(void **state) {
    (void)state;
    char *text = read_golden("model-4.json"), *forged;
    const size_t most = HR_SENT_RELEASES + strlen(text) / 2;
    char rows[40], wanted[80];
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_model_parse_sent(text, strlen(text), "m", &model, &err), HR_OK);
    assert_int_equal(model->release_count, 11);
    hr_model_free(model);
    snprintf(rows, sizeof rows, "[[%zu]]", most);
    forged = forge_model(text, &(forgery){ROWS, rows, NULL, NULL});
    snprintf(wanted, sizeof wanted, "more than %zu releases, in a file of this size",
             HR_SENT_RELEASES + strlen(forged) / 2);
    assert_int_equal(hr_model_parse_sent(forged, strlen(forged), "m", &model, &err), HR_E_FORMAT);
    assert_string_equal(err.message, wanted);
    assert_string_equal(err.field, "releases[0]");
    free(forged);
    free(text);
}

static size_t below(parts *p, size_t end) {
    return (size_t)(next_random(&p->random) % end);
}

/* Lists of few different lines, so that groups of every shape occur; levels at both ends of what they may be.
 */
static void test_round_trip__keeps_every_list_and_writes_it_one_way(void **state) {
    (void)state;
    enum { LISTS = 2000, LINES = 24 };
    static const int64_t levels[] = {-1, 0, 1, 2, INT64_MAX - 1, INT64_MAX};
    static hr_release lines[LINES];
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, 1, 0, HR_PRIVACY_NONE);
    p.model.releases = lines;
    size_t groups = 0;
    for (size_t list = 0; list < LISTS; list++) {
        p.model.release_count = below(&p, LINES + 1);
        const size_t row = 1 + below(&p, 4), first = below(&p, COUNT(levels));
        for (size_t i = 0; i < p.model.release_count; i++) {
            const bool strays = !below(&p, 8);
            const size_t level = strays ? below(&p, COUNT(levels)) : first + i % row;
            lines[i] = (hr_release){.what = below(&p, 9) ? "edges" : "sum",
                                    .tree = -1,
                                    .level = levels[level % COUNT(levels)],
                                    .sensitivity = 1 + !below(&p, 9),
                                    .scale_den = 1,
                                    .draws = below(&p, 3) * below(&p, 2)};
        }
        char *json = render(&p.model);
        hr_model *back = parse_model(json);
        char *again = render(back);
        assert_same_lines(&p.model, back);
        assert_string_equal(json, again);
        groups += strstr(json, "\"levels\": ") != NULL;
        hr_text_free(json);
        hr_text_free(again);
        hr_model_free(back);
    }
    assert_true(groups > LISTS / 2 && groups < LISTS);
    p.model.releases = NULL;
    p.model.release_count = 0;
    parts_done(&p);
}

/* What is written is read: beyond the most that groups may hold, lines stand alone. */
static void test_write__leaves_groups_when_they_hold_the_most(void **state) {
    (void)state;
    const size_t count = HR_GROUPED_LINES_MAX + 3;
    hr_release *lines = calloc(count, sizeof *lines);
    assert_non_null(lines);
    for (size_t i = 0; i < count; i++) lines[i] = (hr_release){.what = "x", .tree = -1, .scale_den = 1};
    hr_buffer text = {0};
    hr_json_add_releases(&text, lines, count);
    assert_false(text.failed);
    assert_non_null(strstr(text.bytes, "\"draws\": [[1048576]]"));
    size_t entries = 0;
    for (const char *at = text.bytes; (at = strstr(at, "\"what\"")); at++) entries++;
    assert_int_equal(entries, 1 + 3);
    hr_buffer_done(&text);
    free(lines);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden__stands_for_its_lines),
        cmocka_unit_test(test_golden__of_an_older_version_is_written_in_this_one),
        cmocka_unit_test(test_parse__reads_other_forms_of_the_same_lines),
        cmocka_unit_test(test_parse__refuses_groups_that_are_malformed_or_too_large),
        cmocka_unit_test(test_parse_sent__refuses_many_lines_of_few_bytes),
        cmocka_unit_test(test_round_trip__keeps_every_list_and_writes_it_one_way),
        cmocka_unit_test(test_write__leaves_groups_when_they_hold_the_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
