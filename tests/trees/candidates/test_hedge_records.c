/* What records answer: totals by hand; leaves that do not depend on whether the other candidates were
 * scanned, nor on how the records are shared out to several sources. */
#include "tables/data/table.h"

#include "support/tables.h"
#include "trees/candidates/candidate_scan.h"
#include "trees/candidates/hedge_records.h"
#include "trees/candidates/reliability.h"
#include "trees/tree/parts.h"
#include "trees/tree/random_tree.h"

enum {
    ROWS = 700,
    TREES = 6,
    ROUNDS = 4,
    OUTPUTS_MAX = 3,
    ROOM = HR_CANDIDATE_SCAN_NODES_MAX * (OUTPUTS_MAX + 1) + 1
};

typedef struct world {
    table t;
    hr_csprng *coins;
    hr_feature_bins features[2];
    hr_binning binning;
    hr_node nodes[TREES][HR_CANDIDATE_SCAN_NODES_MAX];
    hr_bin_set subsets[TREES][HR_CANDIDATE_SCAN_NODES_MAX];
    hr_tree trees[TREES];
    double base[OUTPUTS_MAX], step[HR_CANDIDATE_SCAN_NODES_MAX * OUTPUTS_MAX];
    size_t outputs;
    hr_hedge_question question;
} world;

static double edges[] = {.25, .5, .75};

static void world_open(world *w, size_t classes) {
    uint64_t random = 9;
    *w = (world){.t = table_open(ROWS, 2),
                 .features = {{HR_KIND_NUMBER, 5, edges}, {HR_KIND_CATEGORY, 5, NULL}},
                 .outputs = classes > 2 ? classes : 1};
    for (size_t i = 0; i < ROWS; i++) {
        w->t.columns[0][i] = next_random(&random) % 9 ? next_unit(&random) : (double)NAN;
        w->t.columns[1][i] = (double)(next_random(&random) % 5);
        w->t.labels[i] = classes ? (double)(next_random(&random) % classes) : 2 * next_unit(&random) - 1;
    }
    hr_column columns[] = {number_column("x", 0, 1), category_column("k", 4)};
    table_make(&w->t, classes ? category_column("y", classes) : number_column("y", -1, 1), columns);
    w->binning = (hr_binning){2, w->features, NULL};
    assert_int_equal(hr_csprng_open_seeded(3, &w->coins, NULL), HR_OK);
    for (size_t i = 0; i < HR_CANDIDATE_SCAN_NODES_MAX * w->outputs; i++)
        w->step[i] = (double)(i % 5) / 50 - .04;
    w->question = (hr_hedge_question){.binning = &w->binning,
                                      .base = w->base,
                                      .trees = w->trees,
                                      .tree_count = TREES,
                                      .loss = {HR_OBJECTIVE_SQUARE, 1, 1, 4096, 0, 0}};
}

static void world_close(world *w) {
    hr_csprng_close(w->coins);
    table_close(&w->t);
}

static void draw_trees(world *w) {
    static const double weights[2] = {1, 1};
    const hr_random_plan plan = {.depth = 3, .weights = weights, .centred = 2};
    for (size_t t = 0; t < TREES; t++)
        hr_random_tree(w->coins, &w->binning, &plan, w->nodes[t], w->subsets[t], &w->trees[t]);
}

static void ask_leaves(world *w, size_t tree, bool clips) {
    size_t leaves = 0;
    for (size_t n = 0; n < w->trees[tree].node_count; n++) leaves += !w->trees[tree].nodes[n].left;
    w->question.kind = HR_HEDGE_LEAVES;
    w->question.tree = tree;
    w->question.line_count = clips ? 3 : 2;
    w->question.counts[0] = leaves * w->outputs;
    w->question.counts[1] = leaves;
    w->question.counts[2] = 1;
}

static hr_records *must_records(const world *w, const hr_data *data) {
    hr_records *records = NULL;
    assert_int_equal(hr_records_new(data, w->outputs, TREES, 1, &records, NULL), HR_OK);
    return records;
}

/* ---- Totals ---- */

