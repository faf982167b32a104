#include "tables/data/persons.h"

#include "privacy/crypto/prf.h"

#include <stdlib.h>
#include <xxhash.h>

enum { HASHES_FIRST = 64 };

void hr_persons_done(hr_persons *persons) {
    hr_string_map_done(&persons->numbers);
    hr_arena_free(persons->arena);
    free(persons->hashes);
    *persons = (hr_persons){0};
}

static bool add_hash(hr_persons *persons, const char *text, size_t size, uint32_t number) {
    _Static_assert(sizeof persons->hashes->of == HR_PRF_SIZE, "a hash is what the function gives");
    if (number == persons->capacity) {
        const size_t capacity = number ? 2 * persons->capacity : HASHES_FIRST;
        hr_person_hash *hashes = realloc(persons->hashes, capacity * sizeof *hashes);
        if (!hashes) return false;
        persons->hashes = hashes;
        persons->capacity = capacity;
    }
    hr_person_hash *hash = &persons->hashes[number];
    if (persons->key)
        hr_prf(persons->key, text, size, (uint8_t *)hash);
    else
        *hash = (hr_person_hash){{XXH3_64bits(text, size)}};
    return true;
}

bool hr_persons_number(hr_persons *persons, const char *text, size_t size, uint32_t *out) {
    if (!persons->arena && !(persons->arena = hr_arena_new())) return false;
    uint32_t number = hr_string_map_find(&persons->numbers, text, size);
    if (number == HR_STRING_MAP_NONE) {
        const char *copy = hr_arena_text(persons->arena, text, size);
        number = (uint32_t)persons->numbers.count;
        if (!copy || !add_hash(persons, copy, size, number)) return false;
        if (!hr_string_map_add(&persons->numbers, copy, size, number)) return false;
    }
    *out = number;
    return true;
}

void hr_persons_give_hashes(hr_persons *persons, hr_data *data) {
    data->person_hashes = persons->hashes;
    data->person_count = persons->numbers.count;
    persons->hashes = NULL;
    persons->capacity = 0;
}

/* records[p]: of person p. NULL when memory is short. In a part of a table, numbers go beyond its rows. */
static uint32_t *count_records(const hr_data *data) {
    size_t persons = 1;
    for (size_t i = 0; i < data->rows; i++)
        if (data->persons[i] >= persons) persons = (size_t)data->persons[i] + 1;
    uint32_t *records = calloc(persons, sizeof *records);
    for (size_t i = 0; records && i < data->rows; i++) records[data->persons[i]]++;
    return records;
}

bool hr_records_weigh(hr_data *data) {
    uint32_t *records = data->persons ? count_records(data) : NULL;
    if (!data->weights) data->weights = malloc((data->rows + 1) * sizeof *data->weights);
    const bool all = data->weights && (records || !data->persons);
    for (size_t i = 0; all && i < data->rows; i++) {
        const uint32_t most = ((uint32_t)1 << HR_PERSON_BITS) / (records ? records[data->persons[i]] : 1);
        const uint64_t own = data->own_weights ? data->own_weights[i] : (uint64_t)1 << HR_PERSON_BITS;
        data->weights[i] = (uint32_t)(most * own >> HR_PERSON_BITS);
    }
    free(records);
    return all;
}

void hr_data_forget_persons(hr_data *data, const hr_schema *schema) {
    free(data->persons);
    free(data->person_hashes);
    free(data->weights);
    data->persons = data->weights = NULL;
    data->person_hashes = NULL;
    data->schema = schema;
}

/* ---- Some of a person's records ---- */

typedef struct keyed_record {
    uint64_t key;
    uint32_t person, row;
} keyed_record;

static int by_person_and_key(const void *a, const void *b) {
    const keyed_record *x = a, *y = b;
    if (x->person != y->person) return x->person < y->person ? -1 : 1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int by_row(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

size_t hr_persons_keep(const hr_data *data, const uint64_t *keys, size_t most, uint32_t *kept) {
    size_t rows = data->rows, count = 0, of_person = 0;
    keyed_record *records = malloc((rows + 1) * sizeof *records);
    if (!records) return 0;
    for (size_t i = 0; i < rows; i++) records[i] = (keyed_record){keys[i], data->persons[i], (uint32_t)i};
    qsort(records, rows, sizeof *records, by_person_and_key);
    for (size_t i = 0; i < rows; i++) {
        of_person = i && records[i].person == records[i - 1].person ? of_person + 1 : 0;
        if (of_person < most) kept[count++] = records[i].row;
    }
    free(records);
    qsort(kept, count, sizeof *kept, by_row);
    return count;
}
