/* A binned cache as a data set. */
#include "base/fail.h"
#include "tables/bins/edge_machine.h"
#include "tables/data/cell_file.h"
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"
#include "tables/source/origins.h"

#include <stdlib.h>
#include <string.h>

static hr_status check_cell_schema(const hr_cell_file *file, const hr_schema *schema, hr_error *err) {
    hr_schema *of_file = NULL;
    char text[HR_SCHEMA_DIFFERENCE];
    const char *yaml = (const char *)file->map + file->layout.schema;
    hr_status status = hr_schema_parse(yaml, (size_t)file->header.schema_size, file->path, &of_file, err);
    if (status) return status;
    const hr_schema_sides sides = {"in the cache", "in the schema"};
    const bool differs = hr_schema_difference(of_file, schema, &sides, text);
    hr_schema_free(of_file);
    if (!differs && hr_schema_feature_count(schema) == file->header.features) return HR_OK;
    return hr_fail(err, HR_E_SCHEMA, "train with the schema that the cache was made with, or make it again",
                   "the binned cache was made with another schema: %s", differs ? text : "its features");
}

static hr_status check_cells(const hr_cell_file *file, const hr_schema *schema, int threads, hr_error *err) {
    const size_t features = file->header.features;
    hr_arena *arena = hr_arena_new();
    uint32_t *counts = malloc(features * sizeof *counts);
    hr_binning binning;
    hr_status status = arena && counts ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_edges_public(schema, file->header.bins, arena, &binning, err);
    for (size_t f = 0; !status && f < features; f++) counts[f] = binning.features[f].bin_count;
    if (!status) status = hr_cell_file_check(file, schema, counts, threads, err);
    free(counts);
    hr_arena_free(arena);
    return status;
}

static hr_status data_of_cells(const hr_schema *schema, hr_cell_file *file, hr_data **out, hr_error *err) {
    const hr_table_place place = {.path = file->path};
    hr_data *data = hr_data_new(schema);
    if (!data) return hr_fail_memory(err);
    data->origins = calloc(1, sizeof *data->origins);
    hr_status status =
        data->origins ? hr_origins_add_file(data->origins, &place, file->fd, NULL, err) : hr_fail_memory(err);
    if (status) {
        hr_data_free(data);
        return status;
    }
    data->rows = (size_t)file->header.rows;
    data->labels = (double *)file->labels; /* never written: borrows_labels */
    data->borrows_labels = true;
    data->extra = (size_t)file->header.extra;
    data->skipped = file->header.skipped;
    data->cells = file;
    hr_cell_file_release(file); /* all of it was read for the check */
    for (size_t f = 0; f <= file->header.features; f++) {
        const uint8_t *at = file->map + file->layout.reports + f * HR_CELL_REPORT;
        data->reports[f] = (hr_column_report){hr_cell_get(at, 8), hr_cell_get(at + 8, 8),
                                              hr_cell_get(at + 16, 8), hr_cell_get(at + 24, 8)};
    }
    *out = data;
    return HR_OK;
}

hr_status hr_data_map(const hr_schema *schema, const char *path, int threads, hr_data **out, hr_error *err) {
    hr_cell_file *file = NULL;
    if (threads < 1 || threads > 256)
        return hr_fail(err, HR_E_ARGUMENT, "allowed: 1..256", "%d threads", threads);
    hr_status status = hr_schema_refuse_unit(schema, "a binned cache", "train from the table itself", err);
    if (!status) status = hr_cell_file_open(path, &file, err);
    if (status) return status;
    status = check_cell_schema(file, schema, err);
    if (!status) status = check_cells(file, schema, threads, err);
    if (!status) status = data_of_cells(schema, file, out, err);
    if (!status) return HR_OK;
    hr_cell_file_close(file);
    return hr_fail_at(err, status, path, 0, 0, NULL);
}
