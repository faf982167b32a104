/* The sums of the leaves of a pass's candidate trees, of one thread. Records are added to a table of sums
 * block by block, two tables side by side; a tree that is alone has copies of its sums instead. */
#ifndef HR_TREES_CANDIDATES_CANDIDATE_SUMS_H
#define HR_TREES_CANDIDATES_CANDIDATE_SUMS_H

#include "trees/candidates/candidate_trees.h"

enum { HR_CANDIDATE_COPIES = 4 }; /* of the sums of a tree, which neighbouring records are added to */

typedef struct hr_candidate_sums {
    int64_t *leaves; /* tree, channel, place: HR_WALK_PLACES_MAX of them */
    int64_t *cells;  /* grid, channel, cell: HR_CANDIDATE_CELLS_MAX a tree at most */
    int64_t *copies; /* channel, HR_CANDIDATE_COPIES of them, place: where a tree is alone */
} hr_candidate_sums;

void hr_candidate_sums_clear(const hr_candidate_trees *trees, const hr_candidate_sums *sums);
/* Adds words[k * HR_WALK_BLOCK + i], channel k of record i of a block, to the sums of its leaves or cells. */
void hr_candidate_sums_add(const hr_candidate_trees *trees, const hr_row_block *rows, const int64_t *words,
                           const hr_candidate_sums *sums);
/* Adds the sums of cells and copies to those of their leaves. */
void hr_candidate_sums_fold(const hr_candidate_trees *trees, const hr_candidate_sums *sums);

#endif
