/* Two parties of SimFL made of one table, and what one learns of the other: hr_attack_simfl. */
#include "base/fail.h"
#include "methods/simfl/linear_guess.h"
#include "methods/simfl/row_groups.h"
#include "privacy/sample.h"
#include "tables/data/records.h"
#include "trees/similar/lsh.h"
#include "trees/similar/similar.h"

#include <hedgerow/attack.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of all points together: 512 MB. */
#define POINT_VALUES_MAX ((size_t)1 << 26)
enum { ATTACK_RECORDS_MIN = 4 };

/* One of the two parties. */
typedef struct attack_party {
    hr_data *data;
    double *points;  /* as they are hashed: rows x dimensions */
    int16_t *hashes; /* rows x tables */
    size_t rows;
} attack_party;

typedef struct simfl_attack {
    hr_attack_options options;
    hr_arena *arena;
    uint8_t coins[HR_LSH_COINS];
    hr_lsh *lsh;
    hr_planes planes;
    attack_party attacker, victim;
} simfl_attack;

/* ---- Options ---- */

static hr_status take_attack_options(const hr_attack_options *given, hr_attack_options *out, hr_error *err) {
    static const hr_sized kind = {sizeof *out, offsetof(hr_attack_options, records),
                                  "begin with HR_ATTACK_OPTIONS_INIT"};
    *out = (hr_attack_options)HR_ATTACK_OPTIONS_INIT;
    hr_status status = given ? hr_sized_take(&kind, given, out, err) : HR_OK;
    if (status) return status;
    if (out->records < ATTACK_RECORDS_MIN) {
        hr_fail(err, HR_E_ARGUMENT, "use 4 records or more", "%llu records cannot be divided",
                (unsigned long long)out->records);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "records");
    }
    if (out->tables > HR_LSH_TABLES_MAX) {
        hr_fail(err, HR_E_ARGUMENT, "use at most 255", "%llu hashes of a record are too many",
                (unsigned long long)out->tables);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "tables");
    }
    if (out->scale == HR_ATTACK_SCALE_BOUNDS || out->scale == HR_ATTACK_SCALE_STANDARD) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, "use one of hr_attack_scale", "there is no scale %d", (int)out->scale);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "scale");
}

/* ---- Two parties ---- */

static hr_status divide_attack_records(simfl_attack *a, const hr_data *data, hr_csprng *csprng,
                                       hr_error *err) {
    const size_t rows = hr_data_rows(data);
    if (rows < ATTACK_RECORDS_MIN)
        return hr_fail(err, HR_E_SCHEMA, "give a table of 4 records or more",
                       "%zu records cannot be divided between an attacker and a victim", rows);
    const size_t count = rows < a->options.records ? rows : (size_t)a->options.records;
    uint32_t *order = malloc(rows * sizeof *order);
    if (!order) return hr_fail_memory(err);
    for (size_t i = 0; i < rows; i++) order[i] = (uint32_t)i;
    hr_draw_items(csprng, order, rows, count);
    a->attacker.rows = count / 2;
    a->victim.rows = count - count / 2;
    a->attacker.data = hr_data_take(data, order, a->attacker.rows);
    a->victim.data = hr_data_take(data, order + a->attacker.rows, a->victim.rows);
    free(order);
    return a->attacker.data && a->victim.data ? HR_OK : hr_fail_memory(err);
}

/* ---- Hashes ---- */

static hr_status draw_hash_functions(simfl_attack *a, const hr_schema *schema, hr_csprng *csprng,
                                     hr_error *err) {
    hr_csprng_bytes(csprng, a->coins, sizeof a->coins);
    const bool standard = a->options.scale == HR_ATTACK_SCALE_STANDARD;
    const hr_lsh_setup setup = {schema, a->options.width, (size_t)a->options.tables,
                                standard ? 1 : a->options.range, a->coins};
    hr_status status = hr_lsh_new(&setup, &a->lsh, err);
    if (status) return status;
    const size_t tables = hr_lsh_tables(a->lsh), dimensions = hr_lsh_dimensions(a->lsh);
    double *normals = hr_arena_alloc(a->arena, tables * dimensions, sizeof *normals);
    double *offsets = hr_arena_alloc(a->arena, tables, sizeof *offsets);
    if (!normals || !offsets) return hr_fail_memory(err);
    for (size_t j = 0; j < tables; j++) hr_lsh_plane(a->lsh, j, normals + j * dimensions, offsets + j);
    a->planes = (hr_planes){tables, dimensions, hr_lsh_width(a->lsh), normals, offsets};
    return HR_OK;
}