static void test_records__say_how_many_they_are(void **state) {
    (void)state;
    world w;
    world_open(&w, 0);
    hr_records *records = must_records(&w, w.t.data);
    hr_exact out[3];
    int64_t sum = 0;
    for (size_t i = 0; i < ROWS; i++) sum += (int64_t)rint(w.t.labels[i] * 4096);
    w.question.kind = HR_HEDGE_TOTALS;
    w.question.line_count = 2;
    assert_int_equal(hr_records_sums(records, &w.question, out, NULL), HR_OK);
    assert_true(out[0].unpaid == 64 * ROWS && llabs(out[1].unpaid - sum) <= 1);
    hr_records_free(records);
    world_close(&w);
    world_open(&w, 3);
    records = must_records(&w, w.t.data);
    int64_t classes[3] = {0};
    for (size_t i = 0; i < ROWS; i++) classes[(size_t)w.t.labels[i]] += 64;
    w.question.kind = HR_HEDGE_TOTALS;
    assert_int_equal(hr_records_sums(records, &w.question, out, NULL), HR_OK);
    for (size_t k = 0; k < 3; k++) assert_true(out[k].unpaid == classes[k]);
    hr_records_free(records);
    world_close(&w);
}

/* ---- Rounds ---- */

/* Those who scanned all candidates, and those who are asked for one tree's leaves alone, answer the same,
 * round after round: they take the same steps. */
static void test_records__answer_alike_without_a_choice(void **state) {
    (void)state;
    static const size_t classes[] = {0, 2, 3};
    for (size_t c = 0; c < COUNT(classes); c++) {
        world w;
        world_open(&w, classes[c]);
        hr_records *choosers = must_records(&w, w.t.data), *others = must_records(&w, w.t.data);
        hr_records *sometimes = must_records(&w, w.t.data); /* choose every second round */
        hr_records *told = must_records(&w, w.t.data);      /* likewise, and are told the chosen tree alone */
        static hr_exact scores[TREES], one[ROOM], two[ROOM], three[ROOM], four[ROOM], before[ROOM];
        for (size_t round = 0; round < ROUNDS; round++) {
            draw_trees(&w);
            w.question.step = round == 1 || round == 3 ? w.step : NULL; /* the answer of round 1 was lost */
            w.question.kind = HR_HEDGE_CHOICE;
            assert_int_equal(hr_records_scores(choosers, &w.question, scores, NULL), HR_OK);
            if (round % 2 == 0) {
                assert_int_equal(hr_records_scores(sometimes, &w.question, scores, NULL), HR_OK);
                assert_int_equal(hr_records_scores(told, &w.question, scores, NULL), HR_OK);
            }
            ask_leaves(&w, (round + 2) % TREES, !classes[c]);
            assert_int_equal(hr_records_sums(choosers, &w.question, one, NULL), HR_OK);
            assert_int_equal(hr_records_sums(others, &w.question, two, NULL), HR_OK);
            assert_int_equal(hr_records_sums(sometimes, &w.question, three, NULL), HR_OK);
            assert_memory_equal(one, two, hr_hedge_question_values(&w.question) * sizeof *one);
            assert_memory_equal(one, three, hr_hedge_question_values(&w.question) * sizeof *one);
            hr_hedge_question alone = w.question;
            alone.trees = &w.trees[w.question.tree];
            alone.tree_count = 1;
            alone.tree = 0;
            assert_int_equal(hr_records_sums(told, &alone, four, NULL), HR_OK);
            assert_memory_equal(one, four, hr_hedge_question_values(&w.question) * sizeof *one);
        }
        /* The scores did move: of fresh records the last round's sums are others. */
        hr_records *fresh = must_records(&w, w.t.data);
        w.question.step = NULL;
        assert_int_equal(hr_records_sums(fresh, &w.question, before, NULL), HR_OK);
        assert_memory_not_equal(before, one, w.question.counts[0] * sizeof *one);
        assert_memory_equal(before + w.question.counts[0], one + w.question.counts[0],
                            w.question.counts[1] * sizeof *one);
        hr_records_free(fresh);
        hr_records_free(told);
        hr_records_free(sometimes);
        hr_records_free(others);
        hr_records_free(choosers);
        world_close(&w);
    }
}

