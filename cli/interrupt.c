/* A handler may call little more than unlink(), write() and _exit(): its messages are whole before it runs.
 * Signals come to any thread: who makes files and who ends the process take turns by one flag, and who finds
 * it taken leaves the end to its holder. */
#include "interrupt.h"

#include "output.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { UNFINISHED_MAX = 8, MESSAGE_SIZE = 256 };

static atomic_bool deferred, reload;
static atomic_int asked, ending; /* signals; 0: none */
static atomic_flag is_held = ATOMIC_FLAG_INIT;
static const char *_Atomic unfinished[UNFINISHED_MAX];
static int holds; /* of the thread that makes files */
static char unspent[MESSAGE_SIZE], at_once[MESSAGE_SIZE];

static void end_now(void) {
    const char *message = deferred ? at_once : unspent;
    for (size_t i = 0; i < UNFINISHED_MAX; i++) {
        const char *path = unfinished[i];
        if (path != NULL) unlink(path);
    }
    const ssize_t told = write(STDERR_FILENO, message, strlen(message));
    (void)told;
    _exit(EXIT_SIGNAL + ending);
}

static void end_unless_held(void) {
    if (!atomic_flag_test_and_set(&is_held)) end_now();
}

static void on_signal(int number) {
    int none = 0;
    if (deferred && atomic_compare_exchange_strong(&asked, &none, number)) return;
    /* A second signal while signals are held: the holder may wait for something else, and never release. */
    if (atomic_exchange(&ending, number) != 0) end_now();
    end_unless_held();
}

void interrupt_watch(const char *command) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    snprintf(unspent, sizeof unspent, "hedgerow %s: interrupted; nothing was spent\n", command);
    snprintf(
        at_once, sizeof at_once,
        "hedgerow %s: interrupted; what is reserved in the ledger stays spent, see 'hedgerow ledger show'\n",
        command);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaddset(&action.sa_mask, signals[i]);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

static void note_reload(int number) {
    (void)number;
    reload = true;
}

void interrupt_reloads(void) {
    struct sigaction action = {.sa_handler = note_reload, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGHUP, &action, NULL);
}

bool interrupt_wants_reload(void *user) {
    (void)user;
    return atomic_exchange(&reload, false);
}

void interrupt_defer(void) {
    deferred = true;
}

void interrupt_defer_silently(void) {
    at_once[0] = '\0';
    interrupt_defer();
}

int interrupted(void) {
    return asked;
}

void interrupt_hold(void) {
    if (holds++ > 0) return;
    while (atomic_flag_test_and_set(&is_held)) pause(); /* another thread ends the process */
}

void interrupt_release(void) {
    if (--holds > 0) return;
    atomic_flag_clear(&is_held);
    if (ending != 0) end_unless_held();
}

bool interrupt_remember(const char *path) {
    for (size_t i = 0; i < UNFINISHED_MAX; i++) {
        if (unfinished[i] != NULL) continue;
        unfinished[i] = path;
        return true;
    }
    return false;
}

void interrupt_forget(const char *path) {
    for (size_t i = 0; i < UNFINISHED_MAX; i++)
        if (unfinished[i] == path) unfinished[i] = NULL;
}
