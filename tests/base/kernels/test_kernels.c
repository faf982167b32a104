/* Every set of kernels gives the same bytes. */
#include "base/text/number.h"
#include "support/check.h"
#include "support/kernel_sets.h"

#include <hedgerow/hedgerow.h>

#include <float.h>
#include <math.h>

enum { ROWS_MAX = 200, EDGES_MAX = HR_SEARCH_EDGES_MAX, PADDED_MAX = 512 };

static void test_sets__begin_with_portable_c(void **state) {
    (void)state;
    assert_string_equal(hr_kernels_at(0)->name, "portable");
    assert_true(hr_kernels_run_here(hr_kernels_at(0)));
    assert_true(hr_kernels_run_here(hr_kernels_get()));
}

static void test_use__takes_the_named_set(void **state) {
    (void)state;
    const char *best = hr_kernels_name();
    assert_int_equal(hr_use_kernels("portable", NULL), HR_OK);
    assert_string_equal(hr_kernels_name(), "portable");
    hr_error err = {0};
    assert_int_equal(hr_use_kernels("mmx", &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, "this build has no kernels \"mmx\"");
    assert_string_equal(hr_kernels_name(), "portable");
    assert_int_equal(hr_use_kernels(best, NULL), HR_OK);
}

static double odd_value(size_t i, const double *edges, size_t count) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0., -0.};
    if (i % 7 == 0) return odd[i / 7 % 5];
    if (count && i % 3 == 0) return edges[i % count];
    return (double)(i * 37 % 1000) / 10 - 50;
}

/* Edges as they come, and as they are hard to deal to buckets. */
static void make_edges(size_t shape, size_t count, double *edges) {
    for (size_t e = 0; e < count; e++) {
        double x = (double)e;
        edges[e] = shape == 0   ? x / 3 - 40
                   : shape == 1 ? ldexp(1, (int)e * 8 - 1000) /* all but the last are close together */
                   : shape == 2 ? (x + 1 - (double)count) * 0x1p-1074
                                : (x - (double)count / 2) * (DBL_MAX / (double)EDGES_MAX * 2);
    }
    if (shape == 2 && count > 2) edges[0] = -INFINITY, edges[count - 1] = INFINITY;
}

static uint8_t bin_by_definition(const double *edges, size_t count, double x) {
    size_t less = 0;
    for (size_t e = 0; e < count; e++) less += edges[e] < x;
    return isnan(x) ? 0 : (uint8_t)(1 + less);
}

static void check_bins_of_block(const hr_kernels *set, const hr_search *search, const double *edges,
                                size_t count, size_t rows) {
    double values[ROWS_MAX];
    uint8_t expected[ROWS_MAX + 1], got[ROWS_MAX + 1];
    for (size_t i = 0; i < rows; i++) values[i] = odd_value(i + count, edges, count);
    memset(expected, 255, sizeof expected);
    memset(got, 255, sizeof got);
    for (size_t i = 0; i < rows; i++) {
        expected[i] = bin_by_definition(edges, count, values[i]);
        assert_int_equal(hr_search_bin(search, values[i]), expected[i]);
    }
    set->bins_of_numbers(search, &(hr_number_block){values, rows, NULL}, got);
    assert_memory_equal(expected, got, sizeof got);
    memset(got, 255, sizeof got);
    set->bins_of_numbers(search, &(hr_number_block){values, rows, values}, got);
    assert_memory_equal(expected, got, sizeof got);
}

static void check_bins_of_numbers(const hr_kernels *set) {
    double edges[EDGES_MAX], padded[PADDED_MAX];
    uint8_t first[HR_SEARCH_BUCKETS_MAX];
    for (size_t shape = 0; shape < 4; shape++)
        for (size_t count = 0; count <= EDGES_MAX; count++) {
            make_edges(shape, count, edges);
            const hr_search search = hr_search_make(edges, count, first, padded);
            assert_true(hr_search_bucket_count(count) <= HR_SEARCH_BUCKETS_MAX);
            assert_true(hr_search_padded_count(count) <= PADDED_MAX);
            for (size_t rows = 0; rows <= ROWS_MAX; rows += rows < 40 ? 1 : 53)
                check_bins_of_block(set, &search, edges, count, rows);
        }
}

static void test_bins_of_numbers__are_as_defined_in_every_set(void **state) {
    (void)state;
    with_each_set(check_bins_of_numbers);
}

enum { FLOAT_EDGES = 40, FLOAT_ROWS = 150 };

