/* Records that would count twice: files, arrays and owners' tables that are one, or copies. */
#include "base/fail.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "tables/source/database_address.h"
#include "tables/source/origins.h"

#include <math.h>
#include <string.h>

bool hr_data_declares_equal(const hr_data *data) {
    return data->origins && data->origins->may_be_equal && data->origins->count > 1;
}

static bool are_same_arrays(const hr_data *a, const hr_data *b) {
    bool same = a->rows && b->rows && a->feature_count == b->feature_count;
    for (size_t f = 0; same && f < a->feature_count; f++)
        same = a->borrowed[f].at && a->borrowed[f].at == b->borrowed[f].at;
    return same;
}

enum {
    BLOCK_ROWS = 1024,
    PARTS_MAX = 8, /* copies of its records that a table is looked through for */
    PART_MIN = 20  /* records of such a part */
};

static bool are_same_numbers(const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

/* A record of a table. */
typedef struct record_at {
    const hr_data *data;
    size_t row;
} record_at;

static bool have_same_cells(record_at a, record_at b, size_t f, size_t count) {
    double numbers[2][BLOCK_ROWS];
    uint16_t codes[2][BLOCK_ROWS];
    if (hr_schema_feature(a.data->schema, f)->kind == HR_KIND_NUMBER)
        return are_same_numbers(hr_data_number_block(a.data, f, a.row, count, numbers[0]),
                                hr_data_number_block(b.data, f, b.row, count, numbers[1]), count);
    return memcmp(hr_data_code_block(a.data, f, a.row, count, codes[0]),
                  hr_data_code_block(b.data, f, b.row, count, codes[1]), count * sizeof **codes) == 0;
}

/* Whether the records from `a` on are those from `b` on, in the same order. */
static bool have_same_records(record_at a, record_at b, size_t count) {
    const double *labels = a.data->labels, *others = b.data->labels;
    bool same = !labels || !others || are_same_numbers(labels + a.row, others + b.row, count);
    for (size_t begin = 0; same && begin < count; begin += BLOCK_ROWS) {
        const record_at from = {a.data, a.row + begin}, to = {b.data, b.row + begin};
        const size_t size = count - begin < BLOCK_ROWS ? count - begin : BLOCK_ROWS;
        for (size_t f = 0; same && f < a.data->feature_count; f++) same = have_same_cells(from, to, f, size);
    }
    return same;
}

/* A copy, in memory or in another format. */
static bool are_same_tables(const hr_data *a, const hr_data *b) {
    return a->rows && a->rows == b->rows && a->feature_count == b->feature_count && !a->cells && !b->cells &&
           have_same_records((record_at){a, 0}, (record_at){b, 0}, a->rows);
}

/* Whether each record is the one `part` records before it. */
static bool repeats_after(const hr_data *data, size_t part) {
    return have_same_records((record_at){data, part}, (record_at){data, 0}, data->rows - part);
}

/* How many times the table holds its records, as it does after it was joined to itself; 1: once. A table that
 * repeats all the time, such as one of few values in turn, is no copy. */
static size_t times_of(const hr_data *data) {
    if (data->cells || !data->feature_count) return 1;
    for (size_t parts = 2; parts <= PARTS_MAX && data->rows / parts >= PART_MIN; parts++) {
        if (data->rows % parts || !repeats_after(data, data->rows / parts)) continue;
        for (size_t part = 1; part < data->rows / PARTS_MAX; part++)
            if (data->rows % part == 0 && repeats_after(data, part)) return 1;
        return parts;
    }
    return 1;
}

hr_status hr_data_refuse_repeats(const hr_data *data, hr_error *err) {
    const hr_status status = hr_origins_refuse_repeats(data->origins, err);
    const size_t times = status || hr_data_declares_equal(data) ? 1 : times_of(data);
    if (times == 1) return status;
    return hr_fail(
        err, HR_E_ARGUMENT, "give each record once",
        "the table holds all of its records %zu times, in the same order; every record would count "
        "%zu times",
        times, times);
}

hr_status hr_data_refuse_shared(const hr_data *a, const hr_data *b, hr_error *err) {
    return hr_origins_refuse_shared(a->origins, b->origins, err);
}

hr_status hr_data_refuse_empty(const hr_data *data, const char *from, hr_error *err) {
    char shown[HR_DATABASE_SHOWN];
    if (data->rows) return HR_OK;
    hr_database_show(from, shown);
    hr_fail(err, HR_E_SCHEMA, "add records", "the data have no rows");
    return hr_fail_at(err, HR_E_SCHEMA, shown, 0, 0, NULL);
}

hr_status hr_data_refuse_twice(const hr_data *const *tables, size_t count, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = hr_data_refuse_repeats(tables[i], err);
        for (size_t j = 0; !status && j < i; j++) {
            if (tables[j] == tables[i] || are_same_arrays(tables[j], tables[i]))
                return hr_fail(err, HR_E_ARGUMENT, "give each table once",
                               "tables %zu and %zu are one: every record in it would count twice, and the "
                               "guarantee is for records that count once",
                               j + 1, i + 1);
            status = hr_data_refuse_shared(tables[j], tables[i], err);
            if (!status && are_same_tables(tables[j], tables[i]))
                status = hr_fail(err, HR_E_ARGUMENT, "give each table once",
                                 "tables %zu and %zu hold the same records in the same order: every record "
                                 "would count twice, and the guarantee is for records that count once",
                                 j + 1, i + 1);
        }
    }
    return status;
}
