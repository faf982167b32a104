/* Trees from elsewhere: taken only whole, of sound shape, for their own slot, and at a price that is
 * justified and within the budget. */
#include "support/test_members.h"

#include <math.h>

static const hr_tree_slot here = {{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}, "anna", 4};

/* Three leaves under a number's cut and a category's subset. */
static leaf_tree *sample_tree(hr_arena *arena) {
    leaf_tree *t = leaf_tree_of(arena, here.slot);
    const hr_node nodes[] = {{.left = 1, .feature = 0, .threshold = 5, .missing_left = true},
                             {.value = .5},
                             {.left = 3, .feature = 1},
                             {.value = -1},
                             {.value = 1}};
    memcpy(t->nodes, nodes, sizeof nodes);
    t->subsets[0].words[0] = 5;
    t->paid.tree = (hr_tree){.nodes = t->nodes, .node_count = 5, .subsets = t->subsets, .subset_count = 1};
    t->paid.release_count = 2;
    return t;
}

static hr_bytes pack(const hr_paid_tree *tree) {
    hr_bytes out = {0};
    assert_int_equal(hr_wire_tree_pack(&here, tree, &out, NULL), HR_OK);
    return out;
}

static hr_status read(const test_members *f, const hr_tree_slot *slot, const hr_tree_rules *rules,
                      const hr_bytes *bytes, hr_paid_tree *out) {
    hr_bytes copy = bytes_of(bytes->at, bytes->size);
    hr_error err = {0};
    hr_status status = hr_wire_tree_unpack(slot, rules, hr_data_of(copy.at, copy.size), f->arena, out, &err);
    free(copy.at);
    if (status) assert_true(err.status == status && err.message[0]);
    assert_int_not_equal(status, HR_E_MEMORY);
    return status;
}

static hr_status verdict(const test_members *f, const hr_paid_tree *tree) {
    const hr_tree_rules rules = rules_of(f);
    hr_paid_tree out;
    hr_bytes bytes = pack(tree);
    hr_status status = read(f, &here, &rules, &bytes, &out);
    free(bytes.at);
    return status;
}

static hr_status verdict_of_message(const test_members *f, const Hedgerow__Tree *tree) {
    const hr_tree_rules rules = rules_of(f);
    hr_paid_tree out;
    hr_bytes bytes = packed(tree);
    hr_status status = read(f, &here, &rules, &bytes, &out);
    free(bytes.at);
    return status;
}

/* The sample as a message, to be spoilt. Owner: the caller. */
static Hedgerow__Tree *sample_message(const test_members *f) {
    hr_bytes bytes = pack(&sample_tree(f->arena)->paid);
    ProtobufCMessage *message = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__tree__descriptor, bytes.at, bytes.size, &message, NULL),
                     HR_OK);
    free(bytes.at);
    return (Hedgerow__Tree *)message;
}

static void test_wire_tree__comes_back_as_it_was(void **state) {
    const test_members *f = *state;
    const leaf_tree *t = sample_tree(f->arena);
    const hr_tree_rules rules = rules_of(f);
    hr_paid_tree out;
    hr_bytes bytes = pack(&t->paid), again;
    assert_int_equal(read(f, &here, &rules, &bytes, &out), HR_OK);
    assert_int_equal(out.tree.node_count, 5);
    for (size_t n = 0; n < 5; n++) {
        const hr_node *a = &out.tree.nodes[n], *b = &t->nodes[n];
        assert_true(a->left == b->left && a->feature == b->feature && a->subset == b->subset &&
                    a->missing_left == b->missing_left);
        assert_true(a->threshold == b->threshold && a->value == b->value);
    }
    assert_int_equal(out.tree.subset_count, 1);
    assert_memory_equal(out.tree.subsets, t->subsets, sizeof *t->subsets);
    assert_int_equal(out.release_count, 2);
    const hr_release *a = &out.releases[0], *b = &t->releases[0];
    assert_string_equal(a->what, b->what);
    assert_true(a->tree == b->tree && a->level == b->level && a->group == b->group && a->part == b->part &&
                a->cost == b->cost);
    assert_true(a->sensitivity == b->sensitivity && a->mechanism == b->mechanism && a->draws == b->draws);
    assert_true(a->scale_num == b->scale_num && a->scale_den == b->scale_den && a->shares == b->shares);
    again = pack(&out);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.at, bytes.at, bytes.size);
    free(again.at);
    free(bytes.at);
}

