/* A review works on a copy of the schema's parts, which a decision changes, and makes a schema of them in the
 * end: so that what a schema must satisfy is checked in one place. */
#include "base/fail.h"
#include "tables/infer/infer_column.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema.h"

#include <hedgerow/review.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a fact is: `count` columns from `first` on of its list; a column of dates has one feature a part. */
typedef struct reviewed_fact {
    hr_fact_place place;
    size_t first, count;
    bool left_out;
} reviewed_fact;

struct hr_schema_review {
    hr_arena *arena;
    hr_schema *schema; /* which the parts borrow from, until they are replaced */
    hr_schema_parts parts;
    hr_column *features, *unused; /* those of parts, to be changed */
    reviewed_fact *facts;
    size_t count;
};

/* ---- Opening ---- */

static bool take_columns(hr_schema_review *r) {
    const hr_schema_parts *parts = &r->parts;
    r->features = hr_arena_alloc(r->arena, parts->feature_count, sizeof *r->features);
    r->unused = hr_arena_alloc(r->arena, parts->unused_count, sizeof *r->unused);
    r->facts = hr_arena_alloc(r->arena, parts->feature_count + parts->unused_count + 3, sizeof *r->facts);
    if (!r->features || !r->unused || !r->facts) return false;
    r->facts[r->count++] = (reviewed_fact){HR_FACT_LABEL, 0, 1, false};
    for (size_t i = 0; i < parts->feature_count; i++) {
        r->features[i] = parts->features[i];
        if (i && hr_date_shared(&parts->features[i - 1], &parts->features[i]))
            r->facts[r->count - 1].count++;
        else
            r->facts[r->count++] = (reviewed_fact){HR_FACT_FEATURE, i, 1, false};
    }
    for (size_t i = 0; i < parts->unused_count; i++) {
        r->unused[i] = parts->unused[i];
        r->facts[r->count++] = (reviewed_fact){HR_FACT_UNUSED, i, 1, false};
    }
    r->facts[r->count++] = (reviewed_fact){HR_FACT_MISSING, 0, 1, false};
    r->facts[r->count++] = (reviewed_fact){HR_FACT_UNIT, 0, 1, false};
    r->parts.features = r->features;
    r->parts.unused = r->unused;
    return true;
}

hr_status hr_schema_review_open(const hr_schema *schema, hr_schema_review **out, hr_error *err) {
    hr_schema_review *r = calloc(1, sizeof *r);
    if (!r) return hr_fail_memory(err);
    hr_status status = hr_schema_copy(schema, &r->schema, err);
    if (!status) {
        r->arena = hr_arena_new();
        r->parts = *hr_schema_parts_of(r->schema);
        if (!r->arena || !take_columns(r)) status = hr_fail_memory(err);
    }
    if (status)
        hr_schema_review_free(r);
    else
        *out = r;
    return status;
}

void hr_schema_review_free(hr_schema_review *review) {
    if (!review) return;
    hr_arena_free(review->arena);
    hr_schema_free(review->schema);
    free(review);
}

/* ---- What is open ---- */

/* The marks and the source of a fact; of a column of dates those of its first feature, which are the same. */
static hr_column *column_of(hr_schema_review *r, const reviewed_fact *f) {
    switch (f->place) {
    case HR_FACT_LABEL: return &r->parts.label;
    case HR_FACT_FEATURE: return &r->features[f->first];
    case HR_FACT_UNUSED: return &r->unused[f->first];
    case HR_FACT_MISSING: return &r->parts.missing_facts;
    case HR_FACT_UNIT: break;
    }
    return &r->parts.unit_facts;
}

static bool is_open(const hr_schema_review *r, const reviewed_fact *f, const hr_column *column) {
    const hr_schema_parts *parts = &r->parts;
    if (f->place == HR_FACT_UNIT && !parts->unit && !parts->single_records) return true;
    if (f->left_out || hr_review_is_done(parts->reviewed) || column->accepted) return false;
    if (column->review) return true;
    if (f->place == HR_FACT_UNIT || column->source) return false;
    if (f->place == HR_FACT_MISSING && !parts->missing_count) return false;
    return parts->reviewed == HR_REVIEW_PENDING || column->value_count > HR_VALUES_UNASKED;
}

bool hr_schema_review_at(const hr_schema_review *review, size_t i, hr_fact *out) {
    if (i >= review->count) return false;
    const reviewed_fact *f = &review->facts[i];
    const hr_column *column = column_of((hr_schema_review *)review, f);
    const bool has_column = f->place != HR_FACT_MISSING && f->place != HR_FACT_UNIT;
    *out = (hr_fact){.place = f->place,
                     .name = f->place == HR_FACT_MISSING ? "missing"
                             : f->place == HR_FACT_UNIT  ? "unit"
                             : column->date              ? column->date->name
                                                         : column->name,
                     .column = has_column ? column : NULL,
                     .open = is_open(review, f, column),
                     .from_records = column->review,
                     .source = column->source};
    if (f->left_out) out->name = NULL;
    if (has_column && column->kind == HR_KIND_NUMBER && !column->date && f->place != HR_FACT_UNUSED) {
        const hr_common_bounds *common = hr_name_bounds(column->name);
        out->from_name = common && column->low == common->low && column->high == common->high;
    }
    return true;
}

