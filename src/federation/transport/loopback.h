/* A transport within one process: queues in memory, with faults on request, for simulations and tests.
 * Thread: one at a time for one end; ends of one loopback may be used at the same time. */
#ifndef HR_FEDERATION_TRANSPORT_LOOPBACK_H
#define HR_FEDERATION_TRANSPORT_LOOPBACK_H

#include "federation/transport/transport.h"

#include <stdbool.h>

typedef struct hr_loopback hr_loopback;

/* What becomes of a packet that is sent. */
typedef enum hr_loopback_fate {
    HR_FATE_ARRIVES,
    HR_FATE_LOST,
    HR_FATE_TWICE,
    HR_FATE_FIRST /* before all that wait */
} hr_loopback_fate;

/* Owner: the caller frees *out, after all of its ends are closed. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_loopback_new(hr_loopback **out, hr_error *err);
void hr_loopback_free(hr_loopback *loopback);

/* Called for every packet that is sent, one at a time; NULL: all arrive. */
void hr_loopback_script(hr_loopback *loopback,
                        hr_loopback_fate (*fate)(void *user, const char *from, const char *to, size_t size),
                        void *user);

/* A member's end. One that is opened again takes up what its forerunner had not settled. Receiving never
 * waits: `milliseconds` is ignored. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_loopback_open(hr_loopback *loopback, const char *name, hr_transport **out,
                                         hr_error *err);

/* Whether a packet waits for a member that has not been received. */
bool hr_loopback_waits(hr_loopback *loopback, const char *name);

#endif
