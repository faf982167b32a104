/* Inquiries of coordinators and the answers of owners, as bytes. */
#include "federation/protocol/inquiry.h"

#include "support/test_members.h"

static void test_inquiry__arrives_as_it_was_sent(void **state) {
    (void)state;
    hr_bytes body = {0};
    int64_t date = 0;
    assert_int_equal(hr_inquiry_make(1234567890, &body, NULL), HR_OK);
    assert_int_equal(hr_inquiry_read(&body, &date, NULL), HR_OK);
    assert_int_equal(date, 1234567890);
    free(body.at);
    assert_int_equal(hr_inquiry_make(-1, &body, NULL), HR_OK);
    assert_int_equal(hr_inquiry_read(&body, &date, NULL), HR_E_FORMAT);
    free(body.at);
}

static void test_held_jobs__arrive_as_they_were_sent(void **state) {
    (void)state;
    static hr_held_jobs held, read;
    hr_bytes body = {0};
    held.count = HR_HELD_JOBS_MAX;
    for (size_t i = 0; i < held.count; i++) {
        held.jobs[i] = (hr_held_job){.date = 1000 + (int64_t)i, .charged = i % 2};
        memset(held.jobs[i].id.bytes, (int)i, HR_JOB_BYTES);
        if (i) memset(held.jobs[i].name, 'x', HR_JOB_NAME_MAX);
    }
    assert_int_equal(hr_held_jobs_make(&held, &body, NULL), HR_OK);
    assert_int_equal(hr_held_jobs_read(&body, &read, NULL), HR_OK);
    assert_int_equal(read.count, held.count);
    for (size_t i = 0; i < held.count; i++) {
        assert_memory_equal(read.jobs[i].id.bytes, held.jobs[i].id.bytes, HR_JOB_BYTES);
        assert_string_equal(read.jobs[i].name, held.jobs[i].name);
        assert_int_equal(read.jobs[i].date, held.jobs[i].date);
        assert_int_equal(read.jobs[i].charged, held.jobs[i].charged);
    }
    free(body.at);
}

static void refuse_held(const Hedgerow__HeldJob *job, size_t count, hr_status expected) {
    Hedgerow__HeldJob *jobs[HR_HELD_JOBS_MAX + 1];
    Hedgerow__Held content = HEDGEROW__HELD__INIT;
    Hedgerow__Aside aside = HEDGEROW__ASIDE__INIT;
    static hr_held_jobs out;
    for (size_t i = 0; i < count; i++) jobs[i] = (Hedgerow__HeldJob *)job;
    content.jobs = jobs;
    content.n_jobs = count;
    aside.kind_case = HEDGEROW__ASIDE__KIND_HELD;
    aside.held = &content;
    hr_bytes body = packed(&aside);
    assert_int_equal(hr_held_jobs_read(&body, &out, NULL), expected);
    free(body.at);
}

static void test_held_jobs__that_cannot_be_shown_are_refused(void **state) {
    (void)state;
    Hedgerow__HeldJob job = HEDGEROW__HELD_JOB__INIT;
    job.job = hr_data_of(the_job.bytes, HR_JOB_BYTES);
    job.name = hr_text_of("job");
    refuse_held(&job, HR_HELD_JOBS_MAX, HR_OK);
    refuse_held(&job, HR_HELD_JOBS_MAX + 1, HR_E_LIMIT);
    job.name = hr_text_of("a\x1b[31m");
    refuse_held(&job, 1, HR_E_FORMAT);
    job.name = hr_text_of("");
    job.date = UINT64_MAX;
    refuse_held(&job, 1, HR_E_FORMAT);
    job.date = 0;
    job.job.len = HR_JOB_BYTES - 1;
    refuse_held(&job, 1, HR_E_FORMAT);
}

static void test_aside__of_another_kind_is_refused(void **state) {
    (void)state;
    static hr_held_jobs held;
    hr_bytes inquiry = {0}, answer = {0}, none = {(uint8_t *)"", 0};
    int64_t date = 0;
    assert_int_equal(hr_inquiry_make(1, &inquiry, NULL), HR_OK);
    assert_int_equal(hr_held_jobs_make(&held, &answer, NULL), HR_OK);
    assert_int_equal(hr_held_jobs_read(&inquiry, &held, NULL), HR_E_FORMAT);
    assert_int_equal(hr_inquiry_read(&answer, &date, NULL), HR_E_FORMAT);
    assert_int_equal(hr_inquiry_read(&none, &date, NULL), HR_E_FORMAT);
    free(inquiry.at);
    free(answer.at);
}

/* An envelope of no job has a body, and nothing of a piece, an ack or a decline. */
static void test_aside__comes_in_an_envelope_of_its_own(void **state) {
    const test_members *f = *state;
    for (int spoiled = 0; spoiled < 6; spoiled++) {
        Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
        Hedgerow__Decline decline = HEDGEROW__DECLINE__INIT;
        hr_envelope out;
        e.aside = true;
        e.sequence = spoiled == 1;
        e.received = spoiled == 2;
        e.more = spoiled == 3;
        if (spoiled == 4) e.decline = &decline;
        if (spoiled == 5) e.body.len = 0;
        hr_bytes sealed = sealed_envelope(f, ANNA, BERT, &e);
        const hr_status status = hr_envelope_open(&f->views[BERT], sealed.at, sealed.size, &out, NULL);
        assert_int_equal(status, spoiled ? HR_E_FORMAT : HR_OK);
        if (!status) {
            assert_true(out.aside && out.from == ANNA && out.body.size == 5);
            free(out.body.at);
        }
        free(sealed.at);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inquiry__arrives_as_it_was_sent),
        cmocka_unit_test(test_held_jobs__arrive_as_they_were_sent),
        cmocka_unit_test(test_held_jobs__that_cannot_be_shown_are_refused),
        cmocka_unit_test(test_aside__of_another_kind_is_refused),
        WITH_TEST_MEMBERS(test_aside__comes_in_an_envelope_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
