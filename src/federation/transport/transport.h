/* Moving sealed packets between the members of a federation: the contract of every transport.
 *
 * A transport is not trusted. It delivers at least once, in any order: it may repeat, delay or lose a packet,
 * and it may deliver bytes that no member sent. Packets are therefore sealed before they are sent and
 * verified after they come, and a sender keeps what it sent until the receiver itself has acknowledged it.
 */
#ifndef HR_FEDERATION_TRANSPORT_TRANSPORT_H
#define HR_FEDERATION_TRANSPORT_TRANSPORT_H

#include "base/fail.h"

#include <stdbool.h>

enum {
    HR_PACKET_MAX = 768 * 1024, /* bytes of one packet */
    HR_HELLO_MAX = 512          /* bytes of one hello */
};

typedef struct hr_packet {
    uint8_t *bytes; /* NULL: nothing came */
    size_t size;
    void *token; /* of the transport */
} hr_packet;

/* A hello that came; size 0: none. */
typedef struct hr_hello_packet {
    uint8_t bytes[HR_HELLO_MAX];
    size_t size;
} hr_hello_packet;

typedef struct hr_transport hr_transport;

/* The connection under a transport. */
typedef struct hr_link_info {
    bool connected;
    uint64_t reconnects; /* how often a lost one came back, since the opening */
} hr_link_info;

/* One member's end of a transport; the first field of the transport's own structure. Thread: one at a time.
 */
struct hr_transport {
    /* HR_OK: the transport took the packet, not that it arrived. The bytes stay the caller's. Fails: LIMIT
     * (above HR_PACKET_MAX), ARGUMENT (not a valid name of a member), POLICY (the transport
     * refuses), IO (send it again later), MEMORY. */
    hr_status (*send)(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err);

    /* Waits at most so many milliseconds for a packet; *out is {0} if none came, which is not a failure. 0:
     * what the transport has by now, which it may have to be asked for; below 0: what has come here already,
     * and nothing is waited for. A packet that came is the caller's until settle or close, whichever is
     * first. Fails: POLICY, IO, MEMORY. */
    hr_status (*receive)(hr_transport *self, int milliseconds, hr_packet *out, hr_error *err);

    /* The packet is dealt with: the transport may forget it. Frees its bytes and empties it; an empty packet
     * is left alone. A packet never settled comes again. */
    void (*settle)(hr_transport *self, hr_packet *packet);

    /* The packet is refused: as settle, but a transport that limits what waits of one sender counts it as
     * waiting for some time more, so that who sends such packets without end sends few. NULL: as settle. */
    void (*refuse)(hr_transport *self, hr_packet *packet);

    /* Frees `self`. Packets that were not settled come again to the next opening of the same end. */
    void (*close)(hr_transport *self);

    /* How the connection is. May be NULL: there is none. */
    void (*link)(const hr_transport *self, hr_link_info *out);

    /* As send, but does not wait for the transport's answer: HR_OK promises nothing, and a packet that nobody
     * acknowledges is to be sent again. NULL: as send. Fails: as send. */
    hr_status (*post)(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err);

    /* Presence: a hello goes to the members that listen at this moment, once, and is stored nowhere. Both are
     * NULL in a transport without it. Fails: LIMIT (above HR_HELLO_MAX), POLICY (the transport refuses all of
     * them), IO, MEMORY. */
    hr_status (*publish_hello)(hr_transport *self, const void *bytes, size_t size, hr_error *err);
    /* The next hello of a member, without waiting. The first call for a member begins to listen to it. Of a
     * member that sends more than are taken, some are lost. Fails: IO, MEMORY. */
    hr_status (*next_hello)(hr_transport *self, const char *from, hr_hello_packet *out, hr_error *err);
};

#endif
