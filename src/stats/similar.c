#include "stats/similar.h"

#include "base/fail.h"
#include "data/records.h"
#include "stats/hash_groups.h"
#include "stats/lsh.h"

#include <stdlib.h>

static uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t equal_hashes(const int16_t *a, const int16_t *b, size_t tables) {
    size_t equal = 0;
    for (size_t t = 0; t < tables; t++) equal += a[t] == b[t];
    return equal;
}

typedef struct similar_search {
    const hr_hashes *of, *among;
    hr_hash_groups groups; /* of `among` */
} similar_search;

static uint32_t group_size(const hr_hash_groups *groups, size_t g) {
    return groups->begins[g + 1] - groups->begins[g];
}

static uint32_t most_similar(const similar_search *s, size_t row) {
    const int16_t *query = s->of->at + row * s->of->tables;
    size_t most = 0, ties = 0;
    for (size_t g = 0; g < s->groups.count; g++) {
        const size_t equal = equal_hashes(query, hr_hash_group(&s->groups, s->among, g), s->of->tables);
        if (equal < most) continue;
        ties = (equal > most ? 0 : ties) + group_size(&s->groups, g);
        most = equal;
    }
    size_t left = mix(row) % ties, g = 0;
    for (;; g++) {
        if (equal_hashes(query, hr_hash_group(&s->groups, s->among, g), s->of->tables) != most) continue;
        if (left < group_size(&s->groups, g)) break;
        left -= group_size(&s->groups, g);
    }
    return s->groups.rows[s->groups.begins[g] + left];
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

hr_status hr_similar(const hr_hashes *of, const hr_hashes *among, int threads, uint32_t *out, hr_error *err) {
    similar_search s = {.of = of, .among = among};
    hr_status status = check_similar(of, among, err);
    if (!status) status = hr_hash_groups_init(&s.groups, among, err);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64) if (!status)
    for (size_t row = 0; row < (status ? 0 : of->rows); row++) out[row] = most_similar(&s, row);
    hr_hash_groups_done(&s.groups);
    return status;
}
