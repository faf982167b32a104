/* The job state of a job: a slot takes one tree, its owner's; only the coordinator's word leaves it empty;
 * and a message of which anything is wrong changes nothing. */
#include "support/test_members.h"

enum { SLOTS = 6 };

typedef struct snapshot {
    hr_slot_state states[SLOTS];
    uint8_t signatures[SLOTS][HR_SIGNATURE_SIZE];
    const uint8_t *trees[SLOTS];
} snapshot;

static snapshot snapshot_of(const hr_job_state *c) {
    snapshot s = {.states = {0}};
    for (size_t p = 0; p < SLOTS; p++) {
        s.states[p] = c->slots[p].state;
        s.trees[p] = c->slots[p].tree.at;
        if (s.states[p] != HR_SLOT_OPEN) memcpy(s.signatures[p], c->slots[p].signature, HR_SIGNATURE_SIZE);
    }
    return s;
}

static void refuse(hr_job_state *c, const Hedgerow__Forest *forest, hr_status expected) {
    const snapshot before = snapshot_of(c);
    hr_error err = {0};
    hr_status status = hr_job_state_merge(c, forest, &err);
    if (status != expected)
        fail_msg("%s instead of %s: %s", hr_status_text(status), hr_status_text(expected), err.message);
    assert_true(err.message[0]);
    const snapshot after = snapshot_of(c);
    assert_memory_equal(&before, &after, sizeof before);
}

/* Slots `from`..`to` - 1 of `source` merged into `target`. */
static hr_status merge(hr_job_state *target, const hr_job_state *source, size_t from, size_t to) {
    Hedgerow__Forest list = HEDGEROW__FOREST__INIT;
    assert_int_equal(hr_job_state_list(source, from, to, &list, NULL), HR_OK);
    hr_status status = hr_job_state_merge(target, &list, NULL);
    hr_job_state_unlist(&list);
    return status;
}

/* A forest of one slot, to be spoilt. */
typedef struct single {
    Hedgerow__Slot slot, *list[2];
    Hedgerow__Forest forest;
} single;

static void single_of(const hr_job_state *source, size_t slot, single *s) {
    hedgerow__slot__init(&s->slot);
    hedgerow__forest__init(&s->forest);
    s->slot.slot = (uint32_t)slot;
    s->slot.tree = hr_data_of(source->slots[slot].tree.at, source->slots[slot].tree.size);
    s->slot.signature = hr_data_of(source->slots[slot].signature, HR_SIGNATURE_SIZE);
    s->list[0] = s->list[1] = &s->slot;
    s->forest.slots = s->list;
    s->forest.n_slots = 1;
    s->forest.start = hr_data_of(the_start.bytes, HR_DIGEST_SIZE);
}

/* Signs what the library would not. Takes the bytes over. */
static void forge_tree(hr_job_state *job_state, size_t slot, hr_bytes tree) {
    hr_job_slot *to = &job_state->slots[slot];
    to->tree = tree;
    hr_sign(job_state->view->identity, "hedgerow tree 2", tree.at, tree.size, to->signature);
    to->state = HR_SLOT_TREE;
}

static void test_course__knows_owners_and_places(void **state) {
    const test_members *f = *state;
    hr_job_state c = job_state_of(f, BERT);
    static const size_t owners[SLOTS] = {ANNA, BERT, CARL, ANNA, BERT, CARL};
    assert_int_equal(hr_job_state_slots(&c), SLOTS);
    for (size_t p = 0; p < SLOTS; p++) assert_int_equal(hr_job_state_owner(&c, p), owners[p]);
    for (size_t m = 0; m < MEMBERS; m++)
        assert_int_equal(hr_job_state_position(&c, m), m >= ANNA && m <= CARL ? m - ANNA : 3);
    assert_int_equal(hr_job_state_next_open(&c), 0);
    hr_job_state_done(&c);
}

