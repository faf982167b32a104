#include "support/kernel_sets.h"

#include "support/check.h"

void with_each_set(void (*check)(const hr_kernels *set)) {
    const hr_kernels *set;
    for (size_t i = 0; (set = hr_kernels_at(i)); i++) {
        if (hr_kernels_run_here(set))
            check(set);
        else
            print_message("[  SKIPPED ] %s: not on this processor\n", set->name);
    }
}
