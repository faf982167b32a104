/* Whether the values of a column identify persons or records: what they look like, and whether other columns
 * stay the same wherever a value stands again. */
#ifndef HR_TABLES_INFER_INFER_UNIT_H
#define HR_TABLES_INFER_INFER_UNIT_H

#include <hedgerow/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Cells ---- */

/* Of the cells of a column that have a value. Starts from {0}. */
typedef struct hr_code_cells {
    uint64_t cells, with_digits;
    bool other;               /* a cell is no sequence of digits */
    bool no_check_digit;      /* a sequence of digits does not end in the check digit of bank cards (Luhn) */
    size_t shortest, longest; /* of the cells, in bytes */
} hr_code_cells;

void hr_code_cells_add(hr_code_cells *codes, const char *cell, size_t size);

/* Takes cells whose text was taken before, and has digits or not. */
void hr_code_cells_repeat(hr_code_cells *codes, bool digits, uint64_t cells);

/* Takes numbers that are no sequences of digits, the lengths of which are these or lie between, where a cell
 * was taken before that is none either. */
void hr_code_cells_add_numbers(hr_code_cells *codes, size_t count, size_t shortest, size_t longest);

/* Whether all cells are sequences of digits of one length that is usual for identifiers: nine or more, or
 * seven or more with a check digit. */
bool hr_code_cells_are_numbers(const hr_code_cells *codes);

/* ---- The first records ---- */

/* Cells of the first records as hashes, record by record; 0: the cell is empty. Starts from {0}. */
typedef struct hr_row_sample {
    uint32_t *hashes;
    size_t columns; /* of the table, before the first cell is added */
    size_t rows, room;
} hr_row_sample;

/* Makes room for the first `rows` records, or for as many of them as are wanted, which are sample->rows then;
 * their cells are empty. False when memory is short. */
HR_MUST_CHECK bool hr_row_sample_reserve(hr_row_sample *sample, uint64_t rows);

/* Sets a cell that is not empty of a record that has room. */
static inline void hr_row_sample_set(const hr_row_sample *sample, size_t row, size_t column, uint64_t hash) {
    sample->hashes[row * sample->columns + column] = (uint32_t)hash ? (uint32_t)hash : 1;
}

void hr_row_sample_done(hr_row_sample *sample);

enum { HR_CONSTANT_SHOWN = 3 };

/* What the sample shows of one column. */
typedef struct hr_unit_evidence {
    size_t groups, records; /* values of several records, and how many records these are */
    size_t largest;         /* the most records of one value */
    size_t constant;        /* other columns that are the same in all records of nearly every group */
    size_t shown[HR_CONSTANT_SHOWN]; /* the first of these columns */
} hr_unit_evidence;

/* Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_unit_evidence_find(const hr_row_sample *sample, size_t column,
                                              hr_unit_evidence *out, hr_error *err);

/* Whether there are enough groups to judge by. */
bool hr_unit_evidence_counts(const hr_unit_evidence *evidence);

#endif
