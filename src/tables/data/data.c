/* The data set itself: what every reader fills and every method reads. */
#include "tables/data/sparse.h"

#include "base/fail.h"
#include "tables/data/cell_file.h"
#include "tables/data/columns.h"
#include "tables/data/persons.h"
#include "tables/schema/schema.h"
#include "tables/source/origins.h"

#include <stdlib.h>
#include <string.h>

void hr_data_free(hr_data *data) {
    if (!data) return;
    for (size_t i = 0; i < data->feature_count; i++) {
        if (data->block || (data->borrowed && data->borrowed[i].at)) continue;
        if (data->numbers) free(data->numbers[i]);
        if (data->codes) free(data->codes[i]);
    }
    if (!data->block && !data->borrows_labels) free(data->labels);
    free(data->block);
    free(data->numbers);
    free(data->codes);
    free(data->reports);
    free(data->borrowed);
    hr_kept_free(data->kept);
    if (data->origins) hr_origins_done(data->origins);
    free(data->origins);
    hr_cell_file_close(data->cells);
    hr_sparse_free(data->sparse);
    free(data->persons);
    free(data->person_hashes);
    free(data->own_weights);
    free(data->exposures);
    free(data->weights);
    free(data);
}

hr_data *hr_data_new(const hr_schema *schema) {
    hr_data *data = calloc(1, sizeof *data);
    if (!data) return NULL;
    data->schema = schema;
    data->feature_count = hr_schema_feature_count(schema);
    data->numbers = calloc(data->feature_count, sizeof *data->numbers);
    data->codes = calloc(data->feature_count, sizeof *data->codes);
    data->reports = calloc(data->feature_count + 1 + HR_BEHIND_LABEL, sizeof *data->reports);
    data->borrowed = calloc(data->feature_count, sizeof *data->borrowed);
    if (data->numbers && data->codes && data->reports && data->borrowed) return data;
    hr_data_free(data);
    return NULL;
}

/* ---- Some of the records ---- */

/* Room for the cells of a column. False when memory is short. */
static bool make_column(hr_data *data, size_t f) {
    if (hr_schema_feature(data->schema, f)->kind == HR_KIND_NUMBER) {
        data->numbers[f] = malloc((data->rows + 1) * sizeof **data->numbers);
        return data->numbers[f];
    }
    data->codes[f] = malloc((data->rows + 1) * sizeof **data->codes);
    return data->codes[f];
}

/* NULL when memory is short. */
static uint32_t *take_numbers(const uint32_t *numbers, const uint32_t *rows, size_t count) {
    uint32_t *taken = malloc((count + 1) * sizeof *taken);
    for (size_t i = 0; taken && i < count; i++) taken[i] = numbers[rows[i]];
    return taken;
}

static double *take_exposures(const hr_data *data, const uint32_t *rows, size_t count) {
    double *taken = malloc((count + 1) * sizeof *taken);
    for (size_t i = 0; taken && i < count; i++) taken[i] = data->exposures[rows[i]];
    return taken;
}

/* All of them: persons keep their numbers. False when memory is short. */
static bool copy_hashes(hr_data *to, const hr_data *from) {
    const size_t size = from->person_count * sizeof *from->person_hashes;
    if (!from->person_hashes) return true;
    to->person_count = from->person_count;
    to->person_hashes = malloc(size + 1);
    if (to->person_hashes) memcpy(to->person_hashes, from->person_hashes, size);
    return to->person_hashes;
}

hr_data *hr_data_take(const hr_data *data, const uint32_t *rows, size_t count) {
    hr_data *taken = hr_data_new(data->schema);
    if (!taken) return NULL;
    taken->rows = count;
    bool all = !data->labels || (taken->labels = malloc((count + 1) * sizeof *taken->labels));
    for (size_t i = 0; taken->labels && i < count; i++) taken->labels[i] = data->labels[rows[i]];
    if (data->sparse) all = all && (taken->sparse = hr_sparse_take(data->sparse, data->rows, rows, count));
    for (size_t f = 0; all && !data->sparse && f < data->feature_count; f++) {
        all = make_column(taken, f);
        if (taken->numbers[f]) hr_data_numbers_at(data, f, rows, count, taken->numbers[f]);
        if (taken->codes[f]) hr_data_codes_at(data, f, rows, count, taken->codes[f]);
    }
    if (all && data->weights) all = (taken->weights = take_numbers(data->weights, rows, count));
    if (all && data->own_weights) all = (taken->own_weights = take_numbers(data->own_weights, rows, count));
    if (all && data->exposures) all = (taken->exposures = take_exposures(data, rows, count));
    /* Persons keep their numbers; they weigh what their records in the copy give. */
    if (all && data->persons)
        all = (taken->persons = take_numbers(data->persons, rows, count)) && copy_hashes(taken, data) &&
              hr_records_weigh(taken);
    if (all) return taken;
    hr_data_free(taken);
    return NULL;
}

hr_data *hr_data_take_weighed(const hr_data *data, const uint32_t *rows, size_t count) {
    hr_data *taken = hr_data_take(data, rows, count);
    for (size_t i = 0; taken && taken->weights && i < count; i++) taken->weights[i] = data->weights[rows[i]];
    return taken;
}

