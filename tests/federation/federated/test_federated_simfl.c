/* SimFL over owners makes the model of one process that holds all of them, and says that it has no
 * guarantee. The linker puts this file between the parties and the hashes: it sees the coins. */
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/machines/simfl_exchange.h"
#include "federation/party/party_core.h"
#include "federation/work/owner_work.h"
#include "federation/work/simulation.h"
#include "privacy/ledger/offers.h"
#include "support/simfl_pieces.h"
#include "support/simfl_reference.h"
#include "support/tables.h"
#include "support/temp_dir.h"
#include "tables/data/records.h"
#include "trees/similar/lsh.h"

enum { TREES = 7 };

static uint8_t coins[HR_LSH_COINS];

hr_status __real_hr_lsh_new(const hr_lsh_setup *setup, hr_lsh **out, hr_error *err);
hr_status __wrap_hr_lsh_new(const hr_lsh_setup *setup, hr_lsh **out, hr_error *err);
/* The job's: those with which its rules are read are all 0. */
hr_status __wrap_hr_lsh_new(const hr_lsh_setup *setup, hr_lsh **out, hr_error *err) {
    static const uint8_t none[HR_LSH_COINS];
    if (memcmp(setup->coins, none, sizeof none) != 0) memcpy(coins, setup->coins, sizeof coins);
    return __real_hr_lsh_new(setup, out, err);
}

typedef struct job {
    table table;
    hr_data *owners[SIMFL_OWNERS_MAX];
    simfl_division division;
    hr_job_file file;
    hr_simulation simulation;
} job;

static hr_job_file simfl_job_file(void) {
    hr_job_file file = {.rounds = 1, .options = options_of("simfl", HR_MODE_PAPER)};
    file.options.epsilon = 0;
    file.options.trees = TREES;
    file.options.depth = 3;
    return file;
}

/* Owners get different numbers of records. */
static size_t owner_of(size_t row, size_t owners) {
    return row % (owners + 1) % owners;
}

static void open_job(job *j, table t, size_t owners) {
    hr_error err = {0};
    *j = (job){.table = t, .file = simfl_job_file(), .division.count = owners};
    uint32_t *picked = malloc(t.rows * sizeof *picked);
    assert_non_null(picked);
    for (size_t o = 0; o < owners; o++) {
        size_t count = 0;
        for (size_t i = 0; i < t.rows; i++)
            if (owner_of(i, owners) == o) picked[count++] = (uint32_t)i;
        assert_non_null(j->owners[o] = hr_data_take(t.data, picked, count));
        j->division.owners[o] = j->owners[o];
    }
    free(picked);
    const hr_owner_tables tables = {j->division.owners, owners};
    if (hr_simulation_init(&j->simulation, &j->file, t.schema, &tables, 1, &err)) fail_msg("%s", err.message);
}

static void close_job(job *j) {
    hr_simulation_done(&j->simulation);
    for (size_t o = 0; o < j->division.count; o++) hr_data_free(j->owners[o]);
    table_close(&j->table);
}

static const hr_model *run_job(job *j) {
    hr_error err = {0};
    memset(coins, 0, sizeof coins);
    if (hr_simulation_run(&j->simulation, &err)) fail_msg("%s", err.message);
    return j->simulation.parties[0].as.coordinator.result.model;
}

static void check_equality(table t, size_t owners) {
    job j;
    open_job(&j, t, owners);
    const hr_model *model = run_job(&j);
    static const uint8_t any[HR_LSH_COINS];
    assert_true(owners == 1 || memcmp(coins, any, sizeof any) != 0);
    check_simfl_model(model, &j.division, &j.file.options, coins);
    close_job(&j);
}

static void test_simfl__over_owners_makes_the_model_of_one_process(void **state) {
    (void)state;
    for (size_t owners = 1; owners <= 3; owners++) {
        check_equality(table_of_steps(150, 4, 2, 5), owners);
        check_equality(table_of_steps(150, 4, 0, 6), owners);
    }
}

/* The options of the published program. */
static void check_square_loss(hr_owner_order order) {
    job j;
    open_job(&j, table_of_steps(150, 4, 2, 7), 3);
    hr_simulation_done(&j.simulation);
    j.file.options.loss = HR_LOSS_SQUARE;
    j.file.options.learning_rate = 1;
    j.file.options.by_name[HR_OPTION_GAMMA] = .25;
    j.file.options.by_name[HR_OPTION_ORDER] = order;
    const hr_owner_tables tables = {j.division.owners, 3};
    assert_int_equal(hr_simulation_init(&j.simulation, &j.file, j.table.schema, &tables, 1, NULL), HR_OK);
    const hr_model *model = run_job(&j);
    assert_true(model->forest.link == HR_LINK_SIGNED && model->forest.trees[0].node_count > 1);
    check_simfl_model(model, &j.division, &j.file.options, coins);
    close_job(&j);
}

