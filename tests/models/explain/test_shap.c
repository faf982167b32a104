/* SHAP values beside Shapley's formula, summed over all coalitions, and the background of public bounds
 * beside the average over every record that there can be. */
#include "models/explain/product_game.h"
#include "models/explain/shares.h"
#include "support/model_parts.h"
#include "support/tables.h"

#include <hedgerow/explain.h>

enum { ROWS = 60, TREES = 12, PLAYERS_MAX = 10 };

/* ---- Shapley values by their definition ---- */

typedef double (*game)(const void *context, unsigned coalition);

/* (|S|! (n - |S| - 1)!) / n! */
static double weight_of(unsigned coalition, size_t players) {
    double weight = 1 / (double)players;
    size_t size = (size_t)__builtin_popcount(coalition);
    for (size_t i = 0; i < size; i++) weight *= (double)(i + 1) / (double)(players - 1 - i);
    return weight;
}

static void shapley(game value, const void *context, size_t players, double *out) {
    double values[1 << PLAYERS_MAX];
    for (unsigned s = 0; s < 1u << players; s++) values[s] = value(context, s);
    for (size_t j = 0; j < players; j++) {
        out[j] = 0;
        for (unsigned s = 0; s < 1u << players; s++)
            if (!(s >> j & 1)) out[j] += weight_of(s, players) * (values[s | 1u << j] - values[s]);
    }
}

static void close_to(double is, double wanted) {
    if (!(fabs(is - wanted) <= 1e-11 * (1 + fabs(wanted)))) fail_msg("%.17g, wanted %.17g", is, wanted);
}

/* ---- One leaf ---- */

typedef struct leaf_game {
    double shares[HR_GAME_PLAYERS_MAX];
    size_t count;
    uint64_t pattern;
} leaf_game;

static double value_of_leaf(const void *context, unsigned coalition) {
    const leaf_game *g = context;
    double product = 1;
    for (size_t j = 0; j < g->count; j++)
        product *= coalition >> j & 1 ? (double)(g->pattern >> j & 1) : g->shares[j];
    return product;
}

/* Shares of 0 and 1 among them. */
static leaf_game random_leaf(uint64_t *random, size_t count) {
    leaf_game g = {.count = count, .pattern = next_random(random)};
    if (count < 64) g.pattern &= ((uint64_t)1 << count) - 1;
    for (size_t j = 0; j < count; j++) {
        uint64_t kind = next_random(random) % 8;
        g.shares[j] = kind == 0 ? 0 : kind == 1 ? 1 : next_unit(random);
    }
    return g;
}

static void test_product_game__is_shapleys_formula(void **state) {
    (void)state;
    uint64_t random = 12345;
    hr_quadrature quadrature;
    hr_quadrature_init(&quadrature);
    for (size_t i = 0; i < 400; i++) {
        leaf_game g = random_leaf(&random, 1 + i % PLAYERS_MAX);
        double is[PLAYERS_MAX], wanted[PLAYERS_MAX];
        hr_product_game(&quadrature, g.shares, g.count, g.pattern, is);
        shapley(value_of_leaf, &g, g.count, wanted);
        for (size_t j = 0; j < g.count; j++) close_to(is[j], wanted[j]);
    }
}

/* All agree but some, whose shares are not 0, so that the product is not lost in rounding. */
static void test_product_game__adds_up_for_as_many_players_as_there_can_be(void **state) {
    (void)state;
    uint64_t random = 777;
    hr_quadrature quadrature;
    hr_quadrature_init(&quadrature);
    for (size_t count = 1; count <= HR_GAME_PLAYERS_MAX; count++) {
        for (size_t kind = 0; kind < 2; kind++) {
            leaf_game g = random_leaf(&random, count);
            if (kind) g.pattern = count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
            double values[HR_GAME_PLAYERS_MAX], sum = 0, without = 1, with = 1;
            hr_product_game(&quadrature, g.shares, count, g.pattern, values);
            for (size_t j = 0; j < count; j++) {
                sum += values[j];
                without *= g.shares[j];
                with *= (double)(g.pattern >> j & 1);
            }
            close_to(sum, with - without);
        }
    }
}