static hr_status allocate_party(simfl_attack *a, attack_party *party, hr_error *err) {
    party->points = hr_arena_alloc(a->arena, party->rows * a->planes.dimensions, sizeof *party->points);
    party->hashes = hr_arena_alloc(a->arena, party->rows * a->planes.tables, sizeof *party->hashes);
    if (!party->points || !party->hashes) return hr_fail_memory(err);
    for (size_t i = 0; i < party->rows; i++)
        hr_lsh_point(a->lsh, party->data, i, party->points + i * a->planes.dimensions);
    return HR_OK;
}

static bool varies(const double *values, size_t count, size_t stride) {
    for (size_t i = 1; i < count; i++) {
        if (values[i * stride] != values[0]) return true;
    }
    return false;
}

/* To mean 0 and deviation 1 over both parties' records; where all are equal, to 0. */
static void standardise_dimension(simfl_attack *a, size_t f) {
    const attack_party *parties[] = {&a->attacker, &a->victim};
    const size_t stride = a->planes.dimensions;
    double count = 0, sum = 0, squares = 0;
    bool varied = a->attacker.points[f] != a->victim.points[f];
    for (size_t p = 0; p < 2; p++) {
        const double *values = parties[p]->points + f;
        varied |= varies(values, parties[p]->rows, stride);
        count += (double)parties[p]->rows;
        for (size_t i = 0; i < parties[p]->rows; i++) sum += values[i * stride];
    }
    const double mean = sum / count;
    for (size_t p = 0; p < 2; p++) {
        double *values = parties[p]->points + f;
        for (size_t i = 0; i < parties[p]->rows; i++) {
            values[i * stride] -= mean;
            squares += values[i * stride] * values[i * stride];
        }
    }
    const double scale = varied ? 1 / sqrt(squares / count) : 0;
    for (size_t p = 0; p < 2; p++) {
        for (size_t i = 0; i < parties[p]->rows; i++) parties[p]->points[f + i * stride] *= scale;
    }
}

/* Of standardised points, which the library's hashes are not made for. */
static hr_status hash_points(const hr_planes *planes, attack_party *party, hr_error *err) {
    for (size_t i = 0; i < party->rows * planes->tables; i++) {
        const double *normal = planes->normals + i % planes->tables * planes->dimensions;
        const double *point = party->points + i / planes->tables * planes->dimensions;
        double sum = planes->offsets[i % planes->tables];
        for (size_t f = 0; f < planes->dimensions; f++) sum += normal[f] * point[f];
        const double cell = floor(sum / planes->width);
        if (!(fabs(cell) <= INT16_MAX))
            return hr_fail(err, HR_E_ARGUMENT, "give a larger width",
                           "hashes of width %g need more than 16 bits here", planes->width);
        party->hashes[i] = (int16_t)cell;
    }
    return HR_OK;
}

/* ---- What the hashes reveal ---- */

