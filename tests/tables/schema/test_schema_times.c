/* A label that is the time of an event: codes, read, written, compared, refused. */
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"
#include "tables/schema/survival_code.h"

#include "support/check.h"
#include "support/reader_checks.h"

#include <math.h>

#define LABEL(facts) "hedgerow-schema: 1\nlabel: {" facts "}\n"
#define FEATURES "features: [{name: x, kind: number, low: 0, high: 1}]\nunit: record\n"
#define SCHEMA(facts) LABEL(facts) FEATURES
#define DAYS "kind: time, time: days, event: died, intervals: [30, 90, 365]"

/* ---- Codes ---- */

/* As they are defined: by the ends of the intervals, one after the other. */
static size_t plain_code(double time, bool event, const double *cuts, size_t count) {
    size_t survived = 0;
    bool came = false;
    for (size_t k = 0; k < count; k++) {
        const double from = k ? cuts[k - 1] : 0;
        came |= event && (time > from || k == 0) && time <= cuts[k];
        survived += event ? time > cuts[k] : time >= cuts[k];
    }
    return 2 * survived + came;
}

static void test_codes__are_exact_at_the_cuts(void **state) {
    (void)state;
    static const double cuts[] = {30, 90, 365};
    static const struct {
        double time;
        bool event;
        size_t code;
    } cases[] = {{0, true, 1},   {0, false, 0},   {29.5, true, 1},  {29.5, false, 0}, {30, true, 1},
                 {30, false, 2}, {30.1, true, 3}, {30.1, false, 2}, {90, true, 3},    {90, false, 4},
                 {365, true, 5}, {365, false, 6}, {366, true, 6},   {366, false, 6},  {1e299, true, 6}};
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(hr_survival_code(cases[i].time, cases[i].event, cuts, 3), cases[i].code);
    for (size_t count = 1; count <= 3; count++)
        for (double time = 0; time < 400; time += .5)
            for (int event = 0; event < 2; event++) {
                size_t code = hr_survival_code(time, event, cuts, count);
                assert_int_equal(code, plain_code(time, event, cuts, count));
                assert_true(code < hr_survival_codes(count));
                assert_int_equal(code, 2 * hr_survival_survived(code) + hr_survival_event(code));
                assert_true(hr_survival_at_risk(code) <= count);
            }
    assert_true(hr_survival_code((double)NAN, true, cuts, 3) < hr_survival_codes(3));
    assert_true(hr_survival_code((double)INFINITY, false, cuts, 3) == 6);
}

/* At time 0, too. */
static void test_labels__keep_time_and_event(void **state) {
    (void)state;
    static const double times[] = {0, .25, 7, 1e299};
    for (size_t i = 0; i < COUNT(times); i++)
        for (int event = 0; event < 2; event++) {
            double label = hr_time_label(times[i], event);
            assert_true(hr_label_time(label) == times[i] && hr_label_event(label) == event);
        }
}

/* ---- Schemas ---- */

static void assert_days(const hr_schema *s) {
    const hr_column *label = hr_schema_label(s);
    assert_int_equal(hr_schema_task(s), HR_TASK_SURVIVAL);
    assert_string_equal(label->name, "days");
    assert_string_equal(label->event, "died");
    assert_true(label->kind == HR_KIND_NUMBER && label->interval_count == 3);
    assert_true(label->intervals[0] == 30 && label->intervals[1] == 90 && label->intervals[2] == 365);
}

static void test_time__is_read_and_written(void **state) {
    (void)state;
    static const char *const same[] = {
        SCHEMA(DAYS), SCHEMA("name: days, kind: time, event: died, intervals: [30, 90, 365]"),
        SCHEMA("name: days, " DAYS)};
    for (size_t i = 0; i < COUNT(same); i++) {
        hr_schema *s = must_schema(same[i]);
        char *yaml = NULL;
        assert_days(s);
        assert_int_equal(hr_schema_render(s, &yaml, NULL), HR_OK);
        assert_non_null(strstr(yaml,
                               "label:\n  time: \"days\"\n  kind: time\n  event: \"died\"\n  intervals: "
                               "[30, 90, 365]\n"));
        hr_schema *again = must_schema(yaml);
        assert_true(hr_schema_same(s, again));
        hr_text_free(yaml);
        hr_schema_free(again);
        hr_schema_free(s);
    }
}

