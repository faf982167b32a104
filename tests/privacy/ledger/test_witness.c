/* The witness of a ledger: an older copy is refused, and nothing but an older copy. */
#include "privacy/ledger/journal.h"
#include "privacy/ledger/spend.h"
#include "support/temp_dir.h"

typedef struct witnessed {
    temp_dir *dir;
    char witness[128], copy[128];
    hr_ledger *ledger;
} witnessed;

static void open_ledger(witnessed *w) {
    assert_int_equal(hr_ledger_open(w->dir->path, &w->ledger, NULL), HR_OK);
}

static witnessed start(void **state) {
    witnessed w = {.dir = *state};
    snprintf(w.witness, sizeof w.witness, "%s/entries", w.dir->folder);
    snprintf(w.copy, sizeof w.copy, "%s/copy.db", w.dir->folder);
    assert_int_equal(hr_ledger_create(w.dir->path, 10, 0, NULL), HR_OK);
    open_ledger(&w);
    assert_int_equal(hr_ledger_set_witness(w.ledger, w.witness, NULL), HR_OK);
    return w;
}

static hr_status spend(const witnessed *w, hr_error *err) {
    int64_t entry = 0;
    return hr_ledger_reserve(w->ledger, 1, 0, "run", &entry, err);
}

static void copy_file(const char *from, const char *to) {
    size_t size = 0;
    char *bytes = read_file(from, &size);
    write_file(to, bytes, size);
    free(bytes);
}

static void back_up(witnessed *w) {
    hr_ledger_close(w->ledger);
    copy_file(w->dir->path, w->copy);
    open_ledger(w);
}

static void restore(witnessed *w) {
    hr_ledger_close(w->ledger);
    copy_file(w->copy, w->dir->path);
    open_ledger(w);
}

static void check_counted(const witnessed *w, const char *entries) {
    size_t size = 0;
    char *text = read_file(w->witness, &size), *at = text ? strstr(text, "\nentries ") : NULL, line[40];
    assert_non_null(at);
    snprintf(line, sizeof line, "\nentries %s\n", entries);
    assert_string_equal(at, line);
    free(text);
}

