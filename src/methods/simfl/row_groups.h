/* How many rows of a table are equal to no other, and how many records stand alone in their group or have a
 * group of one label. */
#ifndef HR_METHODS_SIMFL_ROW_GROUPS_H
#define HR_METHODS_SIMFL_ROW_GROUPS_H

#include <hedgerow/status.h>

typedef struct hr_row_counts {
    size_t distinct; /* contents that occur */
    size_t unique;   /* rows whose content occurs once */
} hr_row_counts;

/* Compares `count` rows of `size` bytes byte by byte. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_row_counts_of(const void *rows, size_t count, size_t size, hr_row_counts *out,
                                         hr_error *err);

typedef struct hr_group_counts {
    size_t alone;     /* records that are the only one of their group */
    size_t one_label; /* records of groups whose labels are all equal; those that are alone are among them */
} hr_group_counts;

/* Record i is in group groups[i] < group_count and has the label labels[i]; labels may be NULL: then
 * one_label is 0. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_group_counts_of(const uint32_t *groups, const double *labels, size_t count,
                                           size_t group_count, hr_group_counts *out, hr_error *err);

#endif
