/* A federation in one process, while its allocation number 0, 1, 2, ... fails, and, of every eleventh, all
 * that follow: the run says so, and leaks nothing. */
#include "failing.h"
#include "federation/work/simulation.h"
#include "support/tables.h"

typedef struct world {
    table table;
    hr_job_file job;
} world;

static hr_status run(const world *w, hr_error *err) {
    hr_simulation simulation;
    const hr_data *owners[] = {w->table.data, w->table.data};
    hr_status status =
        hr_simulation_init(&simulation, &w->job, w->table.schema, &(hr_owner_tables){owners, 2}, 1, err);
    if (!status) status = hr_simulation_run(&simulation, err);
    hr_simulation_done(&simulation);
    return status;
}

static void fail_each(const world *w, bool lasting, long step) {
    bool failed = true;
    long n = 0;
    for (; failed; n += step) {
        hr_error err = {0};
        failing_start(n, lasting);
        hr_status status = run(w, &err);
        failed = failing_stop();
        if (status != (failed ? HR_E_MEMORY : HR_OK))
            fail_msg("allocation %ld: status %d (%s)", n, status, err.message);
        assert_int_equal(err.status, status);
    }
    assert_true(n > 100);
}

/* An offer, a tree each, a vote, a model. */
static void test_simulation__survives_short_memory(void **state) {
    (void)state;
    world w = {.table = table_of_steps(6, 2, 2, 1),
               .job = {.rounds = 1, .order = HR_ORDER_CHAIN, .last_slots = 1, .vote_share = .2}};
    w.job.options = options_of("inprivate", HR_MODE_SOUND);
    w.job.options.epsilon = 50;
    w.job.options.depth = 1;
    fail_each(&w, false, 1);
    fail_each(&w, true, 11);
    table_close(&w.table);
}

/* An offer, a model each, which the coordinator reads, and their average. */
static void test_average__survives_short_memory(void **state) {
    (void)state;
    world w = {.table = table_of_steps(6, 2, 2, 1),
               .job = {.rounds = 1, .averages = true, .options = options_of("dpboost", HR_MODE_SOUND)}};
    w.job.options.epsilon = 50;
    w.job.options.depth = 1;
    w.job.options.trees = 1;
    w.job.options.edges = HR_EDGES_PUBLIC;
    fail_each(&w, false, 1);
    fail_each(&w, true, 11);
    table_close(&w.table);
}

/* An offer, a level, and the leaves. Noise decides whether the root is split, and so how many allocations
 * there are: each run says by itself whether one of them failed. */
static void test_id3__survives_short_memory(void **state) {
    (void)state;
    world w = {.table = table_of_steps(6, 2, 2, 1),
               .job = {.rounds = 1, .options = options_of("id3", HR_MODE_SOUND)}};
    w.job.options.epsilon = 50;
    w.job.options.delta = 0;
    w.job.options.depth = 1;
    w.job.options.bins = 2;
    fail_each(&w, false, 1);
    fail_each(&w, true, 11);
    table_close(&w.table);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_simulation__survives_short_memory),
                                       cmocka_unit_test(test_average__survives_short_memory),
                                       cmocka_unit_test(test_id3__survives_short_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
