#include "support/message_samples.h"

Hedgerow__Message message_with(Hedgerow__Message__KindCase kind) {
    Hedgerow__Message m = HEDGEROW__MESSAGE__INIT;
    m.kind_case = kind;
    return m;
}

void sample_add(sample *out, size_t *count, const void *message) {
    assert_true(*count < SAMPLES);
    out[(*count)++] = (sample){((const ProtobufCMessage *)message)->descriptor, packed(message)};
}

/* In a message of that kind. */
static void sample_add_kind(sample *out, size_t *count, Hedgerow__Message__KindCase kind, void *content) {
    Hedgerow__Message m = message_with(kind);
    m.terms = content; /* a union of pointers */
    sample_add(out, count, &m);
}

static void samples_of_the_coordinator(sample *out, size_t *count) {
    ProtobufCBinaryData names[] = {hr_text_of("anna"), hr_text_of("bert")};
    uint8_t signature[HR_SIGNATURE_SIZE] = {1};
    Hedgerow__Setting set = HEDGEROW__SETTING__INIT, *settings[] = {&set, &set};
    set.name = hr_text_of("depth");
    set.value = hr_text_of("3");
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.name = hr_text_of("job");
    terms.schema = hr_text_of(the_schema);
    terms.method = hr_text_of("inprivate");
    terms.epsilon = 1;
    terms.delta = .5;
    terms.settings = settings;
    terms.n_settings = 2;
    terms.rounds = 2;
    terms.broadcast = true;
    terms.vote_share = .25;
    terms.owners = names;
    terms.n_owners = 2;
    Hedgerow__Start start = HEDGEROW__START__INIT;
    start.owners = start.acceptances = names;
    start.n_owners = start.n_acceptances = 2;
    Hedgerow__Slot slot = HEDGEROW__SLOT__INIT, *slots[] = {&slot, &slot};
    slot.slot = 1;
    slot.tree = hr_text_of("a tree");
    slot.signature = hr_data_of(signature, sizeof signature);
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    forest.slots = slots;
    forest.n_slots = 2;
    Hedgerow__Skip skip = HEDGEROW__SKIP__INIT;
    skip.slot = 3;
    skip.signature = slot.signature;
    Hedgerow__Round round = HEDGEROW__ROUND__INIT;
    round.round = 1;
    round.forest = &forest;
    Hedgerow__Poll poll = HEDGEROW__POLL__INIT;
    poll.round = 1;
    poll.forest = &forest;
    start.signature = slot.signature;
    Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    finish.reason = hr_text_of("enough");
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_START, &start);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_FOREST, &forest);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_SKIP, &skip);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_ROUND, &round);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_POLL, &poll);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_FINISH, &finish);
    sample_add(out, count, &terms);
}

static void samples_of_an_owner(const test_members *f, sample *out, size_t *count) {
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    answer.accepted = true;
    answer.signature = hr_text_of("signature");
    Hedgerow__Decline decline = HEDGEROW__DECLINE__INIT;
    decline.code = HEDGEROW__DECLINE__CODE__POLICY;
    decline.text = hr_text_of("why not");
    decline.signature = answer.signature;
    answer.decline = &decline;
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.slot = 2;
    notice.kind = HEDGEROW__NOTICE__KIND__REFUSED;
    Hedgerow__Slot slot = HEDGEROW__SLOT__INIT;
    slot.slot = 2;
    slot.tree = hr_text_of("a tree");
    notice.first = notice.second = &slot;
    Hedgerow__Release release = HEDGEROW__RELEASE__INIT, *releases[] = {&release, &release};
    release.what = hr_text_of("gain of a round");
    release.tree = release.level = -1;
    release.cost = release.scale_num = 5;
    Hedgerow__Ballot ballot = HEDGEROW__BALLOT__INIT;
    ballot.round = 1;
    ballot.counted = true;
    ballot.gain = -1024;
    ballot.records = 1 << 20;
    ballot.releases = releases;
    ballot.n_releases = 2;
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_ANSWER, &answer);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_NOTICE, &notice);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_BALLOT, &ballot);
    sample_add(out, count, &ballot);
    const Hedgerow__Envelope envelope = envelope_of(f, ANNA, BERT, "hello");
    sample_add(out, count, &envelope);
    assert_true(*count < SAMPLES);
    hr_job_state anna = job_state_of(f, ANNA);
    out[(*count)++] = (sample){&hedgerow__tree__descriptor, leaf_bytes(f, &anna, 0)};
    hr_job_state_done(&anna);
}

static void samples_of_sums(sample *out, size_t *count) {
    uint64_t values[] = {1, UINT64_MAX};
    Hedgerow__Turn turn = HEDGEROW__TURN__INIT;
    turn.turn = 1;
    turn.body = hr_text_of("candidates");
    Hedgerow__Choice choice = HEDGEROW__CHOICE__INIT;
    choice.turn = 1;
    choice.index = 2;
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.position = 1;
    ask.members = hr_text_of("\3");
    ask.body = hr_text_of("nodes");
    Hedgerow__Share share = HEDGEROW__SHARE__INIT;
    share.position = 1;
    share.values = values;
    share.n_values = 2;
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_TURN, &turn);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_CHOICE, &choice);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_ASK, &ask);
    Hedgerow__Pass pass = HEDGEROW__PASS__INIT;
    pass.position = 1;
    pass.values = values;
    pass.n_values = 2;
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_SHARE, &share);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_PASS, &pass);
    Hedgerow__Ready ready = HEDGEROW__READY__INIT;
    ready.sum = 2;
    Hedgerow__Members members = HEDGEROW__MEMBERS__INIT;
    members.position = 1;
    members.members = hr_text_of("\3");
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_READY, &ready);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_MEMBERS, &members);
}

