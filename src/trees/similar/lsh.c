#include "trees/similar/lsh.h"

#include "base/arena.h"
#include "base/fail.h"
#include "base/team.h"
#include "privacy/crypto/prf.h"
#include "privacy/sample.h"
#include "tables/data/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits after the point: of planes, of records, and of their products. */
enum { PLANE_BITS = 20, POINT_BITS = 20, PRODUCT_BITS = PLANE_BITS + POINT_BITS };
enum { POINT_ONE = 1 << POINT_BITS };
/* 16 standard deviations; dimensions times PLANE_MAX times POINT_ONE is at most 2^61, and twice
 * that for differences of records. */
enum { PLANE_MAX = 16 << PLANE_BITS };
enum { BLOCK = 128 };

struct hr_lsh {
    hr_arena *arena;
    const hr_schema *schema;
    size_t tables, dimensions;
    double range;
    uint64_t width;    /* r / range, PRODUCT_BITS */
    int32_t *planes;   /* dimension by dimension: a of every table */
    uint64_t *offsets; /* b of every table */
    int64_t *starts;   /* of every table: what a sum begins with; sums from there are >= 0 */
    int64_t lowest;    /* the hash of the sum 0 */
};

static size_t dimensions_of_column(const hr_column *column) {
    return column->kind == HR_KIND_NUMBER || column->value_count == 2 ? 1 : column->value_count;
}

static bool is_one_hot(const hr_column *column) {
    return column->kind == HR_KIND_CATEGORY && column->value_count != 2;
}

static size_t dimensions_of_schema(const hr_schema *schema) {
    size_t sum = 0;
    for (size_t f = 0; f < hr_schema_feature_count(schema); f++)
        sum += dimensions_of_column(hr_schema_feature(schema, f));
    return sum;
}

/* ---- Planes ---- */

hr_status hr_lsh_check_dimensions(const hr_schema *schema, hr_error *err) {
    const size_t dimensions = dimensions_of_schema(schema);
    if (dimensions && dimensions <= HR_LSH_DIMENSIONS_MAX) return HR_OK;
    return hr_fail(
        err, HR_E_LIMIT, "leave out categories with many values; each value counts as one dimension",
        "the features have %zu dimensions; hashes are of 1 to %d", dimensions, HR_LSH_DIMENSIONS_MAX);
}

static hr_status check_lsh(const hr_lsh_setup *setup, hr_error *err) {
    if (!(setup->range > 0 && setup->range <= 0x1p100))
        return hr_fail(err, HR_E_ARGUMENT, "give a range above 0, such as 1",
                       "the range of hashed values is %g", setup->range);
    if (!(setup->width > 0 && setup->width <= setup->range * 0x1p20))
        return hr_fail(err, HR_E_ARGUMENT, "give a width above 0 and at most 2^20 times the range, such as 4",
                       "the width of hashes is %g", setup->width);
    if (setup->tables > HR_LSH_TABLES_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "give at most 255 tables", "%zu tables of hashes are too many",
                       setup->tables);
    return hr_lsh_check_dimensions(setup->schema, err);
}

/* Table by table, so that more tables leave the first ones as they are. */
static hr_status draw_planes(hr_lsh *lsh, const uint8_t *coins, hr_error *err) {
    static const char purpose[] = "locality-sensitive hashes";
    uint8_t bytes[HR_PRF_SIZE];
    uint64_t seed = 0;
    hr_csprng *csprng = NULL;
    hr_prf(coins, purpose, sizeof purpose - 1, bytes);
    for (int i = 0; i < 8; i++) seed |= (uint64_t)bytes[i] << 8 * i;
    hr_status status = hr_csprng_open_seeded(seed, &csprng, err);
    if (status) return status;
    for (size_t t = 0; t < lsh->tables; t++) {
        lsh->offsets[t] = hr_uniform(csprng, lsh->width);
        for (size_t i = 0; i < lsh->dimensions; i++) {
            const int64_t drawn = hr_discrete_gaussian(csprng, (uint64_t)1 << 2 * PLANE_BITS, 1);
            const int64_t kept = drawn < -PLANE_MAX ? -PLANE_MAX : drawn > PLANE_MAX ? PLANE_MAX : drawn;
            lsh->planes[i * lsh->tables + t] = (int32_t)kept;
        }
    }
    hr_csprng_close(csprng);
    return HR_OK;
}

/* By the largest |a . x| of any record, of any table. One-hot dimensions are -range but for those that a
 * record sets. */
