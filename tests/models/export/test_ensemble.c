#include "models/export/ensemble.h"

#include "support/model_parts.h"

enum { ROWS = 400, TREES = 40, DEPTH = 6 };

/* The node that a record goes to, as the header says. */
static uint32_t next_engine_node(const hr_engine_node *node, const double *record) {
    double x = record[node->feature];
    bool yes = false;
    switch (node->split) {
    case HR_ENGINE_LEAF: fail();
    case HR_ENGINE_NUMBER: yes = isnan(x) ? node->missing_yes : x <= node->threshold; break;
    case HR_ENGINE_PRESENT: yes = !isnan(x); break;
    case HR_ENGINE_CATEGORY: yes = !isnan(x) && hr_engine_lists(node, (size_t)x); break;
    }
    return node->yes + !yes;
}

static double leaf_of_engine(const hr_engine_tree *tree, const double *record) {
    uint32_t n = 0;
    while (tree->nodes[n].split != HR_ENGINE_LEAF) {
        uint32_t next = next_engine_node(&tree->nodes[n], record);
        assert_true(next > n && next < tree->node_count);
        n = next;
    }
    return tree->nodes[n].value;
}

/* A record as engines get it: numbers, and the index of a category. */
static void read_record(const hr_data *data, size_t row, double *record) {
    for (size_t f = 0; f < FEATURES; f++) {
        uint16_t code;
        if (hr_schema_feature(hr_data_schema(data), f)->kind == HR_KIND_NUMBER) {
            record[f] = *hr_data_number_block(data, f, row, 1, &record[f]);
            continue;
        }
        code = *hr_data_code_block(data, f, row, 1, &code);
        record[f] = code ? code - 1 : (double)NAN;
    }
}

/* Records of all kinds, some of them with numbers beyond the bounds, which tables clip and engines do not. */
static void check_records(const hr_model *model, const hr_ensemble *ensemble) {
    hr_data *data = make_data(model, ROWS, false);
    for (size_t i = 0; i < ROWS; i++) {
        double record[FEATURES];
        size_t taken[3] = {0};
        read_record(data, i, record);
        if (record[INCOME] == hr_schema_feature(model->schema, INCOME)->high) record[INCOME] *= 2;
        for (size_t t = 0; t < model->forest.tree_count; t++) {
            const hr_tree *tree = &model->forest.trees[t];
            size_t round = ++taken[tree->output];
            double said =
                leaf_of_engine(&ensemble->trees[round * ensemble->output_count + tree->output], record);
            assert_true(said == tree->nodes[hr_tree_leaf(tree, data, i)].value);
        }
    }
    hr_data_free(data);
}

/* No split has a way that nobody can go, but for what the splits above it have settled. */
static void check_splits(const hr_ensemble *ensemble) {
    for (size_t t = 0; t < ensemble->round_count * ensemble->output_count; t++) {
        const hr_engine_tree *tree = &ensemble->trees[t];
        for (size_t n = 0; n < tree->node_count; n++) {
            const hr_engine_node *node = &tree->nodes[n];
            if (node->split == HR_ENGINE_LEAF) continue;
            const hr_column *column = hr_schema_feature(ensemble->schema, node->feature);
            size_t listed = 0;
            if (node->split == HR_ENGINE_NUMBER)
                assert_true(node->threshold >= column->low && node->threshold < column->high);
            for (size_t v = 0; v < column->value_count; v++) listed += hr_engine_lists(node, v);
            assert_int_equal(listed > 0, node->split == HR_ENGINE_CATEGORY);
        }
    }
}

static void check_kind(model_kind kind) {
    parts p;
    hr_ensemble ensemble;
    hr_arena *arena = hr_arena_new();
    assert_non_null(arena);
    parts_init(&p, kind, TREES, DEPTH, HR_PRIVACY_PURE);
    hr_model *model = make_model(&p);
    assert_int_equal(hr_ensemble_make(model, arena, &ensemble, NULL), HR_OK);
    assert_int_equal(ensemble.output_count, kind.outputs);
    assert_int_equal(ensemble.round_count, 1 + (TREES + kind.outputs - 1) / kind.outputs);
    for (size_t k = 0; k < kind.outputs; k++)
        assert_true(ensemble.trees[k].nodes[0].value == model->forest.base[k]);
    size_t last = ensemble.round_count * kind.outputs - 1;
    if (TREES % kind.outputs) assert_true(ensemble.trees[last].nodes[0].value == 0);
    check_splits(&ensemble);
    check_records(model, &ensemble);
    hr_model_free(model);
    parts_done(&p);
    hr_arena_free(arena);
}

static void ensemble__sends_every_record_to_the_leaf_of_the_model(void **state) {
    (void)state;
    check_kind((model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1});
    check_kind((model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1});
    check_kind((model_kind){HR_TASK_MULTICLASS, HR_LINK_LOGISTIC, 3});
}

/* A tree of one split of the income, from -10000 to a third of a million. */
static hr_ensemble ensemble_of_split(parts *p, hr_model **model, double threshold, bool missing_left) {
    parts_init(p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, 1, 0, HR_PRIVACY_PURE);
    hr_tree *tree = &p->model.forest.trees[0];
    tree->node_count = 3;
    tree->nodes[0] =
        (hr_node){.left = 1, .feature = INCOME, .threshold = threshold, .missing_left = missing_left};
    tree->nodes[1] = (hr_node){.value = -.25};
    tree->nodes[2] = (hr_node){.value = .25};
    *model = make_model(p);
    hr_ensemble ensemble;
    assert_int_equal(hr_ensemble_make(*model, (*model)->arena, &ensemble, NULL), HR_OK);
    return ensemble;
}

typedef struct split_case {
    double threshold;
    bool missing_left;
    hr_engine_split split;
    double number, missing; /* where they go */
} split_case;

static void bounds__decide_about_numbers_beyond_them(void **state) {
    (void)state;
    const double low = -1e4, high = 1e6 / 3, inf = HUGE_VAL;
    const split_case cases[] = {
        {high, true, HR_ENGINE_LEAF, -.25, -.25},
        {high, false, HR_ENGINE_PRESENT, -.25, .25},
        {inf, false, HR_ENGINE_PRESENT, -.25, .25},
        {nextafter(high, 0), true, HR_ENGINE_NUMBER, .25, -.25},
        {low, false, HR_ENGINE_NUMBER, .25, .25},
        {nextafter(low, -inf), true, HR_ENGINE_PRESENT, .25, -.25},
        {-inf, true, HR_ENGINE_PRESENT, .25, -.25},
        {-inf, false, HR_ENGINE_LEAF, .25, .25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parts p;
        hr_model *model;
        hr_ensemble ensemble = ensemble_of_split(&p, &model, cases[i].threshold, cases[i].missing_left);
        double record[FEATURES] = {0};
        assert_int_equal(ensemble.trees[1].nodes[0].split, cases[i].split);
        record[INCOME] = 2 * high;
        assert_true(leaf_of_engine(&ensemble.trees[1], record) == cases[i].number);
        record[INCOME] = (double)NAN;
        assert_true(leaf_of_engine(&ensemble.trees[1], record) == cases[i].missing);
        hr_model_free(model);
        parts_done(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ensemble__sends_every_record_to_the_leaf_of_the_model),
        cmocka_unit_test(bounds__decide_about_numbers_beyond_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
