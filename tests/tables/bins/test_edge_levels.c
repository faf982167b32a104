/* Edges from summed counts: the cuts that drawing pair by pair gives, for one owner or several; what it
 * costs; questions that no machine asks. */
#include "privacy/noise.h"
#include "privacy/quantiles.h"
#include "privacy/sensitivity.h"
#include "support/bin_fixture.h"
#include "support/gate_cost.h"
#include "tables/bins/edge_levels.h"

#include <stdio.h>

enum { GRID = 1 << HR_EDGE_LEVELS, NODES = 2 * GRID };

/* ---- Tables ---- */

/* Numbers of several shapes, few whole values and categories among them. */
enum { FEATURES = 8, ROWS = 3000 };
static const uint32_t CUT[] = {0, 2, 3, 4, 6, 7}; /* of them, with fewer than 40 bins */
static double columns[FEATURES][ROWS];

static fixture shapes(size_t from, size_t rows, uint64_t seed) {
    static const char *const values[] = {"a", "b", "c"};
    const hr_column features[FEATURES] = {
        {.name = "square", .kind = HR_KIND_NUMBER, .low = -4, .high = 12},
        {.name = "category", .kind = HR_KIND_CATEGORY, .value_count = 3, .values = values},
        {.name = "wide", .kind = HR_KIND_NUMBER, .low = -1000, .high = 1000},
        {.name = "tied", .kind = HR_KIND_NUMBER, .low = 0, .high = 1},
        {.name = "missing", .kind = HR_KIND_NUMBER, .low = 0, .high = 1},
        {.name = "few", .kind = HR_KIND_NUMBER, .low = 0, .high = 1, .integer = true},
        {.name = "many", .kind = HR_KIND_NUMBER, .low = 0, .high = 5000, .integer = true},
        {.name = "bounds", .kind = HR_KIND_NUMBER, .low = .2, .high = .7}};
    const double *part[FEATURES];
    hr_dice dice;
    hr_dice_init(&dice, seed);
    for (size_t i = 0; i < ROWS; i++) {
        double u = hr_dice_unit(&dice);
        columns[0][i] = -4 + 16 * u * u;
        columns[1][i] = (double)hr_dice_below(&dice, 4);
        columns[2][i] = u * 3 - 1;
        columns[3][i] = hr_dice_below(&dice, 10) ? .25 : u;
        columns[4][i] = (double)NAN;
        columns[5][i] = (double)hr_dice_below(&dice, 2);
        columns[6][i] = floor(5000 * u * hr_dice_unit(&dice));
        columns[7][i] = i % 3 ? .2 : .7;
    }
    for (size_t f = 0; f < FEATURES; f++) part[f] = columns[f] + from;
    return fixture_open(features, FEATURES, rows, part);
}

/* Numbers between 0 and 1; column: the values of all of them, NULL for no data. */
static fixture alike(size_t features, size_t rows, const double *column) {
    enum { MOST = 1100, NAME = 8 };
    static char names[MOST][NAME];
    static hr_column made[MOST];
    static const double *data[MOST];
    assert_true(features <= MOST);
    for (size_t f = 0; f < features; f++) {
        snprintf(names[f], NAME, "x%zu", f);
        made[f] = bounded_number(0, 1, false);
        made[f].name = names[f];
        data[f] = column;
    }
    return fixture_open(made, features, rows, column ? data : NULL);
}

/* ---- Owners ---- */

static hr_noisy released(int64_t value) {
    hr_noisy noisy;
    noisy.paid = value;
    return noisy;
}

/* Noise that a node has however it is drawn. */
static int64_t noise_of(uint32_t feature, size_t node, int64_t largest) {
    hr_dice dice;
    hr_dice_init(&dice, feature * 100003 + node);
    return largest ? (int64_t)hr_dice_below(&dice, (uint32_t)(2 * largest + 1)) - largest : 0;
}

