/* Rows get more room when no thread writes to them, so a thread that needs room for its block waits. The
 * others let it have that block, and go on beside it: a thread that overtook it would read the rest alone.
 *
 * The reading of blocks and the waits are wrapped at link time, which brings the case about without sleeping:
 * of two threads, the one that has the first block keeps it until the other waits. */
#include "support/reader_checks.h"
#include "tables/readers/csv_records.h"

#include <pthread.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#endif

enum { LONG_LINES = 2000, SHORT_LINES = 400000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool waited;                /* for room */
static pthread_t waits, next;      /* who waited; who reads the first block that is handed out after that */
static size_t next_row = SIZE_MAX; /* that block's first */

int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *of);
hr_status __real_hr_csv_read_records(hr_csv_part *part);

/* The first wait of all is for room: the helper starts with work, and waits for the block that another thread
 * fetches come only while that thread waits for room. It may come before the first block is begun. */
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *of) {
    pthread_mutex_lock(&mutex);
    if (!waited) {
        waits = pthread_self();
        waited = true;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&mutex);
    return __real_pthread_cond_wait(condition, of);
}

hr_status __wrap_hr_csv_read_records(hr_csv_part *part) {
    const size_t row = part->cursor.row;
    pthread_mutex_lock(&mutex);
    while (!row && !waited) __real_pthread_cond_wait(&changed, &mutex);
    if (row && waited && row < next_row) {
        next = pthread_self();
        next_row = row;
    }
    pthread_mutex_unlock(&mutex);
    return __real_hr_csv_read_records(part);
}

/* Lines become shorter, so that more come than the first ones let expect. */
static char *make_lines(size_t *size) {
    char *text = must_alloc((size_t)LONG_LINES * 330 + (size_t)SHORT_LINES * 16);
    *size = (size_t)sprintf(text, "x,note,y\n");
    for (int i = 0; i < LONG_LINES + SHORT_LINES; i++)
        *size += (size_t)sprintf(text + *size, "%d,%*d,%d\n", i % 10, i < LONG_LINES ? 300 : 1, 0, i % 2);
    return text;
}

static void test_room__goes_to_the_thread_that_waited(void **state) {
    (void)state;
    size_t size;
    char *text = make_lines(&size);
    hr_schema *schema = must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 1}\n"
                                    "features:\n  - {name: x, kind: number, low: 0, high: 10}\n");
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *data = NULL;
    options.threads = 2;
    assert_int_equal(hr_data_parse(schema, text, size, &options, &data, NULL), HR_OK);
    assert_int_equal(hr_data_rows(data), LONG_LINES + SHORT_LINES);
    assert_true(next_row < SIZE_MAX && pthread_equal(next, waits));
    hr_data_free(data);
    hr_schema_free(schema);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_room__goes_to_the_thread_that_waited)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
