/* The calls of a link, in pieces that it takes, until the first one fails. */
#include "trees/cluster/rank_link.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct hr_rank_link {
    hr_cluster_link table;
    hr_error failure;                   /* status 0: none */
    int64_t room[HR_CLUSTER_WORDS_MAX]; /* of a rank that takes part without looking */
    int64_t slots[];                    /* one a rank */
};

static hr_status check_table(const hr_cluster_link *t, hr_error *err) {
    const bool is_filled = t->broadcast && t->send && t->receive && t->sum && t->close;
    if (is_filled && t->rank < t->size && t->size <= HR_CLUSTER_RANKS_MAX) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "fill in all calls, and a rank below the size, which is at most 4096",
                   "the table of a link is not complete");
}

hr_status hr_rank_link_new(const hr_cluster_link *table, hr_rank_link **out, hr_error *err) {
    hr_status status = check_table(table, err);
    hr_rank_link *link = NULL;
    if (!status) link = malloc(sizeof *link + table->size * sizeof *link->slots);
    if (!status && !link) status = hr_fail_memory(err);
    if (!status) {
        link->table = *table;
        link->failure = (hr_error){0};
        if (table->join) status = table->join(table->state, &link->failure);
        if (status && err) *err = link->failure;
    }
    if (!status) {
        *out = link;
        return HR_OK;
    }
    free(link);
    if (table->close) table->close(table->state);
    return status;
}

void hr_rank_link_close(hr_rank_link *link) {
    if (!link) return;
    link->table.close(link->table.state);
    free(link);
}

size_t hr_rank_link_rank(const hr_rank_link *link) {
    return link->table.rank;
}

size_t hr_rank_link_size(const hr_rank_link *link) {
    return link->table.size;
}

/* What a call came to, which is kept. */
static void keep_failure(hr_rank_link *link, hr_status status) {
    if (!status) return;
    if (!link->failure.message[0])
        (void)hr_fail(&link->failure, status, "", "the link between the ranks failed");
    link->failure.status = status;
}

static hr_status failure_of(const hr_rank_link *link, hr_error *err) {
    if (link->failure.status && err) *err = link->failure;
    return link->failure.status;
}

static size_t piece_of(size_t left, size_t most) {
    return left < most ? left : most;
}

hr_status hr_rank_link_broadcast(hr_rank_link *link, size_t root, void *bytes, size_t size, hr_error *err) {
    const hr_cluster_link *t = &link->table;
    for (size_t at = 0; at < size && !link->failure.status; at += HR_CLUSTER_BYTES_MAX)
        keep_failure(link, t->broadcast(t->state, root, bytes ? (char *)bytes + at : (char *)link->room,
                                        piece_of(size - at, HR_CLUSTER_BYTES_MAX), &link->failure));
    return failure_of(link, err);
}

hr_status hr_rank_link_send(hr_rank_link *link, size_t to, const void *bytes, size_t size, hr_error *err) {
    const hr_cluster_link *t = &link->table;
    for (size_t at = 0; at < size && !link->failure.status; at += HR_CLUSTER_BYTES_MAX)
        keep_failure(link, t->send(t->state, to, (const char *)bytes + at,
                                   piece_of(size - at, HR_CLUSTER_BYTES_MAX), &link->failure));
    return failure_of(link, err);
}

hr_status hr_rank_link_receive(hr_rank_link *link, void *bytes, size_t size, hr_error *err) {
    const hr_cluster_link *t = &link->table;
    for (size_t at = 0; at < size && !link->failure.status; at += HR_CLUSTER_BYTES_MAX)
        keep_failure(link, t->receive(t->state, bytes ? (char *)bytes + at : (char *)link->room,
                                      piece_of(size - at, HR_CLUSTER_BYTES_MAX), &link->failure));
    return failure_of(link, err);
}

hr_status hr_rank_link_sum(hr_rank_link *link, int64_t *words, size_t count, hr_error *err) {
    const hr_cluster_link *t = &link->table;
    for (size_t at = 0; at < count && !link->failure.status; at += HR_CLUSTER_WORDS_MAX) {
        const size_t piece = piece_of(count - at, HR_CLUSTER_WORDS_MAX);
        if (!words) memset(link->room, 0, piece * sizeof *words);
        keep_failure(link, t->sum(t->state, words ? words + at : link->room, piece, &link->failure));
    }
    return failure_of(link, err);
}

hr_status hr_rank_link_sum_everywhere(hr_rank_link *link, int64_t *words, size_t count, hr_error *err) {
    hr_status status = hr_rank_link_sum(link, words, count, err);
    return status ? status : hr_rank_link_broadcast(link, 0, words, count * sizeof *words, err);
}

/* Every rank's 8 bytes, at every rank: a sum in which each has a word of its own. */
static hr_status share_slots(hr_rank_link *link, const void *mine, hr_error *err) {
    memset(link->slots, 0, link->table.size * sizeof *link->slots);
    memcpy(&link->slots[link->table.rank], mine, sizeof *link->slots);
    return hr_rank_link_sum_everywhere(link, link->slots, link->table.size, err);
}

hr_status hr_rank_link_least(hr_rank_link *link, int64_t *value, hr_error *err) {
    hr_status status = share_slots(link, value, err);
    for (size_t r = 0; !status && r < link->table.size; r++)
        if (link->slots[r] < *value) *value = link->slots[r];
    return status;
}

hr_status hr_rank_link_largest(hr_rank_link *link, double *value, hr_error *err) {
    hr_status status = share_slots(link, value, err);
    for (size_t r = 0; !status && r < link->table.size; r++) {
        double other;
        memcpy(&other, &link->slots[r], sizeof other);
        if (other > *value) *value = other;
    }
    return status;
}
