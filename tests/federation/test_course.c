/* The course of a job: a place takes one tree, its owner's; only the miner's word leaves it empty; and a message of which anything is
 * wrong changes nothing. */
#include "support/test_members.h"

enum { PLACES = 6 };

typedef struct snapshot {
    hr_place_state states[PLACES];
    uint8_t signatures[PLACES][HR_SIGNATURE_SIZE];
    const uint8_t *trees[PLACES];
} snapshot;

static snapshot snapshot_of(const hr_course *c) {
    snapshot s = {.states = {0}};
    for (size_t p = 0; p < PLACES; p++) {
        s.states[p] = c->places[p].state;
        s.trees[p] = c->places[p].tree.at;
        if (s.states[p] != HR_PLACE_OPEN) memcpy(s.signatures[p], c->places[p].signature, HR_SIGNATURE_SIZE);
    }
    return s;
}

static void refuse(hr_course *c, const Hedgerow__Forest *forest, hr_status expected) {
    const snapshot before = snapshot_of(c);
    hr_error err = {0};
    hr_status status = hr_course_merge(c, forest, &err);
    if (status != expected) fail_msg("%s instead of %s: %s", hr_status_text(status), hr_status_text(expected), err.message);
    assert_true(err.message[0]);
    const snapshot after = snapshot_of(c);
    assert_memory_equal(&before, &after, sizeof before);
}

/* Places `from`..`to` - 1 of `source` merged into `target`. */
static hr_status merge(hr_course *target, const hr_course *source, size_t from, size_t to) {
    Hedgerow__Forest list = HEDGEROW__FOREST__INIT;
    assert_int_equal(hr_course_list(source, from, to, &list, NULL), HR_OK);
    hr_status status = hr_course_merge(target, &list, NULL);
    hr_course_unlist(&list);
    return status;
}

/* A forest of one place, to be spoilt. */
typedef struct single {
    Hedgerow__Place place, *list[2];
    Hedgerow__Forest forest;
} single;

static void single_of(const hr_course *source, size_t place, single *s) {
    hedgerow__place__init(&s->place);
    hedgerow__forest__init(&s->forest);
    s->place.place = (uint32_t)place;
    s->place.tree = hr_data_of(source->places[place].tree.at, source->places[place].tree.size);
    s->place.signature = hr_data_of(source->places[place].signature, HR_SIGNATURE_SIZE);
    s->list[0] = s->list[1] = &s->place;
    s->forest.places = s->list;
    s->forest.n_places = 1;
}

/* Signs what the library would not. Takes the bytes over. */
static void forge_tree(hr_course *course, size_t place, hr_bytes tree) {
    hr_place *to = &course->places[place];
    to->tree = tree;
    hr_sign(course->view->identity, "hedgerow tree 1", tree.at, tree.size, to->signature);
    to->state = HR_PLACE_TREE;
}

static void test_course__knows_owners_and_places(void **state) {
    const test_members *f = *state;
    hr_course c = course_of(f, BERT);
    static const size_t owners[PLACES] = {ANNA, BERT, CARL, ANNA, BERT, CARL};
    assert_int_equal(hr_course_places(&c), PLACES);
    for (size_t p = 0; p < PLACES; p++) assert_int_equal(hr_course_owner(&c, p), owners[p]);
    for (size_t m = 0; m < MEMBERS; m++) assert_int_equal(hr_course_position(&c, m), m >= ANNA && m <= CARL ? m - ANNA : 3);
    assert_int_equal(hr_course_open(&c), 0);
    hr_course_done(&c);
}

/* Owner by owner, as with a chain. */
static void test_course__grows_from_hand_to_hand(void **state) {
    const test_members *f = *state;
    hr_course courses[3];
    for (size_t o = 0; o < 3; o++) courses[o] = course_of(f, ANNA + o);
    for (size_t p = 0; p < PLACES; p++) {
        hr_course *c = &courses[p % 3];
        assert_int_equal(hr_course_open(c), p);
        sign_leaf(f, c, p);
        assert_int_equal(hr_course_open(c), p + 1);
        assert_int_equal(merge(&courses[(p + 1) % 3], c, 0, PLACES), HR_OK);
    }
    hr_course miner = course_of(f, MINER);
    assert_int_equal(merge(&miner, &courses[2], 0, PLACES), HR_OK);
    assert_int_equal(merge(&miner, &courses[2], 0, PLACES), HR_OK); /* once more changes nothing */
    assert_int_equal(hr_course_open(&miner), PLACES);
    for (size_t p = 0; p < PLACES; p++) {
        assert_true(hr_course_tree(&miner, p)->tree.nodes[0].value == (double)p / 64 + (double)(ANNA + p % 3) / 1024);
    }
    hr_course_done(&miner);
    for (size_t o = 0; o < 3; o++) hr_course_done(&courses[o]);
}

