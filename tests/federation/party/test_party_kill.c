/* One party is a process of its own, and is killed (SIGKILL) again and again: by itself in the middle of a
 * write to its file, or from outside after so many calls to its transport. The others and the transport stay
 * in the parent, who also gives it the clock. */
#include "support/party_harness.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum {
    FRAME_MAX = 128 * 1024,
    KILLS = 70,        /* of either way */
    KILLS_ASKED = 100, /* likewise, in jobs of questions: 200 moments */
    LIVES_MAX = 6,
    CALLS_MAX = 40,
    WRITES_MAX = 120
};

/* What parent and child tell each other. */
typedef struct frame {
    enum { STEP, DONE, SEND, RECEIVE, PACKET, SETTLE } kind;
    int64_t now;
    bool busy, quiet, there;
    char to[24];
    size_t size;
    uint8_t bytes[FRAME_MAX];
} frame;

static bool log_line(int line, const frame *f) {
    size_t size = offsetof(frame, bytes) + f->size;
    return send(line, f, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool hear(int line, frame *f) {
    return recv(line, f, sizeof *f, 0) >= (ssize_t)offsetof(frame, bytes);
}

/* ---- The child ---- */

typedef struct far_end {
    hr_transport transport;
    int line;
    frame frame;
} far_end;

static void must_tell(far_end *e) {
    if (!log_line(e->line, &e->frame)) _exit(0); /* the parent is gone */
}

static hr_status far_send(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err) {
    far_end *e = (far_end *)self;
    (void)err;
    if (size > FRAME_MAX) abort();
    e->frame.kind = SEND;
    e->frame.size = size;
    snprintf(e->frame.to, sizeof e->frame.to, "%s", to);
    memcpy(e->frame.bytes, bytes, size);
    must_tell(e);
    return HR_OK;
}

static hr_status far_receive(hr_transport *self, int milliseconds, hr_packet *out, hr_error *err) {
    far_end *e = (far_end *)self;
    (void)milliseconds;
    (void)err;
    e->frame.kind = RECEIVE;
    e->frame.size = 0;
    must_tell(e);
    if (!hear(e->line, &e->frame)) _exit(0);
    *out = (hr_packet){0};
    if (!e->frame.there) return HR_OK;
    *out = (hr_packet){malloc(e->frame.size + 1), e->frame.size, NULL};
    if (!out->bytes) abort();
    memcpy(out->bytes, e->frame.bytes, out->size);
    return HR_OK;
}

static void far_settle(hr_transport *self, hr_packet *packet) {
    far_end *e = (far_end *)self;
    e->frame.kind = SETTLE;
    e->frame.size = 0;
    must_tell(e);
    free(packet->bytes);
    *packet = (hr_packet){0};
}

static uint64_t writes_left;

static ssize_t write_or_die(int file, const void *bytes, size_t size, off_t at) {
    if (--writes_left) return pwrite(file, bytes, size, at);
    (void)!pwrite(file, bytes, size / 2, at);
    kill(getpid(), SIGKILL);
    return -1;
}

/* SQLite lets its calls to the system be replaced, for tests such as this one. */
static void die_at_write(uint64_t number) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    writes_left = number;
    vfs->xSetSystemCall(vfs, "pwrite", (sqlite3_syscall_ptr)write_or_die);
    vfs->xSetSystemCall(vfs, "pwrite64", (sqlite3_syscall_ptr)write_or_die);
}

static void live(harness_party *p, int line) {
    static far_end end;
    hr_error err = {0};
    bool owes = false;
    end = (far_end){.transport = {.send = far_send, .receive = far_receive, .settle = far_settle},
                    .line = line};
    if (party_start_with(p, &end.transport, &err)) _exit(9);
    if (!p->index && harness_submit(p->harness, &err)) _exit(8);
    while (hear(line, &end.frame)) {
        bool busy = false;
        if (hr_party_step(p->party, (hr_clock){.now = end.frame.now}, 0, &busy, &err)) _exit(7);
        if (hr_party_owes(p->party, &owes, &err)) _exit(6);
        end.frame.kind = DONE;
        end.frame.busy = busy;
        end.frame.quiet = !owes && !hr_party_jobs(p->party);
        end.frame.size = 0;
        must_tell(&end);
    }
    _exit(0);
}

/* ---- The parent ---- */

typedef struct cell {
    harness *harness;
    harness_party *party;
    uint64_t *random;
    pid_t child;
    int line;
    hr_transport *end;
    hr_packet held;
    size_t lives, calls_left;
    bool quiet;
    size_t at_writes, at_calls; /* kills */
} cell;

/* Half of its lives end at a write, half after a call to the transport; the last one has no end. */
static void be_born(cell *c) {
    int lines[2];
    uint64_t way = next_random(c->random), moment = next_random(c->random);
    bool mortal = ++c->lives < LIVES_MAX;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, lines), 0);
    assert_int_equal(hr_loopback_open(c->harness->loopback, c->party->name, &c->end, NULL), HR_OK);
    c->calls_left = mortal && way % 2 ? 1 + moment % CALLS_MAX : SIZE_MAX;
    c->child = fork();
    assert_true(c->child >= 0);
    if (c->child == 0) {
        close(lines[0]);
        if (mortal && way % 2 == 0) die_at_write(1 + moment % WRITES_MAX);
        live(c->party, lines[1]);
    }
    close(lines[1]);
    c->line = lines[0];
}

