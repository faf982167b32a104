/* Moving sealed parcels between the members of a federation: what a carrier promises, whichever it is.
 *
 * A carrier is not trusted. It delivers at least once, in any order: it may repeat, delay or lose a parcel, and what comes out
 * may not be what anybody sent. Parcels are therefore sealed before they are sent and verified after they come, and a sender
 * keeps what it sent until the receiver itself has said that it came. */
#ifndef HR_TRANSPORT_TRANSPORT_H
#define HR_TRANSPORT_TRANSPORT_H

#include "base/fail.h"

enum { HR_PARCEL_MAX = 768 * 1024 }; /* bytes of one parcel */

typedef struct hr_parcel {
    uint8_t *bytes; /* NULL: nothing came */
    size_t size;
    void *token; /* of the carrier */
} hr_parcel;

typedef struct hr_transport hr_transport;

/* One member's end of a carrier; the first field of the carrier's own structure. Thread: one at a time. */
struct hr_transport {
    /* HR_OK: the carrier took the parcel, not that it arrived. The bytes stay the caller's. Fails: LIMIT (above HR_PARCEL_MAX),
     * ARGUMENT (the carrier cannot know such a member), POLICY (the carrier refuses), IO (send it again later), MEMORY. */
    hr_status (*send)(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err);

    /* Waits at most so many milliseconds for a parcel; *out is {0} if none came, which is not a failure. A parcel that came is
     * the caller's until settle or close, whichever is first. Fails: POLICY, IO, MEMORY. */
    hr_status (*receive)(hr_transport *self, int milliseconds, hr_parcel *out, hr_error *err);

    /* The parcel is dealt with: the carrier may forget it. Frees its bytes and empties it; an empty parcel is left alone.
     * A parcel never settled comes again. */
    void (*settle)(hr_transport *self, hr_parcel *parcel);

    /* Frees `self`. Parcels that were not settled come again to who opens the same end next. */
    void (*close)(hr_transport *self);
};

#endif
