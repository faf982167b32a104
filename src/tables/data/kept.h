/* Texts of columns that a reader was asked to keep beside the records, such as numbers of patients. No column
 * of a schema is made of them, and no method sees them. */
#ifndef HR_TABLES_DATA_KEPT_H
#define HR_TABLES_DATA_KEPT_H

#include "base/buffer.h"

typedef struct hr_kept {
    size_t columns, rows, capacity;
    hr_buffer texts; /* NUL-ended, one after the other */
    size_t *starts;  /* rows x columns: of each in `texts` */
} hr_kept;

/* Owner: the caller frees the result with hr_kept_free. NULL when memory is short. */
hr_kept *hr_kept_new(size_t columns);
void hr_kept_free(hr_kept *kept);

/* Keeps the text of a column in row `row`, the last one or the one after it. False when memory is short. */
bool hr_kept_add(hr_kept *kept, size_t column, size_t row, const char *text, size_t size);

#endif
