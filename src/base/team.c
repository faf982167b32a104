#include "base/team.h"

#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

/* LOOKING_NS: how long threads look for what comes next before they sleep; to wake one up takes about as
 * long. */
enum { HELPERS_MAX = HR_THREADS_MAX - 1, LOOKING_NS = 50000 };

/* One call of hr_team_run, in its frame. */
typedef struct team_call team_call;
struct team_call {
    hr_team_work *work;
    void *of;
    size_t members, joined; /* the caller among them */
    atomic_size_t busy;     /* helpers at work */
    pthread_cond_t is_idle;
    team_call *next;
};

/* The process's helpers. They are all alike: nothing that is computed depends on which of them does it. */
static struct {
    pthread_mutex_t lock; /* of all that follows, and of the calls */
    pthread_cond_t has_work;
    team_call *open;         /* calls that helpers may still join, the latest first */
    atomic_size_t idle;      /* 1: no call is open; else 0 */
    size_t helpers, looking; /* looking: those that are awake and have no work */
    bool survives_fork;      /* else there are none */
} team_pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .has_work = PTHREAD_COND_INITIALIZER, .idle = 1};

/* ---- Forks ---- */

static void hold_pool(void) {
    pthread_mutex_lock(&team_pool.lock);
}

static void release_pool(void) {
    pthread_mutex_unlock(&team_pool.lock);
}

/* Only the thread that forked is here: other threads' calls and helpers are not. */
static void empty_pool(void) {
    team_pool.open = NULL;
    team_pool.idle = 1;
    team_pool.helpers = team_pool.looking = 0;
    pthread_cond_init(&team_pool.has_work, NULL);
    release_pool();
}

/* Before any thread can hold the lock. */
__attribute__((constructor)) static void watch_forks(void) {
    team_pool.survives_fork = !pthread_atfork(hold_pool, release_pool, empty_pool);
}

/* ---- Looking ---- */

static int64_t team_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Until the number is 0, or for a while. Other threads that could use the processor come first: where threads
 * have to share one, those that look make no other wait. */
static void look_for_zero(atomic_size_t *number) {
    const int64_t end = team_clock() + LOOKING_NS;
    while (atomic_load_explicit(number, memory_order_acquire) && team_clock() < end) sched_yield();
}

/* ---- Helpers. All hold the lock, but while they work or look ---- */

static void close_call(const team_call *call) {
    team_call **at = &team_pool.open;
    while (*at && *at != call) at = &(*at)->next;
    if (*at) *at = call->next;
    team_pool.idle = !team_pool.open;
}

static void join_call(team_call *call) {
    const size_t member = call->joined++;
    call->busy++;
    if (call->joined == call->members) close_call(call);
    release_pool();
    call->work(call->of, member);
    hold_pool();
    if (!--call->busy) pthread_cond_signal(&call->is_idle);
}

static void look_for_call(void) {
    team_pool.looking++;
    release_pool();
    look_for_zero(&team_pool.idle);
    hold_pool();
    team_pool.looking--;
}

static void *help(void *unused) {
    (void)unused;
    hold_pool();
    for (;;) {
        if (!team_pool.open) look_for_call();
        while (!team_pool.open) pthread_cond_wait(&team_pool.has_work, &team_pool.lock);
        join_call(team_pool.open);
    }
    return NULL;
}

static bool start_helper(void) {
    pthread_t thread;
    const bool started = !pthread_create(&thread, NULL, help, NULL);
    if (started) pthread_detach(thread);
    return started;
}

static void open_call(team_call *call) {
    const size_t wanted = call->members - 1 < HELPERS_MAX ? call->members - 1 : HELPERS_MAX;
    while (team_pool.survives_fork && team_pool.helpers < wanted && start_helper()) team_pool.helpers++;
    call->next = team_pool.open;
    team_pool.open = call;
    team_pool.idle = 0;
    for (size_t h = team_pool.looking; h < wanted; h++) pthread_cond_signal(&team_pool.has_work);
}

void hr_team_run(size_t members, hr_team_work *work, void *of) {
    team_call call = {.work = work, .of = of, .members = members, .joined = 1};
    if (members > 1) {
        pthread_cond_init(&call.is_idle, NULL);
        hold_pool();
        open_call(&call);
        release_pool();
    }
    work(of, 0);
    if (members <= 1) return;
    hold_pool();
    close_call(&call);
    if (call.busy) {
        release_pool();
        look_for_zero(&call.busy);
        hold_pool();
    }
    while (call.busy) pthread_cond_wait(&call.is_idle, &team_pool.lock);
    release_pool();
    pthread_cond_destroy(&call.is_idle);
}

size_t hr_team_worth(int threads, size_t work, size_t worth) {
    const size_t most = work / worth;
    return most < 1 ? 1 : most < (size_t)threads ? most : (size_t)threads;
}

/* ---- Items ---- */

typedef struct team_items {
    hr_team_part *part;
    void *of;
    size_t count, run;
    atomic_size_t next;
} team_items;

static void take_runs(void *at, size_t member) {
    team_items *items = at;
    size_t begin;
    while ((begin = atomic_fetch_add_explicit(&items->next, items->run, memory_order_relaxed)) <
           items->count) {
        const size_t left = items->count - begin;
        items->part(items->of, member, begin, begin + (left < items->run ? left : items->run));
    }
}

void hr_team_share(size_t members, size_t count, size_t run, hr_team_part *part, void *of) {
    const size_t runs = count / run + (count % run != 0);
    team_items items = {.part = part, .of = of, .count = count, .run = run};
    atomic_init(&items.next, 0);
    hr_team_run(members < runs ? members : runs, take_runs, &items);
}
