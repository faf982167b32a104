/* A table as two parts: what the library says beside what tests/cli/split.test shows. */
#include "support/reader_checks.h"
#include "support/temp_dir.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 40000, TEXT_SIZE = 1 << 20 };

typedef struct parts {
    char *text[2];
    size_t size[2];
    hr_status refuse; /* what the next bytes meet */
} parts;

typedef struct world {
    void *dir;
    char path[160];
    parts parts;
} world;

static hr_status take(void *user, bool test, const char *bytes, size_t size, hr_error *err) {
    parts *p = user;
    (void)err;
    assert_true(p->size[test] + size <= TEXT_SIZE);
    memcpy(p->text[test] + p->size[test], bytes, size);
    p->size[test] += size;
    return p->refuse;
}

static const uint64_t seed = 11;

static hr_split_options options_of(world *w) {
    hr_split_options options = HR_SPLIT_OPTIONS_INIT;
    options.seed = &seed;
    options.write = take;
    options.user = &w->parts;
    w->parts.size[0] = w->parts.size[1] = 0;
    return options;
}

static void refused(world *w, const hr_split_options *options, hr_status status, const char *part) {
    hr_split_counts counts = {7, 7};
    hr_error err = {0};
    assert_int_equal(hr_table_split(w->path, options, &counts, &err), status);
    if (!strstr(err.message, part) && !strstr(err.remedy, part)) fail_msg("%s", err.message);
    assert_int_equal(counts.train, 7);
    assert_int_equal(hr_table_split(w->path, options, &counts, NULL), status);
}

/* Many blocks of the source; the parts are in the order of the table. */
static void test_split__hands_out_all_of_a_long_table(void **state) {
    world *w = *state;
    char *text = must_alloc(TEXT_SIZE);
    size_t size = (size_t)sprintf(text, "i,note\n");
    for (int i = 0; i < ROWS; i++)
        size += (size_t)sprintf(text + size, i % 3 ? "%d,\"a\n\"\"%d\"\n" : "%d,a%d\n", i, i % 7);
    write_file(w->path, text, size - 1);
    hr_split_options options = options_of(w);
    hr_split_counts counts;
    assert_int_equal(hr_table_split(w->path, &options, &counts, NULL), HR_OK);
    assert_int_equal(counts.train + counts.test, ROWS);
    assert_true(fabs((double)counts.test - .2 * ROWS) < 5 * sqrt(.16 * ROWS));
    assert_int_equal(w->parts.size[0] + w->parts.size[1], size + 7);
    const char *at[2] = {w->parts.text[0] + 7, w->parts.text[1] + 7};
    for (int i = 0; i < ROWS; i++) {
        char record[64];
        const size_t length = (size_t)sprintf(record, i % 3 ? "%d,\"a\n\"\"%d\"\n" : "%d,a%d\n", i, i % 7);
        const int test = memcmp(at[0], record, length) != 0;
        assert_memory_equal(at[test], record, length);
        at[test] += length;
    }
    free(text);
}

static void test_split__checks_its_options(void **state) {
    world *w = *state;
    static const double shares[] = {0, 1, -1, 2, NAN, INFINITY};
    write_file(w->path, "a\n1\n2\n", 6);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        hr_split_options options = options_of(w);
        options.share = shares[i];
        refused(w, &options, HR_E_ARGUMENT, "above 0 and below 1");
    }
    hr_split_options options = options_of(w);
    options.write = NULL;
    refused(w, &options, HR_E_ARGUMENT, "nothing takes the parts");
    options = options_of(w);
    options.size = 1;
    refused(w, &options, HR_E_ARGUMENT, "HR_SPLIT_OPTIONS_INIT");
    options = options_of(w);
    options.unit = "b";
    refused(w, &options, HR_E_SCHEMA, "no such column; it has a");
}

static void test_split__ends_where_its_parts_cannot_be_taken(void **state) {
    world *w = *state;
    write_file(w->path, "a\n1\n2\n", 6);
    hr_split_options options = options_of(w);
    w->parts.refuse = HR_E_CANCELLED;
    hr_split_counts counts;
    assert_int_equal(hr_table_split(w->path, &options, &counts, NULL), HR_E_CANCELLED);
    assert_int_equal(w->parts.size[0] + w->parts.size[1], 2);
    w->parts.refuse = HR_OK;
}

/* Secret coins: two splits of 64 records are equal with probability below 2^-38. */
static void test_split__is_secret_without_a_seed(void **state) {
    world *w = *state;
    char text[512] = "a\n", first[512];
    hr_split_counts counts;
    for (int i = 0; i < 64; i++) sprintf(text + strlen(text), "%d\n", i);
    write_file(w->path, text, strlen(text));
    hr_split_options options = options_of(w);
    options.seed = NULL;
    options.share = .5;
    assert_int_equal(hr_table_split(w->path, &options, &counts, NULL), HR_OK);
    const size_t size = w->parts.size[0];
    memcpy(first, w->parts.text[0], size);
    options = options_of(w);
    options.seed = NULL;
    options.share = .5;
    assert_int_equal(hr_table_split(w->path, &options, &counts, NULL), HR_OK);
    assert_false(w->parts.size[0] == size && memcmp(first, w->parts.text[0], size) == 0);
}

static int set_up(void **state) {
    world *w = calloc(1, sizeof *w);
    if (!w || temp_dir_open(&w->dir)) return -1;
    snprintf(w->path, sizeof w->path, "%s/t.csv", ((temp_dir *)w->dir)->folder);
    for (int i = 0; i < 2; i++) w->parts.text[i] = must_alloc(TEXT_SIZE);
    *state = w;
    return 0;
}

static int tear_down(void **state) {
    world *w = *state;
    const int failed = temp_dir_close(&w->dir);
    free(w->parts.text[0]);
    free(w->parts.text[1]);
    free(w);
    return failed;
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_split__##name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(hands_out_all_of_a_long_table),
        TEST(checks_its_options),
        TEST(ends_where_its_parts_cannot_be_taken),
        TEST(is_secret_without_a_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
