/* Two neighbouring tables of odd columns, and the machine of ID3 that asks both of them; it is told the
 * counts of the larger one, so that its tree grows. */
#ifndef HR_TESTS_SUPPORT_ID3_NEIGHBOURS_H
#define HR_TESTS_SUPPORT_ID3_NEIGHBOURS_H

#include "methods/forests/id3_machine.h"
#include "support/odd_columns.h"

enum { ID3_ROWS = 240, ID3_FEATURES = 4, ID3_CLASSES = 3, ID3_DEPTH = 3, ID3_COUNTS_MAX = 1 << 14 };

typedef struct id3_neighbours {
    table t;
    hr_arena *arena;
    hr_binning binning;
    hr_data *without;            /* all records but the last */
    hr_stats_source *sources[2]; /* of `without`, and of all */
    hr_id3 *id3;
} id3_neighbours;

/* A budget of HR_UNIT; depth 0: by the noisy records. The address stays until id3_neighbours_close. */
void id3_neighbours_open(id3_neighbours *n, hr_privacy_measure privacy_measure, size_t depth, bool published);
void id3_neighbours_close(id3_neighbours *n);

/* Answers the question, and returns how many numbers the last record moves: each by one record, or the test
 * fails. */
size_t id3_neighbours_moved(id3_neighbours *n, const hr_id3_question *question);

#endif
