/* Trees as messages carry them. A received tree is checked before it is used: its shape, its features, its
 * values, and that the cost that its owner lists is justified and no more than the job allows. */
#ifndef HR_FEDERATION_PROTOCOL_WIRE_TREE_H
#define HR_FEDERATION_PROTOCOL_WIRE_TREE_H

#include "federation/protocol/envelope.h"
#include "privacy/accountant.h"
#include "privacy/crypto/digest.h"
#include "trees/tree/tree.h"

/* The trees of earlier slots that an owner had when it made one. */
typedef struct hr_tree_set {
    const uint8_t *known; /* a bit a slot, the lowest first: its tree is one of them */
    hr_digest digest;     /* of these bits and trees: job_state.h */
} hr_tree_set;

/* The bytes of `known` for a tree of that slot. */
size_t hr_tree_set_bytes(size_t slot);

/* A tree with what it cost its owner. */
typedef struct hr_paid_tree {
    hr_tree tree;
    hr_release *releases;
    size_t release_count;
    hr_tree_set set;
} hr_paid_tree;

/* Where a tree belongs: its owner signs this together with the tree. */
typedef struct hr_tree_slot {
    hr_digest start;   /* of the job, its terms and its owners */
    const char *owner; /* its name as a member */
    size_t slot;
} hr_tree_slot;

/* What a tree of a job may be; of a ballot, its releases. */
typedef struct hr_tree_rules {
    const hr_schema *schema;
    bool paper;      /* what trees cost is not justified then */
    hr_units budget; /* the most that one may cost */
    bool exact_cuts; /* thresholds are values of records, and may lie outside of the public bounds */
} hr_tree_rules;

/* Owner: the caller frees out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_wire_tree_pack(const hr_tree_slot *slot, const hr_paid_tree *tree, hr_bytes *out,
                                          hr_error *err);

/* *out lives in the arena. Fails: FORMAT, POLICY (the cost is not justified, or too high; or another slot),
 * LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_wire_tree_unpack(const hr_tree_slot *slot, const hr_tree_rules *rules,
                                            ProtobufCBinaryData bytes, hr_arena *arena, hr_paid_tree *out,
                                            hr_error *err);

/* Releases as a message holds them. */
typedef struct hr_wire_releases {
    Hedgerow__Release *const *items;
    size_t count;
} hr_wire_releases;

/* Releases of a ballot; the same checks. */
HR_MUST_CHECK hr_status hr_wire_releases_pack(const hr_release *releases, size_t count,
                                              Hedgerow__Release **storage, Hedgerow__Release ***out,
                                              hr_error *err);
HR_MUST_CHECK hr_status hr_wire_releases_unpack(hr_wire_releases wire, const hr_tree_rules *rules,
                                                size_t slot, hr_arena *arena, hr_release **out,
                                                hr_error *err);

#endif
