/* Work of one call shared out over threads: the library's only way to compute on several at once. The helpers
 * belong to the process, and start when they are first needed. Between two calls they look for the next one
 * for some microseconds, as waking up takes as long, and leave the processor to others while they look; then
 * they sleep: threads that wait in a loop take the processor from the thread that they wait for. A helper
 * that wakes up after the work is done has no part in it, so a busy machine delays nobody. A child of fork
 * has no helpers, and starts its own. */
#ifndef HR_BASE_TEAM_H
#define HR_BASE_TEAM_H

#include <stddef.h>

/* What is worth the time to wake up a thread for: records, each of which is looked at once; and numbers that
 * are added to histograms. */
enum { HR_TEAM_RECORDS = 1 << 13, HR_TEAM_ADDS = 1 << 17 };

/* The threads, up to `threads`, that each have work which is worth it; 1 at least. */
size_t hr_team_worth(int threads, size_t work, size_t worth);

/* member: 0 in the thread that calls, 1 to members - 1 in helpers; none is at work twice at a time. */
typedef void hr_team_work(void *of, size_t member);

/* Calls the work as member 0, and as each helper that wakes up before that is over; returns when all calls
 * have. So the work shares itself out: member 0 must be able to do all of it. Where the system starts fewer
 * threads there are fewer members. The work may call this again. It must not fork. Thread: any. */
void hr_team_run(size_t members, hr_team_work *work, void *of);

/* The items [begin, end). */
typedef void hr_team_part(void *of, size_t member, size_t begin, size_t end);

/* Calls the part for 0 to count - 1, each once, in runs of up to `run` neighbours, by any member that is
 * free. Not more members than runs. run: 1 or more. */
void hr_team_share(size_t members, size_t count, size_t run, hr_team_part *part, void *of);

#endif
