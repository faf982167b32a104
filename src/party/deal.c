#include "party/deal.h"

#include "base/fail.h"
#include "data/records.h"
#include "protocol/membership.h"

#include <stdlib.h>

static size_t count_persons(const hr_data *data) {
    size_t count = 0;
    for (size_t i = 0; i < hr_data_rows(data); i++)
        if (data->persons[i] >= count) count = (size_t)data->persons[i] + 1;
    return count;
}

/* All records of a person go to one owner. */
static hr_status draw_owners_of_persons(hr_csprng *csprng, const hr_data *data, const double *shares,
                                        size_t owners, hr_parts *out, hr_error *err) {
    const size_t persons = count_persons(data), rows = hr_data_rows(data);
    uint32_t *owner_of = malloc((persons + 1) * sizeof *owner_of),
             *part_of = malloc((rows + 1) * sizeof *part_of);
    hr_parts drawn = {0};
    hr_status status = owner_of && part_of ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_parts_drawn(csprng, persons, shares, owners, &drawn, err);
    for (size_t o = 0; !status && o < owners; o++)
        for (size_t i = 0; i < hr_parts_size(&drawn, o); i++)
            owner_of[drawn.rows ? hr_parts_rows(&drawn, o)[i] : i] = (uint32_t)o;
    for (size_t i = 0; !status && i < rows; i++) part_of[i] = owner_of[data->persons[i]];
    if (!status) status = hr_parts_given(part_of, rows, owners, out, err);
    hr_parts_done(&drawn);
    free(part_of);
    free(owner_of);
    return status;
}

hr_status hr_deal(const hr_data *data, size_t owners, hr_csprng *csprng, hr_parts *out, hr_error *err) {
    double equal[HR_MEMBERS_MAX];
    for (size_t o = 0; o < owners; o++) equal[o] = 1;
    return data->persons ? draw_owners_of_persons(csprng, data, equal, owners, out, err)
                         : hr_parts_drawn(csprng, hr_data_rows(data), equal, owners, out, err);
}
