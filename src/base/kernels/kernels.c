#include "base/kernels/kernels.h"

#include "base/fail.h"
#include "base/kernels/sets.h"

#include <hedgerow/hedgerow.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

static const hr_kernels *const sets[] = {
    &hr_kernels_portable,
#ifdef HR_KERNELS_X86
    &hr_kernels_avx2,
    &hr_kernels_avx512,
#endif
#ifdef HR_KERNELS_ARM64
    &hr_kernels_neon,
#endif
};
enum { SETS = sizeof sets / sizeof *sets };

/* What hr_use_kernels named; NULL: nothing. It changes no result: the one object of the library that can
 * change. */
static _Atomic(const hr_kernels *) kernels_named;

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
#ifdef HR_KERNELS_ARM64
    if (kernels == &hr_kernels_neon) return true;
#endif
    return kernels == &hr_kernels_portable;
}

const hr_kernels *hr_kernels_get(void) {
    const hr_kernels *kernels = atomic_load_explicit(&kernels_named, memory_order_relaxed);
    for (size_t i = SETS; !kernels && i-- > 0;)
        if (hr_kernels_run_here(sets[i])) kernels = sets[i];
    return kernels;
}

hr_status hr_use_kernels(const char *name, hr_error *err) {
    for (size_t i = 0; i < SETS; i++) {
        if (strcmp(sets[i]->name, name) != 0) continue;
        if (!hr_kernels_run_here(sets[i]))
            return hr_fail(err, HR_E_ARGUMENT, "use \"portable\"",
                           "this processor lacks the instructions of \"%s\"", name);
        atomic_store_explicit(&kernels_named, sets[i], memory_order_relaxed);
        return HR_OK;
    }
    return hr_fail(err, HR_E_ARGUMENT, "use \"portable\"", "this build has no kernels \"%s\"", name);
}

const char *hr_kernels_name(void) {
    return hr_kernels_get()->name;
}
