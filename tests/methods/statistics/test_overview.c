/* statistics: what is counted, what a record adds, the figures, their intervals, and what is refused. Seeds
 * are fixed. */
#include "methods/statistics/overview_counts.h"
#include "methods/statistics/overview_figures.h"
#include "privacy/noise.h"
#include "support/tables.h"
#include "tables/data/records.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 3000, WARDS = 3 };

static hr_fit_options statistics_options(double epsilon, double delta) {
    hr_fit_options options = seeded_options_of("statistics", HR_MODE_SOUND, 5);
    options.epsilon = epsilon;
    options.delta = delta;
    return options;
}

static void set(hr_fit_options *options, const char *name, const char *value) {
    hr_error err = {0};
    if (hr_fit_options_set(options, name, value, &err)) fail_msg("%s", err.message);
}

/* A tenth has no x; w is of integers, and mostly 0. */
static table table_of_columns(uint64_t seed, size_t rows) {
    table t = table_open(rows, 3);
    hr_column features[] = {number_column("x", -2, 6), number_column("w", 0, 5),
                            category_column("ward", WARDS)};
    features[1].integer = true;
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = next_unit(&seed) < .1 ? (double)NAN : 8 * pow(next_unit(&seed), 2) - 2;
        t.columns[1][i] = next_unit(&seed) < .7 ? 0 : floor(6 * next_unit(&seed));
        t.columns[2][i] = floor((WARDS + 1) * next_unit(&seed));
        t.labels[i] = next_unit(&seed) < .3;
    }
    table_make(&t, category_column("y", 2), features);
    return t;
}

static hr_statistic_figure figure_at(const hr_model *m, size_t index, size_t group, size_t place) {
    hr_statistic_figure figure;
    if (!hr_model_statistic_figure(m, index, (size_t[]){group, place}, &figure))
        fail_msg("no figure %zu of group %zu of %zu", place, group, index);
    return figure;
}

static void assert_near(double value, double expected, double most) {
    if (!(fabs(value - expected) <= most)) fail_msg("%.9g, and not %.9g", value, expected);
}

/* ---- Hardly any noise ---- */

/* Sums of a column's values, and how many have none; of those with a label, or all (-1). */
typedef struct truth {
    double n, missing, mean, deviation;
} truth;

static truth truth_of(const table *t, size_t column, int label) {
    truth found = {0};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < t->rows; i++) {
        const double value = t->columns[column][i];
        if (label >= 0 && t->labels[i] != label) continue;
        if (value != value) {
            found.missing++;
            continue;
        }
        found.n++;
        sum += value;
        squares += value * value;
    }
    found.mean = sum / found.n;
    found.deviation = sqrt(squares / found.n - found.mean * found.mean);
    return found;
}

static double count_between(const table *t, size_t column, double low, double high) {
    double count = 0;
    for (size_t i = 0; i < t->rows; i++)
        count += t->columns[column][i] > low && t->columns[column][i] <= high;
    return count;
}

static void assert_moments(const hr_model *m, size_t index, size_t group, const truth *of, double range) {
    const hr_statistic_figure missing = figure_at(m, index, group, 0), mean = figure_at(m, index, group, 1),
                              deviation = figure_at(m, index, group, 2);
    assert_int_equal(missing.kind, HR_STATISTIC_MISSING);
    assert_near(missing.value, of->missing / (of->n + of->missing), 1e-4);
    assert_int_equal(mean.kind, HR_STATISTIC_MEAN);
    assert_near(mean.value, of->mean, range * 2e-4);
    assert_int_equal(deviation.kind, HR_STATISTIC_DEVIATION);
    assert_near(deviation.value, of->deviation, range * 1e-3);
    assert_true(mean.low <= of->mean && of->mean <= mean.high);
    assert_true(deviation.low <= of->deviation && of->deviation <= deviation.high);
}

