/* SimFL in pieces: how many, in which order, and what is refused. */
#include "federation/machines/simfl_exchange.h"
#include "support/message_samples.h"
#include "support/simfl_job.h"
#include "support/simfl_pieces.h"
#include "trees/similar/lsh.h"

static simulator *open_in_pieces(const test_members *f, size_t records) {
    simulator *b = simfl_open(f);
    simfl_piece_records = records;
    return b;
}

static void close_pieces(simulator *b) {
    simfl_close(b);
    simfl_piece_records = 0;
}

typedef struct counted_pieces {
    size_t hashes, gradients;
} counted_pieces;

static counted_pieces of_carl;

static bool count_pieces_of_carl(simfl_job *job, size_t from, size_t to, Hedgerow__Message *m) {
    (void)job;
    if (from == CARL && to == ANNA) of_carl.hashes += m->kind_case == HEDGEROW__MESSAGE__KIND_SIMFL_HASHES;
    if (to == CARL && from == ANNA)
        of_carl.gradients += m->kind_case == HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS;
    return true;
}

/* Carl has three records: as many pieces of its hashes, and of each other owner's gradients for its tree. The
 * simulator checks hashes and gradients where they are used. */
static void test_simfl_pieces__sends_hashes_and_gradients_in_pieces(void **state) {
    for (size_t records = 1; records <= 3; records++) {
        simulator *b = open_in_pieces(*state, records);
        of_carl = (counted_pieces){0};
        ((simfl_job *)b)->change = count_pieces_of_carl;
        simfl_run(b);
        assert_true(has_finished(&b->parties[COORDINATOR]));
        const size_t pieces = (3 + records - 1) / records;
        assert_true(of_carl.hashes == pieces && of_carl.gradients == pieces);
        close_pieces(b);
    }
}

/* Work that makes a piece is paced; a tree and a number of records are not. */
static void test_simfl_pieces__work_that_makes_a_piece_is_paced(void **state) {
    static const hr_simfl_task tasks[] = {HR_SIMFL_MEASURE, HR_SIMFL_HASH, HR_SIMFL_GRADIENTS,
                                          HR_SIMFL_TRAIN};
    simulator *b = simfl_open(*state);
    for (size_t i = 0; i < 4; i++) {
        simfl_run_until(b, BERT, tasks[i]);
        assert_int_equal(b->parties[BERT].work.paced, i == 1 || i == 2);
    }
    simfl_close(b);
}

/* Of the three pieces of hashes that Carl sends Anna, or of gradients that Anna sends Carl, one says another
 * place. */
static void check_piece(const test_members *f, Hedgerow__Message__KindCase kind, size_t piece, int step,
                        const char *why) {
    simulator *b = open_in_pieces(f, 1);
    const size_t from = kind == HEDGEROW__MESSAGE__KIND_SIMFL_HASHES ? CARL : ANNA,
                 to = from == CARL ? ANNA : CARL;
    for (size_t seen = 0;;) {
        assert_true(b->letter_count || simulator_step(b));
        if (!b->letter_count) continue;
        Hedgerow__Message *m = message_in(b->letters[0].bytes);
        const bool found = b->letters[0].from == from && b->letters[0].to == to && m->kind_case == kind;
        if (found && seen++ == piece) {
            if (kind == HEDGEROW__MESSAGE__KIND_SIMFL_HASHES)
                m->simfl_hashes->first = (uint32_t)((int)piece + step);
            else
                m->simfl_gradients->first = (uint32_t)((int)piece + step);
            send_message(b, from, to, m);
            hr_message_unpacked_free(&m->base);
            break;
        }
        hr_message_unpacked_free(&m->base);
        simulator_step(b);
    }
    simfl_check_cut(b, to, from, why);
    close_pieces(b);
}

static void test_simfl_pieces__pieces_out_of_order_are_refused(void **state) {
    for (size_t piece = 0; piece < 3; piece++)
        for (int step = -1; step <= 1; step += 2) {
            check_piece(*state, HEDGEROW__MESSAGE__KIND_SIMFL_HASHES, piece, step,
                        "hashes out of order, twice or of another length");
            check_piece(*state, HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, piece, step,
                        "gradients out of order, twice or of another number");
        }
}

/* In range piece by piece; Anna's one record cannot have all of them. */
static bool heavier_pieces(simfl_job *job, size_t from, size_t to, Hedgerow__Message *m) {
    if (from != ANNA || to != CARL || m->kind_case != HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS) return true;
    m->simfl_gradients->gradients[0] = job->count++ % 2 ? SIMFL_GRADIENT / 2 : -SIMFL_GRADIENT / 2;
    return true;
}

