/* What members may send. By the input's first byte: bytes of any type of hedgerow.proto ('1' or any other
 * byte), the inside of an envelope that a member or a stranger signed or sent in a session, a hello, a
 * decline, a tree, or a row of messages for the machine of an owner or of a coordinator, of InPrivate (before
 * or after the start), of sums, of a ring or of SimFL. No input crashes, takes much memory, or makes a
 * machine fail.
 */
#include "federation/machines/inprivate.h"
#include "federation/machines/ring.h"
#include "federation/machines/simfl_exchange.h"
#include "federation/protocol/hello.h"
#include "federation/protocol/sessions.h"
#include "privacy/crypto/secret.h"
#include "privacy/crypto/session.h"
#include "trees/tree/tree_check.h"

#include "check.h"
#include "support/message_types.h"

#include <string.h>

enum { COORDINATOR, ANNA, BERT, MEMBERS };

typedef struct world {
    hr_identity *who[MEMBERS];
    hr_member members[MEMBERS];
    hr_membership membership;
    hr_party_view views[MEMBERS];
    hr_schema *schema;
    hr_job_id job;
    uint8_t secret[HR_DIGEST_SIZE];
    hr_bytes terms, sum_terms, ring_terms, simfl_terms;
} world;

static void open_world(world *w) {
    static const char *const names[] = {"coordinator", "anna", "bert"};
    static const char schema[] = "hedgerow-schema: 1\nlabel: {name: y, kind: number, low: -1, high: "
                                 "1}\nfeatures: [{name: n, kind: number, "
                                 "low: 0, high: 10}, {name: c, kind: category, values: [a, b, d]}]\n";
    w->membership = (hr_membership){"brook", w->members, MEMBERS};
    for (unsigned char m = 0; m < MEMBERS; m++) {
        unsigned char seed[crypto_sign_SEEDBYTES] = {m};
        CHECK(hr_identity_grow(seed, &w->who[m], NULL) == HR_OK);
        w->members[m] = (hr_member){.name = names[m], .key = hr_identity_public(w->who[m])};
        w->views[m] = (hr_party_view){.membership = &w->membership, .identity = w->who[m], .self = m};
        CHECK(hr_sessions_new(MEMBERS, &w->views[m].sessions, NULL) == HR_OK);
    }
    CHECK(hr_schema_parse(schema, sizeof schema - 1, "schema", &w->schema, NULL) == HR_OK);
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    ProtobufCBinaryData owners[] = {hr_text_of("anna"), hr_text_of("bert")};
    terms.name = hr_text_of("job");
    terms.epsilon = 2;
    terms.rounds = 2;
    terms.vote_share = .5;
    terms.owners = owners;
    terms.n_owners = 2;
    CHECK(hr_message_pack(&terms.base, &w->terms, NULL) == HR_OK);
    terms.rounds = 0;
    terms.vote_share = 0;
    terms.coalition = 1;
    CHECK(hr_message_pack(&terms.base, &w->sum_terms, NULL) == HR_OK);
    terms.coalition = 0;
    terms.paper = true;
    CHECK(hr_message_pack(&terms.base, &w->ring_terms, NULL) == HR_OK);
    terms.rounds = 1;
    CHECK(hr_message_pack(&terms.base, &w->simfl_terms, NULL) == HR_OK);
}

static void close_world(world *w) {
    for (size_t m = 0; m < MEMBERS; m++) hr_sessions_free(w->views[m].sessions);
    for (size_t m = 0; m < MEMBERS; m++) hr_identity_free(w->who[m]);
    hr_schema_free(w->schema);
    free(w->terms.at);
    free(w->sum_terms.at);
    free(w->ring_terms.at);
    free(w->simfl_terms.at);
}

static void check_type(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t size) {
    ProtobufCMessage *message = NULL;
    hr_bytes again;
    if (hr_message_unpack(type, bytes, size, &message, NULL)) return;
    CHECK(hr_message_pack(message, &again, NULL) == HR_OK);
    hr_message_unpacked_free(message);
    CHECK(hr_message_unpack(type, again.at, again.size, &message, NULL) == HR_OK);
    hr_message_unpacked_free(message);
    free(again.at);
}

