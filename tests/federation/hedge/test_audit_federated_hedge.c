/* Membership games of whole jobs of hedge over owners. The coalition is the coordinator and t owners, which
 * add neither records nor noise, so that the sums that open are those of the honest owners alone. It knows
 * all of their records but one, and asks itself of every sum whether that record is in it: what it sees is
 * the likelihood ratio of all sums of the job.
 *
 * The job is charged mu^2 (Gaussian differential privacy), so no test between the two tables may have errors
 * a and b with Phi^-1(1 - b) - Phi^-1(a) > mu. The errors are counted, and bounded from above by Clopper and
 * Pearson's intervals: a lower bound of mu, and of epsilon at the job's delta. Each game has a false alarm of
 * 1e-6. Faults planted in a game are faults of one owner's program: the game must find them. */
#include "federation/hedge/hedge_question_wire.h"
#include "federation/machines/securesum.h"
#include "federation/work/simulation.h"
#include "methods/hedge/hedge_plan.h"
#include "privacy/noise.h"
#include "support/epsilon_bounds.h"
#include "support/game_result.h"
#include "support/tables.h"
#include "tables/data/records.h"
#include "trees/candidates/hedge_records.h"

enum { OWNERS_MAX = 5, ROWS = 12, VALUES_MAX = 1 << 12, BINS = 8 };

#define EPSILON 8.0
#define DELTA 1e-6

typedef enum planted { NOTHING, SHARES_OF_ALL, NO_NOISE } planted;

typedef struct game {
    const char *name;
    size_t owners, coalition, runs;
    planted fault;
} game;

/* The tables: the honest owners' records without and with the last one, the canary. */
static table world;
static hr_data *without, *nobody;

/* One job. */
static struct {
    const game *game;
    hr_job_file job;
    hr_simulation simulation;
    hr_status (*real_ask)(hr_party_work *, const hr_job_view *, hr_bytes *, hr_error *);
    hr_status (*real_train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);
    hr_arena *arena;
    hr_hedge_question_reader reader;
    hr_records *records[2]; /* of the tables, as their owner keeps them */
    hr_exact known[2][VALUES_MAX];
    hr_hedge_question question;
    bool is_sum;
    bool there;      /* the canary */
    double evidence; /* log of the likelihood ratio */
} w;

/* ---- What the coordinator makes of it ---- */

static void weigh(const hr_job_view *job) {
    hr_sum_outcome o;
    size_t asked = hr_securesum_outcomes(job->protocol);
    if (!w.is_sum || !hr_securesum_outcome(job->protocol, asked - 1, &o) || o.dropped) return;
    for (size_t l = 0, at = 0; l < w.question.line_count; l++) {
        const hr_charge *line = &w.question.lines[l];
        double deviation = hr_noise_deviation(HR_PRIVACY_GDP, line->cost, (double)line->sensitivity);
        for (size_t i = 0; i < w.question.counts[l]; i++, at++) {
            double low = (double)w.known[0][at].unpaid, shift = (double)w.known[1][at].unpaid - low;
            w.evidence += ((double)(int64_t)o.sums[at] - low - shift / 2) * shift / (deviation * deviation);
        }
    }
}

static void foresee(const Hedgerow__Question *question) {
    const hr_bytes body = {question->body.data, question->body.len};
    hr_hedge_question_in q;
    hr_error err = {0};
    w.is_sum = question->values > 0;
    if (!w.is_sum) return;
    if (hr_hedge_question_read(&w.reader, &body, w.arena, &q, &err)) fail_msg("%s", err.message);
    w.question = q.question;
    assert_true(hr_hedge_question_values(&w.question) <= VALUES_MAX);
    for (size_t r = 0; r < 2; r++)
        assert_int_equal(hr_records_sums(w.records[r], &w.question, w.known[r], NULL), HR_OK);
}

static hr_status ask_and_weigh(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    ProtobufCMessage *question = NULL;
    weigh(job);
    hr_status status = w.real_ask(self, job, out, err);
    if (status) return status;
    assert_int_equal(hr_message_unpack(&hedgerow__question__descriptor, out->at, out->size, &question, NULL),
                     HR_OK);
    foresee((const Hedgerow__Question *)question);
    hr_message_unpacked_free(question);
    return HR_OK;
}

/* ---- Owners ---- */

/* Masks, and no noise: of a member of the coalition, which adds no records either, or of an owner whose
 * program forgets it. */
static hr_status give_masked(const hr_job_view *job, size_t slot, const hr_exact *records, hr_bytes *out,
                             hr_error *err) {
    static uint64_t values[VALUES_MAX];
    const size_t count = hr_hedge_question_values(&w.question);
    hr_sum_question question;
    hr_mask *mask = NULL;
    assert_true(hr_securesum_question(job->protocol, slot, &question));
    if (question.choice) return hr_securesum_pack_choice(&question, 0, out, err);
    if (question.to_prepare) return hr_securesum_pack_ready(&question, out, err);
    for (size_t i = 0; i < count; i++) values[i] = records ? (uint64_t)records[i].unpaid : 0;
    hr_status status = hr_securesum_mask(job->protocol, slot, &mask, err);
    if (status) return status;
    hr_mask_add(mask, values, count);
    hr_mask_free(mask);
    return hr_securesum_pack_share(&question, values, count, out, err);
}

/* The first owner is honest, and the last ones are the coalition. */
static hr_status answer(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                        hr_error *err) {
    const hr_simulated_party *owners = w.simulation.parties + 1;
    for (size_t o = w.game->owners - w.game->coalition; o < w.game->owners; o++)
        if (self == &owners[o].as.work) return give_masked(job, slot, NULL, out, err);
    if (w.game->fault == NO_NOISE) return give_masked(job, slot, w.known[w.there], out, err);
    Hedgerow__Terms terms = *job->terms;
    hr_job_view told = *job;
    if (w.game->fault == SHARES_OF_ALL) terms.coalition = 0;
    told.terms = &terms;
    return w.real_train(self, &told, slot, out, err);
}

