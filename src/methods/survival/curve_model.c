#include "methods/survival/curve_model.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "base/text/number.h"
#include "methods/survival/life_table.h"
#include "tables/schema/survival_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CODES_MAX = 2 * HR_INTERVALS_MAX + 1 };

size_t hr_curve_groups(const hr_curve *curve) {
    return curve->group ? hr_category_bins(curve->group) : 1;
}

size_t hr_curve_counts(const hr_curve *curve) {
    return hr_curve_groups(curve) * hr_survival_codes(curve->intervals);
}

/* A curve in the making. */
typedef struct life_curve {
    hr_life_interval life[HR_INTERVALS_MAX];
    size_t known; /* intervals of which it is known who was at risk: the first so many */
    double records;
} life_curve;

/* Curves in the making, and where they go. */
typedef struct curve_builder {
    const hr_curve *curve;
    hr_arena *arena;
    life_curve all, groups[HR_CURVE_GROUPS_MAX];
} curve_builder;

/* ---- The forest ---- */

/* The log-odds of the hazard of interval k. */
static double score_of(const hr_life_interval *life, size_t k) {
    static const double least = 1e-6;
    const double before = k ? life[k - 1].survival : 1,
                 hazard = before > 0 ? 1 - life[k].survival / before : 1,
                 kept = fmin(fmax(hazard, least), 1 - least);
    return log(kept / (1 - kept));
}

/* A split into all values of the category; a group that noise hides is as all are. */
static hr_status make_tree(const curve_builder *m, size_t output, hr_tree *out, hr_error *err) {
    const size_t groups = hr_curve_groups(m->curve);
    *out = (hr_tree){.node_count = groups + 1, .output = output};
    out->nodes = hr_arena_alloc(m->arena, groups + 1, sizeof *out->nodes);
    out->counts = hr_arena_alloc(m->arena, groups + 1, sizeof *out->counts);
    if (!out->nodes || !out->counts) return hr_fail_memory(err);
    out->nodes[0] = (hr_node){.left = 1, .feature = m->curve->feature, .branches = (uint16_t)groups};
    out->counts[0] = 0;
    for (size_t g = 0; g < groups; g++) {
        const life_curve *group = &m->groups[g];
        out->nodes[g + 1] = (hr_node){
            .value = group->known ? score_of(group->life, output) - score_of(m->all.life, output) : 0};
        out->counts[0] += out->counts[g + 1] = fmax(group->records, 0);
    }
    return HR_OK;
}

static hr_status make_forest(const curve_builder *m, hr_forest *out, hr_error *err) {
    const size_t intervals = m->curve->intervals;
    *out = (hr_forest){
        .link = HR_LINK_HAZARD, .output_count = intervals, .tree_count = m->curve->group ? intervals : 0};
    out->base = hr_arena_alloc(m->arena, intervals, sizeof *out->base);
    out->trees = hr_arena_alloc(m->arena, out->tree_count + 1, sizeof *out->trees);
    if (!out->base || !out->trees) return hr_fail_memory(err);
    for (size_t k = 0; k < intervals; k++) out->base[k] = score_of(m->all.life, k);
    hr_status status = HR_OK;
    for (size_t k = 0; !status && k < out->tree_count; k++) status = make_tree(m, k, &out->trees[k], err);
    return status;
}

/* ---- The texts ---- */

static hr_status take_text(const curve_builder *m, hr_buffer *text, const char **out, hr_error *err) {
    char *made = NULL;
    hr_status status = hr_buffer_take(text, &made, err);
    if (status) return status;
    *out = hr_arena_text(m->arena, made, strlen(made));
    free(made);
    return *out ? HR_OK : hr_fail_memory(err);
}

static hr_status describe_curve(const curve_builder *m, const life_curve *made, const char **out,
                                hr_error *err) {
    const hr_column *label = hr_schema_label(m->curve->schema);
    hr_buffer text = {0};
    if (!made->known && made != &m->all) hr_buffer_text(&text, "too few records to tell");
    for (size_t k = 0; (made->known || made == &m->all) && k < m->curve->intervals; k++) {
        const hr_life_interval *life = &made->life[k];
        char cut[HR_NUMBER_TEXT];
        hr_number_text(label->intervals[k], cut);
        hr_buffer_format(&text, "%s%s: %.4f (%.4f..%.4f)", k ? "; " : "", cut, life->survival, life->low,
                         life->high);
    }
    return take_text(m, &text, out, err);
}

/* "curve sex=f"; of the first group "curve sex is missing", which no value is called. */
static hr_status name_group(const curve_builder *m, size_t group, const char **out, hr_error *err) {
    const hr_column *column = m->curve->group;
    hr_buffer text = {0};
    hr_buffer_format(&text, HR_CURVE_SETTING " %s%s%s", column->name, group ? "=" : " is missing",
                     group ? column->values[group - 1] : "");
    return take_text(m, &text, out, err);
}

static hr_status describe_all(const curve_builder *m, hr_curve_made *out, hr_error *err) {
    const size_t groups = m->curve->group ? hr_curve_groups(m->curve) : 0;
    hr_named_curve *curves = hr_arena_alloc(m->arena, groups + 1, sizeof *curves);
    if (!curves) return hr_fail_memory(err);
    curves[0] = (hr_named_curve){.name = HR_CURVE_SETTING};
    hr_status status = describe_curve(m, &m->all, &curves[0].text, err);
    for (size_t g = 0; !status && g < groups; g++) {
        status = name_group(m, g, &curves[g + 1].name, err);
        if (!status) status = describe_curve(m, &m->groups[g], &curves[g + 1].text, err);
    }
    out->curves = curves;
    out->curve_count = groups + 1;
    return status;
}

/* ---- All of it ---- */

/* counts: by code, in records. */
static void make_life(const curve_builder *m, const double *counts, double deviation, life_curve *out) {
    out->records = 0;
    for (size_t c = 0; c < hr_survival_codes(m->curve->intervals); c++) out->records += counts[c];
    out->known = hr_life_table(counts, m->curve->intervals, deviation, out->life);
}

hr_status hr_curve_make(const hr_curve *curve, const hr_noisy *counts, double deviation, hr_arena *arena,
                        hr_curve_made *out, hr_error *err) {
    const double one = (double)hr_unit_of_counts(curve->unit);
    const size_t groups = hr_curve_groups(curve), codes = hr_survival_codes(curve->intervals);
    double of_all[CODES_MAX] = {0};
    curve_builder *m = malloc(sizeof *m);
    if (!m) return hr_fail_memory(err);
    *m = (curve_builder){.curve = curve, .arena = arena};
    for (size_t g = 0; g < groups; g++) {
        double of_group[CODES_MAX];
        for (size_t c = 0; c < codes; c++)
            of_all[c] += of_group[c] = (double)counts[g * codes + c].paid / one;
        make_life(m, of_group, deviation / one, &m->groups[g]);
    }
    make_life(m, of_all, deviation / one * sqrt((double)groups), &m->all);
    *out = (hr_curve_made){.records = fmax(m->all.records, 1)};
    hr_status status = describe_all(m, out, err);
    if (!status) status = make_forest(m, &out->forest, err);
    free(m);
    return status;
}
