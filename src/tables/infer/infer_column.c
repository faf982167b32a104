/* The rules of docs/reference/formats.md for proposing a schema; all that they find out awaits a person's
 * review. */
#include "tables/infer/infer_column.h"

#include "base/fail.h"
#include "base/text/number_fast.h"
#include "tables/data/records.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* When a proposal leaves a column out, and when it trusts a name. */
enum {
    JUDGED_CELLS = 10, /* with fewer cells, the number of different ones means nothing */
    PROSE_BLANKS = 3,  /* in a cell, on average */
    PROSE_BYTES = 50
};
static const double NEAR_UNIQUE = .5, ALL_DIFFER = .9, MOST = .8;
static const double LONG_LIST = .2; /* different values of the cells, where a list has many */

/* Of statistics packages, spreadsheets and databases, too: "." of SAS, "#N/A" of Excel, the day 0 of MySQL.
 */
static const char *const spellings[HR_INFERENCE_SPELLINGS] = {
    "?",    "NA",   "N/A",  "n/a", "na", "NaN",  "nan",  "null",
    "NULL", "none", "None", ".",   "-",  "#N/A", "<NA>", "0000-00-00"};

const char *hr_inference_spelling(size_t i) {
    return spellings[i];
}

/* Which common spelling of missing the text is; HR_INFERENCE_SPELLINGS: none. */
static size_t find_spelling(const char *text, size_t size) {
    static const char first_letters[] = "?Nn.-#<0";
    size_t i = 0;
    if (!size || !strchr(first_letters, *text)) return HR_INFERENCE_SPELLINGS;
    while (i < HR_INFERENCE_SPELLINGS &&
           (*spellings[i] != *text || strlen(spellings[i]) != size || memcmp(spellings[i], text, size) != 0))
        i++;
    return i;
}

/* ---- Different cells ---- */

double hr_distinct_count(const hr_distinct *distinct) {
    const double cells = HR_DISTINCT_CELLS;
    double sum = 0, empty = 0;
    for (size_t i = 0; i < HR_DISTINCT_CELLS; i++) {
        sum += ldexp(1, -distinct->highest[i]);
        empty += !distinct->highest[i];
    }
    const double estimate = 0.7213 / (1 + 1.079 / cells) * cells * cells / sum;
    return estimate <= 2.5 * cells && empty > 0 ? cells * log(cells / empty) : estimate;
}

/* ---- Gathering ---- */

void hr_inference_init(hr_inference *g, const char *name) {
    *g = (hr_inference){.name = name,
                        .meaning = hr_name_means(name),
                        .common = hr_name_bounds(name),
                        .code_name = hr_name_says_code(name),
                        .text.date_name = hr_name_says_date(name)};
}

static void count_texts(hr_inference *g, size_t size, const hr_cell_facts *facts, uint64_t cells) {
    g->texts += cells;
    g->bytes += size * cells;
    g->blanks += facts->blanks * cells;
}

static bool add_seen_text(hr_inference *g, hr_arena *arena, const char *cell, size_t size,
                          hr_cell_facts *facts) {
    const size_t spelling = find_spelling(cell, size);
    facts->spelling = spelling < HR_INFERENCE_SPELLINGS;
    if (facts->spelling) {
        g->spelled[spelling] = true;
        return true;
    }
    for (size_t i = 0; i < size; i++) facts->blanks += cell[i] == ' ';
    count_texts(g, size, facts, 1);
    hr_code_cells_add(&g->codes, cell, size);
    return hr_text_inference_add(&g->text, arena, cell, size, facts);
}

static void count_numbers(hr_inference *g, double value, uint64_t cells) {
    if (g->common && value >= g->common->low && value <= g->common->high) g->within += cells;
    g->numbers += cells;
}

/* Numbers are listed only if they may be codes. */
static size_t values_listed(const hr_inference *g) {
    return g->texts || g->plain.leading_zeros || g->code_name ? HR_INFERENCE_LISTED : HR_INFERENCE_VALUES;
}

