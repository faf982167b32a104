#include "federation/protocol/job_state.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

static const char tree_domain[] = "hedgerow tree 2", empty_domain[] = "hedgerow empty slot 2",
                  set_domain[] = "hedgerow set 2";

void hr_job_state_take_start(hr_job_state *job_state, const hr_start *start) {
    job_state->terms = start->terms;
    job_state->start = start->digest;
    memcpy(job_state->start_signature, start->signature, HR_SIGNATURE_SIZE);
    memcpy(job_state->owners, start->owners, sizeof start->owners);
    job_state->owner_count = start->owner_count;
}

hr_status hr_job_state_begin(hr_job_state *job_state, hr_error *err) {
    job_state->slots = calloc(hr_job_state_slots(job_state) + 1, sizeof *job_state->slots);
    job_state->arena = hr_arena_new();
    if (job_state->slots && job_state->arena) return HR_OK;
    hr_job_state_done(job_state);
    return hr_fail_memory(err);
}

void hr_job_state_done(hr_job_state *job_state) {
    for (size_t p = 0; job_state->slots && p < hr_job_state_slots(job_state); p++) {
        free(job_state->slots[p].tree.at);
        free(job_state->slots[p].second.at);
    }
    free(job_state->slots);
    hr_arena_free(job_state->arena);
    job_state->slots = NULL;
    job_state->arena = NULL;
}

size_t hr_job_state_slots(const hr_job_state *job_state) {
    return job_state->owner_count * job_state->rounds;
}

size_t hr_job_state_owner(const hr_job_state *job_state, size_t slot) {
    return job_state->owners[slot % job_state->owner_count];
}

size_t hr_job_state_next_open(const hr_job_state *job_state) {
    size_t slot = 0;
    while (slot < hr_job_state_slots(job_state) && job_state->slots[slot].state != HR_SLOT_OPEN) slot++;
    return slot;
}

size_t hr_job_state_next_undecided(const hr_job_state *job_state) {
    const hr_job_slot *slots = job_state->slots;
    size_t slot = 0;
    while (slot < hr_job_state_slots(job_state) && slots[slot].state != HR_SLOT_OPEN &&
           !(job_state->exact_trees && slots[slot].verdict == HR_TREE_UNDECIDED))
        slot++;
    return slot;
}

size_t hr_job_state_position(const hr_job_state *job_state, size_t member) {
    return hr_members_position(job_state->owners, job_state->owner_count, member);
}

/* ---- Trees ---- */

/* A tree is decoded and checked once, and kept. */
static hr_status read_slot_tree(const hr_job_state *job_state, size_t slot, ProtobufCBinaryData tree,
                                hr_paid_tree *out, hr_error *err) {
    const hr_member *owner = &job_state->view->membership->members[hr_job_state_owner(job_state, slot)];
    const hr_tree_slot where = {job_state->start, owner->name, slot};
    return hr_wire_tree_unpack(&where, &job_state->rules, tree, job_state->arena, out, err);
}

const hr_paid_tree *hr_job_state_tree(const hr_job_state *job_state, size_t slot) {
    return job_state->slots[slot].state == HR_SLOT_TREE ? &job_state->slots[slot].decoded : NULL;
}

const hr_paid_tree *hr_job_state_model_tree(const hr_job_state *job_state, size_t slot) {
    const bool stays = !job_state->exact_trees || job_state->slots[slot].verdict == HR_TREE_STAYS;
    return stays ? hr_job_state_tree(job_state, slot) : NULL;
}

hr_digest hr_job_state_digest(ProtobufCBinaryData tree) {
    return hr_digest_of(tree_domain, tree.data, tree.len);
}

/* ---- This party's word ---- */

static hr_status put_tree(hr_job_slot *slot, ProtobufCBinaryData tree, const hr_paid_tree *decoded,
                          const uint8_t *signature, hr_error *err) {
    hr_bytes copy;
    hr_status status = hr_bytes_copy(tree.data, tree.len, &copy, err);
    if (status) return status;
    free(slot->tree.at);
    slot->tree = copy;
    slot->decoded = *decoded;
    slot->digest = hr_job_state_digest(tree);
    memcpy(slot->signature, signature, HR_SIGNATURE_SIZE);
    slot->state = HR_SLOT_TREE;
    return HR_OK;
}