/* ---- Games ---- */

static void open_world(void) {
    world = table_open(ROWS, 1);
    for (size_t i = 0; i < ROWS; i++) {
        world.columns[0][i] = i + 1 == ROWS; /* the canary alone has the second value, and class 1 */
        world.labels[i] = i + 1 == ROWS;
    }
    const hr_column feature = category_column("k", 2);
    table_make(&world, category_column("y", 2), &feature);
    uint32_t rows[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) rows[i] = i;
    assert_non_null(without = hr_data_take(world.data, rows, ROWS - 1));
    assert_non_null(nobody = hr_data_take(world.data, rows, 0));
}

static void close_world(void) {
    hr_data_free(without);
    hr_data_free(nobody);
    table_close(&world);
}

static void open_job(const game *g, bool there) {
    hr_error err = {0};
    const hr_data *const both[2] = {without, world.data}, *tables[OWNERS_MAX] = {both[there]};
    const hr_owner_tables owners = {tables, g->owners};
    for (size_t o = 1; o < g->owners; o++) tables[o] = nobody;
    w.game = g;
    w.there = there;
    w.evidence = 0;
    w.is_sum = false;
    w.arena = hr_arena_new();
    w.reader = (hr_hedge_question_reader){.schema = world.schema,
                                          .bins = BINS,
                                          .outputs = 1,
                                          .privacy_measure = HR_PRIVACY_GDP,
                                          .arena = w.arena};
    for (size_t r = 0; r < 2; r++)
        assert_int_equal(hr_records_new(both[r], 1, HR_HEDGE_CANDIDATES_OWNERS, 1, &w.records[r], NULL),
                         HR_OK);
    w.job =
        (hr_job_file){.rounds = 1, .options = options_of("hedge", HR_MODE_SOUND), .coalition = g->coalition};
    w.job.options.epsilon = EPSILON;
    w.job.options.delta = DELTA;
    w.job.options.bins = BINS;
    if (hr_simulation_init(&w.simulation, &w.job, world.schema, &owners, 1, &err))
        fail_msg("%s", err.message);
    hr_simulated_party *parties = w.simulation.parties;
    w.real_ask = parties[0].as.work.next_question;
    w.real_train = parties[1].as.work.train;
    parties[0].as.work.next_question = ask_and_weigh;
    for (size_t o = 1; o <= g->owners; o++) parties[o].as.work.train = answer;
}

static void close_job(void) {
    hr_simulation_done(&w.simulation);
    for (size_t r = 0; r < 2; r++) hr_records_free(w.records[r]);
    hr_arena_free(w.arena);
}

/* In how many jobs the evidence is for the record that is not there, or against the one that is. */
static size_t count_errors(const game *g, bool there) {
    size_t errors = 0;
    for (size_t i = 0; i < g->runs; i++) {
        hr_error err = {0};
        open_job(g, there);
        if (hr_simulation_run(&w.simulation, &err)) fail_msg("%s", err.message);
        errors += (w.evidence > 0) != there;
        close_job();
    }
    return errors;
}

/* The x with Phi(x) = p. */
static double normal_quantile(double p) {
    double low = -40, high = 40;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        *(erfc(-middle / sqrt(2)) / 2 < p ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

static double least_mu(const game *g) {
    double runs = (double)g->runs;
    double false_yes = max_probability((double)count_errors(g, false), runs, GAME_FALSE_ALARM / 2),
           false_no = max_probability((double)count_errors(g, true), runs, GAME_FALSE_ALARM / 2);
    return -normal_quantile(false_yes) - normal_quantile(false_no);
}

static void play(const game *g) {
    double mu = least_mu(g), claimed = sqrt(hr_units_value(hr_gdp_budget(EPSILON, DELTA)));
    double epsilon = mu > 0 ? hr_gdp_epsilon(hr_units_up(mu * mu), DELTA) : 0;
    char how[80];
    snprintf(how, sizeof how, " (mu %.3f, at least %.3f)%s", claimed, mu, g->fault ? "  caught" : "");
    say_game(&(game_result){g->name, EPSILON, epsilon, g->runs}, how);
    if ((mu > claimed) != (g->fault != NOTHING)) fail_msg("%s: mu is at least %.3f", g->name, mu);
}

static void play_all(const game *games, size_t count) {
    open_world();
    for (size_t i = 0; i < count; i++) play(&games[i]);
    close_world();
}

static void test_game__of_a_coalition_against_one_owner(void **state) {
    (void)state;
    static const game games[] = {{"hedge: coordinator and 2 of 3 owners", 3, 2, 240, NOTHING},
                                 {"hedge: the owner's noise is missing", 3, 2, 60, NO_NOISE}};
    play_all(games, COUNT(games));
}

static void test_game__finds_noise_that_the_coalition_shares(void **state) {
    (void)state;
    static const game games[] = {{"hedge: noise shared out over the coalition", 5, 4, 240, SHARES_OF_ALL}};
    skip_long_game();
    play_all(games, COUNT(games));
}

static void test_game__of_a_coalition_against_two_owners(void **state) {
    (void)state;
    static const game games[] = {{"hedge: coordinator and 1 of 3 owners", 3, 1, 200, NOTHING}};
    play_all(games, COUNT(games));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_game__of_a_coalition_against_one_owner),
        cmocka_unit_test(test_game__finds_noise_that_the_coalition_shares),
        cmocka_unit_test(test_game__of_a_coalition_against_two_owners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
