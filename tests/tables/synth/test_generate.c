/* Generated tables: the same bytes everywhere, always as their schema says, and no table at all from bad
 * options. */
#include "tables/synth/generate.h"

#include <hedgerow/data.h>
#include <hedgerow/generate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool collect(void *user, const char *bytes, size_t size) {
    hr_buffer_add(user, bytes, size);
    return true;
}

/* Owner: the caller frees. */
static char *generate(const hr_generate_options *options) {
    hr_buffer buffer = {0};
    hr_error err = {0};
    char *table = NULL;
    if (hr_generate(options, collect, &buffer, &err)) fail_msg("%s: %s", err.field, err.message);
    assert_int_equal(hr_buffer_take(&buffer, &table, NULL), HR_OK);
    return table;
}

static hr_generate_options options_of(hr_generator generator, uint64_t rows, uint64_t seed) {
    hr_generate_options options;
    hr_generate_options_init(&options, generator);
    options.rows = rows;
    options.seed = seed;
    return options;
}

/* Fowler, Noll and Vo's hash, 1a, 64 bits. */
static uint64_t checksum(const char *text) {
    uint64_t sum = 0xcbf29ce484222325;
    for (; *text; text++) sum = (sum ^ (unsigned char)*text) * 0x100000001b3;
    return sum;
}

static void test_dice__are_the_published_ones(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 1234567);
    static const uint64_t splitmix[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                        4593380528125082431u};
    assert_memory_equal(dice.s, splitmix, sizeof splitmix);
    dice = (hr_dice){{1, 2, 3, 4}};
    static const uint64_t xoshiro[] = {11520, 0, 1509978240, 1215971899390074240};
    for (int i = 0; i < 4; i++) assert_int_equal(hr_dice_u64(&dice), xoshiro[i]);
}

static void test_same_options__give_the_same_bytes(void **state) {
    (void)state;
    static const uint64_t sums[] = {0x13d5c89dfda720, 0xab8bba966470d33, 0xbbb8e73899ca3074,
                                    0x551685e796b95042};
    for (int g = HR_GENERATE_HOSPITAL; g <= HR_GENERATE_FRIEDMAN1; g++) {
        hr_generate_options options = options_of((hr_generator)g, 2000, 1);
        char *one = generate(&options), *two = generate(&options);
        assert_string_equal(one, two);
        assert_int_equal(checksum(one), sums[g]);
        free(one);
        free(two);
    }
}

/* Times until the readmission: the bytes say what a law cannot, such as what comes first on one day. */
static void test_same_options__give_the_same_times(void **state) {
    (void)state;
    hr_generate_options options = options_of(HR_GENERATE_HOSPITAL, 2000, 1);
    options.times = 1;
    char *one = generate(&options);
    assert_int_equal(checksum(one), 0xdf2abd1031bde085);
    free(one);
}

static void test_other_seed__gives_another_table(void **state) {
    (void)state;
    for (int g = HR_GENERATE_HOSPITAL; g <= HR_GENERATE_FRIEDMAN1; g++) {
        hr_generate_options a = options_of((hr_generator)g, 10, 1), b = options_of((hr_generator)g, 10, 2);
        char *one = generate(&a), *two = generate(&b);
        assert_string_not_equal(one, two);
        free(one);
        free(two);
    }
}

static void test_more_rows__begin_with_the_fewer(void **state) {
    (void)state;
    for (int g = HR_GENERATE_HOSPITAL; g <= HR_GENERATE_FRIEDMAN1; g++) {
        hr_generate_options few = options_of((hr_generator)g, 3, 5),
                            many = options_of((hr_generator)g, 3000, 5);
        char *head = generate(&few), *whole = generate(&many);
        assert_memory_equal(head, whole, strlen(head));
        free(head);
        free(whole);
    }
}

/* Cuts the next cell out of *rest; `end` tells whether it was the row's last. */
static char *next_cell(char **rest, bool *end) {
    char *cell = *rest, *stop = cell + strcspn(cell, ",\n");
    *end = *stop == '\n';
    assert_true(*stop);
    *stop = '\0';
    *rest = stop + 1;
    return cell;
}