/* ---- Models with released counts ---- */

/* The score that a record has if the features outside of the coalition go every way in the shares of the
 * counts. */
typedef struct counted_game {
    const hr_model *model;
    const hr_data *data;
    size_t row, output;
} counted_game;

static uint32_t child_by_hand(const counted_game *g, const hr_tree *tree, const hr_node *node) {
    double x;
    uint16_t code;
    if (node->feature != SEX && node->feature != WARD)
        return hr_node_child_of_number(tree, node,
                                       *hr_data_number_block(g->data, node->feature, g->row, 1, &x));
    return hr_node_child_of_code(tree, node, *hr_data_code_block(g->data, node->feature, g->row, 1, &code));
}

static double value_below(const counted_game *g, const hr_tree *tree, size_t n, unsigned coalition) {
    const hr_node *node = &tree->nodes[n];
    if (!node->left) return node->value;
    if (coalition >> node->feature & 1) return value_below(g, tree, child_by_hand(g, tree, node), coalition);
    size_t children = hr_node_child_count(node);
    double records = 0, value = 0;
    for (size_t i = 0; i < children; i++) records += tree->counts[node->left + i];
    for (size_t i = 0; i < children; i++) {
        double share = records > 0 ? tree->counts[node->left + i] / records : 1 / (double)children;
        if (share > 0) value += share * value_below(g, tree, node->left + i, coalition);
    }
    return value;
}

static double value_of_model(const void *context, unsigned coalition) {
    const counted_game *g = context;
    double value = g->model->forest.base[g->output];
    for (size_t t = 0; t < g->model->forest.tree_count; t++)
        if (g->model->forest.trees[t].output == g->output)
            value += value_below(g, &g->model->forest.trees[t], 0, coalition);
    return value;
}

/* One count in four is 0. */
static void give_counts(parts *p) {
    for (size_t t = 0; t < p->model.forest.tree_count; t++) {
        hr_tree *tree = &p->model.forest.trees[t];
        tree->counts = hr_arena_alloc(p->model.arena, tree->node_count, sizeof *tree->counts);
        assert_non_null(tree->counts);
        for (size_t n = 0; n < tree->node_count; n++)
            tree->counts[n] = next_random(&p->random) % 4 ? (double)(next_random(&p->random) % 50) : 0;
    }
}

static void check_counted(const hr_model *model, const hr_data *data, const hr_shap *shap) {
    size_t outputs = model->forest.output_count;
    double *values = calloc(ROWS * outputs * FEATURES, sizeof *values), wanted[FEATURES];
    assert_non_null(values);
    assert_int_equal(hr_shap_values(shap, data, values, NULL), HR_OK);
    for (size_t i = 0; i < ROWS * outputs; i++) {
        const counted_game g = {model, data, i / outputs, i % outputs};
        shapley(value_of_model, &g, FEATURES, wanted);
        for (size_t f = 0; f < FEATURES; f++) close_to(values[i * FEATURES + f], wanted[f]);
        close_to(hr_shap_expected(shap)[i % outputs], value_of_model(&g, 0));
    }
    free(values);
}

static void test_shap__is_shapleys_formula_on_released_counts(void **state) {
    (void)state;
    const model_kind kinds[] = {{HR_TASK_REGRESSION, HR_LINK_NUMBER, 1},
                                {HR_TASK_MULTICLASS, HR_LINK_SIGNED, 3}};
    for (size_t i = 0; i < 6; i++) {
        parts p;
        parts_init(&p, kinds[i % 2], TREES, 1 + 2 * ((unsigned)i / 2), HR_PRIVACY_PURE);
        give_counts(&p);
        hr_model *model = make_model(&p);
        hr_data *data = make_data(model, ROWS, true);
        hr_shap *shap = NULL;
        assert_int_equal(hr_shap_new(model, NULL, &shap, NULL), HR_OK);
        assert_int_equal(hr_shap_counted_trees(shap), TREES);
        assert_int_equal(hr_shap_output_count(shap), kinds[i % 2].outputs);
        check_counted(model, data, shap);
        hr_shap_free(shap);
        hr_data_free(data);
        hr_model_free(model);
        parts_done(&p);
    }
}

