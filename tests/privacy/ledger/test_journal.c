/* What a journal keeps, in a file of its own and in a ledger's; and what is left of it when its process is
 * killed. */
#include "base/fail.h"
#include "privacy/ledger/journal.h"

#include "privacy/ledger/spend.h"
#include "support/temp_dir.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const uint8_t id_a[HR_JOURNAL_ID] = "job a", id_b[HR_JOURNAL_ID] = "job b";

static hr_journal *open_own(const char *path) {
    hr_journal *journal = NULL;
    hr_error err = {0};
    if (hr_journal_open(path, &journal, &err)) fail_msg("%s", err.message);
    return journal;
}

static hr_blob blob(const char *text) {
    return (hr_blob){(const uint8_t *)text, strlen(text)};
}

static hr_journal_job job_of(const uint8_t *id, const char *terms) {
    hr_journal_job job = {.coordinator = "coordinator", .terms = blob(terms), .date = 11017 * 86400};
    memcpy(job.id, id, HR_JOURNAL_ID);
    memset(job.key, id[4], HR_JOURNAL_KEY);
    return job;
}

static void begin(hr_journal *j) {
    assert_int_equal(hr_journal_begin(j, NULL), HR_OK);
}

static void commit(hr_journal *j) {
    assert_int_equal(hr_journal_commit(j, NULL), HR_OK);
}

static void add_job(hr_journal *j, const uint8_t *id, const char *terms) {
    hr_journal_job job = job_of(id, terms);
    begin(j);
    assert_int_equal(hr_journal_add_job(j, &job, NULL), HR_OK);
    commit(j);
}

static void add_event(hr_journal *j, const uint8_t *id, const hr_journal_event *event) {
    begin(j);
    assert_int_equal(hr_journal_add_event(j, id, event, NULL), HR_OK);
    commit(j);
}

static void add_message(hr_journal *j, const uint8_t *id, const char *from, uint64_t sequence,
                        const char *text) {
    hr_journal_event event = {.kind = 1, .from = from, .sequence = sequence, .bytes = blob(text)};
    add_event(j, id, &event);
}

static void post(hr_journal *j, const uint8_t *id, const char *to, uint64_t sequence, const char *text) {
    begin(j);
    assert_int_equal(hr_journal_post(j, id, to, sequence, blob(text), NULL), HR_OK);
    commit(j);
}

/* ---- What is in it, as text ---- */

typedef struct listing {
    char text[2000];
} listing;

HR_PRINTF(2, 3) static void append(listing *l, const char *format, ...) {
    size_t used = strlen(l->text);
    va_list values;
    va_start(values, format);
    vsnprintf(l->text + used, sizeof l->text - used, format, values);
    va_end(values);
}

static hr_status list_job(void *user, const hr_journal_job *job) {
    append(user, "%s of %s, terms '%.*s', key %c%c, entry %d, day %g; ", job->id, job->coordinator,
           (int)job->terms.size, job->terms.at, job->key[0], job->key[HR_JOURNAL_KEY - 1], (int)job->entry,
           (double)job->date / 86400);
    return HR_OK;
}

static hr_status list_event(void *user, const hr_journal_event *event) {
    append(user, "%d from '%s' %llu %llu '%.*s'; ", event->kind, event->from,
           (unsigned long long)event->sequence, (unsigned long long)event->number, (int)event->bytes.size,
           event->bytes.at);
    return HR_OK;
}

static hr_status list_packet(void *user, const char *to, uint64_t sequence, hr_blob packet) {
    append(user, "to %s %llu '%.*s'; ", to, (unsigned long long)sequence, (int)packet.size, packet.at);
    return HR_OK;
}

static void check_jobs(hr_journal *j, const char *text) {
    listing l = {0};
    assert_int_equal(hr_journal_each_job(j, list_job, &l, NULL), HR_OK);
    assert_string_equal(l.text, text);
}

