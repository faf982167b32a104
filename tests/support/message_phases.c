#include "support/message_phases.h"

const job_script voting_job = {3, false, .5, 0, 1, 0};

bool is_there(const simulator *b, size_t owner, point p) {
    const simulated_party *s = &b->parties[owner];
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

simulator *simulator_at(const test_members *f, const job_script *s, size_t owner, point p) {
    simulator *b = inprivate_job_open(f, s, 1);
    while (!is_there(b, owner, p)) assert_true(simulator_step(b));
    return b;
}

bool cut_by(const simulator *b, size_t who, size_t member) {
    return b->parties[who].cut[member];
}
