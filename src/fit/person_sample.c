#include "fit/person_sample.h"

#include "base/fail.h"
#include "tables/data/persons.h"
#include "tables/schema/schema.h"

#include <stdlib.h>

void hr_person_sample_done(hr_person_sample *sample) {
    hr_data_free(sample->data);
    hr_schema_free(sample->schema);
    *sample = (hr_person_sample){0};
}

/* False when memory is short. */
static bool take_sample(const hr_data *data, size_t most, hr_csprng *csprng, hr_data **out) {
    size_t rows = hr_data_rows(data);
    uint64_t *keys = malloc((rows + 1) * sizeof *keys);
    uint32_t *kept = malloc((rows + 1) * sizeof *kept);
    size_t count = 0;
    if (keys && kept) {
        for (size_t i = 0; i < rows; i++) keys[i] = hr_csprng_u64(csprng);
        count = hr_persons_keep(data, keys, most, kept);
        if (count) *out = hr_data_take(data, kept, count);
    }
    free(keys);
    free(kept);
    return *out != NULL;
}

hr_status hr_person_sample_draw(const hr_data *data, size_t most, hr_csprng *csprng, hr_person_sample *out,
                                hr_error *err) {
    hr_status status = hr_schema_copy_of_records(hr_data_schema(data), &out->schema, err);
    if (status) return status;
    if (!take_sample(data, most, csprng, &out->data)) return hr_fail_memory(err);
    hr_data_forget_persons(out->data, out->schema);
    return HR_OK;
}