hr_data *hr_data_part(const hr_data *data, const hr_schema *schema, const size_t *features) {
    hr_data *part = hr_data_new(schema);
    if (!part) return NULL;
    part->rows = data->rows;
    part->labels = data->labels;
    part->borrows_labels = true;
    part->whole = data->whole;
    for (size_t f = 0; f < part->feature_count; f++) {
        const size_t from = features[f];
        part->reports[f] = data->reports[from];
        if (data->sparse) continue;
        part->numbers[f] = data->numbers[from];
        part->codes[f] = data->codes[from];
        part->borrowed[f] = data->borrowed[from];
        const void *column = part->numbers[f] ? (void *)part->numbers[f] : (void *)part->codes[f];
        if (!part->borrowed[f].at) part->borrowed[f].at = column;
    }
    for (size_t i = 0; i <= HR_BEHIND_LABEL; i++)
        part->reports[part->feature_count + i] = data->reports[data->feature_count + i];
    const size_t size = data->rows * sizeof(uint32_t);
    bool all = (!data->weights || (part->weights = malloc(size + 1))) &&
               (!data->own_weights || (part->own_weights = malloc(size + 1))) &&
               (!data->exposures || (part->exposures = malloc(2 * size + 1))) &&
               (!data->persons || (part->persons = malloc(size + 1))) && copy_hashes(part, data);
    if (all && data->sparse)
        all = (part->sparse = hr_sparse_part(data->sparse, features, part->feature_count)) != NULL;
    if (all && data->weights) memcpy(part->weights, data->weights, size);
    if (all && data->own_weights) memcpy(part->own_weights, data->own_weights, size);
    if (all && data->exposures) memcpy(part->exposures, data->exposures, 2 * size);
    if (all && data->persons) memcpy(part->persons, data->persons, size);
    if (all) return part;
    hr_data_free(part);
    return NULL;
}

hr_data *hr_data_clip(const hr_data *data, const hr_schema *schema) {
    const hr_column *label = hr_schema_label(schema);
    double numbers[HR_DATA_BLOCK];
    uint16_t codes[HR_DATA_BLOCK];
    hr_data *clipped = hr_data_new(schema);
    if (!clipped) return NULL;
    clipped->rows = data->rows;
    bool all = !data->labels || (clipped->labels = malloc((data->rows + 1) * sizeof *clipped->labels));
    for (size_t i = 0; clipped->labels && i < data->rows; i++)
        clipped->labels[i] =
            label->kind == HR_KIND_NUMBER ? hr_clip_number(label, data->labels[i]) : data->labels[i];
    if (data->sparse) all = all && (clipped->sparse = hr_sparse_clip(data->sparse, schema));
    for (size_t f = 0; all && !data->sparse && f < data->feature_count; f++) {
        const hr_column *column = hr_schema_feature(schema, f);
        all = make_column(clipped, f);
        for (size_t begin = 0; all && begin < data->rows; begin += HR_DATA_BLOCK) {
            const size_t count = hr_data_block_size(begin, data->rows);
            if (column->kind != HR_KIND_NUMBER) {
                memcpy(clipped->codes[f] + begin, hr_data_code_block(data, f, begin, count, codes),
                       count * sizeof *codes);
                continue;
            }
            const double *block = hr_data_number_block(data, f, begin, count, numbers);
            double *out = clipped->numbers[f] + begin;
            for (size_t i = 0; i < count; i++) out[i] = hr_clip_number(column, block[i]);
        }
    }
    if (all) return clipped;
    hr_data_free(clipped);
    return NULL;
}

/* ---- Texts beside the records ---- */

enum { KEPT_ROWS_FIRST = 1024 };

hr_kept *hr_kept_new(size_t columns) {
    hr_kept *kept = calloc(1, sizeof *kept);
    if (kept) kept->columns = columns;
    return kept;
}

void hr_kept_free(hr_kept *kept) {
    if (!kept) return;
    hr_buffer_done(&kept->texts);
    free(kept->starts);
    free(kept);
}

bool hr_kept_add(hr_kept *kept, size_t column, size_t row, const char *text, size_t size) {
    if (row == kept->rows && row == kept->capacity) {
        size_t rows = kept->capacity ? 2 * kept->capacity : KEPT_ROWS_FIRST;
        if (rows > SIZE_MAX / sizeof *kept->starts / kept->columns) return false;
        size_t *starts = realloc(kept->starts, rows * kept->columns * sizeof *starts);
        if (!starts) return false;
        kept->starts = starts;
        kept->capacity = rows;
    }
    if (row == kept->rows) kept->rows++;
    kept->starts[row * kept->columns + column] = kept->texts.size;
    hr_buffer_add(&kept->texts, text, size);
    hr_buffer_add(&kept->texts, "", 1);
    return !kept->texts.failed;
}

/* ---- Views ---- */

const hr_schema *hr_data_schema(const hr_data *data) {
    return data->schema;
}

size_t hr_data_rows(const hr_data *data) {
    return data->rows;
}

bool hr_data_has_labels(const hr_data *data) {
    return data->labels != NULL;
}

const double *hr_data_labels(const hr_data *data) {
    return data->labels;
}

const double *hr_data_numbers(const hr_data *data, size_t feature) {
    return data->numbers[feature];
}

const uint16_t *hr_data_codes(const hr_data *data, size_t feature) {
    return data->codes[feature];
}

const hr_column_report *hr_data_report(const hr_data *data, size_t feature) {
    return &data->reports[feature];
}

uint64_t hr_data_skipped(const hr_data *data) {
    return data->skipped;
}

size_t hr_data_extra_columns(const hr_data *data) {
    return data->extra;
}

const char *hr_data_kept(const hr_data *data, size_t column, size_t row) {
    const hr_kept *kept = data->kept;
    if (!kept || column >= kept->columns || row >= kept->rows) return NULL;
    return kept->texts.bytes + kept->starts[row * kept->columns + column];
}
