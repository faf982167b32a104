/* Texts of cells that do not fit, gathered while a table is read. */
#ifndef HR_TABLES_DATA_MISFITS_H
#define HR_TABLES_DATA_MISFITS_H

#include <hedgerow/data.h>

/* Notes a cell of the column with that index, as hr_misfits_count counts them. False when memory is short. */
bool hr_misfits_add(hr_misfits *misfits, size_t feature, const char *cell, size_t size);

/* Keeps the refusal of the first cell that is refused. */
void hr_misfits_refuse(hr_misfits *misfits, const hr_error *refusal);

/* That refusal, as long as it has no line or no file, for the reader to add them; else NULL. */
hr_error *hr_misfits_without_line(hr_misfits *misfits);
hr_error *hr_misfits_without_file(hr_misfits *misfits);

#endif