/* Of no float: thirds, and close below and above integers. */
static void make_edges_between_floats(size_t shape, double *edges) {
    for (size_t e = 0; e < FLOAT_EDGES; e++) {
        double x = (double)e - 12;
        edges[e] = shape ? x + (e % 2 ? 0x1p-40 : -0x1p-40) : x / 3;
    }
}

/* Floats, one in eleven missing or infinite. */
static void make_float_values(double *values) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, -0.};
    for (size_t i = 0; i < FLOAT_ROWS; i++)
        values[i] = i % 11 ? (double)(i * 37 % 400) / 8 - 20 : odd[i / 11 % 4];
}

static void check_bins_of_floats(const hr_kernels *set, const double *edges, size_t count,
                                 const double *values) {
    double padded[PADDED_MAX];
    uint8_t first[HR_SEARCH_BUCKETS_MAX], got[FLOAT_ROWS];
    const hr_search search = hr_search_make(edges, count, first, padded);
    set->bins_of_numbers(&search, &(hr_number_block){values, FLOAT_ROWS, NULL}, got);
    for (size_t i = 0; i < FLOAT_ROWS; i++)
        assert_int_equal(got[i], bin_by_definition(edges, count, values[i]));
}

/* A number that has the float of an edge, among others that floats tell apart from all edges. */
static void check_bins_beside_edges(const hr_kernels *set) {
    double edges[FLOAT_EDGES], values[FLOAT_ROWS];
    for (size_t shape = 0; shape < 2; shape++)
        for (size_t count = 0; count <= FLOAT_EDGES; count++) {
            make_edges_between_floats(shape, edges);
            make_float_values(values);
            check_bins_of_floats(set, edges, count, values);
            for (size_t at = 0; count && at < FLOAT_ROWS; at++) {
                const double edge = edges[at % count], kept = values[at];
                values[at] = at % 3 ? nextafter(edge, at % 3 == 1 ? -INFINITY : INFINITY) : edge;
                check_bins_of_floats(set, edges, count, values);
                values[at] = kept;
            }
        }
}

static void test_bins_of_numbers__are_exact_beside_edges(void **state) {
    (void)state;
    with_each_set(check_bins_beside_edges);
}

/* Edges that are dealt evenly leave one comparison, where a search by halves has eight. */
static void test_search__has_few_edges_in_a_bucket(void **state) {
    (void)state;
    double edges[EDGES_MAX], padded[PADDED_MAX];
    uint8_t first[HR_SEARCH_BUCKETS_MAX];
    make_edges(0, EDGES_MAX, edges);
    assert_int_equal(hr_search_make(edges, EDGES_MAX, first, padded).steps, 1);
    make_edges(1, EDGES_MAX, edges);
    assert_int_equal(hr_search_make(edges, EDGES_MAX, first, padded).steps, 8);
}

/* ---- Cells ---- */

enum { TEXT = 400, CELLS_MAX = 24, TABLES = 20000 };

static uint64_t draw_bits(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 31);
}

static const char *const odd_cells[] = {"",
                                        "-",
                                        ".",
                                        "-.",
                                        "1.",
                                        ".5",
                                        "-.5",
                                        "1..2",
                                        "1.2.3",
                                        "--1",
                                        "+1",
                                        "1-",
                                        "1e5",
                                        "1e-05",
                                        "0e",
                                        "\"1\"",
                                        " 1",
                                        "1 ",
                                        "abc",
                                        "1\r",
                                        "1\n2",
                                        "-0",
                                        "-0.0",
                                        "00.10",
                                        "/",
                                        ":",
                                        "1/2",
                                        "9007199254740992",
                                        "9007199254740993",
                                        "9999999999999999",
                                        "0.9007199254740993",
                                        "12345678901234567",
                                        "0.12345678901234567",
                                        "-1234567890.12345",
                                        "1234567890123456789012345",
                                        "123456789012345.",
                                        ".123456789012345"};

/* A cell that is a number more often than not; returns its size. */
static size_t draw_cell(uint64_t *state, char *to) {
    const uint64_t bits = draw_bits(state);
    if (bits % 16 == 0) {
        const char *text = odd_cells[(bits >> 8) % (sizeof odd_cells / sizeof *odd_cells)];
        memcpy(to, text, strlen(text));
        return strlen(text);
    }
    const size_t digits = 1 + (bits >> 8) % (bits % 5 ? 8 : 17), point = (bits >> 16) % (digits + 2);
    size_t size = 0;
    if ((bits >> 24) % 2) to[size++] = '-';
    for (size_t i = 0; i < digits; i++) {
        if (i == point) to[size++] = '.';
        to[size++] = (char)('0' + draw_bits(state) % 10);
    }
    return size;
}

