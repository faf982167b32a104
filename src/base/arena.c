#define _DEFAULT_SOURCE /* madvise */

#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_BLOCK = 16 * 1024, LARGEST_STEP = 8 * 1024 * 1024, PAGE = 4096, LINE = 64, WORD = 16 };

typedef struct arena_block {
    struct arena_block *before;
    size_t used, size;
    size_t planned; /* next_size when it was added */
    alignas(LINE) unsigned char bytes[];
} arena_block;

struct hr_arena {
    arena_block *last;
    size_t next_size;
};

hr_arena *hr_arena_new(void) {
    hr_arena *arena = calloc(1, sizeof *arena);
    if (arena) arena->next_size = FIRST_BLOCK;
    return arena;
}

void hr_arena_free(hr_arena *arena) {
    if (!arena) return;
    hr_arena_rewind(arena, (hr_arena_mark){NULL, 0});
    free(arena);
}

static arena_block *add_arena_block(hr_arena *arena, size_t least) {
    size_t size = arena->next_size > least ? arena->next_size : least;
    if (size > SIZE_MAX - sizeof(arena_block) - LINE) return NULL;
    size = (size + LINE - 1) / LINE * LINE;
    arena_block *b = aligned_alloc(LINE, sizeof(arena_block) + size);
    if (!b) return NULL;
    *b = (arena_block){.before = arena->last, .size = size, .planned = arena->next_size};
    arena->last = b;
    if (arena->next_size < LARGEST_STEP) arena->next_size *= 2;
    return b;
}

void *hr_arena_alloc(hr_arena *arena, size_t count, size_t size) {
    if (size && count > (SIZE_MAX / 2) / size) return NULL;
    size_t bytes = count * size;
    size_t align = bytes >= PAGE ? LINE : WORD;
    arena_block *b = arena->last;
    size_t at = b ? (b->used + align - 1) / align * align : 0;
    if (!b || at > b->size || bytes > b->size - at) {
        b = add_arena_block(arena, bytes ? bytes : 1);
        if (!b) return NULL;
        at = 0;
    }
    b->used = at + bytes;
    return memset(b->bytes + at, 0, bytes);
}

char *hr_arena_text(hr_arena *arena, const char *text, size_t length) {
    char *copy = hr_arena_alloc(arena, length + 1, 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

hr_arena_mark hr_arena_get_mark(const hr_arena *arena) {
    return (hr_arena_mark){arena->last, arena->last ? arena->last->used : 0};
}

void hr_arena_rewind(hr_arena *arena, hr_arena_mark mark) {
    while (arena->last != mark.block) {
        arena_block *b = arena->last;
        arena->last = b->before;
        arena->next_size = b->planned;
        free(b);
    }
    if (arena->last) arena->last->used = mark.used;
}

/* ---- Large blocks ---- */

#define HUGE_PAGE ((size_t)2 * 1024 * 1024)

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