/* ---- A table of the caller ---- */

/* The counts of the table are those of its records, and released ones do not matter. */
static void test_shap__takes_the_callers_table_for_a_background(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, TREES, 3, HR_PRIVACY_PURE);
    give_counts(&p);
    hr_model *model = make_model(&p);
    hr_data *data = make_data(model, ROWS, true), *background = make_data(model, 200, false);
    hr_shap_options options = HR_SHAP_OPTIONS_INIT;
    options.background = background;
    hr_shap *shap = NULL;
    assert_int_equal(hr_shap_new(model, &options, &shap, NULL), HR_OK);
    assert_int_equal(hr_shap_counted_trees(shap), 0);
    for (size_t t = 0; t < TREES; t++) {
        hr_tree *tree = &model->forest.trees[t];
        memset(tree->counts, 0, tree->node_count * sizeof *tree->counts);
        for (size_t i = 0; i < 200; i++)
            for (size_t n = 0;;
                 n = child_by_hand(&(counted_game){model, background, i, 0}, tree, &tree->nodes[n])) {
                tree->counts[n]++;
                if (!tree->nodes[n].left) break;
            }
    }
    check_counted(model, data, shap);
    hr_shap_free(shap);
    hr_data_free(background);
    hr_data_free(data);
    hr_model_free(model);
    parts_done(&p);
}

static void test_shap__refuses_what_it_cannot_compare_with(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, 2, 2, HR_PRIVACY_PURE);
    hr_model *model = make_model(&p);
    hr_data *none = make_data(model, 0, false);
    table other = table_of_steps(5, 3, 2, 1);
    hr_shap_options options = HR_SHAP_OPTIONS_INIT;
    hr_shap *shap = NULL;
    hr_error err = {0};
    double values[5 * 3];
    options.background = none;
    assert_int_equal(hr_shap_new(model, &options, &shap, &err), HR_E_SCHEMA);
    assert_non_null(strstr(err.message, "no records"));
    options.background = other.data;
    assert_int_equal(hr_shap_new(model, &options, &shap, &err), HR_E_SCHEMA);
    assert_non_null(strstr(err.message, "another schema"));
    assert_int_equal(hr_shap_new(model, &(hr_shap_options){0}, &shap, &err), HR_E_ARGUMENT);
    assert_null(shap);
    assert_int_equal(hr_shap_new(model, NULL, &shap, &err), HR_OK);
    assert_int_equal(hr_shap_values(shap, other.data, values, &err), HR_E_SCHEMA);
    assert_int_equal(hr_shap_values(shap, none, values, &err), HR_OK);
    hr_shap_free(shap);
    table_close(&other);
    hr_data_free(none);
    hr_model_free(model);
    parts_done(&p);
}

/* ---- Public bounds ---- */

enum { COLUMNS = 4, GRID = 4 * 3 * 3 * 1 };

/* Every record of four integers from 0, three categories, three integers from -1 and the number 2. */
static const hr_column grid_columns[COLUMNS] = {
    {.name = "a", .kind = HR_KIND_NUMBER, .low = 0, .high = 3, .integer = true},
    {.name = "b", .kind = HR_KIND_CATEGORY, .value_count = 3, .values = (const char *const[]){"x", "y", "z"}},
    {.name = "c", .kind = HR_KIND_NUMBER, .low = -1, .high = 1, .integer = true},
    {.name = "d", .kind = HR_KIND_NUMBER, .low = 2, .high = 2}};

static void grid_record(size_t i, double *out) {
    out[0] = (double)(i % 4);
    out[1] = (double)(1 + i / 4 % 3);
    out[2] = (double)(i / 12 % 3) - 1;
    out[3] = 2;
}

