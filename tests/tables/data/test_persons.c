/* Whose records are whose: identifiers, weights, samples; and what is refused. */
#include "privacy/crypto/prf.h"
#include "support/person_tables.h"
#include "support/random_numbers.h"
#include "tables/data/persons.h"

#include <stdio.h>

static const char schema_text[] =
    "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\nfeatures:\n"
    "  - {name: x, kind: number, low: 0, high: 1}\nmissing: [NA]\nunit: who\n";

static void test_persons__are_the_same_if_their_cells_are(void **state) {
    (void)state;
    hr_schema *schema = schema_of_text(schema_text);
    assert_string_equal(hr_schema_unit(schema), "who");
    hr_data *data = data_of_text(schema, "x,who,y\n0, 07 ,a\n0,7,a\n0,\"07\",b\n0,Ann,b\n0,ann,a\n0,07,a\n");
    static const uint32_t persons[] = {0, 1, 0, 2, 3, 0},
                          weights[] = {21845, 65536, 21845, 65536, 65536, 21845};
    assert_int_equal(hr_data_rows(data), 6);
    assert_memory_equal(data->persons, persons, sizeof persons);
    assert_memory_equal(hr_data_weights(data), weights, sizeof weights);
    assert_int_equal(hr_data_extra_columns(data), 0);
    hr_data *some = hr_data_take(data, (const uint32_t[]){4, 0, 2}, 3); /* the highest number of all first */
    assert_non_null(some);
    assert_true(some->weights[0] == 65536 && some->weights[1] == 32768 && some->weights[2] == 32768);
    hr_data_free(some);
    hr_data_free(data);
    hr_schema_free(schema);
}

/* m floor(2^16/m) <= 2^16 for every m, and 0 beyond 2^16. */
static void test_weights__of_a_person_add_up_to_at_most_one(void **state) {
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 50, 63, 64, 65, 1000, 65535, 65536, 65537, 200000};
    for (size_t c = 0; c < COUNT(counts); c++) {
        hr_data data = {.rows = counts[c] + 1};
        data.persons = calloc(data.rows, sizeof *data.persons);
        data.weights = calloc(data.rows, sizeof *data.weights);
        assert_true(data.persons && data.weights);
        data.persons[counts[c]] = 1;
        assert_true(hr_records_weigh(&data));
        uint64_t sum = 0;
        for (size_t i = 0; i < counts[c]; i++) sum += data.weights[i];
        assert_true(sum <= 65536 && (counts[c] > 65536 ? sum == 0 : sum > 65536 - counts[c]));
        assert_int_equal(data.weights[counts[c]], 65536);
        free(data.persons);
        free(data.weights);
    }
}

/* ---- Weights of the schema ---- */

static const char weighted_text[] =
    "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\nfeatures:\n"
    "  - {name: x, kind: number, low: 0, high: 1}\nmissing: [NA]\nweight: {column: w, high: 4}\n";

