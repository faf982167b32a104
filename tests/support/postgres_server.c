#define _GNU_SOURCE /* setgroups */

#include "support/postgres_server.h"
#include "support/remove_tree.h"

#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { PATIENCE = 120 /* seconds until the server answers */ };

/* ---- Programs ---- */

static bool has_programs(const char *folder) {
    char path[POSTGRES_PATH];
    snprintf(path, sizeof path, "%s/initdb", folder);
    if (access(path, X_OK)) return false;
    snprintf(path, sizeof path, "%s/postgres", folder);
    return access(path, X_OK) == 0;
}

/* Debian keeps each version in a folder that is not searched. */
bool postgres_find(postgres_server *out) {
    glob_t found = {0};
    char slots[4096];
    const char *searched = getenv("PATH");
    snprintf(slots, sizeof slots, "%s", searched ? searched : "");
    for (char *slot = strtok(slots, ":"); slot; slot = strtok(NULL, ":")) {
        if (!has_programs(slot)) continue;
        snprintf(out->programs, sizeof out->programs, "%s", slot);
        return true;
    }
    bool is_there = false;
    if (glob("/usr/lib/postgresql/*/bin", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && !is_there; i++) {
            is_there = has_programs(found.gl_pathv[i]);
            if (is_there) snprintf(out->programs, sizeof out->programs, "%s", found.gl_pathv[i]);
        }
    }
    globfree(&found);
    return is_there;
}

/* The user that the server runs as; NULL: this one. */
static const struct passwd *server_user(void) {
    if (geteuid()) return NULL;
    const struct passwd *user = getpwnam("postgres");
    return user ? user : getpwnam("nobody");
}

static void become_server_user(const char *folder) {
    const struct passwd *user = server_user();
    if (user && (setgroups(0, NULL) || setgid(user->pw_gid) || setuid(user->pw_uid))) _exit(126);
    if (chdir(folder)) _exit(126);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGQUIT); /* a test that is ended takes its server along */
#endif
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0) _exit(126);
}

/* Runs a program of PostgreSQL's as that user; returns its process. */
static pid_t launch(const postgres_server *s, const char *const arguments[]) {
    char path[2 * POSTGRES_PATH];
    snprintf(path, sizeof path, "%s/%s", s->programs, arguments[0]);
    pid_t process = fork();
    if (process) return process;
    become_server_user(s->folder);
    execv(path, (char *const *)arguments);
    _exit(127);
}

/* ---- Life ---- */

static bool make_cluster(const postgres_server *s) {
    const char *const arguments[] = {"initdb",          "-D",         "data",          "-U",
                                     "admin",           "-A",         "scram-sha-256", "--pwfile=password",
                                     "--encoding=UTF8", "--locale=C", "--no-sync",     NULL};
    char path[POSTGRES_PATH];
    int code = -1;
    snprintf(path, sizeof path, "%s/password", s->folder);
    FILE *file = fopen(path, "w");
    if (!file || fputs("admin-password\n", file) < 0 || fclose(file)) return false;
    if (chmod(path, 0644)) return false;
    pid_t process = launch(s, arguments);
    if (process < 0 || waitpid(process, &code, 0) != process || code) return false;
    snprintf(path, sizeof path, "%s/data/pg_hba.conf", s->folder);
    file = fopen(path, "w");
    return file && fputs("local all admin trust\nlocal all all scram-sha-256\n", file) >= 0 && !fclose(file);
}

static bool answers(const postgres_server *s) {
    PGconn *connection = PQconnectdb(s->address);
    const bool does = PQstatus(connection) == CONNECTION_OK;
    PQfinish(connection);
    return does;
}

bool postgres_start(postgres_server *s) {
    const char *const arguments[] = {"postgres",          "-D", "data",      "-k", s->folder, "-c",
                                     "listen_addresses=", "-c", "fsync=off", NULL};
    const struct passwd *user = server_user();
    strcpy(s->folder, "/tmp/hedgerow-postgres-XXXXXX");
    if (!mkdtemp(s->folder)) return false;
    if (user && chown(s->folder, user->pw_uid, user->pw_gid)) return false;
    snprintf(s->address, sizeof s->address, "postgresql:///postgres?user=admin&host=%s", s->folder);
    if (!make_cluster(s)) return false;
    s->process = launch(s, arguments);
    if (s->process < 0) return false;
    const time_t deadline = time(NULL) + PATIENCE;
    while (!answers(s)) {
        if (waitpid(s->process, NULL, WNOHANG) || time(NULL) > deadline) return false;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* spares the processor */
    }
    return true;
}

void postgres_stop(postgres_server *s, int how) {
    if (s->process <= 0) return;
    kill(s->process, how);
    waitpid(s->process, NULL, 0);
    s->process = 0;
}

void postgres_remove(postgres_server *s) {
    postgres_stop(s, SIGQUIT);
    if (s->folder[0]) remove_tree(s->folder);
}

const char *postgres_run(const postgres_server *s, const char *sql) {
    static char answer[512];
    PGconn *connection = PQconnectdb(s->address);
    PGresult *result = PQexec(connection, sql);
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail_msg("%s", PQerrorMessage(connection));
    snprintf(answer, sizeof answer, "%s", PQntuples(result) ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    PQfinish(connection);
    return answer;
}
