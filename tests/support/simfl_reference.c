#include "support/simfl_reference.h"

#include "support/check.h"
#include "trees/similar/lsh.h"
#include "trees/similar/similar.h"

#include <stdlib.h>

typedef struct reference {
    const simfl_division *division;
    const hr_fit_options *options;
    hr_arena *arena;
    hr_csprng *csprng;
    hr_gate *gate;
    uint32_t rows[SIMFL_OWNERS_MAX], largest;
    hr_simfl_owner *owners[SIMFL_OWNERS_MAX];
    double base;
} reference;

static void make_owners(reference *r) {
    hr_simfl_permits permits;
    hr_noisy total[2] = {{0}, {0}}, sums[2];
    assert_int_equal(hr_simfl_charge(r->gate, &permits, NULL), HR_OK);
    for (size_t i = 0; i < r->division->count; i++) {
        r->rows[i] = (uint32_t)hr_data_rows(r->division->owners[i]);
        if (r->rows[i] > r->largest) r->largest = r->rows[i];
    }
    for (size_t i = 0; i < r->division->count; i++) {
        const hr_simfl_setup setup = {.data = r->division->owners[i],
                                      .options = r->options,
                                      .gate = r->gate,
                                      .permits = permits,
                                      .arena = r->arena,
                                      .rows = r->rows,
                                      .owners = r->division->count,
                                      .threads = 1};
        assert_int_equal(hr_simfl_owner_new(&setup, &r->owners[i], NULL), HR_OK);
        assert_int_equal(hr_simfl_owner_label_sums(r->owners[i], sums, NULL), HR_OK);
        for (size_t k = 0; k < 2; k++) total[k].paid += sums[k].paid;
    }
    for (size_t i = 0; i < r->division->count; i++)
        assert_int_equal(hr_simfl_owner_set_base(r->owners[i], total, &r->base, NULL), HR_OK);
}

static void match_owners(reference *r, const uint8_t *coins) {
    const hr_lsh_setup setup = {.schema = hr_data_schema(r->division->owners[0]),
                                .width = r->options->by_name[HR_OPTION_LSH_WIDTH],
                                .tables = (size_t)r->options->by_name[HR_OPTION_LSH_TABLES],
                                .range = r->options->by_name[HR_OPTION_LSH_RANGE],
                                .coins = coins};
    hr_hashes of[SIMFL_OWNERS_MAX];
    hr_lsh *lsh = NULL;
    uint32_t *similar = malloc(r->largest * sizeof *similar);
    assert_non_null(similar);
    assert_int_equal(hr_lsh_new(&setup, &lsh, NULL), HR_OK);
    for (size_t i = 0; i < r->division->count; i++) {
        int16_t *at = malloc(r->rows[i] * hr_lsh_tables(lsh) * sizeof *at);
        assert_non_null(at);
        assert_int_equal(hr_lsh_hash(lsh, r->division->owners[i], 1, at, NULL), HR_OK);
        of[i] = (hr_hashes){at, r->rows[i], hr_lsh_tables(lsh)};
    }
    for (size_t i = 0; i < r->division->count; i++)
        for (size_t j = 0; j < r->division->count; j++) {
            if (i == j) continue;
            assert_int_equal(hr_similar(&of[i], &of[j], hr_similar_coins(coins, i, j), 1, similar, NULL),
                             HR_OK);
            assert_int_equal(hr_simfl_owner_match(r->owners[i], j, similar, NULL), HR_OK);
        }
    for (size_t i = 0; i < r->division->count; i++) free((int16_t *)of[i].at);
    free(similar);
    hr_lsh_free(lsh);
}

static hr_tree next_tree(reference *r, size_t trainer) {
    hr_noisy *gradients = malloc(r->largest * sizeof *gradients),
             *weights = malloc(r->largest * sizeof *weights);
    hr_tree tree;
    assert_true(gradients && weights);
    for (size_t i = 0; i < r->division->count; i++) {
        if (i == trainer) continue;
        assert_int_equal(hr_simfl_owner_gradients(r->owners[i], trainer, gradients, weights, NULL), HR_OK);
        assert_int_equal(hr_simfl_owner_receive(r->owners[trainer], i, gradients, weights, NULL), HR_OK);
    }
    assert_int_equal(hr_simfl_owner_train(r->owners[trainer], &tree, NULL), HR_OK);
    for (size_t i = 0; i < r->division->count; i++)
        if (i != trainer) assert_int_equal(hr_simfl_owner_add(r->owners[i], &tree, NULL), HR_OK);
    free(gradients);
    free(weights);
    return tree;
}

static void check_same_node(const hr_node *a, const hr_node *b) {
    assert_true(a->left == b->left && a->value == b->value);
    if (!a->left) return;
    assert_true(a->feature == b->feature && a->subset == b->subset && a->missing_left == b->missing_left);
    assert_true(a->threshold == b->threshold);
}

static void check_same_tree(const hr_tree *a, const hr_tree *b) {
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->subset_count, b->subset_count);
    for (size_t n = 0; n < a->node_count; n++) check_same_node(&a->nodes[n], &b->nodes[n]);
    if (a->subset_count) assert_memory_equal(a->subsets, b->subsets, a->subset_count * sizeof *a->subsets);
}

/* In blocks, owners train the trees that their part of the records is of all. */
static size_t trainer_of(const simfl_division *division, const hr_fit_options *options, size_t tree) {
    if (options->by_name[HR_OPTION_ORDER] == HR_OWNER_ORDER_TURNS) return tree % division->count;
    size_t all = 0, upto = 0, owner = 0;
    for (size_t i = 0; i < division->count; i++) all += hr_data_rows(division->owners[i]);
    while (tree >= (size_t)options->trees * (upto += hr_data_rows(division->owners[owner])) / all) owner++;
    return owner;
}

void check_simfl_model(const hr_model *model, const simfl_division *division, const hr_fit_options *options,
                       const uint8_t *coins) {
    reference r = {.division = division, .options = options, .arena = hr_arena_new()};
    const size_t trees = (size_t)options->trees;
    assert_non_null(r.arena);
    assert_int_equal(hr_csprng_open(&r.csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(HR_PRIVACY_NONE, 0, r.csprng, &r.gate, NULL), HR_OK);
    make_owners(&r);
    match_owners(&r, coins);
    assert_int_equal(model->forest.tree_count, trees);
    assert_true(model->forest.output_count == 1 && model->forest.base[0] == r.base);
    for (size_t t = 0; t < trees; t++) {
        const hr_tree tree = next_tree(&r, trainer_of(division, options, t));
        check_same_tree(&model->forest.trees[t], &tree);
    }
    for (size_t i = 0; i < division->count; i++) hr_simfl_owner_free(r.owners[i]);
    hr_gate_free(r.gate);
    hr_csprng_close(r.csprng);
    hr_arena_free(r.arena);
}
