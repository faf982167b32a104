/* An evaluation over owners: the sum of their answers has the figures of all their records, an answer changes
 * by what is charged, and the noise of the sum is what the figures say. Coins are fixed. */
#include "fit/measure/shared_evaluation.h"

#include "models/model/model.h"
#include "privacy/noise.h"
#include "support/sum_owners.h"
#include "support/tables.h"
#include "tables/data/records.h"
#include "trees/candidates/evaluation_counts.h"

#include <math.h>
#include <string.h>

enum { OWNERS = SUM_OWNERS, ROWS = 300, VALUES_MAX = 80, SCORE_CELLS = 64 };

static void assert_near(double value, double wanted, double within) {
    if (!(fabs(value - wanted) <= within)) fail_msg("%g is not within %g of %g", value, within, wanted);
}

/* Three owners' tables, all their records together, and a model of other records. */
typedef struct shared_world {
    table tables[OWNERS], all;
    hr_model *model;
    hr_shared_evaluation evaluation;
    size_t values;
} shared_world;

static table table_of_all(const shared_world *w, size_t classes) {
    table all = table_open(OWNERS * ROWS, 2);
    for (size_t o = 0; o < OWNERS; o++)
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t f = 0; f < 2; f++) all.columns[f][o * ROWS + i] = w->tables[o].columns[f][i];
            all.labels[o * ROWS + i] = w->tables[o].labels[i];
        }
    table_make_plain(&all, classes);
    return all;
}

static shared_world world_of(size_t classes, double epsilon, double delta) {
    shared_world w = {0};
    for (size_t o = 0; o < OWNERS; o++) w.tables[o] = table_of_steps(ROWS, 2, classes, 20 + o);
    w.all = table_of_all(&w, classes);
    table train = table_of_steps(60, 2, classes, 5);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.trees = 40; /* scores that reach most bins */
    w.model = fit(train.data, &options);
    table_close(&train);
    w.evaluation = (hr_shared_evaluation){hr_model_schema(w.model), w.model, epsilon, delta, OWNERS, 1};
    w.values = hr_shared_evaluation_values(hr_model_schema(w.model));
    assert_true(w.values <= VALUES_MAX);
    return w;
}

static void world_done(shared_world *w) {
    for (size_t o = 0; o < OWNERS; o++) table_close(&w->tables[o]);
    table_close(&w->all);
    hr_model_free(w->model);
}

static hr_budget budget_of(const shared_world *w) {
    hr_budget budget;
    hr_error err = {0};
    if (hr_shared_evaluation_check(&w->evaluation, &budget, &err)) fail_msg("%s", err.message);
    return budget;
}

static hr_status answer_of(const shared_world *w, size_t owner, const hr_data *data, const sum_gate *g,
                           uint64_t out[VALUES_MAX]) {
    hr_charge charges[HR_STATISTICS_MAX];
    size_t counts[HR_STATISTICS_MAX];
    hr_exact exact[VALUES_MAX];
    hr_error err = {0};
    const hr_budget budget = budget_of(w);
    const sum_lines lines = {charges, counts,
                             hr_shared_evaluation_lines(&w->evaluation, &budget, charges, counts),
                             hr_noise_shares(w->evaluation.members, w->evaluation.coalition)};
    if (hr_shared_evaluation_count(&w->evaluation, data, exact, &err)) fail_msg("%s", err.message);
    return sum_answer(g, owner, &lines, exact, out);
}

/* The sum of all owners' answers; of exact ones where the measure is HR_PRIVACY_NONE. */
static void sum_of(const shared_world *w, hr_privacy_measure measure, uint64_t seed,
                   int64_t out[VALUES_MAX]) {
    uint64_t answer[VALUES_MAX], sums[VALUES_MAX] = {0};
    for (size_t o = 0; o < OWNERS; o++) {
        sum_gate g = sum_gate_of(measure, budget_of(w).units, OWNERS * seed + o);
        assert_int_equal(answer_of(w, o, w->tables[o].data, &g, answer), HR_OK);
        for (size_t i = 0; i < w->values; i++) sums[i] += answer[i];
        sum_gate_done(&g);
    }
    for (size_t i = 0; i < w->values; i++) out[i] = (int64_t)sums[i];
}