static void test_course__lists_a_range(void **state) {
    const test_members *f = *state;
    hr_course c = course_of(f, ANNA), miner = course_of(f, MINER);
    Hedgerow__Forest list = HEDGEROW__FOREST__INIT;
    assert_int_equal(hr_course_list(&c, 0, PLACES, &list, NULL), HR_OK);
    assert_int_equal(list.n_places, 0);
    hr_course_unlist(&list);
    sign_leaf(f, &c, 0);
    sign_leaf(f, &c, 3);
    hr_course_sign_empty(&miner, 1);
    assert_int_equal(merge(&c, &miner, 0, PLACES), HR_OK);
    assert_int_equal(hr_course_list(&c, 1, 4, &list, NULL), HR_OK);
    assert_int_equal(list.n_places, 2);
    assert_int_equal(list.places[0]->place, 1);
    assert_int_equal(list.places[0]->tree.len, 0);
    assert_int_equal(list.places[1]->place, 3);
    assert_true(list.places[1]->tree.len > 0);
    hr_course_unlist(&list);
    hr_course_done(&c);
    hr_course_done(&miner);
}

/* Anna's tree under somebody else's signature, at somebody else's place, of another job. */
static void test_course__refuses_a_tree_that_its_owner_did_not_sign(void **state) {
    const test_members *f = *state;
    hr_course anna = course_of(f, ANNA), bert = course_of(f, BERT), target = course_of(f, CARL), other = course_of(f, ANNA);
    single s;
    sign_leaf(f, &bert, 0);
    single_of(&bert, 0, &s);
    refuse(&target, &s.forest, HR_E_POLICY);
    sign_leaf(f, &anna, 0);
    for (size_t place = 1; place < PLACES; place++) {
        single_of(&anna, 0, &s);
        s.place.place = (uint32_t)place;
        refuse(&target, &s.forest, HR_E_POLICY);
    }
    other.job.bytes[0]++;
    forge_tree(&other, 0, leaf_bytes(f, ANNA, 0)); /* says that it is of the job, but is signed for another one */
    single_of(&other, 0, &s);
    hr_status status = hr_course_merge(&target, &s.forest, NULL); /* all that is signed says which job it is of */
    assert_true(status == HR_E_POLICY || status == HR_OK);
    hr_course_done(&other);
    hr_course_done(&anna);
    hr_course_done(&bert);
    hr_course_done(&target);
}

