/* Ranks over MPI. Its errors, a rank that died among them, end all processes, which is MPI's own default: no
 * call here ever fails. */
#include "trees/cluster/rank_link.h"

#include <mpi.h>

static hr_status broadcast_mpi(void *state, size_t root, void *bytes, size_t size, hr_error *err) {
    (void)state, (void)err;
    MPI_Bcast(bytes, (int)size, MPI_BYTE, (int)root, MPI_COMM_WORLD);
    return HR_OK;
}

static hr_status send_mpi(void *state, size_t to, const void *bytes, size_t size, hr_error *err) {
    (void)state, (void)err;
    MPI_Send(bytes, (int)size, MPI_BYTE, (int)to, 0, MPI_COMM_WORLD);
    return HR_OK;
}

static hr_status receive_mpi(void *state, void *bytes, size_t size, hr_error *err) {
    (void)state, (void)err;
    MPI_Recv(bytes, (int)size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return HR_OK;
}

static hr_status sum_at_rank_0(void *state, int64_t *words, size_t count, hr_error *err) {
    (void)state, (void)err;
    MPI_Reduce(MPI_IN_PLACE, words, (int)count, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return HR_OK;
}

static hr_status sum_at_others(void *state, int64_t *words, size_t count, hr_error *err) {
    (void)state, (void)err;
    MPI_Reduce(words, NULL, (int)count, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return HR_OK;
}

static void close_mpi(void *state) {
    (void)state;
    MPI_Finalize();
}

hr_status hr_mpi_link_open(hr_cluster_link *out, hr_error *err) {
    int threads = 0, there = 0, rank = 0, size = 0;
    (void)err;
    MPI_Initialized(&there);
    if (!there) MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *out = (hr_cluster_link){.rank = (size_t)rank,
                             .size = (size_t)size,
                             .broadcast = broadcast_mpi,
                             .send = send_mpi,
                             .receive = receive_mpi,
                             .sum = rank ? sum_at_others : sum_at_rank_0,
                             .close = close_mpi};
    return HR_OK;
}
