/* Jobs whose packets a program carries: a process of each member, and a board in memory that they share,
 * which loses, repeats, reorders and changes packets, and at whose calls a member dies. */
#include "support/meeting.h"

#include <hedgerow/federation.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

enum {
    MEMBERS = MEETING_OWNERS + 1, /* the coordinator is the first */
    SLOTS = 64,
    PACKET_MAX = 64 * 1024, /* of the tests' jobs */
    PATIENCE = 120,         /* seconds, after which a member hangs */
    DIES = 77               /* exit code */
};

static const char *const names[MEMBERS] = {"coordinator", "north", "south"};

typedef struct slot {
    size_t size;
    uint8_t bytes[PACKET_MAX];
} slot;

typedef struct inbox {
    size_t count;
    slot slots[SLOTS];
} inbox;

typedef enum fate { ARRIVES, LOST, REFUSED, TWICE, FIRST, CHANGED, TOO_LARGE } fate;

/* Of all processes of a test. */
typedef struct board {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    inbox inboxes[MEMBERS];
    size_t sent, met[TOO_LARGE + 1]; /* packets; those of each fate */
    bool troubled;                   /* fates differ */
} board;

static board *shared;

typedef struct end {
    size_t self;
    size_t calls, dies_at; /* 0: never */
    bool after;            /* the call that it dies at is done before */
} end;

/* ---- The board ---- */

static size_t index_of(const char *name) {
    size_t m = 0;
    while (strcmp(names[m], name) != 0) m++;
    return m;
}

static fate next_fate(void) {
    static const fate script[] = {ARRIVES, TWICE,   FIRST, LOST,    TWICE,     CHANGED, FIRST,
                                  ARRIVES, REFUSED, TWICE, ARRIVES, TOO_LARGE, FIRST,   ARRIVES};
    return shared->troubled ? script[shared->sent % (sizeof script / sizeof *script)] : ARRIVES;
}

/* A full inbox loses it. */
static void put(inbox *to, const void *bytes, size_t size, bool first) {
    if (to->count == SLOTS || size > PACKET_MAX) return;
    if (first) memmove(&to->slots[1], &to->slots[0], to->count * sizeof to->slots[0]);
    slot *at = &to->slots[first ? 0 : to->count];
    at->size = size;
    memcpy(at->bytes, bytes, size);
    to->count++;
}

/* Another byte each time. */
static void put_changed(inbox *to, const void *bytes, size_t size) {
    if (to->count == SLOTS) return;
    put(to, bytes, size, false);
    to->slots[to->count - 1].bytes[(shared->met[CHANGED] * 97) % size] ^= 1;
}

static void die_at_call(end *e, bool after) {
    if (e->after == after && e->calls == e->dies_at) _exit(DIES);
}

static bool send_packet(void *user, const char *to, const void *bytes, size_t size) {
    end *e = user;
    e->calls++;
    die_at_call(e, false);
    pthread_mutex_lock(&shared->mutex);
    inbox *box = &shared->inboxes[index_of(to)];
    const fate now = next_fate();
    shared->sent++;
    shared->met[now]++;
    if (now == CHANGED) put_changed(box, bytes, size);
    if (now == TOO_LARGE) put(box, "", 0, false); /* stands for one that is larger than a packet */
    if (now == ARRIVES || now == TWICE || now == FIRST) put(box, bytes, size, now == FIRST);
    if (now == TWICE) put(box, bytes, size, false);
    pthread_cond_broadcast(&shared->changed);
    pthread_mutex_unlock(&shared->mutex);
    die_at_call(e, true);
    return now != REFUSED;
}

static bool wait_for_packet(const inbox *own, int milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += milliseconds % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (!own->count && milliseconds &&
           pthread_cond_timedwait(&shared->changed, &shared->mutex, &until) != ETIMEDOUT)
        ;
    return own->count > 0;
}

