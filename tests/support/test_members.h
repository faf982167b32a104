/* A small federation whose keys are the same in every run, trees that it may send, and packets with any
 * content. */
#ifndef HR_TESTS_SUPPORT_TEST_MEMBERS_H
#define HR_TESTS_SUPPORT_TEST_MEMBERS_H

#include "support/test_keys.h"

#include "base/arena.h"
#include "federation/machines/inprivate.h"
#include "tables/synth/generate.h"
#include "trees/tree/tree_check.h"

enum {
    COORDINATOR,
    ANNA,
    BERT,
    CARL,
    DORA,
    OUTSIDER /* a member who is no owner of the job */,
    MEMBERS,
    STRANGER = MEMBERS,
    PERSONS
};

typedef struct test_members {
    hr_identity *who[PERSONS];
    hr_member members[MEMBERS];
    hr_membership membership;
    hr_party_view views[MEMBERS];
    hr_schema *schema;
    hr_arena *arena;
} test_members;

extern const hr_job_id the_job;
extern const hr_digest the_start; /* of job_state_of */
extern const char the_schema[];

int test_members_setup(void **state);
int test_members_teardown(void **state);
#define WITH_TEST_MEMBERS(test)                                                                              \
    cmocka_unit_test_setup_teardown(test, test_members_setup, test_members_teardown)

hr_bytes packed(const void *message);

/* The part of a member in a job that one owner may do, by terms that are borrowed. */
hr_protocol_setup setup_of_member(const test_members *f, size_t self, hr_bytes terms);

/* Exactly as large as its content, so that sanitizers see a read behind it. Owner: the caller. */
hr_bytes bytes_of(const void *at, size_t size);

/* A tree of one leaf that cost half a unit. */
typedef struct leaf_tree {
    hr_node nodes[7];
    hr_bin_set subsets[2];
    hr_release releases[3];
    hr_paid_tree paid;
} leaf_tree;

hr_release half_a_unit(size_t slot);
leaf_tree *leaf_tree_of(hr_arena *arena, size_t slot);
/* Whether it passes the check of trees from others, with any leaves and depth. */
bool is_sound(const test_members *f, const hr_tree *tree);
hr_bytes leaf_bytes(const test_members *f, const hr_job_state *job_state, size_t slot);
hr_tree_rules rules_of(const test_members *f);

/* Anna, Bert and Carl, two rounds, as `self` sees it. */
hr_job_state job_state_of(const test_members *f, size_t self);
void sign_leaf(const test_members *f, hr_job_state *job_state, size_t slot);

/* An honest envelope, for tests to spoil. */
Hedgerow__Envelope envelope_of(const test_members *f, size_t from, size_t to, const char *body);

/* Any bytes, signed and sealed. */
hr_bytes sealed_bytes(const test_members *f, size_t signer, size_t to, const void *at, size_t size);
hr_bytes sealed_envelope(const test_members *f, size_t signer, size_t to, const Hedgerow__Envelope *envelope);

#endif