const char *const *hr_schema_review_missing(const hr_schema_review *review, size_t *count) {
    *count = review->parts.missing_count;
    return review->parts.missing;
}

const char *hr_schema_review_unit(const hr_schema_review *review) {
    return review->parts.unit;
}

/* ---- Decisions ---- */

static hr_status refuse_decision(const hr_schema_review *r, size_t i, hr_error *err) {
    hr_fact fact;
    hr_fail(err, HR_E_ARGUMENT, "give the public fact for its kind, or edit the file",
            "this decision is for facts of another kind");
    return hr_schema_review_at(r, i, &fact) && fact.name
               ? hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, fact.name)
               : HR_E_ARGUMENT;
}

/* The fact, or NULL: there is none, or it was left out. */
static reviewed_fact *find_fact(hr_schema_review *r, size_t i) {
    return i < r->count && !r->facts[i].left_out ? &r->facts[i] : NULL;
}

/* Checks what the schema would be with the changes, which are taken back if it cannot be. */
static hr_status check_change(hr_schema_review *r, const hr_schema_parts *before, hr_error *err) {
    hr_schema_fault fault;
    hr_status status = hr_schema_check(&r->parts, &fault, err);
    if (status) r->parts = *before;
    return status;
}

/* Marks of all features of the fact. */
static void set_marks(hr_schema_review *r, const reviewed_fact *f, const hr_column *marks) {
    hr_column *columns = column_of(r, f);
    for (size_t i = 0; i < f->count; i++) {
        columns[i].review = marks->review;
        columns[i].accepted = marks->accepted;
        columns[i].source = marks->source;
    }
}

/* A copy of the source, as marks. */
static hr_status take_source(hr_schema_review *r, const char *source, hr_column *marks, hr_error *err) {
    *marks = (hr_column){0};
    if (!source || source[strspn(source, " \t\r\n")] == '\0')
        return hr_fail(err, HR_E_FORMAT, "say where it is published, such as: admission form",
                       "the source is blank");
    marks->source = hr_arena_text(r->arena, source, strlen(source));
    return marks->source ? HR_OK : hr_fail_memory(err);
}

hr_status hr_schema_review_public(hr_schema_review *review, size_t i, const char *source, hr_error *err) {
    const reviewed_fact *f = find_fact(review, i);
    hr_column marks = {0};
    if (!f || (f->place == HR_FACT_UNIT && !review->parts.unit && !review->parts.single_records))
        return refuse_decision(review, i, err);
    hr_status status = f->place == HR_FACT_UNIT ? HR_OK : take_source(review, source, &marks, err);
    if (!status) set_marks(review, f, &marks);
    return status;
}

/* Of a feature or the label: changes it to `changed`, which has the marks of public facts. */
static hr_status change_column(hr_schema_review *r, const reviewed_fact *f, const hr_column *changed,
                               hr_error *err) {
    const hr_schema_parts before = r->parts;
    hr_column *column = column_of(r, f);
    const hr_column old = *column;
    *column = *changed;
    hr_status status = check_change(r, &before, err);
    if (status) *column = old;
    return status;
}

hr_status hr_schema_review_bounds(hr_schema_review *review, size_t i, const double bounds[2],
                                  const char *source, hr_error *err) {
    const reviewed_fact *f = find_fact(review, i);
    hr_column marks;
    if (!f || (f->place != HR_FACT_LABEL && f->place != HR_FACT_FEATURE))
        return refuse_decision(review, i, err);
    hr_column changed = *column_of(review, f);
    if (changed.kind != HR_KIND_NUMBER || changed.date) return refuse_decision(review, i, err);
    hr_status status = take_source(review, source, &marks, err);
    changed.low = bounds[0];
    changed.high = bounds[1];
    changed.integer &= bounds[0] == floor(bounds[0]) && bounds[1] == floor(bounds[1]);
    changed.review = changed.accepted = false;
    changed.source = marks.source;
    return status ? status : change_column(review, f, &changed, err);
}

hr_status hr_schema_review_range(hr_schema_review *review, size_t i, const char *const ends[2],
                                 const char *source, hr_error *err) {
    const reviewed_fact *f = find_fact(review, i);
    hr_column marks, parts[HR_DATE_PARTS];
    if (!f || f->place != HR_FACT_FEATURE || !review->features[f->first].date)
        return refuse_decision(review, i, err);
    hr_date_column *date = hr_arena_alloc(review->arena, 1, sizeof *date);
    if (!date) return hr_fail_memory(err);
    *date = *review->features[f->first].date;
    hr_status status = take_source(review, source, &marks, err);
    if (!status && (!hr_date_from_parse(ends[0], &date->from) || !hr_date_to_parse(ends[1], &date->to) ||
                    date->from >= date->to))
        status = hr_fail(err, HR_E_FORMAT, "write two days such as 2024-01-31, the first one first",
                         "'%.40s' and '%.40s' are no range of dates", ends[0], ends[1]);
    for (size_t k = 0; !status && k < f->count; k++) {
        if (!hr_date_part_column(date, review->features[f->first + k].part, review->arena, &parts[k]))
            status = hr_fail_memory(err);
    }
    if (status) return status;
    memcpy(&review->features[f->first], parts, f->count * sizeof *parts);
    set_marks(review, f, &marks);
    return HR_OK;
}

