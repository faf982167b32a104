/* Hellos: which are taken, what follows from them, and from none. */
#include "federation/party/presence.h"
#include "federation/protocol/envelope.h"
#include "support/test_members.h"

enum { WAITING = 16, PERIOD = 30, SECOND = 1000, LAPSE = HR_HELLO_PERIODS * PERIOD * SECOND };

#define BEGIN INT64_C(1000000)
#define DATE INT64_C(1700000000000)

/* A transport with presence between the members of one test, whose hellos wait in order. */
typedef struct hello_line {
    hr_transport transport;
    hr_hello_packet waiting[PERSONS][WAITING];
    size_t count[PERSONS], published;
    hr_hello_packet last; /* that was published */
    bool connected, refuses;
} hello_line;

static int64_t date_now;
static int64_t date_of_test(void) {
    return date_now;
}

static hr_status refuse_all(hr_error *err) {
    return hr_fail(err, HR_E_POLICY, "allow them", "hellos are not allowed");
}

static hr_status publish(hr_transport *self, const void *bytes, size_t size, hr_error *err) {
    hello_line *line = (hello_line *)self;
    if (line->refuses) return refuse_all(err);
    assert_true(size <= HR_HELLO_MAX);
    line->published++;
    memcpy(line->last.bytes, bytes, size);
    line->last.size = size;
    return HR_OK;
}

static hr_status next(hr_transport *self, const char *from, hr_hello_packet *out, hr_error *err) {
    static const char *const names[] = {"coordinator", "anna", "bert", "carl", "dora"};
    hello_line *line = (hello_line *)self;
    size_t m = 0;
    while (m < COUNT(names) && strcmp(names[m], from) != 0) m++;
    out->size = 0;
    if (line->refuses) return refuse_all(err);
    if (m == COUNT(names) || !line->count[m]) return HR_OK;
    *out = line->waiting[m][0];
    memmove(&line->waiting[m][0], &line->waiting[m][1], --line->count[m] * sizeof *out);
    return HR_OK;
}

static void describe(const hr_transport *self, hr_link_info *out) {
    *out = (hr_link_info){((const hello_line *)self)->connected, 0};
}

/* ---- One member's side ---- */

typedef struct side {
    hello_line line;
    hr_presence *presence;
    hr_log log;
    char said[4096];
    int64_t now;
} side;

static void keep_line(void *user, const hr_log_line *line) {
    side *s = user;
    const size_t used = strlen(s->said);
    snprintf(s->said + used, sizeof s->said - used, "%s\n", line->text);
}

static void open_side(side *s, const test_members *f, size_t self, bool asks) {
    static const bool owners[MEMBERS] = {[ANNA] = true, [BERT] = true, [CARL] = true},
                      coordinators[MEMBERS] = {[COORDINATOR] = true};
    *s = (side){.line = {.transport = {.link = describe, .publish_hello = publish, .next_hello = next},
                         .connected = true},
                .now = BEGIN};
    s->log = (hr_log){.sink = keep_line, .user = s};
    date_now = DATE;
    const hr_presence_options options = {.view = &f->views[self],
                                         .transport = &s->line.transport,
                                         .version = 7,
                                         .fingerprint = "abcd-efgh",
                                         .listens = asks ? owners : coordinators,
                                         .requests = asks,
                                         .period = PERIOD,
                                         .date = date_of_test,
                                         .log = &s->log};
    assert_int_equal(hr_presence_open(&options, &s->presence, NULL), HR_OK);
}

/* Time passes, and the member looks. */
static void pass_time(side *s, int64_t milliseconds) {
    s->now += milliseconds;
    date_now += milliseconds;
    assert_int_equal(hr_presence_step(s->presence, s->now, NULL), HR_OK);
}

static void put(side *s, size_t member, const void *bytes, size_t size) {
    hr_hello_packet *packet = &s->line.waiting[member][s->line.count[member]++];
    assert_true(size <= HR_HELLO_MAX && s->line.count[member] <= WAITING);
    memcpy(packet->bytes, bytes, size);
    packet->size = size;
}

