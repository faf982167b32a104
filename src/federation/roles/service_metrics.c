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

static hr_status count_sent(hr_counted_transport *c, size_t size, hr_status status) {
    if (status) {
        c->failed++;
        return status;
    }
    c->sent++;
    c->bytes_sent += size;
    c->last = (int64_t)time(NULL);
    return HR_OK;
}

static hr_status send_counted(hr_transport *self, const char *to, const void *bytes, size_t size,
                              hr_error *err) {
    hr_counted_transport *c = (hr_counted_transport *)self;
    return count_sent(c, size, c->inner->send(c->inner, to, bytes, size, err));
}

static hr_status post_counted(hr_transport *self, const char *to, const void *bytes, size_t size,
                              hr_error *err) {
    hr_counted_transport *c = (hr_counted_transport *)self;
    return count_sent(c, size, c->inner->post(c->inner, to, bytes, size, err));
}

static hr_status receive_counted(hr_transport *self, int milliseconds, hr_packet *out, hr_error *err) {
    hr_counted_transport *c = (hr_counted_transport *)self;
    hr_status status = c->inner->receive(c->inner, milliseconds, out, err);
    if (status || !out->bytes) return status;
    c->received++;
    c->bytes_received += out->size;
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

/* What is noted is no part of the link. */
static void counted_link(const hr_transport *self, hr_link_info *out) {
    hr_counted_transport *c = (hr_counted_transport *)self;
    c->inner->link(c->inner, out);
    if (out->connected) c->contact = (int64_t)time(NULL);
}

void hr_counted_transport_use(hr_counted_transport *counted, hr_transport *inner) {
    counted->transport = (hr_transport){.send = send_counted,
                                        .post = inner->post ? post_counted : NULL,
                                        .receive = receive_counted,
                                        .settle = settle_counted,
                                        .refuse = inner->refuse ? refuse_counted : NULL,
                                        .link = inner->link ? counted_link : NULL};
    counted->inner = inner;
}

void hr_counted_transport_report(const hr_counted_transport *c, const hr_party_settings *settings) {
    const hr_traffic traffic = {.packets_sent = c->sent,
                                .packets_received = c->received,
                                .bytes_sent = c->bytes_sent,
                                .bytes_received = c->bytes_received};
    if (settings->report_traffic) settings->report_traffic(settings->user, &traffic);
}

/* ---- The text ---- */

/* Who a number is of: `owner="north"`. */
typedef struct metrics_text {
    hr_buffer *out;
    const char *role, *name;
} metrics_text;

typedef struct metric {
    const char *name, *type, *help;
    double value;
} metric;

static void add_head(const metrics_text *t, const char *name, const char *type, const char *help) {
    hr_buffer_format(t->out, "# HELP hedgerow_%s %s\n# TYPE hedgerow_%s %s\n", name, help, name, type);
}

static void add_metrics(const metrics_text *t, const metric *metrics, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const metric *m = &metrics[i];
        add_head(t, m->name, m->type, m->help);
        hr_buffer_format(t->out, "hedgerow_%s{%s=\"%s\"} %.17g\n", m->name, t->role, t->name, m->value);
    }
}

static void add_refusals(const metrics_text *t, const uint64_t *refused) {
    static const char *const reasons[HR_REFUSALS] = {
        [HR_REFUSAL_UNREADABLE] = "unreadable", [HR_REFUSAL_QUOTA] = "quota", [HR_REFUSAL_OFFER] = "offer"};
    add_head(t, "packets_refused_total", "counter",
             "Packets that were dropped since the start, or since the files were last read anew.");
    for (size_t i = 0; i < HR_REFUSALS; i++)
        hr_buffer_format(t->out, "hedgerow_packets_refused_total{%s=\"%s\",reason=\"%s\"} %llu\n", t->role,
                         t->name, reasons[i], (unsigned long long)refused[i]);
}

/* One series for each ending, by its word; returns those that were fine, and all others. */
static void add_endings(const metrics_text *t, const size_t *ended, double *fine, double *others) {
    add_head(t, "jobs_ended_total", "counter", "Jobs that ended since the start, by how.");
    for (int e = HR_JOB_DONE; e < HR_JOB_ENDINGS; e++) {
        *(hr_ending_is_fine((hr_job_ending)e) ? fine : others) += (double)ended[e];
        hr_buffer_format(t->out, "hedgerow_jobs_ended_total{%s=\"%s\",ending=\"%s\"} %zu\n", t->role, t->name,
                         hr_job_ending_of((hr_job_ending)e)->word, ended[e]);
    }
}

