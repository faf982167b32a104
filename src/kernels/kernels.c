#include "kernels/kernels.h"

#include "kernels/sets.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const hr_kernels *const sets[] = {
    &hr_kernels_portable,
#ifdef HR_KERNELS_X86
    &hr_kernels_avx2,
    &hr_kernels_avx512,
#endif
};
enum { SETS = sizeof sets / sizeof *sets };

static const hr_kernels *chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

const hr_kernels *hr_kernels_at(size_t index) {
    return index < SETS ? sets[index] : NULL;
}

int hr_kernels_run_here(const hr_kernels *kernels) {
#ifdef HR_KERNELS_X86
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    if (kernels == &hr_kernels_avx2) return avx2;
    if (kernels == &hr_kernels_avx512)
        return avx2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
#endif
    return kernels == &hr_kernels_portable;
}

static const hr_kernels *named(const char *name) {
    for (size_t i = 0; i < SETS; i++)
        if (!strcmp(sets[i]->name, name) && hr_kernels_run_here(sets[i])) return sets[i];
    return &hr_kernels_portable;
}

static void choose(void) {
    const char *name = getenv("HEDGEROW_KERNELS");
    for (size_t i = 0; i < SETS; i++)
        if (hr_kernels_run_here(sets[i])) chosen = sets[i];
    if (name && *name) chosen = named(name);
}

const hr_kernels *hr_kernels_get(void) {
    pthread_once(&once, choose);
    return chosen;
}
