#include "trees/similar/similar.h"

#include "base/fail.h"
#include "base/team.h"
#include "privacy/crypto/prf.h"
#include "tables/data/records.h"
#include "trees/similar/hash_blocks.h"
#include "trees/similar/lsh.h"

#include <stdlib.h>
#include <string.h>

/* Queries that are looked up together: a shelf of blocks stays in the cache for all of them. */
enum { BATCH = 32 };

/* A block of which groups tie, and how many records tie in those before. */
typedef struct tied_block {
    uint32_t block, before;
} tied_block;

/* One group of equal queries, and what has been found for it. */
typedef struct similar_query {
    const int16_t *hashes;
    uint8_t codes[HR_LSH_TABLES_MAX];
    uint8_t most;  /* equal hashes, so far */
    uint32_t ties; /* records that have as many */
    size_t tied_blocks;
    tied_block *tied; /* room for all blocks */
} similar_query;

typedef struct similar_search {
    hr_hash_groups of, among;
    hr_hash_blocks blocks;
    bool codes_suffice; /* equal codes are equal hashes */
    uint64_t coins;
    uint32_t *out;
    similar_query *queries; /* member, query of a batch */
} similar_search;

/* What splitmix64 returns after `row` other numbers. */
static uint64_t coin_of_row(uint64_t coins, uint64_t row) {
    uint64_t z = coins + (row + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint8_t equal_hashes(const int16_t *a, const int16_t *b, size_t tables) {
    uint8_t equal = 0;
    for (size_t t = 0; t < tables; t++) equal = (uint8_t)(equal + (a[t] == b[t]));
    return equal;
}

static void forget_ties(similar_query *query) {
    query->ties = 0;
    query->tied_blocks = 0;
}

/* Replaces counts of codes by those of hashes where they matter, and returns the largest. */
static uint8_t count_hashes_again(const similar_search *s, const similar_query *query, size_t block,
                                  uint8_t *counts) {
    const size_t first = block * HR_HASH_BLOCK;
    uint8_t most = 0;
    for (size_t i = 0; i < HR_HASH_BLOCK && first + i < s->among.count; i++) {
        if (counts[i] >= query->most)
            counts[i] = equal_hashes(query->hashes, hr_hash_group(&s->among, first + i), s->blocks.tables);
        most = counts[i] > most ? counts[i] : most;
    }
    return most;
}

static void search_block(const similar_search *s, similar_query *query, size_t block) {
    uint8_t counts[HR_HASH_BLOCK];
    uint8_t most = hr_hash_block_counts(&s->blocks, block, query->codes, counts);
    if (most >= query->most && !s->codes_suffice) most = count_hashes_again(s, query, block, counts);
    if (most < query->most) return;
    if (most > query->most) forget_ties(query);
    query->most = most;
    query->tied[query->tied_blocks++] = (tied_block){(uint32_t)block, query->ties};
    query->ties += hr_hash_block_records(&s->blocks, block, counts, most);
}

static void search_shelf(const similar_search *s, similar_query *query, size_t shelf) {
    uint8_t counts[HR_HASH_BLOCK];
    if (hr_hash_shelf_counts(&s->blocks, shelf, query->codes, counts) < query->most) return;
    const size_t first = shelf * HR_HASH_BLOCK;
    for (size_t i = 0; i < HR_HASH_BLOCK && first + i < s->blocks.count; i++)
        if (counts[i] >= query->most) search_block(s, query, first + i);
}

/* Looks where groups share the most first hashes with it. */
static void begin_query(const similar_search *s, similar_query *query, size_t g) {
    query->hashes = hr_hash_group(&s->of, g);
    query->most = 0;
    forget_ties(query);
    hr_hash_codes(query->hashes, s->blocks.tables, query->codes);
    search_block(s, query, hr_hash_groups_find(&s->among, query->hashes) / HR_HASH_BLOCK);
    if (query->most < s->blocks.tables) forget_ties(query);
}

/* Whether no two hashes differ by as much as there are codes. */
static bool are_codes_distinct(const hr_hashes *of, const hr_hashes *among) {
    const hr_hash_range range = hr_hash_range_of(among, hr_hash_range_of(of, HR_HASH_RANGE_NONE));
    return range.high - range.low < HR_HASH_CODES;
}

/* Record number `number` of those that tie. */
static uint32_t take_tie(const similar_search *s, const similar_query *query, uint32_t number) {
    size_t low = 0, high = query->tied_blocks;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (query->tied[middle].before > number)
            high = middle;
        else
            low = middle;
    }
    number -= query->tied[low].before;
    for (size_t g = (size_t)query->tied[low].block * HR_HASH_BLOCK;; g++) {
        const uint32_t size = hr_hash_group_size(&s->among, g);
        if (equal_hashes(query->hashes, hr_hash_group(&s->among, g), s->blocks.tables) != query->most)
            continue;
        if (number < size) return s->among.rows[s->among.begins[g] + number];
        number -= size;
    }
}

static void end_query(const similar_search *s, const similar_query *query, size_t g) {
    for (size_t i = s->of.begins[g]; i < s->of.begins[g + 1]; i++) {
        const uint32_t row = s->of.rows[i];
        s->out[row] = take_tie(s, query, (uint32_t)(coin_of_row(s->coins, row) % query->ties));
    }
}

static void search_batch(void *of, size_t member, size_t begin, size_t end) {
    const similar_search *s = of;
    similar_query *queries = s->queries + member * BATCH;
    const size_t count = end - begin;
    for (size_t i = 0; i < count; i++) begin_query(s, &queries[i], begin + i);
    for (size_t shelf = 0; shelf < s->blocks.shelves; shelf++)
        for (size_t i = 0; i < count; i++)
            if (queries[i].most < s->blocks.tables) search_shelf(s, &queries[i], shelf);
    for (size_t i = 0; i < count; i++) end_query(s, &queries[i], begin + i);
}

static hr_status search_batches(similar_search *s, size_t members, hr_error *err) {
    const size_t blocks = s->blocks.count;
    tied_block *tied = calloc(members * BATCH, blocks * sizeof *tied);
    s->queries = calloc(members * BATCH, sizeof *s->queries);
    hr_status status = s->queries && tied ? HR_OK : hr_fail_memory(err);
    if (!status) {
        for (size_t i = 0; i < members * BATCH; i++) s->queries[i].tied = tied + i * blocks;
        hr_team_share(members, s->of.count, BATCH, search_batch, s);
    }
    free(s->queries);
    free(tied);
    return status;
}

static hr_status check_similar(const hr_hashes *of, const hr_hashes *among, hr_error *err) {
    if (!among->rows)
        return hr_fail(err, HR_E_ARGUMENT, "leave out owners without records",
                       "there are no records to find similar ones among");
    if (of->tables != among->tables || !of->tables || of->tables > HR_LSH_TABLES_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "hash all records with the same setup",
                       "hashes are of %zu tables and of %zu", of->tables, among->tables);
    if (of->rows > HR_ROWS_MAX || among->rows > HR_ROWS_MAX)
        return hr_fail(err, HR_E_LIMIT, "use fewer records", "more than %u records have hashes", HR_ROWS_MAX);
    return HR_OK;
}

uint64_t hr_similar_coins(const uint8_t *lsh_coins, size_t of, size_t among) {
    static const char purpose[] = "ties of similar records";
    const size_t pair[] = {of, among};
    uint8_t text[sizeof purpose + 2 * sizeof(uint64_t)], bytes[HR_PRF_SIZE];
    uint64_t coins = 0;
    memcpy(text, purpose, sizeof purpose);
    for (size_t i = 0; i < 16; i++)
        text[sizeof purpose + i] = (uint8_t)((uint64_t)pair[i / 8] >> 8 * (i % 8));
    hr_prf(lsh_coins, text, sizeof text, bytes);
    for (int i = 0; i < 8; i++) coins |= (uint64_t)bytes[i] << 8 * i;
    return coins;
}

hr_status hr_similar(const hr_hashes *of, const hr_hashes *among, uint64_t coins, int threads, uint32_t *out,
                     hr_error *err) {
    similar_search s = {.coins = coins, .out = out};
    hr_status status = check_similar(of, among, err);
    if (!status) s.codes_suffice = are_codes_distinct(of, among);
    if (!status) status = hr_hash_groups_init(&s.of, of, err);
    if (!status) status = hr_hash_groups_init(&s.among, among, err);
    if (!status) status = hr_hash_blocks_init(&s.blocks, &s.among, err);
    if (!status) status = search_batches(&s, threads > 1 ? (size_t)threads : 1, err);
    hr_hash_blocks_done(&s.blocks);
    hr_hash_groups_done(&s.among);
    hr_hash_groups_done(&s.of);
    return status;
}
