/* A timed source hands every question on as it is, in the phase of that question, and every answer back. */
#include "support/check.h"
#include "support/test_clock.h"
#include "trees/records/timed_source.h"

#include <string.h>

enum { PASSES = 3, CAPACITY = 77 };

/* A source that takes PASSES seconds for every answer, and remembers what it was asked. */
typedef struct slow_source {
    hr_stats_source source;
    test_clock *clock;
    const char *asked;
    const void *first, *second; /* of the question */
    size_t number;
    hr_status answer;
    int *freed;
} slow_source;

static hr_status answer_slowly(hr_stats_source *self, const char *asked, const void *first,
                               const void *second, size_t number) {
    slow_source *s = (slow_source *)self;
    test_clock_pass(s->clock, PASSES, PASSES);
    s->asked = asked;
    s->first = first;
    s->second = second;
    s->number = number;
    return s->answer;
}

static void free_slow(hr_stats_source *self) {
    ++*((slow_source *)self)->freed;
}

static hr_status prepare_slow(hr_stats_source *self, const hr_stats_setup *setup, hr_error *err) {
    return answer_slowly(self, "prepare", setup, err, 0);
}

static hr_status cells_slow(hr_stats_source *self, size_t feature, size_t grid, hr_exact *cells,
                            hr_error *err) {
    (void)err;
    return answer_slowly(self, "cells", cells, NULL, 100 * feature + grid);
}

static hr_status share_out_slow(hr_stats_source *self, const hr_stats_shares *shares, size_t *filled,
                                hr_error *err) {
    *filled = 5;
    return answer_slowly(self, "share_out", shares, err, 0);
}

static hr_status begin_slow(hr_stats_source *self, const hr_stats_round *round, hr_error *err) {
    return answer_slowly(self, "begin", round, err, 0);
}

static hr_status label_sums_slow(hr_stats_source *self, hr_exact *sums, hr_error *err) {
    return answer_slowly(self, "label_sums", sums, err, 0);
}

static hr_status largest_residual_slow(hr_stats_source *self, size_t output, double *out, hr_error *err) {
    return answer_slowly(self, "largest_residual", out, err, output);
}

static hr_status set_base_slow(hr_stats_source *self, const double *base, hr_error *err) {
    return answer_slowly(self, "set_base", base, err, 0);
}

static hr_status add_trees_slow(hr_stats_source *self, const hr_tree *trees, size_t count, hr_error *err) {
    return answer_slowly(self, "add_trees", trees, err, count);
}

static hr_status sum_slow(hr_stats_source *self, const uint32_t *nodes, hr_sum_word *const *out, size_t count,
                          hr_error *err) {
    (void)err;
    return answer_slowly(self, "sum", nodes, out, count);
}

static hr_status split_slow(hr_stats_source *self, const uint32_t *nodes, const hr_split *splits,
                            const uint32_t *left, size_t count, hr_error *err) {
    (void)err;
    (void)splits;
    return answer_slowly(self, "split", nodes, left, count);
}

static hr_status hessians_slow(hr_stats_source *self, const hr_tree *tree, hr_exact *sums, hr_error *err) {
    (void)err;
    return answer_slowly(self, "hessians", tree, sums, 0);
}

static hr_status ask_slow(hr_stats_source *self, const hr_stats_query *queries, size_t count, hr_exact *out,
                          hr_error *err) {
    (void)err;
    return answer_slowly(self, "ask", queries, out, count);
}

static hr_status divide_slow(hr_stats_source *self, const uint32_t *nodes, const hr_child_rule *divisions,
                             const uint32_t *first, size_t count, hr_error *err) {
    (void)err;
    (void)divisions;
    return answer_slowly(self, "divide", nodes, first, count);
}

static hr_status gap_slow(hr_stats_source *self, const hr_stats_query *query, size_t gap, size_t *known,
                          double around[2], hr_error *err) {
    (void)err;
    (void)known;
    return answer_slowly(self, "gap", query, around, gap);
}

static hr_status tree_scores_slow(hr_stats_source *self, const hr_hedge_question *question, hr_exact *out,
                                  hr_error *err) {
    (void)err;
    return answer_slowly(self, "tree_scores", question, out, 0);
}

static hr_status tree_sums_slow(hr_stats_source *self, const hr_hedge_question *question, hr_exact *out,
                                hr_error *err) {
    (void)err;
    return answer_slowly(self, "tree_sums", question, out, 0);
}

static const hr_stats_ops slow_ops = {
    free_slow,        prepare_slow,          cells_slow,    share_out_slow, begin_slow,
    label_sums_slow,  largest_residual_slow, set_base_slow, add_trees_slow, sum_slow,
    split_slow,       hessians_slow,         ask_slow,      divide_slow,    gap_slow,
    tree_scores_slow, tree_sums_slow};

