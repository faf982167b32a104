#include "federation/roles/service_metrics.h"

#include "base/buffer.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Packets ---- */

static hr_status send_counted(hr_transport *self, const char *to, const void *bytes, size_t size,
                              hr_error *err) {
    hr_counted_transport *c = (hr_counted_transport *)self;
    hr_status status = c->inner->send(c->inner, to, bytes, size, err);
    if (status) {
        c->failed++;
        return status;
    }
    c->sent++;
    c->last = (int64_t)time(NULL);
    return HR_OK;
}

static hr_status receive_counted(hr_transport *self, int milliseconds, hr_packet *out, hr_error *err) {
    hr_counted_transport *c = (hr_counted_transport *)self;
    hr_status status = c->inner->receive(c->inner, milliseconds, out, err);
    if (status || !out->bytes) return status;
    c->received++;
    c->last = (int64_t)time(NULL);
    return HR_OK;
}

static void settle_counted(hr_transport *self, hr_packet *packet) {
    hr_counted_transport *c = (hr_counted_transport *)self;
    c->inner->settle(c->inner, packet);
}

static void refuse_counted(hr_transport *self, hr_packet *packet) {
    hr_counted_transport *c = (hr_counted_transport *)self;
    c->inner->refuse(c->inner, packet);
}

static void counted_link(const hr_transport *self, hr_link_info *out) {
    const hr_counted_transport *c = (const hr_counted_transport *)self;
    c->inner->link(c->inner, out);
}

void hr_counted_transport_init(hr_counted_transport *counted, hr_transport *inner) {
    *counted = (hr_counted_transport){.transport = {.send = send_counted,
                                                    .receive = receive_counted,
                                                    .settle = settle_counted,
                                                    .refuse = inner->refuse ? refuse_counted : NULL,
                                                    .link = inner->link ? counted_link : NULL},
                                      .inner = inner};
}

/* ---- The text ---- */

static void add_metric(hr_buffer *out, const char *name, const char *type, const char *help,
                       const char *owner, double value) {
    hr_buffer_format(out, "# HELP hedgerow_%s %s\n# TYPE hedgerow_%s %s\nhedgerow_%s{owner=\"%s\"} %.17g\n",
                     name, help, name, type, name, owner, value);
}

static void add_refusals(hr_buffer *out, const char *owner, const uint64_t *refused) {
    static const char *const reasons[HR_REFUSALS] = {
        [HR_REFUSAL_UNREADABLE] = "unreadable", [HR_REFUSAL_QUOTA] = "quota", [HR_REFUSAL_OFFER] = "offer"};
    hr_buffer_text(out, "# HELP hedgerow_packets_refused_total Packets that were dropped since the start.\n"
                        "# TYPE hedgerow_packets_refused_total counter\n");
    for (size_t i = 0; i < HR_REFUSALS; i++)
        hr_buffer_format(out, "hedgerow_packets_refused_total{owner=\"%s\",reason=\"%s\"} %llu\n", owner,
                         reasons[i], (unsigned long long)refused[i]);
}

/* One series for each ending, by its word; returns those that were fine, and all others. */
static void add_endings(hr_buffer *out, const hr_service_metrics *m, double *fine, double *others) {
    hr_buffer_text(out, "# HELP hedgerow_jobs_ended_total Jobs that ended since the start, by how.\n"
                        "# TYPE hedgerow_jobs_ended_total counter\n");
    for (int e = HR_JOB_DONE; e < HR_JOB_ENDINGS; e++) {
        *(hr_ending_is_fine((hr_job_ending)e) ? fine : others) += (double)m->ended[e];
        hr_buffer_format(out, "hedgerow_jobs_ended_total{owner=\"%s\",ending=\"%s\"} %zu\n", m->owner,
                         hr_job_ending_of((hr_job_ending)e)->word, m->ended[e]);
    }
}

static void render_metrics(const hr_service_metrics *m, hr_buffer *out) {
    const hr_counted_transport *p = m->packets;
    double done = 0, failed = 0;
    add_endings(out, m, &done, &failed);
    const struct {
        const char *name, *type, *help;
        double value;
    } rows[] = {
        {"jobs_open", "gauge", "Jobs that are not over.", (double)m->open},
        {"jobs_done_total", "counter", "Jobs that were done since the start.", done},
        {"jobs_failed_total", "counter", "Jobs that were declined or ended early since the start.", failed},
        {"packets_sent_total", "counter", "Packets that the broker took since the start.", (double)p->sent},
        {"packets_failed_total", "counter", "Packets that the broker did not take since the start.",
         (double)p->failed},
        {"packets_received_total", "counter", "Packets that came since the start.", (double)p->received},
        {"connected", "gauge", "1: there is a connection to the broker.", m->link.connected},
        {"reconnects_total", "counter",
         "How often a lost connection to the broker came back since the start.", (double)m->link.reconnects},
        {"last_packet_timestamp_seconds", "gauge",
         "When the broker last took or gave a packet; 0: not since "
         "the start.",
         (double)p->last},
        {"last_hello_timestamp_seconds", "gauge",
         "When the owner last told its coordinators that it is present; 0: not since the start.",
         (double)m->hello},
        {"certificate_expires_timestamp_seconds", "gauge",
         "When the certificate for the broker expires, or its authority; 0: not known.",
         (double)m->certificate_ends},
        {"epsilon_limit", "gauge", "What the ledger allows in all.", m->ledger.epsilon_limit},
        {"epsilon_left", "gauge", "What the ledger has left.", m->ledger.epsilon_left},
        {"delta_left", "gauge", "What the ledger has left.", m->ledger.delta_left},
        {"ledger_frozen", "gauge", "1: the ledger is frozen.", m->ledger.frozen},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_metric(out, rows[i].name, rows[i].type, rows[i].help, m->owner, rows[i].value);
    add_refusals(out, m->owner, m->refused);
}

/* ---- The file ---- */

/* A reader sees the old file or the new one. */
static hr_status replace_file(const char *path, const char *text, hr_error *err) {
    char *part = malloc(strlen(path) + sizeof ".new");
    if (!part) return hr_fail_memory(err);
    strcpy(part, path);
    strcat(part, ".new");
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
    bool fine = fd >= 0 && !fchmod(fd, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH) &&
                hr_file_write(fd, text, strlen(text));
    if (fd >= 0 && close(fd)) fine = false;
    hr_status status = HR_OK;
    if (!fine || rename(part, path)) {
        hr_fail(err, HR_E_IO, "check the path, its permissions and the free space",
                "cannot write the metrics: %s", strerror(errno));
        status = hr_fail_at(err, HR_E_IO, path, 0, 0, NULL);
    }
    if (status && fd >= 0) unlink(part);
    free(part);
    return status;
}

hr_status hr_service_metrics_write(const hr_service_metrics *metrics, const char *path, hr_error *err) {
    hr_buffer buffer = {0};
    char *text = NULL;
    render_metrics(metrics, &buffer);
    hr_status status = hr_buffer_take(&buffer, &text, err);
    if (!status) status = replace_file(path, text, err);
    free(text);
    return status;
}