static void test_statistics__are_those_of_the_records(void **state) {
    (void)state;
    table t = table_of_columns(1, ROWS);
    hr_fit_options options = statistics_options(1e4, 0);
    set(&options, "bins", "10");
    hr_model *m = fit(t.data, &options);
    static const char *const names[] = {"", "x", "w", "ward", "y"};
    for (size_t i = 0; i < COUNT(names); i++) assert_string_equal(hr_model_statistic(m, i), names[i]);
    assert_null(hr_model_statistic(m, COUNT(names)));
    assert_near(figure_at(m, 0, 0, 0).value, ROWS, .1);
    const truth x = truth_of(&t, 0, -1), w = truth_of(&t, 1, -1);
    assert_moments(m, 1, 0, &x, 8);
    assert_moments(m, 2, 0, &w, 5);
    double low = -3;
    for (size_t k = 3; k < 13; k++) {
        const hr_statistic_figure bin = figure_at(m, 1, 0, k);
        assert_int_equal(bin.kind, HR_STATISTIC_BIN);
        assert_near(bin.value, count_between(&t, 0, low, bin.end), .1);
        low = bin.end;
    }
    assert_true(low == 6);
    hr_statistic_figure none;
    assert_false(hr_model_statistic_figure(m, 1, (size_t[]){0, 13}, &none));
    /* Six whole values need no ten bins. */
    for (size_t k = 3; k < 9; k++) {
        assert_true(figure_at(m, 2, 0, k).end == (double)k - 3);
        assert_near(figure_at(m, 2, 0, k).value, count_between(&t, 1, (double)k - 4, (double)k - 3), .1);
    }
    assert_false(hr_model_statistic_figure(m, 2, (size_t[]){0, 9}, &none));
    assert_near(figure_at(m, 3, 0, 0).value, count_between(&t, 2, -1, 0) / ROWS, 1e-4);
    for (size_t k = 1; k <= WARDS; k++)
        assert_near(figure_at(m, 3, 0, k).value, count_between(&t, 2, (double)k - 1, (double)k), .1);
    assert_int_equal(figure_at(m, 4, 0, 0).kind, HR_STATISTIC_VALUE);
    hr_model_free(m);
    table_close(&t);
}

static void test_statistics__are_of_each_class(void **state) {
    (void)state;
    table t = table_of_columns(1, ROWS);
    hr_fit_options options = statistics_options(1e4, 0);
    set(&options, "by", "label");
    set(&options, "columns", "w, x");
    hr_model *m = fit(t.data, &options);
    assert_string_equal(hr_model_statistic(m, 1), "w");
    assert_string_equal(hr_model_statistic(m, 2), "x");
    assert_null(hr_model_statistic(m, 3));
    static const char *const groups[] = {"", "a", "b"};
    for (size_t g = 0; g < COUNT(groups); g++) {
        const truth x = truth_of(&t, 0, (int)g - 1);
        assert_string_equal(hr_model_statistic_group(m, 2, g), groups[g]);
        assert_moments(m, 2, g, &x, 8);
        assert_near(figure_at(m, 0, g, 0).value, x.n + x.missing, .1);
    }
    assert_null(hr_model_statistic_group(m, 2, COUNT(groups)));
    hr_model_free(m);
    table_close(&t);
}

static void test_statistics__are_of_labels_that_are_numbers(void **state) {
    (void)state;
    uint64_t seed = 4;
    table t = table_open(ROWS, 1);
    const hr_column feature = number_column("x", 0, 1);
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++) sum += t.labels[i] = 30 * next_unit(&seed);
    table_make(&t, number_column("y", -10, 50), &feature);
    hr_fit_options options = statistics_options(1e4, 0);
    set(&options, "columns", "y");
    set(&options, "bins", "6");
    hr_model *m = fit(t.data, &options);
    assert_int_equal(figure_at(m, 1, 0, 0).kind, HR_STATISTIC_MEAN);
    assert_near(figure_at(m, 1, 0, 0).value, sum / ROWS, .02);
    assert_near(figure_at(m, 1, 0, 2).value, 0, .01);
    double inner = 0;
    for (size_t k = 3; k < 6; k++) inner += figure_at(m, 1, 0, k).value;
    assert_near(inner, ROWS, .1);
    hr_model_free(m);
    table_close(&t);
}