typedef struct grid_game {
    const hr_tree *tree;
    double record[COLUMNS];
} grid_game;

static double leaf_of_values(const hr_tree *tree, const double *record) {
    const hr_node *node = tree->nodes;
    while (node->left) {
        double x = record[node->feature];
        node = tree->nodes + (node->feature == 1 ? hr_node_child_of_code(tree, node, (uint16_t)x)
                                                 : hr_node_child_of_number(tree, node, x));
    }
    return node->value;
}

/* The average over all records, of which the features of the coalition are replaced by this record's. */
static double value_of_grid(const void *context, unsigned coalition) {
    const grid_game *g = context;
    double sum = 0, mixed[COLUMNS];
    for (size_t i = 0; i < GRID; i++) {
        grid_record(i, mixed);
        for (size_t f = 0; f < COLUMNS; f++)
            if (coalition >> f & 1) mixed[f] = g->record[f];
        sum += leaf_of_values(g->tree, mixed);
    }
    return sum / GRID;
}

/* Thresholds on, between and beyond the integers; one split of a number in four is multiway. */
static void random_grid_split(uint64_t *random, hr_tree *tree, hr_node *node) {
    static const double thresholds[] = {-HUGE_VAL, -2, -1, -.5, 0, .25, 1, 1.5, 2, 2.75, 3, 5, HUGE_VAL};
    static const double multiway[] = {-.5, 1, 1.5, 2.5};
    node->feature = (uint32_t)(next_random(random) % COLUMNS);
    node->missing_left = next_random(random) & 1;
    if (next_random(random) % 4 == 0) {
        node->branches = node->feature == 1 ? 4 : 6;
        node->first = 0;
        tree->thresholds = (double *)multiway;
        tree->threshold_count = COUNT(multiway);
    } else if (node->feature == 1) {
        node->subset = (uint32_t)tree->subset_count;
        tree->subsets[tree->subset_count++].words[0] = next_random(random) % 16;
    } else {
        node->threshold = thresholds[next_random(random) % COUNT(thresholds)];
    }
}

static void random_grid_tree(uint64_t *random, hr_node *nodes, hr_bin_set *subsets, hr_tree *tree) {
    *tree = (hr_tree){.nodes = nodes, .node_count = 1, .subsets = subsets};
    memset(nodes, 0, 64 * sizeof *nodes);
    memset(subsets, 0, 64 * sizeof *subsets);
    for (size_t n = 0; n < tree->node_count; n++) {
        nodes[n].value = next_unit(random);
        if (tree->node_count + 6 > 60 || (n && next_random(random) % 4 == 0)) continue;
        random_grid_split(random, tree, &nodes[n]);
        nodes[n].left = (uint32_t)tree->node_count;
        tree->node_count += hr_node_child_count(&nodes[n]);
    }
}

static hr_model *model_of_tree(const hr_tree *tree, hr_schema *schema) {
    const hr_release none = {.what = "nothing", .mechanism = HR_MECHANISM_IDENTITY};
    hr_arena *arena = hr_arena_new();
    assert_non_null(arena);
    hr_tree *kept = hr_arena_alloc(arena, 1, sizeof *kept);
    double *base = hr_arena_alloc(arena, 1, sizeof *base);
    assert_int_equal(hr_tree_copy(tree, arena, kept, NULL), HR_OK);
    hr_model made = {
        .arena = arena,
        .schema = schema,
        .method = "dpboost",
        .forest = {.link = HR_LINK_NUMBER, .output_count = 1, .base = base, .trees = kept, .tree_count = 1},
        .guarantee = {.statement = "None."},
        .releases = (hr_release *)&none,
        .release_count = 1};
    hr_model *model = NULL;
    assert_int_equal(hr_model_make(&made, &model, NULL), HR_OK);
    return model;
}

