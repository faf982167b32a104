/* A party of a job of id3 dies at every single thing it does, before it and after it, and comes back from its
 * files (support/party_doom.h). No position is answered twice, no noise is drawn twice for a question, none
 * before all that was asked of the owner is charged, and no spend is lost. The linker puts this file between
 * the party and its gate, too. */
#include "federation/machines/securesum.h"
#include "privacy/gate.h"
#include "support/party_doom.h"

/* ---- What is drawn, and what leaves ---- */

enum { QUESTIONS = 8 };

typedef struct id3_answer_record {
    int draws;     /* of noise, over all lives of its owner */
    uint64_t sent; /* the digest of the share that left it; 0: none did */
} id3_answer_record;

static struct {
    id3_answer_record answers[OWNERS][QUESTIONS];
    size_t asked, index; /* of the sum at hand: those that asked the owner, and its position */
    size_t uncharged;    /* draws before all that was asked was charged */
    size_t second_answers;
} seen;

hr_status __real_hr_securesum_mask(const hr_protocol *owner, size_t index, hr_mask **out, hr_error *err);
hr_status __wrap_hr_securesum_mask(const hr_protocol *owner, size_t index, hr_mask **out, hr_error *err);
hr_status __wrap_hr_securesum_mask(const hr_protocol *owner, size_t index, hr_mask **out, hr_error *err) {
    hr_sum_question question;
    seen.asked = 0;
    for (size_t i = 0; i <= index; i++) {
        assert_true(hr_securesum_question(owner, i, &question));
        seen.asked += question.here && !question.to_prepare;
    }
    seen.index = question.position;
    return __real_hr_securesum_mask(owner, index, out, err);
}

void __real_hr_gate_share(hr_gate *gate, hr_permit permit, const hr_exact *in, hr_mask *mask, size_t count,
                          uint64_t *out);
void __wrap_hr_gate_share(hr_gate *gate, hr_permit permit, const hr_exact *in, hr_mask *mask, size_t count,
                          uint64_t *out);
void __wrap_hr_gate_share(hr_gate *gate, hr_permit permit, const hr_exact *in, hr_mask *mask, size_t count,
                          uint64_t *out) {
    size_t lines = 0;
    hr_gate_releases(gate, &lines);
    seen.uncharged += lines != seen.asked || permit.line + 1 != lines;
    assert_in_range(seen.index, 0, QUESTIONS - 1);
    seen.answers[doom.harness->running - 1][seen.index].draws++;
    __real_hr_gate_share(gate, permit, in, mask, count, out);
}

static uint64_t digest_of_share(const Hedgerow__Share *share) {
    uint64_t digest = 0xcbf29ce484222325u;
    for (size_t i = 0; i < share->n_values; i++) digest = (digest ^ share->values[i]) * 0x100000001b3u;
    return digest | 1;
}

/* The harness opens what leaves a party, and the receiver what it gets: the same bytes. */
static void note_body(size_t from, const hr_bytes *body) {
    ProtobufCMessage *read = NULL;
    if (hr_message_unpack(&hedgerow__message__descriptor, body->at, body->size, &read, NULL)) return;
    const Hedgerow__Message *message = (const Hedgerow__Message *)read;
    if (message->kind_case == HEDGEROW__MESSAGE__KIND_SHARE) {
        assert_in_range(message->share->position, 0, QUESTIONS - 1);
        id3_answer_record *record = &seen.answers[from - 1][message->share->position];
        const uint64_t digest = digest_of_share(message->share);
        seen.second_answers += record->sent && record->sent != digest;
        record->sent = digest;
    }
    hr_message_unpacked_free(read);
}

hr_status __real_hr_envelope_open(const hr_party_view *view, const void *bytes, size_t size, hr_envelope *out,
                                  hr_error *err);
hr_status __wrap_hr_envelope_open(const hr_party_view *view, const void *bytes, size_t size, hr_envelope *out,
                                  hr_error *err);
hr_status __wrap_hr_envelope_open(const hr_party_view *view, const void *bytes, size_t size, hr_envelope *out,
                                  hr_error *err) {
    hr_status status = __real_hr_envelope_open(view, bytes, size, out, err);
    if (!status && out->sequence && !out->more && out->from) note_body(out->from, &out->body);
    return status;
}

/* ---- Jobs ---- */

