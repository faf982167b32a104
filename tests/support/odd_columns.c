#include "support/odd_columns.h"

hr_column odd_category(const char *name, size_t count) {
    static char text[VALUES_MAX][8];
    static const char *values[VALUES_MAX];
    for (size_t i = 0; i < VALUES_MAX; i++) {
        snprintf(text[i], sizeof text[i], "v%zu", i);
        values[i] = text[i];
    }
    return (hr_column){.name = name, .kind = HR_KIND_CATEGORY, .value_count = count, .values = values};
}

double odd_value(const hr_column *column, uint64_t *random) {
    double u = next_unit(random);
    return column->kind == HR_KIND_CATEGORY ? floor(u * (double)(column->value_count + 1))
                                            : column->low + u * (column->high - column->low);
}

double odd_label(size_t classes, uint64_t *random) {
    return classes ? (double)(next_random(random) % classes) : 2 * next_unit(random) - 1;
}