/* The last record has nothing but missing values, which the background has not. */
static void check_grid(const hr_tree *tree, hr_schema *schema) {
    double columns[COLUMNS][GRID + 1], record[COLUMNS], values[(GRID + 1) * COLUMNS], wanted[COLUMNS];
    const double *at[COLUMNS];
    hr_data *data = NULL;
    hr_shap *shap = NULL;
    for (size_t i = 0; i <= GRID; i++) {
        grid_record(i, record);
        for (size_t f = 0; f < COLUMNS; f++) columns[f][i] = i < GRID ? record[f] : (double)NAN;
    }
    for (size_t f = 0; f < COLUMNS; f++) at[f] = columns[f];
    hr_model *model = model_of_tree(tree, schema);
    assert_int_equal(hr_data_from_arrays(schema, GRID + 1, at, NULL, &data, NULL), HR_OK);
    assert_int_equal(hr_shap_new(model, NULL, &shap, NULL), HR_OK);
    assert_int_equal(hr_shap_counted_trees(shap), 0);
    assert_int_equal(hr_shap_values(shap, data, values, NULL), HR_OK);
    for (size_t i = 0; i <= GRID; i++) {
        grid_game g = {.tree = tree};
        grid_record(i, g.record);
        for (size_t f = 0; i == GRID && f < COLUMNS; f++) g.record[f] = f == 1 ? 0 : (double)NAN;
        shapley(value_of_grid, &g, COLUMNS, wanted);
        for (size_t f = 0; f < COLUMNS; f++) close_to(values[i * COLUMNS + f], wanted[f]);
        close_to(hr_shap_expected(shap)[0], value_of_grid(&g, 0));
    }
    hr_shap_free(shap);
    hr_data_free(data);
    hr_model_free(model);
}

static void test_shap__is_shapleys_formula_over_all_records_within_public_bounds(void **state) {
    (void)state;
    uint64_t random = 4242;
    const hr_column label = {.name = "y", .kind = HR_KIND_NUMBER, .low = 0, .high = 1};
    hr_schema *schema = NULL;
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = grid_columns, .feature_count = COLUMNS},
                       &schema, NULL),
        HR_OK);
    for (size_t i = 0; i < 60; i++) {
        hr_node nodes[64];
        hr_bin_set subsets[64];
        hr_tree tree;
        random_grid_tree(&random, nodes, subsets, &tree);
        check_grid(&tree, schema);
    }
    hr_schema_free(schema);
}

/* x in [0, 10]: half of it is at most 5, half of that at most 2.5; of the rest a fifth is above 9. */
static void test_shares__are_lengths_of_what_is_left(void **state) {
    (void)state;
    hr_node nodes[] = {{.left = 1, .threshold = 5},
                       {.left = 3, .threshold = 2.5},
                       {.left = 5, .threshold = 9},
                       {0},
                       {.left = 7, .threshold = 7},
                       {0},
                       {0},
                       {0},
                       {0}};
    const hr_tree tree = {.nodes = nodes, .node_count = COUNT(nodes)};
    const hr_column x = number_column("x", 0, 10), label = number_column("y", 0, 1);
    hr_schema *schema = NULL;
    double shares[COUNT(nodes)];
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = &x, .feature_count = 1}, &schema, NULL),
        HR_OK);
    hr_shares_of_bounds(&tree, schema, shares);
    const double wanted[] = {1, .5, .5, .5, .5, .8, .2, 1, 0};
    for (size_t n = 0; n < COUNT(nodes); n++) close_to(shares[n], wanted[n]);
    hr_schema_free(schema);
}

/* ---- Every method ---- */