static void check_category(const hr_column *column, const char *cell) {
    for (size_t i = 0; i < column->value_count; i++)
        if (strcmp(cell, column->values[i]) == 0) return;
    fail_msg("'%s' is not a value of %s", cell, column->name);
}

static void check_number(const hr_column *column, const char *cell) {
    char *end = NULL;
    double value = strtod(cell, &end);
    assert_true(end > cell && !*end);
    if (!(value >= column->low && value <= column->high)) fail_msg("%s of %s", cell, column->name);
    if (column->integer) assert_true(value == floor(value));
}

static const hr_column *column_at(const hr_schema *schema, size_t i) {
    return i < hr_schema_feature_count(schema) ? hr_schema_feature(schema, i) : hr_schema_label(schema);
}

/* Header and rows are the schema's, in its order, and nothing else; only hospital features may be empty. */
static void check_table(const hr_generate_options *options) {
    char *yaml = NULL, *table = generate(options), *rest = table;
    hr_schema *schema = NULL;
    hr_error err = {0};
    assert_int_equal(hr_generate_schema(options, &yaml, &err), HR_OK);
    if (hr_schema_parse(yaml, strlen(yaml), "schema", &schema, &err)) fail_msg("%s", err.message);
    size_t columns = hr_schema_feature_count(schema) + 1;
    bool end = false;
    for (size_t i = 0; i < columns; i++) {
        assert_string_equal(next_cell(&rest, &end), column_at(schema, i)->name);
        assert_int_equal(end, i + 1 == columns);
    }
    for (uint64_t row = 0; row < options->rows; row++) {
        for (size_t i = 0; i < columns; i++) {
            const char *cell = next_cell(&rest, &end);
            assert_int_equal(end, i + 1 == columns);
            if (!*cell)
                assert_true(options->generator == HR_GENERATE_HOSPITAL && i + 1 < columns);
            else if (column_at(schema, i)->kind == HR_KIND_CATEGORY)
                check_category(column_at(schema, i), cell);
            else
                check_number(column_at(schema, i), cell);
        }
    }
    assert_string_equal(rest, "");
    assert_int_equal(hr_schema_reviewed(schema, NULL), HR_OK);
    hr_schema_free(schema);
    free(yaml);
    free(table);
}

static void test_tables__are_as_their_schema_says(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        for (int g = HR_GENERATE_HOSPITAL; g <= HR_GENERATE_FRIEDMAN1; g++) {
            hr_generate_options options = options_of((hr_generator)g, 3000, seed * 0x123456789abcdef);
            check_table(&options);
        }
    }
}

/* A reader takes the table by its schema: the sign of a label says whether the patient was readmitted. */
static void test_tables_of_times__are_read_by_their_schema(void **state) {
    (void)state;
    for (uint64_t visits = 0; visits <= 5; visits += 5) {
        hr_generate_options options = options_of(HR_GENERATE_HOSPITAL, 3000, 4);
        options.times = 1;
        options.visits = visits;
        char *yaml = NULL, *text = generate(&options);
        hr_schema *schema = NULL;
        hr_data *data = NULL;
        hr_error err = {0};
        assert_int_equal(hr_generate_schema(&options, &yaml, &err), HR_OK);
        if (hr_schema_parse(yaml, strlen(yaml), "schema", &schema, &err)) fail_msg("%s", err.message);
        if (hr_data_parse(schema, text, strlen(text), NULL, &data, &err)) fail_msg("%s", err.message);
        assert_int_equal(hr_schema_task(schema), HR_TASK_SURVIVAL);
        assert_int_equal(hr_schema_label(schema)->interval_count, 4);
        assert_int_equal(hr_schema_reviewed(schema, NULL), HR_OK);
        assert_int_equal(hr_schema_unit(schema) != NULL, visits > 0);
        size_t events = 0;
        for (size_t i = 0; i < hr_data_rows(data); i++) events += !signbit(hr_data_labels(data)[i]);
        assert_true(hr_data_rows(data) == 3000 && events > 600 && events < 1200);
        hr_data_free(data);
        hr_schema_free(schema);
        free(yaml);
        free(text);
    }
}

