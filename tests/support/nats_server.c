#define _GNU_SOURCE /* NI_ */

#include "support/nats_server.h"
#include "support/remove_tree.h"

static const char *const server_members[] = {"alice", "bob", "carol"};

double server_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *server_program(void) {
    static char path[SERVER_PATH];
    char slots[4096];
    const char *searched = getenv("PATH");
    snprintf(slots, sizeof slots, "%s:/usr/sbin:/usr/local/sbin", searched ? searched : "");
    for (char *slot = strtok(slots, ":"); slot; slot = strtok(NULL, ":")) {
        snprintf(path, sizeof path, "%s/nats-server", slot);
        if (access(path, X_OK) == 0) return path;
    }
    return NULL;
}

unsigned server_keep_port(int *keeper) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int reuse = 1;
    *keeper = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(*keeper >= 0);
    assert_int_equal(fcntl(*keeper, F_SETFD, FD_CLOEXEC), 0);
    assert_int_equal(setsockopt(*keeper, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse), 0);
    assert_int_equal(bind(*keeper, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(*keeper, (struct sockaddr *)&address, &size), 0);
#ifndef __linux__
    close(*keeper);
    *keeper = -1;
#endif
    return ntohs(address.sin_port);
}

hr_nats_options server_options(const server *s, char paths[3][SERVER_PATH], const char *certificate,
                               const char *name) {
    const bool admin = strcmp(certificate, HR_BROKER_ADMIN) == 0;
    snprintf(paths[0], SERVER_PATH, "%s/ca.pem", s->folder);
    snprintf(paths[1], SERVER_PATH, "%s/%s/%s.pem", s->folder, admin ? "broker" : certificate,
             admin ? certificate : "tls");
    snprintf(paths[2], SERVER_PATH, "%s/%s/%s-key.pem", s->folder, admin ? "broker" : certificate,
             admin ? certificate : "tls");
    return (hr_nats_options){.url = s->url,
                             .authority = paths[0],
                             .certificate = paths[1],
                             .certificate_key = paths[2],
                             .federation = "demo",
                             .name = name,
                             .member_count = SERVER_MEMBERS};
}

hr_status server_prepare(const server *s, int ack_seconds, hr_error *err) {
    char paths[3][SERVER_PATH];
    const hr_nats_options admin = server_options(s, paths, HR_BROKER_ADMIN, HR_BROKER_ADMIN);
    return hr_broker_prepare(&admin, server_members, SERVER_MEMBERS, ack_seconds, err);
}

void server_launch(server *s) {
    char broker[SERVER_PATH];
    const char *program = server_program();
    snprintf(broker, sizeof broker, "%s/broker", s->folder);
    s->process = fork();
    assert_true(s->process >= 0);
    if (s->process) return;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that is ended takes its broker along */
#endif
    int log = -1;
    if (chdir(broker) == 0) log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log >= 0) dup2(log, STDERR_FILENO);
    if (log >= 0) execl(program, program, "-c", "nats.conf", (char *)NULL);
    _exit(127);
}

bool server_died(server *s) {
    if (waitpid(s->process, NULL, WNOHANG) == 0) return false;
    s->process = 0;
    return true;
}

void server_stop(server *s, int how) {
    if (!s->process) return;
    kill(s->process, how);
    waitpid(s->process, NULL, 0);
    s->process = 0;
}

bool server_start(server *s, int ack_seconds) {
    hr_error err = {0};
    const double deadline = server_clock() + SERVER_PATIENCE;
    server_launch(s);
    while (server_prepare(s, ack_seconds, &err) != HR_OK) {
        if (server_died(s)) return false;
        if (server_clock() > deadline) fail_msg("the broker is not ready: %s", err.message);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* spares the processor */
    }
    return true;
}

void server_init(server *s) {
    hr_error err = {0};
    hr_new_member members[SERVER_MEMBERS];
    for (size_t i = 0; i < SERVER_MEMBERS; i++) members[i] = (hr_new_member){.name = server_members[i]};
    snprintf(s->folder, sizeof s->folder, "%s/fed", s->top);
    snprintf(s->url, sizeof s->url, "tls://localhost:%u", server_keep_port(&s->port));
    const hr_federation_options options = {sizeof options, "demo", s->url, members, SERVER_MEMBERS};
    if (hr_federation_init(s->folder, &options, &err) != HR_OK) fail_msg("%s: %s", err.file, err.message);
    char command[2 * SERVER_PATH]; /* another program may have that port */
    snprintf(command, sizeof command, "sed -i '/^http:/d' %.400s/broker/nats.conf", s->folder);
    assert_int_equal(system(command), 0);
}

int server_open(void **state) {
    server *s = calloc(1, sizeof *s);
    if (!s) return -1;
    strcpy(s->top, "/tmp/hedgerow-nats-XXXXXX");
    if (!mkdtemp(s->top)) return -1;
    server_init(s);
    *state = s;
    return server_start(s, HR_NATS_ACK_SECONDS) ? 0 : -1;
}

void server_done(server *s) {
    remove_tree(s->top);
    close(s->port);
}

int server_close(void **state) {
    server *s = *state;
    server_stop(s, SIGTERM);
    server_done(s);
    free(s);
    return 0;
}
