/* Kernels that hedge walks and sums blocks of records with: every set gives what plain code gives. */
#include "support/check.h"
#include "support/kernel_sets.h"
#include "tables/synth/generate.h"

#include <hedgerow/hedgerow.h>

#include <math.h>
#include <stdlib.h>

enum { ROWS_MAX = 200, COLUMNS = 40, STRIDE = HR_BLOCK_ROWS + 3, WORDS = 4 };

/* A full tree over some columns of random bins. */
typedef struct drawn_tree {
    hr_dice dice;
    uint8_t bins[COLUMNS * STRIDE];
    hr_level levels[HR_LEVELS_MAX];
    hr_level_node nodes[HR_LEVELS_MAX][HR_LEVEL_PLACES_MAX / 2];
    hr_level_bytes bytes[HR_LEVELS_MAX];
    size_t offsets[HR_LEVELS_MAX][COLUMNS];
    uint64_t sets[HR_LEVELS_MAX][HR_LEVEL_PLACES_MAX / 2][WORDS];
} drawn_tree;

/* Ranges may be all bins, or begin with one bin and end, past 255, with another. */
static void draw_level_node(drawn_tree *t, size_t l, size_t place, bool has_sets, size_t columns) {
    hr_level_node *node = &t->nodes[l][place];
    uint64_t *right = t->sets[l][place];
    size_t column = hr_dice_below(&t->dice, columns);
    *node = (hr_level_node){.offset = t->offsets[l][column],
                            .right = has_sets ? right : NULL,
                            .low = (uint8_t)hr_dice_below(&t->dice, 256),
                            .width = (uint8_t)hr_dice_below(&t->dice, 256),
                            .is_set = has_sets && hr_dice_below(&t->dice, 2)};
    for (unsigned bin = 0; bin < 256; bin++)
        if (node->is_set ? hr_dice_below(&t->dice, 2) : (uint8_t)(bin - node->low) > node->width)
            right[bin / 64] |= (uint64_t)1 << (bin % 64);
    if (node->is_set) node->low = 0, node->width = UINT8_MAX;
    t->bytes[l].column[place] = (uint8_t)column;
    t->bytes[l].low[place] = node->low;
    t->bytes[l].width[place] = node->width;
}

static void draw_levels(drawn_tree *t, uint64_t seed, size_t columns) {
    memset(t, 0, sizeof *t);
    hr_dice_init(&t->dice, seed);
    for (size_t i = 0; i < sizeof t->bins; i++)
        t->bins[i] = (uint8_t)hr_dice_below(&t->dice, seed % 2 ? 256 : 5);
    for (size_t l = 0; l < HR_LEVELS_MAX; l++) {
        bool has_sets = hr_dice_below(&t->dice, 2);
        for (size_t c = 0; c < columns; c++) t->offsets[l][c] = (c * 7 + l) % COLUMNS * STRIDE;
        for (size_t p = 0; p < (size_t)1 << l; p++) draw_level_node(t, l, p, has_sets, columns);
        t->levels[l] =
            (hr_level){(size_t)1 << l, t->nodes[l], &t->bytes[l], t->offsets[l], columns, has_sets};
    }
}

static uint8_t place_by_hand(const drawn_tree *t, size_t depth, size_t row) {
    size_t place = 0;
    for (size_t l = 0; l < depth; l++) {
        const hr_level_node *node = &t->nodes[l][place];
        uint8_t bin = t->bins[node->offset + row];
        bool right =
            node->is_set ? node->right[bin / 64] >> (bin % 64) & 1 : (uint8_t)(bin - node->low) > node->width;
        place = 2 * place + right;
    }
    return (uint8_t)place;
}

static void check_walk_block(const hr_kernels *set) {
    static drawn_tree t;
    static const size_t columns[] = {1, 2, 3, 28, COLUMNS};
    for (uint64_t seed = 0; seed < 40; seed++) {
        draw_levels(&t, seed, columns[seed % 5]);
        for (size_t depth = 0; depth <= HR_LEVELS_MAX; depth++) {
            size_t count = HR_VECTOR_ROWS * (1 + (seed + depth) % (HR_BLOCK_ROWS / HR_VECTOR_ROWS));
            uint8_t at[HR_BLOCK_ROWS + 1];
            memset(at, 255, sizeof at);
            set->walk_block(t.levels, depth, t.bins + 3, count, at);
            for (size_t i = 0; i < count; i++) assert_int_equal(at[i], place_by_hand(&t, depth, i + 3));
            assert_int_equal(at[count], 255);
        }
    }
}

static void check_cells_of_pair(const hr_kernels *set) {
    uint8_t first[ROWS_MAX], second[ROWS_MAX];
    uint16_t cells[ROWS_MAX];
    for (size_t i = 0; i < ROWS_MAX; i++) first[i] = (uint8_t)(i * 91), second[i] = (uint8_t)(255 - i);
    set->cells_of_pair(first, second, 256, ROWS_MAX, cells);
    for (size_t i = 0; i < ROWS_MAX; i++) assert_int_equal(cells[i], first[i] * 256 + second[i]);
    set->cells_of_pair(first, second, 3, 1, cells);
    assert_int_equal(cells[1], first[1] * 256 + second[1]);
}

