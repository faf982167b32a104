/* Threads for work that comes in many short pieces with other work between them. They sleep while there is
 * none. Those of OpenMP wait in a loop: on a busy machine that takes the processor from the very thread that
 * they wait for, and a fit of hedge took longer on two threads than on one. */
#ifndef HR_BASE_TEAM_H
#define HR_BASE_TEAM_H

#include <stddef.h>

typedef struct hr_team hr_team;

/* member: 0 in the thread that runs the team, 1 and so on in its helpers; none is at work twice at a time. */
typedef void hr_team_work(void *of, size_t member);

/* members: 1 or more, the caller's thread among them. Where the system starts fewer threads the team has so
 * many fewer. NULL when memory is short. Owner: the caller frees it. */
hr_team *hr_team_new(size_t members);
void hr_team_free(hr_team *team);

/* Calls the work as member 0, and as each helper that wakes up before that is over; returns when all calls
 * have. So the work shares itself out: member 0 must be able to do all of it. Thread: one at a time. */
void hr_team_run(hr_team *team, hr_team_work *work, void *of);

#endif
