/* A handler may call little more than write() and _exit(): its messages are whole before it runs. */
#include "interrupt.h"

#include "output.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t deferred, asked;

static const char unspent[] = "hedgerow train: interrupted; nothing was spent\n";
static const char at_once[] =
    "hedgerow train: interrupted; what is reserved in the ledger stays spent, see 'hedgerow ledger show'\n";

static void end_by_signal(int number, const char *message, size_t size) {
    const ssize_t told = write(STDERR_FILENO, message, size);
    (void)told;
    _exit(EXIT_SIGNAL + number);
}

static void remember_signal(int number) {
    if (!deferred) end_by_signal(number, unspent, sizeof unspent - 1);
    if (asked != 0) end_by_signal(number, at_once, sizeof at_once - 1);
    asked = number;
}

/* What a shell has a background process ignore stays ignored. */
static void catch_unignored(int number, const struct sigaction *action) {
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, action, NULL);
}

void interrupt_watch(void) {
    struct sigaction action = {.sa_handler = remember_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    catch_unignored(SIGINT, &action);
    catch_unignored(SIGTERM, &action);
}

void interrupt_defer(void) {
    deferred = 1;
}

int interrupted(void) {
    return asked;
}
