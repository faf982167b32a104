#include "federation/transport/carrier.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)HR_CARRIER_PACKET_MAX == (int)HR_PACKET_MAX, "the header states the size of a packet");

/* A packet that is with the caller. */
typedef struct carried {
    struct carried *next;
    uint8_t bytes[];
} carried;

typedef struct carried_end {
    hr_transport transport; /* first */
    hr_carrier carrier;
    carried *held;
    uint8_t came[HR_PACKET_MAX]; /* where the program puts a packet */
} carried_end;

static hr_status send_carried(hr_transport *self, const char *to, const void *bytes, size_t size,
                              hr_error *err) {
    const carried_end *e = (carried_end *)self;
    if (size > HR_PACKET_MAX)
        return hr_fail(err, HR_E_LIMIT, "send it in pieces", "a packet of %zu bytes is larger than %d", size,
                       HR_PACKET_MAX);
    if (e->carrier.send(e->carrier.user, to, bytes, size)) return HR_OK;
    return hr_fail(err, HR_E_IO, "it is sent again later", "the carrier took no packet to '%s'", to);
}

/* More than there is room for was never a packet. */
static hr_status receive_carried(hr_transport *self, int milliseconds, hr_packet *out, hr_error *err) {
    carried_end *e = (carried_end *)self;
    const int wait = milliseconds > 0 ? milliseconds : 0;
    const size_t size = e->carrier.receive(e->carrier.user, wait, e->came, sizeof e->came);
    *out = (hr_packet){0};
    if (!size || size > sizeof e->came) return HR_OK;
    carried *packet = malloc(sizeof *packet + size);
    if (!packet) return hr_fail_memory(err);
    memcpy(packet->bytes, e->came, size);
    packet->next = e->held;
    e->held = packet;
    *out = (hr_packet){packet->bytes, size, packet};
    return HR_OK;
}

static void settle_carried(hr_transport *self, hr_packet *packet) {
    carried_end *e = (carried_end *)self;
    carried **at = &e->held;
    if (!packet->bytes) return;
    while (*at != packet->token) at = &(*at)->next;
    *at = (*at)->next;
    free(packet->token);
    *packet = (hr_packet){0};
}

static void close_carried_end(hr_transport *self) {
    carried_end *e = (carried_end *)self;
    while (e->held) {
        carried *next = e->held->next;
        free(e->held);
        e->held = next;
    }
    free(e);
}

hr_status hr_carrier_open(const hr_carrier *carrier, hr_transport **out, hr_error *err) {
    static const hr_sized kind = {sizeof *carrier, sizeof carrier->size, "begin with HR_CARRIER_INIT"};
    carried_end *e = calloc(1, sizeof *e);
    if (!e) return hr_fail_memory(err);
    hr_status status = hr_sized_take(&kind, carrier, &e->carrier, err);
    if (!status && (!e->carrier.send || !e->carrier.receive))
        status = hr_fail(err, HR_E_ARGUMENT, "set send and receive", "a carrier without send or receive");
    if (status) {
        free(e);
        return status;
    }
    e->transport = (hr_transport){.send = send_carried,
                                  .receive = receive_carried,
                                  .settle = settle_carried,
                                  .close = close_carried_end};
    *out = &e->transport;
    return HR_OK;
}
