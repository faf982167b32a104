/* A great many spoilt messages for everything that reads them. HR_TRIES says how many for each reader
 * (1,000,000); packets, whose seals take long, are a hundredth of that. */
#include "support/inprivate_job.h"

static size_t tries(void) {
    const char *text = getenv("HR_TRIES");
    return text ? strtoul(text, NULL, 10) : 1000000;
}

static const sample *one_of(hr_dice *dice, const sample *samples, size_t count) {
    return &samples[hr_dice_below(dice, count)];
}

/* Messages only, with the trees and signatures of a job state in forests, so that what is spoilt was good
 * before. */
static size_t messages_of(const test_members *f, const hr_protocol_setup *setup, sample *out) {
    size_t all = samples_of(f, out), count = 0;
    for (size_t s = 0; s < all; s++) {
        if (out[s].type == &hedgerow__message__descriptor)
            out[count++] = out[s];
        else
            free(out[s].bytes.at);
    }
    hr_job_state anna = started_state_of(f, setup, ANNA);
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_FOREST);
    sign_leaf(f, &anna, 0);
    assert_int_equal(hr_job_state_list(&anna, 0, 1, &forest, NULL), HR_OK);
    m.forest = &forest;
    sample_add(out, &count, &m);
    hr_job_state_unlist(&forest);
    hr_job_state_done(&anna);
    return count;
}

static void test_flood__of_bytes_is_unpacked_or_refused(void **state) {
    sample samples[SAMPLES];
    size_t count = samples_of(*state, samples), taken = 0, n = tries();
    hr_dice dice;
    hr_dice_init(&dice, 1);
    for (size_t t = 0; t < n; t++) {
        const sample *s = one_of(&dice, samples, count);
        hr_bytes bad = spoilt(&dice, &s->bytes);
        ProtobufCMessage *message = NULL;
        hr_status status = hr_message_unpack(s->type, bad.at, bad.size, &message, NULL);
        assert_true(status == HR_E_FORMAT || status == HR_OK);
        taken += !status;
        hr_message_unpacked_free(message);
        free(bad.at);
    }
    assert_in_range(taken, n / 100, n); /* it is not garbage alone that is tried */
    samples_done(samples, count);
}

static void test_flood__of_trees_is_sound_or_refused(void **state) {
    const test_members *f = *state;
    const hr_tree_slot slot = {the_start, f->membership.members[ANNA].name, 0};
    const hr_tree_rules rules = rules_of(f);
    hr_job_state anna = job_state_of(f, ANNA);
    hr_bytes good = leaf_bytes(f, &anna, 0);
    size_t taken = 0, n = tries();
    hr_dice dice;
    hr_dice_init(&dice, 2);
    for (size_t t = 0; t < n; t++) {
        hr_bytes bad = spoilt(&dice, &good);
        hr_arena_mark mark = hr_arena_get_mark(f->arena);
        hr_paid_tree tree;
        hr_status status =
            hr_wire_tree_unpack(&slot, &rules, hr_data_of(bad.at, bad.size), f->arena, &tree, NULL);
        if (!status) {
            assert_true(is_sound(f, &tree.tree));
            assert_int_equal(hr_account_check(tree.releases, tree.release_count, HR_PRIVACY_PURE, NULL),
                             HR_OK);
        }
        taken += !status;
        hr_arena_rewind(f->arena, mark);
        free(bad.at);
    }
    assert_in_range(taken, n / 1000, n);
    hr_job_state_done(&anna);
    free(good.at);
}

static void test_flood__of_packets_is_opened_or_refused(void **state) {
    const test_members *f = *state;
    const Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
    hr_bytes plain = packed(&e), sealed = sealed_envelope(f, ANNA, BERT, &e);
    size_t taken = 0, n = tries() / 100;
    hr_dice dice;
    hr_dice_init(&dice, 3);
    for (size_t t = 0; t < n; t++) {
        hr_bytes inner = spoilt(&dice, &plain),
                 bad = t % 2 ? spoilt(&dice, &sealed) : sealed_bytes(f, ANNA, BERT, inner.at, inner.size);
        hr_envelope out;
        bool same = bad.size == sealed.size && !memcmp(bad.at, sealed.at, bad.size);
        hr_status status = hr_envelope_open(&f->views[BERT], bad.at, bad.size, &out, NULL);
        if (t % 2 && !same) assert_int_not_equal(status, HR_OK);
        if (!status) {
            const bool alone = out.declines || out.aside;
            assert_true(out.from == ANNA && out.to == BERT && !(alone && (out.sequence || out.received)));
            assert_int_equal(out.body.size > 0, out.sequence || alone);
        }
        if (!status) free(out.body.at);
        taken += !status;
        free(inner.at);
        free(bad.at);
    }
    assert_in_range(taken, n / 100, n);
    free(plain.at);
    free(sealed.at);
}

/* ---- Machines ---- */

