/* A member that lies, with its own key: what Anna, or the coordinator, sends is changed and signed anew. */
#ifndef HR_TESTS_SUPPORT_LIAR_H
#define HR_TESTS_SUPPORT_LIAR_H

#include "support/inprivate_job.h"

/* Puts a message in place of that of a letter. */
void put_message(letter *l, const Hedgerow__Message *message);

/* Another tree than the one in a slot, signed by a member. */
void sign_another_tree(const test_members *f, size_t signer, Hedgerow__Slot *slot);

/* In a letter of Anna's with trees, its own trees become others. False: it has none. */
bool change_trees(simulator *b, letter *l);

#endif
