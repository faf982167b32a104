/* ID3 against what it claims: the exact loss of all that it releases of neighbours, line by line as a gate
 * draws them, and whole trainings on tiny neighbouring tables (audit_games.h: seeds are fixed, false-alarm
 * rate 1e-6 a game; exact tests have none). */
#include "support/forest_checks.h"
#include "support/id3_neighbours.h"

/* ---- Exact losses ---- */

/* What numbers that are moved by a record lose under the line's scale: epsilon, of discrete Laplace noise; or
 * mu^2, of Gaussian noise, less the 6 that integers cost. */
static double loss_of(const hr_release *line, size_t moved) {
    double scale = (double)line->scale_num / (double)line->scale_den;
    if (line->mechanism == HR_MECHANISM_DISCRETE_LAPLACE) return 64 * (double)moved / scale;
    return 64. * 64 * (double)moved / (scale - 6);
}

/* Of all questions of a tree in which the record is counted to the last level. Each question is drawn from
 * under its own line; published, all under the first. */
static double loss_of_tree(hr_privacy_measure privacy_measure, size_t depth, bool published) {
    id3_neighbours n;
    hr_id3_question question;
    hr_gate *gate = NULL;
    hr_permit permit = {0};
    double loss = 0;
    size_t count, levels;
    assert_int_equal(hr_gate_new(privacy_measure, HR_UNIT, NULL, &gate, NULL), HR_OK);
    id3_neighbours_open(&n, privacy_measure, depth, published);
    for (size_t q = 0; hr_id3_next(n.id3, &question); q++) {
        if (!q || !published)
            assert_int_equal(hr_gate_charge_sums(gate, &question.line, &permit, NULL), HR_OK);
        loss += loss_of(&hr_gate_releases(gate, &count)[permit.line], id3_neighbours_moved(&n, &question));
    }
    assert_true(hr_id3_levels(n.id3, &levels) > 1);
    assert_int_equal(count, published ? 1 : levels + 1 + !depth);
    hr_gate_free(gate);
    id3_neighbours_close(&n);
    return loss;
}

static void test_loss__of_a_tree_is_its_budget(void **state) {
    (void)state;
    static const hr_privacy_measure measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_GDP};
    for (size_t i = 0; i < COUNT(measures); i++)
        for (size_t depth = 0; depth <= ID3_DEPTH; depth += ID3_DEPTH) {
            double loss = loss_of_tree(measures[i], depth, false);
            /* of an open depth the record is not counted at the last level: its node has one class */
            if (!(loss <= 1 && loss > (depth ? .98 : .8))) fail_msg("depth %zu loses %g of 1", depth, loss);
        }
}

/* A table of classes and one of bins, for each of the features asked: 4, 3 and 2; and a leaf. */
static void test_loss__of_the_published_tree_is_many_times_its_claim(void **state) {
    (void)state;
    assert_true(fabs(loss_of_tree(HR_PRIVACY_PURE, ID3_DEPTH, true) - (2 * (4 + 3 + 2) + 1)) < 1e-6);
}

/* ---- Games ---- */

/* Of those of all forests the ones of classes: pure epsilon, and a delta. Fits at `excess` times what they
 * claim are caught. */
static const size_t of_classes[] = {0, 2};
static const double excess[] = {10, 100};

static void test_game__finds_no_more_than_is_claimed_on_an_isolated_canary(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(of_classes); i++) {
        game g = isolated_canary("id3", 2, of_classes[i], RUNS_MAX);
        assert_quiet(&g, statistic_bound(&g));
        game_close(&g);
    }
}

static void test_game__catches_fits_at_far_more_than_they_claim(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(of_classes); i++) {
        game g = isolated_canary("id3", 2, of_classes[i], 3000);
        g.options.epsilon = excess[i] * g.claimed;
        assert_caught(&g, statistic_bound(&g));
        game_close(&g);
    }
}

static double root_is_split(const hr_model *model) {
    return model->forest.trees[0].nodes[0].left > 0;
}

/* Nine records of one class and a canary of the other: nearly all is spent on whether the root is split. */
static game split_root(double epsilon) {
    const forest_setting s = {false, 1, 1, 0, 0, 2, epsilon, 0};
    game g = {.name = "root is split",
              .options = options_of_forest("id3", &s),
              .claimed = 2,
              .runs = RUNS_MAX,
              .look = root_is_split};
    table t = table_open(10, 1);
    const hr_column feature = category_column("x", 2);
    for (size_t i = 0; i < t.rows; i++) t.columns[0][i] = 1 + (double)(i + 1 == t.rows);
    t.labels[t.rows - 1] = 1;
    game_make(&g, &t, category_column("y", 2), &feature);
    g.options.leaf_share = .01;
    return g;
}

static void test_game__finds_no_more_than_is_claimed_in_whether_the_root_is_split(void **state) {
    (void)state;
    game g = split_root(2);
    double bound = event_bound(&g);
    assert_quiet(&g, bound);
    assert_true(bound > .6 * g.claimed); /* most of it shows: half the noise would be caught */
    game_close(&g);
    g = split_root(20);
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loss__of_a_tree_is_its_budget),
        cmocka_unit_test(test_loss__of_the_published_tree_is_many_times_its_claim),
        cmocka_unit_test(test_game__finds_no_more_than_is_claimed_on_an_isolated_canary),
        cmocka_unit_test(test_game__catches_fits_at_far_more_than_they_claim),
        cmocka_unit_test(test_game__finds_no_more_than_is_claimed_in_whether_the_root_is_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
