/* What ID3 asks of the records next: counts of classes, and what their answer is charged as. Everything in it
 * is public or released. Pointers are borrowed: they hold until the answer is told. */
#ifndef HR_TREES_RECORDS_ID3_ASK_H
#define HR_TREES_RECORDS_ID3_ASK_H

#include "privacy/gate.h"
#include "trees/records/stats_source.h"

typedef struct hr_id3_ask {
    hr_charge line;
    /* First the splits that were made since the last question: records of node divided[i] go to the nodes
     * from first[i] on. */
    const uint32_t *divided, *first;
    const hr_stats_division *divisions;
    size_t divided_count;
    /* Then these, whose answers stand one behind the other: `count` numbers, in units of 1/HR_COUNT_UNIT of a
     * record. */
    const hr_stats_query *queries;
    size_t query_count, count;
} hr_id3_ask;

#endif