static void put_empty(hr_job_slot *slot, const uint8_t *signature) {
    memcpy(slot->signature, signature, HR_SIGNATURE_SIZE);
    slot->state = HR_SLOT_EMPTY;
    slot->verdict = HR_TREE_LEFT_OUT;
}

/* What the coordinator signs of a slot: the start and its number. */
enum { EMPTY_BYTES = HR_DIGEST_SIZE + 4 };

static void empty_words(const hr_job_state *job_state, size_t slot, uint8_t words[EMPTY_BYTES]) {
    memcpy(words, job_state->start.bytes, HR_DIGEST_SIZE);
    for (int i = 0; i < 4; i++) words[HR_DIGEST_SIZE + i] = (uint8_t)(slot >> 8 * i);
}

hr_status hr_job_state_sign_tree(hr_job_state *job_state, size_t slot, const uint8_t *tree, size_t size,
                                 hr_error *err) {
    uint8_t signature[HR_SIGNATURE_SIZE];
    hr_paid_tree decoded;
    ProtobufCBinaryData bytes = hr_data_of(tree, size);
    hr_status status = read_slot_tree(job_state, slot, bytes, &decoded, err);
    if (status) return status;
    hr_sign(job_state->view->identity, tree_domain, tree, size, signature);
    return put_tree(&job_state->slots[slot], bytes, &decoded, signature, err);
}

void hr_job_state_sign_empty(hr_job_state *job_state, size_t slot) {
    uint8_t words[EMPTY_BYTES], signature[HR_SIGNATURE_SIZE];
    if (job_state->slots[slot].state == HR_SLOT_TREE) return;
    empty_words(job_state, slot, words);
    hr_sign(job_state->view->identity, empty_domain, words, sizeof words, signature);
    put_empty(&job_state->slots[slot], signature);
}

/* ---- The words of others ---- */

static hr_status refuse_forest(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_POLICY, "", "%s", why);
}

static bool signed_by(const hr_job_state *job_state, size_t member, const char *domain, const void *bytes,
                      size_t size, ProtobufCBinaryData signature) {
    return signature.len == HR_SIGNATURE_SIZE &&
           hr_signature_holds(&job_state->view->membership->members[member].key, domain, bytes, size,
                              signature.data);
}

static hr_status check_empty(const hr_job_state *job_state, size_t slot, ProtobufCBinaryData signature,
                             hr_error *err) {
    uint8_t words[EMPTY_BYTES];
    if (slot >= hr_job_state_slots(job_state)) return refuse_forest("the job has no such slot", err);
    empty_words(job_state, slot, words);
    bool holds = signed_by(job_state, job_state->coordinator, empty_domain, words, sizeof words, signature);
    return holds ? HR_OK : refuse_forest("the coordinator did not sign that this slot stays empty", err);
}

hr_status hr_job_state_empty(hr_job_state *job_state, size_t slot, ProtobufCBinaryData signature,
                             hr_error *err) {
    hr_status status = check_empty(job_state, slot, signature, err);
    if (status) return status;
    if (job_state->slots[slot].state == HR_SLOT_OPEN) put_empty(&job_state->slots[slot], signature.data);
    if (job_state->slots[slot].verdict == HR_TREE_UNDECIDED)
        job_state->slots[slot].verdict = HR_TREE_LEFT_OUT;
    return HR_OK;
}

static hr_status check_received_tree(const hr_job_state *job_state, const Hedgerow__Slot *slot,
                                     hr_paid_tree *out, hr_error *err) {
    size_t owner = hr_job_state_owner(job_state, slot->slot);
    if (!signed_by(job_state, owner, tree_domain, slot->tree.data, slot->tree.len, slot->signature))
        return refuse_forest("a tree is not signed by the owner of its slot", err);
    return read_slot_tree(job_state, slot->slot, slot->tree, out, err);
}

static bool holds_tree(const hr_job_slot *slot, const Hedgerow__Slot *received) {
    return slot->state == HR_SLOT_TREE && slot->tree.size == received->tree.len &&
           !memcmp(slot->tree.at, received->tree.data, received->tree.len);
}

