/* What the broker's admin can see of inboxes, and delete. */
#ifndef HR_FEDERATION_TRANSPORT_BROKER_INBOXES_H
#define HR_FEDERATION_TRANSPORT_BROKER_INBOXES_H

#include "federation/transport/nats.h"

/* The packets of one sender that wait in one inbox. */
typedef struct hr_broker_waiting {
    char to[HR_NATS_NAME_MAX + 1], from[HR_NATS_NAME_MAX + 1];
    uint64_t packets, bytes;
    int64_t oldest; /* when it was sent: seconds since 1970 began */
} hr_broker_waiting;

/* Inboxes and senders with at least one packet, by name. Reads every packet. Owner: the caller frees *out
 * with free(). Fails: IO, POLICY, ARGUMENT, MEMORY. */
HR_MUST_CHECK hr_status hr_broker_look(const hr_nats_options *admin, hr_broker_waiting **out, size_t *count,
                                       hr_error *err);

/* Deletes what waits in the inbox `to`, of one sender, or of all if `from` is NULL. *packets: how many
 * waited. Fails: IO, POLICY, ARGUMENT, MEMORY. */
HR_MUST_CHECK hr_status hr_broker_purge(const hr_nats_options *admin, const char *to, const char *from,
                                        uint64_t *packets, hr_error *err);

#endif
