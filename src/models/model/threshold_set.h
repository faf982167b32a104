/* The distinct thresholds that trees compare a feature with, and where each is among the sorted ones. */
#ifndef HR_MODELS_MODEL_THRESHOLD_SET_H
#define HR_MODELS_MODEL_THRESHOLD_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins as zeros. Owner: the caller ends with hr_threshold_set_done. */
typedef struct hr_threshold_set {
    double *thresholds; /* in the order in which they were added; sorted: ascending */
    size_t count, room;
    uint32_t *slots; /* a hash table of 2 * room: the index of a threshold plus 1; 0: free */
    uint32_t *ranks; /* sorted: of the threshold that was added i-th */
} hr_threshold_set;

/* Writes the index of a threshold, which is added if it is new; it is no NaN. -0 is 0. False when memory is
 * short. */
bool hr_threshold_set_add(hr_threshold_set *set, double threshold, uint32_t *index);

/* Sorts them: nothing may be added any more. False when memory is short. */
bool hr_threshold_set_sort(hr_threshold_set *set);

void hr_threshold_set_done(hr_threshold_set *set);

#endif