static void feed_raw(hr_protocol *machine, const hr_event *event) {
    hr_action a;
    assert_int_equal(hr_protocol_feed(machine, event, NULL), HR_OK);
    while (hr_protocol_next(machine, &a)) {
        assert_true(hr_text_is_fit(hr_text_of(a.text), HR_ACTION_TEXT) && a.member < MEMBERS);
        free(a.bytes.at);
    }
}

static void feed_message_raw(hr_protocol *machine, size_t from, const Hedgerow__Message *message) {
    hr_bytes bytes = packed(message);
    feed_raw(machine,
             &(hr_event){.kind = HR_EVENT_MESSAGE, .from = from, .bytes = bytes.at, .size = bytes.size});
    free(bytes.at);
}

/* Bert's machine after `events` of the three that start his job. */
static hr_protocol *started_owner(const test_members *f, const hr_protocol_setup *setup,
                                  const Hedgerow__Terms *terms, uint64_t events) {
    hr_protocol *machine = machine_of(setup);
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_TERMS);
    Hedgerow__Start start = HEDGEROW__START__INIT;
    m.terms = (Hedgerow__Terms *)terms;
    if (events > 0) feed_message_raw(machine, COORDINATOR, &m);
    if (events > 1) feed_raw(machine, &(hr_event){.kind = HR_EVENT_DECIDED, .number = 1});
    m.kind_case = HEDGEROW__MESSAGE__KIND_START;
    m.start = &start;
    start.owners = terms->owners;
    start.n_owners = start.n_acceptances = terms->n_owners;
    acceptance signatures[3];
    ProtobufCBinaryData acceptances[3];
    for (size_t i = 0; i < 3; i++) {
        signatures[i] = acceptance_by(f, setup, ANNA + i);
        acceptances[i] = hr_data_of(signatures[i].bytes, HR_SIGNATURE_SIZE);
    }
    start.acceptances = acceptances;
    hr_job_state state = started_state_of(f, setup, COORDINATOR);
    start.signature = hr_data_of(state.start_signature, HR_SIGNATURE_SIZE);
    if (events > 2) feed_message_raw(machine, COORDINATOR, &m);
    hr_job_state_done(&state);
    return machine;
}

/* The coordinator's machine with `answers` of three. */
static hr_protocol *started_coordinator(const test_members *f, const hr_protocol_setup *setup,
                                        uint64_t answers) {
    hr_protocol *machine = machine_of(setup);
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_ANSWER);
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    answer.accepted = true;
    m.answer = &answer;
    for (size_t who = ANNA; who < ANNA + answers; who++) {
        const acceptance signature = acceptance_by(f, setup, who);
        answer.signature = hr_data_of(signature.bytes, HR_SIGNATURE_SIZE);
        feed_message_raw(machine, who, &m);
    }
    return machine;
}

static void flood(hr_protocol *machine, hr_dice *dice, const sample *samples, size_t count) {
    for (uint64_t k = 1 + hr_dice_below(dice, 6); k--;) {
        const sample *s = one_of(dice, samples, count);
        hr_bytes bytes =
            hr_dice_below(dice, 3) ? spoilt(dice, &s->bytes) : bytes_of(s->bytes.at, s->bytes.size);
        hr_event event = {.kind = HR_EVENT_MESSAGE,
                          .from = hr_dice_below(dice, MEMBERS),
                          .bytes = bytes.at,
                          .size = bytes.size};
        if (!hr_dice_below(dice, 8))
            event = (hr_event){.kind = HR_EVENT_WORK_STARTED + (hr_event_kind)hr_dice_below(dice, 3)};
        feed_raw(machine, &event);
        free(bytes.at);
    }
}

static void test_flood__of_messages_is_survived_by_machines(void **state) {
    const test_members *f = *state;
    static const job_script job = {2, false, .5, 0, 1, 0};
    sample samples[SAMPLES];
    hr_bytes bytes = terms_of(&job);
    ProtobufCMessage *terms = NULL;
    hr_dice dice;
    hr_dice_init(&dice, 4);
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, bytes.at, bytes.size, &terms, NULL),
                     HR_OK);
    const hr_protocol_setup owner = setup_of(f, BERT, &job, bytes),
                            coordinator = setup_of(f, COORDINATOR, &job, bytes);
    size_t count = messages_of(f, &owner, samples);
    for (size_t t = 0, n = tries() / 4; t < n; t++) { /* a few messages each */
        uint64_t done = hr_dice_below(&dice, 4);
        hr_protocol *machine = t % 2 ? started_owner(f, &owner, (Hedgerow__Terms *)terms, done)
                                     : started_coordinator(f, &coordinator, done);
        flood(machine, &dice, samples, count);
        hr_protocol_free(machine);
    }
    hr_message_unpacked_free(terms);
    free(bytes.at);
    samples_done(samples, count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_flood__of_bytes_is_unpacked_or_refused),
        WITH_TEST_MEMBERS(test_flood__of_trees_is_sound_or_refused),
        WITH_TEST_MEMBERS(test_flood__of_packets_is_opened_or_refused),
        WITH_TEST_MEMBERS(test_flood__of_messages_is_survived_by_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