static hr_status set_starts(hr_lsh *lsh, hr_error *err) {
    uint64_t reach = 0;
    for (size_t t = 0; t < lsh->tables; t++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < lsh->dimensions; i++)
            sum += (uint64_t)llabs(lsh->planes[i * lsh->tables + t]) * POINT_ONE;
        reach = sum > reach ? sum : reach;
    }
    const uint64_t most = reach / lsh->width + 1;
    if (most >= INT16_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "give a larger width",
                       "hashes of width %g need more than 16 bits here; the least width is about %.3g",
                       hr_lsh_width(lsh), (double)reach * 0x1p-40 / (INT16_MAX - 2) * lsh->range);
    lsh->lowest = -(int64_t)most;

    for (size_t t = 0; t < lsh->tables; t++)
        lsh->starts[t] = (int64_t)lsh->offsets[t] - lsh->lowest * (int64_t)lsh->width;
    for (size_t f = 0, i = 0; f < hr_schema_feature_count(lsh->schema); f++) {
        const hr_column *column = hr_schema_feature(lsh->schema, f);
        for (size_t end = i + dimensions_of_column(column); i < end; i++)
            for (size_t t = 0; is_one_hot(column) && t < lsh->tables; t++)
                lsh->starts[t] -= (int64_t)lsh->planes[i * lsh->tables + t] * POINT_ONE;
    }
    return HR_OK;
}

hr_status hr_lsh_new(const hr_lsh_setup *setup, hr_lsh **out, hr_error *err) {
    const size_t dimensions = dimensions_of_schema(setup->schema);
    hr_status status = check_lsh(setup, err);
    if (status) return status;
    hr_arena *arena = hr_arena_new();
    hr_lsh *lsh = arena ? hr_arena_alloc(arena, 1, sizeof *lsh) : NULL;
    if (!lsh) {
        hr_arena_free(arena);
        return hr_fail_memory(err);
    }
    const size_t below = dimensions > 1 ? dimensions - 1 : 1, usual = below < 40 ? below : 40;
    const uint64_t width = (uint64_t)(setup->width / setup->range * 0x1p40 + 0.5);
    *lsh = (hr_lsh){.arena = arena,
                    .schema = setup->schema,
                    .tables = setup->tables ? setup->tables : usual,
                    .dimensions = dimensions,
                    .range = setup->range,
                    .width = width ? width : 1};
    lsh->planes = hr_arena_alloc(arena, dimensions * lsh->tables, sizeof *lsh->planes);
    lsh->offsets = hr_arena_alloc(arena, lsh->tables, sizeof *lsh->offsets);
    lsh->starts = hr_arena_alloc(arena, lsh->tables, sizeof *lsh->starts);
    if (!lsh->planes || !lsh->offsets || !lsh->starts) status = hr_fail_memory(err);
    if (!status) status = draw_planes(lsh, setup->coins, err);
    if (!status) status = set_starts(lsh, err);
    if (status)
        hr_lsh_free(lsh);
    else
        *out = lsh;
    return status;
}

void hr_lsh_free(hr_lsh *lsh) {
    if (lsh) hr_arena_free(lsh->arena);
}

size_t hr_lsh_tables(const hr_lsh *lsh) {
    return lsh->tables;
}

size_t hr_lsh_dimensions(const hr_lsh *lsh) {
    return lsh->dimensions;
}

double hr_lsh_width(const hr_lsh *lsh) {
    return (double)lsh->width * 0x1p-40 * lsh->range;
}

void hr_lsh_plane(const hr_lsh *lsh, size_t table, double *a, double *b) {
    for (size_t i = 0; i < lsh->dimensions; i++) a[i] = lsh->planes[i * lsh->tables + table] * 0x1p-20;
    *b = (double)lsh->offsets[table] * 0x1p-40 * lsh->range;
}

/* ---- Records ---- */

/* Clipped, on the scale where range is POINT_ONE; NaN and bounds that are equal give the middle. */
static int32_t point_of_number(const hr_column *column, double number) {
    const double unit = (number - column->low) / (column->high - column->low);
    return unit >= 0 && unit <= 1 ? (int32_t)(unit * (2 * POINT_ONE) + 0.5) - POINT_ONE : 0;
}

static int32_t point_of_code(const hr_column *column, uint16_t code) {
    const int32_t of_two[] = {0, -POINT_ONE, POINT_ONE};
    return is_one_hot(column) ? code : of_two[code < 2 ? code : 2];
}

static void points_of_block(const hr_lsh *lsh, const hr_data *data, size_t f, size_t begin, size_t count,
                            int32_t *points) {
    const hr_column *column = hr_schema_feature(lsh->schema, f);
    if (column->kind == HR_KIND_NUMBER) {
        double buffer[BLOCK];
        const double *numbers = hr_data_number_block(data, f, begin, count, buffer);
        for (size_t i = 0; i < count; i++) points[i] = point_of_number(column, numbers[i]);
    } else {
        uint16_t buffer[BLOCK];
        const uint16_t *codes = hr_data_code_block(data, f, begin, count, buffer);
        for (size_t i = 0; i < count; i++) points[i] = point_of_code(column, codes[i]);
    }
}

void hr_lsh_point(const hr_lsh *lsh, const hr_data *data, size_t row, double *x) {
    for (size_t f = 0; f < hr_schema_feature_count(lsh->schema); f++) {
        const hr_column *column = hr_schema_feature(lsh->schema, f);
        const size_t size = dimensions_of_column(column);
        int32_t point;
        points_of_block(lsh, data, f, row, 1, &point);
        if (!is_one_hot(column)) *x = point * 0x1p-20 * lsh->range;
        for (size_t k = 0; is_one_hot(column) && k < size; k++)
            x[k] = (size_t)point == k + 1 ? lsh->range : -lsh->range;
        x += size;
    }
}