/* ---- Bins ---- */

static hr_schema *schema_of_integers(double low, double high) {
    hr_column feature = number_column("x", low, high);
    const hr_column label = category_column("y", 2);
    hr_schema *schema = NULL;
    feature.integer = true;
    const hr_schema_parts parts = {.label = label, .features = &feature, .feature_count = 1};
    assert_int_equal(hr_schema_make(&parts, &schema, NULL), HR_OK);
    return schema;
}

/* Each bin has whole values, and as many as any other, or one more: by integers, without rounding. */
static void check_integers(int64_t low, int64_t values) {
    hr_schema *schema = schema_of_integers((double)low, (double)(low + values - 1));
    hr_arena *arena = hr_arena_new();
    hr_fit_options options = statistics_options(1, 0);
    const hr_fit_facts facts = {.options = &options, .schema = schema};
    hr_overview *o = hr_arena_alloc(arena, 1, sizeof *o);
    set(&options, "columns", "x");
    for (options.bins = 1; options.bins <= 256; options.bins++) {
        assert_int_equal(hr_overview_of(&facts, arena, o, NULL), HR_OK);
        const int64_t count = values < options.bins ? values : options.bins;
        assert_int_equal(o->columns[0].cells, 1 + count);
        double last = (double)low - 1;
        for (int64_t i = 0; i < count; i++) {
            const double end = o->columns[0].ends[i];
            if (!(end > last && end == (double)(low + values * (i + 1) / count - 1)))
                fail_msg("bin %d of %d of %lld values ends at %.17g, after %.17g", (int)i, (int)count,
                         (long long)values, end, last);
            last = end;
        }
    }
    hr_arena_free(arena);
    hr_schema_free(schema);
}

static void test_bins__of_integers_share_their_values_out(void **state) {
    (void)state;
    const int64_t large = (int64_t)1 << 53;
    for (int64_t values = 1; values <= 300; values++) check_integers(values % 3 ? -values / 2 : 0, values);
    for (int64_t less = 1; less <= 40; less++) {
        check_integers(0, large - less);
        check_integers(-large / 2, large - less);
        check_integers(-large + 1, large / 256 + less);
    }
}

/* ---- What a record adds ---- */

static hr_exact *counted(const table *t, const hr_overview *o) {
    hr_exact *out = calloc(hr_overview_values(o), sizeof *out);
    assert_non_null(out);
    hr_overview_count(o, t->data, out);
    return out;
}

/* The table's records from `begin` on, with the same schema. */
static table without_first(const table *t, size_t begin) {
    table rest = *t;
    uint32_t *rows = calloc(t->rows, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = begin; i < t->rows; i++) rows[i - begin] = (uint32_t)i;
    rest.data = hr_data_take(t->data, rows, t->rows - begin);
    assert_non_null(rest.data);
    free(rows);
    return rest;
}

/* Of every line: a record changes its numbers by at most the sensitivity in L1, and counts by all of it. */
static void check_one_record(const table *t, const hr_fit_options *options, hr_arena *arena) {
    const hr_fit_facts facts = {.options = options, .schema = t->schema};
    hr_overview *o = hr_arena_alloc(arena, 1, sizeof *o);
    hr_charge *lines = hr_arena_alloc(arena, HR_OVERVIEW_LINES_MAX, sizeof *lines);
    size_t counts[HR_OVERVIEW_LINES_MAX];
    assert_int_equal(hr_overview_of(&facts, arena, o, NULL), HR_OK);
    const size_t line_count = hr_overview_lines(o, 1000000, 0, lines, counts);
    table rest = without_first(t, 1);
    hr_exact *all = counted(t, o), *others = counted(&rest, o);
    hr_units cost = 0;
    double pure = 0, gaussian = 0; /* the largest log-odds of a pure release, and rho or mu^2 of the others */
    for (size_t i = 0, at = 0; i < line_count; at += counts[i++]) {
        int64_t moved = 0, most = (int64_t)lines[i].sensitivity;
        for (size_t k = 0; k < counts[i]; k++) moved += llabs(all[at + k].unpaid - others[at + k].unpaid);
        assert_true(moved <= most);
        if (strstr(lines[i].what, "sum") == NULL) assert_true(moved == most);
        cost += lines[i].cost;
        assert_int_equal(lines[i].group, i);
        const double part = (double)moved / (double)most;
        pure += part * (double)lines[i].cost;
        gaussian += part * part * (double)lines[i].cost; /* L1 is at least L2 */
    }
    assert_true(pure <= 1000000 && pure > 500000 && gaussian <= 1000000);
    assert_true(cost <= 1000000 && cost > 999000);
    free(all);
    free(others);
    hr_data_free(rest.data);
}

