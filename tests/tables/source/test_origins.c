/* A table that is there twice is seen, however it is written; what is not the same table is left alone. */
#include "tables/source/origins.h"

#include "support/reader_checks.h"
#include "support/temp_dir.h"
#include "tables/data/records.h"

#include <fcntl.h>
#include <hedgerow/fit.h>
#include <stdlib.h>

enum { PATH_SIZE = 160 };

typedef struct world {
    void *dir;
    hr_schema *schema;
    char a[PATH_SIZE], b[PATH_SIZE], link[PATH_SIZE], twin[PATH_SIZE], roundabout[PATH_SIZE];
    hr_read_options options;
} world;

static const char table[] = "x,y\n1,no\n2,yes\n";

static hr_status read_two(const world *w, const char *first, const char *second, hr_data **out,
                          hr_error *err) {
    const char *const paths[] = {first, second};
    return hr_data_read_all(w->schema, paths, 2, &w->options, out, err);
}

static void refuse_two(const world *w, const char *first, const char *second) {
    hr_data *data = NULL;
    hr_error err = {0};
    if (read_two(w, first, second, &data, &err) != HR_E_ARGUMENT) fail_msg("%s, %s", first, second);
    assert_null(data);
    if (!strstr(err.message, first) || !strstr(err.message, second)) fail_msg("%s", err.message);
    assert_non_null(strstr(err.message, "count twice"));
    assert_string_equal(err.remedy, "give each table once");
}

static hr_data *must_read(const world *w, const char *path) {
    hr_data *data = NULL;
    assert_int_equal(hr_data_read(w->schema, path, &w->options, &data, NULL), HR_OK);
    return data;
}

static void test_origins__of_one_file_are_one_however_it_is_written(void **state) {
    const world *w = *state;
    refuse_two(w, w->a, w->a);
    refuse_two(w, w->a, w->roundabout);
    refuse_two(w, w->a, w->link);
    refuse_two(w, w->link, w->a);
    refuse_two(w, w->a, w->twin);
}

static void refuse_equal(const world *w, const char *first, const char *second) {
    hr_data *data = NULL;
    hr_error err = {0};
    if (read_two(w, first, second, &data, &err) != HR_E_ARGUMENT) fail_msg("%s, %s", first, second);
    assert_null(data);
    if (!strstr(err.message, first) || !strstr(err.message, second)) fail_msg("%s", err.message);
    assert_non_null(strstr(err.message, "have the same content"));
    assert_non_null(strstr(err.remedy, "--allow-equal-files"));
}

static hr_data *read_twins(const world *w, size_t rows) {
    hr_data *data = NULL;
    assert_int_equal(read_two(w, w->a, w->b, &data, NULL), HR_OK);
    assert_int_equal(hr_data_rows(data), rows);
    return data;
}

static void test_origins__of_equal_files_are_one(void **state) {
    const world *w = *state;
    refuse_equal(w, w->a, w->b);
    refuse_equal(w, w->b, w->a);
}

static void test_origins__of_equal_files_are_two_if_the_owner_says_so(void **state) {
    world w = *(const world *)*state;
    w.options.allow_equal_files = true;
    hr_data *two = read_twins(&w, 4), *one = must_read(&w, w.a);
    assert_int_equal(hr_data_refuse_repeats(two, NULL), HR_OK);
    assert_true(hr_data_declares_equal(two));
    assert_false(hr_data_declares_equal(one));
    refuse_two(&w, w.a, w.link);
    hr_data_free(two);
    hr_data_free(one);
}

/* Larger than the block that is read at once: the digest is of all of it, and of nothing else. */
static void test_origins__of_long_files_differ_at_their_ends(void **state) {
    const world *w = *state;
    enum { SIZE = 600 * 1024 };
    char *text = must_alloc(SIZE);
    memcpy(text, "x,y\n", 4);
    for (size_t i = 4; i + 5 <= SIZE; i += 5) memcpy(text + i, i % 2 ? "1,no\n" : "2,no\n", 5);
    const size_t size = 4 + (SIZE - 4) / 5 * 5;
    hr_data *data = NULL;
    write_file(w->a, text, size);
    write_file(w->b, text, size);
    refuse_equal(w, w->a, w->b);
    text[size - 5] ^= 1;
    write_file(w->b, text, size);
    assert_int_equal(read_two(w, w->a, w->b, &data, NULL), HR_OK);
    hr_data_free(data);
    write_file(w->b, text, size - 5);
    assert_int_equal(read_two(w, w->a, w->b, &data, NULL), HR_OK);
    hr_data_free(data);
    free(text);
}

/* Nobody is counted twice there. */
static void test_origins__without_records_are_equal_to_none(void **state) {
    const world *w = *state;
    write_file(w->a, "x,y\n", 4);
    write_file(w->b, "x,y\n", 4);
    hr_data_free(read_twins(w, 0));
}