/* Rooms that read the nodes of a level read those of leaves, too. */
static void test_wire_tree__whose_leaf_names_a_feature_has_none_there(void **state) {
    const test_members *f = *state;
    const hr_tree_rules rules = rules_of(f);
    hr_paid_tree out;
    Hedgerow__Tree *message = sample_message(f);
    for (size_t n = 0; n < message->n_left; n++)
        if (!message->left[n]) message->feature[n] = UINT32_MAX;
    hr_bytes bytes = packed(message);
    assert_int_equal(read(f, &here, &rules, &bytes, &out), HR_OK);
    for (size_t n = 0; n < out.tree.node_count; n++)
        assert_true(out.tree.nodes[n].left || !out.tree.nodes[n].feature);
    free(bytes.at);
    hedgerow__tree__free_unpacked(message, NULL);
}

static void test_wire_tree__of_another_place_is_refused(void **state) {
    const test_members *f = *state;
    const hr_tree_rules rules = rules_of(f);
    hr_bytes bytes = pack(&sample_tree(f->arena)->paid);
    hr_paid_tree out;
    hr_tree_slot slot = here;
    assert_int_equal(read(f, &slot, &rules, &bytes, &out), HR_OK);
    slot.slot = 3;
    assert_int_equal(read(f, &slot, &rules, &bytes, &out), HR_E_POLICY);
    slot.slot = here.slot + ((size_t)1 << 32);
    assert_int_equal(read(f, &slot, &rules, &bytes, &out), HR_E_POLICY);
    slot = here;
    slot.owner = "bert";
    assert_int_equal(read(f, &slot, &rules, &bytes, &out), HR_E_POLICY);
    slot = here;
    slot.start.bytes[15]++;
    assert_int_equal(read(f, &slot, &rules, &bytes, &out), HR_E_POLICY);
    free(bytes.at);
}

static void test_wire_tree__that_names_another_place_is_refused(void **state) {
    const test_members *f = *state;
    Hedgerow__Tree *t = sample_message(f);
    const ProtobufCBinaryData start = t->start, owner = t->owner;
    assert_int_equal(verdict_of_message(f, t), HR_OK);
    t->start.len--;
    assert_int_equal(verdict_of_message(f, t), HR_E_POLICY);
    t->start.len = 0;
    assert_int_equal(verdict_of_message(f, t), HR_E_POLICY);
    t->start = start;
    t->owner.len--;
    assert_int_equal(verdict_of_message(f, t), HR_E_POLICY);
    t->owner.len = 0;
    assert_int_equal(verdict_of_message(f, t), HR_E_POLICY);
    t->owner = owner;
    t->slot = UINT32_MAX;
    assert_int_equal(verdict_of_message(f, t), HR_E_POLICY);
    hr_message_unpacked_free(&t->base);
}

static void test_wire_tree__that_is_cut_short_is_refused(void **state) {
    const test_members *f = *state;
    const hr_tree_rules rules = rules_of(f);
    hr_bytes whole = pack(&sample_tree(f->arena)->paid);
    size_t taken = 0;
    for (hr_bytes cut = {whole.at, 0}; cut.size < whole.size; cut.size++) {
        hr_paid_tree out;
        taken += read(f, &here, &rules, &cut, &out) == HR_OK;
    }
    assert_int_equal(taken, 0); /* its last field is the digest of the set */
    free(whole.at);
}

static void test_wire_tree__with_a_flipped_bit_is_sound_or_refused(void **state) {
    const test_members *f = *state;
    const hr_tree_rules rules = rules_of(f);
    hr_bytes bytes = pack(&sample_tree(f->arena)->paid);
    for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
        hr_paid_tree out;
        hr_units total;
        bytes.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (!read(f, &here, &rules, &bytes, &out)) {
            assert_true(is_sound(f, &out.tree));
            assert_int_equal(hr_account_check(out.releases, out.release_count, HR_PRIVACY_PURE, NULL), HR_OK);
            assert_int_equal(hr_account(out.releases, out.release_count, &total, NULL), HR_OK);
            assert_true(total <= rules.budget);
        }
        bytes.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(bytes.at);
}

/* ---- Shapes ---- */

static void test_wire_tree__whose_arrays_differ_is_refused(void **state) {
    const test_members *f = *state;
    Hedgerow__Tree *t = sample_message(f);
    size_t *const counts[] = {&t->n_left,         &t->n_feature, &t->n_subset,
                              &t->n_missing_left, &t->n_cut,     &t->n_value};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t less = 1; less <= 5; less++) {
            *counts[i] -= less;
            assert_int_equal(verdict_of_message(f, t), HR_E_FORMAT);
            *counts[i] += less;
        }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) *counts[i] = 0;
    assert_int_equal(verdict_of_message(f, t), HR_E_FORMAT); /* no nodes at all */
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) *counts[i] = 5;
    for (t->n_subsets = 3; t->n_subsets; t->n_subsets--)
        assert_int_equal(verdict_of_message(f, t), HR_E_FORMAT);
    assert_int_equal(verdict_of_message(f, t), HR_E_FORMAT); /* no subsets, but a split needs one */
    t->n_subsets = 4;
    assert_int_equal(verdict_of_message(f, t), HR_OK);
    hr_message_unpacked_free(&t->base);
}

