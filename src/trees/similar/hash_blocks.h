/* Hashes of groups laid out so that one loop counts equal hashes for HR_HASH_BLOCK groups at once, and bounds
 * them for as many blocks.
 *
 * A code is a hash modulo 255: equal hashes have equal codes, so that a count of equal codes is never below
 * the count of equal hashes, and is that count where no two hashes of a table differ by 255 or more. A
 * block's bound counts each of its tables where its codes differ as equal. Groups ascend, so that codes of
 * the first tables are mostly the same all over a block. */
#ifndef HR_TREES_SIMILAR_HASH_BLOCKS_H
#define HR_TREES_SIMILAR_HASH_BLOCKS_H

#include "trees/similar/hash_groups.h"

#include <stdbool.h>

enum { HR_HASH_BLOCK = 64, HR_HASH_CODES = 255 };

typedef struct hr_hash_blocks {
    size_t tables, count, shelves; /* count blocks, in shelves of HR_HASH_BLOCK each */
    uint8_t *codes;                /* block by block, table by table: of HR_HASH_BLOCK groups */
    uint8_t *shared;               /* shelf by shelf, table by table: the code all over each block, or none */
    uint8_t *varied;               /* of each block: tables without such a code */
    uint32_t *sizes;               /* of each group: records; 0 after the last, to the end of the block */
} hr_hash_blocks;

/* Takes tables + 5 bytes for each group, about. Call hr_hash_blocks_done in either case. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_hash_blocks_init(hr_hash_blocks *blocks, const hr_hash_groups *groups,
                                            hr_error *err);
void hr_hash_blocks_done(hr_hash_blocks *blocks);

/* codes[table] of hashes to look for. */
void hr_hash_codes(const int16_t *hashes, size_t tables, uint8_t *codes);

/* counts[i]: how many codes of the i-th group of the block are equal. Returns the largest. */
uint8_t hr_hash_block_counts(const hr_hash_blocks *blocks, size_t block, const uint8_t *codes,
                             uint8_t counts[HR_HASH_BLOCK]);

/* counts[i]: no fewer than are equal in any group of the i-th block of the shelf. Returns the largest. */
uint8_t hr_hash_shelf_counts(const hr_hash_blocks *blocks, size_t shelf, const uint8_t *codes,
                             uint8_t counts[HR_HASH_BLOCK]);

/* Records of the groups of a block whose count is `count`. */
uint32_t hr_hash_block_records(const hr_hash_blocks *blocks, size_t block,
                               const uint8_t counts[HR_HASH_BLOCK], uint8_t count);

#endif
