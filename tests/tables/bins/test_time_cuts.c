/* Private cuts of times: which cell a record is in, what they cost, and how near to the quantiles of events
 * they come. Seeds are fixed. */
#include "privacy/accountant.h"
#include "support/gate_cost.h"
#include "support/tables.h"
#include "tables/bins/time_cuts.h"
#include "tables/data/records.h"
#include "tables/schema/survival_code.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << HR_TIME_CUTS_BITS, ROWS = 20000, PARTS = 8 };
static const double HIGH = 1024;

static hr_column label_of(size_t quantiles) {
    static double even[HR_INTERVALS_MAX];
    hr_column column = number_column("days", -1e15, 1e15);
    for (size_t k = 0; k < quantiles; k++) even[k] = HIGH * (double)(k + 1) / (double)quantiles;
    column.event = "died";
    column.intervals = even;
    column.interval_count = quantiles;
    column.quantile_cuts = true;
    return column;
}

static table table_of_labels(const double *labels, size_t rows, size_t quantiles) {
    table t = table_open(rows, 1);
    const hr_column feature = number_column("x", 0, 1);
    memcpy(t.labels, labels, rows * sizeof *labels);
    table_make(&t, label_of(quantiles), &feature);
    return t;
}

static double *random_labels(uint64_t seed, size_t rows) {
    double *labels = malloc(rows * sizeof *labels);
    for (size_t i = 0; i < rows; i++)
        labels[i] = hr_time_label(-300 * log(1 - next_unit(&seed)), next_unit(&seed) < .6);
    return labels;
}

static void set_weights(table *t, const uint32_t *weights) {
    t->data->weights = malloc(t->rows * sizeof *weights);
    memcpy(t->data->weights, weights, t->rows * sizeof *weights);
}

/* ---- Cells ---- */

static void test_count__has_events_up_to_the_last_cut(void **state) {
    (void)state;
    const double labels[] = {
        hr_time_label(0, true),      hr_time_label(.5, true),   hr_time_label(1, true),
        hr_time_label(1.5, true),    hr_time_label(1024, true), hr_time_label(1024.5, true),
        hr_time_label(700.5, false), hr_time_label(0, false),   hr_time_label(1e9, true)};
    const uint32_t weights[] = {7, 1, 2, 4, 8, 16, 32, 64, 128};
    hr_exact cells[CELLS];
    table t = table_of_labels(labels, COUNT(labels), PARTS);
    for (int weighed = 0; weighed < 2; weighed++) {
        int64_t all = 0;
        memset(cells, 77, sizeof cells);
        hr_time_cuts_count(t.data, cells);
        for (size_t c = 0; c < CELLS; c++) all += cells[c].unpaid;
        assert_int_equal(cells[0].unpaid, weighed ? 10 : 3);
        assert_int_equal(cells[1].unpaid, weighed ? 4 : 1);
        assert_int_equal(cells[CELLS - 1].unpaid, weighed ? 8 : 1);
        assert_int_equal(all, weighed ? 22 : 5);
        if (!weighed) set_weights(&t, weights);
    }
    table_close(&t);
}

/* What the proof says: one record more, one cell more. */
static void test_count__changes_in_one_cell_by_one(void **state) {
    (void)state;
    static hr_exact with[CELLS], without[CELLS];
    double *labels = random_labels(3, 1200);
    size_t changed_by_one = 0;
    for (size_t rows = 1000; rows < 1200; rows++) {
        table less = table_of_labels(labels, rows, PARTS), more = table_of_labels(labels, rows + 1, PARTS);
        hr_time_cuts_count(less.data, without);
        hr_time_cuts_count(more.data, with);
        int64_t sum = 0, most = 0;
        for (size_t c = 0; c < CELLS; c++) {
            const int64_t change = with[c].unpaid - without[c].unpaid;
            assert_true(change >= 0);
            sum += change;
            most = change > most ? change : most;
        }
        assert_true(sum <= 1 && most == sum);
        changed_by_one += sum == 1;
        table_close(&less);
        table_close(&more);
    }
    assert_in_range(changed_by_one, 80, 160);
    free(labels);
}

/* ---- Several tables ---- */

static int64_t sum_of_level(const hr_exact *nodes, int level) {
    int64_t sum = 0;
    for (size_t i = (size_t)1 << level; i < (size_t)2 << level; i++) sum += nodes[i - 2].unpaid;
    return sum;
}