/* A coordinator may offer one tree with a wide clip, and then name another tree alone with a narrow one: the
 * answer has the clip that its question, and its charge, says. */
static void test_records__clip_as_the_question_about_leaves_says(void **state) {
    (void)state;
    static const size_t classes[] = {0, 2, 3};
    for (size_t c = 0; c < COUNT(classes); c++) {
        world w;
        world_open(&w, classes[c]);
        draw_trees(&w);
        hr_records *chooser = must_records(&w, w.t.data), *fresh = must_records(&w, w.t.data);
        static hr_exact score[1], sums[ROOM], wanted[ROOM];
        hr_hedge_question offer = w.question;
        offer.kind = HR_HEDGE_CHOICE;
        offer.tree_count = 1;
        offer.loss = (hr_candidate_scan_loss){HR_OBJECTIVE_SQUARE, 2, 1, 8192, 0, 0};
        assert_int_equal(hr_records_scores(chooser, &offer, score, NULL), HR_OK);
        ask_leaves(&w, 1, !classes[c]);
        hr_hedge_question alone = w.question;
        alone.trees = &w.trees[1];
        alone.tree_count = 1;
        alone.tree = 0;
        alone.loss = (hr_candidate_scan_loss){HR_OBJECTIVE_SQUARE, 16 / 4096.0, 1, 16, 0, 0};
        assert_int_equal(hr_records_sums(chooser, &alone, sums, NULL), HR_OK);
        assert_int_equal(hr_records_sums(fresh, &alone, wanted, NULL), HR_OK);
        assert_memory_equal(sums, wanted, hr_hedge_question_values(&alone) * sizeof *sums);
        hr_records_free(chooser);
        hr_records_free(fresh);
        world_close(&w);
    }
}

/* A step of a tree that nobody asked about is none: the first question may name one. */
static void test_records__take_no_step_before_the_first_tree(void **state) {
    (void)state;
    world w;
    world_open(&w, 0);
    draw_trees(&w);
    ask_leaves(&w, 0, true);
    hr_records *told = must_records(&w, w.t.data), *fresh = must_records(&w, w.t.data);
    static double step[HR_CANDIDATE_SCAN_NODES_MAX] = {.1, .1, .1};
    static hr_exact sums[ROOM], wanted[ROOM];
    hr_hedge_question alone = w.question;
    alone.tree_count = 1;
    alone.step = NULL;
    assert_int_equal(hr_records_sums(fresh, &alone, wanted, NULL), HR_OK);
    alone.step = step;
    assert_int_equal(hr_records_sums(told, &alone, sums, NULL), HR_OK);
    assert_memory_equal(sums, wanted, hr_hedge_question_values(&alone) * sizeof *sums);
    hr_records_free(told);
    hr_records_free(fresh);
    world_close(&w);
}

/* ---- Blocks ---- */

enum { BLOCKS = 3 };

static hr_csprng *must_coins(uint64_t seed) {
    hr_csprng *coins = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &coins, NULL), HR_OK);
    return coins;
}

/* The tables of the blocks that these coins deal, and the block of each record. */
static void take_blocks(const hr_data *data, uint64_t seed, hr_data **out, uint32_t *block_of) {
    static const double equal[BLOCKS] = {1, 1, 1};
    hr_csprng *coins = must_coins(seed);
    hr_parts parts;
    assert_int_equal(hr_parts_drawn(coins, ROWS, equal, BLOCKS, &parts, NULL), HR_OK);
    for (size_t b = 0; b < BLOCKS; b++) {
        assert_true(hr_parts_size(&parts, b) > 100);
        for (size_t i = parts.begin[b]; i < parts.begin[b + 1]; i++) block_of[parts.rows[i]] = (uint32_t)b;
        assert_non_null(out[b] = hr_data_take(data, hr_parts_rows(&parts, b), hr_parts_size(&parts, b)));
    }
    hr_parts_done(&parts);
    hr_csprng_close(coins);
}