/* Bytes as each type that there is. */
static void check_types(const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < MESSAGE_TYPES; i++) check_type(message_types[i], bytes, size);
}

/* The packet of that text, by that one to Bert. */
typedef hr_bytes make_packet(const world *w, const hr_identity *signer, const uint8_t *bytes, size_t size);

static hr_bytes seal_packet(const world *w, const hr_identity *signer, const uint8_t *bytes, size_t size) {
    hr_bytes out = {.size = size + HR_SEAL_OVERHEAD};
    CHECK(hr_seal(signer, &w->members[BERT].key, bytes, size, &out.at, NULL) == HR_OK);
    return out;
}

static hr_bytes encrypt_packet(const world *w, const hr_identity *signer, const uint8_t *bytes, size_t size) {
    hr_bytes out = {.size = size + HR_SESSION_OVERHEAD};
    hr_session session;
    CHECK(hr_session_make(signer, &w->members[BERT].key, &session, NULL) == HR_OK);
    CHECK(hr_session_encrypt(&session, bytes, size, &out.at, NULL) == HR_OK);
    return out;
}

/* Signed by that one; a stranger is no member. A sender that gets an answer can be sent one, but not for a
 * decline. */
static void check_envelope(const world *w, const hr_identity *signer, make_packet *make, const uint8_t *bytes,
                           size_t size) {
    hr_envelope out;
    hr_envelope_sender sender;
    hr_bytes reply = {0};
    const hr_bytes packet = make(w, signer, bytes, size);
    hr_status status = hr_envelope_read(&w->views[BERT], packet.at, packet.size, &out, &sender, NULL);
    free(packet.at);
    CHECK(status || !sender.answerable);
    if (sender.answerable) CHECK(hr_envelope_decline(&w->views[BERT], &sender, &reply, NULL) == HR_OK);
    free(reply.at);
    if (status) return;
    CHECK(out.from == ANNA && out.to == BERT && signer == w->who[ANNA]);
    if (out.declines)
        CHECK(!out.sequence && !out.received && !out.more && out.body.size);
    else
        CHECK(out.sequence ? out.body.size && !out.received : !out.body.size && out.received);
    free(out.body.at);
}

static void check_stranger(const world *w, make_packet *make, const uint8_t *bytes, size_t size) {
    const unsigned char seed[crypto_sign_SEEDBYTES] = {99};
    hr_identity *stranger = NULL;
    CHECK(hr_identity_grow(seed, &stranger, NULL) == HR_OK);
    check_envelope(w, stranger, make, bytes, size);
    hr_identity_free(stranger);
}

static hr_protocol_setup setup_of(const world *w, size_t self, hr_bytes terms) {
    return (hr_protocol_setup){&w->views[self], w->job, w->schema, COORDINATOR, 1,
                               terms,           0,      w->secret, false};
}

/* Any text, as an owner signs it, and as a hostile one sends it: the coordinator takes the former alone,
 * unless they are the same. */
static void check_decline(const world *w, const uint8_t *bytes, size_t size) {
    char text[512];
    hr_decline decline;
    size_t length = 0;
    if (!size) return;
    while (length + 1 < size && length + 1 < sizeof text && bytes[1 + length]) length++;
    memcpy(text, bytes + 1, length);
    text[length] = '\0';
    hr_decline_make(w->who[ANNA], &w->job, &w->members[COORDINATOR].key, (hr_decline_code)bytes[0], text,
                    &decline);
    CHECK(strlen(decline.text) <= HR_DECLINE_TEXT && hr_decline_meaning(decline.wire.code)[0]);
    for (int raw = 0; raw < 2; raw++) {
        const hr_protocol_setup setup = setup_of(w, COORDINATOR, w->terms);
        hr_protocol *machine = NULL;
        hr_bytes answer = {0};
        hr_part_info part;
        if (raw) decline.wire.text = hr_text_of(text);
        CHECK(hr_decline_answer(&decline.wire, &answer, NULL) == HR_OK);
        CHECK(hr_inprivate_coordinator(&setup, &machine, NULL) == HR_OK);
        const hr_event event = {HR_EVENT_MESSAGE, ANNA, 0, answer.at, answer.size};
        CHECK(hr_protocol_feed(machine, &event, NULL) == HR_OK);
        CHECK(hr_inprivate_part(machine, ANNA, &part));
        const bool same = !raw || strcmp(text, decline.text) == 0;
        CHECK(part.state == (same ? HR_PART_DECLINED : HR_PART_CUT_OFF));
        CHECK(hr_text_is_fit(hr_text_of(part.why), sizeof part.why));
        hr_protocol_free(machine);
        free(answer.at);
    }
}

