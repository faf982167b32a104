#include "failing.h"

#include "support/check.h"
#include "support/sanitized.h"

#include <errno.h>
#include <stdatomic.h>

/* The linker gives these names: __wrap_f is called instead of f, and __real_f is f. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#endif

static atomic_long left = -1; /* below 0: memory is plenty */
static atomic_bool lasts, failed;

void failing_start(long after, bool lasting) {
    atomic_store(&failed, false);
    atomic_store(&lasts, lasting);
    atomic_store(&left, after);
}

bool failing_stop(void) {
    atomic_store(&left, -1);
    return atomic_load(&failed);
}

static bool short_of_memory(void) {
    long before = atomic_load(&left);
    while (before > 0 && !atomic_compare_exchange_weak(&left, &before, before - 1)) continue;
    if (before != 0) return false;
    if (!atomic_load(&lasts)) atomic_store(&left, -1);
    atomic_store(&failed, true);
    errno = ENOMEM;
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
char *__real_strdup(const char *text);

void *__wrap_malloc(size_t size) {
    return short_of_memory() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return short_of_memory() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
    return short_of_memory() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size) {
    return short_of_memory() ? NULL : __real_aligned_alloc(align, size);
}

char *__wrap_strdup(const char *text) {
    return short_of_memory() ? NULL : __real_strdup(text);
}

/* Under sanitizers a long scenario takes most of the time: behind its first allocations every third one is
 * tried, from another one on in each scenario of the program. Without sanitizers all are tried. */
enum { FIRST_ALLOCATIONS = 60, STRIDE = IS_SANITIZED ? 3 : 1 };

static void fail_each(world *w, scenario *run, bool lasting, hr_status other,
                      void (*check)(world *w, hr_status status)) {
    static long scenarios;
    bool was_short = true;
    long n = 0;
    scenarios++;
    for (; was_short; n++) {
        if (n >= FIRST_ALLOCATIONS && (n + scenarios) % STRIDE != 0) continue;
        hr_error err = {0};
        failing_start(n, lasting);
        hr_status status = run(w, &err);
        was_short = failing_stop();
        if (check) check(w, status);
        if (was_short ? status != HR_E_MEMORY && status != other : status != HR_OK)
            fail_msg("allocation %ld%s: status %d (%s)", n, lasting ? " and all after it" : "", status,
                     err.message);
        if (status) assert_true(err.status == status && err.message[0] && err.remedy[0]);
    }
    assert_true(n > 1);
}

void exhaust(world *w, scenario *run, hr_status other, void (*check)(world *w, hr_status status)) {
    fail_each(w, run, false, other, check);
    fail_each(w, run, true, other, check);
}

char untouched;

void check_output(hr_status status, const void *out) {
    failing_stop();
    assert_int_equal(status != HR_OK, out == UNTOUCHED);
}

hr_status finish_data(hr_status status, hr_data *data, size_t rows) {
    check_output(status, data);
    if (status) return status;
    assert_int_equal(hr_data_rows(data), rows);
    hr_data_free(data);
    return HR_OK;
}
