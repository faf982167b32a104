/* A job brought to any point of its course, for messages that do not belong there. */
#ifndef HR_TESTS_SUPPORT_MESSAGE_PHASES_H
#define HR_TESTS_SUPPORT_MESSAGE_PHASES_H

#include "support/inprivate_job.h"

typedef enum point { OFFERED, DECIDING, ACCEPTED, STARTED, TRAINING, POLLED, VOTING, ENDED, POINTS } point;

extern const job_script voting_job;

bool is_there(const simulator *b, size_t owner, point p);

/* The job as `owner` has just come to that point. */
simulator *simulator_at(const test_members *f, const job_script *s, size_t owner, point p);

/* What the last event led to. */
bool cut_by(const simulator *b, size_t who, size_t member);

#endif
