/* One loop answers the sums of all methods: no question twice, and what the model lists as charged is what
 * the owners' gates were charged, dropped sums included. */
#include "federation/sums/summed_job.h"
#include "support/federation.h"

enum { OWNERS = 3, ROWS = 90, NEVER = 1000 };

static struct {
    federation federation;
    hr_status (*real_train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);
    size_t turns;            /* of the first owner */
    size_t fails;            /* the first owner's turn whose answer goes astray */
    bool repeats;            /* a question is given to an owner again once it has answered */
    size_t refused;          /* repetitions */
    hr_release lines[NEVER]; /* of the second owner's gate */
    size_t line_count;
} w;

static void note_lines(const hr_job_view *job) {
    const hr_release *lines = hr_gate_releases(((hr_summed_party *)*job->state)->gate, &w.line_count);
    assert_true(w.line_count <= NEVER);
    if (w.line_count) memcpy(w.lines, lines, w.line_count * sizeof *lines);
}

static hr_status watch(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                       hr_error *err) {
    hr_bytes again = {0};
    hr_status status = w.real_train(self, job, slot, out, err);
    if (status) return status;
    if (w.repeats) {
        w.refused += w.real_train(self, job, slot, &again, NULL) == HR_E_FORMAT;
        assert_null(again.at);
    }
    if (self == &w.federation.simulation.parties[2].as.work) note_lines(job);
    if (self != &w.federation.simulation.parties[1].as.work || w.turns++ != w.fails) return HR_OK;
    free(out->at);
    *out = (hr_bytes){0};
    return hr_fail(err, HR_E_LIMIT, "", "the answer goes astray");
}

static void open_job(hr_job_file job, size_t fails, bool repeats) {
    memset(&w, 0, sizeof w);
    w.fails = fails;
    w.repeats = repeats;
    federation_open(&w.federation, table_of_steps(ROWS, 2, 2, 5), OWNERS, job, 1);
    w.real_train = w.federation.simulation.parties[1].as.work.train;
    for (size_t o = 1; o <= OWNERS; o++) w.federation.simulation.parties[o].as.work.train = watch;
}

static void test_owner__refuses_a_question_that_it_answered(void **state) {
    (void)state;
    static const char *const methods[] = {"hedge", "id3"};
    for (size_t m = 0; m < COUNT(methods); m++) {
        open_job(federated_job(methods[m], 4, 1e-6), NEVER, true);
        (void)!hr_simulation_run(&w.federation.simulation, NULL);
        if (w.refused < OWNERS) fail_msg("%s: %zu repetitions were refused", methods[m], w.refused);
        federation_close(&w.federation);
    }
}

static size_t sums_of(const hr_release *lines, size_t count, hr_units *cost) {
    size_t sums = 0;
    *cost = 0;
    for (size_t i = 0; i < count; i++)
        if (lines[i].shares) {
            *cost += lines[i].cost;
            sums++;
        }
    return sums;
}

/* The second owner is in every sum, and gives its share of all. */
static void test_model__lists_what_an_owner_was_charged(void **state) {
    (void)state;
    static const size_t fails[] = {NEVER, 0, 1, 2};
    for (size_t i = 0; i < COUNT(fails); i++) {
        hr_units charged, listed;
        open_job(federated_job("hedge", 4, 1e-6), fails[i], false);
        const hr_model *model = federation_run(&w.federation);
        const size_t sums = sums_of(w.lines, w.line_count, &charged);
        assert_int_equal(sums_of(model->releases, model->release_count, &listed), sums);
        assert_int_equal(listed, charged);
        federation_close(&w.federation);
    }
}

/* The first owner is ready for the total, and has no share of it: those that remain are asked again, and
 * their gates are charged again. */
static void test_owner__is_charged_again_for_a_sum_that_was_lost(void **state) {
    (void)state;
    enum { TOTAL = 1 }; /* the turn after that of Ready */
    for (int lost = 0; lost < 2; lost++) {
        size_t totals = 0;
        open_job(federated_job("hedge", 4, 1e-6), lost ? TOTAL : NEVER, false);
        federation_run(&w.federation);
        for (size_t i = 0; i < w.line_count; i++) {
            if (strcmp(w.lines[i].what, w.lines[0].what) != 0) continue;
            assert_int_equal(w.lines[i].cost, w.lines[0].cost);
            totals++;
        }
        assert_int_equal(totals, lost ? 2 : 1);
        assert_int_equal(strstr(w.federation.lines, "question 1 is lost") != NULL, lost);
        federation_close(&w.federation);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owner__refuses_a_question_that_it_answered),
        cmocka_unit_test(test_model__lists_what_an_owner_was_charged),
        cmocka_unit_test(test_owner__is_charged_again_for_a_sum_that_was_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
