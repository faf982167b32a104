#include "tables/bins/binned.h"
#include "base/arena.h"
#include "base/fail.h"
#include "base/kernels/kernels.h"
#include "base/team.h"
#include "tables/data/cell_file.h"
#include "tables/data/columns.h"
#include "tables/data/records.h"

#include <stdlib.h>
#include <string.h>

/* A search takes about as much memory as the bins of 5,000 records; of few records it is not worth it. */
enum { LINE = 64, BLOCK = 256, TOGETHER = HR_TEAM_RECORDS / BLOCK, SEARCHED_ROWS = 16384 };
/* Each of them a byte a record for the time: less than what training takes after that. */
enum { REORDERED_TOGETHER = 8 };

/* Vectors that begin at one of the last records read up to HR_VECTOR_ROWS - 1 bytes behind a column. */
static uint8_t *bytes_new(size_t count, size_t each) {
    if (each && count > (SIZE_MAX - HR_VECTOR_ROWS) / each) return NULL;
    return hr_pages_new(count * each + HR_VECTOR_ROWS);
}

static size_t spare_size(const hr_binned *binned) {
    return binned->features * binned->column_stride;
}

void hr_binned_free(hr_binned *binned) {
    if (!binned) return;
    if (!binned->mapped) free(binned->columns);
    hr_spare_map_done(binned->spare, spare_size(binned));
    free(binned->tiles);
    if (binned->sparse) hr_sparse_bins_done(binned->sparse);
    free(binned->sparse);
    free(binned);
}

/* search: NULL, or how the column is searched. */
static void bin_numbers(const hr_feature_bins *feature, const hr_search *search, const double *values,
                        size_t count, uint8_t *out) {
    if (search)
        hr_bins_of_numbers(search, &(hr_number_block){values, count, NULL}, out);
    else
        for (size_t i = 0; i < count; i++) out[i] = hr_bin_of_number(feature, values[i]);
}

typedef struct bin_task {
    const hr_data *data;
    const hr_search *searches;
    hr_binned *binned;
} bin_task;

/* One block of rows of all features: in a table by rows they share cache lines. */
static void bin_block(void *of, size_t member, size_t begin, size_t end) {
    const bin_task *t = of;
    const hr_data *data = t->data;
    const hr_search *searches = t->searches;
    hr_binned *binned = t->binned;
    const size_t count = end - begin;
    (void)member;
    double numbers[HR_DATA_BLOCK];
    uint16_t codes[HR_DATA_BLOCK];
    for (size_t f = 0; f < binned->features; f++) {
        const hr_feature_bins *feature = &binned->binning->features[f];
        uint8_t *out = binned->columns + f * binned->column_stride + begin;
        if (feature->kind == HR_KIND_NUMBER)
            bin_numbers(feature, searches ? &searches[f] : NULL,
                        hr_data_number_block(data, f, begin, count, numbers), count, out);
        else
            hr_bins_of_codes(feature, hr_data_code_block(data, f, begin, count, codes), count, out);
    }
}

/* Turns BLOCK records of one tile from columns into rows. */
static void tile_block(hr_binned *binned, size_t tile, size_t begin) {
    size_t end = begin + BLOCK < binned->rows ? begin + BLOCK : binned->rows;
    size_t first = tile * HR_TILE,
           count = binned->features - first < HR_TILE ? binned->features - first : HR_TILE;
    uint8_t *to = binned->tiles + (tile * binned->rows + begin) * HR_TILE;
    if (count < HR_TILE) memset(to, 0, (end - begin) * HR_TILE);
    for (size_t f = 0; f < count; f++) {
        const uint8_t *from = hr_binned_column(binned, first + f);
        for (size_t i = begin; i < end; i++) to[(i - begin) * HR_TILE + f] = from[i];
    }
}

/* Tile after tile, block after block. */
static void tile_blocks(void *of, size_t member, size_t begin, size_t end) {
    hr_binned *binned = of;
    const size_t blocks = (binned->rows + BLOCK - 1) / BLOCK;
    (void)member;
    for (size_t k = begin; k < end; k++) tile_block(binned, k / blocks, k % blocks * BLOCK);
}

/* Without bins. NULL when memory is short. */
static hr_binned *new_binned(const hr_data *data, const hr_binning *binning) {
    hr_binned *binned = calloc(1, sizeof *binned);
    if (!binned) return NULL;
    binned->rows = hr_data_rows(data);
    binned->features = binning->feature_count;
    binned->binning = binning;
    binned->weights = hr_data_weights(data);
    binned->exposures = data->exposures;
    return binned;
}