static void test_time__is_built_from_code(void **state) {
    (void)state;
    double cuts[] = {30, 90, 365};
    hr_schema_builder *b = NULL;
    hr_schema *s = NULL, *copy = NULL;
    assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
    assert_int_equal(hr_schema_label_time(b, "days", "died", cuts, 3, NULL), HR_OK);
    assert_int_equal(hr_schema_add_number(b, "x", 0, 1, false, NULL), HR_OK);
    cuts[0] = 7;
    assert_int_equal(hr_schema_build(b, &s, NULL), HR_OK);
    hr_schema_builder_free(b);
    assert_int_equal(hr_schema_copy(s, &copy, NULL), HR_OK);
    hr_schema_free(s);
    assert_days(copy);
    hr_schema_free(copy);
}

static void assert_quantiles(const hr_schema *s) {
    const hr_column *label = hr_schema_label(s);
    assert_true(label->quantile_cuts && label->interval_count == 4);
    assert_true(label->intervals[0] == 250 && label->intervals[1] == 500 && label->intervals[3] == 1000);
}

static void test_time__may_have_quantiles_for_cuts(void **state) {
    (void)state;
    hr_schema *s =
        must_schema(SCHEMA("kind: time, time: days, event: died, intervals: {quantiles: 4, high: 1000}"));
    char *yaml = NULL;
    assert_quantiles(s);
    assert_int_equal(hr_schema_render(s, &yaml, NULL), HR_OK);
    assert_non_null(strstr(yaml, "  intervals: {quantiles: 4, high: 1000}\n"));
    hr_schema *again = must_schema(yaml), *copy = NULL, *built = NULL;
    assert_true(hr_schema_same(s, again));
    assert_int_equal(hr_schema_copy(s, &copy, NULL), HR_OK);
    assert_quantiles(copy);
    hr_schema_builder *b = NULL;
    assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
    assert_int_equal(hr_schema_label_time_quantiles(b, "days", "died", 1, 1000, NULL), HR_E_ARGUMENT);
    hr_error err = {0};
    assert_int_equal(hr_schema_label_time_quantiles(b, "days", "died", 4, -1, &err), HR_E_ARGUMENT);
    assert_string_equal(err.remedy, "high: give the last cut, above 0");
    assert_int_equal(hr_schema_label_time_quantiles(b, "days", "died", 4, 1000, NULL), HR_OK);
    assert_int_equal(hr_schema_add_number(b, "x", 0, 1, false, NULL), HR_OK);
    assert_int_equal(hr_schema_build(b, &built, NULL), HR_OK);
    hr_schema_builder_free(b);
    assert_quantiles(built);
    hr_schema_parts one = *hr_schema_parts_of(built); /* 1 interval: there is no cut to be found */
    one.label.interval_count = 1;
    hr_schema *refused = NULL;
    assert_int_equal(hr_schema_make(&one, &refused, &err), HR_E_LIMIT);
    err = (hr_error){0};
    assert_int_equal(hr_schema_refuse_quantile_cuts(built, "a job", &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "days");
    hr_text_free(yaml);
    hr_schema_free(built);
    hr_schema_free(copy);
    hr_schema_free(again);
    hr_schema_free(s);
}

static void test_time__differs_by_event_and_cuts(void **state) {
    (void)state;
    static const hr_schema_sides sides = {"here", "there"};
    static const struct {
        const char *other, *difference;
    } cases[] = {
        {SCHEMA("kind: time, time: days, event: left, intervals: [30, 90, 365]"), "event"},
        {SCHEMA("kind: time, time: days, event: died, intervals: [30, 91, 365]"), "interval 2"},
        {SCHEMA("kind: time, time: days, event: died, intervals: [30, 90]"), "number of intervals"},
        {SCHEMA("kind: time, time: days, event: died, intervals: {quantiles: 3, high: 365}"),
         "intervals: cuts here, quantiles there"},
        {SCHEMA("name: days, kind: number, low: 0, high: 365"), "time here, number there"},
    };
    hr_schema *one = must_schema(SCHEMA(DAYS));
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[HR_SCHEMA_DIFFERENCE];
        hr_schema *other = must_schema(cases[i].other);
        assert_false(hr_schema_same(one, other));
        assert_true(hr_schema_difference(one, other, &sides, text));
        if (!strstr(text, cases[i].difference)) fail_msg("%s", text);
        hr_schema_free(other);
    }
    hr_schema_free(one);
}

