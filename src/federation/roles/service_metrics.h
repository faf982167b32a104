/* Numbers of an owner, or of a coordinator that serves, in the text format of Prometheus, for node_exporter's
 * textfile collector.
 *
 * They count jobs and packets, and give what the ledger has left: what was released or charged, or can be
 * seen at the broker. None depends on a record. */
#ifndef HR_FEDERATION_ROLES_SERVICE_METRICS_H
#define HR_FEDERATION_ROLES_SERVICE_METRICS_H

#include "federation/party/party.h"
#include "federation/transport/transport.h"

#include <hedgerow/jobs.h>
#include <hedgerow/ledger.h>

enum { HR_METRICS_PAUSE = 15 * 1000 /* milliseconds between two writings */ };

/* A transport whose packets are counted. */
typedef struct hr_counted_transport {
    hr_transport transport;          /* first. Its user does not close it */
    hr_transport *inner;             /* borrowed */
    uint64_t sent, failed, received; /* packets */
    uint64_t bytes_sent, bytes_received;
    /* Seconds since 1970 began; 0: never. */
    int64_t last;    /* when the transport last took or gave a packet */
    int64_t contact; /* when there was last a connection, as far as somebody asked */
} hr_counted_transport;

/* From now on the packets are those of `inner`, borrowed. Counts go on: they begin with {0}. */
void hr_counted_transport_use(hr_counted_transport *counted, hr_transport *inner);

/* To settings->report_traffic, if there is one. */
void hr_counted_transport_report(const hr_counted_transport *counted, const hr_party_settings *settings);

/* What owners alone have. */
typedef struct hr_owner_numbers {
    hr_ledger_total ledger;
    int64_t hello; /* when it last sent a hello, since 1970 began; 0: never */
} hr_owner_numbers;

/* What coordinators that serve alone have. */
typedef struct hr_coordinator_numbers {
    size_t queued;                     /* jobs that have not begun */
    const hr_owner_presence *presence; /* of the owners that it listens to */
    size_t presence_count;
} hr_coordinator_numbers;

/* Times are seconds since 1970 began. */
typedef struct hr_service_metrics {
    const char *name; /* of the member, which each number is labelled with, by its role */
    const hr_counted_transport *packets;
    size_t open;
    const size_t *ended;                       /* jobs, by ending */
    const uint64_t *refused;                   /* packets, by hr_refusal */
    int64_t begun;                             /* when the process began to serve */
    int64_t certificate_ends;                  /* 0: not known */
    const hr_owner_numbers *owner;             /* NULL: of a coordinator */
    const hr_coordinator_numbers *coordinator; /* NULL: of an owner */
} hr_service_metrics;

/* Replaces the file, which all may read, as a whole. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_service_metrics_write(const hr_service_metrics *metrics, const char *path,
                                                 hr_error *err);

#endif