static hr_evaluation result_of(const shared_world *w, const int64_t sums[VALUES_MAX]) {
    const hr_budget budget = budget_of(w);
    hr_noisy noisy[VALUES_MAX];
    hr_evaluation made;
    hr_error err = {0};
    uint64_t unused[VALUES_MAX];
    sum_gate g = sum_gate_of(budget.privacy_measure, budget.units, 1);
    assert_int_equal(answer_of(w, 0, w->tables[0].data, &g, unused), HR_OK);
    for (size_t i = 0; i < w->values; i++) noisy[i].paid = sums[i];
    if (hr_shared_evaluation_result(&w->evaluation, noisy, g.gate, &made, &err)) fail_msg("%s", err.message);
    sum_gate_done(&g);
    return made;
}

static double value_of(const hr_evaluation *made, const char *name) {
    for (size_t i = 0; i < made->figure_count; i++)
        if (strcmp(made->figures[i].name, name) == 0) return made->figures[i].value;
    fail_msg("there is no figure %s", name);
    return 0;
}

/* ---- Figures ---- */

static void test_shared_evaluation__exact_answers_give_the_figures_of_all_records(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        shared_world w = world_of(classes, 1000, 0);
        int64_t sums[VALUES_MAX];
        sum_of(&w, HR_PRIVACY_NONE, 1, sums);
        const hr_evaluation made = result_of(&w, sums);
        const hr_metrics exact = metrics_of(w.model, w.all.data);
        assert_near(value_of(&made, "records"), OWNERS * ROWS, 1e-9);
        if (classes) {
            assert_near(value_of(&made, "error"), exact.error, 1e-9);
            assert_near(value_of(&made, "logloss"), exact.logloss, 1e-3);
        } else {
            assert_near(value_of(&made, "rmse"), exact.rmse, 1e-3);
            assert_near(value_of(&made, "mae"), exact.mae, 1e-3);
        }
        if (classes == 2) assert_near(value_of(&made, "auc"), exact.auc, .02);
        world_done(&w);
    }
}

static void test_shared_evaluation__one_answer_alone_tells_nothing(void **state) {
    (void)state;
    shared_world w = world_of(2, 1000, 0);
    uint64_t answer[VALUES_MAX];
    sum_gate g = sum_gate_of(HR_PRIVACY_NONE, 0, 1);
    size_t large = 0;
    assert_int_equal(answer_of(&w, 0, w.tables[0].data, &g, answer), HR_OK);
    for (size_t i = 0; i < w.values; i++) large += answer[i] > 1u << 30;
    assert_true(large > w.values / 2);
    sum_gate_done(&g);
    world_done(&w);
}

/* Whether an owner has a record is a fact of its records: it answers as all others do. */
static void test_shared_evaluation__no_records_add_nothing(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        shared_world w = world_of(classes, 1000, 0);
        hr_data *empty = hr_data_take(w.tables[1].data, NULL, 0);
        int64_t full[VALUES_MAX], sums[VALUES_MAX];
        uint64_t answer[VALUES_MAX], without[VALUES_MAX];
        assert_non_null(empty);
        sum_gate g[] = {sum_gate_of(HR_PRIVACY_NONE, 0, 1), sum_gate_of(HR_PRIVACY_NONE, 0, 1)};
        assert_int_equal(answer_of(&w, 1, empty, &g[0], without), HR_OK);
        assert_int_equal(answer_of(&w, 1, w.tables[1].data, &g[1], answer), HR_OK);
        sum_of(&w, HR_PRIVACY_NONE, 1, full);
        for (size_t i = 0; i < w.values; i++) sums[i] = (int64_t)((uint64_t)full[i] - answer[i] + without[i]);
        const hr_evaluation made = result_of(&w, sums);
        assert_near(value_of(&made, "records"), (OWNERS - 1) * ROWS, 1e-9);
        for (size_t i = 0; i < 2; i++) sum_gate_done(&g[i]);
        hr_data_free(empty);
        world_done(&w);
    }
}

/* ---- What one record changes, and what is charged for it ---- */