static void test_time__refuses_what_is_none(void **state) {
    (void)state;
    static const struct {
        const char *text, *message, *remedy;
    } cases[] = {
        {SCHEMA("kind: time, event: died, intervals: [1]"), "'name' is missing", "name"},
        {SCHEMA("kind: time, time: days, intervals: [1]"), "'event' is missing", "whether it came"},
        {SCHEMA("kind: time, time: days, event: died"), "'intervals' is missing", "intervals"},
        {SCHEMA("name: day, " DAYS), "'name' is another column than 'time'", "remove it"},
        {SCHEMA("kind: time, time: days, event: died, intervals: 30"), "must be a list", "formats.md"},
        {SCHEMA("kind: time, time: days, event: died, intervals: []"), "0 intervals", "1 to 64"},
        {SCHEMA("kind: time, time: days, event: died, intervals: [a]"), "is not a number", "plain number"},
        {SCHEMA("kind: time, time: days, event: died, intervals: [0, 1]"), "the cut 0", "ascend"},
        {SCHEMA("kind: time, time: days, event: died, intervals: [1, 1]"), "the cut 1", "ascend"},
        {SCHEMA("kind: time, time: days, event: died, intervals: [1, 1e300]"), "the cut 1e+300", "ascend"},
        {SCHEMA("kind: time, time: days, event: died, intervals: {quantiles: 1, high: 9}"), "no such number",
         "2 to 64"},
        {SCHEMA("kind: time, time: days, event: died, intervals: {quantiles: 2.5, high: 9}"),
         "no such number", "2 to 64"},
        {SCHEMA("kind: time, time: days, event: died, intervals: {quantiles: 65, high: 9}"), "no such number",
         "2 to 64"},
        {SCHEMA("kind: time, time: days, event: died, intervals: {quantiles: 3}"), "'high' is missing",
         "last cut"},
        {SCHEMA("kind: time, time: days, event: died, intervals: {high: 3}"), "'quantiles' is missing",
         "last cut"},
        {SCHEMA("kind: time, time: days, event: died, intervals: {quantiles: 3, high: -1}"),
         "no such last cut", "high: give the last cut, above 0"},
        {SCHEMA("kind: time, time: days, event: died, intervals: {quantiles: 3, high: 9, low: 0}"),
         "unknown key", "last cut"},
        {SCHEMA("kind: time, time: days, event: days, intervals: [1]"), "'days' is used twice", "unique"},
        {SCHEMA("kind: time, time: days, event: x, intervals: [1]"), "'x' is used twice", "unique"},
        {SCHEMA("kind: time, time: days, event: died, intervals: [1], low: 0"),
         "'low' does not belong to a time", "remove it"},
        {SCHEMA("name: days, kind: number, low: 0, high: 1, event: died"),
         "'event' does not belong to a number", "remove it"},
        {LABEL(DAYS) "features: [{name: x, kind: time, event: e, intervals: [1]}]\n", "unknown kind 'time'",
         "a feature is a number"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_schema *s = NULL;
        hr_error err = {0};
        assert_true(hr_schema_parse(cases[i].text, strlen(cases[i].text), "s", &s, &err) != HR_OK);
        if (!strstr(err.message, cases[i].message) || !strstr(err.remedy, cases[i].remedy))
            fail_msg("%s: %s; %s", cases[i].text, err.message, err.remedy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes__are_exact_at_the_cuts),
        cmocka_unit_test(test_labels__keep_time_and_event),
        cmocka_unit_test(test_time__is_read_and_written),
        cmocka_unit_test(test_time__may_have_quantiles_for_cuts),
        cmocka_unit_test(test_time__is_built_from_code),
        cmocka_unit_test(test_time__differs_by_event_and_cuts),
        cmocka_unit_test(test_time__refuses_what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
