/* Memory that is freed all at once: one arena per fit or per parsed file, a mark per tree. */
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

#endif