static size_t draw_cells(uint64_t *state, char separator, char text[TEXT]) {
    size_t size = 0;
    while (size < TEXT - 160) {
        size += draw_cell(state, text + size);
        text[size++] = draw_bits(state) % 32 ? separator : '\n';
    }
    memset(text + size, '1', TEXT - size);
    text[size] = '\n';
    return size;
}

static void check_numbers_of_cells(const hr_kernels *other) {
    const hr_kernels *portable = hr_kernels_at(0);
    uint64_t state = 1;
    char text[TEXT];
    for (size_t table = 0; table < TABLES; table++) {
        const char separator = ",;\t|"[table % 4];
        const size_t size = draw_cells(&state, separator, text);
        for (const char *from = text; from < text + size;) {
            double expected[CELLS_MAX] = {0}, got[CELLS_MAX] = {0};
            const char *end = from, *same = from;
            const size_t most = draw_bits(&state) % (CELLS_MAX + 1);
            const size_t count = portable->numbers_of_cells(&end, separator, most, expected);
            assert_int_equal(other->numbers_of_cells(&same, separator, most, got), count);
            assert_ptr_equal(same, end);
            assert_memory_equal(got, expected, count * sizeof *got);
            from = portable->find_cell_end(end, separator) + 1;
        }
    }
}

static void test_numbers_of_cells__same_in_every_set(void **state) {
    (void)state;
    with_each_set(check_numbers_of_cells);
}

/* Against the exact parser, cell by cell. */
static void test_numbers_of_cells__are_those_of_the_parser(void **state) {
    (void)state;
    uint64_t bits = 7;
    char text[TEXT];
    const hr_kernels *set = hr_kernels_get();
    for (size_t table = 0; table < TABLES; table++) {
        const size_t size = draw_cells(&bits, ',', text);
        double numbers[CELLS_MAX], value = 0;
        const char *end = text, *cell = text;
        const size_t count = set->numbers_of_cells(&end, ',', CELLS_MAX, numbers);
        for (size_t i = 0; i < count; i++) {
            const char *comma = memchr(cell, ',', size);
            assert_int_equal(hr_number_parse(cell, (size_t)(comma - cell), &value), HR_NUMBER_OK);
            assert_memory_equal(&numbers[i], &value, sizeof value);
            cell = comma + 1;
        }
        assert_ptr_equal(cell, end);
    }
}

static void check_find_cell_end(const hr_kernels *other) {
    const hr_kernels *portable = hr_kernels_at(0);
    char text[TEXT];
    for (size_t at = 0; at < 150; at++)
        for (size_t k = 0; k < 5; k++) {
            memset(text, 'a', sizeof text);
            text[at] = ";\"\r\n,"[k];
            text[200] = '\n';
            const char *end = portable->find_cell_end(text, ';');
            assert_ptr_equal(end, text + (k < 4 ? at : 200));
            assert_ptr_equal(other->find_cell_end(text, ';'), end);
        }
}

static void test_find_cell_end__same_in_every_set(void **state) {
    (void)state;
    with_each_set(check_find_cell_end);
}

/* Where the cells from `text` on end, one after the other. */
static size_t ends_by_definition(const char *text, char separator, size_t count, uint32_t *ends) {
    size_t found = 0;
    for (uint32_t at = 0; found < count; at++) {
        const bool stops = strchr("\"\r\n", text[at]) != NULL;
        if (stops || text[at] == separator) ends[found++] = at;
        if (stops) break;
    }
    return found;
}

static void check_ends_of_cells(const hr_kernels *set) {
    uint64_t state = 3;
    char text[TEXT];
    for (size_t table = 0; table < TABLES; table++) {
        const char separator = ",;\t|"[table % 4];
        const size_t size = draw_cells(&state, separator, text);
        for (const char *from = text; from < text + size;) {
            uint32_t expected[CELLS_MAX] = {0}, got[CELLS_MAX] = {0};
            const size_t most = draw_bits(&state) % (CELLS_MAX + 1),
                         count = ends_by_definition(from, separator, most, expected);
            assert_int_equal(set->ends_of_cells(from, separator, most, got), count);
            assert_memory_equal(got, expected, sizeof got);
            from += count ? expected[count - 1] + 1 : 1;
        }
    }
}