/* A value that is not among those that are listed. */
static bool add_value(hr_inference *g, hr_arena *arena, const char *cell, size_t size,
                      const hr_cell_facts *facts) {
    if (!g->more && g->value_count >= values_listed(g)) {
        /* From now on different cells are estimated. */
        g->more = calloc(1, sizeof *g->more);
        for (size_t i = 0; g->more && i < g->value_count; i++)
            hr_distinct_add(g->more, g->values[i], strlen(g->values[i]));
        hr_string_map_done(&g->distinct);
        if (!g->more) return false;
    }
    if (g->more) {
        hr_distinct_add(g->more, cell, size);
        return true;
    }
    if (g->value_count == g->value_capacity) {
        const size_t capacity = g->value_capacity ? 4 * g->value_capacity : 4;
        const char **larger = realloc(g->values, capacity * sizeof *larger);
        if (larger) g->values = larger;
        hr_cell_facts *more = larger ? realloc(g->facts, capacity * sizeof *more) : NULL;
        if (!more) return false;
        g->facts = more;
        g->value_capacity = capacity;
    }
    const char *copy = hr_arena_text(arena, cell, size);
    if (!copy || !hr_string_map_add(&g->distinct, copy, size, (uint32_t)g->value_count)) return false;
    g->facts[g->value_count] = *facts;
    g->values[g->value_count++] = copy;
    return true;
}

/* Cells whose text is one of the values. */
static bool count_again(hr_inference *g, hr_arena *arena, const hr_cell_text *cell, hr_cell_facts *facts,
                        uint64_t cells) {
    if (facts->spelling) return true;
    hr_code_cells_repeat(&g->codes, facts->digits, cells);
    if (!facts->number) count_texts(g, cell->size, facts, cells);
    if (facts->number) count_numbers(g, facts->value, cells);
    return hr_text_inference_repeat(&g->text, arena, cell, facts, cells) &&
           (!facts->number || hr_number_evidence_repeat(&g->plain, arena, cell, facts->value, cells));
}

typedef bool number_reader(const char *cell, size_t size, double *value);

static bool any_number(const char *cell, size_t size, double *value) {
    return hr_number_parse(cell, size, value) == HR_NUMBER_OK;
}

static inline bool near_number(const char *cell, size_t size, double *value) {
    return hr_number_fast(cell, value) == cell + size || any_number(cell, size, value);
}

static bool add_number(hr_inference *g, hr_arena *arena, const char *cell, size_t size,
                       hr_cell_facts *facts) {
    const double value = facts->value;
    if (!g->numbers || value < g->low) g->low = value;
    if (!g->numbers || value > g->high) g->high = value;
    g->fractions |= hr_is_fraction(value);
    count_numbers(g, value, 1);
    hr_code_cells_add(&g->codes, cell, size);
    return hr_text_inference_add(&g->text, arena, cell, size, facts) &&
           hr_number_evidence_add(&g->plain, arena, cell, size, value);
}

static inline bool add_new_cell(hr_inference *g, hr_arena *arena, const char *cell, size_t size,
                                number_reader *read) {
    hr_cell_facts facts = {0};
    facts.number = read(cell, size, &facts.value);
    return (facts.number ? add_number : add_seen_text)(g, arena, cell, size, &facts) &&
           add_value(g, arena, cell, size, &facts);
}

bool hr_inference_add(hr_inference *g, hr_arena *arena, const char *cell, size_t size) {
    const hr_cell_text text = {cell, size};
    g->cells++;
    g->empty += !size;
    if (!size) return true;
    const uint32_t known = hr_string_map_find(&g->distinct, cell, size);
    return known == HR_STRING_MAP_NONE ? add_new_cell(g, arena, cell, size, any_number)
                                       : count_again(g, arena, &text, &g->facts[known], 1);
}

/* Cells of values that stood there before, which wait to be counted: `cells` by value, those that are not 0
 * in `values`. */
typedef struct waiting_cells {
    uint32_t cells[HR_INFERENCE_LISTED];
    uint32_t values[HR_INFERENCE_LISTED];
    size_t count;
} waiting_cells;

static bool count_waiting(hr_inference *g, hr_arena *arena, waiting_cells *waiting) {
    bool counted = true;
    for (size_t i = 0; i < waiting->count; i++) {
        const uint32_t v = waiting->values[i];
        const hr_cell_text text = {g->values[v], strlen(g->values[v])};
        counted = counted && count_again(g, arena, &text, &g->facts[v], waiting->cells[v]);
        waiting->cells[v] = 0;
    }
    waiting->count = 0;
    return counted;
}

static bool add_seen_cell(hr_inference *g, hr_arena *arena, const hr_cell_text *cell,
                          waiting_cells *waiting) {
    g->cells++;
    g->empty += !cell->size;
    if (!cell->size) return true;
    const uint32_t known = hr_string_map_find(&g->distinct, cell->text, cell->size);
    if (known != HR_STRING_MAP_NONE && hr_text_inference_may_wait(&g->text, &g->facts[known])) {
        if (!waiting->cells[known]++) waiting->values[waiting->count++] = known;
        return true;
    }
    if (!count_waiting(g, arena, waiting)) return false;
    return known == HR_STRING_MAP_NONE ? add_new_cell(g, arena, cell->text, cell->size, near_number)
                                       : count_again(g, arena, cell, &g->facts[known], 1);
}

