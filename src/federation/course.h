/* The course of a job whose trees are trained one after the other: who is to train which tree, and what became of it.
 *
 * Places are numbered by round and by the owners' order: place = round * owners + position. A place is open until its owner's tree is
 * there, or the miner says that it stays empty. A tree that comes after all takes an empty place: what is known only grows. */
#ifndef HR_FEDERATION_COURSE_H
#define HR_FEDERATION_COURSE_H

#include "federation/wire_tree.h"

enum { HR_ROUNDS_MAX = 8 };

typedef enum hr_place_state { HR_PLACE_OPEN, HR_PLACE_EMPTY, HR_PLACE_TREE } hr_place_state;

typedef struct hr_place {
    hr_place_state state;
    hr_bytes tree;        /* a Tree */
    hr_paid_tree decoded; /* what it says, checked; lives in the arena of the course */
    uint8_t signature[HR_SIGNATURE_SIZE];
} hr_place;

typedef struct hr_course {
    const hr_party_view *view;
    hr_job_id job;
    size_t miner; /* member */
    hr_tree_rules rules;
    size_t owners[HR_MEMBERS_MAX], owner_count, rounds; /* owners: members, in order */
    hr_place *places;                                   /* owner_count * rounds */
    hr_arena *arena;
} hr_course;

/* `owners` and all before it must be set. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_course_begin(hr_course *course, hr_error *err);
void hr_course_done(hr_course *course);

size_t hr_course_places(const hr_course *course);
/* The member who trains the tree of a place. */
size_t hr_course_owner(const hr_course *course, size_t place);
/* The first open place; the number of places if there is none. */
size_t hr_course_open(const hr_course *course);
/* The position of a member among the owners; owner_count if she is none. */
size_t hr_course_position(const hr_course *course, size_t member);

/* This party's own tree, from bytes without a signature. Copies. Fails: FORMAT, POLICY, LIMIT (others would refuse it), MEMORY. */
HR_MUST_CHECK hr_status hr_course_sign_tree(hr_course *course, size_t place, const uint8_t *tree, size_t size, hr_error *err);
/* The miner's word that a place stays empty; she signs it. No effect on a tree. */
void hr_course_sign_empty(hr_course *course, size_t place);

/* What somebody else sent. Nothing is taken unless all of it is in order. Fails: FORMAT, POLICY, LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_course_merge(hr_course *course, const Hedgerow__Forest *forest, hr_error *err);
HR_MUST_CHECK hr_status hr_course_empty(hr_course *course, size_t place, ProtobufCBinaryData signature, hr_error *err);

/* The tree of a place; NULL if it has none. It stays the course's. */
const hr_paid_tree *hr_course_tree(const hr_course *course, size_t place);

/* Places from..to - 1 that are not open, as a message that borrows from the course. Owner: the caller calls hr_course_unlist.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_course_list(const hr_course *course, size_t from, size_t to, Hedgerow__Forest *out, hr_error *err);
void hr_course_unlist(Hedgerow__Forest *forest);

#endif