static hr_edge_levels *must_machine(fixture f, uint32_t bins, double noise) {
    hr_edge_levels *machine = NULL;
    const hr_edge_levels_setup setup = {f.schema, bins, noise, f.arena};
    assert_int_equal(hr_edge_levels_new(&setup, &machine, NULL), HR_OK);
    return machine;
}

typedef struct run {
    uint32_t bins;
    int64_t noise; /* the largest, of a node */
    size_t questions;
    bool asked[FEATURES][NODES];
} run;

/* The sums that `parts` tables give, each node once. */
static void answer(const fixture *parts, size_t part_count, const hr_edge_question *question, run *r,
                   hr_noisy *out) {
    hr_exact *exact = malloc(question->values * sizeof *exact);
    size_t at = 0;
    assert_non_null(exact);
    for (size_t i = 0; i < question->values; i++) out[i] = released(0);
    for (size_t p = 0; p < part_count; p++) {
        assert_int_equal(hr_edges_count_nodes(parts[p].data, r->bins, question, exact, NULL), HR_OK);
        for (size_t i = 0; i < question->values; i++) out[i].paid += exact[i].unpaid;
    }
    for (size_t p = 0; p < question->part_count; p++) {
        const hr_edge_nodes *part = &question->parts[p];
        for (size_t i = 0; i < part->count; i++) {
            assert_false(r->asked[part->feature][part->nodes[i]]);
            r->asked[part->feature][part->nodes[i]] = true;
            out[at++].paid += noise_of(part->feature, part->nodes[i], r->noise);
        }
    }
    free(exact);
}

/* The machine at its end: the caller frees it. */
static hr_edge_levels *run_levels(const fixture *parts, size_t part_count, run *r) {
    hr_edge_levels *machine = must_machine(parts[0], r->bins, (double)r->noise / 2);
    hr_edge_question question, again;
    while (hr_edge_levels_next(machine, &question)) {
        assert_null(hr_edge_levels_binning(machine));
        assert_int_equal(hr_edge_question_check(parts[0].schema, r->bins, &question, NULL), HR_OK);
        assert_true(hr_edge_levels_next(machine, &again) && again.values == question.values);
        hr_noisy *values = malloc(question.values * sizeof *values);
        assert_non_null(values);
        answer(parts, part_count, &question, r, values);
        assert_int_equal(hr_edge_levels_accept(machine, values, NULL), HR_OK);
        free(values);
        r->questions++;
    }
    assert_non_null(hr_edge_levels_binning(machine));
    return machine;
}

/* ---- The same law ---- */

/* Drawing pair by pair; every pair that it draws was asked for level by level. */
static void cut_lazily(fixture f, size_t feature, const run *r, hr_cuts *cuts) {
    static hr_exact cells[GRID], nodes[NODES];
    const hr_column *column = hr_schema_feature(f.schema, feature);
    hr_quantile_counts *machine;
    size_t node;
    int level;
    memset(cells, 0, sizeof cells);
    hr_edges_count_cells(
        column, &(hr_edge_values){hr_data_numbers(f.data, feature), NULL, hr_data_rows(f.data)}, GRID, cells);
    hr_quantiles_node_counts(&(hr_grid_counts){cells, HR_EDGE_LEVELS, HR_PER_RECORD}, nodes);
    assert_int_equal(hr_quantile_counts_new(HR_EDGE_LEVELS, r->bins, (double)r->noise / 2, &machine, NULL),
                     HR_OK);
    while (hr_quantile_counts_next(machine, &node, &level))
        for (size_t i = node; i < node + 2; i++) {
            assert_true(r->asked[feature][i]);
            hr_quantile_counts_accept(machine, i,
                                      released(nodes[i].unpaid + noise_of((uint32_t)feature, i, r->noise)));
        }
    cuts->count = hr_quantile_counts_cuts(machine, cuts->at);
    hr_quantile_counts_free(machine);
}