bool hr_inference_add_cells(hr_inference *g, hr_arena *arena, const hr_cell_text *cells, size_t count) {
    waiting_cells waiting;
    memset(waiting.cells, 0, sizeof waiting.cells);
    waiting.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!waiting.count) i += hr_inference_add_fractions(g, cells + i, count - i);
        if (i < count && !add_seen_cell(g, arena, &cells[i], &waiting)) return false;
    }
    return count_waiting(g, arena, &waiting);
}

void hr_inference_drop_texts(hr_inference *g) {
    hr_string_map_done(&g->distinct);
    hr_text_inference_done(&g->text);
    hr_number_evidence_done(&g->plain);
    free(g->values);
    free(g->facts);
    g->values = NULL;
    g->facts = NULL;
}

void hr_inference_done(hr_inference *g) {
    hr_inference_drop_texts(g);
    hr_buffer_done(&g->remarks);
    free(g->more);
}

/* ---- Judging ---- */

/* Whether the numbers are what the name suggests: four fifths lie within its bounds, or most of a few. The
 * others may be faults, which clipping mends. */
static bool agrees(const hr_inference *g) {
    if (!g->common || !g->numbers) return false;
    if (g->common->coordinate) return g->within == g->numbers && g->fractions;
    uint64_t numbers = g->numbers;
    if (g->plain.has_missing_codes) numbers -= hr_words_cells(&g->plain.codes);
    return numbers < JUDGED_CELLS ? 2 * g->within > numbers : (double)g->within >= MOST * (double)numbers;
}

double hr_inference_distinct(const hr_inference *g) {
    return g->more ? hr_distinct_count(g->more) : (double)g->value_count;
}

void hr_inference_judge(hr_inference *g, bool is_label) {
    hr_text_inference_judge(&g->text, (size_t)hr_inference_distinct(g), is_label);
    hr_number_evidence_judge(&g->plain);
}

/* Numbers that are no quantities: they are written as codes are, or have the name of codes and could be.
 * Not where the bounds that the name suggests fit, as for months from 01 to 12. */
bool hr_inference_has_codes(const hr_inference *g) {
    if (!g->numbers || agrees(g)) return false;
    return g->text.codes || hr_number_evidence_is_code(&g->plain) || (g->code_name && !g->plain.negative);
}

static bool has_plain_numbers(const hr_inference *g) {
    return g->text.kind == HR_INFERRED_WORDS ? !g->texts : hr_text_inference_is_plain(&g->text);
}

bool hr_inference_is_number(const hr_inference *g) {
    return has_plain_numbers(g) && !hr_inference_has_codes(g);
}

bool hr_inference_has_words(const hr_inference *g) {
    const bool listed = g->text.kind == HR_INFERRED_NUMBER || g->text.kind == HR_INFERRED_DATE;
    return listed && g->text.odd.count && !hr_inference_has_codes(g);
}