static void test_ends_of_cells__are_as_defined_in_every_set(void **state) {
    (void)state;
    with_each_set(check_ends_of_cells);
}

/* By the exact parser, and by what fractions are: digits, a point, and one, two or more than three digits. */
static bool is_fraction_by_definition(const hr_cell_text *cell, double *value) {
    const char *at = cell->text + (*cell->text == '-'), *end = cell->text + cell->size,
               *point = memchr(at, '.', (size_t)(end - at));
    if (!point || point == at || end - point == 4 || end - at > 16) return false;
    for (const char *p = at; p < end; p++)
        if (p != point && (*p < '0' || *p > '9')) return false;
    if (*at == '0' && point > at + 1) return false;
    return hr_number_parse(cell->text, cell->size, value) == HR_NUMBER_OK && *value != trunc(*value);
}

static void check_fractions_of_cells(const hr_kernels *set) {
    uint64_t state = 5;
    char text[TEXT];
    hr_cell_text cells[TEXT];
    size_t taken = 0;
    for (size_t table = 0; table < TABLES; table++) {
        const size_t size = draw_cells(&state, ',', text);
        size_t count = 0;
        for (const char *from = text; from < text + size; count++) {
            const char *end = from;
            while (*end != ',' && *end != '\n') end++;
            cells[count] = (hr_cell_text){from, (size_t)(end - from)};
            from = end + 1;
        }
        for (size_t first = 0; first < count;) {
            double got[CELLS_MAX] = {0}, expected = 0, low = INFINITY, high = -INFINITY;
            const size_t left = count - first, most = left < CELLS_MAX ? left : CELLS_MAX;
            const hr_fractions seen = set->fractions_of_cells(cells + first, most, got);
            const size_t found = seen.count;
            uint32_t sizes = 0;
            for (size_t i = 0; i < found; i++) {
                assert_true(is_fraction_by_definition(&cells[first + i], &expected));
                assert_memory_equal(&got[i], &expected, sizeof expected);
                sizes |= 1u << cells[first + i].size;
                low = fmin(low, expected);
                high = fmax(high, expected);
            }
            assert_int_equal(seen.sizes, sizes);
            assert_true(seen.low == low && seen.high == high);
            assert_true(found == most || !is_fraction_by_definition(&cells[first + found], &expected));
            first += found < most ? found + 1 : found;
            taken += found;
        }
    }
    assert_true(taken > TABLES);
}

static void test_fractions_of_cells__are_as_defined_in_every_set(void **state) {
    (void)state;
    with_each_set(check_fractions_of_cells);
}

enum { COUNTED = 40000 };

static void check_count_bytes(const hr_kernels *other) {
    const hr_kernels *portable = hr_kernels_at(0);
    static char text[COUNTED];
    size_t expected = 0, size = 0;
    memset(text, '\n', sizeof text);
    assert_int_equal(portable->count_bytes(text, sizeof text, '\n'), COUNTED);
    assert_int_equal(other->count_bytes(text, sizeof text, '\n'), COUNTED);
    for (size_t i = 0; i < COUNTED; i++) text[i] = i * i % 7 == 2 ? '"' : 'a';
    for (; size <= 300; expected += text[size++] == '"') {
        assert_int_equal(portable->count_bytes(text, size, '"'), expected);
        assert_int_equal(other->count_bytes(text, size, '"'), expected);
    }
}

static void test_count_bytes__same_in_every_set(void **state) {
    (void)state;
    with_each_set(check_count_bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets__begin_with_portable_c),
        cmocka_unit_test(test_use__takes_the_named_set),
        cmocka_unit_test(test_bins_of_numbers__are_as_defined_in_every_set),
        cmocka_unit_test(test_bins_of_numbers__are_exact_beside_edges),
        cmocka_unit_test(test_search__has_few_edges_in_a_bucket),
        cmocka_unit_test(test_numbers_of_cells__same_in_every_set),
        cmocka_unit_test(test_numbers_of_cells__are_those_of_the_parser),
        cmocka_unit_test(test_find_cell_end__same_in_every_set),
        cmocka_unit_test(test_ends_of_cells__are_as_defined_in_every_set),
        cmocka_unit_test(test_fractions_of_cells__are_as_defined_in_every_set),
        cmocka_unit_test(test_count_bytes__same_in_every_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
