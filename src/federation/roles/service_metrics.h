/* Numbers of an owner at work, in the text format of Prometheus, for node_exporter's textfile collector.
 *
 * They count jobs and packets, and give what the ledger has left: what was released or charged, or can be
 * seen at the broker. None depends on a record. */
#ifndef HR_FEDERATION_ROLES_SERVICE_METRICS_H
#define HR_FEDERATION_ROLES_SERVICE_METRICS_H

#include "federation/party/party.h"
#include "federation/transport/transport.h"

#include <hedgerow/ledger.h>

/* A transport whose packets are counted. */
typedef struct hr_counted_transport {
    hr_transport transport; /* first. Its user does not close it */
    hr_transport *inner;    /* borrowed */
    uint64_t sent, failed, received;
    int64_t last; /* when the transport last took or gave a packet: seconds since 1970 began; 0: never */
} hr_counted_transport;

void hr_counted_transport_init(hr_counted_transport *counted, hr_transport *inner);

typedef struct hr_service_metrics {
    const char *owner; /* its name */
    const hr_counted_transport *packets;
    size_t open;
    const size_t *ended;     /* jobs, by ending */
    const uint64_t *refused; /* packets, by hr_refusal */
    hr_link_info link;
    hr_ledger_total ledger;
    int64_t certificate_ends; /* since 1970 began; 0: not known */
    int64_t hello;            /* when it last sent a hello, since 1970 began; 0: never */
} hr_service_metrics;

/* Replaces the file, which all may read, as a whole. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_service_metrics_write(const hr_service_metrics *metrics, const char *path,
                                                 hr_error *err);

#endif
