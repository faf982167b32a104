/* Records that would count twice: files, arrays and owners' tables that are one, or copies. */
#include "base/fail.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "tables/source/origins.h"

#include <math.h>
#include <string.h>

hr_status hr_data_refuse_repeats(const hr_data *data, hr_error *err) {
    return hr_origins_refuse_repeats(data->origins, err);
}

bool hr_data_declares_equal(const hr_data *data) {
    return data->origins && data->origins->may_be_equal && data->origins->count > 1;
}

static bool are_same_arrays(const hr_data *a, const hr_data *b) {
    bool same = a->rows && b->rows && a->feature_count == b->feature_count;
    for (size_t f = 0; same && f < a->feature_count; f++)
        same = a->borrowed[f].at && a->borrowed[f].at == b->borrowed[f].at;
    return same;
}

enum { BLOCK_ROWS = 1024 };

static bool are_same_numbers(const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

static bool have_same_cells(const hr_data *a, const hr_data *b, size_t f, size_t begin, size_t count) {
    double numbers[2][BLOCK_ROWS];
    uint16_t codes[2][BLOCK_ROWS];
    if (hr_schema_feature(a->schema, f)->kind == HR_KIND_NUMBER)
        return are_same_numbers(hr_data_number_block(a, f, begin, count, numbers[0]),
                                hr_data_number_block(b, f, begin, count, numbers[1]), count);
    return memcmp(hr_data_code_block(a, f, begin, count, codes[0]),
                  hr_data_code_block(b, f, begin, count, codes[1]), count * sizeof **codes) == 0;
}

/* In the same order: a copy, in memory or in another format. */
static bool have_same_records(const hr_data *a, const hr_data *b) {
    bool same =
        a->rows && a->rows == b->rows && a->feature_count == b->feature_count && !a->cells && !b->cells;
    if (same && a->labels && b->labels) same = are_same_numbers(a->labels, b->labels, a->rows);
    for (size_t begin = 0; same && begin < a->rows; begin += BLOCK_ROWS) {
        const size_t count = a->rows - begin < BLOCK_ROWS ? a->rows - begin : BLOCK_ROWS;
        for (size_t f = 0; same && f < a->feature_count; f++) same = have_same_cells(a, b, f, begin, count);
    }
    return same;
}

hr_status hr_data_refuse_shared(const hr_data *a, const hr_data *b, hr_error *err) {
    return hr_origins_refuse_shared(a->origins, b->origins, err);
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
            if (!status && have_same_records(tables[j], tables[i]))
                status = hr_fail(err, HR_E_ARGUMENT, "give each table once",
                                 "tables %zu and %zu hold the same records in the same order: every record "
                                 "would count twice, and the guarantee is for records that count once",
                                 j + 1, i + 1);
        }
    }
    return status;
}
