/* id3 over owners equals id3 over all records, bit for bit, where no noise is added: each owner knows nothing
 * but the questions, as bytes. And questions that no owner answers. */
#include "federation/sums/federated_id3.h"

#include "support/tables.h"
#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/records/local_source.h"
#include "trees/records/stats_source.h"

enum { ROWS = 1500, OWNERS_MAX = 5, CLASSES = 3, BINS = 4, DEPTH = 3, VALUES_MAX = 1 << 14, NOTHING = 99 };

/* ---- Tables and those who answer ---- */

typedef struct answerer {
    hr_data *data;
    hr_stats_source *source;
    hr_id3_question_reader *reader; /* NULL: asked without bytes */
} answerer;

typedef struct world {
    table t;
    hr_arena *arena;
    hr_binning binning;
    hr_id3_terms terms;
    answerer owners[OWNERS_MAX];
    size_t owner_count;
    hr_id3 *id3;
} world;

static void fill_table(world *w) {
    uint64_t random = 9;
    w->t = table_open(ROWS, 4);
    for (size_t i = 0; i < ROWS; i++) {
        double x = w->t.columns[0][i] = next_unit(&random);
        w->t.columns[1][i] = next_random(&random) % 13 ? next_unit(&random) : (double)NAN;
        w->t.columns[2][i] = (double)(next_random(&random) % 5);
        w->t.columns[3][i] = (double)(next_random(&random) % 2);
        w->t.labels[i] = (double)(((size_t)(x * 5) + (size_t)w->t.columns[2][i] * (size_t)w->t.columns[3][i] +
                                   next_random(&random) % 2) %
                                  CLASSES);
    }
    const hr_column columns[] = {number_column("x", 0, 1), number_column("z", 0, 1), category_column("k", 5),
                                 category_column("b", 2)};
    table_make(&w->t, category_column("y", CLASSES), columns);
}

/* How records are dealt out: in turns; by their class; all of them to the last owner. */
typedef enum deal { IN_TURNS, BY_CLASS, TO_ONE, DEALS } deal;

static size_t owner_of_record(const world *w, deal how, size_t i) {
    if (how == IN_TURNS) return i * 7919 / 13 % w->owner_count;
    if (how == BY_CLASS) return (size_t)w->t.labels[i] % w->owner_count;
    return w->owner_count - 1;
}

static void open_answerer(world *w, answerer *a, const uint32_t *rows, size_t count) {
    const hr_stats_setup setup = {.kind = HR_STATS_LABELS, .binning = &w->binning};
    const hr_stats_round round = {.part = 0};
    assert_non_null(a->data = hr_data_take(w->t.data, rows, count));
    const hr_local_stats_records records = {.data = a->data, .threads = 1};
    assert_int_equal(hr_local_stats_source_new(&records, &a->source, NULL), HR_OK);
    assert_int_equal(a->source->ops->prepare(a->source, &setup, NULL), HR_OK);
    assert_int_equal(a->source->ops->begin(a->source, &round, NULL), HR_OK);
}

static void deal_records(world *w, deal how) {
    uint32_t *rows = calloc(ROWS, sizeof *rows);
    for (size_t o = 0; o < w->owner_count; o++) {
        size_t count = 0;
        for (uint32_t i = 0; i < ROWS; i++)
            if (owner_of_record(w, how, i) == o) rows[count++] = i;
        open_answerer(w, &w->owners[o], rows, count);
    }
    free(rows);
}

/* owners: 0 stands for one party with all records, asked without bytes. */
static void world_open_of_depth(world *w, size_t depth, size_t owners, deal how) {
    *w = (world){.owner_count = owners ? owners : 1};
    fill_table(w);
    assert_non_null(w->arena = hr_arena_new());
    assert_int_equal(hr_edges_public(w->t.schema, BINS, w->arena, &w->binning, NULL), HR_OK);
    w->terms = (hr_id3_terms){.privacy_measure = HR_PRIVACY_NONE,
                              .binning = &w->binning,
                              .classes = CLASSES,
                              .depth = depth,
                              .leaf_share = .25,
                              .reserve = owners > 0,
                              .shares = owners};
    deal_records(w, how);
    for (size_t o = 0; o < owners; o++)
        assert_int_equal(hr_id3_question_reader_new(&w->terms, &w->owners[o].reader, NULL), HR_OK);
    assert_int_equal(hr_id3_new(&w->terms, &w->id3, NULL), HR_OK);
}

