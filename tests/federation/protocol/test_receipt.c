/* Receipts: what an owner signed, and nothing else, is stored by the coordinator. */
#include "federation/protocol/receipt.h"
#include "support/sum_job.h"
#include "support/test_members.h"

static const sum_script script = {2, 2, 0, 0, 1};

/* Of Anna for the coordinator. Texts and bytes are static. */
static Hedgerow__Receipt receipt_of(const sum_names *names, uint64_t number) {
    static const uint8_t previous[HR_DIGEST_SIZE] = {7};
    Hedgerow__Receipt r = HEDGEROW__RECEIPT__INIT;
    r.federation = hr_text_of(names->membership.federation);
    r.owner = hr_text_of(names->members[SUM_OWNER].name);
    r.coordinator = hr_text_of(names->members[SUM_COORDINATOR].name);
    r.job = hr_data_of(sum_job_id.bytes, HR_JOB_BYTES);
    r.purpose = hr_text_of("job ward (id 00010203, hedge) of study");
    r.number = number;
    if (number > 1) r.previous = hr_data_of(previous, sizeof previous);
    r.date = 1700000000;
    r.epsilon = 1;
    r.delta = 1e-6;
    return r;
}

static hr_bytes signed_by(const sum_names *names, size_t who, const Hedgerow__Receipt *receipt) {
    hr_bytes out = {0};
    assert_int_equal(hr_receipt_sign(names->who[who], receipt, &out, NULL), HR_OK);
    return out;
}

/* ---- One receipt ---- */

static void test_receipt__is_read_as_it_was_signed(void **state) {
    const sum_names *names = *state;
    const Hedgerow__Receipt receipt = receipt_of(names, 3);
    hr_bytes bytes = signed_by(names, SUM_OWNER, &receipt);
    Hedgerow__Receipt *read = NULL;
    hr_digest before, after;
    assert_int_equal(hr_receipt_read(bytes.at, bytes.size, &read, NULL), HR_OK);
    assert_int_equal(read->number, 3);
    assert_true(read->epsilon == 1 && read->delta == 1e-6);
    assert_int_equal(hr_receipt_check(read, &names->members[SUM_OWNER].key, NULL), HR_OK);
    assert_int_equal(hr_receipt_check(read, &names->members[SUM_COORDINATOR].key, NULL), HR_E_POLICY);
    assert_int_equal(hr_receipt_digest(&receipt, &before, NULL), HR_OK);
    assert_int_equal(hr_receipt_digest(read, &after, NULL), HR_OK);
    assert_memory_equal(before.bytes, after.bytes, HR_DIGEST_SIZE); /* the signature is not part of it */
    read->epsilon = .5;
    assert_int_equal(hr_receipt_check(read, &names->members[SUM_OWNER].key, NULL), HR_E_POLICY);
    hr_message_unpacked_free(&read->base);
    free(bytes.at);
}

typedef void spoil_receipt(Hedgerow__Receipt *r);

static void without_owner(Hedgerow__Receipt *r) {
    r->owner.len = 0;
}
static void with_lines(Hedgerow__Receipt *r) {
    r->purpose = hr_text_of("one\ntwo");
}
static void without_purpose(Hedgerow__Receipt *r) {
    r->purpose.len = 0;
}
static void with_short_job(Hedgerow__Receipt *r) {
    r->job.len--;
}
static void with_number_zero(Hedgerow__Receipt *r) {
    r->number = 0;
}
static void with_huge_number(Hedgerow__Receipt *r) {
    r->number = UINT64_MAX;
}
static void without_previous(Hedgerow__Receipt *r) {
    r->previous.len = 0;
}
static void with_short_previous(Hedgerow__Receipt *r) {
    r->previous.len--;
}
static void with_late_date(Hedgerow__Receipt *r) {
    r->date = UINT64_MAX;
}
static void without_epsilon(Hedgerow__Receipt *r) {
    r->epsilon = 0;
}
static void with_epsilon_nan(Hedgerow__Receipt *r) {
    r->epsilon = (double)NAN;
}
static void with_negative_delta(Hedgerow__Receipt *r) {
    r->delta = -1e-9;
}
static void with_escapes(Hedgerow__Receipt *r) {
    r->unit = hr_text_of("\x1b[2J");
}

static void test_receipt__with_a_field_out_of_range_is_none(void **state) {
    static spoil_receipt *const spoils[] = {
        without_owner,    with_lines,          without_purpose,     with_short_job, with_number_zero,
        with_huge_number, without_previous,    with_short_previous, with_late_date, without_epsilon,
        with_epsilon_nan, with_negative_delta, with_escapes};
    const sum_names *names = *state;
    for (size_t i = 0; i < COUNT(spoils); i++) {
        Hedgerow__Receipt receipt = receipt_of(names, 2), *read = NULL;
        hr_error err = {0};
        spoils[i](&receipt);
        hr_bytes bytes = signed_by(names, SUM_OWNER, &receipt);
        if (hr_receipt_read(bytes.at, bytes.size, &read, &err) != HR_E_FORMAT) fail_msg("spoil %zu", i);
        assert_non_null(strstr(err.message, "a receipt with a field"));
        free(bytes.at);
    }
}

