/* Loops over the scores of a block of records, in fixed point: steps down a tree, gradients as words. */
#ifndef HR_BASE_KERNELS_SCORE_LOOPS_H
#define HR_BASE_KERNELS_SCORE_LOOPS_H

#include "base/kernels/kernels.h"

/* Steps are looked up first, one by one: what follows are vectors. */
static inline void hr_loop_step_scores(const hr_fixed_steps *steps, const uint8_t *restrict places,
                                       size_t count, int32_t limit, const hr_fixed_scores *scores) {
    const hr_fixed_step *restrict of_place = steps->of_place;
    hr_fixed_step taken[HR_BLOCK_ROWS];
    int32_t *restrict held = scores->held, *restrict published = scores->published;
    for (size_t i = 0; i < count; i++) taken[i] = of_place[places[i]];
    for (size_t i = 0; i < count; i++) held[i] = hr_fixed_within(held[i] + taken[i].held, -limit, limit);
    for (size_t i = 0; published && i < count; i++)
        published[i] = hr_fixed_sum(published[i], taken[i].published);
}

/* Half a unit of words is added before the lower bits are cut off: the nearest integer, ties upwards. */
static inline int64_t hr_loop_words_of(const hr_word_rule *rule, const int32_t *restrict scores,
                                       const int32_t *restrict targets, size_t count,
                                       int64_t *restrict words) {
    const int32_t clip = rule->clip, bound = rule->bound, half = 1 << (HR_WORD_CUT - 1);
    const int shift = rule->shift;
    int32_t within = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t g = scores[i] - targets[i], clipped = hr_fixed_within(g, -clip, clip);
        within += clipped == g;
        int32_t whole = hr_fixed_within((clipped + half) >> HR_WORD_CUT, -bound, bound);
        words[i] = (int64_t)((uint64_t)(int64_t)whole << shift) + 1;
    }
    return within;
}

#endif