static void check_tree(const world *w, const uint8_t *bytes, size_t size) {
    const hr_tree_slot slot = {(hr_digest){{0}}, w->membership.members[ANNA].name, 0};
    const hr_tree_rules rules = {.schema = w->schema, .budget = HR_UNIT};
    const hr_tree_limits limits = {
        .schema = w->schema, .depth_max = 64, .value_max = 1e300, .within_bounds = true};
    hr_tree_fault fault;
    hr_arena *arena = hr_arena_new();
    hr_paid_tree tree;
    hr_units total;
    CHECK(arena);
    if (!hr_wire_tree_unpack(&slot, &rules, hr_data_of(bytes, size), arena, &tree, NULL)) {
        CHECK(hr_tree_check(&tree.tree, &limits, &fault, NULL) == HR_OK);
        CHECK(hr_account_check(tree.releases, tree.release_count, HR_PRIVACY_PURE, NULL) == HR_OK);
        CHECK(hr_account(tree.releases, tree.release_count, &total, NULL) == HR_OK && total <= rules.budget);
    }
    hr_arena_free(arena);
}

/* What an owner makes itself, which is sound; none: its work is lost. Owner: the caller frees it. */
typedef hr_bytes make_outcome(const hr_protocol *owner);

static void feed_outcome(hr_protocol *machine, make_outcome *make) {
    const hr_bytes made = make ? make(machine) : (hr_bytes){0};
    const hr_event worked = {.kind = HR_EVENT_WORK_DONE, .bytes = made.at, .size = made.size};
    CHECK(hr_protocol_feed(machine, &worked, NULL) == HR_OK);
    free(made.at);
}

/* Each event is a byte for its kind, one for its sender, two for its size. */
static void feed_all(hr_protocol *machine, size_t self, make_outcome *make, const uint8_t *bytes,
                     size_t size) {
    hr_action action;
    while (size >= 4) {
        size_t part = bytes[2] | (size_t)bytes[3] << 8;
        hr_event event = {
            .kind = (hr_event_kind)(1 + bytes[0] % 6), .from = bytes[1] % MEMBERS, .number = bytes[0] & 1u};
        event.bytes = bytes + 4;
        event.size = part < size - 4 ? part : size - 4;
        bytes += 4 + event.size;
        size -= 4 + event.size;
        if (event.kind == HR_EVENT_MESSAGE && event.from == self) continue;
        if (event.kind == HR_EVENT_WORK_DONE)
            feed_outcome(machine, make);
        else
            CHECK(hr_protocol_feed(machine, &event, NULL) == HR_OK);
        while (hr_protocol_next(machine, &action)) free(action.bytes.at);
    }
    hr_protocol_free(machine);
}

static void check_machine(const world *w, size_t self, const uint8_t *bytes, size_t size) {
    const hr_protocol_setup setup = setup_of(w, self, w->terms);
    hr_protocol *machine = NULL;
    CHECK((self == COORDINATOR ? hr_inprivate_coordinator : hr_inprivate_owner)(&setup, &machine, NULL) ==
          HR_OK);
    feed_all(machine, self, NULL, bytes, size);
}