/* The file that stands behind "-" is the one that is open there. */
static void test_origins__know_what_standard_input_is(void **state) {
    const world *w = *state;
    hr_data *data = NULL;
    hr_error err = {0};
    const int before = dup(STDIN_FILENO), file = open(w->a, O_RDONLY);
    assert_true(before >= 0 && file >= 0 && dup2(file, STDIN_FILENO) == STDIN_FILENO);
    const hr_status again = read_two(w, "-", "-", &data, &err);
    assert_true(lseek(STDIN_FILENO, 0, SEEK_SET) == 0);
    const hr_status by_path = read_two(w, "-", w->link, &data, &err);
    assert_true(dup2(before, STDIN_FILENO) == STDIN_FILENO);
    close(file);
    close(before);
    assert_int_equal(again, HR_E_ARGUMENT);
    assert_int_equal(by_path, HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "'standard input' and"));
}

static void test_origins__of_a_database_are_file_and_query(void **state) {
    const world *w = *state;
    hr_origins origins = {0};
    const hr_table_place place = {.path = w->a}, other = {.path = w->b};
    const int file = open(w->a, O_RDONLY), second = open(w->b, O_RDONLY);
    assert_int_equal(hr_origins_add_file(&origins, &place, file, "SELECT 1", NULL), HR_OK);
    assert_int_equal(hr_origins_add_file(&origins, &place, file, "SELECT 2", NULL), HR_OK);
    assert_int_equal(hr_origins_add_file(&origins, &other, second, "SELECT 1", NULL), HR_OK);
    assert_int_equal(hr_origins_add_file(&origins, &place, file, "SELECT 2", NULL), HR_E_ARGUMENT);
    close(file);
    close(second);
    hr_origins_done(&origins);
}

static void test_origins__of_a_server_are_address_and_query(void **state) {
    hr_origins origins = {0};
    hr_error err = {0};
    static const char here[] = "postgresql://a:secret@here/db", there[] = "postgresql://a:secret@there/db";
    (void)state;
    assert_int_equal(hr_origins_add_server(&origins, here, "SELECT 1", &err), HR_OK);
    assert_int_equal(hr_origins_add_server(&origins, there, "SELECT 1", &err), HR_OK);
    assert_int_equal(hr_origins_add_server(&origins, here, "SELECT 2", &err), HR_OK);
    assert_int_equal(hr_origins_add_server(&origins, here, "SELECT 1", &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "'postgresql://a@here/db' is given twice"));
    hr_origins_done(&origins);
}

/* A prediction is of one record, whatever the others are; a table of predictions may be trained on, though.
 */
static void test_origins__may_repeat_for_predictions_alone(void **state) {
    world w = *(const world *)*state;
    hr_data *data = NULL, *copies;
    hr_model *model = NULL;
    hr_fit_options options;
    hr_error err = {0};
    w.options.label_optional = true;
    assert_int_equal(read_two(&w, w.a, w.link, &data, NULL), HR_OK);
    assert_int_equal(hr_data_rows(data), 4);
    assert_int_equal(hr_fit_options_init(&options, "gbdt", HR_MODE_SOUND, NULL), HR_OK);
    assert_int_equal(hr_fit(data, &options, &model, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "count twice"));
    assert_null(model);
    hr_data_free(data);

    copies = read_twins(&w, 4);
    assert_int_equal(hr_fit(copies, &options, &model, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "have the same content"));
    assert_null(model);
    hr_data_free(copies);
}

static void test_origins__of_two_owners_are_apart(void **state) {
    const world *w = *state;
    hr_data *a = must_read(w, w->a), *copy = must_read(w, w->b), *link = must_read(w, w->link);
    write_file(w->b, "x,y\n2,no\n", 9);
    hr_data *b = must_read(w, w->b);
    const hr_data *const apart[] = {a, b}, *const shared[] = {a, b, link}, *const copied[] = {a, b, copy};
    assert_int_equal(hr_data_refuse_twice(copied, 3, NULL), HR_E_ARGUMENT);
    assert_int_equal(hr_data_refuse_twice(apart, 2, NULL), HR_OK);
    assert_int_equal(hr_data_refuse_twice(shared, 3, NULL), HR_E_ARGUMENT);
    hr_data_free(a);
    hr_data_free(b);
    hr_data_free(copy);
    hr_data_free(link);
}

static hr_data *borrow(const world *w, const double *numbers, const double *labels) {
    hr_data *data = NULL;
    const hr_array column = {numbers, HR_ELEMENT_FLOAT64, sizeof *numbers},
                   label = {labels, HR_ELEMENT_FLOAT64, sizeof *labels};
    const hr_arrays arrays = {.rows = 2, .columns = &column, .labels = &label};
    assert_int_equal(hr_data_borrow(w->schema, &arrays, &data, NULL), HR_OK);
    return data;
}

