/* Machines together: a job comes to its end if any of them is silent, refuses or loses its work, and with
 * letters in any order. */
#include "support/inprivate_job.h"

/* Of random schedules; HR_SCHEDULES says otherwise. */
static size_t schedules(void) {
    const char *text = getenv("HR_SCHEDULES");
    return text ? strtoul(text, NULL, 10) : 300;
}

/* A round gain that the ballots' .5 does not reach ends the job after one round. */
static size_t rounds_of(const job_script *s) {
    return s->round_gain > .5 ? 1 : s->rounds;
}

static void test_schedules__without_absences_give_all_trees(void **state) {
    for (size_t k = 0; k < VOTED_SCRIPTS; k++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            simulator *b = voted_job_open(*state, &voted_scripts[k], seed);
            simulator_run(b, NULL);
            check_over(b);
            check_replay(b);
            assert_int_equal(b->aways, 0);
            assert_int_equal(trees_of(b), 3 * rounds_of(&voted_scripts[k].script));
            simulator_close(b);
        }
}

/* ---- Absences at every slot ---- */

static bool all_decided(const simulator *b) {
    for (size_t who = ANNA; who <= CARL; who++)
        if (b->parties[who].event_count < 2) return false;
    return true;
}

/* Every set of owners who answer, and are never heard of again: those who are there give all of their trees.
 */
static void test_schedules__pass_over_every_set_of_absent_owners(void **state) {
    for (size_t k = 0; k < VOTED_SCRIPTS; k++)
        for (unsigned absent = 0; absent < 8; absent++) {
            simulator *b = voted_job_open(*state, &voted_scripts[k], absent);
            while (!all_decided(b)) assert_true(simulator_step(b));
            size_t there = 0;
            for (size_t o = 0; o < 3; o++) {
                b->parties[ANNA + o].away = absent >> o & 1;
                there += !(absent >> o & 1);
            }
            simulator_run(b, NULL);
            assert_int_equal(trees_of(b), there * rounds_of(&voted_scripts[k].script));
            all_return(b);
            check_over(b);
            check_replay(b);
            simulator_close(b);
        }
}

static void test_schedules__go_on_without_those_who_do_not_answer(void **state) {
    for (size_t k = 0; k < VOTED_SCRIPTS; k++)
        for (unsigned absent = 1; absent < 8; absent++) {
            simulator *b = voted_job_open(*state, &voted_scripts[k], absent);
            for (size_t o = 0; o < 3; o++) b->parties[ANNA + o].away = absent >> o & 1;
            simulator_run(b, NULL);
            all_return(b);
            check_over(b);
            check_replay(b);
            simulator_close(b);
        }
}

static void test_schedules__go_on_without_those_who_refuse(void **state) {
    for (size_t k = 0; k < VOTED_SCRIPTS; k++)
        for (unsigned no = 1; no < 8; no++) {
            simulator *b = voted_job_open(*state, &voted_scripts[k], no);
            size_t there = 0;
            for (size_t o = 0; o < 3; o++) {
                b->parties[ANNA + o].refuses = no >> o & 1;
                there += !(no >> o & 1);
            }
            simulator_run(b, NULL);
            check_over(b);
            check_replay(b);
            assert_int_equal(b->aways, 0);
            assert_int_equal(trees_of(b), there * rounds_of(&voted_scripts[k].script));
            simulator_close(b);
        }
}

static void test_schedules__go_on_without_those_who_withdraw(void **state) {
    for (size_t k = 0; k < VOTED_SCRIPTS; k++)
        for (size_t least = 2; least <= 4; least++) {
            voted_script s = voted_scripts[k];
            s.script.min_owners = least;
            simulator *b = voted_job_open(*state, &s, least);
            b->parties[CARL].refuses = true; /* two are left */
            simulator_run(b, NULL);
            check_over(b);
            check_replay(b);
            assert_int_equal(trees_of(b), least > 2 ? 0 : 2 * rounds_of(&s.script));
            simulator_close(b);
        }
}

/* One of them demands more owners than there are; the others go on. */
static void test_schedules__go_on_when_one_withdraws(void **state) {
    for (size_t k = 0; k < VOTED_SCRIPTS; k++)
        for (size_t who = ANNA; who <= CARL; who++)
            for (uint64_t seed = 0; seed < 5; seed++) {
                simulator *b = voted_job_open(*state, &voted_scripts[k], seed);
                b->parties[who].setup.min_owners = 4;
                hr_protocol_free(b->parties[who].machine);
                b->parties[who].machine = machine_of(&b->parties[who].setup);
                simulator_run(b, NULL);
                check_over(b);
                check_replay(b);
                assert_int_equal(b->aways, 0);
                assert_int_equal(trees_of(b), 2 * rounds_of(&voted_scripts[k].script));
                simulator_close(b);
            }
}

static void test_schedules__go_on_when_work_is_lost(void **state) {
    for (size_t k = 0; k < VOTED_SCRIPTS; k++)
        for (unsigned loses = 50; loses <= 100; loses += 50)
            for (uint64_t seed = 0; seed < 5; seed++) {
                simulator *b = voted_job_open(*state, &voted_scripts[k], seed);
                for (size_t who = ANNA; who <= CARL; who++) b->parties[who].loses = loses;
                simulator_run(b, NULL);
                check_over(b);
                check_replay(b);
                assert_int_equal(b->aways, 0);
                simulator_close(b);
            }
}

/* ---- Random schedules ---- */

static void wander(simulator *b) {
    if (hr_dice_below(&b->dice, 20)) return;
    size_t who = ANNA + hr_dice_below(&b->dice, 3);
    b->parties[who].away = !b->parties[who].away;
}

/* Now and then the coordinator's patience ends although something could happen. */
static void wander_hastily(simulator *b) {
    wander(b);
    if (hr_dice_below(&b->dice, 30) || !hr_protocol_waits(b->parties[COORDINATOR].machine)) return;
    b->aways++;
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
}

static void test_schedules__come_to_their_end(void **state) {
    for (size_t seed = 0, count = schedules(); seed < count; seed++) {
        simulator *b = voted_job_open(*state, &voted_scripts[seed % VOTED_SCRIPTS], seed);
        for (size_t who = ANNA; who <= CARL; who++) {
            b->parties[who].loses = seed / VOTED_SCRIPTS % 3 ? 0 : 20;
            b->parties[who].refuses = hr_dice_below(&b->dice, 12) == 0;
        }
        simulator_run(b, seed / VOTED_SCRIPTS % 2 ? wander : wander_hastily);
        all_return(b);
        check_over(b);
        check_replay(b);
        simulator_close(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_schedules__without_absences_give_all_trees),
        WITH_TEST_MEMBERS(test_schedules__pass_over_every_set_of_absent_owners),
        WITH_TEST_MEMBERS(test_schedules__go_on_without_those_who_do_not_answer),
        WITH_TEST_MEMBERS(test_schedules__go_on_without_those_who_refuse),
        WITH_TEST_MEMBERS(test_schedules__go_on_without_those_who_withdraw),
        WITH_TEST_MEMBERS(test_schedules__go_on_when_one_withdraws),
        WITH_TEST_MEMBERS(test_schedules__go_on_when_work_is_lost),
        WITH_TEST_MEMBERS(test_schedules__come_to_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
