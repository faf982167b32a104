/* What hedge draws more often as gains come in: expectations worked out by hand from the rules, draws by
 * chi-square at a false-alarm rate of 1e-6. */
#include "methods/hedge/bandit.h"
#include "privacy/sample.h"
#include "support/chi_square.h"
#include "support/tables.h"

enum { FEATURES = 6, PAIRS = FEATURES * FEATURES, DRAWS = 20000, ROUNDS = 200, WARM = 2 * FEATURES };

static const bool all_usable[FEATURES] = {true, true, true, true, true, true};

typedef struct player {
    hr_csprng *csprng;
    hr_bandit *bandit;
} player;

static player player_limited(const bool *usable, size_t features, const hr_interactions *interactions,
                             uint64_t seed) {
    player p;
    assert_int_equal(hr_csprng_open_seeded(seed, &p.csprng, NULL), HR_OK);
    assert_int_equal(hr_bandit_new(usable, features, interactions, ROUNDS, &p.bandit, NULL), HR_OK);
    return p;
}

static player player_open(const bool *usable, size_t features, uint64_t seed) {
    return player_limited(usable, features, NULL, seed);
}

static void player_close(player *p) {
    hr_bandit_free(p->bandit);
    hr_csprng_close(p->csprng);
}

static void learn_feature(player *p, uint32_t feature, double gain) {
    hr_bandit_learn(p->bandit, &(hr_tree_subject){HR_TREE_ONE, {feature, 0}}, gain);
}

/* As draws name it: the larger feature first. */
static void learn_pair(player *p, uint32_t a, uint32_t b, double gain) {
    hr_bandit_learn(p->bandit, &(hr_tree_subject){HR_TREE_PAIR, {a > b ? a : b, a > b ? b : a}}, gain);
}

static void learn_all(player *p, double gain) {
    hr_bandit_learn(p->bandit, &(hr_tree_subject){HR_TREE_ALL, {0, 0}}, gain);
}

static void check_kinds(player *p, double one, double pair, double all) {
    const double probability[HR_TREE_KINDS] = {one, pair, all};
    uint64_t seen[HR_TREE_KINDS] = {0};
    for (int i = 0; i < DRAWS; i++) seen[hr_bandit_kind(p->bandit, p->csprng)]++;
    for (int k = 0; k < HR_TREE_KINDS; k++) assert_true(probability[k] > 0 || !seen[k]);
    if (seen[HR_TREE_ONE] == DRAWS && one >= 1) return; /* the only kind has no law */
    assert_true(chi_square_fits(seen, probability, HR_TREE_KINDS, DRAWS));
}

static void check_weights(const player *p, const double *wanted) {
    for (size_t f = 0; f < FEATURES; f++) {
        double weight = hr_bandit_weights(p->bandit)[f];
        if (fabs(weight - wanted[f]) > 1e-9)
            fail_msg("feature %zu: weight %g, wanted %g", f, weight, wanted[f]);
    }
}

/* wanted[a * FEATURES + b], a > b, in any unit. */
static void check_pairs(player *p, const double *wanted) {
    double probability[PAIRS], sum = 0;
    uint64_t seen[PAIRS] = {0};
    for (size_t i = 0; i < PAIRS; i++) sum += wanted[i];
    for (size_t i = 0; i < PAIRS; i++) probability[i] = wanted[i] / sum;
    for (int i = 0; i < DRAWS; i++) {
        uint32_t pair[2] = {99, 99};
        hr_bandit_pair(p->bandit, p->csprng, pair);
        assert_true(pair[1] < pair[0] && pair[0] < FEATURES);
        assert_true(wanted[pair[0] * FEATURES + pair[1]] > 0);
        seen[pair[0] * FEATURES + pair[1]]++;
    }
    assert_true(chi_square_fits(seen, probability, PAIRS, DRAWS));
}

static void fill_pairs(double *wanted, double value) {
    for (size_t i = 0; i < PAIRS; i++) wanted[i] = i % FEATURES < i / FEATURES ? value : 0;
}

/* ---- Features ---- */

