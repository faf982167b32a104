/* Public structs that begin with their size, so that they can grow: a program that was built when a struct
 * was shorter still works. */
#ifndef HR_BASE_SIZED_H
#define HR_BASE_SIZED_H

#include <hedgerow/status.h>

/* One kind of struct. */
typedef struct hr_sized {
    size_t size;        /* today's */
    size_t min;         /* bytes without which there is nothing to go by */
    const char *remedy; /* how the caller initialises it */
} hr_sized;

/* Copies the caller's struct over `out`, which holds the defaults: what the caller's is too short to have
 * keeps its default. The size in `out` becomes today's. Fails: ARGUMENT (not initialised, or longer than
 * today's); `out` is unchanged then. */
HR_MUST_CHECK hr_status hr_sized_take(const hr_sized *kind, const void *given, void *out, hr_error *err);

/* The first of the two alone: whether the size is one that can be taken. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_sized_check(const hr_sized *kind, const void *given, hr_error *err);

#endif
