/* Blocks of hedge's records together with all else that a record carries: its person, the weight of its
 * class, what a start says of it. A choice on a block must see what the records of that block alone say, and
 * a person may change one block only: choices of a group on different blocks cost a person one of them. */
#include "fit/weights.h"
#include "privacy/sample.h"
#include "support/person_tables.h"
#include "support/random_numbers.h"
#include "support/tables.h"
#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/candidates/hedge_records.h"
#include "trees/candidates/reliability.h"
#include "trees/tree/random_tree.h"

enum {
    BLOCKS = 3,
    TREES = 4,
    ROUNDS = 6,
    CANARY = 40, /* the number of the last person */
    OUTPUTS_MAX = 3,
    LEAVES_MAX = HR_CANDIDATE_SCAN_NODES_MAX,
    ROOM = TREES * LEAVES_MAX * OUTPUTS_MAX
};

/* What the records of a table carry. */
typedef struct carried {
    size_t classes;
    bool persons, class_weights, start;
} carried;

/* A table without the canary, or with it, and the same records by blocks. */
typedef struct side {
    hr_data plain;
    hr_weighted weighted;
    const hr_data *data;
    double *start;
    uint32_t *block_of;
    size_t outputs;
    hr_csprng *coins;
    hr_records *dealt, *whole, *alone[BLOCKS];
    hr_data *parts[BLOCKS];
    double *part_start[BLOCKS];
} side;

typedef struct world {
    person_tables tables;
    side sides[2];
    hr_csprng *trees_coins;
    hr_arena *arena;
    hr_binning binning;
    hr_node nodes[TREES][LEAVES_MAX];
    hr_bin_set subsets[TREES][LEAVES_MAX];
    hr_tree trees[TREES];
    double base[OUTPUTS_MAX], step[LEAVES_MAX * OUTPUTS_MAX];
    hr_hedge_question question;
} world;

/* ---- Tables ---- */

/* What a start says follows from the record itself, whatever its place. */
static void say_start(side *s, size_t outputs) {
    s->start = malloc((s->data->rows * outputs + 1) * sizeof *s->start);
    assert_non_null(s->start);
    for (size_t i = 0; i < s->data->rows; i++)
        for (size_t k = 0; k < outputs; k++)
            s->start[i * outputs + k] =
                s->data->numbers[0][i] * (double)(k + 1) / OUTPUTS_MAX - s->data->numbers[1][i] / 2;
}

static hr_csprng *must_coins(uint64_t seed) {
    hr_csprng *coins = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &coins, NULL), HR_OK);
    return coins;
}

/* The blocks as records, or persons, draw them from coins of this seed, in order. */
static void draw_blocks(side *s, bool persons) {
    uint32_t of_person[CANARY + 1];
    hr_csprng *coins = must_coins(11);
    s->block_of = malloc((s->data->rows + 1) * sizeof *s->block_of);
    assert_non_null(s->block_of);
    size_t numbers = 0;
    for (size_t i = 0; persons && i < s->data->rows; i++)
        if (s->data->persons[i] >= numbers) numbers = (size_t)s->data->persons[i] + 1;
    assert_true(numbers <= CANARY + 1);
    for (size_t p = 0; p < numbers; p++) of_person[p] = (uint32_t)hr_uniform(coins, BLOCKS);
    for (size_t i = 0; i < s->data->rows; i++)
        s->block_of[i] = persons ? of_person[s->data->persons[i]] : (uint32_t)hr_uniform(coins, BLOCKS);
    hr_csprng_close(coins);
}

static hr_records *must_records(const hr_data *data, size_t outputs, const double *start) {
    hr_records *records = NULL;
    assert_int_equal(hr_records_new(data, outputs, TREES, 2, &records, NULL), HR_OK);
    if (start) hr_records_start(records, start);
    return records;
}

/* The records of block b by themselves. */
static void take_block(side *s, size_t b) {
    uint32_t *rows = malloc((s->data->rows + 1) * sizeof *rows);
    size_t count = 0;
    assert_non_null(rows);
    for (size_t i = 0; i < s->data->rows; i++)
        if (s->block_of[i] == b) rows[count++] = (uint32_t)i;
    s->parts[b] = hr_data_take(s->data, rows, count);
    s->part_start[b] = malloc((count * s->outputs + 1) * sizeof(double));
    assert_true(s->parts[b] && s->part_start[b] && count > 10);
    for (size_t i = 0; i < count; i++) {
        if (s->data->weights) s->parts[b]->weights[i] = s->data->weights[rows[i]];
        for (size_t k = 0; s->start && k < s->outputs; k++)
            s->part_start[b][i * s->outputs + k] = s->start[rows[i] * s->outputs + k];
    }
    s->alone[b] = must_records(s->parts[b], s->outputs, s->start ? s->part_start[b] : NULL);
    free(rows);
}

