/* Filling in hr_error: one call where something goes wrong, so that errors read alike everywhere; and the
 * check of public structs that begin with their size. */
#ifndef HR_BASE_FAIL_H
#define HR_BASE_FAIL_H

#include <hedgerow/status.h>

#if defined(__GNUC__)
#define HR_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define HR_PRINTF(a, b)
#endif

/* Sets the message and remedy of *err (which may be NULL) and returns `status`, so that callers write
 * `return hr_fail(err, HR_E_ARGUMENT, "say what to do", "what is wrong: %s", x);`. `remedy` is "" if there is
 * none. Clears the place (file, line, column, field): set it afterwards with hr_fail_at. */
hr_status hr_fail(hr_error *err, hr_status status, const char *remedy, const char *format, ...)
    HR_PRINTF(4, 5);

/* Adds the place to an error that hr_fail has filled in. NULL strings and zeros leave a part as it is; so
 * callees name the line and callers the file. Returns err->status, or `status` when err is NULL. */
hr_status hr_fail_at(hr_error *err, hr_status status, const char *file, uint64_t line, uint64_t column,
                     const char *field);

/* The failure of an allocation. */
hr_status hr_fail_memory(hr_error *err);

/* ---- Structs that begin with their size ----
 *
 * So they can grow: a program that was built when a struct was shorter still works. */

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