static hr_hello hello_of(int64_t date) {
    return (hr_hello){.version = 7, .fingerprint = "abcd-efgh", .date = date, .session = 1, .period = PERIOD};
}

/* As the program of `member` would send it. */
static void send_hello(side *s, const test_members *f, size_t member, hr_hello hello) {
    hr_bytes bytes = {0};
    assert_int_equal(hr_hello_make(&f->views[member], &hello, &bytes, NULL), HR_OK);
    put(s, member, bytes.at, bytes.size);
    free(bytes.at);
}

static bool is_present(const side *s, size_t member) {
    hr_member_presence found;
    assert_true(hr_presence_of(s->presence, member, &found));
    return found.present;
}

static bool said(side *s, const char *words) {
    const bool found = strstr(s->said, words);
    s->said[0] = '\0';
    return found;
}

/* ---- What is taken ---- */

static void test_hello__of_an_owner_holds_for_three_periods(void **state) {
    const test_members *f = *state;
    hr_member_presence found;
    side s;
    open_side(&s, f, COORDINATOR, true);
    pass_time(&s, 0);
    assert_false(is_present(&s, ANNA));
    send_hello(&s, f, ANNA, hello_of(DATE));
    pass_time(&s, SECOND);
    assert_true(is_present(&s, ANNA) && said(&s, "owner anna is present"));
    send_hello(&s, f, ANNA, hello_of(DATE + 1));
    pass_time(&s, PERIOD * SECOND);
    assert_true(hr_presence_of(s.presence, ANNA, &found));
    assert_true(found.since == DATE / 1000 + 1 && found.seen == DATE / 1000 + 1 + PERIOD);
    pass_time(&s, LAPSE - 1);
    assert_true(is_present(&s, ANNA) && !said(&s, "anna"));
    pass_time(&s, 200);
    assert_true(!is_present(&s, ANNA) && said(&s, "owner anna is away: no hello for 90 s"));
    assert_true(hr_presence_of(s.presence, ANNA, &found) && found.seen == DATE / 1000 + 1 + PERIOD);
    hr_hello again = hello_of(date_now);
    again.session = 2;
    send_hello(&s, f, ANNA, again);
    pass_time(&s, SECOND);
    assert_true(hr_presence_of(s.presence, ANNA, &found) && found.present && found.since == date_now / 1000);
    assert_int_equal(hr_presence_changes(s.presence), 3);
    assert_false(hr_presence_of(s.presence, DORA, &found));
    hr_presence_close(s.presence);
}

static void test_hello__that_leaves_ends_presence_at_once(void **state) {
    const test_members *f = *state;
    side s;
    open_side(&s, f, COORDINATOR, true);
    send_hello(&s, f, ANNA, hello_of(DATE));
    pass_time(&s, 0);
    hr_hello leaving = hello_of(DATE + 1);
    leaving.state = HEDGEROW__HELLO_BODY__STATE__LEAVING;
    send_hello(&s, f, ANNA, leaving);
    pass_time(&s, SECOND);
    assert_true(!is_present(&s, ANNA) && said(&s, "owner anna is away: its program has ended"));
    hr_presence_close(s.presence);
}

/* A coordinator that asks is no owner that is there: of several coordinators one may listen to all members.
 */
static void test_hello__that_asks_is_of_nobody_who_is_present(void **state) {
    const test_members *f = *state;
    hr_member_presence found;
    side s;
    open_side(&s, f, COORDINATOR, true);
    hr_hello asking = hello_of(DATE);
    asking.state = HEDGEROW__HELLO_BODY__STATE__ASKING;
    asking.version = 6;
    send_hello(&s, f, BERT, asking);
    pass_time(&s, SECOND);
    assert_true(hr_presence_of(s.presence, BERT, &found) && !found.present && !found.seen);
    assert_false(said(&s, "bert"));
    send_hello(&s, f, BERT, asking);
    pass_time(&s, SECOND);
    assert_true(said(&s, "of bert: a hello is refused: it is not newer than the last one"));
    pass_time(&s, 2 * LAPSE);
    assert_false(said(&s, "bert"));
    hr_presence_close(s.presence);
}

