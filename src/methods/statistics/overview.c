#include "methods/statistics/overview.h"

#include "base/fail.h"
#include "tables/schema/column_list.h"

#include <math.h>
#include <string.h>

/* Parts of the budget: of the number of records; of a column, all columns alike. Where a column is a number,
 * its counts have half of its part, and the two sums a quarter each. */
enum { RECORDS_PARTS = 2, COUNTS_PARTS = 2, SUM_PARTS = 1, COLUMN_PARTS = COUNTS_PARTS + 2 * SUM_PARTS };

static hr_status refuse_field(const char *field, hr_error *err) {
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, field);
}

/* ---- Columns ---- */

/* Of even bins of whole values, the largest value of one. values * (index + 1) / count could exceed the
 * integers that a double has, and a part that is rounded first loses a value: so whole values of all bins
 * first, then what is left of them. */
static double end_of_integers(double low, double values, size_t index, size_t count) {
    const double left = fmod(values, (double)count), each = (values - left) / (double)count,
                 bins = (double)(index + 1);
    return low + (each * bins + floor(left * bins / (double)count)) - 1;
}

/* Even bins; of a column of integers each holds whole values, and there are no more than there are values. */
static hr_status make_bins(const hr_column *column, size_t bins, hr_arena *arena, hr_overview_column *out,
                           hr_error *err) {
    const double low = column->integer ? ceil(column->low) : column->low,
                 high = column->integer ? floor(column->high) : column->high,
                 values = column->integer ? high - low + 1
                          : high > low    ? (double)INFINITY
                                          : 1;
    const size_t count = values < (double)bins ? values < 1 ? 1 : (size_t)values : bins;
    double *ends = hr_arena_alloc(arena, count, sizeof *ends);
    if (!ends) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const double part = (double)(i + 1) / (double)count;
        ends[i] = column->integer ? end_of_integers(low, values, i, count) : low * (1 - part) + high * part;
    }
    ends[count - 1] = column->high;
    out->ends = ends;
    out->cells = out->first + count;
    return HR_OK;
}

static hr_status add_column(const hr_fit_facts *facts, size_t feature, hr_arena *arena, hr_overview *out,
                            hr_error *err) {
    const size_t features = hr_schema_feature_count(facts->schema);
    const hr_column *column =
        feature == features ? hr_schema_label(facts->schema) : hr_schema_feature(facts->schema, feature);
    if (out->column_count == HR_OVERVIEW_COLUMNS_MAX) {
        hr_fail(err, HR_E_LIMIT, "choose some with 'columns'", "statistics are of at most %d columns",
                HR_OVERVIEW_COLUMNS_MAX);
        return hr_fail_at(err, HR_E_LIMIT, NULL, 0, 0, HR_COLUMNS_NAME);
    }
    hr_overview_column *made = &out->columns[out->column_count++];
    *made = (hr_overview_column){.column = column, .feature = feature, .first = feature < features};
    if (column->kind == HR_KIND_NUMBER)
        return make_bins(column, (size_t)facts->options->bins, arena, made, err);
    made->cells = made->first + column->value_count;
    return HR_OK;
}

/* A time has statistics by the method survival-curve; the label of groups is counted as their records. */
static bool is_counted_label(const hr_overview *o) {
    return !hr_schema_label(o->schema)->event && o->groups == 1;
}

static hr_status add_all(const hr_fit_facts *facts, hr_arena *arena, hr_overview *out, hr_error *err) {
    const size_t count = hr_schema_feature_count(facts->schema) + is_counted_label(out);
    hr_status status = HR_OK;
    for (size_t f = 0; !status && f < count; f++) status = add_column(facts, f, arena, out, err);
    return status;
}

static hr_status add_named(const hr_fit_facts *facts, const char *name, hr_arena *arena, hr_overview *out,
                           hr_error *err) {
    const hr_column *label = hr_schema_label(facts->schema);
    const size_t features = hr_schema_feature_count(facts->schema);
    size_t f = 0;
    while (f < features && strcmp(hr_schema_feature(facts->schema, f)->name, name) != 0) f++;
    if (f < features) return add_column(facts, f, arena, out, err);
    if (strcmp(label->name, name) != 0) {
        hr_fail(err, HR_E_ARGUMENT, "name columns as the schema does", "the schema has no column '%.60s'",
                name);
        return refuse_field(HR_COLUMNS_NAME, err);
    }
    if (is_counted_label(out)) return add_column(facts, f, arena, out, err);
    hr_fail(err, HR_E_ARGUMENT,
            label->event ? "leave it out; the method survival-curve has statistics of times"
                         : "leave it out: its classes are counted as groups",
            "'%.60s' is %s", name, label->event ? "the time of an event" : "what the groups are by");
    return refuse_field(HR_COLUMNS_NAME, err);
}

