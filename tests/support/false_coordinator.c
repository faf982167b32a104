#include "support/false_coordinator.h"

#include "federation/machines/securesum.h"

static struct {
    tampering *tamper;
    hr_status (*real_ask)(hr_party_work *, const hr_job_view *, hr_bytes *, hr_error *);
    hr_status (*real_train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);
    hr_bytes first; /* the first question */
    size_t asks;
    false_coordinator *log;
} w;

static Hedgerow__Question *read_question(const hr_bytes *bytes) {
    ProtobufCMessage *read = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__question__descriptor, bytes->at, bytes->size, &read, NULL),
                     HR_OK);
    return (Hedgerow__Question *)read;
}

static bool is_done(const hr_bytes *bytes) {
    Hedgerow__Question *question = read_question(bytes);
    const bool done = question->done;
    hr_message_unpacked_free(&question->base);
    return done;
}

static hr_status tamper_with(hr_bytes *out, hr_error *err) {
    Hedgerow__Question *question = read_question(out);
    if (!question->done) w.tamper(question);
    free(out->at);
    hr_status status = hr_message_pack(&question->base, out, err);
    hr_message_unpacked_free(&question->base);
    return status;
}

static hr_status ask_falsely(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    hr_status status = w.real_ask(self, job, out, err);
    if (!w.log->asked++) assert_int_equal(hr_bytes_copy(out->at, out->size, &w.first, NULL), HR_OK);
    if (w.log->asked <= w.asks && (status || is_done(out))) {
        free(out->at);
        status = hr_bytes_copy(w.first.at, w.first.size, out, err);
    }
    return status || !w.tamper ? status : tamper_with(out, err);
}

static hr_status watch_answer(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                              hr_error *err) {
    hr_sum_question question;
    assert_true(hr_securesum_question(job->protocol, slot, &question));
    hr_status status = w.real_train(self, job, slot, out, err);
    w.log->answers += !status && !question.to_prepare;
    if (!status) return HR_OK;
    if (!w.log->refusals++) snprintf(w.log->why, sizeof w.log->why, "%s", err->message);
    assert_null(out->at);
    return status;
}

hr_status false_coordinator_run(federation *f, tampering *tamper, size_t asks, false_coordinator *out) {
    hr_simulated_party *parties = f->simulation.parties;
    *out = (false_coordinator){0};
    w.tamper = tamper;
    w.asks = asks;
    w.log = out;
    w.real_ask = parties[0].as.work.next_question;
    w.real_train = parties[1].as.work.train;
    parties[0].as.work.next_question = ask_falsely;
    for (size_t o = 1; o <= f->owner_count; o++) parties[o].as.work.train = watch_answer;
    hr_status status = hr_simulation_run(&f->simulation, NULL);
    free(w.first.at);
    w.first = (hr_bytes){0};
    return status;
}

/* ---- Jobs of one question ---- */

void assert_no_owner_answers(federation *f, tampering *tamper, const char *why) {
    false_coordinator log;
    assert_int_not_equal(false_coordinator_run(f, tamper, 1, &log), HR_OK);
    assert_int_equal(log.answers, 0);
    assert_true(log.refusals >= 1);
    if (!strstr(log.why, why)) fail_msg("%s", log.why);
}

void assert_owners_answer_once(federation *f, const char *why) {
    false_coordinator log;
    (void)!false_coordinator_run(f, NULL, 3, &log);
    assert_int_equal(log.answers, f->owner_count);
    assert_true(log.asked > 1 && log.refusals >= 1);
    assert_string_equal(log.why, why);
}

void asks_for_a_choice(Hedgerow__Question *question) {
    question->values = 0;
    question->turns = 3;
}

void sends_a_body(Hedgerow__Question *question) {
    free(question->body.data);
    question->body.data = malloc(1);
    assert_non_null(question->body.data);
    question->body.data[0] = 1;
    question->body.len = 1;
}
