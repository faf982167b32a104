#include "support/sum_job.h"

#include "base/fail.h"

/* ---- Members ---- */

const hr_job_id sum_job_id = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

int sum_names_setup(void **state) {
    static const char *const texts[SUM_MEMBERS] = {"coordinator", "anna", "bert", "carl",    "dora",
                                                   "emil",        "fred", "gina", "outsider"};
    sum_names *n = calloc(1, sizeof *n);
    assert_non_null(n);
    n->membership = (hr_membership){"brook", n->members, SUM_MEMBERS};
    for (unsigned char m = 0; m < SUM_MEMBERS; m++) {
        n->who[m] = test_identity((unsigned char)(m + 1));
        n->members[m] = (hr_member){.name = texts[m], .key = hr_identity_public(n->who[m])};
        n->views[m] = (hr_party_view){.membership = &n->membership, .identity = n->who[m], .self = m};
        memset(n->secrets[m], m + 1, sizeof n->secrets[m]);
    }
    *state = n;
    return 0;
}

int sum_names_teardown(void **state) {
    sum_names *n = *state;
    for (size_t m = 0; m < SUM_MEMBERS; m++) hr_identity_free(n->who[m]);
    free(n);
    return 0;
}

/* ---- Messages ---- */

hr_bytes sum_pack(const void *message) {
    hr_bytes out = {0};
    assert_int_equal(hr_message_pack(message, &out, NULL), HR_OK);
    return out;
}

static bool is_ring(const sum_script *script) {
    return script->coalition == SUM_RING;
}

hr_bytes sum_terms(const sum_script *script) {
    static const char *const texts[] = {"anna", "bert", "carl", "dora", "emil", "fred", "gina"};
    ProtobufCBinaryData owners[SUM_OWNERS_MAX];
    for (size_t i = 0; i < script->owners; i++) owners[i] = hr_text_of(texts[i]);
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.name = hr_text_of("job");
    terms.schema = hr_text_of("schema");
    terms.method = hr_text_of("hedge");
    terms.epsilon = 1;
    terms.delta = 1e-6;
    terms.paper = is_ring(script);
    terms.coalition = terms.paper ? 0 : script->coalition;
    terms.owners = owners;
    terms.n_owners = script->owners;
    return sum_pack(&terms);
}

hr_protocol_setup sum_setup(const sum_names *names, size_t self, hr_bytes terms) {
    return (hr_protocol_setup){.view = &names->views[self],
                               .job = sum_job_id,
                               .coordinator = SUM_COORDINATOR,
                               .min_owners = 1,
                               .terms = terms,
                               .wants_model = (self - SUM_OWNER) % 2 == 0,
                               .secret = names->secrets[self]};
}

static bool is_of_a_ring(hr_bytes terms) {
    ProtobufCMessage *read = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, terms.at, terms.size, &read, NULL),
                     HR_OK);
    const bool ring = ((const Hedgerow__Terms *)read)->paper;
    hr_message_unpacked_free(read);
    return ring;
}

hr_protocol *sum_machine(const hr_protocol_setup *setup) {
    static hr_protocol_make *const makes[2][2] = {{hr_securesum_owner, hr_securesum_coordinator},
                                                  {hr_ring_owner, hr_ring_coordinator}};
    hr_protocol *machine = NULL;
    hr_error err = {0};
    if (makes[is_of_a_ring(setup->terms)][setup->view->self == SUM_COORDINATOR](setup, &machine, &err))
        fail_msg("%s", err.message);
    return machine;
}

/* ---- The method ---- */

size_t sum_size(size_t question) {
    return 1 + question * 7 % SUM_VALUES_MAX;
}

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

uint64_t sum_value(size_t owner, size_t question, size_t i) {
    return mix(mix(mix(owner + 1) + question) + i);
}

uint32_t sum_index(size_t owner, size_t question) {
    return (uint32_t)(1000 * question + owner);
}

static bool is_choice(const sum_script *script, size_t question) {
    return script->choice_every && question % script->choice_every == 0;
}

size_t sum_number(hr_bytes body) {
    assert_int_equal(body.size, 1);
    return body.at[0];
}

static hr_bytes next_question(const sum_job *job) {
    const size_t number = (is_ring(job->script) ? hr_ring_outcomes : hr_securesum_outcomes)(
        job->sim.parties[SUM_COORDINATOR].machine);
    const uint8_t body = (uint8_t)number;
    Hedgerow__Question q = HEDGEROW__QUESTION__INIT;
    q.done = number == job->script->questions;
    if (q.done) q.model = hr_text_of("the model");
    if (!q.done) q.body = hr_data_of(&body, 1);
    if (!q.done && is_choice(job->script, number)) q.turns = (uint32_t)job->script->turns;
    if (!q.done && !q.turns) q.values = (uint32_t)sum_size(number);
    q.prepared = q.values && job->prepares;
    return sum_pack(&q);
}