/* ---- What is refused ---- */

typedef enum hello_fault {
    FAIR,
    UNSIGNED,
    BY_ANOTHER,
    OF_ANOTHER_MEMBER, /* its own signature under another's name */
    OF_ANOTHER_FEDERATION,
    OTHER_BODY,
    CUT,
    STALE, /* newer than the last one, but old */
    FUTURE,
    REPLAYED,
    OLDER,
    NO_PERIOD,
    LONG_PERIOD,
    NO_STATE,
    NO_DATE,
    ESCAPES,
    HELLO_FAULTS
} hello_fault;

/* Signs a hello of `signer` with the fault into the queue of Anna. */
static void send_false(side *s, const test_members *f, hello_fault fault) {
    const size_t signer = fault == BY_ANOTHER || fault == OF_ANOTHER_MEMBER ? BERT : ANNA;
    hr_membership other = f->membership;
    hr_party_view view = f->views[signer];
    hr_member members[MEMBERS];
    memcpy(members, f->members, sizeof members);
    if (fault == OF_ANOTHER_FEDERATION) other.federation = "ditch";
    if (fault == BY_ANOTHER) members[BERT].name = "anna";
    other.members = members;
    view.membership = &other;
    hr_hello hello = hello_of(date_now);
    if (fault == STALE) hello.date = DATE + 1;
    if (fault == FUTURE) hello.date += HR_HELLO_DATES + 3 * SECOND;
    if (fault == OLDER) hello.date = DATE - 1;
    if (fault == REPLAYED) hello.date = DATE;
    if (fault == NO_DATE) hello.date = INT64_MIN;
    if (fault == NO_PERIOD) hello.period = 0;
    if (fault == LONG_PERIOD) hello.period = HR_HELLO_PERIOD_MAX + 1;
    if (fault == NO_STATE) hello.state = (hr_hello_state)3;
    if (fault == ESCAPES) snprintf(hello.fingerprint, sizeof hello.fingerprint, "\x1b[2J");
    hr_bytes bytes = {0};
    assert_int_equal(hr_hello_make(&view, &hello, &bytes, NULL), HR_OK);
    if (fault == UNSIGNED) bytes.at[bytes.size - 1] ^= 1;
    if (fault == OTHER_BODY) bytes.at[4] ^= 1;
    put(s, ANNA, bytes.at, bytes.size - (fault == CUT));
    free(bytes.at);
}

static void test_hello__that_is_false_changes_nothing(void **state) {
    const test_members *f = *state;
    for (int fault = FAIR; fault < HELLO_FAULTS; fault++) {
        hr_member_presence before, after;
        side s;
        open_side(&s, f, COORDINATOR, true);
        send_hello(&s, f, ANNA, hello_of(DATE));
        pass_time(&s, SECOND);
        if (fault == STALE) pass_time(&s, HR_HELLO_DATES);
        said(&s, "");
        assert_true(hr_presence_of(s.presence, ANNA, &before));
        send_false(&s, f, (hello_fault)fault);
        pass_time(&s, 2 * SECOND);
        assert_true(hr_presence_of(s.presence, ANNA, &after));
        const bool taken = after.seen != before.seen;
        if (taken != (fault == FAIR)) fail_msg("fault %d: %s", fault, s.said);
        if ((strstr(s.said, "of anna: ") != NULL) != (fault != FAIR)) fail_msg("fault %d: %s", fault, s.said);
        if (fault == FUTURE)
            assert_non_null(strstr(s.said, "its date is 91 s ahead of this clock; set the clocks"));
        const size_t lines = strlen(s.said);
        send_false(&s, f, (hello_fault)fault);
        pass_time(&s, SECOND);
        if (fault != FAIR && strlen(s.said) != lines) fail_msg("fault %d is logged twice: %s", fault, s.said);
        hr_presence_close(s.presence);
    }
}

