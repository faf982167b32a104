/* The records of leaves in exports: released counts, or those of public bounds; whole, 1 or more, not too
 * many. */
#include "models/export/covers.h"
#include "models/export/engine_floats.h"

#include "support/model_parts.h"

enum { LEAVES = 3 };

/* Of ages from 0 to 120: up to 30; else with a ward that is missing or the first, or any other. */
static hr_model *model_of_counts(parts *p, const double *counts) {
    parts_init(p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, 1, 0, HR_PRIVACY_PURE);
    hr_tree *tree = &p->model.forest.trees[0];
    tree->nodes = hr_arena_alloc(p->model.arena, 5, sizeof *tree->nodes);
    assert_non_null(tree->nodes);
    tree->node_count = 5;
    tree->nodes[0] = (hr_node){.left = 1, .feature = AGE, .threshold = 30};
    tree->nodes[1] = (hr_node){.value = -.25};
    tree->nodes[2] = (hr_node){.left = 3, .feature = INCOME, .threshold = 1e5};
    tree->nodes[3] = (hr_node){.value = .25};
    tree->nodes[4] = (hr_node){.value = .5};
    tree->counts = NULL;
    tree->noise = NULL;
    if (counts) {
        tree->counts = hr_arena_alloc(p->model.arena, 5, sizeof *tree->counts);
        assert_non_null(tree->counts);
        memcpy(tree->counts, counts, 5 * sizeof *counts);
    }
    return make_model(p);
}

static void covers_of_counts(const double *counts, uint32_t *covers) {
    parts p;
    hr_arena *arena = hr_arena_new();
    hr_model *model = model_of_counts(&p, counts);
    assert_true(hr_covers_of_tree(model, 0, arena, covers));
    assert_true(covers[0] == 0 && covers[2] == 0);
    hr_model_free(model);
    parts_done(&p);
    hr_arena_free(arena);
}

static void covers__are_the_released_counts(void **state) {
    (void)state;
    const double counts[] = {100, 40.4, 59.6, 59.6, 0};
    uint32_t covers[5];
    covers_of_counts(counts, covers);
    assert_int_equal(covers[1], 40);
    assert_int_equal(covers[3], 60);
    assert_int_equal(covers[4], 1);
}

/* Also of counts that no table can have, but a file may. */
static void covers__fit_in_32_bit_numbers(void **state) {
    (void)state;
    const double counts[] = {1e100, 1e100, 3e99, 3e99, 5};
    uint32_t covers[5];
    covers_of_counts(counts, covers);
    assert_true(covers[1] + covers[3] + covers[4] <= HR_COVERS_MOST + LEAVES);
    assert_true(covers[1] > 3 * covers[3] && covers[1] < 4 * covers[3]);
    assert_int_equal(covers[4], 1);
}

static void covers__are_of_public_bounds_without_counts(void **state) {
    (void)state;
    uint32_t covers[5];
    covers_of_counts(NULL, covers);
    assert_in_range(covers[1] + covers[3] + covers[4], HR_COVERS_OF_BOUNDS - LEAVES,
                    HR_COVERS_OF_BOUNDS + LEAVES);
    assert_true(covers[1] < covers[3] + covers[4]);
    assert_true(covers[1] > 1 && covers[3] > 1 && covers[4] > 1);
}

static void covers__add_up_in_an_ensemble(void **state) {
    (void)state;
    const double counts[] = {100, 40, 60, 20, 40};
    parts p;
    hr_ensemble ensemble;
    hr_model *model = model_of_counts(&p, counts);
    assert_int_equal(hr_ensemble_make(model, model->arena, &ensemble, NULL), HR_OK);
    const hr_engine_tree *tree = &ensemble.trees[1];
    assert_int_equal(tree->nodes[0].cover, 100);
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_engine_node *node = &tree->nodes[n];
        if (node->split != HR_ENGINE_LEAF)
            assert_int_equal(node->cover, tree->nodes[node->yes].cover + tree->nodes[node->yes + 1].cover);
        else
            assert_int_equal(node->cover, node->value < 0 ? 40 : node->value < .3 ? 20 : 40);
    }
    hr_model_free(model);
    parts_done(&p);
}

static void float_below__sends_every_float_the_same_way(void **state) {
    (void)state;
    const double thresholds[] = {0, -0., .1, -.1, 1, 1e-50, -1e-50, 3e38, 3.5e38, -3.5e38, 1e300, -1e300};
    for (size_t i = 0; i < COUNT(thresholds); i++) {
        const double t = thresholds[i];
        const float below = hr_engine_float_below(t), around[] = {nextafterf(below, -HUGE_VALF), below,
                                                                  nextafterf(below, HUGE_VALF), 0, 1e-45f};
        for (size_t k = 0; k < COUNT(around); k++)
            if (isfinite(around[k])) assert_int_equal(around[k] <= below, (double)around[k] <= t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers__are_the_released_counts),
        cmocka_unit_test(covers__fit_in_32_bit_numbers),
        cmocka_unit_test(covers__are_of_public_bounds_without_counts),
        cmocka_unit_test(covers__add_up_in_an_ensemble),
        cmocka_unit_test(float_below__sends_every_float_the_same_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