static size_t receive_packet(void *user, int milliseconds, void *bytes, size_t max) {
    end *e = user;
    size_t size = 0;
    pthread_mutex_lock(&shared->mutex);
    inbox *own = &shared->inboxes[e->self];
    if (wait_for_packet(own, milliseconds)) {
        size = own->slots[0].size ? own->slots[0].size : SIZE_MAX;
        if (size <= max) memcpy(bytes, own->slots[0].bytes, size);
        memmove(&own->slots[0], &own->slots[1], --own->count * sizeof own->slots[0]);
    }
    pthread_mutex_unlock(&shared->mutex);
    e->calls += size > 0;
    if (size) die_at_call(e, true);
    return size;
}

static void board_open(bool troubled) {
    pthread_mutexattr_t mutexes;
    pthread_condattr_t conditions;
    const int file = open("board", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, sizeof *shared), 0);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_int_equal(close(file), 0);
    assert_true(shared != MAP_FAILED);
    assert_int_equal(pthread_mutexattr_init(&mutexes), 0);
    assert_int_equal(pthread_mutexattr_setpshared(&mutexes, PTHREAD_PROCESS_SHARED), 0);
    assert_int_equal(pthread_mutex_init(&shared->mutex, &mutexes), 0);
    assert_int_equal(pthread_condattr_init(&conditions), 0);
    assert_int_equal(pthread_condattr_setpshared(&conditions, PTHREAD_PROCESS_SHARED), 0);
    assert_int_equal(pthread_cond_init(&shared->changed, &conditions), 0);
    shared->troubled = troubled;
}

static void board_close(void) {
    assert_int_equal(munmap(shared, sizeof *shared), 0);
}

/* ---- Members ---- */

static void note_line(void *log, const hr_log_line *line) {
    fprintf(log, "%s\n", line->text);
    fflush(log);
}

static hr_status work(end *e, hr_error *err) {
    const hr_carrier carrier = {sizeof carrier, e, send_packet, receive_packet};
    hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    hr_job_result result = {0};
    char path[64];
    snprintf(path, sizeof path, "%s.log", names[e->self]);
    FILE *log = fopen(path, "a");
    if (!log) abort();
    settings.threads = 1;
    settings.jobs = 1;
    settings.log_line = note_line;
    settings.user = log;
    settings.carrier = &carrier;
    snprintf(path, sizeof path, "%s.yaml", names[e->self]);
    hr_status status = e->self ? hr_serve(path, &settings, err)
                               : hr_coordinate("job.yaml", "model.json", &settings, &result, err);
    if (status) fprintf(log, "failed: %s\n", err->message);
    fclose(log);
    hr_job_result_free(&result);
    return status;
}

static pid_t start(end e) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child) return child;
    hr_error err = {0};
    alarm(PATIENCE);
    _exit((int)work(&e, &err));
}

/* A coordinator that died after it wrote the model sends what is left, and says that the model is there. */
static void take_exit(size_t member, int status) {
    const bool is_again = !member && WIFEXITED(status) && WEXITSTATUS(status) == HR_E_IO;
    if (WIFEXITED(status) && (!WEXITSTATUS(status) || is_again)) return;
    char path[64];
    size_t size = 0;
    snprintf(path, sizeof path, "%s.log", names[member]);
    fail_msg("%s ended with %d: %s", names[member], status, read_file(path, &size));
}

/* An owner that died after its job was over has none left to wait for. */
static bool is_over(size_t member) {
    char path[64];
    snprintf(path, sizeof path, "%s.db", names[member]);
    return member && !strcmp(query_database(path, "SELECT count(*) FROM jobs WHERE over"), "1");
}

/* Whether the victim died; it was started again then. */
static bool run_job(size_t victim, size_t at, bool after) {
    pid_t children[MEMBERS];
    bool died = false;
    for (size_t m = 0; m < MEMBERS; m++)
        children[m] = start((end){.self = m, .dies_at = m == victim ? at : 0, .after = after});
    for (size_t left = MEMBERS; left;) {
        int status = 0;
        size_t m = 0;
        const pid_t child = wait(&status);
        while (m < MEMBERS && children[m] != child) m++;
        assert_true(m < MEMBERS);
        if (WIFEXITED(status) && WEXITSTATUS(status) == DIES) {
            died = true;
            if (is_over(m))
                left--;
            else
                children[m] = start((end){.self = m});
            continue;
        }
        take_exit(m, status);
        left--;
    }
    return died;
}