static void check_lazily_cut(fixture f, const hr_binning *binning, const run *r) {
    hr_edges_machine edges;
    size_t feature;
    assert_int_equal(hr_edges_begin(&edges, f.schema, r->bins, f.arena, NULL), HR_OK);
    while (hr_edges_next(&edges, &feature)) {
        uint32_t at[HR_BINS_MAX];
        hr_cuts cuts = {at, 0};
        cut_lazily(f, feature, r, &cuts);
        assert_int_equal(hr_edges_accept(&edges, &cuts, HR_EDGE_LEVELS, NULL), HR_OK);
    }
    assert_int_equal(binning->feature_count, FEATURES);
    for (size_t k = 0; k < FEATURES; k++) {
        assert_int_equal(binning->features[k].kind, edges.binning.features[k].kind);
        if (binning->features[k].kind == HR_KIND_NUMBER)
            check_same_bins(&binning->features[k], &edges.binning.features[k]);
    }
}

static void test_levels__cut_as_pairs_do(void **state) {
    (void)state;
    static const size_t rows[] = {1, 30, ROWS};
    static const uint32_t bins[] = {2, 7, 32, 255};
    static const int64_t noises[] = {0, 3, 200, 5000, 200000};
    static run r;
    for (size_t n = 0; n < COUNT(rows); n++)
        for (size_t b = 0; b < COUNT(bins); b++)
            for (size_t k = 0; k < COUNT(noises); k++) {
                fixture f = shapes(0, rows[n], n + 1);
                memset(&r, 0, sizeof r);
                r.bins = bins[b];
                r.noise = noises[k];
                hr_edge_levels *machine = run_levels(&f, 1, &r);
                check_lazily_cut(f, hr_edge_levels_binning(machine), &r);
                hr_edge_levels_free(machine);
                fixture_close(f);
            }
}

/* Without noise the edges are those that one process releases of all records. */
static void test_levels__cut_pooled_records_as_one_process_does(void **state) {
    (void)state;
    static run r;
    fixture parts[] = {shapes(0, 100, 9), shapes(100, 1500, 9), shapes(1600, ROWS - 1600, 9)};
    fixture all = shapes(0, ROWS, 9);
    const hr_charge charge = {"bin edges", -1, -1, 0, 0, 0, 1};
    hr_gate *gate;
    size_t feature;
    memset(&r, 0, sizeof r);
    r.bins = 32;
    hr_edge_levels *machine = run_levels(parts, COUNT(parts), &r);
    const hr_binning *made = hr_edge_levels_binning(machine);
    hr_edges_machine edges;
    assert_int_equal(hr_gate_new(HR_PRIVACY_NONE, 0, NULL, &gate, NULL), HR_OK);
    assert_int_equal(hr_edges_begin(&edges, all.schema, r.bins, all.arena, NULL), HR_OK);
    for (size_t i = 0; hr_edges_next(&edges, &feature); i++) {
        static hr_exact cells[GRID];
        uint32_t at[HR_BINS_MAX];
        hr_cuts cuts = {at, 0};
        memset(cells, 0, sizeof cells);
        hr_edges_count_cells(hr_schema_feature(all.schema, feature),
                             &(hr_edge_values){hr_data_numbers(all.data, feature), NULL, ROWS}, GRID, cells);
        assert_int_equal(hr_quantiles_by_counts(gate, &charge,
                                                &(hr_grid_counts){cells, HR_EDGE_LEVELS, HR_PER_RECORD},
                                                r.bins, &cuts, NULL),
                         HR_OK);
        assert_int_equal(feature, CUT[i]);
        assert_int_equal(hr_edges_accept(&edges, &cuts, HR_EDGE_LEVELS, NULL), HR_OK);
        check_same_bins(&made->features[feature], &edges.binning.features[feature]);
    }
    assert_true(made->features[0].bin_count > 20); /* there was something to compare */
    hr_edge_levels_free(machine);
    hr_gate_free(gate);
    fixture_close(all);
    for (size_t p = 0; p < COUNT(parts); p++) fixture_close(parts[p]);
}

/* ---- Questions ---- */

