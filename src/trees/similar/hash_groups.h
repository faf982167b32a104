/* Rows with all hashes equal, brought together. The order of tables is that in which they separate rows: the
 * table with the fewest pairs of rows with equal hashes comes first; of two with as many, the one that is
 * counted first. */
#ifndef HR_TREES_SIMILAR_HASH_GROUPS_H
#define HR_TREES_SIMILAR_HASH_GROUPS_H

#include "trees/similar/lsh.h"
#include "trees/similar/similar.h"

typedef struct hr_hash_groups {
    const hr_hashes *hashes;
    size_t count;
    uint32_t *rows;   /* those of group g, ascending: rows[begins[g]] to rows[begins[g + 1] - 1] */
    uint32_t *begins; /* count + 1; groups ascend by their hashes of table order[0], then order[1], ... */
    uint8_t order[HR_LSH_TABLES_MAX];
} hr_hash_groups;

/* The least and the greatest hash. */
typedef struct hr_hash_range {
    int low, high;
} hr_hash_range;
#define HR_HASH_RANGE_NONE ((hr_hash_range){INT16_MAX, INT16_MIN})

/* `range`, widened to hold all hashes. */
hr_hash_range hr_hash_range_of(const hr_hashes *hashes, hr_hash_range range);

/* Takes 8 bytes for each row, and 8 more while it runs. Call hr_hash_groups_done in either case. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_hash_groups_init(hr_hash_groups *groups, const hr_hashes *hashes, hr_error *err);
void hr_hash_groups_done(hr_hash_groups *groups);

static inline const int16_t *hr_hash_group(const hr_hash_groups *groups, size_t g) {
    return groups->hashes->at + groups->rows[groups->begins[g]] * groups->hashes->tables;
}

static inline uint32_t hr_hash_group_size(const hr_hash_groups *groups, size_t g) {
    return groups->begins[g + 1] - groups->begins[g];
}

/* The last group whose hashes are not above these; the first group if there is none. */
size_t hr_hash_groups_find(const hr_hash_groups *groups, const int16_t *hashes);

#endif
