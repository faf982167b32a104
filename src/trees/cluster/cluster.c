/* Ranks that joined, and what all of them agree on. */
#include "trees/cluster/cluster.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION_ROOM = 32 };

/* Ranks of another build might read other things in the same bytes. */
static hr_status compare_versions(hr_cluster *c, hr_error *err) {
    char own[VERSION_ROOM] = HR_VERSION, first[VERSION_ROOM];
    memcpy(first, own, sizeof first);
    hr_rank_link_broadcast(c->link, 0, first, sizeof first);
    hr_status status = HR_OK;
    if (memcmp(own, first, sizeof own) != 0)
        status =
            hr_fail(err, HR_E_ARGUMENT, "install the same version on all machines",
                    "rank %zu has version %s of Hedgerow, rank 0 has %.31s", hr_cluster_rank(c), own, first);
    return hr_cluster_agree(c, status, err);
}

hr_status hr_cluster_open(hr_cluster **out, hr_error *err) {
    hr_cluster *c = calloc(1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    hr_status status = hr_rank_link_open(&c->link, err);
    if (!status) status = compare_versions(c, err);
    if (status) {
        hr_cluster_close(c);
        return status;
    }
    *out = c;
    return HR_OK;
}

void hr_cluster_close(hr_cluster *c) {
    if (!c) return;
    if (c->serving && !hr_cluster_rank(c))
        hr_cluster_send_question(c, &(hr_rank_head){.kind = HR_RANKS_END}, NULL);
    hr_rank_link_close(c->link);
    free(c->begin);
    free(c);
}

size_t hr_cluster_rank(const hr_cluster *c) {
    return hr_rank_link_rank(c->link);
}

size_t hr_cluster_size(const hr_cluster *c) {
    return hr_rank_link_size(c->link);
}

size_t hr_cluster_rows(const hr_cluster *c) {
    return c->begin ? c->begin[hr_cluster_size(c)] : 0;
}

hr_status hr_cluster_agree(hr_cluster *c, hr_status status, hr_error *err) {
    const size_t size = hr_cluster_size(c);
    const size_t first = (size_t)hr_rank_link_least(c->link, (int64_t)(status ? hr_cluster_rank(c) : size));
    hr_error shared = {.status = status};
    if (first == size) return HR_OK;
    if (status && err) shared = *err;
    shared.status = status;
    hr_rank_link_broadcast(c->link, first, &shared, sizeof shared);
    if (err) *err = shared;
    return shared.status;
}

void hr_cluster_send_question(hr_cluster *c, const hr_rank_head *head, void *body) {
    hr_rank_head sent = *head;
    hr_rank_link_broadcast(c->link, 0, &sent, sizeof sent);
    hr_rank_link_broadcast(c->link, 0, body, head->size);
}
