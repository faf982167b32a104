#include "federation/protocol/wire_tree.h"

#include "base/fail.h"
#include "privacy/mechanisms.h"
#include "trees/tree/tree_check.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = (2 << HR_TREE_DEPTH_MAX) - 1, RELEASES_MAX = 1024, SET_WORDS = HR_BINS_MAX / 64 };

/* The largest leaf: labels lie in [-1, 1], steps of classes are clipped to 2, twice that as log-odds
 * (methods/boosting/inprivate.h), and no learning rate is above 1. So later trees can outweigh a wrong one.
 * As published, nothing bounds a leaf. */
static double value_max(const hr_tree_rules *rules) {
    return rules->paper ? 1e12 : 4;
}

/* ---- Packing ---- */

static void fill_release(const hr_release *in, Hedgerow__Release *out) {
    hedgerow__release__init(out);
    out->what = hr_text_of(in->what);
    out->tree = in->tree;
    out->level = in->level;
    out->group = in->group;
    out->part = in->part;
    out->cost = in->cost;
    out->sensitivity = in->sensitivity;
    out->mechanism = in->mechanism;
    out->scale_num = in->scale_num;
    out->scale_den = in->scale_den;
    out->draws = in->draws;
    out->shares = in->shares;
}

hr_status hr_wire_releases_pack(const hr_release *releases, size_t count, Hedgerow__Release **storage,
                                Hedgerow__Release ***out, hr_error *err) {
    *storage = calloc(count + 1, sizeof **storage);
    *out = calloc(count + 1, sizeof **out);
    if (!*storage || !*out) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        fill_release(&releases[i], &(*storage)[i]);
        (*out)[i] = &(*storage)[i];
    }
    return HR_OK;
}

/* Arrays of a tree's nodes while it is packed. */
typedef struct columns {
    uint32_t *left, *feature, *subset;
    protobuf_c_boolean *missing_left;
    double *cut, *value;
    uint64_t *subsets;
} columns;

static void columns_done(columns *c) {
    void *all[] = {c->left, c->feature, c->subset, c->missing_left, c->cut, c->value, c->subsets};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static hr_status wire_tree_columns_of(const hr_tree *tree, columns *c, hr_error *err) {
    size_t n = tree->node_count, words = tree->subset_count * SET_WORDS;
    *c = (columns){.left = malloc((n + 1) * sizeof *c->left),
                   .feature = malloc((n + 1) * sizeof *c->feature),
                   .subset = malloc((n + 1) * sizeof *c->subset),
                   .missing_left = malloc((n + 1) * sizeof *c->missing_left),
                   .cut = malloc((n + 1) * sizeof *c->cut),
                   .value = malloc((n + 1) * sizeof *c->value),
                   .subsets = malloc((words + 1) * sizeof *c->subsets)};
    if (!c->left || !c->feature || !c->subset || !c->missing_left || !c->cut || !c->value || !c->subsets)
        return hr_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const hr_node *node = &tree->nodes[i];
        c->left[i] = node->left;
        c->feature[i] = node->feature;
        c->subset[i] = node->subset;
        c->missing_left[i] = node->missing_left;
        c->cut[i] = node->threshold;
        c->value[i] = node->value;
    }
    for (size_t s = 0; s < tree->subset_count; s++)
        memcpy(c->subsets + s * SET_WORDS, tree->subsets[s].words, sizeof tree->subsets[s].words);
    return HR_OK;
}

static void point_at(Hedgerow__Tree *wire, const columns *c, const hr_tree *tree) {
    wire->n_left = wire->n_feature = wire->n_subset = wire->n_missing_left = wire->n_cut = wire->n_value =
        tree->node_count;
    wire->left = c->left;
    wire->feature = c->feature;
    wire->subset = c->subset;
    wire->missing_left = c->missing_left;
    wire->cut = c->cut;
    wire->value = c->value;
    wire->n_subsets = tree->subset_count * SET_WORDS;
    wire->subsets = c->subsets;
}

size_t hr_tree_set_bytes(size_t slot) {
    return (slot + 7) / 8;
}

