/* Ends of a real broker: members that use the library, and hostile members that speak to the broker by
 * themselves, with a certificate that holds. */
#ifndef HR_TESTS_SUPPORT_NATS_ENDS_H
#define HR_TESTS_SUPPORT_NATS_ENDS_H

#include "federation/transport/nats.h"
#include "support/nats_server.h"

#include <nats/nats.h>

enum { LONG = SERVER_PATIENCE * 1000, SHORT = 100 }; /* milliseconds */

/* ---- Members that use the library ---- */

hr_transport *open_as(const server *s, const char *name);
void send_text(hr_transport *end, const char *to, const char *text);
hr_packet receive_within(hr_transport *end, int milliseconds);
bool holds(const hr_packet *packet, const char *text);
/* The next packet is this one; it is settled. */
void expect_text(hr_transport *end, const char *text);
/* The packet with this text, not settled. Others before it come again and are settled: a broker that was
 * killed may have lost their acknowledgements, or have taken one twice. */
hr_packet receive_again(hr_transport *end, const char *text);
void expect_nothing(hr_transport *end);
void check_failure(const hr_error *err, hr_status status, const char *words);

/* ---- A member that does not ---- */

natsConnection *connect_raw(const server *s, const char *name);
/* The broker has answered everything before, and its last complaint was this. */
void expect_forbidden(natsConnection *connection, const char *words);

#endif
