/* One owner of SimFL: the gradients that it writes for others are those of a plain reimplementation; weighted
 * gradients grow the trees of repeated records; and sums that no records can have are refused. */
#include "methods/simfl/simfl_owner.h"
#include "support/tables.h"
#include "tables/data/records.h"
#include "trees/similar/lsh.h"
#include "trees/similar/similar.h"

#include <string.h>

enum { OWNERS = 3, FEATURES = 4, TREES = 12, ROWS_MAX = 400 };

typedef struct owners {
    size_t count;
    hr_data *data[OWNERS];
    uint32_t rows[OWNERS];
    uint32_t similar[OWNERS][OWNERS][ROWS_MAX]; /* [of owner][among owner][record] */
    hr_fit_options options;
    hr_gate *gate;
    hr_arena *arena;
    hr_simfl_owner *owner[OWNERS];
    double base;
    hr_tree trees[TREES];
    size_t tree_count;
    hr_noisy gradients[ROWS_MAX], weights[ROWS_MAX];
} owners;

static void owners_start(owners *o) {
    hr_simfl_permits permits;
    hr_noisy total[2] = {{0}}, sums[2];
    o->arena = hr_arena_new();
    assert_non_null(o->arena);
    assert_int_equal(hr_gate_new(HR_PRIVACY_NONE, 0, NULL, &o->gate, NULL), HR_OK);
    assert_int_equal(hr_simfl_charge(o->gate, &permits, NULL), HR_OK);
    for (size_t i = 0; i < o->count; i++) {
        hr_simfl_setup setup = {o->data[i], &o->options, o->gate,  permits,
                                o->arena,   o->rows,     o->count, o->options.threads};
        assert_int_equal(hr_simfl_owner_new(&setup, &o->owner[i], NULL), HR_OK);
        assert_int_equal(hr_simfl_owner_label_sums(o->owner[i], sums, NULL), HR_OK);
        for (size_t k = 0; k < 2; k++) {
            total[k] = hr_noisy_of_answers((uint64_t)(total[k].paid + sums[k].paid));
        }
    }
    for (size_t i = 0; i < o->count; i++) {
        assert_int_equal(hr_simfl_owner_set_base(o->owner[i], total, &o->base, NULL), HR_OK);
        for (size_t j = 0; j < o->count; j++) {
            if (j == i) continue;
            assert_int_equal(hr_simfl_owner_match(o->owner[i], j, o->similar[i][j], NULL), HR_OK);
        }
    }
}

static void owners_close(owners *o) {
    for (size_t i = 0; i < o->count; i++) {
        hr_simfl_owner_free(o->owner[i]);
        hr_data_free(o->data[i]);
    }
    hr_gate_free(o->gate);
    hr_arena_free(o->arena);
    free(o);
}

/* The records of a table, dealt to the owners in turn; each is most like some record of every other. */
static owners *owners_of(const table *t, int threads) {
    owners *o = calloc(1, sizeof *o);
    uint32_t rows[OWNERS][ROWS_MAX];
    uint64_t random = 11;
    assert_non_null(o);
    o->count = OWNERS;
    o->options = options_of("gbdt", HR_MODE_SOUND);
    o->options.trees = TREES;
    o->options.depth = 3;
    o->options.threads = threads;
    for (uint32_t i = 0; i < t->rows; i++) rows[i % OWNERS][o->rows[i % OWNERS]++] = i;
    for (size_t i = 0; i < OWNERS; i++) {
        o->data[i] = hr_data_take(t->data, rows[i], o->rows[i]);
        assert_non_null(o->data[i]);
        for (size_t j = 0; j < OWNERS; j++)
            for (size_t q = 0; q < o->rows[i]; q++)
                o->similar[i][j][q] =
                    (uint32_t)(next_random(&random) % (o->rows[j] / 2)); /* half have none */
    }
    owners_start(o);
    return o;
}

/* The tree goes to the other owners as it is published: without bins. */
static void share_tree(owners *o, size_t m, const hr_tree *grown) {
    hr_tree *tree = &o->trees[o->tree_count];
    assert_int_equal(hr_tree_copy(grown, o->arena, tree, NULL), HR_OK);
    for (size_t n = 0; n < tree->node_count; n++) tree->nodes[n].cut = 0;
    for (size_t i = 0; i < o->count; i++)
        if (i != m) assert_int_equal(hr_simfl_owner_add(o->owner[i], tree, NULL), HR_OK);
    o->tree_count++;
}

