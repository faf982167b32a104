/* The files stand one behind the other, and rank r of P has the bytes from r/P to (r + 1)/P of all: down to
 * the beginning of a chunk of its file. A record belongs to the rank that has its first byte.
 *
 * Each rank counts the lines and quotation marks of the last file that it has bytes of. A rank that begins
 * within a file has its state from these: every rank before it that has bytes of that file has no bytes of a
 * later one. */
#include "trees/cluster/ranges.h"

#include <stdlib.h>
#include <string.h>

typedef struct table_ranges {
    hr_cluster *cluster;
    const hr_cluster_table *table;
    hr_file_layout *layouts; /* by file */
    uint64_t *begins;        /* by file: bytes of those before it; and of all */
    hr_rank_ranges *out;
    int64_t *counts; /* by rank: lines and marks of its last file */
} table_ranges;

enum { COUNTS = 2 };

/* ---- Who has what ---- */

/* The byte of a file at which rank r begins; r may be the number of ranks. */
static uint64_t cut_of(const table_ranges *t, size_t file, size_t rank) {
    const size_t ranks = hr_cluster_size(t->cluster);
    const uint64_t total = t->begins[t->table->count], before = t->begins[file],
                   at = total / ranks * rank + total % ranks * rank / ranks, size = t->layouts[file].size;
    if (at <= before) return 0;
    return at - before >= size ? size : (at - before) / HR_CHUNK_BYTES * HR_CHUNK_BYTES;
}

static void bytes_of(const table_ranges *t, size_t file, size_t rank, uint64_t range[2]) {
    range[0] = cut_of(t, file, rank);
    range[1] = cut_of(t, file, rank + 1);
}

/* The last file that a rank has bytes of; the number of files: none. */
static size_t last_file(const table_ranges *t, size_t rank) {
    uint64_t range[2];
    for (size_t f = t->table->count; f-- > 0;) {
        bytes_of(t, f, rank, range);
        if (range[0] < range[1]) return f;
    }
    return t->table->count;
}

/* ---- Layouts ---- */

/* Whether all ranks found the same files, which all can be cut. */
static hr_status compare_layouts(table_ranges *t, bool mine, bool *all, hr_error *err) {
    const size_t size = t->table->count * sizeof *t->layouts;
    hr_rank_link *link = t->cluster->link;
    int64_t least = mine;
    hr_status status = hr_rank_link_least(link, &least, err);
    *all = least != 0;
    if (status || !*all) return status;
    hr_file_layout *first = malloc(size);
    if (first) memcpy(first, t->layouts, size);
    status = hr_rank_link_broadcast(link, 0, first, size, err);
    if (!status && !first)
        status = hr_fail_memory(err);
    else if (!status && memcmp(first, t->layouts, size) != 0)
        status = hr_fail(err, HR_E_IO, "give all ranks the same files, and let nobody write to them",
                         "ranks found different tables: a file is not as long at one as at another");
    free(first);
    return hr_cluster_agree(t->cluster, status, err);
}

/* Parquet files are equal by their cells, and ranges know bytes: one is cut where no other can equal it. */
static hr_status find_layouts(table_ranges *t, bool *all, hr_error *err) {
    bool mine = true;
    for (size_t f = 0; mine && f < t->table->count; f++)
        mine = hr_file_layout_find(t->table->paths[f], t->table->options, &t->layouts[f]) &&
               (!t->layouts[f].groups || t->table->count == 1);
    for (size_t f = 0; f < t->table->count; f++) t->begins[f + 1] = t->begins[f] + t->layouts[f].size;
    return compare_layouts(t, mine, all, err);
}

/* ---- Counts ---- */

static hr_status count_own(table_ranges *t, hr_error *err) {
    const size_t rank = hr_cluster_rank(t->cluster), last = last_file(t, rank);
    hr_status status = HR_OK;
    for (size_t f = 0; !status && f < t->table->count; f++) {
        uint64_t range[2];
        hr_file_place place = {0};
        bytes_of(t, f, rank, range);
        if (range[0] == range[1]) continue;
        status = hr_file_count(t->table->paths[f], &t->layouts[f], range, &place,
                               t->out->chunk_sums + f * HR_CHUNK_SUMS, err);
        if (f != last) continue;
        t->counts[rank * COUNTS] = (int64_t)place.lines;
        t->counts[rank * COUNTS + 1] = (int64_t)place.marks;
    }
    return hr_cluster_agree(t->cluster, status, err);
}

/* Where a rank begins in a file: what the ranks before it counted there. */
static hr_file_place place_of(const table_ranges *t, size_t file, size_t rank) {
    const uint64_t cut = cut_of(t, file, rank), body = t->layouts[file].body;
    hr_file_place place = {.at = cut < body ? body : cut};
    for (size_t r = 0; r < rank; r++) {
        if (last_file(t, r) != file) continue;
        place.lines += (uint64_t)t->counts[r * COUNTS];
        place.marks += (uint64_t)t->counts[r * COUNTS + 1];
    }
    return place;
}