static void test_receipt__of_other_bytes_is_none(void **state) {
    const sum_names *names = *state;
    const Hedgerow__Receipt receipt = receipt_of(names, 2);
    hr_bytes bytes = signed_by(names, SUM_OWNER, &receipt);
    static uint8_t large[HR_RECEIPT_MAX + 1];
    for (size_t size = 0; size < bytes.size; size++) {
        Hedgerow__Receipt *read = NULL;
        uint8_t *cut = malloc(size + 1);
        memcpy(cut, bytes.at, size);
        assert_int_not_equal(hr_receipt_read(cut, size, &read, NULL), HR_OK);
        free(cut);
    }
    Hedgerow__Receipt *read = NULL;
    assert_int_equal(hr_receipt_read(large, sizeof large, &read, NULL), HR_E_LIMIT);
    free(bytes.at);
}

/* ---- At the coordinator ---- */

typedef enum receipt_fault {
    FAIR,
    TWO_IN_ORDER,
    BY_ANOTHER,
    OF_ANOTHER_OWNER,
    FOR_ANOTHER_COORDINATOR,
    OF_ANOTHER_FEDERATION,
    OF_ANOTHER_JOB,
    OUT_OF_ORDER,
    TWICE,
    WITH_ACCEPTANCE,
    RECEIPT_FAULTS
} receipt_fault;

static bool is_fair(receipt_fault fault) {
    return fault == FAIR || fault == TWO_IN_ORDER;
}

/* The last receipt of the answer. */
static hr_bytes last_receipt(const sum_names *names, receipt_fault fault) {
    static const uint8_t another_job[HR_JOB_BYTES] = {99};
    Hedgerow__Receipt receipt = receipt_of(names, 5);
    if (fault == OF_ANOTHER_OWNER) receipt.owner = hr_text_of(names->members[SUM_OWNER + 1].name);
    if (fault == FOR_ANOTHER_COORDINATOR) receipt.coordinator = hr_text_of(names->members[SUM_OUTSIDER].name);
    if (fault == OF_ANOTHER_FEDERATION) receipt.federation = hr_text_of("another");
    if (fault == OF_ANOTHER_JOB) receipt.job = hr_data_of(another_job, sizeof another_job);
    return signed_by(names, SUM_OWNER + (fault == BY_ANOTHER), &receipt);
}

static void send_receipts(simulator *s, const sum_names *names, receipt_fault fault) {
    const bool two = fault == TWO_IN_ORDER || fault == OUT_OF_ORDER;
    const Hedgerow__Receipt earlier = receipt_of(names, fault == OUT_OF_ORDER ? 6 : 4);
    hr_bytes before = signed_by(names, SUM_OWNER, &earlier), last = last_receipt(names, fault);
    ProtobufCBinaryData views[2] = {hr_data_of(before.at, before.size), hr_data_of(last.at, last.size)};
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    Hedgerow__Message message = HEDGEROW__MESSAGE__INIT;
    answer.receipts = two ? views : views + 1;
    answer.n_receipts = two ? 2 : 1;
    answer.accepted = fault == WITH_ACCEPTANCE;
    message.kind_case = HEDGEROW__MESSAGE__KIND_ANSWER;
    message.answer = &answer;
    hr_bytes bytes = sum_pack(&message);
    for (int i = 0; i < (fault == TWICE ? 2 : 1); i++)
        feed_message(s, SUM_OWNER, SUM_COORDINATOR, bytes.at, bytes.size);
    free(bytes.at);
    free(before.at);
    free(last.at);
}

static bool has_started(const simulator *s) {
    return lines_with(s, "2 of 2 owners take part") != 0;
}

static void run_until_started(simulator *s) {
    while (!has_started(s)) assert_true(simulator_step(s));
}

static void test_receipts__of_another_are_refused(void **state) {
    const sum_names *names = *state;
    for (int fault = FAIR; fault < RECEIPT_FAULTS; fault++) {
        simulator *s = sum_open(names, &script, 1);
        hr_part_info part;
        run_until_started(s);
        send_receipts(s, names, (receipt_fault)fault);
        assert_true(hr_securesum_part(s->parties[SUM_COORDINATOR].machine, SUM_OWNER, &part));
        if ((part.state != HR_PART_CUT_OFF) != is_fair((receipt_fault)fault))
            fail_msg("fault %d: %s", fault, part.why);
        simulator_run(s, NULL);
        check_replay(s);
        simulator_close(s);
    }
}

/* Nothing was charged then. */
static void test_receipts__before_the_start_are_refused(void **state) {
    const sum_names *names = *state;
    simulator *s = sum_open(names, &script, 1);
    hr_part_info part;
    send_receipts(s, names, FAIR);
    assert_true(hr_securesum_part(s->parties[SUM_COORDINATOR].machine, SUM_OWNER, &part));
    assert_int_equal(part.state, HR_PART_CUT_OFF);
    simulator_run(s, NULL);
    simulator_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SUM_NAMES(test_receipt__is_read_as_it_was_signed),
        WITH_SUM_NAMES(test_receipt__with_a_field_out_of_range_is_none),
        WITH_SUM_NAMES(test_receipt__of_other_bytes_is_none),
        WITH_SUM_NAMES(test_receipts__of_another_are_refused),
        WITH_SUM_NAMES(test_receipts__before_the_start_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