static hr_status add_chosen(const hr_fit_facts *facts, hr_arena *arena, hr_overview *out, hr_error *err) {
    const hr_yaml_node *list = NULL;
    hr_status status = hr_column_list_read(facts->options->columns, arena, &list, err);
    if (status) return status == HR_E_ARGUMENT ? refuse_field(HR_COLUMNS_NAME, err) : status;
    for (const hr_yaml_node *name = list->child; !status && name; name = name->next)
        status = add_named(facts, name->text, arena, out, err);
    return status;
}

static hr_status find_groups(const hr_fit_facts *facts, hr_overview *out, hr_error *err) {
    const hr_column *label = hr_schema_label(facts->schema);
    if (!facts->options->by_label) return HR_OK;
    if (label->kind != HR_KIND_CATEGORY || label->value_count > HR_OVERVIEW_GROUPS_MAX) {
        hr_fail(err, HR_E_ARGUMENT, "leave 'by' out",
                "groups are the classes of a label with at most %d of them", HR_OVERVIEW_GROUPS_MAX);
        return refuse_field(HR_BY_NAME, err);
    }
    out->groups = label->value_count;
    return HR_OK;
}

hr_status hr_overview_of(const hr_fit_facts *facts, hr_arena *arena, hr_overview *out, hr_error *err) {
    *out = (hr_overview){.schema = facts->schema, .unit = hr_facts_unit(facts), .groups = 1};
    hr_status status = find_groups(facts, out, err);
    if (!status)
        status =
            *facts->options->columns ? add_chosen(facts, arena, out, err) : add_all(facts, arena, out, err);
    if (status || hr_overview_values(out) <= HR_OVERVIEW_VALUES_MAX) return status;
    hr_fail(err, HR_E_LIMIT, "choose fewer columns, or fewer bins",
            "%zu numbers, and at most %d are released", hr_overview_values(out), HR_OVERVIEW_VALUES_MAX);
    return hr_fail_at(err, HR_E_LIMIT, NULL, 0, 0, HR_COLUMNS_NAME);
}

/* ---- Lines ---- */

size_t hr_overview_values(const hr_overview *o) {
    size_t values = o->groups;
    for (size_t k = 0; k < o->column_count; k++)
        values += o->groups * (o->columns[k].cells + (hr_overview_is_number(&o->columns[k]) ? 2 : 0));
    return values;
}

size_t hr_overview_lines(const hr_overview *o, hr_units budget, uint64_t group,
                         hr_charge lines[HR_OVERVIEW_LINES_MAX], size_t counts[HR_OVERVIEW_LINES_MAX]) {
    const hr_units part = budget / (RECORDS_PARTS + COLUMN_PARTS * o->column_count);
    const uint64_t count = hr_unit_of_counts(o->unit), sum = hr_unit_label_sensitivity(o->unit);
    const hr_charge any = {.tree = -1, .level = -1};
    size_t n = 0;
    lines[n] = any;
    lines[n].what = "record counts", lines[n].cost = RECORDS_PARTS * part, lines[n].sensitivity = count;
    counts[n++] = o->groups;
    for (size_t k = 0; k < o->column_count; k++) {
        const hr_overview_column *column = &o->columns[k];
        const bool is_number = hr_overview_is_number(column);
        lines[n] = any;
        lines[n].what = is_number ? "histograms" : "counts of values";
        lines[n].cost = (is_number ? COUNTS_PARTS : COLUMN_PARTS) * part, lines[n].sensitivity = count;
        counts[n++] = o->groups * column->cells;
        for (size_t i = 0; is_number && i < 2; i++) {
            lines[n] = any;
            lines[n].what = i ? "sums of squares" : "sums of numbers";
            lines[n].cost = SUM_PARTS * part, lines[n].sensitivity = sum;
            counts[n++] = o->groups;
        }
    }
    for (size_t i = 0; i < n; i++) lines[i].group = group + i;
    return n;
}

hr_status hr_overview_no_forest(const hr_overview *o, hr_arena *arena, hr_forest *out, hr_error *err) {
    static const hr_link links[] = {
        [HR_TASK_REGRESSION] = HR_LINK_NUMBER, [HR_TASK_BINARY] = HR_LINK_SIGNED,
        [HR_TASK_MULTICLASS] = HR_LINK_SIGNED, [HR_TASK_COUNT] = HR_LINK_LOG,
        [HR_TASK_SURVIVAL] = HR_LINK_HAZARD,   [HR_TASK_QUANTILES] = HR_LINK_NUMBER};
    const hr_fit_facts facts = {.schema = o->schema};
    *out = (hr_forest){.link = links[hr_schema_task(o->schema)], .output_count = hr_facts_outputs(&facts)};
    out->base = hr_arena_alloc(arena, out->output_count, sizeof *out->base);
    out->trees = hr_arena_alloc(arena, 1, sizeof *out->trees);
    return out->base && out->trees ? HR_OK : hr_fail_memory(err);
}
