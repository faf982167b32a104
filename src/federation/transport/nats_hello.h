/* Presence over a broker: hellos on the subject hello.FEDERATION.MEMBER, outside of its stores. A member's
 * account may publish on its own subject alone, and takes those of all others (broker_config.c). */
#ifndef HR_FEDERATION_TRANSPORT_NATS_HELLO_H
#define HR_FEDERATION_TRANSPORT_NATS_HELLO_H

#include "federation/transport/nats_link.h"

/* A member that is listened to. */
typedef struct hr_nats_ear hr_nats_ear;

typedef struct hr_nats_presence {
    const hr_nats_link *link;
    const char *federation, *name;
    hr_nats_ear *ears; /* in no order */
} hr_nats_presence;

/* As the functions of a transport (transport.h). */
HR_MUST_CHECK hr_status hr_nats_hello_publish(const hr_nats_presence *presence, const void *bytes,
                                              size_t size, hr_error *err);
HR_MUST_CHECK hr_status hr_nats_hello_next(hr_nats_presence *presence, const char *from, hr_hello_packet *out,
                                           hr_error *err);
void hr_nats_presence_done(hr_nats_presence *presence);

#endif
