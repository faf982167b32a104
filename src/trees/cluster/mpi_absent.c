/* In place of MPI, in a build without it. */
#include "trees/cluster/rank_link.h"

hr_status hr_mpi_link_open(hr_cluster_link *out, hr_error *err) {
    (void)out;
    return hr_fail(
        err, HR_E_ABSENT,
        "install libopenmpi-dev and openmpi-bin, and build Hedgerow with -Dmpi=enabled; or train in "
        "one process, without mpirun",
        "this build of Hedgerow cannot train over several ranks");
}