/* It is there, and will decline: the coordinator's log says why. */
static void test_hello__of_other_files_is_taken_and_logged(void **state) {
    const test_members *f = *state;
    side s;
    open_side(&s, f, COORDINATOR, true);
    hr_hello hello = hello_of(DATE);
    hello.version = 6;
    send_hello(&s, f, ANNA, hello);
    snprintf(hello.fingerprint, sizeof hello.fingerprint, "other");
    hello.version = 7;
    send_hello(&s, f, BERT, hello);
    pass_time(&s, SECOND);
    assert_true(is_present(&s, ANNA) && is_present(&s, BERT));
    assert_non_null(strstr(s.said, "owner anna has version 6 of the federation file, and this member has 7"));
    assert_non_null(strstr(s.said, "owner bert has another federation file of version 7"));
    hr_presence_close(s.presence);
}

/* ---- What is sent ---- */

static hr_hello last_said(const side *s, const test_members *f, size_t member) {
    hr_hello hello;
    assert_int_equal(
        hr_hello_read(&f->membership, member, s->line.last.bytes, s->line.last.size, &hello, NULL), HR_OK);
    return hello;
}

static void test_owner__says_hello_in_time(void **state) {
    const test_members *f = *state;
    side s;
    open_side(&s, f, ANNA, false);
    pass_time(&s, 0);
    assert_int_equal(s.line.published, 1);
    const hr_hello first = last_said(&s, f, ANNA);
    assert_true(first.date == DATE && first.period == PERIOD && first.version == 7 &&
                first.protocol == HR_PROTOCOL_VERSION && !strcmp(first.fingerprint, "abcd-efgh"));
    for (int i = 1; i <= 4 * PERIOD; i++) {
        pass_time(&s, SECOND);
        assert_int_equal(s.line.published, 1 + i / PERIOD);
    }
    assert_int_equal(last_said(&s, f, ANNA).session, first.session);
    assert_int_equal(hr_presence_last_sent(s.presence), date_now / 1000);
    date_now -= 3600 * SECOND; /* the clock is set back */
    const int64_t before = last_said(&s, f, ANNA).date;
    hr_presence_leave(s.presence);
    const hr_hello leaving = last_said(&s, f, ANNA);
    assert_true(leaving.state == HEDGEROW__HELLO_BODY__STATE__LEAVING && leaving.date == before + 1);
    assert_true(leaving.session == first.session);
    hr_presence_close(s.presence);
    hr_presence_leave(NULL);
    assert_int_equal(hr_presence_step(NULL, 0, NULL), HR_OK);
}

static void test_owner__that_is_asked_answers_once_a_second(void **state) {
    const test_members *f = *state;
    side s;
    open_side(&s, f, ANNA, false);
    pass_time(&s, 0);
    hr_hello asking = hello_of(DATE);
    asking.state = HEDGEROW__HELLO_BODY__STATE__ASKING;
    send_hello(&s, f, COORDINATOR, asking);
    pass_time(&s, 300);
    assert_int_equal(s.line.published, 1);
    pass_time(&s, 700);
    assert_int_equal(s.line.published, 2);
    for (int i = 0; i < 20; i++) {
        asking.date++;
        send_hello(&s, f, COORDINATOR, asking);
        pass_time(&s, 250);
    }
    assert_in_range(s.line.published, 6, 8);
    hr_presence_close(s.presence);
}

static void test_coordinator__asks_once_for_each_connection(void **state) {
    const test_members *f = *state;
    side s;
    open_side(&s, f, COORDINATOR, true);
    for (int i = 0; i < 100; i++) pass_time(&s, SECOND);
    assert_int_equal(s.line.published, 1);
    assert_int_equal(last_said(&s, f, COORDINATOR).state, HEDGEROW__HELLO_BODY__STATE__ASKING);
    s.line.connected = false;
    pass_time(&s, SECOND);
    assert_int_equal(s.line.published, 1);
    s.line.connected = true;
    pass_time(&s, SECOND);
    assert_int_equal(s.line.published, 2);
    hr_presence_close(s.presence);
}

