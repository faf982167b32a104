#include "notify.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static struct {
    int fd; /* connected; -1: nobody listens */
    int64_t pause,
        told; /* microseconds: half of what the watchdog waits (0: there is none), and when it heard last */
    bool stopping;
} listener = {.fd = -1};

static int64_t microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void send_text(const char *text, int flags) {
    if (listener.fd < 0) return;
    const ssize_t sent = send(listener.fd, text, strlen(text), flags | MSG_NOSIGNAL);
    (void)sent;
}

/* What comes again, or has no one waiting for it: a manager that does not read gets none of it. */
static void send_repeated(const char *text) {
    send_text(text, MSG_DONTWAIT);
}

enum { PATIENCE = 5 /* seconds */ };

/* What is said once. */
static void send_once(const char *text) {
    send_text(text, 0);
}

/* A path, or '@' and an abstract name, which is not ended by NUL. */
static socklen_t address_of(const char *name, struct sockaddr_un *out) {
    const size_t size = strlen(name);
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if ((name[0] != '/' && name[0] != '@') || size >= sizeof out->sun_path) return 0;
    memcpy(out->sun_path, name, size);
    if (name[0] == '@') out->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size + (name[0] == '/'));
}

/* A number of microseconds, if it is meant for this process. */
static int64_t watchdog_microseconds(void) {
    const char *text = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (text == NULL || (pid != NULL && strtoll(pid, NULL, 10) != (long long)getpid())) return 0;
    const long long number = strtoll(text, NULL, 10);
    return number > 0 ? number : 0;
}

/* ---- While it computes ---- */

enum { BUSY = 20 /* a part of one processor, as 1 of so many */ };

static int64_t processor_microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* A party that trains a tree does not come by to tell. A process that computes lives; one that neither
 * computes nor comes by waits for something that does not happen, and nothing is told of it. */
static void *notify_while_busy(void *unused) {
    const int64_t pause = listener.pause;
    int64_t before = processor_microseconds();
    (void)unused;
    for (;;) {
        nanosleep(&(struct timespec){pause / 1000000, pause % 1000000 * 1000}, NULL);
        const int64_t now = processor_microseconds();
        if (now - before >= pause / BUSY) send_repeated("WATCHDOG=1");
        before = now;
    }
    return NULL;
}

/* Signals are for the other threads. If there can be no such thread, a training has to be shorter than what
 * the watchdog waits. */
static void start_telling(void) {
    pthread_t thread;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&thread, NULL, notify_while_busy, NULL) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void notify_open(void) {
    const char *name = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address;
    const socklen_t size = name != NULL ? address_of(name, &address) : 0;
    if (size == 0) return;
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0) return;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = PATIENCE}, sizeof(struct timeval));
    if (connect(fd, (const struct sockaddr *)&address, size) != 0) {
        close(fd);
        return;
    }
    listener.fd = fd;
    listener.pause = watchdog_microseconds() / 2;
    if (listener.pause > 0) start_telling();
}

void notify_ready(void) {
    send_once("READY=1");
}

void notify_status(const char *line) {
    char text[600];
    snprintf(text, sizeof text, "STATUS=%s", line);
    send_repeated(text);
}

void notify_alive(void) {
    const int64_t now = microseconds();
    if (listener.pause == 0 || (listener.told != 0 && now - listener.told < listener.pause)) return;
    listener.told = now;
    send_repeated("WATCHDOG=1");
}

void notify_stopping(void) {
    if (listener.stopping) return;
    listener.stopping = true;
    send_once("STOPPING=1");
}