static void test_simfl__of_square_loss_over_owners_makes_the_model_of_one_process(void **state) {
    (void)state;
    check_square_loss(HR_OWNER_ORDER_TURNS);
    check_square_loss(HR_OWNER_ORDER_BLOCKS);
}

/* The same in pieces, of which many more are needed than may be unconfirmed. */
static void test_simfl__over_owners_in_pieces_makes_the_model_of_one_process(void **state) {
    (void)state;
    simfl_piece_records = 3;
    for (size_t owners = 2; owners <= 3; owners++) {
        check_equality(table_of_steps(150, 4, 2, 5), owners);
        check_equality(table_of_steps(150, 4, 0, 6), owners);
    }
    simfl_piece_records = 0;
}

static uint64_t most_unconfirmed;

/* Called when a packet leaves, after its transaction. */
static hr_loopback_fate look_at_outboxes(void *user, const char *from, const char *to, size_t size) {
    const hr_simulation *s = user;
    (void)to, (void)size;
    for (size_t i = 1; i <= s->owner_count; i++) {
        const hr_party *p = s->parties[i].party;
        uint64_t unconfirmed = 0;
        if (strcmp(s->parties[i].name, from) != 0 || !p->job_count) continue;
        assert_int_equal(
            hr_journal_unconfirmed(s->parties[i].journal, p->jobs[0]->record.id, &unconfirmed, NULL), HR_OK);
        if (unconfirmed > most_unconfirmed) most_unconfirmed = unconfirmed;
    }
    return HR_FATE_ARRIVES;
}

/* Pieces wait until others have confirmed those before: 50 pieces of one record never fill an outbox. */
static void test_simfl__pieces_wait_for_their_receivers(void **state) {
    (void)state;
    job j;
    open_job(&j, table_of_steps(150, 4, 2, 5), 3);
    simfl_piece_records = 1;
    most_unconfirmed = 0;
    hr_loopback_script(j.simulation.loopback, look_at_outboxes, &j.simulation);
    check_simfl_model(run_job(&j), &j.division, &j.file.options, coins);
    assert_int_equal(most_unconfirmed, HR_PARTY_WINDOW);
    simfl_piece_records = 0;
    close_job(&j);
}

/* More than one piece: each holds 511 KiB, 1,027 records with 255 hashes each of 2 bytes. */
static void test_simfl__sends_hashes_in_pieces(void **state) {
    (void)state;
    job j;
    open_job(&j, table_of_steps(9000, 2, 2, 5), 2);
    hr_simulation_done(&j.simulation);
    j.file.options.by_name[HR_OPTION_LSH_TABLES] = 255;
    j.file.options.trees = 2;
    const hr_owner_tables tables = {j.division.owners, 2};
    assert_int_equal(hr_simulation_init(&j.simulation, &j.file, j.table.schema, &tables, 1, NULL), HR_OK);
    check_simfl_model(run_job(&j), &j.division, &j.file.options, coins);
    close_job(&j);
}

static void test_simfl__says_that_it_has_no_guarantee(void **state) {
    (void)state;
    job j;
    open_job(&j, table_of_steps(60, 3, 2, 5), 2);
    const hr_model *model = run_job(&j);
    const hr_guarantee *guarantee = hr_model_guarantee(model);
    assert_false(guarantee->is_private);
    assert_true(isinf(guarantee->epsilon) && isinf(guarantee->epsilon_replace));
    assert_non_null(strstr(guarantee->statement, "NOT DIFFERENTIALLY PRIVATE"));
    assert_non_null(strstr(guarantee->statement, "hashes"));
    assert_null(strstr(guarantee->statement, "authors claim"));
    close_job(&j);
}

/* ---- What is refused before a job begins ---- */

static hr_status terms_of_file(const hr_job_file *file, const table *t, hr_bytes *out, hr_error *err) {
    static const char *const owners[] = {"north", "south", "west"};
    return hr_terms_of(file, "job", t->schema, &(hr_names){owners, 3}, out, err);
}

static void refuses_file(const hr_job_file *file, const table *t, const char *why) {
    hr_bytes bytes = {0};
    hr_error err = {0};
    assert_int_equal(terms_of_file(file, t, &bytes, &err), HR_E_ARGUMENT);
    if (!strstr(err.message, why)) fail_msg("%s", err.message);
}

