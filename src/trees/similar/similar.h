/* For every record of one owner the most similar record of another, as SimFL sees it: the one with the most
 * equal hashes. Exact.
 *
 * "If there are multiple instances with the same highest count, we randomly choose one" (Li, Wen, He 2020,
 * section 4.1): of n that tie each is chosen with probability 1/n, independently for each query, from public
 * coins, so that every owner and every run finds the same. Records that tie are numbered from 0 in ascending
 * order of their hashes, then of their rows; hashes are compared table by table, in the order in which tables
 * separate the records of `among` (hash_groups.h). Query row q takes number R_q mod n, where R_0, R_1, ...
 * are what splitmix64 returns one after the other from the state `coins`; a number then has probability 1/n
 * up to n 2^-64. */
#ifndef HR_TREES_SIMILAR_SIMILAR_H
#define HR_TREES_SIMILAR_SIMILAR_H

#include <hedgerow/status.h>

#include <stdint.h>

/* Row by row: at[row * tables + table]. */
typedef struct hr_hashes {
    const int16_t *at;
    size_t rows, tables;
} hr_hashes;

/* The coins of ties of the records of owner `of` among those of owner `among`, from the HR_LSH_COINS public
 * coins of the hashes (lsh.h). */
uint64_t hr_similar_coins(const uint8_t *lsh_coins, size_t of, size_t among);

/* out[row of `of`]: row of `among`. coins: of ties. Takes 8 bytes for each record of `of`, tables + 13 and 4
 * for each thread for each of `among`, and 8 more for each record of one of them while it sorts. Thread: any.
 * Fails: ARGUMENT (no records among which to look, tables that differ or are none or more than
 * HR_LSH_TABLES_MAX), LIMIT (2^32 - 1 rows or more), MEMORY. */
HR_MUST_CHECK hr_status hr_similar(const hr_hashes *of, const hr_hashes *among, uint64_t coins, int threads,
                                   uint32_t *out, hr_error *err);

#endif