static void test_counts__move_by_what_is_charged(void **state) {
    (void)state;
    hr_arena *arena = hr_arena_new();
    for (uint64_t seed = 1; seed <= 60; seed++) {
        table t = table_of_columns(seed, 5);
        hr_fit_options options = statistics_options(1, 0);
        check_one_record(&t, &options, arena);
        set(&options, "by", "label");
        set(&options, "columns", "ward,x,w");
        check_one_record(&t, &options, arena);
        table_close(&t);
    }
    hr_arena_free(arena);
}

/* ---- A game ---- */

enum { PLAYS = 4000, GAME_VALUES = 64 };

/* Which of two worlds the numbers are from, by the exact odds of the noise: discrete Laplace of each line. */
static double odds_of(const hr_noisy *released, hr_exact *const worlds[2], const hr_charge *lines,
                      const size_t *counts, size_t line_count) {
    double odds = 0;
    for (size_t i = 0, at = 0; i < line_count; i++)
        for (size_t k = 0; k < counts[i]; k++, at++)
            odds += (fabs((double)(released[at].paid - worlds[1][at].unpaid)) -
                     fabs((double)(released[at].paid - worlds[0][at].unpaid))) *
                    (double)lines[i].cost / (double)lines[i].sensitivity;
    return odds;
}

/* One record more or less, and a player who knows everything else, and the code. No odds exceed epsilon = 1,
 * so that no guess at even odds is right with a probability above e/(1 + e) = .731; .0294 more is found in
 * 8000 plays with a probability below 1e-6 (Hoeffding). A player who sees nothing is right in half of them.
 */
static void test_game__is_won_as_often_as_epsilon_allows(void **state) {
    (void)state;
    table t = table_of_columns(9, 40);
    table rest = without_first(&t, 1);
    hr_arena *arena = hr_arena_new();
    hr_fit_options options = statistics_options(1, 0);
    set(&options, "columns", "x,ward");
    const hr_fit_facts facts = {.options = &options, .schema = t.schema};
    hr_overview *o = hr_arena_alloc(arena, 1, sizeof *o);
    hr_charge *lines = hr_arena_alloc(arena, HR_OVERVIEW_LINES_MAX, sizeof *lines);
    size_t counts[HR_OVERVIEW_LINES_MAX], won = 0;
    const hr_units budget = HR_UNIT;
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_overview_of(&facts, arena, o, NULL), HR_OK);
    const size_t line_count = hr_overview_lines(o, budget, 0, lines, counts);
    hr_exact *worlds[2] = {counted(&t, o), counted(&rest, o)};
    assert_int_equal(hr_csprng_open_seeded(11, &csprng, NULL), HR_OK);
    for (size_t play = 0; play < 2 * PLAYS; play++) {
        hr_noisy released[GAME_VALUES];
        hr_gate *gate = NULL;
        const size_t world = play % 2;
        assert_int_equal(hr_gate_new(HR_PRIVACY_PURE, budget, csprng, &gate, NULL), HR_OK);
        for (size_t i = 0, at = 0; i < line_count; at += counts[i++])
            assert_int_equal(
                hr_gate_release_sums(gate, &lines[i], worlds[world] + at, counts[i], released + at, NULL),
                HR_OK);
        const double odds = odds_of(released, worlds, lines, counts, line_count) / (double)HR_UNIT;
        assert_true(fabs(odds) <= 1 + 1e-9);
        won += (odds > 0) == (world == 0);
        hr_gate_free(gate);
    }
    const double part = (double)won / (2. * PLAYS);
    if (part > .731 + .0294 || part < .5 + .0294) fail_msg("won %g of all", part);
    hr_csprng_close(csprng);
    free(worlds[0]);
    free(worlds[1]);
    hr_data_free(rest.data);
    hr_arena_free(arena);
    table_close(&t);
}

