/* XXH64 with seed 0, as its published specification has it and `xxhsum -H64` prints it: tells damage that
 * happened by accident. Who changes a file on purpose can change its checksum, too. */
#ifndef HR_BASE_CHECKSUM_H
#define HR_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t hr_checksum(const void *bytes, size_t size);

#endif
