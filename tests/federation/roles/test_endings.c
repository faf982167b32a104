/* Every ending of a job has its own word, once: the same in the log, in the list of jobs, in the status, in
 * an owner's metrics and in the coordinator's exit code. Whole jobs over the loopback end in each way. */
#include "federation/party/party_core.h"
#include "federation/roles/service_metrics.h"
#include "support/party_harness.h"

#include "privacy/ledger/journal_list.h"

enum { DEADLINE = 60 * 1000, DATE = 1000000000, STATE = 300 };

/* ---- What is said of a job ---- */

static hr_status list_state(void *user, const hr_journal_item *item) {
    assert_true(item->over);
    snprintf(user, STATE, "%s", item->state);
    return HR_OK;
}

static size_t count_lines(const char *text, const char *words) {
    size_t count = 0;
    for (; (text = strstr(text, words)); text++) count++;
    return count;
}

/* The log has one line on the end, and it has the word. */
static void check_log(const harness_party *p, const char *state) {
    char fine[80], ended[80], line[400];
    const char *said = p->harness->said;
    snprintf(fine, sizeof fine, "%s: the job is ", p->name);
    snprintf(ended, sizeof ended, "%s: the job ended", p->name);
    snprintf(line, sizeof line, strcmp(state, "done") ? "%s: the job ended: %s\n" : "%s: the job is %s\n",
             p->name, state);
    if (count_lines(said, fine) + count_lines(said, ended) != 1 || count_lines(said, line) != 1)
        fail_msg("'%s' is not said once in\n%s", line, said);
}

static void check_metrics(harness_party *p, hr_job_ending ending) {
    const hr_counted_transport none = {.inner = NULL};
    static const uint64_t refused[HR_REFUSALS];
    const hr_owner_numbers numbers = {.hello = 0};
    const hr_service_metrics metrics = {
        .name = p->name, .packets = &none, .refused = refused, .ended = p->as.owner.ended, .owner = &numbers};
    char path[PATH_ROOM + 8], line[160];
    size_t size;
    snprintf(path, sizeof path, "%s.prom", p->path);
    assert_int_equal(hr_service_metrics_write(&metrics, path, NULL), HR_OK);
    char *text = read_file(path, &size);
    for (int e = HR_JOB_DONE; e < HR_JOB_ENDINGS; e++) {
        snprintf(line, sizeof line, "hedgerow_jobs_ended_total{owner=\"%s\",ending=\"%s\"} %d\n", p->name,
                 hr_job_ending_of((hr_job_ending)e)->word, e == (int)ending);
        if (count_lines(text, line) != 1) fail_msg("no '%s' in\n%s", line, text);
    }
    free(text);
}

static void check_ending(harness *l, size_t party, hr_job_ending ending) {
    harness_party *p = &l->parties[party];
    const char *word = hr_job_ending_of(ending)->word;
    char state[STATE] = "";
    assert_int_equal(hr_journal_list(p->path, list_state, state, NULL), HR_OK);
    if (hr_ending_by_state(state) != ending) fail_msg("%s: '%s', not '%s'", p->name, state, word);
    check_log(p, state);
    if (party) {
        check_metrics(p, ending);
        return;
    }
    assert_int_equal(p->as.coordinator.ending, ending);
    assert_string_equal(p->as.coordinator.state, state);
    assert_int_equal(hr_job_ending_of(ending)->exit_code == 0,
                     hr_coordinator_work_has_result(&p->as.coordinator));
}

/* ---- Jobs ---- */

static hr_job_file ring_job(void) {
    hr_job_file job = {.rounds = 1, .options = options_of("id3", HR_MODE_PAPER)};
    job.options.epsilon = EPSILON;
    job.options.depth = 2;
    job.options.bins = 4;
    return job;
}

static void open_job(harness *l, hr_job_file job) {
    static const char *const methods[] = {"id3"};
    harness_open(l, job);
    l->deadline = DEADLINE;
    l->date = DATE;
    l->policy.unprotected = (hr_names){methods, 1};
}

static void go_on(harness *l) {
    while (harness_step(l)) {
    }
}