static void test_bandit__treats_features_alike_at_first(void **state) {
    (void)state;
    static const double ones[FEATURES] = {1, 1, 1, 1, 1, 1};
    player p = player_open(all_usable, FEATURES, 1);
    learn_feature(&p, 2, 100);
    for (size_t t = 0; t < WARM; t++) {
        hr_bandit_start_round(p.bandit, t);
        check_weights(&p, ones);
    }
    hr_bandit_start_round(p.bandit, WARM);
    static const double wanted[FEATURES] = {.5, .5, 10.5, .5, .5, .5}; /* 10, and .3 of the mean 10/6 */
    check_weights(&p, wanted);
    player_close(&p);
}

/* Gains 4, then 9: .6 * 4 + .4 * 9 = 6; a first gain counts in full, a negative one as 0. */
static void test_bandit__averages_gains_of_a_feature(void **state) {
    (void)state;
    player p = player_open(all_usable, FEATURES, 2);
    learn_feature(&p, 1, 4), learn_feature(&p, 1, 9);
    learn_feature(&p, 5, 25);
    learn_feature(&p, 0, -7);
    learn_feature(&p, 4, 1), learn_feature(&p, 4, -1); /* .6 - .4 */
    learn_pair(&p, 3, 2, 1e6);                         /* a pair's gain is not its features' */
    hr_bandit_start_round(p.bandit, WARM + 3);
    double low = .3 * (sqrt(6) + 5 + sqrt(.2)) / FEATURES;
    const double wanted[FEATURES] = {low, sqrt(6) + low, low, low, sqrt(.2) + low, 5 + low};
    check_weights(&p, wanted);
    double sum = 0, probability[FEATURES];
    uint64_t seen[FEATURES] = {0};
    for (size_t f = 0; f < FEATURES; f++) sum += wanted[f];
    for (size_t f = 0; f < FEATURES; f++) probability[f] = wanted[f] / sum;
    for (int i = 0; i < DRAWS; i++) seen[hr_bandit_feature(p.bandit, p.csprng)]++;
    assert_true(chi_square_fits(seen, probability, FEATURES, DRAWS));
    player_close(&p);
}

static void test_bandit__never_draws_what_cannot_split(void **state) {
    (void)state;
    static const bool usable[FEATURES] = {false, true, false, true, true, false};
    player p = player_open(usable, FEATURES, 3);
    learn_feature(&p, 0, 100);
    learn_pair(&p, 0, 1, 100);
    for (size_t t = 0; t < 2 * WARM; t++) {
        hr_bandit_start_round(p.bandit, t);
        for (int i = 0; i < 300; i++) {
            uint32_t pair[2];
            hr_bandit_pair(p.bandit, p.csprng, pair);
            assert_true(usable[hr_bandit_feature(p.bandit, p.csprng)] && usable[pair[0]] && usable[pair[1]] &&
                        pair[0] != pair[1]);
        }
        for (size_t f = 0; f < FEATURES; f++) assert_int_equal(hr_bandit_weights(p.bandit)[f] > 0, usable[f]);
    }
    player_close(&p);
}

/* ---- Pairs ---- */

static void test_bandit__draws_every_pair_alike_at_first(void **state) {
    (void)state;
    player p = player_open(all_usable, FEATURES, 4);
    double wanted[PAIRS];
    fill_pairs(wanted, 1);
    hr_bandit_start_round(p.bandit, 0);
    check_pairs(&p, wanted);
    player_close(&p);
}

/* What is told of a pair comes back as that pair: 1 of it, 0 of the others, and .3 of the mean to all. */
static void test_bandit__knows_pairs_apart(void **state) {
    (void)state;
    for (uint32_t a = 1; a < FEATURES; a++)
        for (uint32_t b = 0; b < a; b++) {
            player p = player_open(all_usable, FEATURES, 5 + a * FEATURES + b);
            for (uint32_t c = 1; c < FEATURES; c++)
                for (uint32_t d = 0; d < c; d++) learn_pair(&p, c, d, c == a && d == b ? 1 : -1);
            hr_bandit_start_round(p.bandit, 0);
            double wanted[PAIRS], low = .3 / 15;
            fill_pairs(wanted, low);
            wanted[a * FEATURES + b] += 1;
            check_pairs(&p, wanted);
            player_close(&p);
        }
}