static hr_status copy_words(hr_schema_review *r, const char *const *words, size_t count,
                            const char *const **out, hr_error *err) {
    const char **copy = hr_arena_alloc(r->arena, count, sizeof *copy);
    for (size_t k = 0; copy && k < count; k++) {
        copy[k] = hr_arena_text(r->arena, words[k], strlen(words[k]));
        if (!copy[k]) return hr_fail_memory(err);
    }
    *out = copy;
    return copy ? HR_OK : hr_fail_memory(err);
}

hr_status hr_schema_review_values(hr_schema_review *review, size_t i, const char *const *values, size_t count,
                                  const char *source, hr_error *err) {
    const hr_schema_parts before = review->parts;
    const reviewed_fact *f = find_fact(review, i);
    const char *const *copy = NULL;
    hr_column marks;
    if (!f || f->place == HR_FACT_UNIT || f->place == HR_FACT_UNUSED) return refuse_decision(review, i, err);
    hr_column changed = *column_of(review, f);
    if (f->place != HR_FACT_MISSING && (changed.kind != HR_KIND_CATEGORY || changed.boolean))
        return refuse_decision(review, i, err);
    hr_status status = take_source(review, source, &marks, err);
    if (!status) status = copy_words(review, values, count, &copy, err);
    if (status) return status;
    if (f->place == HR_FACT_MISSING) {
        review->parts.missing = copy;
        review->parts.missing_count = count;
        review->parts.missing_facts = marks;
        return check_change(review, &before, err);
    }
    changed.values = copy;
    changed.value_count = count;
    changed.review = changed.accepted = false;
    changed.source = marks.source;
    return change_column(review, f, &changed, err);
}

hr_status hr_schema_review_set_unit(hr_schema_review *review, size_t i, const char *column, hr_error *err) {
    const hr_schema_parts before = review->parts;
    const reviewed_fact *f = find_fact(review, i);
    if (!f || f->place != HR_FACT_UNIT) return refuse_decision(review, i, err);
    const char *copy = column ? hr_arena_text(review->arena, column, strlen(column)) : NULL;
    if (column && !copy) return hr_fail_memory(err);
    review->parts.unit = copy;
    review->parts.single_records = !column;
    review->parts.unit_facts = (hr_column){0};
    return check_change(review, &before, err);
}

hr_status hr_schema_review_accept(hr_schema_review *review, size_t i, hr_error *err) {
    const reviewed_fact *f = find_fact(review, i);
    if (!f || (f->place == HR_FACT_UNIT && !review->parts.unit)) return refuse_decision(review, i, err);
    set_marks(review, f, &(hr_column){.review = true, .accepted = true});
    return HR_OK;
}

/* Takes columns out of a list; facts behind them move up. */
static void cut_columns(hr_schema_review *r, const reviewed_fact *f, hr_column *columns, size_t *count) {
    memmove(columns + f->first, columns + f->first + f->count,
            (*count - f->first - f->count) * sizeof *columns);
    *count -= f->count;
    for (size_t k = 0; k < r->count; k++)
        if (r->facts[k].place == f->place && r->facts[k].first > f->first) r->facts[k].first -= f->count;
}

hr_status hr_schema_review_leave_out(hr_schema_review *review, size_t i, hr_error *err) {
    reviewed_fact *f = find_fact(review, i);
    if (f && (f->place == HR_FACT_LABEL || f->place == HR_FACT_UNIT))
        return hr_fail(err, HR_E_ARGUMENT, "decide about it, or skip it",
                       "the label and the unit cannot be left out");
    if (!f) return refuse_decision(review, i, err);
    if (f->place == HR_FACT_MISSING) {
        review->parts.missing_count = 0;
        review->parts.missing_facts = (hr_column){0};
        return HR_OK;
    }
    if (f->place == HR_FACT_FEATURE && review->parts.feature_count == f->count)
        return hr_fail(err, HR_E_ARGUMENT, "keep one", "no feature would be left");
    if (f->place == HR_FACT_FEATURE)
        cut_columns(review, f, review->features, &review->parts.feature_count);
    else
        cut_columns(review, f, review->unused, &review->parts.unused_count);
    f->left_out = true;
    return HR_OK;
}

hr_status hr_schema_review_make(const hr_schema_review *review, hr_schema **out, hr_error *err) {
    hr_schema_parts parts = review->parts;
    hr_fact fact;
    bool open = false;
    for (size_t i = 0; hr_schema_review_at(review, i, &fact); i++)
        open |= fact.open && fact.place != HR_FACT_UNIT;
    if (parts.reviewed == HR_REVIEW_PENDING && !open) parts.reviewed = HR_REVIEW_NONE;
    return hr_schema_make(&parts, out, err);
}