static void test_transport__that_refuses_is_left_alone(void **state) {
    const test_members *f = *state;
    side s;
    open_side(&s, f, COORDINATOR, true);
    s.line.refuses = true;
    pass_time(&s, 0);
    assert_true(said(&s, "there is no presence: hellos are not allowed; allow them"));
    s.line.refuses = false;
    for (int i = 0; i < 10; i++) pass_time(&s, 60 * SECOND);
    assert_true(!s.line.published && !s.said[0]);
    assert_true(hr_presence_patience(s.presence, ANNA, true, BEGIN) == HR_PRESENCE_NEVER);
    hr_presence_close(s.presence);
}

/* ---- Messages ---- */

/* Its clock is two minutes behind: no hello of it counts, and each message does, for three periods. */
static void test_message__is_a_sign_of_life(void **state) {
    const test_members *f = *state;
    hr_member_presence found;
    side s;
    open_side(&s, f, COORDINATOR, true);
    send_hello(&s, f, ANNA, hello_of(DATE - 120 * SECOND));
    pass_time(&s, SECOND);
    assert_true(!is_present(&s, ANNA) && said(&s, "set the clocks of both machines"));
    hr_presence_note_message(s.presence, ANNA, s.now);
    hr_presence_note_message(s.presence, COORDINATOR, s.now); /* itself */
    hr_presence_note_message(NULL, ANNA, s.now);
    pass_time(&s, LAPSE - 1);
    assert_true(is_present(&s, ANNA) && !is_present(&s, BERT) && said(&s, "owner anna is present"));
    assert_true(hr_presence_patience(s.presence, ANNA, false, BEGIN) == HR_PRESENCE_NEVER);
    assert_true(hr_presence_of(s.presence, ANNA, &found));
    assert_true(found.since == DATE / 1000 + 1 && found.seen == DATE / 1000 + 1);
    pass_time(&s, 200);
    assert_true(!is_present(&s, ANNA) && said(&s, "owner anna is away"));
    hr_presence_close(s.presence);
}

/* A message that was on its way while its sender left, and messages of a coordinator. */
static void test_message__of_a_member_that_left_or_asks_is_none(void **state) {
    const test_members *f = *state;
    hr_hello leaving = hello_of(DATE);
    side s;
    open_side(&s, f, COORDINATOR, true);
    leaving.state = HEDGEROW__HELLO_BODY__STATE__LEAVING;
    send_hello(&s, f, ANNA, leaving);
    pass_time(&s, SECOND);
    const int64_t patience = hr_presence_patience(s.presence, ANNA, false, BEGIN);
    pass_time(&s, SECOND);
    hr_presence_note_message(s.presence, ANNA, s.now);
    pass_time(&s, SECOND);
    assert_false(is_present(&s, ANNA));
    assert_true(hr_presence_patience(s.presence, ANNA, false, BEGIN) == patience);
    hr_presence_close(s.presence);

    open_side(&s, f, ANNA, false);
    hr_presence_note_message(s.presence, COORDINATOR, s.now);
    pass_time(&s, SECOND);
    assert_false(is_present(&s, COORDINATOR));
    hr_presence_close(s.presence);
}

/* ---- How long an owner is waited for ---- */

