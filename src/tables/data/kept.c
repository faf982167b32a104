#include "tables/data/kept.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 1024 };

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

static bool grow_kept(hr_kept *kept) {
    size_t rows = kept->capacity ? 2 * kept->capacity : FIRST_ROWS;
    if (rows > SIZE_MAX / sizeof *kept->starts / kept->columns) return false;
    size_t *starts = realloc(kept->starts, rows * kept->columns * sizeof *starts);
    if (!starts) return false;
    kept->starts = starts;
    kept->capacity = rows;
    return true;
}

bool hr_kept_add(hr_kept *kept, size_t column, size_t row, const char *text, size_t size) {
    if (row == kept->rows) {
        if (row == kept->capacity && !grow_kept(kept)) return false;
        kept->rows++;
    }
    kept->starts[row * kept->columns + column] = kept->texts.size;
    hr_buffer_add(&kept->texts, text, size);
    hr_buffer_add(&kept->texts, "", 1);
    return !kept->texts.failed;
}