typedef struct fixture {
    test_clock clock;
    hr_timings *timings;
    slow_source slow;
    hr_stats_source *timed;
    int freed;
} fixture;

static int set_up_timed_source(void **state) {
    static fixture f;
    f = (fixture){0};
    const hr_stopwatch watch = {test_clock_now, &f.clock};
    f.slow = (slow_source){.source = {&slow_ops, CAPACITY}, .clock = &f.clock, .freed = &f.freed};
    *state = &f;
    if (hr_timings_new_by(&watch, &f.timings, NULL)) return -1;
    return hr_timed_source_new(&f.slow.source, f.timings, &f.timed, NULL);
}

static int tear_down_timed_source(void **state) {
    fixture *f = *state;
    hr_stats_free(f->timed);
    hr_timings_free(f->timings);
    return f->freed == 1 ? 0 : -1;
}

/* That the question arrived, and took its time in that phase alone. Begins anew. */
static void assert_asked(fixture *f, const char *asked, const void *first, size_t number, const char *phase) {
    const hr_stopwatch watch = {test_clock_now, &f->clock};
    hr_timing total, timing;
    hr_timings_total(f->timings, &total);
    assert_true(total.wall == PASSES);
    assert_true(hr_timings_at(f->timings, 0, &timing));
    assert_string_equal(timing.name, phase);
    assert_true(timing.wall == PASSES && timing.processor == PASSES);
    assert_string_equal(f->slow.asked, asked);
    assert_ptr_equal(f->slow.first, first);
    assert_int_equal(f->slow.number, number);
    hr_timings_free(f->timings);
    hr_stats_source *before = f->timed;
    assert_int_equal(hr_timings_new_by(&watch, &f->timings, NULL), HR_OK);
    assert_int_equal(hr_timed_source_new(&f->slow.source, f->timings, &f->timed, NULL), HR_OK);
    f->freed--;
    hr_stats_free(before);
}

static void test_timed_source__is_as_large(void **state) {
    fixture *f = *state;
    assert_int_equal(f->timed->capacity, CAPACITY);
}

/* A question that is added to the source, and not here, would go nowhere. */
static void test_timed_source__has_every_question(void **state) {
    typedef void any(void);
    fixture *f = *state;
    for (size_t at = 0; at < sizeof(hr_stats_ops); at += sizeof(any *)) {
        any *op;
        memcpy(&op, (const char *)f->timed->ops + at, sizeof op);
        if (!op) fail_msg("question %zu is not handed on", at / sizeof op);
    }
}

static void test_timed_source__of_rounds(void **state) {
    fixture *f = *state;
    const hr_stats_setup setup = {0};
    const hr_stats_shares shares = {0};
    const hr_stats_round round = {0};
    hr_exact cell;
    size_t filled = 0;
    assert_int_equal(f->timed->ops->prepare(f->timed, &setup, NULL), HR_OK);
    assert_asked(f, "prepare", &setup, 0, "bins");
    assert_int_equal(f->timed->ops->cells(f->timed, 3, 8, &cell, NULL), HR_OK);
    assert_asked(f, "cells", &cell, 308, "bins");
    assert_int_equal(f->timed->ops->share_out(f->timed, &shares, &filled, NULL), HR_OK);
    assert_int_equal(filled, 5);
    assert_asked(f, "share_out", &shares, 0, "split");
    assert_int_equal(f->timed->ops->begin(f->timed, &round, NULL), HR_OK);
    assert_asked(f, "begin", &round, 0, "gradients");
}

static void test_timed_source__of_gradients(void **state) {
    fixture *f = *state;
    hr_exact sums[2];
    double number = 0;
    const hr_tree tree = {0};
    const uint32_t nodes[2] = {1, 2};
    const hr_split splits[2] = {{0}};
    hr_sum_word *cells[2] = {NULL, NULL};
    assert_int_equal(f->timed->ops->label_sums(f->timed, sums, NULL), HR_OK);
    assert_asked(f, "label_sums", sums, 0, "histograms");
    assert_int_equal(f->timed->ops->largest_residual(f->timed, 4, &number, NULL), HR_OK);
    assert_asked(f, "largest_residual", &number, 4, "gradients");
    assert_int_equal(f->timed->ops->set_base(f->timed, &number, NULL), HR_OK);
    assert_asked(f, "set_base", &number, 0, "score");
    assert_int_equal(f->timed->ops->add_trees(f->timed, &tree, 1, NULL), HR_OK);
    assert_asked(f, "add_trees", &tree, 1, "score");
    assert_int_equal(f->timed->ops->sum(f->timed, nodes, cells, 2, NULL), HR_OK);
    assert_ptr_equal(f->slow.second, cells);
    assert_asked(f, "sum", nodes, 2, "histograms");
    assert_int_equal(f->timed->ops->split(f->timed, nodes, splits, nodes + 1, 1, NULL), HR_OK);
    assert_ptr_equal(f->slow.second, nodes + 1);
    assert_asked(f, "split", nodes, 1, "split");
    assert_int_equal(f->timed->ops->hessians(f->timed, &tree, sums, NULL), HR_OK);
    assert_ptr_equal(f->slow.second, sums);
    assert_asked(f, "hessians", &tree, 0, "leaves");
}