static void test_tables__at_the_ends_of_their_ranges(void **state) {
    (void)state;
    hr_generate_options o = options_of(HR_GENERATE_CLASSIFICATION, 500, UINT64_MAX);
    o.features = o.informative = 64;
    o.classes = 100;
    o.noise = 1;
    check_table(&o);
    o.features = o.informative = 2;
    o.classes = 2;
    o.noise = 0;
    check_table(&o);
    o = options_of(HR_GENERATE_REGRESSION, 20, 1);
    o.features = o.informative = 10000;
    o.noise = 1e6;
    check_table(&o);
    o = options_of(HR_GENERATE_REGRESSION, 1, 1);
    o.features = o.informative = 1;
    o.noise = 0;
    check_table(&o);
    o = options_of(HR_GENERATE_FRIEDMAN1, 20, 0);
    o.features = 10000;
    o.noise = 1e6;
    check_table(&o);
    o.features = 5;
    o.noise = 0;
    check_table(&o);
}

static void refuse(const hr_generate_options *options, const char *field) {
    hr_error err = {0};
    hr_buffer buffer = {0};
    char kept[] = "untouched", *yaml = kept;
    assert_int_equal(hr_generate(options, collect, &buffer, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, field);
    assert_true(err.message[0] && err.remedy[0]);
    assert_int_equal(buffer.size, 0);
    assert_int_equal(hr_generate_schema(options, &yaml, NULL), HR_E_ARGUMENT);
    assert_ptr_equal(yaml, kept);
}

#define REFUSE(generator, member, value)                                                                     \
    do {                                                                                                     \
        hr_generate_options o = options_of(generator, 10, 1);                                                \
        o.member = value;                                                                                    \
        refuse(&o, #member);                                                                                 \
    } while (0)

static void test_options__out_of_range_are_refused(void **state) {
    (void)state;
    for (int g = HR_GENERATE_HOSPITAL; g <= HR_GENERATE_FRIEDMAN1; g++) {
        REFUSE((hr_generator)g, rows, 0);
        REFUSE((hr_generator)g, noise, NAN);
        REFUSE((hr_generator)g, noise, -0.1);
        REFUSE((hr_generator)g, noise, INFINITY);
        REFUSE((hr_generator)g, features, 10001);
        REFUSE((hr_generator)g, features, UINT64_MAX);
    }
    REFUSE(HR_GENERATE_CLASSIFICATION, noise, 1.01);
    REFUSE(HR_GENERATE_CLASSIFICATION, classes, 0);
    REFUSE(HR_GENERATE_CLASSIFICATION, classes, 1);
    REFUSE(HR_GENERATE_CLASSIFICATION, classes, 101);
    REFUSE(HR_GENERATE_CLASSIFICATION, features, 0);
    REFUSE(HR_GENERATE_CLASSIFICATION, informative, 0);
    REFUSE(HR_GENERATE_CLASSIFICATION, informative, 1);
    REFUSE(HR_GENERATE_CLASSIFICATION, informative, 21);
    REFUSE(HR_GENERATE_CLASSIFICATION, informative, 65);
    REFUSE(HR_GENERATE_REGRESSION, features, 0);
    REFUSE(HR_GENERATE_REGRESSION, informative, 0);
    REFUSE(HR_GENERATE_REGRESSION, informative, 21);
    REFUSE(HR_GENERATE_FRIEDMAN1, features, 0);
    REFUSE(HR_GENERATE_FRIEDMAN1, features, 4);
    REFUSE(HR_GENERATE_HOSPITAL, times, 2);
}

static void test_options__that_a_generator_lacks_are_refused(void **state) {
    (void)state;
    REFUSE(HR_GENERATE_HOSPITAL, features, 17);
    REFUSE(HR_GENERATE_HOSPITAL, informative, 1);
    REFUSE(HR_GENERATE_HOSPITAL, classes, 2);
    REFUSE(HR_GENERATE_HOSPITAL, noise, 0.5);
    REFUSE(HR_GENERATE_REGRESSION, classes, 2);
    REFUSE(HR_GENERATE_FRIEDMAN1, informative, 5);
    REFUSE(HR_GENERATE_FRIEDMAN1, classes, 2);
    REFUSE(HR_GENERATE_FRIEDMAN1, times, 1);
}

static void test_options__too_many_clusters_for_the_corners(void **state) {
    (void)state;
    hr_generate_options o = options_of(HR_GENERATE_CLASSIFICATION, 10, 1);
    o.informative = 3;
    o.classes = 5;
    refuse(&o, "informative");
    o.classes = 4;
    check_table(&o);
}

static void test_options__of_another_version_are_refused(void **state) {
    (void)state;
    hr_generate_options o = {0};
    refuse(&o, "");
    hr_generate_options_init(&o, HR_GENERATE_HOSPITAL);
    o.size++;
    refuse(&o, "");
    o.size = offsetof(hr_generate_options, rows) - 1;
    refuse(&o, "");
    hr_generate_options_init(&o, (hr_generator)99);
    refuse(&o, "");
    hr_generate_options_init(&o, (hr_generator)-1);
    refuse(&o, "");
}

typedef struct reader {
    size_t calls, stop_at;
} reader;

static bool stop(void *user, const char *bytes, size_t size) {
    reader *r = user;
    assert_true(bytes && size);
    return ++r->calls < r->stop_at;
}

static void test_write__stops_when_told(void **state) {
    (void)state;
    hr_generate_options many = options_of(HR_GENERATE_HOSPITAL, UINT64_MAX, 1),
                        one = options_of(HR_GENERATE_HOSPITAL, 1, 1);
    for (size_t at = 1; at < 4; at++) {
        reader r = {.stop_at = at};
        hr_error err = {0};
        assert_int_equal(hr_generate(&many, stop, &r, &err), HR_E_IO);
        assert_int_equal(r.calls, at);
        assert_true(err.message[0] && err.remedy[0]);
    }
    reader last = {.stop_at = 1};
    assert_int_equal(hr_generate(&one, stop, &last, NULL), HR_E_IO);
    assert_int_equal(last.calls, 1);
}

static void test_csv_writer__prints_fixed_points(void **state) {
    (void)state;
    static const struct {
        int64_t units;
        int decimals;
        const char *text;
    } cases[] = {{0, 0, "0"},
                 {7, 0, "7"},
                 {-7, 0, "-7"},
                 {0, 4, "0.0000"},
                 {1, 4, "0.0001"},
                 {-1, 4, "-0.0001"},
                 {10000, 4, "1.0000"},
                 {-12345, 2, "-123.45"},
                 {INT64_MAX, 6, "9223372036854.775807"},
                 {INT64_MIN, 0, "-9223372036854775808"}};
    hr_csv_writer *csv_writer = calloc(1, sizeof *csv_writer);
    assert_non_null(csv_writer);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        csv_writer->used = 0;
        csv_writer->filled = false;
        hr_csv_writer_fixed(csv_writer, cases[i].units, cases[i].decimals);
        assert_int_equal(csv_writer->used, strlen(cases[i].text));
        assert_memory_equal(csv_writer->bytes, cases[i].text, csv_writer->used);
    }
    free(csv_writer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dice__are_the_published_ones),
        cmocka_unit_test(test_same_options__give_the_same_bytes),
        cmocka_unit_test(test_same_options__give_the_same_times),
        cmocka_unit_test(test_other_seed__gives_another_table),
        cmocka_unit_test(test_more_rows__begin_with_the_fewer),
        cmocka_unit_test(test_tables__are_as_their_schema_says),
        cmocka_unit_test(test_tables_of_times__are_read_by_their_schema),
        cmocka_unit_test(test_tables__at_the_ends_of_their_ranges),
        cmocka_unit_test(test_options__out_of_range_are_refused),
        cmocka_unit_test(test_options__that_a_generator_lacks_are_refused),
        cmocka_unit_test(test_options__too_many_clusters_for_the_corners),
        cmocka_unit_test(test_options__of_another_version_are_refused),
        cmocka_unit_test(test_write__stops_when_told),
        cmocka_unit_test(test_csv_writer__prints_fixed_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
