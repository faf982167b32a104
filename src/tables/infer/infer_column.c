/* The rules of docs/reference/formats.md for proposing a schema; all that they find out awaits a person's
 * review. */
#include "tables/infer/infer_column.h"

#include "base/fail.h"
#include "base/text/number.h"

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
static const double NEAR_UNIQUE = .5, ALL_DIFFER = .9;

static const char *const spellings[HR_INFERENCE_SPELLINGS] = {"?",   "NA",   "N/A",  "n/a",  "na",  "NaN",
                                                              "nan", "null", "NULL", "none", "None"};

const char *hr_inference_spelling(size_t i) {
    return spellings[i];
}

/* ---- Different cells ---- */

enum { CELL_BITS = 11 };

/* FNV-1a, and a last mixing of its bits: the first ones choose the cell. */
static uint64_t hash_text(const char *text, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 33;
}

void hr_distinct_add(hr_distinct *distinct, const char *text, size_t size) {
    const uint64_t hash = hash_text(text, size);
    uint64_t rest = hash << CELL_BITS | (uint64_t)1 << (CELL_BITS - 1); /* never 0 */
    uint8_t place = 1;
    for (; !(rest >> 63); rest <<= 1) place++;
    uint8_t *highest = &distinct->highest[hash >> (64 - CELL_BITS)];
    if (*highest < place) *highest = place;
}

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
    *g = (hr_inference){.name = name, .meaning = hr_name_means(name), .common = hr_name_bounds(name)};
}

static void add_seen_text(hr_inference *g, const char *cell, size_t size) {
    for (size_t i = 0; i < HR_INFERENCE_SPELLINGS; i++) {
        if (strlen(spellings[i]) != size || memcmp(spellings[i], cell, size) != 0) continue;
        g->spelled[i] = true;
        return;
    }
    g->texts++;
    g->bytes += size;
    for (size_t i = 0; i < size; i++) g->blanks += cell[i] == ' ';
    hr_text_inference_add(&g->text, cell, size, NULL);
}

static bool add_value(hr_inference *g, hr_arena *arena, const char *cell, size_t size) {
    if (!g->more && hr_string_map_find(&g->distinct, cell, size) != HR_STRING_MAP_NONE) return true;
    if (!g->more && g->value_count == HR_INFERENCE_VALUES) {
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
        if (!larger) return false;
        g->values = larger;
        g->value_capacity = capacity;
    }
    const char *copy = hr_arena_text(arena, cell, size);
    if (!copy || !hr_string_map_add(&g->distinct, copy, size, 0)) return false;
    g->values[g->value_count++] = copy;
    return true;
}

bool hr_inference_add(hr_inference *g, hr_arena *arena, const char *cell, size_t size) {
    double value;
    g->cells++;
    if (!size) {
        g->empty++;
        return true;
    }
    if (hr_number_parse(cell, size, &value) == HR_NUMBER_OK) {
        g->within += g->common && value >= g->common->low && value <= g->common->high;
        g->low = g->numbers ? fmin(g->low, value) : value;
        g->high = g->numbers ? fmax(g->high, value) : value;
        g->fractions |= value != floor(value);
        g->numbers++;
        hr_text_inference_add(&g->text, cell, size, &value);
    } else {
        add_seen_text(g, cell, size);
    }
    return add_value(g, arena, cell, size);
}

void hr_inference_done(hr_inference *g) {
    hr_string_map_done(&g->distinct);
    free(g->values);
    free(g->more);
}

/* ---- Judging ---- */

bool hr_inference_is_number(const hr_inference *g) {
    return !g->texts;
}