/* Owner by owner, as with a chain. */
static void test_course__grows_from_hand_to_hand(void **state) {
    const test_members *f = *state;
    hr_job_state job_states[3];
    for (size_t o = 0; o < 3; o++) job_states[o] = job_state_of(f, ANNA + o);
    for (size_t p = 0; p < SLOTS; p++) {
        hr_job_state *c = &job_states[p % 3];
        assert_int_equal(hr_job_state_next_open(c), p);
        sign_leaf(f, c, p);
        assert_int_equal(hr_job_state_next_open(c), p + 1);
        assert_int_equal(merge(&job_states[(p + 1) % 3], c, 0, SLOTS), HR_OK);
    }
    hr_job_state coordinator = job_state_of(f, COORDINATOR);
    assert_int_equal(merge(&coordinator, &job_states[2], 0, SLOTS), HR_OK);
    assert_int_equal(merge(&coordinator, &job_states[2], 0, SLOTS), HR_OK); /* once more changes nothing */
    assert_int_equal(hr_job_state_next_open(&coordinator), SLOTS);
    for (size_t p = 0; p < SLOTS; p++) {
        assert_true(hr_job_state_tree(&coordinator, p)->tree.nodes[0].value ==
                    (double)p / 64 + (double)(ANNA + p % 3) / 1024);
    }
    hr_job_state_done(&coordinator);
    for (size_t o = 0; o < 3; o++) hr_job_state_done(&job_states[o]);
}

static void test_course__lists_a_range(void **state) {
    const test_members *f = *state;
    hr_job_state c = job_state_of(f, ANNA), coordinator = job_state_of(f, COORDINATOR);
    Hedgerow__Forest list = HEDGEROW__FOREST__INIT;
    assert_int_equal(hr_job_state_list(&c, 0, SLOTS, &list, NULL), HR_OK);
    assert_int_equal(list.n_slots, 0);
    hr_job_state_unlist(&list);
    sign_leaf(f, &c, 0);
    sign_leaf(f, &c, 3);
    hr_job_state_sign_empty(&coordinator, 1);
    assert_int_equal(merge(&c, &coordinator, 0, SLOTS), HR_OK);
    assert_int_equal(hr_job_state_list(&c, 1, 4, &list, NULL), HR_OK);
    assert_int_equal(list.n_slots, 2);
    assert_int_equal(list.slots[0]->slot, 1);
    assert_int_equal(list.slots[0]->tree.len, 0);
    assert_int_equal(list.slots[1]->slot, 3);
    assert_true(list.slots[1]->tree.len > 0);
    hr_job_state_unlist(&list);
    hr_job_state_done(&c);
    hr_job_state_done(&coordinator);
}

/* Anna's tree under somebody else's signature, at somebody else's slot, of another job. */
static void test_course__refuses_a_tree_that_its_owner_did_not_sign(void **state) {
    const test_members *f = *state;
    hr_job_state anna = job_state_of(f, ANNA), bert = job_state_of(f, BERT), target = job_state_of(f, CARL),
                 other = job_state_of(f, ANNA);
    single s;
    sign_leaf(f, &bert, 0);
    single_of(&bert, 0, &s);
    refuse(&target, &s.forest, HR_E_POLICY);
    sign_leaf(f, &anna, 0);
    for (size_t slot = 1; slot < SLOTS; slot++) {
        single_of(&anna, 0, &s);
        s.slot.slot = (uint32_t)slot;
        refuse(&target, &s.forest, HR_E_POLICY);
    }
    other.start.bytes[0]++; /* other terms, or other owners */
    sign_leaf(f, &other, 0);
    single_of(&other, 0, &s);
    refuse(&target, &s.forest, HR_E_POLICY);
    hr_job_state_done(&other);
    hr_job_state_done(&anna);
    hr_job_state_done(&bert);
    hr_job_state_done(&target);
}