/* Tried: 16 and 4, after 0 and .4 * 10; the mean 3 stands for the untried. Weights of features: 4 twice as
 * sure as 0 adds. */
static void test_bandit__weighs_pairs_by_gain_and_features(void **state) {
    (void)state;
    player p = player_open(all_usable, FEATURES, 50);
    learn_pair(&p, 2, 0, 16);
    learn_pair(&p, 4, 3, 0), learn_pair(&p, 4, 3, 10);
    hr_bandit_start_round(p.bandit, 0);
    double wanted[PAIRS];
    fill_pairs(wanted, 3 + .9);
    wanted[2 * FEATURES + 0] = 4 + .9;
    wanted[4 * FEATURES + 3] = 2 + .9;
    check_pairs(&p, wanted);
    learn_feature(&p, 5, 36); /* weights 6.3 and .3: a pair with it counts sqrt(21) of the others */
    hr_bandit_start_round(p.bandit, WARM);
    for (size_t b = 0; b < 5; b++) wanted[5 * FEATURES + b] *= sqrt(21);
    check_pairs(&p, wanted);
    player_close(&p);
}

/* The law written out pair by pair: gains of pairs and features come from released values, so that any may
 * be. */
static void find_law(size_t features, const double *weights, const double *gains, const bool *tried,
                     double *wanted) {
    double mean = 0;
    size_t count = 0;
    for (size_t i = 0; i < features * features; i++)
        if (tried[i]) mean += sqrt(fmax(gains[i], 0)), count++;
    mean = count ? mean / (double)count : 1;
    for (size_t a = 0; a < features; a++)
        for (size_t b = 0; b < features; b++) {
            size_t i = a * features + b;
            double root = tried[i] ? sqrt(fmax(gains[i], 0)) : mean;
            wanted[i] = b < a ? (root + .3 * mean + 1e-12) * sqrt(weights[a] * weights[b]) : 0;
        }
}

/* Bandits that were told of 0, 1, 2, ... random pairs and features, some of which cannot be used. */
static void test_bandit__draws_pairs_by_the_law(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        bool usable[FEATURES], tried[PAIRS] = {false};
        double gains[PAIRS] = {0}, wanted[PAIRS];
        for (size_t f = 0; f < FEATURES; f++) usable[f] = f < 2 || (seed + f) % 3 > 0;
        player p = player_open(usable, FEATURES, 1000 + seed);
        for (uint64_t told = 0; told < seed; told++) {
            uint32_t a = 1 + (uint32_t)hr_uniform(p.csprng, FEATURES - 1),
                     b = (uint32_t)hr_uniform(p.csprng, a);
            double gain = pow(10, (double)hr_uniform(p.csprng, 6)) - 9;
            size_t i = a * FEATURES + b;
            gains[i] = tried[i] ? gains[i] + .4 * (gain - gains[i]) : gain;
            tried[i] = true;
            learn_pair(&p, a, b, gain);
            if (told % 3 == 0) learn_feature(&p, a, gain);
        }
        hr_bandit_start_round(p.bandit, WARM);
        find_law(FEATURES, hr_bandit_weights(p.bandit), gains, tried, wanted);
        check_pairs(&p, wanted);
        player_close(&p);
    }
}

/* Room and time grow with the features, not with their pairs: a table of so many pairs would take 18 TB. */
static void test_bandit__takes_a_million_features(void **state) {
    (void)state;
    enum { MANY = 1000000 };
    bool *usable = malloc(MANY * sizeof *usable);
    assert_non_null(usable);
    for (size_t f = 0; f < MANY; f++) usable[f] = true;
    player p = player_open(usable, MANY, 68);
    learn_pair(&p, MANY - 1, 5, 1e30);
    hr_bandit_start_round(p.bandit, 0);
    for (int i = 0; i < 10; i++) {
        uint32_t pair[2];
        hr_bandit_pair(p.bandit, p.csprng, pair);
        assert_true(pair[1] < pair[0] && pair[0] < MANY);
    }
    player_close(&p);
    free(usable);
}