/* In each level a record more is one count more; where records have weights, what it weighs. */
static void test_nodes__change_by_one_a_level(void **state) {
    (void)state;
    static hr_exact with[HR_TIME_CUTS_NODES], without[HR_TIME_CUTS_NODES];
    const double labels[] = {hr_time_label(3, true), hr_time_label(700.5, true), hr_time_label(9, false),
                             hr_time_label(500.5, true)};
    const uint32_t weights[] = {HR_PERSON_UNIT, 5, 9, HR_PERSON_UNIT};
    const hr_charge whole = {"cuts of times", -1, -1, 40, 0, 1000, 1};
    for (int weighed = 0; weighed < 2; weighed++) {
        table less = table_of_labels(labels, COUNT(labels) - 1, PARTS),
              more = table_of_labels(labels, COUNT(labels), PARTS);
        if (weighed) set_weights(&less, weights), set_weights(&more, weights);
        assert_int_equal(hr_time_cuts_count_nodes(less.data, without, NULL), HR_OK);
        assert_int_equal(hr_time_cuts_count_nodes(more.data, with, NULL), HR_OK);
        for (int level = 1; level <= HR_TIME_CUTS_BITS; level++) {
            const hr_charge line = hr_time_cuts_level(&whole, level, weighed ? HR_PER_PERSON : HR_PER_RECORD);
            assert_int_equal(line.sensitivity, sum_of_level(with, level) - sum_of_level(without, level));
            assert_int_equal(line.level, level - 1);
            assert_true(line.cost == 100);
            for (size_t i = (size_t)1 << level; i < (size_t)2 << level; i++)
                assert_true(with[i - 2].unpaid >= without[i - 2].unpaid);
        }
        assert_int_equal(sum_of_level(without, 1), weighed ? HR_PERSON_UNIT + 5 : 2 * HR_COUNT_UNIT);
        table_close(&less);
        table_close(&more);
    }
}

/* Whoever counts: the cuts of what is added up are those that a fit by counts finds, but for its noise. */
static void test_nodes__of_parts_make_the_cuts_of_all(void **state) {
    (void)state;
    enum { TABLES = 3 };
    static hr_exact part[HR_TIME_CUTS_NODES];
    static hr_noisy sums[HR_TIME_CUTS_NODES], of_all[HR_TIME_CUTS_NODES];
    double *labels = random_labels(11, ROWS);
    hr_time_cuts found, one;
    table all = table_of_labels(labels, ROWS, PARTS);
    for (size_t k = 0; k < TABLES; k++) {
        const size_t from = ROWS * k / TABLES, to = ROWS * (k + 1) / TABLES;
        table t = table_of_labels(labels + from, to - from, PARTS);
        assert_int_equal(hr_time_cuts_count_nodes(t.data, part, NULL), HR_OK);
        for (size_t i = 0; i < HR_TIME_CUTS_NODES; i++) sums[i].paid += part[i].unpaid;
        table_close(&t);
    }
    assert_int_equal(hr_time_cuts_count_nodes(all.data, part, NULL), HR_OK);
    for (size_t i = 0; i < HR_TIME_CUTS_NODES; i++) of_all[i].paid = part[i].unpaid;
    const hr_column *label = hr_schema_label(all.schema);
    assert_int_equal(hr_time_cuts_of_nodes(label, sums, 0, &found, NULL), HR_OK);
    assert_int_equal(hr_time_cuts_of_nodes(label, of_all, 0, &one, NULL), HR_OK);
    assert_int_equal(found.count, PARTS);
    assert_int_equal(one.count, PARTS);
    for (size_t k = 0; k < PARTS; k++) {
        double before = 0, events = 0;
        assert_true(found.at[k] == one.at[k]);
        for (size_t i = 0; i < ROWS; i++) {
            if (!hr_label_event(labels[i]) || hr_label_time(labels[i]) > HIGH) continue;
            events++;
            before += hr_label_time(labels[i]) <= found.at[k];
        }
        assert_true(fabs(before / events - (double)(k + 1) / PARTS) < .01);
    }
    table_close(&all);
    free(labels);
}

/* ---- The release ---- */

static charged_gate gate_of(hr_privacy_measure measure, double cost, uint64_t seed) {
    return charged_gate_open((hr_charge){"cuts of times", -1, -1, 40, 0, 0, 1}, measure, cost, seed);
}

static const hr_privacy_measure privacy_measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_ZCDP, HR_PRIVACY_GDP};

static hr_time_cuts release(const table *t, charged_gate p) {
    hr_time_cuts cuts;
    hr_error err = {0};
    if (hr_time_cuts_release(t->data, p.gate, &p.charge, &cuts, &err)) fail_msg("%s", err.message);
    assert_true(cuts.count >= 1 && cuts.count <= hr_schema_label(t->schema)->interval_count);
    assert_true(cuts.at[0] > 0 && cuts.at[cuts.count - 1] == HIGH);
    for (size_t k = 1; k < cuts.count; k++) assert_true(cuts.at[k] > cuts.at[k - 1]);
    return cuts;
}

/* Of the events up to the last cut, the part up to `cut`. */
static double part_up_to(const table *t, double cut) {
    size_t all = 0, before = 0;
    for (size_t i = 0; i < t->rows; i++) {
        const double time = hr_label_time(t->labels[i]);
        if (!hr_label_event(t->labels[i]) || time > HIGH) continue;
        all++;
        before += time <= cut;
    }
    return (double)before / (double)all;
}

