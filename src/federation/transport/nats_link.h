/* A connection to a broker, and what libnats's failures mean to people. */
#ifndef HR_FEDERATION_TRANSPORT_NATS_LINK_H
#define HR_FEDERATION_TRANSPORT_NATS_LINK_H

#include "federation/transport/nats.h"

#include <nats/nats.h>

/* Where a member's account has the requests that begin with $JS.API. in the broker's. A member's own $JS.API.
 * answers that nothing is stored in its account. */
#define HR_NATS_API "hedgerow"
/* How subjects of hellos begin. */
#define HR_NATS_HELLO "hello."

typedef struct hr_nats_link {
    natsConnection *connection;
    jsCtx *jetstream;
} hr_nats_link;

/* Whether the options can be used, apart from the broker. Fails: ARGUMENT, IO (a file cannot be read). */
HR_MUST_CHECK hr_status hr_nats_check(const hr_nats_options *options, hr_error *err);
/* As a member. Options that were checked. Owner: the caller hangs up, also after a failure. */
natsStatus hr_nats_connect(const hr_nats_options *options, hr_nats_link *out);
/* As the admin: checks and connects, once. Owner: the caller hangs up. Fails: IO, POLICY, ARGUMENT, MEMORY.
 */
HR_MUST_CHECK hr_status hr_nats_dial(const hr_nats_options *options, hr_nats_link *out, hr_error *err);
/* What was published before is handed to the broker first, if it is there. {0} is allowed. */
void hr_nats_hang_up(hr_nats_link *link);

bool hr_nats_connected(const hr_nats_link *link);
/* How often a lost connection came back; 0 without memory to know. */
uint64_t hr_nats_reconnects(const hr_nats_link *link);

/* Whether the broker has refused hellos since the connection was made. */
bool hr_nats_forbids_hellos(const hr_nats_link *link);

/* Whether a call failed because TLS, at either end, refuses the other. Call it straight after. */
bool hr_nats_is_insecure(natsStatus reason);
/* Whether a call failed because there was no answer, which may change; not because the broker, or TLS,
 * refused. Ask straight after it.
 */
bool hr_nats_is_silence(const hr_nats_link *link, natsStatus reason);
/* What a call that may be made again waits for, as "does not answer"; NULL: it need not be made again. Ask
 * straight after it. */
const char *hr_nats_awaits(const hr_nats_link *link, natsStatus reason);

/* Sets the reason why `what` failed. Never HR_OK. */
hr_status hr_nats_fail(const hr_nats_link *link, natsStatus reason, const char *what, hr_error *err);
/* The same of hr_nats_connect. */
hr_status hr_nats_fail_to_connect(const hr_nats_options *options, const hr_nats_link *link, natsStatus reason,
                                  hr_error *err);

#endif