/* Algorithm 2, with the messages in the order of the owners, or the other way round. */
static void train_tree_of_owner(owners *o, size_t m, bool backwards) {
    hr_tree grown;
    for (size_t k = 0; k < o->count; k++) {
        size_t i = backwards ? o->count - 1 - k : k;
        if (i == m) continue;
        assert_int_equal(hr_simfl_owner_gradients(o->owner[i], m, o->gradients, o->weights, NULL), HR_OK);
        assert_int_equal(hr_simfl_owner_receive(o->owner[m], i, o->gradients, o->weights, NULL), HR_OK);
    }
    assert_int_equal(hr_simfl_owner_train(o->owner[m], &grown, NULL), HR_OK);
    share_tree(o, m, &grown);
}

/* ---- Sums of gradients ---- */

static double score_of_record(const owners *o, size_t i, size_t q) {
    double score = o->base;
    for (size_t t = 0; t < o->tree_count; t++)
        score += o->trees[t].nodes[hr_tree_leaf(&o->trees[t], o->data[i], q)].value;
    return score;
}

/* So few records leave 30 bits; 4 is the largest residual of square loss. */
static void own_gradient(const owners *o, size_t i, size_t q, double *g, double *h) {
    double score = score_of_record(o, i, q), label = hr_data_labels(o->data[i])[q];
    bool classes = hr_schema_task(hr_data_schema(o->data[i])) != HR_TASK_REGRESSION;
    double p = 1 / (1 + exp(-score));
    *g = classes ? rint((p - label) * 0x1p30) : rint((score - label) * 0x1p28);
    *h = classes ? rint(p * (1 - p) * 1024) : 1;
}

/* exp and its own rounding may move an integer of a record by 1. */
static void check_sums(owners *o, size_t i, size_t m) {
    double g[ROWS_MAX] = {0}, h[ROWS_MAX] = {0};
    for (size_t q = 0; q < o->rows[i]; q++) {
        double own_g, own_h;
        own_gradient(o, i, q, &own_g, &own_h);
        g[o->similar[i][m][q]] += own_g;
        h[o->similar[i][m][q]] += own_h;
    }
    assert_int_equal(hr_simfl_owner_gradients(o->owner[i], m, o->gradients, o->weights, NULL), HR_OK);
    for (size_t s = 0; s < o->rows[m]; s++) {
        assert_true(fabs((double)o->gradients[s].paid - g[s]) <= 64);
        assert_true(fabs((double)o->weights[s].paid - h[s]) <= 1);
    }
}

static void check_all_sums(size_t classes) {
    table t = table_of_steps(300, FEATURES, classes, 21);
    owners *o = owners_of(&t, 1);
    for (size_t tree = 0; tree < TREES; tree++) {
        for (size_t i = 0; i < OWNERS; i++)
            for (size_t m = 0; m < OWNERS; m++)
                if (i != m) check_sums(o, i, m);
        train_tree_of_owner(o, tree % OWNERS, false);
    }
    owners_close(o);
    table_close(&t);
}

static void test_simfl_owner__adds_gradients_up_where_they_are_similar(void **state) {
    (void)state;
    check_all_sums(2);
    check_all_sums(0);
}

/* ---- Weighted gradients ---- */

/* Hashes so narrow that the most similar record is the one of which it is a copy. */
static void match_copies(owners *o, const uint32_t *copies) {
    static int16_t at[2][300 * 8];
    static const uint8_t coins[HR_LSH_COINS] = {5};
    hr_hashes of[2] = {{at[0], 100, 8}, {at[1], 300, 8}};
    hr_lsh *lsh;
    hr_lsh_setup setup = {hr_data_schema(o->data[0]), .02, 8, 1, coins};
    assert_int_equal(hr_lsh_new(&setup, &lsh, NULL), HR_OK);
    for (size_t i = 0; i < 2; i++) assert_int_equal(hr_lsh_hash(lsh, o->data[i], 1, at[i], NULL), HR_OK);
    assert_int_equal(hr_similar(&of[0], &of[1], 0, 1, o->similar[0][1], NULL), HR_OK);
    assert_int_equal(hr_similar(&of[1], &of[0], 0, 1, o->similar[1][0], NULL), HR_OK);
    for (size_t i = 0; i < 300; i++) assert_int_equal(o->similar[1][0][i], copies[i]);
    hr_lsh_free(lsh);
}

/* The first owner has 100 records of 20 values a feature; the second has copies of some of them. Together
 * they are a table with repeated records, on which the first trains as gbdt does. */
static hr_data *repeated_records(owners *o, const table *t) {
    uint32_t own[100], copies[300], all[400];
    for (uint32_t i = 0; i < 100; i++) own[i] = all[i] = i;
    for (uint32_t i = 0; i < 300; i++) copies[i] = all[100 + i] = i * i % 100;
    o->count = 2;
    o->rows[0] = 100;
    o->rows[1] = 300;
    o->data[0] = hr_data_take(t->data, own, 100);
    o->data[1] = hr_data_take(t->data, copies, 300);
    hr_data *repeated = hr_data_take(t->data, all, 400);
    assert_true(o->data[0] && o->data[1] && repeated);
    match_copies(o, copies);
    return repeated;
}

