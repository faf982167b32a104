#include "support/test_members.h"

#include "federation/protocol/sessions.h"

const hr_job_id the_job = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

const hr_digest the_start = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

const char the_schema[] = "hedgerow-schema: 1\nlabel: {name: y, kind: number, low: -1, high: 1}\nfeatures: "
                          "[{name: n, kind: number, "
                          "low: 0, high: 10}, {name: c, kind: category, values: [a, b, d]}]\n";

static test_members *test_members_open(void) {
    static const char *const names[MEMBERS] = {"coordinator", "anna", "bert", "carl", "dora", "outsider"};
    test_members *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->membership = (hr_membership){"brook", f->members, MEMBERS};
    for (unsigned char p = 0; p < PERSONS; p++) {
        f->who[p] = test_identity((unsigned char)(p + 1));
        if (p == STRANGER) break;
        f->members[p] = (hr_member){.name = names[p], .key = hr_identity_public(f->who[p])};
        f->views[p] = (hr_party_view){.membership = &f->membership, .identity = f->who[p], .self = p};
        assert_int_equal(hr_sessions_new(MEMBERS, &f->views[p].sessions, NULL), HR_OK);
    }
    assert_int_equal(hr_schema_parse(the_schema, sizeof the_schema - 1, "s", &f->schema, NULL), HR_OK);
    assert_non_null(f->arena = hr_arena_new());
    return f;
}

static void test_members_close(test_members *f) {
    for (size_t p = 0; p < MEMBERS; p++) hr_sessions_free(f->views[p].sessions);
    for (size_t p = 0; p < PERSONS; p++) hr_identity_free(f->who[p]);
    hr_schema_free(f->schema);
    hr_arena_free(f->arena);
    free(f);
}

int test_members_setup(void **state) {
    *state = test_members_open();
    return 0;
}

int test_members_teardown(void **state) {
    test_members_close(*state);
    return 0;
}

hr_protocol_setup setup_of_member(const test_members *f, size_t self, hr_bytes terms) {
    return (hr_protocol_setup){.view = &f->views[self],
                               .job = the_job,
                               .schema = f->schema,
                               .coordinator = COORDINATOR,
                               .min_owners = 1,
                               .terms = terms};
}

hr_bytes packed(const void *message) {
    hr_bytes out = {0};
    assert_int_equal(hr_message_pack(message, &out, NULL), HR_OK);
    return out;
}

hr_bytes bytes_of(const void *at, size_t size) {
    hr_bytes out = {malloc(size ? size : 1), size};
    assert_non_null(out.at);
    if (size) memcpy(out.at, at, size);
    return out;
}

/* ---- Trees ---- */

hr_release half_a_unit(size_t slot) {
    return (hr_release){.what = "leaf sum",
                        .tree = (int64_t)slot,
                        .level = -1,
                        .part = slot,
                        .cost = HR_UNIT / 2,
                        .sensitivity = 1,
                        .mechanism = HR_MECHANISM_DISCRETE_LAPLACE,
                        .scale_num = 2,
                        .scale_den = 1,
                        .draws = 1};
}

leaf_tree *leaf_tree_of(hr_arena *arena, size_t slot) {
    leaf_tree *t = hr_arena_alloc(arena, 1, sizeof *t);
    assert_non_null(t);
    t->nodes[0].value = .25;
    for (size_t r = 0; r < 3; r++) t->releases[r] = half_a_unit(slot);
    static const uint8_t nothing[8];
    t->paid = (hr_paid_tree){.tree = {.nodes = t->nodes, .node_count = 1, .subsets = t->subsets},
                             .releases = t->releases,
                             .release_count = 1,
                             .set = {.known = nothing}};
    return t;
}

bool is_sound(const test_members *f, const hr_tree *tree) {
    const hr_tree_limits limits = {
        .schema = f->schema, .depth_max = 64, .value_max = 1e300, .within_bounds = true};
    hr_tree_fault fault;
    return !hr_tree_check(tree, &limits, &fault, NULL);
}

hr_bytes leaf_bytes(const test_members *f, const hr_job_state *job_state, size_t slot) {
    size_t owner = hr_job_state_owner(job_state, slot);
    const hr_tree_slot at = {job_state->start, f->membership.members[owner].name, slot};
    hr_arena_mark mark = hr_arena_get_mark(f->arena);
    leaf_tree *t = leaf_tree_of(f->arena, slot);
    hr_bytes out = {0};
    t->nodes[0].value = (double)slot / 64 + (double)owner / 1024;
    assert_int_equal(hr_job_state_set(job_state, slot, f->arena, &t->paid.set, NULL), HR_OK);
    assert_int_equal(hr_wire_tree_pack(&at, &t->paid, &out, NULL), HR_OK);
    hr_arena_rewind(f->arena, mark);
    return out;
}

hr_tree_rules rules_of(const test_members *f) {
    return (hr_tree_rules){.schema = f->schema, .budget = HR_UNIT};
}

/* ---- Job states ---- */

hr_job_state job_state_of(const test_members *f, size_t self) {
    hr_job_state c = {.view = &f->views[self],
                      .start = the_start,
                      .coordinator = COORDINATOR,
                      .rules = rules_of(f),
                      .owners = {ANNA, BERT, CARL}};
    c.owner_count = 3;
    c.rounds = 2;
    assert_int_equal(hr_job_state_begin(&c, NULL), HR_OK);
    return c;
}

void sign_leaf(const test_members *f, hr_job_state *job_state, size_t slot) {
    hr_bytes tree = leaf_bytes(f, job_state, slot);
    assert_int_equal(hr_job_state_sign_tree(job_state, slot, tree.at, tree.size, NULL), HR_OK);
    free(tree.at);
}

/* ---- Packets ---- */

Hedgerow__Envelope envelope_of(const test_members *f, size_t from, size_t to, const char *body) {
    Hedgerow__Envelope e = HEDGEROW__ENVELOPE__INIT;
    e.version = HR_PROTOCOL_VERSION;
    e.federation = hr_text_of("brook");
    e.job = hr_data_of(the_job.bytes, HR_JOB_BYTES);
    e.from = hr_text_of(f->members[from].name);
    e.to = hr_text_of(f->members[to].name);
    e.sequence = 1;
    e.body = hr_text_of(body);
    return e;
}

hr_bytes sealed_bytes(const test_members *f, size_t signer, size_t to, const void *at, size_t size) {
    const hr_public_key key = hr_identity_public(f->who[to]);
    hr_bytes out = {0};
    assert_int_equal(hr_seal(f->who[signer], &key, at, size, &out.at, NULL), HR_OK);
    out.size = size + HR_SEAL_OVERHEAD;
    return out;
}

hr_bytes sealed_envelope(const test_members *f, size_t signer, size_t to,
                         const Hedgerow__Envelope *envelope) {
    hr_bytes plain = packed(envelope), out = sealed_bytes(f, signer, to, plain.at, plain.size);
    free(plain.at);
    return out;
}