static int compare_numbers_attack(const void *one, const void *other) {
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* By squared distances in each dimension: of the victim's points to their estimates, and to the attacker's
 * mean. */
static hr_status reconstruct(simfl_attack *a, hr_attack_figures *out, hr_error *err) {
    const size_t dimensions = a->planes.dimensions;
    hr_linear_guess *guess = NULL;
    hr_status status =
        hr_linear_guess_new(&a->planes, a->attacker.points, a->attacker.rows, a->arena, &guess, err);
    if (status) return status;
    double *estimate = hr_arena_alloc(a->arena, 4 * dimensions, sizeof *estimate);
    if (!estimate) return hr_fail_memory(err);
    double *to_estimate = estimate + dimensions, *to_mean = estimate + 2 * dimensions,
           *r2 = estimate + 3 * dimensions;
    const double *mean = hr_linear_guess_mean(guess);
    for (size_t i = 0; i < a->victim.rows; i++) {
        const double *point = a->victim.points + i * dimensions;
        hr_linear_guess_point(guess, a->victim.hashes + i * a->planes.tables, estimate);
        for (size_t f = 0; f < dimensions; f++) {
            to_estimate[f] += (point[f] - estimate[f]) * (point[f] - estimate[f]);
            to_mean[f] += (point[f] - mean[f]) * (point[f] - mean[f]);
        }
    }

    double all_to_estimate = 0, all_to_mean = 0;
    size_t varied = 0;
    for (size_t f = 0; f < dimensions; f++) {
        if (!varies(a->victim.points + f, a->victim.rows, dimensions)) continue;
        all_to_estimate += to_estimate[f];
        all_to_mean += to_mean[f];
        r2[varied++] = 1 - to_estimate[f] / to_mean[f];
    }
    out->r2 = varied ? 1 - all_to_estimate / all_to_mean : (double)NAN;
    qsort(r2, varied, sizeof *r2, compare_numbers_attack);
    out->median_r2 = varied ? (r2[(varied - 1) / 2] + r2[varied / 2]) / 2 : (double)NAN;
    return HR_OK;
}

static hr_status count_equal_records(const simfl_attack *a, hr_attack_figures *out, hr_error *err) {
    const attack_party *victim = &a->victim;
    const double rows = (double)victim->rows;
    hr_row_counts hashes, records;
    hr_status status = hr_row_counts_of(victim->hashes, victim->rows,
                                        a->planes.tables * sizeof *victim->hashes, &hashes, err);
    if (!status)
        status = hr_row_counts_of(victim->points, victim->rows, a->planes.dimensions * sizeof *victim->points,
                                  &records, err);
    if (status) return status;
    out->distinct_hashes = (double)hashes.distinct / rows;
    out->distinct_records = (double)records.distinct / rows;
    out->reidentified = (double)hashes.unique / rows;
    return HR_OK;
}

/* ---- What the sums of gradients reveal ---- */

/* In the first round all scores are equal, so that a sum over a group reveals how many of it have which of
 * two labels. */
static hr_status group_records(const simfl_attack *a, hr_attack_figures *out, hr_error *err) {
    const hr_hashes of = {a->victim.hashes, a->victim.rows, a->planes.tables};
    const hr_hashes among = {a->attacker.hashes, a->attacker.rows, a->planes.tables};
    const hr_data *data = a->victim.data;
    const double *labels = hr_data_labels(data), rows = (double)a->victim.rows;
    const bool binary = hr_schema_task(hr_data_schema(data)) == HR_TASK_BINARY;
    if (labels && !(binary && varies(labels, a->victim.rows, 1))) labels = NULL;
    hr_group_counts counts;
    uint32_t *similar = hr_arena_alloc(a->arena, a->victim.rows, sizeof *similar);
    if (!similar) return hr_fail_memory(err);
    hr_status status = hr_similar(&of, &among, hr_similar_coins(a->coins, 0, 1), 1, similar, err);
    if (!status) status = hr_group_counts_of(similar, labels, a->victim.rows, a->attacker.rows, &counts, err);
    if (status) return status;
    out->alone = (double)counts.alone / rows;
    out->label_known = labels ? (double)counts.one_label / rows : (double)NAN;
    return HR_OK;
}

/* ---- */

static hr_status prepare_attack(simfl_attack *a, const hr_data *data, hr_error *err) {
    hr_csprng *csprng = NULL;
    a->arena = hr_arena_new();
    if (!a->arena) return hr_fail_memory(err);
    hr_status status = hr_csprng_open_seeded(a->options.seed, &csprng, err);
    if (!status) status = draw_hash_functions(a, hr_data_schema(data), csprng, err);
    if (!status) status = divide_attack_records(a, data, csprng, err);
    hr_csprng_close(csprng);
    if (status) return status;
    if (a->attacker.rows + a->victim.rows > POINT_VALUES_MAX / a->planes.dimensions)
        return hr_fail(err, HR_E_LIMIT, "use fewer records",
                       "%zu records of %zu dimensions take more than 512 MB",
                       a->attacker.rows + a->victim.rows, a->planes.dimensions);
    status = allocate_party(a, &a->attacker, err);
    if (!status) status = allocate_party(a, &a->victim, err);
    if (status) return status;
    if (a->options.scale == HR_ATTACK_SCALE_BOUNDS) {
        status = hr_lsh_hash(a->lsh, a->attacker.data, 1, a->attacker.hashes, err);
        return status ? status : hr_lsh_hash(a->lsh, a->victim.data, 1, a->victim.hashes, err);
    }
    for (size_t f = 0; f < a->planes.dimensions; f++) standardise_dimension(a, f);
    status = hash_points(&a->planes, &a->attacker, err);
    return status ? status : hash_points(&a->planes, &a->victim, err);
}

hr_status hr_attack_simfl(const hr_data *data, const hr_attack_options *options, hr_attack_figures *out,
                          hr_error *err) {
    simfl_attack a = {0};
    hr_status status = take_attack_options(options, &a.options, err);
    if (!status) status = hr_data_check_values(data, err);
    if (status) return status;
    status = prepare_attack(&a, data, err);
    hr_attack_figures figures = {.attacker = a.attacker.rows,
                                 .victim = a.victim.rows,
                                 .dimensions = a.planes.dimensions,
                                 .tables = a.planes.tables};
    if (!status) status = reconstruct(&a, &figures, err);
    if (!status) status = count_equal_records(&a, &figures, err);
    if (!status) status = group_records(&a, &figures, err);
    if (!status) *out = figures;
    hr_data_free(a.attacker.data);
    hr_data_free(a.victim.data);
    hr_lsh_free(a.lsh);
    hr_arena_free(a.arena);
    return status;
}