/* Returns how many answers were lost: drawn, and never sent. */
static size_t check_id3_end(harness *l) {
    size_t lost = 0;
    assert_int_equal(l->event_log->unreserved, 0);
    assert_int_equal(l->event_log->second_models, 0);
    assert_int_equal(seen.uncharged, 0);
    assert_int_equal(seen.second_answers, 0);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l->parties[i]);
    for (size_t o = 0; o < OWNERS; o++) {
        for (size_t q = 0; q < QUESTIONS; q++) {
            const id3_answer_record *answer = &seen.answers[o][q];
            if (answer->draws > 1) fail_msg("owner %zu drew noise %d times for %zu", o, answer->draws, q);
            assert_true(!answer->sent || answer->draws);
            lost += answer->draws && !answer->sent;
        }
        check_query(&l->parties[o + 1], "SELECT count(*) FROM entries", "1");
        check_query(&l->parties[o + 1], "SELECT epsilon FROM spending", "0.5");
        check_query(
            &l->parties[o + 1],
            "SELECT purpose LIKE 'job % of %; against everybody, and it with a coalition of 1' FROM entries",
            "1");
        check_query(&l->parties[o + 1], "SELECT state FROM entries", "committed");
    }
    assert_int_equal(trees_in_model(l), 1);
    return lost;
}

/* One job in which the victim dies at its n-th call. False: it did not come so far. Of one level, so that
 * noise does not decide how many questions there are: the level, again if an answer was lost, and the leaves.
 */
static bool die_at(size_t victim, size_t at, bool after) {
    harness l;
    memset(&seen, 0, sizeof seen);
    harness_open(&l, harness_id3_job(1));
    doom_begin(&l, victim, at, after);
    harness_start(&l);
    harness_run_until(&l, harness_is_idle);
    size_t lost_here = check_id3_end(&l);
    assert_true(lost_here <= (victim ? 1 : 0));
    doom_lost.lost += lost_here;
    doom_lost.models_again += l.event_log->models - 1;
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
    for (int after = 0; after <= 1; after++) {
        doom_at_every_call(die_at, 2, after);
        assert_true(doom_lost.lost > 0);
    }
}

/* ---- Owners that stay away ---- */

static bool has_no_jobs(harness *l) {
    return !hr_party_jobs(l->parties[0].party);
}

static bool all_answered(const harness *l, size_t questions) {
    if (!questions) return strstr(l->said, "level 1 of") != NULL;
    for (size_t o = 0; o < OWNERS; o++)
        if (!seen.answers[o][questions - 1].sent) return false;
    return true;
}

/* All owners go away once so many questions are answered, and none comes back. */
static void go_away_after(harness *l, size_t questions) {
    memset(&seen, 0, sizeof seen);
    harness_open(l, harness_id3_job(2));
    doom_begin(l, PARTIES, 0, false);
    l->deadline = 20 * RESEND;
    harness_start(l);
    for (size_t i = 0; i < IDLE_MAX && !all_answered(l, questions); i++) harness_step(l);
    assert_true(all_answered(l, questions));
    for (size_t i = 1; i < PARTIES; i++) party_stop(&l->parties[i]);
    harness_run_until(l, has_no_jobs);
}

static size_t count_of(const char *text, const char *word) {
    size_t count = 0;
    while ((text = strstr(text, word))) text += strlen(word), count++;
    return count;
}

/* Three times nobody is ready for the level; it is asked for again, and charged to nobody. */
static void test_absence__of_all_owners_ends_the_job(void **state) {
    (void)state;
    harness l;
    go_away_after(&l, 0);
    if (!strstr(l.said, "every sum was lost")) fail_msg("%s", l.said);
    assert_int_equal(count_of(l.said, "level 1 of 2"), 3);
    assert_int_equal(count_of(l.said, "no owner is ready"), 3);
    assert_int_equal(l.event_log->models, 0);
    harness_close(&l);
}

static size_t releases_in_model(const harness *l) {
    size_t size = 0, count = 0;
    char *text = read_file(l->model, &size);
    hr_model *model = NULL;
    hr_release_info info;
    assert_int_equal(hr_model_parse(text, size, "model", &model, NULL), HR_OK);
    while (hr_model_release_at(model, count, &info)) count++;
    hr_model_free(model);
    free(text);
    return count;
}

/* What was told makes the model: the first level; nobody was ready for the second one, which is not charged.
 */
static void test_absence__of_all_owners_leaves_the_tree_so_far(void **state) {
    (void)state;
    harness l;
    go_away_after(&l, 1);
    assert_int_equal(l.event_log->models, 1);
    assert_int_equal(trees_in_model(&l), 1);
    assert_int_equal(releases_in_model(&l), 1);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absence__of_all_owners_ends_the_job),
        cmocka_unit_test(test_absence__of_all_owners_leaves_the_tree_so_far),
        cmocka_unit_test(test_crash__of_the_coordinator_loses_nothing),
        cmocka_unit_test(test_crash__of_an_owner_loses_one_answer_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