static void check_job(void) {
    hr_model *model = NULL;
    hr_error err = {0};
    if (hr_model_read("model.json", &model, &err)) fail_msg("%s", err.message);
    hr_model_free(model);
    for (size_t m = 1; m < MEMBERS; m++) {
        char path[64];
        snprintf(path, sizeof path, "%s.db", names[m]);
        assert_string_equal(query_database(path, "SELECT count(*) FROM jobs WHERE NOT over"), "0");
        assert_string_equal(query_database(path, "SELECT count(*) FROM entries"), "1");
        assert_string_equal(query_database(path, "SELECT epsilon_units >> 40 FROM entries"), "1");
    }
}

static bool has_line(const char *member, const char *text) {
    char path[64];
    size_t size = 0;
    snprintf(path, sizeof path, "%s.log", member);
    char *log = read_file(path, &size);
    const bool found = strstr(log, text) != NULL;
    free(log);
    return found;
}

/* ---- Tests ---- */

static void test_job__with_a_carrier_that_keeps_all__makes_a_model(void **state) {
    (void)state;
    meeting_records();
    meeting_federation(1);
    board_open(false);
    assert_false(run_job(MEMBERS, 0, false));
    check_job();
    for (size_t m = 0; m < MEMBERS; m++) assert_false(has_line(names[m], "refused"));
    board_close();
}

static void test_job__whose_packets_are_lost_repeated_and_changed__makes_a_model(void **state) {
    (void)state;
    meeting_records();
    meeting_federation(1);
    board_open(true);
    assert_false(run_job(MEMBERS, 0, false));
    check_job();
    for (fate f = ARRIVES; f <= TOO_LARGE; f++) assert_true(shared->met[f] > 0);
    bool refused = false;
    for (size_t m = 0; m < MEMBERS; m++) refused |= has_line(names[m], "a packet was refused: ");
    assert_true(refused);
    board_close();
}

static void check_faulty(const hr_carrier *carrier, const char *message) {
    hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    hr_error err = {0};
    settings.carrier = carrier;
    assert_int_equal(hr_serve("north.yaml", &settings, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, message));
}

static void test_carrier__that_is_not_whole__is_refused(void **state) {
    (void)state;
    meeting_records();
    meeting_federation(1);
    const hr_carrier deaf = {sizeof deaf, NULL, send_packet, NULL},
                     dumb = {sizeof dumb, NULL, NULL, receive_packet},
                     shapeless = {0, NULL, send_packet, receive_packet};
    check_faulty(&deaf, "without send or receive");
    check_faulty(&dumb, "without send or receive");
    check_faulty(&shapeless, "");
}

/* A member that dies at one of its calls and comes back from its files. */
static bool run_doomed(void **state, size_t victim, size_t at, bool after) {
    assert_int_equal(meeting_open(state), 0);
    meeting_records();
    meeting_federation(1);
    board_open(false);
    const bool died = run_job(victim, at, after);
    check_job();
    board_close();
    assert_int_equal(meeting_close(state), 0);
    return died;
}

static void test_member__that_dies_at_a_call__goes_on(void **state) {
    (void)state;
    void *own = NULL;
    const bool all = getenv("HR_LONG") != NULL;
    for (size_t victim = 0; victim < MEMBERS; victim++)
        for (size_t at = all ? 1 : 2; run_doomed(&own, victim, at, all ? at % 2 : true) && all;) at++;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_job__with_a_carrier_that_keeps_all__makes_a_model, meeting_open,
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_job__whose_packets_are_lost_repeated_and_changed__makes_a_model,
                                        meeting_open, meeting_close),
        cmocka_unit_test_setup_teardown(test_carrier__that_is_not_whole__is_refused, meeting_open,
                                        meeting_close),
        cmocka_unit_test(test_member__that_dies_at_a_call__goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
