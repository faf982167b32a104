#include "owners.h"

#include "fits.h"
#include "tables/data/records.h"

#include <stdlib.h>

void bench_deal(const hr_data *all, hr_data **tables, size_t owners) {
    const size_t rows = hr_data_rows(all);
    uint32_t *picked = bench_allocate(rows + 1, sizeof *picked);
    for (size_t o = 0; o < owners; o++) {
        size_t count = 0;
        for (size_t i = o; i < rows; i += owners) picked[count++] = (uint32_t)i;
        if (!(tables[o] = hr_data_take(all, picked, count))) bench_die(NULL, "no memory");
    }
    free(picked);
}