/* Lets time pass until no party has a job, or for an hour. */
static void run(harness *l) {
    for (int i = 0; i < 3600; i++) {
        bool open = false;
        go_on(l);
        for (size_t p = 0; p < PARTIES; p++)
            open = open || (l->parties[p].party && hr_party_jobs(l->parties[p].party));
        if (!open) return;
        l->now += 1000;
        l->date++;
    }
}

static void begin(harness *l) {
    harness_start(l);
    while (!strstr(l->said, "3 of 3 owners take part")) assert_true(harness_step(l));
}

static void cancel(const harness_party *p) {
    hr_error err = {0};
    hr_journal_named named;
    if (hr_journal_cancel(p->path, "job", &named, &err)) fail_msg("%s", err.message);
}

/* Four endings: of the coordinator, and of the owners in order; OPEN: it is not looked at. */
static void check_endings(harness *l, const hr_job_ending endings[PARTIES]) {
    for (size_t p = 0; p < PARTIES; p++)
        if (endings[p] != HR_JOB_OPEN) check_ending(l, p, endings[p]);
    harness_close(l);
}

/* ---- Endings ---- */

static void test_ending__of_a_job_that_is_done(void **state) {
    (void)state;
    harness l;
    open_job(&l, harness_job(1, HR_ORDER_CHAIN, false));
    begin(&l);
    run(&l);
    check_endings(&l, (hr_job_ending[]){HR_JOB_DONE, HR_JOB_DONE, HR_JOB_DONE, HR_JOB_DONE});
}

/* Owners of an average wait for nobody: whatever becomes of the job, they do not call it done. */
static void test_ending__of_owners_whose_models_were_sent(void **state) {
    (void)state;
    for (int cancels = 0; cancels < 2; cancels++) {
        harness l;
        open_job(&l, harness_job_of_averages());
        begin(&l);
        if (cancels) party_stop(&l.parties[3]);
        go_on(&l);
        if (cancels) cancel(&l.parties[0]);
        run(&l);
        check_endings(&l, (hr_job_ending[]){cancels ? HR_JOB_CANCELLED : HR_JOB_DONE, HR_JOB_SENT,
                                            HR_JOB_SENT, cancels ? HR_JOB_OPEN : HR_JOB_SENT});
    }
}

static void test_ending__of_a_job_that_was_cancelled(void **state) {
    (void)state;
    harness l;
    open_job(&l, harness_job(2, HR_ORDER_CHAIN, false));
    begin(&l);
    cancel(&l.parties[0]);
    l.now += 1000;
    run(&l);
    check_endings(&l,
                  (hr_job_ending[]){HR_JOB_CANCELLED, HR_JOB_CANCELLED, HR_JOB_CANCELLED, HR_JOB_CANCELLED});
}

/* Before any owner has answered, so that it never began. */
static void test_ending__of_an_offer_that_was_cancelled(void **state) {
    (void)state;
    harness l;
    open_job(&l, harness_job(1, HR_ORDER_CHAIN, false));
    party_restart(&l.parties[0]);
    go_on(&l);
    cancel(&l.parties[0]);
    l.now += 1000;
    go_on(&l);
    for (size_t i = 1; i < PARTIES; i++) party_start(&l.parties[i]);
    run(&l);
    check_endings(&l,
                  (hr_job_ending[]){HR_JOB_CANCELLED, HR_JOB_CANCELLED, HR_JOB_CANCELLED, HR_JOB_CANCELLED});
}

static void test_ending__of_an_owner_that_cancelled(void **state) {
    (void)state;
    for (int ring = 0; ring < 2; ring++) {
        const hr_job_ending others = ring ? HR_JOB_NO_ANSWER : HR_JOB_DONE;
        harness l;
        open_job(&l, ring ? ring_job() : harness_job(2, HR_ORDER_CHAIN, false));
        begin(&l);
        cancel(&l.parties[2]);
        l.now += 1000;
        party_step(&l.parties[2]);
        run(&l);
        check_endings(&l, (hr_job_ending[]){others, others, HR_JOB_CANCELLED, others});
    }
}