static void test_patience__ends_with_presence(void **state) {
    const test_members *f = *state;
    side s;
    open_side(&s, f, COORDINATOR, true);
    pass_time(&s, 0);
    /* Not there at the offer; of one that never came, later, as of one whose hello came last when all were
     * asked. */
    assert_true(hr_presence_patience(s.presence, ANNA, true, BEGIN) == BEGIN + HR_PRESENCE_GRACE);
    assert_true(hr_presence_patience(s.presence, ANNA, true, BEGIN + 7) == BEGIN + 7 + HR_PRESENCE_GRACE);
    assert_true(hr_presence_patience(s.presence, ANNA, false, BEGIN) == BEGIN + 2 * LAPSE);
    send_hello(&s, f, ANNA, hello_of(DATE));
    pass_time(&s, SECOND);
    assert_true(hr_presence_patience(s.presence, ANNA, true, BEGIN) == HR_PRESENCE_NEVER);
    assert_true(hr_presence_patience(s.presence, ANNA, false, BEGIN) == HR_PRESENCE_NEVER);
    /* It lapses. */
    pass_time(&s, LAPSE);
    const int64_t lapsed = BEGIN + SECOND + LAPSE;
    assert_true(hr_presence_patience(s.presence, ANNA, true, BEGIN) == lapsed + HR_PRESENCE_GRACE);
    assert_true(hr_presence_patience(s.presence, ANNA, false, BEGIN) == lapsed + LAPSE);
    assert_true(hr_presence_patience(s.presence, ANNA, false, lapsed + LAPSE) ==
                lapsed + LAPSE + HR_PRESENCE_GRACE);
    /* It comes back, and leaves. */
    hr_hello leaving = hello_of(date_now);
    send_hello(&s, f, ANNA, leaving);
    leaving.date++;
    leaving.state = HEDGEROW__HELLO_BODY__STATE__LEAVING;
    pass_time(&s, SECOND);
    assert_true(hr_presence_patience(s.presence, ANNA, false, BEGIN) == HR_PRESENCE_NEVER);
    send_hello(&s, f, ANNA, leaving);
    pass_time(&s, SECOND);
    assert_true(hr_presence_patience(s.presence, ANNA, false, BEGIN) == s.now + LAPSE);
    assert_true(hr_presence_patience(s.presence, ANNA, true, BEGIN) == s.now + HR_PRESENCE_GRACE);
    hr_presence_close(s.presence);
}

/* The coordinator's own absence is nobody else's. */
static void test_patience__does_not_end_while_the_connection_is_lost(void **state) {
    const test_members *f = *state;
    side s;
    open_side(&s, f, COORDINATOR, true);
    send_hello(&s, f, ANNA, hello_of(DATE));
    pass_time(&s, 0);
    s.line.connected = false;
    pass_time(&s, 10 * LAPSE);
    assert_true(is_present(&s, ANNA));
    assert_true(hr_presence_patience(s.presence, BERT, true, BEGIN) == HR_PRESENCE_NEVER);
    s.line.connected = true;
    pass_time(&s, SECOND);
    const int64_t back = s.now;
    pass_time(&s, LAPSE - SECOND);
    assert_true(is_present(&s, ANNA));
    assert_true(hr_presence_patience(s.presence, BERT, false, BEGIN) == back + 2 * LAPSE);
    pass_time(&s, SECOND);
    assert_false(is_present(&s, ANNA));
    hr_presence_close(s.presence);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_hello__of_an_owner_holds_for_three_periods),
        WITH_TEST_MEMBERS(test_hello__that_leaves_ends_presence_at_once),
        WITH_TEST_MEMBERS(test_hello__that_asks_is_of_nobody_who_is_present),
        WITH_TEST_MEMBERS(test_hello__that_is_false_changes_nothing),
        WITH_TEST_MEMBERS(test_hello__of_other_files_is_taken_and_logged),
        WITH_TEST_MEMBERS(test_owner__says_hello_in_time),
        WITH_TEST_MEMBERS(test_owner__that_is_asked_answers_once_a_second),
        WITH_TEST_MEMBERS(test_coordinator__asks_once_for_each_connection),
        WITH_TEST_MEMBERS(test_transport__that_refuses_is_left_alone),
        WITH_TEST_MEMBERS(test_message__is_a_sign_of_life),
        WITH_TEST_MEMBERS(test_message__of_a_member_that_left_or_asks_is_none),
        WITH_TEST_MEMBERS(test_patience__ends_with_presence),
        WITH_TEST_MEMBERS(test_patience__does_not_end_while_the_connection_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
