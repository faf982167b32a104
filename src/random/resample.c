#include "random/resample.h"

#include "random/sample.h"

#include <string.h>

void hr_resample(hr_stream *stream, size_t count, uint32_t *times) {
    memset(times, 0, count * sizeof *times);
    for (size_t i = 0; i < count; i++) times[hr_uniform(stream, count)]++;
}