hr_status hr_binned_sparse(const hr_data *data, const hr_binning *binning, hr_binned **out, hr_error *err) {
    hr_binned *binned = new_binned(data, binning);
    if (!binned) return hr_fail_memory(err);
    binned->sparse = calloc(1, sizeof *binned->sparse);
    hr_status status =
        binned->sparse ? hr_sparse_bins_init(binned->sparse, data, binning, err) : hr_fail_memory(err);
    if (status)
        hr_binned_free(binned);
    else
        *out = binned;
    return status;
}

hr_status hr_binned_columns(const hr_data *data, const hr_binning *binning, int threads, hr_binned **out,
                            hr_error *err) {
    hr_binned *binned = new_binned(data, binning);
    if (!binned) return hr_fail_memory(err);
    binned->column_stride = (binned->rows + LINE - 1) / LINE * LINE;
    binned->tile_count = (binned->features + HR_TILE - 1) / HR_TILE;
    if (data->cells) {
        binned->mapped = data->cells;
        binned->columns = (uint8_t *)data->cells->cells; /* never written: mapped */
        binned->column_stride = data->cells->layout.stride;
        *out = binned;
        return HR_OK;
    }
    binned->columns = bytes_new(binned->features, binned->column_stride);
    bool searched = binned->rows >= SEARCHED_ROWS;
    hr_arena *arena = searched ? hr_arena_new() : NULL;
    const hr_search *searches = searched ? hr_binning_searches(binning, arena) : NULL;
    if (!binned->columns || (searched && !searches)) {
        hr_arena_free(arena);
        hr_binned_free(binned);
        return hr_fail_memory(err);
    }
    hr_team_share((size_t)threads, binned->rows, HR_DATA_BLOCK, bin_block,
                  &(bin_task){data, searches, binned});
    hr_arena_free(arena);
    *out = binned;
    return HR_OK;
}

hr_status hr_binned_new(const hr_data *data, const hr_binning *binning, int threads, hr_binned **out,
                        hr_error *err) {
    hr_binned *binned = NULL;
    hr_status status = hr_binned_columns(data, binning, threads, &binned, err);
    if (status) return status;
    status = hr_binned_add_tiles(binned, threads, err);
    if (status)
        hr_binned_free(binned);
    else
        *out = binned;
    return status;
}

hr_status hr_binned_add_tiles(hr_binned *binned, int threads, hr_error *err) {
    binned->tiles = bytes_new(binned->tile_count * HR_TILE, binned->rows);
    if (!binned->tiles) return hr_fail_memory(err);
    size_t blocks = (binned->rows + BLOCK - 1) / BLOCK;
    hr_team_share((size_t)threads, blocks * binned->tile_count, TOGETHER, tile_blocks, binned);
    return HR_OK;
}

/* Rows of one block stand together and ascend: reading skips forward. */
static hr_status reorder_mapped(hr_binned *binned, const uint32_t *order, hr_error *err) {
    uint8_t *spare = NULL;
    hr_status status = hr_spare_map(binned->mapped->path, spare_size(binned), &spare, err);
    if (status) return status;
    for (size_t f = 0; f < binned->features; f++) {
        const uint8_t *before = hr_binned_column(binned, f);
        uint8_t *after = spare + f * binned->column_stride;
        for (size_t i = 0; i < binned->rows; i++) after[i] = before[order[i]];
        hr_cell_file_release(binned->mapped);
        hr_spare_map_release(after, binned->column_stride);
    }
    binned->columns = binned->spare = spare;
    return HR_OK;
}

typedef struct reordering {
    const hr_binned *binned;
    const uint32_t *order;
    uint8_t *before; /* of a column, one a member */
} reordering;

static void reorder_columns(void *of, size_t member, size_t begin, size_t end) {
    const reordering *r = of;
    const size_t rows = r->binned->rows;
    uint8_t *before = r->before + member * rows;
    for (size_t f = begin; f < end; f++) {
        uint8_t *column = r->binned->columns + f * r->binned->column_stride;
        memcpy(before, column, rows);
        for (size_t i = 0; i < rows; i++) column[i] = before[r->order[i]];
    }
}

hr_status hr_binned_reorder(hr_binned *binned, const uint32_t *order, int threads, hr_error *err) {
    if (binned->mapped) return reorder_mapped(binned, order, err);
    const size_t members = threads < REORDERED_TOGETHER ? (size_t)threads : REORDERED_TOGETHER;
    reordering r = {binned, order, malloc(members * binned->rows + 1)};
    if (!r.before) return hr_fail_memory(err);
    hr_team_share(members, binned->features, 1, reorder_columns, &r);
    free(r.before);
    return HR_OK;
}