static void test_simfl_pieces__pieces_are_added_up_for_their_bound(void **state) {
    simulator *b = open_in_pieces(*state, 1);
    ((simfl_job *)b)->change = heavier_pieces;
    simfl_run(b);
    simfl_check_cut(b, CARL, ANNA, "gradients of more records than it has");
    assert_int_equal(((simfl_job *)b)->count, 3);
    simfl_check_failed(b, "owner carl refused what owner anna sent");
    close_pieces(b);
}

static void test_simfl_pieces__a_piece_that_was_lost_is_made_again(void **state) {
    for (size_t task = HR_SIMFL_HASH; task <= HR_SIMFL_GRADIENTS; task++) {
        simulator *b = open_in_pieces(*state, 1);
        const size_t who = task == HR_SIMFL_HASH ? CARL : ANNA;
        simfl_run_until(b, who, (hr_simfl_task)task);
        while (hr_simfl_work_of(b->parties[who].machine).first != 1) assert_true(simulator_step(b));
        while (b->parties[who].work.kind != HR_ACT_TRAIN) assert_true(simulator_step(b));
        b->parties[who].loses = 100;
        do_work(b, who);
        b->parties[who].loses = 0;
        simfl_run(b);
        assert_true(has_finished(&b->parties[COORDINATOR]));
        close_pieces(b);
    }
}

/* One message of the protocol is one packet. */
static void test_simfl_pieces__a_piece_fits_one_packet(void **state) {
    (void)state;
    const hr_simfl_rules rules = {.tables = 27};
    const size_t hashes = hr_simfl_hash_piece(&rules, HR_SIMFL_ROWS_MAX),
                 gradients = hr_simfl_gradient_piece(HR_SIMFL_ROWS_MAX);
    assert_true(hashes * 27 * 2 > HR_PIECE_MAX / 2 && gradients > 20000);
    int64_t *largest = malloc(gradients * sizeof *largest);
    uint8_t *bytes = calloc(hashes * 27, 2);
    hr_bytes packed_message;
    assert_true(largest && bytes);
    for (size_t i = 0; i < gradients; i++) largest[i] = INT64_MIN;
    Hedgerow__SimflGradients g = HEDGEROW__SIMFL_GRADIENTS__INIT;
    g.tree = g.first = UINT32_MAX;
    g.gradients = largest;
    g.weights = (uint64_t *)largest;
    g.n_gradients = g.n_weights = gradients;
    Hedgerow__SimflHashes h = HEDGEROW__SIMFL_HASHES__INIT;
    h.rows = h.first = UINT32_MAX;
    h.hashes = hr_data_of(bytes, hashes * 27 * 2);
    const Hedgerow__Message messages[] = {message_of_content(HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, &g),
                                          message_of_content(HEDGEROW__MESSAGE__KIND_SIMFL_HASHES, &h)};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(hr_message_pack(&messages[i].base, &packed_message, NULL), HR_OK);
        assert_true(packed_message.size <= HR_PIECE_MAX);
        free(packed_message.at);
    }
    free(largest);
    free(bytes);
}

/* ---- Memory ---- */

static void test_simfl_pieces__hashes_beyond_the_memory_of_an_owner_are_refused(void **state) {
    (void)state;
    const hr_simfl_rules rules = {.tables = 64};
    const uint32_t most = HR_SIMFL_HASHES_MAX / 128, rows[] = {5, most - 7, 7};
    hr_error err = {0};
    assert_int_equal(hr_simfl_check_memory(&rules, rows, 3, 0, &err), HR_OK);
    assert_int_equal(hr_simfl_check_memory(&rules, rows, 3, 1, &err), HR_OK);
    const uint32_t more[] = {5, most - 7, 8};
    assert_int_equal(hr_simfl_check_memory(&rules, more, 3, 0, &err), HR_E_LIMIT);
    assert_string_equal(err.message, "the hashes of 8388609 records of others take 1073741952 bytes, and an "
                                     "owner keeps at most 1073741824");
    assert_string_equal(err.remedy, "set the option lsh-tables lower, or ask fewer owners");
}

/* Each owner would have to keep 3 GB. */
static void test_simfl_pieces__job_of_too_many_records_ends_before_hashes_are_sent(void **state) {
    simfl_test_tables = HR_LSH_TABLES_MAX;
    simulator *b = simfl_open(*state);
    Hedgerow__SimflSize size = HEDGEROW__SIMFL_SIZE__INIT;
    int64_t sums[] = {1, 2999999};
    size.rows = 3000000;
    size.sums = sums;
    size.n_sums = 2;
    for (size_t who = ANNA; who < SIMFL_PARTIES; who++) simfl_run_until(b, who, HR_SIMFL_MEASURE);
    for (size_t who = ANNA; who < SIMFL_PARTIES; who++)
        send_content(b, who, COORDINATOR, HEDGEROW__MESSAGE__KIND_SIMFL_SIZE, &size);
    deliver_all(b);
    simfl_check_failed(b, "the hashes of 6000000 records of others take 3060000000 bytes, and an owner keeps "
                          "at most 1073741824; set the option lsh-tables lower, or ask fewer owners");
    simfl_close(b);
    simfl_test_tables = SIMFL_TABLES;
}

