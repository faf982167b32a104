/* A rank's part of a table. Parts are neighbouring files, ranges of their bytes, or ranges of rows, so that
 * the table is all parts in the order of the ranks, whatever their number: coins that are drawn record by
 * record meet the same records. */
#include "tables/data/records.h"
#include "tables/source/origins.h"
#include "trees/cluster/cluster.h"
#include "trees/cluster/ranges.h"
#include "trees/cluster/same_table.h"
#include "trees/cluster/share_part.h"

#include <stdlib.h>
#include <string.h>

/* ---- What can be shared out ---- */

static hr_status check_cluster_table(const hr_cluster_table *table, hr_error *err) {
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->paths[i], "-") != 0) continue;
        return hr_fail(err, HR_E_ARGUMENT, "write it to a file that all of them can read",
                       "only one rank has a standard input");
    }
    if (table->options && table->options->query)
        return hr_fail(err, HR_E_ARGUMENT, "write the query's rows to files ('psql --csv'), and name these",
                       "ranks cannot share out the rows of a query, which have no order");
    hr_origins origins = {0}; /* of all ranks: none of them reads all files */
    hr_status status = hr_origins_add_paths(&origins, table->paths, table->count, err);
    hr_origins_done(&origins);
    return status;
}

static bool has_files_for_all(const hr_cluster *c, const hr_cluster_table *table) {
    return table->count >= hr_cluster_size(c);
}

/* The first of `count` things that rank r has; those of r + 1 follow. */
static size_t first_of_rank(const hr_cluster *c, size_t count, size_t rank) {
    return (size_t)((uint64_t)count * rank / hr_cluster_size(c));
}

/* Each rank has files of its own, or ranges; else all files are read by each. */
static hr_table_part part_of_rank(const hr_cluster *c, const hr_cluster_table *table,
                                  const hr_rank_ranges *ranges) {
    if (ranges->part.count) return ranges->part;
    if (!has_files_for_all(c, table)) return (hr_table_part){.paths = table->paths, .count = table->count};
    const size_t begin = first_of_rank(c, table->count, hr_cluster_rank(c)),
                 end = first_of_rank(c, table->count, hr_cluster_rank(c) + 1);
    return (hr_table_part){.paths = table->paths + begin, .count = end - begin};
}

/* ---- Ranges of rows ---- */

/* Every rank has read all rows. */
static hr_status share_rows(hr_cluster *c, const hr_data *data, hr_error *err) {
    int64_t least = (int64_t)data->rows, minus_most = -least;
    hr_status status = hr_rank_link_least(c->link, &least, err);
    if (!status) status = hr_rank_link_least(c->link, &minus_most, err);
    for (size_t r = 0; r <= hr_cluster_size(c); r++) c->begin[r] = first_of_rank(c, data->rows, r);
    if (status || least == -minus_most) return status ? status : hr_rank_same_contents(c, data->origins, err);
    return hr_fail(err, HR_E_IO, "give all ranks the same files, and let nobody write to them",
                   "ranks found different tables: some have more rows than others");
}

/* A copy of this rank's rows, with what is known of the whole. */
static hr_status keep_own_rows(const hr_cluster *c, hr_data **data, hr_error *err) {
    const size_t begin = c->begin[hr_cluster_rank(c)], count = c->begin[hr_cluster_rank(c) + 1] - begin;
    uint32_t *rows = malloc((count + 1) * sizeof *rows);
    for (size_t i = 0; rows && i < count; i++) rows[i] = (uint32_t)(begin + i);
    hr_data *own = rows ? hr_data_take(*data, rows, count) : NULL;
    free(rows);
    if (!own) return hr_fail_memory(err);
    memcpy(own->reports, (*data)->reports, (own->feature_count + 1) * sizeof *own->reports);
    own->origins = (*data)->origins;
    (*data)->origins = NULL;
    own->extra = (*data)->extra;
    own->skipped = (*data)->skipped;
    hr_data_free(*data);
    *data = own;
    return HR_OK;
}

/* ---- Which files are equal ---- */

