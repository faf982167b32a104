/* hedge's schedule against numbers worked out by hand from the formulas, and what its costs add up to. */
#include "methods/hedge/hedge_plan.h"
#include "support/tables.h"
#include "trees/tree/hierarchical_shrinkage.h"

typedef struct schedule {
    hr_privacy_measure privacy_measure;
    double budget, records; /* mu^2, or epsilon */
    bool regression, quantiles;
    size_t rounds;
    double step;
    int one, pair, all;                  /* depths; pair -1: as all */
    double choice, sums, counts, within; /* 5e6 records: choices on 64 blocks */
} schedule;

/* E = records * sqrt(budget), T = 1.5 sqrt(E) within 25..300, r = E/8, step = 2 r^.6/T up to 1/2, depths
 * log2 of min(E/400, records/800) and min(E/200, records/800) within 4..8; pure: E = records * epsilon, T =
 * sqrt(E)/10 within 8..64, step 1.7/sqrt(T), depth log2(E/(16 T)) within 2..7. */
static const schedule schedules[] = {
    {HR_PRIVACY_GDP, 1, 1000, true, false, 47, .5, 3, 4, 4, .004003829787, .01441378723, .001601531915,
     .0006191489362},
    {HR_PRIVACY_GDP, 1, 1e5, false, true, 300, .5, 3, 6, 6, .0005933333333, .002136, .0002373333333, 0},
    {HR_PRIVACY_GDP, .01, 30000, true, true, 82, .5, 3, 4, 4, 2.152926829e-05, 7.750536585e-05,
     8.611707317e-06, 3.329268293e-06},
    {HR_PRIVACY_GDP, 4, 5e6, false, false, 300, .5, 3, 8, 8, .152, .00912, .001013333333, 0},
    {HR_PRIVACY_GDP, 1e-4, 1e4, false, false, 25, 0.3641128406, 3, 4, 4, 7.6e-07, 2.736e-06, 3.04e-07, 0},
    {HR_PRIVACY_GDP, .25, 6400, false, true, 84, .5, 3, 4, 4, .0005297619048, .001907142857, .0002119047619,
     0},
    {HR_PRIVACY_PURE, 1, 1000, true, false, 8, .601040764, 2, -1, 2, .036, .0672, .0168, 0},
    {HR_PRIVACY_PURE, 1, 1e5, false, true, 31, .3053290134, 2, -1, 7, .008322580645, .01553548387,
     .003883870968, 0},
    {HR_PRIVACY_PURE, .01, 30000, true, true, 8, .601040764, 2, -1, 2, .00033, .000616, .000154, 0},
    {HR_PRIVACY_PURE, 4, 5e6, false, false, 64, .2125, 2, -1, 7, 1.128, .0329, .008225, 0},
    {HR_PRIVACY_PURE, .25, 6400, false, true, 8, .601040764, 2, -1, 3, .0080625, .01505, .0037625, 0},
};

static hr_task task_of(bool regression) {
    return regression ? HR_TASK_REGRESSION : HR_TASK_BINARY;
}

static hr_hedge_setting setting_of(const schedule *s) {
    return (hr_hedge_setting){
        s->privacy_measure, hr_units_down(s->budget), task_of(s->regression), s->quantiles, 0, 0, 0, false,
        HR_PER_RECORD,      HR_INTERACTIONS_ALL};
}

/* Units are 2^-40: the shares of a round of 1e-6 are right to six digits or so. */
static void assert_cost(hr_units cost, double wanted) {
    if (fabs(hr_units_value(cost) - wanted) > 1e-9 * wanted + 4 * 0x1p-40)
        fail_msg("cost %.12g, wanted %.12g", hr_units_value(cost), wanted);
}