/* The same records dealt to blocks, in one table, by coins or by what others drew; and the records of each
 * block by themselves. */
typedef struct dealt_world {
    world w;
    hr_csprng *coins;
    hr_data *parts[BLOCKS];
    hr_records *alone[BLOCKS], *dealt, *handed, *whole;
    uint32_t block_of[ROWS];
} dealt_world;

static void expose(hr_data *data) {
    uint64_t random = 4;
    data->weights = malloc(ROWS * sizeof *data->weights);
    data->exposures = malloc(ROWS * sizeof *data->exposures);
    assert_true(data->weights && data->exposures);
    for (size_t i = 0; i < ROWS; i++) {
        data->weights[i] = HR_PERSON_UNIT;
        data->exposures[i] = 1 - next_unit(&random);
    }
}

/* Numbers have exposures, which go with their records. */
static void dealt_open(dealt_world *d, size_t classes) {
    world_open(&d->w, classes);
    if (!classes) expose(d->w.t.data);
    d->coins = must_coins(11);
    take_blocks(d->w.t.data, 11, d->parts, d->block_of);
    for (size_t b = 0; b < BLOCKS; b++) d->alone[b] = must_records(&d->w, d->parts[b]);
    d->dealt = must_records(&d->w, d->w.t.data);
    d->whole = must_records(&d->w, d->w.t.data);
    hr_records_set_coins(d->dealt, d->coins);
    d->handed = must_records(&d->w, d->w.t.data);
    hr_records_set_blocks(d->handed, d->block_of);
}

static void dealt_close(dealt_world *d) {
    for (size_t b = 0; b < BLOCKS; b++) {
        hr_records_free(d->alone[b]);
        hr_data_free(d->parts[b]);
    }
    hr_records_free(d->dealt);
    hr_records_free(d->handed);
    hr_records_free(d->whole);
    hr_csprng_close(d->coins);
    world_close(&d->w);
}

static void check_choice(dealt_world *d, size_t block) {
    static hr_exact scores[TREES], wanted[TREES], sums[TREES * ROOM];
    const hr_leaf_score_rule rule = {d->w.outputs, d->w.question.threshold, NULL};
    hr_hedge_question *question = &d->w.question;
    question->kind = HR_HEDGE_CHOICE;
    question->blocks = BLOCKS;
    question->block = block;
    assert_int_equal(hr_records_scores(d->dealt, question, scores, NULL), HR_OK);
    assert_int_equal(hr_records_leaf_sums(d->handed, question, sums, NULL), HR_OK);
    hr_leaf_scores(sums, question->trees, question->tree_count, &rule, wanted);
    assert_memory_equal(scores, wanted, sizeof wanted);
    question->blocks = question->block = 0;
    for (size_t b = 0; b < BLOCKS; b++) {
        assert_int_equal(hr_records_scores(d->alone[b], question, wanted, NULL), HR_OK);
        if (b == block) assert_memory_equal(scores, wanted, sizeof wanted);
    }
}

/* Dealt or not, sums over all records are the same. */
static void check_sums(dealt_world *d, size_t values) {
    static hr_exact sums[ROOM], all[ROOM];
    hr_hedge_question *question = &d->w.question;
    question->blocks = 0;
    assert_int_equal(hr_records_sums(d->whole, question, all, NULL), HR_OK);
    question->blocks = BLOCKS;
    assert_int_equal(hr_records_sums(d->dealt, question, sums, NULL), HR_OK);
    assert_memory_equal(all, sums, values * sizeof *all);
    assert_int_equal(hr_records_sums(d->handed, question, sums, NULL), HR_OK);
    assert_memory_equal(all, sums, values * sizeof *all);
}

static void check_cells(dealt_world *d) {
    double base[OUTPUTS_MAX] = {.2, -.1, .1};
    hr_tree tree = d->w.trees[0];
    for (size_t n = 0; n < tree.node_count; n++)
        if (!tree.nodes[n].left) tree.nodes[n].value = (double)n / 20 - .4;
    const hr_forest forest = {
        .link = HR_LINK_SIGNED, .output_count = d->w.outputs, .base = base, .tree_count = 1, .trees = &tree};
    d->w.question.kind = HR_HEDGE_RELIABILITY;
    d->w.question.forest = &forest;
    check_sums(d, HR_RELIABILITY_CELLS);
}