static void samples_of_no_job(sample *out, size_t *count) {
    uint8_t id[HR_JOB_BYTES] = {1};
    Hedgerow__HeldJob job = HEDGEROW__HELD_JOB__INIT, *jobs[] = {&job, &job};
    job.job = hr_data_of(id, sizeof id);
    job.name = hr_text_of("job");
    job.date = 1000000000;
    job.charged = true;
    Hedgerow__Held held = HEDGEROW__HELD__INIT;
    held.jobs = jobs;
    held.n_jobs = 2;
    Hedgerow__Aside aside = HEDGEROW__ASIDE__INIT;
    aside.kind_case = HEDGEROW__ASIDE__KIND_HELD;
    aside.held = &held;
    sample_add(out, count, &aside);
}

static void samples_of_averages(sample *out, size_t *count) {
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.train = hr_text_of("hedge");
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    Hedgerow__Released released = HEDGEROW__RELEASED__INIT;
    released.model = hr_text_of("a model");
    released.signature = hr_text_of("signature");
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_RELEASED, &released);
}

static void samples_of_simfl(sample *out, size_t *count) {
    uint32_t rows[] = {2, 3};
    int64_t sums[] = {INT64_MIN, INT64_MAX}, gradients[] = {-1, 5};
    uint64_t weights[] = {1, UINT64_MAX};
    Hedgerow__SimflSize size = HEDGEROW__SIMFL_SIZE__INIT;
    size.rows = 2;
    size.sums = sums;
    size.n_sums = 2;
    Hedgerow__SimflSizes sizes = HEDGEROW__SIMFL_SIZES__INIT;
    sizes.rows = rows;
    sizes.n_rows = 2;
    sizes.sums = sums;
    sizes.n_sums = 2;
    Hedgerow__SimflHashes hashes = HEDGEROW__SIMFL_HASHES__INIT;
    hashes.rows = 2;
    hashes.first = 1;
    hashes.hashes = hr_text_of("hash");
    Hedgerow__SimflTurn turn = HEDGEROW__SIMFL_TURN__INIT;
    turn.tree = 1;
    turn.last = hr_text_of("a tree");
    Hedgerow__SimflGradients sent = HEDGEROW__SIMFL_GRADIENTS__INIT;
    sent.tree = 1;
    sent.gradients = gradients;
    sent.weights = weights;
    sent.n_gradients = sent.n_weights = 2;
    Hedgerow__SimflTree tree = HEDGEROW__SIMFL_TREE__INIT;
    tree.tree = hr_text_of("a tree");
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_SIMFL_SIZE, &size);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_SIMFL_SIZES, &sizes);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_SIMFL_HASHES, &hashes);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_SIMFL_TURN, &turn);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, &sent);
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_SIMFL_TREE, &tree);
}

static void samples_of_votes(sample *out, size_t *count) {
    Hedgerow__Verdict verdict = HEDGEROW__VERDICT__INIT;
    verdict.slot = 1;
    verdict.stays = true;
    sample_add_kind(out, count, HEDGEROW__MESSAGE__KIND_VERDICT, &verdict);
}

size_t samples_of(const test_members *f, sample *out) {
    size_t count = 0;
    samples_of_the_coordinator(out, &count);
    samples_of_an_owner(f, out, &count);
    samples_of_votes(out, &count);
    samples_of_sums(out, &count);
    samples_of_averages(out, &count);
    samples_of_simfl(out, &count);
    samples_of_no_job(out, &count);
    return count;
}

void samples_done(sample *samples, size_t count) {
    for (size_t s = 0; s < count; s++) free(samples[s].bytes.at);
}

hr_bytes spoilt(hr_dice *dice, const hr_bytes *good) {
    uint8_t bytes[4096];
    size_t size = good->size < sizeof bytes / 2 ? good->size : sizeof bytes / 2;
    memcpy(bytes, good->at, size);
    for (uint64_t k = 1 + hr_dice_below(dice, 4); size && k--;) {
        size_t at = hr_dice_below(dice, size), part = hr_dice_below(dice, size - at) + 1;
        switch (hr_dice_below(dice, 6)) {
        case 0: bytes[at] = (uint8_t)hr_dice_u64(dice); break;
        case 1: bytes[at] ^= (uint8_t)(1 << hr_dice_below(dice, 8)); break;
        case 2: bytes[at] = 0xff; break;
        case 3: size = at; break;
        case 4:
            if (part > 64) part = 64;
            if (size + part > sizeof bytes) break;
            memmove(bytes + at + part, bytes + at, size - at);
            size += part;
            break;
        default: bytes[at] = (uint8_t)(bytes[at] + 1); break;
        }
    }
    return bytes_of(bytes, size);
}