/* ---- Hashes ---- */

static void add_multiple(const int32_t *plane, int64_t point, size_t tables, int64_t *sums) {
    for (size_t t = 0; t < tables; t++) sums[t] += point * plane[t];
}

/* times: 1 or -1. */
static void add_point(const hr_column *column, const int32_t *planes, int32_t point, int times, size_t tables,
                      int64_t *sums) {
    if (!is_one_hot(column))
        add_multiple(planes, (int64_t)times * point, tables, sums);
    else if (point)
        add_multiple(planes + (size_t)(point - 1) * tables, (int64_t)times * 2 * POINT_ONE, tables, sums);
}

/* The records [begin, begin + count): sums of each, and behind them the sums that are added to all at the
 * end. Of a column they have what most records have in it, so that columns that are mostly zero cost little.
 */
typedef struct block_sums {
    const hr_data *data;
    size_t begin, count;
    int64_t *sums; /* record, table */
    int64_t *of_all;
} block_sums;

static void add_dense_column(const hr_lsh *lsh, size_t f, const int32_t *planes, const block_sums *b) {
    const hr_column *column = hr_schema_feature(lsh->schema, f);
    const size_t tables = lsh->tables, count = b->count;
    int32_t points[BLOCK];
    points_of_block(lsh, b->data, f, b->begin, count, points);
    /* What most records of the block have, if most have the same; one-hot columns have sums without a value.
     */
    const int32_t last = points[count - 1], same = points[count / 2] == last ? last : points[0];
    const int32_t usual = is_one_hot(column) ? 0 : same;
    add_point(column, planes, usual, 1, tables, b->of_all);
    for (size_t i = 0; i < count; i++)
        if (points[i] != usual) add_point(column, planes, points[i] - usual, 1, tables, b->sums + i * tables);
}

static int32_t point_of_cell(const hr_column *column, double value) {
    return column->kind == HR_KIND_NUMBER ? point_of_number(column, value)
                                          : point_of_code(column, (uint16_t)value);
}

/* All records get the point of an absent cell; those that have a cell get its point in place of that. */
static void add_sparse_column(const hr_lsh *lsh, size_t f, const int32_t *planes, const block_sums *b) {
    const hr_column *column = hr_schema_feature(lsh->schema, f);
    const hr_sparse *sparse = b->data->sparse;
    const hr_entry_run cells = hr_sparse_run(sparse, f, b->begin, b->begin + b->count);
    const int32_t absent = point_of_cell(column, sparse->absent[f]);
    add_point(column, planes, absent, 1, lsh->tables, b->of_all);
    for (size_t e = 0; e < cells.count; e++) {
        int64_t *sums = b->sums + (cells.rows[e] - b->begin) * lsh->tables;
        add_point(column, planes, point_of_cell(column, cells.values[e]), 1, lsh->tables, sums);
        add_point(column, planes, absent, -1, lsh->tables, sums);
    }
}

/* sums: room for count + 1 records. */
static void sum_block(const hr_lsh *lsh, const hr_data *data, size_t begin, size_t count, int64_t *sums) {
    const size_t tables = lsh->tables;
    const block_sums b = {data, begin, count, sums, sums + count * tables};
    const int32_t *planes = lsh->planes;
    memset(sums, 0, count * tables * sizeof *sums);
    memcpy(b.of_all, lsh->starts, tables * sizeof *sums);
    for (size_t f = 0; f < hr_schema_feature_count(lsh->schema); f++) {
        (data->sparse ? add_sparse_column : add_dense_column)(lsh, f, planes, &b);
        planes += dimensions_of_column(hr_schema_feature(lsh->schema, f)) * tables;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < tables; t++) sums[i * tables + t] += b.of_all[t];
}

typedef struct hash_task {
    const hr_lsh *lsh;
    const hr_data *data;
    int64_t *room; /* member, record of a block and one more, table */
    int16_t *out;
} hash_task;

static void hash_rows(void *of, size_t member, size_t first, size_t end) {
    const hash_task *t = of;
    const hr_lsh *lsh = t->lsh;
    int64_t *sums = t->room + member * (BLOCK + 1) * lsh->tables;
    for (size_t begin = first; begin < end; begin += BLOCK) {
        const size_t count = end - begin < BLOCK ? end - begin : BLOCK;
        int16_t *to = t->out + begin * lsh->tables;
        sum_block(lsh, t->data, begin, count, sums);
        for (size_t i = 0; i < count * lsh->tables; i++)
            to[i] = (int16_t)((int64_t)((uint64_t)sums[i] / lsh->width) + lsh->lowest);
    }
}

hr_status hr_lsh_hash(const hr_lsh *lsh, const hr_data *data, int threads, int16_t *out, hr_error *err) {
    const size_t members = threads > 1 ? (size_t)threads : 1;
    int64_t *room = calloc(members * (BLOCK + 1), lsh->tables * sizeof *room);
    if (!room) return hr_fail_memory(err);
    hr_team_share(members, hr_data_rows(data), BLOCK, hash_rows, &(hash_task){lsh, data, room, out});
    free(room);
    return HR_OK;
}