static void test_course__refuses_changed_trees_and_signatures(void **state) {
    const test_members *f = *state;
    hr_job_state anna = job_state_of(f, ANNA), target = job_state_of(f, CARL);
    single s;
    sign_leaf(f, &anna, 0);
    single_of(&anna, 0, &s);
    for (size_t bit = 0; bit < 8 * s.slot.tree.len; bit++) {
        s.slot.tree.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuse(&target, &s.forest, HR_E_POLICY);
        s.slot.tree.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t bit = 0; bit < 8 * HR_SIGNATURE_SIZE; bit++) {
        s.slot.signature.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuse(&target, &s.forest, HR_E_POLICY);
        s.slot.signature.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (s.slot.signature.len = 0; s.slot.signature.len < HR_SIGNATURE_SIZE; s.slot.signature.len++) {
        hr_status status = hr_job_state_merge(&target, &s.forest, NULL);
        assert_true(status == HR_E_POLICY || status == HR_E_FORMAT);
    }
    uint8_t longer[HR_SIGNATURE_SIZE + 1] = {0};
    memcpy(longer, s.slot.signature.data, HR_SIGNATURE_SIZE);
    s.slot.signature = hr_data_of(longer, sizeof longer);
    hr_status status = hr_job_state_merge(&target, &s.forest, NULL);
    assert_true(status == HR_E_POLICY || status == HR_E_FORMAT);
    assert_int_equal(hr_job_state_next_open(&target), 0);
    hr_job_state_done(&anna);
    hr_job_state_done(&target);
}

static void test_course__refuses_places_that_are_none(void **state) {
    const test_members *f = *state;
    static const uint32_t slots[] = {SLOTS, SLOTS + 1, 255, 1u << 31, UINT32_MAX};
    hr_job_state anna = job_state_of(f, ANNA), coordinator = job_state_of(f, COORDINATOR),
                 target = job_state_of(f, CARL);
    single s;
    sign_leaf(f, &anna, 0);
    hr_job_state_sign_empty(&coordinator, 1);
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        for (int empty = 0; empty < 2; empty++) {
            single_of(empty ? &coordinator : &anna, empty, &s);
            s.slot.slot = slots[i];
            refuse(&target, &s.forest, HR_E_POLICY);
        }
    hr_error err = {0};
    single_of(&coordinator, 1, &s);
    assert_int_equal(hr_job_state_empty(&target, SLOTS, s.slot.signature, &err), HR_E_POLICY);
    assert_int_equal(hr_job_state_empty(&target, SIZE_MAX, s.slot.signature, &err), HR_E_POLICY);
    hr_job_state_done(&anna);
    hr_job_state_done(&coordinator);
    hr_job_state_done(&target);
}

/* Only the coordinator may say that a slot stays empty; not the owner itself, and not for another slot. */
static void test_course__refuses_an_empty_place_that_the_coordinator_did_not_sign(void **state) {
    const test_members *f = *state;
    hr_job_state target = job_state_of(f, CARL), coordinator = job_state_of(f, COORDINATOR);
    single s;
    for (size_t m = ANNA; m < MEMBERS; m++) {
        hr_job_state c = job_state_of(f, m);
        hr_job_state_sign_empty(&c, 0);
        single_of(&c, 0, &s);
        refuse(&target, &s.forest, HR_E_POLICY);
        assert_int_equal(hr_job_state_empty(&target, 0, s.slot.signature, NULL), HR_E_POLICY);
        hr_job_state_done(&c);
    }
    hr_job_state_sign_empty(&coordinator, 0);
    single_of(&coordinator, 0, &s);
    s.slot.slot = 1;
    refuse(&target, &s.forest, HR_E_POLICY);
    assert_int_equal(hr_job_state_empty(&target, 1, s.slot.signature, NULL), HR_E_POLICY);
    assert_int_equal(hr_job_state_empty(&target, 0, (ProtobufCBinaryData){0, NULL}, NULL), HR_E_POLICY);
    target.start.bytes[3]++; /* signed for another job */
    assert_int_equal(hr_job_state_empty(&target, 0, s.slot.signature, NULL), HR_E_POLICY);
    target.start.bytes[3]--;
    assert_int_equal(hr_job_state_empty(&target, 0, s.slot.signature, NULL), HR_OK);
    assert_int_equal(target.slots[0].state, HR_SLOT_EMPTY);
    hr_job_state_done(&coordinator);
    hr_job_state_done(&target);
}

/* What is known only grows: a late tree takes an empty slot, and nothing empties a slot that has a tree. */
static void test_course__takes_a_late_tree_and_keeps_it(void **state) {
    const test_members *f = *state;
    hr_job_state anna = job_state_of(f, ANNA), coordinator = job_state_of(f, COORDINATOR),
                 target = job_state_of(f, CARL);
    sign_leaf(f, &anna, 0);
    hr_job_state_sign_empty(&coordinator, 0);
    assert_int_equal(merge(&target, &coordinator, 0, SLOTS), HR_OK);
    assert_int_equal(target.slots[0].state, HR_SLOT_EMPTY);
    assert_int_equal(hr_job_state_next_open(&target), 1);
    assert_int_equal(merge(&target, &anna, 0, SLOTS), HR_OK);
    assert_int_equal(target.slots[0].state, HR_SLOT_TREE);
    assert_int_equal(merge(&target, &coordinator, 0, SLOTS), HR_OK);
    assert_int_equal(target.slots[0].state, HR_SLOT_TREE);
    assert_int_equal(merge(&coordinator, &anna, 0, SLOTS), HR_OK); /* the coordinator itself learns of it */
    assert_int_equal(coordinator.slots[0].state, HR_SLOT_TREE);
    hr_job_state_sign_empty(&coordinator, 0);
    assert_int_equal(coordinator.slots[0].state, HR_SLOT_TREE);
    hr_job_state_done(&anna);
    hr_job_state_done(&coordinator);
    hr_job_state_done(&target);
}

/* An owner signs two trees for one slot: a party that has one keeps it. */
static void test_course__keeps_the_first_of_two_trees(void **state) {
    const test_members *f = *state;
    hr_job_state one = job_state_of(f, ANNA), two = job_state_of(f, ANNA), target = job_state_of(f, CARL);
    const hr_tree_slot at = {the_start, f->membership.members[ANNA].name, 0};
    leaf_tree *t = leaf_tree_of(f->arena, 0);
    hr_bytes tree;
    t->nodes[0].value = -.75;
    sign_leaf(f, &one, 0);
    assert_int_equal(hr_wire_tree_pack(&at, &t->paid, &tree, NULL), HR_OK);
    assert_int_equal(hr_job_state_sign_tree(&two, 0, tree.at, tree.size, NULL), HR_OK);
    free(tree.at);
    assert_int_equal(merge(&target, &one, 0, SLOTS), HR_OK);
    (void)merge(&target, &two, 0, SLOTS);
    assert_true(hr_job_state_tree(&target, 0)->tree.nodes[0].value == (double)ANNA / 1024);
    hr_job_state_done(&one);
    hr_job_state_done(&two);
    hr_job_state_done(&target);
}

/* A good tree beside a bad one: neither is taken. */
static void test_course__takes_all_or_nothing(void **state) {
    const test_members *f = *state;
    hr_job_state anna = job_state_of(f, ANNA), bert = job_state_of(f, BERT), target = job_state_of(f, CARL);
    single good, bad;
    sign_leaf(f, &anna, 0);
    sign_leaf(f, &bert, 0);
    sign_leaf(f, &bert, 1);
    single_of(&anna, 0, &good);
    single_of(&bert, 1, &bad);
    bad.slot.signature = hr_data_of(bert.slots[0].signature, HR_SIGNATURE_SIZE);
    for (int order = 0; order < 2; order++) {
        good.list[order] = &good.slot;
        good.list[1 - order] = &bad.slot;
        good.forest.n_slots = 2;
        refuse(&target, &good.forest, HR_E_POLICY);
    }
    hr_job_state_done(&anna);
    hr_job_state_done(&bert);
    hr_job_state_done(&target);
}

/* The same slot twice in one message, or more slots than there are. */
static void test_course__refuses_or_ignores_repetitions(void **state) {
    const test_members *f = *state;
    enum { MANY = 1000 };
    hr_job_state anna = job_state_of(f, ANNA), target = job_state_of(f, CARL);
    single s;
    Hedgerow__Slot *many[MANY];
    sign_leaf(f, &anna, 0);
    single_of(&anna, 0, &s);
    for (size_t i = 0; i < MANY; i++) many[i] = &s.slot;
    s.forest.slots = many;
    s.forest.n_slots = MANY;
    refuse(&target, &s.forest, HR_E_POLICY);
    s.forest.n_slots = SLOTS;
    assert_int_equal(hr_job_state_merge(&target, &s.forest, NULL), HR_OK);
    assert_int_equal(target.slots[0].state, HR_SLOT_TREE);
    hr_job_state_done(&anna);
    hr_job_state_done(&target);
}

/* A tree that is properly signed by its owner, but unsound. */
static void test_course__refuses_unsound_trees_of_their_owners(void **state) {
    const test_members *f = *state;
    const hr_tree_slot at = {the_start, f->membership.members[ANNA].name, 0};
    for (int i = 0; i < 5; i++) {
        hr_job_state anna = job_state_of(f, ANNA), target = job_state_of(f, CARL);
        leaf_tree *t = leaf_tree_of(f->arena, 0);
        hr_bytes tree = {0};
        single s;
        if (i == 0) t->nodes[0].left = 1;
        if (i == 1) t->releases[0].cost = HR_UNIT + 1;
        if (i == 2) t->releases[0].cost = 1;
        if (i == 3) t->nodes[0].value = 1e300;
        assert_int_equal(hr_wire_tree_pack(&at, &t->paid, &tree, NULL), HR_OK);
        if (i == 4) tree.size--;
        assert_int_not_equal(hr_job_state_sign_tree(&anna, 0, tree.at, tree.size, NULL),
                             HR_OK); /* its program would not send it */
        assert_null(hr_job_state_tree(&anna, 0));
        forge_tree(&anna, 0, tree);
        single_of(&anna, 0, &s);
        refuse(&target, &s.forest, i == 1 || i == 2 ? HR_E_POLICY : HR_E_FORMAT);
        hr_job_state_done(&anna);
        hr_job_state_done(&target);
    }
}

/* One line's signature as another one's: a tree's is none of an empty slot, and the reverse. */
static void test_course__keeps_signatures_for_their_purpose(void **state) {
    const test_members *f = *state;
    hr_job_state coordinator = job_state_of(f, COORDINATOR), target = job_state_of(f, CARL);
    single s;
    coordinator.owners[0] = COORDINATOR; /* it is an owner itself */
    target.owners[0] = COORDINATOR;
    sign_leaf(f, &coordinator, 0);
    single_of(&coordinator, 0, &s);
    assert_int_equal(hr_job_state_empty(&target, 0, s.slot.signature, NULL), HR_E_POLICY);
    s.slot.tree.len = 0;
    refuse(&target, &s.forest, HR_E_POLICY);
    hr_job_state_done(&coordinator);
    hr_job_state_done(&target);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_course__knows_owners_and_places),
        WITH_TEST_MEMBERS(test_course__grows_from_hand_to_hand),
        WITH_TEST_MEMBERS(test_course__lists_a_range),
        WITH_TEST_MEMBERS(test_course__refuses_a_tree_that_its_owner_did_not_sign),
        WITH_TEST_MEMBERS(test_course__refuses_changed_trees_and_signatures),
        WITH_TEST_MEMBERS(test_course__refuses_places_that_are_none),
        WITH_TEST_MEMBERS(test_course__refuses_an_empty_place_that_the_coordinator_did_not_sign),
        WITH_TEST_MEMBERS(test_course__takes_a_late_tree_and_keeps_it),
        WITH_TEST_MEMBERS(test_course__keeps_the_first_of_two_trees),
        WITH_TEST_MEMBERS(test_course__takes_all_or_nothing),
        WITH_TEST_MEMBERS(test_course__refuses_or_ignores_repetitions),
        WITH_TEST_MEMBERS(test_course__refuses_unsound_trees_of_their_owners),
        WITH_TEST_MEMBERS(test_course__keeps_signatures_for_their_purpose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