hr_status hr_wire_tree_pack(const hr_tree_slot *slot, const hr_paid_tree *tree, hr_bytes *out,
                            hr_error *err) {
    Hedgerow__Tree wire = HEDGEROW__TREE__INIT;
    columns c;
    Hedgerow__Release *storage = NULL;
    wire.start = hr_data_of(slot->start.bytes, HR_DIGEST_SIZE);
    wire.owner = hr_text_of(slot->owner);
    wire.slot = (uint32_t)slot->slot;
    wire.known = hr_data_of(tree->set.known, hr_tree_set_bytes(slot->slot));
    wire.set = hr_data_of(tree->set.digest.bytes, HR_DIGEST_SIZE);
    hr_status status = wire_tree_columns_of(&tree->tree, &c, err);
    if (!status)
        status = hr_wire_releases_pack(tree->releases, tree->release_count, &storage, &wire.releases, err);
    wire.n_releases = tree->release_count;
    if (!status) {
        point_at(&wire, &c, &tree->tree);
        status = hr_message_pack(&wire.base, out, err);
    }
    columns_done(&c);
    free(storage);
    free(wire.releases);
    return status;
}

/* ---- Unpacking ---- */

static hr_status refuse_wire_tree(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "", "%s", why);
}

/* An exact statistic, which only the paper mode lists, is of no part. */
static bool is_of_place(const Hedgerow__Release *in, const hr_tree_rules *rules, size_t slot) {
    bool exact = rules->paper && hr_mechanism_is_exact(in->mechanism) && !in->part;
    bool tree = in->tree == -1 || (in->tree >= 0 && (uint64_t)in->tree == slot);
    return !in->group && tree && (exact || in->part == slot);
}

static hr_status read_wire_release(const Hedgerow__Release *in, const hr_tree_rules *rules, size_t slot,
                                   hr_arena *arena, hr_release *out, hr_error *err) {
    if (!in->what.len || !hr_text_is_fit(in->what, 100))
        return refuse_wire_tree("a release without a name", err);
    if (!hr_mechanism_info_of(in->mechanism))
        return refuse_wire_tree("a release by an unknown mechanism", err);
    if (!is_of_place(in, rules, slot)) return refuse_wire_tree("a release of another slot", err);
    if (in->level < -1 || in->level > HR_TREE_DEPTH_MAX)
        return refuse_wire_tree("a release of an impossible level", err);
    const char *what = hr_arena_text(arena, (const char *)in->what.data, in->what.len);
    if (!what) return hr_fail_memory(err);
    *out = (hr_release){.what = what,
                        .tree = in->tree,
                        .level = in->level,
                        .group = in->group,
                        .part = in->part,
                        .cost = in->cost,
                        .sensitivity = in->sensitivity,
                        .mechanism = (hr_mechanism)in->mechanism,
                        .scale_num = in->scale_num,
                        .scale_den = in->scale_den,
                        .draws = in->draws,
                        .shares = in->shares};
    return hr_shares_fit(out) ? HR_OK : refuse_wire_tree("a release with a wrong number of shares", err);
}

static hr_status check_cost(const hr_release *releases, size_t count, const hr_tree_rules *rules,
                            hr_error *err) {
    if (rules->paper) return HR_OK;
    hr_units total = 0;
    hr_status status = hr_account_check(releases, count, HR_PRIVACY_PURE, err);
    if (!status) status = hr_account(releases, count, &total, err);
    if (status) return status;
    return total > rules->budget ? hr_fail(err, HR_E_POLICY, "", "it cost more than the job allows") : HR_OK;
}

hr_status hr_wire_releases_unpack(hr_wire_releases wire, const hr_tree_rules *rules, size_t slot,
                                  hr_arena *arena, hr_release **out, hr_error *err) {
    if (wire.count > RELEASES_MAX) return refuse_wire_tree("too many releases", err);
    hr_release *made = hr_arena_alloc(arena, wire.count + 1, sizeof *made);
    if (!made) return hr_fail_memory(err);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < wire.count; i++)
        status = read_wire_release(wire.items[i], rules, slot, arena, &made[i], err);
    if (!status) status = check_cost(made, wire.count, rules, err);
    if (!status) *out = made;
    return status;
}

static bool is_integer(const Hedgerow__Tree *t) {
    size_t n = t->n_left;
    return n && n <= NODES_MAX && t->n_feature == n && t->n_subset == n && t->n_missing_left == n &&
           t->n_cut == n && t->n_value == n && t->n_subsets % SET_WORDS == 0 && t->n_subsets / SET_WORDS <= n;
}

