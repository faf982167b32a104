/* Rows with all hashes equal, brought together. */
#ifndef HR_STATS_HASH_GROUPS_H
#define HR_STATS_HASH_GROUPS_H

#include "stats/similar.h"

typedef struct hr_hash_groups {
    size_t count;
    uint32_t *rows;   /* those of group g, ascending: rows[begins[g]] to rows[begins[g + 1] - 1] */
    uint32_t *begins; /* count + 1; groups stand in the order of their first rows */
} hr_hash_groups;

/* Takes 16 bytes for each row while it runs and 8 after it. Call hr_hash_groups_done in either case. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_hash_groups_init(hr_hash_groups *groups, const hr_hashes *hashes, hr_error *err);
void hr_hash_groups_done(hr_hash_groups *groups);

static inline const int16_t *hr_hash_group(const hr_hash_groups *groups, const hr_hashes *hashes, size_t g) {
    return hashes->at + groups->rows[groups->begins[g]] * hashes->tables;
}

#endif