static void add_common(const metrics_text *t, const hr_service_metrics *m) {
    const hr_counted_transport *p = m->packets;
    hr_link_info link = {0};
    double done = 0, failed = 0;
    if (p->transport.link) p->transport.link(&p->transport, &link);
    add_endings(t, m->ended, &done, &failed);
    const metric metrics[] = {
        {"start_timestamp_seconds", "gauge", "When the process began to serve.", (double)m->begun},
        {"jobs_open", "gauge", "Jobs that began and are not over.", (double)m->open},
        {"jobs_done_total", "counter", "Jobs that were done since the start.", done},
        {"jobs_failed_total", "counter", "Jobs that were declined or ended early since the start.", failed},
        {"packets_sent_total", "counter", "Packets that were given to the connection since the start.",
         (double)p->sent},
        {"packets_failed_total", "counter", "Packets that the connection did not take since the start.",
         (double)p->failed},
        {"packets_received_total", "counter", "Packets that came since the start.", (double)p->received},
        {"connected", "gauge", "1: there is a connection to the broker.", link.connected},
        {"reconnects_total", "counter",
         "How often a lost connection to the broker came back since the files were last read.",
         (double)link.reconnects},
        {"last_connection_timestamp_seconds", "gauge",
         "When there was last a connection to the broker; 0: not since the start.", (double)p->contact},
        {"last_packet_timestamp_seconds", "gauge",
         "When a packet was last given to the connection or came; 0: not since the start.", (double)p->last},
        {"certificate_expires_timestamp_seconds", "gauge",
         "When the certificate for the broker expires, or its authority; 0: not known.",
         (double)m->certificate_ends},
    };
    add_metrics(t, metrics, sizeof metrics / sizeof *metrics);
    add_refusals(t, m->refused);
}

static void add_owner(const metrics_text *t, const hr_owner_numbers *owner) {
    const hr_ledger_total *ledger = &owner->ledger;
    const metric metrics[] = {
        {"last_hello_timestamp_seconds", "gauge",
         "When the owner last told its coordinators that it is present; 0: not since the start.",
         (double)owner->hello},
        {"epsilon_limit", "gauge", "What the ledger allows in all.", ledger->epsilon_limit},
        {"epsilon_left", "gauge", "What the ledger has left.", ledger->epsilon_left},
        {"delta_left", "gauge", "What the ledger has left.", ledger->delta_left},
        {"ledger_frozen", "gauge", "1: the ledger is frozen.", ledger->frozen},
    };
    add_metrics(t, metrics, sizeof metrics / sizeof *metrics);
}

static void add_coordinator(const metrics_text *t, const hr_coordinator_numbers *c) {
    const metric queued = {"jobs_queued", "gauge", "Jobs that were submitted and have not begun.",
                           (double)c->queued};
    add_metrics(t, &queued, 1);
    add_head(t, "owner_present", "gauge", "1: the owner's program runs, by its hellos and messages.");
    for (size_t i = 0; i < c->presence_count; i++)
        hr_buffer_format(t->out, "hedgerow_owner_present{%s=\"%s\",owner=\"%s\"} %d\n", t->role, t->name,
                         c->presence[i].name, c->presence[i].present);
    add_head(t, "owner_last_hello_timestamp_seconds", "gauge",
             "When the owner's last hello or message came; 0: not since the start.");
    for (size_t i = 0; i < c->presence_count; i++)
        hr_buffer_format(t->out, "hedgerow_owner_last_hello_timestamp_seconds{%s=\"%s\",owner=\"%s\"} %lld\n",
                         t->role, t->name, c->presence[i].name, (long long)c->presence[i].seen);
}

static void render_metrics(const hr_service_metrics *m, hr_buffer *out) {
    const metrics_text text = {out, m->owner ? "owner" : "coordinator", m->name};
    add_common(&text, m);
    if (m->owner) add_owner(&text, m->owner);
    if (m->coordinator) add_coordinator(&text, m->coordinator);
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
