/* A table is the same, and so is what is wrong with it, whether one thread reads it or several, and wherever
 * the blocks of the source end. */
#include "support/reader_checks.h"
#include "tables/readers/reading.h"

#include <unistd.h>

enum { TEXT_MAX = 64 * 1024, TABLES = 1500, WHOLE = 1 << 20, LONG_ROWS = 2000 };

static const int thread_counts[] = {1, 2, 3, 7};
static const size_t capacities[] = {4, 64, 300, 4096, WHOLE};

static const char with_persons[] = "hedgerow-schema: 1\n"
                                   "label: {name: y, kind: classes, values: [no, \"yes\"]}\n"
                                   "unit: id\n"
                                   "features:\n"
                                   "  - {name: a, kind: number, low: -10, high: 10}\n"
                                   "  - {name: b, kind: number, low: -10, high: 10}\n"
                                   "  - {name: c, kind: category, values: [red, \"a,b\", \"two\\nlines\"]}\n"
                                   "  - {name: d, kind: number, low: 0, high: 100, integer: true}\n"
                                   "missing: [\"?\", \"-99\"]\n";

static const char without_persons[] = "hedgerow-schema: 1\n"
                                      "label: {name: y, kind: number, low: 0, high: 1}\n"
                                      "features:\n"
                                      "  - {name: a, kind: number, low: -10, high: 10}\n"
                                      "  - {name: b, kind: number, low: -10, high: 10}\n";

typedef struct outcome {
    hr_status status;
    hr_error error;
    hr_data *data; /* NULL: refused */
} outcome;

/* ---- Reading in small blocks ---- */

static outcome read_in_blocks(const hr_schema *schema, const char *text, size_t size,
                              const hr_read_options *options, size_t capacity) {
    outcome result = {0};
    hr_byte_source source;
    hr_reading reading = {.options = options, .arena = hr_arena_new()};
    assert_non_null(reading.arena);
    assert_int_equal(hr_table_init(&reading.table, schema, NULL), HR_OK);
    assert_int_equal(hr_byte_source_open_memory(&source, text, size, NULL), HR_OK);
    if (capacity < source.capacity) source.capacity = capacity;
    result.status = hr_csv_read(&reading, &source, &result.error);
    hr_byte_source_done(&source);
    if (!result.status)
        result.status = hr_table_take(&reading.table, reading.labelled, &result.data, &result.error);
    hr_table_done(&reading.table);
    hr_arena_free(reading.arena);
    return result;
}

static void expect_same_column(const hr_data *a, const hr_data *b, size_t f) {
    assert_memory_equal(hr_data_report(a, f), hr_data_report(b, f), sizeof(hr_column_report));
    const bool label = f == hr_schema_feature_count(hr_data_schema(a));
    const double *x = label ? hr_data_labels(a) : hr_data_numbers(a, f),
                 *y = label ? hr_data_labels(b) : hr_data_numbers(b, f);
    if (x)
        assert_memory_equal(x, y, hr_data_rows(a) * sizeof *x);
    else if (!label)
        assert_memory_equal(hr_data_codes(a, f), hr_data_codes(b, f), hr_data_rows(a) * sizeof(uint16_t));
}

static void expect_same_data(const hr_data *a, const hr_data *b, size_t kept) {
    const size_t rows = hr_data_rows(a);
    assert_int_equal(rows, hr_data_rows(b));
    assert_int_equal(hr_data_skipped(a), hr_data_skipped(b));
    assert_int_equal(hr_data_extra_columns(a), hr_data_extra_columns(b));
    for (size_t f = 0; rows && f <= hr_schema_feature_count(hr_data_schema(a)); f++)
        expect_same_column(a, b, f);
    if (a->persons) assert_memory_equal(a->persons, b->persons, rows * sizeof *a->persons);
    if (a->weights) assert_memory_equal(a->weights, b->weights, rows * sizeof *a->weights);
    for (size_t k = 0; k < kept; k++)
        for (size_t row = 0; row < rows; row++)
            assert_string_equal(hr_data_kept(a, k, row), hr_data_kept(b, k, row));
}

static void expect_same_outcome(const outcome *a, const outcome *b, size_t kept) {
    char one[1400], other[1400];
    assert_int_equal(!a->data, !b->data);
    hr_error_format(&a->error, one, sizeof one);
    hr_error_format(&b->error, other, sizeof other);
    assert_string_equal(one, other);
    assert_int_equal(a->status, b->status);
    if (a->data) expect_same_data(a->data, b->data, kept);
}