/* ---- Interactions ---- */

static uint32_t of_two[] = {0, 3}, of_three[] = {1, 2, 4}, of_both[] = {2, 5};
static hr_feature_group groups[] = {{of_two, 2}, {of_three, 3}, {of_both, 2}};
static const hr_interactions no_pairs = {.rule = HR_INTERACTIONS_NONE},
                             pairs = {.rule = HR_INTERACTIONS_PAIRS},
                             grouped = {HR_INTERACTIONS_GROUPS, groups, 3};

static bool is_allowed(size_t a, size_t b) {
    static const size_t allowed[][2] = {{3, 0}, {2, 1}, {4, 1}, {4, 2}, {5, 2}};
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (allowed[i][0] == a && allowed[i][1] == b) return true;
    return false;
}

/* The law of all pairs, of which those are left that share a group. */
static void test_bandit__draws_pairs_within_groups_by_the_law(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        bool usable[FEATURES], tried[PAIRS] = {false};
        double gains[PAIRS] = {0}, wanted[PAIRS];
        for (size_t f = 0; f < FEATURES; f++) usable[f] = f == 2 || f == 4 || (seed + f) % 3 > 0;
        player p = player_limited(usable, FEATURES, &grouped, 2000 + seed);
        for (uint64_t told = 0; told < seed; told++) {
            uint32_t a, b;
            do a = 1 + (uint32_t)hr_uniform(p.csprng, FEATURES - 1), b = (uint32_t)hr_uniform(p.csprng, a);
            while (!is_allowed(a, b));
            double gain = pow(10, (double)hr_uniform(p.csprng, 4)) - 9;
            size_t i = a * FEATURES + b;
            gains[i] = tried[i] ? gains[i] + .4 * (gain - gains[i]) : gain;
            tried[i] = true;
            learn_pair(&p, a, b, gain);
            if (told % 3 == 0) learn_feature(&p, a, gain);
        }
        hr_bandit_start_round(p.bandit, WARM);
        find_law(FEATURES, hr_bandit_weights(p.bandit), gains, tried, wanted);
        for (size_t i = 0; i < PAIRS; i++)
            if (!is_allowed(i / FEATURES, i % FEATURES)) wanted[i] = 0;
        check_pairs(&p, wanted);
        player_close(&p);
    }
}

/* Weights 1, 1, 1, 1, 1, 1, then one of 10.5 among .5. */
static void test_bandit__draws_groups_by_what_their_features_weigh(void **state) {
    (void)state;
    player p = player_limited(all_usable, FEATURES, &grouped, 71);
    for (int learned = 0; learned < 2; learned++) {
        const double wanted[2][3] = {{2. / 7, 3. / 7, 2. / 7}, {1. / 23.5, 11.5 / 23.5, 11. / 23.5}};
        uint64_t seen[3] = {0};
        hr_bandit_start_round(p.bandit, learned ? WARM : 0);
        for (int i = 0; i < DRAWS; i++) {
            uint32_t group = hr_bandit_group(p.bandit, p.csprng);
            assert_true(group < 3);
            seen[group]++;
        }
        assert_true(chi_square_fits(seen, wanted[learned], 3, DRAWS));
        learn_feature(&p, 2, 100);
    }
    player_close(&p);
}