static void test_plan__is_what_the_formulas_say(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(schedules); i++) {
        const schedule *s = &schedules[i];
        hr_hedge_setting setting = setting_of(s);
        hr_hedge_plan plan = hr_hedge_plan_of(&setting, s->records);
        bool pure = s->privacy_measure == HR_PRIVACY_PURE;
        assert_int_equal(plan.rounds, s->rounds);
        assert_true(fabs(plan.step - s->step) < 1e-9);
        assert_int_equal(plan.depth_one, s->one);
        if (s->pair >= 0) assert_int_equal(plan.depth_pair, s->pair);
        assert_int_equal(plan.depth_all, s->all);
        assert_int_equal(plan.candidates, 64);
        assert_int_equal(plan.centred, pure ? 2 : 3);
        assert_true(plan.ridge == (pure ? 6 : 12) && plan.clip == (!s->regression ? 1.2 : pure ? .5 : .3));
        assert_cost(plan.choice, s->choice);
        assert_cost(plan.sums, s->sums);
        assert_cost(plan.counts, s->counts);
        assert_cost(plan.within, s->within);
        assert_int_equal(plan.within > 0, s->regression && !pure);
        setting.task = HR_TASK_MULTICLASS;
        assert_true(hr_hedge_plan_of(&setting, s->records).clip == 1);
    }
}

static void test_plan__starts_with_its_shares(void **state) {
    (void)state;
    static const struct {
        hr_privacy_measure privacy_measure;
        bool quantiles;
        double bins, start;
    } cases[] = {{HR_PRIVACY_GDP, true, .06, .03},
                 {HR_PRIVACY_GDP, false, 0, .03},
                 {HR_PRIVACY_PURE, true, .08, .04},
                 {HR_PRIVACY_PURE, false, 0, .04}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_hedge_setting setting = {cases[i].privacy_measure,
                                    3 * HR_UNIT,
                                    HR_TASK_MULTICLASS,
                                    cases[i].quantiles,
                                    0,
                                    0,
                                    0,
                                    false,
                                    HR_PER_RECORD,
                                    HR_INTERACTIONS_ALL};
        hr_hedge_start start = hr_hedge_start_of(&setting);
        assert_cost(start.bins, 3 * cases[i].bins);
        assert_cost(start.count, 1.5 * cases[i].start);
        assert_cost(start.base, 1.5 * cases[i].start);
        assert_cost(start.calibration, .06); /* of 3: .02 in either privacy measure */
        setting.task = HR_TASK_REGRESSION;
        assert_true(hr_hedge_start_of(&setting).calibration == 0);
        setting.task = HR_TASK_SURVIVAL; /* the numbers of all codes, in either privacy measure */
        start = hr_hedge_start_of(&setting);
        assert_cost(start.count + start.base, .3);
        assert_true(start.calibration == 0);
    }
}

/* Half the step of classes, and no more rounds than mu 2 has. */
static void test_plan__of_times_has_its_own_rounds(void **state) {
    (void)state;
    static const double budgets[] = {1, 4, 16, 1e6};
    for (size_t i = 0; i < COUNT(budgets); i++) {
        hr_hedge_setting setting = {.budget = hr_units_down(budgets[i]), .privacy_measure = HR_PRIVACY_GDP};
        setting.task = HR_TASK_BINARY;
        hr_hedge_plan classes = hr_hedge_plan_of(&setting, 1000);
        setting.task = HR_TASK_SURVIVAL;
        hr_hedge_plan times = hr_hedge_plan_of(&setting, 1000);
        if (i < 2) assert_true(times.rounds == classes.rounds && times.step == classes.step / 2);
        if (i >= 2) assert_true(times.rounds == 67 && times.rounds < classes.rounds);
    }
}

