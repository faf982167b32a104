/* A party of a job of id3 on its ring dies at every single thing it does, before it and after it, and comes
 * back from its files. No position is answered twice, no noise is drawn twice for a question, and nothing is
 * charged to a ledger. Where noise was drawn and lost the job ends, and says whose answer is missing;
 * otherwise there is a model. The linker puts this file between the party and its gate, too. */
#include "federation/machines/ring.h"
#include "privacy/gate.h"
#include "support/party_doom.h"

/* ---- What is drawn, and what leaves ---- */

enum { QUESTIONS = 4 };

typedef struct ring_answer_record {
    int draws;              /* of noise, over all lives of its owner */
    uint64_t share, passed; /* digests of what left it; 0: nothing did */
} ring_answer_record;

static struct {
    ring_answer_record answers[OWNERS][QUESTIONS];
    size_t index; /* of the question at hand */
    size_t second_answers, astray;
} seen;

hr_status __real_hr_ring_mask(const hr_protocol *owner, size_t index, hr_mask **out, hr_error *err);
hr_status __wrap_hr_ring_mask(const hr_protocol *owner, size_t index, hr_mask **out, hr_error *err);
hr_status __wrap_hr_ring_mask(const hr_protocol *owner, size_t index, hr_mask **out, hr_error *err) {
    seen.index = index;
    return __real_hr_ring_mask(owner, index, out, err);
}

void __real_hr_gate_share(hr_gate *gate, hr_permit permit, const hr_exact *in, hr_mask *mask, size_t count,
                          uint64_t *out);
void __wrap_hr_gate_share(hr_gate *gate, hr_permit permit, const hr_exact *in, hr_mask *mask, size_t count,
                          uint64_t *out);
void __wrap_hr_gate_share(hr_gate *gate, hr_permit permit, const hr_exact *in, hr_mask *mask, size_t count,
                          uint64_t *out) {
    assert_in_range(seen.index, 0, QUESTIONS - 1);
    seen.answers[doom.harness->running - 1][seen.index].draws++;
    __real_hr_gate_share(gate, permit, in, mask, count, out);
}

static void note_numbers(uint64_t *record, const uint64_t *values, size_t count) {
    uint64_t digest = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) digest = (digest ^ values[i]) * 0x100000001b3u;
    seen.second_answers += *record && *record != (digest | 1);
    *record = digest | 1;
}

/* Shares go to the coordinator; what is passed on, to the next owner, or from the last one to the
 * coordinator. */
static void note_body(size_t from, size_t to, const hr_bytes *body) {
    ProtobufCMessage *read = NULL;
    if (hr_message_unpack(&hedgerow__message__descriptor, body->at, body->size, &read, NULL)) return;
    const Hedgerow__Message *m = (const Hedgerow__Message *)read;
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_SHARE) {
        assert_in_range(m->share->position, 0, QUESTIONS - 1);
        seen.astray += to != 0;
        note_numbers(&seen.answers[from - 1][m->share->position].share, m->share->values, m->share->n_values);
    }
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_PASS) {
        assert_in_range(m->pass->position, 0, QUESTIONS - 1);
        seen.astray += to != (from == OWNERS ? 0 : from + 1);
        note_numbers(&seen.answers[from - 1][m->pass->position].passed, m->pass->values, m->pass->n_values);
    }
    hr_message_unpacked_free(read);
}

/* The harness opens what leaves a party, and the receiver what it gets: the same bytes. */
hr_status __real_hr_envelope_open(const hr_party_view *view, const void *bytes, size_t size, hr_envelope *out,
                                  hr_error *err);
hr_status __wrap_hr_envelope_open(const hr_party_view *view, const void *bytes, size_t size, hr_envelope *out,
                                  hr_error *err);
hr_status __wrap_hr_envelope_open(const hr_party_view *view, const void *bytes, size_t size, hr_envelope *out,
                                  hr_error *err) {
    hr_status status = __real_hr_envelope_open(view, bytes, size, out, err);
    if (!status && out->sequence && !out->more && out->from) note_body(out->from, out->to, &out->body);
    return status;
}

/* ---- Jobs ---- */

