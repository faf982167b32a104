/* All owners of a job of hedge go away: a question that nobody was there for is asked again. */
#include "support/party_harness.h"

static size_t count_of(const char *text, const char *word) {
    size_t count = 0;
    while ((text = strstr(text, word))) text += strlen(word), count++;
    return count;
}

static bool has_no_jobs(harness *l) {
    return !hr_party_jobs(l->parties[0].party);
}

/* The round that was told last. */
static int last_round(const harness *l) {
    const char *at = l->said, *next;
    int round = 0;
    for (; (next = strstr(at, "round ")); at = next + 1) round = atoi(next + strlen("round "));
    return round;
}

/* The sum of their last round is lost. That of the next one nobody hears: it is asked again, with the step of
 * the round before, and the third sum in a row ends the job. */
static void test_absence__of_all_owners_takes_no_step_away(void **state) {
    (void)state;
    harness l;
    char asked[40];
    harness_open(&l, harness_hedge_job());
    l.deadline = 20 * RESEND;
    harness_start(&l);
    for (size_t i = 0; i < IDLE_MAX && last_round(&l) < 3; i++) {
        party_step(&l.parties[0]);
        for (size_t k = 1; k < PARTIES && last_round(&l) < 3; k++) party_step(&l.parties[k]);
    }
    for (size_t i = 1; i < PARTIES; i++) party_stop(&l.parties[i]);
    harness_run_until(&l, has_no_jobs);
    snprintf(asked, sizeof asked, "round %d of", last_round(&l));
    if (last_round(&l) != 4 || count_of(l.said, asked) != 2) fail_msg("%s", l.said);
    assert_int_equal(l.event_log->models, 1);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absence__of_all_owners_takes_no_step_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
