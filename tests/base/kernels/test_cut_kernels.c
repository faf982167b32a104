/* The kernel that finds the best cut of a node: every set gives what a scan by definition gives. */
#include "support/kernel_sets.h"
#include "tables/synth/generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct cuts {
    hr_cut_node node;
    int64_t gradients[HR_CUTS_MAX], weights[HR_CUTS_MAX];
    size_t count;
} cuts;

static double gain_by_definition(const cuts *c, size_t i) {
    double gl = (double)c->gradients[i], gr = (double)(c->node.gradient - c->gradients[i]);
    double wl = (double)c->weights[i], wr = (double)(c->node.weight - c->weights[i]);
    if (wl < c->node.min_weight || wr < c->node.min_weight) return -1;
    return (gl * gl * (wr + c->node.lambda) + gr * gr * (wl + c->node.lambda)) /
           ((wl + c->node.lambda) * (wr + c->node.lambda));
}

/* Bins without records make neighbouring cuts equal. */
static cuts draw_cuts(hr_dice *dice, size_t count) {
    static const double least[] = {1, 20, 1e9};
    cuts c = {.count = count};
    const uint64_t gradients = hr_dice_below(dice, 2) ? 9 : (uint64_t)1 << 40;
    for (size_t i = 0; i <= count; i++) {
        if (hr_dice_below(dice, 3)) {
            c.node.weight += (int64_t)hr_dice_below(dice, 30);
            c.node.gradient += (int64_t)(hr_dice_below(dice, gradients) - gradients / 2);
        }
        if (i == count) break;
        c.gradients[i] = c.node.gradient;
        c.weights[i] = c.node.weight;
    }
    c.node.lambda = (double)hr_dice_below(dice, 3) / 2;
    c.node.min_weight = least[hr_dice_below(dice, 3)];
    return c;
}

static void check_best_cut(const hr_kernels *set) {
    hr_dice dice;
    hr_dice_init(&dice, 5);
    size_t refused = 0;
    for (size_t count = 0; count <= HR_CUTS_MAX; count++)
        for (int draw = 0; draw < 20; draw++) {
            const cuts c = draw_cuts(&dice, count);
            double expected = -1, gain = 7;
            size_t first = 0;
            for (size_t i = 0; i < count; i++)
                if (gain_by_definition(&c, i) > expected) expected = gain_by_definition(&c, i), first = i;
            size_t best = set->best_cut(&c.node, c.gradients, c.weights, count, &gain);
            assert_true(gain == expected);
            assert_int_equal(best, first);
            refused += expected < 0;
        }
    assert_true(refused > 1000 && refused < 4000);
}

static void test_best_cut__is_the_first_of_the_largest_gain(void **state) {
    (void)state;
    with_each_set(check_best_cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_cut__is_the_first_of_the_largest_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