static void test_timed_source__of_labels(void **state) {
    fixture *f = *state;
    hr_exact sums[2];
    size_t known;
    double around[2];
    const uint32_t nodes[2] = {1, 2};
    const hr_child_rule divisions[2] = {{0}};
    hr_stats_query query = {.answer = HR_STATS_BINS};
    assert_int_equal(f->timed->ops->answer(f->timed, &query, 1, sums, NULL), HR_OK);
    assert_ptr_equal(f->slow.second, sums);
    assert_asked(f, "ask", &query, 1, "histograms");
    query.answer = HR_STATS_LEAVES;
    assert_int_equal(f->timed->ops->answer(f->timed, &query, 1, sums, NULL), HR_OK);
    assert_asked(f, "ask", &query, 1, "leaves");
    assert_int_equal(f->timed->ops->divide(f->timed, nodes, divisions, nodes + 1, 2, NULL), HR_OK);
    assert_ptr_equal(f->slow.second, nodes + 1);
    assert_asked(f, "divide", nodes, 2, "split");
    assert_int_equal(f->timed->ops->gap(f->timed, &query, 9, &known, around, NULL), HR_OK);
    assert_ptr_equal(f->slow.second, around);
    assert_asked(f, "gap", &query, 9, "histograms");
}

static void test_timed_source__of_hedge(void **state) {
    fixture *f = *state;
    static const struct {
        hr_hedge_question_kind kind;
        const char *phase;
    } sums_of[] = {
        {HR_HEDGE_TOTALS, "histograms"}, {HR_HEDGE_LEAVES, "leaves"}, {HR_HEDGE_RELIABILITY, "calibration"}};
    hr_exact sums[2];
    hr_hedge_question question = {.kind = HR_HEDGE_CHOICE};
    assert_int_equal(f->timed->ops->tree_scores(f->timed, &question, sums, NULL), HR_OK);
    assert_ptr_equal(f->slow.second, sums);
    assert_asked(f, "tree_scores", &question, 0, "scan");
    for (size_t i = 0; i < sizeof sums_of / sizeof *sums_of; i++) {
        question.kind = sums_of[i].kind;
        assert_int_equal(f->timed->ops->tree_sums(f->timed, &question, sums, NULL), HR_OK);
        assert_ptr_equal(f->slow.second, sums);
        assert_asked(f, "tree_sums", &question, 0, sums_of[i].phase);
    }
}

/* Its status, and the phase is left. */
static void test_timed_source__of_a_failure(void **state) {
    fixture *f = *state;
    const hr_stats_round round = {0};
    hr_timing total, timing;
    f->slow.answer = HR_E_LIMIT;
    assert_int_equal(f->timed->ops->begin(f->timed, &round, NULL), HR_E_LIMIT);
    test_clock_pass(&f->clock, 1, 1);
    hr_timings_total(f->timings, &total);
    assert_true(hr_timings_at(f->timings, 0, &timing));
    assert_true(timing.wall == PASSES);
}

static void test_timed_source__without_timings(void **state) {
    fixture *f = *state;
    hr_stats_source *same = NULL;
    assert_int_equal(hr_timed_source_new(&f->slow.source, NULL, &same, NULL), HR_OK);
    assert_ptr_equal(same, &f->slow.source);
}

#define TIMED(test) cmocka_unit_test_setup_teardown(test, set_up_timed_source, tear_down_timed_source)

int main(void) {
    const struct CMUnitTest tests[] = {
        TIMED(test_timed_source__is_as_large),  TIMED(test_timed_source__has_every_question),
        TIMED(test_timed_source__of_rounds),    TIMED(test_timed_source__of_gradients),
        TIMED(test_timed_source__of_labels),    TIMED(test_timed_source__of_hedge),
        TIMED(test_timed_source__of_a_failure), TIMED(test_timed_source__without_timings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
