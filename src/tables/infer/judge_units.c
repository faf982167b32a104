/* Which columns identify persons or records, and which of them is the unit: by the name and by the values. */
#include "tables/infer/judge_units.h"

#include "base/text/text.h"

#include <string.h>

enum {
    GROUP_MAX = 40, /* records of a person, on average: what repeats more often is a category */
    NAMES_MIN = 20  /* values of a column `name` that are no longer kinds of something */
};
static const double NEAR_UNIQUE = .5, ALL_DIFFER = .9, REPEATS = 1.05;

/* ---- One column ---- */

static double filled_cells(const hr_inference *g) {
    return (double)(g->numbers + g->texts);
}

/* Values that stand once or in small groups, and are many. */
static bool has_small_groups(const hr_inference *g, size_t values) {
    const double distinct = hr_inference_distinct(g);
    return distinct > (double)values && filled_cells(g) <= GROUP_MAX * distinct;
}

/* Integers, or texts with digits and without blanks, such as P-00012. */
static bool has_codes(const hr_inference *g) {
    if (!g->texts) return !g->fractions;
    return !g->blanks && g->codes.with_digits == g->codes.cells;
}

static const char *identity_by_name(const hr_inference *g) {
    static const char said[] = "its name says that it identifies persons or records";
    const bool many =
        hr_inference_distinct(g) > HR_INFERENCE_VALUES || hr_inference_differ_mostly(g, NEAR_UNIQUE);
    switch (g->meaning) {
    case HR_NAME_PERSON: return g->value_count > 2 ? said : NULL;
    case HR_NAME_CONTACT:
        if (!g->texts)
            return !g->fractions && hr_inference_distinct(g) > HR_INFERENCE_VALUES && g->high >= 1e5 ? said
                                                                                                     : NULL;
        return g->value_count > 2 ? said : NULL;
    case HR_NAME_OF_ONE: return g->texts && (g->value_count > NAMES_MIN || many) ? said : NULL;
    case HR_NAME_RECORD: return many ? said : NULL;
    case HR_NAME_GROUP: return many || (g->numbers && g->value_count > HR_INFERENCE_CLASSES) ? said : NULL;
    case HR_NAME_NUMBER:
    case HR_NAME_SHARED:
    case HR_NAME_PLAIN: break;
    }
    return NULL;
}

/* Names of places, times and goods may have such values; a quantity does not. */
static const char *identity_by_values(const hr_inference *g, const hr_unit_evidence *evidence) {
    const size_t needed = g->meaning == HR_NAME_NUMBER ? 1 : 2;
    if (g->meaning == HR_NAME_SHARED || !has_codes(g)) return NULL;
    if (has_small_groups(g, HR_INFERENCE_VALUES) && evidence->constant >= needed)
        return "its values repeat in small groups, in which other columns stay the same, as identifiers of "
               "persons do";
    if (has_small_groups(g, HR_INFERENCE_VALUES) && hr_code_cells_are_numbers(&g->codes))
        return "numbers of many digits, all of one length, as identifiers are";
    return NULL;
}

/* Numbers of records that all differ are those of the records themselves, unless what belongs to a person
 * stays the same where one stands again. */
static bool names_persons(const hr_inference *g, const hr_unit_evidence *evidence) {
    const bool repeats = filled_cells(g) > REPEATS * hr_inference_distinct(g);
    switch (g->meaning) {
    case HR_NAME_PERSON:
    case HR_NAME_GROUP: return true;
    case HR_NAME_RECORD:
        if (hr_unit_evidence_counts(evidence)) return evidence->constant > 0;
        return !hr_inference_differ_mostly(g, ALL_DIFFER);
    case HR_NAME_CONTACT:
    case HR_NAME_OF_ONE: return false;
    case HR_NAME_NUMBER:
    case HR_NAME_SHARED:
    case HR_NAME_PLAIN: break;
    }
    return evidence->constant > 0 || repeats;
}

/* ---- The table ---- */

/* For the owner's terminal alone: exact counts of the records. */
static void note_unit(const hr_inferences *all, size_t column, const hr_unit_evidence *evidence) {
    const hr_inference *g = all->columns[column];
    char name[80];
    hr_text_show(g->name, name, sizeof name);
    hr_buffer_format(
        all->notes,
        "%s: %s%.0f different values in %.0f records; of the first %zu records, %zu belong to %zu "
        "values that stand in several (at most %zu)",
        name, g->more ? "about " : "", hr_inference_distinct(g), filled_cells(g), all->sample.rows,
        evidence->records, evidence->groups, evidence->largest);
    for (size_t i = 0; i < evidence->constant && i < HR_CONSTANT_SHOWN; i++) {
        hr_text_show(all->columns[evidence->shown[i]]->name, name, sizeof name);
        hr_buffer_format(all->notes, "%s%s", i ? ", " : "; the same in all records of a value: ", name);
    }
    if (evidence->constant > HR_CONSTANT_SHOWN)
        hr_buffer_format(all->notes, " and %zu more", evidence->constant - HR_CONSTANT_SHOWN);
    hr_buffer_text(all->notes, "\n");
}

hr_status hr_inferences_judge_units(const hr_inferences *all, hr_error *err) {
    for (size_t i = 0; i < all->count && !all->positional; i++) {
        hr_inference *g = all->columns[i];
        hr_unit_evidence evidence = {0};
        if (i == all->label || !*g->name || (all->dropped && all->dropped[i])) continue;
        g->identity = identity_by_name(g);
        const bool asked = g->identity || (has_codes(g) && has_small_groups(g, HR_INFERENCE_VALUES));
        if (asked && g->meaning != HR_NAME_SHARED) {
            hr_status status = hr_unit_evidence_find(&all->sample, i, &evidence, err);
            if (status) return status;
        }
        if (!g->identity) g->identity = identity_by_values(g, &evidence);
        g->is_unit = g->identity && names_persons(g, &evidence);
        if (g->is_unit && all->notes) note_unit(all, i, &evidence);
    }
    return HR_OK;
}

/* A name of persons comes before values that do, and these before "id". */
static int rank_of(const hr_inference *g) {
    switch (g->meaning) {
    case HR_NAME_PERSON: return 3;
    case HR_NAME_RECORD:
    case HR_NAME_GROUP: return 1;
    default: return 2;
    }
}

const hr_inference *hr_inferences_unit(const hr_inferences *all) {
    const hr_inference *unit = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const hr_inference *g = all->columns[i];
        if (!g->is_unit || hr_dictionary_find(&all->dictionary, g->name)) continue; /* that is a feature */
        if (!hr_utf8_valid(g->name, strlen(g->name))) continue;
        if (!unit || rank_of(g) > rank_of(unit)) unit = g;
    }
    return unit;
}