static int levels_of(const hr_edge_question *question) {
    int low = HR_EDGE_LEVELS, high = 1;
    for (size_t p = 0; p < question->part_count; p++) {
        low = question->parts[p].level < low ? question->parts[p].level : low;
        high = question->parts[p].level > high ? question->parts[p].level : high;
    }
    return high - low + 1;
}

/* A skewed number: its counts are computed, not counted. */
static int64_t skewed_count(size_t node, double records) {
    int level = 0;
    for (size_t n = node; n >>= 1;) level++;
    double width = ldexp(1, -level), low = (double)(node - ((size_t)1 << level)) * width;
    return (int64_t)(records * (cbrt(low + width) - cbrt(low))) * HR_COUNT_UNIT;
}

/* 54 features; noise: in records. */
static size_t count_questions(double records, double noise) {
    enum { MANY = 54 };
    fixture f = alike(MANY, 0, NULL);
    hr_edge_levels *machine = must_machine(f, 32, noise * HR_COUNT_UNIT);
    hr_edge_question question;
    size_t questions = 0;
    int told = 0;
    for (; hr_edge_levels_next(machine, &question); questions++) {
        hr_noisy *noisy = malloc(question.values * sizeof *noisy), *next = noisy;
        int levels = levels_of(&question);
        assert_non_null(noisy);
        assert_true(question.values <= 16384 || levels == 1);
        assert_true(questions || (levels == 6 && question.values == MANY * 126));
        assert_int_equal(question.parts[0].level, told + 1);
        for (size_t p = 0; p < question.part_count; p++)
            for (size_t i = 0; i < question.parts[p].count; i++)
                *next++ = released(skewed_count(question.parts[p].nodes[i], records));
        assert_int_equal(hr_edge_levels_accept(machine, noisy, NULL), HR_OK);
        told += levels;
        free(noisy);
    }
    hr_edge_levels_free(machine);
    fixture_close(f);
    return questions;
}

/* 600 records of noise: what epsilon 1 leaves. */
static void test_levels__need_few_questions(void **state) {
    (void)state;
    assert_int_equal(count_questions(3000, 600), 1);
    assert_in_range(count_questions(100000, 600), 3, 5);
    assert_in_range(count_questions(500000, 100), 6, 9);
}

/* More features than fit into a question are asked for one share after the other, each node once. */
static void test_levels__ask_of_a_wide_table_in_shares(void **state) {
    (void)state;
    enum { WIDE = 1100 };
    static size_t asked[WIDE];
    fixture f = alike(WIDE, 0, NULL);
    hr_edge_levels *machine = must_machine(f, 2, 1);
    hr_edge_question question;
    size_t questions = 0;
    for (; hr_edge_levels_next(machine, &question); questions++) {
        hr_noisy *none = calloc(question.values, sizeof *none);
        assert_non_null(none);
        assert_int_equal(hr_edge_question_check(f.schema, 2, &question, NULL), HR_OK);
        for (size_t p = 0; p < question.part_count; p++)
            asked[question.parts[p].feature] += question.parts[p].count;
        assert_int_equal(hr_edge_levels_accept(machine, none, NULL), HR_OK);
        free(none);
    }
    assert_int_equal(questions, 2);
    for (size_t k = 0; k < WIDE; k++) assert_int_equal(asked[k], 126);
    assert_int_equal(hr_edge_levels_binning(machine)->features[WIDE - 1].bin_count, 3);
    hr_edge_levels_free(machine);
    fixture_close(f);
}

static void test_levels__ask_nothing_where_bins_are_public(void **state) {
    (void)state;
    const hr_column whole = bounded_number(0, 9, true);
    fixture f = fixture_open(&whole, 1, 0, NULL);
    hr_edge_levels *machine = must_machine(f, 32, 1);
    hr_edge_question question;
    assert_false(hr_edge_levels_next(machine, &question));
    assert_int_equal(question.part_count, 0);
    assert_int_equal(hr_edge_levels_lines(f.schema, 32), 0);
    assert_int_equal(hr_edge_levels_accept(machine, NULL, NULL), HR_OK);
    assert_int_equal(hr_edge_levels_binning(machine)->features[0].bin_count, 11);
    hr_edge_levels_free(machine);
    fixture_close(f);
}