static void bury(cell *c) {
    int status = 0;
    assert_int_equal(waitpid(c->child, &status, 0), c->child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        fail_msg("%s ended by itself: %d", c->party->name, status);
    close(c->line);
    c->end->settle(c->end, &c->held); /* the transport loses it */
    c->end->close(c->end);
    *(c->calls_left ? &c->at_writes : &c->at_calls) += 1;
}

static void serve(cell *c, frame *f) {
    switch (f->kind) {
    case SEND: assert_int_equal(c->end->send(c->end, f->to, f->bytes, f->size, NULL), HR_OK); break;
    case SETTLE: c->end->settle(c->end, &c->held); break;
    case RECEIVE:
        assert_int_equal(c->end->receive(c->end, 0, &c->held, NULL), HR_OK);
        *f = (frame){.kind = PACKET, .there = c->held.bytes != NULL, .size = c->held.size};
        assert_true(f->size <= FRAME_MAX);
        if (f->there) memcpy(f->bytes, c->held.bytes, f->size);
        (void)log_line(c->line, f);
        break;
    case STEP:
    case DONE:
    case PACKET: break;
    }
}

/* Whether there was something to do; to die, and be born again, is much. */
static bool far_step(cell *c) {
    static frame f;
    f = (frame){.kind = STEP, .now = c->harness->now};
    (void)log_line(c->line, &f);
    while (hear(c->line, &f)) {
        c->quiet = f.quiet;
        if (f.kind == DONE) return f.busy;
        serve(c, &f);
        if (--c->calls_left == 0) kill(c->child, SIGKILL);
    }
    bury(c);
    be_born(c);
    return true;
}

static bool take_turns_with(cell *c) {
    bool any = far_step(c);
    for (size_t i = 0; i < PARTIES; i++)
        if (c->harness->parties[i].party && party_step(&c->harness->parties[i])) any = true;
    return any;
}

static void run_with(cell *c) {
    for (int idle = 0; idle < IDLE_MAX;) {
        if (take_turns_with(c)) continue;
        if (c->quiet && harness_is_idle(c->harness)) return;
        c->harness->now += RESEND / 2;
        idle++;
    }
    fail_msg("the job does not end");
}

/* The n-th job of a test. */
typedef hr_job_file nth_job(size_t number);

typedef struct tally {
    nth_job *job;
    size_t jobs, at_writes, at_calls, lost;
    uint64_t random;
} tally;

static hr_job_file inprivate_job(size_t number) {
    hr_order order = number % 2 ? HR_ORDER_BROADCAST : HR_ORDER_CHAIN;
    return number % 4 < 2 ? harness_job_with_votes(order) : harness_job(2, order, false);
}

static hr_job_file hedge_job(size_t number) {
    (void)number;
    return harness_hedge_job();
}

/* A level, and again if it was lost; the next one, if noise splits the root; the leaves. */
static hr_job_file id3_job(size_t number) {
    (void)number;
    return harness_id3_job(2);
}

/* One job in which a party is killed several times. */
static void play(tally *t, size_t victim) {
    harness l;
    cell c = {.harness = &l, .party = &l.parties[victim], .random = &t->random};
    harness_open(&l, t->job(t->jobs));
    for (size_t i = 1; i < PARTIES; i++)
        if (i != victim) party_start(&l.parties[i]);
    if (victim) party_restart(&l.parties[0]);
    be_born(&c);
    run_with(&c);
    close(c.line);
    assert_int_equal(waitpid(c.child, NULL, 0), c.child);
    c.end->close(c.end);
    size_t lost = check_end(&l);
    assert_true(lost <= (victim ? c.at_writes + c.at_calls : 0));
    harness_close(&l);
    t->jobs++;
    t->at_writes += c.at_writes;
    t->at_calls += c.at_calls;
    t->lost += lost;
}

/* Which of its lives end, and so how many of either way there are in a job, depends on the moment too: jobs
 * go on until there are enough.
 */
static void play_until(tally *t, size_t kills, size_t (*victim)(const tally *t)) {
    while (t->at_writes < kills || t->at_calls < kills) play(t, victim(t));
    print_message("%zu jobs, %zu kills at a write, %zu after a call; %zu pieces of work were lost\n", t->jobs,
                  t->at_writes, t->at_calls, t->lost);
}

static size_t each_owner(const tally *t) {
    return 1 + t->jobs % OWNERS;
}

static size_t the_coordinator(const tally *t) {
    (void)t;
    return 0;
}

/* A kill loses work with a chance of about a tenth: all of them lose none with .9^(2 * 70) = 4e-7 at most. */
static void test_kill__of_an_owner_at_any_moment(void **state) {
    (void)state;
    tally t = {.job = inprivate_job, .random = 1};
    play_until(&t, KILLS, each_owner);
    assert_true(t.lost > 0);
}

static void test_kill__of_the_coordinator_at_any_moment(void **state) {
    (void)state;
    tally t = {.job = inprivate_job, .random = 2};
    play_until(&t, KILLS / 4, the_coordinator);
}

/* Likewise; what is lost is a sum, of which the owner says that it has no share, or a choice. */
static void test_kill__of_an_owner_in_hedge_at_any_moment(void **state) {
    (void)state;
    tally t = {.job = hedge_job, .random = 3};
    play_until(&t, KILLS_ASKED, each_owner);
    assert_true(t.lost > 0);
}

static void test_kill__of_the_coordinator_of_hedge_at_any_moment(void **state) {
    (void)state;
    tally t = {.job = hedge_job, .random = 4};
    play_until(&t, KILLS_ASKED / 4, the_coordinator);
}

static void test_kill__of_an_owner_in_id3_at_any_moment(void **state) {
    (void)state;
    tally t = {.job = id3_job, .random = 5};
    play_until(&t, KILLS_ASKED, each_owner);
    assert_true(t.lost > 0);
}

static void test_kill__of_the_coordinator_of_id3_at_any_moment(void **state) {
    (void)state;
    tally t = {.job = id3_job, .random = 6};
    play_until(&t, KILLS_ASKED / 4, the_coordinator);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill__of_an_owner_at_any_moment),
        cmocka_unit_test(test_kill__of_the_coordinator_at_any_moment),
        cmocka_unit_test(test_kill__of_an_owner_in_hedge_at_any_moment),
        cmocka_unit_test(test_kill__of_the_coordinator_of_hedge_at_any_moment),
        cmocka_unit_test(test_kill__of_an_owner_in_id3_at_any_moment),
        cmocka_unit_test(test_kill__of_the_coordinator_of_id3_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
