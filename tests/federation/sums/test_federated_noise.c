/* The noise of the sums that open in a job of hedge: has it the law that the model states? No owner has a
 * record, so that all that opens is noise. */
#include "federation/hedge/hedge_question_wire.h"
#include "federation/machines/securesum.h"
#include "federation/work/simulation.h"
#include "privacy/noise.h"
#include "support/chi_square.h"
#include "support/tables.h"
#include "tables/bins/edge_levels.h"
#include "tables/bins/time_cuts.h"
#include "tables/data/records.h"

enum { OWNERS_MAX = 4, CELLS = 16, JOBS = 3, BINS = 8, LINES_MAX = 64 };

/* One job. */
static struct {
    table table;
    hr_data *records[OWNERS_MAX];
    hr_job_file job;
    hr_units budget;
    hr_simulation simulation;
    hr_status (*real_ask)(hr_party_work *, const hr_job_view *, hr_bytes *, hr_error *);
    hr_status (*real_train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);
    size_t owners, away; /* away: the last ones, so many of them, never have an answer */
    hr_arena *arena;
    hr_hedge_question_reader reader;
    double deviations[LINES_MAX]; /* of the lines of the last sum that was asked for: of one owner alone */
    size_t counts[LINES_MAX], line_count;
    bool prepared; /* that sum */
} w;

/* Over jobs, of sums that are asked for whole and of those that are prepared: their shares are drawn for
 * owners who are known in different ways. */
static uint64_t seen[2][CELLS], draws[2];
static size_t smallest;  /* sum that opened: owners */
static size_t intervals; /* sums that opened and correct one */

/* ---- What opens ---- */

/* The standard normal law has CELLS equally likely cells. */
static size_t cell_of(double z) {
    return (size_t)fmin(erfc(-z / sqrt(2)) / 2 * CELLS, CELLS - 1);
}

static void note_opened(const hr_job_view *job) {
    hr_sum_outcome o;
    size_t asked = hr_securesum_outcomes(job->protocol);
    if (!asked || !w.line_count || !hr_securesum_outcome(job->protocol, asked - 1, &o) || o.dropped) return;
    double shares = (double)hr_noise_shares(o.members, job->terms->coalition),
           factor = sqrt((double)o.members / shares);
    smallest = o.members < smallest ? o.members : smallest;
    intervals += w.line_count == 1 && w.counts[0] == HR_INTERVAL_LEVELS;
    for (size_t l = 0, at = 0; l < w.line_count; l++)
        for (size_t i = 0; i < w.counts[l]; i++, at++, draws[w.prepared]++)
            seen[w.prepared][cell_of((double)(int64_t)o.sums[at] / (factor * w.deviations[l]))]++;
}

static void note_line(const hr_charge *line, size_t count) {
    assert_true(w.line_count < LINES_MAX);
    w.deviations[w.line_count] = hr_noise_deviation(HR_PRIVACY_GDP, line->cost, (double)line->sensitivity);
    w.counts[w.line_count++] = count;
}

/* What each value is charged as, by an owner's own reading. */
static void note_asked(const Hedgerow__Question *question) {
    const hr_bytes body = {question->body.data, question->body.len};
    hr_hedge_question_in q;
    hr_error err = {0};
    w.line_count = 0;
    w.prepared = question->prepared;
    if (!question->values) return;
    if (hr_hedge_question_read(&w.reader, &body, w.arena, &q, &err)) fail_msg("%s", err.message);
    for (size_t p = 0; p < q.bins.part_count; p++) {
        const hr_charge line = hr_hedge_question_part(&w.reader, &q, p);
        note_line(&line, q.bins.parts[p].count);
    }
    if (q.question.kind == HR_HEDGE_CUTS) {
        for (int level = 1; level <= HR_TIME_CUTS_BITS; level++) {
            const hr_charge line = hr_time_cuts_level(&q.question.lines[0], level, HR_PER_RECORD);
            note_line(&line, (size_t)1 << level);
        }
        return;
    }
    for (size_t l = 0; !q.bins.part_count && l < q.question.line_count; l++)
        note_line(&q.question.lines[l], q.question.counts[l]);
}