/* Numbers a line has, in the order of the lines. */
static const size_t number_sizes[] = {1, 1, 1}, binary_sizes[] = {4, 1, SCORE_CELLS}, class_sizes[] = {6, 1};

static void test_shared_evaluation__one_record_changes_no_line_by_more_than_is_charged(void **state) {
    (void)state;
    static const struct {
        size_t classes, lines;
        const size_t *sizes;
        uint64_t sensitivities[3];
    } cases[] = {
        {0, 3, number_sizes, {HR_COUNT_SENSITIVITY, HR_MISS_SENSITIVITY, HR_MISS_SENSITIVITY}},
        {2, 3, binary_sizes, {HR_COUNT_SENSITIVITY, HR_LOSS_SENSITIVITY, HR_COUNT_SENSITIVITY}},
        {3, 2, class_sizes, {HR_COUNT_SENSITIVITY, HR_LOSS_SENSITIVITY}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        shared_world w = world_of(cases[k].classes, 1, 0);
        uint64_t before[VALUES_MAX], after[VALUES_MAX];
        for (size_t rows = 100; rows < 120; rows++) {
            table t[] = {table_of_steps(rows, 2, cases[k].classes, 9),
                         table_of_steps(rows + 1, 2, cases[k].classes, 9)};
            sum_gate g[] = {sum_gate_of(HR_PRIVACY_NONE, 0, 1), sum_gate_of(HR_PRIVACY_NONE, 0, 1)};
            assert_int_equal(answer_of(&w, 0, t[0].data, &g[0], before), HR_OK);
            assert_int_equal(answer_of(&w, 0, t[1].data, &g[1], after), HR_OK);
            size_t lines;
            const hr_release *releases = hr_gate_releases(g[0].gate, &lines);
            assert_int_equal(lines, cases[k].lines);
            for (size_t i = 0, at = 0; i < lines; i++) {
                double change = 0;
                for (size_t c = 0; c < cases[k].sizes[i]; c++, at++)
                    change += fabs((double)(int64_t)(after[at] - before[at]));
                assert_true(change <= (double)releases[i].sensitivity);
                assert_int_equal(releases[i].sensitivity, cases[k].sensitivities[i]);
            }
            for (size_t i = 0; i < 2; i++) sum_gate_done(&g[i]), table_close(&t[i]);
        }
        world_done(&w);
    }
}

static void test_shared_evaluation__lines_cost_the_budget_together(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        shared_world w = world_of(classes, .5, 0);
        int64_t sums[VALUES_MAX];
        sum_of(&w, HR_PRIVACY_PURE, 1, sums);
        const hr_evaluation made = result_of(&w, sums);
        double cost = 0;
        for (size_t i = 0; i < made.release_count; i++) cost += made.releases[i].cost;
        assert_near(cost, .5, 1e-6);
        assert_near(made.epsilon, .5, 1e-9);
        assert_non_null(strstr(made.statement, "1 of the owners add no noise"));
        world_done(&w);
    }
}

/* A gate that has answered has nothing left for a second answer, and gives none. */
static void test_shared_evaluation__answers_once_for_its_budget(void **state) {
    (void)state;
    shared_world w = world_of(2, .5, 0);
    uint64_t answer[VALUES_MAX], untouched[VALUES_MAX] = {0};
    sum_gate g = sum_gate_of(HR_PRIVACY_PURE, budget_of(&w).units, 1);
    assert_int_equal(answer_of(&w, 0, w.tables[0].data, &g, answer), HR_OK);
    memset(answer, 0, sizeof answer);
    assert_int_equal(answer_of(&w, 0, w.tables[0].data, &g, answer), HR_E_BUDGET);
    assert_memory_equal(answer, untouched, sizeof answer);
    sum_gate_done(&g);
    world_done(&w);
}

/* ---- Noise ---- */

/* Two of three owners are counted on: the sum has 3/2 of the variance that is paid for. The mean of the 40 x
 * 68 squares is of so many independent draws; coins are fixed, and other seeds were within 12 %. */
