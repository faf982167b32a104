#include "methods/simfl/simfl_split.h"

#include "base/fail.h"
#include "tables/data/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct division {
    const hr_data *data;
    size_t owners;
    uint32_t *order;    /* all rows, shuffled */
    uint32_t *owner_of; /* of each row */
    uint32_t *rows;     /* room for those of one owner */
} division;

static void shuffle_rows(const division *d, hr_csprng *csprng) {
    size_t count = hr_data_rows(d->data);
    for (size_t i = 0; i < count; i++) {
        size_t j = hr_uniform(csprng, i + 1);
        d->order[i] = d->order[j];
        d->order[j] = (uint32_t)i;
    }
}

/* Owners take turns. */
static void deal_evenly(const division *d) {
    for (size_t k = 0; k < hr_data_rows(d->data); k++) d->owner_of[d->order[k]] = (uint32_t)(k % d->owners);
}

/* The first quota[class] records of a class go to the first half, the others to the second; in each half
 * owners take turns. */
static void deal_by_class(const division *d, double theta) {
    const double *labels = hr_data_labels(d->data);
    size_t rows = hr_data_rows(d->data), in_class[2] = {0}, dealt_of_class[2] = {0}, dealt[2] = {0};
    for (size_t i = 0; i < rows; i++) in_class[labels[i] > 0]++;
    const double quota[2] = {rint(theta * (double)in_class[0]), rint((1 - theta) * (double)in_class[1])};
    const size_t first[2] = {0, (d->owners + 1) / 2}, owners[2] = {(d->owners + 1) / 2, d->owners / 2};
    for (size_t k = 0; k < rows; k++) {
        uint32_t row = d->order[k];
        size_t class_of = labels[row] > 0;
        size_t half = (double)dealt_of_class[class_of]++ < quota[class_of] ? 0 : 1;
        d->owner_of[row] = (uint32_t)(first[half] + dealt[half]++ % owners[half]);
    }
}

static hr_status take_rows(const division *d, size_t owner, hr_data **out, hr_error *err) {
    size_t count = 0;
    for (uint32_t i = 0; i < hr_data_rows(d->data); i++)
        if (d->owner_of[i] == owner) d->rows[count++] = i;
    if (!count)
        return hr_fail(err, HR_E_ARGUMENT, "use fewer owners, or a theta nearer to 0.5",
                       "owner %zu of %zu would have no record", owner + 1, d->owners);
    *out = hr_data_take(d->data, d->rows, count);
    return *out ? HR_OK : hr_fail_memory(err);
}

static hr_status deal_rows(const division *d, double theta, hr_csprng *csprng, hr_data **out, hr_error *err) {
    hr_status status = HR_OK;
    shuffle_rows(d, csprng);
    if (theta > 0)
        deal_by_class(d, theta);
    else
        deal_evenly(d);
    memset(out, 0, d->owners * sizeof *out);
    for (size_t i = 0; !status && i < d->owners; i++) status = take_rows(d, i, &out[i], err);
    for (size_t i = 0; status && i < d->owners; i++) hr_data_free(out[i]);
    return status;
}

hr_status hr_simfl_split(const hr_data *data, size_t owners, double theta, hr_csprng *csprng, hr_data **out,
                         hr_error *err) {
    size_t room = hr_data_rows(data) + 1;
    division d = {data, owners, malloc(room * sizeof *d.order), malloc(room * sizeof *d.owner_of),
                  malloc(room * sizeof *d.rows)};
    hr_status status =
        d.order && d.owner_of && d.rows ? deal_rows(&d, theta, csprng, out, err) : hr_fail_memory(err);
    free(d.order);
    free(d.owner_of);
    free(d.rows);
    return status;
}