static int64_t clamp_whole(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

/* Scores as large as may be, too. */
static int32_t score_at(size_t i) {
    static const int32_t odd[] = {0, 1, -1, 127, 128, -128, -129, (1 << 29) - 1, 1 - (1 << 29)};
    enum { ODD = sizeof odd / sizeof *odd };
    return i % 3 ? (int32_t)(i * 37 % 1000) * 2621 - (5 << 18) : odd[i / 3 % ODD];
}

static int32_t wrapped(int64_t x) {
    return (int32_t)(uint32_t)(uint64_t)x;
}

static void check_step_scores_of(const hr_kernels *set, bool publishes, size_t count) {
    enum { LIMIT = 1 << 20 };
    hr_fixed_step steps[256];
    int32_t held[ROWS_MAX], published[ROWS_MAX];
    uint8_t places[ROWS_MAX];
    for (int32_t p = 0; p < 256; p++) steps[p] = (hr_fixed_step){p * 9999 - 1300000, INT32_MAX - p * 77};
    for (size_t i = 0; i < ROWS_MAX; i++)
        places[i] = (uint8_t)(i * 77 % count), held[i] = score_at(i), published[i] = score_at(i + 1);
    const hr_fixed_scores scores = {held, publishes ? published : NULL};
    set->step_scores(&(hr_fixed_steps){steps, count}, places, ROWS_MAX - 1, LIMIT, &scores);
    for (size_t i = 0; i < ROWS_MAX; i++) {
        const hr_fixed_step step = i + 1 < ROWS_MAX ? steps[places[i]] : (hr_fixed_step){0, 0};
        const int64_t sum = (int64_t)score_at(i) + step.held;
        assert_true(held[i] == (i + 1 < ROWS_MAX ? clamp_whole(sum, -LIMIT, LIMIT) : sum));
        assert_true(published[i] == wrapped((int64_t)score_at(i + 1) + (publishes ? step.published : 0)));
    }
}

static void check_step_scores(const hr_kernels *set) {
    static const size_t counts[] = {1, 17, 64, 65, 128, 129, 256}; /* places */
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        check_step_scores_of(set, false, counts[c]);
        check_step_scores_of(set, true, counts[c]);
    }
}

/* Clipped, rounded upwards from the middle, and bounded; a bound may be below the clip. */
static int64_t word_by_hand(const hr_word_rule *rule, int64_t gradient) {
    const int64_t clipped = clamp_whole(gradient, -rule->clip, rule->clip);
    const double whole = floor((double)clipped / 256 + .5);
    return clamp_whole((int64_t)whole, -rule->bound, rule->bound) * ((int64_t)1 << rule->shift) + 1;
}

static void check_words_of(const hr_kernels *set) {
    static const hr_word_rule rules[] = {{1258291, 4915, 20}, {1 << 20, 4096, 40}, {300000, 1000, 0}};
    int32_t scores[ROWS_MAX], targets[ROWS_MAX];
    int64_t words[ROWS_MAX + 1];
    for (size_t r = 0; r < 3; r++) {
        int64_t within = 0;
        for (size_t i = 0; i < ROWS_MAX; i++) {
            scores[i] = score_at(i);
            targets[i] = i % 5 ? ((int32_t)(i % 2) * 2 - 1) * (1 << 20) : 0;
            within += llabs((int64_t)scores[i] - targets[i]) <= rules[r].clip;
        }
        words[ROWS_MAX] = 7;
        assert_true(set->words_of(&rules[r], scores, targets, ROWS_MAX, words) == within);
        for (size_t i = 0; i < ROWS_MAX; i++)
            assert_true(words[i] == word_by_hand(&rules[r], (int64_t)scores[i] - targets[i]));
        assert_true(words[ROWS_MAX] == 7);
    }
}

static void test_walk_block__finds_places_as_a_plain_walk(void **state) {
    (void)state;
    with_each_set(check_walk_block);
}

static void test_cells_of_pair__number_combinations_of_bins(void **state) {
    (void)state;
    with_each_set(check_cells_of_pair);
}

static void test_step_scores__holds_one_within_the_limit_and_sums_the_other(void **state) {
    (void)state;
    with_each_set(check_step_scores);
}

static void test_words_of__are_bounded_whatever_scores_are(void **state) {
    (void)state;
    with_each_set(check_words_of);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk_block__finds_places_as_a_plain_walk),
        cmocka_unit_test(test_cells_of_pair__number_combinations_of_bins),
        cmocka_unit_test(test_step_scores__holds_one_within_the_limit_and_sums_the_other),
        cmocka_unit_test(test_words_of__are_bounded_whatever_scores_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
