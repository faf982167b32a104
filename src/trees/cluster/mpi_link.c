/* Ranks over MPI. Its errors end all ranks, which is MPI's own default. */
#include "trees/cluster/rank_link.h"

#include <mpi.h>
#include <stdlib.h>

/* Counts of MPI are ints, and a rank without memory needs a place for what it drops: larger calls are made of
 * pieces. */
enum { PIECE_WORDS = 1 << 17, PIECE_BYTES = PIECE_WORDS * 8 };

struct hr_rank_link {
    int rank, size;
    int64_t *nothing; /* PIECE_WORDS zeros */
    char *dropped;    /* PIECE_BYTES */
};

hr_status hr_rank_link_open(hr_rank_link **out, hr_error *err) {
    int threads = 0, there = 0;
    hr_rank_link *link = calloc(1, sizeof *link);
    if (!link) return hr_fail_memory(err);
    link->nothing = calloc(PIECE_WORDS, sizeof *link->nothing);
    link->dropped = malloc(PIECE_BYTES);
    MPI_Initialized(&there);
    if (!there) MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &link->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &link->size);
    *out = link;
    if (hr_rank_link_least(link, link->nothing && link->dropped)) return HR_OK;
    hr_rank_link_close(link);
    *out = NULL;
    return hr_fail_memory(err);
}

void hr_rank_link_close(hr_rank_link *link) {
    if (!link) return;
    MPI_Finalize();
    free(link->nothing);
    free(link->dropped);
    free(link);
}

size_t hr_rank_link_rank(const hr_rank_link *link) {
    return (size_t)link->rank;
}

size_t hr_rank_link_size(const hr_rank_link *link) {
    return (size_t)link->size;
}

static int piece_of(size_t left, size_t most) {
    return (int)(left < most ? left : most);
}

void hr_rank_link_broadcast(hr_rank_link *link, size_t root, void *bytes, size_t size) {
    for (size_t at = 0; at < size; at += PIECE_BYTES)
        MPI_Bcast(bytes ? (char *)bytes + at : link->dropped, piece_of(size - at, PIECE_BYTES), MPI_BYTE,
                  (int)root, MPI_COMM_WORLD);
}

void hr_rank_link_send(hr_rank_link *link, size_t to, const void *bytes, size_t size) {
    (void)link;
    for (size_t at = 0; at < size; at += PIECE_BYTES)
        MPI_Send((const char *)bytes + at, piece_of(size - at, PIECE_BYTES), MPI_BYTE, (int)to, 0,
                 MPI_COMM_WORLD);
}

void hr_rank_link_receive(hr_rank_link *link, void *bytes, size_t size) {
    for (size_t at = 0; at < size; at += PIECE_BYTES)
        MPI_Recv(bytes ? (char *)bytes + at : link->dropped, piece_of(size - at, PIECE_BYTES), MPI_BYTE, 0, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void hr_rank_link_sum(hr_rank_link *link, int64_t *words, size_t count) {
    for (size_t at = 0; at < count; at += PIECE_WORDS) {
        const int piece = piece_of(count - at, PIECE_WORDS);
        if (link->rank)
            MPI_Reduce(words ? words + at : link->nothing, NULL, piece, MPI_INT64_T, MPI_SUM, 0,
                       MPI_COMM_WORLD);
        else if (words)
            MPI_Reduce(MPI_IN_PLACE, words + at, piece, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
        else
            MPI_Reduce(link->nothing, link->dropped, piece, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    }
}

void hr_rank_link_sum_everywhere(hr_rank_link *link, int64_t *words, size_t count) {
    hr_rank_link_sum(link, words, count);
    hr_rank_link_broadcast(link, 0, words, count * sizeof *words);
}

int64_t hr_rank_link_least(hr_rank_link *link, int64_t mine) {
    (void)link;
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    return mine;
}

double hr_rank_link_largest(hr_rank_link *link, double mine) {
    (void)link;
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return mine;
}
