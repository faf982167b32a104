/* Blocks of memory so large that the system's pages matter: a page that is touched first costs the system
 * about as much as reading the text that fills it, and one of 2 MB hardly more than one of 4 KB; and where
 * records are read out of order, the processor looks up the address of every small page anew. */
#ifndef HR_BASE_PAGES_H
#define HR_BASE_PAGES_H

#include <stddef.h>

/* A block for large tables, on huge pages where the system has them, aligned to a cache line at least; its
 * bytes are undefined, and take no memory until they are written. Owner: the caller frees it with free().
 * NULL when memory is short.
 */
void *hr_pages_new(size_t size);

/* Gives the memory of a part of such a block back, which is not read any more; the block must be freed all
 * the same. Does nothing where that is not possible. */
void hr_pages_drop(void *from, size_t size);

#endif