bool hr_inference_has_missing(const hr_inference *g) {
    return !g->texts || g->text.kind != HR_INFERRED_WORDS;
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static double number_of_cell(const char *text) {
    double value = 0;
    (void)hr_number_parse(text, strlen(text), &value);
    return value;
}

static int compare_class_numbers(const void *a, const void *b) {
    double x = number_of_cell(*(const char *const *)a), y = number_of_cell(*(const char *const *)b);
    return x < y ? -1 : x > y ? 1 : compare_texts(a, b);
}

/* Leaves out what the schema lists as missing. Returns whether there were words that are no common spellings
 * of it. */
static bool drop_missing(hr_inference *g, const hr_string_map *missing) {
    size_t kept = 0;
    bool others = false;
    for (size_t i = 0; i < g->value_count; i++) {
        const size_t size = strlen(g->values[i]);
        if (hr_string_map_find(missing, g->values[i], size) == HR_STRING_MAP_NONE)
            g->values[kept++] = g->values[i];
        else
            others |= find_spelling(g->values[i], size) == HR_INFERENCE_SPELLINGS;
    }
    g->value_count = kept;
    return others;
}

static bool same_number(const char *a, const char *b) {
    double x, y;
    return hr_number_parse(a, strlen(a), &x) == HR_NUMBER_OK &&
           hr_number_parse(b, strlen(b), &y) == HR_NUMBER_OK && x == y;
}

/* Keeps one spelling of each number, since classes match as numbers too. */
static void merge_spellings(hr_inference *g) {
    size_t kept = 0;
    for (size_t i = 0; i < g->value_count; i++) {
        size_t before = 0;
        while (before < kept && !same_number(g->values[before], g->values[i])) before++;
        if (before == kept) g->values[kept++] = g->values[i];
    }
    g->value_count = kept;
}

static void add_remark(hr_inference *g, const char *text) {
    hr_remark_begin(&g->remarks);
    hr_buffer_text(&g->remarks, text);
}

/* Bounds of the records are those of single records. */
static void round_bounds(hr_inference *g, hr_column *column) {
    hr_bounds_outwards(&column->low, &column->high);
    add_remark(g, HR_ROUNDED_OUTWARDS);
}

static void as_number(hr_inference *g, hr_inferred *out) {
    static const double limit = DBL_MAX / 4; /* the bounds' difference must be finite */
    hr_column *column = &out->column;
    const bool coded = g->plain.has_missing_codes, guessed = agrees(g);
    const double low = coded ? g->plain.low : g->low, high = coded ? g->plain.high : g->high;
    *column = (hr_column){.name = g->name, .kind = HR_KIND_NUMBER, .review = true};
    column->integer = g->numbers && !(coded ? g->plain.other_fractions : g->fractions);
    column->low = guessed ? g->common->low : fmax(low, -limit);
    column->high = guessed ? g->common->high : fmin(high, limit);
    if (guessed) add_remark(g, "the bounds are a guess from the column's name");
    if (column->low < column->high) {
        if (!guessed) round_bounds(g, column);
        return;
    }
    add_remark(g, g->numbers ? "one value only; if no other value is possible, remove the column"
                             : "no values; remove the column?");
    double value = column->high < -limit ? -limit : column->low > limit ? limit : column->low;
    column->low = fmin(value, 0);
    column->high = value == 0 ? 1 : fmax(value, 0);
}

static hr_column as_category(const hr_inference *g) {
    return (hr_column){.name = g->name,
                       .kind = HR_KIND_CATEGORY,
                       .review = true,
                       .value_count = g->value_count,
                       .values = g->values};
}

bool hr_inference_differ_mostly(const hr_inference *g, double share) {
    const double filled = (double)(g->numbers + g->texts);
    return filled >= JUDGED_CELLS && hr_inference_distinct(g) > share * filled;
}

static bool has_many(const hr_inference *g) {
    return g->more || g->value_count > HR_INFERENCE_VALUES;
}

const char *hr_inference_left_out(const hr_inference *g) {
    const bool long_cells = g->blanks >= PROSE_BLANKS * g->texts || g->bytes >= PROSE_BYTES * g->texts;
    if (g->identity) return g->identity;
    if (g->cells < JUDGED_CELLS) return NULL;
    if (!g->numbers && !g->texts) return "no cell has a value";
    if (g->value_count == 1 && g->numbers + g->texts == g->cells) return "all cells are the same";
    if (hr_inference_has_codes(g))
        return g->more || (has_many(g) && hr_inference_differ_mostly(g, LONG_LIST))
                   ? "codes of too many different values to list; group them in the table"
                   : NULL;
    if (g->text.kind != HR_INFERRED_WORDS) return NULL;
    if (g->text.times && g->text.times == g->text.cells && has_many(g))
        return "times of day without a date; write them as a number, such as minutes after midnight";
    if (g->texts && has_many(g) && g->numbers > g->texts)
        return "most cells are numbers; to use it, list the words among them under 'missing'";
    if (g->texts && hr_inference_differ_mostly(g, NEAR_UNIQUE))
        return "more than half of its cells differ, as those of identifiers and free text do";
    if (g->texts && g->value_count > HR_INFERENCE_CLASSES && long_cells) return "free text";
    if (g->texts && (g->more || (has_many(g) && hr_inference_differ_mostly(g, LONG_LIST))))
        return "too many different values to list; group them in the table to use it";
    if (!g->texts && !g->fractions && has_many(g) && hr_inference_differ_mostly(g, ALL_DIFFER))
        return "integers that nearly all differ, as identifiers and running numbers do";
    return NULL;
}

const char *hr_inference_brought_back(const hr_inference *g) {
    if (hr_inference_is_number(g) || (g->numbers > g->texts && !hr_inference_has_codes(g)))
        return "delete the entry, or, to use the column, write 'kind: number' with 'low' and 'high' in place "
               "of 'kind: unused', and the source in place of this line";
    return "delete the entry, or, to use the column, write 'kind: category' with 'values' in place of 'kind: "
           "unused', and the source in place of this line";
}

void hr_inference_remark_words(hr_inference *g) {
    hr_words *odd = &g->text.odd;
    const bool listed = hr_inference_has_words(g);
    bool censored = false;
    for (size_t i = 0; i < odd->count && listed; i++) censored |= hr_word_is_censored(odd->words[i].text);
    if (listed) {
        add_remark(g, "other words, listed under 'missing': ");
        hr_words_show(odd, &g->remarks);
    }
    if (censored)
        add_remark(
            g, "to read numbers such as <0.5 as their bound, write symbol: \"<\" (or \">\") and take them "
               "off 'missing'");
    if (g->plain.has_missing_codes && hr_inference_is_number(g)) {
        add_remark(g, "numbers that stand apart, as codes for missing do, listed under 'missing': ");
        hr_words_show(&g->plain.codes, &g->remarks);
    }
}

static void remark_number(hr_inference *g) {
    if (g->plain.rounded)
        add_remark(g,
                   "integers above 2^53 (9007199254740992) are rounded, so that different ones become equal; "
                   "leave the column out if they are numbers of something");
    if (g->text.date_name && !g->fractions && hr_inference_is_number(g))
        add_remark(g,
                   "its name says date, and its cells are plain numbers; if they are dates, write kind: date "
                   "with 'format'");
}

void hr_inference_feature(hr_inference *g, const hr_string_map *missing, hr_inferred *out) {
    *out = (hr_inferred){0};
    if (hr_inference_is_number(g)) {
        as_number(g, out);
        remark_number(g);
        hr_inference_remark_words(g);
        return;
    }
    if (g->text.kind == HR_INFERRED_NUMBER && !hr_inference_has_codes(g)) {
        out->column = hr_text_inference_number(&g->text, g->name);
        round_bounds(g, &out->column);
        hr_inference_remark_words(g);
        return;
    }
    if (drop_missing(g, missing) && !hr_inference_has_missing(g))
        add_remark(g, "a value of this column is listed under 'missing', which holds for all columns");
    qsort(g->values, g->value_count, sizeof *g->values, compare_texts);
    out->column = as_category(g);
    if (hr_inference_has_codes(g))
        add_remark(g, "numbers that are codes, not quantities: their order means nothing");
    if (g->text.times && g->text.times == g->text.cells)
        add_remark(g, "times of day; a number such as minutes after midnight keeps their order");
    if (has_many(g))
        add_remark(g, "more than 254 values: training asks for the source of the list, or for groups");
}

static hr_status refuse_label(const hr_inference *g, const char *message, hr_error *err) {
    hr_fail(err, HR_E_SCHEMA, "choose another column as the label", "%s", message);
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, g->name);
}