static void test_release__finds_quantiles_of_events(void **state) {
    (void)state;
    double *labels = random_labels(5, ROWS);
    table t = table_of_labels(labels, ROWS, PARTS);
    for (size_t m = 0; m < COUNT(privacy_measures); m++) {
        charged_gate p = gate_of(privacy_measures[m], 100, 1);
        const hr_time_cuts cuts = release(&t, p);
        assert_int_equal(cuts.count, PARTS);
        for (size_t k = 0; k < PARTS; k++)
            assert_true(fabs(part_up_to(&t, cuts.at[k]) - (double)(k + 1) / PARTS) < .01);
        charged_gate_close(p);
    }
    table_close(&t);
    free(labels);
}

/* Digits after the third are of no use, and are in names of predictions. */
static void test_release__rounds_cuts(void **state) {
    (void)state;
    double *labels = random_labels(5, ROWS);
    table t = table_of_labels(labels, ROWS, 64);
    charged_gate p = gate_of(HR_PRIVACY_GDP, 100, 1);
    const hr_time_cuts cuts = release(&t, p);
    assert_true(cuts.count > 48);
    for (size_t k = 0; k + 1 < cuts.count; k++) {
        char text[32];
        snprintf(text, sizeof text, "%.3g", cuts.at[k]);
        assert_true(strtod(text, NULL) == cuts.at[k]);
    }
    charged_gate_close(p);
    table_close(&t);
    free(labels);
}

static void test_release__has_the_last_cut_where_no_event_is(void **state) {
    (void)state;
    const double labels[] = {hr_time_label(5, false), hr_time_label(5000, true)};
    table t = table_of_labels(labels, 2, PARTS);
    for (size_t m = 0; m < COUNT(privacy_measures); m++)
        for (uint64_t seed = 1; seed < 20; seed++) {
            charged_gate p = gate_of(privacy_measures[m], .1, seed);
            release(&t, p);
            charged_gate_close(p);
        }
    table_close(&t);
}

static void test_release__is_charged_whole_and_for_what_a_record_adds(void **state) {
    (void)state;
    double *labels = random_labels(7, 2000);
    static uint32_t weights[2000];
    for (size_t i = 0; i < 2000; i++) weights[i] = 1 << 14;
    for (size_t m = 0; m < COUNT(privacy_measures); m++)
        for (int weighed = 0; weighed < 2; weighed++) {
            table t = table_of_labels(labels, 2000, PARTS);
            if (weighed) set_weights(&t, weights);
            charged_gate p = gate_of(privacy_measures[m], .3, 9);
            const hr_privacy_unit unit = weighed ? HR_PER_PERSON : HR_PER_RECORD;
            const bool by_counts = privacy_measures[m] != HR_PRIVACY_PURE;
            assert_int_equal(
                hr_time_cuts_check(hr_schema_label(t.schema), privacy_measures[m], &p.charge, unit, NULL),
                HR_OK);
            release(&t, p);
            size_t lines;
            const hr_release *line = hr_gate_releases(p.gate, &lines);
            assert_int_equal(lines, by_counts ? HR_TIME_CUTS_BITS : 3);
            for (size_t l = 0; l < lines; l++) {
                assert_int_equal(line[l].group, 40);
                assert_int_equal(line[l].sensitivity,
                                 by_counts ? hr_unit_of_counts(unit) : hr_unit_median_width(unit));
            }
            assert_true(gate_cost(p.gate) <= p.charge.cost && gate_cost(p.gate) > p.charge.cost / 2);
            assert_int_equal(hr_account_check(line, lines, privacy_measures[m], NULL), HR_OK);
            charged_gate_close(p);
            table_close(&t);
        }
    free(labels);
}

static void test_check__refuses_what_buys_no_noise(void **state) {
    (void)state;
    const hr_column label = label_of(PARTS);
    const hr_charge charge = {"cuts of times", -1, -1, 40, 0, 1, 1};
    for (size_t m = 0; m < COUNT(privacy_measures); m++)
        assert_int_equal(hr_time_cuts_check(&label, privacy_measures[m], &charge, HR_PER_RECORD, NULL),
                         HR_E_BUDGET);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count__has_events_up_to_the_last_cut),
        cmocka_unit_test(test_count__changes_in_one_cell_by_one),
        cmocka_unit_test(test_nodes__change_by_one_a_level),
        cmocka_unit_test(test_nodes__of_parts_make_the_cuts_of_all),
        cmocka_unit_test(test_release__finds_quantiles_of_events),
        cmocka_unit_test(test_release__rounds_cuts),
        cmocka_unit_test(test_release__has_the_last_cut_where_no_event_is),
        cmocka_unit_test(test_release__is_charged_whole_and_for_what_a_record_adds),
        cmocka_unit_test(test_check__refuses_what_buys_no_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
