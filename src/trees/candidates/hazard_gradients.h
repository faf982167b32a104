/* Gradients of times to an event: one output an interval, whose score is the log-odds of its hazard. */
#ifndef HR_TREES_CANDIDATES_HAZARD_GRADIENTS_H
#define HR_TREES_CANDIDATES_HAZARD_GRADIENTS_H

#include "trees/candidates/score_gradients.h"

/* words[k * HR_WALK_BLOCK + i]: the gradient of output k of record i, hazard - event where it was at risk,
 * else 0, and a count of 1, packed. Its vector is shortened to the clip, and truncated towards zero: its
 * length is at most loss->bound. Thread: any. */
void hr_hazard_gradients_words(const hr_score_gradients *gradients, const hr_candidate_scan_loss *loss,
                               const hr_row_block *rows, int64_t *words);

#endif