static void test_simfl_owner__trains_as_on_repeated_records(void **state) {
    (void)state;
    owners *o = calloc(1, sizeof *o);
    table t = table_open(100, FEATURES);
    uint64_t random = 4;
    assert_non_null(o);
    for (size_t i = 0; i < t.rows; i++) {
        for (size_t f = 0; f < FEATURES; f++) t.columns[f][i] = (double)(next_random(&random) % 20) / 19;
        t.labels[i] = (t.columns[0][i] > .4) != (next_random(&random) % 4 == 0);
    }
    table_make_plain(&t, 2);
    hr_data *repeated = repeated_records(o, &t);
    o->options = options_of("gbdt", HR_MODE_SOUND);
    o->options.trees = TREES;
    o->options.depth = 3;
    owners_start(o);
    for (size_t i = 0; i < TREES; i++) train_tree_of_owner(o, 0, false);
    hr_model *model = fit(repeated, &o->options);
    assert_true(o->base == model->forest.base[0]);
    for (size_t i = 0; i < TREES; i++) {
        const hr_tree *wanted = &model->forest.trees[i];
        assert_int_equal(o->trees[i].node_count, wanted->node_count);
        for (size_t n = 0; n < wanted->node_count; n++) {
            const hr_node *a = &o->trees[i].nodes[n], *b = &wanted->nodes[n];
            assert_true(a->left == b->left && a->feature == b->feature);
            assert_true(a->threshold == b->threshold && a->value == b->value);
        }
    }
    hr_model_free(model);
    hr_data_free(repeated);
    owners_close(o);
    table_close(&t);
}

/* ---- Order, threads and bad sums ---- */

static void test_simfl_owner__gives_the_same_trees_in_any_order_on_any_threads(void **state) {
    (void)state;
    table t = table_of_steps(390, FEATURES, 2, 22);
    owners *o = owners_of(&t, 1), *other = owners_of(&t, 4);
    for (size_t tree = 0; tree < TREES; tree++) {
        train_tree_of_owner(o, tree % OWNERS, false);
        train_tree_of_owner(other, tree % OWNERS, true);
        assert_int_equal(o->trees[tree].node_count, other->trees[tree].node_count);
        assert_memory_equal(o->trees[tree].nodes, other->trees[tree].nodes,
                            o->trees[tree].node_count * sizeof(hr_node));
    }
    owners_close(o);
    owners_close(other);
    table_close(&t);
}

static void refuse_sums(owners *o, int64_t g, int64_t h) {
    hr_error err = {0};
    hr_noisy kept[2] = {o->gradients[1], o->weights[1]};
    o->gradients[1] = hr_noisy_of_answers((uint64_t)g);
    o->weights[1] = hr_noisy_of_answers((uint64_t)h);
    assert_int_equal(hr_simfl_owner_receive(o->owner[0], 1, o->gradients, o->weights, &err), HR_E_FORMAT);
    assert_non_null(strstr(err.message, "gradients that 100 records cannot have"));
    o->gradients[1] = kept[0];
    o->weights[1] = kept[1];
}

/* What was refused is not added: the tree is the one without it. */
static void test_simfl_owner__refuses_sums_that_no_records_have(void **state) {
    (void)state;
    table t = table_of_steps(300, FEATURES, 2, 23);
    owners *o = owners_of(&t, 1), *other = owners_of(&t, 1);
    assert_int_equal(hr_simfl_owner_gradients(o->owner[1], 0, o->gradients, o->weights, NULL), HR_OK);
    refuse_sums(o, 0, -1);
    refuse_sums(o, 0, 100 * 256 + 1);
    refuse_sums(o, ((int64_t)100 << 30) + 1, 0);
    refuse_sums(o, -((int64_t)100 << 30) - 1, 0);
    refuse_sums(o, (int64_t)100 << 30, 0); /* one record may have all, but others have some */
    refuse_sums(o, INT64_MIN, INT64_MAX);
    train_tree_of_owner(o, 0, false);
    train_tree_of_owner(other, 0, false);
    assert_memory_equal(o->trees[0].nodes, other->trees[0].nodes, o->trees[0].node_count * sizeof(hr_node));
    owners_close(o);
    owners_close(other);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simfl_owner__adds_gradients_up_where_they_are_similar),
        cmocka_unit_test(test_simfl_owner__trains_as_on_repeated_records),
        cmocka_unit_test(test_simfl_owner__gives_the_same_trees_in_any_order_on_any_threads),
        cmocka_unit_test(test_simfl_owner__refuses_sums_that_no_records_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