static void side_open(side *s, const hr_data *data, const carried *c) {
    static const double weights[] = {.25, .5, 1};
    const hr_fit_options options = {.class_weights = weights, .class_weight_count = c->classes};
    *s = (side){.plain = *data, .outputs = c->classes > 2 ? c->classes : 1, .coins = must_coins(11)};
    if (!c->persons) s->plain.weights = s->plain.persons = NULL;
    s->data = &s->plain;
    if (c->class_weights) {
        assert_int_equal(hr_weights_apply(&s->plain, &options, &s->weighted, NULL), HR_OK);
        s->data = s->weighted.data;
    }
    if (c->start) say_start(s, s->outputs);
    draw_blocks(s, c->persons);
    for (size_t b = 0; b < BLOCKS; b++) take_block(s, b);
    s->dealt = must_records(s->data, s->outputs, s->start);
    s->whole = must_records(s->data, s->outputs, s->start);
    hr_records_set_coins(s->dealt, s->coins);
}

static void side_close(side *s) {
    for (size_t b = 0; b < BLOCKS; b++) {
        hr_records_free(s->alone[b]);
        hr_data_free(s->parts[b]);
        free(s->part_start[b]);
    }
    hr_records_free(s->dealt);
    hr_records_free(s->whole);
    hr_csprng_close(s->coins);
    hr_weighted_done(&s->weighted);
    free(s->start);
    free(s->block_of);
}

static void world_open(world *w, const carried *c, const person_canary *canary) {
    *w = (world){.arena = hr_arena_new(), .trees_coins = must_coins(3)};
    person_tables_open(&w->tables, c->classes, canary, 17 + c->classes);
    assert_int_equal(hr_edges_public(w->tables.schema, 8, w->arena, &w->binning, NULL), HR_OK);
    const hr_data *tables[2] = {w->tables.without, w->tables.with};
    for (size_t i = 0; i < 2; i++) side_open(&w->sides[i], tables[i], c);
    for (size_t i = 0; i < LEAVES_MAX * w->sides[0].outputs; i++) w->step[i] = (double)(i % 5) / 50 - .04;
    w->question = (hr_hedge_question){.binning = &w->binning,
                                      .base = w->base,
                                      .trees = w->trees,
                                      .tree_count = TREES,
                                      .loss = {HR_OBJECTIVE_SQUARE, 1, 1, 4096, 0, 0}};
}

static void world_close(world *w) {
    for (size_t i = 0; i < 2; i++) side_close(&w->sides[i]);
    person_tables_close(&w->tables);
    hr_csprng_close(w->trees_coins);
    hr_arena_free(w->arena);
}

static void draw_trees(world *w) {
    static const double weights[3] = {1, 1, 1};
    const hr_random_plan plan = {.depth = 3, .weights = weights, .centred = 2};
    for (size_t t = 0; t < TREES; t++)
        hr_random_tree(w->trees_coins, &w->binning, &plan, w->nodes[t], w->subsets[t], &w->trees[t]);
}

static size_t leaves_of(const hr_tree *tree) {
    size_t leaves = 0;
    for (size_t n = 0; n < tree->node_count; n++) leaves += !tree->nodes[n].left;
    return leaves;
}

/* ---- Choices ---- */

static size_t ask_choice(world *w, size_t block) {
    size_t values = 0;
    for (size_t t = 0; t < TREES; t++) values += leaves_of(&w->trees[t]) * w->sides[0].outputs;
    w->question.kind = HR_HEDGE_CHOICE;
    w->question.blocks = BLOCKS;
    w->question.block = block;
    return values;
}

/* The sums that the scores of a choice are made of: of the records of the block alone, with and without the
 * canary. Returns whether the canary changed them. */
