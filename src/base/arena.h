/* Memory: arenas, which are freed all at once (one per fit or per parsed file, a mark per tree), and blocks
 * for large tables. */
#ifndef HR_BASE_ARENA_H
#define HR_BASE_ARENA_H

#include <stddef.h>

typedef struct hr_arena hr_arena;
typedef struct hr_arena_mark {
    void *block;
    size_t used;
} hr_arena_mark;

/* NULL when memory is short. */
hr_arena *hr_arena_new(void);
void hr_arena_free(hr_arena *arena);

/* `count` objects of `size` bytes, 64-byte aligned if larger than a page, else 16. Zeroed. NULL when memory
 * is short or count * size overflows. */
void *hr_arena_alloc(hr_arena *arena, size_t count, size_t size);
/* A NUL-ended copy. */
char *hr_arena_text(hr_arena *arena, const char *text, size_t length);

/* Gives back everything allocated since the mark. */
hr_arena_mark hr_arena_get_mark(const hr_arena *arena);
void hr_arena_rewind(hr_arena *arena, hr_arena_mark mark);

/* ---- Large blocks ----
 *
 * So large that the system's pages matter: a page that is touched first costs the system about as much as
 * reading the text that fills it, and one of 2 MB hardly more than one of 4 KB; and where records are read
 * out of order, the processor looks up the address of every small page anew. */

/* A block for large tables, on huge pages where the system has them, aligned to a cache line at least; its
 * bytes are undefined, and take no memory until they are written. Owner: the caller frees it with free().
 * NULL when memory is short.
 */
void *hr_pages_new(size_t size);

/* Gives the memory of a part of such a block back, which is not read any more; the block must be freed all
 * the same. Does nothing where that is not possible. */
void hr_pages_drop(void *from, size_t size);

#endif
