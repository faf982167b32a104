/* Lines of a job: whose job and which level, from a line's origin to its listener. */
#include "federation/federated/federated_method.h"
#include "support/party_harness.h"

typedef struct heard {
    int lines;
    char job[40], text[HR_LOG_TEXT];
} heard;

static void hear(void *user, const hr_log_line *line) {
    heard *h = user;
    h->lines++;
    snprintf(h->job, sizeof h->job, "%s", line->job ? line->job : "none");
    snprintf(h->text, sizeof h->text, "%s", line->text);
}

static void test_job_log__names_the_job_by_its_id(void **state) {
    (void)state;
    heard h = {0};
    const hr_log log = {.sink = hear, .user = &h};
    const hr_party_work work = {.log = &log};
    const hr_journal_job job = {.id = {0x00, 0x3f, 0x9a, [15] = 0xff}};
    hr_job_log(&work, &job, HR_LOG_INFO, "round %d", 2);
    assert_string_equal(h.job, "003f9a000000000000000000000000ff");
    assert_string_equal(h.text, "round 2");
    hr_job_log(&work, NULL, HR_LOG_INFO, "all of them");
    assert_string_equal(h.job, "none");
    assert_int_equal(h.lines, 2);
}

static void test_job_log__of_nobody_who_listens(void **state) {
    (void)state;
    const hr_party_work work = {0};
    hr_job_log(&work, NULL, HR_LOG_ERROR, "unheard");
}

/* ---- A whole job ---- */

typedef struct told {
    size_t infos, warnings, others, strangers;
    char job[40];
} told;

static void count_line(void *user, const hr_log_line *line) {
    told *t = user;
    if (line->level == HR_LOG_WARNING && !strcmp(line->text, "2 of 3 owners take part"))
        t->warnings++;
    else if (line->level == HR_LOG_INFO)
        t->infos++;
    else
        t->others++;
    if (!*t->job && line->job) snprintf(t->job, sizeof t->job, "%s", line->job);
    if (!line->job || strcmp(t->job, line->job) != 0) t->strangers++;
}

/* That an owner is missing is a warning, what goes well is information, and every line names the job. */
static void test_job__tells_levels_and_its_id(void **state) {
    (void)state;
    harness l;
    told t = {0};
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.deadline = 5000;
    harness_start(&l);
    l.parties[0].log = (hr_log){.sink = count_line, .user = &t};
    party_stop(&l.parties[2]);
    for (int i = 0; i < 60000 && !l.event_log->models; i++) {
        harness_step(&l);
        l.now++;
    }
    assert_int_equal(l.event_log->models, 1);
    assert_int_equal(t.warnings, 1);
    assert_int_not_equal(t.infos, 0);
    assert_int_equal(t.others, 0);
    assert_int_equal(t.strangers, 0);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_log__names_the_job_by_its_id),
        cmocka_unit_test(test_job_log__of_nobody_who_listens),
        cmocka_unit_test(test_job__tells_levels_and_its_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
