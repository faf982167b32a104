#include "privacy/mechanisms.h"
#include "support/check.h"

#define MEASURES ((hr_privacy_measure)(HR_PRIVACY_GDP + 1))

enum { MECHANISMS = HR_MECHANISM_SHARED_DISCRETE_LAPLACE + 1 };

static const hr_mechanism of_kind[HR_RELEASE_KINDS][MEASURES] = {
    [HR_RELEASE_SUMS] = {HR_MECHANISM_IDENTITY, HR_MECHANISM_DISCRETE_LAPLACE, HR_MECHANISM_DISCRETE_GAUSSIAN,
                         HR_MECHANISM_DISCRETE_GAUSSIAN},
    [HR_RELEASE_CHOICE] = {HR_MECHANISM_IDENTITY, HR_MECHANISM_PERMUTE_AND_FLIP, HR_MECHANISM_EXPONENTIAL,
                           HR_MECHANISM_EXPONENTIAL},
    [HR_RELEASE_PUBLISHED_CHOICE] = {HR_MECHANISM_IDENTITY, HR_MECHANISM_EXPONENTIAL,
                                     HR_MECHANISM_EXPONENTIAL, HR_MECHANISM_EXPONENTIAL},
    [HR_RELEASE_SHARE] = {HR_MECHANISM_IDENTITY, HR_MECHANISM_SHARED_DISCRETE_LAPLACE,
                          HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN, HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN}};

static bool can_release(const hr_mechanism_info *info, hr_release_kind kind) {
    if (kind == HR_RELEASE_SUMS) return info->add_noise;
    if (kind == HR_RELEASE_SHARE) return info->draw_share;
    return info->choose;
}

static void test_table__has_one_mechanism_for_each_kind_and_measure(void **state) {
    (void)state;
    for (hr_release_kind kind = 0; kind < HR_RELEASE_KINDS; kind++)
        for (hr_privacy_measure measure = 0; measure < MEASURES; measure++) {
            size_t rows = 0;
            for (uint32_t m = 0; m < MECHANISMS; m++)
                rows += hr_mechanism_info_of(m)->measures[kind] >> measure & 1;
            hr_mechanism mechanism = hr_mechanism_for(kind, measure);
            assert_int_equal(rows, 1);
            assert_int_equal(mechanism, of_kind[kind][measure]);
            assert_true(can_release(hr_mechanism_info_of(mechanism), kind));
        }
    assert_null(hr_mechanism_info_of(MECHANISMS));
}

/* In a privacy measure that no mechanism serves, nothing is covered. */
static void test_table__refuses_what_it_has_no_mechanism_for(void **state) {
    (void)state;
    const hr_privacy_measure unknown = MEASURES;
    for (hr_release_kind kind = 0; kind < HR_RELEASE_KINDS; kind++) {
        hr_release line = {.cost = HR_UNIT, .sensitivity = 1};
        assert_false(hr_mechanism_info_of(hr_mechanism_for(kind, unknown))->set_scale(&line, unknown));
    }
}

static void test_table__tells_shared_and_exact_mechanisms(void **state) {
    (void)state;
    for (uint32_t m = 0; m < MECHANISMS; m++) {
        const hr_mechanism_info *info = hr_mechanism_info_of(m);
        assert_true(hr_mechanism_is_exact(m) == (m == HR_MECHANISM_IDENTITY));
        assert_true(info->shared == (info->draw_share && !info->exact));
        assert_true(info->shared || (!info->share_scale_min && !info->cost_of_one_share));
        for (uint64_t shares = 0; shares <= HR_SHARES_MAX + 1; shares++) {
            hr_release line = {.mechanism = (hr_mechanism)m, .shares = shares};
            assert_true(hr_shares_fit(&line) ==
                        (info->shared ? shares >= 1 && shares <= HR_SHARES_MAX : shares == 0));
        }
    }
    assert_false(hr_mechanism_is_exact(MECHANISMS));
}

static hr_units alone(hr_release line) {
    hr_units total = 0;
    assert_int_equal(hr_account_alone(&line, 1, &total, NULL), HR_OK);
    return total;
}

/* Variance 12 at sensitivity 1: 1/(12 - 6), rounded up. One share of Laplace noise protects nothing. */
static void test_one_share__costs_what_its_noise_pays_for(void **state) {
    (void)state;
    hr_release line = {.mechanism = HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN,
                       .cost = 3,
                       .sensitivity = 1,
                       .scale_num = 24,
                       .scale_den = 2,
                       .shares = 2};
    assert_true(alone(line) == HR_UNIT / 6 + 1);
    line.scale_num = 13;
    assert_true(alone(line) == 2 * HR_UNIT);
    line.scale_num = 12;
    assert_true(alone(line) == HR_UNITS_MAX);
    line.shares = 1;
    assert_true(alone(line) == 3);
    line.shares = 2;
    for (uint32_t m = 0; m <= MECHANISMS; m++) {
        line.mechanism = (hr_mechanism)m;
        line.scale_num = 24;
        assert_true(m == HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN || alone(line) == HR_UNITS_MAX);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table__has_one_mechanism_for_each_kind_and_measure),
        cmocka_unit_test(test_table__refuses_what_it_has_no_mechanism_for),
        cmocka_unit_test(test_table__tells_shared_and_exact_mechanisms),
        cmocka_unit_test(test_one_share__costs_what_its_noise_pays_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