/* All numbers of threads, and all blocks; NULs are found block by block, so the blocks must be the same.
 * Returns whether the table could be read. */
static bool expect_same_in_all(const hr_schema *schema, const char *text, size_t size,
                               const hr_read_options *given) {
    bool read = false;
    const size_t counts = sizeof thread_counts / sizeof *thread_counts;
    for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++) {
        hr_read_options options = *given;
        options.threads = 1;
        const size_t blocks = memchr(text, 0, size) ? capacities[c] : WHOLE;
        outcome expected = read_in_blocks(schema, text, size, &options, blocks);
        for (size_t t = 0; t < counts; t++) {
            options.threads = thread_counts[t];
            outcome got = read_in_blocks(schema, text, size, &options, capacities[c]);
            expect_same_outcome(&expected, &got, options.kept_count);
            hr_data_free(got.data);
        }
        read = expected.data;
        hr_data_free(expected.data);
    }
    return read;
}

/* ---- Tables that were thought of ---- */

static hr_read_options kept_options(void) {
    static const char *const kept[] = {"note", "c"};
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.kept = kept;
    options.kept_count = 2;
    return options;
}

static void test_threads__hostile_tables(void **state) {
    (void)state;
#define HEADER "id,a,b,c,d,note,y\n"
    static const char *const tables[] = {
        HEADER,
        HEADER "p,1,2,red,3,,no",
        HEADER "\n\n \n\t\n\np,1,2,red,3,,no\n\n\n\n",
        HEADER "p,1,2,red,3,\"a\nb\nc\"\"d\n\",no\r\nq,3,4,\"two\nlines\",5,\"\n\n\n\n\n\n\n\n\",yes\n\np,1,"
               "1,red,1,x,no\n",
        HEADER "p,1,2,red,3,\"0\n1,2\n3,4\n5,6\n7,8\n\"\"\n\"\"\n\",no\nq,1,2,\"two\nlines\",?,z,yes\n",
        HEADER "p,1,2,red,3,x,no\nq,1,2,red,3,x,no\nr,1,2,red,3,x,maybe\ns,1,2,red,3\n",
        HEADER "p,1,2,red,3,x,no\nq,1,2,red,3,x,no\nr,1,2,red,3,x,no\ns,1,2,red,3\nt,x,2,red,3,x,no\n",
        HEADER "p,1,2,red,3,x,no\nq,1,2,red,3,\"x,no\nr,1,2,red,3,x,no\ns,1,2,red,3,,no\n",
        HEADER "p,1,2,red,3,x,no\nq,1,2,red,3,x\",no\nr,1,2,red,3,x,no\ns,1,2,red,3\"\",,no\n",
        HEADER "p,1,2,red,3,x,no\r\nq,1,2,red,3,x,no\rr,1,2,red,3,x,no\r\n",
        HEADER "p,1,2,red,3,x,no\n,1,2,red,3,x,no\n",
        HEADER "p,1,2,red,3,x,no,\n",
        HEADER "p,1,2,red,3,x,\nq,,,,,,yes\nr,,,,,,\n",
        "\n\n" HEADER "p,1,-99,red,-99,x,no\nq,-99.0,1,red,1,x,no\n",
    };
#undef HEADER
    hr_schema *schema = must_schema(with_persons);
    hr_read_options options = kept_options();
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (int skip = 0; skip < 2; skip++) {
            options.skip_unlabelled = skip;
            expect_same_in_all(schema, tables[i], strlen(tables[i]), &options);
        }
    hr_schema_free(schema);
}

static void test_threads__error_in_the_first_block_that_has_one(void **state) {
    (void)state;
    char text[TEXT_MAX];
    hr_schema *schema = must_schema(without_persons);
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.name = "t";
    for (size_t bad = 5; bad < 400; bad += 37) {
        size_t size = (size_t)sprintf(text, "a,b,y\n");
        for (size_t i = 0; i < 400; i++)
            size += (size_t)sprintf(text + size, i % bad == bad - 1 ? "1,x%zu,0\n" : "1,%zu,1\n", i);
        options.threads = 7;
        outcome got = read_in_blocks(schema, text, size, &options, 64);
        assert_int_equal(got.status, HR_E_FORMAT);
        assert_int_equal(got.error.line, bad + 1);
        assert_int_equal(got.error.column, 3);
        assert_string_equal(got.error.field, "b");
        expect_same_in_all(schema, text, size, &options);
    }
    hr_schema_free(schema);
}