static void test_wire_tree__of_unsound_shape_is_refused(void **state) {
    const test_members *f = *state;
    const struct {
        size_t node;
        hr_node bad;
    } cases[] = {
        {0, {.left = 0, .value = .5}},    /* the rest has no parent */
        {0, {.left = 5, .threshold = 5}}, /* no such child */
        {0, {.left = UINT32_MAX, .threshold = 5}},
        {2, {.left = 2, .feature = 1}},                 /* its own child */
        {2, {.left = 1, .feature = 1}},                 /* two parents */
        {0, {.left = 1, .feature = 2, .threshold = 5}}, /* no such feature */
        {0, {.left = 1, .feature = UINT32_MAX, .threshold = 5}},
        {0, {.left = 1, .threshold = (double)NAN}},
        {0, {.left = 1, .threshold = (double)INFINITY}},
        {0, {.left = 1, .threshold = 10.5}},
        {2, {.left = 3, .feature = 1, .subset = 1}}, /* no such subset */
        {1, {.value = (double)NAN}},
        {1, {.value = -(double)INFINITY}},
        {1, {.value = 1e308}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        leaf_tree *t = sample_tree(f->arena);
        t->nodes[cases[i].node] = cases[i].bad;
        if (verdict(f, &t->paid) != HR_E_FORMAT) fail_msg("case %zu", i);
    }
    leaf_tree *t = sample_tree(f->arena);
    t->subsets[0].words[3] = 1;
    assert_int_equal(verdict(f, &t->paid), HR_E_FORMAT);
}

/* A path of 5,000 splits, and 200,000 nodes: neither deep nor wide trees take long or much. */
static void test_wire_tree__of_great_depth_or_width_is_refused(void **state) {
    const test_members *f = *state;
    for (size_t splits = 5000; splits <= 100000; splits *= 20) {
        leaf_tree *t = leaf_tree_of(f->arena, here.slot);
        t->paid.tree.node_count = 2 * splits + 1;
        t->paid.tree.nodes = hr_arena_alloc(f->arena, 2 * splits + 1, sizeof(hr_node));
        assert_non_null(t->paid.tree.nodes);
        for (size_t s = 0; s < splits; s++)
            t->paid.tree.nodes[splits == 5000 ? 2 * s : s] =
                (hr_node){.left = (uint32_t)(2 * s + 1), .threshold = 5};
        hr_status status = verdict(f, &t->paid);
        assert_true(status == HR_E_FORMAT || status == HR_E_LIMIT);
    }
}

/* ---- Costs ---- */

static void test_wire_tree__that_costs_too_much_is_refused(void **state) {
    const test_members *f = *state;
    leaf_tree *t = sample_tree(f->arena);
    assert_int_equal(verdict(f, &t->paid), HR_OK); /* two halves: all of the budget */
    t->paid.release_count = 3;
    assert_int_equal(verdict(f, &t->paid), HR_E_POLICY);
    t->paid.release_count = 2;
    t->releases[1].cost++;
    assert_int_equal(verdict(f, &t->paid), HR_E_POLICY);
    t->releases[1].cost = UINT64_MAX - HR_UNIT / 4; /* a sum that wraps would be small */
    assert_int_equal(verdict(f, &t->paid), HR_E_POLICY);
    t->releases[1].cost = UINT64_MAX;
    assert_int_equal(verdict(f, &t->paid), HR_E_POLICY);
}

/* The parts of a group cost what the costliest does: an owner who gives each line of a tree a part of its own
 * hides what it cost. */
static void test_wire_tree__that_hides_its_cost_in_parts_is_refused(void **state) {
    const test_members *f = *state;
    for (int grouped = 0; grouped < 2; grouped++) {
        leaf_tree *t = sample_tree(f->arena);
        if (grouped) t->releases[1].group = 1;
        if (!grouped) t->releases[1].part = 3;
        assert_int_equal(verdict(f, &t->paid), HR_E_FORMAT);
    }
}

static void test_wire_tree__whose_cost_is_not_justified_is_refused(void **state) {
    const test_members *f = *state;
    for (int i = 0; i < 9; i++) {
        leaf_tree *t = sample_tree(f->arena);
        hr_release *r = &t->releases[1];
        switch (i) {
        case 0: r->cost = HR_UNIT / 2 - 1; break;
        case 1: r->cost = 0; break;
        case 2: r->sensitivity = 2; break;
        case 3: r->scale_num = 1; break;
        case 4: r->scale_den = 2; break;
        case 5: r->scale_den = 0; break;
        case 6: r->scale_num = 0; break;
        case 7: r->mechanism = HR_MECHANISM_IDENTITY; break;
        default: r->mechanism = HR_MECHANISM_DISCRETE_GAUSSIAN; break; /* pays in another privacy measure */
        }
        if (verdict(f, &t->paid) != HR_E_POLICY) fail_msg("case %d", i);
    }
}

static void test_wire_tree__in_paper_mode_justifies_nothing(void **state) {
    const test_members *f = *state;
    const hr_tree_rules rules = {.schema = f->schema, .paper = true, .budget = HR_UNIT};
    leaf_tree *t = sample_tree(f->arena);
    t->releases[1].cost = 1;
    hr_bytes bytes = pack(&t->paid);
    hr_paid_tree out;
    assert_int_equal(read(f, &here, &rules, &bytes, &out), HR_OK);
    free(bytes.at);
}

/* Thresholds that are values of records may lie outside of the public bounds, which are 0 and 10 here. */
static void test_wire_tree__of_exact_cuts_may_cut_beyond_the_bounds(void **state) {
    const test_members *f = *state;
    static const struct {
        double threshold;
        bool within, exact; /* taken with public cuts, with exact ones */
    } cases[] = {{5, true, true},
                 {0, true, true},
                 {10.5, false, true},
                 {-1e300, false, true},
                 {(double)NAN, false, false},
                 {(double)INFINITY, false, true},
                 {-(double)INFINITY, false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t exact = 0; exact < 2; exact++) {
            leaf_tree *t = sample_tree(f->arena);
            hr_tree_rules rules = rules_of(f);
            hr_paid_tree out;
            t->nodes[0].threshold = cases[i].threshold;
            rules.exact_cuts = exact;
            hr_bytes bytes = pack(&t->paid);
            const hr_status status = read(f, &here, &rules, &bytes, &out);
            free(bytes.at);
            if (status != ((exact ? cases[i].exact : cases[i].within) ? HR_OK : HR_E_FORMAT))
                fail_msg("threshold %g, exact %zu: status %d", cases[i].threshold, exact, (int)status);
            if (!status) assert_true(out.tree.nodes[0].threshold == cases[i].threshold);
        }
}

static void test_wire_tree__with_lines_about_another_tree_is_refused(void **state) {
    const test_members *f = *state;
    static const int64_t others[] = {0, 3, -2, INT64_MIN, INT64_MAX},
                         levels[] = {-2, 65, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        leaf_tree *t = sample_tree(f->arena);
        t->releases[1].tree = others[i];
        assert_int_equal(verdict(f, &t->paid), HR_E_FORMAT);
    }
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        leaf_tree *t = sample_tree(f->arena);
        t->releases[1].level = levels[i];
        assert_int_equal(verdict(f, &t->paid), HR_E_FORMAT);
    }
}

static void test_wire_tree__with_an_unknown_mechanism_is_refused(void **state) {
    const test_members *f = *state;
    static const uint32_t numbers[] = {HR_MECHANISM_SHARED_DISCRETE_LAPLACE + 1, 255,
                                       256 + HR_MECHANISM_DISCRETE_LAPLACE, UINT32_MAX};
    Hedgerow__Tree *t = sample_message(f);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        t->releases[0]->mechanism = numbers[i];
        assert_int_equal(verdict_of_message(f, t), HR_E_FORMAT);
    }
    hr_message_unpacked_free(&t->base);
}

