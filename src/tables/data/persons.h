/* Who the records of a table belong to: identifiers of the unit's column as numbers, and what each record
 * counts so that a person counts at most 1. The identifiers themselves are forgotten with the reader; hashes
 * of them are kept, of every table: an owner may serve any, and holds persons out by their hashes. */
#ifndef HR_TABLES_DATA_PERSONS_H
#define HR_TABLES_DATA_PERSONS_H

#include "base/arena.h"
#include "base/string_map.h"
#include "tables/data/records.h"

/* Identifiers that were met. Starts from {0}. */
typedef struct hr_persons {
    hr_arena *arena; /* their texts */
    hr_string_map numbers;
    const uint8_t *key;     /* HR_PRF_KEY bytes, borrowed: of the hashes; NULL: they have none */
    hr_person_hash *hashes; /* by number */
    size_t capacity;
} hr_persons;

void hr_persons_done(hr_persons *persons);

/* The number of an identifier, counted from 0 in the order in which they are first met; identifiers are the
 * same if their bytes are. False when memory is short. */
bool hr_persons_number(hr_persons *persons, const char *text, size_t size, uint32_t *out);

/* Gives the data set the hashes. */
void hr_persons_give_hashes(hr_persons *persons, hr_data *data);

/* Sets the weights of a data set from its persons, floor(2^HR_PERSON_BITS / m) for each of the m records of
 * a person, and from the records' own weights, of which there are some. False when memory is short. */
bool hr_records_weigh(hr_data *data);

/* Gives the data set a schema that is the same but for the unit: from here on records count by themselves.
 * The schema must outlive it. */
void hr_data_forget_persons(hr_data *data, const hr_schema *schema);

/* At most `most` >= 1 records of each person: those with the smallest keys, of which each record has one of
 * its own, the first of equal ones. kept: room for all rows; ascending. Which records of a person are kept
 * depends on its own records and keys alone. Returns how many; 0 for a table with rows when memory is short.
 */
size_t hr_persons_keep(const hr_data *data, const uint64_t *keys, size_t most, uint32_t *kept);

#endif
