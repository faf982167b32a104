/* A check in a child of fork, which a deadline ends: what hangs fails. */
#ifndef HR_TESTS_SUPPORT_CHILD_H
#define HR_TESTS_SUPPORT_CHILD_H

#include "support/check.h"

#include <stdbool.h>

/* Whether a child has ended by itself within a minute and the check held in it. A child may call this. */
bool holds_in_child(bool (*check)(void *of), void *of);

/* Skips the test under ThreadSanitizer, whose children start no threads, and under AddressSanitizer, whose
 * allocator may be locked for ever in a child of a process with threads. */
void need_threads_in_children(void);

#endif