/* In paper mode as well, where costs are not checked. */
static void test_wire_tree__with_shares_that_do_not_fit_is_refused(void **state) {
    const test_members *f = *state;
    static const struct {
        hr_mechanism mechanism;
        uint64_t shares;
        hr_status wanted;
    } cases[] = {{HR_MECHANISM_DISCRETE_LAPLACE, 1, HR_E_FORMAT},
                 {HR_MECHANISM_SHARED_DISCRETE_LAPLACE, 0, HR_E_FORMAT},
                 {HR_MECHANISM_SHARED_DISCRETE_LAPLACE, 257, HR_E_FORMAT},
                 {HR_MECHANISM_SHARED_DISCRETE_LAPLACE, 256, HR_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        leaf_tree *t = sample_tree(f->arena);
        hr_tree_rules rules = rules_of(f);
        hr_paid_tree out;
        t->releases[1].mechanism = cases[i].mechanism;
        t->releases[1].shares = cases[i].shares;
        hr_bytes bytes = pack(&t->paid);
        assert_int_equal(read(f, &here, &rules, &bytes, &out), cases[i].wanted);
        rules.paper = true;
        assert_int_equal(read(f, &here, &rules, &bytes, &out), cases[i].wanted);
        if (!cases[i].wanted) assert_true(out.releases[1].shares == cases[i].shares);
        free(bytes.at);
    }
}

static void test_wire_tree__with_words_that_are_unfit_is_refused(void **state) {
    const test_members *f = *state;
    static const char *const words[] = {"a\nb", "\x1b[2J", "\xff", "\xc2\x85", "\xe2\x80\xae"};
    char longest[5000];
    memset(longest, 'x', sizeof longest);
    Hedgerow__Tree *t = sample_message(f);
    const ProtobufCBinaryData fine = t->releases[0]->what;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        t->releases[0]->what = hr_text_of(words[i]);
        assert_int_equal(verdict_of_message(f, t), HR_E_FORMAT);
    }
    t->releases[0]->what = hr_data_of("a\0b", 3);
    assert_int_equal(verdict_of_message(f, t), HR_E_FORMAT);
    t->releases[0]->what = hr_data_of(longest, sizeof longest);
    assert_int_equal(verdict_of_message(f, t), HR_E_FORMAT);
    t->releases[0]->what = fine;
    hr_message_unpacked_free(&t->base);
}

