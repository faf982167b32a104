/* A job brought to any point of its course, for messages that do not belong there. */
#ifndef HR_TESTS_FEDERATION_PHASES_H
#define HR_TESTS_FEDERATION_PHASES_H

#include "federation/board.h"

typedef enum point { OFFERED, DECIDING, ACCEPTED, STARTED, TRAINING, POLLED, VOTING, ENDED, POINTS } point;

static const script voting_job = {3, false, .5, 0, 1, 0};

static inline bool is_there(const board *b, size_t owner, point p) {
    const seat *s = &b->seats[owner];
    switch (p) {
    case OFFERED: return true;
    case DECIDING: return s->work.kind == HR_ACT_DECIDE;
    case ACCEPTED: return s->event_count == 2;
    case STARTED: return hr_inprivate_owner_course(s->machine) != NULL;
    case TRAINING: return s->work.kind == HR_ACT_TRAIN;
    case POLLED:
    case VOTING: return s->work.kind == HR_ACT_VOTE;
    case ENDED:
    case POINTS: break;
    }
    return s->ends;
}

/* The job as `owner` has just come to that point. */
static inline board *board_at(const fellows *f, const script *s, size_t owner, point p) {
    board *b = board_open(f, s, 1);
    while (!is_there(b, owner, p)) assert_true(step(b));
    return b;
}

/* What the last event led to. */
static inline bool cut_by(const board *b, size_t who, size_t member) {
    return b->seats[who].cut[member];
}

#endif
