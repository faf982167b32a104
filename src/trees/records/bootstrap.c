#include "trees/records/bootstrap.h"

#include "privacy/sample.h"

#include <string.h>

void hr_bootstrap(hr_csprng *csprng, size_t count, uint32_t *times) {
    memset(times, 0, count * sizeof *times);
    for (size_t i = 0; i < count; i++) times[hr_uniform(csprng, count)]++;
}