/* Many lines that each cost nothing they would not have to justify. */
static void test_wire_tree__with_too_many_lines_is_refused(void **state) {
    const test_members *f = *state;
    enum { LINES = 100000 };
    leaf_tree *t = leaf_tree_of(f->arena, here.slot);
    t->paid.releases = hr_arena_alloc(f->arena, LINES, sizeof(hr_release));
    t->paid.release_count = LINES;
    for (size_t r = 0; r < LINES; r++) t->paid.releases[r] = half_a_unit(here.slot);
    for (size_t r = 0; r < LINES; r++) t->paid.releases[r].cost = 1;
    for (size_t r = 0; r < LINES; r++) t->paid.releases[r].scale_num = HR_UNIT;
    hr_status status = verdict(f, &t->paid);
    assert_true(status == HR_E_LIMIT || status == HR_E_FORMAT);
}

/* ---- Ballots ---- */

static void test_wire_releases__are_held_to_the_same_rules(void **state) {
    const test_members *f = *state;
    const hr_tree_rules rules = rules_of(f);
    for (int i = 0; i < 4; i++) {
        hr_release lines[] = {half_a_unit(4), half_a_unit(4), half_a_unit(4)}, *out = NULL;
        Hedgerow__Release *storage = NULL, **wire = NULL;
        if (i == 1) lines[0].cost--;
        if (i == 2) lines[0].mechanism = HR_MECHANISM_IDENTITY;
        assert_int_equal(hr_wire_releases_pack(lines, i == 3 ? 3 : 2, &storage, &wire, NULL), HR_OK);
        hr_status status = hr_wire_releases_unpack((hr_wire_releases){wire, i == 3 ? 3 : 2}, &rules, 4,
                                                   f->arena, &out, NULL);
        assert_int_equal(status, i ? HR_E_POLICY : HR_OK);
        free(storage);
        free(wire);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_wire_tree__comes_back_as_it_was),
        WITH_TEST_MEMBERS(test_wire_tree__whose_leaf_names_a_feature_has_none_there),
        WITH_TEST_MEMBERS(test_wire_tree__of_another_place_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__that_names_another_place_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__that_is_cut_short_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__with_a_flipped_bit_is_sound_or_refused),
        WITH_TEST_MEMBERS(test_wire_tree__whose_arrays_differ_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__of_unsound_shape_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__of_great_depth_or_width_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__that_costs_too_much_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__that_hides_its_cost_in_parts_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__whose_cost_is_not_justified_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__in_paper_mode_justifies_nothing),
        WITH_TEST_MEMBERS(test_wire_tree__of_exact_cuts_may_cut_beyond_the_bounds),
        WITH_TEST_MEMBERS(test_wire_tree__with_lines_about_another_tree_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__with_an_unknown_mechanism_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__with_shares_that_do_not_fit_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__with_words_that_are_unfit_is_refused),
        WITH_TEST_MEMBERS(test_wire_tree__with_too_many_lines_is_refused),
        WITH_TEST_MEMBERS(test_wire_releases__are_held_to_the_same_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