/* A choice is about the records of its block, all of which have taken every step; leaves and the cells of
 * calibration are of all records. */
static void test_records__choose_on_one_block(void **state) {
    (void)state;
    static const size_t classes[] = {0, 2, 3};
    for (size_t c = 0; c < COUNT(classes); c++) {
        static hr_exact unused[ROOM];
        dealt_world d;
        dealt_open(&d, classes[c]);
        for (size_t round = 0; round < 2 * ROUNDS; round++) {
            draw_trees(&d.w);
            d.w.question.step = round ? d.w.step : NULL;
            check_choice(&d, round % BLOCKS);
            ask_leaves(&d.w, (round + 2) % TREES, !classes[c]);
            for (size_t b = 0; b < BLOCKS; b++)
                assert_int_equal(hr_records_sums(d.alone[b], &d.w.question, unused, NULL), HR_OK);
            check_sums(&d, hr_hedge_question_values(&d.w.question));
        }
        if (classes[c]) check_cells(&d);
        dealt_close(&d);
    }
}

/* Sums over disjoint tables add up to those over their union. */
static void test_records__add_up_over_sources(void **state) {
    (void)state;
    world w;
    uint32_t rows[ROWS];
    world_open(&w, 3);
    draw_trees(&w);
    ask_leaves(&w, 1, false);
    static hr_exact all[ROOM], part[2][ROOM];
    hr_records *records = must_records(&w, w.t.data);
    assert_int_equal(hr_records_sums(records, &w.question, all, NULL), HR_OK);
    hr_records_free(records);
    for (size_t p = 0; p < 2; p++) {
        size_t count = 0;
        for (uint32_t i = 0; i < ROWS; i++)
            if ((i % 3 == 0) == (p == 0)) rows[count++] = i;
        hr_data *data = hr_data_take(w.t.data, rows, count);
        assert_non_null(data);
        records = must_records(&w, data);
        assert_int_equal(hr_records_sums(records, &w.question, part[p], NULL), HR_OK);
        hr_records_free(records);
        hr_data_free(data);
    }
    for (size_t i = 0; i < hr_hedge_question_values(&w.question); i++)
        assert_true(all[i].unpaid == part[0][i].unpaid + part[1][i].unpaid);
    world_close(&w);
}

/* ---- The end ---- */

/* Every record is in a cell. Bins and choices are not answered by sums. */
static void test_records__are_all_in_cells(void **state) {
    (void)state;
    world w;
    world_open(&w, 2);
    hr_records *records = must_records(&w, w.t.data);
    double base = .21;
    const hr_forest forest = {.link = HR_LINK_SIGNED, .output_count = 1, .base = &base};
    hr_exact cells[HR_RELIABILITY_CELLS];
    int64_t sum = 0;
    w.question.kind = HR_HEDGE_RELIABILITY;
    w.question.forest = &forest;
    assert_int_equal(hr_records_sums(records, &w.question, cells, NULL), HR_OK);
    for (size_t c = 0; c < HR_RELIABILITY_CELLS; c++) sum += cells[c].unpaid;
    assert_true(sum == 64 * ROWS && cells[24].unpaid + cells[25].unpaid == sum); /* .605 of all */
    w.question.kind = HR_HEDGE_CHOICE;
    assert_int_equal(hr_records_sums(records, &w.question, cells, NULL), HR_E_ARGUMENT);
    hr_records_free(records);
    world_close(&w);
}

/* ---- Published scores ---- */

/* A forest of the trees whose steps are told, with leaves as it publishes them: `part` of the step. */
typedef struct told_forest {
    hr_node nodes[ROUNDS * OUTPUTS_MAX][HR_CANDIDATE_SCAN_NODES_MAX];
    hr_bin_set subsets[ROUNDS][HR_CANDIDATE_SCAN_NODES_MAX];
    hr_tree trees[ROUNDS * OUTPUTS_MAX];
    hr_forest forest;
} told_forest;

