/* Persons of a table whose records are at several ranks. What a person's records weigh, and which part they
 * are in, follows from all of them: so they must be at one rank. Ranks compare identifiers by hashes with a
 * key that is drawn for the run: 16 bytes a person, whatever its identifier is. */
#include "base/fail.h"
#include "privacy/crypto/csprng.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "trees/cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hr_status hr_rank_persons_key(hr_cluster *c, uint8_t key[HR_PRF_KEY], hr_error *err) {
    hr_csprng *csprng = NULL;
    hr_status status = hr_cluster_rank(c) ? HR_OK : hr_csprng_open(&csprng, err);
    if (!status && csprng) hr_csprng_bytes(csprng, key, HR_PRF_KEY);
    hr_csprng_close(csprng);
    status = hr_cluster_agree(c, status, err);
    return status ? status : hr_rank_link_broadcast(c->link, 0, key, HR_PRF_KEY, err);
}

/* Numbers the persons of this part from 0 on, in the order of their first records. */
static bool number_persons(hr_data *data) {
    uint32_t *number_of = malloc((data->person_count + 1) * sizeof *number_of), count = 0;
    hr_person_hash *hashes = malloc((data->person_count + 1) * sizeof *hashes);
    const bool made = number_of && hashes;
    if (made) memset(number_of, 0xff, data->person_count * sizeof *number_of);
    for (size_t i = 0; made && i < data->rows; i++) {
        uint32_t *number = &number_of[data->persons[i]];
        if (*number == UINT32_MAX) {
            hashes[count] = data->person_hashes[data->persons[i]];
            *number = count++;
        }
        data->persons[i] = *number;
    }
    free(number_of);
    free(data->person_hashes);
    data->person_hashes = hashes;
    data->person_count = count;
    return made;
}

/* How many persons each rank has, as c->persons. */
static hr_status share_counts(hr_cluster *c, const hr_data *data, hr_error *err) {
    const size_t size = hr_cluster_size(c);
    int64_t *counts = calloc(size, sizeof *counts);
    free(c->persons);
    c->persons = calloc(size + 1, sizeof *c->persons);
    hr_status status = hr_cluster_agree(c, counts && c->persons ? HR_OK : hr_fail_memory(err), err);
    if (!status) counts[hr_cluster_rank(c)] = (int64_t)data->person_count;
    if (!status) status = hr_rank_link_sum_everywhere(c->link, counts, size, err);
    for (size_t r = 0; !status && r < size; r++) c->persons[r + 1] = c->persons[r] + (size_t)counts[r];
    free(counts);
    return status;
}

static int compare_hashes(const void *a, const void *b) {
    return memcmp(a, b, sizeof(hr_person_hash));
}

/* Notes in `ranks` which of this rank's persons another rank has, too. Both are sorted. */
static void note_shared(const hr_data *data, const hr_person_hash *others, size_t count, uint8_t *ranks) {
    for (size_t i = 0, k = 0; i < data->person_count && k < count;) {
        const int order = compare_hashes(&data->person_hashes[i], &others[k]);
        if (order == 0 && ranks[i] < 2) ranks[i]++;
        i += order <= 0;
        k += order >= 0;
    }
}

/* Every rank sends its hashes to all in turn, and each counts those of its own that exactly one rank before
 * it has: so a person that several ranks have is counted once. */
static hr_status count_shared(hr_cluster *c, hr_data *data, int64_t *shared, hr_error *err) {
    const size_t size = hr_cluster_size(c), rank = hr_cluster_rank(c);
    size_t most = 0;
    for (size_t r = 0; r < size; r++)
        if (c->persons[r + 1] - c->persons[r] > most) most = c->persons[r + 1] - c->persons[r];
    hr_person_hash *others = malloc((most + 1) * sizeof *others);
    uint8_t *ranks = calloc(data->person_count + 1, 1);
    hr_status status = hr_cluster_agree(c, others && ranks ? HR_OK : hr_fail_memory(err), err);
    if (!status) qsort(data->person_hashes, data->person_count, sizeof *data->person_hashes, compare_hashes);
    for (size_t r = 0; !status && r < size; r++) {
        const size_t count = c->persons[r + 1] - c->persons[r];
        hr_person_hash *sent = r == rank ? data->person_hashes : others;
        status = hr_rank_link_broadcast(c->link, r, sent, count * sizeof *sent, err);
        if (!status && r < rank) note_shared(data, others, count, ranks);
    }
    *shared = 0;
    for (size_t i = 0; !status && i < data->person_count; i++) *shared += ranks[i] == 1;
    free(others);
    free(ranks);
    return status ? status : hr_rank_link_sum_everywhere(c->link, shared, 1, err);
}

hr_status hr_rank_persons_share(hr_cluster *c, hr_data *data, hr_error *err) {
    int64_t shared = 0;
    hr_status status = hr_cluster_agree(c, number_persons(data) ? HR_OK : hr_fail_memory(err), err);
    if (!status) status = share_counts(c, data, err);
    if (!status) status = count_shared(c, data, &shared, err);
    free(data->person_hashes);
    data->person_hashes = NULL;
    if (status || !shared) return status;
    char remedy[400];
    snprintf(
        remedy, sizeof remedy,
        data->origins
            ? "sort the table by the column %.100s and cut it between persons into files, one or more for "
              "each rank; or train in one process, without mpirun or --link"
            : "give all records of a person, by the column %.100s, to one rank; or train in one process",
        hr_schema_unit(hr_data_schema(data)));
    hr_fail(err, HR_E_ARGUMENT, remedy, "%lld persons have records at several ranks", (long long)shared);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "unit");
}