static void world_open(world *w, size_t owners, deal how) {
    world_open_of_depth(w, DEPTH, owners, how);
}

static void world_close(world *w) {
    for (size_t o = 0; o < w->owner_count; o++) {
        hr_id3_question_reader_free(w->owners[o].reader);
        hr_stats_free(w->owners[o].source);
        hr_data_free(w->owners[o].data);
    }
    hr_id3_free(w->id3);
    hr_arena_free(w->arena);
    table_close(&w->t);
}

/* ---- A run ---- */

static void check_same_question(const hr_id3_question *heard, const hr_id3_question *asked) {
    assert_true(heard->count == asked->count && heard->query_count == asked->query_count);
    assert_true(heard->line.level == asked->line.level && heard->line.cost == asked->line.cost &&
                heard->line.sensitivity == asked->line.sensitivity);
    assert_string_equal(heard->line.what, asked->line.what);
}

static void add_answer(answerer *a, const hr_id3_question *question, hr_noisy *sums) {
    static hr_exact exact[VALUES_MAX];
    hr_arena *arena = hr_arena_new();
    hr_id3_question heard = *question;
    hr_bytes body = {0};
    hr_error err = {0};
    if (a->reader) {
        assert_int_equal(hr_id3_question_pack(question, &body, &err), HR_OK);
        if (hr_id3_question_read(a->reader, &body, arena, &heard, &err)) fail_msg("%s", err.message);
        check_same_question(&heard, question);
    }
    assert_true(heard.count <= VALUES_MAX);
    assert_int_equal(hr_id3_records_answer(a->source, &heard, exact, &err), HR_OK);
    for (size_t i = 0; i < heard.count; i++) sums[i].paid += exact[i].unpaid;
    free(body.at);
    hr_arena_free(arena);
}

/* The answer to question number `lost` is lost. */
static hr_tree run_world(world *w, size_t lost, const double **said) {
    static hr_noisy sums[VALUES_MAX];
    hr_id3_question question;
    for (size_t asked = 0; hr_id3_next(w->id3, &question); asked++) {
        memset(sums, 0, sizeof sums);
        for (size_t o = 0; o < w->owner_count; o++) add_answer(&w->owners[o], &question, sums);
        assert_int_equal(hr_id3_accept(w->id3, asked == lost ? NULL : sums, 1, NULL), HR_OK);
    }
    return hr_id3_tree(w->id3, said);
}

static void check_same_tree(const world *one, const world *many) {
    const double *a_said, *b_said;
    const hr_tree a = hr_id3_tree(one->id3, &a_said), b = hr_id3_tree(many->id3, &b_said);
    assert_true(a.node_count > 30);
    assert_int_equal(a.node_count, b.node_count);
    for (size_t n = 0; n < a.node_count; n++)
        assert_true(a.nodes[n].left == b.nodes[n].left && a.nodes[n].feature == b.nodes[n].feature &&
                    a.nodes[n].branches == b.nodes[n].branches);
    assert_memory_equal(a_said, b_said, a.node_count * CLASSES * sizeof *a_said);
}

static void test_owners__make_the_tree_of_all_records(void **state) {
    (void)state;
    static const size_t owners[] = {1, 2, 3, OWNERS_MAX};
    const double *said;
    world one, many;
    world_open(&one, 0, TO_ONE);
    run_world(&one, NOTHING, &said);
    for (size_t k = 0; k < COUNT(owners); k++)
        for (deal how = 0; how < DEALS; how++) {
            world_open(&many, owners[k], how);
            run_world(&many, NOTHING, &said);
            check_same_tree(&one, &many);
            world_close(&many);
        }
    world_close(&one);
}

/* The same where the records are counted first. */
static void test_owners__make_the_tree_of_all_records_whose_depth_is_open(void **state) {
    (void)state;
    const double *said;
    world one, many;
    for (deal how = 0; how < DEALS; how++) {
        world_open_of_depth(&one, 0, 0, TO_ONE);
        world_open_of_depth(&many, 0, 3, how);
        run_world(&one, NOTHING, &said);
        run_world(&many, NOTHING, &said);
        check_same_tree(&one, &many);
        world_close(&many);
        world_close(&one);
    }
}