static void tell_tree(told_forest *f, const world *w, const hr_tree *tree, double part) {
    const size_t round = f->forest.tree_count / w->outputs;
    memcpy(f->subsets[round], tree->subsets, tree->subset_count * sizeof *tree->subsets);
    for (size_t k = 0; k < w->outputs; k++) {
        const size_t t = f->forest.tree_count++;
        f->trees[t] = *tree;
        f->trees[t].nodes = memcpy(f->nodes[t], tree->nodes, tree->node_count * sizeof *tree->nodes);
        f->trees[t].subsets = f->subsets[round];
        f->trees[t].output = k;
        for (size_t n = 0; n < tree->node_count; n++)
            if (!tree->nodes[n].left) f->nodes[t][n].value = part * w->step[n * w->outputs + k];
    }
}

/* Rounds on several blocks and on one, of which one is lost and has no step; each step has a part of its own.
 * Scores meet their limits: the published ones have none. */
static void check_published_cells(size_t classes, bool starts, size_t blocks) {
    static told_forest f;
    static hr_exact unused[ROOM], cells[HR_RELIABILITY_CELLS], walked[HR_RELIABILITY_CELLS];
    static double start[ROWS * OUTPUTS_MAX];
    world w;
    world_open(&w, classes);
    hr_records *told = must_records(&w, w.t.data), *walks = must_records(&w, w.t.data);
    for (size_t i = 0; i < ROWS * w.outputs; i++) start[i] = (double)(i % 9) / 6 - .6;
    if (starts) hr_records_start(told, start), hr_records_start(walks, start);
    hr_records_set_coins(told, w.coins);
    f.forest = (hr_forest){
        .link = HR_LINK_SIGNED, .output_count = w.outputs, .base = (double[]){.2, -.1, .1}, .trees = f.trees};
    w.question.blocks = blocks;
    w.question.published = 1;
    for (size_t i = 0; i < HR_CANDIDATE_SCAN_NODES_MAX * w.outputs; i++) w.step[i] *= 20;
    for (size_t round = 0; round < ROUNDS; round++) {
        draw_trees(&w);
        w.question.kind = HR_HEDGE_CHOICE;
        w.question.block = round % blocks;
        assert_int_equal(hr_records_scores(told, &w.question, unused, NULL), HR_OK);
        ask_leaves(&w, round % TREES, false);
        assert_int_equal(hr_records_sums(told, &w.question, unused, NULL), HR_OK);
        w.question.step = round == 1 ? NULL : w.step;
        w.question.published = 2 - .3 * (double)round;
        if (w.question.step) tell_tree(&f, &w, &w.trees[w.question.tree], w.question.published);
    }
    w.question.kind = HR_HEDGE_RELIABILITY;
    w.question.forest = &f.forest;
    assert_int_equal(hr_records_sums(told, &w.question, cells, NULL), HR_OK);
    w.question.published = 0;
    w.question.blocks = 1;
    assert_int_equal(hr_records_sums(walks, &w.question, walked, NULL), HR_OK);
    assert_memory_equal(cells, walked, sizeof cells);
    hr_records_free(told);
    hr_records_free(walks);
    world_close(&w);
}

static void test_records__count_cells_by_published_steps_as_by_walks(void **state) {
    (void)state;
    for (size_t classes = 2; classes <= 3; classes++)
        for (int starts = 0; starts < 2; starts++)
            for (size_t blocks = 1; blocks <= 3; blocks += 2) check_published_cells(classes, starts, blocks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records__say_how_many_they_are),
        cmocka_unit_test(test_records__answer_alike_without_a_choice),
        cmocka_unit_test(test_records__clip_as_the_question_about_leaves_says),
        cmocka_unit_test(test_records__take_no_step_before_the_first_tree),
        cmocka_unit_test(test_records__choose_on_one_block),
        cmocka_unit_test(test_records__add_up_over_sources),
        cmocka_unit_test(test_records__are_all_in_cells),
        cmocka_unit_test(test_records__count_cells_by_published_steps_as_by_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
