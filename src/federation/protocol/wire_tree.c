#include "federation/protocol/wire_tree.h"

#include "base/fail.h"
#include "privacy/mechanisms.h"
#include "trees/tree/tree_check.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = (2 << HR_TREE_DEPTH_MAX) - 1, RELEASES_MAX = 1024, SET_WORDS = HR_BINS_MAX / 64 };

/* ---- Packing ---- */

hr_status hr_wire_releases_pack(const hr_release *releases, size_t count, Hedgerow__Release **storage,
                                Hedgerow__Release ***out, hr_error *err) {
    *storage = calloc(count + 1, sizeof **storage);
    *out = calloc(count + 1, sizeof **out);
    if (!*storage || !*out) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const hr_release *from = &releases[i];
        Hedgerow__Release *to = (*out)[i] = &(*storage)[i];
        hedgerow__release__init(to);
        to->what = hr_text_of(from->what);
        to->tree = from->tree;
        to->level = from->level;
        to->group = from->group;
        to->part = from->part;
        to->cost = from->cost;
        to->sensitivity = from->sensitivity;
        to->mechanism = from->mechanism;
        to->scale_num = from->scale_num;
        to->scale_den = from->scale_den;
        to->draws = from->draws;
        to->shares = from->shares;
    }
    return HR_OK;
}

/* Into arrays that the caller frees, also after a failure. */
static hr_status pack_nodes(const hr_tree *tree, Hedgerow__Tree *wire, hr_error *err) {
    const size_t n = tree->node_count, words = tree->subset_count * SET_WORDS;
    wire->n_left = wire->n_feature = wire->n_subset = wire->n_missing_left = wire->n_cut = wire->n_value = n;
    wire->n_subsets = words;
    wire->left = malloc((n + 1) * sizeof *wire->left);
    wire->feature = malloc((n + 1) * sizeof *wire->feature);
    wire->subset = malloc((n + 1) * sizeof *wire->subset);
    wire->missing_left = malloc((n + 1) * sizeof *wire->missing_left);
    wire->cut = malloc((n + 1) * sizeof *wire->cut);
    wire->value = malloc((n + 1) * sizeof *wire->value);
    wire->subsets = malloc((words + 1) * sizeof *wire->subsets);
    if (!wire->left || !wire->feature || !wire->subset || !wire->missing_left || !wire->cut || !wire->value ||
        !wire->subsets)
        return hr_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const hr_node *node = &tree->nodes[i];
        wire->left[i] = node->left;
        wire->feature[i] = node->feature;
        wire->subset[i] = node->subset;
        wire->missing_left[i] = node->missing_left;
        wire->cut[i] = node->threshold;
        wire->value[i] = node->value;
    }
    for (size_t s = 0; s < tree->subset_count; s++)
        memcpy(wire->subsets + s * SET_WORDS, tree->subsets[s].words, sizeof tree->subsets[s].words);
    return HR_OK;
}

size_t hr_tree_set_bytes(size_t slot) {
    return (slot + 7) / 8;
}

hr_status hr_wire_tree_pack(const hr_tree_slot *slot, const hr_paid_tree *tree, hr_bytes *out,
                            hr_error *err) {
    Hedgerow__Tree wire = HEDGEROW__TREE__INIT;
    Hedgerow__Release *storage = NULL;
    wire.start = hr_data_of(slot->start.bytes, HR_DIGEST_SIZE);
    wire.owner = hr_text_of(slot->owner);
    wire.slot = (uint32_t)slot->slot;
    wire.known = hr_data_of(tree->set.known, hr_tree_set_bytes(slot->slot));
    wire.set = hr_data_of(tree->set.digest.bytes, HR_DIGEST_SIZE);
    hr_status status = pack_nodes(&tree->tree, &wire, err);
    if (!status)
        status = hr_wire_releases_pack(tree->releases, tree->release_count, &storage, &wire.releases, err);
    wire.n_releases = tree->release_count;
    if (!status) status = hr_message_pack(&wire.base, out, err);
    void *arrays[] = {wire.left, wire.feature, wire.subset, wire.missing_left,
                      wire.cut,  wire.value,   wire.subsets};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(storage);
    free(wire.releases);
    return status;
}

/* ---- Unpacking ---- */

static hr_status refuse_wire_tree(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "", "%s", why);
}