static void test_own_weights__are_parts_of_their_bound(void **state) {
    (void)state;
    hr_schema *schema = schema_of_text(weighted_text);
    hr_data *data = data_of_text(schema, "x,w,y\n0, 4 ,a\n0,1,b\n0,\"0\",b\n0,1e-3,a\n0,3.99999,a\n");
    static const uint32_t weights[] = {65536, 16384, 0, 16, 65535};
    assert_memory_equal(hr_data_weights(data), weights, sizeof weights);
    assert_int_equal(hr_data_extra_columns(data), 0);
    hr_data *some = hr_data_take(data, (const uint32_t[]){3, 0}, 2);
    assert_non_null(some);
    assert_true(some->weights[0] == 16 && some->weights[1] == 65536);
    hr_data_free(some);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_own_weights__are_of_what_the_person_leaves_a_record(void **state) {
    (void)state;
    char text[sizeof weighted_text + 16];
    snprintf(text, sizeof text, "%sunit: who\n", weighted_text);
    hr_schema *schema = schema_of_text(text);
    hr_data *data = data_of_text(schema, "who,x,w,y\nann,0,4,a\nbob,0,2,b\nann,0,1,b\nann,0,4,a\n");
    static const uint32_t weights[] = {21845, 32768, 5461, 21845};
    assert_memory_equal(hr_data_weights(data), weights, sizeof weights);
    hr_data *some = hr_data_take(data, (const uint32_t[]){2, 1, 0}, 3); /* two of ann's are left */
    assert_non_null(some);
    assert_true(some->weights[0] == 8192 && some->weights[1] == 32768 && some->weights[2] == 32768);
    hr_data_free(some);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_own_weights__are_written_as_the_schema_says(void **state) {
    (void)state;
    char text[sizeof weighted_text + 40];
    snprintf(text, sizeof text, "%sdecimal: \",\"\nthousands: \".\"\n", weighted_text);
    hr_schema *schema = schema_of_text(text);
    hr_data *data = data_of_text(schema, "x;w;y\n0;4,0;a\n0,5;1;b\n0;0,5;b\n");
    static const uint32_t weights[] = {65536, 16384, 8192};
    assert_memory_equal(hr_data_weights(data), weights, sizeof weights);
    hr_data_free(data);
    hr_error err = {0};
    const char point[] = "x;w;y\n0;0.5;a\n";
    assert_int_equal(hr_data_parse(schema, point, sizeof point - 1, NULL, &data, &err), HR_E_SCHEMA);
    assert_string_equal(err.message, "'0.5' is not a weight from 0 to 4");
    hr_schema_free(schema);
}

/* Records that are left out need no weight, wherever it stands; others do. */
static void test_own_weights__of_records_without_labels(void **state) {
    (void)state;
    hr_schema *schema = schema_of_text(weighted_text);
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.skip_unlabelled = true;
    static const char *const texts[] = {"w,x,y\n,0,\n4,0,a\nNA,0,NA\n2,0,b\n",
                                        "y,x,w\n,0,NA\na,0,4\n,0,\nb,0,2\n"};
    static const uint32_t weights[] = {65536, 32768};
    hr_data *data = NULL;
    hr_error err = {0};
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_int_equal(hr_data_parse(schema, texts[i], strlen(texts[i]), &options, &data, &err), HR_OK);
        assert_true(hr_data_rows(data) == 2 && hr_data_skipped(data) == 2);
        assert_memory_equal(hr_data_weights(data), weights, sizeof weights);
        hr_data_free(data);
    }
    static const char *const wrong[] = {"w,x,y\n,0,\n4,0,a\n NA ,0,b\n", "y,x,w\n,0,\na,0,4\nb,0,NA\n"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(hr_data_parse(schema, wrong[i], strlen(wrong[i]), &options, &data, &err),
                         HR_E_SCHEMA);
        assert_string_equal(err.message, "the weight is missing");
        assert_string_equal(err.field, "w");
        assert_int_equal(err.line, 4);
        assert_int_equal(err.column, i ? 5 : 1);
    }
    hr_schema_free(schema);
}

/* Columns grow several times, and readers share the rows. */
static void test_own_weights__of_many_rows(void **state) {
    (void)state;
    enum { ROWS = 40000 };
    hr_schema *schema = schema_of_text(weighted_text);
    char *text = malloc(ROWS * 24 + 16), *at = text;
    assert_non_null(text);
    at += sprintf(at, "y,x,w\n");
    for (size_t i = 0; i < ROWS; i++) at += sprintf(at, "a,0,%.2f\n", (double)(i % 401) / 100);
    hr_data *data = data_of_text(schema, text);
    for (size_t i = 0; i < ROWS; i++) {
        const double weight = (double)(i % 401) / 100;
        assert_int_equal(hr_data_weights(data)[i], (uint32_t)(weight / 4 * 65536));
    }
    free(text);
    hr_data_free(data);
    hr_schema_free(schema);
}

/* Columns grow several times. */
static void test_persons__of_many_rows(void **state) {
    (void)state;
    enum { ROWS = 20000, PERSONS = 700 };
    hr_schema *schema = schema_of_text(schema_text);
    char *text = malloc(ROWS * 24 + 16), *at = text;
    assert_non_null(text);
    at += sprintf(at, "y,x,who\n");
    for (size_t i = 0; i < ROWS; i++) at += sprintf(at, "a,0,patient %zu\n", i * 3 % PERSONS);
    hr_data *data = data_of_text(schema, text);
    size_t heavy = 0;
    for (size_t i = 0; i < ROWS; i++) {
        uint32_t w = hr_data_weights(data)[i];
        assert_int_equal(data->persons[i], data->persons[i % PERSONS]);
        assert_true(w == 65536 / 28 || w == 65536 / 29);
        heavy += w == 65536 / 28;
    }
    assert_int_equal(heavy, 28 * (PERSONS - ROWS % PERSONS));
    free(text);
    hr_data_free(data);
    hr_schema_free(schema);
}

/* ---- What is refused ---- */

typedef struct wrong_table {
    const char *text;
    hr_status status;
    uint64_t line;
    const char *field, *message, *remedy;
} wrong_table;

static const wrong_table wrong_tables[] = {
    {"who,x,y\nann,0,a\n,0,b\n", HR_E_SCHEMA, 3, "who", "the identifier of the unit is missing",
     "say whose record it is"},
    {"who,x,y\n\"  \",0,a\n", HR_E_SCHEMA, 2, "who", "the identifier of the unit is missing",
     "remove the record"},
    {"x,who,y\n0,NA,a\n", HR_E_SCHEMA, 2, "who", "the identifier of the unit is missing", ""},
    {"x,y\n0,a\n", HR_E_SCHEMA, 0, "who", "the table has no such column", "first line"},
    {"who,x,who,y\nann,0,bob,a\n", HR_E_FORMAT, 0, "who", "two columns of the table have this name",
     "rename"},
    {"0 1:1\n1 1:0.5\n", HR_E_POLICY, 0, "unit", "a LIBSVM table cannot protect persons (unit who)",
     "unit: record"},
};

static const wrong_table wrong_weights[] = {
    {"w,x,y\n4.5,0,a\n", HR_E_SCHEMA, 2, "w", "'4.5' is not a weight from 0 to 4",
     "raise the weight's 'high'"},
    {"w,x,y\n1,0,a\n-1,0,a\n", HR_E_SCHEMA, 3, "w", "'-1' is not a weight from 0 to 4", "correct it"},
    {"w,x,y\nnan,0,a\n", HR_E_SCHEMA, 2, "w", "'nan' is not a weight", ""},
    {"w,x,y\nmuch,0,a\n", HR_E_SCHEMA, 2, "w", "'much' is not a weight", ""},
    {"w,x,y\nNA,0,a\n", HR_E_SCHEMA, 2, "w", "the weight is missing", "remove the record"},
    {"w,x,y\n,0,a\n", HR_E_SCHEMA, 2, "w", "the weight is missing", ""},
    {"x,y\n0,a\n", HR_E_SCHEMA, 0, "w", "the table has no such column", "first line"},
    {"0 1:1\n1 1:0.5\n", HR_E_POLICY, 0, "weight", "a LIBSVM table cannot weigh records (weight w)",
     "remove 'weight'"},
};

static void check_wrong(const char *of, const wrong_table *tables, size_t count) {
    hr_schema *schema = schema_of_text(of);
    for (size_t i = 0; i < count; i++) {
        const wrong_table *w = &tables[i];
        hr_data *data = NULL;
        hr_error err = {0};
        assert_int_equal(hr_data_parse(schema, w->text, strlen(w->text), NULL, &data, &err), w->status);
        if (!strstr(err.message, w->message) || !strstr(err.remedy, w->remedy)) fail_msg("%s", err.message);
        assert_int_equal(err.line, w->line);
        assert_string_equal(err.field, w->field);
        assert_null(data);
    }
    hr_schema_free(schema);
}

static void test_tables__without_weights_are_refused(void **state) {
    (void)state;
    check_wrong(weighted_text, wrong_weights, COUNT(wrong_weights));
    hr_schema *schema = schema_of_text(weighted_text);
    hr_data *data = NULL;
    hr_error err = {0};
    const double x[] = {0}, *columns[] = {x};
    assert_int_equal(hr_data_from_arrays(schema, 1, columns, x, &data, &err), HR_E_POLICY);
    assert_string_equal(err.field, "weight");
    hr_schema_free(schema);
}

static void test_tables__without_identifiers_are_refused(void **state) {
    (void)state;
    check_wrong(schema_text, wrong_tables, COUNT(wrong_tables));
    hr_schema *schema = schema_of_text(schema_text);
    hr_data *data = NULL;
    hr_error err = {0};
    const double x[] = {0}, *columns[] = {x};
    assert_int_equal(hr_data_from_arrays(schema, 1, columns, x, &data, &err), HR_E_POLICY);
    assert_string_equal(
        err.message,
        "a table in arrays that do not say whose each record is cannot protect persons (unit who)");
    assert_non_null(strstr(err.remedy, "hr_arrays.persons"));
    hr_schema_free(schema);
}

static void test_arrays__say_whose_records_they_are_by_any_numbers(void **state) {
    (void)state;
    hr_schema *schema = schema_of_text(schema_text);
    static const double x[] = {0, 0, 0, 0, 0, 0}, y[] = {0, 0, 1, 1, 0, 0};
    static const uint64_t numbers[] = {UINT64_MAX, 7, UINT64_MAX, 1ULL << 32, 0, UINT64_MAX};
    static const uint32_t persons[] = {0, 1, 0, 2, 3, 0},
                          weights[] = {21845, 65536, 21845, 65536, 65536, 21845};
    const hr_array column = {x, HR_ELEMENT_FLOAT64, sizeof *x}, label = {y, HR_ELEMENT_FLOAT64, sizeof *y};
    hr_arrays arrays = {.rows = 6, .columns = &column, .labels = &label, .persons = numbers};
    hr_data *data = NULL;
    assert_int_equal(hr_data_borrow(schema, &arrays, &data, NULL), HR_OK);
    assert_memory_equal(data->persons, persons, sizeof persons);
    assert_memory_equal(hr_data_weights(data), weights, sizeof weights);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_arrays__of_persons_need_a_unit(void **state) {
    (void)state;
    hr_schema *schema = schema_of_text("hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\n"
                                       "features:\n  - {name: x, kind: number, low: 0, high: 1}\n");
    static const double x[] = {0};
    static const uint64_t numbers[] = {1};
    const hr_array column = {x, HR_ELEMENT_FLOAT64, sizeof *x};
    hr_arrays arrays = {.rows = 1, .columns = &column, .persons = numbers};
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_equal(hr_data_borrow(schema, &arrays, &data, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "names no unit"));
    assert_null(data);
    hr_schema_free(schema);
}

/* ---- Samples ---- */

static void test_keep__takes_the_records_with_the_smallest_keys(void **state) {
    (void)state;
    uint32_t persons[] = {4, 4, 1, 4, 1, 0, 4}, kept[7];
    const uint64_t keys[] = {9, 3, 5, 7, 5, 1, 3};
    const hr_data data = {.rows = COUNT(persons), .persons = persons};
    static const uint32_t two[] = {1, 2, 4, 5, 6}, one[] = {1, 2, 5};
    assert_int_equal(hr_persons_keep(&data, keys, 2, kept), 5);
    assert_memory_equal(kept, two, sizeof two);
    assert_int_equal(hr_persons_keep(&data, keys, 1, kept), 3);
    assert_memory_equal(kept, one, sizeof one);
    assert_int_equal(hr_persons_keep(&data, keys, 9, kept), 7);
}

/* The records that are kept of the others are the same with a person more. */
static void test_keep__of_a_person_depends_on_no_other(void **state) {
    (void)state;
    enum { ROWS = 600, CANARY = 60, MOST = 3 };
    uint32_t persons[ROWS], kept[ROWS], fewer[ROWS];
    uint64_t keys[ROWS], random = 3;
    for (size_t i = 0; i < ROWS; i++) {
        persons[i] = i < ROWS - CANARY ? (uint32_t)(next_random(&random) % 90) : 90;
        keys[i] = next_random(&random);
    }
    const hr_data all = {.rows = ROWS, .persons = persons},
                  others = {.rows = ROWS - CANARY, .persons = persons};
    size_t more = hr_persons_keep(&all, keys, MOST, kept), less = hr_persons_keep(&others, keys, MOST, fewer);
    assert_int_equal(more, less + MOST);
    assert_memory_equal(kept, fewer, less * sizeof *kept);
}

/* ---- Hashes ---- */

enum { PERSONS = 1000 };

/* hashes[i]: of identifier i, whichever order they are met in. */
static void hash_persons(const uint8_t *key, bool turned, hr_person_hash hashes[PERSONS]) {
    hr_persons persons = {.key = key};
    hr_data data = {0};
    char text[40];
    for (size_t met = 0; met < 2 * PERSONS; met++) {
        uint32_t number;
        const size_t i = turned ? PERSONS - 1 - met % PERSONS : met % PERSONS;
        const int size = snprintf(text, sizeof text, "person %zu", i);
        assert_true(hr_persons_number(&persons, text, (size_t)size, &number));
        assert_int_equal(number, met % PERSONS);
    }
    hr_persons_give_hashes(&persons, &data);
    hr_persons_done(&persons);
    assert_int_equal(data.person_count, PERSONS);
    for (size_t i = 0; i < PERSONS; i++) hashes[i] = data.person_hashes[turned ? PERSONS - 1 - i : i];
    free(data.person_hashes);
}

static void test_hashes__are_of_the_identifier_alone(void **state) {
    (void)state;
    static const uint8_t keys[][HR_PRF_KEY] = {{1}, {2}};
    static hr_person_hash plain[PERSONS], turned[PERSONS], keyed[PERSONS], other[PERSONS];
    hash_persons(NULL, false, plain);
    hash_persons(NULL, true, turned);
    assert_memory_equal(plain, turned, sizeof plain);
    hash_persons(keys[0], true, keyed);
    hash_persons(keys[1], false, other);
    for (size_t i = 0; i < PERSONS; i++) {
        char text[40];
        hr_person_hash wanted;
        const int size = snprintf(text, sizeof text, "person %zu", i);
        hr_prf(keys[0], text, (size_t)size, (uint8_t *)&wanted);
        assert_memory_equal(&keyed[i], &wanted, sizeof wanted);
        assert_memory_not_equal(&keyed[i], &other[i], sizeof wanted);
        assert_true(plain[i].of[0] && !plain[i].of[1]);
        assert_true(!i || plain[i].of[0] != plain[i - 1].of[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_persons__are_the_same_if_their_cells_are),
        cmocka_unit_test(test_weights__of_a_person_add_up_to_at_most_one),
        cmocka_unit_test(test_persons__of_many_rows),
        cmocka_unit_test(test_tables__without_identifiers_are_refused),
        cmocka_unit_test(test_tables__without_weights_are_refused),
        cmocka_unit_test(test_own_weights__are_parts_of_their_bound),
        cmocka_unit_test(test_own_weights__are_of_what_the_person_leaves_a_record),
        cmocka_unit_test(test_own_weights__are_written_as_the_schema_says),
        cmocka_unit_test(test_own_weights__of_records_without_labels),
        cmocka_unit_test(test_own_weights__of_many_rows),
        cmocka_unit_test(test_arrays__say_whose_records_they_are_by_any_numbers),
        cmocka_unit_test(test_arrays__of_persons_need_a_unit),
        cmocka_unit_test(test_keep__takes_the_records_with_the_smallest_keys),
        cmocka_unit_test(test_keep__of_a_person_depends_on_no_other),
        cmocka_unit_test(test_hashes__are_of_the_identifier_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
