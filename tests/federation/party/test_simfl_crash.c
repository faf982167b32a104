/* A party dies at every single thing it does in a job of SimFL, before it and after it, and comes back from
 * its files (support/party_doom.h): nothing random is in its work, so that all of it is done again and the
 * model is the same. The linker puts this file between the party and its hashes, to see the coins. */
#include "support/party_doom.h"
#include "support/simfl_pieces.h"
#include "support/simfl_reference.h"
#include "trees/similar/lsh.h"

enum { TREES = 4 };

static uint8_t coins[HR_LSH_COINS];

hr_status __real_hr_lsh_new(const hr_lsh_setup *setup, hr_lsh **out, hr_error *err);
hr_status __wrap_hr_lsh_new(const hr_lsh_setup *setup, hr_lsh **out, hr_error *err);
hr_status __wrap_hr_lsh_new(const hr_lsh_setup *setup, hr_lsh **out, hr_error *err) {
    static const uint8_t none[HR_LSH_COINS];
    if (memcmp(setup->coins, none, sizeof none) != 0) memcpy(coins, setup->coins, sizeof coins);
    return __real_hr_lsh_new(setup, out, err);
}

static hr_job_file simfl_job_file(void) {
    hr_job_file job = {.rounds = 1, .options = options_of("simfl", HR_MODE_PAPER)};
    job.options.epsilon = 0;
    job.options.trees = TREES;
    job.options.depth = 2;
    return job;
}

static void check_simfl_end(const harness *l) {
    simfl_division division = {.count = OWNERS};
    size_t size = 0;
    hr_model *model = NULL;
    char *text = read_file(l->model, &size);
    assert_int_equal(hr_model_parse(text, size, "model", &model, NULL), HR_OK);
    for (size_t i = 0; i < OWNERS; i++) division.owners[i] = l->parties[i + 1].records;
    check_simfl_model(model, &division, &l->job.options, coins);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l->parties[i]);
    for (size_t i = 1; i < PARTIES; i++) check_query(&l->parties[i], "SELECT count(*) FROM entries", "0");
    assert_int_equal(l->event_log->second_models, 0);
    free(text);
    hr_model_free(model);
}

/* False: it did not come so far. */
static bool die_at(size_t victim, size_t at, bool after) {
    static const char *const methods[] = {"simfl"};
    harness l;
    harness_open(&l, simfl_job_file());
    l.policy.methods = l.policy.unprotected = (hr_names){methods, 1};
    doom_begin(&l, victim, at, after);
    harness_start(&l);
    harness_run_until(&l, harness_is_idle);
    check_simfl_end(&l);
    harness_close(&l);
    return doom.over;
}

static void test_crash__of_the_coordinator_changes_nothing(void **state) {
    (void)state;
    doom_at_every_call(die_at, 0, false);
    doom_at_every_call(die_at, 0, true);
}

/* The first trains two trees, the others one. */
static void test_crash__of_an_owner_changes_nothing(void **state) {
    (void)state;
    doom_at_every_call(die_at, 1, false);
    doom_at_every_call(die_at, 1, true);
    doom_at_every_call(die_at, 2, false);
}

static void die_now_and_then(size_t victim, bool after) {
    enum { STEP = 17 };
    size_t at = 1;
    while (die_at(victim, at, after)) at += STEP;
    assert_true(at > 20 * STEP);
}

/* Each owner sends ten pieces of hashes, and ten of gradients for a tree: more than may be unconfirmed. None
 * is lost. */
static void test_crash__between_pieces_changes_nothing(void **state) {
    (void)state;
    simfl_piece_records = 2;
    die_now_and_then(1, false);
    die_now_and_then(2, true);
    simfl_piece_records = 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crash__of_the_coordinator_changes_nothing),
        cmocka_unit_test(test_crash__of_an_owner_changes_nothing),
        cmocka_unit_test(test_crash__between_pieces_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
