/* Cells taken together leave a column as cells taken one by one do. */
#include "tables/infer/infer_column.h"

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 3000, TEXT = 48 };

typedef struct column_of_cells {
    char texts[CELLS][TEXT];
    hr_cell_text cells[CELLS];
} column_of_cells;

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* A number that the usual ones of a column do not look like, or no number. */
static const char *const odd[] = {"1e-3",
                                  "1.5e2",
                                  "+2.25",
                                  ".5",
                                  "7.",
                                  "0.125",
                                  "-0.0",
                                  "00.5",
                                  "12",
                                  "-9",
                                  "999",
                                  "-0.25",
                                  "",
                                  "NA",
                                  "1,5",
                                  "3.25%",
                                  "unknown",
                                  "20240101",
                                  "123456789012.3456789",
                                  "1.5"};

/* Texts that stand again and again, a different one for each `value`: with symbols, dates, times, codes and
 * words among them. */
static void write_text(char text[TEXT], unsigned kinds, unsigned value) {
    static const struct {
        const char *before, *behind;
    } forms[] = {{"", ""},     {"$", ""},        {"word ", ""},   {"", ",5"},       {"2024-01-", ""},
                 {"", ":30"},  {"0", ""},        {"A", ""},       {"20240", ""},    {"-", ""},
                 {"", " %"},   {"", ".03.2024"}, {"1.", ".000"},  {"", " unknown"}, {"EUR ", ""},
                 {"", ".125"}, {"1", "'000.5"},  {"", "/7/2024"}, {"9", "9"},       {"99", ""}};
    static const char *const others[] = {"true", "NA", "", "yes", "99", "-9"};
    const unsigned form = value % (kinds < 20 ? kinds : 20);
    if (kinds > 20 && value % 11 == 0)
        (void)snprintf(text, TEXT, "%s", others[value / 11 % 6]);
    else
        (void)snprintf(text, TEXT, "%s%u%s", forms[form].before, value / 3, forms[form].behind);
}

static void write_number(char text[TEXT], char form, int digits, double value) {
    if (form == 'f') (void)snprintf(text, TEXT, "%.*f", digits, value);
    if (form == '0') (void)snprintf(text, TEXT, "%08.*f", digits, value);
    if (form == 'g') (void)snprintf(text, TEXT, "%.*g", digits, value);
    if (form == 'e') (void)snprintf(text, TEXT, "%.*e", digits, value);
}

/* Every `one_in`-th cell is odd, from `first` on; of texts `first` are different. */
static column_of_cells *make_column(char form, int digits, size_t first, unsigned one_in) {
    column_of_cells *made = calloc(1, sizeof *made);
    uint64_t state = first + one_in;
    assert_non_null(made);
    for (size_t i = 0; i < CELLS; i++) {
        const double value = ((double)(next_random(&state) % 2000001) - 1000000) / 997;
        if (i >= first && one_in && next_random(&state) % one_in == 0)
            (void)snprintf(made->texts[i], TEXT, "%s", odd[next_random(&state) % (sizeof odd / sizeof *odd)]);
        else if (form == 't')
            write_text(made->texts[i], (unsigned)digits,
                       (unsigned)(next_random(&state) % (first ? first : 40)));
        else
            write_number(made->texts[i], form, digits, value);
        /* What stands behind a cell in a table goes on as a number would. */
        const size_t size = strlen(made->texts[i]);
        (void)snprintf(made->texts[i] + size, TEXT - size, ",17.5");
        made->cells[i] = (hr_cell_text){made->texts[i], size};
    }
    return made;
}

static void assert_same_range(const hr_seen_range *a, const hr_seen_range *b) {
    assert_int_equal(a->cells, b->cells);
    assert_int_equal(a->fractions, b->fractions);
    if (!a->cells) return;
    assert_true(a->low == b->low);
    assert_true(a->high == b->high);
}

static void assert_same_words(const hr_words *a, const hr_words *b) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_string_equal(a->words[i].text, b->words[i].text);
        assert_int_equal(a->words[i].cells, b->words[i].cells);
    }
}

