/* What plain numbers show beside their range: codes for missing, codes with leading zeros, integers that are
 * too long for a double. */
#ifndef HR_TABLES_INFER_INFER_NUMBERS_H
#define HR_TABLES_INFER_INFER_NUMBERS_H

#include "base/kernels/kernels.h"
#include "tables/infer/infer_words.h"

/* Starts from {0}. */
typedef struct hr_number_evidence {
    uint64_t cells, leading_zeros; /* plain numbers; those that begin with 0 before another digit */
    size_t shortest, longest;      /* bytes of them */
    bool fractions, negative;      /* there are such */
    bool rounded;                  /* an integer above 2^53 is not a double */
    hr_words codes;                /* those whose value may be a code for missing, such as -9 and 999 */
    uint64_t others;               /* the other numbers: how many, and their range */
    double low, high;
    bool other_fractions;
    /* What hr_number_evidence_judge finds out. */
    bool has_missing_codes; /* `codes` are those that stand apart from the other numbers, and these have the
                               range */
} hr_number_evidence;

/* Takes a plain number. False when memory is short. */
bool hr_number_evidence_add(hr_number_evidence *evidence, hr_arena *arena, const char *cell, size_t size,
                            double value);

/* The same of numbers whose text was taken before. */
bool hr_number_evidence_repeat(hr_number_evidence *evidence, hr_arena *arena, const hr_cell_text *cell,
                               double value, uint64_t cells);

/* Decides which numbers are codes for missing, once all cells are there. */
void hr_number_evidence_judge(hr_number_evidence *evidence);

/* Whether the numbers are written as codes are: of one length or often with leading zeros. */
bool hr_number_evidence_is_code(const hr_number_evidence *evidence);

/* Rounds bounds outwards, each to its first digit or to that of their difference, whichever is nearer: 17 and
 * 92 to 10 and 100. Bounds of records are those of single records. */
void hr_bounds_outwards(double *low, double *high);

/* The remark on bounds that were. */
#define HR_ROUNDED_OUTWARDS "the bounds are those of the records, rounded outwards"

void hr_number_evidence_done(hr_number_evidence *evidence);

#endif
