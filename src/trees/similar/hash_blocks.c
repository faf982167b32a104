#include "trees/similar/hash_blocks.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* NO_CODE is equal to none. */
enum { NO_CODE = HR_HASH_CODES };

static uint8_t code_of_hash(int16_t hash) {
    return (uint8_t)((hash - INT16_MIN) % HR_HASH_CODES);
}

void hr_hash_codes(const int16_t *hashes, size_t tables, uint8_t *codes) {
    for (size_t t = 0; t < tables; t++) codes[t] = code_of_hash(hashes[t]);
}

static void set_block(hr_hash_blocks *blocks, const hr_hash_groups *groups, size_t block) {
    uint8_t *to = blocks->codes + block * blocks->tables * HR_HASH_BLOCK;
    const size_t first = block * HR_HASH_BLOCK;
    for (size_t i = 0; i < HR_HASH_BLOCK && first + i < groups->count; i++) {
        const int16_t *hashes = hr_hash_group(groups, first + i);
        for (size_t t = 0; t < blocks->tables; t++) to[t * HR_HASH_BLOCK + i] = code_of_hash(hashes[t]);
        blocks->sizes[first + i] = hr_hash_group_size(groups, first + i);
    }
}

static void set_shared(hr_hash_blocks *blocks, size_t block, size_t groups) {
    const uint8_t *codes = blocks->codes + block * blocks->tables * HR_HASH_BLOCK;
    uint8_t *to =
        blocks->shared + block / HR_HASH_BLOCK * blocks->tables * HR_HASH_BLOCK + block % HR_HASH_BLOCK;
    for (size_t t = 0; t < blocks->tables; t++, codes += HR_HASH_BLOCK, to += HR_HASH_BLOCK) {
        bool same = true;
        for (size_t i = 1; i < groups; i++) same = same && codes[i] == codes[0];
        if (same)
            *to = codes[0];
        else
            blocks->varied[block]++;
    }
}

hr_status hr_hash_blocks_init(hr_hash_blocks *blocks, const hr_hash_groups *groups, hr_error *err) {
    const size_t tables = groups->hashes->tables, left = groups->count % HR_HASH_BLOCK;
    const size_t count = (groups->count + HR_HASH_BLOCK - 1) / HR_HASH_BLOCK,
                 shelves = (count + HR_HASH_BLOCK - 1) / HR_HASH_BLOCK, size = tables * HR_HASH_BLOCK;
    *blocks = (hr_hash_blocks){.tables = tables, .count = count, .shelves = shelves};
    blocks->codes = malloc(count * size);
    blocks->shared = malloc(shelves * size);
    blocks->varied = calloc(shelves, HR_HASH_BLOCK);
    blocks->sizes = calloc(count, HR_HASH_BLOCK * sizeof *blocks->sizes);
    if (!blocks->codes || !blocks->shared || !blocks->varied || !blocks->sizes) return hr_fail_memory(err);
    memset(blocks->codes, NO_CODE, count * size);
    memset(blocks->shared, NO_CODE, shelves * size);
    for (size_t b = 0; b < count; b++) {
        set_block(blocks, groups, b);
        set_shared(blocks, b, b + 1 == count && left ? left : HR_HASH_BLOCK);
    }
    return HR_OK;
}

void hr_hash_blocks_done(hr_hash_blocks *blocks) {
    free(blocks->codes);
    free(blocks->shared);
    free(blocks->varied);
    free(blocks->sizes);
    *blocks = (hr_hash_blocks){0};
}

/* Counts up from what `counts` holds, and returns the largest. In registers, so that every code is loaded
 * once and no sum is. */
static uint8_t count_equal(const uint8_t *restrict columns, const uint8_t *restrict codes, size_t tables,
                           uint8_t *restrict counts) {
    uint8_t sums[HR_HASH_BLOCK], most = 0;
    memcpy(sums, counts, sizeof sums);
    for (size_t t = 0; t < tables; t++)
        for (size_t i = 0; i < HR_HASH_BLOCK; i++)
            sums[i] = (uint8_t)(sums[i] + (columns[t * HR_HASH_BLOCK + i] == codes[t]));
    for (size_t i = 0; i < HR_HASH_BLOCK; i++) most = sums[i] > most ? sums[i] : most;
    memcpy(counts, sums, sizeof sums);
    return most;
}

uint8_t hr_hash_block_counts(const hr_hash_blocks *blocks, size_t block, const uint8_t *codes,
                             uint8_t counts[HR_HASH_BLOCK]) {
    memset(counts, 0, HR_HASH_BLOCK);
    return count_equal(blocks->codes + block * blocks->tables * HR_HASH_BLOCK, codes, blocks->tables, counts);
}

uint8_t hr_hash_shelf_counts(const hr_hash_blocks *blocks, size_t shelf, const uint8_t *codes,
                             uint8_t counts[HR_HASH_BLOCK]) {
    memcpy(counts, blocks->varied + shelf * HR_HASH_BLOCK, HR_HASH_BLOCK);
    return count_equal(blocks->shared + shelf * blocks->tables * HR_HASH_BLOCK, codes, blocks->tables,
                       counts);
}

uint32_t hr_hash_block_records(const hr_hash_blocks *blocks, size_t block,
                               const uint8_t counts[HR_HASH_BLOCK], uint8_t count) {
    const uint32_t *sizes = blocks->sizes + block * HR_HASH_BLOCK;
    uint32_t records = 0;
    for (size_t i = 0; i < HR_HASH_BLOCK; i++) records += counts[i] == count ? sizes[i] : 0;
    return records;
}
