#include "tables/infer/infer_missing.h"
#include "tables/infer/judge_units.h"

#include "base/buffer.h"
#include "base/text/text.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema_write.h"

#include <string.h>

static const char about[] = "# A proposal, for the owner of the records only: what a line 'review' names was "
                            "read from them. Replace it by\n"
                            "# what is publicly known, and the line 'review' by the source of that: source: "
                            "\"...\". Training refuses the\n"
                            "# schema until every column has its source. 'reviewed: true' accepts what was "
                            "read: the model is NOT PRIVATE.\n";

typedef struct proposal {
    const hr_inferences *all;
    hr_missing_words missing;
    size_t features;
    hr_buffer out;
    hr_error *err;
} proposal;

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

/* Says of a column that it is the label, or adds up to it. */
static void remark_label(const hr_inferences *all, size_t i) {
    hr_buffer *remarks = &all->columns[i]->remarks;
    const char *label = all->columns[all->label]->name;
    const size_t other = hr_label_sample_adds_up(&all->labels, i, all->label);
    if (hr_label_sample_is_label(&all->labels, i, all->label)) {
        hr_remark_begin(remarks);
        hr_buffer_text(remarks,
                       "it has one value for each value of the label, so that it gives the label away; "
                       "leave it out if it is not known when predicting");
    } else if (other != SIZE_MAX && *all->columns[other]->name) {
        hr_remark_begin(remarks);
        hr_buffer_text(remarks, "with the column ");
        hr_schema_write_text(remarks, all->columns[other]->name);
        hr_buffer_text(remarks, " it adds up to the label ");
        hr_schema_write_text(remarks, label);
        hr_buffer_text(remarks, "; leave it out if it is not known when predicting");
    }
}

