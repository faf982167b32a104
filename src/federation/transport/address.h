/* Names of members and addresses of brokers, as files give them. */
#ifndef HR_FEDERATION_TRANSPORT_ADDRESS_H
#define HR_FEDERATION_TRANSPORT_ADDRESS_H

#include "base/fail.h"

#include <stdbool.h>

enum {
    HR_NATS_NAME_MAX = 32, /* characters of a name, without its NUL */
    HR_BROKER_HOST = 256,
    HR_BROKERS_MAX = 5 /* copies of a stream, of which a cluster keeps one at each broker */
};

/* Of a federation or a member: a small letter or digit, then small letters, digits and '-'. Fits into
 * subjects, certificates and paths. */
bool hr_nats_name_fits(const char *name);

typedef struct hr_broker_host {
    char host[HR_BROKER_HOST]; /* a name, or an address without brackets */
    unsigned port;
} hr_broker_host;

/* A broker, or a cluster of three or five that know each other by names. */
typedef struct hr_broker_address {
    hr_broker_host brokers[HR_BROKERS_MAX];
    size_t count; /* 1, 3 or 5 */
} hr_broker_address;

/* Reads tls://HOST:PORT, or three or five of them with commas between. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_broker_address_parse(const char *url, hr_broker_address *out, hr_error *err);

#endif