static void test_course__refuses_changed_trees_and_signatures(void **state) {
    const test_members *f = *state;
    hr_course anna = course_of(f, ANNA), target = course_of(f, CARL);
    single s;
    sign_leaf(f, &anna, 0);
    single_of(&anna, 0, &s);
    for (size_t bit = 0; bit < 8 * s.place.tree.len; bit++) {
        s.place.tree.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuse(&target, &s.forest, HR_E_POLICY);
        s.place.tree.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t bit = 0; bit < 8 * HR_SIGNATURE_SIZE; bit++) {
        s.place.signature.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuse(&target, &s.forest, HR_E_POLICY);
        s.place.signature.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (s.place.signature.len = 0; s.place.signature.len < HR_SIGNATURE_SIZE; s.place.signature.len++) {
        hr_status status = hr_course_merge(&target, &s.forest, NULL);
        assert_true(status == HR_E_POLICY || status == HR_E_FORMAT);
    }
    uint8_t longer[HR_SIGNATURE_SIZE + 1] = {0};
    memcpy(longer, s.place.signature.data, HR_SIGNATURE_SIZE);
    s.place.signature = hr_data_of(longer, sizeof longer);
    hr_status status = hr_course_merge(&target, &s.forest, NULL);
    assert_true(status == HR_E_POLICY || status == HR_E_FORMAT);
    assert_int_equal(hr_course_open(&target), 0);
    hr_course_done(&anna);
    hr_course_done(&target);
}

static void test_course__refuses_places_that_are_none(void **state) {
    const test_members *f = *state;
    static const uint32_t places[] = {PLACES, PLACES + 1, 255, 1u << 31, UINT32_MAX};
    hr_course anna = course_of(f, ANNA), miner = course_of(f, MINER), target = course_of(f, CARL);
    single s;
    sign_leaf(f, &anna, 0);
    hr_course_sign_empty(&miner, 1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (int empty = 0; empty < 2; empty++) {
            single_of(empty ? &miner : &anna, empty, &s);
            s.place.place = places[i];
            refuse(&target, &s.forest, HR_E_POLICY);
        }
    hr_error err = {0};
    single_of(&miner, 1, &s);
    assert_int_equal(hr_course_empty(&target, PLACES, s.place.signature, &err), HR_E_POLICY);
    assert_int_equal(hr_course_empty(&target, SIZE_MAX, s.place.signature, &err), HR_E_POLICY);
    hr_course_done(&anna);
    hr_course_done(&miner);
    hr_course_done(&target);
}

/* Only the miner may say that a place stays empty; not the owner herself, and not for another place. */
static void test_course__refuses_an_empty_place_that_the_miner_did_not_sign(void **state) {
    const test_members *f = *state;
    hr_course target = course_of(f, CARL), miner = course_of(f, MINER);
    single s;
    for (size_t m = ANNA; m < MEMBERS; m++) {
        hr_course c = course_of(f, m);
        hr_course_sign_empty(&c, 0);
        single_of(&c, 0, &s);
        refuse(&target, &s.forest, HR_E_POLICY);
        assert_int_equal(hr_course_empty(&target, 0, s.place.signature, NULL), HR_E_POLICY);
        hr_course_done(&c);
    }
    hr_course_sign_empty(&miner, 0);
    single_of(&miner, 0, &s);
    s.place.place = 1;
    refuse(&target, &s.forest, HR_E_POLICY);
    assert_int_equal(hr_course_empty(&target, 1, s.place.signature, NULL), HR_E_POLICY);
    assert_int_equal(hr_course_empty(&target, 0, (ProtobufCBinaryData){0, NULL}, NULL), HR_E_POLICY);
    target.job.bytes[3]++; /* signed for another job */
    assert_int_equal(hr_course_empty(&target, 0, s.place.signature, NULL), HR_E_POLICY);
    target.job.bytes[3]--;
    assert_int_equal(hr_course_empty(&target, 0, s.place.signature, NULL), HR_OK);
    assert_int_equal(target.places[0].state, HR_PLACE_EMPTY);
    hr_course_done(&miner);
    hr_course_done(&target);
}

/* What is known only grows: a late tree takes an empty place, and nothing empties a place that has a tree. */
static void test_course__takes_a_late_tree_and_keeps_it(void **state) {
    const test_members *f = *state;
    hr_course anna = course_of(f, ANNA), miner = course_of(f, MINER), target = course_of(f, CARL);
    sign_leaf(f, &anna, 0);
    hr_course_sign_empty(&miner, 0);
    assert_int_equal(merge(&target, &miner, 0, PLACES), HR_OK);
    assert_int_equal(target.places[0].state, HR_PLACE_EMPTY);
    assert_int_equal(hr_course_open(&target), 1);
    assert_int_equal(merge(&target, &anna, 0, PLACES), HR_OK);
    assert_int_equal(target.places[0].state, HR_PLACE_TREE);
    assert_int_equal(merge(&target, &miner, 0, PLACES), HR_OK);
    assert_int_equal(target.places[0].state, HR_PLACE_TREE);
    assert_int_equal(merge(&miner, &anna, 0, PLACES), HR_OK); /* the miner herself learns of it */
    assert_int_equal(miner.places[0].state, HR_PLACE_TREE);
    hr_course_sign_empty(&miner, 0);
    assert_int_equal(miner.places[0].state, HR_PLACE_TREE);
    hr_course_done(&anna);
    hr_course_done(&miner);
    hr_course_done(&target);
}

/* An owner who signs two trees for one place: whoever has one keeps it. */
static void test_course__keeps_the_first_of_two_trees(void **state) {
    const test_members *f = *state;
    hr_course one = course_of(f, ANNA), two = course_of(f, ANNA), target = course_of(f, CARL);
    const hr_tree_place at = {the_job, ANNA, 0};
    leaf_tree *t = leaf_tree_of(f->arena, 0);
    hr_bytes tree;
    t->nodes[0].value = -.75;
    sign_leaf(f, &one, 0);
    assert_int_equal(hr_wire_tree_pack(&f->roster, &at, &t->paid, &tree, NULL), HR_OK);
    assert_int_equal(hr_course_sign_tree(&two, 0, tree.at, tree.size, NULL), HR_OK);
    free(tree.at);
    assert_int_equal(merge(&target, &one, 0, PLACES), HR_OK);
    (void)merge(&target, &two, 0, PLACES);
    assert_true(hr_course_tree(&target, 0)->tree.nodes[0].value == (double)ANNA / 1024);
    hr_course_done(&one);
    hr_course_done(&two);
    hr_course_done(&target);
}

/* A good tree beside a bad one: neither is taken. */
static void test_course__takes_all_or_nothing(void **state) {
    const test_members *f = *state;
    hr_course anna = course_of(f, ANNA), bert = course_of(f, BERT), target = course_of(f, CARL);
    single good, bad;
    sign_leaf(f, &anna, 0);
    sign_leaf(f, &bert, 0);
    sign_leaf(f, &bert, 1);
    single_of(&anna, 0, &good);
    single_of(&bert, 1, &bad);
    bad.place.signature = hr_data_of(bert.places[0].signature, HR_SIGNATURE_SIZE);
    for (int order = 0; order < 2; order++) {
        good.list[order] = &good.place;
        good.list[1 - order] = &bad.place;
        good.forest.n_places = 2;
        refuse(&target, &good.forest, HR_E_POLICY);
    }
    hr_course_done(&anna);
    hr_course_done(&bert);
    hr_course_done(&target);
}

/* The same place twice in one message, or more places than there are. */
static void test_course__refuses_or_ignores_repetitions(void **state) {
    const test_members *f = *state;
    enum { MANY = 1000 };
    hr_course anna = course_of(f, ANNA), target = course_of(f, CARL);
    single s;
    Hedgerow__Place *many[MANY];
    sign_leaf(f, &anna, 0);
    single_of(&anna, 0, &s);
    for (size_t i = 0; i < MANY; i++) many[i] = &s.place;
    s.forest.places = many;
    s.forest.n_places = MANY;
    refuse(&target, &s.forest, HR_E_POLICY);
    s.forest.n_places = PLACES;
    assert_int_equal(hr_course_merge(&target, &s.forest, NULL), HR_OK);
    assert_int_equal(target.places[0].state, HR_PLACE_TREE);
    hr_course_done(&anna);
    hr_course_done(&target);
}

/* A tree that is properly signed by its owner, but unsound. */
static void test_course__refuses_unsound_trees_of_their_owners(void **state) {
    const test_members *f = *state;
    const hr_tree_place at = {the_job, ANNA, 0};
    for (int i = 0; i < 5; i++) {
        hr_course anna = course_of(f, ANNA), target = course_of(f, CARL);
        leaf_tree *t = leaf_tree_of(f->arena, 0);
        hr_bytes tree = {0};
        single s;
        if (i == 0) t->nodes[0].left = 1;
        if (i == 1) t->releases[0].cost = HR_UNIT + 1;
        if (i == 2) t->releases[0].cost = 1;
        if (i == 3) t->nodes[0].value = 1e300;
        assert_int_equal(hr_wire_tree_pack(&f->roster, &at, &t->paid, &tree, NULL), HR_OK);
        if (i == 4) tree.size--;
        assert_int_not_equal(hr_course_sign_tree(&anna, 0, tree.at, tree.size, NULL), HR_OK); /* her program would not send it */
        assert_null(hr_course_tree(&anna, 0));
        forge_tree(&anna, 0, tree);
        single_of(&anna, 0, &s);
        refuse(&target, &s.forest, i == 1 || i == 2 ? HR_E_POLICY : HR_E_FORMAT);
        hr_course_done(&anna);
        hr_course_done(&target);
    }
}

/* One line's signature as another one's: a tree's is none of an empty place, and the reverse. */
static void test_course__keeps_signatures_for_their_purpose(void **state) {
    const test_members *f = *state;
    hr_course miner = course_of(f, MINER), target = course_of(f, CARL);
    single s;
    miner.owners[0] = MINER; /* she is an owner herself */
    target.owners[0] = MINER;
    sign_leaf(f, &miner, 0);
    single_of(&miner, 0, &s);
    assert_int_equal(hr_course_empty(&target, 0, s.place.signature, NULL), HR_E_POLICY);
    s.place.tree.len = 0;
    refuse(&target, &s.forest, HR_E_POLICY);
    hr_course_done(&miner);
    hr_course_done(&target);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_course__knows_owners_and_places),
        WITH_TEST_MEMBERS(test_course__grows_from_hand_to_hand),
        WITH_TEST_MEMBERS(test_course__lists_a_range),
        WITH_TEST_MEMBERS(test_course__refuses_a_tree_that_its_owner_did_not_sign),
        WITH_TEST_MEMBERS(test_course__refuses_changed_trees_and_signatures),
        WITH_TEST_MEMBERS(test_course__refuses_places_that_are_none),
        WITH_TEST_MEMBERS(test_course__refuses_an_empty_place_that_the_miner_did_not_sign),
        WITH_TEST_MEMBERS(test_course__takes_a_late_tree_and_keeps_it),
        WITH_TEST_MEMBERS(test_course__keeps_the_first_of_two_trees),
        WITH_TEST_MEMBERS(test_course__takes_all_or_nothing),
        WITH_TEST_MEMBERS(test_course__refuses_or_ignores_repetitions),
        WITH_TEST_MEMBERS(test_course__refuses_unsound_trees_of_their_owners),
        WITH_TEST_MEMBERS(test_course__keeps_signatures_for_their_purpose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