static hr_status ask_and_note(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    ProtobufCMessage *question = NULL;
    note_opened(job);
    hr_status status = w.real_ask(self, job, out, err);
    if (status) return status;
    assert_int_equal(hr_message_unpack(&hedgerow__question__descriptor, out->at, out->size, &question, NULL),
                     HR_OK);
    note_asked((const Hedgerow__Question *)question);
    hr_message_unpacked_free(question);
    return HR_OK;
}

static hr_status be_there_or_not(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                                 hr_error *err) {
    for (size_t o = w.owners - w.away; o < w.owners; o++)
        if (self == &w.simulation.parties[o + 1].as.work) return hr_fail(err, HR_E_LIMIT, "", "away");
    return w.real_train(self, job, slot, out, err);
}

/* ---- Jobs ---- */

typedef struct setting {
    size_t owners, coalition, away;
    bool of_times;
    bool interval; /* of quantiles, which records correct that are held out; else of classes */
} setting;

static table table_of_times(void) {
    static const double even[] = {250, 500, 750, 1000};
    table t = table_open(20, 1);
    const hr_column feature = number_column("x", 0, 1);
    hr_column label = number_column("days", -1e300, 1e300);
    label.event = "died";
    label.intervals = even;
    label.interval_count = COUNT(even);
    label.quantile_cuts = true;
    table_make(&t, label, &feature);
    return t;
}

static const double quantiles[] = {.1, .9};

static table table_of_quantiles(void) {
    table t = table_open(20, 3);
    uint64_t seed = 5;
    hr_column label = number_column("y", -1, 1),
              features[] = {number_column("a", 0, 1), number_column("b", 0, 1), number_column("c", 0, 1)};
    label.quantiles = quantiles;
    label.quantile_count = COUNT(quantiles);
    for (size_t i = 0; i < 20; i++) {
        for (size_t f = 0; f < 3; f++) t.columns[f][i] = next_unit(&seed);
        t.labels[i] = t.columns[0][i];
    }
    table_make(&t, label, features);
    return t;
}

static void open_job(const setting *g) {
    hr_error err = {0};
    memset(&w, 0, sizeof w);
    w.table = g->of_times   ? table_of_times()
              : g->interval ? table_of_quantiles()
                            : table_of_steps(20, 3, 4, 5);
    w.owners = g->owners;
    w.away = g->away;
    w.arena = hr_arena_new();
    w.job =
        (hr_job_file){.rounds = 1, .options = options_of("hedge", HR_MODE_SOUND), .coalition = g->coalition};
    w.job.options.epsilon = 1;
    w.job.options.delta = 1e-6;
    w.job.options.bins = BINS;
    w.job.options.conformal = g->interval ? .8 : 0;
    w.reader = (hr_hedge_question_reader){.schema = w.table.schema,
                                          .bins = BINS,
                                          .outputs = g->interval ? COUNT(quantiles) : 4,
                                          .coverage = g->interval ? .8 : 0,
                                          .objective = g->of_times   ? HR_OBJECTIVE_HAZARD
                                                       : g->interval ? HR_OBJECTIVE_QUANTILES
                                                                     : (hr_objective)0,
                                          .privacy_measure = HR_PRIVACY_GDP,
                                          .arena = w.arena};
    for (size_t o = 0; o < w.owners; o++) assert_non_null(w.records[o] = hr_data_take(w.table.data, NULL, 0));
    const hr_owner_tables tables = {(const hr_data *const *)w.records, w.owners};
    if (hr_simulation_init(&w.simulation, &w.job, w.table.schema, &tables, 1, &err))
        fail_msg("%s", err.message);
    hr_simulated_party *parties = w.simulation.parties;
    w.real_ask = parties[0].as.work.next_question;
    w.real_train = parties[1].as.work.train;
    parties[0].as.work.next_question = ask_and_note;
    for (size_t o = 1; o <= w.owners; o++) parties[o].as.work.train = be_there_or_not;
}