static void test_simfl__job_files_that_it_cannot_keep_are_refused(void **state) {
    (void)state;
    table t = table_of_steps(60, 2, 2, 5), three = table_of_steps(60, 2, 3, 5);
    hr_job_file file = simfl_job_file();
    refuses_file(&file, &three, "no model of more than two classes");
    file.options = options_of("simfl", HR_MODE_SOUND);
    refuses_file(&file, &t, "simfl over owners has no mode sound");
    file = simfl_job_file();
    file.rounds = 2;
    refuses_file(&file, &t, "has an option 'trees' in their place");
    file = simfl_job_file();
    file.coalition = 1;
    refuses_file(&file, &t, "is not safe against any other owner");
    file = simfl_job_file();
    file.order = HR_ORDER_BROADCAST;
    refuses_file(&file, &t, "passes on no trees");
    table_close(&t);
    table_close(&three);
}

/* The refusal of a job with a guarantee names the method that has one. */
static void test_simfl__job_files_for_a_guarantee_are_told_of_hedge(void **state) {
    (void)state;
    table t = table_of_steps(60, 2, 2, 5);
    const struct {
        const char *method, *why;
    } cases[] = {{"simfl", "simfl over owners has no mode sound"},
                 {"dp-simfl", "'dp-simfl' does not train over a federation: it divides one table"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const hr_job_file file = {.rounds = 1, .options = options_of(cases[i].method, HR_MODE_SOUND)};
        hr_bytes bytes = {0};
        hr_error err = {0};
        assert_int_equal(terms_of_file(&file, &t, &bytes, &err), HR_E_ARGUMENT);
        assert_null(bytes.at);
        if (!strstr(err.message, cases[i].why)) fail_msg("%s", err.message);
        if (!strstr(err.remedy, "write 'method: hedge'")) fail_msg("%s", err.remedy);
    }
    table_close(&t);
}

static Hedgerow__Terms *simfl_terms(const hr_job_file *file, const table *t) {
    hr_bytes bytes = {0};
    ProtobufCMessage *message = NULL;
    assert_int_equal(terms_of_file(file, t, &bytes, NULL), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, bytes.at, bytes.size, &message, NULL),
                     HR_OK);
    free(bytes.at);
    return (Hedgerow__Terms *)message;
}

static void refuses_terms(const Hedgerow__Terms *terms, const table *t, hr_status status, const char *why) {
    hr_error err = {0};
    assert_int_equal(hr_federated_simfl.check_terms(terms, t->schema, &err), status);
    if (!strstr(err.message, why)) fail_msg("%s", err.message);
}

static void test_simfl__terms_that_an_owner_cannot_keep_are_refused(void **state) {
    (void)state;
    table t = table_of_steps(60, 2, 2, 5);
    hr_job_file file = simfl_job_file();
    Hedgerow__Terms *terms = simfl_terms(&file, &t);
    assert_int_equal(hr_federated_simfl.check_terms(terms, t.schema, NULL), HR_OK);
    assert_true(terms->epsilon == 0);
    terms->paper = false;
    refuses_terms(terms, &t, HR_E_ARGUMENT, "has no mode sound");
    hr_message_unpacked_free(&terms->base);
    file.options.trees = HR_SIMFL_TREES_MAX + 1;
    terms = simfl_terms(&file, &t);
    refuses_terms(terms, &t, HR_E_LIMIT, "1001 trees, and simfl over owners has at most 1000");
    hr_message_unpacked_free(&terms->base);
    file = simfl_job_file();
    file.options.by_name[HR_OPTION_LSH_TABLES] = 255;
    terms = simfl_terms(&file, &t);
    assert_int_equal(hr_federated_simfl.check_terms(terms, t.schema, NULL), HR_OK);
    hr_message_unpacked_free(&terms->base);
    table_close(&t);
}

static const char *const the_lab[] = {"lab"}, *const simfl_alone[] = {"simfl"};
static const hr_policy simfl_policy = {.coordinators = {the_lab, 1},
                                       .methods = {simfl_alone, 1},
                                       .unprotected = {simfl_alone, 1},
                                       .epsilon = 1,
                                       .owners = 1};
static const hr_journal_job offered = {.coordinator = "lab", .id = {7}};

#define TOO_MANY "records: the owner has 16777217 records, and in simfl 1 to 16777216"