static hr_status check_received_slot(const hr_job_state *job_state, const Hedgerow__Slot *slot,
                                     hr_paid_tree *out, hr_error *err) {
    if (slot->slot >= hr_job_state_slots(job_state)) return refuse_forest("the job has no such slot", err);
    if (!slot->tree.len) return check_empty(job_state, slot->slot, slot->signature, err);
    const hr_job_slot *had = &job_state->slots[slot->slot];
    return had->second.at || holds_tree(had, slot) ? HR_OK : check_received_tree(job_state, slot, out, err);
}

/* The first other tree is kept as a proof. */
static hr_status take_second(hr_job_slot *to, const Hedgerow__Slot *from, hr_error *err) {
    if (!from->tree.len || to->second.at || holds_tree(to, from)) return HR_OK;
    memcpy(to->second_signature, from->signature.data, HR_SIGNATURE_SIZE);
    return hr_bytes_copy(from->tree.data, from->tree.len, &to->second, err);
}

static hr_status take_slot(hr_job_state *job_state, const Hedgerow__Slot *from, const hr_paid_tree *tree,
                           hr_error *err) {
    hr_job_slot *to = &job_state->slots[from->slot];
    if (to->state == HR_SLOT_TREE) return take_second(to, from, err);
    if (from->tree.len) return put_tree(to, from->tree, tree, from->signature.data, err);
    put_empty(to, from->signature.data);
    return HR_OK;
}

hr_status hr_job_state_merge(hr_job_state *job_state, const Hedgerow__Forest *forest, hr_error *err) {
    if (forest->n_slots > hr_job_state_slots(job_state))
        return refuse_forest("more slots than the job has", err);
    if (!hr_digest_is(&job_state->start, forest->start.data, forest->start.len))
        return refuse_forest("slots of another start", err);
    hr_paid_tree *trees = calloc(forest->n_slots + 1, sizeof *trees);
    if (!trees) return hr_fail_memory(err);
    hr_arena_mark mark = hr_arena_get_mark(job_state->arena);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < forest->n_slots; i++)
        status = check_received_slot(job_state, forest->slots[i], &trees[i], err);
    if (status) hr_arena_rewind(job_state->arena, mark);
    for (size_t i = 0; !status && i < forest->n_slots; i++)
        status = take_slot(job_state, forest->slots[i], &trees[i], err);
    free(trees);
    return status;
}

/* ---- Two words of one member ---- */

void hr_job_state_sign_start(hr_job_state *job_state) {
    hr_start_sign(job_state->view->identity, &job_state->terms, &job_state->start,
                  job_state->start_signature);
}

bool hr_job_state_start_holds(const hr_job_state *job_state, ProtobufCBinaryData start,
                              ProtobufCBinaryData signature) {
    return hr_start_holds(&job_state->view->membership->members[job_state->coordinator], &job_state->terms,
                          start, signature);
}

void hr_job_state_second(const hr_job_state *job_state, size_t slot, hr_two_trees *out) {
    const hr_job_slot *had = &job_state->slots[slot];
    hedgerow__notice__init(&out->notice);
    hedgerow__slot__init(&out->first);
    hedgerow__slot__init(&out->second);
    out->notice.slot = out->first.slot = out->second.slot = (uint32_t)slot;
    out->notice.kind = HEDGEROW__NOTICE__KIND__TWO_TREES;
    out->notice.first = &out->first;
    out->notice.second = &out->second;
    out->first.tree = hr_data_of(had->tree.at, had->tree.size);
    out->first.signature = hr_data_of(had->signature, HR_SIGNATURE_SIZE);
    out->second.tree = hr_data_of(had->second.at, had->second.size);
    out->second.signature = hr_data_of(had->second_signature, HR_SIGNATURE_SIZE);
}

hr_status hr_job_state_prove(hr_job_state *job_state, size_t slot, const Hedgerow__Slot *first,
                             const Hedgerow__Slot *second, hr_error *err) {
    hr_paid_tree ignored;
    if (slot >= hr_job_state_slots(job_state) || !first || !second || first->slot != slot ||
        second->slot != slot || !first->tree.len || !second->tree.len ||
        (first->tree.len == second->tree.len &&
         !memcmp(first->tree.data, second->tree.data, first->tree.len)))
        return refuse_forest("two trees that prove nothing", err);
    hr_arena_mark mark = hr_arena_get_mark(job_state->arena);
    hr_status status = check_received_tree(job_state, first, &ignored, err);
    if (!status) status = check_received_tree(job_state, second, &ignored, err);
    hr_arena_rewind(job_state->arena, mark);
    return status;
}

