#include "trees/stats/divisions.h"

#include "base/fail.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Values from the rarest to the most frequent; of the first i values, ways[i][s] divisions send s records
 * left. */
typedef struct hr_divisions_table {
    size_t count; /* values that may go left: all but the last */
    uint8_t bins[HR_BINS_MAX];
    size_t records[HR_BINS_MAX], most[HR_BINS_MAX]; /* most[i]: records of the first i values */
    double *ways[HR_BINS_MAX];                      /* the first holds the memory of all */
} hr_divisions_table;

/* Those that are divided, in order, the last apart. */
static void order_values(hr_divisions_table *t, const hr_exact *records, const hr_bin_set *values) {
    size_t count = 0;
    for (size_t bin = 1; bin < HR_BINS_MAX; bin++) {
        if (!hr_bin_set_has(values, (uint8_t)bin)) continue;
        const size_t of = (size_t)records[bin].unpaid;
        size_t at = count++;
        for (; at > 0 && t->records[at - 1] > of; at--) {
            t->records[at] = t->records[at - 1];
            t->bins[at] = t->bins[at - 1];
        }
        t->records[at] = of;
        t->bins[at] = (uint8_t)bin;
    }
    t->count = count - 1;
}

static double ways_of(const hr_divisions_table *t, size_t values, size_t sum) {
    return sum <= t->most[values] ? t->ways[values][sum] : 0;
}

static hr_status count_ways(hr_divisions_table *t, hr_error *err) {
    size_t room = 1;
    for (size_t i = 0; i < t->count; i++) {
        t->most[i + 1] = t->most[i] + t->records[i];
        room += t->most[i + 1] + 1;
    }
    double *ways = malloc(room * sizeof *ways);
    if (!ways) return hr_fail_memory(err);
    for (size_t i = 0; i <= t->count; i++) {
        t->ways[i] = ways;
        ways += t->most[i] + 1;
    }
    t->ways[0][0] = 1;
    for (size_t i = 0; i < t->count; i++)
        for (size_t s = 0; s <= t->most[i + 1]; s++)
            t->ways[i + 1][s] =
                ways_of(t, i, s) + (s >= t->records[i] ? ways_of(t, i, s - t->records[i]) : 0);
    return HR_OK;
}

void hr_divisions_free(hr_divisions *divisions) {
    if (!divisions) return;
    if (divisions->table) free(divisions->table->ways[0]);
    free(divisions->table);
    free(divisions->scores);
    free(divisions->ways);
    free(divisions);
}

/* By their sum; all values on the right is no division. */
static hr_status list_sums(hr_divisions *d, int64_t missing, bool missing_left, hr_error *err) {
    const hr_divisions_table *t = d->table;
    const int64_t all = (int64_t)(t->most[t->count] + t->records[t->count]) + missing;
    d->count = t->most[t->count] + 1;
    d->scores = malloc(d->count * sizeof *d->scores);
    d->ways = malloc(d->count * sizeof *d->ways);
    if (!d->scores || !d->ways) return hr_fail_memory(err);
    for (size_t s = 0; s < d->count; s++) {
        const int64_t left = (int64_t)s + (missing_left ? missing : 0);
        d->scores[s] = (hr_exact){-llabs(2 * left - all)};
        d->ways[s] = t->ways[t->count][s] - (s == 0);
    }
    return HR_OK;
}

hr_status hr_divisions_new(const hr_exact *records, const hr_bin_set *values, bool missing_left,
                           hr_divisions **out, hr_error *err) {
    hr_divisions *d = calloc(1, sizeof *d);
    if (!d) return hr_fail_memory(err);
    d->table = calloc(1, sizeof *d->table);
    hr_status status = d->table ? HR_OK : hr_fail_memory(err);
    if (!status) order_values(d->table, records, values);
    if (!status) status = count_ways(d->table, err);
    if (!status) status = list_sums(d, records[0].unpaid, missing_left, err);
    if (status) {
        hr_divisions_free(d);
        return status;
    }
    *out = d;
    return HR_OK;
}

/* Value by value, from the most frequent on: left with the share that the divisions with it there have. */
static hr_bin_set walk_back(const hr_divisions_table *t, hr_csprng *csprng, size_t sum) {
    hr_bin_set left = {{0}};
    for (size_t i = t->count; i-- > 0;) {
        const double at = (double)(hr_csprng_u64(csprng) >> 11) * 0x1p-53 * ways_of(t, i + 1, sum);
        if (sum < t->records[i] || at >= ways_of(t, i, sum - t->records[i])) continue;
        hr_bin_set_add(&left, t->bins[i]);
        sum -= t->records[i];
    }
    return left;
}

hr_bin_set hr_divisions_draw(const hr_divisions *divisions, hr_csprng *csprng, size_t sum) {
    static const hr_bin_set nothing;
    assert(sum < divisions->count && divisions->ways[sum] > 0);
    for (;;) {
        hr_bin_set left = walk_back(divisions->table, csprng, sum);
        if (memcmp(&left, &nothing, sizeof left)) return left;
    }
}