/* Never more than the budget, whatever n-hat; and nearly all of it. */
static void test_plan__spends_the_budget_and_no_more(void **state) {
    (void)state;
    size_t least = SIZE_MAX, most = 0;
    for (int privacy_measure = HR_PRIVACY_PURE; privacy_measure <= HR_PRIVACY_GDP; privacy_measure++)
        for (int flags = 0; flags < 4; flags++)
            for (double budget = 1e-4; budget < 1000; budget *= 3.7)
                for (double records = 1; records < 1e9; records *= 2.3) {
                    if (privacy_measure == HR_PRIVACY_ZCDP) continue;
                    hr_hedge_setting s = {(hr_privacy_measure)privacy_measure,
                                          hr_units_down(budget),
                                          task_of(flags & 1),
                                          flags & 2,
                                          0,
                                          0,
                                          0,
                                          false,
                                          HR_PER_RECORD,
                                          HR_INTERACTIONS_ALL};
                    hr_hedge_start start = hr_hedge_start_of(&s);
                    hr_hedge_plan plan = hr_hedge_plan_of(&s, records);
                    hr_units round = plan.sums + plan.counts + plan.within;
                    hr_units all = start.bins + start.count + start.base + start.calibration +
                                   plan.rounds * round + plan.turns * plan.choice;
                    assert_true(plan.turns * plan.blocks >= plan.rounds);
                    assert_true(records >= 2 * 65536 || plan.blocks == 1);
                    assert_true(all <= s.budget && (double)all >= .999 * (double)s.budget);
                    assert_true(plan.choice && plan.sums && plan.counts);
                    if (plan.rounds < least) least = plan.rounds;
                    if (plan.rounds > most) most = plan.rounds;
                }
    assert_true(least == 8 && most == 300);
}

/* By hand: E = records * sqrt(budget); B = min(records / 2^16, E / 2^14) within 1..64, without E if pure;
 * thresholds of half the root of a block's records in the smallest leaf; over owners one block. */
static void test_plan__deals_many_records_to_blocks(void **state) {
    (void)state;
    static const struct {
        hr_privacy_measure privacy_measure;
        double budget, records;
        size_t owners, blocks, turns;
        double threshold;
    } cases[] = {{HR_PRIVACY_GDP, 1, 131071, 0, 1, 300, 0},
                 {HR_PRIVACY_GDP, 1, 131072, 0, 2, 150, 11.3137}, /* leaves of 2^16/2^7 */
                 {HR_PRIVACY_GDP, .0625, 131072, 0, 2, 136, 16},  /* E = 2^15: 271 rounds, 2^6 leaves */
                 {HR_PRIVACY_GDP, .0624, 131072, 0, 1, 271, 0},
                 {HR_PRIVACY_GDP, 1, 131072, 2, 1, 150, 0},
                 {HR_PRIVACY_GDP, 1, 1e9, 0, 64, 5, 123.5264}, /* 1e9/64/2^8 */
                 {HR_PRIVACY_PURE, 1e-4, 131072, 0, 2, 4, 0}}; /* 8 rounds */
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_hedge_setting setting = {.privacy_measure = cases[i].privacy_measure,
                                    .budget = hr_units_up(cases[i].budget),
                                    .task = HR_TASK_BINARY,
                                    .owners = cases[i].owners,
                                    .honest = cases[i].owners};
        hr_hedge_plan plan = hr_hedge_plan_of(&setting, cases[i].records);
        assert_int_equal(plan.blocks, cases[i].blocks);
        assert_int_equal(plan.turns, cases[i].turns);
        if (cases[i].privacy_measure == HR_PRIVACY_GDP)
            assert_true(fabs(plan.threshold - cases[i].threshold) < 1e-3);
        else
            assert_true(plan.threshold == .5 / hr_units_value(plan.sums));
    }
}