static void check_local_accuracy(const char *method, const table *t) {
    hr_fit_options options = seeded_options_of(method, HR_MODE_SOUND, 5);
    hr_model *model = NULL;
    hr_error err = {0};
    options.epsilon = 1;
    options.delta = 0;
    if (hr_fit(t->data, &options, &model, &err)) fail_msg("%s: %s", method, err.message);
    size_t outputs = model->forest.output_count, width = outputs * t->features;
    double *scores = calloc(t->rows * outputs, sizeof *scores),
           *values = calloc(t->rows * width, sizeof *values);
    hr_shap *shap = NULL;
    assert_true(scores && values);
    assert_int_equal(hr_model_scores(model, t->data, 1, scores, NULL), HR_OK);
    assert_int_equal(hr_shap_new(model, NULL, &shap, NULL), HR_OK);
    assert_int_equal(hr_shap_values(shap, t->data, values, NULL), HR_OK);
    for (size_t i = 0; i < t->rows * outputs; i++) {
        double sum = hr_shap_expected(shap)[i % outputs];
        for (size_t f = 0; f < t->features; f++) sum += values[i * t->features + f];
        if (!(fabs(sum - scores[i]) < 1e-9 * (1 + fabs(scores[i]))))
            fail_msg("%s: %g, not %g", method, sum, scores[i]);
    }
    hr_shap_free(shap);
    hr_model_free(model);
    free(values);
    free(scores);
}

static void test_shap__adds_up_to_the_score_with_every_method(void **state) {
    (void)state;
    table t = table_of_steps(300, 4, 2, 9);
    assert_true(hr_method_count() > 5);
    for (size_t m = 0; m < hr_method_count(); m++)
        if (!makes_no_plain_model(hr_method_at(m)->name)) check_local_accuracy(hr_method_at(m)->name, &t);
    table_close(&t);
}

/* The score of a count is the logarithm of its mean. */
static void test_shap__adds_up_to_the_score_of_a_count(void **state) {
    (void)state;
    table t = table_open(300, 2);
    hr_column label = number_column("y", 0, 9);
    const hr_column features[] = {number_column("a", 0, 1), number_column("b", 0, 1)};
    uint64_t random = 3;
    label.integer = label.count = true;
    for (size_t i = 0; i < t.rows; i++) {
        for (size_t f = 0; f < 2; f++) t.columns[f][i] = next_unit(&random);
        t.labels[i] = floor(9 * t.columns[0][i] * next_unit(&random));
    }
    table_make(&t, label, features);
    check_local_accuracy("hedge", &t);
    table_close(&t);
}

/* More records than a block, on one thread and on three. */
static void test_shap__does_not_depend_on_the_threads(void **state) {
    (void)state;
    enum { MANY = 5000 };
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, TREES, 3, HR_PRIVACY_PURE);
    hr_model *model = make_model(&p);
    hr_data *data = make_data(model, MANY, false);
    double *values[2];
    for (size_t i = 0; i < 2; i++) {
        hr_shap_options options = HR_SHAP_OPTIONS_INIT;
        hr_shap *shap = NULL;
        options.threads = i ? 3 : 1;
        assert_non_null(values[i] = malloc(MANY * FEATURES * sizeof **values));
        assert_int_equal(hr_shap_new(model, &options, &shap, NULL), HR_OK);
        assert_int_equal(hr_shap_values(shap, data, values[i], NULL), HR_OK);
        hr_shap_free(shap);
    }
    assert_memory_equal(values[0], values[1], MANY * FEATURES * sizeof **values);
    free(values[0]);
    free(values[1]);
    hr_data_free(data);
    hr_model_free(model);
    parts_done(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product_game__is_shapleys_formula),
        cmocka_unit_test(test_product_game__adds_up_for_as_many_players_as_there_can_be),
        cmocka_unit_test(test_shap__is_shapleys_formula_on_released_counts),
        cmocka_unit_test(test_shap__takes_the_callers_table_for_a_background),
        cmocka_unit_test(test_shap__refuses_what_it_cannot_compare_with),
        cmocka_unit_test(test_shap__is_shapleys_formula_over_all_records_within_public_bounds),
        cmocka_unit_test(test_shares__are_lengths_of_what_is_left),
        cmocka_unit_test(test_shap__adds_up_to_the_score_with_every_method),
        cmocka_unit_test(test_shap__adds_up_to_the_score_of_a_count),
        cmocka_unit_test(test_shap__does_not_depend_on_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
