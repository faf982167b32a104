/* Columns with values that are missing or not in the schema. */
#ifndef HR_TESTS_SUPPORT_ODD_COLUMNS_H
#define HR_TESTS_SUPPORT_ODD_COLUMNS_H

#include "support/tables.h"

enum { VALUES_MAX = 256 };

hr_column odd_category(const char *name, size_t count);

/* Of a category: missing, or one of its values, each as often. */
double odd_value(const hr_column *column, uint64_t *random);

/* A class, or a number if there are none. */
double odd_label(size_t classes, uint64_t *random);

#endif
