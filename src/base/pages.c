#define _DEFAULT_SOURCE /* madvise */
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 * 1024 * 1024)
#define LINE ((size_t)64)

void *hr_pages_new(size_t size) {
    if (size > SIZE_MAX - HUGE_PAGE) return NULL;
    const size_t unit = size < HUGE_PAGE ? LINE : HUGE_PAGE, needed = size ? size : 1,
                 whole = (needed + unit - 1) / unit * unit;
    void *block = aligned_alloc(unit, whole);
#ifdef MADV_HUGEPAGE
    if (block && unit == HUGE_PAGE) (void)madvise(block, whole, MADV_HUGEPAGE);
#endif
    return block;
}

void hr_pages_drop(void *from, size_t size) {
#ifdef MADV_DONTNEED
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (page - (uintptr_t)from % page) % page;
    if (size < HUGE_PAGE) return; /* may stand among others */
    (void)madvise((char *)from + before, (size - before) / page * page, MADV_DONTNEED);
#else
    (void)from;
    (void)size;
#endif
}