bool hr_inference_has_missing(const hr_inference *g) {
    return !g->texts || hr_text_inference_kind(&g->text) != HR_INFERRED_WORDS;
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

/* Leaves out what the schema lists as missing. */
static void drop_missing(hr_inference *g, const hr_string_map *missing) {
    size_t kept = 0;
    for (size_t i = 0; i < g->value_count; i++) {
        if (hr_string_map_find(missing, g->values[i], strlen(g->values[i])) == HR_STRING_MAP_NONE)
            g->values[kept++] = g->values[i];
    }
    g->value_count = kept;
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

static void as_number(const hr_inference *g, hr_inferred *out) {
    static const double limit = DBL_MAX / 4; /* the bounds' difference must be finite */
    hr_column *column = &out->column;
    *column = (hr_column){.name = g->name, .kind = HR_KIND_NUMBER, .review = true};
    column->integer = g->numbers && !g->fractions;
    /* Most numbers lie within what the name suggests; the others may be faults, which clipping mends. */
    out->guessed = g->common && g->numbers && 2 * g->within > g->numbers;
    column->low = out->guessed ? g->common->low : fmax(g->low, -limit);
    column->high = out->guessed ? g->common->high : fmin(g->high, limit);
    if (column->low < column->high) return;
    out->remark = g->numbers ? "one value only; if no other value is possible, remove the column"
                             : "no values; remove the column?";
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

/* Of few cells nothing follows from how many differ. */
static bool differ_mostly(const hr_inference *g, double share) {
    const double filled = (double)(g->numbers + g->texts),
                 distinct = g->more ? hr_distinct_count(g->more) : (double)g->value_count;
    return filled >= JUDGED_CELLS && distinct > share * filled;
}

static bool is_identifier(const hr_inference *g) {
    const bool many = g->more || differ_mostly(g, NEAR_UNIQUE);
    switch (g->meaning) {
    case HR_NAME_PERSON: return g->value_count > 2;
    case HR_NAME_CONTACT: return g->texts && g->value_count > 2;
    case HR_NAME_RECORD: return many;
    case HR_NAME_GROUP: return many || (g->numbers && g->value_count > HR_INFERENCE_CLASSES);
    case HR_NAME_PLAIN: break;
    }
    return false;
}

/* Numbers of records that all differ are those of the records themselves. */
bool hr_inference_names_persons(const hr_inference *g) {
    const bool of_records = g->meaning == HR_NAME_RECORD && differ_mostly(g, ALL_DIFFER);
    return is_identifier(g) && g->meaning != HR_NAME_CONTACT && !of_records;
}

const char *hr_inference_left_out(const hr_inference *g) {
    const bool long_cells = g->blanks >= PROSE_BLANKS * g->texts || g->bytes >= PROSE_BYTES * g->texts;
    if (is_identifier(g)) return "its name says that it identifies persons or records";
    if (g->cells < JUDGED_CELLS) return NULL;
    if (!g->numbers && !g->texts) return "no cell has a value";
    if (g->value_count == 1 && g->numbers + g->texts == g->cells) return "all cells are the same";
    if (hr_text_inference_kind(&g->text) != HR_INFERRED_WORDS) return NULL;
    if (g->texts && g->more && g->numbers > g->texts)
        return "most cells are numbers; to use it, list the words among them under 'missing'";
    if (g->texts && differ_mostly(g, NEAR_UNIQUE))
        return "more than half of its cells differ, as those of identifiers and free text do";
    if (g->texts && g->value_count > HR_INFERENCE_CLASSES && long_cells) return "free text";
    if (g->texts && g->more) return "more than 254 different values; group them in the table to use it";
    if (!g->texts && !g->fractions && g->more && differ_mostly(g, ALL_DIFFER))
        return "integers that nearly all differ, as identifiers and running numbers do";
    return NULL;
}

void hr_inference_feature(hr_inference *g, const hr_string_map *missing, hr_inferred *out) {
    *out = (hr_inferred){0};
    if (hr_inference_is_number(g)) {
        as_number(g, out);
        return;
    }
    if (hr_text_inference_kind(&g->text) == HR_INFERRED_NUMBER) {
        out->column = hr_text_inference_number(&g->text, g->name, &out->remark);
        return;
    }
    drop_missing(g, missing);
    qsort(g->values, g->value_count, sizeof *g->values, compare_texts);
    out->column = as_category(g);
}

static hr_status refuse_label(const hr_inference *g, const char *message, hr_error *err) {
    hr_fail(err, HR_E_SCHEMA, "choose another column as the label", "%s", message);
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, g->name);
}

hr_status hr_inference_label(hr_inference *g, const hr_string_map *missing, hr_inferred *out, hr_error *err) {
    bool number = hr_inference_is_number(g);
    size_t met = g->value_count;
    *out = (hr_inferred){0};
    drop_missing(g, missing);
    bool gaps = g->empty || g->value_count < met;
    if (g->value_count)
        qsort(g->values, g->value_count, sizeof *g->values, number ? compare_class_numbers : compare_texts);
    merge_spellings(g);
    if (g->value_count < 2)
        return refuse_label(g, "the label has fewer than two different values: nothing can be predicted",
                            err);
    const bool formatted = g->value_count > 2 && hr_text_inference_kind(&g->text) == HR_INFERRED_NUMBER;
    if (g->more && !number && !formatted)
        return refuse_label(g, "the label has more than 254 different values that are not all numbers", err);
    bool few = !g->more &&
               (g->value_count == 2 || (!g->fractions && g->value_count <= HR_INFERENCE_INTEGER_CLASSES));
    if (formatted) {
        out->column = hr_text_inference_number(&g->text, g->name, &out->remark);
    } else if (number && !few) {
        as_number(g, out);
    } else {
        out->column = as_category(g);
        if (g->value_count > HR_INFERENCE_CLASSES) out->remark = "many classes; check that all are intended";
    }
    if (gaps)
        out->remark =
            "some records have no label; training refuses them, or leaves them out with --skip-unlabelled";
    return HR_OK;
}