/* Carries out what machines of a job want that has not begun: each reads its mail, and owners accept. */
static void begin_job(hr_protocol **machines) {
    static const hr_event accepts = {.kind = HR_EVENT_DECIDED, .number = 1};
    hr_action action;
    for (size_t quiet = 0, m = 0; quiet < MEMBERS; m = (m + 1) % MEMBERS) {
        quiet = hr_protocol_next(machines[m], &action) ? 0 : quiet + 1;
        if (quiet) continue;
        hr_event mail = {HR_EVENT_MESSAGE, m, 0, action.bytes.at, action.bytes.size};
        if (action.kind == HR_ACT_SEND)
            CHECK(hr_protocol_feed(machines[action.member], &mail, NULL) == HR_OK);
        if (action.kind == HR_ACT_DECIDE) CHECK(hr_protocol_feed(machines[m], &accepts, NULL) == HR_OK);
        free(action.bytes.at);
    }
}

/* The machines of a method, and a job of it. */
typedef struct method_job {
    hr_protocol_make *coordinator, *owner;
    hr_bytes terms;
    make_outcome *outcome; /* of an owner; NULL: its work is lost */
} method_job;

/* Of a job that has started. */
static void check_started(const world *w, const method_job *job, size_t self, const uint8_t *bytes,
                          size_t size) {
    hr_protocol *machines[MEMBERS] = {NULL};
    for (size_t m = 0; m < MEMBERS; m++) {
        const hr_protocol_setup setup = setup_of(w, m, job->terms);
        CHECK((m == COORDINATOR ? job->coordinator : job->owner)(&setup, &machines[m], NULL) == HR_OK);
    }
    begin_job(machines);
    for (size_t m = 0; m < MEMBERS; m++)
        if (m != self) hr_protocol_free(machines[m]);
    feed_all(machines[self], self, self == COORDINATOR ? NULL : job->outcome, bytes, size);
}

static void check_sums(const world *w, size_t self, const uint8_t *bytes, size_t size) {
    const method_job job = {hr_securesum_coordinator, hr_securesum_owner, w->sum_terms, NULL};
    check_started(w, &job, self, bytes, size);
}

static void check_ring(const world *w, size_t self, const uint8_t *bytes, size_t size) {
    const method_job job = {hr_ring_coordinator, hr_ring_owner, w->ring_terms, NULL};
    check_started(w, &job, self, bytes, size);
}

static void check_trees(const world *w, size_t self, const uint8_t *bytes, size_t size) {
    const method_job job = {hr_inprivate_coordinator, hr_inprivate_owner, w->terms, NULL};
    check_started(w, &job, self, bytes, size);
}

/* ---- SimFL ---- */

enum { SIMFL_TABLES = 2, SIMFL_ROWS = 2 };

static void bound_simfl_sums(hr_simfl_rules *rules, size_t records) {
    CHECK(records >= 1);
    rules->gradient_max = 100;
    rules->weight_max = 10;
}

static size_t simfl_trainer(const hr_simfl_rules *rules, const uint32_t *rows, size_t owners, size_t tree) {
    (void)rules, (void)rows;
    return tree % owners;
}

static hr_status read_simfl_rules(const Hedgerow__Terms *terms, const hr_schema *schema, hr_simfl_rules *out,
                                  hr_error *err) {
    (void)terms;
    (void)schema;
    (void)err;
    *out = (hr_simfl_rules){.tables = SIMFL_TABLES,
                            .trees = 3,
                            .trainer = simfl_trainer,
                            .classes = true,
                            .label_max = 1,
                            .bound = bound_simfl_sums};
    return HR_OK;
}

static hr_status make_simfl_coordinator(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    return hr_simfl_coordinator_machine(setup, read_simfl_rules, out, err);
}

static hr_status make_simfl_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    return hr_simfl_owner_machine(setup, read_simfl_rules, out, err);
}

static hr_bytes make_simfl_outcome(const hr_protocol *owner) {
    static const int64_t sums[HR_SIMFL_SUMS] = {1, 1}, none[HR_SIMFL_ROWS_MAX];
    static const int16_t hashes[SIMFL_ROWS * SIMFL_TABLES];
    hr_node leaf = {.value = 1};
    const hr_tree tree = {.nodes = &leaf, .node_count = 1};
    hr_bytes out = {0};
    hr_status status = HR_OK;
    switch (hr_simfl_work_of(owner).task) {
    case HR_SIMFL_MEASURE: status = hr_simfl_pack_size(SIMFL_ROWS, sums, &out, NULL); break;
    case HR_SIMFL_HASH: status = hr_simfl_pack_hashes(owner, hashes, &out, NULL); break;
    case HR_SIMFL_GRADIENTS: status = hr_simfl_pack_gradients(owner, none, none, &out, NULL); break;
    case HR_SIMFL_TRAIN: status = hr_simfl_pack_tree(owner, &tree, &out, NULL); break;
    }
    CHECK(status == HR_OK);
    return out;
}