/* Whatever is told, by owners who add anything: the machine ends, with cuts in order. */
static void test_levels__take_any_sums(void **state) {
    (void)state;
    static const int64_t odd[] = {INT64_MAX, INT64_MIN, 0, -1, 1, INT64_MAX / 2, 1000000, INT64_MIN + 1};
    for (uint64_t seed = 0; seed < 30; seed++) {
        const hr_column x = bounded_number(0, 1, false);
        fixture f = fixture_open(&x, 1, 0, NULL);
        hr_edge_levels *machine = must_machine(f, 255, 64);
        hr_edge_question question;
        size_t questions = 0;
        hr_dice dice;
        hr_dice_init(&dice, seed);
        for (; hr_edge_levels_next(machine, &question); questions++) {
            hr_noisy *values = malloc(question.values * sizeof *values);
            assert_non_null(values);
            assert_int_equal(hr_edge_question_check(f.schema, 255, &question, NULL), HR_OK);
            for (size_t i = 0; i < question.values; i++)
                values[i] = released(odd[seed < COUNT(odd) ? seed : hr_dice_below(&dice, COUNT(odd))]);
            assert_int_equal(hr_edge_levels_accept(machine, values, NULL), HR_OK);
            free(values);
        }
        assert_true(questions >= 1 && questions <= 9);
        check_number_bins(&hr_edge_levels_binning(machine)->features[0], &x, 255);
        hr_edge_levels_free(machine);
        fixture_close(f);
    }
}

/* ---- Hostile questions ---- */

static void check_refused(fixture f, const char *what, const hr_edge_question *question) {
    hr_exact out[8];
    hr_error err = {0};
    for (size_t i = 0; i < COUNT(out); i++) out[i].unpaid = 77;
    if (hr_edges_count_nodes(f.data, 32, question, out, &err) != HR_E_FORMAT) fail_msg("taken: %s", what);
    assert_string_not_equal(err.message, "");
    for (size_t i = 0; i < COUNT(out); i++) assert_int_equal(out[i].unpaid, 77);
}

static void check_refused_part(fixture f, const char *what, hr_edge_nodes part) {
    const hr_edge_question question = {&part, 1, part.count};
    check_refused(f, what, &question);
}

static void test_count__refuses_what_no_machine_asks(void **state) {
    (void)state;
    fixture f = shapes(0, 10, 1);
    const size_t pair[] = {4, 5}, twice[] = {4, 4}, back[] = {5, 4}, above[] = {3, 4}, below[] = {7, 8},
                 root[] = {1}, zero[] = {0}, deep[] = {1 << 15}, huge[] = {SIZE_MAX};
    const hr_edge_nodes good = {0, 2, pair, 2}, later = {2, 1, (const size_t[]){2, 3}, 2};
    const struct {
        const char *what;
        hr_edge_nodes part;
    } parts[] = {{"a category", {1, 2, pair, 2}},
                 {"few whole values", {5, 2, pair, 2}},
                 {"no feature", {FEATURES, 2, pair, 2}},
                 {"far from any feature", {UINT32_MAX, 2, pair, 2}},
                 {"the root", {0, 0, root, 1}},
                 {"no node", {0, 1, zero, 1}},
                 {"below the last level", {0, 15, deep, 1}},
                 {"a negative level", {0, -1, pair, 2}},
                 {"a level far away", {0, 1000, pair, 2}},
                 {"a node twice", {0, 2, twice, 2}},
                 {"nodes backwards", {0, 2, back, 2}},
                 {"a node of the level above", {0, 2, above, 2}},
                 {"a node of the level below", {0, 2, below, 2}},
                 {"a node far away", {0, 2, huge, 1}},
                 {"nothing", {0, 2, pair, 0}},
                 {"more nodes than there are", {0, 2, pair, 5}},
                 {"very many nodes", {0, 2, pair, SIZE_MAX}}};
    for (size_t p = 0; p < COUNT(parts); p++) check_refused_part(f, parts[p].what, parts[p].part);
    const hr_edge_nodes same[] = {good, good}, backwards[] = {later, good},
                        levels[] = {good, {0, 1, root, 1}};
    check_refused(f, "a part twice", &(hr_edge_question){same, 2, 4});
    check_refused(f, "features backwards", &(hr_edge_question){backwards, 2, 4});
    check_refused(f, "levels backwards", &(hr_edge_question){levels, 2, 3});
    check_refused(f, "fewer values than nodes", &(hr_edge_question){&good, 1, 1});
    check_refused(f, "more values than nodes", &(hr_edge_question){&good, 1, 3});
    check_refused(f, "no part", &(hr_edge_question){NULL, 0, 0});
    hr_exact out[2];
    assert_int_equal(hr_edges_count_nodes(f.data, 32, &(hr_edge_question){&good, 1, 2}, out, NULL), HR_OK);
    fixture_close(f);
}

