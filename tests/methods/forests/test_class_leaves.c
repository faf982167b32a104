/* Leaves of classes: shares of their counts, pulled to their parents' where noise is large. */
#include "methods/forests/class_leaves.h"

#include "support/check.h"

#include <math.h>

enum { NODES = 4, CLASSES = 3 };

/* The root has three leaves. */
static const hr_tree tree = {.nodes = (hr_node[NODES]){{.left = 1, .branches = 3}, {0}, {0}, {0}},
                             .node_count = NODES};
static const double counts[NODES * CLASSES] = {0, 0, 0, 6, 2, 0, 0, 0, 4, 0, 0, 0};

static void say(double noise, double *said) {
    double own[NODES * CLASSES], records[NODES];
    memcpy(own, counts, sizeof own);
    hr_class_leaves(&tree, CLASSES, noise, own, records, said);
}

static void test_class_leaves__say_their_shares_and_empty_ones_their_parents(void **state) {
    (void)state;
    static const double wanted[NODES * CLASSES] = {.5, 1. / 6, 1. / 3, .75, .25,    0,
                                                   0,  0,      1,      .5,  1. / 6, 1. / 3};
    double said[NODES * CLASSES];
    say(0, said);
    for (size_t i = 0; i < COUNT(wanted); i++) assert_true(fabs(said[i] - wanted[i]) < 1e-6);
}

static void test_class_leaves__are_alike_under_much_noise(void **state) {
    (void)state;
    double said[NODES * CLASSES], less[NODES * CLASSES];
    say(1e9, said);
    for (size_t i = 0; i < COUNT(said); i++) assert_true(fabs(said[i] - 1. / CLASSES) < 1e-6);
    say(5, less);
    assert_true(less[3] > said[3] + .05 && less[3] < .7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class_leaves__say_their_shares_and_empty_ones_their_parents),
        cmocka_unit_test(test_class_leaves__are_alike_under_much_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
