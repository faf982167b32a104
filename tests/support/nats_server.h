/* A real broker for a test: a federation of its own in a temporary folder, a nats-server on a port that was
 * free, and inboxes that are ready. Nothing waits by the clock: what must become true is tried until it is,
 * or until a deadline fails the test. */
#ifndef HR_TESTS_SUPPORT_NATS_SERVER_H
#define HR_TESTS_SUPPORT_NATS_SERVER_H

#include "federation/transport/broker.h"
#include "support/check.h"

#include <hedgerow/federation.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { SERVER_SKIPPED = 77, SERVER_PATIENCE = 30 /* seconds */, SERVER_PATH = 512 };

enum { SERVER_MEMBERS = 3 };

typedef struct server {
    char top[96], folder[128]; /* of the test; of the federation in it */
    char url[64];
    int port;      /* a socket that keeps the port for the broker */
    pid_t process; /* 0: not running */
} server;

double server_clock(void);

/* Where nats-server is; some systems keep it where ordinary users do not look. NULL: nowhere. */
const char *server_program(void);

/* A port at which nobody listens. Linux gives it to nobody else while the socket *keeper is open, but lets a
 * broker listen there: both reuse addresses, and the keeper does not listen. Elsewhere somebody else may be
 * faster than the broker. */
unsigned server_keep_port(int *keeper);
hr_nats_options server_options(const server *s, char paths[3][SERVER_PATH], const char *certificate,
                               const char *name);
hr_status server_prepare(const server *s, int ack_seconds, hr_error *err);
void server_launch(server *s);
bool server_died(server *s);
void server_stop(server *s, int how);

/* Starts the broker of the folder and waits until its inboxes are there. False: it ended by itself. */
bool server_start(server *s, int ack_seconds);

/* A federation in s->folder whose broker would listen at a port of its own. */
void server_init(server *s);
int server_open(void **state);

/* Its files and its port. */
void server_done(server *s);
int server_close(void **state);

#endif