/* The model is a sum of steps: none may be without end, and depths must fit in random trees. */
static void test_plan__stays_within_its_ranges(void **state) {
    (void)state;
    for (int privacy_measure = HR_PRIVACY_PURE; privacy_measure <= HR_PRIVACY_GDP;
         privacy_measure += HR_PRIVACY_GDP - HR_PRIVACY_PURE)
        for (double budget = 1e-9; budget < 1e6; budget *= 10)
            for (double records = 1; records < 1e15; records *= 10) {
                hr_hedge_setting s = {(hr_privacy_measure)privacy_measure,
                                      hr_units_up(fmin(budget, 1e5)),
                                      HR_TASK_REGRESSION,
                                      true,
                                      0,
                                      0,
                                      0,
                                      false,
                                      HR_PER_RECORD,
                                      HR_INTERACTIONS_ALL};
                hr_hedge_plan plan = hr_hedge_plan_of(&s, records);
                bool pure = privacy_measure == HR_PRIVACY_PURE;
                assert_true(plan.rounds >= (pure ? 8 : 25) && plan.rounds <= (pure ? 64 : 300));
                assert_true(plan.step > 0 && plan.step <= (pure ? 1 : .5));
                assert_true(plan.depth_all >= (pure ? 2 : 4) && plan.depth_all <= (pure ? 7 : 8));
                assert_true(plan.depth_pair >= (pure ? 2 : 4) && plan.depth_pair <= 8);
            }
}

/* A full tree whose leaves hold as many records each, a unit of noise in one leaf after the other: what comes
 * to the first leaf. */
static double noise_of_equal_leaves(int depth, double records, double ridge) {
    enum { MOST = 511 };
    static hr_node nodes[MOST];
    static double sums[MOST], counts[MOST], values[MOST];
    size_t leaves = (size_t)1 << depth, first = leaves - 1;
    double square = 0;
    for (size_t n = 0; n < 2 * leaves - 1; n++)
        nodes[n] = (hr_node){.left = n < first ? (uint32_t)(2 * n + 1) : 0};
    hr_tree tree = {.nodes = nodes, .node_count = 2 * leaves - 1};
    for (size_t noisy = 0; noisy < leaves; noisy++) {
        for (size_t leaf = 0; leaf < leaves; leaf++)
            sums[first + leaf] = leaf == noisy, counts[first + leaf] = records;
        hr_hierarchical_shrinkage(&tree, 1, ridge, sums, counts, values);
        square += values[first] * values[first];
    }
    return sqrt(square);
}

static void test_plan__tells_what_noise_does_to_predictions(void **state) {
    (void)state;
    for (int privacy_measure = HR_PRIVACY_PURE; privacy_measure <= HR_PRIVACY_GDP;
         privacy_measure += HR_PRIVACY_GDP - HR_PRIVACY_PURE)
        for (double records = 1e4; records < 1e9; records *= 10) {
            hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
            hr_hedge_setting s = {(hr_privacy_measure)privacy_measure,
                                  HR_UNIT,
                                  HR_TASK_BINARY,
                                  true,
                                  0,
                                  0,
                                  0,
                                  false,
                                  HR_PER_RECORD,
                                  HR_INTERACTIONS_ALL};
            hr_plan_info told = {.records = records};
            hr_hedge_describe(&options, NULL, s.privacy_measure, s.budget, &told);
            hr_hedge_plan plan = hr_hedge_plan_of(&s, records);
            double noise = told.gradient_noise * told.leaf_records;
            double leaf = noise * noise_of_equal_leaves(plan.depth_all, told.leaf_records,
                                                        plan.ridge * noise / plan.clip);
            double wanted = plan.step * sqrt((double)plan.rounds) * fmin(leaf, 1) / 2;
            assert_true(fabs(told.prediction_noise - wanted) < 1e-9 * wanted);
        }
}

/* Whatever the noisy count says: no release of a fit costs less than that of the longest plan, which some
 * count leads to. */