static void check_events(hr_journal *j, const uint8_t *id, const char *text) {
    listing l = {0};
    assert_int_equal(hr_journal_each_event(j, id, list_event, &l, NULL), HR_OK);
    assert_string_equal(l.text, text);
}

static void check_packets(hr_journal *j, const char *text) {
    listing l = {0};
    assert_int_equal(hr_journal_each_packet(j, list_packet, &l, NULL), HR_OK);
    assert_string_equal(l.text, text);
}

static void check_sequences(hr_journal *j, const uint8_t *id, const char *party, uint64_t taken,
                            uint64_t posted) {
    uint64_t number = 99;
    assert_int_equal(hr_journal_taken(j, id, party, &number, NULL), HR_OK);
    assert_int_equal(number, taken);
    assert_int_equal(hr_journal_posted(j, id, party, &number, NULL), HR_OK);
    assert_int_equal(number, posted);
}

static bool knows(hr_journal *j, const uint8_t *id) {
    bool known = false;
    assert_int_equal(hr_journal_knows(j, id, &known, NULL), HR_OK);
    return known;
}

/* ---- Jobs, events, packets ---- */

/* Everything is looked at after the file was closed and opened again. */
static hr_journal *again(hr_journal *j, const char *path) {
    hr_journal_close(j);
    return open_own(path);
}

static void test_jobs__are_kept_until_they_are_over(void **state) {
    temp_dir *s = *state;
    hr_journal *j = open_own(s->path);
    assert_false(knows(j, id_a));
    check_jobs(j, "");
    add_job(j, id_b, "");
    add_job(j, id_a, "the terms");
    j = again(j, s->path);
    check_jobs(j, "job b of coordinator, terms '', key bb, entry 0, day 11017; job a of coordinator, terms "
                  "'the terms', key aa, entry 0, "
                  "day 11017; ");
    begin(j);
    assert_int_equal(hr_journal_end_job(j, id_b, NULL), HR_OK);
    commit(j);
    j = again(j, s->path);
    check_jobs(j, "job a of coordinator, terms 'the terms', key aa, entry 0, day 11017; ");
    assert_string_equal(query_database(s->path, "SELECT time FROM jobs WHERE NOT over"),
                        "2000-03-01T00:00:00Z");
    assert_string_equal(query_database(s->path, "SELECT hex(key) = hex(zeroblob(32)) FROM jobs WHERE over"),
                        "1");
    query_database(s->path, "UPDATE jobs SET time = 'never'");
    assert_int_equal(hr_journal_each_job(j, list_job, &(listing){0}, NULL), HR_E_FORMAT);
    assert_true(knows(j, id_a) && knows(j, id_b));
    hr_journal_close(j);
}

/* Both were heard of on day 11017. */
static void test_jobs__that_are_over_expire_with_their_packets(void **state) {
    temp_dir *s = *state;
    hr_journal *j = open_own(s->path);
    add_job(j, id_a, "the terms");
    add_job(j, id_b, "the terms");
    post(j, id_a, "north", 1, "of a");
    post(j, id_b, "north", 1, "of b");
    begin(j);
    assert_int_equal(hr_journal_end_job(j, id_a, NULL), HR_OK);
    assert_int_equal(hr_journal_expire(j, 11017 * 86400, NULL), HR_OK);
    commit(j);
    assert_true(knows(j, id_a) && knows(j, id_b));
    begin(j);
    assert_int_equal(hr_journal_expire(j, 11017 * 86400 + 1, NULL), HR_OK);
    commit(j);
    assert_true(!knows(j, id_a) && knows(j, id_b));
    check_packets(j, "to north 1 'of b'; ");
    check_sequences(j, id_a, "north", 0, 0);
    hr_journal_close(j);
}

