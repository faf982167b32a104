/* A table that is read block by block is the one that is read whole, by any number of threads, in order. */
#include "support/reader_checks.h"
#include "support/temp_dir.h"
#include "tables/data/columns.h"

enum { ROWS = 40000, FEATURES = 3, THREADS_MOST = 7 };

static const char of_csv[] = "hedgerow-schema: 1\n"
                             "label: {name: y, kind: classes, values: [no, \"yes\"]}\n"
                             "unit: id\n"
                             "features:\n"
                             "  - {name: a, kind: number, low: 0, high: 30000}\n"
                             "  - {name: c, kind: category, values: [red, \"a,b\", blue]}\n"
                             "  - {name: d, kind: date, from: 2000-01-01, to: 2030-01-01, parts: [year]}\n";

static const char of_libsvm[] = "hedgerow-schema: 1\n"
                                "label: {name: y, kind: number, low: 0, high: 9}\n"
                                "features:\n"
                                "  - {name: a, kind: number, low: 0, high: 30000}\n"
                                "  - {name: c, kind: category, values: [\"1\", \"0\", \"3\"]}\n"
                                "  - {name: d, kind: number, low: 1, high: 9}\n";

static void write_csv_row(FILE *to, size_t i) {
    static const char *const colours[] = {"red", "\"a,b\"", "green", ""};
    fprintf(to, "p%zu,%zu,%s,20%02zu-03-01,\"n\n%zu\",%s\n", i % 700, i, colours[i % 4], i % 40, i,
            i % 3 ? "no" : "yes");
}

static void write_libsvm_row(FILE *to, size_t i) {
    fprintf(to, "%zu", i % 12);
    if (i % 5 == 0) fprintf(to, " 1:%zu", i);
    if (i % 7 == 0) fprintf(to, " 2:%zu", i % 4);
    fputc('\n', to);
}

/* Two files of one table. */
typedef struct stream_table {
    void *dir;
    hr_schema *schema;
    char first[512], second[512];
    const char *paths[2];
    hr_read_options options;
} stream_table;

static void write_rows(const char *path, const char *header, void (*write)(FILE *, size_t), size_t from) {
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(header, to);
    for (size_t i = from; i < from + ROWS; i++) write(to, i);
    fclose(to);
}

static void make_table(stream_table *t, const char *schema, const char *header,
                       void (*write)(FILE *, size_t)) {
    *t = (stream_table){.options = HR_READ_OPTIONS_INIT};
    assert_int_equal(temp_dir_open(&t->dir), 0);
    t->schema = must_schema(schema);
    snprintf(t->first, sizeof t->first, "%s/first", ((temp_dir *)t->dir)->folder);
    snprintf(t->second, sizeof t->second, "%s/second", ((temp_dir *)t->dir)->folder);
    t->paths[0] = t->first;
    t->paths[1] = t->second;
    t->options.label_optional = true;
    write_rows(t->first, header, write, 0);
    write_rows(t->second, header, write, ROWS);
}

static void make_csv(stream_table *t) {
    static const char *const kept[] = {"note", "a"};
    make_table(t, of_csv, "id,a,c,d,note,y\n", write_csv_row);
    t->options.kept = kept;
    t->options.kept_count = 2;
}

static void done_table(stream_table *t) {
    hr_schema_free(t->schema);
    assert_int_equal(temp_dir_close(&t->dir), 0);
}

/* ---- A work that compares ---- */

typedef struct comparison {
    const hr_data *whole;
    size_t next, blocks; /* records and blocks that were finished */
    size_t kept;         /* columns */
    bool fail_work;
    size_t fail_finish; /* the block, from 1; 0: none */
} comparison;

static hr_status refuse(hr_error *err, const char *message) {
    *err = (hr_error){.status = HR_E_IO};
    snprintf(err->message, sizeof err->message, "%s", message);
    snprintf(err->file, sizeof err->file, "of the work");
    return HR_E_IO;
}

/* As work may be called by several threads it looks at nothing that is shared. */
static hr_status note_work(void *user, const hr_block *block, hr_error *err) {
    const comparison *c = user;
    assert_true(hr_data_rows(block->records) > 0 && block->member < THREADS_MOST);
    return c->fail_work ? refuse(err, "work") : HR_OK;
}

static void compare_feature(const comparison *c, const hr_data *block, size_t f) {
    double numbers[HR_DATA_BLOCK], expected[HR_DATA_BLOCK];
    uint16_t codes[HR_DATA_BLOCK], expected_codes[HR_DATA_BLOCK];
    for (size_t begin = 0, rows = hr_data_rows(block); begin < rows; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, rows);
        if (hr_schema_feature(hr_data_schema(block), f)->kind == HR_KIND_NUMBER)
            assert_memory_equal(hr_data_number_block(block, f, begin, count, numbers),
                                hr_data_number_block(c->whole, f, c->next + begin, count, expected),
                                count * sizeof *numbers);
        else
            assert_memory_equal(hr_data_code_block(block, f, begin, count, codes),
                                hr_data_code_block(c->whole, f, c->next + begin, count, expected_codes),
                                count * sizeof *codes);
    }
}

static hr_status compare_block(void *user, const hr_block *block, hr_error *err) {
    comparison *c = user;
    const hr_data *records = block->records;
    const size_t rows = hr_data_rows(records);
    if (++c->blocks == c->fail_finish) return refuse(err, "finish");
    assert_true(c->next + rows <= hr_data_rows(c->whole));
    for (size_t f = 0; f < FEATURES; f++) compare_feature(c, records, f);
    assert_memory_equal(hr_data_labels(records), hr_data_labels(c->whole) + c->next, rows * sizeof(double));
    for (size_t k = 0; k < c->kept; k++)
        for (size_t i = 0; i < rows; i++)
            assert_string_equal(hr_data_kept(records, k, i), hr_data_kept(c->whole, k, c->next + i));
    c->next += rows;
    return HR_OK;
}