static void assert_same(const hr_inference *a, const hr_inference *b) {
    assert_int_equal(a->cells, b->cells);
    assert_int_equal(a->numbers, b->numbers);
    assert_int_equal(a->empty, b->empty);
    assert_int_equal(a->within, b->within);
    assert_int_equal(a->texts, b->texts);
    assert_int_equal(a->value_count, b->value_count);
    assert_true(a->low == b->low);
    assert_true(a->high == b->high);
    assert_int_equal(a->fractions, b->fractions);
    assert_int_equal(!a->more, !b->more);
    if (a->more) assert_memory_equal(a->more->highest, b->more->highest, sizeof a->more->highest);

    assert_int_equal(a->codes.cells, b->codes.cells);
    assert_int_equal(a->codes.with_digits, b->codes.with_digits);
    assert_int_equal(a->codes.other, b->codes.other);
    assert_int_equal(a->codes.shortest, b->codes.shortest);
    assert_int_equal(a->codes.longest, b->codes.longest);

    assert_int_equal(a->text.cells, b->text.cells);
    assert_same_range(&a->text.integers, &b->text.integers);
    assert_same_range(&a->text.points, &b->text.points);
    for (size_t i = 0; i < HR_INFERRED_FORMATS; i++) assert_same_range(&a->text.seen[i], &b->text.seen[i]);
    assert_same_words(&a->text.odd, &b->text.odd);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->blanks, b->blanks);
    assert_int_equal(a->text.times, b->text.times);
    assert_int_equal(!a->text.symbol, !b->text.symbol);
    if (a->text.symbol) assert_string_equal(a->text.symbol, b->text.symbol);
    assert_int_equal(a->text.dates_read, b->text.dates_read);
    for (unsigned i = 0; a->text.dates_read >> i; i++)
        assert_int_equal(a->text.dates[i].cells, b->text.dates[i].cells);

    assert_int_equal(a->plain.cells, b->plain.cells);
    assert_int_equal(a->plain.others, b->plain.others);
    assert_int_equal(a->plain.leading_zeros, b->plain.leading_zeros);
    assert_int_equal(a->plain.shortest, b->plain.shortest);
    assert_int_equal(a->plain.longest, b->plain.longest);
    assert_int_equal(a->plain.negative, b->plain.negative);
    assert_int_equal(a->plain.fractions, b->plain.fractions);
    assert_int_equal(a->plain.other_fractions, b->plain.other_fractions);
    assert_true(a->plain.low == b->plain.low);
    assert_true(a->plain.high == b->plain.high);
    assert_same_words(&a->plain.codes, &b->plain.codes);
}

/* `taken`: cells that must have gone the short way, at least. */
static void check_column(const char *name, const column_of_cells *column, size_t taken) {
    hr_arena *arena = hr_arena_new();
    hr_inference one_by_one, together;
    size_t fractions = 0;
    assert_non_null(arena);
    hr_inference_init(&one_by_one, name);
    hr_inference_init(&together, name);
    for (size_t i = 0; i < CELLS; i++)
        assert_true(hr_inference_add(&one_by_one, arena, column->cells[i].text, column->cells[i].size));
    for (size_t i = 0; i < CELLS; i += 1000)
        assert_true(hr_inference_add_cells(&together, arena, column->cells + i, 1000));
    assert_same(&one_by_one, &together);
    for (size_t i = 0; i < CELLS; i++)
        fractions += hr_inference_add_fractions(&together, column->cells + i, 1);
    if (fractions < taken) fail_msg("only %zu cells go the short way", fractions);
    hr_inference_done(&one_by_one);
    hr_inference_done(&together);
    hr_arena_free(arena);
}

static void test_cells_together__are_cells_one_by_one(void **state) {
    (void)state;
    static const struct {
        const char *name;
        char form;
        int digits;
        size_t first;
        unsigned one_in;
        size_t taken;
    } columns[] = {
        {"x", 'f', 5, 0, 0, 2900},   {"x", 'g', 6, 0, 0, 500},  {"latitude", 'f', 4, 0, 0, 2900},
        {"x", 'f', 3, 0, 0, 0},      {"x", 'f', 0, 0, 0, 0},    {"zip", 'f', 2, 0, 0, 1},
        {"x", 'f', 1, 0, 0, 2000},   {"x", 'f', 12, 0, 0, 100}, {"x", 'e', 2, 0, 0, 0},
        {"x", 'f', 5, 2900, 4, 0},   {"x", 'f', 5, 0, 100, 0},  {"age", 'f', 2, 1500, 700, 0},
        {"code_x", 'f', 4, 0, 0, 1}, {"x", '0', 1, 0, 0, 0},    {"x", 'g', 17, 0, 0, 0},
        {"x", 't', 1, 90, 0, 0},     {"x", 't', 2, 90, 0, 0},   {"x", 't', 3, 90, 0, 0},
        {"x", 't', 5, 200, 0, 0},    {"x", 't', 9, 400, 0, 0},  {"x", 't', 24, 700, 0, 0},
        {"x", 't', 24, 2000, 0, 0},  {"age", 't', 1, 9, 0, 0},  {"day", 't', 24, 100, 50, 0},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        column_of_cells *column =
            make_column(columns[i].form, columns[i].digits, columns[i].first, columns[i].one_in);
        check_column(columns[i].name, column, columns[i].taken);
        free(column);
    }
    /* Of several symbols and words, as many as are kept and more: the order of the cells decides. */
    for (size_t different = 30; different < 1000; different += 31) {
        column_of_cells *column = make_column('t', 24, different, 0);
        check_column("x", column, 0);
        free(column);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_together__are_cells_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