/* In a ledger's file, too. */
static void test_file__shrinks_when_a_job_is_over(void **state) {
    temp_dir *s = *state;
    static char large[1 << 20];
    memset(large, 'x', sizeof large - 1);
    for (int of_ledger = 0; of_ledger < 2; of_ledger++) {
        hr_ledger *ledger = NULL;
        hr_journal *j = NULL;
        unlink(s->path);
        if (of_ledger) {
            assert_int_equal(hr_ledger_create(s->path, 1, 0, NULL), HR_OK);
            assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
            assert_int_equal(hr_journal_of_ledger(ledger, &j, NULL), HR_OK);
        } else {
            j = open_own(s->path);
        }
        add_job(j, id_a, "the terms");
        add_message(j, id_a, "north", 1, large);
        begin(j);
        assert_int_equal(hr_journal_end_job(j, id_a, NULL), HR_OK);
        commit(j);
        assert_int_equal(hr_journal_shrink(j, NULL), HR_OK);
        hr_journal_close(j);
        hr_ledger_close(ledger);
        struct stat info;
        assert_int_equal(stat(s->path, &info), 0);
        assert_in_range(info.st_size, 1, 200 * 1000);
    }
}

/* Another process that writes to the ledger; its end. */
typedef struct writer {
    sqlite3 *db;
    int asked, until;
} writer;

static bool end_writer(void *user, int tries) {
    writer *w = user;
    assert_int_equal(tries, w->asked++);
    if (w->asked == w->until) sqlite3_exec(w->db, "ROLLBACK", NULL, NULL, NULL);
    return w->asked <= 5;
}

