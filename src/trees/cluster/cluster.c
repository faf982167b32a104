/* Ranks that joined, and what all of them agree on. */
#include "trees/cluster/cluster.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION_ROOM = 32 };

/* Ranks of another build might read other things in the same bytes. */
static hr_status compare_versions(hr_cluster *c, hr_error *err) {
    char own[VERSION_ROOM] = HR_VERSION, first[VERSION_ROOM];
    memcpy(first, own, sizeof first);
    hr_status status = hr_rank_link_broadcast(c->link, 0, first, sizeof first, err);
    if (!status && memcmp(own, first, sizeof own) != 0)
        status =
            hr_fail(err, HR_E_ARGUMENT, "install the same version on all machines",
                    "rank %zu has version %s of Hedgerow, rank 0 has %.31s", hr_cluster_rank(c), own, first);
    return hr_cluster_agree(c, status, err);
}

hr_status hr_cluster_open(hr_cluster **out, hr_error *err) {
    hr_cluster_link link;
    hr_status status = hr_mpi_link_open(&link, err);
    return status ? status : hr_cluster_join(&link, out, err);
}

hr_status hr_cluster_join(const hr_cluster_link *link, hr_cluster **out, hr_error *err) {
    hr_cluster *c = calloc(1, sizeof *c);
    if (!c) {
        if (link->close) link->close(link->state);
        return hr_fail_memory(err);
    }
    hr_status status = hr_rank_link_new(link, &c->link, err);
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
        (void)!hr_cluster_send_question(c, &(hr_rank_head){.kind = HR_RANKS_END}, NULL, NULL);
    hr_rank_link_close(c->link);
    free(c->begin);
    free(c->trained);
    free(c->persons);
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
    int64_t first = (int64_t)(status ? hr_cluster_rank(c) : size);
    hr_error shared = {0}, lost = {0};
    hr_status link_status = hr_rank_link_least(c->link, &first, &lost);
    if (!link_status && (size_t)first == size) return HR_OK;
    if (status && err) shared = *err;
    shared.status = status;
    if (!link_status)
        link_status = hr_rank_link_broadcast(c->link, (size_t)first, &shared, sizeof shared, &lost);
    if (link_status && status) return status;
    if (link_status) shared = lost;
    if (err) *err = shared;
    return shared.status;
}

/* ---- Questions ---- */

hr_status hr_cluster_send_question(hr_cluster *c, const hr_rank_head *head, void *body, hr_error *err) {
    hr_rank_head sent = *head;
    hr_status status = hr_rank_link_broadcast(c->link, 0, &sent, sizeof sent, err);
    return status ? status : hr_rank_link_broadcast(c->link, 0, body, head->size, err);
}

hr_status hr_cluster_send(hr_cluster *c, hr_rank_head head, hr_buffer *body, hr_error *err) {
    hr_status status = body->failed ? hr_fail_memory(err) : HR_OK;
    head.size = body->size;
    if (!status) status = hr_cluster_send_question(c, &head, body->bytes, err);
    hr_buffer_done(body);
    return status;
}

hr_status hr_cluster_receive_failures(hr_cluster *c, hr_status mine, hr_error *err) {
    int64_t failures = mine != HR_OK;
    const hr_rank_head head = {.kind = HR_RANKS_AGREE};
    hr_error *lost = mine ? NULL : err; /* an error of this rank's own stays */
    hr_status status = hr_rank_link_sum(c->link, &failures, 1, lost);
    if (!status && !failures) return HR_OK;
    if (!status) status = hr_cluster_send_question(c, &head, NULL, lost);
    if (!status) return hr_cluster_agree(c, mine, err);
    return mine ? mine : status;
}

hr_status hr_cluster_add_up(hr_cluster *c, hr_status mine, hr_exact *sums, size_t count, hr_error *err) {
    int64_t *words = mine ? NULL : (int64_t *)(void *)sums;
    const hr_status lost = hr_rank_link_sum(c->link, words, count, mine ? NULL : err);
    return hr_cluster_receive_failures(c, mine ? mine : lost, err);
}

/* ---- Numbers of records ---- */

uint32_t *hr_cluster_parts(const hr_cluster *c, const hr_cluster_draw *draw, hr_error *err) {
    const size_t rows = draw->begin[hr_cluster_size(c)];
    uint32_t *part_of = malloc((rows + 1) * sizeof *part_of);
    hr_parts parts;
    if (!part_of || hr_parts_drawn(draw->csprng, rows, draw->weights, draw->count, &parts, err)) {
        free(part_of);
        return NULL;
    }
    for (size_t j = 0; j < draw->count; j++)
        for (size_t i = parts.begin[j]; i < parts.begin[j + 1]; i++) part_of[parts.rows[i]] = (uint32_t)j;
    hr_parts_done(&parts);
    return part_of;
}

hr_status hr_cluster_scatter(hr_cluster *c, const size_t *begin, const void *numbers, size_t size,
                             hr_error *err) {
    hr_status status = HR_OK;
    for (size_t r = 1; !status && r < hr_cluster_size(c); r++) {
        const size_t bytes = size * (begin[r + 1] - begin[r]);
        const uint64_t count = bytes / sizeof(uint32_t);
        status = hr_rank_link_send(c->link, r, &count, sizeof count, err);
        if (!status)
            status = hr_rank_link_send(c->link, r, (const char *)numbers + size * begin[r], bytes, err);
    }
    return status;
}

/* ---- Records that do not train ---- */

hr_status hr_cluster_set_trained(hr_cluster *c, const int64_t *counts, hr_error *err) {
    const size_t size = hr_cluster_size(c);
    hr_cluster_hold_nothing_out(c);
    c->trained = calloc(size + 1, sizeof *c->trained);
    if (!c->trained) return hr_fail_memory(err);
    for (size_t r = 0; r < size; r++) c->trained[r + 1] = c->trained[r] + (size_t)counts[r];
    return HR_OK;
}

/* begin[r + 1] - begin[r]: how many records of rank r are of side 0. NULL: memory is short. */
static size_t *count_trained(const hr_cluster *c, const uint32_t *side_of) {
    const size_t size = hr_cluster_size(c);
    size_t *begin = calloc(size + 1, sizeof *begin);
    for (size_t r = 0; begin && r < size; r++) {
        begin[r + 1] = begin[r];
        for (size_t i = c->begin[r]; i < c->begin[r + 1]; i++) begin[r + 1] += !side_of[i];
    }
    return begin;
}

uint32_t *hr_cluster_hold_out(hr_cluster *c, hr_csprng *csprng, const double weights[2], hr_error *err) {
    const hr_cluster_draw draw = {c->begin, csprng, weights, 2};
    uint32_t *side_of = hr_cluster_parts(c, &draw, err);
    size_t *trained = side_of ? count_trained(c, side_of) : NULL;
    if (!trained) {
        free(side_of);
        return NULL;
    }
    hr_cluster_hold_nothing_out(c);
    c->trained = trained;
    return side_of;
}

void hr_cluster_hold_nothing_out(hr_cluster *c) {
    free(c->trained);
    c->trained = NULL;
}
