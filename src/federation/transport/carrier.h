/* A transport by callbacks of the program (hr_carrier). What it may lose, repeat or change, it may here, too:
 * nothing is settled with it, since a sender keeps what it sent until the receiver has acknowledged it. */
#ifndef HR_FEDERATION_TRANSPORT_CARRIER_H
#define HR_FEDERATION_TRANSPORT_CARRIER_H

#include "federation/transport/transport.h"

#include <hedgerow/federation.h>

/* One end. `carrier` is borrowed. Owner: the caller closes *out. Fails: ARGUMENT (not initialised, or without
 * a function), MEMORY. */
HR_MUST_CHECK hr_status hr_carrier_open(const hr_carrier *carrier, hr_transport **out, hr_error *err);

#endif