static hr_status set_range(table_ranges *t, size_t file, hr_error *err) {
    const size_t rank = hr_cluster_rank(t->cluster);
    const hr_file_layout *layout = &t->layouts[file];
    const char *path = t->table->paths[file];
    hr_file_place begin = place_of(t, file, rank), end = {.at = layout->size};
    hr_status status = hr_file_find_record(path, layout, &begin, err);
    if (cut_of(t, file, rank + 1) < layout->size) end = place_of(t, file, rank + 1);
    if (!status) status = hr_file_find_record(path, layout, &end, err);
    t->out->all[file] = (hr_byte_range){begin.at, end.at, layout->line + begin.lines, 0, layout->groups != 0};
    return status;
}

/* A rank without bytes has an empty range, so that it looks at a file at least. */
static hr_status set_ranges(table_ranges *t, hr_error *err) {
    const size_t rank = hr_cluster_rank(t->cluster), files = t->table->count;
    size_t begin = files, end = 0;
    hr_status status = HR_OK;
    for (size_t f = 0; !status && f < files; f++) {
        uint64_t range[2];
        bytes_of(t, f, rank, range);
        if (range[0] == range[1]) continue;
        status = set_range(t, f, err);
        if (begin == files) begin = f;
        end = f + 1;
    }
    if (begin == files) {
        const hr_file_layout *layout = &t->layouts[0];
        t->out->all[0] = (hr_byte_range){layout->body, layout->body, layout->line, 0, layout->groups != 0};
        begin = 0;
        end = 1;
    }
    t->out->first = begin;
    t->out->part = (hr_table_part){
        .paths = t->table->paths + begin, .count = end - begin, .ranges = t->out->all + begin};
    return hr_cluster_agree(t->cluster, status, err);
}

/* ---- All of it ---- */

hr_status hr_rank_ranges_find(hr_cluster *cluster, const hr_cluster_table *table, hr_rank_ranges *out,
                              hr_error *err) {
    const size_t ranks = hr_cluster_size(cluster);
    bool all = false;
    *out = (hr_rank_ranges){.all = calloc(table->count, sizeof *out->all),
                            .chunk_sums = calloc(table->count, HR_CHUNK_SUMS * sizeof *out->chunk_sums)};
    table_ranges t = {.cluster = cluster,
                      .table = table,
                      .layouts = calloc(table->count, sizeof *t.layouts),
                      .begins = calloc(table->count + 1, sizeof *t.begins),
                      .out = out,
                      .counts = calloc(ranks, COUNTS * sizeof *t.counts)};
    const bool made = out->all && out->chunk_sums && t.layouts && t.begins && t.counts;
    hr_status status = hr_cluster_agree(cluster, made ? HR_OK : hr_fail_memory(err), err);
    if (!status) status = find_layouts(&t, &all, err);
    if (!status && all) {
        status = count_own(&t, err);
        if (!status) status = hr_rank_link_sum_everywhere(cluster->link, t.counts, ranks * COUNTS, err);
        if (!status) status = set_ranges(&t, err);
    }
    free(t.layouts);
    free(t.begins);
    free(t.counts);
    return status;
}

void hr_rank_ranges_done(hr_rank_ranges *ranges) {
    free(ranges->all);
    free(ranges->chunk_sums);
    *ranges = (hr_rank_ranges){0};
}

hr_status hr_rank_ranges_contents(hr_cluster *cluster, const hr_rank_ranges *ranges, size_t files,
                                  hr_rank_content *contents, hr_error *err) {
    enum { WORDS = 1 + HR_CHUNK_SUMS };
    int64_t *words = calloc(files, WORDS * sizeof *words);
    hr_status status = hr_cluster_agree(cluster, words ? HR_OK : hr_fail_memory(err), err);
    for (size_t f = 0; !status && f < files; f++) {
        words[f * WORDS] = (int64_t)ranges->all[f].records;
        memcpy(words + f * WORDS + 1, ranges->chunk_sums + f * HR_CHUNK_SUMS, HR_CHUNK_SUMS * sizeof *words);
    }
    if (!status) status = hr_rank_link_sum_everywhere(cluster->link, words, files * WORDS, err);
    for (size_t f = 0; !status && f < files; f++) {
        const uint64_t *sums = (const uint64_t *)(const void *)(words + f * WORDS + 1);
        contents[f] =
            (hr_rank_content){words[f * WORDS] > 0, {sums[3] << 32 ^ sums[2], sums[1] << 32 ^ sums[0]}};
    }
    free(words);
    return status;
}
