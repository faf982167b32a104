/* The receipts in a ledger: chains are apart, rows stay as they are, and those above a number come in order.
 */
#include "privacy/ledger/receipts.h"
#include "privacy/ledger/spend.h"
#include "support/temp_dir.h"

static const hr_receipt_chain study = {"demo", "study"}, audit = {"demo", "audit"},
                              other = {"other", "study"};

static hr_ledger *open_ledger(const temp_dir *s) {
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_create(s->path, 1, 0, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    return ledger;
}

static hr_receipt_row row_of(uint64_t number, uint8_t digest) {
    static const uint8_t bytes[] = "a receipt";
    hr_receipt_row row = {.number = number, .entry = (int64_t)number + 100, .bytes = {bytes, sizeof bytes}};
    memset(row.digest, digest, sizeof row.digest);
    return row;
}

static void put(hr_ledger *ledger, const hr_receipt_chain *chain, uint64_t number, uint8_t digest) {
    const hr_receipt_row row = row_of(number, digest);
    assert_int_equal(hr_receipts_put(ledger, chain, &row, NULL), HR_OK);
}

static bool has(hr_ledger *ledger, const hr_receipt_chain *chain, uint64_t number, uint8_t digest) {
    const hr_receipt_row row = row_of(number, digest);
    bool found = false;
    assert_int_equal(hr_receipts_have(ledger, chain, number, row.digest, &found, NULL), HR_OK);
    return found;
}

typedef struct seen {
    uint64_t numbers[8];
    size_t count;
} seen;

static hr_status see(void *user, const hr_receipt_row *row) {
    seen *s = user;
    assert_int_equal(row->entry, row->number + 100);
    assert_string_equal(row->bytes.at, "a receipt");
    s->numbers[s->count++] = row->number;
    return HR_OK;
}

static seen newest(hr_ledger *ledger, const hr_receipt_chain *chain, uint64_t above, size_t most) {
    const hr_receipt_query query = {*chain, above, most};
    seen s = {0};
    assert_int_equal(hr_receipts_newest(ledger, &query, see, &s, NULL), HR_OK);
    return s;
}

static void test_receipts__of_a_ledger_that_never_had_any_are_none(void **state) {
    hr_ledger *ledger = open_ledger(*state);
    assert_false(has(ledger, &study, 1, 1));
    assert_int_equal(newest(ledger, &study, 0, 8).count, 0);
    hr_ledger_close(ledger);
}

static void test_receipts__are_found_by_chain_number_and_digest(void **state) {
    hr_ledger *ledger = open_ledger(*state);
    assert_int_equal(hr_receipts_prepare(ledger, NULL), HR_OK);
    assert_int_equal(hr_receipts_prepare(ledger, NULL), HR_OK);
    put(ledger, &study, 1, 1);
    put(ledger, &audit, 1, 2);
    assert_true(has(ledger, &study, 1, 1) && has(ledger, &audit, 1, 2));
    assert_false(has(ledger, &study, 1, 2) || has(ledger, &audit, 1, 1) || has(ledger, &other, 1, 1));
    assert_false(has(ledger, &study, 2, 1));
    put(ledger, &study, 1, 3); /* an older copy was used */
    assert_true(has(ledger, &study, 1, 1) && has(ledger, &study, 1, 3));
    hr_ledger_close(ledger);
}

static void test_receipts__come_in_order(void **state) {
    hr_ledger *ledger = open_ledger(*state);
    assert_int_equal(hr_receipts_prepare(ledger, NULL), HR_OK);
    for (uint64_t number = 1; number <= 6; number++) put(ledger, &study, number, 7);
    put(ledger, &audit, 9, 7);
    seen all = newest(ledger, &study, 0, 8), above = newest(ledger, &study, 4, 8),
         few = newest(ledger, &study, 0, 2);
    assert_int_equal(all.count, 6);
    for (size_t i = 0; i < 6; i++) assert_int_equal(all.numbers[i], i + 1);
    assert_int_equal(above.count, 2);
    assert_int_equal(above.numbers[0], 5);
    assert_int_equal(few.count, 2);
    assert_true(few.numbers[0] == 5 && few.numbers[1] == 6);
    hr_ledger_close(ledger);
}

static void test_receipts__stay_as_they_are(void **state) {
    const temp_dir *s = *state;
    hr_ledger *ledger = open_ledger(s);
    assert_int_equal(hr_receipts_prepare(ledger, NULL), HR_OK);
    put(ledger, &study, 1, 1);
    hr_ledger_close(ledger);
    assert_string_equal(query_database(s->path, "DELETE FROM receipts"),
                        "the receipts of a ledger are never removed");
    assert_string_equal(query_database(s->path, "UPDATE receipts SET number = 2"),
                        "the receipts of a ledger never change");
    assert_string_equal(query_database(s->path, "SELECT count(*) FROM receipts"), "1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_receipts__of_a_ledger_that_never_had_any_are_none, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_receipts__are_found_by_chain_number_and_digest, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_receipts__come_in_order, temp_dir_open, temp_dir_close),
        cmocka_unit_test_setup_teardown(test_receipts__stay_as_they_are, temp_dir_open, temp_dir_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