static void test_threads__lines_longer_than_blocks(void **state) {
    (void)state;
    char text[TEXT_MAX];
    hr_schema *schema = must_schema(with_persons);
    const hr_read_options options = kept_options();
    size_t size = (size_t)sprintf(text, "id,a,b,c,d,note,y\n");
    for (size_t i = 0; i < 12; i++) {
        const int length = i % 3 ? 10 : 3000;
        size += (size_t)sprintf(text + size, "p%zu,%zu,2,red,3,\"%*s\n\"\"\",%s\n", i % 5, i, length, "x",
                                i % 2 ? "no" : "yes");
    }
    expect_same_in_all(schema, text, size, &options);
    hr_schema_free(schema);
}

/* ---- Tables by chance ---- */

static uint64_t draw_bits(uint64_t *state, uint64_t below) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % below;
}

#define ONE_OF(state, list) (list)[draw_bits(state, sizeof(list) / sizeof *(list))]

static const char *const some_numbers[] = {
    "1", "-2.5", "3.25", "", "?", "-99", "1e-3", " 7 ", "\"4\"", "99", "0.1234567890123456"};
static const char *const some_texts[] = {"red", "\"a,b\"", "\"two\nlines\"", "", "blue", "\"\"\"\n\"\"\"",
                                         " red"};
static const char *const some_ends[] = {"\n", "\n", "\n", "\n", "\r\n", "\n\n", "\n \t\n", "\r\n\r\n"};
static const char *const some_faults[] = {"x,", ",,,", "\"", "\r", "a\"b", "\"a\"b", "1e999"};

static size_t draw_record(uint64_t *state, char *to) {
    char *p = to;
    p += sprintf(p, "p%d,", (int)draw_bits(state, 9));
    p += sprintf(p, "%s,%s,", ONE_OF(state, some_numbers), ONE_OF(state, some_numbers));
    p += sprintf(p, "%s,%s,", ONE_OF(state, some_texts), ONE_OF(state, some_numbers));
    if (draw_bits(state, 60) == 0) p += sprintf(p, "%s", ONE_OF(state, some_faults));
    p += sprintf(p, "%s,", ONE_OF(state, some_texts));
    if (draw_bits(state, 200)) p += sprintf(p, "%s", draw_bits(state, 2) ? "no" : "yes");
    p += sprintf(p, "%s", ONE_OF(state, some_ends));
    return (size_t)(p - to);
}

static size_t draw_table(uint64_t *state, char *text) {
    const size_t records = draw_bits(state, 8) ? draw_bits(state, 40) : draw_bits(state, 600);
    size_t size = (size_t)sprintf(text, "id,a,b,c,d,note,y\n");
    for (size_t i = 0; i < records; i++) size += draw_record(state, text + size);
    if (draw_bits(state, 3) == 0) size--;
    if (draw_bits(state, 40) == 0) text[draw_bits(state, size)] = '\0';
    return size;
}

static void test_threads__random_tables(void **state) {
    (void)state;
    static char text[TEXT_MAX];
    hr_schema *schema = must_schema(with_persons);
    hr_read_options options = kept_options();
    uint64_t bits = 1;
    size_t read = 0;
    for (size_t i = 0; i < TABLES; i++) {
        const size_t size = draw_table(&bits, text);
        options.skip_unlabelled = i % 2;
        options.kept_count = i % 3;
        read += expect_same_in_all(schema, text, size, &options);
    }
    assert_in_range(read, TABLES / 4, TABLES * 3 / 4);
    hr_schema_free(schema);
}

/* ---- Through the public way in ---- */

/* Records become shorter, so that more come than the beginning lets expect. */
static size_t write_large_table(char *text, size_t rows) {
    size_t size = (size_t)sprintf(text, "id,a,b,c,d,note,y\n");
    uint64_t state = 5;
    for (size_t i = 0; i < rows; i++)
        size += (size_t)sprintf(text + size, "p%d,%.3f,%d,%s,%d,%*zu,%s%s", (int)draw_bits(&state, 5000),
                                (double)draw_bits(&state, 20000) / 1000 - 10, (int)draw_bits(&state, 12),
                                ONE_OF(&state, some_texts), (int)draw_bits(&state, 101),
                                i < LONG_ROWS ? 300 : 1, i, i % 3 ? "no" : "yes", i % 1000 ? "\n" : "\n\n");
    return size;
}

