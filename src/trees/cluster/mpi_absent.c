/* In place of MPI, in a build without it: no link is ever made, so that the rest is never called. */
#include "trees/cluster/rank_link.h"

hr_status hr_rank_link_open(hr_rank_link **out, hr_error *err) {
    (void)out;
    return hr_fail(
        err, HR_E_ABSENT,
        "install libopenmpi-dev and openmpi-bin, and build Hedgerow with -Dmpi=enabled; or train in "
        "one process, without mpirun",
        "this build of Hedgerow cannot train over several ranks");
}

void hr_rank_link_close(hr_rank_link *link) {
    (void)link;
}

size_t hr_rank_link_rank(const hr_rank_link *link) {
    (void)link;
    return 0;
}

size_t hr_rank_link_size(const hr_rank_link *link) {
    (void)link;
    return 1;
}

void hr_rank_link_broadcast(hr_rank_link *link, size_t root, void *bytes, size_t size) {
    (void)link, (void)root, (void)bytes, (void)size;
}

void hr_rank_link_send(hr_rank_link *link, size_t to, const void *bytes, size_t size) {
    (void)link, (void)to, (void)bytes, (void)size;
}

void hr_rank_link_receive(hr_rank_link *link, void *bytes, size_t size) {
    (void)link, (void)bytes, (void)size;
}

void hr_rank_link_sum(hr_rank_link *link, int64_t *words, size_t count) {
    (void)link, (void)words, (void)count;
}

void hr_rank_link_sum_everywhere(hr_rank_link *link, int64_t *words, size_t count) {
    (void)link, (void)words, (void)count;
}

int64_t hr_rank_link_least(hr_rank_link *link, int64_t mine) {
    (void)link;
    return mine;
}

double hr_rank_link_largest(hr_rank_link *link, double mine) {
    (void)link;
    return mine;
}
