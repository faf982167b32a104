#include "federation/federated/record_sides.h"

#include "base/fail.h"
#include "federation/federated/rounds.h"
#include "privacy/crypto/csprng.h"
#include "tables/data/columns.h"
#include "tables/data/records.h"

#include <stdlib.h>
#include <string.h>

enum {
    PARTS = 5,     /* one of them is held out */
    FEATURES = 32, /* that are hashed at a time */
    FIELDS = FEATURES + 3
};

/* What is hashed; texts of two kinds are never the same. */
typedef enum hashed { HASHED_RECORD, HASHED_ITS_SIDE, HASHED_PERSON } hashed;

/* Equal records have the same. */
typedef struct record_mark {
    uint64_t of[2];
    uint32_t row;
} record_mark;

/* 2^64 is one more than a multiple of 5: without its largest value a uniform number has remainders that are
 * exactly uniform. */
static bool is_held_out(const uint8_t *key, hashed kind, const uint64_t of[2], uint64_t number) {
    uint64_t text[] = {kind, of[0], of[1], number, 0}, drawn;
    do {
        uint8_t bytes[HR_PRF_SIZE];
        hr_prf(key, text, sizeof text, bytes);
        drawn = hr_random_number(bytes);
        text[4]++;
    } while (drawn == UINT64_MAX);
    return drawn % PARTS == 0;
}

/* ---- What a record is ---- */

/* Fields of the records of a block, FIELDS of each. */
static void spell_feature(const hr_data *data, size_t feature, size_t begin, size_t count, double *fields) {
    double numbers[HR_DATA_BLOCK];
    uint16_t codes[HR_DATA_BLOCK];
    if (hr_schema_feature(hr_data_schema(data), feature)->kind == HR_KIND_NUMBER) {
        const double *block = hr_data_number_block(data, feature, begin, count, numbers);
        for (size_t i = 0; i < count; i++) fields[i * FIELDS] = hr_spelled(block[i]);
        return;
    }
    const uint16_t *block = hr_data_code_block(data, feature, begin, count, codes);
    for (size_t i = 0; i < count; i++) fields[i * FIELDS] = block[i];
}

/* A slice of features goes into the marks of the block, which are those of the slices before it. */
static void mark_slice(const uint8_t *key, record_mark *marks, size_t count, const double *fields,
                       size_t used) {
    for (size_t i = 0; i < count; i++) {
        uint64_t text[3 + FIELDS] = {HASHED_RECORD, marks[i].of[0], marks[i].of[1]};
        uint8_t bytes[HR_PRF_SIZE];
        memcpy(text + 3, fields + i * FIELDS, used * sizeof *fields);
        hr_prf(key, text, (3 + used) * sizeof *text, bytes);
        marks[i].of[0] = hr_random_number(bytes);
        marks[i].of[1] = hr_random_number(bytes + 8);
    }
}

static void mark_block(const hr_data *data, const uint8_t *key, size_t begin, record_mark *marks,
                       double *fields) {
    const size_t features = hr_schema_feature_count(hr_data_schema(data)),
                 count = hr_data_block_size(begin, hr_data_rows(data));
    for (size_t i = 0; i < count; i++) {
        marks[i] = (record_mark){.row = (uint32_t)(begin + i)};
        double *of_record = fields + i * FIELDS;
        of_record[0] = hr_spelled(hr_data_labels(data)[begin + i]);
        of_record[1] = data->own_weights ? data->own_weights[begin + i] : 0;
        of_record[2] = data->exposures ? data->exposures[begin + i] : 0;
    }
    mark_slice(key, marks, count, fields, 3);
    for (size_t f = 0; f < features; f += FEATURES) {
        const size_t used = features - f < FEATURES ? features - f : FEATURES;
        for (size_t k = 0; k < used; k++) spell_feature(data, f + k, begin, count, fields + k);
        mark_slice(key, marks, count, fields, used);
    }
}

static int by_mark_and_row(const void *a, const void *b) {
    const record_mark *x = a, *y = b;
    for (size_t k = 0; k < 2; k++)
        if (x->of[k] != y->of[k]) return x->of[k] < y->of[k] ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* ---- The sides ---- */

static bool are_equal(const record_mark *a, const record_mark *b) {
    return a->of[0] == b->of[0] && a->of[1] == b->of[1];
}

static hr_status find_sides(const hr_data *data, const uint8_t *key, uint32_t *sides, hr_error *err) {
    const size_t rows = hr_data_rows(data);
    record_mark *marks = malloc((rows + 1) * sizeof *marks);
    double *fields = malloc(sizeof(double[HR_DATA_BLOCK][FIELDS]));
    const bool all = marks && fields;
    for (size_t begin = 0; all && begin < rows; begin += HR_DATA_BLOCK)
        mark_block(data, key, begin, marks + begin, fields);
    if (all) qsort(marks, rows, sizeof *marks, by_mark_and_row);
    for (size_t i = 0, number = 0; all && i < rows; i++) {
        number = i && are_equal(&marks[i], &marks[i - 1]) ? number + 1 : 0;
        sides[marks[i].row] = is_held_out(key, HASHED_ITS_SIDE, marks[i].of, number);
    }
    free(fields);
    free(marks);
    return all ? HR_OK : hr_fail_memory(err);
}

hr_status hr_record_sides(const hr_data *data, const uint8_t key[HR_PRF_KEY], uint32_t *sides,
                          hr_error *err) {
    if (!data->persons) return find_sides(data, key, sides, err);
    if (!data->person_hashes)
        return hr_fail(err, HR_E_ARGUMENT, "serve a table that one process has read whole",
                       "the table is the part of a rank, whose persons are known by numbers alone");
    for (size_t i = 0; i < hr_data_rows(data); i++) {
        const hr_person_hash *person = &data->person_hashes[data->persons[i]];
        sides[i] = is_held_out(key, HASHED_PERSON, person->of, 0);
    }
    return HR_OK;
}
