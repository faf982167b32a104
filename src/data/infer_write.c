#include "data/infer_write.h"

#include "base/buffer.h"
#include "base/text.h"
#include "schema/date_parts.h"
#include "schema/schema_write.h"

#include <string.h>

static const char about[] =
    "# A proposal, read from private records. Replace every bound and list of values under a REVIEW by what "
    "is "
    "publicly\n"
    "# known, and delete the line of the REVIEW; until then training refuses this schema. Once all lines are "
    "public\n"
    "# knowledge, 'reviewed: true' decides about all marks that are left.\n";

typedef struct proposal {
    const hr_inferences *all;
    hr_string_map missing;
    const char *missing_list[HR_INFERENCE_SPELLINGS];
    size_t missing_count;
    size_t features;
    hr_buffer out;
    hr_error *err;
} proposal;

/* The spellings of missing that columns of numbers were found to use. */
static hr_status gather_missing(proposal *p) {
    for (size_t s = 0; s < HR_INFERENCE_SPELLINGS; s++) {
        const char *word = hr_inference_spelling(s);
        bool used = false;
        for (size_t i = 0; i < p->all->count; i++)
            used |= *p->all->columns[i]->name && hr_inference_has_missing(p->all->columns[i]) &&
                    p->all->columns[i]->spelled[s];
        if (!used) continue;
        if (!hr_string_map_add(&p->missing, word, strlen(word), 0)) return hr_fail_memory(p->err);
        p->missing_list[p->missing_count++] = word;
    }
    return HR_OK;
}

static bool uses_spelling(const hr_inference *inference) {
    bool spelled = false;
    for (size_t s = 0; s < HR_INFERENCE_SPELLINGS; s++) spelled |= inference->spelled[s];
    return spelled && hr_inference_has_missing(inference);
}

/* The format is UTF-8; tables may be anything. */
static hr_status check_utf8(const char *name, const hr_column *column, hr_error *err) {
    bool valid = hr_utf8_valid(name, strlen(name));
    for (size_t i = 0; i < column->value_count && valid; i++)
        valid = hr_utf8_valid(column->values[i], strlen(column->values[i]));
    if (valid) return HR_OK;
    hr_fail(err, HR_E_FORMAT, "convert the table to UTF-8, for example with iconv",
            "the name or a value of the column is not UTF-8");
    return hr_fail_at(err, HR_E_FORMAT, NULL, 0, 0, name);
}

/* What the dictionary says stands without a mark: it was not read from records. */
static void take_dictionary_entry(const hr_dictionary_entry *entry, hr_inferred *inferred) {
    const bool integer = inferred->column.kind == HR_KIND_NUMBER && inferred->column.integer;
    *inferred = (hr_inferred){.column = {.name = inferred->column.name}, .remark = inferred->remark};
    inferred->column.kind = entry->has_bounds ? HR_KIND_NUMBER : HR_KIND_CATEGORY;
    inferred->column.integer = entry->has_bounds && integer;
    inferred->column.low = entry->low;
    inferred->column.high = entry->high;
    inferred->column.values = entry->values;
    inferred->column.value_count = entry->value_count;
}

static hr_status judge_column(const proposal *p, size_t i, hr_inferred *inferred) {
    hr_inference *inference = p->all->columns[i];
    const hr_dictionary_entry *entry = hr_dictionary_find(&p->all->dictionary, inference->name);
    hr_status status = HR_OK;
    if (i == p->all->label) {
        status = hr_inference_label(inference, &p->missing, inferred, p->err);
    } else {
        hr_inference_feature(inference, &p->missing, inferred);
    }
    if (!status && entry) take_dictionary_entry(entry, inferred);
    return status;
}

/* The keys that await review, and why. */
static hr_schema_mark mark_of(const hr_inference *inference, const hr_inferred *inferred) {
    const bool number = inferred->column.kind == HR_KIND_NUMBER, spelled = uses_spelling(inference);
    hr_schema_mark mark = {.keys = number ? "low, high" : "values"};
    if (spelled)
        mark.keys = !inferred->column.review ? "missing" : number ? "low, high, missing" : "values, missing";
    if (inferred->guessed)
        mark.advice = "a guess from the column's name, not from the data: check it, then delete this line";
    return mark;
}

static hr_status write_proposed(proposal *p, size_t i) {
    const bool is_label = i == p->all->label;
    hr_inferred inferred;
    hr_status status = judge_column(p, i, &inferred);
    if (!status) status = check_utf8(inferred.column.name, &inferred.column, p->err);
    if (status) return status;
    if (inferred.remark) hr_buffer_format(&p->out, "%s# %s\n", is_label ? "" : "  ", inferred.remark);
    const hr_schema_mark mark = mark_of(p->all->columns[i], &inferred);
    inferred.column.review |= uses_spelling(p->all->columns[i]);
    hr_schema_write_column(&p->out, &inferred.column, is_label, &mark);
    return HR_OK;
}

/* As a comment that is an entry once its marks are removed. It tells nothing of the cells: people keep
 * comments when they hand a schema on. */
