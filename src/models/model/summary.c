/* A model on one page: first what it is, then what it protects, then where the budget went and what it leans
 * on. */
#include "models/model/show.h"
#include "tables/schema/schema.h"

#include <hedgerow/amount.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 78, BAR = 40, NAME = 28, FEATURES_SHOWN = 20 };

static const char RULE[] =
    "********************************************************************************\n";

static size_t depth_below(const hr_tree *tree, size_t n) {
    const hr_node *node = &tree->nodes[n];
    size_t children = hr_node_child_count(node), deepest = 0;
    for (size_t i = 0; i < children; i++) {
        size_t depth = 1 + depth_below(tree, node->left + i);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

static void show_name(hr_buffer *b, const char *name) {
    hr_buffer plain = {0};
    hr_show_text(&plain, name);
    size_t width = plain.bytes ? hr_show_width(plain.bytes, plain.size) : 0;
    hr_buffer_text(b, "  ");
    hr_buffer_add(b, plain.bytes, plain.size);
    if (width < NAME) hr_buffer_format(b, "%*s", (int)(NAME - width), "");
    if (plain.failed) b->failed = true;
    hr_buffer_done(&plain);
}

static void show_number_label(hr_buffer *b, const hr_model *m, const hr_column *label) {
    double most;
    const char *exposure = hr_schema_exposure(m->schema, &most);
    hr_buffer_format(b, " (%g to %g)", label->low, label->high);
    for (size_t k = 0; k < label->quantile_count; k++)
        hr_buffer_format(b, "%s %.10g", k ? "," : ":", label->quantiles[k]);
    hr_buffer_text(b, "\n");
    if (label->count)
        hr_buffer_format(b, "Score     the logarithm of the mean count, less that of %g", label->high);
    if (exposure) hr_buffer_format(b, "; of an exposure of %g ", most);
    if (exposure) hr_show_text(b, exposure);
    if (label->count) hr_buffer_text(b, "\n");
    if (exposure) {
        hr_buffer_text(b, "Records   count as their ");
        hr_show_text(b, exposure);
        hr_buffer_format(b, " over %g, and sums of weights are sums of that\n", most);
    }
}

static void show_label(hr_buffer *b, const hr_model *m) {
    static const char *const tasks[] = {"regression of ",     "binary classification of ",
                                        "classification of ", "mean of the count ",
                                        "time to an event, ", "quantiles of "};
    const hr_column *label = hr_schema_label(m->schema);
    hr_buffer_format(b, "Task      %s",
                     hr_model_statistic(m, 0) ? "statistics of columns; the label is "
                                              : tasks[hr_schema_task(m->schema)]);
    hr_show_text(b, label->name);
    if (label->event) {
        char cut[HR_NUMBER_TEXT];
        hr_buffer_text(b, " (event: ");
        hr_show_text(b, label->event);
        hr_buffer_text(b, ")\n");
        if (hr_model_statistic(m, 0)) return;
        hr_buffer_text(b, "Intervals end at ");
        for (size_t k = 0; k < label->interval_count; k++) {
            hr_number_text(label->intervals[k], cut);
            hr_buffer_format(b, "%s%s", k ? ", " : "", cut);
        }
        hr_buffer_text(b, "\nScores    log-odds of the event in each interval, of records at risk in it\n");
        return;
    }
    if (label->kind == HR_KIND_NUMBER) {
        show_number_label(b, m, label);
        return;
    }
    const char *before = " (";
    for (size_t v = 0; v < label->value_count; v++) {
        hr_buffer_text(b, before);
        hr_show_text(b, label->values[v]);
        before = ", ";
    }
    hr_buffer_text(b, ")\n");
}

static void show_shape(hr_buffer *b, const hr_model *m) {
    size_t deepest = 0, leaves = 0;
    for (size_t t = 0; t < m->forest.tree_count; t++) {
        const hr_tree *tree = &m->forest.trees[t];
        size_t depth = depth_below(tree, 0);
        deepest = depth > deepest ? depth : deepest;
        leaves += hr_tree_leaves(tree);
    }
    hr_buffer_format(b, "Trees     %zu, depth up to %zu, %zu leaves\n", m->forest.tree_count, deepest,
                     leaves);
    if (deepest && hr_model_is_additive(m))
        hr_buffer_text(b,
                       "          Each splits by one feature: the model is the sum of one curve a feature,\n"
                       "          which its report shows whole (python -m hedgerow report)\n");

    static const char *const verbs[] = {
        [HR_MONOTONE_INCREASING] = "never falls", [HR_MONOTONE_DECREASING] = "never rises"};
    for (size_t f = 0; f < hr_schema_feature_count(m->schema); f++) {
        const hr_column *column = hr_schema_feature(m->schema, f);
        if (!column->monotone) continue;
        hr_buffer_format(b, "Monotone  %s as ", verbs[column->monotone]);
        hr_show_text(b, column->name);
        hr_buffer_text(b, " rises, in every tree\n");
    }
}

static void show_amounts(hr_buffer *b, const char *name, double epsilon, double delta, const char *what,
                         const char *unit) {
    char epsilon_text[HR_AMOUNT_TEXT], delta_text[HR_AMOUNT_TEXT];
    hr_spent_text(epsilon, epsilon_text);
    hr_spent_text(delta, delta_text);
    hr_buffer_format(b, "%-10sepsilon %s, delta %s for %s%s\n", name, epsilon_text, delta_text, what, unit);
}

/* What follows amounts; nothing of "". */
static void show_words(hr_buffer *b, const char *text) {
    if (*text) hr_show_wrapped(b, text, PAGE - 10, "          ", "\n");
}

static void show_guarantee(hr_buffer *b, const hr_model *m) {
    const hr_guarantee *g = &m->guarantee;
    const hr_start_guarantee *s = &m->start_guarantee;
    hr_buffer_text(b, "\n");
    if (!g->is_private) {
        hr_buffer_text(b, RULE);
        hr_show_wrapped(b, "THIS MODEL IS NOT PRIVATE", PAGE - 4, "*  ", "  *\n");
        hr_show_wrapped(b, m->guarantee.statement, PAGE - 4, "*  ", "  *\n");
        hr_buffer_text(b, RULE);
        return;
    }
    show_amounts(b, "Privacy", g->epsilon, g->delta, "adding or removing ", g->unit);
    show_amounts(b, "", g->epsilon_replace, g->delta_replace, "replacing one", "");
    show_words(b, g->conditions.text);
    if (s->given) {
        show_amounts(b, "", s->epsilon, s->delta, "adding or removing one that the start's data have, too",
                     "");
        show_amounts(b, "", s->epsilon_replace, s->delta_replace, "replacing one of these", "");
        show_words(b, s->trust.stated.text);
    }
    show_words(b, g->promise);
    show_words(b, g->statement);
}

/* ---- Where the budget went ---- */

typedef struct line {
    const hr_release *release;
    bool counts; /* its part is the costliest of its group: it is in the sum */
} line;

static int by_group(const void *a, const void *b) {
    const hr_release *x = ((const line *)a)->release, *y = ((const line *)b)->release;
    if (x->owner != y->owner) return x->owner < y->owner ? -1 : 1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

static int by_what(const void *a, const void *b) {
    return strcmp(((const line *)a)->release->what, ((const line *)b)->release->what);
}

/* The end of the run that begins at `from` and is equal under `compare`. */
static size_t run_end(const line *lines, size_t from, size_t count,
                      int (*compare)(const void *, const void *)) {
    size_t end = from + 1;
    while (end < count && !compare(&lines[from], &lines[end])) end++;
    return end;
}

static void mark_costliest(line *lines, size_t count) {
    size_t best = 0, best_end = 0;
    double most = -1;
    for (size_t from = 0, end; from < count; from = end) {
        end = run_end(lines, from, count, by_group);
        double cost = 0;
        for (size_t i = from; i < end; i++) cost += hr_units_value(lines[i].release->cost);
        if (cost > most) {
            most = cost;
            best = from;
            best_end = end;
        }
        const hr_release *here = lines[from].release, *next = end < count ? lines[end].release : NULL;
        if (next && next->owner == here->owner && next->group == here->group) continue;
        for (size_t i = best; i < best_end; i++) lines[i].counts = true;
        most = -1;
    }
}

static double line_cost_of(const line *lines, size_t from, size_t end) {
    double cost = 0;
    for (size_t i = from; i < end; i++) cost += lines[i].counts ? hr_units_value(lines[i].release->cost) : 0;
    return cost;
}

/* What records pay that were held out for the interval is of these alone. */
static bool is_held_out(const hr_model *m, const hr_release *release) {
    return m->forest.conformal.made && release->owner == HR_OWNER_HELD_OUT;
}

/* Releases of one kind. Of noise that owners share: how many shares add up to it, from the least to the most.
 */
static void show_line(hr_buffer *b, const hr_model *m, const line *lines, const size_t run[2], double total) {
    const size_t from = run[0], end = run[1];
    uint64_t draws = 0, least = lines[from].release->shares, most = least;
    for (size_t i = from; i < end; i++) {
        uint64_t shares = lines[i].release->shares;
        draws += lines[i].release->draws;
        least = shares < least ? shares : least;
        most = shares > most ? shares : most;
    }
    double share = total > 0 ? 100 * line_cost_of(lines, from, end) / total : 0;
    show_name(b, lines[from].release->what);
    hr_buffer_format(b, "  %13.1f %%  %10zu  %10" PRIu64, share, end - from, draws);
    if (least < most) hr_buffer_format(b, "  noise in %" PRIu64 " to %" PRIu64 " shares", least, most);
    if (least == most && most) hr_buffer_format(b, "  noise in %" PRIu64 " shares", most);
    if (is_held_out(m, lines[from].release)) hr_buffer_text(b, "  of the records held out");
    hr_buffer_text(b, "\n");
}

static void show_releases(hr_buffer *b, const hr_model *m) {
    size_t count = m->release_count;
    if (!count) return;
    line *lines = calloc(count, sizeof *lines);
    if (!lines) {
        b->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) lines[i].release = &m->releases[i];
    qsort(lines, count, sizeof *lines, by_group);
    mark_costliest(lines, count);
    qsort(lines, count, sizeof *lines, by_what);
    double held_out = 0;
    for (size_t i = 0; i < count; i++)
        if (is_held_out(m, lines[i].release)) held_out += line_cost_of(lines, i, i + 1);
    const double total = fmax(line_cost_of(lines, 0, count) - held_out, held_out);
    hr_buffer_format(b, "\nReleases  %*s  share of budget    releases       draws\n", NAME - 8, "");
    for (size_t from = 0, end; from < count; from = end) {
        end = run_end(lines, from, count, by_what);
        show_line(b, m, lines, (size_t[]){from, end}, total);
    }
    free(lines);
}

/* ---- What the model leans on ---- */

typedef struct bar {
    const char *name;
    double share;
    size_t feature;
} bar;

static int by_share(const void *a, const void *b) {
    const bar *x = a, *y = b;
    if (x->share != y->share) return x->share < y->share ? 1 : -1;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

static void show_importance(hr_buffer *b, const hr_model *m) {
    size_t count = hr_schema_feature_count(m->schema), used = 0;
    double *shares = calloc(count, sizeof *shares);
    bar *bars = calloc(count, sizeof *bars);
    if (!shares || !bars) {
        b->failed = true;
        goto out;
    }
    hr_model_importance(m, shares);
    for (size_t f = 0; f < count; f++) bars[f] = (bar){hr_schema_feature(m->schema, f)->name, shares[f], f};
    for (size_t f = 0; f < count; f++) used += shares[f] > 0;
    qsort(bars, count, sizeof *bars, by_share);
    hr_buffer_format(
        b, "\nFeatures  %zu of %zu used, by the spread of leaf values that their splits account for\n", used,
        count);
    for (size_t i = 0; i < used && i < FEATURES_SHOWN; i++) {
        show_name(b, bars[i].name);
        hr_buffer_format(b, "  %5.1f %%  ", 100 * bars[i].share);
        for (long length = lround(BAR * bars[i].share / bars[0].share); length > 0; length--)
            hr_buffer_text(b, "#");
        hr_buffer_text(b, "\n");
    }
    if (used > FEATURES_SHOWN) hr_buffer_format(b, "  and %zu more\n", used - FEATURES_SHOWN);
out:
    free(shares);
    free(bars);
}

/* ---- Where the facts of the schema are published ---- */

/* Columns whose schema gives a source, or whose facts were read from the records and accepted; how many there
 * are. NULL: they are counted alone. */
static size_t show_facts_of(hr_buffer *b, const hr_column *columns, size_t count) {
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        const hr_column *column = &columns[i];
        const bool repeats = i && column->date && column->date == column[-1].date;
        if (repeats || (!column->source && !column->review)) continue;
        shown++;
        if (!b) continue;
        show_name(b, column->date ? column->date->name : column->name);
        hr_buffer_text(b, "  ");
        if (column->review) hr_buffer_text(b, "read from the records, and accepted: NOT PRIVATE");
        if (!column->review) hr_show_text(b, column->source);
        hr_buffer_text(b, "\n");
    }
    return shown;
}

static void show_facts(hr_buffer *b, const hr_model *m) {
    const hr_schema_parts *parts = hr_schema_parts_of(m->schema);
    hr_column missing = parts->missing_facts;
    missing.name = "spellings of missing";
    const struct {
        const hr_column *columns;
        size_t count;
    } lists[] = {{&parts->label, 1}, {parts->features, parts->feature_count}, {&missing, 1}};
    size_t all = 0;
    for (size_t i = 0; i < 3; i++) all += show_facts_of(NULL, lists[i].columns, lists[i].count);
    if (!all) return;
    hr_buffer_text(b, "\nFacts     where they are published, as the schema states\n");
    for (size_t i = 0; i < 3; i++) show_facts_of(b, lists[i].columns, lists[i].count);
}

hr_status hr_model_summary(const hr_model *model, char **text, hr_error *err) {
    hr_buffer b = {0};
    hr_buffer_text(&b, "Method    ");
    hr_show_text(&b, model->method);
    hr_buffer_text(&b, model->mode == HR_MODE_SOUND ? ", sound mode\n" : ", paper mode\n");
    show_label(&b, model);
    if (!hr_model_statistic(model, 0)) show_shape(&b, model);
    if (model->start_model)
        hr_buffer_format(&b, "Start     the model whose file has the SHA-256\n          %s\n",
                         model->start_model);
    if (hr_model_suspect(model)) {
        hr_buffer_text(&b, "Warning   suspect: what an owner sent is not possible with the records that the\n"
                           "          job said. Checks that failed: ");
        hr_show_text(&b, hr_model_suspect(model));
        hr_buffer_text(&b, "\n");
    }
    const hr_calibration *c = &model->forest.calibration;
    if (c->made)
        hr_buffer_format(&b, "Classes   probabilities calibrated, with intercept %+.3g and slope %.3g\n",
                         c->intercept, c->slope);
    hr_show_interval(&b, model);
    show_guarantee(&b, model);
    show_releases(&b, model);
    if (!hr_model_statistic(model, 0)) show_importance(&b, model);
    hr_show_statistics(&b, model);
    show_facts(&b, model);
    if (model->setting_count) hr_buffer_text(&b, "\nSettings\n");
    for (size_t i = 0; i < model->setting_count; i++) {
        if (hr_is_statistic(&model->settings[i])) continue;
        show_name(&b, model->settings[i].name);
        hr_buffer_text(&b, "  ");
        hr_show_text(&b, model->settings[i].value);
        hr_buffer_text(&b, "\n");
    }
    return hr_buffer_take(&b, text, err);
}
