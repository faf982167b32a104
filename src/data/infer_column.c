/* The rules of docs/formats.md for proposing a schema; all that they find out awaits a person's review. */
#include "data/infer_column.h"

#include "base/fail.h"
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const spellings[HR_INFERENCE_SPELLINGS] = {"?",   "NA",   "N/A",  "n/a",  "na",  "NaN",
                                                              "nan", "null", "NULL", "none", "None"};

const char *hr_inference_spelling(size_t i) {
    return spellings[i];
}

/* ---- Gathering ---- */

static void add_seen_number(hr_inference *g, double value) {
    g->low = g->numbers ? fmin(g->low, value) : value;
    g->high = g->numbers ? fmax(g->high, value) : value;
    g->fractions |= value != floor(value);
    g->numbers++;
}

static void add_seen_text(hr_inference *g, const char *cell, size_t size) {
    for (size_t i = 0; i < HR_INFERENCE_SPELLINGS; i++) {
        if (strlen(spellings[i]) != size || memcmp(spellings[i], cell, size) != 0) continue;
        g->spelled[i] = true;
        return;
    }
    g->words = true;
    hr_text_inference_add(&g->text, cell, size, NULL);
}

static bool add_value(hr_inference *g, hr_arena *arena, const char *cell, size_t size) {
    if (g->more || hr_string_map_find(&g->distinct, cell, size) != HR_STRING_MAP_NONE) return true;
    g->more = g->value_count == HR_INFERENCE_VALUES;
    if (g->more) {
        hr_string_map_done(&g->distinct);
        return true;
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
        add_seen_number(g, value);
        hr_text_inference_add(&g->text, cell, size, &value);
    } else {
        add_seen_text(g, cell, size);
    }
    return add_value(g, arena, cell, size);
}

void hr_inference_done(hr_inference *g) {
    hr_string_map_done(&g->distinct);
}

/* ---- Judging ---- */

bool hr_inference_is_number(const hr_inference *g) {
    return !g->words;
}

bool hr_inference_has_missing(const hr_inference *g) {
    return !g->words || hr_text_inference_kind(&g->text) != HR_INFERRED_WORDS;
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

static hr_column as_number(const hr_inference *g, const char **remark) {
    static const double limit = DBL_MAX / 4; /* the bounds' difference must be finite */
    hr_column column = {.name = g->name, .kind = HR_KIND_NUMBER, .review = true};
    column.integer = g->numbers && !g->fractions;
    column.low = fmax(g->low, -limit);
    column.high = fmin(g->high, limit);
    if (column.low < column.high) return column;
    *remark = g->numbers ? "one value only; if no other value is possible, remove the column"
                         : "no values; remove the column?";
    double value = column.high < -limit ? -limit : column.low > limit ? limit : column.low;
    column.low = fmin(value, 0);
    column.high = value == 0 ? 1 : fmax(value, 0);
    return column;
}

static hr_column as_category(const hr_inference *g) {
    return (hr_column){.name = g->name,
                       .kind = HR_KIND_CATEGORY,
                       .review = true,
                       .value_count = g->value_count,
                       .values = g->values};
}

void hr_inference_feature(hr_inference *g, const hr_string_map *missing, hr_column *out,
                          const char **remark) {
    *remark = NULL;
    if (hr_inference_is_number(g)) {
        *out = as_number(g, remark);
        return;
    }
    if (hr_text_inference_kind(&g->text) == HR_INFERRED_NUMBER) {
        *out = hr_text_inference_number(&g->text, g->name, remark);
        return;
    }
    if (g->more)
        *remark = "more than 254 different values, of which the first 254 are listed: group them, or leave "
                  "the column out";
    drop_missing(g, missing);
    qsort(g->values, g->value_count, sizeof *g->values, compare_texts);
    *out = as_category(g);
}

static hr_status refuse_label(const hr_inference *g, const char *message, hr_error *err) {
    hr_fail(err, HR_E_SCHEMA, "choose another column as the label", "%s", message);
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, g->name);
}

hr_status hr_inference_label(hr_inference *g, const hr_string_map *missing, hr_column *out,
                             const char **remark, hr_error *err) {
    static const char unlabelled[] = "some records have no label; training will refuse them";
    bool number = hr_inference_is_number(g), formatted = hr_text_inference_kind(&g->text) == HR_INFERRED_NUMBER;
    size_t met = g->value_count;
    *remark = NULL;
    drop_missing(g, missing);
    bool gaps = g->empty || g->value_count < met;
    qsort(g->values, g->value_count, sizeof *g->values, number ? compare_class_numbers : compare_texts);
    merge_spellings(g);
    if (g->value_count < 2)
        return refuse_label(g, "the label has fewer than two different values: nothing can be predicted",
                            err);
    if (formatted && g->value_count > 2) {
        *out = hr_text_inference_number(&g->text, g->name, remark);
        if (gaps) *remark = unlabelled;
        return HR_OK;
    }
    if (g->more && !number)
        return refuse_label(g, "the label has more than 254 different values that are not all numbers", err);
    bool few = !g->more &&
               (g->value_count == 2 || (!g->fractions && g->value_count <= HR_INFERENCE_INTEGER_CLASSES));
    if (number && !few) {
        *out = as_number(g, remark);
    } else {
        *out = as_category(g);
        if (g->value_count > HR_INFERENCE_CLASSES) *remark = "many classes; check that all are intended";
    }
    if (gaps) *remark = unlabelled;
    return HR_OK;
}