static hr_status write_left_out(proposal *p, const hr_inference *inference, const char *why) {
    const bool number = hr_inference_is_mostly_number(inference);
    hr_status status = check_utf8(inference->name, &(hr_column){0}, p->err);
    if (status) return status;
    hr_buffer_format(&p->out, "  # left out: %s\n  # - name: ", why);
    hr_schema_write_text(&p->out, inference->name);
    hr_buffer_text(&p->out, number ? "\n  #   kind: number\n  #   low:\n  #   high:\n"
                                   : "\n  #   kind: category\n  #   values: []\n");
    return HR_OK;
}

/* Whether another column has the name of a part of this one, if it is a date. */
static bool part_is_taken(const hr_inferences *all, const char *name) {
    const size_t size = strlen(name);
    hr_date_part part;
    for (size_t i = 0; i < all->count; i++) {
        const char *other = all->columns[i]->name;
        if (strncmp(other, name, size) == 0 && other[size] == '.' &&
            hr_date_part_find(other + size + 1, &part))
            return true;
    }
    return false;
}

static bool is_boolean_or_date(const hr_inferences *all, const hr_inference *inference) {
    const hr_inferred_text text = hr_text_inference_kind(&inference->text);
    return text == HR_INFERRED_BOOLEAN || (text == HR_INFERRED_DATE && !part_is_taken(all, inference->name));
}

static hr_status write_boolean_or_date(proposal *p, const hr_inference *inference) {
    hr_status status = check_utf8(inference->name, &(hr_column){0}, p->err);
    if (!status)
        hr_text_inference_write(&inference->text, inference->name, uses_spelling(inference), &p->out);
    return status;
}

static hr_status write_feature(proposal *p, size_t i) {
    const hr_inference *inference = p->all->columns[i];
    if (!*inference->name) {
        hr_buffer_format(&p->out, "  # column %zu has no name and is left out\n", i + 1);
        return HR_OK;
    }
    const bool kept = p->all->positional || hr_dictionary_find(&p->all->dictionary, inference->name);
    const char *why = kept ? NULL : hr_inference_left_out(inference);
    if (why) return write_left_out(p, inference, why);
    p->features++;
    return !kept && is_boolean_or_date(p->all, inference) ? write_boolean_or_date(p, inference)
                                                          : write_proposed(p, i);
}

/* A column that names persons is the unit of privacy: one that says so before one that says "id". */
static void write_unit(proposal *p) {
    const hr_inference *unit = NULL;
    for (size_t i = 0; i < p->all->count && !p->all->positional; i++) {
        const hr_inference *other = p->all->columns[i];
        if (i == p->all->label || !hr_inference_names_persons(other)) continue;
        if (hr_dictionary_find(&p->all->dictionary, other->name)) continue; /* it is a feature */
        if (!unit || (unit->meaning != HR_NAME_PERSON && other->meaning == HR_NAME_PERSON)) unit = other;
    }
    if (!unit || !hr_utf8_valid(unit->name, strlen(unit->name))) return;
    hr_buffer_text(&p->out,
                   "# If this column says which person a record is of, protect whole persons: remove the "
                   "first '#'.\n# unit: ");
    hr_schema_write_text(&p->out, unit->name);
    hr_buffer_text(&p->out, "\n");
}

/* Names of the dictionary that are misspelt would go unnoticed. */
static void write_unmatched(proposal *p, const hr_string_map *names) {
    const hr_dictionary *dictionary = &p->all->dictionary;
    for (size_t i = 0; i < dictionary->count; i++) {
        const char *name = dictionary->entries[i].name;
        if (hr_string_map_find(names, name, strlen(name)) != HR_STRING_MAP_NONE) continue;
        if (!hr_utf8_valid(name, strlen(name))) continue;
        hr_buffer_text(&p->out, "# the table has no column of this name of the dictionary: ");
        hr_schema_write_text(&p->out, name);
        hr_buffer_text(&p->out, "\n");
    }
}

static hr_status compare_dictionary(proposal *p) {
    hr_string_map names = {0};
    bool known = true;
    for (size_t i = 0; i < p->all->count && known; i++)
        known = hr_string_map_add(&names, p->all->columns[i]->name, strlen(p->all->columns[i]->name), 0);
    if (known) write_unmatched(p, &names);
    hr_string_map_done(&names);
    return known ? HR_OK : hr_fail_memory(p->err);
}

static hr_status write_inferred(proposal *p) {
    hr_buffer_text(&p->out, about);
    hr_buffer_text(&p->out, "hedgerow-schema: 1\nreviewed: false\n");
    write_unit(p);
    hr_status status = p->all->dictionary.count ? compare_dictionary(p) : HR_OK;
    if (!status) status = write_proposed(p, p->all->label);
    hr_buffer_text(&p->out, "features:\n");
    for (size_t i = 0; i < p->all->count && !status; i++)
        if (i != p->all->label && !(p->all->dropped && p->all->dropped[i])) status = write_feature(p, i);
    hr_schema_write_missing(&p->out, p->missing_list, p->missing_count);
    if (!status && !p->features)
        status = hr_fail(p->err, HR_E_SCHEMA, "add columns, or describe some with a data dictionary",
                         "the table has no column that could be a feature");
    return status;
}

hr_status hr_inferences_write(const hr_inferences *all, char **yaml, hr_error *err) {
    proposal p = {.all = all, .err = err};
    hr_status status = gather_missing(&p);
    if (!status) status = write_inferred(&p);
    if (!status) status = hr_buffer_take(&p.out, yaml, err);
    hr_buffer_done(&p.out);
    hr_string_map_done(&p.missing);
    return status;
}