static void check_simfl(const world *w, size_t self, const uint8_t *bytes, size_t size) {
    const method_job job = {make_simfl_coordinator, make_simfl_owner, w->simfl_terms, make_simfl_outcome};
    check_started(w, &job, self, bytes, size);
}

/* A hello that no member signed. */
static void check_false_hello(const world *w, const uint8_t *bytes, size_t size) {
    hr_hello hello;
    CHECK(hr_hello_read(&w->membership, ANNA, bytes, size, &hello, NULL) != HR_OK);
}

/* A body that a member signed. */
static void check_hello(const world *w, const uint8_t *bytes, size_t size) {
    uint8_t signature[HR_SIGNATURE_SIZE];
    Hedgerow__Hello wire = HEDGEROW__HELLO__INIT;
    hr_bytes packet = {0};
    hr_hello hello;
    hr_sign(w->who[ANNA], "hedgerow hello 1", bytes, size, signature);
    wire.body = hr_data_of(bytes, size);
    wire.signature = hr_data_of(signature, sizeof signature);
    CHECK(hr_message_pack(&wire.base, &packet, NULL) == HR_OK);
    hr_status status = hr_hello_read(&w->membership, ANNA, packet.at, packet.size, &hello, NULL);
    CHECK(hr_hello_read(&w->membership, BERT, packet.at, packet.size, &hello, NULL) != HR_OK);
    free(packet.at);
    if (status) return;
    CHECK(hello.date >= 0 && hello.period >= 1 && hello.period <= HR_HELLO_PERIOD_MAX);
    CHECK((uint32_t)hello.state <= HEDGEROW__HELLO_BODY__STATE__ASKING);
    CHECK(strlen(hello.fingerprint) <= HR_HELLO_FINGERPRINT_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    world w = {.job = {{0}}};
    if (!size) return 0;
    open_world(&w);
    switch (bytes[0]) {
    case 'h': check_hello(&w, bytes + 1, size - 1); break;
    case 'k': check_false_hello(&w, bytes + 1, size - 1); break;
    case 'e': check_envelope(&w, w.who[ANNA], seal_packet, bytes + 1, size - 1); break;
    case 'p': check_envelope(&w, w.who[ANNA], encrypt_packet, bytes + 1, size - 1); break;
    case 'v': check_stranger(&w, seal_packet, bytes + 1, size - 1); break;
    case 'w': check_stranger(&w, encrypt_packet, bytes + 1, size - 1); break;
    case 'd': check_decline(&w, bytes + 1, size - 1); break;
    case 't': check_tree(&w, bytes + 1, size - 1); break;
    case 'm': check_machine(&w, COORDINATOR, bytes + 1, size - 1); break;
    case 'o': check_machine(&w, BERT, bytes + 1, size - 1); break;
    case 'c': check_trees(&w, COORDINATOR, bytes + 1, size - 1); break;
    case 'b': check_trees(&w, BERT, bytes + 1, size - 1); break;
    case 's': check_sums(&w, COORDINATOR, bytes + 1, size - 1); break;
    case 'a': check_sums(&w, BERT, bytes + 1, size - 1); break;
    case 'r': check_ring(&w, COORDINATOR, bytes + 1, size - 1); break;
    case 'n': check_ring(&w, BERT, bytes + 1, size - 1); break;
    case 'f': check_simfl(&w, COORDINATOR, bytes + 1, size - 1); break;
    case 'g': check_simfl(&w, ANNA, bytes + 1, size - 1); break;
    default: check_types(bytes + 1, size - 1); break;
    }
    close_world(&w);
    return 0;
}
