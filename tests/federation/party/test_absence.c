/* A coordinator that waits for present owners alone, over the loopback and under the test's clock, in every
 * protocol: an owner whose hellos end is not waited for until the deadline. */
#include "federation/party/party_core.h"
#include "support/silent_owner.h"

enum { DEADLINE = 1200 * 1000, PAUSE = 1000, PERIOD = 1, LAPSE = HR_HELLO_PERIODS * PERIOD * 1000 };

/* ---- Hellos of the owners' programs, for as long as these run ---- */

typedef struct hello_source {
    hr_transport transport;
    harness *harness;
    int64_t said[PARTIES];  /* by owner: when it last said hello */
    bool silenced[PARTIES]; /* by owner: its program runs, and its hellos do not arrive */
} hello_source;

static harness *running; /* for date_of_harness */
static int64_t date_of_harness(void) {
    return INT64_C(1700000000000) + running->now;
}

static hr_status publish(hr_transport *self, const void *bytes, size_t size, hr_error *err) {
    (void)self, (void)bytes, (void)size, (void)err;
    return HR_OK;
}

static hr_status next(hr_transport *self, const char *from, hr_hello_packet *out, hr_error *err) {
    hello_source *s = (hello_source *)self;
    const size_t m = hr_membership_by_name(&s->harness->membership, from, strlen(from));
    const harness_party *p = &s->harness->parties[m];
    hr_bytes bytes = {0};
    out->size = 0;
    if (!p->party || s->silenced[m] || s->said[m] >= date_of_harness()) return HR_OK;
    s->said[m] = date_of_harness();
    const hr_hello hello = {.date = s->said[m], .session = m, .period = PERIOD};
    hr_status status = hr_hello_make(&p->view, &hello, &bytes, err);
    if (status) return status;
    memcpy(out->bytes, bytes.at, bytes.size);
    out->size = bytes.size;
    free(bytes.at);
    return HR_OK;
}

typedef struct absence {
    harness l;
    hello_source source;
    hr_presence *presence;
} absence;

static void open_row(absence *a, const silent_row *row, bool waits_for_present) {
    static const bool owners[PARTIES] = {false, true, true, true};
    running = &a->l;
    a->source = (hello_source){.transport = {.publish_hello = publish, .next_hello = next}, .harness = &a->l};
    silent_row_open(&a->l, row, DEADLINE);
    hr_party *coordinator = a->l.parties[0].party;
    const hr_presence_options options = {.view = &a->l.parties[0].view,
                                         .transport = &a->source.transport,
                                         .fingerprint = "",
                                         .listens = owners,
                                         .requests = true,
                                         .period = PERIOD,
                                         .date = date_of_harness,
                                         .log = &a->l.parties[0].log};
    assert_int_equal(hr_presence_open(&options, &a->presence, NULL), HR_OK);
    coordinator->o.presence = a->presence;
    for (size_t i = 0; i < coordinator->job_count; i++)
        coordinator->jobs[i]->own.waits_for_present = waits_for_present;
}

static void close_row(absence *a) {
    harness_close(&a->l);
    hr_presence_close(a->presence);
}

/* The milliseconds until the coordinator logs `text`. */
static int64_t time_until(harness *l, const char *text) {
    const int64_t begun = l->now;
    harness_settle(l);
    while (!strstr(l->said, text) && l->now - begun < 3 * DEADLINE) {
        l->now += PAUSE;
        harness_settle(l);
    }
    return l->now - begun;
}

static void check_time(const absence *a, size_t row, int64_t time, int64_t least, int64_t most) {
    if (time < least || time > most)
        fail_msg("row %zu: %lld ms, not %lld to %lld\n%s", row, (long long)time, (long long)least,
                 (long long)most, a->l.said);
}

static const char away[] = "owner owner-2 is away, and is not waited for until the deadline";

/* It dies in the middle of the job. What waits for all waits for the deadline, in the first row. */
static void test_absent_owner__of_a_job_is_waited_for_if_all_are(void **state) {
    (void)state;
    silent_row rows[SILENT_ROWS];
    silent_rows(rows);
    for (size_t i = 0; i < SILENT_ROWS; i++) {
        for (int waits_for_present = i > 0; waits_for_present < 2; waits_for_present++) {
            absence a;
            open_row(&a, &rows[i], waits_for_present);
            while (!strstr(a.l.said, "3 of 3 owners take part")) harness_step(&a.l);
            /* The coordinator has looked at who is there at least once. */
            a.l.now += 300;
            party_step(&a.l.parties[0]);
            party_stop(&a.l.parties[SILENT]);
            const int64_t time = time_until(&a.l, rows[i].without);
            if (waits_for_present)
                check_time(&a, i, time, LAPSE,
                           2 * LAPSE + rows[i].deadlines * (int64_t)(HR_PRESENCE_GRACE + PAUSE) + 4 * PAUSE);
            else
                check_time(&a, i, time, rows[i].deadlines * (int64_t)DEADLINE,
                           rows[i].deadlines * (int64_t)(DEADLINE + PAUSE));
            assert_int_equal(strstr(a.l.said, away) != NULL, waits_for_present);
            close_row(&a);
        }
    }
}

