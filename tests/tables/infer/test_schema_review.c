/* Decisions about what a proposal leaves open, one by one. */
#include "tables/infer/infer_column.h"
#include "tables/schema/schema.h"

#include "support/check.h"
#include "support/reader_checks.h"

#include <hedgerow/review.h>

static const char proposed[] =
    "hedgerow-schema: 1\nreviewed: false\n"
    "label: {name: y, kind: classes, values: [a, b], review: [kind, values]}\n"
    "features:\n"
    "  - {name: age, kind: number, low: 0, high: 120, integer: true, review: [kind, low, high, integer]}\n"
    "  - {name: day, kind: date, from: 2024-01-01, to: 2024-02-29, parts: [month, trend], review: [kind, "
    "from, "
    "to, parts]}\n"
    "  - {name: ward, kind: category, values: [u, v], review: [kind, values]}\n"
    "  - {name: dose, kind: number, low: 0, high: 7.5, review: [low, high]}\n"
    "  - {name: known, kind: boolean, source: law}\n"
    "  - {name: who, kind: unused, review: [kind]}\n"
    "missing: [NA]\nunit: who\nreview: [missing, unit]\n";

enum { LABEL, AGE, DAY, WARD, DOSE, KNOWN, WHO, MISSING, UNIT, FACTS };

static hr_schema_review *opened(const char *text) {
    hr_schema *schema = must_schema(text);
    hr_schema_review *review = NULL;
    assert_int_equal(hr_schema_review_open(schema, &review, NULL), HR_OK);
    hr_schema_free(schema);
    return review;
}

static hr_schema *made(const hr_schema_review *review) {
    hr_error err = {0};
    hr_schema *schema = NULL;
    if (hr_schema_review_make(review, &schema, &err)) fail_msg("%s: %s", err.field, err.message);
    return schema;
}

static size_t count_open(const hr_schema_review *review) {
    hr_fact fact;
    size_t open = 0;
    for (size_t i = 0; hr_schema_review_at(review, i, &fact); i++) open += fact.open;
    return open;
}

static void test_review__has_every_fact(void **state) {
    (void)state;
    static const char *const names[FACTS] = {"y",     "age", "day",     "ward", "dose",
                                             "known", "who", "missing", "unit"};
    hr_schema_review *r = opened(proposed);
    hr_fact fact;
    for (size_t i = 0; i < FACTS; i++) {
        assert_true(hr_schema_review_at(r, i, &fact));
        assert_string_equal(fact.name, names[i]);
        assert_int_equal(fact.open, i != KNOWN);
        assert_int_equal(fact.from_records, i != KNOWN);
        assert_int_equal(fact.from_name, i == AGE);
    }
    assert_false(hr_schema_review_at(r, FACTS, &fact));
    hr_schema_review_free(r);
}

static void test_review__makes_a_public_schema(void **state) {
    (void)state;
    hr_schema_review *r = opened(proposed);
    const double bounds[] = {0, 20};
    const char *const days[] = {"2020-01-01", "2029-12-31"}, *const wards[] = {"u", "v", "w"};
    assert_int_equal(hr_schema_review_public(r, LABEL, "study", NULL), HR_OK);
    assert_int_equal(hr_schema_review_public(r, AGE, "common knowledge", NULL), HR_OK);
    assert_int_equal(hr_schema_review_range(r, DAY, days, "study", NULL), HR_OK);
    assert_int_equal(hr_schema_review_values(r, WARD, wards, 3, "list of wards", NULL), HR_OK);
    assert_int_equal(hr_schema_review_bounds(r, DOSE, bounds, "leaflet", NULL), HR_OK);
    assert_int_equal(hr_schema_review_leave_out(r, WHO, NULL), HR_OK);
    assert_int_equal(hr_schema_review_public(r, MISSING, "form", NULL), HR_OK);
    assert_int_equal(count_open(r), 1);
    hr_schema *s = made(r);
    assert_int_equal(hr_schema_reviewed(s, NULL), HR_E_POLICY); /* the unit */
    hr_schema_free(s);
    assert_int_equal(hr_schema_review_public(r, UNIT, NULL, NULL), HR_OK);
    assert_int_equal(count_open(r), 0);
    s = made(r);
    assert_int_equal(hr_schema_public(s, NULL), HR_OK);
    assert_string_equal(hr_schema_unit(s), "who");
    assert_int_equal(hr_schema_parts_of(s)->unused_count, 0);
    assert_int_equal(hr_schema_parts_of(s)->reviewed, HR_REVIEW_NONE);
    assert_true(hr_schema_feature(s, 2)->high > 3652); /* days from 2020 to 2029, less one */
    assert_int_equal(hr_schema_feature(s, 3)->value_count, 3);
    assert_true(hr_schema_feature(s, 4)->high == 20);
    assert_string_equal(hr_schema_feature(s, 4)->source, "leaflet");
    hr_schema_free(s);
    hr_schema_review_free(r);
}