/* Each part is sound, and all of them are more than one message should hold. */
static void test_count__refuses_more_nodes_than_a_question_has(void **state) {
    (void)state;
    enum { WIDE = 9 };
    static size_t nodes[GRID];
    static hr_exact out[(WIDE - 1) * GRID];
    hr_edge_nodes parts[WIDE];
    static const double column[4] = {.1, .2, .3, .9};
    for (size_t i = 0; i < GRID; i++) nodes[i] = GRID + i;
    for (uint32_t f = 0; f < WIDE; f++) parts[f] = (hr_edge_nodes){f, HR_EDGE_LEVELS, nodes, GRID};
    fixture f = alike(WIDE, 4, column);
    const hr_edge_question most = {parts, WIDE - 1, (WIDE - 1) * GRID}, more = {parts, WIDE, WIDE * GRID};
    assert_int_equal(hr_edges_count_nodes(f.data, 32, &more, out, NULL), HR_E_FORMAT);
    assert_int_equal(hr_edges_count_nodes(f.data, 32, &most, out, NULL), HR_OK);
    fixture_close(f);
}

/* ---- Cost ---- */

/* All nodes of a level, of each feature that is cut. */
static void test_count__gains_one_unit_a_part_by_a_record(void **state) {
    (void)state;
    enum { LEVEL = 5, COUNT_OF = 1 << LEVEL };
    size_t nodes[COUNT_OF];
    hr_edge_nodes parts[COUNT(CUT)];
    hr_exact without[COUNT(CUT) * COUNT_OF], with[COUNT(CUT) * COUNT_OF];
    for (size_t i = 0; i < COUNT_OF; i++) nodes[i] = COUNT_OF + i;
    for (size_t p = 0; p < COUNT(CUT); p++) parts[p] = (hr_edge_nodes){CUT[p], LEVEL, nodes, COUNT_OF};
    const hr_edge_question question = {parts, COUNT(parts), COUNT(without)};
    for (size_t rows = 0; rows < 200; rows++) {
        fixture few = shapes(0, rows, 4), more = shapes(0, rows + 1, 4);
        assert_int_equal(hr_edges_count_nodes(few.data, 32, &question, without, NULL), HR_OK);
        assert_int_equal(hr_edges_count_nodes(more.data, 32, &question, with, NULL), HR_OK);
        for (size_t p = 0; p < COUNT(CUT); p++) {
            uint64_t moved = 0;
            for (size_t i = p * COUNT_OF; i < (p + 1) * COUNT_OF; i++)
                moved += (uint64_t)llabs((long long)(with[i].unpaid - without[i].unpaid));
            assert_int_equal(moved, CUT[p] == 4 ? 0 : HR_COUNT_UNIT); /* feature 4 is missing */
            assert_int_equal(hr_edge_levels_charge(&(hr_charge){0}, 1, LEVEL, HR_PER_RECORD).sensitivity,
                             HR_COUNT_UNIT);
        }
        fixture_close(few);
        fixture_close(more);
    }
}