hr_status hr_inference_label(hr_inference *g, const hr_string_map *missing, hr_inferred *out, hr_error *err) {
    bool number = has_plain_numbers(g);
    size_t met = g->value_count;
    *out = (hr_inferred){0};
    (void)drop_missing(g, missing);
    bool gaps = g->empty || g->value_count < met;
    if (g->value_count)
        qsort(g->values, g->value_count, sizeof *g->values, number ? compare_class_numbers : compare_texts);
    merge_spellings(g);
    if (g->value_count < 2)
        return refuse_label(g, "the label has fewer than two different values: nothing can be predicted",
                            err);
    const bool formatted = g->value_count > 2 && g->text.kind == HR_INFERRED_NUMBER && !number;
    if (has_many(g) && !number && !formatted)
        return refuse_label(g, "the label has more than 254 different values that are not all numbers", err);
    bool few = !g->more &&
               (g->value_count == 2 || (!g->fractions && g->value_count <= HR_INFERENCE_INTEGER_CLASSES));
    if (formatted) {
        out->column = hr_text_inference_number(&g->text, g->name);
        round_bounds(g, &out->column);
        hr_inference_remark_words(g);
    } else if (number && !few) {
        as_number(g, out);
        remark_number(g);
        hr_inference_remark_words(g);
    } else {
        out->column = as_category(g);
        if (g->value_count > HR_INFERENCE_CLASSES) add_remark(g, "many classes; check that all are intended");
    }
    if (gaps)
        add_remark(g, "some records have no label; training refuses them, or leaves them out with "
                      "--skip-unlabelled");
    return HR_OK;
}