static void test_review__keeps_what_is_open_or_accepted(void **state) {
    (void)state;
    hr_error err = {0};
    hr_schema_review *r = opened(proposed);
    assert_int_equal(hr_schema_review_accept(r, DOSE, NULL), HR_OK);
    assert_int_equal(hr_schema_review_accept(r, MISSING, NULL), HR_OK);
    assert_int_equal(hr_schema_review_leave_out(r, DAY, NULL), HR_OK);
    assert_int_equal(hr_schema_review_set_unit(r, UNIT, NULL, NULL), HR_OK);
    hr_schema *s = made(r);
    assert_int_equal(hr_schema_feature_count(s), 4);
    assert_string_equal(hr_schema_feature(s, 1)->name, "ward");
    assert_true(hr_schema_single_records(s));
    assert_int_equal(hr_schema_reviewed(s, &err), HR_E_POLICY);
    assert_string_equal(err.field, "y");
    hr_schema_free(s);
    for (size_t i = LABEL; i <= WARD; i++)
        if (i != DAY) assert_int_equal(hr_schema_review_public(r, i, "study", NULL), HR_OK);
    assert_int_equal(hr_schema_review_leave_out(r, WHO, NULL), HR_OK);
    s = made(r);
    assert_int_equal(hr_schema_reviewed(s, NULL), HR_OK);
    assert_int_equal(hr_schema_public(s, &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, ": dose, the spellings of missing"));
    hr_schema_free(s);
    hr_schema_review_free(r);
}

/* A decision that cannot be taken changes nothing. */
static void test_review__refuses_what_cannot_be(void **state) {
    (void)state;
    hr_schema_review *r = opened(proposed);
    const double bounds[] = {5, 2};
    const char *const days[] = {"2024-01-01", "soon"}, *const twice[] = {"u", "u"}, *const one[] = {"NA"};
    hr_error err = {0};
    assert_int_equal(hr_schema_review_public(r, AGE, "  ", &err), HR_E_FORMAT);
    assert_int_equal(hr_schema_review_public(r, FACTS, "law", &err), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_review_bounds(r, DOSE, bounds, "law", &err), HR_E_FORMAT);
    assert_non_null(strstr(err.message, "above high"));
    assert_int_equal(hr_schema_review_bounds(r, WARD, bounds, "law", &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "ward");
    assert_int_equal(hr_schema_review_bounds(r, DAY, bounds, "law", &err), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_review_range(r, DAY, days, "law", &err), HR_E_FORMAT);
    assert_int_equal(hr_schema_review_range(r, AGE, days, "law", &err), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_review_values(r, WARD, twice, 2, "law", &err), HR_E_FORMAT);
    assert_int_equal(hr_schema_review_values(r, WARD, one, 1, "law", &err), HR_E_FORMAT);
    assert_int_equal(hr_schema_review_values(r, LABEL, one, 1, "law", &err), HR_E_FORMAT);
    assert_int_equal(hr_schema_review_values(r, KNOWN, twice, 2, "law", &err), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_review_set_unit(r, UNIT, "age", &err), HR_E_FORMAT);
    assert_int_equal(hr_schema_review_set_unit(r, AGE, NULL, &err), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_review_leave_out(r, LABEL, &err), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_review_leave_out(r, UNIT, &err), HR_E_ARGUMENT);
    for (size_t i = AGE; i <= DOSE; i++) assert_int_equal(hr_schema_review_leave_out(r, i, &err), HR_OK);
    assert_int_equal(hr_schema_review_leave_out(r, AGE, &err), HR_E_ARGUMENT); /* it is out */
    assert_int_equal(hr_schema_review_leave_out(r, KNOWN, &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, "no feature would be left");
    assert_int_equal(count_open(r), 4); /* y, who, missing, unit */
    hr_schema_free(made(r));
    hr_schema_review_free(r);
}

static void test_bounds__are_rounded_outwards(void **state) {
    (void)state;
    static const double cases[][4] = {{17, 90, 10, 90},
                                      {1, 41, 1, 50},
                                      {135, 189502619, 100, 200000000},
                                      {0.37, 0.81, .3, .9},
                                      {47.1559, 47.7776, 47.1, 47.8},
                                      {17, 92, 10, 100},
                                      {0, 1, 0, 1},
                                      {-12.3, 4, -20, 4},
                                      {1998, 2003, 1998, 2003},
                                      {-1e308, 7e307, -1e308, 1e308},
                                      {1e-300, 2e-300, 1e-300, 2e-300}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double low = cases[i][0], high = cases[i][1];
        hr_bounds_outwards(&low, &high);
        const bool huge = cases[i][1] > 1e307; /* they may stay, if the difference would be infinite */
        if (!huge && (low != cases[i][2] || high != cases[i][3]))
            fail_msg("case %zu: %.17g, %.17g", i, low, high);
        assert_true(low <= cases[i][0] && high >= cases[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_review__has_every_fact),
        cmocka_unit_test(test_review__makes_a_public_schema),
        cmocka_unit_test(test_review__keeps_what_is_open_or_accepted),
        cmocka_unit_test(test_review__refuses_what_cannot_be),
        cmocka_unit_test(test_bounds__are_rounded_outwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