static void close_job(void) {
    hr_simulation_done(&w.simulation);
    for (size_t o = 0; o < w.owners; o++) hr_data_free(w.records[o]);
    hr_arena_free(w.arena);
    table_close(&w.table);
}

/* Two-sided, false alarm 1e-6 for each of the two kinds: all opened values of some jobs, each over its stated
 * deviation. */
static void check_noise(const setting *g) {
    double p[CELLS];
    hr_error err = {0};
    memset(seen, 0, sizeof seen);
    memset(draws, 0, sizeof draws);
    smallest = OWNERS_MAX;
    for (size_t i = 0; i < CELLS; i++) p[i] = 1.0 / CELLS;
    for (size_t j = 0; j < JOBS; j++) {
        open_job(g);
        if (hr_simulation_run(&w.simulation, &err)) fail_msg("%s", err.message);
        close_job();
    }
    print_message("%zu owners, %zu of them away, coalition of %zu: %llu values, %llu of prepared sums\n",
                  g->owners, g->away, g->coalition, (unsigned long long)(draws[0] + draws[1]),
                  (unsigned long long)draws[1]);
    assert_true(draws[0] + draws[1] > 3000 && draws[1] > 1000 && smallest == g->owners - g->away);
    for (size_t i = 0; i < 2; i++)
        if (!chi_square_fits(seen[i], p, CELLS, draws[i]))
            fail_msg("the noise of %s sums is not what is stated", i ? "prepared" : "whole");
}

/* No owner has a record, so that a leaf that one of them fills has this noise too. */
static void test_noise__of_opened_sums_is_as_stated(void **state) {
    (void)state;
    static const setting settings[] = {{.owners = 1, .coalition = 0, .away = 0},
                                       {.owners = 2, .coalition = 1, .away = 0},
                                       {.owners = 4, .coalition = 1, .away = 0},
                                       {.owners = 4, .coalition = 2, .away = 0},
                                       {.owners = 4, .coalition = 3, .away = 0}};
    for (size_t i = 0; i < COUNT(settings); i++) check_noise(&settings[i]);
}

/* With the sum that corrects an interval, which is the last one. */
static void test_noise__of_an_interval_is_as_stated(void **state) {
    (void)state;
    static const setting settings[] = {{.owners = 3, .coalition = 1, .away = 0, .interval = true},
                                       {.owners = 4, .coalition = 1, .away = 1, .interval = true}};
    for (size_t i = 0; i < COUNT(settings); i++) {
        intervals = 0;
        check_noise(&settings[i]);
        assert_int_equal(intervals, JOBS);
    }
}

/* A missing owner adds no noise, and the others compute their shares without it. */
static void test_noise__of_fewer_owners_is_as_stated(void **state) {
    (void)state;
    static const setting settings[] = {{.owners = 2, .coalition = 1, .away = 1},
                                       {.owners = 4, .coalition = 1, .away = 1},
                                       {.owners = 4, .coalition = 2, .away = 1}};
    for (size_t i = 0; i < COUNT(settings); i++) check_noise(&settings[i]);
}

/* The nodes of all levels of the cuts of times, each of which costs a tenth of what the cuts do. */
static void test_noise__of_cuts_is_as_stated(void **state) {
    (void)state;
    static const setting settings[] = {{.owners = 2, .coalition = 1, .away = 0, .of_times = true},
                                       {.owners = 4, .coalition = 1, .away = 1, .of_times = true}};
    for (size_t i = 0; i < COUNT(settings); i++) check_noise(&settings[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise__of_opened_sums_is_as_stated),
        cmocka_unit_test(test_noise__of_an_interval_is_as_stated),
        cmocka_unit_test(test_noise__of_fewer_owners_is_as_stated),
        cmocka_unit_test(test_noise__of_cuts_is_as_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