/* A level that is lost is asked again, and its splits are not made twice. */
static void test_owners__make_the_same_tree_if_a_level_is_lost(void **state) {
    (void)state;
    const double *said;
    world one, many;
    world_open(&one, 0, TO_ONE);
    run_world(&one, NOTHING, &said);
    for (size_t lost = 0; lost < DEPTH; lost++) {
        world_open(&many, 3, IN_TURNS);
        run_world(&many, lost, &said);
        check_same_tree(&one, &many);
        world_close(&many);
    }
    world_close(&one);
}

/* ---- Questions that no owner answers ---- */

enum { LEVEL = HEDGEROW__ID3_QUESTION__KIND__LEVEL, LEAVES = HEDGEROW__ID3_QUESTION__KIND__LEAVES };
enum { LISTED_MAX = 8 };

typedef struct list {
    uint32_t items[LISTED_MAX];
    size_t count;
} list;

#define LIST(...) ((list){{__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)})
#define NONE ((list){{0}, 0})

static hr_status say(hr_id3_question_reader *h, int kind, list splits, list features, list nodes) {
    Hedgerow__Id3Question wire = HEDGEROW__ID3_QUESTION__INIT;
    hr_bytes body = {0};
    hr_error err = {0};
    hr_id3_question question;
    hr_arena *arena = hr_arena_new();
    wire.kind = (Hedgerow__Id3Question__Kind)kind;
    wire.cost = 7;
    wire.split_nodes = splits.items;
    wire.n_split_nodes = splits.count;
    wire.split_features = features.items;
    wire.n_split_features = features.count;
    wire.nodes = nodes.items;
    wire.n_nodes = nodes.count;
    assert_int_equal(hr_message_pack(&wire.base, &body, NULL), HR_OK);
    hr_status status = hr_id3_question_read(h, &body, arena, &question, &err);
    assert_true(!status || strstr(err.message, "a question of id3 with ") ||
                strstr(err.message, "not a valid"));
    free(body.at);
    hr_arena_free(arena);
    return status;
}

/* Of two categories, which have three bins each, and one of four. */
static hr_id3_question_reader *hearer_of(size_t depth) {
    static const hr_feature_bins features[] = {
        {HR_KIND_CATEGORY, 3, NULL}, {HR_KIND_CATEGORY, 3, NULL}, {HR_KIND_CATEGORY, 4, NULL}};
    static const hr_binning binning = {3, (hr_feature_bins *)features, NULL};
    const hr_id3_terms terms = {.privacy_measure = HR_PRIVACY_PURE,
                                .binning = &binning,
                                .classes = 2,
                                .depth = depth,
                                .reserve = 1,
                                .shares = 3};
    hr_id3_question_reader *h = NULL;
    assert_int_equal(hr_id3_question_reader_new(&terms, &h, NULL), HR_OK);
    return h;
}

/* The root, and then its children 1, 2 and 3, which feature 0 made. */
static hr_id3_question_reader *hearer_of_two_levels(void) {
    hr_id3_question_reader *h = hearer_of(3);
    assert_int_equal(say(h, LEVEL, NONE, NONE, LIST(0)), HR_OK);
    assert_int_equal(say(h, LEVEL, LIST(0), LIST(0), LIST(1, 3)), HR_OK);
    return h;
}

static void test_question__is_heard_in_the_order_of_the_machine(void **state) {
    (void)state;
    hr_id3_question_reader *h = hearer_of_two_levels();
    assert_int_equal(say(h, LEVEL, NONE, NONE, LIST(1, 3)), HR_OK); /* once more */
    assert_int_equal(say(h, LEVEL, LIST(1, 3), LIST(1, 2), LIST(4, 6, 7, 10)), HR_OK);
    assert_int_equal(say(h, LEAVES, LIST(4), LIST(2), NONE), HR_OK);
    hr_id3_question_reader_free(h);
}