static void test_ending__of_a_job_that_is_declined(void **state) {
    (void)state;
    harness l;
    open_job(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.policy.epsilon = EPSILON / 2;
    harness_start(&l);
    run(&l);
    check_endings(&l, (hr_job_ending[]){HR_JOB_DECLINED, HR_JOB_DECLINED, HR_JOB_DECLINED, HR_JOB_DECLINED});
}

static void test_ending__of_a_job_that_did_not_begin(void **state) {
    (void)state;
    harness l;
    open_job(&l, harness_job(1, HR_ORDER_CHAIN, false));
    party_restart(&l.parties[0]);
    run(&l);
    check_endings(&l, (hr_job_ending[]){HR_JOB_NOT_BEGUN, HR_JOB_OPEN, HR_JOB_OPEN, HR_JOB_OPEN});
}

/* One owner is away, and the others require three. When it comes the job is over. */
static void test_ending__of_a_job_of_too_few_owners(void **state) {
    (void)state;
    harness l;
    open_job(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.policy.owners = 3;
    party_start(&l.parties[1]);
    party_start(&l.parties[2]);
    party_restart(&l.parties[0]);
    run(&l);
    check_endings(&l, (hr_job_ending[]){HR_JOB_NOT_BEGUN, HR_JOB_NOT_BEGUN, HR_JOB_NOT_BEGUN, HR_JOB_OPEN});
}

static void test_ending__of_a_job_that_ran_without_an_owner(void **state) {
    (void)state;
    for (int late = 0; late < 2; late++) {
        harness l;
        open_job(&l, harness_job(1, HR_ORDER_CHAIN, false));
        harness_start(&l);
        party_stop(&l.parties[3]);
        while (!strstr(l.said, "2 of 3 owners take part")) {
            go_on(&l);
            l.now += 1000;
        }
        if (late) go_on(&l);
        party_start(&l.parties[3]);
        run(&l);
        check_endings(&l, (hr_job_ending[]){HR_JOB_DONE, HR_JOB_DONE, HR_JOB_DONE, HR_JOB_LEFT_OUT});
    }
}

static void test_ending__of_a_job_that_missed_its_deadline(void **state) {
    (void)state;
    harness l;
    open_job(&l, ring_job());
    begin(&l);
    party_stop(&l.parties[2]);
    run(&l);
    check_endings(&l, (hr_job_ending[]){HR_JOB_TIMED_OUT, HR_JOB_TIMED_OUT, HR_JOB_OPEN, HR_JOB_TIMED_OUT});
}

/* One number, to whatever question. */
static hr_status answer_too_much(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                                 hr_error *err) {
    Hedgerow__Share share = HEDGEROW__SHARE__INIT;
    uint64_t values[1] = {7};
    (void)self, (void)job;
    share.position = (uint32_t)slot;
    share.values = values;
    share.n_values = COUNT(values);
    return hr_message_pack(&share.base, out, err);
}

static void test_ending__of_a_job_whose_protocol_was_broken(void **state) {
    (void)state;
    harness l;
    open_job(&l, ring_job());
    begin(&l);
    l.parties[1].as.work.train = answer_too_much;
    run(&l);
    check_endings(&l, (hr_job_ending[]){HR_JOB_VIOLATED, HR_JOB_OPEN, HR_JOB_VIOLATED, HR_JOB_VIOLATED});
}

static hr_status refused_question; /* the status that the method ends with */

static hr_status refuse_question(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    (void)self, (void)job, (void)out;
    return hr_fail(err, refused_question, "", "the method cannot go on");
}

static void test_ending__of_a_job_whose_method_cannot_go_on(void **state) {
    (void)state;
    const struct {
        hr_status status;
        hr_job_ending ending;
    } rows[] = {{HR_E_POLICY, HR_JOB_IMPOSSIBLE}, {HR_E_IO, HR_JOB_NO_ANSWER}, {HR_E_BUDGET, HR_JOB_FAILED}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const hr_job_ending e = rows[i].ending;
        harness l;
        open_job(&l, harness_hedge_job());
        refused_question = rows[i].status;
        harness_start(&l);
        l.parties[0].as.work.next_question = refuse_question;
        run(&l);
        check_endings(&l, (hr_job_ending[]){e, e, e, e});
    }
}

static void test_ending__of_a_job_whose_member_was_removed(void **state) {
    (void)state;
    harness l;
    open_job(&l, harness_job(2, HR_ORDER_CHAIN, false));
    begin(&l);
    for (size_t i = 1; i < PARTIES; i++) party_stop(&l.parties[i]);
    l.membership.count = PARTIES - 1;
    party_stop(&l.parties[0]);
    party_start(&l.parties[0]);
    run(&l);
    check_endings(&l, (hr_job_ending[]){HR_JOB_REMOVED, HR_JOB_OPEN, HR_JOB_OPEN, HR_JOB_OPEN});
}

static void test_ending__of_a_job_that_is_too_old(void **state) {
    (void)state;
    harness l;
    open_job(&l, harness_job(2, HR_ORDER_CHAIN, false));
    l.lifetime = 86400;
    begin(&l);
    party_stop(&l.parties[0]);
    go_on(&l);
    l.date += 2 * 86400;
    run(&l);
    check_endings(&l, (hr_job_ending[]){HR_JOB_OPEN, HR_JOB_EXPIRED, HR_JOB_EXPIRED, HR_JOB_EXPIRED});
}

static void test_ending__of_an_offer_that_newer_ones_replace(void **state) {
    (void)state;
    harness l;
    open_job(&l, harness_job(1, HR_ORDER_CHAIN, false));
    begin(&l);
    party_stop(&l.parties[0]);
    hr_live_job_leave(l.parties[3].party->jobs[0], HR_JOB_REPLACED, "newer offers took its place, undecided");
    party_step(&l.parties[3]);
    check_endings(&l, (hr_job_ending[]){HR_JOB_OPEN, HR_JOB_OPEN, HR_JOB_OPEN, HR_JOB_REPLACED});
}

/* ---- The table ---- */

/* No two have a word, or one of the codes of their own. */
static void test_endings__have_words_and_codes_of_their_own(void **state) {
    (void)state;
    assert_null(hr_job_ending_of(HR_JOB_ENDINGS));
    for (int e = HR_JOB_DONE; e < HR_JOB_ENDINGS; e++) {
        const hr_job_ending_info *one = hr_job_ending_of((hr_job_ending)e);
        assert_true(one->word[0] && one->meaning[0] && !strchr(one->word, ':'));
        assert_int_equal(hr_ending_by_state(one->word), e);
        assert_int_equal(hr_ending_by_number((uint64_t)e), e);
        for (int other = HR_JOB_DONE; other < e; other++) {
            const hr_job_ending_info *two = hr_job_ending_of((hr_job_ending)other);
            assert_string_not_equal(one->word, two->word);
            assert_true(one->exit_code == 0 || one->exit_code != two->exit_code);
        }
    }
    static const char *const none[] = {"", "running", "accepted", "done by somebody", "doneness", ": done"};
    for (size_t i = 0; i < COUNT(none); i++) assert_int_equal(hr_ending_by_state(none[i]), HR_JOB_OPEN);
    assert_int_equal(hr_ending_by_number(0), HR_JOB_FAILED);
    assert_int_equal(hr_ending_by_number(UINT64_MAX), HR_JOB_FAILED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ending__of_a_job_that_is_done),
        cmocka_unit_test(test_ending__of_owners_whose_models_were_sent),
        cmocka_unit_test(test_ending__of_a_job_that_was_cancelled),
        cmocka_unit_test(test_ending__of_an_offer_that_was_cancelled),
        cmocka_unit_test(test_ending__of_an_owner_that_cancelled),
        cmocka_unit_test(test_ending__of_a_job_that_is_declined),
        cmocka_unit_test(test_ending__of_a_job_that_did_not_begin),
        cmocka_unit_test(test_ending__of_a_job_of_too_few_owners),
        cmocka_unit_test(test_ending__of_a_job_that_ran_without_an_owner),
        cmocka_unit_test(test_ending__of_a_job_that_missed_its_deadline),
        cmocka_unit_test(test_ending__of_a_job_whose_protocol_was_broken),
        cmocka_unit_test(test_ending__of_a_job_whose_method_cannot_go_on),
        cmocka_unit_test(test_ending__of_a_job_whose_member_was_removed),
        cmocka_unit_test(test_ending__of_a_job_that_is_too_old),
        cmocka_unit_test(test_ending__of_an_offer_that_newer_ones_replace),
        cmocka_unit_test(test_endings__have_words_and_codes_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
