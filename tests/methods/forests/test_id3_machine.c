/* The machine of ID3 alone, without a record: its questions, what they cost, when a node is a leaf, and lost
 * answers. */
#include "methods/forests/id3_machine.h"

#include "support/check.h"
#include "trees/tree/tree.h"

#include <math.h>

enum { FEATURES = 4, CLASSES = 2, BINS = 3, TABLE = BINS * CLASSES, COUNTS_MAX = 1 << 12 };

typedef struct world {
    hr_feature_bins features[FEATURES];
    hr_binning binning;
    hr_id3 *id3;
} world;

enum { RESERVE = 1 }; /* levels */

static void world_open(world *w, hr_privacy_measure privacy_measure, size_t depth, hr_units budget) {
    *w = (world){.binning = {FEATURES, w->features, NULL}};
    for (size_t f = 0; f < FEATURES; f++) w->features[f] = (hr_feature_bins){HR_KIND_CATEGORY, BINS, NULL};
    const hr_id3_terms terms = {privacy_measure, budget, &w->binning, CLASSES, depth, .25,
                                false,           5,      RESERVE,     0};
    assert_int_equal(hr_id3_check(&terms, NULL), HR_OK);
    assert_int_equal(hr_id3_new(&terms, &w->id3, NULL), HR_OK);
}

static hr_id3_question must_ask(const world *w) {
    hr_id3_question question;
    assert_true(hr_id3_next(w->id3, &question));
    assert_true(question.count <= COUNTS_MAX);
    return question;
}

/* Feature 3 parts the classes 3 to 1, the others say nothing; bin 0 is empty. */
static void tell(world *w, const hr_id3_question *question, double records) {
    static hr_noisy values[COUNTS_MAX];
    size_t at = 0;
    for (size_t q = 0; q < question->query_count; q++) {
        bool says = question->queries[q].feature == 3;
        for (size_t i = 0; i < TABLE; i++) {
            bool first = i / CLASSES == 1, same = first == (i % CLASSES == 0);
            values[at++].paid = i < CLASSES ? 0 : (int64_t)(64 * records * (says ? (same ? 3 : 1) : 2));
        }
    }
    assert_int_equal(at, question->count);
    assert_int_equal(hr_id3_accept(w->id3, values, 1, NULL), HR_OK);
}

static void tell_records(world *w, double records) {
    const hr_noisy values[CLASSES] = {{(int64_t)(64 * records / 2)}, {(int64_t)(64 * records / 2)}};
    assert_int_equal(hr_id3_accept(w->id3, values, 1, NULL), HR_OK);
}

static void tell_leaves(world *w, const hr_id3_question *question) {
    static hr_noisy values[COUNTS_MAX];
    for (size_t i = 0; i < question->count; i++) values[i].paid = 64 * (int64_t)(100 + 100 * (i % CLASSES));
    assert_int_equal(hr_id3_accept(w->id3, values, 1, NULL), HR_OK);
}

/* The root's tables; then those of its two children with records, without the feature that split it. */
static void test_machine__asks_each_open_node_about_features_not_asked_above(void **state) {
    (void)state;
    world w;
    world_open(&w, HR_PRIVACY_PURE, 2, HR_UNIT);
    hr_id3_question question = must_ask(&w), again = must_ask(&w);
    assert_true(question.query_count == FEATURES && question.count == FEATURES * TABLE &&
                !question.divided_count);
    assert_true(again.queries == question.queries && again.line.group == question.line.group);
    tell(&w, &question, 1e5);
    question = must_ask(&w);
    assert_true(question.divided_count == 1 && question.divided[0] == 0 && question.first[0] == 1);
    assert_true(question.divisions[0].every_bin && question.divisions[0].feature == 3);
    assert_int_equal(question.query_count, 2 * (FEATURES - 1));
    for (uint32_t q = 0; q < question.query_count; q++) {
        assert_true(question.queries[q].answer == HR_STATS_BINS && question.queries[q].node == 2 + q / 3);
        assert_int_equal(question.queries[q].feature, q % 3);
    }
    tell(&w, &question, 1e5); /* nothing is gained any more */
    question = must_ask(&w);
    assert_true(question.query_count == 1 && question.queries[0].answer == HR_STATS_LEAVES &&
                !question.queries[0].walk);
    assert_true(question.count == BINS * CLASSES && !question.divided_count &&
                question.queries[0].tree->node_count == 4);
    tell_leaves(&w, &question);
    assert_false(hr_id3_next(w.id3, &question));
    hr_id3_free(w.id3);
}