/* The ends of the bounds are the extremes of both sums. */
static void test_counts__of_bounds_are_all_that_is_charged(void **state) {
    (void)state;
    static const double values[] = {-2, 6, 2};
    static const int64_t sums[] = {-HR_LABEL_SENSITIVITY, HR_LABEL_SENSITIVITY, 0},
                         squares[] = {HR_LABEL_SENSITIVITY, HR_LABEL_SENSITIVITY, -HR_LABEL_SENSITIVITY};
    hr_arena *arena = hr_arena_new();
    hr_fit_options options = statistics_options(1, 0);
    set(&options, "columns", "x");
    for (size_t i = 0; i < COUNT(values); i++) {
        table t = table_open(1, 1);
        const hr_column feature = number_column("x", -2, 6);
        t.columns[0][0] = values[i];
        table_make(&t, category_column("y", 2), &feature);
        const hr_fit_facts facts = {.options = &options, .schema = t.schema};
        hr_overview *o = hr_arena_alloc(arena, 1, sizeof *o);
        assert_int_equal(hr_overview_of(&facts, arena, o, NULL), HR_OK);
        hr_exact *all = counted(&t, o);
        assert_int_equal(all[1 + 17].unpaid, sums[i]);
        assert_int_equal(all[1 + 17 + 1].unpaid, squares[i]);
        free(all);
        table_close(&t);
    }
    hr_arena_free(arena);
}

static void test_statistics__weigh_records(void **state) {
    (void)state;
    double weights[ROWS];
    table t = table_of_columns(3, ROWS);
    for (size_t i = 0; i < ROWS; i++) weights[i] = t.columns[2][i] == 1 ? .5 : 1;
    hr_fit_options options = statistics_options(1e4, 0);
    options.record_weights = weights;
    options.record_weight_count = ROWS;
    hr_model *m = fit(t.data, &options);
    assert_int_equal(m->releases[0].sensitivity, HR_PERSON_UNIT);
    assert_near(figure_at(m, 3, 0, 1).value, .5 * count_between(&t, 2, 0, 1), .1);
    assert_near(figure_at(m, 3, 0, 2).value, count_between(&t, 2, 1, 2), .1);
    double sum = 0, weight = 0;
    for (size_t i = 0; i < ROWS; i++) sum += weights[i] * t.columns[1][i], weight += weights[i];
    assert_near(figure_at(m, 2, 0, 1).value, sum / weight, 2e-3);
    hr_model_free(m);
    table_close(&t);
}

/* ---- Consistency and intervals ---- */

static double sum_of_counts(const hr_model *m, size_t index, size_t group) {
    hr_statistic_figure figure;
    const double records = figure_at(m, 0, group, 0).value;
    double sum = 0;
    for (size_t k = 0; hr_model_statistic_figure(m, index, (size_t[]){group, k}, &figure); k++) {
        assert_true(figure.low <= figure.value && figure.value <= figure.high);
        if (figure.kind == HR_STATISTIC_MISSING) sum += figure.value * records;
        if (figure.kind >= HR_STATISTIC_BIN) sum += figure.value;
        if (figure.kind >= HR_STATISTIC_BIN) assert_true(figure.value >= 0 && figure.low >= 0);
    }
    return sum;
}

static void test_figures__add_up(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-6};
    table t = table_of_columns(5, 400);
    for (size_t d = 0; d < COUNT(deltas); d++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            hr_fit_options options = statistics_options(1, deltas[d]);
            options.seed = seed;
            set(&options, "by", "label");
            hr_model *m = fit(t.data, &options);
            double records = 0;
            for (size_t g = 1; g <= 2; g++) records += figure_at(m, 0, g, 0).value;
            if (figure_at(m, 0, 1, 0).value > 0 && figure_at(m, 0, 2, 0).value > 0)
                assert_near(records, figure_at(m, 0, 0, 0).value, .01);
            for (size_t i = 1; hr_model_statistic(m, i); i++)
                for (size_t g = 0; g <= 2; g++)
                    assert_near(sum_of_counts(m, i, g), figure_at(m, 0, g, 0).value, .01);
            hr_model_free(m);
        }
    table_close(&t);
}