static void test_witness__counts_what_is_reserved(void **state) {
    witnessed w = start(state);
    check_counted(&w, "0");
    assert_int_equal(spend(&w, NULL), HR_OK);
    check_counted(&w, "1");
    assert_int_equal(spend(&w, NULL), HR_OK);
    check_counted(&w, "2");
    struct stat info;
    assert_int_equal(stat(w.witness, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    hr_ledger_close(w.ledger);
}

static void test_witness__refuses_an_older_copy_until_the_entries_are_there(void **state) {
    witnessed w = start(state);
    hr_error err = {0};
    int64_t entry = 0;
    assert_int_equal(spend(&w, NULL), HR_OK);
    back_up(&w);
    assert_int_equal(spend(&w, NULL), HR_OK);
    assert_int_equal(spend(&w, NULL), HR_OK);
    restore(&w);
    assert_int_equal(spend(&w, &err), HR_E_POLICY);
    check_file_error(&err, HR_E_POLICY, "the ledger has 1 entries, and its witness counted 3", w.witness);
    assert_non_null(strstr(err.remedy, "hedgerow ledger restore"));
    assert_int_equal(hr_ledger_check_witness(w.ledger, NULL), HR_E_POLICY);
    assert_int_equal(hr_ledger_enter(w.ledger, 1, 0, "lost", &entry, NULL), HR_OK);
    assert_int_equal(spend(&w, NULL), HR_E_POLICY);
    assert_int_equal(hr_ledger_enter(w.ledger, 1, 0, "lost", &entry, NULL), HR_OK);
    assert_int_equal(spend(&w, NULL), HR_OK);
    check_counted(&w, "4");
    assert_string_equal(query_database(w.dir->path, "SELECT count(*) FROM spending"), "4");
    hr_ledger_close(w.ledger);
}

/* A crash between the commit of a reservation and its count leaves a number that is too low. */
static void test_witness__that_is_behind_is_corrected(void **state) {
    witnessed w = start(state);
    assert_int_equal(spend(&w, NULL), HR_OK);
    copy_file(w.witness, w.copy);
    assert_int_equal(spend(&w, NULL), HR_OK);
    copy_file(w.copy, w.witness);
    assert_int_equal(hr_ledger_check_witness(w.ledger, NULL), HR_OK);
    assert_int_equal(spend(&w, NULL), HR_OK);
    check_counted(&w, "3");
    hr_ledger_close(w.ledger);
}

static void test_witness__counts_what_a_journal_reserves(void **state) {
    witnessed w = start(state);
    hr_journal *journal = NULL;
    hr_journal_job job = {.coordinator = "study", .date = 1};
    hr_error err = {0};
    assert_int_equal(hr_journal_of_ledger(w.ledger, &journal, NULL), HR_OK);
    assert_int_equal(hr_journal_begin(journal, NULL), HR_OK);
    assert_int_equal(hr_journal_add_job(journal, &job, NULL), HR_OK);
    assert_int_equal(hr_journal_reserve(journal, &job, 1, 0, "job", NULL), HR_OK);
    check_counted(&w, "0"); /* nothing is on the disk yet */
    assert_int_equal(hr_journal_commit(journal, NULL), HR_OK);
    check_counted(&w, "1");

    /* A witness that cannot be written: the commit fails, so that no noise is drawn. */
    job.id[0] = 1;
    job.entry = 0;
    write_file(w.witness, "scribble", 8);
    assert_int_equal(hr_journal_begin(journal, NULL), HR_OK);
    assert_int_equal(hr_journal_add_job(journal, &job, NULL), HR_OK);
    assert_int_equal(hr_journal_reserve(journal, &job, 1, 0, "job", &err), HR_E_FORMAT);
    check_file_error(&err, HR_E_FORMAT, "is not the witness of a ledger", w.witness);
    hr_journal_close(journal);
    hr_ledger_close(w.ledger);
}

/* The commit fails with the charge in the file. Who tries again finds it, and it goes to the witness before
 * anything is drawn. */
static void test_witness__that_cannot_be_written_has_a_job_charged_once(void **state) {
    witnessed w = start(state);
    hr_journal *journal = NULL;
    hr_journal_job job = {.coordinator = "study", .date = 1};
    char blocked[160];
    snprintf(blocked, sizeof blocked, "%s.new", w.witness);
    assert_int_equal(mkdir(blocked, 0700), 0); /* in the place of the file that replaces the witness */
    assert_int_equal(hr_journal_of_ledger(w.ledger, &journal, NULL), HR_OK);
    assert_int_equal(hr_journal_begin(journal, NULL), HR_OK);
    assert_int_equal(hr_journal_add_job(journal, &job, NULL), HR_OK);
    assert_int_equal(hr_journal_find_charge(journal, &job, NULL), HR_OK);
    assert_int_equal(job.entry, 0);
    assert_int_equal(hr_journal_reserve(journal, &job, 1, 0, "job", NULL), HR_OK);
    assert_int_equal(hr_journal_commit(journal, NULL), HR_E_IO);
    for (int failing = 1; failing >= 0; failing--) {
        if (!failing) assert_int_equal(rmdir(blocked), 0);
        job.entry = 0;
        assert_int_equal(hr_journal_begin(journal, NULL), HR_OK);
        assert_int_equal(hr_journal_find_charge(journal, &job, NULL), HR_OK);
        assert_int_equal(job.entry, 1);
        assert_int_equal(hr_journal_commit(journal, NULL), failing ? HR_E_IO : HR_OK);
    }
    check_counted(&w, "1");
    assert_string_equal(query_database(w.dir->path, "SELECT group_concat(state) FROM entries"), "reserved");
    hr_journal_close(journal);
    hr_ledger_close(w.ledger);
}

/* The count fails after the reservation: it is void, since nothing was drawn. */
static void test_witness__that_cannot_be_written_gives_the_reservation_back(void **state) {
    witnessed w = start(state);
    hr_error err = {0};
    char blocked[160];
    snprintf(blocked, sizeof blocked, "%s.new", w.witness);
    assert_int_equal(mkdir(blocked, 0700), 0); /* in the place of the file that replaces the witness */
    assert_int_equal(spend(&w, &err), HR_E_IO);
    assert_string_equal(query_database(w.dir->path, "SELECT state FROM entries"), "void");
    assert_int_equal(rmdir(blocked), 0);
    assert_int_equal(spend(&w, NULL), HR_OK);
    check_counted(&w, "2");
    hr_ledger_close(w.ledger);
}

static void test_witness__that_is_missing_or_of_another_ledger_is_refused(void **state) {
    witnessed w = start(state);
    hr_error err = {0};
    hr_ledger *other = NULL;
    assert_int_equal(unlink(w.witness), 0);
    assert_int_equal(spend(&w, &err), HR_E_IO);
    check_file_error(&err, HR_E_IO, "the witness of the ledger is missing", w.witness);
    assert_int_equal(hr_ledger_set_witness(w.ledger, w.witness, NULL), HR_OK);
    assert_int_equal(spend(&w, NULL), HR_OK);

    assert_int_equal(hr_ledger_create(w.copy, 1, 0, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(w.copy, &other, NULL), HR_OK);
    assert_int_equal(hr_ledger_set_witness(other, w.witness, &err), HR_E_POLICY);
    check_file_error(&err, HR_E_POLICY, "the witness of another ledger", w.witness);
    assert_int_equal(hr_ledger_set_witness(other, "entries", &err), HR_E_ARGUMENT);
    assert_int_equal(hr_ledger_set_witness(other, NULL, &err), HR_E_ARGUMENT);
    check_counted(&w, "1");
    hr_ledger_close(other);
    hr_ledger_close(w.ledger);
}

/* Another path: the count goes there, and the id stays. */
static void test_witness__moves(void **state) {
    witnessed w = start(state);
    assert_int_equal(spend(&w, NULL), HR_OK);
    strcat(w.witness, "-2");
    assert_int_equal(hr_ledger_set_witness(w.ledger, w.witness, NULL), HR_OK);
    check_counted(&w, "1");
    assert_int_equal(spend(&w, NULL), HR_OK);
    check_counted(&w, "2");
    hr_ledger_close(w.ledger);
}

/* Texts that are nearly a witness. */
static void test_witness__is_read_strictly(void **state) {
    static const char *const texts[] = {"",
                                        "entries 0\n",
                                        "hedgerow witness 1\nledger ab\nentries 5",
                                        "hedgerow witness 1\nledger ab\nentries 05\n",
                                        "hedgerow witness 1\nledger ab\nentries -1\n",
                                        "hedgerow witness 2\nledger ab\nentries 5\n",
                                        "hedgerow witness 1\nledger ab\nentries 5\nx"};
    witnessed w = start(state);
    for (size_t i = 0; i < COUNT(texts); i++) {
        write_file(w.witness, texts[i], strlen(texts[i]));
        if (spend(&w, NULL) != HR_E_FORMAT) fail_msg("text %zu", i);
    }
    hr_ledger_close(w.ledger);
}

/* ---- Past spending ---- */

static void test_enter__counts_whatever_the_limit_is(void **state) {
    const temp_dir *s = *state;
    hr_ledger *ledger = NULL;
    hr_ledger_total total;
    hr_error err = {0};
    int64_t entry = 0;
    assert_int_equal(hr_ledger_create(s->path, 1, 0, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_enter(ledger, 3, .25, "lost", &entry, NULL), HR_OK);
    assert_int_equal(hr_ledger_freeze(ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_enter(ledger, 1, 0, "lost", &entry, NULL), HR_OK);
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_true(total.epsilon_spent == 4 && total.delta_spent == .25 && total.epsilon_left == 0);
    assert_string_equal(query_database(s->path, "SELECT group_concat(state) FROM entries"),
                        "committed,committed");
    assert_int_equal(hr_ledger_enter(ledger, 0, 0, "lost", &entry, &err), HR_E_ARGUMENT);
    assert_int_equal(hr_ledger_enter(ledger, 1, 0, "two\nlines", &entry, &err), HR_E_ARGUMENT);
    assert_int_equal(hr_ledger_set_unit(ledger, "person", NULL), HR_OK);
    assert_int_equal(hr_ledger_enter(ledger, 1, 0, "lost", &entry, &err), HR_E_POLICY);
    assert_string_equal(query_database(s->path, "SELECT count(*) FROM entries"), "2");
    hr_ledger_close(ledger);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, temp_dir_open, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_witness__counts_what_is_reserved),
        IN_FOLDER(test_witness__refuses_an_older_copy_until_the_entries_are_there),
        IN_FOLDER(test_witness__that_is_behind_is_corrected),
        IN_FOLDER(test_witness__counts_what_a_journal_reserves),
        IN_FOLDER(test_witness__that_cannot_be_written_has_a_job_charged_once),
        IN_FOLDER(test_witness__that_cannot_be_written_gives_the_reservation_back),
        IN_FOLDER(test_witness__that_is_missing_or_of_another_ledger_is_refused),
        IN_FOLDER(test_witness__moves),
        IN_FOLDER(test_witness__is_read_strictly),
        IN_FOLDER(test_enter__counts_whatever_the_limit_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