/* Three accept, of whom one is not there: the offer is decided by the others after the grace. */
static void test_absent_owner__of_an_offer_is_given_a_grace(void **state) {
    (void)state;
    silent_row rows[SILENT_ROWS];
    silent_rows(rows);
    for (size_t i = 0; i < SILENT_ROWS; i++) {
        for (int waits_for_present = i > 0; waits_for_present < 2; waits_for_present++) {
            absence a;
            open_row(&a, &rows[i], waits_for_present);
            party_stop(&a.l.parties[SILENT]);
            const int64_t time = time_until(&a.l, "of 3 owners take part");
            if (waits_for_present)
                check_time(&a, i, time, HR_PRESENCE_GRACE, HR_PRESENCE_GRACE + 2 * PAUSE);
            else
                check_time(&a, i, time, DEADLINE, DEADLINE + PAUSE);
            close_row(&a);
        }
    }
}

/* The coordinator knows of nobody, as behind a connection that loses everything: it waits for the deadline.
 */
static void test_owners__of_whom_none_is_present_are_waited_for(void **state) {
    (void)state;
    silent_row rows[SILENT_ROWS];
    silent_rows(rows);
    absence a;
    open_row(&a, &rows[0], true);
    for (size_t m = 1; m < PARTIES; m++) party_stop(&a.l.parties[m]);
    check_time(&a, 0, time_until(&a.l, "coordinator: the job ended"), DEADLINE, DEADLINE + PAUSE);
    assert_null(strstr(a.l.said, away));
    close_row(&a);
}

/* No hello counts, as of clocks that are far off; two answer the offer, and the third is not there. */
static void test_owners__without_hellos_are_present_by_their_messages(void **state) {
    (void)state;
    silent_row rows[SILENT_ROWS];
    silent_rows(rows);
    absence a;
    open_row(&a, &rows[0], true);
    for (size_t m = 0; m < PARTIES; m++) a.source.silenced[m] = true;
    party_stop(&a.l.parties[SILENT]);
    check_time(&a, 0, time_until(&a.l, "2 of 3 owners take part"), HR_PRESENCE_GRACE,
               HR_PRESENCE_GRACE + 2 * PAUSE);
    assert_non_null(strstr(a.l.said, away));
    close_row(&a);
}

/* Those that are present have declined: they are not of the job, and no reason to end it early. */
static void test_owners__that_declined_are_not_present(void **state) {
    (void)state;
    static const bool none[PARTIES];
    silent_row rows[SILENT_ROWS];
    silent_rows(rows);
    absence a;
    open_row(&a, &rows[0], true);
    for (size_t m = 1; m < PARTIES; m++) a.l.parties[m].party->o.coordinators = none;
    party_stop(&a.l.parties[SILENT]);
    check_time(&a, 0, time_until(&a.l, "coordinator: the job ended"), DEADLINE, DEADLINE + PAUSE);
    assert_null(strstr(a.l.said, away));
    close_row(&a);
}

/* On a ring it has sent its share, and not passed on what comes from the owner before it: all others are
 * there, and wait for it. */
static void test_absent_owner__of_a_ring_is_not_waited_for_after_its_share(void **state) {
    (void)state;
    enum { RING = 6 };
    silent_row rows[SILENT_ROWS];
    silent_rows(rows);
    absence a;
    open_row(&a, &rows[RING], true);
    while (!strstr(a.l.said, "3 of 3 owners take part")) harness_step(&a.l);
    a.l.now += 300;
    for (int i = 0; i < 20; i++) {
        party_step(&a.l.parties[0]);
        party_step(&a.l.parties[SILENT]);
    }
    party_stop(&a.l.parties[SILENT]);
    check_time(&a, RING, time_until(&a.l, "has passed nothing on in time"), LAPSE,
               2 * LAPSE + (int64_t)HR_PRESENCE_GRACE + 5 * PAUSE);
    assert_non_null(strstr(a.l.said, away));
    assert_null(strstr(a.l.said, "owner owner-3 is away"));
    close_row(&a);
}

/* Its hellos get lost, and it answers nonetheless: what it sends counts, and is a sign of life. */
static void test_owner__that_is_taken_for_away_is_heard(void **state) {
    (void)state;
    silent_row rows[SILENT_ROWS];
    silent_rows(rows);
    for (size_t i = 0; i < SILENT_ROWS; i++) {
        absence a;
        open_row(&a, &rows[i], true);
        a.source.silenced[SILENT] = true;
        (void)time_until(&a.l, "coordinator: the job is done");
        assert_int_equal(a.l.event_log->models, 1);
        assert_null(strstr(a.l.said, away));
        hr_member_presence found;
        assert_true(hr_presence_of(a.presence, SILENT, &found) && found.seen);
        close_row(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absent_owner__of_a_job_is_waited_for_if_all_are),
        cmocka_unit_test(test_absent_owner__of_an_offer_is_given_a_grace),
        cmocka_unit_test(test_owners__of_whom_none_is_present_are_waited_for),
        cmocka_unit_test(test_owners__without_hellos_are_present_by_their_messages),
        cmocka_unit_test(test_owners__that_declined_are_not_present),
        cmocka_unit_test(test_absent_owner__of_a_ring_is_not_waited_for_after_its_share),
        cmocka_unit_test(test_owner__that_is_taken_for_away_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
