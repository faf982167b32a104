/* A column in memory as callers of hr_data_borrow have it: any element, any stride, at the end of its block.
 */
#ifndef HR_TESTS_SUPPORT_LAYOUTS_H
#define HR_TESTS_SUPPORT_LAYOUTS_H

#include <hedgerow/data.h>

typedef struct layout {
    hr_element element;
    ptrdiff_t stride;
    size_t offset; /* bytes of the block before the lowest element */
} layout;

/* Numbers and codes: those that can hold a NaN and a fraction come first. */
enum { LAYOUTS_OF_NUMBERS = 11, LAYOUTS = 15 };
extern const layout layouts[LAYOUTS];

typedef struct laid_out {
    void *block; /* ends where the last byte of an element does, so that sanitizers see what reads on */
    hr_array array;
} laid_out;

/* Owner: the caller frees the block. */
laid_out lay_out(const double *values, size_t rows, layout how);

/* Overwrites one element; uint16: 0 for NaN. */
void put_element(const laid_out *column, size_t row, double value);

#endif
