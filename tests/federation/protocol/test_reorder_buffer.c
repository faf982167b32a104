/* Reorder bufferes: whatever order the transport chooses, messages come out whole, once, in order; and no
 * sender can fill the memory. */
#include "federation/protocol/reorder_buffer.h"

#include "support/test_members.h"

enum { MAILS = 12, PIECES_MAX = 5, ENVELOPES = MAILS * PIECES_MAX };

static void put(hr_reorder_buffer *inbox, uint64_t sequence, bool more, const void *at, size_t size) {
    const hr_envelope e = {.sequence = sequence, .more = more, .body = bytes_of(at, size)};
    hr_reorder_buffer_put(inbox, &e);
}

static bool take(hr_reorder_buffer *inbox, hr_bytes *out, uint64_t *sequence) {
    bool there = false;
    assert_int_equal(hr_reorder_buffer_take(inbox, &there, out, sequence, NULL), HR_OK);
    return there;
}

static void expect(hr_reorder_buffer *inbox, const char *text, uint64_t sequence) {
    hr_bytes out = {0};
    uint64_t last = 0;
    assert_true(take(inbox, &out, &last));
    assert_int_equal(out.size, strlen(text));
    assert_memory_equal(out.at, text, out.size);
    assert_int_equal(last, sequence);
    assert_int_equal(inbox->taken, sequence);
    free(out.at);
}

static void expect_none(hr_reorder_buffer *inbox) {
    hr_bytes out = {0};
    uint64_t last = 0;
    assert_false(take(inbox, &out, &last));
    assert_null(out.at);
}

/* ---- Random schedules ---- */

typedef struct letters {
    uint8_t bytes[ENVELOPES];
    bool more[ENVELOPES];
    size_t count;
} letters;

static letters random_letters(hr_dice *dice) {
    letters l = {.count = 0};
    for (size_t m = 0; m < MAILS; m++)
        for (uint64_t pieces = 1 + hr_dice_below(dice, PIECES_MAX); pieces--; l.count++) {
            l.bytes[l.count] = (uint8_t)(l.count + 1);
            l.more[l.count] = pieces;
        }
    return l;
}

/* Takes all there is; every message is what was sent after the one before. */
static void take_all(hr_reorder_buffer *inbox, const letters *l, size_t *taken) {
    hr_bytes out;
    uint64_t sequence;
    while (take(inbox, &out, &sequence)) {
        size_t first = *taken;
        for (size_t e = first;; e++) {
            assert_true(e < l->count && e - first < out.size && out.at[e - first] == l->bytes[e]);
            if (l->more[e]) continue;
            assert_int_equal(out.size, e + 1 - first);
            assert_int_equal(sequence, e + 1);
            *taken = e + 1;
            break;
        }
        assert_int_equal(inbox->taken, *taken);
        free(out.at);
    }
}

/* The sender sends again what the receiver has not confirmed, from anywhere; the transport loses, repeats and
 * reorders. */
static void test_reorder_buffer__gives_messages_whole_once_in_order(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 11);
    for (int trial = 0; trial < 300; trial++) {
        hr_reorder_buffer inbox = {0};
        letters l = random_letters(&dice);
        size_t taken = 0, steps = 0;
        uint64_t window = 1 + hr_dice_below(&dice, 2 * HR_REORDER_EARLY_MAX);
        for (; taken < l.count; steps++) {
            size_t at = taken + hr_dice_below(&dice, window);
            if (hr_dice_below(&dice, 8) == 0) at = hr_dice_below(&dice, l.count);
            if (at < l.count) put(&inbox, at + 1, l.more[at], &l.bytes[at], 1);
            if (hr_dice_below(&dice, 3)) take_all(&inbox, &l, &taken);
            assert_true(steps < 100000);
        }
        hr_reorder_buffer_done(&inbox);
    }
}

/* ---- One at a time ---- */

static void test_reorder_buffer__joins_pieces(void **state) {
    (void)state;
    hr_reorder_buffer inbox = {0};
    put(&inbox, 1, true, "ab", 2);
    expect_none(&inbox);
    assert_int_equal(inbox.taken, 0); /* nothing may be confirmed before all of it is there */
    put(&inbox, 3, false, "e", 1);
    expect_none(&inbox);
    put(&inbox, 2, true, "cd", 2);
    expect(&inbox, "abcde", 3);
    put(&inbox, 4, false, "", 0);
    expect(&inbox, "", 4);
    expect_none(&inbox);
    hr_reorder_buffer_done(&inbox);
}

static void test_reorder_buffer__ignores_what_it_has(void **state) {
    (void)state;
    hr_reorder_buffer inbox = {0};
    put(&inbox, 1, false, "a", 1);
    put(&inbox, 1, false, "b", 1); /* the first one counts */
    expect(&inbox, "a", 1);
    put(&inbox, 1, false, "c", 1);
    expect_none(&inbox);
    put(&inbox, 3, false, "d", 1);
    put(&inbox, 3, true, "e", 1);
    put(&inbox, 2, true, "f", 1);
    expect(&inbox, "fd", 3);
    put(&inbox, 2, false, "g", 1);
    put(&inbox, 3, false, "h", 1);
    expect_none(&inbox);
    hr_reorder_buffer_done(&inbox);
}

/* A piece that is already in the message that grows is not added again. */
static void test_reorder_buffer__adds_no_piece_twice(void **state) {
    (void)state;
    hr_reorder_buffer inbox = {0};
    put(&inbox, 1, true, "a", 1);
    expect_none(&inbox);
    put(&inbox, 1, true, "a", 1);
    expect_none(&inbox);
    put(&inbox, 2, false, "b", 1);
    put(&inbox, 1, false, "a", 1);
    expect(&inbox, "ab", 2);
    expect_none(&inbox);
    hr_reorder_buffer_done(&inbox);
}