/* Labels are copied; it is the columns that tell. */
static void test_origins__of_arrays_are_where_they_are(void **state) {
    const world *w = *state;
    static const double one[] = {1, 2}, two[] = {1, 3}, labels[] = {0, 1};
    hr_data *a = borrow(w, one, labels), *b = borrow(w, two, labels), *again = borrow(w, one, labels);
    const hr_data *const apart[] = {a, b}, *const shared[] = {a, b, again}, *const one_twice[] = {b, b};
    hr_error err = {0};
    assert_int_equal(hr_data_refuse_twice(apart, 2, NULL), HR_OK);
    assert_int_equal(hr_data_refuse_twice(shared, 3, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "tables 1 and 3 are one"));
    assert_int_equal(hr_data_refuse_twice(one_twice, 2, NULL), HR_E_ARGUMENT);
    hr_data_free(a);
    hr_data_free(b);
    hr_data_free(again);
}

/* Columns that are no numbers of ours are compared by what they hold. */
static void test_origins__of_arrays_are_what_they_hold(void **state) {
    const world *w = *state;
    static const double one[] = {1, NAN}, two[] = {1, NAN}, more[] = {1, 2}, labels[] = {0, 1},
                        others[] = {1, 1};
    hr_data *a = borrow(w, one, labels), *b = borrow(w, two, labels), *c = borrow(w, more, labels),
            *d = borrow(w, one, others);
    const hr_data *const shared[] = {a, b}, *const apart[] = {a, c}, *const labelled[] = {b, d};
    hr_error err = {0};
    assert_int_equal(hr_data_refuse_twice(shared, 2, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "tables 1 and 2 hold the same records"));
    assert_int_equal(hr_data_refuse_twice(apart, 2, NULL), HR_OK);
    assert_int_equal(hr_data_refuse_twice(labelled, 2, NULL), HR_OK);
    hr_data_free(a);
    hr_data_free(b);
    hr_data_free(c);
    hr_data_free(d);
}

/* What one rank reads, another one may read, too: all files are looked at, but for those that are not there.
 */
static void test_origins__of_paths_need_no_reader(void **state) {
    const world *w = *state;
    const char *const paths[] = {w->a, "/nowhere", w->b, "/nowhere", w->twin};
    hr_origins origins = {0};
    assert_int_equal(hr_origins_add_paths(&origins, paths, 4, NULL), HR_OK);
    hr_origins_done(&origins);
    assert_int_equal(hr_origins_add_paths(&origins, paths, 5, NULL), HR_E_ARGUMENT);
    hr_origins_done(&origins);
}

static int set_up(void **state) {
    world *w = calloc(1, sizeof *w);
    static const char schema[] = "hedgerow-schema: 1\n"
                                 "label: {name: y, kind: classes, values: [no, \"yes\"]}\n"
                                 "features:\n"
                                 "  - {name: x, kind: number, low: 0, high: 10}\n";
    if (!w || temp_dir_open(&w->dir)) return -1;
    const char *folder = ((temp_dir *)w->dir)->folder;
    w->schema = must_schema(schema);
    w->options = (hr_read_options)HR_READ_OPTIONS_INIT;
    snprintf(w->a, PATH_SIZE, "%s/a.csv", folder);
    snprintf(w->b, PATH_SIZE, "%s/b.csv", folder);
    snprintf(w->link, PATH_SIZE, "%s/link.csv", folder);
    snprintf(w->twin, PATH_SIZE, "%s/twin.csv", folder);
    snprintf(w->roundabout, PATH_SIZE, "%s/./a.csv", folder);
    write_file(w->a, table, sizeof table - 1);
    write_file(w->b, table, sizeof table - 1);
    *state = w;
    return symlink(w->a, w->link) || link(w->a, w->twin);
}

static int tear_down(void **state) {
    world *w = *state;
    hr_schema_free(w->schema);
    int failed = temp_dir_close(&w->dir);
    free(w);
    return failed;
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_origins__##name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(of_one_file_are_one_however_it_is_written),
        TEST(of_equal_files_are_one),
        TEST(of_equal_files_are_two_if_the_owner_says_so),
        TEST(of_long_files_differ_at_their_ends),
        TEST(without_records_are_equal_to_none),
        TEST(know_what_standard_input_is),
        TEST(of_a_database_are_file_and_query),
        TEST(of_a_server_are_address_and_query),
        TEST(may_repeat_for_predictions_alone),
        TEST(of_two_owners_are_apart),
        TEST(of_arrays_are_where_they_are),
        TEST(of_arrays_are_what_they_hold),
        TEST(of_paths_need_no_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