/* A tree of a group is over the features of the group, by their weights. */
static void test_bandit__plans_trees_over_what_may_meet(void **state) {
    (void)state;
    player p = player_limited(all_usable, FEATURES, &grouped, 72);
    hr_bandit_start_round(p.bandit, 0);
    for (uint32_t g = 0; g < 3; g++) {
        hr_random_plan plan = {0};
        hr_bandit_plan(p.bandit, &(hr_tree_subject){HR_TREE_ALL, {g, 0}}, &plan);
        assert_int_equal(plan.feature_count, 0);
        for (uint32_t f = 0; f < FEATURES; f++)
            assert_true(plan.weights[f] == (hr_group_has(&groups[g], f) ? 1 : 0));
    }
    for (int i = 0; i < DRAWS / 10; i++) {
        hr_random_plan plan = {0};
        const hr_tree_subject s = hr_bandit_subject(p.bandit, p.csprng);
        hr_bandit_plan(p.bandit, &s, &plan);
        assert_int_equal(plan.feature_count, s.kind == HR_TREE_ONE ? 1 : s.kind == HR_TREE_PAIR ? 2 : 0);
        if (s.kind == HR_TREE_PAIR) assert_true(is_allowed(plan.features[0], plan.features[1]));
    }
    player_close(&p);
}

static void test_bandit__draws_the_kinds_that_interactions_allow(void **state) {
    (void)state;
    static const bool lonely[FEATURES] = {true, true, false, false, false, true};
    const struct {
        const hr_interactions *interactions;
        const bool *usable;
        double prior[HR_TREE_KINDS], learned[HR_TREE_KINDS];
    } laws[] = {{&no_pairs, all_usable, {1, 0, 0}, {1, 0, 0}},
                {&pairs, all_usable, {4. / 7, 3. / 7, 0}, {2. / 3, 1. / 3, 0}},
                {&grouped, all_usable, {.4, .3, .3}, {.5, .25, .25}},
                {&grouped, lonely, {1, 0, 0}, {1, 0, 0}}}; /* no group has two features that split */
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        player p = player_limited(laws[i].usable, FEATURES, laws[i].interactions, 80 + i);
        const double *prior = laws[i].prior, *learned = laws[i].learned;
        hr_bandit_start_round(p.bandit, 0);
        check_kinds(&p, prior[0], prior[1], prior[2]);
        learn_feature(&p, 0, 100);
        if (prior[1] > 0) learn_pair(&p, 3, 0, 50);
        if (prior[2] > 0) learn_all(&p, 50);
        hr_bandit_start_round(p.bandit, WARM);
        check_kinds(&p, learned[0], learned[1], learned[2]);
        player_close(&p);
    }
}

/* ---- Kinds ---- */

static void test_bandit__draws_kinds_by_their_priors_until_each_was_chosen(void **state) {
    (void)state;
    player p = player_open(all_usable, FEATURES, 60);
    hr_bandit_start_round(p.bandit, 0);
    check_kinds(&p, .4, .3, .3);
    learn_feature(&p, 0, 100);
    learn_pair(&p, 1, 0, 50);
    hr_bandit_start_round(p.bandit, 10 * WARM);
    check_kinds(&p, .4, .3, .3);
    learn_all(&p, 50);
    hr_bandit_start_round(p.bandit, WARM - 1);
    check_kinds(&p, .4, .3, .3);
    hr_bandit_start_round(p.bandit, WARM);
    check_kinds(&p, .5, .25, .25);
    player_close(&p);
}

/* Parts are kept within .15 and .85 and scaled to a sum of 1. */
static void test_bandit__keeps_every_kind_alive(void **state) {
    (void)state;
    player p = player_open(all_usable, FEATURES, 61);
    learn_feature(&p, 0, 100), learn_pair(&p, 1, 0, -3), learn_all(&p, 0);
    hr_bandit_start_round(p.bandit, WARM);
    check_kinds(&p, .85 / 1.15, .15 / 1.15, .15 / 1.15);
    learn_all(&p, 10000 / 7.); /* 7 % of it: level with the first */
    hr_bandit_start_round(p.bandit, WARM);
    check_kinds(&p, .5 / 1.15, .15 / 1.15, .5 / 1.15);
    player_close(&p);
}

static void test_bandit__goes_back_to_priors_without_gains(void **state) {
    (void)state;
    player p = player_open(all_usable, FEATURES, 62);
    learn_feature(&p, 0, -1), learn_pair(&p, 1, 0, -3), learn_all(&p, 0);
    hr_bandit_start_round(p.bandit, WARM);
    check_kinds(&p, .4, .3, .3);
    double wanted[PAIRS];
    fill_pairs(wanted, 1);
    check_pairs(&p, wanted);
    player_close(&p);
}