/* Each interval is to cover in 95 of 100; of 600 independent fits, fewer than 535 (89 of 100) cover with a
 * probability below 1e-6 each, by the binomial law with .95. */
static void test_intervals__cover_the_figures_without_noise(void **state) {
    (void)state;
    enum { FITS = 600, LEAST = 535 };
    static const double deltas[] = {0, 1e-6};
    table t = table_of_columns(6, 2000);
    const truth x = truth_of(&t, 0, -1);
    const double bin = count_between(&t, 0, -3, -1.5), ward = count_between(&t, 2, 0, 1);
    for (size_t d = 0; d < COUNT(deltas); d++) {
        size_t covered[6] = {0};
        for (uint64_t seed = 1; seed <= FITS; seed++) {
            hr_fit_options options = statistics_options(.5, deltas[d]);
            options.seed = seed;
            hr_model *m = fit(t.data, &options);
            const hr_statistic_figure figures[] = {figure_at(m, 0, 0, 0), figure_at(m, 1, 0, 0),
                                                   figure_at(m, 1, 0, 1), figure_at(m, 1, 0, 2),
                                                   figure_at(m, 1, 0, 3), figure_at(m, 3, 0, 1)};
            const double truths[] = {2000, x.missing / 2000, x.mean, x.deviation, bin, ward};
            for (size_t i = 0; i < COUNT(figures); i++)
                covered[i] += figures[i].low <= truths[i] && truths[i] <= figures[i].high;
            hr_model_free(m);
        }
        for (size_t i = 0; i < COUNT(covered); i++)
            if (covered[i] < LEAST)
                fail_msg("delta %g: figure %zu is covered %zu times", deltas[d], i, covered[i]);
    }
    table_close(&t);
}

static void test_counts__are_made_possible(void **state) {
    (void)state;
    double counts[] = {5, -3, 2, .5}, sorted[4];
    static const double expected[] = {4.5, 0, 1.5, 0};
    hr_counts_make_possible(counts, 4, 6, sorted);
    for (size_t i = 0; i < 4; i++) assert_near(counts[i], expected[i], 1e-12);
    hr_counts_make_possible(counts, 4, 0, sorted);
    for (size_t i = 0; i < 4; i++) assert_near(counts[i], 0, 1e-12);
}

/* ---- What is refused ---- */

static void refuse(const hr_data *data, const hr_fit_options *options, const char *message,
                   const char *name) {
    hr_error err = {0};
    hr_model *model = NULL;
    assert_int_not_equal(hr_fit(data, options, &model, &err), HR_OK);
    assert_string_equal(err.message, message);
    assert_string_equal(err.field, name);
}

static void test_statistics__refuse_what_is_no_column(void **state) {
    (void)state;
    table t = table_of_columns(1, 50);
    hr_fit_options options = statistics_options(1, 0);
    set(&options, "columns", "x,z");
    refuse(t.data, &options, "the schema has no column 'z'", "columns");
    set(&options, "columns", "x,y");
    set(&options, "by", "label");
    refuse(t.data, &options, "'y' is what the groups are by", "columns");
    table_close(&t);
    t = table_open(10, 1);
    const hr_column feature = number_column("x", 0, 1);
    table_make(&t, number_column("y", 0, 1), &feature);
    set(&options, "columns", "x");
    refuse(t.data, &options, "groups are the classes of a label with at most 64 of them", "by");
    table_close(&t);
}

