/* The job state of a job whose trees are trained one after the other: which owner trains which tree, and the
 * outcome.
 *
 * Slots are numbered by round and by the owners' order: slot = round * owners + position. A slot is open
 * until its owner's tree is there, or the coordinator signs that it stays empty. A tree that comes later
 * takes an empty slot: slots never lose a tree. */
#ifndef HR_PROTOCOL_JOB_STATE_H
#define HR_PROTOCOL_JOB_STATE_H

#include "protocol/wire_tree.h"

enum { HR_ROUNDS_MAX = 8 };

typedef enum hr_slot_state { HR_SLOT_OPEN, HR_SLOT_EMPTY, HR_SLOT_TREE } hr_slot_state;

typedef struct hr_slot {
    hr_slot_state state;
    hr_bytes tree;        /* a Tree */
    hr_paid_tree decoded; /* the same, checked; lives in the arena of the job state */
    uint8_t signature[HR_SIGNATURE_SIZE];
} hr_slot;

typedef struct hr_job_state {
    const hr_party_view *view;
    hr_job_id job;
    size_t coordinator; /* member */
    hr_tree_rules rules;
    size_t owners[HR_MEMBERS_MAX], owner_count, rounds; /* owners: members, in order */
    hr_slot *slots;                                     /* owner_count * rounds */
    hr_arena *arena;
} hr_job_state;

/* `owners` and all before it must be set. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_job_state_begin(hr_job_state *job_state, hr_error *err);
void hr_job_state_done(hr_job_state *job_state);

size_t hr_job_state_slots(const hr_job_state *job_state);
/* The member that trains the tree of a slot. */
size_t hr_job_state_owner(const hr_job_state *job_state, size_t slot);
/* The first open slot; the number of slots if there is none. */
size_t hr_job_state_next_open(const hr_job_state *job_state);
/* The position of a member among the owners; owner_count if it is none. */
size_t hr_job_state_position(const hr_job_state *job_state, size_t member);

/* This party's own tree, from bytes without a signature. Copies. Fails: FORMAT, POLICY, LIMIT (others would
 * refuse it), MEMORY. */
HR_MUST_CHECK hr_status hr_job_state_sign_tree(hr_job_state *job_state, size_t slot, const uint8_t *tree,
                                               size_t size, hr_error *err);
/* Coordinator: signs that a slot stays empty. No effect on a slot with a tree. */
void hr_job_state_sign_empty(hr_job_state *job_state, size_t slot);

/* Takes slots that another party sent: all of them, or none if one is not valid. Fails: FORMAT, POLICY,
 * LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_job_state_merge(hr_job_state *job_state, const Hedgerow__Forest *forest,
                                           hr_error *err);
HR_MUST_CHECK hr_status hr_job_state_empty(hr_job_state *job_state, size_t slot,
                                           ProtobufCBinaryData signature, hr_error *err);

/* The tree of a slot; NULL if it has none. It stays the job state's. */
const hr_paid_tree *hr_job_state_tree(const hr_job_state *job_state, size_t slot);

/* Slots from..to - 1 that are not open, as a message that borrows from the job state. Owner: the caller calls
 * hr_job_state_unlist. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_job_state_list(const hr_job_state *job_state, size_t from, size_t to,
                                          Hedgerow__Forest *out, hr_error *err);
void hr_job_state_unlist(Hedgerow__Forest *forest);

#endif
