/* Games of whole private evaluations on neighbouring tables (epsilon_bounds.h; false-alarm rate 1e-6 a game,
 * with the noise of the system's entropy). A twin that spends more than it is labelled with must be caught.
 */
#include "support/audit_games.h"
#include "support/tables.h"

enum { ROWS = 60, RUNS = 6000, RANGE = 2 };

typedef struct neighbours {
    table with;
    hr_data *without;
    hr_model *model;
} neighbours;

/* It predicts -1 below .5, and 1 above. */
static hr_model *model_of_a_step(void) {
    table t = table_open(ROWS, 2);
    for (size_t i = 0; i < ROWS; i++) {
        t.columns[0][i] = (double)i / ROWS;
        t.labels[i] = i < ROWS / 2 ? -1 : 1;
    }
    table_make_plain(&t, 0);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.trees = 1;
    options.depth = 1;
    options.learning_rate = 1;
    options.lambda = 0;
    hr_model *model = fit(t.data, &options);
    table_close(&t);
    return model;
}

/* What is predicted of the last record is as far from its label as can be. */
static neighbours neighbours_of(void) {
    neighbours n = {.with = table_open(ROWS + 1, 2), .model = model_of_a_step()};
    for (size_t i = 0; i <= ROWS; i++) n.with.labels[i] = i < ROWS ? (i % 2 ? .6 : -.6) : -1;
    n.with.columns[0][ROWS] = .99;
    table_make_plain(&n.with, 0);
    assert_int_equal(hr_data_from_arrays(n.with.schema, ROWS, (const double *const *)n.with.columns,
                                         n.with.labels, &n.without, NULL),
                     HR_OK);
    return n;
}

static void neighbours_close(neighbours *n) {
    hr_data_free(n->without);
    hr_model_free(n->model);
    table_close(&n->with);
}

/* The three noisy sums, back from the figures that are made of them. */
static void sums_of(const neighbours *n, const hr_data *data, const hr_evaluation_options *options,
                    double sums[3]) {
    hr_evaluation made;
    assert_int_equal(hr_evaluate_private(n->model, data, options, &made, NULL), HR_OK);
    double records = made.figures[0].value, rmse = made.figures[1].value / RANGE;
    sums[0] = records;
    sums[1] = records * rmse * rmse;
    sums[2] = records * made.figures[2].value / RANGE;
}

/* The logarithm of the likelihood ratio of Laplace noise: of line k if k < 3, else of all lines. */
static double ratio_of(const double seen[3], double expected[2][3], const double costs[3], size_t k) {
    double sum = 0;
    for (size_t i = 0; i < 3; i++) {
        double change = fmax(fabs(expected[1][i] - expected[0][i]), 1e-9);
        if (k < 3 && k != i) continue;
        sum += costs[i] * (fabs(seen[i] - expected[1][i]) - fabs(seen[i] - expected[0][i])) / fmax(change, 1);
    }
    return sum;
}

/* Lower bounds of epsilon: of each line by itself, and of all. */
static void play(double epsilon, double bounds[4]) {
    static double ratios[4][2][RUNS];
    neighbours n = neighbours_of();
    hr_evaluation_options options = HR_EVALUATION_OPTIONS_INIT;
    const double costs[3] = {.1 * epsilon, .7 * epsilon, .2 * epsilon};
    double expected[2][3], sums[3];
    options.threads = 1;
    options.epsilon = 10000; /* nearly exact */
    for (int side = 0; side < 2; side++)
        sums_of(&n, side ? n.with.data : n.without, &options, expected[side]);
    options.epsilon = epsilon;
    for (int side = 0; side < 2; side++)
        for (size_t run = 0; run < RUNS; run++) {
            sums_of(&n, side ? n.with.data : n.without, &options, sums);
            for (size_t k = 0; k < 4; k++) ratios[k][side][run] = ratio_of(sums, expected, costs, k);
        }
    for (size_t k = 0; k < 4; k++) bounds[k] = epsilon_of_statistic(ratios[k][0], ratios[k][1], RUNS);
    neighbours_close(&n);
}

static const double parts[4] = {.1, .7, .2, 1};
static const char *const names[4] = {"records", "squares of misses", "misses", "all lines"};

static void test_game__is_quiet(void **state) {
    (void)state;
    const double epsilons[] = {2, 3}; /* 6000 runs show no more than 5 */
    for (size_t i = 0; i < COUNT(epsilons); i++) {
        double bounds[4];
        play(epsilons[i], bounds);
        for (size_t k = 0; k < 4; k++) {
            char name[60];
            snprintf(name, sizeof name, "W12 %s at %g", names[k], epsilons[i]);
            assert_result_quiet(&(game_result){name, parts[k] * epsilons[i], bounds[k], RUNS});
        }
    }
}

/* Twice the epsilon, or half of the sensitivity, of each line. */
static void test_game__catches_twice_the_epsilon(void **state) {
    (void)state;
    const double epsilons[4] = {12, 3, 8, 2}; /* as labelled */
    for (size_t k = 0; k < 4; k++) {
        double bounds[4];
        play(2 * epsilons[k], bounds);
        print_message("%-20s claimed %.2f  at least %.3f\n", names[k], parts[k] * epsilons[k], bounds[k]);
        assert_true(bounds[k] > parts[k] * epsilons[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_game__is_quiet),
        cmocka_unit_test(test_game__catches_twice_the_epsilon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