static hr_status stream(const stream_table *t, comparison *c, hr_data **met, hr_error *err) {
    const hr_block_work work = {&t->options, note_work, compare_block, c};
    return hr_data_stream(t->schema, t->paths, 2, &work, met, err);
}

/* ---- Tests ---- */

static void expect_whole(stream_table *t) {
    hr_data *whole = NULL;
    assert_int_equal(hr_data_read_all(t->schema, t->paths, 2, &t->options, &whole, NULL), HR_OK);
    for (t->options.threads = 1; t->options.threads <= THREADS_MOST; t->options.threads += 2) {
        comparison c = {.whole = whole, .kept = t->options.kept_count};
        hr_data *met = NULL;
        assert_int_equal(stream(t, &c, &met, NULL), HR_OK);
        assert_int_equal(c.next, 2 * ROWS);
        assert_true(c.blocks > 4);
        assert_int_equal(hr_data_rows(met), 0);
        assert_false(hr_data_has_labels(met));
        for (size_t f = 0; f <= FEATURES; f++) {
            hr_error one = {0}, other = {0};
            assert_memory_equal(hr_data_report(met, f), hr_data_report(whole, f), sizeof(hr_column_report));
            assert_int_equal(hr_data_check_column(met, f, &one), hr_data_check_column(whole, f, &other));
            assert_memory_equal(&one, &other, sizeof one);
        }
        hr_data_free(met);
    }
    hr_data_free(whole);
}

static void test_stream__csv_is_the_whole_table(void **state) {
    (void)state;
    stream_table t;
    make_csv(&t);
    expect_whole(&t);
    done_table(&t);
}

static void test_stream__libsvm_is_the_whole_table(void **state) {
    (void)state;
    stream_table t;
    make_table(&t, of_libsvm, "", write_libsvm_row);
    expect_whole(&t);
    done_table(&t);
}

/* Records before the bad one are finished, and the message is that of a whole table. */
static void expect_error(stream_table *t, const char *bad) {
    hr_data *whole = NULL, *data = NULL;
    hr_error expected = {0};
    assert_int_equal(hr_data_read_all(t->schema, t->paths, 2, &t->options, &whole, NULL), HR_OK);
    FILE *to = fopen(t->second, "a");
    assert_non_null(to);
    fputs(bad, to);
    fclose(to);
    assert_int_not_equal(hr_data_read_all(t->schema, t->paths, 2, &t->options, &data, &expected), HR_OK);
    for (t->options.threads = 1; t->options.threads <= THREADS_MOST; t->options.threads += 3) {
        comparison c = {.whole = whole, .kept = t->options.kept_count};
        hr_error err = {0};
        assert_int_equal(stream(t, &c, &data, &err), expected.status);
        assert_memory_equal(&err, &expected, sizeof err);
        assert_null(data);
        assert_in_range(c.next, ROWS, 2 * ROWS - 1);
    }
    hr_data_free(whole);
}

static void test_stream__errors_are_those_of_the_whole_table(void **state) {
    (void)state;
    stream_table t;
    make_csv(&t);
    expect_error(&t, "p1,nonsense,red,2001-01-01,,no\n");
    done_table(&t);
    make_table(&t, of_libsvm, "", write_libsvm_row);
    expect_error(&t, "1 1:2 1:3\n");
    done_table(&t);
}

/* The failure is the work's own: no table is named in it, and nothing comes after it. */
static void expect_work_fails(const stream_table *t, comparison c, const char *message) {
    hr_data *met = NULL;
    hr_error err = {0};
    assert_int_equal(hr_data_read_all(t->schema, t->paths, 2, &t->options, (hr_data **)&c.whole, NULL),
                     HR_OK);
    assert_int_equal(stream(t, &c, &met, &err), HR_E_IO);
    assert_null(met);
    assert_string_equal(err.message, message);
    assert_string_equal(err.file, "of the work");
    assert_int_equal(c.blocks, c.fail_finish);
    hr_data_free((hr_data *)c.whole);
}

static void test_stream__a_work_may_fail(void **state) {
    (void)state;
    for (int format = 0; format < 2; format++) {
        stream_table t;
        if (format)
            make_csv(&t);
        else
            make_table(&t, of_libsvm, "", write_libsvm_row);
        for (t.options.threads = 1; t.options.threads <= THREADS_MOST; t.options.threads += 3) {
            expect_work_fails(&t, (comparison){.fail_work = true}, "work");
            expect_work_fails(&t, (comparison){.fail_finish = 1, .kept = t.options.kept_count}, "finish");
            expect_work_fails(&t, (comparison){.fail_finish = 4, .kept = t.options.kept_count}, "finish");
        }
        done_table(&t);
    }
}

static void test_stream__a_table_without_records_has_no_blocks(void **state) {
    (void)state;
    stream_table t;
    make_csv(&t);
    for (size_t i = 0; i < 2; i++) write_file(t.paths[i], "id,a,c,d,note,y\n", 16);
    comparison c = {0};
    hr_data *met = NULL;
    assert_int_equal(stream(&t, &c, &met, NULL), HR_OK);
    assert_int_equal(c.blocks, 0);
    assert_int_equal(hr_data_rows(met), 0);
    hr_data_free(met);
    done_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream__csv_is_the_whole_table),
        cmocka_unit_test(test_stream__libsvm_is_the_whole_table),
        cmocka_unit_test(test_stream__errors_are_those_of_the_whole_table),
        cmocka_unit_test(test_stream__a_work_may_fail),
        cmocka_unit_test(test_stream__a_table_without_records_has_no_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