static hr_status write_proposed(proposal *p, size_t i) {
    hr_inference *inference = p->all->columns[i];
    const hr_dictionary_entry *entry = hr_dictionary_find(&p->all->dictionary, inference->name);
    hr_inferred inferred;
    hr_status status = HR_OK;
    if (i == p->all->label)
        status = hr_inference_label(inference, &p->missing.known, &inferred, p->err);
    else
        hr_inference_feature(inference, &p->missing.known, &inferred);
    /* An entry of the dictionary stands without a mark, with no fact beside it: it was not read from records.
     */
    if (!status && entry)
        inferred = (hr_inferred){.column = {.name = entry->name,
                                            .kind = entry->has_bounds ? HR_KIND_NUMBER : HR_KIND_CATEGORY,
                                            .integer = entry->integer,
                                            .low = entry->low,
                                            .high = entry->high,
                                            .values = entry->values.words,
                                            .value_count = entry->values.count,
                                            .source = entry->source}};
    if (!status) status = check_utf8(inferred.column.name, &inferred.column, p->err);
    if (status) return status;
    remark_label(p->all, i);
    const hr_buffer *remarks = &inference->remarks;
    const hr_schema_mark mark = {.remark = remarks->size ? remarks->bytes : NULL,
                                 .name_too = p->all->positional};
    hr_schema_write_column(&p->out, &inferred.column, i == p->all->label, &mark);
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

static hr_status write_feature(proposal *p, size_t i) {
    hr_inference *inference = p->all->columns[i];
    const char *name = inference->name;
    if (!*name) {
        hr_buffer_format(&p->out, "  # column %zu has no name and is left out\n", i + 1);
        return HR_OK;
    }
    const bool kept = p->all->positional || hr_dictionary_find(&p->all->dictionary, name);
    const char *why = kept ? NULL : hr_inference_left_out(inference);
    if (why) {
        const hr_column unused = {.name = name, .review = true};
        const hr_schema_mark mark = {.remark = why, .advice = hr_inference_brought_back(inference)};
        hr_status status = check_utf8(name, &(hr_column){0}, p->err);
        if (!status) hr_schema_write_unused(&p->out, &unused, &mark);
        return status;
    }
    p->features++;
    const hr_inferred_text text = inference->text.kind;
    const bool is_date = text == HR_INFERRED_DATE && !part_is_taken(p->all, name);
    if (kept || (text != HR_INFERRED_BOOLEAN && !is_date)) return write_proposed(p, i);
    hr_status status = check_utf8(name, &(hr_column){0}, p->err);
    hr_inference_remark_words(inference);
    remark_label(p->all, i);
    if (!status) hr_text_inference_write(&inference->text, name, &inference->remarks, &p->out);
    return status;
}

/* Spellings of missing, and the unit, which a person must decide in either case. */
static void write_rest(proposal *p) {
    const hr_dictionary *dictionary = &p->all->dictionary;
    const hr_inference *unit = hr_inferences_unit(p->all);
    hr_schema_parts parts = {.missing = p->missing.list,
                             .missing_count = p->missing.count,
                             .missing_facts.review = true,
                             .unit = unit ? unit->name : NULL,
                             .unit_facts.review = unit != NULL};
    if (dictionary->lists_missing) {
        parts.missing = dictionary->missing.words;
        parts.missing_count = dictionary->missing.count;
        parts.missing_facts = (hr_column){.source = dictionary->source};
    }
    if (!unit)
        hr_buffer_text(&p->out, "# REVIEW: a ledger needs to know whose a record is. If each person has one "
                                "record, remove the first '#'; else name the column: unit: COLUMN\n"
                                "# unit: " HR_UNIT_RECORD "\n");
    hr_schema_write_rest(&p->out, &parts,
                         "if the column 'unit' says whose a record is, take 'unit' out of this list: whole "
                         "persons are then protected; " HR_SCHEMA_ADVICE);
}

/* Names of the dictionary that are misspelt would go unnoticed. */
static hr_status write_unmatched(proposal *p) {
    const hr_dictionary *dictionary = &p->all->dictionary;
    hr_string_map names = {0};
    bool known = true;
    for (size_t i = 0; i < p->all->count && known; i++)
        known = hr_string_map_add(&names, p->all->columns[i]->name, strlen(p->all->columns[i]->name), 0);
    for (size_t i = 0; i < dictionary->count && known; i++) {
        const char *name = dictionary->entries[i].name;
        if (hr_string_map_find(&names, name, strlen(name)) != HR_STRING_MAP_NONE) continue;
        if (!hr_utf8_valid(name, strlen(name))) continue;
        hr_buffer_text(&p->out, "# the table has no column of this name of the dictionary: ");
        hr_schema_write_text(&p->out, name);
        hr_buffer_text(&p->out, "\n");
    }
    hr_string_map_done(&names);
    return known ? HR_OK : hr_fail_memory(p->err);
}

hr_status hr_inferences_write(const hr_inferences *all, char **yaml, hr_error *err) {
    const hr_dictionary *dictionary = &all->dictionary;
    proposal p = {.all = all, .err = err};
    for (size_t i = 0; i < all->count; i++) hr_inference_judge(all->columns[i], i == all->label);
    hr_inferences_decide_decimals(all);
    hr_status status = hr_inferences_judge_units(all, err);
    if (!status) status = hr_missing_words_take(&p.missing, all, err);
    hr_buffer_text(&p.out, about);
    hr_buffer_text(&p.out, "hedgerow-schema: 1\nreviewed: false\n");
    if (!status && dictionary->count) status = write_unmatched(&p);
    if (!status) status = write_proposed(&p, all->label);
    hr_buffer_text(&p.out, "features:\n");
    for (size_t i = 0; i < all->count && !status; i++)
        if (i != all->label && !(all->dropped && all->dropped[i])) status = write_feature(&p, i);
    write_rest(&p);
    for (size_t i = 0; i < all->count && !status; i++)
        if (all->columns[i]->remarks.failed) status = hr_fail_memory(err);
    if (!status && !p.features)
        status = hr_fail(err, HR_E_SCHEMA, "add columns, or describe some with a data dictionary",
                         "the table has no column that could be a feature");
    if (!status) status = hr_buffer_take(&p.out, yaml, err);
    hr_buffer_done(&p.out);
    hr_missing_words_done(&p.missing);
    return status;
}
