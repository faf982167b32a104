/* What a broker needs for the packets of one federation: its configuration, and the inboxes that
 * are made in it. */
#ifndef HR_FEDERATION_TRANSPORT_BROKER_H
#define HR_FEDERATION_TRANSPORT_BROKER_H

#include "federation/transport/nats.h"

/* The user of the broker that makes the inboxes; no member has this name. */
#define HR_BROKER_ADMIN "admin"
/* The broker's account that holds the packets; no member has this name. */
#define HR_BROKER_ACCOUNT "broker"

enum { HR_BROKER_FRAME = 4096 /* bytes that a broker puts around a packet */ };

#define HR_BROKER_STORE ((int64_t)16 << 30) /* bytes, unless the smallest shares need more */

/* What the broker keeps at most. Every sender has a share of its own in every inbox, its own inbox too, and
 * all shares together fit into the store: what one member fills is missing to nobody else. */
typedef struct hr_broker_share {
    int packets;   /* of one sender that wait in one inbox; more are refused */
    int64_t bytes; /* that they take in the store at most */
    int64_t store; /* bytes of all shares */
} hr_broker_share;

hr_broker_share hr_broker_share_of(size_t member_count);

/* What the configuration files of the brokers follow from. Borrowed. */
typedef struct hr_broker_plan {
    const char *federation;
    const hr_broker_address *address;
    const char *const *members;
    size_t member_count;
} hr_broker_plan;

enum { HR_BROKER_CONFIG = 32 };

/* The name of the configuration file of address->brokers[index]. */
void hr_broker_config_name(size_t index, char name[HR_BROKER_CONFIG]);

/* The configuration file of nats-server for address->brokers[index], which names the other files of the
 * broker relative to the folder that it is started in: ca.pem, server.pem, server-key.pem, store. Owner: the
 * caller frees *out with free(). Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_broker_config(const hr_broker_plan *plan, size_t index, char **out, hr_error *err);

/* Makes the stream and one inbox for each member at a broker that runs; what is there already is brought to
 * the same state and keeps its packets. `admin` has the name HR_BROKER_ADMIN. A packet that was not settled
 * comes again after `ack_seconds`. Fails: IO, POLICY, LIMIT (the configuration allows a smaller store than
 * the shares of so many members need), ARGUMENT, MEMORY. */
HR_MUST_CHECK hr_status hr_broker_prepare(const hr_nats_options *admin, const char *const *members,
                                          size_t member_count, int ack_seconds, hr_error *err);

#endif