/* Nothing but one feature can split, or nothing at all: no pairs, and no harm. */
static void test_bandit__needs_two_features_for_pairs(void **state) {
    (void)state;
    static const bool one[3] = {false, true, false}, none[3] = {false, false, false};
    player p = player_open(one, 3, 63);
    hr_bandit_start_round(p.bandit, 0);
    check_kinds(&p, 4. / 7, 0, 3. / 7);
    for (int i = 0; i < 100; i++) assert_int_equal(hr_bandit_feature(p.bandit, p.csprng), 1);
    player_close(&p);
    p = player_open(one + 1, 1, 64);
    hr_bandit_start_round(p.bandit, 0);
    check_kinds(&p, 4. / 7, 0, 3. / 7);
    player_close(&p);
    p = player_open(none, 3, 65);
    for (size_t t = 0; t < 20; t++) {
        hr_bandit_start_round(p.bandit, t);
        assert_true(hr_bandit_feature(p.bandit, p.csprng) < 3);
    }
    player_close(&p);
    hr_bandit_free(NULL);
}

/* ---- Earlier trees ---- */

/* Gains 8, -5, 0, 4, of ages 3, 2, 1, 0. */
static void test_bandit__goes_back_to_rounds_by_gain_and_age(void **state) {
    (void)state;
    player p = player_open(all_usable, FEATURES, 66);
    learn_all(&p, 8), learn_feature(&p, 1, -5), learn_pair(&p, 1, 0, 0), learn_all(&p, 4);
    double faded = 8 * .95 * .95 * .95, sum = faded + 4;
    const double probability[4] = {faded / sum, 0, 0, 4 / sum};
    uint64_t seen[4] = {0};
    for (int i = 0; i < DRAWS; i++) {
        size_t past;
        assert_true(hr_bandit_past(p.bandit, p.csprng, &past) && past < 4 && probability[past] > 0);
        seen[past]++;
    }
    assert_true(chi_square_fits(seen, probability, 4, DRAWS));
    player_close(&p);
}

static void test_bandit__goes_back_to_no_round_that_did_not_gain(void **state) {
    (void)state;
    player p = player_open(all_usable, FEATURES, 67);
    size_t past;
    assert_false(hr_bandit_past(p.bandit, p.csprng, &past));
    for (int i = 0; i < 3; i++) learn_all(&p, -1);
    assert_false(hr_bandit_past(p.bandit, p.csprng, &past));
    learn_all(&p, .5);
    assert_true(hr_bandit_past(p.bandit, p.csprng, &past) && past == 3);
    player_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bandit__treats_features_alike_at_first),
        cmocka_unit_test(test_bandit__averages_gains_of_a_feature),
        cmocka_unit_test(test_bandit__never_draws_what_cannot_split),
        cmocka_unit_test(test_bandit__draws_every_pair_alike_at_first),
        cmocka_unit_test(test_bandit__knows_pairs_apart),
        cmocka_unit_test(test_bandit__weighs_pairs_by_gain_and_features),
        cmocka_unit_test(test_bandit__draws_pairs_by_the_law),
        cmocka_unit_test(test_bandit__takes_a_million_features),
        cmocka_unit_test(test_bandit__draws_pairs_within_groups_by_the_law),
        cmocka_unit_test(test_bandit__draws_groups_by_what_their_features_weigh),
        cmocka_unit_test(test_bandit__plans_trees_over_what_may_meet),
        cmocka_unit_test(test_bandit__draws_the_kinds_that_interactions_allow),
        cmocka_unit_test(test_bandit__draws_kinds_by_their_priors_until_each_was_chosen),
        cmocka_unit_test(test_bandit__keeps_every_kind_alive),
        cmocka_unit_test(test_bandit__goes_back_to_priors_without_gains),
        cmocka_unit_test(test_bandit__needs_two_features_for_pairs),
        cmocka_unit_test(test_bandit__goes_back_to_rounds_by_gain_and_age),
        cmocka_unit_test(test_bandit__goes_back_to_no_round_that_did_not_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