static void test_longest__costs_the_least(void **state) {
    (void)state;
    static const hr_task tasks[] = {HR_TASK_BINARY, HR_TASK_MULTICLASS, HR_TASK_REGRESSION};
    for (size_t k = 0; k < 3; k++)
        for (int pure = 0; pure < 2; pure++)
            for (hr_units budget = HR_UNIT >> 30; budget <= HR_UNIT << 4; budget <<= 2) {
                hr_hedge_setting s = {pure ? HR_PRIVACY_PURE : HR_PRIVACY_GDP,
                                      budget,
                                      tasks[k],
                                      true,
                                      0,
                                      0,
                                      0,
                                      false,
                                      HR_PER_RECORD,
                                      HR_INTERACTIONS_ALL};
                hr_hedge_plan longest = hr_hedge_plan_longest(&s);
                bool reached = false;
                for (double records = 1; records < 1e30; records *= 1.7) {
                    hr_hedge_plan plan = hr_hedge_plan_of(&s, records);
                    assert_true(plan.rounds <= longest.rounds && plan.choice >= longest.choice &&
                                plan.sums >= longest.sums);
                    assert_true(plan.counts >= longest.counts && plan.within >= longest.within &&
                                plan.clip == longest.clip);
                    reached = reached || plan.rounds == longest.rounds;
                }
                assert_true(reached);
            }
}

/* The least budget that a fit of such a label may have. */
static hr_units least_budget(hr_privacy_measure measure, bool is_count) {
    hr_column label = number_column("y", 0, 60), feature = number_column("x", 0, 1);
    label.integer = label.count = is_count;
    const hr_schema_parts parts = {
        .label = label, .features = &feature, .feature_count = 1, .reviewed = HR_REVIEW_CODE};
    hr_schema *schema = NULL;
    assert_int_equal(hr_schema_make(&parts, &schema, NULL), HR_OK);
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    options.edges = HR_EDGES_PUBLIC;
    hr_fit_facts facts = {.options = &options, .schema = schema, .rows = 1000, .privacy_measure = measure};
    hr_units low = 0, high = HR_UNIT;
    while (high - low > 1) {
        facts.budget = low + (high - low) / 2;
        if (hr_hedge_check(&facts, NULL))
            low = facts.budget;
        else
            high = facts.budget;
    }
    hr_schema_free(schema);
    return high;
}

/* The clip of counts grows to twice that of a number, and the noise of a leaf's sum with it: a budget that is
 * too small for that is refused before it is spent. */
static void test_check__looks_at_the_largest_clip(void **state) {
    (void)state;
    static const struct {
        hr_task task;
        double clip;
    } clips[] = {{HR_TASK_REGRESSION, 1}, {HR_TASK_COUNT, 2}, {HR_TASK_BINARY, 1.2}, {HR_TASK_MULTICLASS, 1}};
    for (size_t i = 0; i < COUNT(clips); i++) {
        const hr_hedge_setting s = {
            .privacy_measure = HR_PRIVACY_GDP, .budget = HR_UNIT, .task = clips[i].task};
        assert_true(hr_hedge_largest_clip(&s) == clips[i].clip);
    }
    const double pure = (double)least_budget(HR_PRIVACY_PURE, true) /
                        (double)least_budget(HR_PRIVACY_PURE, false),
                 gaussian =
                     (double)least_budget(HR_PRIVACY_GDP, true) / (double)least_budget(HR_PRIVACY_GDP, false);
    /* Scales grow with the clip, and here with its square; for numbers other lines come first. */
    assert_true(pure > 1.5 && pure < 2.01);
    assert_true(gaussian > 2 && gaussian < 4.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check__looks_at_the_largest_clip),
        cmocka_unit_test(test_longest__costs_the_least),
        cmocka_unit_test(test_plan__is_what_the_formulas_say),
        cmocka_unit_test(test_plan__starts_with_its_shares),
        cmocka_unit_test(test_plan__of_times_has_its_own_rounds),
        cmocka_unit_test(test_plan__spends_the_budget_and_no_more),
        cmocka_unit_test(test_plan__deals_many_records_to_blocks),
        cmocka_unit_test(test_plan__stays_within_its_ranges),
        cmocka_unit_test(test_plan__tells_what_noise_does_to_predictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