static bool check_block(world *w, size_t block) {
    static hr_exact dealt[2][ROOM], alone[ROOM], scores[2][TREES];
    const size_t values = ask_choice(w, block);
    const hr_hedge_question dealt_ask = w->question;
    hr_hedge_question alone_ask = w->question;
    alone_ask.blocks = alone_ask.block = 0;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(hr_records_leaf_sums(w->sides[i].dealt, &dealt_ask, dealt[i], NULL), HR_OK);
        assert_int_equal(hr_records_leaf_sums(w->sides[i].alone[block], &alone_ask, alone, NULL), HR_OK);
        assert_memory_equal(dealt[i], alone, values * sizeof *alone);
        assert_int_equal(hr_records_scores(w->sides[i].dealt, &dealt_ask, scores[i], NULL), HR_OK);
        assert_int_equal(hr_records_scores(w->sides[i].alone[block], &alone_ask, alone, NULL), HR_OK);
        assert_memory_equal(scores[i], alone, sizeof scores[i]);
    }
    return memcmp(dealt[0], dealt[1], values * sizeof *alone) != 0;
}

/* ---- Sums over all records, dealt or not ---- */

static void check_whole(world *w, size_t values) {
    static hr_exact dealt[LEAVES_MAX * (OUTPUTS_MAX + 1) + 1], whole[LEAVES_MAX * (OUTPUTS_MAX + 1) + 1];
    for (size_t i = 0; i < 2; i++) {
        w->question.blocks = BLOCKS;
        assert_int_equal(hr_records_sums(w->sides[i].dealt, &w->question, dealt, NULL), HR_OK);
        w->question.blocks = w->question.block = 0;
        assert_int_equal(hr_records_sums(w->sides[i].whole, &w->question, whole, NULL), HR_OK);
        assert_memory_equal(dealt, whole, values * sizeof *whole);
    }
}

/* Those who stand alone take part in the step as well. */
static void take_leaves(world *w, size_t tree) {
    static hr_exact unused[LEAVES_MAX * (OUTPUTS_MAX + 1) + 1];
    const size_t leaves = leaves_of(&w->trees[tree]);
    w->question.kind = HR_HEDGE_LEAVES;
    w->question.tree = tree;
    w->question.line_count = 2;
    w->question.counts[0] = leaves * w->sides[0].outputs;
    w->question.counts[1] = leaves;
    check_whole(w, hr_hedge_question_values(&w->question));
    w->question.blocks = w->question.block = 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t b = 0; b < BLOCKS; b++)
            assert_int_equal(hr_records_sums(w->sides[i].alone[b], &w->question, unused, NULL), HR_OK);
}

static void check_calibration(world *w) {
    hr_tree tree = w->trees[0];
    for (size_t n = 0; n < tree.node_count; n++)
        if (!tree.nodes[n].left) tree.nodes[n].value = (double)n / 20 - .4;
    const hr_forest forest = {.link = HR_LINK_SIGNED,
                              .output_count = w->sides[0].outputs,
                              .base = w->base,
                              .tree_count = 1,
                              .trees = &tree};
    w->question.kind = HR_HEDGE_RELIABILITY;
    w->question.forest = &forest;
    w->question.line_count = 1;
    check_whole(w, HR_RELIABILITY_CELLS);
}

static void play(const carried *c, const person_canary *canary) {
    world w;
    size_t changed = 0;
    world_open(&w, c, canary);
    for (size_t round = 0; round < ROUNDS; round++) {
        draw_trees(&w);
        w.question.step = round ? w.step : NULL;
        changed += check_block(&w, round % BLOCKS);
        take_leaves(&w, (round + 2) % TREES);
    }
    assert_int_equal(changed, ROUNDS / BLOCKS);
    if (c->classes) check_calibration(&w);
    world_close(&w);
}

static void play_all(size_t classes, bool persons) {
    static const person_canary of_person[] = {{2, true}, {50, true}}, of_record[] = {{1, true}};
    for (int with = 0; with < 4; with++) {
        const carried c = {classes, persons, with & 1, with & 2};
        if (c.class_weights && !classes) continue;
        for (size_t i = 0; i < (persons ? COUNT(of_person) : COUNT(of_record)); i++)
            play(&c, persons ? &of_person[i] : &of_record[i]);
    }
}

static void test_blocks__of_records_hold_what_each_record_carries(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) play_all(classes, false);
}

static void test_blocks__of_persons_hold_all_records_of_each(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) play_all(classes, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks__of_records_hold_what_each_record_carries),
        cmocka_unit_test(test_blocks__of_persons_hold_all_records_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
