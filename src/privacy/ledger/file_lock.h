/* One process at a time works from a journal: two would each draw noise for the same question, and send two
 * answers.
 *
 * A file lock is a lock on a file beside the journal, NAME.lock, which is there for as long as somebody holds
 * it. The lock ends with the process. The journal itself stays open to others: `hedgerow ledger` and
 * `hedgerow train` may use a ledger that serves a federation. */
#ifndef HR_PRIVACY_LEDGER_FILE_LOCK_H
#define HR_PRIVACY_LEDGER_FILE_LOCK_H

#include <hedgerow/status.h>
#include <stdbool.h>

typedef struct hr_file_lock hr_file_lock;

/* Owner: the caller frees *out with hr_file_lock_release. Fails: BUSY (somebody has it: the message has the
 * number of the process, and since when), IO (the file cannot be made), MEMORY. */
HR_MUST_CHECK hr_status hr_file_lock_take(const char *path, hr_file_lock **out, hr_error *err);
/* Locks a file that exists, and stays: a member's key, so that one process at a time works with it. Owner and
 * Fails: as hr_file_lock_take. */
HR_MUST_CHECK hr_status hr_file_lock_hold(const char *path, hr_file_lock **out, hr_error *err);
/* Whether a process has the lock of hr_file_lock_take. No file is made or left: what a process that was
 * killed left behind stays. Who takes the lock in the same moment tries again. Fails: IO (the lock cannot be
 * looked at), MEMORY. */
HR_MUST_CHECK hr_status hr_file_lock_look(const char *path, bool *held, hr_error *err);
/* Whether it is a lock of hr_file_lock_hold on the file that is at the path now. NULL is allowed. */
bool hr_file_lock_is_on(const hr_file_lock *file_lock, const char *path);
/* A process that was forked from the one that has the lock leaves it to that one. NULL is allowed. */
void hr_file_lock_release(hr_file_lock *file_lock);

#endif