static void test_statistics__refuse_too_many_numbers(void **state) {
    (void)state;
    table t = table_open(10, TABLE_FEATURES);
    hr_column features[TABLE_FEATURES];
    char names[TABLE_FEATURES][4];
    for (size_t f = 0; f < TABLE_FEATURES; f++) {
        sprintf(names[f], "x%zu", f);
        features[f] = number_column(names[f], 0, 1);
    }
    table_make(&t, category_column("y", 10), features);
    hr_fit_options options = statistics_options(1, 0);
    set(&options, "by", "label");
    set(&options, "bins", "255");
    refuse(t.data, &options, "41290 numbers, and at most 16384 are released", "columns");
    options = statistics_options(1e-14, 0);
    hr_model *model = NULL;
    assert_int_equal(hr_fit(t.data, &options, &model, NULL), HR_E_BUDGET);
    table_close(&t);
}

static void test_statistics__predict_nothing(void **state) {
    (void)state;
    table t = table_of_columns(1, 50);
    const hr_fit_options options = statistics_options(1, 0);
    hr_model *m = fit(t.data, &options);
    double out[50];
    hr_error err = {0};
    assert_int_equal(hr_model_predict(m, t.data, 1, out, &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, "these are statistics of columns, and predict nothing");
    assert_int_equal(hr_model_scores(m, t.data, 1, out, &err), HR_E_ARGUMENT);
    hr_model_free(m);
    table_close(&t);
}

/* A model file is anybody's text. */
static void test_statistics__read_no_figures_of_other_texts(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "mean",
                                        "mean: ",
                                        "mean: 1",
                                        "mean: 1 (0",
                                        "mean: 1 (0..",
                                        "mean: 1 (0.2)",
                                        "median: 1 (0..2)",
                                        "to : 1 (0..2)",
                                        "value 0: 1 (0..2)",
                                        "value 4: 1 (0..2)",
                                        " | mean: 1 (0..2)"};
    table t = table_of_columns(1, 5);
    hr_setting settings[] = {{"statistic", "mean: 1 (0..2)"}, {"statistics ward", NULL}};
    hr_model model = {.settings = settings, .setting_count = COUNT(settings), .schema = t.schema};
    hr_statistic_figure figure;
    for (size_t i = 0; i < COUNT(texts); i++) {
        settings[1].value = texts[i];
        assert_string_equal(hr_model_statistic(&model, 0), "ward");
        assert_false(hr_model_statistic_figure(&model, 0, (size_t[]){0, 0}, &figure));
    }
    settings[1].value = "value 3: 1 (0..2); mean: 2 (1..3) | mean: 3 (1..4)";
    assert_true(hr_model_statistic_figure(&model, 0, (size_t[]){0, 0}, &figure) && figure.end == 3);
    assert_true(hr_model_statistic_figure(&model, 0, (size_t[]){0, 1}, &figure) && figure.high == 3);
    assert_true(hr_model_statistic_figure(&model, 0, (size_t[]){1, 0}, &figure) && figure.value == 3);
    assert_false(hr_model_statistic_figure(&model, 0, (size_t[]){0, 2}, &figure));
    assert_false(hr_model_statistic_figure(&model, 0, (size_t[]){2, 0}, &figure));
    assert_null(hr_model_statistic(&model, 1));
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics__are_those_of_the_records),
        cmocka_unit_test(test_statistics__are_of_each_class),
        cmocka_unit_test(test_statistics__are_of_labels_that_are_numbers),
        cmocka_unit_test(test_bins__of_integers_share_their_values_out),
        cmocka_unit_test(test_counts__move_by_what_is_charged),
        cmocka_unit_test(test_game__is_won_as_often_as_epsilon_allows),
        cmocka_unit_test(test_counts__of_bounds_are_all_that_is_charged),
        cmocka_unit_test(test_statistics__weigh_records),
        cmocka_unit_test(test_figures__add_up),
        cmocka_unit_test(test_intervals__cover_the_figures_without_noise),
        cmocka_unit_test(test_counts__are_made_possible),
        cmocka_unit_test(test_statistics__refuse_what_is_no_column),
        cmocka_unit_test(test_statistics__refuse_too_many_numbers),
        cmocka_unit_test(test_statistics__predict_nothing),
        cmocka_unit_test(test_statistics__read_no_figures_of_other_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