/* What an owner of so many records answers to an offer of simfl. They are not read. ledger: NULL: none. */
static hr_decision decision_of(const table *t, size_t rows, const hr_policy *policy, hr_ledger *ledger) {
    hr_data records = *t->data;
    records.rows = rows;
    const hr_job_file file = simfl_job_file();
    Hedgerow__Terms *terms = simfl_terms(&file, t);
    const hr_party_offer offer = {&offered, terms, 0, NULL};
    hr_owner_work work = {0};
    hr_decision decision = {0};
    hr_error err = {0};
    hr_owner_work_init(&work);
    work.data = &records;
    work.policy = policy;
    work.ledger = ledger;
    if (work.work.decide(&work.work, &offer, &decision, &err)) fail_msg("%s", err.message);
    hr_message_unpacked_free(&terms->base);
    return decision;
}

static void test_simfl__owner_with_too_many_records_declines(void **state) {
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        table t = table_of_steps(60, 2, 2, 5);
        const hr_decision decision = decision_of(&t, HR_SIMFL_ROWS_MAX + more, &simfl_policy, NULL);
        assert_int_equal(decision.verdict, more ? HR_VERDICT_DECLINED : HR_VERDICT_ACCEPTED);
        assert_string_equal(decision.reason, more ? TOO_MANY : "");
        table_close(&t);
    }
}

/* What it says of its records tells the coordinator of them: nobody else hears it. */
static void test_simfl__owner_says_nothing_of_its_records_against_its_policy(void **state) {
    (void)state;
    table t = table_of_steps(60, 2, 2, 5);
    hr_policy policy = simfl_policy;
    policy.unprotected.count = 0;
    const hr_decision decision = decision_of(&t, HR_SIMFL_ROWS_MAX + 1, &policy, NULL);
    assert_int_equal(decision.verdict, HR_VERDICT_DECLINED);
    assert_non_null(strstr(decision.reason, "unprotected"));
    assert_null(strstr(decision.reason, "records"));
    table_close(&t);
}

static hr_ledger *open_offers(const char *path) {
    hr_ledger *ledger = NULL;
    hr_journal *journal = NULL;
    assert_int_equal(hr_ledger_create(path, 10, 0, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_journal_of_ledger(ledger, &journal, NULL), HR_OK);
    hr_journal_close(journal);
    return ledger;
}

/* Nor before a person has approved of the job, or once it was refused. */
static void test_simfl__owner_says_nothing_of_its_records_before_approval(void **state) {
    (void)state;
    table t = table_of_steps(60, 2, 2, 5);
    hr_policy policy = simfl_policy;
    policy.limits.approve = HR_APPROVAL_MANUAL;
    for (size_t approved = 0; approved < 2; approved++) {
        void *folder = NULL;
        assert_int_equal(temp_dir_open(&folder), 0);
        hr_ledger *ledger = open_offers(((temp_dir *)folder)->path);
        hr_decision decision = decision_of(&t, HR_SIMFL_ROWS_MAX + 1, &policy, ledger);
        assert_int_equal(decision.verdict, HR_VERDICT_UNDECIDED);
        assert_string_equal(decision.reason, "");
        const hr_offer_row decided = {.id = offered.id,
                                      .coordinator = "lab",
                                      .state = approved ? HR_OFFER_APPROVED : HR_OFFER_REFUSED,
                                      .text = "no ethics vote"};
        assert_int_equal(hr_offers_put(ledger, &decided, NULL), HR_OK);
        decision = decision_of(&t, HR_SIMFL_ROWS_MAX + 1, &policy, ledger);
        assert_int_equal(decision.verdict, HR_VERDICT_DECLINED);
        assert_string_equal(decision.reason,
                            approved ? TOO_MANY : "the owner refused the job: no ethics vote");
        hr_ledger_close(ledger);
        temp_dir_close(&folder);
    }
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simfl__over_owners_makes_the_model_of_one_process),
        cmocka_unit_test(test_simfl__of_square_loss_over_owners_makes_the_model_of_one_process),
        cmocka_unit_test(test_simfl__over_owners_in_pieces_makes_the_model_of_one_process),
        cmocka_unit_test(test_simfl__pieces_wait_for_their_receivers),
        cmocka_unit_test(test_simfl__sends_hashes_in_pieces),
        cmocka_unit_test(test_simfl__says_that_it_has_no_guarantee),
        cmocka_unit_test(test_simfl__job_files_that_it_cannot_keep_are_refused),
        cmocka_unit_test(test_simfl__job_files_for_a_guarantee_are_told_of_hedge),
        cmocka_unit_test(test_simfl__terms_that_an_owner_cannot_keep_are_refused),
        cmocka_unit_test(test_simfl__owner_with_too_many_records_declines),
        cmocka_unit_test(test_simfl__owner_says_nothing_of_its_records_against_its_policy),
        cmocka_unit_test(test_simfl__owner_says_nothing_of_its_records_before_approval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