static void test_transaction__waits_for_another_writer(void **state) {
    temp_dir *s = *state;
    writer w = {.until = 3};
    hr_error err = {0};
    hr_journal *j = open_own(s->path);
    hr_journal_wait(j, end_writer, &w);
    assert_int_equal(sqlite3_open(s->path, &w.db), SQLITE_OK);
    for (int waits = 1; waits >= 0; waits--) {
        assert_int_equal(sqlite3_exec(w.db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
        w.asked = 0;
        if (!waits) w.until = 99;
        assert_int_equal(hr_journal_begin(j, &err), waits ? HR_OK : HR_E_IO);
        assert_int_equal(w.asked, waits ? 3 : 6);
        hr_journal_roll_back(j);
    }
    sqlite3_close(w.db);
    hr_journal_close(j);
}

static void test_jobs__are_added_once(void **state) {
    temp_dir *s = *state;
    hr_journal *j = open_own(s->path);
    hr_journal_job job = job_of(id_a, "other");
    add_job(j, id_a, "");
    begin(j);
    assert_int_equal(hr_journal_add_job(j, &job, NULL), HR_E_FORMAT);
    hr_journal_roll_back(j);
    check_jobs(j, "job a of coordinator, terms '', key aa, entry 0, day 11017; ");
    hr_journal_close(j);
}

static void test_events__come_in_order_and_end_with_their_job(void **state) {
    temp_dir *s = *state;
    hr_journal *j = open_own(s->path);
    const hr_journal_event decided = {.kind = 2, .from = "", .number = UINT64_MAX};
    add_job(j, id_a, "");
    add_job(j, id_b, "");
    add_message(j, id_a, "ann", 1, "one");
    add_message(j, id_b, "ann", 7, "other");
    add_event(j, id_a, &decided);
    add_message(j, id_a, "bob", 3, "");
    j = again(j, s->path);
    check_events(j, id_a,
                 "1 from 'ann' 1 0 'one'; 2 from '' 0 18446744073709551615 ''; 1 from 'bob' 3 0 ''; ");
    begin(j);
    assert_int_equal(hr_journal_end_job(j, id_a, NULL), HR_OK);
    commit(j);
    j = again(j, s->path);
    check_events(j, id_a, "");
    check_events(j, id_b, "1 from 'ann' 7 0 'other'; ");
    check_sequences(j, id_a, "ann", 1, 0); /* they outlive the events */
    check_sequences(j, id_a, "bob", 3, 0);
    check_sequences(j, id_b, "ann", 7, 0);
    check_sequences(j, id_b, "bob", 0, 0);
    hr_journal_close(j);
}

static void check_unconfirmed(hr_journal *j, const uint8_t *id, uint64_t count) {
    uint64_t unconfirmed = 99;
    assert_int_equal(hr_journal_unconfirmed(j, id, &unconfirmed, NULL), HR_OK);
    assert_int_equal(unconfirmed, count);
}

static void test_packets__are_kept_until_they_are_received(void **state) {
    temp_dir *s = *state;
    hr_journal *j = open_own(s->path);
    add_job(j, id_a, "");
    post(j, id_a, "ann", 1, "one");
    post(j, id_a, "bob", 1, "two");
    post(j, id_a, "ann", 2, "three");
    post(j, id_b, "ann", 1, "four");
    post(j, id_a, "ann", 3, "five");
    add_message(j, id_a, "ann", 5, "");
    begin(j);
    assert_int_equal(hr_journal_end_job(j, id_a, NULL), HR_OK);
    commit(j);
    j = again(j, s->path);
    check_packets(j, "to ann 1 'one'; to bob 1 'two'; to ann 2 'three'; to ann 1 'four'; to ann 3 'five'; ");
    check_unconfirmed(j, id_a, 3); /* by ann, who has more than bob */
    check_unconfirmed(j, id_b, 1);
    begin(j);
    assert_int_equal(hr_journal_received(j, id_a, "ann", 2, NULL), HR_OK);
    assert_int_equal(hr_journal_received(j, id_a, "nobody", 9, NULL), HR_OK);
    commit(j);
    j = again(j, s->path);
    check_packets(j, "to bob 1 'two'; to ann 1 'four'; to ann 3 'five'; ");
    check_unconfirmed(j, id_a, 1);
    check_sequences(j, id_a, "ann", 5, 3);
    check_sequences(j, id_a, "bob", 0, 1);
    hr_journal_close(j);
}

static hr_status stop(void *user, const hr_journal_event *event) {
    (void)event;
    ++*(int *)user;
    return HR_E_LIMIT;
}

static void test_visits__end_with_the_first_failure(void **state) {
    const temp_dir *s = *state;
    hr_journal *j = open_own(s->path);
    int seen = 0;
    add_job(j, id_a, "");
    add_message(j, id_a, "ann", 1, "one");
    add_message(j, id_a, "ann", 2, "two");
    assert_int_equal(hr_journal_each_event(j, id_a, stop, &seen, NULL), HR_E_LIMIT);
    assert_int_equal(seen, 1);
    hr_journal_close(j);
}

/* Nobody will feed them again; what numbers packets stays. */
static void test_memory__keeps_no_events(void **state) {
    (void)state;
    hr_journal *j = NULL;
    int seen = 0;
    uint64_t taken = 0;
    assert_int_equal(hr_journal_in_memory(&j, NULL), HR_OK);
    add_job(j, id_a, "");
    add_message(j, id_a, "ann", 1, "one");
    add_message(j, id_a, "ann", 2, "two");
    assert_int_equal(hr_journal_each_event(j, id_a, stop, &seen, NULL), HR_OK);
    assert_int_equal(seen, 0);
    assert_int_equal(hr_journal_taken(j, id_a, "ann", &taken, NULL), HR_OK);
    assert_int_equal(taken, 2);
    hr_journal_close(j);
}

static void test_transaction__is_there_as_a_whole_or_not_at_all(void **state) {
    temp_dir *s = *state;
    hr_journal *j = open_own(s->path);
    add_job(j, id_a, "");
    for (int way = 0; way < 3; way++) {
        hr_journal_job job = job_of(id_b, "");
        const hr_journal_event event = {.kind = 1, .from = "ann", .sequence = 1};
        begin(j);
        assert_int_equal(hr_journal_add_job(j, &job, NULL), HR_OK);
        assert_int_equal(hr_journal_add_event(j, id_a, &event, NULL), HR_OK);
        assert_int_equal(hr_journal_post(j, id_a, "bob", 1, blob("x"), NULL), HR_OK);
        assert_int_equal(hr_journal_end_job(j, id_a, NULL), HR_OK);
        if (way == 0) hr_journal_roll_back(j);
        if (way == 1) begin(j); /* which forgets what was not committed */
        if (way == 2) j = again(j, s->path);
        check_jobs(j, "job a of coordinator, terms '', key aa, entry 0, day 11017; ");
        check_events(j, id_a, "");
        check_packets(j, "");
        check_sequences(j, id_a, "ann", 0, 0);
        check_sequences(j, id_a, "bob", 0, 0);
        hr_journal_roll_back(j);
    }
    hr_journal_close(j);
    hr_journal_close(NULL);
}

/* ---- With a ledger ---- */

typedef struct books {
    hr_ledger *ledger;
    hr_journal *journal;
} books;

static books open_books(const char *path) {
    books b = {0};
    hr_error err = {0};
    if (hr_ledger_open(path, &b.ledger, &err) || hr_journal_of_ledger(b.ledger, &b.journal, &err))
        fail_msg("%s", err.message);
    return b;
}

static void close_books(books *b) {
    hr_journal_close(b->journal);
    hr_ledger_close(b->ledger);
}

static hr_ledger_total total_of(const books *b) {
    hr_ledger_total total;
    assert_int_equal(hr_ledger_sum(b->ledger, &total, NULL), HR_OK);
    return total;
}

static void test_reservation__is_part_of_the_transaction(void **state) {
    temp_dir *s = *state;
    assert_int_equal(hr_ledger_create(s->path, 1, 0, NULL), HR_OK);
    books b = open_books(s->path);
    hr_journal_job job = job_of(id_a, "");
    add_job(b.journal, id_a, "");
    begin(b.journal);
    assert_int_equal(hr_journal_reserve(b.journal, &job, .5, 0, "a job", NULL), HR_OK);
    assert_true(job.entry > 0);
    hr_journal_roll_back(b.journal);
    assert_int_equal(total_of(&b).entries, 0);
    check_jobs(b.journal, "job a of coordinator, terms '', key aa, entry 0, day 11017; ");
    begin(b.journal);
    assert_int_equal(hr_journal_reserve(b.journal, &job, .5, 0, "a job", NULL), HR_OK);
    commit(b.journal);
    close_books(&b);
    b = open_books(s->path);
    assert_true(total_of(&b).entries == 1 && total_of(&b).epsilon_spent == .5);
    check_jobs(b.journal, "job a of coordinator, terms '', key aa, entry 1, day 11017; ");
    assert_string_equal(query_database(s->path, "SELECT state || ' for ' || purpose FROM entries"),
                        "reserved for a job");
    close_books(&b);
}

static void test_reservation__that_is_not_covered_is_refused(void **state) {
    temp_dir *s = *state;
    assert_int_equal(hr_ledger_create(s->path, 1, 0, NULL), HR_OK);
    books b = open_books(s->path);
    hr_journal_job job = job_of(id_a, "");
    hr_error err = {0};
    add_job(b.journal, id_a, "");
    begin(b.journal);
    assert_int_equal(hr_journal_reserve(b.journal, &job, 1.5, 0, "a job", &err), HR_E_BUDGET);
    check_file_error(&err, HR_E_BUDGET, "is too small", "ledger.db");
    hr_journal_roll_back(b.journal);
    assert_int_equal(hr_ledger_freeze(b.ledger, NULL), HR_OK);
    begin(b.journal);
    assert_int_equal(hr_journal_reserve(b.journal, &job, .5, 0, "a job", &err), HR_E_POLICY);
    hr_journal_roll_back(b.journal);
    assert_true(total_of(&b).entries == 0 && job.entry == 0);
    close_books(&b);
}

static void test_spending__twice_is_harmless(void **state) {
    temp_dir *s = *state;
    assert_int_equal(hr_ledger_create(s->path, 1, 0, NULL), HR_OK);
    books b = open_books(s->path);
    hr_journal_job job = job_of(id_a, ""), other = job_of(id_b, "");
    add_job(b.journal, id_a, "");
    begin(b.journal);
    assert_int_equal(hr_journal_reserve(b.journal, &job, .5, 0, "a job", NULL), HR_OK);
    commit(b.journal);
    for (int time = 0; time < 3; time++) {
        begin(b.journal);
        assert_int_equal(hr_journal_spend(b.journal, &job, NULL), HR_OK);
        assert_int_equal(hr_journal_spend(b.journal, &other, NULL), HR_OK); /* which has reserved nothing */
        if (time)
            commit(b.journal);
        else
            hr_journal_roll_back(b.journal);
        assert_string_equal(query_database(s->path, "SELECT state FROM entries"),
                            time ? "committed" : "reserved");
    }
    assert_true(total_of(&b).epsilon_spent == .5);
    close_books(&b);
}

static void test_spending__without_a_ledger_counts_nothing(void **state) {
    temp_dir *s = *state;
    hr_journal *j = open_own(s->path);
    hr_journal_job job = job_of(id_a, "");
    add_job(j, id_a, "");
    begin(j);
    assert_int_equal(hr_journal_reserve(j, &job, 5, 0, "a job", NULL), HR_OK);
    assert_int_equal(hr_journal_spend(j, &job, NULL), HR_OK);
    assert_int_equal(job.entry, 0);
    commit(j);
    hr_journal_close(j);
}

/* ---- Files ---- */

/* A ledger from before there were journals is what hr_ledger_create makes. */
static void test_ledger_file__gets_a_journal_and_stays_a_ledger(void **state) {
    temp_dir *s = *state;
    int64_t entry = 0;
    assert_int_equal(hr_ledger_create(s->path, 1, 0, NULL), HR_OK);
    assert_string_equal(
        query_database(
            s->path,
            "SELECT count(*) FROM sqlite_schema WHERE name IN ('jobs', 'events', 'parties', 'packets')"),
        "0");
    books b = open_books(s->path);
    assert_int_equal(hr_ledger_reserve(b.ledger, .25, 0, "without a journal", &entry, NULL), HR_OK);
    add_job(b.journal, id_a, "");
    post(b.journal, id_a, "ann", 1, "one");
    close_books(&b);
    hr_ledger *plain = NULL;
    assert_int_equal(hr_ledger_open(s->path, &plain, NULL), HR_OK);
    assert_int_equal(hr_ledger_commit(plain, entry, NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(plain, .25, 0, "again", &entry, NULL), HR_OK);
    hr_ledger_close(plain);
    b = open_books(s->path);
    check_packets(b.journal, "to ann 1 'one'; ");
    assert_true(total_of(&b).entries == 2 && total_of(&b).epsilon_spent == .5);
    close_books(&b);
}

static void check_refused(const char *path, hr_status expected, const char *words) {
    hr_journal *j = NULL;
    hr_error err = {0};
    assert_int_equal(hr_journal_open(path, &j, &err), expected);
    assert_null(j);
    check_file_error(&err, expected, words, path);
}

static void test_own_file__is_made_readable_for_its_owner_only(void **state) {
    temp_dir *s = *state;
    struct stat info;
    hr_journal_close(open_own(s->path));
    assert_int_equal(stat(s->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    hr_journal_close(open_own(s->path));
}

static void test_own_file__of_another_kind_is_refused(void **state) {
    temp_dir *s = *state;
    assert_int_equal(hr_ledger_create(s->path, 1, 0, NULL), HR_OK);
    check_refused(s->path, HR_E_FORMAT, "not a journal");
    assert_int_equal(unlink(s->path), 0);
    query_database(s->path, "CREATE TABLE t (x)");
    check_refused(s->path, HR_E_FORMAT, "not a journal");
    assert_string_equal(query_database(s->path, "SELECT count(*) FROM sqlite_schema"), "1");
    write_file(s->path, "this is a text, and no database at all", 38);
    check_refused(s->path, HR_E_FORMAT, "not a");
    check_refused(s->folder, HR_E_IO, "");
    check_refused("/nowhere/at/all.db", HR_E_IO, "");
}

static void test_own_file__is_no_ledger(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = NULL;
    hr_journal_close(open_own(s->path));
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_E_FORMAT);
}

static void test_own_file__of_a_newer_version_is_refused(void **state) {
    temp_dir *s = *state;
    hr_journal_close(open_own(s->path));
    query_database(s->path, "PRAGMA user_version = 3");
    check_refused(s->path, HR_E_FORMAT, "layout version 3");
}

/* A process may die between making the file and filling it. */
static void test_own_file__that_is_empty_becomes_a_journal(void **state) {
    temp_dir *s = *state;
    write_file(s->path, "", 0);
    hr_journal *j = open_own(s->path);
    add_job(j, id_a, "");
    hr_journal_close(j);
}

/* Every page but the first, one after another, is overwritten; nothing is answered from such a file. */
static void test_own_file__that_is_damaged_is_refused(void **state) {
    temp_dir *s = *state;
    hr_journal *j = open_own(s->path);
    char *long_text = calloc(1, 20001);
    memset(long_text, 'x', 20000);
    add_job(j, id_a, "");
    post(j, id_a, "ann", 1, long_text);
    free(long_text);
    hr_journal_close(j);
    size_t size, page = 4096;
    char *whole = read_file(s->path, &size);
    assert_true(size >= 4 * page);
    for (size_t at = page; at + page <= 6 * page && at + page <= size; at += page) {
        char kept[4096];
        memcpy(kept, whole + at, page);
        memset(whole + at, 0x5a, page);
        write_file(s->path, whole, size);
        check_refused(s->path, HR_E_FORMAT, "damaged");
        memcpy(whole + at, kept, page);
    }
    write_file(s->path, whole, size);
    hr_journal_close(open_own(s->path));
    free(whole);
}

/* ---- Killed ---- */

/* One transaction in all that a message leads to. */
static bool storm_once(hr_journal *j, hr_journal_job *job, uint64_t number) {
    char text[3000];
    memset(text, 'a' + (int)(number % 26), sizeof text);
    const hr_journal_event event = {.kind = 1,
                                    .from = "ann",
                                    .sequence = number,
                                    .number = number,
                                    .bytes = {(uint8_t *)text, sizeof text}};
    memcpy(job->id, &number, sizeof number);
    job->entry = 0;
    return !hr_journal_begin(j, NULL) && !hr_journal_add_job(j, job, NULL) &&
           !hr_journal_reserve(j, job, 1, 0, "storm", NULL) && !hr_journal_add_event(j, id_a, &event, NULL) &&
           !hr_journal_spend(j, job, NULL) && !hr_journal_post(j, id_a, "bob", number, event.bytes, NULL) &&
           !hr_journal_commit(j, NULL);
}

/* Goes on for ever, and tells of every transaction that is committed. */
static void storm(const char *path, int told) {
    books b = {0};
    uint64_t number = 0;
    hr_journal_job job = job_of(id_b, "");
    if (hr_ledger_open(path, &b.ledger, NULL) || hr_journal_of_ledger(b.ledger, &b.journal, NULL)) _exit(9);
    if (hr_journal_taken(b.journal, id_a, "ann", &number, NULL)) _exit(8);
    for (;;) {
        number++;
        if (!storm_once(b.journal, &job, number)) _exit(7);
        if (write(told, &number, sizeof number) != sizeof number) _exit(6);
    }
}

/* Kills a storm after it has told of `wanted` transactions; the number of the last one it told of. */
static uint64_t kill_after(const char *path, int wanted) {
    int told[2], status = 0;
    assert_int_equal(pipe(told), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(told[0]);
        storm(path, told[1]);
    }
    close(told[1]);
    uint64_t number = 0, last = 0;
    for (int i = 0; i < wanted && read(told[0], &number, sizeof number) == sizeof number; i++) last = number;
    assert_int_equal(kill(child, SIGKILL), 0);
    while (read(told[0], &number, sizeof number) == sizeof number) last = number;
    close(told[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return last;
}

static void check_count(const char *path, const char *sql, uint64_t count) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    assert_string_equal(query_database(path, sql), text);
}

/* All of the last transaction that was told of, perhaps all of one more, and nothing in between. */
static uint64_t check_integer(const char *path, uint64_t told) {
    uint64_t number = 0;
    books b = open_books(path);
    assert_int_equal(hr_journal_taken(b.journal, id_a, "ann", &number, NULL), HR_OK);
    assert_in_range(number, told, told + 1);
    check_sequences(b.journal, id_a, "bob", 0, number);
    close_books(&b);
    assert_string_equal(query_database(path, "PRAGMA integrity_check"), "ok");
    check_count(path, "SELECT count(*) FROM jobs", number);
    check_count(path, "SELECT count(*) FROM entries WHERE state = 'committed'", number);
    check_count(path, "SELECT count(*) FROM entries", number);
    check_count(path, "SELECT count(*) FROM events WHERE length(bytes) = 3000 AND sequence = number", number);
    check_count(
        path, "SELECT count(*) FROM packets JOIN events USING (sequence) WHERE packets.bytes = events.bytes",
        number);
    check_count(path, "SELECT count(*) FROM jobs JOIN entries ON entry = entries.id", number);
    return number;
}

static void test_kill__leaves_what_was_committed_whole(void **state) {
    temp_dir *s = *state;
    uint64_t told = 0;
    assert_int_equal(hr_ledger_create(s->path, 1e6, 0, NULL), HR_OK);
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    hr_ledger_close(ledger);
    for (int killed = 1; killed <= 30; killed++) {
        uint64_t last = kill_after(s->path, killed % 5);
        told = check_integer(s->path, last ? last : told);
    }
    assert_true(told >= 60);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_open, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_jobs__are_kept_until_they_are_over),
        TEST(test_jobs__that_are_over_expire_with_their_packets),
        TEST(test_file__shrinks_when_a_job_is_over),
        TEST(test_transaction__waits_for_another_writer),
        TEST(test_jobs__are_added_once),
        TEST(test_events__come_in_order_and_end_with_their_job),
        TEST(test_packets__are_kept_until_they_are_received),
        TEST(test_visits__end_with_the_first_failure),
        cmocka_unit_test(test_memory__keeps_no_events),
        TEST(test_transaction__is_there_as_a_whole_or_not_at_all),
        TEST(test_reservation__is_part_of_the_transaction),
        TEST(test_reservation__that_is_not_covered_is_refused),
        TEST(test_spending__twice_is_harmless),
        TEST(test_spending__without_a_ledger_counts_nothing),
        TEST(test_ledger_file__gets_a_journal_and_stays_a_ledger),
        TEST(test_own_file__is_made_readable_for_its_owner_only),
        TEST(test_own_file__of_another_kind_is_refused),
        TEST(test_own_file__is_no_ledger),
        TEST(test_own_file__of_a_newer_version_is_refused),
        TEST(test_own_file__that_is_empty_becomes_a_journal),
        TEST(test_own_file__that_is_damaged_is_refused),
        TEST(test_kill__leaves_what_was_committed_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