enum { LARGE_ROWS = 60000 };

static char *make_large_table(size_t *size) {
    char *text = must_alloc((size_t)LARGE_ROWS * 80 + (size_t)LONG_ROWS * 300);
    *size = write_large_table(text, LARGE_ROWS);
    return text;
}

static void test_threads__large_table(void **state) {
    (void)state;
    size_t size;
    char *text = make_large_table(&size);
    hr_schema *schema = must_schema(with_persons);
    hr_read_options options = kept_options();
    hr_data *expected = NULL;
    options.threads = 1;
    assert_int_equal(hr_data_parse(schema, text, size, &options, &expected, NULL), HR_OK);
    assert_int_equal(hr_data_rows(expected), LARGE_ROWS);
    for (int threads = 0; threads < 4; threads++) {
        hr_data *data = NULL;
        options.threads = threads;
        assert_int_equal(hr_data_parse(schema, text, size, &options, &data, NULL), HR_OK);
        expect_same_data(data, expected, options.kept_count);
        hr_data_free(data);
    }
    hr_data_free(expected);
    hr_schema_free(schema);
    free(text);
}

static void test_threads__error_at_the_end_of_a_large_table(void **state) {
    (void)state;
    size_t size;
    char *text = make_large_table(&size);
    size_t lines = 0;
    hr_schema *schema = must_schema(with_persons);
    hr_read_options options = HR_READ_OPTIONS_INIT;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    memcpy(text + size, "p,1,x\n", 6);
    for (options.threads = 1; options.threads < 8; options.threads++) {
        hr_data *data = NULL;
        hr_error err = {0};
        assert_int_equal(hr_data_parse(schema, text, size + 6, &options, &data, &err), HR_E_FORMAT);
        assert_int_equal(err.line, lines + 1);
        assert_string_equal(err.field, "b");
    }
    hr_schema_free(schema);
    free(text);
}

static void test_threads__skipped_records_leave_nothing(void **state) {
    (void)state;
    static const char text[] =
        "id,a,b,c,d,note,y\np,1,2,red,3,x,\nq,1,2,red,3,\"y\n\",yes\n\np,1,2,red,3,z,no\n";
    hr_schema *schema = must_schema(with_persons);
    hr_read_options options = kept_options();
    options.skip_unlabelled = true;
    options.threads = 3;
    outcome got = read_in_blocks(schema, text, strlen(text), &options, 8);
    assert_int_equal(got.status, HR_OK);
    assert_int_equal(hr_data_rows(got.data), 2);
    assert_int_equal(hr_data_skipped(got.data), 1);
    assert_string_equal(hr_data_kept(got.data, 0, 0), "y\n");
    assert_string_equal(hr_data_kept(got.data, 0, 1), "z");
    assert_int_equal(got.data->persons[0], 0); /* q; the skipped record had no number */
    assert_int_equal(got.data->persons[1], 1);
    hr_data_free(got.data);
    hr_schema_free(schema);
}

static void test_threads__must_not_be_negative(void **state) {
    (void)state;
    hr_schema *schema = must_schema(without_persons);
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_error err = {0};
    hr_data *data = NULL;
    options.threads = -1;
    assert_int_equal(hr_data_parse(schema, "a,b,y\n1,2,1\n", 12, &options, &data, &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, "-1 threads");
    options.size = offsetof(hr_read_options, threads); /* an older header */
    assert_int_equal(hr_data_parse(schema, "a,b,y\n1,2,1\n", 12, &options, &data, &err), HR_OK);
    hr_data_free(data);
    hr_schema_free(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads__hostile_tables),
        cmocka_unit_test(test_threads__error_in_the_first_block_that_has_one),
        cmocka_unit_test(test_threads__lines_longer_than_blocks),
        cmocka_unit_test(test_threads__random_tables),
        cmocka_unit_test(test_threads__large_table),
        cmocka_unit_test(test_threads__error_at_the_end_of_a_large_table),
        cmocka_unit_test(test_threads__skipped_records_leave_nothing),
        cmocka_unit_test(test_threads__must_not_be_negative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