/* Before the coordinator has said how many records each owner has. */
static void test_simfl_pieces__hashes_that_come_early_take_no_more_memory_than_an_owner_has(void **state) {
    simfl_test_tables = HR_LSH_TABLES_MAX;
    simulator *b = simfl_open(*state);
    const size_t count = hr_simfl_hash_piece(&(hr_simfl_rules){.tables = HR_LSH_TABLES_MAX}, SIZE_MAX);
    uint8_t *bytes = calloc(count, 2 * HR_LSH_TABLES_MAX);
    assert_non_null(bytes);
    Hedgerow__SimflHashes hashes = HEDGEROW__SIMFL_HASHES__INIT;
    hashes.rows = HR_SIMFL_ROWS_MAX;
    hashes.hashes = hr_data_of(bytes, count * 2 * HR_LSH_TABLES_MAX);
    simfl_run_until(b, ANNA, HR_SIMFL_MEASURE);
    send_content(b, BERT, ANNA, HEDGEROW__MESSAGE__KIND_SIMFL_HASHES, &hashes);
    simfl_check_cut(b, ANNA, BERT, "the hashes of 16777216 records of others take 8556380160 bytes");
    free(bytes);
    simfl_close(b);
    simfl_test_tables = SIMFL_TABLES;
}

/* ---- In any order ---- */

/* Owners take turns, or train in blocks. Letters between two members keep their order, and no others. */
static void test_simfl_pieces__come_in_any_order(void **state) {
    for (uint64_t seed = 0; seed < 200; seed++) {
        simfl_test_blocks = seed / 4 % 2;
        simulator *b = open_in_pieces(*state, seed % 4);
        b->in_order = false;
        hr_dice_init(&b->dice, seed);
        simfl_run(b);
        assert_true(has_finished(&b->parties[COORDINATOR]));
        check_over(b);
        check_replay(b);
        close_pieces(b);
    }
    simfl_test_blocks = false;
}

static size_t liar;

static void spoil_letter(simulator *b, letter *l) {
    if (l->from != liar || hr_dice_below(&b->dice, 6)) return;
    hr_bytes bad = spoilt(&b->dice, &l->bytes);
    free(l->bytes.at);
    l->bytes = bad;
}

/* Others come to their end, and take nobody else for a liar. */
static void test_simfl_pieces__liars_harm_no_other_one(void **state) {
    for (uint64_t seed = 0; seed < 600; seed++) {
        simfl_test_blocks = seed / 4 % 2;
        simulator *b = open_in_pieces(*state, seed % 4);
        b->in_order = false;
        liar = seed / 8 % 2 ? ANNA : COORDINATOR;
        b->tamper = spoil_letter;
        ((simfl_job *)b)->any_numbers = true;
        hr_dice_init(&b->dice, seed);
        simulator_run(b, NULL);
        for (size_t who = 0; who < SIMFL_PARTIES; who++)
            for (size_t other = 0; who != liar && other < SIMFL_PARTIES; other++)
                if (other != liar && b->parties[who].cut[other])
                    fail_msg("seed %zu: %s", (size_t)seed, b->last_cut);
        if (liar != COORDINATOR) assert_int_equal(b->parties[COORDINATOR].ends, 1);
        check_replay(b);
        close_pieces(b);
    }
    simfl_test_blocks = false;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_simfl_pieces__sends_hashes_and_gradients_in_pieces),
        WITH_TEST_MEMBERS(test_simfl_pieces__work_that_makes_a_piece_is_paced),
        WITH_TEST_MEMBERS(test_simfl_pieces__pieces_out_of_order_are_refused),
        WITH_TEST_MEMBERS(test_simfl_pieces__pieces_are_added_up_for_their_bound),
        WITH_TEST_MEMBERS(test_simfl_pieces__a_piece_that_was_lost_is_made_again),
        cmocka_unit_test(test_simfl_pieces__a_piece_fits_one_packet),
        cmocka_unit_test(test_simfl_pieces__hashes_beyond_the_memory_of_an_owner_are_refused),
        WITH_TEST_MEMBERS(test_simfl_pieces__job_of_too_many_records_ends_before_hashes_are_sent),
        WITH_TEST_MEMBERS(test_simfl_pieces__hashes_that_come_early_take_no_more_memory_than_an_owner_has),
        WITH_TEST_MEMBERS(test_simfl_pieces__come_in_any_order),
        WITH_TEST_MEMBERS(test_simfl_pieces__liars_harm_no_other_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