/* Line by line what one process is charged, in whatever order; all lines cost at most the whole. */
static void test_charge__is_that_of_one_process(void **state) {
    (void)state;
    fixture f = shapes(0, ROWS, 2);
    const hr_charge whole = {"bin edges", -1, -1, 40, 3, hr_units_up(.1), 1};
    const size_t lines = hr_edge_levels_lines(f.schema, 32);
    hr_csprng *csprng;
    hr_gate *local, *shared;
    hr_binning out;
    uint64_t groups;
    size_t count;
    assert_int_equal(lines, COUNT(CUT) * HR_EDGE_LEVELS);
    assert_int_equal(hr_csprng_open_seeded(3, &csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(HR_PRIVACY_GDP, whole.cost, csprng, &local, NULL), HR_OK);
    assert_int_equal(hr_gate_new(HR_PRIVACY_GDP, whole.cost, csprng, &shared, NULL), HR_OK);
    assert_int_equal(
        hr_edges_private(f.data, &(hr_edges_release){32, local, &whole}, f.arena, &out, &groups, NULL),
        HR_OK);
    const hr_release *releases = hr_gate_releases(local, &count);
    assert_int_equal(count, lines);
    for (size_t l = 0; l < lines; l++) {
        hr_permit permit;
        hr_charge line = hr_edge_levels_charge(&whole, lines, (int)(l % HR_EDGE_LEVELS) + 1, HR_PER_RECORD);
        assert_int_equal(hr_gate_charge_sums(shared, &line, &permit, NULL), HR_OK);
        const hr_release *same = &hr_gate_releases(shared, &count)[l];
        assert_string_equal(same->what, releases[l].what);
        assert_true(same->tree == releases[l].tree && same->level == releases[l].level);
        assert_true(same->group == releases[l].group && same->part == releases[l].part);
        assert_true(same->cost == releases[l].cost && same->sensitivity == releases[l].sensitivity);
    }
    assert_true(gate_cost(shared) == gate_cost(local) && gate_cost(shared) <= whole.cost);
    assert_true(gate_cost(shared) > whole.cost - lines);
    hr_gate_free(local);
    hr_gate_free(shared);
    hr_csprng_close(csprng);
    fixture_close(f);
}

/* Shares of 100 owners need a variance of 12 each: so it is at epsilon 8 if one feature has all of hedge's
 * cost of bins, .06 of the budget, in one line a level. Whole records would give less. */
static void test_charge__leaves_noise_to_be_shared(void **state) {
    (void)state;
    const hr_charge whole = {.cost = hr_units_share(hr_gdp_budget(8, 1e-6), .06)};
    const hr_charge line = hr_edge_levels_charge(&whole, HR_EDGE_LEVELS, 1, HR_PER_RECORD);
    double cost = hr_units_value(line.cost), sensitivity = (double)line.sensitivity;
    assert_true((sensitivity * sensitivity / cost + 6) / 100 > 12);
    assert_true((1 / cost + 6) / 100 < 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels__cut_as_pairs_do),
        cmocka_unit_test(test_levels__cut_pooled_records_as_one_process_does),
        cmocka_unit_test(test_levels__need_few_questions),
        cmocka_unit_test(test_levels__ask_of_a_wide_table_in_shares),
        cmocka_unit_test(test_levels__ask_nothing_where_bins_are_public),
        cmocka_unit_test(test_levels__take_any_sums),
        cmocka_unit_test(test_count__refuses_what_no_machine_asks),
        cmocka_unit_test(test_count__refuses_more_nodes_than_a_question_has),
        cmocka_unit_test(test_count__gains_one_unit_a_part_by_a_record),
        cmocka_unit_test(test_charge__is_that_of_one_process),
        cmocka_unit_test(test_charge__leaves_noise_to_be_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