static void assert_noise(double delta) {
    shared_world w = world_of(2, 1, delta);
    const hr_budget budget = budget_of(&w);
    int64_t exact[VALUES_MAX], noisy[VALUES_MAX];
    double squares = 0, loss_squares = 0;
    const double paid_loss =
        hr_noise_deviation(budget.privacy_measure, hr_units_share(budget.units, .3), HR_LOSS_SENSITIVITY);
    const double paid =
        hr_noise_deviation(budget.privacy_measure, hr_units_share(budget.units, .35), HR_COUNT_SENSITIVITY);
    enum { RUNS = 40, LOSSES = 4 };
    sum_of(&w, HR_PRIVACY_NONE, 1, exact);
    for (uint64_t run = 0; run < RUNS; run++) {
        sum_of(&w, budget.privacy_measure, 100 + run, noisy);
        for (size_t i = 0; i < w.values; i++)
            *(i == LOSSES ? &loss_squares : &squares) += pow((double)(noisy[i] - exact[i]), 2);
    }
    assert_near(squares / (double)(RUNS * (w.values - 1)) / (paid * paid), 1.5, .3);
    assert_near(loss_squares / RUNS / (paid_loss * paid_loss), 1.5, 1);
    const hr_evaluation made = result_of(&w, exact);
    assert_near(made.figures[0].noise, sqrt(4 * 1.5) * paid / HR_COUNT_UNIT, 1e-9);
    world_done(&w);
}

static void test_shared_evaluation__noise_is_enough_without_a_coalition(void **state) {
    (void)state;
    assert_noise(0);
    assert_noise(1e-5);
}

/* ---- What is refused, before anything can be charged ---- */

/* A model of the same schema whose guarantee is for persons. */
static hr_model *model_of_persons(const shared_world *w) {
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    hr_model *model = fit(w->tables[0].data, &options);
    model->guarantee.unit = "one person";
    return model;
}

static void test_shared_evaluation__refuses_amounts_persons_and_other_schemas(void **state) {
    (void)state;
    shared_world w = world_of(2, 1, 0);
    const hr_shared_evaluation good = w.evaluation;
    hr_model *persons = model_of_persons(&w);
    const struct {
        hr_shared_evaluation e;
        hr_status status;
        const char *says;
    } cases[] = {
        {{good.schema, good.model, 0, 0, 3, 1}, HR_E_ARGUMENT, "0 < E <= 10000"},
        {{good.schema, good.model, 1, 1, 3, 1}, HR_E_ARGUMENT, "0 <= D < 1"},
        {{good.schema, good.model, 1, 0, 0, 1}, HR_E_ARGUMENT, "1 to 256"},
        {{good.schema, good.model, 1, 0, 257, 1}, HR_E_ARGUMENT, "1 to 256"},
        {{good.schema, good.model, 1e-12, 0, 3, 1}, HR_E_BUDGET, ""},
        {{good.schema, persons, 1, 0, 3, 1}, HR_E_POLICY, "the model protects persons"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_error err = {0};
        hr_budget budget;
        hr_status status = hr_shared_evaluation_check(&cases[i].e, &budget, &err);
        if (status != cases[i].status || !strstr(err.message, cases[i].says))
            fail_msg("case %zu: %d, %s", i, (int)status, err.message);
    }
    table other = table_of_steps(ROWS, 2, 3, 1);
    hr_exact exact[VALUES_MAX];
    assert_int_equal(hr_shared_evaluation_count(&good, other.data, exact, NULL), HR_E_SCHEMA);
    table_close(&other);
    hr_model_free(persons);
    world_done(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_evaluation__exact_answers_give_the_figures_of_all_records),
        cmocka_unit_test(test_shared_evaluation__one_answer_alone_tells_nothing),
        cmocka_unit_test(test_shared_evaluation__no_records_add_nothing),
        cmocka_unit_test(test_shared_evaluation__one_record_changes_no_line_by_more_than_is_charged),
        cmocka_unit_test(test_shared_evaluation__lines_cost_the_budget_together),
        cmocka_unit_test(test_shared_evaluation__answers_once_for_its_budget),
        cmocka_unit_test(test_shared_evaluation__noise_is_enough_without_a_coalition),
        cmocka_unit_test(test_shared_evaluation__refuses_amounts_persons_and_other_schemas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