static void test_question__out_of_order_is_refused(void **state) {
    (void)state;
    const struct {
        int kind;
        list splits, features, nodes;
    } first[] = {{LEVEL, NONE, NONE, NONE},
                 {LEVEL, NONE, NONE, LIST(1)},
                 {LEVEL, NONE, NONE, LIST(0, 0)},
                 {LEVEL, NONE, NONE, LIST(0, 1)},
                 {LEVEL, LIST(0), LIST(0), LIST(1)},
                 {LEAVES, NONE, NONE, NONE},
                 {5, NONE, NONE, LIST(0)}},
      third[] = {
          {LEVEL, NONE, NONE, LIST(1)},             /* again, for fewer nodes */
          {LEVEL, NONE, NONE, LIST(1, 2)},          /* again, for others */
          {LEVEL, NONE, NONE, NONE},                /* again, for none */
          {LEVEL, LIST(1), LIST(1), NONE},          /* a level of no nodes */
          {LEVEL, LIST(1), LIST(1), LIST(2)},       /* a node of the level before */
          {LEVEL, LIST(1), LIST(1), LIST(4, 4)},    /* twice the same */
          {LEVEL, LIST(1), LIST(1), LIST(5, 4)},    /* out of order */
          {LEVEL, LIST(1), LIST(1), LIST(4, 7)},    /* a node that there is not */
          {LEVEL, LIST(1), LIST(0), LIST(4)},       /* a feature that a node above asks about */
          {LEVEL, LIST(1), LIST(3), LIST(4)},       /* a feature that there is not */
          {LEVEL, LIST(1, 3), LIST(1), LIST(4)},    /* a split without a feature */
          {LEVEL, LIST(2), LIST(1), LIST(4)},       /* a node that was not asked about */
          {LEVEL, LIST(0), LIST(1), LIST(4)},       /* a node that is split already */
          {LEVEL, LIST(9), LIST(1), LIST(4)},       /* a split of no node */
          {LEVEL, LIST(1, 1), LIST(1, 2), LIST(4)}, /* a node that is split twice */
          {LEVEL, LIST(3, 1), LIST(1, 1), LIST(4)}, /* splits out of order */
          {LEAVES, LIST(1), LIST(1), LIST(4)},      /* the leaves of a node */
          {LEAVES, LIST(2), LIST(1), NONE},         /* leaves of a tree that was not heard of */
      };
    for (size_t i = 0; i < COUNT(first); i++) {
        hr_id3_question_reader *h = hearer_of(3);
        assert_int_equal(say(h, first[i].kind, first[i].splits, first[i].features, first[i].nodes),
                         HR_E_FORMAT);
        assert_int_equal(say(h, LEVEL, NONE, NONE, LIST(0)), HR_E_FORMAT); /* nor anything after it */
        hr_id3_question_reader_free(h);
    }
    for (size_t i = 0; i < COUNT(third); i++) {
        hr_id3_question_reader *h = hearer_of_two_levels();
        if (say(h, third[i].kind, third[i].splits, third[i].features, third[i].nodes) != HR_E_FORMAT)
            fail_msg("question %zu was taken", i);
        hr_id3_question_reader_free(h);
    }
}

static void test_question__that_was_answered_twice_is_refused(void **state) {
    (void)state;
    hr_id3_question_reader *h = hearer_of_two_levels();
    assert_int_equal(say(h, LEVEL, NONE, NONE, LIST(1, 3)), HR_OK);
    assert_int_equal(say(h, LEVEL, NONE, NONE, LIST(1, 3)), HR_E_FORMAT);
    hr_id3_question_reader_free(h);
}

static void test_question__after_the_leaves_is_refused(void **state) {
    (void)state;
    for (int kind = LEVEL; kind <= LEAVES; kind++) {
        hr_id3_question_reader *h = hearer_of_two_levels();
        assert_int_equal(say(h, LEAVES, NONE, NONE, NONE), HR_OK);
        assert_int_equal(say(h, kind, NONE, NONE, kind == LEVEL ? LIST(1, 3) : NONE), HR_E_FORMAT);
        hr_id3_question_reader_free(h);
    }
}

static void test_question__below_the_depth_of_the_terms_is_refused(void **state) {
    (void)state;
    hr_id3_question_reader *h = hearer_of(1);
    assert_int_equal(say(h, LEVEL, NONE, NONE, LIST(0)), HR_OK);
    assert_int_equal(say(h, LEVEL, LIST(0), LIST(0), LIST(1)), HR_E_FORMAT);
    hr_id3_question_reader_free(h);
}