/* Without noise a node of two classes is split though nothing is gained; with noise it is a leaf. */
static void test_machine__splits_where_more_is_gained_than_noise_would_show(void **state) {
    (void)state;
    static const struct {
        hr_privacy_measure privacy_measure;
        double records;
        bool root, below;
    } cases[] = {{HR_PRIVACY_NONE, 1, true, true},
                 {HR_PRIVACY_PURE, 1e5, true, false},
                 {HR_PRIVACY_PURE, 3, false, false},
                 {HR_PRIVACY_GDP, 1e5, true, false},
                 {HR_PRIVACY_GDP, 3, false, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        world w;
        const double *said;
        world_open(&w, cases[i].privacy_measure, 2, HR_UNIT);
        hr_id3_question question = must_ask(&w);
        for (; question.queries[0].answer == HR_STATS_BINS; question = must_ask(&w))
            tell(&w, &question, cases[i].records);
        hr_tree tree = hr_id3_tree(w.id3, &said);
        assert_int_equal(tree.nodes[0].left > 0, cases[i].root);
        assert_int_equal(tree.node_count > 4, cases[i].below);
        hr_id3_free(w.id3);
    }
}

/* Forty features of 256 bins that say nothing: of the root's children as many are asked about as a question
 * has room for. */
static void test_machine__asks_no_more_than_there_is_room_for(void **state) {
    (void)state;
    enum { WIDE = 40, WIDE_BINS = 256, ALL = WIDE * WIDE_BINS * CLASSES };
    static hr_feature_bins features[WIDE];
    static hr_noisy values[ALL];
    hr_id3 *id3 = NULL;
    hr_id3_question question;
    for (size_t f = 0; f < WIDE; f++) features[f] = (hr_feature_bins){HR_KIND_CATEGORY, WIDE_BINS, NULL};
    for (size_t i = 0; i < ALL; i++) values[i].paid = 64;
    const hr_binning binning = {WIDE, features, NULL};
    const hr_id3_terms terms = {HR_PRIVACY_NONE, 0, &binning, CLASSES, 3, .25, false, 0, 0, 0};
    assert_int_equal(hr_id3_new(&terms, &id3, NULL), HR_OK);
    assert_true(hr_id3_next(id3, &question) && question.count == ALL);
    assert_int_equal(hr_id3_accept(id3, values, 1, NULL), HR_OK);
    assert_true(hr_id3_next(id3, &question));
    size_t of_node = (WIDE - 1) * WIDE_BINS * CLASSES, nodes = ((size_t)1 << 20) / of_node;
    assert_true(question.count == nodes * of_node && question.query_count == nodes * (WIDE - 1));
    hr_id3_free(id3);
}

/* ---- Costs ---- */

/* Every answer is lost that `lost` has a bit for. Returns how many questions there were. Depth 0: the records
 * are counted first. */
static size_t check_costs(hr_privacy_measure privacy_measure, size_t depth, unsigned lost) {
    world w;
    hr_id3_question question;
    hr_units spent = 0;
    size_t asked = 0;
    world_open(&w, privacy_measure, depth, HR_UNIT);
    for (; hr_id3_next(w.id3, &question); asked++) {
        bool records = !depth && !asked, leaves = !records && question.queries[0].answer == HR_STATS_LEAVES;
        if (records) assert_string_equal(question.line.what, "records by class");
        assert_true(question.line.group == 5 + asked && question.line.part == 0 && question.line.cost > 0);
        assert_true(question.line.cost <= HR_UNIT - spent);
        spent += question.line.cost;
        if (leaves) assert_true(spent == HR_UNIT && question.line.cost >= HR_UNIT / 4);
        if (lost >> asked & 1)
            assert_int_equal(hr_id3_accept(w.id3, NULL, 1, NULL), HR_OK);
        else if (records)
            tell_records(&w, 1e5);
        else if (leaves)
            tell_leaves(&w, &question);
        else
            tell(&w, &question, 1e5);
    }
    assert_true(spent == HR_UNIT);
    hr_id3_free(w.id3);
    return asked;
}

static void test_machine__spends_the_budget_whatever_is_lost(void **state) {
    (void)state;
    for (size_t depth = 1; depth <= FEATURES + 2; depth++)
        for (unsigned lost = 0; lost < 1 << 6; lost++) {
            size_t asked = check_costs(HR_PRIVACY_PURE, depth, lost);
            assert_true(asked >= 2 && asked <= 1 + RESERVE + (depth < FEATURES ? depth : FEATURES));
            assert_int_equal(check_costs(HR_PRIVACY_GDP, depth, lost), asked);
        }
}

static void test_machine__counts_the_records_within_the_budget(void **state) {
    (void)state;
    for (unsigned lost = 0; lost < 1 << 7; lost++) {
        size_t asked = check_costs(HR_PRIVACY_PURE, 0, lost);
        assert_true(asked >= 3 && asked <= 2 + RESERVE + FEATURES);
        assert_true(check_costs(HR_PRIVACY_GDP, 0, lost) >= 3);
    }
}

/* ---- Depth ---- */

/* The features' tables of two values, of 4 features in pure epsilon: level l of D + 1 has noise of a count
 * sqrt(2) (4 - l) (D + reserve)/.73 at epsilon 1, and a level needs 8 times as many records in a node. */
static size_t depth_by_hand(double records, double noise_factor) {
    size_t depth = 1;
    for (; depth < FEATURES; depth++) {
        const double cost = (1 - .25 - .02) / (double)(depth + 1 + RESERVE),
                     noise = noise_factor * sqrt(2) * (double)(FEATURES - depth) / cost;
        if (records / pow(BINS - 1, (double)depth) < 8 * noise) break;
    }
    return depth;
}

static size_t levels_of(double records, double noise_factor) {
    static hr_noisy values[CLASSES];
    size_t total = 0;
    world w;
    world_open(&w, HR_PRIVACY_PURE, 0, HR_UNIT);
    for (size_t k = 0; k < CLASSES; k++) values[k].paid = (int64_t)(64 * records / CLASSES);
    hr_id3_question question = must_ask(&w);
    assert_true(question.count == CLASSES && question.queries[0].answer == HR_STATS_LEAVES);
    assert_int_equal(hr_id3_accept(w.id3, records < 0 ? NULL : values, noise_factor, NULL), HR_OK);
    hr_id3_levels(w.id3, &total);
    question = must_ask(&w);
    assert_int_equal(question.count, FEATURES * TABLE);
    hr_id3_free(w.id3);
    return total;
}

static void test_machine__is_as_deep_as_the_records_allow(void **state) {
    (void)state;
    static const double factors[] = {1, 3};
    bool seen[FEATURES + 1] = {false};
    for (double records = 1; records < 1e5; records *= 1.07)
        for (size_t i = 0; i < COUNT(factors); i++) {
            const size_t depth = levels_of(records, factors[i]);
            assert_int_equal(depth, depth_by_hand(floor(64 * records / 2) / 32, factors[i]));
            seen[depth] = true;
        }
    for (size_t depth = 1; depth <= FEATURES; depth++) assert_true(seen[depth]);
    assert_int_equal(levels_of(-1, 1), HR_ID3_DEPTH); /* the answer is lost */
}

/* ---- Lost answers ---- */

static void test_machine__asks_for_a_lost_level_again(void **state) {
    (void)state;
    world w;
    const double *said;
    world_open(&w, HR_PRIVACY_PURE, 3, HR_UNIT);
    hr_id3_question question = must_ask(&w);
    tell(&w, &question, 1e5);
    question = must_ask(&w);
    size_t count = question.count;
    uint64_t sensitivity = question.line.sensitivity;
    assert_int_equal(hr_id3_accept(w.id3, NULL, 1, NULL), HR_OK);
    question = must_ask(&w);
    assert_true(question.count == count && question.line.sensitivity == sensitivity &&
                question.line.level == 1);
    assert_int_equal(question.divided_count, 0); /* those who answer have divided their records */
    assert_int_equal(hr_id3_accept(w.id3, NULL, 1, NULL), HR_OK);
    question = must_ask(&w); /* not a third time */
    assert_int_equal(question.queries[0].answer, HR_STATS_LEAVES);
    assert_int_equal(hr_id3_accept(w.id3, NULL, 1, NULL), HR_OK);
    assert_false(hr_id3_next(w.id3, &question));
    hr_tree tree = hr_id3_tree(w.id3, &said);
    assert_int_equal(tree.node_count, 4); /* what the root's tables said: 3 to 1, then 1 to 3 */
    assert_true(fabs(said[2 * CLASSES] - .75) < .01 && fabs(said[3 * CLASSES] - .25) < .01);
    hr_id3_free(w.id3);
}

static size_t count_lost_levels(size_t reserve, unsigned lost) {
    world w;
    hr_id3_question question;
    size_t asked = 0, levels = 0;
    world_open(&w, HR_PRIVACY_NONE, 3, 0);
    hr_id3_free(w.id3);
    const hr_id3_terms terms = {HR_PRIVACY_NONE, 0, &w.binning, CLASSES, 3, .25, false, 0, reserve, 0};
    assert_int_equal(hr_id3_new(&terms, &w.id3, NULL), HR_OK);
    for (; hr_id3_next(w.id3, &question) && question.queries[0].answer == HR_STATS_BINS; asked++) {
        levels += question.divided_count > 0 || !asked;
        if (lost >> asked & 1)
            assert_int_equal(hr_id3_accept(w.id3, NULL, 1, NULL), HR_OK);
        else
            tell(&w, &question, 1e5);
    }
    hr_id3_free(w.id3);
    return asked - levels;
}

/* How often a level is asked again: no more often than there is a reserve, and no level three times. */
static void test_machine__asks_again_as_often_as_there_is_a_reserve(void **state) {
    (void)state;
    assert_int_equal(count_lost_levels(0, 1), 0);
    assert_int_equal(count_lost_levels(1, 1), 1);
    assert_int_equal(count_lost_levels(1, 1 | 4), 1);
    assert_int_equal(count_lost_levels(2, 1 | 4), 2);
    assert_int_equal(count_lost_levels(2, 1 | 2), 1);
}

/* A secure sum is one message: half as many counts, and leaves whose classes fit too. */
static void test_machine__asks_for_less_where_answers_are_messages(void **state) {
    (void)state;
    enum { WIDE = 40, WIDE_BINS = 256, MANY = 200 };
    static hr_feature_bins features[WIDE];
    for (size_t f = 0; f < WIDE; f++) features[f] = (hr_feature_bins){HR_KIND_CATEGORY, WIDE_BINS, NULL};
    const hr_binning binning = {WIDE, features, NULL}, few = {2, features, NULL};
    hr_id3_terms terms = {HR_PRIVACY_NONE, 0, &binning, MANY, 2, .25, false, 0, 0, 3};
    hr_error err = {0};
    hr_id3 *id3 = NULL;
    hr_id3_question question;
    assert_int_equal(hr_id3_check(&terms, &err), HR_E_LIMIT);
    assert_string_equal(err.message, "id3 asks for 2048000 counts at once, of at most 524288");
    terms.binning = &few;
    assert_int_equal(hr_id3_new(&terms, &id3, NULL), HR_OK);
    while (hr_id3_next(id3, &question)) {
        assert_true(question.count <= 1 << 19);
        hr_noisy *values = calloc(question.count, sizeof *values);
        for (size_t i = 0; i < question.count; i++) values[i].paid = 64;
        assert_int_equal(hr_id3_accept(id3, values, 1, NULL), HR_OK);
        free(values);
    }
    const double *said;
    assert_true(hr_id3_tree(id3, &said).node_count > WIDE_BINS * 4);
    hr_id3_free(id3);
}

static void test_machine__knows_nothing_if_all_is_lost(void **state) {
    (void)state;
    world w;
    hr_id3_question question;
    const double *said;
    world_open(&w, HR_PRIVACY_PURE, 3, HR_UNIT);
    while (hr_id3_next(w.id3, &question)) assert_int_equal(hr_id3_accept(w.id3, NULL, 1, NULL), HR_OK);
    assert_int_equal(hr_id3_tree(w.id3, &said).node_count, 1);
    assert_true(said[0] == .5 && said[1] == .5);
    hr_id3_free(w.id3);
}

/* ---- Refusals ---- */

static void test_check__refuses_what_cannot_be_asked_or_paid(void **state) {
    (void)state;
    static hr_feature_bins many[5000];
    for (size_t f = 0; f < COUNT(many); f++) many[f] = (hr_feature_bins){HR_KIND_CATEGORY, 256, NULL};
    const hr_binning wide = {COUNT(many), many, NULL}, narrow = {FEATURES, many, NULL};
    hr_id3_terms terms = {HR_PRIVACY_PURE, HR_UNIT, &wide, CLASSES, 3, .25, false, 0, 0, 0};
    hr_error err = {0};
    assert_int_equal(hr_id3_check(&terms, &err), HR_E_LIMIT);
    assert_string_equal(err.message, "id3 asks for 2560000 counts at once, of at most 1048576");
    terms.binning = &narrow;
    assert_int_equal(hr_id3_check(&terms, &err), HR_OK);
    terms.budget = 0;
    assert_int_equal(hr_id3_check(&terms, &err), HR_E_BUDGET);
    terms.published = true;
    assert_int_equal(hr_id3_check(&terms, &err), HR_E_BUDGET);
    terms.depth = 0;
    assert_int_equal(hr_id3_check(&terms, &err), HR_E_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine__asks_each_open_node_about_features_not_asked_above),
        cmocka_unit_test(test_machine__splits_where_more_is_gained_than_noise_would_show),
        cmocka_unit_test(test_machine__asks_no_more_than_there_is_room_for),
        cmocka_unit_test(test_machine__spends_the_budget_whatever_is_lost),
        cmocka_unit_test(test_machine__counts_the_records_within_the_budget),
        cmocka_unit_test(test_machine__is_as_deep_as_the_records_allow),
        cmocka_unit_test(test_machine__asks_for_a_lost_level_again),
        cmocka_unit_test(test_machine__asks_again_as_often_as_there_is_a_reserve),
        cmocka_unit_test(test_machine__asks_for_less_where_answers_are_messages),
        cmocka_unit_test(test_machine__knows_nothing_if_all_is_lost),
        cmocka_unit_test(test_check__refuses_what_cannot_be_asked_or_paid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
