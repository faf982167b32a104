/* Parts of a table that ranks have in memory already, one behind the other in the order of the ranks: what
 * all of them know of the whole afterwards. */
#include "trees/cluster/share_part.h"

#include "base/fail.h"
#include "tables/data/cell_file.h"
#include "tables/data/records.h"
#include "trees/cluster/same_table.h"

#include <stdlib.h>

/* ---- Whose rows are whose ---- */

hr_status hr_rank_parts_begin(hr_cluster *c, hr_error *err) {
    free(c->begin);
    c->begin = calloc(hr_cluster_size(c) + 1, sizeof *c->begin);
    return hr_cluster_agree(c, c->begin ? HR_OK : hr_fail_memory(err), err);
}

static hr_status share_rows(hr_cluster *c, const hr_data *data, hr_error *err) {
    const size_t size = hr_cluster_size(c);
    int64_t *rows = calloc(size, sizeof *rows);
    if (rows) rows[hr_cluster_rank(c)] = (int64_t)data->rows;
    hr_status status = hr_rank_link_sum_everywhere(c->link, rows, size, err);
    for (size_t r = 0; rows && r < size; r++) c->begin[r + 1] = c->begin[r] + (size_t)rows[r];
    if (!status && !rows) status = hr_fail_memory(err);
    free(rows);
    if (status || hr_cluster_rows(c) <= HR_ROWS_MAX) return status;
    return hr_fail(err, HR_E_LIMIT, "train on a part of the records", "more than %u records", HR_ROWS_MAX);
}

/* ---- What is known of the whole ---- */

static hr_status add_reports(hr_cluster *c, hr_data *data, hr_error *err) {
    _Static_assert(sizeof(hr_column_report) == 4 * sizeof(int64_t), "a report is four counts");
    int64_t skipped = (int64_t)data->skipped;
    hr_status status = hr_rank_link_sum_everywhere(c->link, (int64_t *)(void *)data->reports,
                                                   4 * (data->feature_count + 1), err);
    if (!status) status = hr_rank_link_sum_everywhere(c->link, &skipped, 1, err);
    data->skipped = (uint64_t)skipped;
    return status;
}

hr_status hr_rank_set_whole(hr_cluster *c, hr_data *data, hr_error *err) {
    double low, high;
    hr_data_label_range(data, &low, &high);
    low = -low;
    hr_status status = hr_rank_link_largest(c->link, &low, err);
    if (!status) status = hr_rank_link_largest(c->link, &high, err);
    data->whole = (hr_data_whole){hr_cluster_rows(c), -low, high};
    return status || !data->persons ? status : hr_rank_persons_share(c, data, err);
}

hr_status hr_rank_share_part(hr_cluster *c, hr_data *data, hr_error *err) {
    hr_status status = hr_rank_parts_begin(c, err);
    if (!status) status = hr_cluster_agree(c, share_rows(c, data, err), err);
    if (!status) status = hr_cluster_agree(c, add_reports(c, data, err), err);
    return status ? status : hr_rank_set_whole(c, data, err);
}

/* ---- Tables in memory ---- */

static hr_status check_part(const hr_cluster *c, const hr_data *data, hr_error *err) {
    if (c->begin || data->shared || data->whole.rows)
        return hr_fail(err, HR_E_ARGUMENT,
                       "join the ranks anew, and make their tables anew, also where sharing them failed",
                       "ranks share one table, once");
    if (data->labels) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "give the label of every record",
                   "a table without labels is not trained on");
}

/* Of the hash of each identifier, since tables in memory have no more of it. */
static void hash_persons(hr_data *data, const uint8_t *key) {
    for (size_t p = 0; p < data->person_count; p++) {
        const hr_person_hash plain = data->person_hashes[p];
        hr_prf(key, &plain, sizeof plain, (uint8_t *)&data->person_hashes[p]);
    }
}

/* Rank r's bins, 0 of a table of values, and a checksum of its cache, at r and size + r. */
static hr_status compare_caches(const int64_t *caches, size_t size, hr_error *err) {
    for (size_t r = 1; r < size; r++) {
        if (caches[r] != caches[0])
            return hr_fail(
                err, HR_E_ARGUMENT, "give all ranks binned caches of the same bins, or none",
                "rank %zu has a binned cache of other bins than rank 0, or one of the two has none", r);
        for (size_t q = 0; caches[r] && q < r; q++)
            if (caches[size + q] == caches[size + r])
                return hr_fail(err, HR_E_ARGUMENT, "give each rank a cache of records of its own",
                               "ranks %zu and %zu have the same binned cache: every record in it would count "
                               "twice",
                               q, r);
    }
    return HR_OK;
}

/* All ranks find the same. */
static hr_status share_caches(hr_cluster *c, const hr_data *data, hr_error *err) {
    const size_t size = hr_cluster_size(c), rank = hr_cluster_rank(c);
    int64_t *caches = calloc(2 * size, sizeof *caches);
    if (caches && data->cells) {
        caches[rank] = data->cells->header.bins;
        caches[size + rank] = (int64_t)data->cells->header.front_checksum;
    }
    hr_status status = hr_cluster_agree(c, caches ? HR_OK : hr_fail_memory(err), err);
    if (!status) status = hr_rank_link_sum_everywhere(c->link, caches, 2 * size, err);
    if (!status) status = compare_caches(caches, size, err);
    free(caches);
    return status;
}

hr_status hr_cluster_share(hr_cluster *c, hr_data *data, hr_error *err) {
    uint8_t key[HR_PRF_KEY];
    hr_status status = hr_cluster_agree(c, check_part(c, data, err), err);
    if (!status) status = hr_rank_same_schema(c, data->schema, err);
    if (!status) status = share_caches(c, data, err);
    if (!status && data->persons) status = hr_rank_persons_key(c, key, err);
    if (status) return status;
    data->shared = true; /* hashes of two keys would not find a person at two ranks */
    if (data->persons) hash_persons(data, key);
    status = hr_rank_share_part(c, data, err);
    c->serving = !status;
    return status;
}
