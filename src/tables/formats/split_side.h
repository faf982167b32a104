/* Which part of a table a record belongs to: a keyed hash of the text of its unit, or of its number. */
#ifndef HR_TABLES_FORMATS_SPLIT_SIDE_H
#define HR_TABLES_FORMATS_SPLIT_SIDE_H

#include <hedgerow/data.h>

enum { HR_SPLIT_KEY = 32 };

typedef struct hr_split_side {
    uint8_t key[HR_SPLIT_KEY];
    uint64_t below; /* numbers below it are of the test part */
} hr_split_side;

/* Of the share and the seed, or of secret coins. Fails: ARGUMENT (the share), IO (no coins), MEMORY. */
HR_MUST_CHECK hr_status hr_split_side_init(const hr_split_options *options, hr_split_side *out,
                                           hr_error *err);

bool hr_split_side_is_test(const hr_split_side *side, const void *text, size_t size);
/* Of a record without a unit; counted from 0. */
bool hr_split_side_is_test_record(const hr_split_side *side, uint64_t number);

#endif