/* ---- Sets ---- */

static bool is_known(const uint8_t *known, size_t slot) {
    return known[slot / 8] >> slot % 8 & 1;
}

/* Of the trees of this party in the slots that `known` marks. */
static hr_status digest_set(const hr_job_state *job_state, size_t slot, const uint8_t *known, hr_digest *out,
                            hr_error *err) {
    size_t size = hr_tree_set_bytes(slot);
    uint8_t *bytes = malloc(size + slot * HR_DIGEST_SIZE + 1);
    if (!bytes) return hr_fail_memory(err);
    if (size) memcpy(bytes, known, size);
    for (size_t p = 0; p < slot; p++) {
        if (!is_known(known, p)) continue;
        memcpy(bytes + size, job_state->slots[p].digest.bytes, HR_DIGEST_SIZE);
        size += HR_DIGEST_SIZE;
    }
    *out = hr_digest_of(set_domain, bytes, size);
    free(bytes);
    return HR_OK;
}

hr_status hr_job_state_set(const hr_job_state *job_state, size_t slot, hr_arena *arena, hr_tree_set *out,
                           hr_error *err) {
    uint8_t *known = hr_arena_alloc(arena, hr_tree_set_bytes(slot) + 1, 1);
    if (!known) return hr_fail_memory(err);
    for (size_t p = 0; p < slot; p++)
        if (job_state->slots[p].state == HR_SLOT_TREE) known[p / 8] |= (uint8_t)(1 << p % 8);
    out->known = known;
    return digest_set(job_state, slot, known, &out->digest, err);
}

hr_status hr_job_state_compare(const hr_job_state *job_state, size_t slot, hr_set_match *out, hr_error *err) {
    const hr_tree_set *set = &job_state->slots[slot].decoded.set;
    hr_digest own;
    *out = HR_SET_UNKNOWN;
    for (size_t p = 0; p < slot; p++)
        if (is_known(set->known, p) && job_state->slots[p].state != HR_SLOT_TREE) return HR_OK;
    hr_status status = digest_set(job_state, slot, set->known, &own, err);
    if (!status) *out = hr_digest_is(&own, set->digest.bytes, HR_DIGEST_SIZE) ? HR_SET_SAME : HR_SET_OTHER;
    return status;
}

/* ---- Messages to others ---- */

hr_status hr_job_state_list(const hr_job_state *job_state, size_t from, size_t to, Hedgerow__Forest *out,
                            hr_error *err) {
    Hedgerow__Slot *storage = calloc(to - from + 1, sizeof *storage);
    out->slots = calloc(to - from + 1, sizeof *out->slots);
    out->n_slots = 0;
    if (!storage || !out->slots) {
        free(storage);
        free(out->slots);
        out->slots = NULL;
        return hr_fail_memory(err);
    }
    out->start = hr_data_of(job_state->start.bytes, HR_DIGEST_SIZE);
    out->signature = hr_data_of(job_state->start_signature, HR_SIGNATURE_SIZE);
    out->slots[0] = storage; /* hr_job_state_unlist frees it, even from an empty list */
    for (size_t p = from; p < to; p++) {
        const hr_job_slot *slot = &job_state->slots[p];
        if (slot->state == HR_SLOT_OPEN) continue;
        Hedgerow__Slot *wire = &storage[out->n_slots];
        hedgerow__slot__init(wire);
        wire->slot = (uint32_t)p;
        wire->tree = hr_data_of(slot->tree.at, slot->state == HR_SLOT_TREE ? slot->tree.size : 0);
        wire->signature = hr_data_of(slot->signature, HR_SIGNATURE_SIZE);
        out->slots[out->n_slots++] = wire;
    }
    return HR_OK;
}

void hr_job_state_unlist(Hedgerow__Forest *forest) {
    if (!forest->slots) return;
    free(forest->slots[0]);
    free(forest->slots);
    *forest = (Hedgerow__Forest)HEDGEROW__FOREST__INIT;
}
