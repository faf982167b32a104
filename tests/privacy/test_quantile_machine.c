/* The machines of private cuts alone, told scripts of values: what they want, and in which order they may be
 * told. */
#include "privacy/quantile_machine.h"
#include "privacy/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BITS = 8, CELLS = 1 << BITS, NODES = 2 * CELLS, PARTS_MAX = 40 };

/* ---- Counts ---- */

/* The noisy counts of all nodes, whether they are wanted or not. */
typedef struct scripted {
    int64_t counts[NODES];
} scripted;

static void draw_script(hr_csprng *csprng, int64_t noise, scripted *s) {
    for (size_t i = CELLS; i < NODES; i++)
        s->counts[i] = hr_uniform(csprng, 4) ? 0 : (int64_t)hr_uniform(csprng, 900);
    for (size_t i = CELLS - 1; i > 0; i--) s->counts[i] = s->counts[2 * i] + s->counts[2 * i + 1];
    for (size_t i = 1; noise && i < NODES; i++)
        s->counts[i] += (int64_t)hr_uniform(csprng, (uint64_t)(2 * noise + 1)) - noise;
}

static hr_noisy value_of(const scripted *s, size_t node) {
    hr_noisy value;
    value.paid = s->counts[node];
    return value;
}

static hr_quantile_counts *must_machine(size_t parts, double noise) {
    hr_quantile_counts *machine = NULL;
    assert_int_equal(hr_quantile_counts_new(BITS, parts, noise, &machine, NULL), HR_OK);
    return machine;
}

/* Pair by pair; asked[i]: whether node i was wanted. */
static void tell_pairs(hr_quantile_counts *machine, const scripted *s, bool *asked) {
    size_t node;
    int level;
    while (hr_quantile_counts_next(machine, &node, &level)) {
        assert_true(node % 2 == 0 && node >= 2 && node < NODES && node >> level == 1 && !asked[node]);
        for (size_t i = 0; i < 2; i++) {
            asked[node + i] = true;
            hr_quantile_counts_accept(machine, node + i, value_of(s, node + i));
        }
    }
}

static void tell_levels(hr_quantile_counts *machine, const scripted *s, bool *asked) {
    size_t nodes[CELLS];
    for (int level = 1; level <= BITS; level++) {
        size_t count = hr_quantile_counts_level(machine, level, nodes);
        for (size_t i = 0; i < count; i++) {
            assert_true(nodes[i] >> level == 1 && (!i || nodes[i] > nodes[i - 1]));
            asked[nodes[i]] = true;
            hr_quantile_counts_accept(machine, nodes[i], value_of(s, nodes[i]));
        }
    }
}

/* Told pair by pair or level by level, the cuts are the same; what is wanted in pairs is wanted in levels
 * too, and after the levels nothing is. */
static void check_orders(const scripted *s, size_t parts, double noise) {
    bool in_pairs[NODES] = {false}, in_levels[NODES] = {false};
    uint32_t one[PARTS_MAX], two[PARTS_MAX];
    size_t node;
    int level;
    hr_quantile_counts *pairs = must_machine(parts, noise), *levels = must_machine(parts, noise);
    tell_pairs(pairs, s, in_pairs);
    tell_levels(levels, s, in_levels);
    assert_false(hr_quantile_counts_next(levels, &node, &level));
    size_t count = hr_quantile_counts_cuts(pairs, one);
    assert_int_equal(hr_quantile_counts_cuts(levels, two), count);
    assert_true(count <= parts - 1);
    for (size_t i = 0; i < count; i++)
        assert_true(one[i] == two[i] && one[i] >= 1 && one[i] < CELLS && (!i || one[i] > one[i - 1]));
    for (size_t i = 0; i < NODES; i++) assert_true(!in_pairs[i] || in_levels[i]);
    hr_quantile_counts_free(pairs);
    hr_quantile_counts_free(levels);
}

static void test_counts__do_not_mind_how_they_are_told(void **state) {
    (void)state;
    static const int64_t noises[] = {0, 20, 2000, 100000};
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(5, &csprng, NULL), HR_OK);
    for (size_t k = 0; k < sizeof noises / sizeof *noises; k++)
        for (size_t parts = 1; parts <= PARTS_MAX; parts++) {
            static scripted s;
            draw_script(csprng, noises[k], &s);
            check_orders(&s, parts, (double)noises[k] / 2);
        }
    hr_csprng_close(csprng);
}

/* 64 records in each of the first eight cells and none elsewhere: told exactly, eight parts have one cell
 * each. */
static void test_counts__cut_evenly(void **state) {
    (void)state;
    static scripted s;
    bool asked[NODES] = {false};
    uint32_t cuts[8];
    for (size_t i = 0; i < 8; i++) s.counts[CELLS + i] = 64;
    for (size_t i = CELLS - 1; i > 0; i--) s.counts[i] = s.counts[2 * i] + s.counts[2 * i + 1];
    hr_quantile_counts *machine = must_machine(8, 0);
    tell_pairs(machine, &s, asked);
    assert_int_equal(hr_quantile_counts_cuts(machine, cuts), 7);
    for (uint32_t i = 0; i < 7; i++) assert_int_equal(cuts[i], i + 1);
    assert_true(asked[2] && asked[3] && asked[CELLS] &&
                !asked[NODES - 1]); /* nothing is asked below an empty node */
    hr_quantile_counts_free(machine);
}

/* ---- Medians ---- */

/* Whatever is chosen, the intervals of a level are disjoint and the cuts end up in order, each once. */
static void test_medians__cut_what_they_ask_for(void **state) {
    (void)state;
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(6, &csprng, NULL), HR_OK);
    for (int levels = 1; levels <= 8; levels++)
        for (int repeat = 0; repeat < 50; repeat++) {
            uint32_t cuts[CELLS], ends[9] = {0};
            hr_quantile_medians machine;
            hr_median_interval of;
            size_t asked = 0;
            hr_quantile_medians_init(&machine, BITS, levels, cuts);
            for (; hr_quantile_medians_next(&machine, &of); asked++) {
                assert_true(of.level < levels && of.low >= ends[of.level] && of.high > of.low + 1 &&
                            of.high <= CELLS);
                ends[of.level] = of.high; /* from left to right */
                hr_quantile_medians_accept(&machine,
                                           of.low + 1 + (uint32_t)hr_uniform(csprng, of.high - of.low - 1));
            }
            assert_true(machine.cut_count == asked && asked < (size_t)1 << levels);
            for (size_t i = 0; i < asked; i++)
                assert_true(cuts[i] >= 1 && cuts[i] < CELLS && (!i || cuts[i] > cuts[i - 1]));
        }
    hr_csprng_close(csprng);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts__do_not_mind_how_they_are_told),
        cmocka_unit_test(test_counts__cut_evenly),
        cmocka_unit_test(test_medians__cut_what_they_ask_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
