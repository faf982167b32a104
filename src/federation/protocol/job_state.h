/* The job state of a job whose trees are trained one after the other: which owner trains which tree, and the
 * outcome.
 *
 * Slots are numbered by round and by the owners' order: slot = round * owners + position. A slot is open
 * until its owner's tree is there, or the coordinator signs that it stays empty. A tree that comes later
 * takes an empty slot: slots never lose a tree.
 *
 * A tree names the trees that its owner had when it made it: a bit for each earlier slot, and the digest
 * (domain "hedgerow set 2") of these bits and of the digests of these trees, in order. The digest of a tree
 * has the domain "hedgerow tree 2", over its bytes. An owner that signed two trees for one slot has proved by
 * them that it broke the protocol. */
#ifndef HR_FEDERATION_PROTOCOL_JOB_STATE_H
#define HR_FEDERATION_PROTOCOL_JOB_STATE_H

#include "federation/protocol/beginning.h"
#include "federation/protocol/wire_tree.h"

enum { HR_ROUNDS_MAX = 8 };

typedef enum hr_slot_state { HR_SLOT_OPEN, HR_SLOT_EMPTY, HR_SLOT_TREE } hr_slot_state;
/* Where owners vote on each tree. One that comes after its slot was skipped is left out. */
typedef enum hr_tree_verdict { HR_TREE_UNDECIDED, HR_TREE_STAYS, HR_TREE_LEFT_OUT } hr_tree_verdict;

typedef struct hr_job_slot {
    hr_slot_state state;
    hr_tree_verdict verdict; /* of jobs with votes on each tree */
    hr_bytes tree;           /* a Tree */
    hr_paid_tree decoded;    /* the same, checked; lives in the arena of the job state */
    hr_digest digest;        /* of `tree` */
    uint8_t signature[HR_SIGNATURE_SIZE];
    hr_bytes second; /* another Tree that its owner signed for the slot; NULL: none was seen */
    uint8_t second_signature[HR_SIGNATURE_SIZE];
} hr_job_slot;

typedef struct hr_job_state {
    const hr_party_view *view;
    hr_digest terms, start; /* of hr_start, like its signature and its owners */
    uint8_t start_signature[HR_SIGNATURE_SIZE];
    size_t coordinator; /* member */
    hr_tree_rules rules;
    bool exact_trees; /* owners vote on each tree before the next one is trained */
    size_t owners[HR_MEMBERS_MAX], owner_count, rounds; /* owners: members, in order */
    hr_job_slot *slots;                                 /* owner_count * rounds */
    hr_arena *arena;
} hr_job_state;

/* Takes over who takes part, on what terms. */
void hr_job_state_take_start(hr_job_state *job_state, const hr_start *start);
/* `owners` and all before it must be set. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_job_state_begin(hr_job_state *job_state, hr_error *err);
void hr_job_state_done(hr_job_state *job_state);

size_t hr_job_state_slots(const hr_job_state *job_state);
/* The member that trains the tree of a slot. */
size_t hr_job_state_owner(const hr_job_state *job_state, size_t slot);
/* The first open slot; the number of slots if there is none. */
size_t hr_job_state_next_open(const hr_job_state *job_state);
/* The first slot that is open, or whose tree still waits for the owners' votes; the number of slots if there
 * is none. */
size_t hr_job_state_next_undecided(const hr_job_state *job_state);
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

/* Coordinator: signs the start. */
void hr_job_state_sign_start(hr_job_state *job_state);
/* Whether the coordinator signed a start of this job, the one of the job state or another one. */
bool hr_job_state_start_holds(const hr_job_state *job_state, ProtobufCBinaryData start,
                              ProtobufCBinaryData signature);

/* The set that a tree of this slot names, if it is made now. Lives in the arena. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_job_state_set(const hr_job_state *job_state, size_t slot, hr_arena *arena,
                                         hr_tree_set *out, hr_error *err);
typedef enum hr_set_match {
    HR_SET_UNKNOWN, /* this party lacks a tree of it */
    HR_SET_SAME,
    HR_SET_OTHER /* of an earlier slot its owner had another tree, or it names a false set */
} hr_set_match;
/* How the set that the tree of a slot names compares with the trees of this party. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_job_state_compare(const hr_job_state *job_state, size_t slot, hr_set_match *out,
                                             hr_error *err);

/* The proof that the owner of a slot signed two trees for it, where `second` is not NULL. Borrows from the
 * job state; its parts point to each other. */
typedef struct hr_two_trees {
    Hedgerow__Notice notice;
    Hedgerow__Slot first, second;
} hr_two_trees;
void hr_job_state_second(const hr_job_state *job_state, size_t slot, hr_two_trees *out);
hr_digest hr_job_state_digest(ProtobufCBinaryData tree);

/* Whether these are two trees that the owner of a slot signed for it; NULL is none. Fails: POLICY (they are
 * not), FORMAT, LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_job_state_prove(hr_job_state *job_state, size_t slot, const Hedgerow__Slot *first,
                                           const Hedgerow__Slot *second, hr_error *err);

/* The tree of a slot; NULL if it has none. It stays the job state's. */
const hr_paid_tree *hr_job_state_tree(const hr_job_state *job_state, size_t slot);
/* The same, if it is in the model: votes did not leave it out, and none is still due. */
const hr_paid_tree *hr_job_state_model_tree(const hr_job_state *job_state, size_t slot);

/* Slots from..to - 1 that are not open, as a message that borrows from the job state. Owner: the caller calls
 * hr_job_state_unlist. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_job_state_list(const hr_job_state *job_state, size_t from, size_t to,
                                          Hedgerow__Forest *out, hr_error *err);
void hr_job_state_unlist(Hedgerow__Forest *forest);

#endif
