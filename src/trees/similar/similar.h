/* For every record of one owner the most similar record of another, as SimFL sees it: the one with the most
 * equal hashes. Exact.
 *
 * Ties are broken by a public rule that spreads the weight. Records that tie are numbered from 0 in ascending
 * order of their hashes, then of their rows; hashes are compared table by table, in the order in which tables
 * separate the records of `among` (hash_groups.h). Of n that tie, query row q takes number mix(q) mod n,
 * where mix(q) is what splitmix64 returns in the state q. So n equal records get about the same weight, and
 * every owner finds the same. */
#ifndef HR_TREES_SIMILAR_SIMILAR_H
#define HR_TREES_SIMILAR_SIMILAR_H

#include <hedgerow/status.h>

/* Row by row: at[row * tables + table]. */
typedef struct hr_hashes {
    const int16_t *at;
    size_t rows, tables;
} hr_hashes;

/* out[row of `of`]: row of `among`. Takes 8 bytes for each record of `of`, tables + 13 and 4 for each thread
 * for each of `among`, and 8 more for each record of one of them while it sorts. Thread: any. Fails: ARGUMENT
 * (no records among which to look, tables that differ or are none or more than HR_LSH_TABLES_MAX), LIMIT
 * (2^32 - 1 rows or more), MEMORY. */
HR_MUST_CHECK hr_status hr_similar(const hr_hashes *of, const hr_hashes *among, int threads, uint32_t *out,
                                   hr_error *err);

#endif
