/* What members may send. By the input's first byte: bytes of one of the types of hedgerow.proto ('0' and on),
 * the inside of an envelope that a member signed, a tree, or a row of messages for the machine of an owner or
 * of a coordinator. No input crashes, takes much memory, or makes a machine fail. */
#include "crypto/secret.h"
#include "protocol/inprivate.h"
#include "tree/tree_check.h"

#include "check.h"

#include <string.h>

enum { COORDINATOR, ANNA, BERT, MEMBERS };

typedef struct world {
    hr_identity *who[MEMBERS];
    hr_member members[MEMBERS];
    hr_membership membership;
    hr_party_view views[MEMBERS];
    hr_schema *schema;
    hr_job_id job;
    hr_bytes terms;
} world;

static const ProtobufCMessageDescriptor *const types[] = {
    &hedgerow__envelope__descriptor, &hedgerow__message__descriptor, &hedgerow__terms__descriptor,
    &hedgerow__tree__descriptor,     &hedgerow__forest__descriptor,  &hedgerow__ballot__descriptor};

static void open_world(world *w) {
    static const char *const names[] = {"coordinator", "anna", "bert"};
    static const char schema[] = "hedgerow-schema: 1\nlabel: {name: y, kind: number, low: -1, high: "
                                 "1}\nfeatures: [{name: n, kind: number, "
                                 "low: 0, high: 10}, {name: c, kind: category, values: [a, b, d]}]\n";
    w->membership = (hr_membership){"brook", w->members, MEMBERS};
    for (unsigned char m = 0; m < MEMBERS; m++) {
        unsigned char seed[crypto_sign_SEEDBYTES] = {m};
        CHECK(hr_identity_grow(seed, &w->who[m], NULL) == HR_OK);
        w->members[m] = (hr_member){names[m], hr_identity_public(w->who[m])};
        w->views[m] = (hr_party_view){&w->membership, w->who[m], m};
    }
    CHECK(hr_schema_parse(schema, sizeof schema - 1, "schema", &w->schema, NULL) == HR_OK);
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    ProtobufCBinaryData owners[] = {hr_text_of("anna"), hr_text_of("bert")};
    terms.epsilon = 2;
    terms.rounds = 2;
    terms.vote_share = .5;
    terms.owners = owners;
    terms.n_owners = 2;
    CHECK(hr_message_pack(&terms.base, &w->terms, NULL) == HR_OK);
}

static void close_world(world *w) {
    for (size_t m = 0; m < MEMBERS; m++) hr_identity_free(w->who[m]);
    hr_schema_free(w->schema);
    free(w->terms.at);
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

static void check_envelope(const world *w, const uint8_t *bytes, size_t size) {
    uint8_t *sealed = NULL;
    hr_envelope out;
    CHECK(hr_seal(w->who[ANNA], &w->members[BERT].key, bytes, size, &sealed, NULL) == HR_OK);
    if (!hr_envelope_open(&w->views[BERT], sealed, size + HR_SEAL_OVERHEAD, &out, NULL)) {
        CHECK(out.from == ANNA && out.to == BERT && out.body.size <= HR_PIECE_MAX);
        CHECK(out.sequence ? out.body.size && !out.received : !out.body.size && out.received);
        free(out.body.at);
    }
    free(sealed);
}

static void check_tree(const world *w, const uint8_t *bytes, size_t size) {
    const hr_tree_slot slot = {w->job, w->membership.members[ANNA].name, 0};
    const hr_tree_rules rules = {w->schema, false, HR_UNIT};
    const hr_tree_limits limits = {
        .schema = w->schema, .depth_max = 64, .value_max = 1e300, .within_bounds = true};
    hr_tree_fault fault;
    hr_arena *arena = hr_arena_new();
    hr_paid_tree tree;
    hr_units total;
    CHECK(arena);
    if (!hr_wire_tree_unpack(&slot, &rules, hr_data_of(bytes, size), arena, &tree, NULL)) {
        CHECK(hr_tree_check(&tree.tree, &limits, &fault, NULL) == HR_OK);
        CHECK(hr_account_check(tree.releases, tree.release_count, HR_PURE, NULL) == HR_OK);
        CHECK(hr_account(tree.releases, tree.release_count, &total, NULL) == HR_OK && total <= rules.budget);
    }
    hr_arena_free(arena);
}

/* Each event is a byte for its kind, one for its sender, two for its size. */
static void check_machine(const world *w, size_t self, const uint8_t *bytes, size_t size) {
    const hr_protocol_setup setup = {&w->views[self], w->job, w->schema, COORDINATOR, 1, w->terms, 0};
    hr_protocol *machine = NULL;
    hr_action action;
    CHECK((self == COORDINATOR ? hr_inprivate_coordinator : hr_inprivate_owner)(&setup, &machine, NULL) ==
          HR_OK);
    while (size >= 4) {
        size_t part = bytes[2] | (size_t)bytes[3] << 8;
        hr_event event = {
            .kind = (hr_event_kind)(1 + bytes[0] % 5), .from = bytes[1] % MEMBERS, .number = bytes[0] & 1u};
        event.bytes = bytes + 4;
        event.size = part < size - 4 ? part : size - 4;
        bytes += 4 + event.size;
        size -= 4 + event.size;
        if (event.kind == HR_EVENT_WORKED) event.size = 0; /* what an owner makes itself is sound */
        if (event.kind == HR_EVENT_MESSAGE && event.from == self) continue;
        CHECK(hr_protocol_feed(machine, &event, NULL) == HR_OK);
        while (hr_protocol_next(machine, &action)) free(action.bytes.at);
    }
    hr_protocol_free(machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    world w = {.job = {{0}}};
    if (!size) return 0;
    open_world(&w);
    switch (bytes[0]) {
    case 'e': check_envelope(&w, bytes + 1, size - 1); break;
    case 't': check_tree(&w, bytes + 1, size - 1); break;
    case 'm': check_machine(&w, COORDINATOR, bytes + 1, size - 1); break;
    case 'o': check_machine(&w, BERT, bytes + 1, size - 1); break;
    default: check_type(types[bytes[0] % (sizeof types / sizeof *types)], bytes + 1, size - 1); break;
    }
    close_world(&w);
    return 0;
}
