/* A column of the persons that records belong to has values that repeat in small groups, and within a group
 * what belongs to the person, such as sex or year of birth, does not change. Quantities that repeat by chance
 * have no such groups: on public tables the share of groups without a change was 0.955 at most, of
 * identifiers above 0.99. */
#include "tables/infer/infer_unit.h"

#include "base/fail.h"
#include "tables/infer/infer_column.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 50000,    /* of the sample */
    CELLS_MAX = 4000000, /* of the sample: 16 MB */
    ROWS_FIRST = 256,
    GROUPS_MIN = 20, /* fewer are no evidence */
    LONG_DIGITS = 9, /* of one length: such numbers are rarely quantities */
    CHECKED_DIGITS = 7,
    STEP = 40503 /* from a record to another one that has nothing to do with it */
};
static const double CONSTANT = .98, CHANCE_MAX = .8;

/* ---- Cells ---- */

/* The check digit of Luhn, of digits. */
static bool has_check_digit(const char *digits, size_t size) {
    int sum = 0;
    for (size_t i = 0; i < size; i++) {
        int digit = digits[size - 1 - i] - '0';
        if (i % 2) digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
        sum += digit;
    }
    return sum % 10 == 0;
}

void hr_code_cells_add(hr_code_cells *codes, const char *cell, size_t size) {
    size_t digits = 0;
    for (size_t i = 0; i < size; i++) digits += cell[i] >= '0' && cell[i] <= '9';
    codes->with_digits += digits > 0;
    codes->other |= digits < size;
    if (digits == size && !codes->no_check_digit) codes->no_check_digit = !has_check_digit(cell, size);
    if (!codes->cells || size < codes->shortest) codes->shortest = size;
    if (size > codes->longest) codes->longest = size;
    codes->cells++;
}

void hr_code_cells_repeat(hr_code_cells *codes, bool digits, uint64_t cells) {
    if (digits) codes->with_digits += cells;
    codes->cells += cells;
}

void hr_code_cells_add_numbers(hr_code_cells *codes, size_t count, size_t shortest, size_t longest) {
    codes->cells += count;
    codes->with_digits += count;
    if (shortest < codes->shortest) codes->shortest = shortest;
    if (longest > codes->longest) codes->longest = longest;
}

bool hr_code_cells_are_numbers(const hr_code_cells *codes) {
    if (!codes->cells || codes->other || codes->shortest != codes->longest) return false;
    return codes->shortest >= LONG_DIGITS || (codes->shortest >= CHECKED_DIGITS && !codes->no_check_digit);
}

/* ---- The first records ---- */

bool hr_row_sample_reserve(hr_row_sample *sample, uint64_t rows) {
    size_t most = sample->columns ? CELLS_MAX / sample->columns : 0, room = sample->room;
    if (most > ROWS_MAX) most = ROWS_MAX;
    if (rows < most) most = (size_t)rows;
    while (room < most) room = room ? 2 * room : ROWS_FIRST;
    if (room > sample->room) {
        uint32_t *larger = realloc(sample->hashes, room * sample->columns * sizeof *larger);
        if (!larger) return false;
        memset(larger + sample->room * sample->columns, 0,
               (room - sample->room) * sample->columns * sizeof *larger);
        sample->hashes = larger;
        sample->room = room;
    }
    if (sample->rows < most) sample->rows = most;
    return true;
}

void hr_row_sample_done(hr_row_sample *sample) {
    free(sample->hashes);
    *sample = (hr_row_sample){0};
}

/* A record of the sample by the value of the column that is judged. */
typedef struct keyed_row {
    uint32_t value, row;
} keyed_row;

static int compare_keyed(const void *a, const void *b) {
    const keyed_row *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* The records of one value: from `first` on, in order. Returns how many they are. */
static size_t group_size(const keyed_row *rows, size_t count, size_t first) {
    size_t size = 1;
    while (first + size < count && rows[first + size].value == rows[first].value) size++;
    return size;
}

/* How often two records of the sample that have nothing to do with each other are the same in a column. */
static double chance_of(const hr_row_sample *sample, size_t column) {
    size_t same = 0;
    for (size_t i = 0; i < sample->rows; i++) {
        const size_t other = (i * STEP + STEP / 2) % sample->rows;
        same +=
            sample->hashes[i * sample->columns + column] == sample->hashes[other * sample->columns + column];
    }
    return (double)same / (double)sample->rows;
}

/* Whether the records of nearly every one of `groups` groups of two or more are the same in a column. Stops
 * at the group that decides it: every column may be compared with every other. */
static bool is_constant(const hr_row_sample *sample, const keyed_row *rows, size_t count, size_t column,
                        size_t groups) {
    size_t same = groups;
    for (size_t first = 0, size; first < count; first += size) {
        size = group_size(rows, count, first);
        if (size < 2) continue;
        size_t i = 1;
        const uint32_t value = sample->hashes[rows[first].row * sample->columns + column];
        while (i < size && sample->hashes[rows[first + i].row * sample->columns + column] == value) i++;
        if (i < size && (double)--same < CONSTANT * (double)groups) return false;
    }
    return chance_of(sample, column) <= CHANCE_MAX;
}

hr_status hr_unit_evidence_find(const hr_row_sample *sample, size_t column, hr_unit_evidence *out,
                                hr_error *err) {
    *out = (hr_unit_evidence){0};
    keyed_row *rows = malloc((sample->rows + 1) * sizeof *rows);
    size_t count = 0;
    if (!rows) return hr_fail_memory(err);
    for (size_t i = 0; i < sample->rows; i++) {
        const uint32_t value = sample->hashes[i * sample->columns + column];
        if (value) rows[count++] = (keyed_row){value, (uint32_t)i};
    }
    qsort(rows, count, sizeof *rows, compare_keyed);
    for (size_t first = 0, size; first < count; first += size) {
        size = group_size(rows, count, first);
        if (size < 2) continue;
        out->groups++;
        out->records += size;
        if (size > out->largest) out->largest = size;
    }
    for (size_t c = 0; c < sample->columns && hr_unit_evidence_counts(out); c++) {
        if (c == column || !is_constant(sample, rows, count, c, out->groups)) continue;
        if (out->constant < HR_CONSTANT_SHOWN) out->shown[out->constant] = c;
        out->constant++;
    }
    free(rows);
    return HR_OK;
}

bool hr_unit_evidence_counts(const hr_unit_evidence *evidence) {
    return evidence->groups >= GROUPS_MIN;
}