hr_bytes sum_answer(const hr_protocol *owner, size_t index) {
    hr_sum_question q;
    hr_bytes out = {0};
    assert_true(hr_securesum_question(owner, index, &q) && q.here);
    const size_t self = hr_securesum_self(owner), number = sum_number(q.body), count = sum_size(number);
    if (q.choice) {
        assert_int_equal(hr_securesum_pack_choice(&q, sum_index(self, number), &out, NULL), HR_OK);
        return out;
    }
    if (q.to_prepare) {
        assert_int_equal(hr_securesum_pack_ready(&q, &out, NULL), HR_OK);
        return out;
    }
    uint64_t values[SUM_VALUES_MAX];
    hr_mask *mask = NULL;
    for (size_t i = 0; i < count; i++) values[i] = sum_value(self, number, i);
    assert_int_equal(hr_securesum_mask(owner, index, &mask, NULL), HR_OK);
    hr_mask_add(mask, values, count);
    hr_mask_free(mask);
    assert_int_equal(hr_securesum_pack_share(&q, values, count, &out, NULL), HR_OK);
    return out;
}

/* On a ring: what its machine makes two shares of. */
static hr_bytes answer_on_ring(const hr_protocol *owner, size_t who, size_t index) {
    const size_t count = sum_size(index);
    hr_bytes out = {0};
    uint64_t values[SUM_VALUES_MAX];
    hr_mask *mask = NULL;
    hr_sum_question q;
    assert_true(hr_ring_question(owner, index, &q) && q.here && sum_number(q.body) == index);
    for (size_t i = 0; i < count; i++) values[i] = sum_value(who - SUM_OWNER, index, i);
    assert_int_equal(hr_ring_mask(owner, index, &mask, NULL), HR_OK);
    hr_mask_add(mask, values, count);
    hr_mask_free(mask);
    assert_int_equal(hr_securesum_pack_share(&q, values, count, &out, NULL), HR_OK);
    return out;
}

/* ---- Jobs ---- */

static void note_set(sum_job *job, size_t position, uint8_t set) {
    for (size_t i = 0; i < SUM_OWNERS_MAX; i++) job->asked[job->numbers[position]][i] = set >> i & 1;
}

/* Which owners a question is asked of. */
static void note_question(simulator *s, size_t who, const hr_action *a) {
    if (who != SUM_COORDINATOR) return;
    sum_job *job = (sum_job *)s;
    Hedgerow__Message *m = message_in(a->bytes);
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_ASK) {
        job->numbers[m->ask->position] = m->ask->body.data[0];
        if (is_ring(job->script))
            for (size_t i = 0; i < job->script->owners; i++) job->asked[m->ask->body.data[0]][i] = true;
        else if (m->ask->members.len)
            note_set(job, m->ask->position, m->ask->members.data[0]);
    }
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_MEMBERS)
        note_set(job, m->members->position, m->members->members.data[0]);
    hr_message_unpacked_free(&m->base);
}

static hr_bytes made_work(simulator *s, size_t who, const hr_action *work) {
    const sum_job *job = (const sum_job *)s;
    if (work->kind == HR_ACT_NEXT_QUESTION) return next_question(job);
    return is_ring(job->script) ? answer_on_ring(s->parties[who].machine, who, work->slot)
                                : sum_answer(s->parties[who].machine, work->slot);
}

simulator *sum_open(const sum_names *names, const sum_script *script, uint64_t seed) {
    static const simulated_protocol protocol = {sum_machine, made_work, note_question};
    hr_protocol_setup setups[SUM_MEMBERS];
    sum_job *job = (sum_job *)simulator_new(sizeof *job, &protocol, seed);
    const hr_bytes terms = sum_terms(script);
    job->names = names;
    job->script = script;
    for (size_t who = 0; who <= script->owners; who++) setups[who] = sum_setup(names, who, terms);
    simulator_start(&job->sim, terms, setups, script->owners + 1);
    return &job->sim;
}

/* ---- What must hold ---- */

static void check_sum(const sum_job *job, size_t question, const hr_sum_outcome *o) {
    size_t members = 0;
    for (size_t i = 0; i < SUM_OWNERS_MAX; i++) members += job->asked[question][i];
    assert_int_equal(o->members, members);
    if (o->dropped) assert_null(o->sums);
    if (o->dropped) return;
    assert_int_equal(o->count, sum_size(question));
    for (size_t v = 0; v < o->count; v++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < SUM_OWNERS_MAX; i++)
            if (job->asked[question][i]) sum += sum_value(i, question, v);
        if (o->sums[v] != sum) fail_msg("question %zu: value %zu is another sum", question, v);
    }
}

size_t sum_check_outcomes(const simulator *s) {
    const sum_job *job = (const sum_job *)s;
    const hr_protocol *coordinator = s->parties[SUM_COORDINATOR].machine;
    const size_t *owners, count = hr_securesum_owners(coordinator, &owners);
    size_t lost = 0;
    hr_sum_outcome o;
    for (size_t q = 0; (is_ring(job->script) ? hr_ring_outcome : hr_securesum_outcome)(coordinator, q, &o);
         q++) {
        lost += o.dropped;
        assert_int_equal(o.choice, is_choice(job->script, q));
        if (!o.choice)
            check_sum(job, q, &o);
        else
            assert_int_equal(o.index,
                             o.dropped ? 0 : sum_index(hr_members_position(owners, count, o.member), q));
    }
    return lost;
}

void sum_check_over(const simulator *s) {
    check_over(s);
    for (size_t who = 0; who < SUM_MEMBERS; who++)
        if (s->parties[who].failed && !s->parties[who].refuses)
            fail_msg("member %zu failed: %s", who, s->parties[who].why);
}