static hr_job_file ring_job(int depth) {
    hr_job_file job = {.rounds = 1, .options = options_of("id3", HR_MODE_PAPER)};
    job.options.epsilon = EPSILON;
    job.options.depth = depth;
    job.options.bins = 4;
    return job;
}

static void open_ring_harness(harness *l, int depth) {
    static const char *const methods[] = {"id3"};
    memset(&seen, 0, sizeof seen);
    harness_open(l, ring_job(depth));
    l->policy.methods = (hr_names){methods, 1};
    l->policy.unprotected = (hr_names){methods, 1};
}

/* Returns how many answers were lost: drawn, and never sent. */
static size_t count_lost_answers(const harness *l) {
    size_t lost = 0;
    assert_int_equal(l->event_log->second_models, 0);
    assert_int_equal(seen.second_answers, 0);
    assert_int_equal(seen.astray, 0);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l->parties[i]);
    for (size_t o = 0; o < OWNERS; o++) {
        for (size_t q = 0; q < QUESTIONS; q++) {
            const ring_answer_record *answer = &seen.answers[o][q];
            if (answer->draws > 1) fail_msg("owner %zu drew noise %d times for %zu", o, answer->draws, q);
            assert_true(!answer->share || answer->draws);
            assert_true(!answer->passed || answer->share);
            lost += answer->draws && !answer->share;
        }
        check_query(&l->parties[o + 1], "SELECT count(*) FROM entries", "0");
    }
    return lost;
}

/* One job in which the victim dies at its n-th call. False: it did not come so far. */
static bool die_at(size_t victim, size_t at, bool after) {
    harness l;
    open_ring_harness(&l, 1);
    doom_begin(&l, victim, at, after);
    harness_start(&l);
    harness_run_until(&l, harness_is_idle);
    const size_t lost_here = count_lost_answers(&l);
    const bool said = strstr(l.said, "a sum on the ring is lost: owner") && strstr(l.said, "has no answer");
    assert_true(lost_here <= (victim ? 1 : 0));
    if (lost_here) assert_true(said);
    assert_int_equal(l.event_log->models == 0, said);
    if (l.event_log->models) assert_int_equal(trees_in_model(&l), 1);
    if (l.event_log->models) doom_lost.models_again += l.event_log->models - 1;
    doom_lost.lost += lost_here;
    harness_close(&l);
    return doom.over;
}

static void test_crash__of_the_coordinator_loses_nothing(void **state) {
    (void)state;
    for (int after = 0; after <= 1; after++) {
        doom_at_every_call(die_at, 0, after);
        assert_int_equal(doom_lost.lost, 0);
        assert_true(doom_lost.models_again > 0);
    }
}

static void test_crash__of_an_owner_loses_one_answer_at_most(void **state) {
    (void)state;
    for (size_t victim = 1; victim <= OWNERS; victim++)
        for (int after = 0; after <= 1; after++) {
            doom_at_every_call(die_at, victim, after);
            assert_true(doom_lost.lost > 0);
        }
}

/* ---- Owners that stay away ---- */

static bool has_no_jobs(harness *l) {
    return !hr_party_jobs(l->parties[0].party);
}

/* Each goes away after the start, and none comes back. */
static void test_absence__of_an_owner_ends_the_job_by_name(void **state) {
    (void)state;
    for (size_t who = 1; who <= OWNERS; who++) {
        harness l;
        char why[120];
        open_ring_harness(&l, 2);
        doom_begin(&l, PARTIES, 0, false);
        l.deadline = 20 * RESEND;
        harness_start(&l);
        for (size_t i = 0; i < IDLE_MAX && !strstr(l.said, "counts of level 1"); i++) harness_step(&l);
        party_stop(&l.parties[who]);
        harness_run_until(&l, has_no_jobs);
        snprintf(why, sizeof why, "owner %s has not answered in time", l.parties[who].name);
        if (!strstr(l.said, why)) fail_msg("'%s' is not in %s", why, l.said);
        assert_int_equal(l.event_log->models, 0);
        harness_close(&l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absence__of_an_owner_ends_the_job_by_name),
        cmocka_unit_test(test_crash__of_the_coordinator_loses_nothing),
        cmocka_unit_test(test_crash__of_an_owner_loses_one_answer_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
