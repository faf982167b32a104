#include "federation/roles/deal.h"

#include "federation/protocol/message.h"
#include "tables/data/records.h"

hr_status hr_deal(const hr_data *data, size_t owners, hr_csprng *csprng, hr_parts *out, hr_error *err) {
    double equal[HR_MEMBERS_MAX];
    const hr_person_rows of = {data->persons, hr_data_rows(data)};
    for (size_t o = 0; o < owners; o++) equal[o] = 1;
    return of.persons ? hr_parts_drawn_by_persons(csprng, &of, equal, owners, out, err)
                      : hr_parts_drawn(csprng, of.rows, equal, owners, out, err);
}