static hr_status read_wire_release(const Hedgerow__Release *in, const hr_tree_rules *rules, size_t slot,
                                   hr_arena *arena, hr_release *out, hr_error *err) {
    if (!in->what.len || !hr_text_is_fit(in->what, 100))
        return refuse_wire_tree("a release without a name", err);
    if (!hr_mechanism_info_of(in->mechanism))
        return refuse_wire_tree("a release by an unknown mechanism", err);

    /* An exact statistic, which only the paper mode lists, is of no part. */
    bool exact = rules->paper && hr_mechanism_is_exact(in->mechanism) && !in->part;
    bool of_tree = in->tree == -1 || (in->tree >= 0 && (uint64_t)in->tree == slot);
    if (in->group || !of_tree || !(exact || in->part == slot))
        return refuse_wire_tree("a release of another slot", err);
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

hr_status hr_wire_releases_unpack(hr_wire_releases wire, const hr_tree_rules *rules, size_t slot,
                                  hr_arena *arena, hr_release **out, hr_error *err) {
    if (wire.count > RELEASES_MAX) return refuse_wire_tree("too many releases", err);
    hr_release *made = hr_arena_alloc(arena, wire.count + 1, sizeof *made);
    if (!made) return hr_fail_memory(err);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < wire.count; i++)
        status = read_wire_release(wire.items[i], rules, slot, arena, &made[i], err);
    if (!status && !rules->paper) {
        hr_units total = 0;
        status = hr_account_check(made, wire.count, HR_PRIVACY_PURE, err);
        if (!status) status = hr_account(made, wire.count, &total, err);
        if (!status && total > rules->budget)
            status = hr_fail(err, HR_E_POLICY, "", "it cost more than the job allows");
    }
    if (!status) *out = made;
    return status;
}

static hr_status read_wire_tree(const Hedgerow__Tree *t, const hr_tree_rules *rules, hr_arena *arena,
                                hr_tree *out, hr_error *err) {
    const size_t n = t->n_left;
    bool whole = n && n <= NODES_MAX && t->n_feature == n && t->n_subset == n && t->n_missing_left == n &&
                 t->n_cut == n && t->n_value == n && t->n_subsets % SET_WORDS == 0 &&
                 t->n_subsets / SET_WORDS <= n;
    if (!whole) return refuse_wire_tree("a tree with missing nodes", err);
    hr_tree tree = {.node_count = t->n_left, .subset_count = t->n_subsets / SET_WORDS};
    tree.nodes = hr_arena_alloc(arena, tree.node_count, sizeof *tree.nodes);
    tree.subsets = hr_arena_alloc(arena, tree.subset_count + 1, sizeof *tree.subsets);
    if (!tree.nodes || !tree.subsets) return hr_fail_memory(err);
    for (size_t i = 0; i < tree.node_count; i++)
        tree.nodes[i] = (hr_node){.left = t->left[i],
                                  .feature = t->left[i] ? t->feature[i] : 0,
                                  .subset = t->subset[i],
                                  .missing_left = t->missing_left[i] != 0,
                                  .threshold = t->cut[i],
                                  .value = t->value[i]};
    for (size_t s = 0; s < tree.subset_count; s++)
        memcpy(tree.subsets[s].words, t->subsets + s * SET_WORDS, sizeof tree.subsets[s].words);

    /* The largest leaf: labels lie in [-1, 1], steps of classes are clipped to 2, twice that as log-odds
     * (methods/boosting/inprivate.h), and no learning rate is above 1. So later trees can outweigh a wrong
     * one. As published, nothing bounds a leaf. */
    const double value_max = rules->paper ? 1e12 : 4;
    const hr_tree_limits limits = {.schema = rules->schema,
                                   .depth_max = HR_TREE_DEPTH_MAX,
                                   .value_max = value_max,
                                   .within_bounds = !rules->exact_cuts};
    hr_tree_fault fault;
    hr_status status = hr_tree_check(&tree, &limits, &fault, err);
    if (fault.of_node)
        return hr_fail(err, HR_E_FORMAT, "ask its owner for the tree again", "node %zu of a tree: %s",
                       fault.node, fault.what);
    if (!status) *out = tree;
    return status;
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
    bool same = hr_digest_is(&slot->start, wire->start.data, wire->start.len) && wire->slot == slot->slot &&
                hr_text_is(wire->owner, slot->owner);
    if (!same) status = hr_fail(err, HR_E_POLICY, "", "the tree was made for another slot");
    if (!status) status = read_wire_tree(wire, rules, arena, &made.tree, err);
    if (!status)
        status = hr_wire_releases_unpack((hr_wire_releases){wire->releases, wire->n_releases}, rules,
                                         slot->slot, arena, &made.releases, err);
    made.release_count = wire->n_releases;
    if (!status) status = read_tree_set(wire, slot->slot, arena, &made.set, err);
    if (!status) *out = made;
    hr_message_unpacked_free(unpacked);
    return status;
}
