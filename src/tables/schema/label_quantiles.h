/* The quantiles of a label, as a schema has them. */
#ifndef HR_TABLES_SCHEMA_LABEL_QUANTILES_H
#define HR_TABLES_SCHEMA_LABEL_QUANTILES_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/fail.h"

#include <hedgerow/schema.h>

/* is_label: of the schema; *key: the key at fault. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_label_quantiles_check(const hr_column *column, bool is_label, const char **key,
                                                 hr_error *err);

/* False when memory is short. */
bool hr_label_quantiles_copy(hr_arena *arena, const hr_column *from, hr_column *to);
bool hr_label_quantiles_same(const hr_column *a, const hr_column *b);

/* The line of a schema file; nothing without quantiles. */
void hr_label_quantiles_write(hr_buffer *out, const char *indent, const hr_column *column);

#endif