/* Each rank has read files of its own. */
static hr_status share_whole_files(hr_cluster *c, const hr_origins *own, hr_rank_content *contents,
                                   size_t count, hr_error *err) {
    _Static_assert(sizeof *contents == 3 * sizeof(int64_t), "a content is three words");
    const size_t begin = first_of_rank(c, count, hr_cluster_rank(c));
    for (size_t i = 0; i < own->count; i++)
        contents[begin + i] = (hr_rank_content){own->items[i].has_content, own->items[i].content};
    return hr_rank_link_sum_everywhere(c->link, (int64_t *)(void *)contents, 3 * count, err);
}

static hr_status refuse_equal_files(const hr_cluster_table *table, const hr_rank_content *contents,
                                    hr_origins *all, hr_error *err) {
    all->may_repeat = true; /* until contents are known, too */
    all->may_be_equal = table->options && table->options->allow_equal_files;
    hr_status status = hr_origins_add_paths(all, table->paths, table->count, err);
    if (!status && all->count != table->count)
        status = hr_fail(err, HR_E_IO, "leave the files alone while they are read",
                         "a file of the table is not there any more");
    for (size_t i = 0; !status && i < all->count; i++) {
        all->items[i].has_content = contents[i].has_records != 0;
        all->items[i].content = contents[i].content;
    }
    return status ? status : hr_origins_refuse_repeats(all, err);
}

/* No rank has read all files; afterwards every one knows what all of them hold. */
static hr_status share_contents(hr_cluster *c, const hr_cluster_table *table, const hr_rank_ranges *ranges,
                                hr_data *data, hr_error *err) {
    hr_rank_content *contents = calloc(table->count, sizeof *contents);
    hr_origins *all = calloc(1, sizeof *all);
    hr_status status = hr_cluster_agree(c, contents && all ? HR_OK : hr_fail_memory(err), err);
    if (!status && ranges->part.count)
        status = hr_rank_ranges_contents(c, ranges, table->count, contents, err);
    else if (!status)
        status = share_whole_files(c, data->origins, contents, table->count, err);
    if (!status) {
        status = hr_cluster_agree(c, refuse_equal_files(table, contents, all, err), err);
        hr_origins_done(data->origins);
        *data->origins = *all;
        *all = (hr_origins){0};
    }
    free(contents);
    free(all);
    return status;
}

/* ---- The table ---- */

static hr_status share_own_rows(hr_cluster *c, hr_data **data, hr_error *err) {
    hr_status status = hr_rank_parts_begin(c, err);
    if (!status) status = hr_cluster_agree(c, share_rows(c, *data, err), err);
    if (!status) status = hr_cluster_agree(c, keep_own_rows(c, data, err), err);
    return status ? status : hr_rank_set_whole(c, *data, err);
}

hr_status hr_cluster_read(hr_cluster *c, const hr_schema *schema, const hr_cluster_table *table,
                          hr_data **out, hr_error *err) {
    hr_data *data = NULL;
    hr_rank_ranges ranges = {0};
    uint8_t key[HR_PRF_KEY];
    hr_status status = hr_cluster_agree(c, check_cluster_table(table, err), err);
    if (!status) status = hr_rank_same_table(c, schema, table, err);
    if (!status && !has_files_for_all(c, table)) status = hr_rank_ranges_find(c, table, &ranges, err);
    if (!status && hr_schema_unit(schema)) status = hr_rank_persons_key(c, key, err);
    if (!status) {
        hr_table_part part = part_of_rank(c, table, &ranges);
        if (hr_schema_unit(schema)) part.key = key;
        status = hr_cluster_agree(c, hr_data_read_part(schema, &part, table->options, &data, err), err);
    }
    const bool by_parts = has_files_for_all(c, table) || ranges.part.count;
    if (!status && by_parts) status = share_contents(c, table, &ranges, data, err);
    if (!status) status = by_parts ? hr_rank_share_part(c, data, err) : share_own_rows(c, &data, err);
    hr_rank_ranges_done(&ranges);
    if (status) hr_data_free(data);
    if (status) return status;
    c->serving = true;
    *out = data;
    return HR_OK;
}