static hr_status read_wire_tree(const Hedgerow__Tree *t, hr_arena *arena, hr_tree *out, hr_error *err) {
    if (!is_integer(t)) return refuse_wire_tree("a tree with missing nodes", err);
    hr_tree tree = {.node_count = t->n_left, .subset_count = t->n_subsets / SET_WORDS};
    tree.nodes = hr_arena_alloc(arena, tree.node_count, sizeof *tree.nodes);
    tree.subsets = hr_arena_alloc(arena, tree.subset_count + 1, sizeof *tree.subsets);
    if (!tree.nodes || !tree.subsets) return hr_fail_memory(err);
    for (size_t i = 0; i < tree.node_count; i++)
        tree.nodes[i] = (hr_node){.left = t->left[i],
                                  .feature = t->feature[i],
                                  .subset = t->subset[i],
                                  .missing_left = t->missing_left[i] != 0,
                                  .threshold = t->cut[i],
                                  .value = t->value[i]};
    for (size_t s = 0; s < tree.subset_count; s++)
        memcpy(tree.subsets[s].words, t->subsets + s * SET_WORDS, sizeof tree.subsets[s].words);
    *out = tree;
    return HR_OK;
}

static hr_status check_tree_wire_tree(const hr_tree *tree, const hr_tree_rules *rules, hr_error *err) {
    const hr_tree_limits limits = {.schema = rules->schema,
                                   .depth_max = HR_TREE_DEPTH_MAX,
                                   .value_max = value_max(rules),
                                   .within_bounds = !rules->exact_cuts};
    hr_tree_fault fault;
    hr_status status = hr_tree_check(tree, &limits, &fault, err);
    if (!fault.of_node) return status;
    return hr_fail(err, HR_E_FORMAT, "ask its owner for the tree again", "node %zu of a tree: %s", fault.node,
                   fault.what);
}

static hr_status check_tree_slot(const hr_tree_slot *slot, const Hedgerow__Tree *t, hr_error *err) {
    bool same = hr_digest_is(&slot->start, t->start.data, t->start.len) && t->slot == slot->slot &&
                hr_text_is(t->owner, slot->owner);
    return same ? HR_OK : hr_fail(err, HR_E_POLICY, "", "the tree was made for another slot");
}

static hr_status read_tree_set(const Hedgerow__Tree *t, size_t slot, hr_arena *arena, hr_tree_set *out,
                               hr_error *err) {
    size_t size = hr_tree_set_bytes(slot);
    bool spare = t->known.len == size && slot % 8 && t->known.data[size - 1] >> slot % 8;
    if (t->known.len != size || spare || t->set.len != HR_DIGEST_SIZE)
        return refuse_wire_tree("a tree that does not name the trees before it", err);
    uint8_t *known = hr_arena_alloc(arena, size + 1, 1);
    if (!known) return hr_fail_memory(err);
    if (size) memcpy(known, t->known.data, size);
    out->known = known;
    memcpy(out->digest.bytes, t->set.data, HR_DIGEST_SIZE);
    return HR_OK;
}

hr_status hr_wire_tree_unpack(const hr_tree_slot *slot, const hr_tree_rules *rules, ProtobufCBinaryData bytes,
                              hr_arena *arena, hr_paid_tree *out, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_paid_tree made = {0};
    hr_status status = hr_message_unpack(&hedgerow__tree__descriptor, bytes.data, bytes.len, &unpacked, err);
    if (status) return status;
    const Hedgerow__Tree *wire = (const Hedgerow__Tree *)unpacked;
    status = check_tree_slot(slot, wire, err);
    if (!status) status = read_wire_tree(wire, arena, &made.tree, err);
    if (!status) status = check_tree_wire_tree(&made.tree, rules, err);
    if (!status)
        status = hr_wire_releases_unpack((hr_wire_releases){wire->releases, wire->n_releases}, rules,
                                         slot->slot, arena, &made.releases, err);
    made.release_count = wire->n_releases;
    if (!status) status = read_tree_set(wire, slot->slot, arena, &made.set, err);
    if (!status) *out = made;
    hr_message_unpacked_free(unpacked);
    return status;
}
