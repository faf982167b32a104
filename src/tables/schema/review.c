/* What of a schema was read from the records, and what a person has decided about it. */
#include "base/fail.h"
#include "base/text/text.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema.h"

#include <string.h>

enum { NAME = 80 }; /* bytes of a name as it is shown */

static hr_status refuse_pending(const char *message, const char *name, hr_error *err) {
    hr_fail(
        err, HR_E_POLICY,
        "write what is publicly known, and in place of the line 'review' where it is published, such as "
        "source: \"code book 2024\" ('hedgerow schema review FILE' asks for it); 'reviewed: true' at the top "
        "of the schema accepts what was read from the records, and the model is then NOT PRIVATE",
        "%s", message);
    return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, name);
}

/* Long lists are rarely known to the public: most are copied from a column of names or numbers of persons. */
static hr_status refuse_long_list(hr_review reviewed, const hr_column *column, hr_error *err) {
    static const char of_file[] = "merge rare values or leave the column out; if the list is public, write "
                                  "where it is published, such as source: \"ICD-10-CM 2024\"",
                      of_code[] =
                          "merge rare values or leave the column out; if the list is public, say where "
                          "it is published, such as \"ICD-10-CM 2024\": hr_schema_set_source, or "
                          "source= of a Column in Python";
    hr_fail(err, HR_E_POLICY, reviewed == HR_REVIEW_CODE ? of_code : of_file,
            "a list of %zu values, which the model would publish; above %d a person must decide",
            column->value_count, HR_VALUES_UNASKED);
    return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, column->name);
}

static hr_status check_facts(hr_review reviewed, const hr_column *facts, hr_error *err) {
    if (hr_review_is_done(reviewed)) return HR_OK;
    if (facts->review && facts->accepted) return HR_OK;
    if (facts->review)
        return refuse_pending("what was read from the records is not reviewed yet", facts->name, err);
    if (facts->source) return HR_OK;
    if (reviewed == HR_REVIEW_PENDING)
        return refuse_pending("the schema is a proposal, and does not say where these facts are published",
                              facts->name, err);
    return facts->value_count > HR_VALUES_UNASKED ? refuse_long_list(reviewed, facts, err) : HR_OK;
}

/* The spellings of missing, as a column that messages can name. */
static hr_column facts_of_missing(const hr_schema_parts *parts) {
    hr_column facts = parts->missing_facts;
    facts.name = "missing";
    return facts;
}

/* A unit needs no source: it is confirmed when its mark is removed. */
static hr_status check_unit_facts(const hr_schema_parts *parts, hr_error *err) {
    if (hr_review_is_done(parts->reviewed) || !parts->unit_facts.review || parts->unit_facts.accepted)
        return HR_OK;
    hr_fail(
        err, HR_E_POLICY,
        "if this column says whose a record is, take 'unit' out of the list 'review'; else name the right "
        "column, or write 'unit: record' if each person has one record",
        "the unit was guessed from the records, and no person has confirmed it");
    return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, "unit");
}

hr_status hr_schema_reviewed(const hr_schema *schema, hr_error *err) {
    const hr_schema_parts *parts = hr_schema_parts_of(schema);
    const hr_column missing = facts_of_missing(parts);
    hr_status status = check_facts(parts->reviewed, &parts->label, err);
    for (size_t i = 0; !status && i < parts->feature_count; i++)
        status = check_facts(parts->reviewed, &parts->features[i], err);
    for (size_t i = 0; !status && i < parts->unused_count; i++)
        status = check_facts(parts->reviewed, &parts->unused[i], err);
    if (!status && (parts->missing_count || missing.review))
        status = check_facts(parts->reviewed, &missing, err);
    return status ? status : check_unit_facts(parts, err);
}

/* ---- Marks that were accepted ---- */

typedef struct accepted_marks {
    hr_buffer *names;
    bool all, any; /* all marks are accepted; there is one */
} accepted_marks;

static bool is_accepted(const accepted_marks *marks, const hr_column *facts) {
    return facts->review && (marks->all || facts->accepted);
}

static void add_accepted(accepted_marks *marks, const char *name) {
    hr_buffer_format(marks->names, "%s%s", marks->any ? ", " : "", name);
    marks->any = true;
}

/* A column of dates is named once, though it has several features. */
static void add_accepted_columns(accepted_marks *marks, const hr_column *columns, size_t count) {
    char name[NAME];
    for (size_t i = 0; i < count; i++) {
        if (!is_accepted(marks, &columns[i]) || (i && hr_date_shared(&columns[i - 1], &columns[i]))) continue;
        hr_text_show(columns[i].date ? columns[i].date->name : columns[i].name, name, sizeof name);
        add_accepted(marks, name);
    }
}

bool hr_schema_accepted(const hr_schema *schema, hr_buffer *names) {
    const hr_schema_parts *parts = hr_schema_parts_of(schema);
    accepted_marks marks = {.names = names, .all = hr_review_is_done(parts->reviewed)};
    add_accepted_columns(&marks, &parts->label, 1);
    add_accepted_columns(&marks, parts->features, parts->feature_count);
    add_accepted_columns(&marks, parts->unused, parts->unused_count);
    if (is_accepted(&marks, &parts->missing_facts)) add_accepted(&marks, "the spellings of missing");
    if (is_accepted(&marks, &parts->unit_facts)) add_accepted(&marks, "the unit");
    return marks.any;
}

static hr_status refuse_accepted(const hr_schema *schema, hr_error *err) {
    hr_buffer names = {0};
    char *text = NULL;
    if (!hr_schema_accepted(schema, &names)) return HR_OK;
    hr_status status = hr_buffer_take(&names, &text, err);
    if (!status)
        status = hr_fail(
            err, HR_E_POLICY,
            "replace it by what is publicly known, and the line 'review' by its source; alone, training "
            "accepts the marks, and the model is NOT PRIVATE",
            "the schema is not public: read from the records, and marked so: %s", text);
    hr_text_free(text);
    return status;
}

/* In a file such a list needs a source by hr_schema_reviewed. */
static hr_status check_lists_of_code(const hr_schema_parts *parts, hr_error *err) {
    if (parts->reviewed != HR_REVIEW_CODE) return HR_OK;
    for (size_t i = 0; i <= parts->feature_count; i++) {
        const hr_column *column = i ? &parts->features[i - 1] : &parts->label;
        if (column->value_count > HR_VALUES_UNASKED && !column->source)
            return refuse_long_list(HR_REVIEW_CODE, column, err);
    }
    return HR_OK;
}

hr_status hr_schema_public(const hr_schema *schema, hr_error *err) {
    hr_status status = hr_schema_reviewed(schema, err);
    if (!status) status = refuse_accepted(schema, err);
    return status ? status : check_lists_of_code(hr_schema_parts_of(schema), err);
}