/* Where the terms leave the depth open: once, before the first level, and never of a depth that is given. */
static void test_question__of_the_records_is_heard_once(void **state) {
    (void)state;
    hr_id3_question_reader *h = hearer_of(0);
    assert_int_equal(say(h, LEAVES, NONE, NONE, NONE), HR_OK);
    assert_int_equal(say(h, LEVEL, NONE, NONE, LIST(0)), HR_OK);
    assert_int_equal(say(h, LEAVES, NONE, NONE, NONE), HR_OK);
    assert_int_equal(say(h, LEAVES, NONE, NONE, NONE), HR_E_FORMAT);
    hr_id3_question_reader_free(h);
    h = hearer_of(0);
    assert_int_equal(say(h, LEAVES, NONE, NONE, NONE), HR_OK);
    assert_int_equal(say(h, LEAVES, NONE, NONE, NONE), HR_E_FORMAT);
    hr_id3_question_reader_free(h);
    h = hearer_of(0);
    assert_int_equal(say(h, LEAVES, NONE, NONE, LIST(0)), HR_E_FORMAT);
    hr_id3_question_reader_free(h);
    h = hearer_of(0);
    assert_int_equal(say(h, LEAVES, LIST(0), LIST(0), NONE), HR_E_FORMAT);
    hr_id3_question_reader_free(h);
}

/* Random bytes, and questions of random numbers: what is taken has counts as the terms allow. (Under
 * sanitizers this finds whatever reads beyond its arrays.) */
static void test_question__of_random_bytes_does_no_harm(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int round = 0; round < 20000; round++) {
        hr_id3_question_reader *h = hearer_of_two_levels();
        uint8_t bytes[24];
        hr_id3_question question;
        hr_arena *arena = hr_arena_new();
        const hr_bytes body = {bytes, next_random(&random) % sizeof bytes};
        for (size_t i = 0; i < body.size; i++) bytes[i] = (uint8_t)next_random(&random);
        if (!hr_id3_question_read(h, &body, arena, &question, NULL))
            assert_true(question.count && question.query_count);
        hr_arena_free(arena);
        list numbers[3];
        for (size_t l = 0; l < 3; l++) {
            numbers[l].count = next_random(&random) % 4;
            for (size_t i = 0; i < numbers[l].count; i++)
                numbers[l].items[i] = (uint32_t)(next_random(&random) % (round % 2 ? 12 : UINT32_MAX));
        }
        say(h, (int)(next_random(&random) % 3), numbers[0], numbers[1], numbers[2]);
        hr_id3_question_reader_free(h);
    }
}

/* A record is in one table of each feature that no node above asks about: what the owner charges follows from
 * the level alone, whatever the question says. */
static void test_question__is_charged_by_the_owners_own_code(void **state) {
    (void)state;
    Hedgerow__Id3Question wire = HEDGEROW__ID3_QUESTION__INIT;
    uint32_t root[] = {0}, features[] = {2}, nodes[] = {2, 3};
    hr_id3_question_reader *h = hearer_of(3);
    hr_id3_question question;
    hr_arena *arena = hr_arena_new();
    hr_bytes body = {0};
    assert_int_equal(say(h, LEVEL, NONE, NONE, LIST(0)), HR_OK);
    wire.cost = 12345;
    wire.split_nodes = root;
    wire.split_features = features;
    wire.n_split_nodes = wire.n_split_features = 1;
    wire.nodes = nodes;
    wire.n_nodes = 2;
    assert_int_equal(hr_message_pack(&wire.base, &body, NULL), HR_OK);
    assert_int_equal(hr_id3_question_read(h, &body, arena, &question, NULL), HR_OK);
    assert_true(question.line.cost == 12345 && question.line.sensitivity == 2 * 64 &&
                question.line.level == 1);
    assert_true(question.count == 2 * 2 * 3 * 2 && question.query_count == 4 && question.divided_count == 1);
    free(body.at);
    hr_arena_free(arena);
    hr_id3_question_reader_free(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owners__make_the_tree_of_all_records),
        cmocka_unit_test(test_owners__make_the_tree_of_all_records_whose_depth_is_open),
        cmocka_unit_test(test_owners__make_the_same_tree_if_a_level_is_lost),
        cmocka_unit_test(test_question__is_heard_in_the_order_of_the_machine),
        cmocka_unit_test(test_question__out_of_order_is_refused),
        cmocka_unit_test(test_question__that_was_answered_twice_is_refused),
        cmocka_unit_test(test_question__after_the_leaves_is_refused),
        cmocka_unit_test(test_question__below_the_depth_of_the_terms_is_refused),
        cmocka_unit_test(test_question__of_the_records_is_heard_once),
        cmocka_unit_test(test_question__of_random_bytes_does_no_harm),
        cmocka_unit_test(test_question__is_charged_by_the_owners_own_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
