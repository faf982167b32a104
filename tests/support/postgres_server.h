/* A real PostgreSQL server for a test: a cluster of its own in a temporary folder, which is removed in the
 * end, and a Unix socket there. It refuses to run as root; then it is run as the user postgres, or nobody. */
#ifndef HR_TESTS_SUPPORT_POSTGRES_SERVER_H
#define HR_TESTS_SUPPORT_POSTGRES_SERVER_H

#include "support/check.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { POSTGRES_SKIPPED = 77, POSTGRES_PATH = 256 };

typedef struct postgres_server {
    char folder[64];
    char programs[POSTGRES_PATH]; /* where initdb and postgres are */
    char address[POSTGRES_PATH];  /* of the superuser `admin` */
    pid_t process;                /* 0: not running */
} postgres_server;

/* Whether the programs are installed; out->programs is set. */
bool postgres_find(postgres_server *out);

/* Makes the cluster, in UTF-8, with passwords for all but `admin`, and starts the server. False: it failed.
 */
bool postgres_start(postgres_server *s);

/* Ends the server: SIGQUIT at once, SIGINT in order. Waits for that. */
void postgres_stop(postgres_server *s, int how);

/* Ends it, and removes the folder. */
void postgres_remove(postgres_server *s);

/* Runs SQL as the superuser; must succeed. Returns the first value of the answer, "" without one. */
const char *postgres_run(const postgres_server *s, const char *sql);

#endif