/* Sequences far away fill no slot that those that are next need. */
static void test_reorder_buffer__takes_huge_sequences_calmly(void **state) {
    (void)state;
    hr_reorder_buffer inbox = {0};
    for (uint64_t k = 0; k < 100; k++) put(&inbox, UINT64_MAX - k, k % 2, "x", 1);
    for (uint64_t k = 0; k < 100; k++) put(&inbox, (UINT64_C(1) << 32) + k, k % 2, "x", 1);
    expect_none(&inbox);
    put(&inbox, 2, false, "b", 1);
    put(&inbox, 1, false, "a", 1);
    expect(&inbox, "a", 1);
    expect(&inbox, "b", 2);
    hr_reorder_buffer_done(&inbox);
}

/* Where the slots for what comes early would reach over the last sequence. */
static void test_reorder_buffer__goes_on_near_the_last_sequence(void **state) {
    (void)state;
    hr_reorder_buffer inbox = {.taken = UINT64_MAX - 3};
    put(&inbox, UINT64_MAX - 1, false, "b", 1);
    put(&inbox, UINT64_MAX - 2, false, "a", 1);
    for (uint64_t s = 1; s < 40; s++) put(&inbox, s, false, "c", 1);
    expect(&inbox, "a", UINT64_MAX - 2);
    expect(&inbox, "b", UINT64_MAX - 1);
    expect_none(&inbox);
    hr_reorder_buffer_done(&inbox);
}

/* One who says `more` for ever is found out at the limit, not at the end of the memory. */
static void test_reorder_buffer__refuses_a_message_without_end(void **state) {
    (void)state;
    hr_reorder_buffer inbox = {0};
    uint8_t *large = calloc(1, HR_PIECE_MAX);
    hr_status status = HR_OK;
    uint64_t sequence = 0;
    bool there = false;
    hr_bytes out = {0};
    hr_error err = {0};
    assert_non_null(large);
    for (size_t sent = 0; !status; sent += HR_PIECE_MAX) {
        uint64_t last;
        assert_true(sent <= HR_MESSAGE_MAX);
        put(&inbox, ++sequence, true, large, HR_PIECE_MAX);
        status = hr_reorder_buffer_take(&inbox, &there, &out, &last, &err);
        assert_false(there);
        assert_true(inbox.partial.size <= HR_MESSAGE_MAX);
    }
    assert_int_equal(status, HR_E_LIMIT);
    assert_true(err.message[0]);
    assert_int_equal(inbox.taken, 0);
    hr_reorder_buffer_done(&inbox);
    free(large);
}

/* Pieces without content make no progress that a limit on bytes would see. */
static void test_reorder_buffer__keeps_nothing_of_empty_pieces(void **state) {
    (void)state;
    hr_reorder_buffer inbox = {0};
    hr_status status = HR_OK;
    for (uint64_t sequence = 1; !status && sequence < (1 << 20); sequence++) {
        bool there = false;
        hr_bytes out = {0};
        uint64_t last;
        put(&inbox, sequence, true, "", 0);
        status = hr_reorder_buffer_take(&inbox, &there, &out, &last, NULL);
    }
    assert_int_equal(inbox.partial.size, 0);
    assert_int_equal(inbox.taken, 0);
    hr_reorder_buffer_done(&inbox);
}

static void test_reorder_buffer__gives_a_message_of_the_largest_size(void **state) {
    (void)state;
    hr_reorder_buffer inbox = {0};
    uint8_t *large = calloc(1, HR_PIECE_MAX);
    uint64_t pieces = HR_MESSAGE_MAX / HR_PIECE_MAX, last;
    hr_bytes out = {0};
    assert_non_null(large);
    for (uint64_t s = pieces; s >= 1; s--) put(&inbox, s, s < pieces, large, HR_PIECE_MAX);
    assert_true(take(&inbox, &out, &last));
    assert_int_equal(out.size, HR_MESSAGE_MAX);
    assert_int_equal(last, pieces);
    free(out.at);
    hr_reorder_buffer_done(&inbox);
    free(large);
}

/* Whatever comes early and is never followed, a bounded number is put by; all of it is given back. */
static void test_reorder_buffer__puts_by_a_few(void **state) {
    (void)state;
    hr_reorder_buffer inbox = {0};
    size_t kept = 0;
    for (uint64_t s = 2; s < 200; s++) put(&inbox, s, false, "x", 1);
    for (size_t i = 0; i < HR_REORDER_EARLY_MAX; i++) kept += inbox.early[i].sequence != 0;
    assert_in_range(kept, 1, HR_REORDER_EARLY_MAX);
    expect_none(&inbox);
    put(&inbox, 1, true, "y", 1);
    expect(&inbox, "yx", 2);
    hr_reorder_buffer_done(&inbox);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reorder_buffer__gives_messages_whole_once_in_order),
        cmocka_unit_test(test_reorder_buffer__joins_pieces),
        cmocka_unit_test(test_reorder_buffer__ignores_what_it_has),
        cmocka_unit_test(test_reorder_buffer__adds_no_piece_twice),
        cmocka_unit_test(test_reorder_buffer__takes_huge_sequences_calmly),
        cmocka_unit_test(test_reorder_buffer__goes_on_near_the_last_sequence),
        cmocka_unit_test(test_reorder_buffer__refuses_a_message_without_end),
        cmocka_unit_test(test_reorder_buffer__keeps_nothing_of_empty_pieces),
        cmocka_unit_test(test_reorder_buffer__gives_a_message_of_the_largest_size),
        cmocka_unit_test(test_reorder_buffer__puts_by_a_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
