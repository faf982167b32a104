#include "fit/threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif

int hr_threads_of(int wanted) {
    if (wanted > 0) return wanted;
#ifdef _OPENMP
    return omp_get_num_procs();
#else
    return 1;
#endif
}
